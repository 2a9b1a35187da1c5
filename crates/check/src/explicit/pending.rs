//! The states still to be looked at by a walk.
//!
//! A few are kept as a stack. When they become many, the set is swept in order of states instead: then
//! the edge tables are read from front to back, which on large structures is what the time goes into.

use tertium_base::BitSet;
use tertium_base::narrow::to_u32;

/// A set of states that gives them back one by one.
#[derive(Debug)]
pub(super) struct Pending {
    marked: BitSet,
    count: usize,
    stack: Vec<u32>,
    /// Where a sweep is; none while the stack holds everything.
    sweep: Option<usize>,
}

impl Pending {
    pub fn new(states: usize) -> Self {
        Self { marked: BitSet::empty(states), count: 0, stack: Vec::new(), sweep: None }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// More than this many are swept. A sweep costs a word per 64 states, so it pays for itself.
    fn many(&self) -> usize {
        self.marked.len() / 64 + 16
    }

    #[inline]
    pub fn push(&mut self, state: usize) {
        if !self.marked.insert(state) {
            return;
        }
        self.count += 1;
        if self.sweep.is_none() {
            if self.stack.len() < self.many() {
                self.stack.push(to_u32(state));
            } else {
                self.stack.clear();
                self.sweep = Some(0);
            }
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        self.count -= 1;
        match self.sweep {
            None => {
                let state = self.stack.pop()? as usize;
                self.marked.remove(state);
                Some(state)
            }
            Some(from) => self.next_in_sweep(from),
        }
    }

    fn next_in_sweep(&mut self, from: usize) -> Option<usize> {
        let found = self.marked.first_from(from).or_else(|| {
            self.end_of_sweep();
            self.marked.first_from(0)
        })?;
        self.marked.remove(found);
        if self.sweep.is_some() {
            self.sweep = Some(found);
        } else if let Some(at) = self.stack.iter().position(|&state| state as usize == found) {
            self.stack.swap_remove(at);
        }
        Some(found)
    }

    /// Goes back to the stack if few are left.
    fn end_of_sweep(&mut self) {
        if self.count < self.many() / 2 {
            self.stack.extend(self.marked.iter().map(|state| to_u32(state)));
            self.sweep = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_every_state_once() {
        for states in [1, 70, 5000] {
            let mut pending = Pending::new(states);
            let mut given = vec![0; states];
            for state in (0..states).rev() {
                pending.push(state);
                pending.push(state);
            }
            while let Some(state) = pending.pop() {
                given[state] += 1;
                let later = state * 7 + 3;
                if later < states && given[later] == 0 {
                    pending.push(later);
                }
            }
            assert!(given.iter().all(|&times| times == 1), "{states}");
        }
    }
}
