//! What does an instruction mean? A plain interpreter of the form, which is its definition.

use tertium_base::narrow::{high_half, low_half, to_usize};
use tertium_explore::pack::Field;
use tertium_program::Width;

use crate::form::{ANY, Half, Instruction, Operand, Operation, ProcessForm, TIMEOUT};

/// The definition of a step has to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trapped;

/// The successors that steps of one process lead to, told by the words that differ. Reused from state to state.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    /// Words and what stands there, one successor after the other.
    pub changes: Vec<(u32, u32)>,
    /// For each successor where its changes end, and who goes on at once.
    pub ends: Vec<(usize, Option<u32>)>,
    /// The steps whose assertions fail.
    pub failed: Vec<u32>,
}

impl Outcomes {
    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.ends.clear();
        self.failed.clear();
    }

    /// The successors: what differs, and who goes on at once.
    pub fn iter(&self) -> impl Iterator<Item = (&[(u32, u32)], Option<u32>)> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|&(end, _)| end));
        starts.zip(&self.ends).map(|(start, &(end, holder))| (&self.changes[start..end], holder))
    }
}

/// The state that an instruction sees.
struct Machine<'m> {
    row: &'m [u32],
    tables: &'m [Vec<Field>],
    registers: &'m mut Vec<i64>,
    found: &'m mut Outcomes,
}

/// What one process does in the state in `row`; says whether it can do anything.
///
/// # Errors
/// If the definition of a step has to be asked; what was found is of no use then.
pub fn run(
    form: &ProcessForm,
    tables: &[Vec<Field>],
    row: &[u32],
    timeout: bool,
    registers: &mut Vec<i64>,
    found: &mut Outcomes,
) -> Result<bool, Trapped> {
    registers.clear();
    registers.resize(form.registers as usize, 0);
    registers[TIMEOUT as usize] = i64::from(timeout);
    let mut machine = Machine { row, tables, registers, found };
    machine.block(&form.body)?;
    Ok(machine.registers[ANY as usize] != 0)
}

impl Machine<'_> {
    fn block(&mut self, block: &[Instruction]) -> Result<(), Trapped> {
        block.iter().try_for_each(|instruction| self.instruction(instruction))
    }

    fn value(&self, operand: Operand) -> i64 {
        match operand {
            Operand::Constant(value) => value,
            Operand::Register(register) => self.registers[register as usize],
        }
    }

    fn word(&self, word: u32) -> u32 {
        self.row.get(word as usize).copied().unwrap_or(0)
    }

    fn field_at(&self, table: u32, index: Operand) -> Field {
        self.tables[table as usize][to_usize(self.value(index))]
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), Trapped> {
        let (to, value) = match *instruction {
            Instruction::Load { to, field } => (to, field.take(self.row)),
            Instruction::LoadWord { to, word } => (to, i64::from(self.word(word))),
            Instruction::LoadAt { to, table, index } => (to, self.field_at(table, index).take(self.row)),
            Instruction::WordAt { to, table, index } => (to, i64::from(self.field_at(table, index).word())),
            Instruction::ShiftAt { to, table, index } => (to, i64::from(self.field_at(table, index).shift())),
            Instruction::Compute { to, operation, a, b } => (to, compute(operation, self.value(a), self.value(b))),
            Instruction::Wrap { to, bits, signed, value } => (to, Width { bits, signed }.wrap(self.value(value))),
            Instruction::Half { to, half, value } => {
                let value = self.value(value).cast_unsigned();
                (to, i64::from(if half == Half::Low { low_half(value) } else { high_half(value) }))
            }
            Instruction::Select { to, condition, a, b } => {
                (to, self.value(if self.value(condition) != 0 { a } else { b }))
            }
            Instruction::Set { to, value } => (to, self.value(value)),
            _ => return self.control(instruction),
        };
        self.registers[to as usize] = value;
        Ok(())
    }

    fn control(&mut self, instruction: &Instruction) -> Result<(), Trapped> {
        match instruction {
            Instruction::If { condition, then, otherwise } => {
                self.block(if self.value(*condition) != 0 { then } else { otherwise })
            }
            Instruction::Switch { on, cases } => {
                let value = self.value(*on);
                let case = cases.iter().find(|(of, _)| *of == value);
                case.map_or(Ok(()), |(_, block)| self.block(block))
            }
            Instruction::Loop { index, first, last, body } => {
                for value in self.value(*first)..=self.value(*last) {
                    self.registers[*index as usize] = value;
                    self.block(body)?;
                }
                Ok(())
            }
            Instruction::Emit { changes, holder } => {
                for &(word, value) in changes {
                    let new = low_half(self.value(value).cast_unsigned());
                    if new != self.word(word) {
                        self.found.changes.push((word, new));
                    }
                }
                self.found.ends.push((self.found.changes.len(), *holder));
                Ok(())
            }
            Instruction::Fail { step } => {
                self.found.failed.push(*step);
                Ok(())
            }
            _ => Err(Trapped),
        }
    }
}

/// What an operation computes.
#[must_use]
pub fn compute(operation: Operation, a: i64, b: i64) -> i64 {
    // Shifts are by 0 to 63 bits.
    let by = low_half(b.cast_unsigned() & 63);
    match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Subtract => a.wrapping_sub(b),
        Operation::Multiply => a.wrapping_mul(b),
        Operation::Divide => a.checked_div(b).unwrap_or(0),
        Operation::Remainder => a.checked_rem(b).unwrap_or(0),
        Operation::And => a & b,
        Operation::Or => a | b,
        Operation::Xor => a ^ b,
        Operation::ShiftLeft => a.wrapping_shl(by),
        Operation::ShiftRight => a.wrapping_shr(by),
        Operation::Equal => i64::from(a == b),
        Operation::Different => i64::from(a != b),
        Operation::Less => i64::from(a < b),
        Operation::AtMost => i64::from(a <= b),
        Operation::AddOverflows => i64::from(a.checked_add(b).is_none()),
        Operation::SubtractOverflows => i64::from(a.checked_sub(b).is_none()),
        Operation::MultiplyOverflows => i64::from(a.checked_mul(b).is_none()),
    }
}
