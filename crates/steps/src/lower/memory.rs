//! What has been written since the row was entered: reads see it, and in the end it becomes the words of a successor.

use std::collections::BTreeMap;

use tertium_base::narrow::{low_half, to_i64, to_u32};
use tertium_explore::pack::{Field, RowLayout};

use super::Lowerer;
use super::builder::{Value, operand};
use crate::form::{Half, Instruction, Operation};

/// A table that lies in more words than this is not written by fast steps.
const MOST_WORDS: usize = 16;

/// One write.
#[derive(Clone, Debug)]
pub(super) enum Write {
    /// To a slot.
    Slot(usize, Value),
    /// To one of some slots: the one with this index.
    At(Vec<usize>, Value, Value),
}

/// What becomes of one word.
#[derive(Default)]
struct WordPatch {
    /// What it is made from; the word of the row if there is none.
    base: Option<Value>,
    /// The bits of it that are replaced.
    cleared: u32,
    /// The constant ones.
    bits: u32,
    /// The others, each at its place.
    parts: Vec<Value>,
}

/// Whether all fields look alike but for their places, and fit a word.
fn is_uniform(fields: &[Field]) -> bool {
    fields.iter().all(|field| field.bits() <= 32 && field.bits() == fields[0].bits() && field.lo() == fields[0].lo())
}

/// The largest value that a field of at most 32 bits can hold.
fn highest(field: Field) -> i64 {
    field.lo().saturating_add((1 << field.bits()) - 1)
}

impl Lowerer<'_, '_> {
    /// The value of a slot.
    pub(super) fn read(&mut self, slot: usize) -> Value {
        let last = self.log.iter().rposition(|write| matches!(write, Write::Slot(at, _) if *at == slot));
        let mut value = match last.map(|at| &self.log[at]) {
            Some(Write::Slot(_, value)) => *value,
            _ => self.load(slot),
        };
        let later: Vec<Write> = self.log[last.map_or(0, |at| at + 1)..].to_vec();
        for write in later {
            if let Write::At(slots, index, new) = write
                && let Some(at) = slots.iter().position(|&at| at == slot)
            {
                let same = self.code.equals(index, to_i64(at));
                value = self.code.select(same, new, value);
            }
        }
        value
    }

    /// The value of one of some slots; the index must be that of one.
    pub(super) fn read_at(&mut self, slots: &[usize], index: Value) -> Value {
        if let Some(at) = index.as_constant() {
            return slots
                .get(usize::try_from(at).unwrap_or(usize::MAX))
                .map_or(Value::constant(0), |&slot| self.read(slot));
        }
        let mut value = self.load_at(slots, index);
        for write in self.log.clone() {
            match write {
                Write::Slot(slot, new) => {
                    if let Some(at) = slots.iter().position(|&at| at == slot) {
                        let same = self.code.equals(index, to_i64(at));
                        value = self.code.select(same, new, value);
                    }
                }
                Write::At(others, other, new) if others == slots => {
                    let same = self.code.compute(Operation::Equal, index, other);
                    value = self.code.select(same, new, value);
                }
                Write::At(others, other, new) => {
                    for (at, slot) in slots.iter().enumerate() {
                        let Some(position) = others.iter().position(|at| at == slot) else { continue };
                        let (here, there) =
                            (self.code.equals(index, to_i64(at)), self.code.equals(other, to_i64(position)));
                        let same = self.code.compute(Operation::And, here, there);
                        value = self.code.select(same, new, value);
                    }
                }
            }
        }
        value
    }

    /// What the row holds in a slot.
    fn load(&mut self, slot: usize) -> Value {
        if let Some(Some(value)) = self.constants.get(slot) {
            return Value::constant(*value);
        }
        let Some(field) = (slot < self.shape.slots).then(|| self.shape.field(slot)) else { return Value::constant(0) };
        let (lo, hi) = if field.bits() > 32 { (i64::MIN, i64::MAX) } else { (field.lo(), highest(field)) };
        self.code.define(lo, hi, |to| Instruction::Load { to, field })
    }

    fn load_at(&mut self, slots: &[usize], index: Value) -> Value {
        let there = slots.iter().take_while(|&&slot| slot < self.shape.slots);
        let fields: Vec<Field> = there.map(|&slot| self.shape.field(slot)).collect();
        if fields.len() == slots.len() && is_uniform(&fields) {
            let (lo, hi) = (fields[0].lo(), highest(fields[0]));
            let (table, index) = (self.code.table(fields), operand(index));
            return self.code.define(lo, hi, |to| Instruction::LoadAt { to, table, index });
        }
        let mut value = self.load(slots[0]);
        for (at, &slot) in slots.iter().enumerate().skip(1) {
            let (same, other) = (self.code.equals(index, to_i64(at)), self.load(slot));
            value = self.code.select(same, other, value);
        }
        value
    }

    pub(super) fn write(&mut self, slot: usize, value: Value) {
        self.log.push(Write::Slot(slot, value));
    }

    /// Writes one of some slots; the index must be that of one.
    pub(super) fn write_at(&mut self, slots: Vec<usize>, index: Value, value: Value) {
        match index.as_constant().map(|at| slots.get(usize::try_from(at).unwrap_or(usize::MAX)).copied()) {
            Some(Some(slot)) => self.write(slot, value),
            // An index that is never right has trapped before.
            Some(None) => {}
            None => self.log.push(Write::At(slots, index, value)),
        }
    }

