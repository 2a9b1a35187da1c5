//! JSON as a stream of tokens: no tree, no memory per value, no recursion.
//!
//! A string is handed out as it stands in the window unless it has escapes. What nobody asks for is skipped
//! with a counter of open brackets.
//!
//! Not here: which fields a structure has.

use std::io::Read;

use tertium_base::{Diagnostic, SourceFile, Span};

use super::bytes::{ByteSource, Flow, Halt};

/// Values nested deeper than this are refused; a structure needs five levels.
const DEEPEST: usize = 1000;

/// A string just read: its bytes (escapes resolved) stay with the reader, see [`Json::text`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    raw: usize,
    escaped: bool,
    /// Where it stands, without its quotes.
    pub span: Span,
}

pub(crate) struct Json<'b, R> {
    source: ByteSource<'b, R>,
    decoded: Vec<u8>,
}

impl<'b, R: Read> Json<'b, R> {
    pub fn new(source: ByteSource<'b, R>) -> Self {
        Self { source, decoded: Vec::new() }
    }

    /// Skips blanks; the next byte, or none at the end of the input.
    #[inline]
    pub fn next(&mut self) -> Flow<Option<u8>> {
        loop {
            match self.source.peek()? {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.source.bump(),
                other => return Ok(other),
            }
        }
    }

    /// Takes the byte that [`Self::next`] showed.
    #[inline]
    pub fn bump(&mut self) {
        self.source.bump();
    }

    /// The place of the next byte.
    pub fn here(&self) -> Span {
        let offset = self.source.offset();
        Span::new(offset, offset + 1)
    }

    /// Takes `byte` or says what stands there instead.
    #[inline]
    pub fn expect(&mut self, byte: u8, what: &str) -> Flow {
        if self.next()? == Some(byte) {
            self.source.bump();
            return Ok(());
        }
        Err(self.unexpected(what))
    }

    /// The complaint that something else than `what` comes next.
    #[cold]
    pub fn unexpected(&mut self, what: &str) -> Halt {
        let found = match self.next() {
            Err(halt) => return halt,
            Ok(found) => found,
        };
        let here = self.here();
        let message = match found {
            None => format!("the file ends where {what} should come"),
            Some(byte) if byte.is_ascii_graphic() => format!("expected {what}, found `{}`", byte as char),
            Some(byte) => format!("expected {what}, found the byte 0x{byte:02x}"),
        };
        let mut diagnostic = Diagnostic::error("E0201", message).at(here, "not expected here");
        if found.is_none() {
            diagnostic = diagnostic.help("the file may have been cut off");
        }
        diagnostic.into()
    }

    /// Whether another element of an array (closed by `]`) or object (`}`) comes; takes the comma or bracket.
    #[inline]
    pub fn another(&mut self, first: &mut bool, close: u8) -> Flow<bool> {
        match self.next()? {
            Some(byte) if byte == close => {
                self.source.bump();
                Ok(false)
            }
            Some(b',') if !*first => {
                self.source.bump();
                if self.next()? == Some(close) {
                    return Err(self.unexpected("another value after the comma"));
                }
                Ok(true)
            }
            Some(_) if *first => {
                *first = false;
                Ok(true)
            }
            _ => Err(self.unexpected(if close == b']' { "`,` or `]`" } else { "`,` or `}`" })),
        }
    }

