//! From the form of a process to a function, instruction by instruction.
//!
//! The function has the signature `(row, found, end) -> result`. It reads the row, and writes what it finds from `found` on, never at or
//! behind `end`: a successor as who goes on at once ([`NOBODY`] if nobody does), the number of changes, and for each change the word and
//! what stands there; a failed assertion as [`FAILED`] and the step. The result is negative if the definition of a step has to be asked,
//! else the number of bytes written, doubled, plus one if the process can do anything.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::{FunctionBuilder, Switch, Variable};
use tertium_base::narrow::to_u32;
use tertium_explore::pack::Field;
use tertium_steps::form::{ANY, Half, Instruction, Operand, Operation, ProcessForm};

/// Stands where a successor has nobody who goes on at once.
pub const NOBODY: u32 = u32::MAX;
/// Stands where a failed assertion is told.
pub const FAILED: u32 = u32::MAX - 1;

/// A table of fields as functions read it: for each field its word, and by how much it is shifted.
pub(crate) fn table(fields: &[Field]) -> Box<[u32]> {
    fields.iter().map(|field| field.word() << 8 | u32::from(field.shift())).collect()
}

/// A function that is being made.
pub(crate) struct Translator<'t, 'f> {
    builder: FunctionBuilder<'f>,
    registers: Vec<Variable>,
    tables: &'t [Vec<Field>],
    /// Where the tables lie that functions read.
    addresses: &'t [i64],
    row: Value,
    start: Value,
    end: Value,
    /// Where the next thing found is written.
    cursor: Variable,
    trap: Block,
}

/// What is read does not change while the function runs.
fn reading() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly().with_can_move()
}

/// The same, where an index was compared before: it must not be read any earlier.
fn reading_here() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly()
}

impl<'t, 'f> Translator<'t, 'f> {
    pub fn new(
        mut builder: FunctionBuilder<'f>,
        form: &ProcessForm,
        tables: &'t [Vec<Field>],
        addresses: &'t [i64],
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let (row, start, end) =
            (builder.block_params(entry)[0], builder.block_params(entry)[1], builder.block_params(entry)[2]);
        let registers: Vec<Variable> = (0..form.registers).map(|_| builder.declare_var(I64)).collect();
        let zero = builder.ins().iconst(I64, 0);
        registers.iter().for_each(|&register| builder.def_var(register, zero));
        let cursor = builder.declare_var(I64);
        builder.def_var(cursor, start);
        let trap = builder.create_block();
        Self { builder, registers, tables, addresses, row, start, end, cursor, trap }
    }

    /// The whole function.
    pub fn finish(mut self, form: &ProcessForm, target: cranelift_codegen::isa::TargetFrontendConfig) {
        self.block(&form.body);
        let cursor = self.builder.use_var(self.cursor);
        let written = self.builder.ins().isub(cursor, self.start);
        let doubled = self.builder.ins().ishl_imm_s(written, 1);
        let any = self.builder.use_var(self.registers[ANY as usize]);
        let result = self.builder.ins().bor(doubled, any);
        self.builder.ins().return_(&[result]);
        self.builder.switch_to_block(self.trap);
        let trapped = self.builder.ins().iconst(I64, -1);
        self.builder.ins().return_(&[trapped]);
        self.builder.seal_all_blocks();
        self.builder.finalize(target);
    }

    fn block(&mut self, block: &[Instruction]) {
        for instruction in block {
            self.instruction(instruction);
        }
    }

