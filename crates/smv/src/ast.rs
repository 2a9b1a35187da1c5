//! What a text says, before names mean anything.

use tertium_base::Span;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub name: String,
    /// Its place.
    pub span: Span,
}

/// An expression or a formula: one grammar has both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `!`.
    Not,
    /// `-`.
    Negate,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `xor`.
    Xor,
    /// `xnor`.
    Xnor,
    /// `->`.
    Implies,
    /// `<->`.
    Iff,
    /// `=`.
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
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `mod`.
    Mod,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `::`.
    Concat,
    /// `union`.
    Union,
    /// `in`.
    In,
}

/// Operators of time with one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Temporal {
    /// LTL `X`.
    Next,
    /// LTL `F`, perhaps with bounds.
    Finally,
    /// LTL `G`.
    Globally,
    /// Past LTL `Y`: in the state before, which there is.
    Yesterday,
    /// Past LTL `Z`: in the state before, if there is one.
    WeakYesterday,
    /// Past LTL `O`.
    Once,
    /// Past LTL `H`.
    Historically,
    /// `EX`.
    ExistsNext,
    /// `EF`, and `EBF` with bounds.
    ExistsFinally,
    /// `EG`, and `EBG`.
    ExistsGlobally,
    /// `AX`.
    AllNext,
    /// `AF`, and `ABF`.
    AllFinally,
    /// `AG`, and `ABG`.
    AllGlobally,
}

impl Temporal {
    /// Whether it looks back.
    #[must_use]
    pub const fn is_past(self) -> bool {
        matches!(self, Self::Yesterday | Self::WeakYesterday | Self::Once | Self::Historically)
    }
}

/// Operators of time with two operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TemporalPair {
    /// LTL `U`.
    Until,
    /// LTL `V`.
    Releases,
    /// Past LTL `S`.
    Since,
    /// Past LTL `T`.
    Triggered,
    /// `E[p U q]`, and `E[p BU a..b q]`.
    ExistsUntil,
    /// `A[p U q]`.
    AllUntil,
}

/// Bounds of an operator of time: from, to; to the end if there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The first moment.
    pub lo: Box<Expr>,
    /// The last one.
    pub hi: Option<Box<Expr>>,
}

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `TRUE`, `FALSE`.
    Bool(bool),
    /// A whole number.
    Number(i64),
    /// A constant of a word.
    Word {
        /// How many bits.
        bits: u32,
        /// Whether the highest is a sign.
        signed: bool,
        /// Its value.
        value: i128,
    },
    /// A name.
    Name(String),
    /// `self`.
    Itself,
    /// `a.b`.
    Field(Box<Expr>, Name),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `w[7:4]`.
    Bits(Box<Expr>, Box<Expr>, Box<Expr>),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `case c : e; … esac`.
    Case(Vec<(Expr, Expr)>),
    /// `{a, b}`.
    Set(Vec<Expr>),
    /// `a..b`.
    Range(Box<Expr>, Box<Expr>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `next(e)`.
    Next(Box<Expr>),
    /// `word1(e)` and the like.
    Call(Name, Vec<Expr>),
    /// An operator of time.
    Temporal(Temporal, Option<Bounds>, Box<Expr>),
    /// An operator of time over two.
    TemporalPair(TemporalPair, Option<Bounds>, Box<Expr>, Box<Expr>),
}

/// The type of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeExpr {
    /// `boolean`.
    Boolean,
    /// `integer`.
    Integer,
    /// `unsigned word[n]`, `signed word[n]`.
    Word {
        /// How many bits.
        bits: Expr,
        /// Whether the highest is a sign.
        signed: bool,
    },
    /// `{a, b, 3}`.
    Enumeration(Vec<Expr>),
    /// `lo..hi`.
    Range(Expr, Expr),
    /// `array lo..hi of T`.
    Array(Expr, Expr, Box<TypeExpr>),
    /// `[process] M(args)`.
    Module {
        /// Which.
        name: Name,
        /// What it is given.
        arguments: Vec<Expr>,
        /// Whether it takes turns with others.
        process: bool,
    },
}

/// What kind of variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// `VAR`.
    State,
    /// `IVAR`.
    Input,
    /// `FROZENVAR`.
    Frozen,
}

/// A declared variable or instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarDecl {
    /// Which kind.
    pub kind: VarKind,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeExpr,
}

/// Which value an assignment gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AssignKind {
    /// `init(x) := e`.
    Init,
    /// `next(x) := e`.
    Next,
    /// `x := e`.
    Current,
}

/// An assignment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AssignDecl {
    /// Which value.
    pub kind: AssignKind,
    /// Of what.
    pub target: Expr,
    /// The value.
    pub value: Expr,
    /// Where it stands.
    pub span: Span,
}

