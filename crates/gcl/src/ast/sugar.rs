//! Constructs that stand for others.
//!
//! The parser makes them, the formatter and editors see them, and `expand` removes them, so that everything behind it (control flow, types, the
//! program graph, systems of every size) knows the plain constructs alone. A quantifier over numbers stays until its bounds are known.

use tertium_base::Span;

use super::{Block, Expr, Ident, Range, Source, Target, TypeExpr};

/// What a quantifier makes of the values for all numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `forall`: whether all hold.
    Forall,
    /// `exists`: whether one holds.
    Exists,
    /// `sum`: all added.
    Sum,
    /// `min`: the smallest.
    Min,
    /// `max`: the largest.
    Max,
    /// `count`: how many hold.
    Count,
}

impl Quantifier {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Forall, Self::Exists, Self::Sum, Self::Min, Self::Max, Self::Count];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Forall => "forall",
            Self::Exists => "exists",
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Count => "count",
        }
    }

    /// Whether it speaks of truth values and gives one.
    #[must_use]
    pub const fn is_logical(self) -> bool {
        matches!(self, Self::Forall | Self::Exists)
    }
}

/// What a bound name ranges over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BindingDomain {
    /// `lo..hi`.
    Range(Box<Range>),
    /// The indices of a family, the values of a type, the elements of a set.
    Named(Expr),
}

/// `i != j in lo..hi`: pairwise different numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The names.
    pub names: Vec<Ident>,
    /// What they range over.
    pub domain: BindingDomain,
}

/// A part of a set that is written out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetPart {
    /// One element.
    Element(Expr),
    /// `lo..hi`.
    Range(Range),
}

/// `[e]` or `.field`, behind a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Accessor {
    /// `[e]`.
    Index(Expr),
    /// `.field`.
    Field(Ident),
}

/// Expressions that stand for others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprSugar {
    /// `forall i in lo..hi : e` and the like.
    Quantified(Quantifier, Binding, Expr),
    /// `r.a[2].b`: what no plain variable or process is asked for.
    Path(Ident, Vec<Accessor>),
    /// `x in s`.
    In(Expr, Expr),
    /// `{1, 3..5}`.
    Set(Vec<SetPart>),
}

/// Types that stand for others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeSugar {
    /// `record { a : T, b, c : U }`: names with their types.
    Record(Vec<(Ident, TypeExpr)>),
    /// `set of lo..hi`.
    Set(TypeExpr),
}

/// What a call passes to a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParameterDecl {
    /// Its name.
    pub name: Ident,
    /// Whether it stands for a variable of the caller, which may be assigned.
    pub variable: bool,
    /// Its type.
    pub ty: TypeExpr,
}

/// `procedure p(i : 0..3, var x : bool) {…}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcedureDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub parameters: Vec<ParameterDecl>,
    /// What it does.
    pub body: Block,
    /// Where its closing brace stands.
    pub end: Span,
}

/// `chan c, d : T capacity 2`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelDecl {
    /// The names.
    pub names: Vec<Ident>,
    /// For a row of channels: their numbers.
    pub row: Option<Range>,
    /// The type of a message.
    pub ty: TypeExpr,
    /// How many messages it holds.
    pub capacity: Expr,
}

/// Sending or receiving.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Communication {
    /// `c ! e`.
    Send(Target, Source),
    /// `c ? x`.
    Receive(Target, Target),
}

/// Statements that stand for others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtSugar {
    /// `for i in lo..hi {…}`.
    For(Ident, Range, Block),
    /// `p(1, x)`.
    Call(Ident, Vec<Expr>),
    /// `c ! e`, `c ? x`, or either of them behind `when e do`.
    Communicate(Option<Expr>, Communication),
}

/// Declarations that stand for others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItemSugar {
    /// `invariant NAME : e`: its name, its condition, and the property that it is.
    Invariant(Expr, super::PropertyDecl),
    /// `chan …`.
    Channel(ChannelDecl),
    /// `procedure …`.
    Procedure(ProcedureDecl),
    /// `import "file"`: what stands between the quotation marks.
    Import(String, Span),
}
