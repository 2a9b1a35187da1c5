//! Runs out of sets, repeated by the definition of a step.
//!
//! A set says that a state can be reached; a run is found by going back from it in layers. Rows become states of the
//! program, and whatever the definition of a step does not connect is a fault of this program, never a run.

use tertium_base::{Budget, Stopped};
use tertium_cegar::predicate_abstraction::retell;
use tertium_check::symbolic::{Automata, Structure, lasso, shortest_path};
use tertium_dd::Set;
use tertium_encode::{Encoding, InstantiatedProgram};
use tertium_load::failure::Failure;
use tertium_load::questions::Mistake;
use tertium_program::{Fault, FaultKind, Outcome, Semantics, State};
use tertium_trace::run::{self, Run};

use super::structure::structure;

fn states(encoding: &Encoding<'_>, rows: &[Vec<bool>]) -> Vec<State> {
    rows.iter().map(|row| encoding.state(row)).collect()
}

/// A run of what is encoded as a run of the program that was given.
pub(super) fn run_of_original(subject: &InstantiatedProgram<'_>, run: Run, budget: &Budget) -> Result<Run, Failure> {
    let Some(separated) = subject.separated() else { return Ok(run) };
    let run = retell::run(subject.original(), &separated.steps, &run, budget)?;
    run.ok_or_else(|| Failure::Internal("a run over sets is none of the program".to_owned()))
}

/// A shortest run from an initial state to one of `bad`, which can be reached.
pub(super) fn run_to(encoding: &Encoding<'_>, structure: &Structure, bad: &Set) -> Result<Run, Failure> {
    let path = shortest_path(structure, &encoding.init, bad)?;
    let path = path.ok_or_else(|| Failure::Internal("a state that can be reached has no path to it".to_owned()))?;
    run::connect(&encoding.semantics, &states(encoding, &path))
}

/// A shortest run of the program itself to a mistake, and the step that goes wrong.
pub(super) fn run_to_mistake(
    encoding: &Encoding<'_>,
    subject: &InstantiatedProgram<'_>,
    bad: &Set,
    mistake: Mistake,
) -> Result<Run, Failure> {
    let structure = structure(encoding, &[], false, false)?;
    let run = run_of_original(subject, run_to(encoding, &structure, bad)?, encoding.diagrams().budget())?;
    let semantics = Semantics::new(subject.original());
    if matches!(mistake, Mistake::Deadlock | Mistake::EndState) {
        return run::with_deadlock(&semantics, run);
    }
    let faults = semantics.successors(run.last()).into_iter().filter_map(|successor| match successor.outcome {
        Outcome::Fault { fault, .. } => Some(fault),
        Outcome::Next(_) => None,
    });
    let fits = |fault: &Fault| Mistake::of(&fault.kind) == Some(mistake);
    match faults.into_iter().find(fits) {
        Some(fault) => run::with_fault(&semantics, run, &fault),
        None => {
            let kind = FaultKind::Assertion.name();
            Err(Failure::Internal(format!("no {} (such as {kind}) at the end of a run", mistake.name())))
        }
    }
}

/// A run that goes round for ever and that the automaton accepts; none if it is too long to be written out.
pub(super) fn lasso_run(
    encoding: &Encoding<'_>,
    automata: &Automata<'_>,
    from: &Set,
    fair: &[u32],
) -> Result<Option<Run>, Failure> {
    let found = match lasso(automata, from) {
        Ok(found) => found,
        Err(Stopped(tertium_base::StopReason::Count)) => return Ok(None),
        Err(stopped) => return Err(stopped.into()),
    };
    let Some(found) = found else { return Ok(None) };
    let (stem, cycle) = (states(encoding, &found.prefix), states(encoding, &found.cycle));
    run::connect_lasso(&encoding.semantics, &stem, &cycle, fair).map(Some)
}
