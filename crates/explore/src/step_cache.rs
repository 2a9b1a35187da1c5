//! Step cache: what did a process do when it last saw the same values?
//!
//! What a process can do depends on the few slots that it looks at (`seen`), and in a large state space these have the same
//! values again and again. So what a step does to the row is remembered under the bits of those slots, and most states are
//! expanded without evaluating anything. Which slots are looked at may depend on values, so there are several tables for
//! one location; a table may also be asked by more slots than were looked at. Each thread remembers for itself. Where
//! values seldom come again, or are too many bits, nothing is remembered.

use tertium_base::narrow::{to_u32, to_usize};
use tertium_program::layout::FRAME_LOCATION;

use crate::compiled::{Compiled, Here};
use crate::pack::{Field, RowLayout, small};
use crate::successors::{Expansion, Patch};

/// A location is given up if it has had so many misses and fewer than [`WORTH`] times as many hits.
pub(crate) const TRIAL: u32 = 1 << 12;
pub(crate) const WORTH: u32 = 2;
/// A table that has more entries than this is begun anew.
pub(crate) const MOST_ENTRIES: usize = 1 << 13;
/// Sets of slots with so few bits together are not told apart: one table is asked faster than two.
const FEW_BITS: u32 = 12;
/// More sets of slots than this are not told apart.
pub(crate) const MOST_TABLES: usize = 6;
/// Nothing is remembered for shapes beyond this many: where processes come and go all the time, few states share one.
pub(crate) const MOST_SHAPES: usize = 256;

/// The bits of all slots that matter.
type CacheKey = [u64; 2];

/// Some bits of a word, and where they go in a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KeyField {
    word: u32,
    mask: u32,
    right: u8,
    left: u8,
    /// Which half of the key.
    half: bool,
}

impl KeyField {
    #[inline]
    fn key(self, row: &[u32]) -> u64 {
        let word = row.get(self.word as usize).copied().unwrap_or(0);
        u64::from((word & self.mask) >> self.right) << self.left
    }
}

/// Takes the bits that matter out of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct KeyExtraction {
    /// Often there is one part only, and it is worth no detour.
    first: KeyField,
    rest: Vec<KeyField>,
}

impl KeyExtraction {
    /// The bits of these slots; none if they are too many for one key.
    fn of(slots: &[u32], shape: &RowLayout) -> Option<Self> {
        let mut masks: Vec<(u32, u32)> = Vec::new();
        for &slot in slots {
            for (word, mask) in shape.field(slot as usize).masks() {
                match masks.iter_mut().find(|(known, _)| *known == word) {
                    Some((_, known)) => *known |= mask,
                    None => masks.push((word, mask)),
                }
            }
        }
        Self::of_masks(&masks).or_else(|| {
            let runs: Vec<(u32, u32)> =
                masks.iter().flat_map(|&(word, mask)| runs(mask).into_iter().map(move |run| (word, run))).collect();
            Self::of_masks(&runs)
        })
    }

    /// From the lowest to the highest bit of each mask, one after the other.
    fn of_masks(masks: &[(u32, u32)]) -> Option<Self> {
        let (mut left, mut half) = (0, false);
        let mut parts = Vec::with_capacity(masks.len());
        for &(word, mask) in masks {
            let right = mask.trailing_zeros();
            let span = 32 - mask.leading_zeros() - right;
            if left + span > 64 && half {
                return None;
            }
            if left + span > 64 {
                (left, half) = (0, true);
            }
            parts.push(KeyField { word, mask, right: small(right), left: small(left), half });
            left += span;
        }
        let rest = parts.split_off(parts.len().min(1));
        Some(Self { first: parts.first().copied().unwrap_or_default(), rest })
    }

    #[inline]
    fn key(&self, row: &[u32]) -> CacheKey {
        let mut key = [self.first.key(row), 0];
        for part in &self.rest {
            key[usize::from(part.half)] |= part.key(row);
        }
        key
    }
}

/// The runs of neighbouring ones in a mask.
fn runs(mut mask: u32) -> Vec<u32> {
    let mut runs = Vec::new();
    while mask != 0 {
        let right = mask.trailing_zeros();
        let ones = (mask >> right).trailing_ones();
        let run = (u32::MAX >> (32 - ones)) << right;
        runs.push(run);
        mask &= !run;
    }
    runs
}

/// What was done under one key.
#[derive(Clone, Copy, Debug, Default)]
struct CacheEntry {
    key: CacheKey,
    /// The first of its patches.
    first: u32,
    /// How many patches, plus one; 0 if there is no entry.
    filled: u32,
}

