//! Mutation testing: of the soundness bugs that are seeded on purpose, how many do tests, certificates and replay catch?
//!
//! Mutant schemata (Untch, Offutt, Harrold 1993): all mutants are compiled once, into one copy of the sources; an environment variable
//! says which of them is active in a run. The sources themselves stay as they are. See `docs/mutants.md`.

mod build;
mod catalogue;
mod layer;
mod options;
mod run;
mod schemata;
mod table;
mod tree;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::build::Plan;
use self::catalogue::{Mutant, catalogue};
use self::options::Options;
use self::run::Deadline;
use self::schemata::Sites;

/// What went wrong, for the terminal.
type Problem = String;

/// Of the mutants that are not equivalent to the program, how many of a hundred must be caught.
const GOAL: usize = 95;

/// The options, for the terminal.
pub const HELP: &str = options::HELP;

/// `xtask mutants …`
pub fn command(words: impl Iterator<Item = String>) -> ExitCode {
    match options::options(words).and_then(|options| perform(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(problem) => {
            eprintln!("mutants: {problem}");
            ExitCode::from(2)
        }
    }
}

/// The folder of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Is the goal met?
fn perform(options: &Options) -> Result<bool, Problem> {
    if let Some(list) = &options.run_list {
        let plan = Plan::read(list)?;
        return judge(&plan, options);
    }
    let root = root().canonicalize().map_err(|error| format!("the project's folder: {error}"))?;
    let mutants = catalogue(&root.join("xtask/mutants"))?;
    let sites = schemata::sites(&root, &mutants)?;
    if options.check {
        println!("{}: every original expression is there, once", counts(&mutants));
        return Ok(true);
    }
    let plan = prepared(&root, mutants, &sites, options)?;
    if options.build_only { Ok(true) } else { judge(&plan, options) }
}

/// The copy with all mutants, and its tests as programs.
fn prepared(root: &Path, mutants: Vec<Mutant>, sites: &Sites, options: &Options) -> Result<Plan, Problem> {
    let dir = options.dir.clone().unwrap_or_else(|| root.join("target/mutants"));
    let dir = std::path::absolute(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    tree::make(root, &dir, sites)?;
    let chosen = mutants.into_iter().filter(|mutant| options.wants(mutant)).collect::<Vec<_>>();
    if chosen.is_empty() {
        return Err("no mutant has such a name".to_owned());
    }
    let executables = build::executables(&dir, &chosen)?;
    let plan = Plan { executables, mutants: chosen };
    let list = options.list.clone().unwrap_or_else(|| dir.join("list.json"));
    plan.write(&list)?;
    println!("{} in {} test programs: {}", counts(&plan.mutants), plan.executables.len(), list.display());
    Ok(plan)
}

/// All mutants of the plan, run and told. Is the goal met?
fn judge(plan: &Plan, options: &Options) -> Result<bool, Problem> {
    let chosen = plan.mutants.iter().filter(|mutant| options.wants(mutant)).cloned().collect::<Vec<_>>();
    let deadline = Deadline::after(options.total);
    let usual = run::baseline(plan, &chosen, options)?;
    let judged = run::mutants(plan, chosen, &usual, options, &deadline)?;
    let (text, reached) = table::table(&judged);
    print!("{text}");
    Ok(reached)
}

fn counts(mutants: &[Mutant]) -> String {
    let kernel = mutants.iter().filter(|mutant| mutant.kind == catalogue::MutantTarget::Kernel).count();
    format!("{} mutants of engines, {kernel} of the kernel", mutants.len() - kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sources change; a mutant whose expression is gone would silently test nothing.
    #[test]
    fn every_original_expression_occurs_exactly_once() {
        let mutants = catalogue(&root().join("xtask/mutants")).unwrap_or_else(|problem| panic!("{problem}"));
        if let Err(problem) = schemata::sites(&root(), &mutants) {
            panic!("{problem}");
        }
    }

    #[test]
    fn there_are_enough_mutants_of_engines_and_of_the_kernel() {
        let mutants = catalogue(&root().join("xtask/mutants")).unwrap_or_else(|problem| panic!("{problem}"));
        let kernel = mutants.iter().filter(|mutant| mutant.kind == catalogue::MutantTarget::Kernel).count();
        assert!(kernel >= 20, "{kernel} of the kernel");
        assert!(mutants.len() - kernel >= 60, "{} of engines", mutants.len() - kernel);
    }
}
