//! From what was typed to what the user wishes of the strategy.

use std::sync::Arc;

use tertium_base::Diagnostic;
use tertium_driver::Failure;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::CheckOptions;
use tertium_driver::program::safety::Keeping;
use tertium_driver::program::spotlight;
use tertium_driver::strategy::{Approach, SpotlightWish, Wishes};

use super::abstraction;
use super::check::engine_choice;
use crate::command::args::{Abstraction, CheckArgs, DeviceName, EngineName, Parameters, Semantics, StoreName};

/// The variable of the environment that stands for `--deterministic`.
const DETERMINISTIC: &str = "TERTIUM_DETERMINISTIC";

/// What the user wishes; `wants_page`: what is shown only there is looked for, too.
pub fn of(args: &CheckArgs, wants_page: bool) -> Result<Wishes, Failure> {
    let approach = approach(args)?;
    let mut options = options(args);
    options.look_for_idle |= wants_page;
    let mut abstraction = abstraction::options(&args.how, args.max_states);
    abstraction.thorough = args.semantics == Semantics::Thorough;
    Ok(Wishes {
        options,
        abstraction,
        approach,
        spotlight: spotlight_wish(args, approach)?,
        parameters: match args.parameters {
            Parameters::On => spotlight::Parameters::On,
            Parameters::Off => spotlight::Parameters::Off,
            Parameters::Literal => spotlight::Parameters::Literal,
        },
        deterministic: args.deterministic || std::env::var_os(DETERMINISTIC).is_some_and(|value| value != "0"),
        search_only: args.engine == EngineName::Explicit || args.disk.is_some() || on_device(args),
        refinements: args.refinements,
        predicates_given: !args.how.predicates.is_empty(),
        decided: Arc::default(),
    })
}

/// Whether the program is abstracted, or run as it is.
fn approach(args: &CheckArgs) -> Result<Approach, Failure> {
    // Nothing is open in a program itself: completions are those of its abstraction.
    let thorough = args.semantics == Semantics::Thorough;
    let abstracted = args.how.is_used() || args.refinements.is_some() || thorough;
    let none = args.how.abstraction == Some(Abstraction::None);
    if abstracted && none {
        return Err(Diagnostic::error("E0330", "`--abstraction none` contradicts options that are about abstraction")
            .help("leave out `--abstraction none`, or `--predicate`, `--keep`, `--refinements`, `--semantics thorough` and the like")
            .into());
    }
    let about_running = about_running(args);
    if let Some((option, _)) = about_running.iter().find(|(_, given)| *given && abstracted) {
        return Err(Diagnostic::error("E0330", format!("`{option}` is about running a program, not abstracting it"))
            .help(format!("leave out `{option}`"))
            .into());
    }
    let runs = about_running.iter().any(|(_, given)| *given) || args.max_states.is_some();
    Ok(match () {
        () if abstracted => Approach::Abstract,
        () if none => Approach::NoAbstraction,
        () if runs => Approach::Run,
        () => Approach::Free,
    })
}

/// Options that mean something only where a program is run, and whether each was given.
fn about_running(args: &CheckArgs) -> [(&'static str, bool); 6] {
    [
        ("--threads", args.threads.is_some()),
        ("--no-reduction", args.no_reduction),
        ("--store", args.store.is_some()),
        ("--engine explicit", args.engine == EngineName::Explicit),
        ("--disk", args.disk.is_some()),
        ("--device", on_device(args)),
    ]
}

/// Whether few processes may stand for all.
fn spotlight_wish(args: &CheckArgs, approach: Approach) -> Result<SpotlightWish, Failure> {
    let running = about_running(args).iter().any(|(_, given)| *given);
    let other = running || args.how.is_named() || !args.how.keep.is_empty() || args.semantics == Semantics::Thorough;
    if !args.spotlight.is_empty() {
        if other || approach == Approach::NoAbstraction {
            return Err(Diagnostic::error("E0351", "`--spotlight` is an abstraction of its own")
                .note("it cannot be combined with `--abstraction`, `--keep`, `--semantics thorough`, `--threads` or `--no-reduction`")
                .help("leave these out, or `--spotlight`")
                .into());
        }
        return Ok(SpotlightWish::Wanted);
    }
    let unnamed = args.how.abstraction.is_none();
    Ok(match () {
        () if approach == Approach::Free && args.engine == EngineName::Auto && unnamed => SpotlightWish::Allowed,
        // Sets of states take in all processes; whoever chose them does not want fewer.
        () if !other && args.engine != EngineName::Symbolic && unnamed => SpotlightWish::IfDeclared,
        () => SpotlightWish::Refused,
    })
}

fn on_device(args: &CheckArgs) -> bool {
    args.device == DeviceName::Gpu
}

/// How questions about a program are read, and within which limits.
pub fn options(args: &CheckArgs) -> CheckOptions {
    CheckOptions {
        deadlock: args.deadlock.map(|name| name.0),
        linear: args.ltl.map(|name| name.0),
        // For programs it is a search of their states, whatever evaluates the formula on them.
        engine: match args.engine {
            EngineName::Explicit => EngineChoice::Auto,
            engine => engine_choice(engine),
        },
        reduction: !args.no_reduction,
        store: keeping(args.store.unwrap_or(StoreName::Exact)),
        max_states: args.max_states,
        threads: threads(args.threads),
        look_for_idle: !args.look.quiet,
        fair: args.fair,
        module: args.module,
        keep_basis: args.evidence.is_some(),
        disk: args.disk.clone(),
        on_device: on_device(args),
        ..CheckOptions::default()
    }
}

/// How much is kept of each state.
pub const fn keeping(store: StoreName) -> Keeping {
    match store {
        StoreName::Exact => Keeping::Exact,
        StoreName::Compact => Keeping::Compact,
        StoreName::Bitstate => Keeping::Bits,
    }
}

/// As many as the user wants, or as there are processors.
pub fn threads(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}