    /// Reads a string; the next byte must be its quote.
    #[inline]
    pub fn string(&mut self) -> Flow<Text> {
        self.expect(b'"', "a string in double quotes")?;
        let start = self.source.offset();
        let (mut len, mut escaped) = (0, false);
        loop {
            let rest = self.source.rest();
            len += plain_prefix(&rest[len..]);
            match rest.get(len) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    len += 2;
                    while self.source.rest().len() < len {
                        self.more_of_string(start)?;
                    }
                }
                Some(_) => return Err(control_character(start + len)),
                None => self.more_of_string(start)?,
            }
        }
        self.source.take(len + 1);
        if escaped {
            self.decode(len, start)?;
        }
        Ok(Text { raw: len, escaped, span: Span::new(start, start + len) })
    }

    #[cold]
    fn more_of_string(&mut self, start: usize) -> Flow {
        if self.source.more()? {
            return Ok(());
        }
        Err(Diagnostic::error("E0201", "the file ends inside a string")
            .at(Span::new(start.saturating_sub(1), start), "the string begins here")
            .help("the file may have been cut off")
            .into())
    }

    /// The bytes of a string. To be asked for before anything else is read.
    #[inline]
    pub fn text(&self, text: Text) -> &[u8] {
        if text.escaped {
            return &self.decoded;
        }
        let with_quote = self.source.taken(text.raw + 1);
        &with_quote[..text.raw]
    }

    /// The string as owned text.
    pub fn owned(&self, text: Text) -> Flow<String> {
        String::from_utf8(self.text(text).to_vec()).map_err(|_| not_text(text.span))
    }

    #[cold]
    fn decode(&mut self, len: usize, start: usize) -> Flow {
        let raw = &self.source.taken(len + 1)[..len];
        self.decoded.clear();
        let mut at = 0;
        while at < raw.len() {
            if raw[at] != b'\\' {
                self.decoded.push(raw[at]);
                at += 1;
                continue;
            }
            let (symbol, used) = escape(&raw[at + 1..]).ok_or_else(|| bad_escape(start + at))?;
            let mut utf8 = [0; 4];
            self.decoded.extend_from_slice(symbol.encode_utf8(&mut utf8).as_bytes());
            at += 1 + used;
        }
        Ok(())
    }

    /// `true` or `false`, if one of them comes next.
    pub fn boolean(&mut self) -> Flow<Option<bool>> {
        match self.next()? {
            Some(b't') => self.word("true").map(|()| Some(true)),
            Some(b'f') => self.word("false").map(|()| Some(false)),
            _ => Ok(None),
        }
    }

    fn word(&mut self, word: &'static str) -> Flow {
        let start = self.source.offset();
        for &letter in word.as_bytes() {
            if self.source.peek()? != Some(letter) {
                return Err(Diagnostic::error("E0201", format!("expected `{word}`"))
                    .at(Span::new(start, self.source.offset() + 1), "no JSON value")
                    .into());
            }
            self.source.bump();
        }
        Ok(())
    }

    /// What kind of value comes next, in words.
    pub fn kind(&mut self) -> Flow<&'static str> {
        Ok(match self.next()? {
            Some(b'"') => "a string",
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b't' | b'f') => "a truth value",
            Some(b'n') => "null",
            Some(b'-' | b'0'..=b'9') => "a number",
            _ => "no JSON value",
        })
    }

    /// Skips one value, whatever it holds, and returns its place.
    pub fn skip(&mut self) -> Flow<Span> {
        let start = {
            self.next()?;
            self.source.offset()
        };
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.skip_opening(&mut open)?;
            // A value has just ended: close what ends with it.
            loop {
                let Some(&close) = open.last() else { return Ok(Span::new(start, self.source.offset())) };
                match self.next()? {
                    Some(b',') => {
                        self.source.bump();
                        break;
                    }
                    Some(byte) if byte == close => {
                        self.source.bump();
                        open.pop();
                    }
                    _ => return Err(self.unexpected(if close == b']' { "`,` or `]`" } else { "`,` or `}`" })),
                }
            }
            if open.last() == Some(&b'}') {
                self.key()?;
            }
        }
    }

    /// Skips opening brackets up to and with the first value that ends.
    fn skip_opening(&mut self, open: &mut Vec<u8>) -> Flow {
        loop {
            let close = match self.next()? {
                Some(b'[') => b']',
                Some(b'{') => b'}',
                _ => return self.skip_scalar(),
            };
            if open.len() >= DEEPEST {
                return Err(Diagnostic::error("E0203", format!("values are nested more than {DEEPEST} deep"))
                    .at(self.here(), "one level too deep")
                    .into());
            }
            self.source.bump();
            if self.next()? == Some(close) {
                self.source.bump();
                return Ok(());
            }
            open.push(close);
            if close == b'}' {
                self.key()?;
            }
        }
    }

    /// Reads a field's name and its colon.
    pub fn key(&mut self) -> Flow<Text> {
        if self.next()? != Some(b'"') {
            return Err(self.unexpected("a field name in double quotes"));
        }
        let key = self.string()?;
        // The window may move when the colon is looked for; a key is used after that, so keep it.
        if !key.escaped {
            self.decoded.clear();
            self.decoded.extend_from_slice(&self.source.taken(key.raw + 1)[..key.raw]);
        }
        self.expect(b':', "`:` after the field name")?;
        Ok(Text { escaped: true, ..key })
    }

    /// The name of the field that [`Self::key`] read last, as long as no string follows it.
    pub fn last_key(&self) -> &[u8] {
        &self.decoded
    }

    fn skip_scalar(&mut self) -> Flow {
        match self.next()? {
            Some(b'"') => self.string().map(|_| ()),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'-' | b'0'..=b'9') => self.skip_number(),
            Some(b'N' | b'I') => {
                Err(Diagnostic::error("E0201", "JSON has no NaN or Infinity").at(self.here(), "no JSON value").into())
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    fn skip_number(&mut self) -> Flow {
        let start = self.source.offset();
        let mut text = Vec::new();
        while let Some(byte @ (b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) = self.source.peek()? {
            // Only the shape matters; a number of a million digits need not be kept.
            if text.len() < 400 {
                text.push(byte);
            }
            self.source.bump();
        }
        if is_number(&text) {
            return Ok(());
        }
        Err(Diagnostic::error("E0201", "this is no JSON number")
            .at(Span::new(start, self.source.offset()), "not a number")
            .into())
    }

    /// The line around a place just read.
    pub fn line_around(&self, name: &str, span: Span) -> SourceFile {
        self.source.line_around(name, span)
    }
}

fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest[0] == b'0') {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let unsigned = exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let count = digits(unsigned);
        return count > 0 && count == unsigned.len();
    }
    rest.is_empty()
}

