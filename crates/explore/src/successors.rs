//! What comes after a state, as rows of words: the face that searches see.
//!
//! Searches know no programs; they ask a [`Successors`] to expand one row after another. [`Plain`] asks the
//! definition of a step and is the oracle; `compiled` is fast.

use std::sync::Arc;

use tertium_program::layout::FRAME_PROCESS;
use tertium_program::{Fault, Outcome, Semantics, State};

use crate::pack::{Packing, Shape, Shapes};
use crate::store::trimmed;

/// What one expansion finds. Reused from state to state.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// The rows of the successors, one after the other.
    rows: Vec<u32>,
    /// Where each of them ends.
    ends: Vec<usize>,
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
        self.ends.clear();
        self.movers.clear();
        self.faults.clear();
        self.deadlock = false;
    }

    /// How many successors there are, counted as steps: two ways to one state are two.
    #[inline]
    #[must_use]
    pub fn steps(&self) -> usize {
        self.ends.len()
    }

    /// The row of a successor.
    #[inline]
    #[must_use]
    pub fn row(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.rows[start..self.ends[at]]
    }

    /// The rows of all successors, in order.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.steps()).map(|at| self.row(at))
    }

    /// A new successor of this many words, at first those of `row` and then zeros; to be closed.
    #[inline]
    pub(crate) fn open(&mut self, row: &[u32], words: usize) -> &mut [u32] {
        let start = self.rows.len();
        self.rows.extend_from_slice(&row[..row.len().min(words)]);
        self.rows.resize(start + words, 0);
        &mut self.rows[start..]
    }

    /// Ends the successor that was opened last; rows have at least `least` words and no zeros after them.
    #[inline]
    pub(crate) fn close(&mut self, least: usize, mover: u32) {
        let start = self.ends.last().copied().unwrap_or(0);
        let len = trimmed(&self.rows[start..], least);
        self.rows.truncate(start + len);
        self.ends.push(start + len);
        self.movers.push(mover);
    }
}

/// Produces the states of a program on demand.
pub trait Successors: Sync {
    /// What one thread needs for its own.
    type Scratch: Send;

    /// How many words a row has at least. A longer one does not end in a zero.
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
    /// For any program.
    #[must_use]
    pub fn of(semantics: &Semantics<'p>) -> Self {
        Self { semantics: semantics.clone(), packing: Packing::of(semantics) }
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
        let mut slots = Vec::new();
        Shapes::default().of_row(&self.packing, row).unpack(row, &mut slots);
        State::visible(slots)
    }

    /// The row of a state.
    #[must_use]
    pub fn row(&self, state: &State) -> Vec<u32> {
        let shape = self.shape(state);
        let mut row = vec![0; shape.words];
        shape.pack(&state.slots, &mut row);
        row.truncate(trimmed(&row, self.packing.words()));
        row
    }

    fn shape(&self, state: &State) -> Arc<Shape> {
        let frames = self.semantics.layout().frames(&state.slots);
        let processes: Vec<u32> = frames.iter().map(|&frame| state.slots[frame + FRAME_PROCESS] as u32).collect();
        Shapes::default().of_processes(&self.packing, &processes)
    }

    fn arrive(&self, next: &State, mover: u32, found: &mut Expansion) {
        let row = self.row(next);
        found.open(&row, row.len());
        found.close(self.packing.words(), mover);
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
                Outcome::Next(next) => self.arrive(&next, mover, found),
                // A step that goes wrong leads nowhere: what comes after a failed assertion, perhaps in the middle
                // of an uninterruptible block, is nothing that the program is meant to do.
                Outcome::Fault { fault, .. } => found.faults.push(fault),
            }
        }
        found.deadlock = !any && !self.semantics.all_at_end(&state.slots);
    }
}
