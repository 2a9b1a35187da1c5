//! Quantifiers inside of formulas.
//!
//! `forall i in lo..hi : e` is one atom if `e` is an expression. If there are operators of the logic in it, every case is written out: `G forall i in 1..2 : F a[i]`
//! is `G ((F a[1]) && (F a[2]))`.

use tertium_base::Span;

use super::atoms::Marker;
use crate::ast::sugar::Quantifier;
use crate::lexer::{Token, TokenKind};
use crate::parser::Reported;
use crate::quantifiers::too_many;

/// Formulas are not written out longer than this.
const LONGEST: usize = 1 << 20;

impl Marker<'_> {
    pub(super) fn quantified(&mut self, quantifier: Quantifier) -> Result<(), Reported> {
        let (start, end) = (self.parser.position(), self.reaches_to());
        if !(start..end).any(|at| self.is_operator(at)) {
            let atom = self.parser.negation()?;
            self.atom(atom);
            return Ok(());
        }
        let first = self.parser.advance().span;
        let binding = self.parser.binding()?;
        let body = self.body(end);
        let cases = match self.cases {
            Some(cases) => cases(&binding, &self.inner).ok_or(Reported)?,
            None => vec![Vec::new()],
        };
        let (join, none) = match quantifier {
            Quantifier::Exists => ("||", "false"),
            _ => ("&&", "true"),
        };
        if cases.is_empty() {
            self.marked.push(none, first);
        } else {
            self.marked.push("(", first);
        }
        for (at, case) in cases.iter().enumerate() {
            if self.marked.formula.len() > LONGEST {
                return self.parser.error(too_many(quantifier.word(), first));
            }
            if at > 0 {
                self.marked.push(join, first);
            }
            self.marked.push("(", first);
            let numbers = binding.names.iter().map(|name| name.name.clone()).zip(case.iter().copied());
            let complete = self.case(&body, numbers.collect());
            self.marked.push(")", first);
            if !complete {
                return Err(Reported);
            }
        }
        if !cases.is_empty() {
            self.marked.push(")", first);
        }
        self.parser.jump_to(end);
        Ok(())
    }

    /// The body with these numbers, marked like any formula; false if an atom could not be read.
    fn case(&mut self, body: &[Token], numbers: Vec<(String, i64)>) -> bool {
        let known = (self.numbers.len(), self.inner.len());
        self.numbers.extend(numbers.iter().cloned());
        self.inner.extend(numbers);
        let complete = self.run_part(body);
        self.numbers.truncate(known.0);
        self.inner.truncate(known.1);
        complete
    }

    /// The tokens up to `end`, with an end.
    fn body(&self, end: usize) -> Vec<Token> {
        let mut body: Vec<Token> =
            (self.parser.position()..end).map(|at| self.parser.next_token(at - self.parser.position())).collect();
        let last = body.last().map_or(self.parser.token().span.start, |token| token.span.end);
        body.push(Token { kind: TokenKind::End, span: Span::new(last, last) });
        body
    }

    /// Where a quantifier that begins here ends: at the bracket that closes what is around it.
    fn reaches_to(&self) -> usize {
        let (mut at, mut open) = (0, 0u32);
        loop {
            let token = self.parser.next_token(at);
            match token.kind {
                TokenKind::End => break,
                TokenKind::Sign("(" | "[" | "{") => open += 1,
                TokenKind::Sign(")" | "]" | "}") if open == 0 => break,
                TokenKind::Sign(")" | "]" | "}") => open -= 1,
                _ => {}
            }
            at += 1;
        }
        self.parser.position() + at
    }

    /// Whether the token at a position is an operator of the logic.
    fn is_operator(&self, at: usize) -> bool {
        let ahead = at - self.parser.position();
        let (token, next) = (self.parser.next_token(ahead), self.parser.next_token(ahead + 1));
        match (token.kind, next.kind) {
            (TokenKind::Word, _) => self.is_logical_word(self.parser.text_of(token.span)),
            (TokenKind::Sign("["), TokenKind::Sign("]")) | (TokenKind::Sign("<"), TokenKind::Sign(">")) => true,
            _ => false,
        }
    }
}
