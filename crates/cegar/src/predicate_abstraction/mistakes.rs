//! Can a step go wrong, or the program get stuck?
//!
//! It cannot if no abstract state that can be reached allows it. It does if a path of certain steps leads to a state in which
//! it surely happens, or if some path can be followed in the program to where it does. Which kinds of mistakes a step can make
//! is read off its text.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use tertium_abstraction::{Explored, Operation, OperationFault, OperationId, System};
use tertium_base::Budget;
use tertium_lattice::{Belnap, Kleene};
use tertium_program::search::{Limits, nearest_first};
use tertium_program::{Action, Outcome, Program, Semantics, StepId};

use super::{AbstractionCheck, Prepared, concretise, retell};
use crate::answer::{ProgramAnswer, Reason};
use crate::limits;
use tertium_load::failure::Failure;
use tertium_load::questions::{Mistake, possible_mistakes};
use tertium_trace::run::{self, Run};

/// An abstract state in which a mistake may happen.
struct Occasion {
    state: usize,
    /// The operation that goes wrong, if one does.
    operation: Option<OperationId>,
    /// Whether it happens in every program state that the abstract one stands for.
    certain: bool,
}

impl AbstractionCheck<'_> {
    /// Whether a mistake can happen.
    pub(crate) fn never(
        &self,
        prepared: &mut Prepared,
        explored: &Explored,
        mistake: Mistake,
        answer: &mut ProgramAnswer,
    ) -> Result<(), Failure> {
        let occasions = occasions(&prepared.system, explored, mistake);
        let Some(first) = occasions.first() else {
            answer.verdict.settle(Belnap::True);
            return Ok(());
        };
        let sure: Vec<&Occasion> = occasions.iter().filter(|occasion| occasion.certain).collect();
        let certain = paths(explored, &sure, true);
        if !certain.is_empty() {
            answer.verdict.settle(Belnap::False);
        }
        // Values of functions are nobody's choice: a run with some of them says nothing about the others.
        let free = prepared.system.program().functions.is_empty();
        if free || answer.value() == Belnap::False {
            let all: Vec<&Occasion> = occasions.iter().collect();
            let possible = if answer.value() == Belnap::False { Vec::new() } else { paths(explored, &all, false) };
            for path in certain.into_iter().chain(possible) {
                if let Some(run) = self.follow(prepared, explored, mistake, &path)? {
                    answer.verdict.settle(Belnap::False);
                    answer.show_run(Some(run));
                    return Ok(());
                }
            }
        }
        if answer.value() != Belnap::False {
            answer.verdict.leave_open(reason(&prepared.system, explored, first));
        }
        Ok(())
    }

    /// The run of the program along a path, if the mistake happens at its end.
    fn follow(
        &self,
        prepared: &mut Prepared,
        explored: &Explored,
        mistake: Mistake,
        path: &[usize],
    ) -> Result<Option<Run>, Failure> {
        let states = concretise::states(&mut prepared.system, explored, path, self.budget)?;
        let Some(states) = states else { return Ok(None) };
        let semantics = Semantics::new(&self.file.program);
        let run = match &prepared.steps {
            None => run::connect(&semantics, &states)?,
            Some(steps) => {
                let told = run::connect(&Semantics::new(prepared.system.program()), &states)?;
                let told = retell::run(&self.file.program, steps, &told, self.budget)?;
                let Some(run) = told else { return Ok(None) };
                run
            }
        };
        if stuck(mistake) {
            return if semantics.is_deadlock(run.last()) {
                run::with_deadlock(&semantics, run).map(Some)
            } else {
                Ok(None)
            };
        }
        let fault = semantics.successors(run.last()).into_iter().find_map(|successor| match successor.outcome {
            Outcome::Fault { fault, .. } if Mistake::of(&fault.kind) == Some(mistake) => Some(fault),
            _ => None,
        });
        fault.map(|fault| run::with_fault(&semantics, run, &fault)).transpose()
    }
}

const fn stuck(mistake: Mistake) -> bool {
    matches!(mistake, Mistake::Deadlock | Mistake::EndState)
}

