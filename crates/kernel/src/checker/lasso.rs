//! Is the path of a falsity real, and does its word refute the formula?

use tertium_base::Diagnostic;
use tertium_lattice::Belnap;
use tertium_model::{Kmts, StateId};

use super::linear::{Linear, Op, Sight};
use super::paths::{StepKind, step_counts};
use super::structure::Filter;
use super::{Case, Rejection, misfit};
use tertium_evidence::{Deadlock, LinearReading};

/// Labels along a path that repeats itself: `states[entry..]` forever.
pub(super) struct Word {
    /// None for a state of which nothing is known.
    states: Vec<Option<StateId>>,
    /// Whether the step from each position is certain.
    certain: Vec<bool>,
    entry: usize,
}

pub(super) fn check(case: &Case<'_>, stem: &[StateId], cycle: &[StateId]) -> Result<(), Rejection> {
    if case.certificate.value != Belnap::False {
        return Err(misfit("a path proves that a linear formula is false, never that it is true"));
    }
    let path: Vec<StateId> = stem.iter().chain(cycle).copied().collect();
    for &state in &path {
        case.known_state(state, "a state of the path")?;
    }
    if path.first() != Some(&case.certificate.state) {
        return Err(broken(format!("the path does not begin at {}", case.state(case.certificate.state))));
    }
    let word = if cycle.is_empty() { ended(case, &path)? } else { repeated(case, &path, stem.len())? };
    let linear = case.linear(false, case.steps_read())?;
    if word.satisfies(&linear, case.structure.model) {
        return Ok(());
    }
    Err(Diagnostic::error("E0616", format!("the path {} does not refute the formula", case.path(&path))).into())
}

fn repeated(case: &Case<'_>, path: &[StateId], entry: usize) -> Result<Word, Rejection> {
    let next = |at: usize| if at + 1 < path.len() { at + 1 } else { entry };
    let kinds = (0..path.len()).map(|at| step(case, path[at], path[next(at)])).collect::<Result<Vec<_>, _>>()?;
    for constraint in 0..case.structure.constraints() {
        let counts = |at: usize| step_counts(&case.structure, path[at], path[next(at)], constraint, kinds[at]);
        if !(entry..path.len()).any(counts) {
            return Err(broken(format!(
                "the path is not fair: its cycle takes no step that surely counts for fairness constraint {}",
                constraint + 1
            )));
        }
    }
    let certain = kinds.iter().map(|&kind| kind == StepKind::Certain).collect();
    Ok(Word { states: path.iter().copied().map(Some).collect(), certain, entry })
}

/// A path that stutters in a deadlock, or a prefix with an open future.
fn ended(case: &Case<'_>, path: &[StateId]) -> Result<Word, Rejection> {
    if case.structure.constraints() > 0 {
        return Err(broken("the path ends, and so is not fair"));
    }
    let mut certain = Vec::with_capacity(path.len() + 1);
    for pair in path.windows(2) {
        certain.push(step(case, pair[0], pair[1])? == StepKind::Certain);
    }
    let mut states: Vec<Option<StateId>> = path.iter().copied().map(Some).collect();
    let last = path[path.len() - 1];
    if let Some(surely) = stutters(case, last) {
        states.push(Some(last));
        certain.extend([surely, true]);
    } else if case.prefixes_count() {
        case.some_path_refutes()?;
        states.push(None);
        certain.extend([true, true]);
    } else {
        return Err(broken(format!("the path ends at {}, and here only an infinite one counts", case.state(last))));
    }
    Ok(Word { entry: states.len() - 1, states, certain })
}

/// Whether a path that ends at the state surely does so; none if it may not end there.
fn stutters(case: &Case<'_>, state: StateId) -> Option<bool> {
    let dead = case.structure.model.is_dead(state);
    let open_steps = matches!(case.certificate.reading.linear, LinearReading::Tg | LinearReading::TgPnf);
    let may_end = dead || (open_steps && !case.structure.has_certain(state));
    (case.structure.deadlock == Deadlock::Maximal && may_end).then_some(dead)
}

/// How the step comes about; refused if the reading does not allow it on a path.
fn step(case: &Case<'_>, from: StateId, to: StateId) -> Result<StepKind, Rejection> {
    let structure = &case.structure;
    let certain = structure.certain_step(from, to);
    let forced = || structure.certain_within(from, Filter::Any, |target| target == to);
    let (kind, asked) = match case.certificate.reading.linear {
        LinearReading::Tg | LinearReading::TgPnf => {
            let possible = structure.possible_step(from, to);
            (possible.then_some(if certain { StepKind::Certain } else { StepKind::Possible }), "possible")
        }
        _ if certain => (Some(StepKind::Certain), "certain"),
        LinearReading::Hyper => (forced().then_some(StepKind::Forced), "certain"),
        LinearReading::Bg | LinearReading::BgTotal => (None, "certain"),
    };
    let message = || format!("the path's step from {} to {} is not {asked}", case.state(from), case.state(to));
    kind.ok_or_else(|| broken(message()))
}

impl Word {
    /// Whether there is evidence that the word satisfies the formula.
    fn satisfies(&self, linear: &Linear, model: &Kmts) -> bool {
        let mut columns: Vec<Vec<bool>> = Vec::with_capacity(linear.ops.len());
        for &op in &linear.ops {
            columns.push(self.column(linear, op, &columns, model));
        }
        columns[linear.root as usize][0]
    }

    fn column(&self, linear: &Linear, op: Op, columns: &[Vec<bool>], model: &Kmts) -> Vec<bool> {
        let of = |at: u32| &columns[at as usize];
        let each = |value: &dyn Fn(usize) -> bool| (0..self.states.len()).map(value).collect();
        match op {
            Op::And(a, b) => each(&|at| of(a)[at] && of(b)[at]),
            Op::Or(a, b) => each(&|at| of(a)[at] || of(b)[at]),
            Op::Next(a) => each(&|at| of(a)[self.next(at)]),
            Op::Until(a, b) => self.unfold(false, |at, next| of(b)[at] || (of(a)[at] && next)),
            Op::Release(a, b) => self.unfold(true, |at, next| of(b)[at] && (of(a)[at] || next)),
            literal => each(&|at| {
                linear.holds(literal, self.states[at], self.certain[at], Sight::Pessimistic, model) == Some(true)
            }),
        }
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.states.len() { at + 1 } else { self.entry }
    }

    /// The fixpoint from `start`: what holds here by what holds next. Backwards, the cycle needs two rounds.
    fn unfold(&self, start: bool, value: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut column = vec![start; self.states.len()];
        for _ in 0..2 {
            for at in (0..column.len()).rev() {
                column[at] = value(at, column[self.next(at)]);
            }
        }
        column
    }
}

fn broken(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0615", message).into()
}