/// What a process did at one location, by what it saw.
#[derive(Clone, Debug)]
struct CacheTable {
    /// The slots, in order.
    slots: Vec<u32>,
    extract: KeyExtraction,
    /// A power of two of them.
    entries: Vec<CacheEntry>,
    used: usize,
    /// What each move does, the last patch of it marked so.
    patches: Vec<(Patch, bool)>,
}

impl CacheTable {
    fn new(extract: KeyExtraction, slots: Vec<u32>) -> Self {
        Self { slots, extract, entries: vec![CacheEntry::default(); 16], used: 0, patches: Vec::new() }
    }

    #[inline]
    fn place(&self, key: CacheKey) -> usize {
        let mask = self.entries.len() - 1;
        let hash = key[0].wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ key[1].wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let mut at = (hash >> 40) as usize & mask;
        while self.entries[at].filled != 0 && self.entries[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Repeats what was done under this key; says whether that is known.
    #[inline]
    fn repeat(&self, key: CacheKey, mover: u32, found: &mut Expansion) -> bool {
        let entry = self.entries[self.place(key)];
        if entry.filled == 0 {
            return false;
        }
        let first = entry.first as usize;
        found.repeat(&self.patches[first..first + entry.filled as usize - 1], mover);
        true
    }

    fn insert(&mut self, key: CacheKey, patches: &[Patch], ends: &[u32]) {
        if self.used > MOST_ENTRIES {
            *self = Self::new(std::mem::take(&mut self.extract), std::mem::take(&mut self.slots));
        }
        if self.used * 2 >= self.entries.len() {
            let entries = vec![CacheEntry::default(); self.entries.len() * 2];
            let old = std::mem::replace(&mut self.entries, entries);
            for entry in old.into_iter().filter(|entry| entry.filled != 0) {
                let at = self.place(entry.key);
                self.entries[at] = entry;
            }
        }
        let first = self.patches.len();
        let mut start = 0;
        for &end in ends {
            self.patches.extend(patches[start..end as usize].iter().map(|&patch| (patch, false)));
            match self.patches.last_mut().filter(|_| end as usize > start) {
                Some(last) => last.1 = true,
                // A move that changes nothing is a move.
                None => self.patches.push((Patch { word: 0, keep: u32::MAX, bits: 0 }, true)),
            }
            start = end as usize;
        }
        let (at, filled) = (self.place(key), to_u32(self.patches.len() - first) + 1);
        self.entries[at] = CacheEntry { key, first: to_u32(first), filled };
        self.used += 1;
    }
}

/// What is known about one process at one location.
#[derive(Clone, Debug, Default)]
struct LocationCache {
    tables: Vec<CacheTable>,
    hits: u32,
    misses: u32,
    /// Nothing is remembered.
    open: bool,
}

impl LocationCache {
    /// The table for what was done after looking at these slots; none if they are too many.
    fn table(&mut self, slots: Vec<u32>, shape: &RowLayout) -> Option<&mut CacheTable> {
        if let Some(at) = self.tables.iter().position(|table| table.slots == slots) {
            return self.tables.get_mut(at);
        }
        let full = self.tables.len() == MOST_TABLES;
        for (at, table) in self.tables.iter().enumerate() {
            let both = union(&table.slots, &slots);
            if (full && at + 1 == MOST_TABLES) || bits(&both, shape) <= FEW_BITS {
                if both != table.slots {
                    self.tables[at] = CacheTable::new(KeyExtraction::of(&both, shape)?, both);
                }
                return self.tables.get_mut(at);
            }
        }
        self.tables.push(CacheTable::new(KeyExtraction::of(&slots, shape)?, slots));
        self.tables.last_mut()
    }
}

/// All of these, in order.
fn union(some: &[u32], others: &[u32]) -> Vec<u32> {
    let mut both = [some, others].concat();
    both.sort_unstable();
    both.dedup();
    both
}

/// How many bits these slots have.
fn bits(slots: &[u32], shape: &RowLayout) -> u32 {
    slots.iter().flat_map(|&slot| shape.field(slot as usize).masks()).map(|(_, mask)| mask.count_ones()).sum()
}

/// Where something is to be remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheSlot(usize);

/// What was done in states of one shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepCache {
    /// For each process, by pid, where its location lies in a row and where its locations begin; those of its locations
    /// follow each other.
    processes: Vec<(Field, usize)>,
    locations: Vec<LocationCache>,
}

/// What [`StepCache::repeat`] says.
pub(crate) enum CacheLookup {
    /// It was done before, and is repeated.
    Repeated,
    /// It must be found out, and may be remembered there.
    New(CacheSlot),
    /// It must be found out each time.
    Open,
}

impl StepCache {
    pub fn of(compiled: &Compiled<'_>, shape: &RowLayout) -> Self {
        let mut step_cache = Self::default();
        let mut count = 0;
        for (&process, &frame) in shape.processes.iter().zip(&shape.frames) {
            step_cache.processes.push((shape.field(frame + FRAME_LOCATION), count));
            count += compiled.processes[process as usize].locations.len();
        }
        step_cache.locations.resize_with(count, LocationCache::default);
        step_cache
    }

