//! What comes after a state, as rows of words: the face that searches see.
//!
//! Searches know no programs; they ask a [`RowSuccessors`] to expand one row after another. [`Plain`] asks the
//! definition of a step and is the oracle; `compiled` is fast. Every one of them is also a [`tertium_program::Successors`], by
//! [`crate::rowwise`].

use std::sync::Arc;

use tertium_base::narrow::{to_u32, to_usize};
use tertium_program::layout::FRAME_PROCESS;
use tertium_program::{Fault, Outcome, Semantics, State};

use crate::pack::{Field, Packing, RowLayout};
use crate::store::{BitMask, trimmed};

/// What a step does to one word of the row it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    pub word: u32,
    /// The bits that stay as they are.
    pub keep: u32,
    /// The others.
    pub bits: u32,
}

/// What one expansion finds. Reused from state to state.
///
/// A successor is told by the words that differ from the state expanded, so that it costs what it changes.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// The row of the state expanded.
    base: Vec<u32>,
    /// How many words a row has at least.
    least: usize,
    /// The words that differ, in order, and what stands there; one successor after the other.
    changes: Vec<(u32, u32)>,
    /// Where the changes of each successor end.
    ends: Vec<u32>,
    /// A row as long as this has room for every successor.
    reach: usize,
    /// The successor that is being made, word by word.
    patches: Vec<Patch>,
    /// The patches of the successors made since [`Self::record`], and where those of each end; none if one of them was
    /// not made of patches.
    recorded: Option<Vec<Patch>>,
    recorded_ends: Vec<u32>,
    /// For each successor the pid of the process that steps.
    pub movers: Vec<u32>,
    /// What goes wrong in steps from here.
    pub faults: Vec<Fault>,
    /// Whether no process can step although not all are at their ends.
    pub deadlock: bool,
}

impl Expansion {
    /// Forgets the last state's findings and turns to the state in `row`; rows have at least `least` words.
    pub fn begin(&mut self, row: &[u32], least: usize) {
        self.base.clear();
        self.base.extend_from_slice(row);
        self.least = least;
        self.changes.clear();
        self.ends.clear();
        self.reach = row.len();
        self.recorded = None;
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

    /// The words in which a successor differs from the state expanded, filled up with zeros, and what stands there.
    #[inline]
    #[must_use]
    pub fn changes(&self, at: usize) -> &[(u32, u32)] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.changes[start as usize..self.ends[at] as usize]
    }

    /// The changes of all successors, and where those of each end.
    #[inline]
    #[must_use]
    pub(crate) fn all_changes(&self) -> (&[(u32, u32)], &[u32]) {
        (&self.changes, &self.ends)
    }

    /// How many words the longest successor has at most.
    #[inline]
    #[must_use]
    pub(crate) fn reach(&self) -> usize {
        self.reach
    }

    /// Writes the row of a successor into `row`.
    pub fn copy_row(&self, at: usize, row: &mut Vec<u32>) {
        row.clear();
        row.extend_from_slice(&self.base);
        let changes = self.changes(at);
        if let Some(&(last, _)) = changes.last()
            && last as usize >= row.len()
        {
            row.resize(last as usize + 1, 0);
        }
        changes.iter().for_each(|&(word, value)| row[word as usize] = value);
        row.truncate(trimmed(row, self.least));
    }

    /// The row of a successor.
    #[must_use]
    pub fn row(&self, at: usize) -> Vec<u32> {
        let mut row = Vec::new();
        self.copy_row(at, &mut row);
        row
    }

    /// The rows of all successors, in order.
    pub fn rows(&self) -> impl Iterator<Item = Vec<u32>> {
        (0..self.steps()).map(|at| self.row(at))
    }

    /// Puts a value into the successor that is being made.
    #[inline]
    pub(crate) fn put(&mut self, field: Field, value: i64) {
        field.spread(value, |word, mask, bits| self.patch(word, mask, bits));
    }

    #[inline]
    fn patch(&mut self, word: u32, mask: u32, bits: u32) {
        let at = self.patches.iter().rposition(|patch| patch.word <= word);
        match at {
            Some(at) if self.patches[at].word == word => {
                let patch = &mut self.patches[at];
                patch.keep &= !mask;
                patch.bits = patch.bits & !mask | bits;
            }
            _ => self.patches.insert(at.map_or(0, |at| at + 1), Patch { word, keep: !mask, bits }),
        }
    }

    /// The successor that is being made has zeros from this word on.
    pub(crate) fn cut(&mut self, from: usize) {
        self.patches.retain(|patch| (patch.word as usize) < from);
        let zeros = (from..self.base.len()).map(|word| Patch { word: to_u32(word), keep: 0, bits: 0 });
        self.patches.extend(zeros);
    }

    /// Ends the successor that was being made.
    #[inline]
    pub(crate) fn close(&mut self, mover: u32) {
        let patches = std::mem::take(&mut self.patches);
        self.apply(&patches, mover);
        if let Some(recorded) = &mut self.recorded {
            recorded.extend_from_slice(&patches);
            self.recorded_ends.push(to_u32(recorded.len()));
        }
        self.patches = patches;
        self.patches.clear();
    }

