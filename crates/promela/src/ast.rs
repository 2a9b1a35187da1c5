//! The text of a Promela model as a tree, after preprocessing and before names mean anything.
//!
//! Calls of `inline` are expanded here already, since Spin expands them like macros. Everything else stands as
//! written. References carry a [`RefId`] and declared variables a [`DeclId`]; what they mean is looked up in the
//! tables of [`crate::symbols`], so that the tree itself never changes.
//!
//! Spans count bytes over all sources of a model, see [`crate::sources`].
//!
//! The depth of a tree is bounded by the parser, so recursion over it is safe.

use tertium_base::{Span, id_type};

id_type! {
    /// A place where a variable, field path, `mtype` constant or label is named. Unique in one [`File`].
    pub struct RefId;
}
id_type! {
    /// A declared variable, parameter or field. Unique in one [`File`].
    pub struct DeclId;
}

id_type! {
    /// A label of some statement. Unique in one [`File`].
    pub struct LabelId;
}

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// A whole model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// What it declares, in the order of the text.
    pub items: Vec<Item>,
    /// How many [`RefId`]s it uses: `0..refs`.
    pub refs: usize,
    /// How many [`DeclId`]s it uses: `0..decls`.
    pub decls: usize,
    /// How many [`LabelId`]s it uses: `0..labels`.
    pub labels: usize,
}

/// What stands at the top level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// Global variables.
    Vars(VarDecl),
    /// `mtype = { … }`, `mtype:name = { … }`.
    Mtype(MtypeDecl),
    /// `typedef T { … }`.
    Typedef(Typedef),
    /// `proctype P(…) { … }`.
    Proctype(Box<Proctype>),
    /// `init { … }`.
    Init(Init),
    /// `never { … }`.
    Never(Never),
    /// `trace { … }` or `notrace { … }`.
    Trace(Trace),
    /// `ltl name { … }`.
    Ltl(Box<Ltl>),
    /// `pred EXPR`: a predicate for abstraction.
    Pred(Expr),
}

/// How a declaration asks to be shown or stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Visibility {
    /// Nothing said.
    #[default]
    Plain,
    /// `hidden`: not part of the state.
    Hidden,
    /// `show`: drawn in message sequence charts.
    Show,
    /// `local`: only one process uses it (a hint for reduction).
    Local,
}

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeName {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// Which type is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// `bit`.
    Bit,
    /// `bool`.
    Bool,
    /// `byte`.
    Byte,
    /// `pid`: like `byte`.
    Pid,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `unsigned`; the width stands at each variable ([`Declarator::width`]).
    Unsigned,
    /// `mtype` or `mtype:name`.
    Mtype(Option<Ident>),
    /// `chan`.
    Chan,
    /// The name of a `typedef`.
    User(Ident),
}

/// `hidden byte a, b[3] = 1`: one type, one or more variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarDecl {
    /// `hidden`, `show`, `local`.
    pub visibility: Visibility,
    /// The type.
    pub ty: TypeName,
    /// The variables.
    pub vars: Vec<Declarator>,
    /// The whole declaration.
    pub span: Span,
}

/// One declared variable, parameter or field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declarator {
    /// Its number.
    pub id: DeclId,
    /// Its name.
    pub name: Ident,
    /// `: 3`, in bits.
    pub width: Option<Expr>,
    /// `[5]`: a constant expression, or the name of a variable with a constant initial value.
    pub size: Option<Expr>,
    /// What it holds at first.
    pub initial: Option<Initializer>,
    /// From name to initialiser.
    pub span: Span,
}

/// What stands after `=` in a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initializer {
    /// One value; every cell of an array gets it.
    Value(Expr),
    /// `{ 1, 2, 3 }`: constants for the cells of an array; cells without one get the last.
    List(Vec<Expr>, Span),
    /// `[n] of { types }`: a new channel (one for each cell of an array).
    Channel(ChannelInit),
}

/// `[capacity] of { types }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelInit {
    /// A constant expression; 0 means rendezvous.
    pub capacity: Expr,
    /// The types of the message fields; a structure stands for all its fields.
    pub fields: Vec<TypeName>,
    /// Where.
    pub span: Span,
}

/// `mtype:name = { a, b }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MtypeDecl {
    /// The name of the set; none for the common one.
    pub set: Option<Ident>,
    /// The constants in the order of the text (Spin numbers them in reverse).
    pub names: Vec<Ident>,
    /// Where.
    pub span: Span,
}

/// `typedef T { … }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typedef {
    /// The type's name.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<VarDecl>,
    /// Where.
    pub span: Span,
}

/// `active [n] proctype P(params) priority c provided (e) { body }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proctype {
    /// The name.
    pub name: Ident,
    /// How many copies run from the start; none without `active`.
    pub active: Option<Active>,
    /// Whether it is a `D_proctype` (said to be deterministic).
    pub deterministic: bool,
    /// Parameters.
    pub params: Vec<VarDecl>,
    /// `priority c`.
    pub priority: Option<Expr>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// The closing brace: where its final state stands.
    pub end: Span,
    /// The whole declaration.
    pub span: Span,
}

/// `active` or `active [n]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Active {
    /// How many; a constant expression or the name of a variable with a constant initial value.
    pub count: Option<Expr>,
    /// Where.
    pub span: Span,
}

/// `init priority c { body }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Init {
    /// `priority c`.
    pub priority: Option<Expr>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// The closing brace.
    pub end: Span,
    /// The word `init`.
    pub span: Span,
}

/// `never name { body }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Never {
    /// The name, if given.
    pub name: Option<Ident>,
    /// The automaton as statements.
    pub body: Vec<Stmt>,
    /// The closing brace.
    pub end: Span,
    /// The word `never`.
    pub span: Span,
}

/// `trace { body }` or `notrace { body }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Whether it is `notrace`: the events must *not* happen in this way.
    pub negated: bool,
    /// The automaton as statements.
    pub body: Vec<Stmt>,
    /// The closing brace.
    pub end: Span,
    /// The word `trace` or `notrace`.
    pub span: Span,
}

/// `ltl name { formula }`: a property that is to hold (Spin negates it itself).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ltl {
    /// The name; without one, Spin calls them `ltl_0`, `ltl_1`, ….
    pub name: Option<Ident>,
    /// What is to hold.
    pub formula: Formula,
    /// The text between the braces after preprocessing, blanks reduced.
    pub text: String,
    /// The whole item.
    pub span: Span,
}

/// A formula of linear temporal logic.
///
/// Connectives above, state expressions below: an [`FormulaKind::Atom`] has no logical connective at its top,
/// except inside brackets that hold no temporal operator in a place where only a value can stand (`(a && b) == c`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// What it is.
    pub kind: FormulaKind,
    /// Where it stands.
    pub span: Span,
}

/// What a formula is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormulaKind {
    /// A state expression; it holds where its value is not 0.
    Atom(Expr),
    /// `! f`.
    Not(Box<Formula>),
    /// `X f`, `next f`.
    Next(Box<Formula>),
    /// `[] f`, `always f`.
    Always(Box<Formula>),
    /// `<> f`, `eventually f`.
    Eventually(Box<Formula>),
    /// Two operands.
    Binary(LtlOp, Box<Formula>, Box<Formula>),
}

/// Connectives of formulas with two operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LtlOp {
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `->`, `implies`.
    Implies,
    /// `<->`, `equivalent`.
    Iff,
    /// `U`, `until`, `stronguntil`.
    Until,
    /// `W`, `weakuntil`.
    WeakUntil,
    /// `V`, `R`, `release`.
    Release,
}

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
