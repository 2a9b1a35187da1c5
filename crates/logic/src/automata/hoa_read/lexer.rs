//! The tokens of a text in the Hanoi Omega-Automata format.

use tertium_base::{Diagnostic, Span};

use super::{out_of_range, syntax};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'t> {
    /// `name:` without the colon.
    Header(&'t str),
    Word(&'t str),
    Alias(&'t str),
    Text(String),
    Number(usize),
    Sign(char),
    /// `--BODY--` and its kin, without the dashes.
    Marker(&'t str),
    End,
}

pub(super) fn lex(text: &str) -> Result<Vec<(Token<'_>, Span)>, Box<Diagnostic>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = |rest: &str| {
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len())
        };
        let (token, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some(end) = comment.find("*/") else {
                return Err(syntax(Span::new(at, at + 2), "a comment is not closed", "`*/`"));
            };
            at += end + 4;
            continue;
        } else if let Some(marker) = ["BODY", "END", "ABORT"].iter().find(|m| rest.starts_with(&format!("--{m}--"))) {
            (Token::Marker(marker), marker.len() + 4)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = word(rest);
            match rest[length..].starts_with(':') {
                true => (Token::Header(&rest[..length]), length + 1),
                false => (Token::Word(&rest[..length]), length),
            }
        } else if first == '@' && rest[1..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            let length = 1 + word(&rest[1..]);
            (Token::Alias(&rest[1..length]), length)
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..length].parse().map_err(|_| out_of_range(Span::new(at, at + length), "a number"))?;
            (Token::Number(number), length)
        } else if first == '"' {
            string(rest, at)?
        } else if "[]{}()&|!".contains(first) {
            (Token::Sign(first), 1)
        } else {
            let span = Span::new(at, at + first.len_utf8());
            return Err(syntax(span, &format!("`{first}` is not part of the format"), "a header, a state or an edge"));
        };
        tokens.push((token, Span::new(at, at + length)));
        at += length;
    }
    tokens.push((Token::End, Span::new(text.len(), text.len())));
    Ok(tokens)
}

fn string(rest: &str, at: usize) -> Result<(Token<'_>, usize), Box<Diagnostic>> {
    let mut content = String::new();
    let mut characters = rest.char_indices().skip(1);
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Ok((Token::Text(content), index + 1)),
            '\\' => content.extend(characters.next().map(|(_, escaped)| escaped)),
            other => content.push(other),
        }
    }
    Err(syntax(Span::new(at, at + 1), "a string is not closed", "`\"`"))
}
