//! The text of a program as a tree, before names mean anything.
//!
//! Long rows of one operator are lists, not nested pairs, so the depth of a tree is the depth of brackets in the
//! text, which the parser bounds.
//!
//! Constructs that stand for others (quantifiers, sets, records, channels, procedures, `for`) are [`sugar`]; `expand` removes them.

pub mod sugar;

use tertium_base::Span;

use self::sugar::{ExprSugar, ItemSugar, StmtSugar, TypeSugar};

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `=` or `==`.
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
}

/// Operators of one product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factor {
    /// `*`.
    Times,
    /// `div`.
    Div,
    /// `mod`.
    Mod,
}

/// Operators on bits that are no operators of truth values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bitwise {
    /// `^`.
    Xor,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
}

/// `P` or `P[2]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessRef {
    /// The name.
    pub name: Ident,
    /// The index of a family's member.
    pub index: Option<Box<Expr>>,
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
    /// A number.
    Int(i64),
    /// `true` or `false`.
    Bool(bool),
    /// `deadlock`.
    Deadlock,
    /// A variable, constant, member, definition or predicate.
    Name(Ident),
    /// `a[i]`, `a[i][j]`.
    Index(Ident, Vec<Expr>),
    /// `f(x, y)`.
    Call(Ident, Vec<Expr>),
    /// `P@label`.
    At(ProcessRef, Ident),
    /// `P.x`, `P[2].x[3]`.
    Field(ProcessRef, Ident, Vec<Expr>),
    /// `!e`.
    Not(Box<Expr>),
    /// `-e`.
    Negate(Box<Expr>),
    /// `a && b && …`, at least two.
    And(Vec<Expr>),
    /// `a || b || …`, at least two.
    Or(Vec<Expr>),
    /// `a -> b`.
    Implies(Box<Expr>, Box<Expr>),
    /// `a <-> b`.
    Iff(Box<Expr>, Box<Expr>),
    /// `a < b` and the like.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `a + b - c …`; `true` means subtract.
    Sum(Box<Expr>, Vec<(bool, Expr)>),
    /// `a * b div c …`.
    Product(Box<Expr>, Vec<(Factor, Expr)>),
    /// `a ^ b`, `a << n`, `a >> n`.
    Bitwise(Bitwise, Box<Expr>, Box<Expr>),
    /// `if c then a else b`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// What stands for other expressions.
    Sugar(Box<ExprSugar>),
}

/// `lo..hi`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// First value.
    pub lo: Expr,
    /// Last value.
    pub hi: Expr,
}

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// `int`.
    Int,
    /// `nat`.
    Nat,
    /// `bool`.
    Bool,
    /// `lo..hi`.
    Range(Box<Range>),
    /// `bits[n]`: numbers from 0 that wrap around.
    Bits(u8),
    /// A declared type's name.
    Name(String),
    /// `array[lo..hi] of T`.
    Array(Box<Range>, Box<TypeExpr>),
    /// What stands for other types.
    Sugar(Box<TypeSugar>),
}

/// `var x, y : T = e`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarDecl {
    /// The names.
    pub names: Vec<Ident>,
    /// Their type.
    pub ty: TypeExpr,
    /// What they start with.
    pub initial: Option<Initial>,
}

/// What a variable starts with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// This, in every cell.
    Same(Expr),
    /// `[a, b, c]`: one value a cell.
    Each(Vec<Expr>, Span),
}

/// Where an assignment writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The variable.
    pub name: Ident,
    /// Indices into an array.
    pub indices: Vec<Expr>,
    /// What follows them: fields of records and their indices. None once the text is expanded.
    pub accessors: Vec<sugar::Accessor>,
    /// Where it stands.
    pub span: Span,
}

/// What an assignment writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The value of an expression.
    Value(Expr),
    /// `*`: any value of the type.
    Any(Span),
    /// `* in lo..hi`.
    Within(Range, Span),
}

/// `x, y := e, f`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// Left side.
    pub targets: Vec<Target>,
    /// Right side.
    pub sources: Vec<Source>,
}

