//! How does a state become few words?
//!
//! Every slot gets as many bits as the values that it can hold need ([`crate::ranges`]); slots that never change get none.
//! A slot of more than 32 bits (an unbounded integer) gets two words. If the processes are fixed, the slots follow each
//! other as in the layout. If they come and go, the globals come first, then one frame after the other; a frame
//! begins with a new word, whose lowest bits say which process it is, and 0 there means that there is no frame.
//! Such rows differ in length; [`RowLayouts`] remembers where everything lies for each stack of processes met.

use std::collections::HashMap;
use std::sync::Arc;

use tertium_base::narrow::{high_half, low_half, to_i64, to_u32, to_usize};
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{ChannelId, Layout, ProcessId, Program, Semantics};

use crate::ranges::{Bounds, Ranges};

/// Where one slot lies in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    word: u32,
    shift: u8,
    bits: u8,
    /// The smallest value, stored as 0.
    lo: i64,
}

impl Field {
    /// Puts a value of the slot's domain into a row.
    #[inline]
    pub fn put(self, row: &mut [u32], value: i64) {
        // Else another state would be stored, and answers would be about that one.
        assert!(self.fits(value), "{value} in {self:?}");
        let at = self.word as usize;
        if self.bits <= 32 {
            let mask = low_half(((1u64 << self.bits) - 1) << self.shift);
            let placed = low_half(self.above_least(value)) << (self.shift & 31);
            row[at] = row[at] & !mask | placed & mask;
        } else {
            let word = value.cast_unsigned();
            row[at] = low_half(word);
            row[at + 1] = high_half(word);
        }
    }

    /// Calls `write` for each word that the slot has bits in: the word, those bits, and what the value makes of them.
    #[inline]
    pub(crate) fn spread(self, value: i64, mut write: impl FnMut(u32, u32, u32)) {
        // Else another state would be stored, and answers would be about that one.
        assert!(self.fits(value), "{value} in {self:?}");
        if self.bits > 32 {
            let word = value.cast_unsigned();
            write(self.word, u32::MAX, low_half(word));
            write(self.word + 1, u32::MAX, high_half(word));
        } else if self.bits > 0 {
            let mask = low_half(((1u64 << self.bits) - 1) << self.shift);
            write(self.word, mask, low_half(self.above_least(value)) << self.shift & mask);
        }
    }

    /// The words that the slot has bits in, and which.
    pub(crate) fn masks(self) -> Vec<(u32, u32)> {
        let mut masks = Vec::new();
        self.spread(self.lo, |word, mask, _| masks.push((word, mask)));
        masks
    }

    /// Takes the value out of a row; words beyond its end are 0.
    #[inline]
    #[must_use]
    pub fn take(self, row: &[u32]) -> i64 {
        let at = self.word as usize;
        let word = |at: usize| u64::from(row.get(at).copied().unwrap_or(0));
        if self.bits <= 32 {
            let mask = (1u64 << self.bits) - 1;
            (word(at) >> self.shift & mask).cast_signed().wrapping_add(self.lo)
        } else {
            (word(at) | word(at + 1) << 32).cast_signed()
        }
    }

    /// The word that it begins in.
    #[must_use]
    pub const fn word(self) -> u32 {
        self.word
    }

    /// By how many bits it is shifted in its word.
    #[must_use]
    pub const fn shift(self) -> u8 {
        self.shift
    }

    /// How many bits it has; more than 32 are two whole words.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.bits
    }

    /// The smallest value of at most 32 bits, which is stored as 0; larger ones are stored as they are.
    #[must_use]
    pub const fn lo(self) -> i64 {
        self.lo
    }

    /// The value that is stored as zeros.
    #[inline]
    #[must_use]
    pub fn least(self) -> i64 {
        if self.bits > 32 { 0 } else { self.lo }
    }

    #[inline]
    fn fits(self, value: i64) -> bool {
        self.bits > 32 || self.above_least(value) >> self.bits == 0
    }

    /// How far a value lies above the least one, with the wrap round that makes those below it large.
    #[inline]
    fn above_least(self, value: i64) -> u64 {
        value.wrapping_sub(self.lo).cast_unsigned()
    }

    fn moved(self, words: usize) -> Self {
        Self { word: self.word + to_u32(words), ..self }
    }
}

