//! What did a process do when it last saw the same values?
//!
//! What a process can do depends on few slots (`reads`), and in a large state space these have the same values again and
//! again. So what a step does to the row is remembered under the bits of those slots, and most states are expanded
//! without evaluating anything. Each thread remembers for itself. Where values seldom come again, or are
//! too many bits, nothing is remembered.

use tertium_program::layout::FRAME_LOCATION;

use crate::code::View;
use crate::compiled::Compiled;
use crate::pack::{Field, Shape};
use crate::reads::{self, Reads};
use crate::successors::{Expansion, Patch};

/// A location is given up if it has had so many misses and fewer than [`WORTH`] times as many hits.
const TRIAL: u32 = 1 << 12;
const WORTH: u32 = 2;
/// A table that has more entries than this is begun anew.
const MOST_ENTRIES: usize = 1 << 13;
/// More values of selecting slots than this are not told apart.
const MOST_TABLES: usize = 64;
/// Nothing is remembered for shapes beyond this many: where processes come and go all the time, few states share one.
pub(crate) const MOST_SHAPES: usize = 256;

/// Some bits of a word, and where they go in a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Part {
    word: u32,
    mask: u32,
    right: u8,
    left: u8,
}

impl Part {
    #[inline]
    fn key(self, row: &[u32]) -> u64 {
        let word = row.get(self.word as usize).copied().unwrap_or(0);
        u64::from((word & self.mask) >> self.right) << self.left
    }
}

/// Takes the bits that matter out of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Extract {
    /// Often there is one part only, and it is worth no detour.
    first: Part,
    rest: Vec<Part>,
}

