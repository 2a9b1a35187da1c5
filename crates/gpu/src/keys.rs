//! Rows as short keys: which bits of them vary?
//!
//! Where a program says that a variable is an `int`, its values mostly are few. So some states are looked at first ([`SeenRows`]), and a
//! row is packed as the number of its layout and the bits that were seen to vary in rows of that layout, with some room ([`KeyBits`]). All
//! other bits are compared with what they were: a row that does not fit is never packed, it is seen and packed anew. So
//! packing loses nothing, and what was not seen costs time only. States are also looked at by random walks (Marsaglia 2003: xorshift).
//!
//! Keys that are longer than a place of the table are kept as quotients (Cleary 1984: compact hash tables).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tertium_explore::compiled::Compiled;
use tertium_explore::pack::{RowLayout, RowLayouts};
use tertium_explore::successors::{Expansion, RowSuccessors};
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};

/// So many states are looked at, level by level.
const LOOK_BROADLY: usize = 20_000;
/// So many walks of so many steps are taken, since values far from the beginning are others.
const WALKS: usize = 64;
const WALK_STEPS: usize = 2_000;
/// Slots of so few bits that vary are kept whole: beginning anew costs more than some bits.
const SMALL_SLOT: u8 = 8;
/// From this attempt on, all bits of slots that vary are kept; from the next one on, all bits of all slots.
const ATTEMPT_WITH_WHOLE_SLOTS: u32 = 4;
const ATTEMPT_WITH_ALL_SLOTS: u32 = 6;

/// What rows of one layout have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SeenBits {
    /// Some row.
    row: Vec<u32>,
    /// The bits in which some other row differs from it.
    varying: Vec<u32>,
    /// Which words are integers with a sign.
    signed: Vec<bool>,
}

/// A word with few bits where an integer with a sign is near 0 (zigzag coding), since -1 and 0 have no bit in common; and where it is the
/// least one, which stands for what is not read any more.
fn coded(word: u32, is_signed: bool) -> u32 {
    // The least integer is stored as 0.
    let value = (word ^ 1 << 31).cast_signed();
    if is_signed { (value << 1 ^ value >> 31).cast_unsigned().wrapping_add(1) } else { word }
}

/// Which words of a layout are integers with a sign.
fn signed_words(shape: &RowLayout) -> Vec<bool> {
    let mut signed = vec![false; shape.words];
    for field in (0..shape.slots).map(|slot| shape.field(slot)) {
        if field.bits() == 32 && field.lo() == i64::from(i32::MIN) {
            signed[field.word() as usize] = true;
        }
    }
    signed
}

/// The rows seen so far, by the processes that run in them.
#[derive(Clone, Debug, Default)]
pub struct SeenRows {
    layouts: BTreeMap<Vec<u32>, SeenBits>,
    /// How often keys did not suffice.
    attempt: u32,
}

impl SeenRows {
    /// Looks at some states that come after these.
    pub fn look_from(&mut self, compiled: &Compiled<'_>, rows: &[Vec<u32>]) {
        let (mut shapes, mut scratch, mut found) = (RowLayouts::default(), compiled.scratch(), Expansion::default());
        let mut seen: BTreeSet<Vec<u32>> = rows.iter().cloned().collect();
        let mut open: VecDeque<Vec<u32>> = rows.iter().cloned().collect();
        for row in rows {
            self.see(&mut shapes, compiled, row);
        }
        while let Some(row) = open.pop_front() {
            compiled.expand(&row, &mut scratch, &mut found);
            for next in found.rows() {
                if seen.contains(&next) {
                    continue;
                }
                if seen.len() >= LOOK_BROADLY {
                    return self.walk_from(compiled, rows);
                }
                self.see(&mut shapes, compiled, &next);
                seen.insert(next.clone());
                open.push_back(next);
            }
        }
    }

    /// Takes steps at random.
    fn walk_from(&mut self, compiled: &Compiled<'_>, rows: &[Vec<u32>]) {
        let (mut shapes, mut scratch, mut found) = (RowLayouts::default(), compiled.scratch(), Expansion::default());
        // The same walks every time.
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        for walk in 0..WALKS {
            let mut row = rows[walk % rows.len()].clone();
            for _ in 0..WALK_STEPS {
                compiled.expand(&row, &mut scratch, &mut found);
                if found.steps() == 0 {
                    break;
                }
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                row = found.row(usize::try_from(random >> 33).unwrap_or(0) % found.steps());
                self.see(&mut shapes, compiled, &row);
            }
        }
    }

