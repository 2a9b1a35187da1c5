//! Which states can be reached, nearest first, and how?
//!
//! One search for everything that says what comes after a state ([`Successors`]): it numbers states as it meets them, remembers by which
//! step each was met first, looks at every state before it goes on from there, and minds the limits. What it looks for is up
//! to the caller, who may end it: at once, or after some more of what was found ([`Nearby`]).
//!
//! Not here: other orders, threads and stores for rows of words (`explore::search`), and states that contain one another
//! (`abstraction::zones`).

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::ControlFlow;

use tertium_base::{Budget, StopReason, Stopped};

use crate::successors::Successors;

/// What a search may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// More states than this end it with [`StopReason::Count`].
    pub most: usize,
    /// Time, memory, and the user's patience.
    pub budget: &'a Budget,
}

/// States by the order in which they were met, and how.
#[derive(Clone, Debug)]
pub struct Reached<S, T> {
    /// The states, initial ones first. Those met later are not nearer.
    pub states: Vec<S>,
    /// How many steps were looked at.
    pub steps: usize,
    /// The state and step that each was met by first; none for initial states.
    before: Vec<Option<(usize, T)>>,
    numbers: HashMap<S, usize>,
}

impl<S, T> Default for Reached<S, T> {
    fn default() -> Self {
        Self { states: Vec::new(), steps: 0, before: Vec::new(), numbers: HashMap::new() }
    }
}

impl<S: Clone + Eq + Hash, T> Reached<S, T> {
    /// States that are known to be all there are; how they are reached is not told.
    #[must_use]
    pub fn closed(states: Vec<S>, steps: usize) -> Self {
        let mut reached = Self { steps, ..Self::default() };
        for state in states {
            reached.enter(state, None);
        }
        reached
    }

    fn enter(&mut self, state: S, before: Option<(usize, T)>) -> usize {
        if let Some(&known) = self.numbers.get(&state) {
            return known;
        }
        let number = self.states.len();
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.before.push(before);
        number
    }

    /// The number of a state.
    #[must_use]
    pub fn find(&self, state: &S) -> Option<usize> {
        self.numbers.get(state).copied()
    }

    /// The state and step that a state was met by first; none for initial states.
    #[must_use]
    pub fn before(&self, number: usize) -> Option<(usize, &T)> {
        self.before[number].as_ref().map(|(earlier, step)| (*earlier, step))
    }

    /// A shortest path from an initial state to this one, and the steps between them.
    #[must_use]
    pub fn path_to(&self, last: usize) -> (Vec<usize>, Vec<&T>) {
        let (mut states, mut steps) = (vec![last], Vec::new());
        let mut at = last;
        while let Some((earlier, step)) = self.before(at) {
            states.push(earlier);
            steps.push(step);
            at = earlier;
        }
        states.reverse();
        steps.reverse();
        (states, steps)
    }

    /// The states of a shortest path from an initial state to this one.
    #[must_use]
    pub fn states_to(&self, last: usize) -> Vec<S> {
        self.path_to(last).0.into_iter().map(|at| self.states[at].clone()).collect()
    }

    /// The states, and the number of each.
    #[must_use]
    pub fn into_numbered(self) -> (Vec<S>, HashMap<S, usize>) {
        (self.states, self.numbers)
    }
}

/// What a search over `S` has reached.
pub type ReachedBy<S> = Reached<<S as Successors>::State, <S as Successors>::Step>;

/// Looks at a state, by number, before the search goes on from there; says whether it does.
pub type Look<'l, S> =
    dyn FnMut(&mut S, &ReachedBy<S>, usize) -> Result<ControlFlow<()>, <S as Successors>::Failure> + 'l;

/// Visits what can be reached, nearest first, until `look` has seen enough.
///
/// # Errors
/// If a limit is reached, or what comes next cannot be told.
pub fn nearest_first<S: Successors>(
    successors: &mut S,
    limits: Limits<'_>,
    look: &mut Look<'_, S>,
) -> Result<ReachedBy<S>, S::Failure> {
    let mut reached = ReachedBy::<S>::default();
    for state in successors.initial()? {
        reached.enter(state, None);
    }
    let mut number = 0;
    while let Some(state) = reached.states.get(number) {
        limits.budget.check()?;
        if reached.states.len() > limits.most {
            return Err(Stopped(StopReason::Count).into());
        }
        let state = state.clone();
        if look(successors, &reached, number)?.is_break() {
            break;
        }
        successors.after(&state, &mut |step, target| {
            reached.steps += 1;
            reached.enter(target, Some((number, step)))
        })?;
        number += 1;
    }
    Ok(reached)
}

