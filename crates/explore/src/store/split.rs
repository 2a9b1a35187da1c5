//! Where should the words of a row be split into the two halves of its tree?
//!
//! Every state has a last pair of its own, so the best split is the one below which least is stored: both halves recur
//! in many states. Which words vary together is not known before states are; so once there are enough of them, some are
//! stored anew for each of a few splits, and the trees are rebuilt with the best. This happens once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tertium_base::narrow::to_u32;

use super::tree_compression::{Branches, StateStore};

/// This many states are tried, one after the other: neighbours share parts, as all states do in the end.
const SAMPLE: usize = 1 << 14;
/// At most this many splits are tried besides the present one.
const TRIALS: usize = 8;

impl StateStore {
    pub(super) fn may_choose_split(&self) -> bool {
        !self.split_is_chosen && self.len() >= self.enough.max(2) && self.width() > 2
    }

    /// Rebuilds the trees with the best split found, if it is better by more than chance.
    pub(super) fn choose_split(&mut self, threads: usize) {
        self.split_is_chosen = true;
        if self.origin.width() <= 2 {
            return;
        }
        let (now, tried) = self.try_splits(threads);
        if let Some((pairs, split)) = tried.into_iter().min()
            && pairs < now - now / 8
        {
            self.rebuild(self.origin_with(split), self.masking.clone());
        }
    }

    /// The row whose cells are all 0, in trees with another split.
    fn origin_with(&self, split: usize) -> Branches {
        self.masking.mask().map_or_else(
            || Branches::zeros(self.width(), split, self.least),
            |mask| Branches::masked(mask, split, self.least),
        )
    }

    /// How many inner pairs the sample makes with the present split, and with each that is tried.
    fn try_splits(&self, threads: usize) -> (usize, Vec<(usize, usize)>) {
        let (trials, next) = (self.trials(), AtomicUsize::new(0));
        let tried = Mutex::new(Vec::new());
        let take_trials = || {
            while let Some(&split) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                let pairs = self.pairs_with(split);
                tried.lock().unwrap_or_else(PoisonError::into_inner).push((pairs, split));
            }
        };
        let now = std::thread::scope(|scope| {
            for _ in 1..threads.min(trials.len() + 1) {
                // Where the system gives no more threads, those that there are do the work.
                if std::thread::Builder::new().spawn_scoped(scope, take_trials).is_err() {
                    break;
                }
            }
            let now = self.pairs_with(self.origin.split());
            take_trials();
            now
        });
        (now, tried.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The splits that are tried; 0 is a tree as even as can be.
    fn trials(&self) -> Vec<usize> {
        let width = self.origin.width();
        let step = width.div_ceil(TRIALS);
        let mut splits: Vec<usize> = (0..width).step_by(step).collect();
        splits.push(self.least);
        splits.retain(|&split| split != self.origin.split() && split < width);
        splits
    }

    /// How many inner pairs the sample makes with a split.
    fn pairs_with(&self, split: usize) -> usize {
        let mut trial = Self::new(self.least);
        trial.split_is_chosen = true;
        trial.origin = self.origin_with(split);
        trial.masking = self.masking.clone();
        let from = to_u32(self.len() / 2);
        trial.copy_from(self, from..from + to_u32(SAMPLE.min(self.len() - from as usize)));
        trial.inner.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words 2 and 3 vary freely, so they should meet in the last pair; the others hardly vary.
    #[test]
    fn states_keep_their_numbers_and_need_less_room() {
        let row = |number: u32| vec![number % 3, 7, number % 420, number / 420, 5, 1];
        let states = 1 << 18;
        let fill = |store: &mut StateStore| {
            let mut scratch = store.branches();
            for number in 0..states {
                while store.insert_afresh(&row(number), &mut scratch).is_err() {
                    store.grow();
                }
            }
        };
        let (mut chosen, mut even) = (StateStore::unmasked(6), StateStore::unmasked(6));
        even.split_is_chosen = true;
        fill(&mut chosen);
        fill(&mut even);
        assert_eq!(chosen.origin.split(), 3);
        assert!(chosen.inner.len() * 10 < even.inner.len(), "{} {}", chosen.inner.len(), even.inner.len());
        let mut read = chosen.branches();
        for number in 0..states {
            assert_eq!(chosen.find(&row(number)), Some(number));
            chosen.read(number, &mut read);
            assert_eq!(read.words(), row(number));
        }
    }
    #[test]
    fn every_split_of_every_width_keeps_rows_apart() {
        for (width, split) in (1..=9).flat_map(|width| (0..=width).map(move |split| (width, split))) {
            let mut store = StateStore::new(width);
            store.origin = Branches::zeros(width, split, width);
            let (mut base, mut scratch) = (store.branches(), store.branches());
            let mut rows = vec![vec![0; width]];
            assert_eq!(store.insert_afresh(&rows[0], &mut scratch), Ok((0, true)));
            for round in 0..200_u32 {
                let from = round * 7 % to_u32(rows.len());
                store.read(from, &mut base);
                assert_eq!(base.words(), rows[from as usize]);
                let mut row = rows[from as usize].clone();
                row[round as usize * 5 % width] ^= round % 3;
                row[round as usize * 3 % width] ^= round % 4;
                let known = rows.iter().position(|known| *known == row);
                let expected = (to_u32(known.unwrap_or(rows.len())), known.is_none());
                assert_eq!(store.insert(&base, &row, &mut scratch), Ok(expected), "{width} {split}");
                assert_eq!(store.find(&row), Some(expected.0));
                if known.is_none() {
                    rows.push(row);
                }
            }
        }
    }
}
