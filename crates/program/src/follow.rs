//! What are the ways through an uninterruptible block?
//!
//! Depth first, one move after the other, until nobody holds control. A block goes round for ever only if a state inside it
//! repeats on the way that leads there; a way that is longer than a bound, or that time and memory do not suffice for, is a
//! [`FaultKind::BlockTooLong`], from which nothing follows.

use std::collections::HashSet;
use std::rc::Rc;

use crate::fault::{Fault, FaultKind};
use crate::graph::Hold;
use crate::semantics::Semantics;
use crate::state::{Move, Outcome, State, Successor};

/// A way through a block with more moves than this is not followed to its end. Limits on time and memory are reached sooner, as a rule.
pub const LONGEST_BLOCK: usize = 1_000_000;
/// So many states on a way are all kept. Farther on, only those at which there is a choice are.
const MOST_KEPT: usize = 100_000;
/// After so many moves the limits are looked at.
const MOVES_PER_LOOK: usize = 1024;

impl Semantics<'_> {
    /// The steps that begin with these moves, in their order.
    pub(crate) fn successors_by(&self, state: &State, moves: impl IntoIterator<Item = Move>) -> Vec<Successor> {
        let mut ways = Ways { semantics: self, work: 0, spent: false, found: Vec::new() };
        for first in moves {
            ways.follow(state, first);
        }
        ways.found
    }
}

/// All that is found from one state.
struct Ways<'w, 'p> {
    semantics: &'w Semantics<'p>,
    /// How many moves were made or offered since the limits were looked at.
    work: usize,
    /// Whether the limits are reached. Nothing is followed from then on, but whoever could begin a step is still told.
    spent: bool,
    found: Vec<Successor>,
}

impl Ways<'_, '_> {
    fn follow(&mut self, state: &State, first: Move) {
        let mut path = Path::default();
        let mut open = vec![(0, Rc::new(state.clone()), first)];
        while let Some((depth, from, mv)) = open.pop() {
            path.truncate(depth);
            let mut outcome = self.semantics.perform(&from, &mv);
            drop(from);
            path.moves.push(mv);
            if self.semantics.is_persistent()
                && let Outcome::Fault { fault, next: Some(next) } = outcome
            {
                self.found.push(path.arrives(Outcome::Fault { fault, next: None }));
                outcome = Outcome::Next(next);
            }
            match outcome {
                Outcome::Next(next) => {
                    if let Some((next, moves)) = self.go_on(next, &mut path) {
                        let depth = path.moves.len();
                        open.extend(moves.into_iter().rev().map(|mv| (depth, Rc::clone(&next), mv)));
                    }
                }
                fault @ Outcome::Fault { .. } => self.found.push(path.arrives(fault)),
            }
            if self.spent {
                return;
            }
        }
    }

    /// What can be done after a move, if control is still held and the way leads on; else what it leads to is noted.
    fn go_on(&mut self, next: State, path: &mut Path) -> Option<(Rc<State>, Vec<Move>)> {
        let Some(holder) = next.holder else {
            self.found.push(path.arrives(Outcome::Next(next)));
            return None;
        };
        let onward = self.semantics.moves(&next);
        if onward.is_empty() {
            self.found.extend(self.stuck(next, holder, path));
            return None;
        }
        let next = Rc::new(next);
        if !path.enter(&next, onward.len() > 1) {
            self.found.push(path.fails(FaultKind::EndlessBlock));
            return None;
        }
        self.look(1 + onward.len());
        if self.spent || path.moves.len() >= self.semantics.longest_block {
            self.found.push(path.fails(FaultKind::BlockTooLong));
            return None;
        }
        Some((next, onward))
    }

    /// What it means that the holder of control cannot go on.
    fn stuck(&self, state: State, holder: u32, path: &Path) -> Option<Successor> {
        let (program, layout) = (self.semantics.program(), self.semantics.layout());
        let frames = layout.frames(&state.slots);
        let context = self.semantics.observer(&state.slots, &frames);
        let (process, at) = (context.process_of(holder as usize), context.location_of(holder as usize));
        match program.location(process, at).hold {
            Hold::Free | Hold::WhileEnabled => Some(path.arrives(Outcome::Next(State::visible(state.slots)))),
            Hold::Indivisible => None,
            Hold::Deterministic => Some(path.fails(FaultKind::BlockedInDeterministic)),
        }
    }

    /// Looks at the limits now and then.
    fn look(&mut self, moves: usize) {
        self.work += moves;
        if self.work >= MOVES_PER_LOOK {
            self.work = 0;
            self.spent = self.spent || self.semantics.budget.check().is_err();
        }
    }
}

/// The moves made so far inside a block, and the states between them.
///
/// Of a long way not every state is kept. Whatever goes round for ever either passes some state with a choice again and again,
/// which is kept, or goes on without a choice, and then meets the one state that is kept of the latter part (Brent's method).
#[derive(Default)]
struct Path {
    moves: Vec<Move>,
    states: Vec<(usize, Rc<State>)>,
    seen: HashSet<Rc<State>>,
    /// A state of the latter part, and after how many moves it was met.
    anchor: Option<(usize, Rc<State>)>,
}

impl Path {
    fn truncate(&mut self, depth: usize) {
        self.moves.truncate(depth);
        while let Some((_, state)) = self.states.pop_if(|(at, _)| *at > depth) {
            self.seen.remove(&state);
        }
        if self.anchor.as_ref().is_some_and(|(at, _)| *at > depth) {
            self.anchor = None;
        }
    }

    /// Notes a state inside the block; says whether it is new on this path, as far as the states that are kept tell.
    fn enter(&mut self, state: &Rc<State>, choice: bool) -> bool {
        if self.seen.contains(state) {
            return false;
        }
        if choice || self.states.len() < MOST_KEPT {
            self.seen.insert(Rc::clone(state));
            self.states.push((self.moves.len(), Rc::clone(state)));
            return true;
        }
        let now = self.moves.len();
        match &self.anchor {
            Some((_, anchor)) if anchor == state => return false,
            Some((at, _)) if now < at.saturating_mul(2) => {}
            _ => self.anchor = Some((now, Rc::clone(state))),
        }
        true
    }

    fn arrives(&self, outcome: Outcome) -> Successor {
        Successor { moves: self.moves.clone(), outcome }
    }

    fn fails(&self, kind: FaultKind) -> Successor {
        let fault = Fault { kind, step: self.moves.last().map(|mv| mv.step) };
        self.arrives(Outcome::Fault { fault, next: None })
    }
}