fn occasions(system: &System, explored: &Explored, mistake: Mistake) -> Vec<Occasion> {
    // Blocks that could go round for ever are not abstracted at all.
    if mistake == Mistake::EndlessAtomic {
        return Vec::new();
    }
    let kinds: Vec<Option<BTreeSet<Mistake>>> =
        system.operations().iter().map(|operation| kinds_of(system.program(), operation)).collect();
    let mut found = Vec::new();
    for (state, expansion) in explored.expansions.iter().enumerate() {
        if stuck(mistake) {
            if let Some(value) = expansion.deadlock.filter(|&value| value != Kleene::False) {
                found.push(Occasion { state, operation: None, certain: value == Kleene::True });
            }
            continue;
        }
        for &OperationFault { operation, certain } in &expansion.faults {
            let kinds = kinds[operation.index()].as_ref();
            if kinds.is_none_or(|kinds| mistake == Mistake::Other || kinds.contains(&mistake)) {
                let only = kinds.is_some_and(|kinds| kinds.len() == 1 && kinds.contains(&mistake));
                found.push(Occasion { state, operation: Some(operation), certain: certain && only });
            }
        }
    }
    found
}

/// Whether an operation can go wrong in this way, as far as the text of its steps tells.
pub(crate) fn may_make(program: &Program, operation: &Operation, mistake: Mistake) -> bool {
    let kinds = kinds_of(program, operation);
    kinds.is_none_or(|kinds| mistake == Mistake::Other || kinds.contains(&mistake))
}

/// The kinds of faults that an operation can make; that a deterministic block cannot go on is nothing that its text tells.
fn kinds_of(program: &Program, operation: &Operation) -> Option<BTreeSet<Mistake>> {
    if operation.blocked { None } else { kinds(program, &operation.steps) }
}

/// The kinds of faults that these steps can make, as their text tells; `None` if it does not tell.
fn kinds(program: &Program, steps: &[StepId]) -> Option<BTreeSet<Mistake>> {
    let mut only = program.clone();
    only.steps.clear();
    for &id in steps {
        let step = program.step(id);
        if program.process(step.process).provided.is_some() {
            return None;
        }
        // What a step yields to is looked at as well.
        for &rival in &program.location(step.process, step.source).steps {
            let rival = program.step(rival);
            if matches!(&rival.action, Action::Print { values, .. } if !values.is_empty()) {
                return None;
            }
            only.steps.push(rival.clone());
        }
    }
    let all = possible_mistakes(&only).into_iter();
    Some(all.filter(|&mistake| !stuck(mistake) && mistake != Mistake::EndlessAtomic).collect())
}

/// Shortest paths to occasions, nearest first; by certain steps from initial states that surely exist, or by any.
fn paths(explored: &Explored, occasions: &[&Occasion], certain: bool) -> Vec<Vec<usize>> {
    let wanted: BTreeSet<usize> = occasions.iter().map(|occasion| occasion.state).collect();
    let mut found = Vec::new();
    let unlimited = Budget::unlimited();
    let limits = Limits { most: usize::MAX, budget: &unlimited };
    let searched = nearest_first(&mut explored.along(certain), limits, &mut |_, reached, number| {
        if wanted.contains(&reached.states[number]) {
            found.push(reached.states_to(number));
        }
        Ok(if found.len() == limits::MISTAKES_MOST_TRIES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    debug_assert!(searched.is_ok(), "there is no limit");
    found
}

fn reason(system: &System, explored: &Explored, occasion: &Occasion) -> Reason {
    let state = system.name(&explored.states[occasion.state]);
    let step = occasion.operation.map(|operation| system.operations()[operation].steps[0]);
    Reason {
        what: match step {
            Some(step) => {
                format!("in the abstract state `{state}` the step `{}` may go wrong", system.program().step(step).text)
            }
            None => format!("in the abstract state `{state}` no process may be able to step"),
        },
        about: None,
        span: step.map(|step| system.program().step(step).span),
        help: "add predicates that tell the states apart in which it does".to_owned(),
    }
}
