//! Which words and signs does a text consist of?
//!
//! Works on one file as written, before preprocessing. Tokens own their text, since macros make new ones. What no
//! token begins with becomes a token of its own ([`TokenKind::Bad`]) and is reported only if it is used: text that `#if`
//! leaves out may be anything.

use std::rc::Rc;

use tertium_base::Span;

use crate::preprocess::hide::Hide;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number: a digit and what follows it without a blank.
    Int,
    /// `'c'`.
    Char,
    /// `"text"`.
    Text,
    /// A sign.
    Sign,
    /// Something without meaning; what is wrong with it.
    Bad(&'static str),
    /// The end of the text.
    End,
}

/// A token, where it stands and how it is set off from the one before.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// How it is written.
    pub text: Rc<str>,
    /// Where; for what a macro made, where the macro is used.
    pub span: Span,
    /// Whether it is the first of its line.
    pub newline: bool,
    /// Whether something blank stands before it.
    pub space: bool,
    /// Macros that may not be expanded here.
    pub hide: Hide,
}

impl Token {
    /// Whether it is this sign.
    #[must_use]
    pub fn is_sign(&self, sign: &str) -> bool {
        self.kind == TokenKind::Sign && &*self.text == sign
    }

    /// Whether it is this word.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && &*self.text == word
    }
}

/// Signs, longer ones before their beginnings.
const SIGNS: &[&str] = &[
    "<->", "-->", "::", "->", "--", "++", "<<", "<=", "<>", ">>", ">=", "==", "!=", "!!", "??", "&&", "||", "..", "##",
    "/\\", "\\/", "{", "}", "(", ")", "[", "]", ",", ";", ":", "=", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&",
    "|", ".", "@", "^", "?", "#",
];

/// Splits a text into tokens. `offset` is where the text begins among all sources. The last token is [`TokenKind::End`].
#[must_use]
pub fn lex(text: &str, offset: usize) -> Vec<Token> {
    let mut lexer = Lexer { text, offset, at: 0, newline: true, space: false, tokens: Vec::new() };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.newline = true;
    lexer.push(TokenKind::End, text.len());
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    at: usize,
    newline: bool,
    space: bool,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: TokenKind, end: usize) {
        // Spin reads `-->` as an arrow.
        let text = match &self.text[self.at..end] {
            "-->" => "->",
            text => text,
        };
        self.tokens.push(Token {
            kind,
            text: text.into(),
            span: Span::new(self.offset + self.at, self.offset + end),
            newline: self.newline,
            space: self.space || self.newline,
            hide: Hide::default(),
        });
        (self.newline, self.space, self.at) = (false, false, end);
    }

    fn blank(&mut self, length: usize) {
        self.space = true;
        self.at += length;
    }

    /// Where the longest run of accepted characters from here on ends.
    fn run(&self, accept: fn(char) -> bool) -> usize {
        let rest = &self.text[self.at..];
        self.at + rest.find(|c| !accept(c)).unwrap_or(rest.len())
    }

    fn next(&mut self) {
        let rest = &self.text[self.at..];
        let first = rest.chars().next().unwrap_or(' ');
        if first == '\n' {
            self.newline = true;
            self.at += 1;
        } else if first.is_whitespace() || first == '\0' {
            self.blank(first.len_utf8());
        } else if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
            self.blank(rest.find('\n').map_or(1, |newline| newline + 1));
        } else if rest.starts_with("//") {
            let length = line_length(rest);
            self.blank(length);
        } else if rest.starts_with("/*") {
            self.comment();
        } else if rest.starts_with("*/") {
            // Left over from a comment inside a comment; Spin skips it too.
            self.blank(2);
        } else if first.is_ascii_alphabetic() || first == '_' {
            self.push(TokenKind::Word, self.run(is_word));
        } else if first.is_ascii_digit() {
            self.push(TokenKind::Int, self.run(is_word));
        } else if first == '"' || first == '\'' {
            self.quoted(first);
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.push(TokenKind::Sign, self.at + sign.len());
        } else {
            self.push(TokenKind::Bad("has no meaning here"), self.at + first.len_utf8());
        }
    }

    fn comment(&mut self) {
        match self.text[self.at + 2..].find("*/") {
            Some(inside) => self.blank(2 + inside + 2),
            None => self.push(TokenKind::Bad("begins a comment that does not end"), self.text.len()),
        }
    }

    fn quoted(&mut self, quote: char) {
        let rest = &self.text[self.at + 1..];
        let mut escaped = false;
        for (position, c) in rest.char_indices() {
            if c == '\n' && !escaped {
                break;
            }
            if c == quote && !escaped {
                let kind = if quote == '"' { TokenKind::Text } else { TokenKind::Char };
                return self.push(kind, self.at + 1 + position + 1);
            }
            escaped = c == '\\' && !escaped;
        }
        let wrong =
            if quote == '"' { "begins a text that does not end" } else { "begins a character that does not end" };
        self.push(TokenKind::Bad(wrong), self.at + 1);
    }
}

/// How long the rest of the line is; a line goes on behind a backslash.
fn line_length(rest: &str) -> usize {
    let mut from = 0;
    while let Some(found) = rest[from..].find('\n') {
        let end = from + found;
        if !rest[..end].trim_end_matches('\r').ends_with('\\') {
            return end;
        }
        from = end + 1;
    }
    rest.len()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        lex(text, 0).iter().map(|token| token.text.to_string()).collect()
    }

    #[test]
    fn takes_the_longest_sign() {
        assert_eq!(words("a<->b::c??[x]"), ["a", "<->", "b", "::", "c", "??", "[", "x", "]", ""]);
        assert_eq!(
            words("0..N-1 // c\\\n d\n/* e\n */ 'x' \"a\\\"b\""),
            ["0", "..", "N", "-", "1", "'x'", "\"a\\\"b\"", ""]
        );
    }

    #[test]
    fn knows_which_tokens_begin_a_line() {
        let tokens = lex("a b\nc \\\n d /* \n */ e\n", 7);
        let first: Vec<&str> = tokens.iter().filter(|token| token.newline).map(|token| &*token.text).collect();
        assert_eq!(first, ["a", "c", ""]);
        assert_eq!(tokens[0].span, Span::new(7, 8));
    }

    #[test]
    fn what_has_no_meaning_is_a_token() {
        let bad = |text: &str| lex(text, 0).iter().filter(|token| matches!(token.kind, TokenKind::Bad(_))).count();
        assert_eq!(bad("a $ é `"), 3);
        assert_eq!(bad("\"open\n'x\n/* open"), 3);
    }
}
