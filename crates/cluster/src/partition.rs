//! Whose is a state?
//!
//! A hash of some words of its row says so. Most steps change few words; a step that changes none of those leads to a state of the same owner, which nobody has
//! to be sent (Lerda and Sisto 1999). Which words these are is tried out on the first states of the search, the same ones in every process: the more steps
//! stay with the owner the better, as long as every worker gets its share.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use tertium_base::narrow::folded;
use tertium_explore::successors::{Expansion, RowSuccessors};

/// So many states are tried.
const SAMPLE: usize = 4096;
/// Fewer different values than this for each worker are not enough to share them out.
const VALUES_EACH: usize = 32;
/// Nobody may get more than so many hundredths of what would be fair.
const MOST_PERCENT: usize = 125;

/// Which words of a row say whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    words: Range<usize>,
    workers: usize,
}

/// All bits of a row in 64.
pub(crate) fn hash(row: &[u32]) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64 ^ row.len() as u64;
    for &word in row {
        let mixed = u128::from(hash ^ u64::from(word)) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
        hash = folded(mixed).wrapping_add(hash.rotate_left(29));
    }
    folded(u128::from(hash ^ 0x2D35_8DCC_AA6C_78A5) * u128::from(0xA076_1D64_78BD_642F_u64))
}

impl Partition {
    /// By all words.
    fn by_all(workers: usize) -> Self {
        Self { words: 0..usize::MAX, workers }
    }

    /// The best that the first states know of.
    pub fn of<S: RowSuccessors>(successors: &S, initial: &[Vec<u32>], workers: usize) -> Self {
        let all = Self::by_all(workers);
        if workers == 1 {
            return all;
        }
        let (states, changes) = sample(successors, initial);
        let longest = states.iter().map(Vec::len).max().unwrap_or(0);
        let stays = |partition: &Self| {
            let is_inside = |changed: &&Vec<u32>| changed.iter().all(|&at| !partition.words.contains(&(at as usize)));
            changes.iter().filter(is_inside).count()
        };
        let splits = (1..longest).flat_map(|at| [0..at, at..usize::MAX]);
        let tried = splits.map(|words| Self { words, workers }).filter(|partition| partition.is_even(&states));
        let best = tried.map(|partition| (stays(&partition), partition)).max_by_key(|(stays, _)| *stays);
        best.filter(|(stays, _)| *stays > 0).map_or(all, |(_, partition)| partition)
    }

    fn is_even(&self, states: &[Vec<u32>]) -> bool {
        let values: BTreeSet<&[u32]> = states.iter().map(|row| self.part(row)).collect();
        let mut shares = vec![0; self.workers];
        states.iter().for_each(|row| shares[self.owner(row)] += 1);
        let most = shares.iter().max().copied().unwrap_or(0);
        values.len() >= VALUES_EACH * self.workers && most * self.workers * 100 <= states.len() * MOST_PERCENT
    }

    fn part<'r>(&self, row: &'r [u32]) -> &'r [u32] {
        let start = self.words.start.min(row.len());
        &row[start..self.words.end.clamp(start, row.len())]
    }

    /// The worker that a state belongs to.
    pub fn owner(&self, row: &[u32]) -> usize {
        let hash = hash(self.part(row));
        usize::try_from((u128::from(hash) * self.workers as u128) >> 64).unwrap_or(0)
    }

    /// What all workers must agree on.
    pub fn identity(&self) -> (usize, usize) {
        (self.words.start, self.words.end)
    }
}

/// The first states, and for each step between them the words that it changes.
fn sample<S: RowSuccessors>(successors: &S, initial: &[Vec<u32>]) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let (mut states, mut changes): (Vec<Vec<u32>>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
    let mut known: HashSet<Vec<u32>> = HashSet::new();
    states.extend(initial.iter().filter(|row| known.insert((*row).clone())).take(SAMPLE).cloned());
    let (mut scratch, mut found, mut at) = (successors.scratch(), Expansion::default(), 0);
    while at < states.len() && states.len() < SAMPLE {
        successors.expand(&states[at], &mut scratch, &mut found);
        for step in 0..found.steps() {
            changes.push(found.changes(step).iter().map(|&(word, _)| word).collect());
            let row = found.row(step);
            if known.insert(row.clone()) {
                states.push(row);
            }
        }
        at += 1;
    }
    (states, changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_explore::successors::Plain;
    use tertium_program::Semantics;

    #[test]
    fn steps_stay_where_they_can_and_everybody_gets_a_share() {
        let text = "system s var x : 0..99999 = 0 var y : 0..99999 = 0 var z : 0..99999 = 0
            process P { loop { x := (x + 1) mod 99999; } }
            process Q { loop { y := (y + 1) mod 99999; } }
            process R { loop { z := (z + 1) mod 99999; } }";
        let program = tertium_gcl::compile(text).program.expect("no mistakes");
        let semantics = Semantics::new(&program);
        let plain = Plain::of(&semantics);
        let budget = tertium_base::Budget::unlimited();
        let initial = semantics.initial_states(1, &budget).expect("there is one");
        let rows: Vec<Vec<u32>> = initial.iter().map(|state| plain.row(state)).collect();
        let partition = Partition::of(&plain, &rows, 2);
        let (states, _) = sample(&plain, &rows);
        assert!(partition.is_even(&states) || partition == Partition::by_all(2), "{partition:?}");
        assert!(states.iter().all(|row| partition.owner(row) < 2));
        assert_eq!(partition, Partition::of(&plain, &rows, 2), "everybody finds the same");
    }
}
