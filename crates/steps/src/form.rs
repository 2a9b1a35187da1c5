//! The intermediate form: what one process can do in a state of one layout, as instructions over the words of its packed row.
//!
//! Registers hold integers of 64 bits. Control is structured: there are no jumps, so every reader of the form is one recursive function.
//! What an instruction means is said by [`crate::interpret`]; printers and compilers of it are compared with that.

use tertium_explore::pack::Field;

/// A register.
pub type Register = u32;

/// What an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// This integer.
    Constant(i64),
    /// What a register holds.
    Register(Register),
}

/// What is computed from two operands. None of them goes wrong: where an operation of the program can, the form has a condition and
/// an [`Instruction::Trap`] before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Sum, wrapping round.
    Add,
    /// Difference, wrapping round.
    Subtract,
    /// Product, wrapping round.
    Multiply,
    /// Quotient rounded towards zero; the divisor is not 0, and not -1 where the dividend may be the least integer.
    Divide,
    /// The remainder that goes with it, under the same conditions.
    Remainder,
    /// Bits set in both.
    And,
    /// Bits set in either.
    Or,
    /// Bits set in one.
    Xor,
    /// Left shift by 0 to 63 bits; what does not fit is lost.
    ShiftLeft,
    /// Right shift by 0 to 63 bits that keeps the sign.
    ShiftRight,
    /// 1 if equal, else 0.
    Equal,
    /// 1 if different, else 0.
    Different,
    /// 1 if less, else 0.
    Less,
    /// 1 if at most, else 0.
    AtMost,
    /// 1 if the sum needs more than 64 bits, else 0.
    AddOverflows,
    /// 1 if the difference needs more than 64 bits, else 0.
    SubtractOverflows,
    /// 1 if the product needs more than 64 bits, else 0.
    MultiplyOverflows,
}

/// Which half of an integer of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The lower 32 bits.
    Low,
    /// The upper 32 bits.
    High,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// The value of a field of the row.
    Load {
        /// Where it goes.
        to: Register,
        /// The field.
        field: Field,
    },
    /// A whole word of the row, without sign.
    LoadWord {
        /// Where it goes.
        to: Register,
        /// Which word.
        word: u32,
    },
    /// The value of a field of a table; all fields of a table have the same number of bits, at most 32, and the same least value.
    LoadAt {
        /// Where it goes.
        to: Register,
        /// The table.
        table: u32,
        /// Which field; there is one.
        index: Operand,
    },
    /// In which word a field of a table lies.
    WordAt {
        /// Where it goes.
        to: Register,
        /// The table.
        table: u32,
        /// Which field; there is one.
        index: Operand,
    },
    /// By how many bits a field of a table is shifted in its word.
    ShiftAt {
        /// Where it goes.
        to: Register,
        /// The table.
        table: u32,
        /// Which field; there is one.
        index: Operand,
    },
    /// An operation.
    Compute {
        /// Where it goes.
        to: Register,
        /// Which.
        operation: Operation,
        /// The first operand.
        a: Operand,
        /// The second operand.
        b: Operand,
    },
    /// What remains of an integer in a machine word.
    Wrap {
        /// Where it goes.
        to: Register,
        /// How many bits, 1 to 32.
        bits: u8,
        /// Whether the highest is a sign.
        signed: bool,
        /// The integer.
        value: Operand,
    },
    /// Half of an integer of 64 bits, without sign.
    Half {
        /// Where it goes.
        to: Register,
        /// Which.
        half: Half,
        /// The integer.
        value: Operand,
    },
    /// One of two values.
    Select {
        /// Where it goes.
        to: Register,
        /// The first if this is not 0.
        condition: Operand,
        /// The first.
        a: Operand,
        /// The second.
        b: Operand,
    },
    /// A register that is set in more than one place.
    Set {
        /// Where it goes.
        to: Register,
        /// The value.
        value: Operand,
    },
    /// One of two blocks.
    If {
        /// The first if this is not 0.
        condition: Operand,
        /// The first.
        then: Vec<Instruction>,
        /// The second.
        otherwise: Vec<Instruction>,
    },
    /// The block of a value; none if no block is for it.
    Switch {
        /// The value.
        on: Operand,
        /// The blocks with their values, none of which is there twice.
        cases: Vec<(i64, Vec<Instruction>)>,
    },
    /// A block for every integer of a range.
    Loop {
        /// Holds the integer; the block does not set it.
        index: Register,
        /// The first.
        first: Operand,
        /// The last; if it is less than the first, nothing is done. It is less than the largest integer of 64 bits.
        last: Operand,
        /// The block.
        body: Vec<Instruction>,
    },
    /// Something goes wrong, or is not for fast steps: nothing that was emitted counts, and the definition of a step is asked.
    Trap,
    /// An assertion fails in this step of the program, and the run goes on as if it had held.
    Fail {
        /// The step.
        step: u32,
    },
    /// A successor.
    Emit {
        /// Words of the row, in order, each once, and what stands there in the successor; all others stay.
        changes: Vec<(u32, Operand)>,
        /// Who goes on at once, if somebody does: the successor is then a state inside an uninterruptible block.
        holder: Option<u32>,
    },
}

