//! A step cache for masked rows: what did a process do when it last saw the same bits?
//!
//! Where a masked row is a key of 64 bits (`store::masking`), most successors can be found without the row: what a process can do depends on some bits
//! of the key, and what it does changes some. So under these bits it is remembered which bits of the key each step leaves and which it sets, and a successor is one
//! conjunction and one disjunction. Whatever is not known yet is computed from the row, by the code of the steps; whatever goes wrong, ends or starts
//! processes in an unusual way, or has no masked row is left to the search over rows. Each thread remembers for itself.
//!
//! It is `step_cache` over other rows, with the same limits.

use tertium_base::narrow::{to_u32, to_usize};
use tertium_program::layout::FRAME_LOCATION;

use crate::compiled::{Compiled, Here, Scratch, SuccessorQuery};
use crate::pack::{Field, RowLayout, RowLayouts, small};
use crate::step_cache::{MOST_ENTRIES, MOST_SHAPES, MOST_TABLES, TRIAL, WORTH};
use crate::store::{BitMask, trimmed};
use crate::successors::{Expansion, MaskedState, Patch, RowSuccessors as _};

/// Some neighbouring bits of a key, and where they are in a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NumberBits {
    right: u8,
    left: u8,
    mask: u64,
}

/// A number in a key, as a location is.
#[derive(Clone, Debug, Default)]
struct KeyNumber {
    /// What bits that do not vary make of it.
    least: u64,
    /// Often there is one part only, and it is worth no detour.
    first: NumberBits,
    rest: Vec<NumberBits>,
}

impl KeyNumber {
    fn of(field: Field, mask: &BitMask) -> Self {
        let mut parts = Vec::new();
        let (mut least, mut low) = (field.lo().cast_unsigned(), 0);
        for (word, bits) in field.masks() {
            for bit in (0..32).filter(|bit| bits >> bit & 1 == 1) {
                match mask.key_of(word as usize, 1 << bit) {
                    0 => least += u64::from(mask.fixed(word as usize) >> bit & 1) << low,
                    at => parts.push((at.trailing_zeros(), low)),
                }
                low += 1;
            }
        }
        let mut runs: Vec<NumberBits> = Vec::new();
        for (right, left) in parts {
            let next = |run: &NumberBits| {
                let bits = run.mask.count_ones();
                u32::from(run.right) + bits == right && u32::from(run.left) + bits == left
            };
            match runs.last_mut().filter(|run| next(run)) {
                Some(run) => run.mask = run.mask << 1 | 1,
                None => runs.push(NumberBits { right: small(right), left: small(left), mask: 1 }),
            }
        }
        let rest = runs.split_off(runs.len().min(1));
        Self { least, first: runs.first().copied().unwrap_or_default(), rest }
    }

    #[inline]
    fn take(&self, key: u64) -> usize {
        let part = |part: &NumberBits| (key >> part.right & part.mask) << part.left;
        let value = self.rest.iter().fold(self.least + part(&self.first), |sum, run| sum + part(run));
        to_usize(value.cast_signed())
    }
}

/// A step: the bits that it leaves as they are, and those that it sets.
type KeyPatch = (u64, u64);

/// What was done under some bits.
#[derive(Clone, Copy, Debug, Default)]
struct KeyEntry {
    key: u64,
    /// The first of its steps.
    first: u32,
    /// How many steps, plus one; 0 if there is no entry.
    filled: u32,
}

/// What a process did at one location, by bits of keys.
#[derive(Clone, Debug)]
struct KeyTable {
    /// The bits that it saw.
    seen: u64,
    /// A power of two of them.
    entries: Vec<KeyEntry>,
    used: usize,
    patches: Vec<KeyPatch>,
}

