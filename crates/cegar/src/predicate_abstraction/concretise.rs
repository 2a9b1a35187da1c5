//! The run of the program behind a path of certain abstract steps.
//!
//! Beginning in an initial state that the solver picks, the definition of a step is asked for a successor that belongs to
//! the next abstract state. A path that goes round has a run here only if program states repeat.

use crate::limits;
use std::ops::ControlFlow;

use tertium_abstraction::{AbstractState, Explored, System};
use tertium_base::{Budget, Stopped};
use tertium_lattice::{Belnap, Kleene};
use tertium_model::{Kmts, PropId, StateId};
use tertium_program::search::{Limits, nearest_first};
use tertium_program::{ExprId, Outcome, Program, Semantics, State};

use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_structures::answer::Answer;
use tertium_trace::propositional;
use tertium_trace::run::{self, Run};

/// The run of the system's program behind what was found, with the property's atoms over it; `None` where there is none that
/// can be shown.
pub(crate) fn run(
    system: &mut System,
    explored: &Explored,
    (asked, atoms): (&PropertyQuery, &[ExprId]),
    structure: &Kmts,
    found: &Answer,
    budget: &Budget,
) -> Result<Option<Run>, Failure> {
    let shortest = shortest(explored, asked, structure, budget)?;
    let (numbers, loop_start) = match (shortest, found.run()) {
        (Some(numbers), _) => (numbers, None),
        (None, Some(path)) => (path.states.iter().map(|state| state.index()).collect(), path.loop_start),
        (None, None) => return Ok(None),
    };
    let Some(mut states) = states(system, explored, &numbers, budget)? else { return Ok(None) };
    // Predicates that were found later are expressions of the system's program only.
    let program = system.program().clone();
    let semantics = Semantics::new(&program);
    let follow = Follow { semantics: &semantics, system: &*system };
    let Some(start) = loop_start else { return finite(&semantics, asked, atoms, &states) };
    let mut rounds = vec![start];
    for _ in 0..limits::CONCRETISE_MOST_ROUNDS {
        // The path's last state steps back to where the loop begins.
        for &number in &numbers[start..] {
            budget.check()?;
            let Some(next) = follow.step_or_rest(&states[states.len() - 1], explored.states.get(number)) else {
                return Ok(None);
            };
            states.push(next);
            if number == numbers[start] {
                let here = states.len() - 1;
                if let Some(&before) = rounds.iter().find(|&&at| states[at] == states[here]) {
                    let lasso = run::connect_lasso(&semantics, &states[..before], &states[before..here], &[])?;
                    return Ok(Some(lasso));
                }
                rounds.push(here);
            }
        }
    }
    Ok(None)
}

/// Program states along a path of abstract ones, beginning with values that the solver picks; `None` if they are not found.
pub(crate) fn states(
    system: &mut System,
    explored: &Explored,
    numbers: &[usize],
    budget: &Budget,
) -> Result<Option<Vec<State>>, Failure> {
    let Some(&first) = numbers.first() else { return Ok(None) };
    let Some(start) = explored.states.get(first) else { return Ok(None) };
    let Some(cells) = system.initial_sample(start)? else { return Ok(None) };
    let program = system.program().clone();
    let semantics = Semantics::new(&program);
    let Some(state) = with_values(&semantics, &cells) else { return Ok(None) };
    let follow = Follow { semantics: &semantics, system: &*system };
    if !follow.belongs(&state, start) {
        return Ok(None);
    }
    let mut states = vec![state];
    for &number in &numbers[1..] {
        budget.check()?;
        let Some(next) = follow.step_or_rest(&states[states.len() - 1], explored.states.get(number)) else {
            return Ok(None);
        };
        states.push(next);
    }
    Ok(Some(states))
}

