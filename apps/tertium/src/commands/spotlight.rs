//! When is a program looked at through a spotlight, and how?

use tertium_base::Diagnostic;
use tertium_driver::Failure;
use tertium_driver::program::ProgramFile;
use tertium_driver::program::questions::Question;
use tertium_driver::program::spotlight::{self, SpotlightOptions};

use super::check::refuse;
use crate::args::{Abstraction, CheckArgs, EngineName, Parameters, Semantics};

/// How to look at few processes, and whether nobody asked for it; none if all are looked at.
pub fn wanted(
    args: &CheckArgs,
    file: &ProgramFile,
    questions: &[Question],
    abstracted: bool,
) -> Result<Option<(SpotlightOptions, bool)>, Failure> {
    let asked_for = !args.spotlight.is_empty();
    let running = args.threads.is_some() || args.no_reduction || args.store.is_some();
    let other = running || args.how.is_named() || !args.how.keep.is_empty() || args.semantics == Semantics::Thorough;
    if asked_for && (other || args.how.abstraction == Some(Abstraction::None)) {
        return Err(Diagnostic::error("E0351", "`--spotlight` is an abstraction of its own")
            .note("it cannot be combined with `--abstraction`, `--keep`, `--semantics thorough`, `--threads` or `--no-reduction`")
            .help("leave these out, or `--spotlight`")
            .into());
    }
    let chosen = args.engine != EngineName::Auto || args.max_states.is_some();
    let free = !abstracted && !running && !chosen && args.how.abstraction.is_none();
    // Sets of states take in all processes; whoever chose them does not want fewer.
    let sets = args.engine == EngineName::Symbolic;
    let declared = !file.program.spotlight.is_empty() && !other && !sets && args.how.abstraction.is_none();
    let automatic = free && spotlight::start::reason(file, questions).is_some();
    if !asked_for && !declared && !automatic {
        refuse(
            args,
            "structures and for programs in a spotlight",
            "other programs",
            &[("--parameters", args.parameters != Parameters::On)],
        )?;
        return Ok(None);
    }
    let processes = (!file.program.spotlight.is_empty()).then(|| file.program.spotlight.clone());
    let parameters = match args.parameters {
        Parameters::On => spotlight::Parameters::On,
        Parameters::Off => spotlight::Parameters::Off,
        Parameters::Literal => spotlight::Parameters::Literal,
    };
    let mut how = SpotlightOptions { processes, parameters, ..SpotlightOptions::default() };
    if let Some(rounds) = args.refinements {
        how.rounds = rounds as usize + 1;
    }
    Ok(Some((how, !asked_for && !declared)))
}