impl KeyTable {
    fn new(seen: u64) -> Self {
        Self { seen, entries: vec![KeyEntry::default(); 16], used: 0, patches: Vec::new() }
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

    /// Adds the successors of a state, if what was done under its bits is known.
    #[inline]
    fn repeat(&self, state: u64, keys: &mut Vec<u64>) -> bool {
        let entry = self.entries[self.place(state & self.seen)];
        if entry.filled == 0 {
            return false;
        }
        let first = entry.first as usize;
        let patches = &self.patches[first..first + entry.filled as usize - 1];
        keys.extend(patches.iter().map(|&(keep, bits)| state & keep | bits));
        true
    }

    fn insert(&mut self, state: u64, patches: &[KeyPatch]) {
        if self.used > MOST_ENTRIES {
            *self = Self::new(self.seen);
        }
        if self.used * 2 >= self.entries.len() {
            let entries = vec![KeyEntry::default(); self.entries.len() * 2];
            let old = std::mem::replace(&mut self.entries, entries);
            for entry in old.into_iter().filter(|entry| entry.filled != 0) {
                let at = self.place(entry.key);
                self.entries[at] = entry;
            }
        }
        let (key, first) = (state & self.seen, to_u32(self.patches.len()));
        self.patches.extend_from_slice(patches);
        let at = self.place(key);
        self.entries[at] = KeyEntry { key, first, filled: to_u32(patches.len()) + 1 };
        self.used += 1;
    }
}

/// What is known about one process at one location.
#[derive(Clone, Debug, Default)]
struct KeyLocation {
    tables: Vec<KeyTable>,
    hits: u32,
    misses: u32,
    /// Nothing is remembered.
    is_open: bool,
    /// Steps from here may stand for all steps, which is decided by the search over rows.
    is_ample: bool,
}

/// States with one stack of processes.
#[derive(Clone, Debug)]
struct KeyShape {
    /// These bits of a key are as expected if it is such a state.
    tested: u64,
    expected: u64,
    /// For each process, by pid, its location, and where its locations begin.
    processes: Vec<(KeyNumber, usize)>,
    locations: Vec<KeyLocation>,
}

/// What [`MaskedSteps::repeat`] says.
pub(crate) enum KeyLookup {
    /// It was done before, and is repeated.
    Repeated,
    /// It must be found out, and may be remembered there.
    New(usize),
    /// It is left to the search over rows.
    Left,
}

/// What one thread remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct MaskedSteps {
    /// The mask that all of it is of.
    mask: u64,
    shapes: Vec<KeyShape>,
    last: usize,
    /// The state that is being expanded, once its row is needed.
    pub row: Vec<u32>,
    pub has_row: bool,
    /// Room for steps that are computed.
    pub found: Expansion,
    above: Vec<(u32, u32)>,
    patches: Vec<KeyPatch>,
}

impl MaskedSteps {
    /// Turns to another state; says which shape it has, if that was met.
    #[inline]
    pub fn begin(&mut self, state: MaskedState<'_>) -> Option<usize> {
        self.has_row = false;
        if self.mask != state.mask.id() {
            (self.mask, self.last) = (state.mask.id(), 0);
            self.shapes.clear();
        }
        let is_of = |shape: &KeyShape| state.key & shape.tested == shape.expected;
        if !self.shapes.get(self.last).is_some_and(is_of) {
            self.last = self.shapes.iter().position(is_of)?;
        }
        Some(self.last)
    }

    /// How many processes run in states of a shape.
    #[inline]
    pub fn processes(&self, shape: usize) -> usize {
        self.shapes[shape].processes.len()
    }

    /// The row of the state that is being expanded.
    pub fn unmask(&mut self, state: MaskedState<'_>) {
        self.row.resize(state.mask.words(), 0);
        state.mask.unmask_key(state.key, &mut self.row);
        self.has_row = true;
    }

