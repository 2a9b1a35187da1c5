//! What comes after a state, as rows of words: the face that searches see.
//!
//! Searches know no programs; they ask a [`Successors`] to expand one row after another. [`Plain`] asks the
//! definition of a step and is the oracle; `compiled` is fast.

use tertium_program::{Fault, Outcome, Semantics, State};

use crate::pack::Packing;

/// What one expansion finds. Reused from state to state.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// The rows of the successors, one after the other.
    pub rows: Vec<u32>,
    /// How many successors there are, counted as steps: two ways to one state are two.
    pub steps: usize,
    /// For each successor the pid of the process that steps.
    pub movers: Vec<u32>,
    /// What goes wrong in steps from here.
    pub faults: Vec<Fault>,
    /// Whether no process can step although not all are at their ends.
    pub deadlock: bool,
}

impl Expansion {
    /// Forgets the last state's findings.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.steps = 0;
        self.movers.clear();
        self.faults.clear();
        self.deadlock = false;
    }
}

/// Produces the states of a program on demand.
pub trait Successors: Sync {
    /// What one thread needs for its own.
    type Scratch: Send;

    /// How many words a state has.
    fn words(&self) -> usize;

    /// Room for one thread.
    fn scratch(&self) -> Self::Scratch;

    /// Finds what comes after a state; `found` is cleared first.
    fn expand(&self, row: &[u32], scratch: &mut Self::Scratch, found: &mut Expansion);

    /// Finds only some successors, whose steps no other step can disturb or be disturbed by; says whether there are
    /// such. If not, or if going on with them alone would put off the others for ever, [`Self::expand`] finds all.
    fn expand_private(&self, _row: &[u32], _scratch: &mut Self::Scratch, _found: &mut Expansion) -> bool {
        false
    }
}

/// Successors by the definition of a step, slowly.
#[derive(Clone, Debug)]
pub struct Plain<'p> {
    semantics: Semantics<'p>,
    packing: Packing,
}

impl<'p> Plain<'p> {
    /// For a program whose processes are fixed; `None` for others.
    #[must_use]
    pub fn of(semantics: &Semantics<'p>) -> Option<Self> {
        Some(Self { semantics: semantics.clone(), packing: Packing::of(semantics)? })
    }

    /// The packing of its rows.
    #[must_use]
    pub fn packing(&self) -> &Packing {
        &self.packing
    }

    /// The definition behind it.
    #[must_use]
    pub fn semantics(&self) -> &Semantics<'p> {
        &self.semantics
    }

    /// The state in a row.
    #[must_use]
    pub fn state(&self, row: &[u32]) -> State {
        let mut slots = vec![0; self.semantics.layout().initial_size()];
        self.packing.unpack(row, &mut slots);
        State::visible(slots)
    }

    /// The row of a state.
    #[must_use]
    pub fn row(&self, state: &State) -> Vec<u32> {
        let mut row = vec![0; self.packing.words()];
        self.packing.pack(&state.slots, &mut row);
        row
    }
}

impl Successors for Plain<'_> {
    type Scratch = ();

    fn words(&self) -> usize {
        self.packing.words()
    }

    fn scratch(&self) -> Self::Scratch {}

    fn expand(&self, row: &[u32], (): &mut Self::Scratch, found: &mut Expansion) {
        found.clear();
        let state = self.state(row);
        let mut any = false;
        for successor in self.semantics.successors(&state) {
            any = true;
            let mover = successor.moves.first().map_or(0, |mv| mv.pid);
            match successor.outcome {
                Outcome::Next(next) => {
                    found.rows.extend(self.row(&next));
                    found.movers.push(mover);
                    found.steps += 1;
                }
                // A step that goes wrong leads nowhere: what comes after a failed assertion, perhaps in the middle
                // of an uninterruptible block, is nothing that the program is meant to do.
                Outcome::Fault { fault, .. } => found.faults.push(fault),
            }
        }
        found.deadlock = !any && !self.semantics.all_at_end(&state.slots);
    }
}
