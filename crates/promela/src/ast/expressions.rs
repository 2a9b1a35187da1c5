//! What has a value? Expressions and references to variables.

use tertium_base::Span;

use super::statements::{LabelRef, RecvArg};
use super::{Ident, RefId};

/// A variable, a cell of an array, a field of a structure: `a[i].f.g[j]`. Also an `mtype` constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarRef {
    /// What it means is found under this number.
    pub id: RefId,
    /// The variable, then fields; never empty.
    pub parts: Vec<RefPart>,
    /// Where.
    pub span: Span,
}

/// One part of a reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefPart {
    /// The variable or field.
    pub name: Ident,
    /// `[i]`.
    pub index: Option<Expr>,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A number or a character.
    Int(i64),
    /// `true` or `false`.
    Bool(bool),
    /// `skip`: the number 1.
    Skip,
    /// A variable or `mtype` constant; also `_pid`, `_nr_pr`, `_last`, `_priority`.
    Ref(VarRef),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(args) priority c`: the pid of the new process, 0 if there is no room.
    Run(Box<Run>),
    /// `len(q)`, `full(q)`, `empty(q)`, `nfull(q)`, `nempty(q)`.
    Probe(Probe, VarRef),
    /// `q ? [ … ]` or `q ?? [ … ]`: whether the receive could be executed.
    Poll {
        /// From where.
        channel: VarRef,
        /// One argument per field.
        args: Vec<RecvArg>,
        /// `??`.
        random: bool,
    },
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `enabled(pid)`.
    Enabled(Box<Expr>),
    /// `pc_value(pid)`.
    PcValue(Box<Expr>),
    /// `get_priority(pid)`.
    GetPriority(Box<Expr>),
    /// `P@label`, `P[pid]@label`.
    At(Remote, LabelRef),
    /// `P:var`, `P[pid]:var[i]`: a local variable of another process, without fields. Its [`VarRef`] has one part.
    RemoteVar(Remote, VarRef),
}

/// The process that a remote reference speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remote {
    /// The proctype.
    pub process: Ident,
    /// Which instance; without it, the only one.
    pub pid: Option<Box<Expr>>,
}

/// `run P(args) priority c`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The proctype.
    pub process: Ident,
    /// Its arguments; a structure stands for all its fields.
    pub args: Vec<Expr>,
    /// `priority c`.
    pub priority: Option<Expr>,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unary {
    /// `!`.
    Not,
    /// `-`.
    Negate,
    /// `~`.
    Complement,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binary {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Rem,
    /// `&`.
    BitAnd,
    /// `^`.
    BitXor,
    /// `|`.
    BitOr,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// Questions about a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Probe {
    /// `len`.
    Len,
    /// `full`.
    Full,
    /// `empty`.
    Empty,
    /// `nfull`.
    Nfull,
    /// `nempty`.
    Nempty,
}