/// Gives slots their places one after the other.
#[derive(Default)]
struct Placer {
    fields: Vec<Field>,
    words: usize,
    /// Bits of the last word that are taken.
    used: u32,
}

impl Placer {
    fn place(&mut self, (lo, hi): Bounds) {
        let bits = width(lo, hi);
        let (word, shift) = if bits > 32 {
            self.words += 2;
            self.used = 32;
            (self.words - 2, 0)
        } else {
            if self.words == 0 || self.used + bits > 32 {
                self.words += usize::from(bits > 0);
                self.used = 0;
            }
            self.used += bits;
            (self.words.saturating_sub(1), self.used - bits)
        };
        self.fields.push(Field { word: to_u32(word), shift: small(shift), bits: small(bits), lo: lo.unwrap_or(0) });
    }
}

/// A number of bits in a word, or the place of one.
pub(crate) fn small(bits: u32) -> u8 {
    u8::try_from(bits).expect("at most 64")
}

/// How many bits the values `lo..=hi` need; 64 if a bound is missing or they are too many for one word.
fn width(lo: Option<i64>, hi: Option<i64>) -> u32 {
    match (lo, hi) {
        (Some(lo), Some(hi)) if hi <= lo => 0,
        (Some(lo), Some(hi)) => match hi.abs_diff(lo) {
            span if span <= u64::from(u32::MAX) => 64 - span.leading_zeros(),
            _ => 64,
        },
        _ => 64,
    }
}

/// Where a channel of a state lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Its declaration.
    pub id: ChannelId,
    /// The slot with the number of messages; the messages follow, oldest first.
    pub at: usize,
    /// How many messages it holds; 0 means sender and receiver meet.
    pub capacity: usize,
    /// How many slots a message has.
    pub fields: usize,
}

/// Where everything lies in states with one stack of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLayout {
    /// Which process each instance runs, by pid.
    pub processes: Vec<u32>,
    /// The first slot of each frame, by pid.
    pub frames: Vec<usize>,
    /// The channels by number; the first has number 1.
    pub queues: Vec<Queue>,
    /// How many slots the state has.
    pub slots: usize,
    /// How many words its row has, zeros at the end included; at least one.
    pub words: usize,
    /// How many of them hold something: none if there are neither globals nor processes.
    pub used: usize,
    fields: Vec<Field>,
}

impl RowLayout {
    /// The place of a slot.
    #[inline]
    #[must_use]
    pub fn field(&self, slot: usize) -> Field {
        self.fields[slot]
    }

    /// Packs a whole state.
    pub fn pack(&self, slots: &[i64], row: &mut [u32]) {
        row.fill(0);
        for (field, &value) in self.fields.iter().zip(slots) {
            field.put(row, value);
        }
    }

    /// Unpacks a whole state.
    pub fn unpack(&self, row: &[u32], slots: &mut Vec<i64>) {
        slots.clear();
        slots.extend(self.fields.iter().map(|field| field.take(row)));
    }
}

/// One frame of a process: its fields counted from its first word.
#[derive(Clone, Debug)]
struct FrameLayout {
    fields: Vec<Field>,
    words: usize,
    queues: Vec<Queue>,
}

/// How the states of one program are packed.
#[derive(Clone, Debug)]
pub struct Packing {
    globals: Vec<Field>,
    global_words: usize,
    queues: Vec<Queue>,
    frames: Vec<FrameLayout>,
    /// What says which process a frame is, counted from the frame's first word.
    header: Field,
    /// The only shape, if the processes are fixed.
    fixed: Option<Arc<RowLayout>>,
}