/// How many bytes come before the first quote, backslash or control character; eight at a time.
#[inline]
fn plain_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut at = 0;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let found = zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\'))) | control;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let tail = chunks.remainder();
    at + tail.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20).unwrap_or(tail.len())
}

/// The character that an escape stands for and how many bytes after the backslash it takes.
pub(crate) fn escape(rest: &[u8]) -> Option<(char, usize)> {
    let simple = match rest.first()? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(&rest[1..]).map(|(symbol, used)| (symbol, used + 1)),
        _ => return None,
    };
    Some((simple, 1))
}

fn unicode_escape(rest: &[u8]) -> Option<(char, usize)> {
    let first = hex4(rest)?;
    if !(0xD800..0xDC00).contains(&first) {
        return char::from_u32(first).map(|symbol| (symbol, 4));
    }
    let second = rest.get(4..).and_then(|rest| rest.strip_prefix(b"\\u")).and_then(hex4)?;
    let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    char::from_u32(0x10000 + ((first - 0xD800) << 10) + low).map(|symbol| (symbol, 10))
}

fn hex4(rest: &[u8]) -> Option<u32> {
    rest.get(..4)?.iter().try_fold(0, |sum, &digit| Some(sum * 16 + (digit as char).to_digit(16)?))
}

fn control_character(at: usize) -> Halt {
    Diagnostic::error("E0201", "a string holds a control character or a line break")
        .at(Span::new(at, at + 1), "must be written as an escape")
        .help("if a closing quote is missing, the string ends before this place")
        .into()
}

fn bad_escape(at: usize) -> Halt {
    Diagnostic::error("E0201", "no such escape in a string")
        .at(Span::new(at, at + 2), "not an escape")
        .help("escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits")
        .into()
}

/// The complaint that bytes are no UTF-8.
pub(crate) fn not_text(span: Span) -> Halt {
    Diagnostic::error("E0202", "this is not valid UTF-8").at(span, "bytes that are no text").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_base::Budget;

    #[test]
    fn plain_prefix_agrees_with_the_plain_loop() {
        let mut state = 7u64;
        for round in 0..20_000 {
            let bytes: Vec<u8> = (0..round % 37)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let byte = state.to_be_bytes()[2];
                    if byte < 200 { byte | 0x60 } else { byte.wrapping_mul(31) }
                })
                .collect();
            let plain = bytes.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(bytes.len());
            assert_eq!(plain_prefix(&bytes), plain, "{bytes:?}");
        }
    }

    fn skipped(text: &str) -> Result<Span, String> {
        let budget = Budget::unlimited();
        Json::new(ByteSource::new(text.as_bytes(), &budget)).skip().map_err(|halt| match halt {
            Halt::Broken(diagnostic) => diagnostic.code.to_owned(),
            Halt::Stopped(_) => "stopped".to_owned(),
        })
    }

    #[test]
    fn skips_any_value_and_refuses_what_is_none() {
        for good in
            ["1", "-0.5e+10", "[]", "{}", "[1,[2,{\"a\":[]}],null]", "{\"a\":{\"b\":[true,false]}}", "\"\\u00e9\""]
        {
            assert_eq!(skipped(good), Ok(Span::new(0, good.len())), "{good}");
        }
        for bad in [
            "",
            "NaN",
            "01",
            "1.",
            "-",
            "[1,]",
            "[1 2]",
            "{\"a\"}",
            "{a:1}",
            "[",
            "tru",
            "\"\\x\"",
            "\"a\nb\"",
            "{\"a\":1,}",
        ] {
            assert_eq!(skipped(bad).unwrap_err(), "E0201", "{bad}");
        }
        assert_eq!(skipped(&"[".repeat(1_000_000)).unwrap_err(), "E0203");
    }
}
