//! From tokens to a tree: recursive descent with recovery.
//!
//! A mistake is reported where it is, then the parser skips to the next statement or item and goes on, so one
//! run shows many mistakes. Nesting deeper than [`DEEPEST`] is refused with a place, never with a crash.

mod exprs;
mod hints;
mod items;
mod statements;
mod sugar;

use tertium_base::{Diagnostic, Span};

use crate::ast::{File, Ident};
use crate::lexer::{KEYWORDS, Lexed, Token, TokenKind, begins_item};

/// Brackets, blocks and prefix operators may be nested this deep.
pub const DEEPEST: u32 = 128;
/// After this many mistakes the rest is not looked at.
const MOST_ERRORS: usize = 40;

/// A mistake has been reported; skip to where reading makes sense again.
pub(crate) struct Reported;

pub(crate) type Parsed<T> = Result<T, Reported>;

/// The state of the parser.
pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: u32,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads a whole file.
pub(crate) fn parse(text: &str, lexed: &Lexed) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::new(text, &lexed.tokens);
    parser.diagnostics.clone_from(&lexed.diagnostics);
    let file = parser.file();
    (file, parser.diagnostics)
}

impl<'a> Parser<'a> {
    /// A parser at the first of these tokens, of which the last must be [`TokenKind::End`].
    pub(crate) fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens, at: 0, depth: 0, diagnostics: Vec::new() }
    }

    pub(crate) fn token(&self) -> Token {
        self.tokens[self.at]
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn jump_to(&mut self, position: usize) {
        self.at = position.min(self.tokens.len() - 1);
    }

    pub(crate) fn next_token(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(crate) fn text_of(&self, span: Span) -> &'a str {
        &self.text[span.start..span.end]
    }

    pub(crate) fn advance(&mut self) -> Token {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(crate) fn ends(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    /// Whether the rest should not be looked at any more.
    pub(crate) fn gave_up(&self) -> bool {
        self.diagnostics.len() >= MOST_ERRORS
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token().kind, TokenKind::Sign(found) if found == sign)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.token().kind == TokenKind::Word && self.text_of(self.token().span) == word
    }

    pub(crate) fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Whether a name, not a keyword, comes next.
    pub(crate) fn is_name(&self) -> bool {
        self.token().kind == TokenKind::Word && KEYWORDS.binary_search(&self.text_of(self.token().span)).is_err()
    }

    pub(crate) fn is_item(&self) -> bool {
        begins_item([0, 1, 2].map(|ahead| self.text_of(self.next_token(ahead).span)))
    }

    pub(crate) fn error<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    pub(crate) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text_of(token.span)),
        };
        let mut diagnostic = Diagnostic::error("E0402", format!("expected {what}, found {found}"))
            .at(token.span, format!("expected {what}"));
        if what == "a name" && token.kind == TokenKind::Word {
            diagnostic = diagnostic.help("this word is part of the language; choose another name");
        } else if let Some(hint) = self.neighbour_hint(what) {
            diagnostic = diagnostic.help(hint);
        }
        self.error(diagnostic)
    }

    pub(crate) fn expect_sign(&mut self, sign: &str) -> Parsed<Span> {
        if self.is_sign(sign) { Ok(self.advance().span) } else { self.expected(&format!("`{sign}`")) }
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Parsed<Span> {
        if self.is_word(word) { Ok(self.advance().span) } else { self.expected(&format!("`{word}`")) }
    }

    pub(crate) fn name(&mut self) -> Parsed<Ident> {
        if !self.is_name() {
            return self.expected("a name");
        }
        let span = self.advance().span;
        Ok(Ident { name: self.text_of(span).to_owned(), span })
    }

    /// One or more things separated by commas.
    pub(crate) fn separated<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.eat_sign(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// Goes one level deeper, or refuses.
    pub(crate) fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let span = self.token().span;
            let diagnostic = Diagnostic::error("E0403", format!("nested more than {DEEPEST} levels deep"))
                .at(span, "too deep here")
                .help("name an inner part with `define`, or split the block into labelled parts");
            return self.error(diagnostic);
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Where the token before the current one ends.
    pub(crate) fn last_end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].span.end
    }

    /// From `start` to the end of what was read last.
    pub(crate) fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.last_end().max(start.start))
    }
}
