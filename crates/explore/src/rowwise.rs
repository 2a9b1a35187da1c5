//! Rows of words as states like any others.
//!
//! What comes after a state is said by one trait for concrete and abstract states alike ([`tertium_program::Successors`]). Concrete ones
//! are its fast special case: whoever expands rows ([`RowSuccessors`]) is read by [`Rowwise`] as one that anyone can search. The
//! plain search over it is what the fast ones in [`crate::search`] are compared with.

use tertium_base::Stopped;
use tertium_program::Successors;

use crate::successors::{Expansion, RowSuccessors};

/// The states of a program as rows, for searches that know nothing of rows. Nothing is left out by reductions.
#[derive(Debug)]
pub struct Rowwise<'r, S: RowSuccessors> {
    rows: &'r S,
    initial: &'r [Vec<u32>],
    scratch: S::Scratch,
    found: Expansion,
    /// How many states were deadlocks.
    pub deadlocks: usize,
    /// How many steps went wrong; they lead nowhere.
    pub faults: usize,
}

impl<'r, S: RowSuccessors> Rowwise<'r, S> {
    /// Beginning in these states.
    pub fn new(rows: &'r S, initial: &'r [Vec<u32>]) -> Self {
        let (scratch, found) = (rows.scratch(), Expansion::default());
        Self { rows, initial, scratch, found, deadlocks: 0, faults: 0 }
    }
}

impl<S: RowSuccessors> Successors for Rowwise<'_, S> {
    type State = Vec<u32>;
    /// The pid of the process that steps.
    type Step = u32;
    type Failure = Stopped;

    fn initial(&mut self) -> Result<Vec<Vec<u32>>, Stopped> {
        Ok(self.initial.to_vec())
    }

    fn after(&mut self, row: &Vec<u32>, arrive: &mut dyn FnMut(u32, Vec<u32>) -> usize) -> Result<(), Stopped> {
        self.rows.expand(row, &mut self.scratch, &mut self.found);
        for at in 0..self.found.steps() {
            arrive(self.found.movers[at], self.found.row(at));
        }
        self.deadlocks += usize::from(self.found.deadlock);
        self.faults += self.found.faults.len();
        Ok(())
    }
}
