//! Which abstract states can be reached, and is a bad one among them?

use std::collections::{HashMap, VecDeque};

use tertium_abstraction::{AbstractState, Failed, System};
use tertium_base::{Budget, StopReason, Stopped};
use tertium_smt::TermId;

use super::targets::Target;

/// States by the order in which they were met, and how.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The states.
    pub states: Vec<AbstractState>,
    /// The state and operation that each comes from; none for initial states.
    before: Vec<Option<(usize, usize)>>,
    numbers: HashMap<AbstractState, usize>,
    /// How many steps were looked at.
    pub steps: usize,
}

/// A state that may be bad.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bad {
    /// Which target it breaks, by position.
    pub target: usize,
    /// The state.
    pub state: usize,
    /// The operation that goes wrong there, if one does.
    pub operation: Option<usize>,
}

/// This many bad states are collected at most in one round.
const MOST_BAD: usize = 4;

impl Tree {
    /// States that are known to be all there are.
    pub(super) fn closed(states: Vec<AbstractState>, steps: usize) -> Self {
        let mut tree = Self { steps, ..Self::default() };
        for state in states {
            tree.number(state, None);
        }
        tree
    }

    fn number(&mut self, state: AbstractState, before: Option<(usize, usize)>) -> Option<usize> {
        if self.numbers.contains_key(&state) {
            return None;
        }
        let number = self.states.len();
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.before.push(before);
        Some(number)
    }

    /// The states from an initial one to this, and the operations between them.
    pub(super) fn path_to(&self, last: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut states, mut operations) = (vec![last], Vec::new());
        let mut at = last;
        while let Some((earlier, operation)) = self.before[at] {
            states.push(earlier);
            operations.push(operation);
            at = earlier;
        }
        states.reverse();
        operations.reverse();
        (states, operations)
    }

    /// Visits what can be reached, nearest first, until some bad states are met: one, and those that are not much farther.
    pub(super) fn visit(
        system: &mut System,
        targets: &[&Target],
        most: usize,
        budget: &Budget,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(Self, Vec<Bad>), Failed> {
        let mut tree = Self::default();
        let mut stuck: HashMap<Vec<u32>, TermId> = HashMap::new();
        let mut queue = VecDeque::new();
        let (mut found, mut enough) = (Vec::new(), usize::MAX);
        for initial in system.initial_states()? {
            queue.extend(tree.number(initial.state, None));
        }
        while let Some(number) = queue.pop_front() {
            budget.check()?;
            progress(tree.states.len());
            if tree.states.len() > most {
                return Err(Stopped(StopReason::Count).into());
            }
            let state = tree.states[number].clone();
            for (at, target) in targets.iter().enumerate() {
                if let Some(operation) = target.may_be_met(system, &state, &mut stuck)? {
                    if found.is_empty() {
                        enough = 2 * number + 64;
                    }
                    found.push(Bad { target: at, state: number, operation });
                }
            }
            if found.len() >= MOST_BAD || number > enough {
                return Ok((tree, found));
            }
            for step in system.possible_steps(&state)? {
                tree.steps += 1;
                queue.extend(tree.number(step.target, Some((number, step.operation))));
            }
        }
        Ok((tree, found))
    }
}
