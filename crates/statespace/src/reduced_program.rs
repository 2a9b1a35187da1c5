//! The reduced program: how does a search that leaves out states and values tell a run with all of them?
//!
//! A [`ReducedProgram`] is a program without what a question does not need. The rows that a search of it finds are followed here by the
//! definition of a step: where several statements were merged, each of them is a step of the run; where a value was
//! forgotten, the run has it. A row that the definition cannot follow is a fault of this program, never a run.

use std::collections::BTreeSet;

use tertium_base::{StopReason, Stopped};
use tertium_evidence::provenance::StateReduction;
use tertium_explore::compiled::Compiled;
use tertium_explore::reduction::{ReductionKinds, StateSpaceReduction};
use tertium_explore::search::liveness::Lasso;
use tertium_load::failure::Failure;
use tertium_program::{ExprId, Fault, FaultKind, Outcome, State, Successor};
use tertium_trace::run::arrival;

use super::space::{Space, Stepper};

/// More states between two rows are not looked at.
const MOST_BETWEEN: usize = 100_000;
/// A cycle is gone round at most so often until forgotten values come again.
const MOST_ROUNDS: usize = 64;

/// A program without what a question does not need.
#[derive(Clone, Debug)]
pub struct ReducedProgram<'p> {
    /// The steps that are left.
    pub stepper: Stepper<'p>,
    /// Where it begins.
    pub initial: Vec<Vec<u32>>,
    /// What mainly makes it smaller.
    pub kind: StateReduction,
    compiled: Compiled<'p>,
}

/// The states of a run that goes round for ever: before the cycle, and on it.
pub type LassoStates = (Vec<State>, Vec<State>);

