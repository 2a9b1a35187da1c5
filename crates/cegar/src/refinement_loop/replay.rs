//! Does the program really do that?
//!
//! Values that the solver found for a path become moves, and the definition of a step makes them, one after the other. Only what
//! it allows is a run.

use crate::refine::Values;
use tertium_abstraction::OperationId;
use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_instantiate::Origin;
use tertium_program::{Move, Outcome, Semantics, State, StepId};

use crate::predicate_abstraction::concretise::with_values;
use crate::predicate_abstraction::{Prepared, retell};
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::{Mistake, PropertyQuery, Question};
use tertium_trace::propositional;
use tertium_trace::run::{self, Run, Taken};

/// The run along operations of the program itself; `None` if the definition of a step does not allow it.
pub(crate) fn replay(
    file: &ProgramFile,
    prepared: &Prepared,
    operations: &[OperationId],
    values: &Values,
    question: &Question,
    goal_operation: Option<OperationId>,
) -> Result<Option<Run>, Failure> {
    let semantics = Semantics::new(&file.program);
    // Where processes were taken apart there is one way to begin, which the program knows.
    let first = match prepared.steps {
        Some(_) => retell::begin(&semantics, &Budget::unlimited()).map(|run| run.first),
        None => with_values(&semantics, &values.cells),
    };
    let Some(first) = first else { return Ok(None) };
    let mut run = Run { first, steps: Vec::new(), loop_start: None, fault: None, deadlock: false };
    for (&operation, inputs) in operations.iter().zip(&values.inputs) {
        let moves = moves(file, prepared, operation, inputs);
        let state = match run::execute(&semantics, run.last(), &moves)? {
            Outcome::Next(state) | Outcome::Fault { next: Some(state), .. } => State::visible(state.slots),
            Outcome::Fault { next: None, .. } => return Ok(None),
        };
        run.steps.push(Taken { moves, state });
    }
    match question {
        Question::Property(asked) => Ok(breaks(&semantics, asked, run.last()).then_some(run)),
        Question::Never(never) if matches!(never.mistake, Mistake::Deadlock | Mistake::EndState) => {
            if semantics.is_deadlock(run.last()) { run::with_deadlock(&semantics, run).map(Some) } else { Ok(None) }
        }
        Question::Never(never) => {
            let Some(operation) = goal_operation else { return Ok(None) };
            let inputs = values.inputs.last().map_or(&[][..], Vec::as_slice);
            let moves = moves(file, prepared, operation, inputs);
            match run::execute(&semantics, run.last(), &moves)? {
                Outcome::Fault { fault, .. } if Mistake::of(&fault.kind) == Some(never.mistake) => {
                    run.fault = Some((moves, fault));
                    Ok(Some(run))
                }
                _ => Ok(None),
            }
        }
        Question::Watched(_) => Ok(None),
    }
}

/// The moves that an operation consists of. Processes of guarded commands have one copy each, so their number is its pid; where
/// processes were taken apart, each step tells where it comes from.
fn moves(file: &ProgramFile, prepared: &Prepared, operation: OperationId, inputs: &[i64]) -> Vec<Move> {
    let operation = &prepared.system.operations()[operation];
    let instances = &file.program.instances;
    let pid = to_u32(instances.iter().position(|instance| instance.process == operation.process).unwrap_or(0));
    let mut inputs = inputs.iter().copied();
    let one = |&step: &StepId| {
        let origin = prepared.steps.as_ref().map(|steps| steps[step.index()]);
        let Origin { pid, step, partner } = origin.unwrap_or(Origin { pid, step, partner: None });
        let count = file.program.step(step).inputs.len();
        Move { pid, step, inputs: inputs.by_ref().take(count).collect(), partner }
    };
    operation.steps.iter().map(one).collect()
}

/// Whether a state breaks the condition of a property.
fn breaks(semantics: &Semantics<'_>, asked: &PropertyQuery, state: &State) -> bool {
    let Some((root, holds)) = asked.invariant else { return false };
    let atoms: Option<Vec<bool>> =
        asked.atoms.iter().map(|&atom| semantics.observe(atom, state).ok().map(|value| value != 0)).collect();
    atoms.is_some_and(|atoms| propositional::value(&asked.formula, root, &atoms, &mut Vec::new()) != holds)
}
