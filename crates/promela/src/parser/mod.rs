//! From tokens to a tree: recursive descent with recovery.
//!
//! A mistake is reported where it is, then the parser skips to the next statement or declaration and goes on, so
//! one run shows many mistakes. Nesting deeper than [`DEEPEST`] is refused with a place, never with a crash.
//!
//! Calls of `inline` are expanded here: the body's tokens, arguments put in, are read in place of the call.

mod exprs;
mod formulas;
mod inlines;
mod items;
mod separators;
mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};
use tertium_program::Width;

use crate::ast::{DeclId, File, Ident, LabelId, RefId};
use crate::lexer::{Token, TokenKind};
use crate::preprocess::character;
use inlines::Inline;

/// Brackets, blocks and prefix operators may be nested this deep.
pub const DEEPEST: u32 = 128;
/// Expressions may be this deep; rows of one operator count.
pub const DEEPEST_EXPR: u32 = 500;
/// After this many mistakes the rest is not looked at.
const MOST_ERRORS: usize = 40;

/// A mistake has been reported; skip to where reading makes sense again.
pub(crate) struct Reported;

pub(crate) type Parsed<T> = Result<T, Reported>;

/// Words of the language that cannot be names.
pub const KEYWORDS: &[&str] = &[
    "D_proctype",
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "chan",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
];

/// The state of the parser.
pub(crate) struct Parser {
    tokens: Rc<[Token]>,
    at: usize,
    depth: u32,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Names of proctypes anywhere in the text: `P:x` and `P[1]@l` are read by them.
    proctypes: BTreeSet<Rc<str>>,
    inlines: BTreeMap<Rc<str>, Rc<Inline>>,
    /// Calls of inlines being read, outermost first.
    calls: Vec<inlines::Call>,
    /// How many tokens calls of inlines have made.
    made: usize,
    /// Whether a formula is being read.
    in_formula: bool,
    /// Whether statements of the present body were read already: later declarations are steps.
    started: bool,
    refs: usize,
    decls: usize,
    labels: usize,
}

/// Reads a whole model.
pub(crate) fn parse(tokens: Vec<Token>) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::new(separators::implied(tokens));
    let file = parser.file();
    (file, parser.diagnostics)
}