    /// Makes room for states like the one whose row was unmasked.
    pub fn meet(&mut self, compiled: &Compiled<'_>, shapes: &mut RowLayouts, mask: &BitMask) {
        let (_, shape) = shapes.of_row(compiled.packing(), &self.row);
        if self.shapes.len() < MOST_SHAPES
            && let Some(shape) = KeyShape::of(compiled, &shape, mask)
        {
            self.shapes.push(shape);
        }
    }

    /// Repeats what the process with this pid did when it saw what it sees in this state.
    #[inline]
    pub fn repeat(&mut self, shape: usize, pid: usize, state: u64, keys: &mut Vec<u64>) -> KeyLookup {
        let shape = &mut self.shapes[shape];
        let (location, first) = &shape.processes[pid];
        let at = first + location.take(state);
        let known = &mut shape.locations[at];
        for table in 0..known.tables.len() {
            if known.tables[table].repeat(state, keys) {
                known.hits = known.hits.saturating_add(1);
                // What is wanted often comes first.
                if table > 0 && known.hits.is_multiple_of(64) {
                    known.tables.swap(table, table - 1);
                }
                return KeyLookup::Repeated;
            }
        }
        if known.is_ample { KeyLookup::Left } else { KeyLookup::New(at) }
    }

    /// Adds the keys of the successors that were computed; says whether all of them have masked rows.
    pub fn take_over(&mut self, state: MaskedState<'_>, keys: &mut Vec<u64>) -> bool {
        if self.found.reach() > state.mask.words() {
            return false;
        }
        for step in 0..self.found.steps() {
            match state.mask.key_after(state.key, self.found.changes(step), &mut self.above) {
                Some(key) => keys.push(key),
                None => return false,
            }
        }
        true
    }

    /// Whether what is done at this place is remembered.
    pub fn remembers(&self, shape: usize, at: usize) -> bool {
        !self.shapes[shape].locations[at].is_open
    }

    /// Remembers what was computed and recorded, from these slots.
    pub fn remember(
        &mut self,
        (shape, at): (usize, usize),
        state: MaskedState<'_>,
        seen: impl Iterator<Item = u32>,
        layout: &RowLayout,
    ) {
        let known = &mut self.shapes[shape].locations[at];
        known.misses = known.misses.saturating_add(1);
        if known.misses > TRIAL && known.hits / WORTH < known.misses {
            let is_ample = known.is_ample;
            *known = KeyLocation { is_open: true, is_ample, ..KeyLocation::default() };
            return;
        }
        let Some((patches, ends)) = self.found.recorded() else { return };
        self.patches.clear();
        let mut start = 0;
        for &end in ends {
            let Some(patch) = key_patch(&patches[start..end as usize], state.mask) else { return };
            self.patches.push(patch);
            start = end as usize;
        }
        let bits = seen.flat_map(|slot| layout.field(slot as usize).masks());
        let bits = bits.fold(0, |bits, (word, mask)| bits | state.mask.key_of(word as usize, mask));
        known.table(bits).insert(state.key, &self.patches);
    }
}

impl KeyLocation {
    /// The table for what was done after looking at these bits.
    fn table(&mut self, bits: u64) -> &mut KeyTable {
        let at = self.tables.iter().position(|table| table.seen == bits).unwrap_or_else(|| {
            if self.tables.len() == MOST_TABLES {
                let last = self.tables.len() - 1;
                self.tables[last] = KeyTable::new(self.tables[last].seen | bits);
                return last;
            }
            self.tables.push(KeyTable::new(bits));
            self.tables.len() - 1
        });
        &mut self.tables[at]
    }
}