impl Packing {
    /// The packing of a program.
    #[must_use]
    pub fn of(semantics: &Semantics<'_>) -> Self {
        let (program, layout) = (semantics.program(), semantics.layout());
        let ranges = Ranges::of(semantics);
        let mut placer = Placer::default();
        ranges.globals(program, layout).into_iter().for_each(|bounds| placer.place(bounds));
        let queues = layout.global_channels().iter().map(|&id| queue(program, layout, id)).collect();
        let mut frames = Vec::new();
        let mut header = Field { word: 0, shift: 0, bits: 0, lo: -1 };
        for process in program.process_ids() {
            let mut frame = Placer::default();
            ranges.frame(program, layout, process).into_iter().for_each(|bounds| frame.place(bounds));
            header = frame.fields[FRAME_PROCESS];
            let queues = program.process(process).channels.iter().map(|&id| queue(program, layout, id)).collect();
            frames.push(FrameLayout { fields: frame.fields, words: frame.words, queues });
        }
        let mut packing =
            Self { globals: placer.fields, global_words: placer.words, queues, frames, header, fixed: None };
        if layout.is_fixed() {
            packing.fixed = Some(Arc::new(packing.fixed_shape(program, layout, &ranges)));
        }
        packing
    }

    /// The shape of a program with fixed processes, without gaps between the frames.
    fn fixed_shape(&self, program: &Program, layout: &Layout, ranges: &Ranges) -> RowLayout {
        let processes: Vec<u32> = program.instances.iter().map(|instance| instance.process.number()).collect();
        let mut shape = self.shape(&processes);
        let mut placer = Placer::default();
        ranges.globals(program, layout).into_iter().for_each(|bounds| placer.place(bounds));
        for instance in &program.instances {
            let mut slots = ranges.frame(program, layout, instance.process);
            let process = to_i64(instance.process.index());
            slots[FRAME_PROCESS] = (Some(process), Some(process));
            slots.into_iter().for_each(|bounds| placer.place(bounds));
        }
        shape.fields = placer.fields;
        shape.used = placer.words;
        shape.words = placer.words.max(1);
        shape
    }

    /// How many words a row has at least.
    #[must_use]
    pub fn words(&self) -> usize {
        self.fixed.as_ref().map_or(self.global_words.max(1), |shape| shape.words)
    }

    /// Where everything lies if these processes run.
    #[must_use]
    pub fn shape(&self, processes: &[u32]) -> RowLayout {
        let mut shape = RowLayout {
            processes: processes.to_vec(),
            frames: Vec::with_capacity(processes.len()),
            queues: self.queues.clone(),
            slots: self.globals.len(),
            words: self.global_words,
            used: 0,
            fields: self.globals.clone(),
        };
        for &process in processes {
            let frame = &self.frames[process as usize];
            shape.frames.push(shape.slots);
            shape.fields.extend(frame.fields.iter().map(|field| field.moved(shape.words)));
            shape.queues.extend(frame.queues.iter().map(|queue| Queue { at: queue.at + shape.slots, ..*queue }));
            shape.slots += frame.fields.len();
            shape.words += frame.words;
        }
        shape.used = shape.words;
        shape.words = shape.words.max(1);
        shape
    }

    /// The shape of the state in one row.
    #[must_use]
    pub fn shape_of_row(&self, row: &[u32]) -> Arc<RowLayout> {
        let mut processes = Vec::new();
        if self.fixed.is_none() {
            self.processes_of(row, &mut processes);
        }
        self.shape_of(&processes)
    }

    /// The shape with these processes.
    #[must_use]
    pub fn shape_of(&self, processes: &[u32]) -> Arc<RowLayout> {
        self.fixed.as_ref().map_or_else(|| Arc::new(self.shape(processes)), Arc::clone)
    }

    /// The processes that run in a row.
    fn processes_of(&self, row: &[u32], found: &mut Vec<u32>) {
        found.clear();
        let mut at = self.global_words;
        while at < row.len() {
            let process = self.header.take(&row[at..]);
            let Some(frame) = usize::try_from(process).ok().and_then(|process| self.frames.get(process)) else { break };
            found.push(to_u32(to_usize(process)));
            at += frame.words;
        }
    }

