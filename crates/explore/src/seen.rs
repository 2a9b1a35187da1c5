//! Which slots of a state did a computation look at?
//!
//! What a process can do is computed by looking at some slots; in a state where those have the same values the same will
//! be computed. So what was looked at says what a result may be remembered by (`step_cache`). Slots that a block has
//! written before it looks at them say nothing about the state it was entered from.

use std::cell::{Cell, RefCell};
use tertium_base::narrow::to_u32;

/// The slots looked at. Reused from computation to computation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    marks: Vec<Cell<Mark>>,
    slots: RefCell<Vec<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    New,
    RoundHistory,
    Written,
}

impl Seen {
    /// Begins anew, for states of this many slots.
    pub fn begin(&mut self, slots: usize) {
        for slot in self.slots.get_mut().drain(..) {
            self.marks[slot as usize].set(Mark::New);
        }
        self.marks.resize(slots, Cell::new(Mark::New));
    }

    /// A slot is looked at. Slots of processes that came later are not part of the state.
    #[inline]
    pub fn note(&self, slot: usize) {
        if let Some(mark) = self.marks.get(slot)
            && mark.get() == Mark::New
        {
            mark.set(Mark::RoundHistory);
            self.slots.borrow_mut().push(to_u32(slot));
        }
    }

    /// Looking at these slots does not count from now on, or does again.
    pub fn set_written(&self, slots: &[u32], written: bool) {
        let (from, to) = if written { (Mark::New, Mark::Written) } else { (Mark::Written, Mark::New) };
        for mark in slots.iter().filter_map(|&slot| self.marks.get(slot as usize)) {
            if mark.get() == from {
                mark.set(to);
            }
        }
    }

    /// What was looked at, in order.
    pub fn sorted(&mut self) -> &[u32] {
        let slots = self.slots.get_mut();
        slots.sort_unstable();
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slot_counts_once_unless_it_was_written() {
        let mut seen = Seen::default();
        for _ in 0..2 {
            seen.begin(6);
            seen.note(4);
            seen.set_written(&[1, 4, 9], true);
            [1, 4, 3, 3, 8].into_iter().for_each(|slot| seen.note(slot));
            seen.set_written(&[1, 4, 9], false);
            assert_eq!(seen.sorted(), [3, 4]);
            seen.note(1);
            assert_eq!(seen.sorted(), [1, 3, 4]);
        }
    }
}
