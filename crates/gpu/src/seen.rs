//! Which bits of rows vary? Some states are looked at before a search.
//!
//! Level by level with all threads, and by random walks (Marsaglia 2003: xorshift), since values far from the beginning are others.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_explore::compiled::Compiled;
use tertium_explore::pack::{RowLayout, RowLayouts};
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::successors::{Expansion, RowSuccessors};
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};

use crate::keys::{KeyBits, LayoutBits, TableKind, coded};

/// So many walks of so many steps are taken.
const WALKS: usize = 64;
const WALK_STEPS: usize = 2_000;
/// Slots of so few bits that vary are kept whole, where that costs nothing: beginning anew costs more than some bits.
const SMALL_SLOT: u8 = 8;
/// All bits are kept of a slot in which new bits were met so often,
const WHOLE_AFTER: u8 = 3;
/// and of all slots from this attempt on.
const ATTEMPT_WITH_ALL_SLOTS: u32 = 10;

/// What rows of one layout have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SeenBits {
    /// Some row.
    row: Vec<u32>,
    /// The bits in which some other row differs from it.
    varying: Vec<u32>,
    /// Which words are integers with a sign.
    signed: Vec<bool>,
    /// For each slot in how many attempts new bits of it were met.
    surprises: Vec<u8>,
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

/// How much room slots have for values that were not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// Small slots are whole.
    Whole,
    /// They have one bit more than was seen.
    OneBit,
    /// None, but after surprises.
    None,
}

/// Whether layouts keep the same bits of what they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bits {
    InCommon,
    ByLayout,
}

/// The rows seen so far, by the processes that run in them.
#[derive(Clone, Debug)]
pub struct SeenRows {
    layouts: BTreeMap<Vec<u32>, SeenBits>,
    /// How often keys did not suffice.
    attempt: u32,
    /// So many states are looked at each time.
    look_at: usize,
}

impl SeenRows {
    /// Nothing has been seen; so many states are to be looked at each time.
    #[must_use]
    pub fn looking_at(states: usize) -> Self {
        Self { layouts: BTreeMap::new(), attempt: 0, look_at: states }
    }

    /// Looks at some states that come after these.
    pub fn look_from(&mut self, compiled: &Compiled<'_>, rows: &[Vec<u32>], budget: &Budget) {
        let mut shapes = RowLayouts::default();
        for row in rows {
            self.see(&mut shapes, compiled, row);
        }
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let options = Options { threads, max_states: Some(self.look_at), stop_at_finding: false, budget };
        let seen = breadth_first(compiled, &Blind, rows, &options, &mut |_| {});
        let mut row = seen.store.branches();
        for state in 0..to_u32(seen.store.len()) {
            seen.store.read(state, &mut row);
            self.see(&mut shapes, compiled, row.words());
        }
        if seen.summary.stopped.is_some() && !rows.is_empty() {
            self.walk_from(compiled, rows);
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
            let surprises = vec![0; shape.slots];
            let seen = SeenBits { row, varying: vec![0; shape.words], signed, surprises };
            self.layouts.insert(shape.processes.clone(), seen);
        }
    }

    /// Notes rows that did not fit, and leaves more room for the next attempt where they did not.
    pub fn widen(&mut self, compiled: &Compiled<'_>, rows: &[Vec<u32>], budget: &Budget) {
        self.attempt += 1;
        let before = self.layouts.clone();
        let mut shapes = RowLayouts::default();
        for row in rows {
            self.see(&mut shapes, compiled, row);
        }
        if let Some(first) = rows.first() {
            self.look_from(compiled, std::slice::from_ref(first), budget);
        }
        for (processes, before) in before {
            let (shape, Some(seen)) = (compiled.packing().shape_of(&processes), self.layouts.get_mut(&processes))
            else {
                continue;
            };
            for slot in 0..shape.slots {
                let is_new = |(word, mask): (usize, u32)| (seen.varying[word] ^ before.varying[word]) & mask != 0;
                if masks(&shape, slot).into_iter().any(is_new) {
                    seen.surprises[slot] = seen.surprises[slot].saturating_add(1);
                }
            }
        }
    }