impl Parser {
    fn new(tokens: Vec<Token>) -> Self {
        let named = tokens.windows(2).filter(|pair| pair[0].is_word("proctype") || pair[0].is_word("D_proctype"));
        let proctypes = named.map(|pair| Rc::clone(&pair[1].text)).collect();
        Self {
            tokens: tokens.into(),
            at: 0,
            depth: 0,
            diagnostics: Vec::new(),
            proctypes,
            inlines: BTreeMap::new(),
            calls: Vec::new(),
            made: 0,
            in_formula: false,
            started: false,
            refs: 0,
            decls: 0,
            labels: 0,
        }
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn span(&self) -> Span {
        self.token().span
    }

    fn next_token(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn advance(&mut self) -> Token {
        let token = self.token().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn ends(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    /// Whether the rest should not be looked at any more.
    fn gave_up(&self) -> bool {
        self.diagnostics.len() >= MOST_ERRORS
    }

    fn is_sign(&self, sign: &str) -> bool {
        self.token().is_sign(sign)
    }

    fn is_word(&self, word: &str) -> bool {
        self.token().is_word(word)
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Whether a name, not a keyword, comes next.
    fn is_name(&self) -> bool {
        is_name(self.token())
    }

    fn error<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.report(diagnostic);
        Err(Reported)
    }

    /// Adds a message; inside the call of an inline it says so.
    fn report(&mut self, mut diagnostic: Diagnostic) {
        for call in self.calls.iter().rev() {
            diagnostic = diagnostic.also(call.name.span, format!("in this call of `{}`", call.name.name));
        }
        self.diagnostics.push(diagnostic);
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token().clone();
        if let TokenKind::Bad(wrong) = token.kind {
            let first: String = token.text.chars().take(12).collect();
            self.advance();
            let diagnostic = Diagnostic::error("E0501", format!("`{}` {wrong}", first.escape_debug()));
            return self.error(diagnostic.at(token.span, "not part of the language"));
        }
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ if token.is_sign(";") && token.span.start == token.span.end => "the end of the line".to_owned(),
            _ => format!("`{}`", token.text),
        };
        let mut diagnostic = Diagnostic::error("E0505", format!("expected {what}, found {found}"))
            .at(token.span, format!("expected {what}"));
        if what == "a name" && token.kind == TokenKind::Word {
            diagnostic = diagnostic.help("this word is part of the language; choose another name");
        } else if token.kind == TokenKind::Word && !self.is_name() && ["if", "do"].contains(&what) {
            diagnostic = diagnostic.help("end the statement before it with `;` or `->`");
        }
        self.error(diagnostic)
    }

    fn expect_sign(&mut self, sign: &str) -> Parsed<Span> {
        if self.is_sign(sign) { Ok(self.advance().span) } else { self.expected(&format!("`{sign}`")) }
    }

    fn name(&mut self) -> Parsed<Ident> {
        if !self.is_name() {
            return self.expected("a name");
        }
        let token = self.advance();
        Ok(Ident { name: token.text.to_string(), span: token.span })
    }

    /// One or more things separated by commas.
    fn separated<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.eat_sign(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// Goes one level deeper, or refuses.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let span = self.span();
            let diagnostic = Diagnostic::error("E0506", format!("nested more than {DEEPEST} levels deep"))
                .at(span, "too deep here")
                .help("name an inner part with `#define`, or split the block into labelled parts");
            return self.error(diagnostic);
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// From `start` to the end of what was read last.
    fn since(&self, start: Span) -> Span {
        let end = self.tokens[self.at.saturating_sub(1)].span.end;
        Span::new(start.start, end.max(start.end))
    }

    fn new_ref(&mut self) -> RefId {
        self.refs += 1;
        RefId::new(self.refs - 1)
    }

    fn new_decl(&mut self) -> DeclId {
        self.decls += 1;
        DeclId::new(self.decls - 1)
    }

    fn new_label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId::new(self.labels - 1)
    }

    /// A number or character that stands next, if it is one; too large ones are reported.
    fn number(&mut self) -> Parsed<i64> {
        let token = self.advance();
        if token.kind == TokenKind::Char {
            return match character(&token.text) {
                Some(value) => Ok(i64::from(value)),
                None => self.error(
                    Diagnostic::error("E0501", format!("{} is not one character", token.text))
                        .at(token.span, "more or less than one"),
                ),
            };
        }
        if !token.text.bytes().all(|byte| byte.is_ascii_digit()) {
            let diagnostic = Diagnostic::error("E0501", format!("`{}` is not a number", token.text))
                .at(token.span, "begins with a digit, but has other letters");
            return self.error(diagnostic.help("numbers are decimal; names begin with a letter"));
        }
        match token.text.parse::<i64>() {
            Ok(value) if i32::try_from(value).is_ok() => Ok(value),
            Ok(value) => {
                let kept = Width::INT.wrap(value);
                let diagnostic = Diagnostic::warning("W0505", format!("the number {value} is read as {kept}"))
                    .at(token.span, "more than 32 bits with the sign")
                    .note("the largest type, `int`, has 32 bits");
                self.report(diagnostic);
                Ok(kept)
            }
            Err(_) => {
                let diagnostic = Diagnostic::error("E0508", "this number is too large");
                self.error(diagnostic.at(token.span, "more than 64 bits"))
            }
        }
    }

    /// Whether embedded C comes next; it is reported and skipped.
    fn embedded_c(&mut self) -> Parsed<()> {
        const CONSTRUCTS: &[&str] = &["c_code", "c_decl", "c_expr", "c_state", "c_track"];
        let token = self.token().clone();
        if token.kind != TokenKind::Word || !CONSTRUCTS.contains(&&*token.text) {
            return Ok(());
        }
        self.advance();
        while self.token().kind == TokenKind::Text {
            self.advance();
        }
        if self.is_sign("[") {
            self.skip_brackets("[", "]");
        }
        if self.is_sign("{") {
            self.skip_brackets("{", "}");
        }
        let diagnostic = Diagnostic::error("E0507", format!("`{}`: embedded C is not supported", token.text))
            .at(token.span, "C from here on")
            .note("a model with C in it has no meaning without a C compiler")
            .help("write what it does in Promela");
        self.report(diagnostic);
        Err(Reported)
    }

    fn skip_brackets(&mut self, open: &str, close: &str) {
        let mut depth = 0u32;
        while !self.ends() {
            if self.is_sign(open) {
                depth += 1;
            } else if self.is_sign(close) {
                depth -= 1;
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// The keyword that a name in the place of a statement or item most likely means.
    fn close_keyword(word: &str) -> Option<&'static str> {
        closest_name(word, KEYWORDS.iter().copied()).filter(|close| close.len() > 2)
    }
}

/// Whether a token is a name, not a keyword.
fn is_name(token: &Token) -> bool {
    token.kind == TokenKind::Word && KEYWORDS.binary_search(&&*token.text).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }
}