/// Something found, and what else there is about as near: whoever learns from one finding learns more from several.
#[derive(Clone, Debug)]
pub struct Nearby<F> {
    /// What was found, nearest first.
    pub found: Vec<F>,
    most: usize,
    last: usize,
}

impl<F> Nearby<F> {
    /// So many findings more than the first are waited for on as many states again as it took to find that.
    const MORE: usize = 64;

    /// At most this many findings.
    #[must_use]
    pub fn at_most(most: usize) -> Self {
        Self { found: Vec::new(), most, last: usize::MAX }
    }

    /// Adds what was found in a state.
    pub fn add(&mut self, number: usize, finding: F) {
        if self.found.is_empty() {
            self.last = number.saturating_mul(2).saturating_add(Self::MORE);
        }
        self.found.push(finding);
    }

    /// Whether the search goes on after this state.
    pub fn after(&self, number: usize) -> ControlFlow<()> {
        if self.found.len() >= self.most || number > self.last {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers up to a bound: to the double, and to the next.
    struct Numbers(u32);

    impl Successors for Numbers {
        type State = u32;
        type Step = char;
        type Failure = Stopped;

        fn initial(&mut self) -> Result<Vec<u32>, Stopped> {
            Ok(vec![1, 1])
        }

        fn after(&mut self, &state: &u32, arrive: &mut dyn FnMut(char, u32) -> usize) -> Result<(), Stopped> {
            for (step, next) in [('d', state * 2), ('n', state + 1)] {
                if next <= self.0 {
                    arrive(step, next);
                }
            }
            Ok(())
        }
    }

    fn all(most: usize) -> Result<Reached<u32, char>, Stopped> {
        let budget = Budget::unlimited();
        let limits = Limits { most, budget: &budget };
        nearest_first(&mut Numbers(10), limits, &mut |_, _, _| Ok(ControlFlow::Continue(())))
    }

    #[test]
    fn every_state_has_one_number_and_a_shortest_way() {
        let reached = all(100).expect("there are ten");
        assert_eq!(reached.states, [1, 2, 4, 3, 8, 5, 6, 9, 10, 7]);
        assert_eq!(reached.steps, 5 + 9);
        let path = |state: u32| {
            let (states, steps) = reached.path_to(reached.find(&state).expect("it was met"));
            (states.iter().map(|&at| reached.states[at]).collect::<Vec<_>>(), steps.into_iter().collect::<String>())
        };
        assert_eq!(path(1), (vec![1], String::new()));
        assert_eq!(path(9), (vec![1, 2, 4, 8, 9], "dddn".to_owned()));
        assert_eq!(path(7), (vec![1, 2, 3, 6, 7], "dndn".to_owned()));
    }

    #[test]
    fn too_many_states_are_a_limit() {
        assert_eq!(all(9).map(|reached| reached.states.len()), Err(Stopped(StopReason::Count)));
        assert_eq!(all(10).map(|reached| reached.states.len()), Ok(10));
    }

    #[test]
    fn what_is_about_as_near_is_waited_for() {
        let budget = Budget::unlimited();
        let found = |most: usize, wanted: fn(u32) -> bool| {
            let mut nearby = Nearby::at_most(most);
            let limits = Limits { most: 10_000, budget: &budget };
            let reached = nearest_first(&mut Numbers(1000), limits, &mut |_, reached, number| {
                if wanted(reached.states[number]) {
                    nearby.add(number, reached.states[number]);
                }
                Ok(nearby.after(number))
            });
            (nearby.found, reached.expect("there are a thousand").states.len())
        };
        assert_eq!(found(2, |state| state % 5 == 0).0, [5, 10]);
        assert_eq!(found(9, |state| state == 3 || state == 999).0, [3], "the other one is much farther");
        assert_eq!(found(9, |state| state > 1000), (vec![], 1000));
    }
}