/// What is looked for between two rows.
enum Destination<'w> {
    /// The row.
    Row(&'w [u32]),
    /// A step that goes wrong in this way.
    Fault(&'w Fault),
}

impl<'p> ReducedProgram<'p> {
    /// What is left for a question about these expressions; none if nothing can be left out.
    #[must_use]
    pub fn of(space: &Space<'p>, seen: &[ExprId], kinds: ReductionKinds) -> Option<Self> {
        let Stepper::Compiled(compiled) = &space.stepper else { return None };
        let reduction = StateSpaceReduction::with(&space.semantics, seen, kinds);
        if reduction.is_empty() {
            return None;
        }
        let kind = match reduction.effective() {
            ReductionKinds { partial_order: true, .. } => StateReduction::PartialOrder,
            ReductionKinds { statement_merging: true, .. } => StateReduction::StatementMerging,
            _ => StateReduction::DeadVariables,
        };
        let compiled = compiled.as_ref().clone().reduced(reduction);
        let initial: BTreeSet<Vec<u32>> = space.initial.iter().map(|row| compiled.representative(row)).collect();
        let stepper = Stepper::Compiled(Box::new(space.steps.of(compiled.clone())));
        Some(Self { stepper, initial: initial.into_iter().collect(), kind, compiled })
    }

    /// The states of a run that passes these rows in order, the first of which is an initial one.
    ///
    /// # Errors
    /// If the definition of a step does not connect them.
    pub fn follow(&self, space: &Space<'p>, rows: &[Vec<u32>]) -> Result<Vec<State>, Failure> {
        let first = rows.first().ok_or_else(lost)?;
        let mut states = vec![self.begin(space, first)?];
        self.go_on(space, &mut states, &rows[1..])?;
        Ok(states)
    }

    /// The same, followed by the states before a step that goes wrong, if other steps had been merged with it.
    ///
    /// # Errors
    /// If the definition of a step does not get there.
    pub fn follow_to(&self, space: &Space<'p>, rows: &[Vec<u32>], fault: &Fault) -> Result<Vec<State>, Failure> {
        let mut states = self.follow(space, rows)?;
        let last = states.last().ok_or_else(lost)?.clone();
        let between = self.between(space, &last, &Destination::Fault(fault))?;
        states.extend(between);
        Ok(states)
    }

    /// The states of a run that goes round for ever: before the cycle, and on it; none if the values that were forgotten
    /// do not come again soon.
    ///
    /// # Errors
    /// If the definition of a step does not connect the rows.
    pub fn follow_lasso(&self, space: &Space<'p>, lasso: &Lasso) -> Result<Option<LassoStates>, Failure> {
        let entry = lasso.cycle.first().ok_or_else(lost)?;
        let mut way = lasso.stem.clone();
        way.push(entry.clone());
        let mut states = self.follow(space, &way)?;
        let round: Vec<Vec<u32>> = lasso.cycle[1..].iter().chain([entry]).cloned().collect();
        // Where each round begins.
        let mut begins = vec![states.len() - 1];
        for _ in 0..MOST_ROUNDS {
            self.go_on(space, &mut states, &round)?;
            let last = states.len() - 1;
            if let Some(&start) = begins.iter().find(|&&start| states[start] == states[last]) {
                states.pop();
                let cycle = states.split_off(start);
                return Ok(Some((states, cycle)));
            }
            begins.push(last);
        }
        Ok(None)
    }

    fn begin(&self, space: &Space<'p>, row: &[u32]) -> Result<State, Failure> {
        let first = space.initial.iter().find(|initial| self.compiled.representative(initial) == row);
        first.map(|row| space.state(row)).ok_or_else(lost)
    }

    fn go_on(&self, space: &Space<'p>, states: &mut Vec<State>, rows: &[Vec<u32>]) -> Result<(), Failure> {
        for row in rows {
            let last = states.last().ok_or_else(lost)?.clone();
            let between = self.between(space, &last, &Destination::Row(row))?;
            states.extend(between);
        }
        Ok(())
    }

    /// The states after `from` up to what is wanted, by one process that does not stop between them. Where nothing can
    /// step, the state itself is what comes after it.
    ///
    /// # Errors
    /// If the definition of a step does not get there, or not within the limits.
    fn between(&self, space: &Space<'p>, from: &State, wanted: &Destination<'_>) -> Result<Vec<State>, Failure> {
        let mut open: Vec<(State, Option<BTreeSet<u32>>, Vec<State>)> = vec![(from.clone(), None, Vec::new())];
        let (mut looked_at, mut cut) = (0, false);
        while let Some((state, movers, way)) = open.pop() {
            looked_at += 1;
            let successors = space.semantics.successors(&state);
            cut |= successors.iter().any(is_cut);
            if looked_at > MOST_BETWEEN {
                return Err(Stopped(StopReason::Count).into());
            }
            let mut moved = false;
            for successor in successors {
                let pids: BTreeSet<u32> = successor
                    .moves
                    .iter()
                    .flat_map(|mv| std::iter::once(mv.pid).chain(mv.partner.map(|(pid, _)| pid)))
                    .collect();
                if movers.as_ref().is_some_and(|movers| movers.is_disjoint(&pids)) {
                    continue;
                }
                if let (Destination::Fault(wanted), Outcome::Fault { fault, .. }) = (wanted, &successor.outcome)
                    && fault == *wanted
                {
                    return Ok(way);
                }
                let Some(next) = arrival(&successor.outcome) else { continue };
                moved = true;
                let row = space.plain.row(next);
                let longer = || way.iter().chain([next]).cloned().collect::<Vec<State>>();
                if matches!(wanted, Destination::Row(wanted) if self.compiled.representative(&row) == *wanted) {
                    return Ok(longer());
                }
                let passing: BTreeSet<u32> =
                    pids.into_iter().filter(|&pid| self.compiled.is_passed(&row, pid as usize)).collect();
                if !passing.is_empty() {
                    open.push((next.clone(), Some(passing), longer()));
                }
            }
            let rests = !moved && movers.is_none();
            if rests
                && matches!(wanted, Destination::Row(row) if self.compiled.representative(&space.plain.row(&state)) == *row)
            {
                return Ok(vec![state]);
            }
        }
        Err(if cut { Stopped(StopReason::Count).into() } else { lost() })
    }
}

fn is_cut(successor: &Successor) -> bool {
    matches!(&successor.outcome, Outcome::Fault { fault, .. } if fault.kind == FaultKind::BlockTooLong)
}

fn lost() -> Failure {
    Failure::Internal("a run of a reduced search cannot be followed".to_owned())
}
