//! Where does a line end stand for a semicolon?
//!
//! Inside the bodies of processes and `typedef`s, Spin takes the end of a line for a `;` if the line ends in
//! something that can end a statement and no round bracket is open. These semicolons are put in here, so that the
//! parser need not look at lines.

use tertium_base::Span;

use crate::lexer::{Token, TokenKind};
use crate::parser::is_name;

/// The tokens with a `;` at every line end that stands for one.
pub(crate) fn implied(tokens: Vec<Token>) -> Vec<Token> {
    let mut output: Vec<Token> = Vec::with_capacity(tokens.len() + tokens.len() / 8);
    let mut scan = Scan::default();
    for token in tokens {
        if token.newline && scan.counts() && output.last().is_some_and(ends_statement) && !token.is_word("unless") {
            let end = output.last().map_or(0, |last| last.span.end);
            let text = ";".into();
            output.push(Token {
                kind: TokenKind::Sign,
                text,
                span: Span::new(end, end),
                newline: false,
                ..token.clone()
            });
        }
        scan.see(&token);
        output.push(token);
    }
    output
}

/// Where among brackets the scan is.
#[derive(Default)]
struct Scan {
    braces: u32,
    brackets: u32,
    /// Whether a word was seen that a body follows.
    awaits_body: bool,
    in_body: bool,
}

impl Scan {
    fn counts(&self) -> bool {
        self.in_body && self.brackets == 0
    }

    fn see(&mut self, token: &Token) {
        const BEGIN_BODY: &[&str] =
            &["proctype", "D_proctype", "init", "never", "trace", "notrace", "typedef", "inline"];
        match (token.kind, &*token.text) {
            (TokenKind::Word, word) if self.braces == 0 && BEGIN_BODY.contains(&word) => {
                (self.awaits_body, self.brackets) = (true, 0);
            }
            (TokenKind::Sign, "{") => {
                self.braces += 1;
                if self.awaits_body && self.brackets == 0 {
                    (self.awaits_body, self.in_body) = (false, true);
                }
            }
            (TokenKind::Sign, "}") => {
                self.braces = self.braces.saturating_sub(1);
                self.in_body &= self.braces > 0;
            }
            (TokenKind::Sign, "(") => self.brackets += 1,
            (TokenKind::Sign, ")") => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
    }
}

/// Whether a statement can end with this token.
fn ends_statement(token: &Token) -> bool {
    const WORDS: &[&str] = &["od", "fi", "else", "break", "skip", "true", "false", "timeout"];
    match token.kind {
        TokenKind::Sign => matches!(&*token.text, "}" | ")" | "]" | "++" | "--"),
        TokenKind::Word => WORDS.contains(&&*token.text) || is_name(token),
        TokenKind::Int | TokenKind::Char => true,
        TokenKind::Text | TokenKind::Bad(_) | TokenKind::End => false,
    }
}
