//! What can be declared: types, variables, processes, claims?

use tertium_base::Span;

use super::expressions::Expr;
use super::statements::Stmt;
use super::{DeclId, Ident};

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
