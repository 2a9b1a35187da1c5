//! Formulas of linear temporal logic: `ltl name { … }`.
//!
//! They share the grammar of expressions, as in Spin: temporal operators are further operators there. What has no
//! temporal operator in it stays an expression until something needs a formula; then `!`, `&&` and `||` at its top
//! become connectives of the formula.

use tertium_base::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::ast::{Binary, Expr, ExprKind, Formula, FormulaKind, LtlOp, Unary};
use crate::lexer::TokenKind;

/// An expression or a formula, and what the parser must know of it.
pub(crate) struct Term {
    pub kind: TermKind,
    /// How deep the tree is.
    pub depth: u32,
    /// Whether `full`, `empty`, `nfull` or `nempty` stands in it outside of brackets of a function.
    pub probe: bool,
}

pub(crate) enum TermKind {
    Value(Expr),
    Formula(Formula),
}

impl Term {
    pub(crate) fn value(expr: Expr) -> Self {
        Self { kind: TermKind::Value(expr), depth: 1, probe: false }
    }

    pub(crate) fn span(&self) -> Span {
        match &self.kind {
            TermKind::Value(expr) => expr.span,
            TermKind::Formula(formula) => formula.span,
        }
    }

    /// As a formula, connectives above and state expressions below.
    pub(crate) fn formula(self) -> Formula {
        match self.kind {
            TermKind::Value(expr) => connectives(expr),
            TermKind::Formula(formula) => formula,
        }
    }

    pub(crate) fn is_formula(&self) -> bool {
        matches!(self.kind, TermKind::Formula(_))
    }
}

/// Splits an expression at its connectives.
fn connectives(expr: Expr) -> Formula {
    let span = expr.span;
    let kind = match expr.kind {
        ExprKind::Unary(Unary::Not, inner) => FormulaKind::Not(Box::new(connectives(*inner))),
        ExprKind::Binary(op @ (Binary::And | Binary::Or), left, right) => {
            let op = if op == Binary::And { LtlOp::And } else { LtlOp::Or };
            FormulaKind::Binary(op, Box::new(connectives(*left)), Box::new(connectives(*right)))
        }
        kind => FormulaKind::Atom(Expr { kind, span }),
    };
    Formula { kind, span }
}

/// Makes a formula of its operand.
type Prefix = fn(Box<Formula>) -> FormulaKind;

impl Parser {
    /// The temporal operator with two operands that comes next, and how strongly it binds.
    pub(crate) fn temporal_binary(&self) -> Option<(LtlOp, u8)> {
        if !self.in_formula {
            return None;
        }
        let token = self.token();
        match (token.kind, &*token.text) {
            (TokenKind::Sign, "->") | (TokenKind::Word, "implies") => Some((LtlOp::Implies, 1)),
            (TokenKind::Sign, "<->") | (TokenKind::Word, "equivalent") => Some((LtlOp::Iff, 1)),
            (TokenKind::Word, "U" | "until" | "stronguntil") => Some((LtlOp::Until, 4)),
            (TokenKind::Word, "W" | "weakuntil") => Some((LtlOp::WeakUntil, 4)),
            (TokenKind::Word, "V" | "R" | "release") => Some((LtlOp::Release, 4)),
            _ => None,
        }
    }

    /// The temporal operator with one operand that comes next, and how many tokens it has.
    pub(crate) fn temporal_unary(&self) -> Option<(Prefix, usize)> {
        if !self.in_formula {
            return None;
        }
        let token = self.token();
        match (token.kind, &*token.text) {
            (TokenKind::Sign, "[") if self.next_token(1).is_sign("]") => Some((FormulaKind::Always, 2)),
            (TokenKind::Word, "always") => Some((FormulaKind::Always, 1)),
            (TokenKind::Sign, "<>") | (TokenKind::Word, "eventually") => Some((FormulaKind::Eventually, 1)),
            (TokenKind::Word, "X" | "next") => Some((FormulaKind::Next, 1)),
            _ => None,
        }
    }

    /// `{ formula }`.
    pub(crate) fn formula(&mut self) -> Parsed<Formula> {
        self.in_formula = true;
        let term = self.term(0);
        self.in_formula = false;
        Ok(term?.formula())
    }

    /// The expression of a term; a formula has no value.
    pub(crate) fn as_value(&mut self, term: Term) -> Parsed<Expr> {
        match term.kind {
            TermKind::Value(expr) => Ok(expr),
            TermKind::Formula(formula) => {
                let diagnostic = Diagnostic::error("E0523", "a temporal formula has no value to compute with")
                    .at(formula.span, "used as a value")
                    .help("put the comparison or sum in round brackets: temporal operators bind tightly");
                self.error(diagnostic)
            }
        }
    }
}