    /// Adds the successor that these patches, in the order of words, lead to.
    #[inline]
    pub(crate) fn apply(&mut self, patches: &[Patch], mover: u32) {
        for patch in patches {
            let old = self.base.get(patch.word as usize).copied().unwrap_or(0);
            let new = old & patch.keep | patch.bits;
            if new != old {
                self.changes.push((patch.word, new));
            }
        }
        self.arrived(mover);
    }

    /// Adds the successors that these patches lead to; the last patch of each is marked.
    #[inline]
    pub(crate) fn repeat(&mut self, patches: &[(Patch, bool)], mover: u32) {
        for &(patch, last) in patches {
            let word = patch.word as usize;
            let old = if word < self.base.len() {
                self.base[word]
            } else {
                self.reach = self.reach.max(word + 1);
                0
            };
            let new = old & patch.keep | patch.bits;
            if new != old {
                self.changes.push((patch.word, new));
            }
            if last {
                self.ends.push(to_u32(self.changes.len()));
                self.movers.push(mover);
            }
        }
    }

    /// Adds a successor by the words in which it differs from the state expanded, in order.
    #[inline]
    pub fn add(&mut self, changes: &[(u32, u32)], mover: u32) {
        self.recorded = None;
        self.changes.extend_from_slice(changes);
        self.arrived(mover);
    }

    /// Forgets all successors but the first so many.
    pub fn keep(&mut self, steps: usize) {
        self.ends.truncate(steps);
        self.movers.truncate(steps);
        self.changes.truncate(self.ends.last().map_or(0, |&end| end as usize));
    }

    /// Adds a successor by its whole row.
    pub fn arrive(&mut self, row: &[u32], mover: u32) {
        self.recorded = None;
        let word = |row: &[u32], at: usize| row.get(at).copied().unwrap_or(0);
        for at in 0..row.len().max(self.base.len()) {
            if word(row, at) != word(&self.base, at) {
                self.changes.push((to_u32(at), word(row, at)));
            }
        }
        self.arrived(mover);
    }

    #[inline]
    fn arrived(&mut self, mover: u32) {
        if let Some(&(last, _)) = self.changes.last() {
            self.reach = self.reach.max(last as usize + 1);
        }
        self.ends.push(to_u32(self.changes.len()));
        self.movers.push(mover);
    }

    /// Keeps the patches of what is found from now on.
    pub(crate) fn record(&mut self) {
        self.recorded.get_or_insert_default().clear();
        self.recorded_ends.clear();
    }

    /// What is found now is not to be repeated.
    pub(crate) fn forget(&mut self) {
        self.recorded = None;
    }

    /// The patches kept, and where those of each successor end; none if not all successors are made of patches.
    pub(crate) fn recorded(&self) -> Option<(&[Patch], &[u32])> {
        self.recorded.as_deref().map(|patches| (patches, self.recorded_ends.as_slice()))
    }
}

/// A state by its key, where a masked row is one.
#[derive(Clone, Copy, Debug)]
pub struct MaskedState<'m> {
    /// The masked row.
    pub key: u64,
    /// What rows are masked by.
    pub mask: &'m BitMask,
}

/// Produces the states of a program on demand, as rows of words: what comes after a state where states are stored compressed, patched
/// word by word and shared among threads. So it takes `&self`, keeps what a thread needs in its scratch, and cannot fail.
pub trait RowSuccessors: Sync {
    /// What one thread needs for its own.
    type Scratch: Send;

    /// How many words a row has at least. A longer one does not end in a zero.
    fn words(&self) -> usize;

    /// Room for one thread.
    fn scratch(&self) -> Self::Scratch;

    /// Finds what comes after a state; what `found` held before is forgotten.
    fn expand(&self, row: &[u32], scratch: &mut Self::Scratch, found: &mut Expansion);

    /// Adds the masked rows of all that comes after a state to `keys`; says whether that is known. If not, if nothing comes after it, if a step goes wrong, or if a successor has no
    /// masked row, [`Self::expand`] finds out, and what was added counts for nothing.
    fn expand_masked(&self, _state: MaskedState<'_>, _scratch: &mut Self::Scratch, _keys: &mut Vec<u64>) -> bool {
        false
    }

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
        self.packing.shape_of_row(row).unpack(row, &mut slots);
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

    fn shape(&self, state: &State) -> Arc<RowLayout> {
        let frames = self.semantics.layout().frames(&state.slots);
        let processes: Vec<u32> =
            frames.iter().map(|&frame| to_u32(to_usize(state.slots[frame + FRAME_PROCESS]))).collect();
        self.packing.shape_of(&processes)
    }
}

impl RowSuccessors for Plain<'_> {
    type Scratch = ();

    fn words(&self) -> usize {
        self.packing.words()
    }

    fn scratch(&self) -> Self::Scratch {}

    fn expand(&self, row: &[u32], (): &mut Self::Scratch, found: &mut Expansion) {
        found.begin(row, self.packing.words());
        let state = self.state(row);
        let mut any = false;
        for successor in self.semantics.successors(&state) {
            any = true;
            let mover = successor.moves.first().map_or(0, |mv| mv.pid);
            match successor.outcome {
                Outcome::Next(next) => found.arrive(&self.row(&next), mover),
                // A step that goes wrong leads nowhere: what comes after a failed assertion, perhaps in the middle
                // of an uninterruptible block, is nothing that the program is meant to do.
                Outcome::Fault { fault, .. } => found.faults.push(fault),
            }
        }
        found.deadlock = !any && !self.semantics.all_at_end(&state.slots);
    }
}