    /// Notes a row.
    fn see(&mut self, shapes: &mut RowLayouts, compiled: &Compiled<'_>, row: &[u32]) {
        let (_, shape) = shapes.of_row(compiled.packing(), row);
        let word = |at: usize| row.get(at).copied().unwrap_or(0);
        if let Some(seen) = self.layouts.get_mut(&shape.processes) {
            for (at, bits) in seen.varying.iter_mut().enumerate() {
                *bits |= seen.row[at] ^ coded(word(at), seen.signed[at]);
            }
        } else {
            let signed = signed_words(&shape);
            let row = (0..shape.words).map(|at| coded(word(at), signed[at])).collect();
            let seen = SeenBits { row, varying: vec![0; shape.words], signed };
            self.layouts.insert(shape.processes.clone(), seen);
        }
    }

    /// Notes rows that did not fit, and leaves more room for the next attempt.
    pub fn widen(&mut self, compiled: &Compiled<'_>, rows: &[Vec<u32>]) {
        self.attempt += 1;
        let mut shapes = RowLayouts::default();
        for row in rows {
            self.see(&mut shapes, compiled, row);
        }
        if let Some(first) = rows.first() {
            self.look_from(compiled, std::slice::from_ref(first));
        }
    }

    /// Which bits make keys.
    #[must_use]
    pub fn keys(&self, compiled: &Compiled<'_>) -> KeyBits {
        let mut layouts = Vec::with_capacity(self.layouts.len());
        for (processes, seen) in &self.layouts {
            let shape = compiled.packing().shape_of(processes);
            let kept = self.with_room(&shape, seen);
            let fixed = seen.row.iter().zip(&kept).map(|(row, kept)| row & !kept).collect();
            layouts.push(LayoutBits { processes: processes.clone(), kept, fixed, signed: seen.signed.clone() });
        }
        let words = layouts.iter().map(|layout| layout.kept.len()).max().unwrap_or(1);
        for layout in &mut layouts {
            layout.kept.resize(words, 0);
            layout.fixed.resize(words, 0);
            layout.signed.resize(words, false);
        }
        KeyBits { layouts, words, is_fixed: compiled.plain().semantics().layout().is_fixed() }
    }

    /// The bits that vary, and some more of the same slots.
    fn with_room(&self, shape: &RowLayout, seen: &SeenBits) -> Vec<u32> {
        let mut kept = seen.varying.clone();
        for slot in 0..shape.slots {
            if shape.frames.iter().any(|frame| frame + FRAME_PROCESS == slot) {
                continue;
            }
            let (field, is_location) = (shape.field(slot), shape.frames.iter().any(|at| at + FRAME_LOCATION == slot));
            let word = field.word() as usize;
            for (word, mask) in masks(field.bits(), field.shift(), word) {
                let varying = seen.varying[word] & mask;
                let highest = 31 - (varying | 1).leading_zeros() + self.attempt;
                let up_to_highest = u32::MAX >> (31 - highest.min(31));
                let is_whole = is_location || field.bits() <= SMALL_SLOT || self.attempt >= ATTEMPT_WITH_WHOLE_SLOTS;
                if self.attempt >= ATTEMPT_WITH_ALL_SLOTS || varying != 0 && is_whole {
                    kept[word] |= mask;
                } else if varying != 0 {
                    kept[word] |= mask & up_to_highest;
                }
            }
        }
        kept
    }
}

/// The words that a slot has bits in, and which.
fn masks(bits: u8, shift: u8, word: usize) -> Vec<(usize, u32)> {
    match bits {
        0 => Vec::new(),
        1..=32 => vec![(word, (u32::MAX >> (32 - bits)) << shift)],
        _ => vec![(word, u32::MAX), (word + 1, u32::MAX)],
    }
}

/// How rows of one layout become keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutBits {
    /// The processes that run.
    pub processes: Vec<u32>,
    /// Of each word the bits that are kept.
    pub kept: Vec<u32>,
    /// What the others are.
    pub fixed: Vec<u32>,
    /// Which words are integers with a sign; their bits are those of the zigzag code.
    pub signed: Vec<bool>,
}

/// Some neighbouring bits of a row, and where they are in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BitRun {
    pub word: usize,
    pub shift: u32,
    pub count: u32,
    /// The first bit in the key.
    pub at: u32,
}

impl LayoutBits {
    /// The bits that are kept, in order, from this bit of the key on; none of them crosses the border of a word of the key.
    pub(crate) fn runs(&self, mut at: u32) -> Vec<BitRun> {
        let mut runs = Vec::new();
        for (word, &kept) in self.kept.iter().enumerate() {
            let mut rest = kept;
            while rest != 0 {
                let shift = rest.trailing_zeros();
                let count = (rest >> shift).trailing_ones().min(32 - at % 32);
                runs.push(BitRun { word, shift, count, at });
                rest &= !((u32::MAX >> (32 - count)) << shift);
                at += count;
            }
        }
        runs
    }

    fn fits(&self, row: &[u32]) -> bool {
        let word = |at: usize| row.get(at).copied().unwrap_or(0);
        let coded = |at: usize| coded(word(at), self.signed[at]);
        row.len() <= self.kept.len() && (0..self.kept.len()).all(|at| coded(at) & !self.kept[at] == self.fixed[at])
    }
}

