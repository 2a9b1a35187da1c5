//! Expressions and formulas by precedence climbing; `->` associates to the right, everything else to the left.

use tertium_base::Diagnostic;

use super::{Parser, Read};
use crate::ast::{Binary, Bounds, Expr, ExprKind, Name, Temporal, TemporalPair, Unary};
use crate::lexer::TokenKind;

/// Functions that are called like `count(a, b)`.
pub(crate) const FUNCTIONS: [&str; 16] = [
    "word1", "bool", "signed", "unsigned", "extend", "resize", "sizeof", "wsizeof", "uwconst", "swconst", "toint",
    "count", "abs", "max", "min", "floor",
];

impl Parser<'_> {
    pub(crate) fn expr(&mut self) -> Read<Expr> {
        self.deeper()?;
        let read = self.implies();
        self.depth -= 1;
        read
    }

    /// An expression in which `U` belongs to a quantifier around it, or not.
    fn within(&mut self, path: bool) -> Read<Expr> {
        let known = std::mem::replace(&mut self.inside_path, path);
        let read = self.expr();
        self.inside_path = known;
        read
    }

    fn pair(&self, op: Binary, a: Expr, b: Expr) -> Expr {
        let span = a.span.to(b.span);
        Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span }
    }

    fn implies(&mut self) -> Read<Expr> {
        let left = self.iff()?;
        if !self.take_mark("->") {
            return Ok(left);
        }
        self.deeper()?;
        let right = self.implies();
        self.depth -= 1;
        Ok(self.pair(Binary::Implies, left, right?))
    }

    fn iff(&mut self) -> Read<Expr> {
        let mut left = self.conditional()?;
        while self.take_mark("<->") {
            let right = self.conditional()?;
            left = self.pair(Binary::Iff, left, right);
        }
        Ok(left)
    }

    fn conditional(&mut self) -> Read<Expr> {
        let condition = self.or()?;
        if !self.take_mark("?") {
            return Ok(condition);
        }
        let yes = self.expr()?;
        self.require(":")?;
        self.deeper()?;
        let no = self.conditional();
        self.depth -= 1;
        let no = no?;
        let span = condition.span.to(no.span);
        Ok(Expr { kind: ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no)), span })
    }

    fn or(&mut self) -> Read<Expr> {
        let mut left = self.and()?;
        loop {
            let op = if self.take_mark("|") {
                Binary::Or
            } else if self.take_word("xor") {
                Binary::Xor
            } else if self.take_word("xnor") {
                Binary::Xnor
            } else {
                return Ok(left);
            };
            let right = self.and()?;
            left = self.pair(op, left, right);
        }
    }

    fn and(&mut self) -> Read<Expr> {
        let mut left = self.temporal_pair()?;
        while self.take_mark("&") {
            let right = self.temporal_pair()?;
            left = self.pair(Binary::And, left, right);
        }
        Ok(left)
    }

    fn temporal_pair(&mut self) -> Read<Expr> {
        let mut left = self.comparison()?;
        loop {
            let op = match self.kind() {
                TokenKind::Word(word) => match word.as_str() {
                    "U" => TemporalPair::Until,
                    "V" => TemporalPair::Releases,
                    "S" => TemporalPair::Since,
                    "T" => TemporalPair::Triggered,
                    _ => return Ok(left),
                },
                _ => return Ok(left),
            };
            // `E[p U q]`: the operator belongs to the quantifier.
            if self.inside_path && op == TemporalPair::Until {
                return Ok(left);
            }
            self.advance();
            let right = self.comparison()?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::TemporalPair(op, None, Box::new(left), Box::new(right)), span };
        }
    }

    fn comparison(&mut self) -> Read<Expr> {
        let mut left = self.membership()?;
        loop {
            let op = match self.kind() {
                TokenKind::Mark("=") => Binary::Eq,
                TokenKind::Mark("!=") => Binary::Ne,
                TokenKind::Mark("<") => Binary::Lt,
                TokenKind::Mark("<=") => Binary::Le,
                TokenKind::Mark(">") => Binary::Gt,
                TokenKind::Mark(">=") => Binary::Ge,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.membership()?;
            left = self.pair(op, left, right);
        }
    }

    fn membership(&mut self) -> Read<Expr> {
        let mut left = self.union()?;
        while self.take_word("in") {
            let right = self.union()?;
            left = self.pair(Binary::In, left, right);
        }
        Ok(left)
    }

    fn union(&mut self) -> Read<Expr> {
        let mut left = self.shift()?;
        while self.take_word("union") {
            let right = self.shift()?;
            left = self.pair(Binary::Union, left, right);
        }
        Ok(left)
    }

    /// Shifts, and ranges of numbers.
    fn shift(&mut self) -> Read<Expr> {
        let mut left = self.sum()?;
        loop {
            let op = match self.kind() {
                TokenKind::Mark("<<") => Binary::Shl,
                TokenKind::Mark(">>") => Binary::Shr,
                TokenKind::Mark("..") => {
                    self.advance();
                    let right = self.sum()?;
                    let span = left.span.to(right.span);
                    left = Expr { kind: ExprKind::Range(Box::new(left), Box::new(right)), span };
                    continue;
                }
                _ => return Ok(left),
            };
            self.advance();
            let right = self.sum()?;
            left = self.pair(op, left, right);
        }
    }

    pub(super) fn sum(&mut self) -> Read<Expr> {
        let mut left = self.product()?;
        loop {
            let op = match self.kind() {
                TokenKind::Mark("+") => Binary::Add,
                TokenKind::Mark("-") => Binary::Sub,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.product()?;
            left = self.pair(op, left, right);
        }
    }

    fn product(&mut self) -> Read<Expr> {
        let mut left = self.concatenation()?;
        loop {
            let op = match self.kind() {
                TokenKind::Mark("*") => Binary::Mul,
                TokenKind::Mark("/") => Binary::Div,
                TokenKind::Word(word) if word == "mod" => Binary::Mod,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.concatenation()?;
            left = self.pair(op, left, right);
        }
    }

    /// `a :: b`, which binds more tightly than arithmetic.
    fn concatenation(&mut self) -> Read<Expr> {
        let mut left = self.unary()?;
        while self.take_mark("::") {
            let right = self.unary()?;
            left = self.pair(Binary::Concat, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Expr> {
        let start = self.span();
        // `+3` is a number.
        if self.is_mark("+")
            && matches!(self.tokens.get(self.at + 1).map(|next| &next.kind), Some(TokenKind::Number(_)))
        {
            self.advance();
            return self.postfix();
        }
        let op = match self.kind() {
            TokenKind::Mark("!") => Unary::Not,
            TokenKind::Mark("-") => Unary::Negate,
            TokenKind::Word(word) => match temporal(word) {
                Some(op) => return self.temporal(op),
                None => return self.quantified_or_postfix(),
            },
            _ => return self.postfix(),
        };
        self.advance();
        // `-0sd8_128` is a constant, though `0sd8_128` is none.
        if let (Unary::Negate, TokenKind::Constant(crate::lexer::WordConstant { bits, signed: true, value })) =
            (op, self.kind().clone())
            && !self.mark_after("[")
        {
            self.advance();
            return Ok(Expr {
                kind: ExprKind::Word { bits, signed: true, value: -value },
                span: self.from(start.start),
            });
        }
        self.deeper()?;
        let operand = self.unary();
        self.depth -= 1;
        let operand = operand?;
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }

    fn temporal(&mut self, op: Temporal) -> Read<Expr> {
        let start = self.span();
        let bounded = matches!(self.kind(), TokenKind::Word(word) if word.len() == 3);
        self.advance();
        let bounds = if bounded {
            let lo = self.sum()?;
            self.require("..")?;
            let hi = self.sum()?;
            Some(Bounds { lo: Box::new(lo), hi: Some(Box::new(hi)) })
        } else if self.is_mark("[") && may_be_bounded(op) {
            Some(self.bounds()?)
        } else {
            None
        };
        self.deeper()?;
        let operand = self.comparison();
        self.depth -= 1;
        let operand = operand?;
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Temporal(op, bounds, Box::new(operand)), span })
    }

    /// `[a, b]`, `[a, +oo)`.
    fn bounds(&mut self) -> Read<Bounds> {
        self.require("[")?;
        let lo = self.sum()?;
        self.require(",")?;
        if self.take_mark("+") {
            if !self.take_word("oo") {
                return self.unexpected("`oo`");
            }
            if !self.take_mark(")") {
                self.require("]")?;
            }
            return Ok(Bounds { lo: Box::new(lo), hi: None });
        }
        let hi = self.sum()?;
        self.require("]")?;
        Ok(Bounds { lo: Box::new(lo), hi: Some(Box::new(hi)) })
    }

    /// `E[p U q]`, `A[p U q]`, or anything else that begins with a word.
    fn quantified_or_postfix(&mut self) -> Read<Expr> {
        let start = self.span();
        let op = match self.kind() {
            TokenKind::Word(word) if word == "E" => TemporalPair::ExistsUntil,
            TokenKind::Word(word) if word == "A" => TemporalPair::AllUntil,
            _ => return self.postfix(),
        };
        self.advance();
        self.require("[")?;
        let left = self.within(true)?;
        let bounds = if self.take_word("BU") {
            let lo = self.sum()?;
            self.require("..")?;
            let hi = self.sum()?;
            Some(Bounds { lo: Box::new(lo), hi: Some(Box::new(hi)) })
        } else if self.take_word("U") {
            None
        } else {
            return self.unexpected("`U` or `BU`");
        };
        let right = self.within(false)?;
        self.require("]")?;
        let span = self.from(start.start);
        Ok(Expr { kind: ExprKind::TemporalPair(op, bounds, Box::new(left), Box::new(right)), span })
    }

    /// A name or bracketed expression with what follows it: fields, indices, bits.
    pub(super) fn postfix(&mut self) -> Read<Expr> {
        let mut expr = self.primary()?;
        let start = expr.span.start;
        loop {
            if self.take_mark(".") {
                let field = self.field()?;
                expr = Expr { kind: ExprKind::Field(Box::new(expr), field), span: self.from(start) };
            } else if self.take_mark("[") {
                let index = self.expr()?;
                let kind = if self.take_mark(":") {
                    let low = self.expr()?;
                    ExprKind::Bits(Box::new(expr), Box::new(index), Box::new(low))
                } else {
                    ExprKind::Index(Box::new(expr), Box::new(index))
                };
                self.require("]")?;
                expr = Expr { kind, span: self.from(start) };
            } else {
                return Ok(expr);
            }
        }
    }

    pub(super) fn field(&mut self) -> Read<Name> {
        if let TokenKind::Number(number) = *self.kind() {
            let name = Name { name: number.to_string(), span: self.span() };
            self.advance();
            return Ok(name);
        }
        self.name()
    }

    fn primary(&mut self) -> Read<Expr> {
        let span = self.span();
        let kind = match self.kind().clone() {
            TokenKind::Number(value) => self.constant(ExprKind::Number(value)),
            TokenKind::Constant(constant) => {
                let crate::lexer::WordConstant { bits, signed, value } = constant;
                self.constant(ExprKind::Word { bits, signed, value })
            }
            TokenKind::Fraction => {
                return self.refused(
                    "a number with a fraction",
                    span,
                    "values are truth values, whole numbers, words and symbols",
                );
            }
            TokenKind::Mark("(") => {
                self.advance();
                let inner = self.within(false)?;
                self.require(")")?;
                return Ok(Expr { kind: inner.kind, span: self.from(span.start) });
            }
            TokenKind::Mark("{") => {
                self.advance();
                let members = self.list("}")?;
                self.require("}")?;
                ExprKind::Set(members)
            }
            TokenKind::Mark("[") => {
                self.advance();
                let members = self.list("]")?;
                self.require("]")?;
                ExprKind::Array(members)
            }
            TokenKind::Word(word) => self.word(&word)?,
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr { kind, span: self.from(span.start) })
    }

    fn constant(&mut self, kind: ExprKind) -> ExprKind {
        self.advance();
        kind
    }

    fn word(&mut self, word: &str) -> Read<ExprKind> {
        let span = self.span();
        match word {
            "TRUE" => Ok(self.constant(ExprKind::Bool(true))),
            "FALSE" => Ok(self.constant(ExprKind::Bool(false))),
            "self" => Ok(self.constant(ExprKind::Itself)),
            "case" => self.case(),
            "next" => {
                self.advance();
                self.require("(")?;
                let inner = self.expr()?;
                self.require(")")?;
                Ok(ExprKind::Next(Box::new(inner)))
            }
            _ if FUNCTIONS.contains(&word) && self.mark_after("(") => {
                self.advance();
                self.require("(")?;
                let arguments = self.list(")")?;
                self.require(")")?;
                Ok(ExprKind::Call(Name { name: word.to_owned(), span }, arguments))
            }
            "READ" | "WRITE" | "CONSTARRAY" | "typeof" if self.mark_after("(") => {
                self.refused(&format!("`{word}`"), span, "arrays have fixed indices: `array 0..7 of T`")
            }
            _ => {
                let name = self.name()?;
                if self.is_mark("(") {
                    let error = Diagnostic::error("E0704", format!("the function `{}` cannot be read", name.name));
                    return self.fail(
                        error.at(span, "not supported").help("functions without a meaning are not part of models here"),
                    );
                }
                Ok(ExprKind::Name(name.name))
            }
        }
    }

    fn case(&mut self) -> Read<ExprKind> {
        self.advance();
        let mut branches = Vec::new();
        while !self.take_word("esac") {
            let condition = self.expr()?;
            self.require(":")?;
            let value = self.expr()?;
            self.require(";")?;
            branches.push((condition, value));
        }
        if branches.is_empty() {
            return self.unexpected("a branch");
        }
        Ok(ExprKind::Case(branches))
    }
}

fn temporal(word: &str) -> Option<Temporal> {
    Some(match word {
        "X" => Temporal::Next,
        "F" => Temporal::Finally,
        "G" => Temporal::Globally,
        "Y" => Temporal::Yesterday,
        "Z" => Temporal::WeakYesterday,
        "O" => Temporal::Once,
        "H" => Temporal::Historically,
        "EX" => Temporal::ExistsNext,
        "EF" | "EBF" => Temporal::ExistsFinally,
        "EG" | "EBG" => Temporal::ExistsGlobally,
        "AX" => Temporal::AllNext,
        "AF" | "ABF" => Temporal::AllFinally,
        "AG" | "ABG" => Temporal::AllGlobally,
        _ => return None,
    })
}

fn may_be_bounded(op: Temporal) -> bool {
    matches!(op, Temporal::Finally | Temporal::Globally | Temporal::Once | Temporal::Historically)
}