    /// Which bits make keys, of which so many are for something else. There is as much room for values that were not seen as costs nothing.
    #[must_use]
    pub fn keys(&self, compiled: &Compiled<'_>, others: u32) -> KeyBits {
        let least = self.keys_with(compiled, (Room::None, Bits::ByLayout));
        let costs = |keys: &KeyBits| (TableKind::of(keys.bits() + others), (keys.bits() + others).div_ceil(32));
        let is_free = |keys: &KeyBits| match (costs(keys), costs(&least)) {
            ((TableKind::Rows, words), (TableKind::Rows, most)) => words == most,
            ((kind, _), (least, _)) => std::mem::discriminant(&kind) == std::mem::discriminant(&least),
        };
        let rooms = [Room::Whole, Room::OneBit, Room::None];
        let wishes = [Bits::InCommon, Bits::ByLayout].into_iter().flat_map(|bits| rooms.map(|room| (room, bits)));
        wishes.map(|wish| self.keys_with(compiled, wish)).find(is_free).unwrap_or(least)
    }

    fn keys_with(&self, compiled: &Compiled<'_>, (room, bits): (Room, Bits)) -> KeyBits {
        let shapes: Vec<_> = self.layouts.keys().map(|processes| compiled.packing().shape_of(processes)).collect();
        let seen = self.layouts.values().zip(&shapes);
        let mut kept: Vec<Vec<u32>> = seen.map(|(seen, shape)| self.with_room(shape, seen, room)).collect();
        if bits == Bits::InCommon {
            let rows: Vec<&[u32]> = self.layouts.values().map(|seen| &*seen.row).collect();
            keep_in_common(&shapes, &rows, &mut kept);
        }
        let mut layouts = Vec::with_capacity(self.layouts.len());
        for ((processes, seen), kept) in self.layouts.iter().zip(kept) {
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
    fn with_room(&self, shape: &RowLayout, seen: &SeenBits, room: Room) -> Vec<u32> {
        let mut kept = seen.varying.clone();
        for slot in 0..shape.slots {
            if says_process(shape, slot) {
                continue;
            }
            let (bits, is_location) =
                (shape.field(slot).bits(), shape.frames.iter().any(|at| at + FRAME_LOCATION == slot));
            let is_small = bits <= SMALL_SLOT;
            let surprises = seen.surprises[slot];
            let more = u32::from(surprises) + u32::from(is_small && room == Room::OneBit);
            let is_whole = is_location || is_small && room == Room::Whole || surprises >= WHOLE_AFTER;
            for (word, mask) in masks(shape, slot) {
                let varying = seen.varying[word] & mask;
                let highest = 31 - (varying | 1).leading_zeros() + more;
                let up_to_highest = u32::MAX >> (31 - highest.min(31));
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

/// Whether a slot says which process an instance runs: it tells layouts apart, so none of its bits may be kept.
fn says_process(shape: &RowLayout, slot: usize) -> bool {
    shape.frames.iter().any(|frame| frame + FRAME_PROCESS == slot)
}

/// Keeps of slots that layouts have in common the same bits in all of them, if possible: then what changes keys there is the same for all, and is compiled once.
fn keep_in_common<S: Borrow<RowLayout>>(shapes: &[S], rows: &[&[u32]], kept: &mut [Vec<u32>]) {
    let mut common: BTreeMap<(usize, u32), (u32, u32)> = BTreeMap::new();
    let bits_of = |layout: usize| {
        let shape: &RowLayout = shapes[layout].borrow();
        let slots = (0..shape.slots).filter(|&slot| !says_process(shape, slot));
        slots.flat_map(|slot| masks(shape, slot)).collect::<Vec<_>>()
    };
    for layout in 0..shapes.len() {
        for (word, mask) in bits_of(layout) {
            let (row, kept) = (rows[layout][word] & mask, kept[layout][word] & mask);
            let (first, all) = common.entry((word, mask)).or_insert((row, 0));
            *all |= kept | *first ^ row;
        }
    }
    for (layout, kept) in kept.iter_mut().enumerate() {
        for (word, mask) in bits_of(layout) {
            kept[word] |= common.get(&(word, mask)).map_or(0, |(_, all)| *all);
        }
    }
}

/// The words that a slot has bits in, and which.
fn masks(shape: &RowLayout, slot: usize) -> Vec<(usize, u32)> {
    let field = shape.field(slot);
    let word = field.word() as usize;
    match field.bits() {
        0 => Vec::new(),
        bits @ 1..=32 => vec![(word, (u32::MAX >> (32 - bits)) << field.shift())],
        _ => vec![(word, u32::MAX), (word + 1, u32::MAX)],
    }
}