/// What the places of a table hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Keys of at most 64 bits.
    Keys,
    /// What the place does not tell of longer keys, of this many bits: the quotient and how far away from its home it is (Cleary 1984).
    Quotients(u32),
    /// A tag and the key.
    Rows,
}

/// A place has 64 bits: one says that it is taken, ten how far away from home.
const QUOTIENT_BITS: u32 = 53;
/// Tables of quotients have at least as many places as the power of two of the bits that are left.
const MOST_FIRST_BITS: u32 = 27;

impl TableKind {
    /// For keys of so many bits.
    fn of(bits: u32) -> Self {
        match bits {
            0..=64 => Self::Keys,
            _ if bits <= QUOTIENT_BITS + MOST_FIRST_BITS => Self::Quotients(bits),
            _ => Self::Rows,
        }
    }

    /// A table for at least so many places as it can be, but not more than so many.
    #[must_use]
    pub fn capacity(self, places: u64, most: u64) -> u64 {
        match self {
            Self::Keys | Self::Rows => places.clamp(64, most),
            Self::Quotients(bits) => {
                let least = 1u64 << (bits - QUOTIENT_BITS);
                places.max(least).next_power_of_two().min(1 << most.ilog2())
            }
        }
    }
}

/// How rows become keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyBits {
    /// By layout, in the order of their numbers.
    pub layouts: Vec<LayoutBits>,
    /// How many words a row has.
    pub words: usize,
    /// Whether there is one layout and cannot be another.
    pub is_fixed: bool,
}

impl KeyBits {
    /// Bits that say which layout it is.
    pub(crate) fn layout_bits(&self) -> u32 {
        if self.is_fixed { 0 } else { usize::BITS - self.layouts.len().saturating_sub(1).leading_zeros() }
    }

    /// Bits of the longest key.
    #[must_use]
    pub fn bits(&self) -> u32 {
        let of = |layout: &LayoutBits| layout.kept.iter().map(|kept| kept.count_ones()).sum::<u32>();
        self.layout_bits() + self.layouts.iter().map(of).max().unwrap_or(0)
    }

    /// The same with one word more, of which so many bits vary: the state of an automaton.
    pub(crate) fn watched(&self, bits: u32) -> Self {
        let mut product = self.clone();
        product.words += 1;
        for layout in &mut product.layouts {
            layout.kept.push((1 << bits) - 1);
            layout.fixed.push(0);
            layout.signed.push(false);
        }
        product
    }

    /// Where the words of a layout are in its keys.
    pub(crate) fn places(&self, layout: usize) -> KeyPlaces<'_> {
        KeyPlaces { keys: self, layout: &self.layouts[layout] }
    }

    /// What a table holds of them.
    #[must_use]
    pub fn table(&self) -> TableKind {
        TableKind::of(self.bits())
    }

    /// Words of 32 bits that a key takes.
    #[must_use]
    pub fn packed_words(&self) -> usize {
        (self.bits() as usize).div_ceil(32).max(1)
    }

    /// Whether a row has a key.
    #[must_use]
    pub fn fits(&self, row: &[u32]) -> bool {
        self.layouts.iter().any(|layout| layout.fits(row))
    }

    /// The processes of each layout.
    #[must_use]
    pub fn processes(&self) -> Vec<Vec<u32>> {
        self.layouts.iter().map(|layout| layout.processes.clone()).collect()
    }
}

/// Where the words of one layout are in its keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyPlaces<'k> {
    keys: &'k KeyBits,
    layout: &'k LayoutBits,
}

impl KeyPlaces<'_> {
    /// Whether all states have this layout.
    pub(crate) fn is_fixed(&self) -> bool {
        self.keys.is_fixed
    }

    /// Lines that give a word the value of `word` in the key `next`, or make `fits` false.
    pub(crate) fn change(&self, word: usize) -> Vec<String> {
        let (kept, fixed) = (self.layout.kept[word], self.layout.fixed[word]);
        let mut lines = Vec::new();
        if self.layout.signed[word] {
            lines.push("word = zigzag(word);".to_owned());
        }
        if kept != u32::MAX {
            lines.push(format!("fits = fits && ((word ^ {fixed}u) & {}u) == 0;", !kept));
        }
        let runs = self.layout.runs(self.keys.layout_bits());
        for run in runs.iter().filter(|run| run.word == word) {
            let mask = u32::MAX >> (32 - run.count);
            let (at, shift) = (run.at / 32, run.at % 32);
            lines.push(format!(
                "next.w[{at}] = (next.w[{at}] & ~({mask}u << {shift})) | ((word >> {}) & {mask}u) << {shift};",
                run.shift
            ));
        }
        lines
    }
}
