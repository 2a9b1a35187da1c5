//! Random walks from some of the states that are known: what do states look like that are far from the beginning?
//!
//! Whoever has to guess from few states how all of them are sees only the first levels of a breadth-first search. Walks go further. They are the same in every
//! run (xorshift, Marsaglia 2003).

use tertium_base::narrow::{below, to_u32};

use crate::store::StateStore;
use crate::successors::{Expansion, RowSuccessors};

/// So many walks of so many steps.
const WALKS: usize = 64;
const WALK_STEPS: usize = 512;

/// Rows that are met on walks from states of the second half of the store.
pub(super) fn random_walks<S: RowSuccessors>(
    successors: &S,
    scratch: &mut S::Scratch,
    store: &StateStore,
) -> Vec<Vec<u32>> {
    let (mut found, mut branches) = (Expansion::default(), store.branches());
    let (mut rows, mut random) = (Vec::with_capacity(WALKS * WALK_STEPS), 0x9E37_79B9_7F4A_7C15_u64);
    let (half, len) = (store.len() / 2, store.len());
    for walk in 0..WALKS {
        store.read(to_u32(half + (len - half) * walk / WALKS), &mut branches);
        let mut row = branches.words().to_vec();
        for _ in 0..WALK_STEPS {
            successors.expand(&row, scratch, &mut found);
            if found.steps() == 0 {
                break;
            }
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            found.copy_row(below(random, found.steps()), &mut row);
            rows.push(row.clone());
        }
    }
    rows
}