/// Which constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstraintKind {
    /// `INIT`.
    Init,
    /// `TRANS`.
    Trans,
    /// `INVAR`.
    Invar,
    /// `FAIRNESS` and `JUSTICE`.
    Justice,
}

/// Which kind of specification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SpecKind {
    /// `SPEC`, `CTLSPEC`.
    Ctl,
    /// `LTLSPEC`.
    Ltl,
    /// `INVARSPEC`.
    Invariant,
    /// `COMPUTE MIN [p, q]`.
    Least,
    /// `COMPUTE MAX [p, q]`.
    Most,
}

/// A specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecDecl {
    /// Which kind.
    pub kind: SpecKind,
    /// Its name.
    pub name: Option<Name>,
    /// The formula; for `COMPUTE` from where.
    pub formula: Expr,
    /// For `COMPUTE` to where.
    pub goal: Option<Expr>,
    /// The instance whose names it uses, if it names one (`IN a.b`).
    pub context: Option<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// A declaration of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A variable or instance.
    Var(VarDecl),
    /// `DEFINE x := e`.
    Define(Name, Expr),
    /// `DEFINE a.x := e`: a definition in another instance.
    DefineIn(Expr, Name, Expr),
    /// `CONSTANTS a, b`.
    Constants(Vec<Name>),
    /// An assignment.
    Assign(AssignDecl),
    /// A constraint.
    Constraint(ConstraintKind, Expr),
    /// `COMPASSION(p, q)`.
    Compassion(Expr, Expr),
    /// A specification.
    Spec(SpecDecl),
    /// `ISA m`: everything that the module `m` declares.
    Inherits(Name),
    /// `PRED e`, `PRED n := e`, `PRED <n> := e`: a predicate for abstraction.
    Predicate(Option<Name>, Expr),
    /// `MIRROR x`: a variable that abstraction keeps as it is.
    Mirror(Expr),
}

/// A module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// What it declares.
    pub items: Vec<Item>,
}

/// A whole text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Its modules.
    pub modules: Vec<Module>,
}

impl Expr {
    /// The expressions it is made of.
    #[must_use]
    pub fn children(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Word { .. } | ExprKind::Name(_) | ExprKind::Itself => {
                Vec::new()
            }
            ExprKind::Field(a, _) | ExprKind::Unary(_, a) | ExprKind::Next(a) | ExprKind::Temporal(_, _, a) => vec![a],
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Range(a, b)
            | ExprKind::TemporalPair(_, _, a, b) => vec![a, b],
            ExprKind::Bits(a, b, c) | ExprKind::If(a, b, c) => vec![a, b, c],
            ExprKind::Case(branches) => branches.iter().flat_map(|(condition, value)| [condition, value]).collect(),
            ExprKind::Set(members) | ExprKind::Array(members) | ExprKind::Call(_, members) => members.iter().collect(),
        }
    }

    /// Whether an operator of time stands in it.
    #[must_use]
    pub fn has_time(&self) -> bool {
        let mut open = vec![self];
        while let Some(expr) = open.pop() {
            if matches!(expr.kind, ExprKind::Temporal(..) | ExprKind::TemporalPair(..)) {
                return true;
            }
            open.extend(expr.children());
        }
        false
    }

    /// Whether a path quantifier stands in it.
    #[must_use]
    pub fn has_quantifier(&self) -> bool {
        let mut open = vec![self];
        while let Some(expr) = open.pop() {
            let quantified = match &expr.kind {
                ExprKind::Temporal(op, ..) => *op >= Temporal::ExistsNext,
                ExprKind::TemporalPair(op, ..) => *op >= TemporalPair::ExistsUntil,
                _ => false,
            };
            if quantified {
                return true;
            }
            open.extend(expr.children());
        }
        false
    }

    /// The same, further on in a text.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        self.shift(by);
        self
    }

    fn shift(&mut self, by: usize) {
        self.span = self.span.shifted(by);
        match &mut self.kind {
            ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Word { .. } | ExprKind::Name(_) | ExprKind::Itself => {}
            ExprKind::Field(a, name) => {
                name.span = name.span.shifted(by);
                a.shift(by);
            }
            ExprKind::Unary(_, a) | ExprKind::Next(a) | ExprKind::Temporal(_, _, a) => a.shift(by),
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Range(a, b)
            | ExprKind::TemporalPair(_, _, a, b) => [a, b].into_iter().for_each(|part| part.shift(by)),
            ExprKind::Bits(a, b, c) | ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(|part| part.shift(by)),
            ExprKind::Case(branches) => {
                branches.iter_mut().flat_map(|(condition, value)| [condition, value]).for_each(|part| part.shift(by));
            }
            ExprKind::Set(members) | ExprKind::Array(members) => members.iter_mut().for_each(|part| part.shift(by)),
            ExprKind::Call(name, members) => {
                name.span = name.span.shifted(by);
                members.iter_mut().for_each(|part| part.shift(by));
            }
        }
    }
}
