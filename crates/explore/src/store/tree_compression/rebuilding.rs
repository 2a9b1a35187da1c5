//! Stores that are laid out anew: for longer rows, another split, or other masks. Numbers of states stay.

use tertium_base::narrow::to_u32;

use super::{Branches, Masking, StateStore};

impl StateStore {
    /// Rebuilds the trees for longer rows. States are entered in the order of their numbers, so they keep them.
    pub(super) fn widen(&mut self) {
        let width = (*self.wanted.get_mut()).max(self.width() * 3 / 2);
        let split = if self.split_is_chosen { self.origin.split() } else { self.least };
        let masking = self.masking.widened(width);
        let origin = masking.mask().map_or_else(
            || Branches::zeros(width, split, self.least),
            |mask| Branches::masked(mask, split, self.least),
        );
        self.rebuild(origin, masking);
    }

    /// A store without states, in another layout.
    fn laid_out_anew(&self, origin: Branches, masking: Masking) -> Self {
        let mut other = Self::new(self.least);
        other.layout = self.layout + 1;
        other.origin = Branches { layout: other.layout, ..origin };
        other.masking = masking;
        other
    }

    /// Changes the keys of all states, where masked rows are keys before and after it.
    pub(in crate::store) fn rekey(
        &mut self,
        (origin, masking): (Branches, Masking),
        threads: usize,
        key_of: &(impl Fn(u64) -> u64 + Sync),
    ) {
        let mut other = self.laid_out_anew(origin, masking);
        other.roots = self.roots.rekeyed(threads, key_of);
        other.split_is_chosen = self.split_is_chosen;
        other.enough = self.enough;
        *self = other;
    }

    /// Rebuilds the trees in another layout.
    pub(in crate::store) fn rebuild(&mut self, origin: Branches, masking: Masking) {
        let mut other = self.laid_out_anew(origin, masking);
        // It is filled once more, not used: nothing is chosen on the way.
        other.split_is_chosen = true;
        other.copy_from(self, 0..to_u32(self.len()));
        other.split_is_chosen = self.split_is_chosen;
        other.enough = self.enough;
        *self = other;
    }

    /// Enters states of another store in the order of their numbers.
    pub(in crate::store) fn copy_from(&mut self, other: &Self, numbers: std::ops::Range<u32>) {
        let (mut from, mut scratch) = (other.branches(), self.branches());
        for number in numbers {
            other.read(number, &mut from);
            while self.insert_afresh(from.words(), &mut scratch).is_err() {
                self.grow();
            }
        }
    }
}
