//! `timeout` as a condition on the state.
//!
//! It holds where no step can be taken that does not itself wait for it. Once every step of every copy is known, that is the
//! negation of all their guards together. Steps in the middle of a block keep theirs: whoever
//! holds control sees none.

use std::collections::BTreeSet;

use tertium_program::analysis::partial_evaluation::{fold, rewrite};
use tertium_program::{Action, Expr, ExprId, Exprs, Hold, Program, StepId};

/// Puts conditions in for all time-outs.
///
/// # Errors
/// A step of which it cannot be said in which states it is possible.
pub(crate) fn close(program: &mut Program) -> Result<(), StepId> {
    let waiting: BTreeSet<StepId> = program.step_ids().filter(|&id| waits(program, id)).collect();
    if waiting.is_empty() {
        return Ok(());
    }
    let none = program.exprs.bool(false);
    let mut possible = Vec::new();
    for id in program.step_ids().collect::<Vec<_>>() {
        let step = program.step(id).clone();
        if !step.inputs.is_empty() {
            return Err(id);
        }
        let provided = program.process(step.process).provided;
        let mut guard = with(&mut program.exprs, step.guard, none);
        if let Some(provided) = provided {
            guard = program.exprs.and(provided, guard);
        }
        // A guard that cannot be evaluated is a step that goes wrong.
        let defined = program.defined(guard);
        let undefined = program.exprs.not(defined);
        let taken = program.exprs.or(undefined, guard);
        let here = program.exprs.add(Expr::At(step.process, step.source));
        possible.push(program.exprs.and(here, taken));
    }
    let some = program.exprs.any(&possible);
    let timeout = program.exprs.not(some);
    for id in waiting {
        let step = program.step(id).clone();
        // Whoever comes there with control sees none; whoever rests there may.
        if program.location(step.process, step.source).hold != Hold::Free {
            continue;
        }
        let guard = with(&mut program.exprs, step.guard, timeout);
        let mut action = step.action;
        for expr in values(&mut action) {
            *expr = with(&mut program.exprs, *expr, timeout);
        }
        let step = &mut program.steps[id.index()];
        (step.guard, step.action) = (guard, action);
    }
    Ok(())
}

/// An expression with a value for `timeout`.
pub(crate) fn with(exprs: &mut Exprs, root: ExprId, value: ExprId) -> ExprId {
    rewrite(exprs, root, &mut |exprs, expr, sort| {
        if expr == Expr::Timeout { value } else { fold(exprs, expr, sort) }
    })
}

/// The expressions of an action; those of an index do not count, where nobody asks for time-outs.
fn values(action: &mut Action) -> Vec<&mut ExprId> {
    match action {
        Action::Assign(assigns) | Action::Together { assigns, .. } => {
            assigns.iter_mut().map(|assign| &mut assign.value).collect()
        }
        Action::Assert(condition) => vec![condition],
        Action::Print { values, .. } => values.iter_mut().collect(),
        _ => Vec::new(),
    }
}

fn waits(program: &Program, id: StepId) -> bool {
    let step = program.step(id);
    let mut action = step.action.clone();
    let mut roots: Vec<ExprId> = values(&mut action).into_iter().map(|expr| *expr).collect();
    roots.push(step.guard);
    program.exprs.reachable(&roots).into_iter().any(|id| program.exprs.get(id) == Expr::Timeout)
}
