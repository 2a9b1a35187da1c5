//! What can a process do? Statements, their labels and their branches.

use tertium_base::Span;

use super::declarations::VarDecl;
use super::expressions::{Expr, VarRef};
use super::{Ident, LabelId, RefId};

/// A statement with its labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// Labels in front of it. A label with nothing behind it stands at a `skip` made up by the parser.
    pub labels: Vec<Label>,
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands, without labels.
    pub span: Span,
}

/// A label in front of a statement. Names need not be unique in a proctype: blocks, and so calls of an `inline`,
/// have their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its number.
    pub id: LabelId,
    /// Its name.
    pub name: Ident,
}

/// Where a label is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelRef {
    /// Which label it means is found under this number ([`crate::symbols::Meaning::Label`]).
    pub id: RefId,
    /// The name.
    pub name: Ident,
}

/// What a statement is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// Local variables. In front of all statements of a proctype they get their values when the process starts;
    /// elsewhere (`step`) the declaration is a step, or one for each variable, that sets them anew.
    Decl {
        /// The variables.
        vars: VarDecl,
        /// Whether executing it is a step.
        step: bool,
    },
    /// `xr q, r` or `xs q, r`.
    Exclusive(Exclusive, Vec<VarRef>),
    /// `pred EXPR`: a predicate for abstraction, over locals too. No step.
    Pred(Expr),
    /// An expression: can be executed while it is not 0.
    Expr(Expr),
    /// `else`.
    Else,
    /// `v = e`; also what `return e` in an `inline` becomes.
    Assign(VarRef, Expr),
    /// `v++`.
    Increment(VarRef),
    /// `v--`.
    Decrement(VarRef),
    /// `q ! e, f` or `q !! e, f`.
    Send {
        /// Where to.
        channel: VarRef,
        /// One expression per field; a structure stands for all its fields.
        args: Vec<Expr>,
        /// `!!`.
        sorted: bool,
    },
    /// `q ? a, b`, `q ?? …`, `q ? < … >`, `q ?? < … >`.
    Receive {
        /// From where.
        channel: VarRef,
        /// One argument per field; a structure stands for all its fields.
        args: Vec<RecvArg>,
        /// `??`: the first message that matches, wherever it is.
        random: bool,
        /// `< … >`: the message stays in the channel.
        keep: bool,
    },
    /// `assert(e)`.
    Assert(Expr),
    /// `printf("…", e, f)`; the format between its quotation marks, escapes as written.
    Printf(String, Vec<Expr>),
    /// `printm(e)`: prints the name of an `mtype` value.
    Printm(Expr),
    /// `set_priority(pid, value)`.
    SetPriority(Expr, Expr),
    /// `goto L`.
    Goto(LabelRef),
    /// `break`.
    Break,
    /// `{ … }`: a scope of its own.
    Block(Vec<Stmt>),
    /// An expanded call of an `inline`: a scope of its own, otherwise like [`StmtKind::Block`].
    Inline(Inlined),
    /// `atomic { … }`.
    Atomic(Vec<Stmt>),
    /// `d_step { … }`.
    DStep(Vec<Stmt>),
    /// `if :: … fi`.
    If(Vec<Branch>),
    /// `do :: … od`.
    Do(Vec<Branch>),
    /// `for (…) { … }`.
    For(Box<ForLoop>),
    /// `select (v : a .. b)`.
    Select(VarRef, Expr, Expr),
    /// `body unless escape`.
    Unless(Box<Stmt>, Box<Stmt>),
}

/// Which promise about a channel is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Exclusive {
    /// `xr`: only this process receives from it.
    Receive,
    /// `xs`: only this process sends to it.
    Send,
}

/// An expanded call of an `inline`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inlined {
    /// Which; the span is the call's.
    pub name: Ident,
    /// Its statements with the arguments put in. Their spans point into the definition.
    pub body: Vec<Stmt>,
}

/// One option of `if` or `do`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// Its statements.
    pub body: Vec<Stmt>,
    /// From `::` to the last statement.
    pub span: Span,
}

/// `for (var : from .. to) { body }` or `for (var in collection) { body }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForLoop {
    /// What runs.
    pub var: VarRef,
    /// Through what.
    pub over: ForRange,
    /// What is done each time.
    pub body: Vec<Stmt>,
}

/// What a `for` loop runs through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ForRange {
    /// `: a .. b`.
    Range(Expr, Expr),
    /// `in x`: the indices of an array, or the messages of a channel.
    In(VarRef),
}

/// One argument of a receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecvArg {
    /// A place that gets the field, `_` which drops it, or an `mtype` constant that must match (the reference
    /// then resolves to [`crate::symbols::Meaning::Constant`]).
    Place(VarRef),
    /// A number that must match, sign included.
    Const(i64, Span),
    /// `eval(e)`: a value that must match. `eval(v)` of a variable is the usual case.
    Eval(Expr),
}
