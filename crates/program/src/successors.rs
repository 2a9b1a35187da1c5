//! What comes after a state, whatever a state is?
//!
//! Programs run as they are, as abstract states over predicates, or with most processes in the shade. What a search needs of
//! each of them is the same: where it begins, and which steps lead where. [`Successors`] says that once; [`crate::search`] searches over
//! it. [`Defined`] is the definition of a step read that way.
//!
//! Not here: rows of words, which are what concrete states are fast by. `explore` has a trait for them, and each of those is one of these.

use std::hash::Hash;

use tertium_base::{StopReason, Stopped};

use crate::semantics::Semantics;
use crate::state::{Move, Outcome, State};

/// Where something begins, and what comes after each of its states.
///
/// Asking may cost a lot and remember much, so it takes `&mut self`; and it may fail, by a limit or otherwise.
pub trait Successors {
    /// A state. Equal states are the same state.
    type State: Clone + Eq + Hash;
    /// What is known of a step besides where it leads.
    type Step;
    /// Why there is no answer.
    type Failure: From<Stopped>;

    /// Where it begins, each state at least once.
    ///
    /// # Errors
    /// If that cannot be told.
    fn initial(&mut self) -> Result<Vec<Self::State>, Self::Failure>;

    /// Tells `arrive` every step from a state and where it leads, always in the same order. Two ways to one state are two steps. It answers
    /// with the number that whoever searches gives to the state, from now on.
    ///
    /// # Errors
    /// If that cannot be told; what was told before is not all there is.
    fn after(
        &mut self,
        state: &Self::State,
        arrive: &mut dyn FnMut(Self::Step, Self::State) -> usize,
    ) -> Result<(), Self::Failure>;
}

/// The states of a program by the definition of a step. A step that goes wrong leads nowhere; one that cannot be computed ends
/// the search, as a limit does.
#[derive(Clone, Debug)]
pub struct Defined<'s, 'p> {
    semantics: &'s Semantics<'p>,
    initial: Vec<State>,
}

impl<'s, 'p> Defined<'s, 'p> {
    /// Beginning in these states.
    #[must_use]
    pub fn from(semantics: &'s Semantics<'p>, initial: Vec<State>) -> Self {
        Self { semantics, initial }
    }
}

impl Successors for Defined<'_, '_> {
    type State = State;
    type Step = Vec<Move>;
    type Failure = Stopped;

    fn initial(&mut self) -> Result<Vec<State>, Stopped> {
        Ok(self.initial.clone())
    }

    fn after(&mut self, state: &State, arrive: &mut dyn FnMut(Vec<Move>, State) -> usize) -> Result<(), Stopped> {
        for successor in self.semantics.successors(state) {
            match successor.outcome {
                Outcome::Next(next) => _ = arrive(successor.moves, next),
                Outcome::Fault { fault, .. } if !fault.kind.is_error() => return Err(Stopped(StopReason::Count)),
                Outcome::Fault { .. } => {}
            }
        }
        Ok(())
    }
}