    /// What rows with these processes have at the beginnings of frames: the word, bits of it, and what they are. There are none where the processes are fixed.
    pub(crate) fn headers(&self, processes: &[u32]) -> Vec<(usize, u32, u32)> {
        let mut headers = Vec::new();
        if self.fixed.is_some() {
            return headers;
        }
        let mut at = self.global_words;
        let mut expect = |at: usize, process: i64| {
            self.header.moved(at).spread(process, |word, mask, bits| headers.push((word as usize, mask, bits)));
        };
        for &process in processes {
            expect(at, i64::from(process));
            at += self.frames[process as usize].words;
        }
        // No frame follows.
        expect(at, -1);
        headers
    }

    /// Whether a row has these processes.
    #[inline]
    fn has_processes(&self, row: &[u32], processes: &[u32]) -> bool {
        let mut at = self.global_words;
        for &process in processes {
            if at >= row.len() || self.header.take(&row[at..]) != i64::from(process) {
                return false;
            }
            at += self.frames[process as usize].words;
        }
        at >= row.len() || self.header.take(&row[at..]) < 0
    }
}

fn queue(program: &Program, layout: &Layout, id: ChannelId) -> Queue {
    let channel = program.channel(id);
    Queue { id, at: layout.channel(id), capacity: channel.capacity as usize, fields: channel.fields.len() }
}

/// The bounds of the two slots that every frame begins with.
pub(crate) fn frame_header(program: &Program, process: ProcessId) -> [Bounds; 2] {
    let mut header = [(None, None); 2];
    header[FRAME_PROCESS] = (Some(-1), Some(to_i64(program.processes.len()) - 1));
    header[FRAME_LOCATION] = (Some(0), Some(to_i64(program.process(process).locations.len()) - 1));
    header
}

/// The shapes that one thread has met, numbered.
#[derive(Clone, Debug, Default)]
pub struct RowLayouts {
    numbers: HashMap<Vec<u32>, usize>,
    known: Vec<Arc<RowLayout>>,
    last: usize,
    processes: Vec<u32>,
}

impl RowLayouts {
    /// The shape of the state in a row, and its number.
    #[inline]
    pub fn of_row(&mut self, packing: &Packing, row: &[u32]) -> (usize, Arc<RowLayout>) {
        if let Some(last) = self.known.get(self.last)
            && (packing.fixed.is_some() || packing.has_processes(row, &last.processes))
        {
            return (self.last, Arc::clone(last));
        }
        let mut processes = std::mem::take(&mut self.processes);
        packing.processes_of(row, &mut processes);
        self.last = self.number(packing, &processes);
        self.processes = processes;
        (self.last, Arc::clone(&self.known[self.last]))
    }

    /// The shape with these processes.
    pub fn of_processes(&mut self, packing: &Packing, processes: &[u32]) -> Arc<RowLayout> {
        let number = self.number(packing, processes);
        Arc::clone(&self.known[number])
    }

    fn number(&mut self, packing: &Packing, processes: &[u32]) -> usize {
        let key: &[u32] = if packing.fixed.is_some() { &[] } else { processes };
        if let Some(&number) = self.numbers.get(key) {
            return number;
        }
        // Threads that count the users of one shape together would wait for each other at every state.
        let shape = packing.shape_of(processes).as_ref().clone();
        self.numbers.insert(key.to_vec(), self.known.len());
        self.known.push(Arc::new(shape));
        self.known.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_neighbours() {
        let small = Field { word: 0, shift: 3, bits: 5, lo: -4 };
        let none = Field { word: 0, shift: 8, bits: 0, lo: 7 };
        let full = Field { word: 1, shift: 0, bits: 32, lo: 0 };
        let wide = Field { word: 2, shift: 0, bits: 64, lo: 0 };
        let mut row = [u32::MAX; 4];
        for value in [-4, 0, 27] {
            small.put(&mut row, value);
            none.put(&mut row, 7);
            assert_eq!((small.take(&row), none.take(&row)), (value, 7));
            assert_eq!(row[0] | 0b1111_1000, u32::MAX);
        }
        full.put(&mut row, 0xFFFF_FFFF);
        assert_eq!(full.take(&row), 0xFFFF_FFFF);
        for value in [i64::MIN, -1, 0, i64::MAX] {
            wide.put(&mut row, value);
            assert_eq!(wide.take(&row), value);
        }
    }
}
