//! What can be declared: types, variables, channels and functions.
//!
//! Every value is an `i64`: truth values are 0 and 1, members of an enumeration their position, channels
//! their number (0 is no channel), processes their pid. A type says which of those values are allowed.
//!
//! Not here: where a variable lies in a state ([`crate::layout`]).

use tertium_base::{Span, id_type};

use crate::expr::ExprId;
use crate::graph::ProcessId;

id_type! {
    /// An enumeration of one program.
    pub struct EnumId;
}
id_type! {
    /// A variable of one program, global or local to a process.
    pub struct VarId;
}
id_type! {
    /// An uninterpreted function of one program.
    pub struct FunctionId;
}
id_type! {
    /// A channel declaration of one program; each running process has its own copy of a local one.
    pub struct ChannelId;
}

/// The values a variable, a message field or an input may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// All integers.
    Int,
    /// All integers from 0 on.
    Nat,
    /// 0 and 1.
    Bool,
    /// The integers `lo..=hi`.
    Range {
        /// Smallest value.
        lo: i64,
        /// Largest value.
        hi: i64,
    },
    /// Positions in an enumeration.
    Enum(EnumId),
    /// A machine integer. Assigning truncates: the front end writes [`crate::expr::Expr::Wrap`] where it happens.
    Wrapped(Width),
    /// The number of a channel, 0 for none.
    Channel,
}

/// The shape of a machine integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Width {
    /// How many bits, 1 to 32.
    pub bits: u8,
    /// Whether the highest bit is a sign.
    pub signed: bool,
}

impl Width {
    /// The width of Promela's `int`.
    pub const INT: Self = Self { bits: 32, signed: true };

    /// The value that remains of `value` in this many bits.
    #[must_use]
    pub const fn wrap(self, value: i64) -> i64 {
        let shift = 64 - self.bits as u32;
        if self.signed { (value << shift) >> shift } else { ((value << shift).cast_unsigned() >> shift).cast_signed() }
    }

    /// Smallest value.
    #[must_use]
    pub const fn lowest(self) -> i64 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// Largest value.
    #[must_use]
    pub const fn highest(self) -> i64 {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }
}

/// Names of one enumeration, in the order of their values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    /// The type's name.
    pub name: String,
    /// The members; a member's value is its position.
    pub members: Vec<String>,
    /// Where it is declared.
    pub span: Span,
}

/// One dimension of an array: indices `lo .. lo + len`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dimension {
    /// Smallest index.
    pub lo: i64,
    /// How many indices; at least 1.
    pub len: u32,
}

impl Dimension {
    /// Largest index.
    #[must_use]
    pub fn hi(self) -> i64 {
        self.lo + i64::from(self.len) - 1
    }
}

/// Whose a variable or channel is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    /// Everyone's.
    Global,
    /// One copy for each running instance of this process.
    Local(ProcessId),
}

/// What a variable holds before the first step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InitialValue {
    /// Every value of the type is possible; `Program::init` may say more.
    Any,
    /// Every cell has this value.
    Same(i64),
    /// One value a cell, row by row.
    Each(Vec<i64>),
    /// For the parameter of a process that can be created: what the creator passes.
    Argument(u32),
    /// Cell `k` holds the number of the `k`-th channel from this one on. The channels must be declared in one row.
    Channel(ChannelId),
    /// The value of an expression over globals, evaluated when the process is created.
    Computed(ExprId),
}

/// A variable or an array of cells of one type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name in the source.
    pub name: String,
    /// The type of one cell.
    pub ty: Type,
    /// Empty for a plain variable; one entry per index for an array.
    pub dimensions: Vec<Dimension>,
    /// Whose it is.
    pub scope: Scope,
    /// What it holds before the first step.
    pub initial: InitialValue,
    /// Whether states that differ only here count as equal (Promela's `hidden`).
    pub hidden: bool,
    /// Where it is declared.
    pub span: Span,
}

impl Variable {
    /// How many cells it has.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.dimensions.iter().map(|dimension| dimension.len as usize).product()
    }
}

/// A channel: a queue of messages, or a meeting point if it holds none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The name in the source.
    pub name: String,
    /// How many messages it holds; 0 means sender and receiver must meet.
    pub capacity: u32,
    /// The types of a message's fields; sending truncates to [`Type::Wrapped`] ones.
    pub fields: Vec<Type>,
    /// Whose it is.
    pub scope: Scope,
    /// Where it is declared.
    pub span: Span,
}

/// A function of which nothing is known but its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The name in the source.
    pub name: String,
    /// Argument types.
    pub arguments: Vec<Type>,
    /// Type of the value.
    pub result: Type,
    /// Where it is declared.
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_keeps_the_low_bits() {
        let byte = Width { bits: 8, signed: false };
        let short = Width { bits: 16, signed: true };
        let bit = Width { bits: 1, signed: false };
        assert_eq!([256, 255, -1, 511].map(|v| byte.wrap(v)), [0, 255, 255, 255]);
        assert_eq!([32768, -32769, 7].map(|v| short.wrap(v)), [-32768, 32767, 7]);
        assert_eq!([2, 3, -1].map(|v| bit.wrap(v)), [0, 1, 1]);
        assert_eq!((byte.lowest(), byte.highest()), (0, 255));
        assert_eq!((short.lowest(), short.highest()), (-32768, 32767));
    }
}