/// Statements in a row.
pub type Block = Vec<Stmt>;

/// A statement with its labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// Labels that stand before it.
    pub labels: Vec<Ident>,
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands, without labels.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `skip`.
    Skip,
    /// `x := e`.
    Assign(Assignment),
    /// `await e` or `assume e`.
    Await(Expr),
    /// `assert e`.
    Assert(Expr),
    /// `when e do x := f`; no assignment means `skip`.
    When(Expr, Option<Assignment>),
    /// `if a {…} else if b {…} else {…}`.
    If(Vec<(Expr, Block)>, Option<Block>),
    /// `while e {…}`.
    While(Expr, Block),
    /// `loop {…}`.
    Loop(Block),
    /// `choose {…} or {…}`.
    Choose(Vec<Block>),
    /// `atomic {…}`.
    Atomic(Block),
    /// `goto L`.
    Goto(Ident),
    /// `stop`.
    Stop,
    /// What stands for other statements.
    Sugar(Box<StmtSugar>),
}

/// `process P[i : 1..N] {…}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessDecl {
    /// The name.
    pub name: Ident,
    /// The index and its range, for a family.
    pub family: Option<(Ident, Range)>,
    /// Local variables.
    pub locals: Vec<VarDecl>,
    /// What it does.
    pub body: Block,
    /// Where its closing brace stands.
    pub end: Span,
    /// What its calls of procedures pass, once the text is expanded: each must be of its type.
    pub passed: Vec<(Expr, TypeExpr)>,
}

/// `property NAME : LOGIC FORMULA`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyDecl {
    /// The name.
    pub name: Ident,
    /// The logic's name.
    pub logic: Ident,
    /// The formula: which tokens of the file.
    pub tokens: std::ops::Range<usize>,
    /// The formula: which bytes of the file.
    pub span: Span,
    /// Whether it is the condition of an `invariant`, which says that it always holds.
    pub invariant: bool,
}

/// `x` or `P.x`, in `keep`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarRef {
    /// The process of a local variable.
    pub process: Option<ProcessRef>,
    /// The variable.
    pub name: Ident,
}

/// What stands at the top level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `const N = e`.
    Const(Ident, Expr),
    /// `const N >= e`: any number from `e` on.
    AtLeast(Ident, Expr),
    /// `type T = {a, b}`.
    Enumeration(Ident, Vec<Ident>),
    /// `type T = 0..3`.
    Alias(Ident, TypeExpr),
    /// `var …`.
    Var(VarDecl),
    /// `init e`.
    Init(Expr),
    /// `define NAME = e`.
    Define(Ident, Expr),
    /// `function f(int) : bool`.
    Function(Ident, Vec<TypeExpr>, TypeExpr),
    /// `process …`.
    Process(Box<ProcessDecl>),
    /// `predicate [NAME :] e`.
    Predicate(Option<Ident>, Expr),
    /// `spotlight P, Q`.
    Spotlight(Vec<ProcessRef>),
    /// `keep x, P.y`.
    Keep(Vec<VarRef>),
    /// `fair P`, `strong fair P`.
    Fair(bool, Vec<ProcessRef>),
    /// `fair CONDITION`.
    Justice(Expr),
    /// `compassion (p, q)`.
    Compassion(Expr, Expr),
    /// `environment P, scheduler`.
    Environment(Vec<ProcessRef>),
    /// `property …`.
    Property(PropertyDecl),
    /// What stands for other declarations.
    Sugar(Box<ItemSugar>),
}

/// The player who picks the process that steps next; in a list of the environment's processes, a word.
pub const SCHEDULER: &str = "scheduler";

/// Whether a name in a list of processes means the scheduler, if no process is named so.
#[must_use]
pub fn is_scheduler(process: &ProcessRef) -> bool {
    process.index.is_none() && process.name.name == SCHEDULER
}

/// A whole file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// The system's name.
    pub name: Option<Ident>,
    /// Everything else.
    pub items: Vec<Item>,
}
