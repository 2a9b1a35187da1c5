//! Linear temporal formulas, before their atoms mean anything.

use tertium_base::Span;

use super::Ident;
use super::expressions::Expr;

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