    fn value(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Constant(value) => self.builder.ins().iconst(I64, value),
            Operand::Register(register) => self.builder.use_var(self.registers[register as usize]),
        }
    }

    /// A word of the row, without sign.
    fn word(&mut self, word: u32) -> Value {
        self.builder.ins().uload32(reading(), self.row, offset(word))
    }

    /// The entry of a table.
    fn entry(&mut self, table: u32, index: Operand) -> Value {
        let index = self.value(index);
        let base = self.builder.ins().iconst(I64, self.addresses[table as usize]);
        let scaled = self.builder.ins().ishl_imm_s(index, 2);
        let at = self.builder.ins().iadd(base, scaled);
        self.builder.ins().uload32(reading_here(), at, 0)
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let (to, value) = match *instruction {
            Instruction::Load { to, field } => (to, self.load(field)),
            Instruction::LoadWord { to, word } => (to, self.word(word)),
            Instruction::LoadAt { to, table, index } => (to, self.load_at(table, index)),
            Instruction::WordAt { to, table, index } => {
                let entry = self.entry(table, index);
                (to, self.builder.ins().ushr_imm_s(entry, 8))
            }
            Instruction::ShiftAt { to, table, index } => {
                let entry = self.entry(table, index);
                (to, self.builder.ins().band_imm_s(entry, 255))
            }
            Instruction::Compute { to, operation, a, b } => (to, self.compute(operation, a, b)),
            Instruction::Wrap { to, bits, signed, value } => {
                let (value, by) = (self.value(value), 64 - i64::from(bits));
                let left = self.builder.ins().ishl_imm_s(value, by);
                (
                    to,
                    if signed {
                        self.builder.ins().sshr_imm_s(left, by)
                    } else {
                        self.builder.ins().ushr_imm_s(left, by)
                    },
                )
            }
            Instruction::Half { to, half, value } => {
                let value = self.value(value);
                (
                    to,
                    match half {
                        Half::Low => self.builder.ins().band_imm_s(value, i64::from(u32::MAX)),
                        Half::High => self.builder.ins().ushr_imm_s(value, 32),
                    },
                )
            }
            Instruction::Select { to, condition, a, b } => {
                let (condition, a, b) = (self.value(condition), self.value(a), self.value(b));
                (to, self.builder.ins().select(condition, a, b))
            }
            Instruction::Set { to, value } => (to, self.value(value)),
            _ => return self.control(instruction),
        };
        self.builder.def_var(self.registers[to as usize], value);
    }

    fn load(&mut self, field: Field) -> Value {
        if field.bits() > 32 {
            let (low, high) = (self.word(field.word()), self.word(field.word() + 1));
            let high = self.builder.ins().ishl_imm_s(high, 32);
            return self.builder.ins().bor(low, high);
        }
        let word = self.word(field.word());
        let shifted = self.builder.ins().ushr_imm_s(word, i64::from(field.shift()));
        self.above(shifted, field)
    }

    /// The value of a field from the word it lies in, shifted to its end.
    fn above(&mut self, shifted: Value, field: Field) -> Value {
        let masked = self.builder.ins().band_imm_s(shifted, (1 << field.bits()) - 1);
        self.builder.ins().iadd_imm_s(masked, field.lo())
    }

    fn load_at(&mut self, table: u32, index: Operand) -> Value {
        let field = self.tables[table as usize][0];
        let entry = self.entry(table, index);
        let word = self.builder.ins().ushr_imm_s(entry, 8);
        let scaled = self.builder.ins().ishl_imm_s(word, 2);
        let at = self.builder.ins().iadd(self.row, scaled);
        let word = self.builder.ins().uload32(reading_here(), at, 0);
        let shift = self.builder.ins().band_imm_s(entry, 255);
        let shifted = self.builder.ins().ushr(word, shift);
        self.above(shifted, field)
    }

    fn compute(&mut self, operation: Operation, a: Operand, b: Operand) -> Value {
        let (a, b) = (self.value(a), self.value(b));
        let comparison = match operation {
            Operation::Add => return self.builder.ins().iadd(a, b),
            Operation::Subtract => return self.builder.ins().isub(a, b),
            Operation::Multiply => return self.builder.ins().imul(a, b),
            Operation::Divide => return self.builder.ins().sdiv(a, b),
            Operation::Remainder => return self.builder.ins().srem(a, b),
            Operation::And => return self.builder.ins().band(a, b),
            Operation::Or => return self.builder.ins().bor(a, b),
            Operation::Xor => return self.builder.ins().bxor(a, b),
            Operation::ShiftLeft => return self.builder.ins().ishl(a, b),
            Operation::ShiftRight => return self.builder.ins().sshr(a, b),
            Operation::AddOverflows => self.builder.ins().sadd_overflow(a, b).1,
            Operation::SubtractOverflows => self.builder.ins().ssub_overflow(a, b).1,
            Operation::MultiplyOverflows => self.builder.ins().smul_overflow(a, b).1,
            Operation::Equal => self.builder.ins().icmp(IntCC::Equal, a, b),
            Operation::Different => self.builder.ins().icmp(IntCC::NotEqual, a, b),
            Operation::Less => self.builder.ins().icmp(IntCC::SignedLessThan, a, b),
            Operation::AtMost => self.builder.ins().icmp(IntCC::SignedLessThanOrEqual, a, b),
        };
        self.builder.ins().uextend(I64, comparison)
    }

    fn control(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::If { condition, then, otherwise } => {
                let condition = self.value(*condition);
                let (first, second) = (self.builder.create_block(), self.builder.create_block());
                let after = self.builder.create_block();
                self.builder.ins().brif(condition, first, &[], second, &[]);
                for (block, body) in [(first, then), (second, otherwise)] {
                    self.builder.switch_to_block(block);
                    self.block(body);
                    self.builder.ins().jump(after, &[]);
                }
                self.builder.switch_to_block(after);
            }
            Instruction::Switch { on, cases } => self.switch(*on, cases),
            Instruction::Loop { index, first, last, body } => self.repeat(*index, *first, *last, body),
            Instruction::Emit { changes, holder } => self.emit(changes, holder.unwrap_or(NOBODY)),
            Instruction::Fail { step } => {
                let cursor = self.room(8);
                self.store(cursor, 0, FAILED);
                self.store(cursor, 1, *step);
                let next = self.builder.ins().iadd_imm_s(cursor, 8);
                self.builder.def_var(self.cursor, next);
            }
            // A trap; whatever stands behind it is never reached.
            _ => {
                self.builder.ins().jump(self.trap, &[]);
                let after = self.builder.create_block();
                self.builder.switch_to_block(after);
            }
        }
    }

    fn switch(&mut self, on: Operand, cases: &[(i64, Vec<Instruction>)]) {
        let on = self.value(on);
        let after = self.builder.create_block();
        let mut switch = Switch::new();
        let mut blocks = Vec::with_capacity(cases.len());
        for (value, body) in cases {
            let block = self.builder.create_block();
            switch.set_entry(u128::from(value.cast_unsigned()), block);
            blocks.push((block, body));
        }
        switch.emit(&mut self.builder, on, after);
        for (block, body) in blocks {
            self.builder.switch_to_block(block);
            self.block(body);
            self.builder.ins().jump(after, &[]);
        }
        self.builder.switch_to_block(after);
    }

    fn repeat(&mut self, index: u32, first: Operand, last: Operand, body: &[Instruction]) {
        let (first, last) = (self.value(first), self.value(last));
        let counter = self.builder.declare_var(I64);
        self.builder.def_var(counter, first);
        let (head, round) = (self.builder.create_block(), self.builder.create_block());
        let after = self.builder.create_block();
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let now = self.builder.use_var(counter);
        let goes_on = self.builder.ins().icmp(IntCC::SignedLessThanOrEqual, now, last);
        self.builder.ins().brif(goes_on, round, &[], after, &[]);
        self.builder.switch_to_block(round);
        self.builder.def_var(self.registers[index as usize], now);
        self.block(body);
        let next = self.builder.use_var(counter);
        let next = self.builder.ins().iadd_imm_s(next, 1);
        self.builder.def_var(counter, next);
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(after);
    }

    /// Where the next thing found is written; traps if there is no room for so many bytes.
    fn room(&mut self, bytes: usize) -> Value {
        let cursor = self.builder.use_var(self.cursor);
        let behind = self.builder.ins().iadd_imm_s(cursor, i64::from(to_u32(bytes)));
        let fits = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, behind, self.end);
        let next = self.builder.create_block();
        self.builder.ins().brif(fits, next, &[], self.trap, &[]);
        self.builder.switch_to_block(next);
        cursor
    }

    fn store(&mut self, at: Value, word: u32, constant: u32) {
        let constant = self.builder.ins().iconst(I32, i64::from(constant));
        self.builder.ins().store(MemFlagsData::trusted(), constant, at, offset(word));
    }

    fn emit(&mut self, changes: &[(u32, Operand)], holder: u32) {
        let start = self.room(8 + 8 * changes.len());
        let mut at = self.builder.ins().iadd_imm_s(start, 8);
        for &(word, value) in changes {
            let (value, old) = (self.value(value), self.word(word));
            self.store(at, 0, word);
            self.builder.ins().istore32(MemFlagsData::trusted(), value, at, 4);
            let changed = self.builder.ins().icmp(IntCC::NotEqual, value, old);
            let changed = self.builder.ins().uextend(I64, changed);
            let step = self.builder.ins().ishl_imm_s(changed, 3);
            at = self.builder.ins().iadd(at, step);
        }
        self.store(start, 0, holder);
        let written = self.builder.ins().isub(at, start);
        let count = self.builder.ins().ushr_imm_s(written, 3);
        let count = self.builder.ins().iadd_imm_s(count, -1);
        self.builder.ins().istore32(MemFlagsData::trusted(), count, start, 4);
        self.builder.def_var(self.cursor, at);
    }
}

/// The place of a word, in bytes.
fn offset(word: u32) -> i32 {
    i32::try_from(u64::from(word) * 4).expect("rows are shorter than 2^29 words")
}
