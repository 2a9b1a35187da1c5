//! Runs out of sets, repeated by the definition of a step.
//!
//! A set says that a state can be reached; a run is found by going back from it in layers. Rows become states of the
//! program, and whatever the definition of a step does not connect is a fault of this program, never a run.

use tertium_base::Stopped;
use tertium_check::symbolic::{Atoms, Automata, Pair, Structure, evaluate, lasso, shortest_path};
use tertium_dd::Set;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId};
use tertium_program::{Fault, FaultKind, Outcome, State};

use super::encoding::Encoding;
use crate::engines;
use crate::failure::Failure;
use crate::program::questions::Mistake;
use crate::program::run::{self, Run};

fn states(encoding: &Encoding<'_>, rows: &[Vec<bool>]) -> Vec<State> {
    rows.iter().map(|row| encoding.state(row)).collect()
}

/// A shortest run from an initial state to one of `bad`, which can be reached.
pub(super) fn run_to(encoding: &Encoding<'_>, structure: &Structure, bad: &Set) -> Result<Run, Failure> {
    let path = shortest_path(structure, &encoding.init, bad)?;
    let path = path.ok_or_else(|| Failure::Internal("a state that can be reached has no path to it".to_owned()))?;
    run::connect(&encoding.semantics, &states(encoding, &path))
}

/// A shortest run to a mistake, and the step that goes wrong.
pub(super) fn run_to_mistake(encoding: &Encoding<'_>, bad: &Set, mistake: Mistake) -> Result<Run, Failure> {
    let structure = encoding.structure(&[], false, false)?;
    let run = run_to(encoding, &structure, bad)?;
    if matches!(mistake, Mistake::Deadlock | Mistake::EndState) {
        return run::with_deadlock(&encoding.semantics, run);
    }
    let faults =
        encoding.semantics.successors(run.last()).into_iter().filter_map(|successor| match successor.outcome {
            Outcome::Fault { fault, .. } => Some(fault),
            Outcome::Next(_) => None,
        });
    let fits = |fault: &Fault| Mistake::of(&fault.kind) == Some(mistake);
    match faults.into_iter().find(fits) {
        Some(fault) => run::with_fault(&encoding.semantics, run, &fault),
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

/// A run for a branching formula that is false, where one run shows it: the outermost operator is `AX`, `AG`, `AF`, `A[U]` or
/// `A[R]`.
pub(super) fn branching_run(
    encoding: &Encoding<'_>,
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    broken: &Set,
    ending: bool,
) -> Result<Option<Run>, Failure> {
    let Node::All(path) = formula.node(formula.root()) else { return Ok(None) };
    let value = |id: NodeId| -> Result<Pair, Failure> {
        let part = formula.to_builder().finish(id, formula.logic());
        evaluate(structure, &part, atoms, ending).map_err(engines::failure)
    };
    let reached = &encoding.reached;
    let (room, bad) = match formula.node(path) {
        Node::Next(a) => {
            let bad = reached.minus(&value(a)?.open)?;
            return next_run(encoding, structure, broken, &bad);
        }
        Node::Globally(a) => (reached.clone(), reached.minus(&value(a)?.open)?),
        Node::Until(a, b) => {
            let (a, b) = (value(a)?, value(b)?);
            let room = reached.minus(&b.open)?;
            (room.clone(), room.minus(&a.open)?)
        }
        Node::Release(a, b) => {
            let (a, b) = (value(a)?, value(b)?);
            (reached.minus(&a.open)?, reached.minus(&b.open)?)
        }
        Node::Finally(a) => {
            let room = reached.minus(&value(a)?.open)?;
            (room, structure.diagrams.empty())
        }
        _ => return Ok(None),
    };
    // Within the room until what is bad; both count as part of the path.
    let inside = Structure { states: room.or(&bad)?, ..structure.clone() };
    if let Some(path) = shortest_path(&inside, &broken.and(&inside.states)?, &bad)? {
        return run::connect(&encoding.semantics, &states(encoding, &path)).map(Some);
    }
    let (Node::Until(_, goal) | Node::Finally(goal)) = formula.node(path) else { return Ok(None) };
    staying_run(encoding, structure, &value(goal)?, broken)
}

fn next_run(encoding: &Encoding<'_>, structure: &Structure, broken: &Set, bad: &Set) -> Result<Option<Run>, Failure> {
    let Some(first) = structure.some(broken) else { return Ok(None) };
    let after = encoding.relation().after(&structure.single(&first)?)?.and(bad)?;
    let Some(second) = structure.some(&after) else { return Ok(None) };
    run::connect(&encoding.semantics, &states(encoding, &[first, second])).map(Some)
}

/// A run that never sees the goal.
fn staying_run(
    encoding: &Encoding<'_>,
    structure: &Structure,
    goal: &Pair,
    broken: &Set,
) -> Result<Option<Run>, Failure> {
    let mut builder = FormulaBuilder::new();
    let atom = builder.atom(Atom { text: "goal".to_owned(), quoted: false });
    let root = builder.add(Node::Finally(atom));
    let formula = builder.finish(root, Logic::Ltl);
    let atoms = Atoms { labels: vec![Some(goal.clone())], ..Atoms::default() };
    let automata = Automata::new(structure, &formula, &atoms, false, 0).map_err(engines::failure)?;
    lasso_run(encoding, &automata, broken, &[])
}