impl Extract {
    /// The bits of these slots; none if they are too many for one key.
    fn of<'s>(slots: impl IntoIterator<Item = &'s usize>, shape: &Shape) -> Option<Self> {
        let mut masks: Vec<(u32, u32)> = Vec::new();
        for &slot in slots {
            for (word, mask) in shape.field(slot).masks() {
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
        let mut left = 0;
        let mut parts = Vec::with_capacity(masks.len());
        for &(word, mask) in masks {
            let right = mask.trailing_zeros();
            let span = 32 - mask.leading_zeros() - right;
            if left + span > 64 {
                return None;
            }
            parts.push(Part { word, mask, right: right as u8, left: left as u8 });
            left += span;
        }
        let rest = parts.split_off(parts.len().min(1));
        Some(Self { first: parts.first().copied().unwrap_or_default(), rest })
    }

    #[inline]
    fn key(&self, row: &[u32]) -> u64 {
        let mut key = self.first.key(row);
        for part in &self.rest {
            key |= part.key(row);
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
struct Entry {
    key: u64,
    /// The first of its patches.
    first: u32,
    /// How many patches, plus one; 0 if there is no entry.
    filled: u32,
}

/// What a process did at one location, by what it saw.
#[derive(Clone, Debug)]
struct Table {
    extract: Extract,
    /// A power of two of them.
    entries: Vec<Entry>,
    used: usize,
    /// What each move does, the last patch of it marked so.
    patches: Vec<(Patch, bool)>,
    hits: u32,
    misses: u32,
}

impl Table {
    fn new(extract: Extract) -> Self {
        let entries = vec![Entry::default(); 16];
        Self { extract, entries, used: 0, patches: Vec::new(), hits: 0, misses: 0 }
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & mask;
        while self.entries[at].filled != 0 && self.entries[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Repeats what was done under this key; says whether that is known.
    #[inline]
    fn repeat(&mut self, key: u64, mover: u32, found: &mut Expansion) -> bool {
        let entry = self.entries[self.place(key)];
        if entry.filled == 0 {
            return false;
        }
        self.hits = self.hits.saturating_add(1);
        let first = entry.first as usize;
        found.repeat(&self.patches[first..first + entry.filled as usize - 1], mover);
        true
    }

    fn insert(&mut self, key: u64, patches: &[Patch], ends: &[u32]) {
        if self.used > MOST_ENTRIES {
            *self = Self { hits: self.hits, misses: self.misses, ..Self::new(std::mem::take(&mut self.extract)) };
        }
        if self.used * 2 >= self.entries.len() {
            let entries = vec![Entry::default(); self.entries.len() * 2];
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
        let (at, filled) = (self.place(key), (self.patches.len() - first) as u32 + 1);
        self.entries[at] = Entry { key, first: first as u32, filled };
        self.used += 1;
    }
}

/// What is known about one process at one location.
#[derive(Clone, Debug, Default)]
enum Memory {
    #[default]
    Unseen,
    /// Nothing is remembered.
    Open,
    /// Nothing selects.
    Single(Box<Table>),
    /// One table for each combination of selecting values met.
    Tables { selectors: Extract, tables: Vec<(u64, Table)> },
}

/// Where something is to be remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    memory: usize,
    table: usize,
    key: u64,
}

/// What was done in states of one shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recall {
    /// For each process, by pid, where its location lies in a row and where its memories begin; those of its locations
    /// follow each other.
    processes: Vec<(Field, usize)>,
    memories: Vec<Memory>,
}

/// What [`Recall::repeat`] says.
pub(crate) enum Known {
    /// It was done before, and is repeated.
    Repeated,
    /// It must be found out, and may be remembered there.
    New(Spot),
    /// It must be found out each time.
    Open,
    /// Nobody has asked yet what matters there.
    Unseen(usize),
}

impl Recall {
    pub fn of(compiled: &Compiled<'_>, shape: &Shape) -> Self {
        let mut recall = Self::default();
        let mut count = 0;
        for (&process, &frame) in shape.processes.iter().zip(&shape.frames) {
            recall.processes.push((shape.field(frame + FRAME_LOCATION), count));
            count += compiled.processes[process as usize].locations.len();
        }
        recall.memories.resize_with(count, Memory::default);
        recall
    }

    pub fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// Repeats what the process with this pid did when it saw what it sees in `row`.
    #[inline]
    pub fn repeat(&mut self, pid: usize, row: &[u32], found: &mut Expansion) -> Known {
        let (location, first) = self.processes[pid];
        let memory = first + location.take(row) as usize;
        let (table, at) = match &mut self.memories[memory] {
            Memory::Single(table) => (table.as_mut(), 0),
            Memory::Open => return Known::Open,
            Memory::Unseen => return Known::Unseen(memory),
            Memory::Tables { selectors, tables } => {
                let selected = selectors.key(row);
                let Some(at) = tables.iter().position(|(known, _)| *known == selected) else {
                    return Known::Unseen(memory);
                };
                (&mut tables[at].1, at)
            }
        };
        let key = table.extract.key(row);
        if table.repeat(key, pid as u32, found) { Known::Repeated } else { Known::New(Spot { memory, table: at, key }) }
    }

    /// Finds out what matters to the process that looks at the state in `row`; says where to remember what it does.
    pub fn study(&mut self, memory: usize, compiled: &Compiled<'_>, view: &View<'_>, row: &[u32]) -> Option<Spot> {
        let spot = reads::reads(compiled, view).and_then(|reads| self.place(memory, &reads, view.shape, row));
        if spot.is_none() {
            self.memories[memory] = Memory::Open;
        }
        spot
    }

    fn place(&mut self, memory: usize, reads: &Reads, shape: &Shape, row: &[u32]) -> Option<Spot> {
        let (selectors, extract) = (Extract::of(&reads.selectors, shape)?, Extract::of(&reads.slots, shape)?);
        let (selected, key) = (selectors.key(row), extract.key(row));
        let table = (selected, Table::new(extract));
        let at = match &mut self.memories[memory] {
            // With other values other slots may select; then they cannot be told apart by one key.
            Memory::Tables { selectors: known, tables } if *known == selectors && tables.len() < MOST_TABLES => {
                tables.push(table);
                tables.len() - 1
            }
            Memory::Tables { .. } | Memory::Single(_) => return None,
            other if selectors == Extract::default() => {
                *other = Memory::Single(Box::new(table.1));
                0
            }
            other => {
                *other = Memory::Tables { selectors, tables: vec![table] };
                0
            }
        };
        Some(Spot { memory, table: at, key })
    }

    /// Remembers what was recorded.
    pub fn remember(&mut self, spot: Spot, found: &Expansion) {
        let table = match &mut self.memories[spot.memory] {
            Memory::Single(table) => table.as_mut(),
            Memory::Tables { tables, .. } => &mut tables[spot.table].1,
            Memory::Unseen | Memory::Open => return,
        };
        table.misses = table.misses.saturating_add(1);
        if table.misses > TRIAL && table.hits / WORTH < table.misses {
            self.memories[spot.memory] = Memory::Open;
        } else if let Some((patches, ends)) = found.recorded() {
            table.insert(spot.key, patches, ends);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_hold_every_bit_that_matters() {
        let masks = [(0, 0b1010_0000), (2, u32::MAX)];
        let extract = Extract::of_masks(&masks).expect("few bits");
        assert_eq!(extract.key(&[0b1010_0000, 9, u32::MAX]), 0b101 | u64::from(u32::MAX) << 3);
        assert_eq!(extract.key(&[0b0101_1111, 9]), 0);
        assert_eq!(Extract::of_masks(&[(0, u32::MAX), (1, u32::MAX), (2, 1)]), None);
        assert_eq!(runs(0b1011_0001), vec![1, 0b11_0000, 0b1000_0000]);
        assert_eq!(runs(u32::MAX), vec![u32::MAX]);
    }

    #[test]
    fn tables_repeat_what_was_put_in() {
        let mut table = Table::new(Extract::of_masks(&[(0, u32::MAX)]).expect("few bits"));
        for key in 0..3 * MOST_ENTRIES as u64 {
            let patch = Patch { word: 1, keep: 0, bits: key as u32 };
            table.insert(key, &[patch, Patch { word: 3, ..patch }], &[1, 1, 2]);
            let mut found = Expansion::default();
            found.begin(&[7, u32::MAX], 2);
            assert!(table.repeat(key, 4, &mut found));
            assert!(!table.repeat(key + 1, 4, &mut found));
            assert_eq!(found.movers, [4, 4, 4]);
            assert_eq!(found.row(0), [7, key as u32]);
            assert_eq!(found.row(1), [7, u32::MAX]);
            assert_eq!(found.row(2), if key == 0 { vec![7, u32::MAX] } else { vec![7, u32::MAX, 0, key as u32] });
        }
    }
}