    /// The successor with everything that was written, laid out like this; from word `cut` on there are zeros.
    pub(super) fn emit(&mut self, layout: &RowLayout, cut: Option<usize>, holder: Option<u32>) {
        let mut words: BTreeMap<u32, WordPatch> = BTreeMap::new();
        let log = self.log.clone();
        for (at, write) in log.iter().enumerate() {
            match write {
                Write::Slot(slot, value) => {
                    let again =
                        log[at + 1..].iter().any(|later| matches!(later, Write::Slot(other, _) if other == slot));
                    if !again && *slot < layout.slots {
                        self.put(layout.field(*slot), *value, &mut words);
                    }
                }
                Write::At(slots, index, value) => {
                    if slots.iter().all(|&slot| slot < layout.slots) {
                        let fields = slots.iter().map(|&slot| layout.field(slot)).collect();
                        self.put_at(fields, *index, *value, &mut words);
                    }
                }
            }
        }
        if let Some(cut) = cut {
            words.retain(|&word, _| (word as usize) < cut);
            for word in cut..self.shape.words {
                words.insert(to_u32(word), WordPatch { base: Some(Value::constant(0)), ..WordPatch::default() });
            }
        }
        let mut changes = Vec::with_capacity(words.len());
        for (word, patch) in words {
            let value = self.patched(word, patch);
            changes.push((word, operand(value)));
        }
        self.code.block.push(Instruction::Emit { changes, holder });
    }

    fn put(&mut self, field: Field, value: Value, words: &mut BTreeMap<u32, WordPatch>) {
        if field.bits() > 32 {
            for (word, half) in [(field.word(), Half::Low), (field.word() + 1, Half::High)] {
                let part = match value.as_constant() {
                    Some(constant) if half == Half::Low => i64::from(low_half(constant.cast_unsigned())),
                    Some(constant) => i64::from(low_half(constant.cast_unsigned() >> 32)),
                    None => {
                        let base = self.code.half(half, value);
                        words.insert(word, WordPatch { base: Some(base), ..WordPatch::default() });
                        continue;
                    }
                };
                words.insert(word, WordPatch { base: Some(Value::constant(part)), ..WordPatch::default() });
            }
            return;
        }
        self.code.must_lie(value, field.lo(), highest(field));
        if field.bits() == 0 {
            return;
        }
        let patch = words.entry(field.word()).or_default();
        patch.cleared |= low_half(((1u64 << field.bits()) - 1) << field.shift());
        let above = self.code.compute(Operation::Subtract, value, Value::constant(field.lo()));
        let placed = self.code.compute(Operation::ShiftLeft, above, Value::constant(i64::from(field.shift())));
        match placed.as_constant() {
            Some(bits) => patch.bits |= low_half(bits.cast_unsigned()),
            None => patch.parts.push(placed),
        }
    }

    fn put_at(&mut self, fields: Vec<Field>, index: Value, value: Value, words: &mut BTreeMap<u32, WordPatch>) {
        let mut lie_in: Vec<u32> = fields.iter().map(|field| field.word()).collect();
        lie_in.dedup();
        if !is_uniform(&fields) || lie_in.len() > MOST_WORDS {
            self.code.trap();
            return;
        }
        let (lo, bits) = (fields[0].lo(), fields[0].bits());
        self.code.must_lie(value, lo, highest(fields[0]));
        if bits == 0 {
            return;
        }
        let last = i64::from(fields.iter().map(|field| field.shift()).max().unwrap_or(0));
        let (first_word, last_word) = (i64::from(lie_in[0]), i64::from(lie_in[lie_in.len() - 1]));
        let (table, index) = (self.code.table(fields), operand(index));
        let shift = self.code.define(0, last, |to| Instruction::ShiftAt { to, table, index });
        let place = self.code.define(first_word, last_word, |to| Instruction::WordAt { to, table, index });
        let mask = self.code.compute(Operation::ShiftLeft, Value::constant((1 << bits) - 1), shift);
        let keep = self.code.compute(Operation::Xor, mask, Value::constant(-1));
        let above = self.code.compute(Operation::Subtract, value, Value::constant(lo));
        let placed = self.code.compute(Operation::ShiftLeft, above, shift);
        for word in lie_in {
            let old = words.remove(&word).unwrap_or_default();
            let old = self.patched(word, old);
            let kept = self.code.compute(Operation::And, old, keep);
            let new = self.code.compute(Operation::Or, kept, placed);
            let here = self.code.equals(place, i64::from(word));
            let new = self.code.select(here, new, old);
            words.insert(word, WordPatch { base: Some(new), ..WordPatch::default() });
        }
    }

    /// The word that a patch makes.
    fn patched(&mut self, word: u32, patch: WordPatch) -> Value {
        let mut value = match patch.base {
            Some(base) => base,
            None if patch.cleared == u32::MAX => Value::constant(0),
            None => self.code.define(0, i64::from(u32::MAX), |to| Instruction::LoadWord { to, word }),
        };
        if patch.cleared != 0 {
            value = self.code.compute(Operation::And, value, Value::constant(i64::from(!patch.cleared)));
        }
        value = self.code.compute(Operation::Or, value, Value::constant(i64::from(patch.bits)));
        for part in patch.parts {
            value = self.code.compute(Operation::Or, value, part);
        }
        value
    }
}