    pub fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// Repeats what the process with this pid did when it saw what it sees in `row`.
    #[inline]
    pub fn repeat(&mut self, pid: usize, row: &[u32], found: &mut Expansion) -> CacheLookup {
        let (location, first) = self.processes[pid];
        let memory = first + to_usize(location.take(row));
        let known = &mut self.locations[memory];
        if known.open {
            return CacheLookup::Open;
        }
        for at in 0..known.tables.len() {
            let table = &known.tables[at];
            if table.repeat(table.extract.key(row), to_u32(pid), found) {
                known.hits = known.hits.saturating_add(1);
                // What is wanted often comes first.
                if at > 0 && known.hits.is_multiple_of(64) {
                    known.tables.swap(at, at - 1);
                }
                return CacheLookup::Repeated;
            }
        }
        CacheLookup::New(CacheSlot(memory))
    }

    /// Remembers what was recorded, computed from these slots in order.
    pub fn remember(&mut self, spot: CacheSlot, seen: impl Iterator<Item = u32>, here: Here<'_>, found: &Expansion) {
        let memory = &mut self.locations[spot.0];
        memory.misses = memory.misses.saturating_add(1);
        if memory.misses > TRIAL && memory.hits / WORTH < memory.misses {
            *memory = LocationCache { open: true, ..LocationCache::default() };
        } else if let Some((patches, ends)) = found.recorded()
            && let Some(table) = memory.table(seen.collect(), here.shape)
        {
            table.insert(table.extract.key(here.row), patches, ends);
        }
    }
}

#[cfg(test)]
mod tests {
    use tertium_base::narrow::low_half;

    use super::*;

    #[test]
    fn keys_hold_every_bit_that_matters() {
        let masks = [(0, 0b1010_0000), (2, u32::MAX)];
        let extract = KeyExtraction::of_masks(&masks).expect("few bits");
        assert_eq!(extract.key(&[0b1010_0000, 9, u32::MAX]), [0b101 | u64::from(u32::MAX) << 3, 0]);
        assert_eq!(extract.key(&[0b0101_1111, 9]), [0, 0]);
        let all = [(0, u32::MAX), (1, u32::MAX), (2, u32::MAX), (3, u32::MAX)];
        let extract = KeyExtraction::of_masks(&all).expect("as many bits as fit");
        assert_eq!(extract.key(&[1, 2, 3, 4]), [1 | 2 << 32, 3 | 4 << 32]);
        assert_eq!(KeyExtraction::of_masks(&[all.as_slice(), &[(4, 1)]].concat()), None);
        assert_eq!(runs(0b1011_0001), vec![1, 0b11_0000, 0b1000_0000]);
        assert_eq!(runs(u32::MAX), vec![u32::MAX]);
    }

    #[test]
    fn tables_repeat_what_was_put_in() {
        let mut table = CacheTable::new(KeyExtraction::of_masks(&[(0, u32::MAX)]).expect("few bits"), vec![0]);
        for key in 0..3 * MOST_ENTRIES as u64 {
            let patch = Patch { word: 1, keep: 0, bits: low_half(key) };
            table.insert([key, 1], &[patch, Patch { word: 3, ..patch }], &[1, 1, 2]);
            let mut found = Expansion::default();
            found.begin(&[7, u32::MAX], 2);
            assert!(table.repeat([key, 1], 4, &mut found));
            assert!(!table.repeat([key, 2], 4, &mut found));
            assert_eq!(found.movers, [4, 4, 4]);
            assert_eq!(found.row(0), [7, low_half(key)]);
            assert_eq!(found.row(1), [7, u32::MAX]);
            assert_eq!(found.row(2), if key == 0 { vec![7, u32::MAX] } else { vec![7, u32::MAX, 0, low_half(key)] });
        }
    }
}