/// What one process can do, in states of one layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessForm {
    /// What is done.
    pub body: Vec<Instruction>,
    /// How many registers are used.
    pub registers: u32,
    /// Smallest and largest value that each register can hold.
    pub ranges: Vec<(i64, i64)>,
}

/// This register holds whether nothing but what waits for a timeout can be done.
pub const TIMEOUT: Register = 0;
/// This register holds in the end whether the process can do anything: 0 or 1.
pub const ANY: Register = 1;

/// What happens at a location when the process that holds control cannot step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// The state is visible.
    Visible,
    /// This way through the block does not exist.
    Nowhere,
    /// Something goes wrong.
    Wrong,
}

/// All processes in states of one layout.
#[derive(Clone, Debug, Default)]
pub struct LayoutForm {
    /// Which process each instance runs, by pid.
    pub processes: Vec<u32>,
    /// How many words a row has, zeros at the end included.
    pub words: usize,
    /// The place of the location of each instance.
    pub locations: Vec<Field>,
    /// What each instance can do.
    pub steps: Vec<ProcessForm>,
    /// Tables of fields.
    pub tables: Vec<Vec<Field>>,
    /// For each instance, by location, what happens when it holds control and cannot step.
    pub stuck: Vec<Vec<Stuck>>,
    /// For each instance, by location, whether it may rest there.
    pub ends: Vec<Vec<bool>>,
}

impl LayoutForm {
    /// How many instructions there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.steps.iter().map(|process| size(&process.body)).sum()
    }

    /// Whether some successors are states inside uninterruptible blocks.
    #[must_use]
    pub fn has_holders(&self) -> bool {
        self.steps.iter().any(|process| has_holders(&process.body))
    }
}

fn has_holders(block: &[Instruction]) -> bool {
    let holds = |instruction: &Instruction| matches!(instruction, Instruction::Emit { holder: Some(_), .. });
    block.iter().any(|instruction| holds(instruction) || parts(instruction).into_iter().any(has_holders))
}

/// How many instructions a block has.
#[must_use]
pub fn size(block: &[Instruction]) -> usize {
    block.iter().map(|instruction| 1 + parts(instruction).into_iter().map(size).sum::<usize>()).sum()
}

/// The blocks inside an instruction.
fn parts(instruction: &Instruction) -> Vec<&[Instruction]> {
    match instruction {
        Instruction::If { then, otherwise, .. } => vec![then, otherwise],
        Instruction::Switch { cases, .. } => cases.iter().map(|(_, block)| block.as_slice()).collect(),
        Instruction::Loop { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// Whether something in a block may have to be left to the definition of a step.
#[must_use]
pub fn may_trap(block: &[Instruction]) -> bool {
    block.iter().any(|instruction| *instruction == Instruction::Trap || parts(instruction).into_iter().any(may_trap))
}
