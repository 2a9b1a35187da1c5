//! Expressions, and the small things inside them.

use tertium_base::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::ast::{Bitwise, Comparison, Expr, ExprKind, Factor, Ident, ProcessRef, Range};
use crate::lexer::TokenKind;

pub(super) fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

impl Parser<'_> {
    /// A whole expression: `a <-> b` binds weakest.
    pub(crate) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let mut left = p.implication()?;
            let mut length = 1;
            while p.eat_sign("<->") || p.eat_sign("<=>") {
                let right = p.implication()?;
                left = pair(ExprKind::Iff, left, right);
                length += 1;
                p.check_row(length)?;
            }
            Ok(left)
        })
    }

    /// `a -> b -> c` groups to the right.
    fn implication(&mut self) -> Parsed<Expr> {
        let mut row = vec![self.disjunction()?];
        while self.eat_sign("->") || self.eat_sign("=>") {
            row.push(self.disjunction()?);
            self.check_row(row.len())?;
        }
        let mut right = row.pop().unwrap_or_else(|| expr(ExprKind::Bool(true), Span::default()));
        while let Some(left) = row.pop() {
            right = pair(ExprKind::Implies, left, right);
        }
        Ok(right)
    }

    /// Rows of operators that cannot be regrouped become as deep as they are long.
    fn check_row(&mut self, length: usize) -> Parsed<()> {
        if length <= super::DEEPEST as usize {
            return Ok(());
        }
        let span = self.token().span;
        self.error(Diagnostic::error("E0403", "too many of one operator in a row").at(span, "the row is too long here"))
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        self.row(&["||", "\\/", "|"], "or", ExprKind::Or, Self::conjunction)
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        self.row(&["&&", "/\\", "&"], "and", ExprKind::And, Self::negation)
    }

    fn row(
        &mut self,
        signs: &[&str],
        word: &str,
        join: fn(Vec<Expr>) -> ExprKind,
        part: fn(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        let mut parts = vec![part(self)?];
        // `choose {…} or {…}`: a brace cannot begin an expression, so this `or` is not ours.
        while signs.iter().any(|sign| self.eat_sign(sign)) || (!self.word_before_brace() && self.eat_word(word)) {
            parts.push(part(self)?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let span = parts[0].span.to(parts[parts.len() - 1].span);
        Ok(expr(join(parts), span))
    }

    fn word_before_brace(&self) -> bool {
        self.next_token(1).kind == TokenKind::Sign("{")
    }

    pub(crate) fn negation(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        if let Some(quantifier) = self.quantifier().filter(|quantifier| quantifier.is_logical()) {
            return self.quantified(quantifier);
        }
        if self.eat_sign("!") || self.eat_sign("~") || self.eat_word("not") {
            let inner = self.nested(Self::negation)?;
            let span = start.to(inner.span);
            return Ok(expr(ExprKind::Not(Box::new(inner)), span));
        }
        self.comparison()
    }

    /// A comparison, or a sum alone. This is what an atom of a formula can be.
    pub(crate) fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.bitwise()?;
        if let Some(outside) = self.membership() {
            return self.member(left, outside);
        }
        let Some(op) = self.comparison_sign() else { return Ok(left) };
        self.advance();
        let right = if self.is_sign("!") || self.is_word("not") { self.negation()? } else { self.bitwise()? };
        if self.comparison_sign().is_some() {
            let diagnostic = Diagnostic::error("E0402", "comparisons cannot be chained")
                .at(self.token().span, "second comparison")
                .also(left.span.to(right.span), "first comparison")
                .help("join two comparisons with `&&`");
            return self.error(diagnostic);
        }
        let span = left.span.to(right.span);
        Ok(expr(ExprKind::Compare(op, Box::new(left), Box::new(right)), span))
    }

    fn comparison_sign(&self) -> Option<Comparison> {
        let TokenKind::Sign(sign) = self.token().kind else { return None };
        match sign {
            "=" | "==" => Some(Comparison::Eq),
            "!=" => Some(Comparison::Ne),
            "<" => Some(Comparison::Lt),
            "<=" => Some(Comparison::Le),
            ">" => Some(Comparison::Gt),
            ">=" => Some(Comparison::Ge),
            _ => None,
        }
    }

    /// `a << n ^ b`: all three operators bind alike, from the left.
    fn bitwise(&mut self) -> Parsed<Expr> {
        let (mut left, mut length) = (self.sum()?, 1);
        loop {
            let (op, signs) = if self.is_sign("^") {
                (Bitwise::Xor, 1)
            } else if self.is_twice("<") {
                (Bitwise::ShiftLeft, 2)
            } else if self.is_twice(">") {
                (Bitwise::ShiftRight, 2)
            } else {
                return Ok(left);
            };
            for _ in 0..signs {
                self.advance();
            }
            let right = self.sum()?;
            left = pair(|a, b| ExprKind::Bitwise(op, a, b), left, right);
            length += 1;
            self.check_row(length)?;
        }
    }

    /// Whether a sign comes twice, without space between.
    fn is_twice(&self, sign: &'static str) -> bool {
        let (first, second) = (self.token(), self.next_token(1));
        let both = [first, second].iter().all(|token| token.kind == TokenKind::Sign(sign));
        both && first.span.end == second.span.start
    }

    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        let first = self.product()?;
        let mut rest = Vec::new();
        while self.is_sign("+") || self.is_sign("-") {
            let minus = self.advance().kind == TokenKind::Sign("-");
            rest.push((minus, self.product()?));
        }
        let Some(last) = rest.last() else { return Ok(first) };
        let span = first.span.to(last.1.span);
        Ok(expr(ExprKind::Sum(Box::new(first), rest), span))
    }

    fn product(&mut self) -> Parsed<Expr> {
        let first = self.signed()?;
        let mut rest = Vec::new();
        while let Some(factor) = self.factor()? {
            rest.push((factor, self.signed()?));
            self.check_row(rest.len())?;
        }
        let Some(last) = rest.last() else { return Ok(first) };
        let span = first.span.to(last.1.span);
        Ok(expr(ExprKind::Product(Box::new(first), rest), span))
    }

    fn factor(&mut self) -> Parsed<Option<Factor>> {
        for (sign, word) in [("/", "div"), ("%", "mod")] {
            if self.is_sign(sign) {
                let span = self.token().span;
                let diagnostic = Diagnostic::error("E0402", format!("`{sign}` is not an operator here"))
                    .at(span, "unknown operator")
                    .help(format!("write `{word}`; the remainder is never negative"));
                return self.error(diagnostic);
            }
        }
        let factor = if self.eat_sign("*") {
            Factor::Times
        } else if self.eat_word("div") {
            Factor::Div
        } else if self.eat_word("mod") {
            Factor::Mod
        } else {
            return Ok(None);
        };
        Ok(Some(factor))
    }

    fn signed(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        if self.eat_sign("-") {
            let inner = self.nested(Self::signed)?;
            let span = start.to(inner.span);
            return Ok(expr(ExprKind::Negate(Box::new(inner)), span));
        }
        self.primary()
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let token = self.token();
        if let Some(quantifier) = self.quantifier() {
            return self.quantified(quantifier);
        }
        match token.kind {
            TokenKind::Sign("{") => self.set(),
            TokenKind::Int => self.number(),
            TokenKind::Sign("(") => {
                self.advance();
                let inner = self.expr()?;
                self.expect_sign(")")?;
                Ok(expr(inner.kind, self.since(token.span)))
            }
            TokenKind::Word => match self.text_of(token.span) {
                word @ ("true" | "false") => {
                    self.advance();
                    Ok(expr(ExprKind::Bool(word == "true"), token.span))
                }
                "deadlock" => {
                    self.advance();
                    Ok(expr(ExprKind::Deadlock, token.span))
                }
                "if" => self.conditional(),
                _ if self.is_name() => self.named(),
                _ => self.expected("an expression"),
            },
            _ => self.expected("an expression"),
        }
    }

    fn number(&mut self) -> Parsed<Expr> {
        let span = self.advance().span;
        match self.text_of(span).parse() {
            Ok(value) => Ok(expr(ExprKind::Int(value), span)),
            Err(_) => {
                let diagnostic = Diagnostic::error("E0404", "this number is too large")
                    .at(span, format!("larger than {}", i64::MAX))
                    .note("variables of type `int` are unbounded, but numbers in the text must fit in 64 bits");
                self.error(diagnostic)
            }
        }
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let start = self.expect_word("if")?;
        let condition = self.expr()?;
        self.expect_word("then")?;
        let yes = self.expr()?;
        self.expect_word("else")?;
        let no = self.expr()?;
        let span = start.to(no.span);
        Ok(expr(ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no)), span))
    }

    /// Everything that begins with a name.
    fn named(&mut self) -> Parsed<Expr> {
        let name = self.name()?;
        let start = name.span;
        if self.eat_sign("(") {
            let arguments = if self.is_sign(")") { Vec::new() } else { self.separated(Self::expr)? };
            self.expect_sign(")")?;
            return Ok(expr(ExprKind::Call(name, arguments), self.since(start)));
        }
        let mut indices = self.indices()?;
        if self.is_sign("@") {
            if indices.len() > 1 {
                let span = indices[1].span;
                return self.error(Diagnostic::error("E0402", "a process has one index").at(span, "second index"));
            }
            self.advance();
            let process = ProcessRef { name, index: indices.pop().map(Box::new) };
            return Ok(expr(ExprKind::At(process, self.name()?), self.since(start)));
        }
        if self.is_sign(".") {
            let kind = self.fields(name, indices)?;
            return Ok(expr(kind, self.since(start)));
        }
        let kind = if indices.is_empty() { ExprKind::Name(name) } else { ExprKind::Index(name, indices) };
        Ok(expr(kind, self.since(start)))
    }

    /// `[i][j]…`, possibly none.
    pub(crate) fn indices(&mut self) -> Parsed<Vec<Expr>> {
        let mut indices = Vec::new();
        while self.eat_sign("[") {
            indices.push(self.expr()?);
            self.expect_sign("]")?;
        }
        Ok(indices)
    }

    /// `P` or `P[2]`.
    pub(crate) fn process_ref(&mut self) -> Parsed<ProcessRef> {
        let name: Ident = self.name()?;
        let index = if self.eat_sign("[") {
            let index = self.expr()?;
            self.expect_sign("]")?;
            Some(Box::new(index))
        } else {
            None
        };
        Ok(ProcessRef { name, index })
    }

    /// `lo..hi`, where both are sums: comparisons have no place there.
    pub(crate) fn range(&mut self) -> Parsed<Range> {
        let lo = self.sum()?;
        self.expect_sign("..")?;
        let hi = self.sum()?;
        Ok(Range { lo, hi })
    }
}

fn pair(join: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    expr(join(Box::new(left), Box::new(right)), span)
}