impl KeyShape {
    /// What says that a state has this shape, and room for its steps; none if no key says it.
    fn of(compiled: &Compiled<'_>, shape: &RowLayout, mask: &BitMask) -> Option<Self> {
        let (mut tested, mut expected) = (0, 0);
        for (word, bits, value) in compiled.packing().headers(&shape.processes) {
            if word >= mask.words() {
                continue;
            }
            if !mask.admits(word, bits, value) {
                return None;
            }
            tested |= mask.key_of(word, bits);
            expected |= mask.key_of(word, value & bits);
        }
        let (mut processes, mut locations) = (Vec::new(), Vec::new());
        for (&process, &frame) in shape.processes.iter().zip(&shape.frames) {
            processes.push((KeyNumber::of(shape.field(frame + FRAME_LOCATION), mask), locations.len()));
            let count = compiled.processes[process as usize].locations.len();
            let is_ample =
                |at| compiled.reduction.as_ref().is_some_and(|reduction| reduction.is_ample(process as usize, at));
            locations.extend((0..count).map(|at| KeyLocation { is_ample: is_ample(at), ..KeyLocation::default() }));
        }
        Some(Self { tested, expected, processes, locations })
    }
}

impl Compiled<'_> {
    /// Adds the keys of all that comes after a state; says whether all of it is known.
    pub(crate) fn expand_by_keys(&self, state: MaskedState<'_>, scratch: &mut Scratch, keys: &mut Vec<u64>) -> bool {
        if self.watched || !self.caches_steps || self.functions.is_some() {
            return false;
        }
        let Some(shape) = scratch.masked.begin(state) else {
            scratch.masked.unmask(state);
            scratch.masked.meet(self, &mut scratch.room.shapes, state.mask);
            return false;
        };
        let before = keys.len();
        for pid in 0..scratch.masked.processes(shape) {
            match scratch.masked.repeat(shape, pid, state.key, keys) {
                KeyLookup::Repeated => {}
                KeyLookup::New(at) => {
                    if !self.learn((shape, pid, at), state, scratch, keys) {
                        return false;
                    }
                }
                KeyLookup::Left => return false,
            }
        }
        keys.len() > before
    }

    /// Computes what one process does in a state that is known by its key, remembers it if that is worth it, and adds the keys of what comes next; says whether all of that is known.
    fn learn(
        &self,
        (shape, pid, at): (usize, usize, usize),
        state: MaskedState<'_>,
        scratch: &mut Scratch,
        keys: &mut Vec<u64>,
    ) -> bool {
        let mut masked = std::mem::take(&mut scratch.masked);
        if !masked.has_row {
            masked.unmask(state);
            scratch.unpacked = false;
        }
        let row = &masked.row[..trimmed(&masked.row, self.words())];
        let (number, layout) = scratch.room.shapes.of_row(self.packing(), row);
        let here = Here { row, shape: &layout, number };
        let remembers = masked.remembers(shape, at);
        let asked = if remembers { SuccessorQuery::ToRemember } else { SuccessorQuery::Plainly };
        masked.found.begin(row, self.words());
        if remembers {
            masked.found.record();
        }
        let any = self.compute(pid, here, asked, scratch, &mut masked.found);
        let is_known = match any {
            Ok(any) => any == (masked.found.steps() > 0) && masked.found.faults.is_empty(),
            Err(_) => {
                scratch.abandon_blocks();
                false
            }
        };
        let is_known = is_known && masked.take_over(state, keys);
        if is_known && remembers {
            let own = to_u32(layout.frames[pid] + FRAME_LOCATION);
            let seen = scratch.seen.sorted().iter().copied().filter(|&slot| slot != own);
            masked.remember((shape, at), state, seen, &layout);
        }
        scratch.masked = masked;
        is_known
    }
}

/// What patches of a row do to its key; none if they change bits that are not stored.
fn key_patch(patches: &[Patch], mask: &BitMask) -> Option<KeyPatch> {
    let (mut changed, mut set) = (0, 0);
    for patch in patches {
        let word = patch.word as usize;
        if word >= mask.words() || !mask.admits(word, !patch.keep, patch.bits) {
            return None;
        }
        changed |= mask.key_of(word, !patch.keep);
        set |= mask.key_of(word, patch.bits & !patch.keep);
    }
    Some((!changed, set))
}
