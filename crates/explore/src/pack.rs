//! How does a state become few words?
//!
//! Every slot gets as many bits as its domain needs, in the order of the layout; slots that never change get
//! none. A slot of more than 32 bits (an unbounded integer) gets two words. Programs with fixed processes only.

use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{ProcessId, Program, Semantics, Type, VarId};

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
        let at = self.word as usize;
        if self.bits <= 32 {
            let mask = (((1u64 << self.bits) - 1) << self.shift) as u32;
            let placed = (value.wrapping_sub(self.lo) as u32) << (self.shift & 31);
            row[at] = row[at] & !mask | placed & mask;
        } else {
            row[at] = value as u32;
            row[at + 1] = (value >> 32) as u32;
        }
    }

    /// Takes the value out of a row.
    #[inline]
    #[must_use]
    pub fn take(self, row: &[u32]) -> i64 {
        let at = self.word as usize;
        if self.bits <= 32 {
            let mask = (1u64 << self.bits) - 1;
            let stored = u64::from(row.get(at).copied().unwrap_or(0)) >> self.shift & mask;
            (stored as i64).wrapping_add(self.lo)
        } else {
            (u64::from(row[at]) | u64::from(row[at + 1]) << 32) as i64
        }
    }
}

/// The place of every slot in the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packing {
    fields: Vec<Field>,
    words: usize,
}

impl Packing {
    /// The packing of a program whose processes are fixed; `None` for others.
    #[must_use]
    pub fn of(semantics: &Semantics<'_>) -> Option<Self> {
        let domains = domains(semantics)?;
        let mut packing = Self { fields: Vec::with_capacity(domains.len()), words: 0 };
        let mut used = 32;
        for (lo, hi) in domains {
            let bits = width(lo, hi);
            let (word, shift) = if bits > 32 {
                packing.words += 2;
                used = 32;
                (packing.words - 2, 0)
            } else {
                if used + bits > 32 {
                    packing.words += 1;
                    used = 0;
                }
                used += bits;
                (packing.words.saturating_sub(1), used - bits)
            };
            packing.fields.push(Field { word: word as u32, shift: shift as u8, bits: bits as u8, lo: lo.unwrap_or(0) });
        }
        packing.words = packing.words.max(1);
        Some(packing)
    }

    /// How many words a row has.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

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
    pub fn unpack(&self, row: &[u32], slots: &mut [i64]) {
        for (field, slot) in self.fields.iter().zip(slots) {
            *slot = field.take(row);
        }
    }
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

type Bounds = (Option<i64>, Option<i64>);

/// The bounds of every slot of a program with fixed processes.
fn domains(semantics: &Semantics<'_>) -> Option<Vec<Bounds>> {
    let (program, layout) = (semantics.program(), semantics.layout());
    if !layout.is_fixed() {
        return None;
    }
    let mut domains: Vec<Bounds> = vec![(None, None); layout.initial_size()];
    for var in program.variable_ids() {
        let first = layout.fixed_slot(program, var)?;
        let bounds = variable_bounds(program, var);
        domains[first..first + program.variable(var).cells()].fill(bounds);
    }
    for (pid, instance) in program.instances.iter().enumerate() {
        let frame = layout.initial_frames()[pid];
        domains[frame + FRAME_PROCESS] = constant(instance.process.index());
        domains[frame + FRAME_LOCATION] = (Some(0), Some(last_location(program, instance.process)));
    }
    channel_domains(semantics, &mut domains);
    Some(domains)
}

fn constant(value: usize) -> Bounds {
    (Some(value as i64), Some(value as i64))
}

fn last_location(program: &Program, process: ProcessId) -> i64 {
    program.process(process).locations.len() as i64 - 1
}

fn variable_bounds(program: &Program, var: VarId) -> Bounds {
    match program.variable(var).ty {
        Type::Channel => (Some(0), Some(i64::from(u32::MAX))),
        ty => program.bounds(ty),
    }
}

/// Unused places of a queue hold 0, so the domain of a field always contains it.
fn channel_domains(semantics: &Semantics<'_>, domains: &mut [Bounds]) {
    let (program, layout) = (semantics.program(), semantics.layout());
    let frames =
        program.instances.iter().enumerate().map(|(pid, instance)| {
            (layout.initial_frames()[pid], program.process(instance.process).channels.as_slice())
        });
    for (frame, channels) in std::iter::once((0, layout.global_channels())).chain(frames) {
        for &id in channels {
            let channel = program.channel(id);
            let first = frame + layout.channel(id);
            domains[first] = (Some(0), Some(i64::from(channel.capacity)));
            for message in 0..channel.capacity as usize {
                for (at, &ty) in channel.fields.iter().enumerate() {
                    let (lo, hi) =
                        if ty == Type::Channel { (Some(0), Some(i64::from(u32::MAX))) } else { program.bounds(ty) };
                    let slot = first + 1 + message * channel.fields.len() + at;
                    domains[slot] = (lo.map(|lo| lo.min(0)), hi.map(|hi| hi.max(0)));
                }
            }
        }
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
