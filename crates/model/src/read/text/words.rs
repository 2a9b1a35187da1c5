//! What is a word of a `.kmts` text: names with and without quotes, signs, ends of lines?
//!
//! Not here: what a line says (`super`, `edges`, `declarations`).

use std::io::Read;

use tertium_base::{Diagnostic, Span};

use super::Reader;
use crate::read::bytes::{Flow, Halt};
use crate::read::json::escape;

/// Words that begin a statement. A state of such a name is written in quotes.
pub(crate) const KEYWORDS: [&str; 12] =
    ["state", "init", "props", "actions", "params", "total", "mixed", "strict", "lattice", "fair", "property", "owner"];

/// Whether a name can be written without quotes.
pub(crate) fn is_bare_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_bare) && !KEYWORDS.contains(&name)
}

/// Whether a byte can stand in a name without quotes.
pub(crate) fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'\'' | b'@' | b'$') || byte >= 0x80
}

impl<R: Read> Reader<'_, '_, '_, R> {
    /// Skips blanks and comments, not line breaks; the next byte.
    #[inline]
    pub(super) fn next(&mut self) -> Flow<Option<u8>> {
        loop {
            match self.source.peek()? {
                Some(b' ' | b'\t' | b'\r') => self.source.bump(),
                Some(b'#') => self.skip_line()?,
                other => return Ok(other),
            }
        }
    }

    /// Skips to the next thing on this or a later line.
    pub(super) fn next_line(&mut self) -> Flow<Option<u8>> {
        loop {
            match self.next()? {
                Some(b'\n') => self.source.bump(),
                other => return Ok(other),
            }
        }
    }

    /// Skips up to the line break.
    pub(super) fn skip_line(&mut self) -> Flow {
        while let Some(byte) = self.source.peek()? {
            if byte == b'\n' {
                break;
            }
            let rest = self.source.rest();
            let count = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            self.source.take(count);
        }
        Ok(())
    }

    pub(super) fn here(&self) -> Span {
        let offset = self.source.offset();
        Span::new(offset, offset + 1)
    }

    #[cold]
    pub(super) fn unexpected(&mut self, what: &str) -> Halt {
        let found = match self.next() {
            Err(halt) => return halt,
            Ok(found) => found,
        };
        let message = match found {
            None => format!("the file ends where {what} should come"),
            Some(b'\n') => format!("the line ends where {what} should come"),
            Some(byte) if byte.is_ascii_graphic() => format!("expected {what}, found `{}`", byte as char),
            Some(byte) => format!("expected {what}, found the byte 0x{byte:02x}"),
        };
        Diagnostic::error("E0201", message).at(self.here(), "not expected here").into()
    }

    #[inline]
    pub(super) fn expect(&mut self, byte: u8, what: &str) -> Flow {
        if self.next()? == Some(byte) {
            self.source.bump();
            return Ok(());
        }
        Err(self.unexpected(what))
    }

    pub(super) fn takes(&mut self, byte: u8) -> Flow<bool> {
        let found = self.next()? == Some(byte);
        if found {
            self.source.bump();
        }
        Ok(found)
    }

    pub(super) fn end_of_line(&mut self) -> Flow {
        match self.next()? {
            None | Some(b'\n') => Ok(()),
            Some(_) => Err(self.unexpected("the end of the line")),
        }
    }

    /// Reads a bare or quoted name into `self.word`; says where it stands.
    #[inline]
    pub(super) fn name(&mut self, what: &str) -> Flow<Span> {
        match self.next()? {
            Some(b'"') => self.quoted(),
            Some(byte) if is_bare(byte) => self.bare(),
            _ => Err(self.unexpected(what)),
        }
    }

    #[inline]
    fn bare(&mut self) -> Flow<Span> {
        let start = self.source.offset();
        self.word.clear();
        loop {
            let rest = self.source.rest();
            let count = rest.iter().position(|&byte| !is_bare(byte)).unwrap_or(rest.len());
            let whole = count < rest.len();
            self.word.extend_from_slice(self.source.take(count));
            if whole || self.source.peek()?.is_none() {
                return Ok(Span::new(start, start + self.word.len()));
            }
        }
    }

    pub(super) fn quoted(&mut self) -> Flow<Span> {
        let start = self.source.offset();
        self.source.bump();
        let mut raw = Vec::new();
        loop {
            match self.source.peek()? {
                None | Some(b'\n') => {
                    return Err(Diagnostic::error("E0201", "a quoted name is not closed on its line")
                        .at(Span::new(start, start + 1), "begins here")
                        .into());
                }
                Some(b'"') if !ends_in_escape(&raw) => break,
                Some(byte) => {
                    crate::names::room(&mut raw, self.draft.budget)?;
                    raw.push(byte);
                    self.source.bump();
                }
            }
        }
        self.source.bump();
        self.decode(&raw, start + 1)?;
        Ok(Span::new(start + 1, start + 1 + raw.len()))
    }

    fn decode(&mut self, raw: &[u8], start: usize) -> Flow {
        self.word.clear();
        let mut at = 0;
        while at < raw.len() {
            if raw[at] != b'\\' {
                self.word.push(raw[at]);
                at += 1;
                continue;
            }
            let Some((symbol, used)) = escape(&raw[at + 1..]) else {
                return Err(Diagnostic::error("E0201", "no such escape in a quoted name")
                    .at(Span::new(start + at, start + at + 2), "not an escape")
                    .into());
            };
            self.word.extend_from_slice(symbol.encode_utf8(&mut [0; 4]).as_bytes());
            at += 1 + used;
        }
        Ok(())
    }

    pub(super) fn word_text(&self, span: Span) -> Flow<String> {
        String::from_utf8(self.word.clone()).map_err(|_| crate::read::json::not_text(span))
    }

    /// A value up to one of `stops` or the end of the line, or in quotes.
    pub(super) fn value(&mut self, stops: &[u8]) -> Flow<Span> {
        if self.next()? == Some(b'"') {
            return self.quoted();
        }
        let start = self.source.offset();
        self.word.clear();
        while let Some(byte) = self.source.peek()? {
            if byte == b'\n' || byte == b'#' || stops.contains(&byte) {
                break;
            }
            crate::names::room(&mut self.word, self.draft.budget)?;
            self.word.push(byte);
            self.source.bump();
        }
        let kept = self.word.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
        self.word.truncate(kept);
        if self.word.is_empty() {
            return Err(self.unexpected("a value"));
        }
        Ok(Span::new(start, start + kept))
    }

    /// Everything up to the line break or a comment; `#` inside double quotes begins none.
    pub(super) fn rest_of_line(&mut self) -> Flow<Vec<u8>> {
        let mut line = Vec::new();
        let mut in_quotes = false;
        while let Some(byte) = self.source.peek()? {
            match byte {
                b'\n' => break,
                b'#' if !in_quotes => {
                    self.skip_line()?;
                    break;
                }
                b'"' => in_quotes = !in_quotes,
                _ => {}
            }
            crate::names::room(&mut line, self.draft.budget)?;
            line.push(byte);
            self.source.bump();
        }
        Ok(line)
    }
}

fn ends_in_escape(raw: &[u8]) -> bool {
    raw.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}