/// A shortest path of certain steps to an abstract state that breaks an invariant.
fn shortest(
    explored: &Explored,
    asked: &PropertyQuery,
    structure: &Kmts,
    budget: &Budget,
) -> Result<Option<Vec<usize>>, Stopped> {
    let Some((root, holds)) = asked.broken_by_a_state() else { return Ok(None) };
    let breaks = |number: usize| {
        let labels = (0..asked.atoms.len()).map(|prop| structure.label(StateId::new(number), PropId::new(prop)));
        let atoms: Option<Vec<bool>> = labels
            .map(|value| match value {
                Belnap::True => Some(true),
                Belnap::False => Some(false),
                _ => None,
            })
            .collect();
        atoms.is_some_and(|atoms| propositional::value(&asked.formula, root, &atoms, &mut Vec::new()) != holds)
    };
    let mut found = None;
    let limits = Limits { most: usize::MAX, budget };
    nearest_first(&mut explored.along(true), limits, &mut |_, reached, number| {
        if !breaks(reached.states[number]) {
            return Ok(ControlFlow::Continue(()));
        }
        found = Some(reached.states_to(number));
        Ok(ControlFlow::Break(()))
    })?;
    Ok(found)
}

/// A run to a state that breaks an invariant; other finite runs prove nothing by themselves.
fn finite(
    semantics: &Semantics<'_>,
    asked: &PropertyQuery,
    exprs: &[ExprId],
    states: &[State],
) -> Result<Option<Run>, Failure> {
    let Some((root, holds)) = asked.broken_by_a_state() else { return Ok(None) };
    let Some(last) = states.last() else { return Ok(None) };
    let mut atoms = Vec::new();
    for &atom in exprs {
        let Ok(value) = semantics.observe(atom, last) else { return Ok(None) };
        atoms.push(value != 0);
    }
    if propositional::value(&asked.formula, root, &atoms, &mut Vec::new()) == holds {
        return Ok(None);
    }
    Ok(Some(run::connect_resting(semantics, states)?))
}

/// The program state with these values, at the entries of all processes.
pub(crate) fn with_values(semantics: &Semantics<'_>, cells: &[Vec<i64>]) -> Option<State> {
    let program: &Program = semantics.program();
    let mut slots = semantics.first_slots().ok()?;
    for (var, values) in program.variable_ids().zip(cells) {
        let first = semantics.layout().fixed_slot(program, var)?;
        slots[first..first + values.len()].copy_from_slice(values);
    }
    Some(State::visible(slots))
}

/// Program states and abstract ones, by the definitions of expressions and steps.
pub(super) struct Follow<'a, 'p> {
    pub(super) semantics: &'a Semantics<'p>,
    pub(super) system: &'a System,
}

impl Follow<'_, '_> {
    /// A successor that belongs to an abstract state. Numbers beyond all abstract states are those in which runs that ended stay: the program stays, too, where nothing can
    /// step, be it for a fault.
    fn step_or_rest(&self, from: &State, to: Option<&AbstractState>) -> Option<State> {
        match to {
            Some(to) => self.step(from, to),
            None => run::rests(self.semantics, from).then(|| from.clone()),
        }
    }

    /// A successor that belongs to an abstract state.
    pub(super) fn step(&self, from: &State, to: &AbstractState) -> Option<State> {
        let successors = self.semantics.successors(from);
        successors.into_iter().find_map(|successor| match successor.outcome {
            Outcome::Next(next) if self.belongs(&next, to) => Some(next),
            _ => None,
        })
    }

    /// Whether an abstract state stands for a program state.
    pub(super) fn belongs(&self, state: &State, to: &AbstractState) -> bool {
        let program = self.semantics.program();
        let frames = self.semantics.layout().frames(&state.slots);
        let placed = program.instances.iter().zip(&frames).all(|(instance, frame)| {
            state.slots[frame + 1] == i64::from(to.locations[instance.process.index()].number())
        });
        let kept = self.system.kept().iter().zip(&to.kept).all(|(kept, &value)| {
            let first = self.semantics.layout().fixed_slot(program, kept.var);
            first.is_some_and(|first| i128::from(state.slots[first + kept.cell]) == value)
        });
        placed
            && kept
            && self.system.predicates().iter().zip(&to.cube).all(|(predicate, &value)| {
                let holds = matches!(self.semantics.observe(predicate.expr, state), Ok(value) if value != 0);
                match value {
                    Kleene::Unknown => true,
                    Kleene::True => holds,
                    Kleene::False => !holds,
                }
            })
    }
}
