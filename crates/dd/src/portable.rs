//! How is a set written down, so that another store of the same bits can have it?
//!
//! As the list of the nodes of its diagram, children first: for each node its bit and the numbers of its two cofactors. Numbers 0 and 1 are the empty and the full set. A
//! diagram that is read is built anew bit by bit, so whatever numbers stand there, what comes out is a set or nothing.

use std::collections::HashMap;

use tertium_base::Stopped;
use tertium_base::narrow::to_u32;

use crate::set::{Root, Set};
use crate::store::{Bit, Diagrams};

/// Words of one node: bit, where it is not set, where it is.
const NODE: usize = 3;
/// The terminals come before all nodes.
const TERMINALS: u32 = 2;

impl Set {
    /// The set as words: the nodes, children first, and at the end the number of the root.
    #[must_use]
    pub fn to_words(&self) -> Vec<u32> {
        let (mut words, mut known): (Vec<u32>, HashMap<Self, u32>) = (Vec::new(), HashMap::new());
        let mut open = vec![self.clone()];
        while let Some(set) = open.last().cloned() {
            let number = match set.root() {
                _ if known.contains_key(&set) => None,
                Root::Empty => Some(0),
                Root::Full => Some(1),
                Root::Node { bit, unset, set } => match (known.get(&unset), known.get(&set)) {
                    (Some(&unset), Some(&set)) => {
                        words.extend([bit.number(), unset, set]);
                        Some(to_u32(words.len() / NODE - 1) + TERMINALS)
                    }
                    _ => {
                        open.extend([unset, set]);
                        continue;
                    }
                },
            };
            if let Some(number) = number {
                known.insert(set, number);
            }
            open.pop();
        }
        words.push(known.get(self).copied().unwrap_or_default());
        words
    }
}

impl Diagrams {
    /// The set that was written as these words; none if they are no set of these bits.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn from_words(&self, words: &[u32]) -> Result<Option<Set>, Stopped> {
        let Some((root, nodes)) = words.split_last() else { return Ok(None) };
        let (mut sets, mut bits) = (vec![self.empty(), self.full()], HashMap::new());
        if nodes.len() % NODE != 0 {
            return Ok(None);
        }
        for node in nodes.chunks_exact(NODE) {
            let bit = Bit::new(node[0] as usize);
            let parts = (sets.get(node[1] as usize), sets.get(node[2] as usize));
            let ((Some(unset), Some(set)), true) = (parts, bit.index() < self.bits()) else { return Ok(None) };
            let here = match bits.get(&bit) {
                Some(here) => here,
                None => bits.entry(bit).or_insert(self.bit(bit)?),
            };
            let set = here.ite(set, unset)?;
            sets.push(set);
        }
        Ok(sets.get(*root as usize).cloned())
    }
}

#[cfg(test)]
mod tests {
    use tertium_base::Budget;

    use super::*;
    use crate::store::Limits;

    fn store(bits: usize) -> Diagrams {
        Diagrams::new(bits, Limits::for_listed(1 << 10), &Budget::unlimited()).expect("room")
    }

    /// Rows that look like chance.
    fn some_set(diagrams: &Diagrams, seed: u64) -> Set {
        let bits: Vec<Bit> = (0..diagrams.bits()).map(Bit::new).collect();
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u128::from(state >> 40) % (1 << bits.len())
        };
        let rows = (0..seed % 50).map(|_| next()).collect();
        diagrams.listed(&bits, rows).expect("room")
    }

    #[test]
    fn a_set_that_is_written_and_read_is_the_same() {
        for seed in 0..200 {
            let (one, other) = (store(10), store(10));
            let set = some_set(&one, seed);
            for set in [set.clone(), set.not()] {
                let words = set.to_words();
                assert_eq!(one.from_words(&words).expect("room"), Some(set.clone()), "seed {seed}");
                let read = other.from_words(&words).expect("room").expect("a set");
                assert_eq!((read.to_words(), read.count(10)), (words, set.count(10)), "seed {seed}");
            }
        }
    }

    #[test]
    fn whatever_stands_there_is_a_set_or_nothing() {
        let diagrams = store(6);
        let words = some_set(&diagrams, 33).to_words();
        for (at, value) in (0..words.len()).flat_map(|at| [0, 1, 5, 6, 7, 100, u32::MAX].map(|value| (at, value))) {
            let mut wrong = words.clone();
            wrong[at] = value;
            let _ = diagrams.from_words(&wrong).expect("room");
            let _ = diagrams.from_words(&wrong[..at]).expect("room");
        }
        assert_eq!(diagrams.from_words(&[]).expect("room"), None);
    }
}
