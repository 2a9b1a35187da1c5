//! Which byte is meant by line 3, character 7?
//!
//! Editors count in UTF-16 units unless both sides agree on bytes; the tool counts bytes. Lines end at `\n`, `\r\n` or
//! `\r`. A position that does not exist means the nearest one before it that does.

use serde_json::{Value, json};
use tertium_base::Span;

/// In which units characters are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16.
    #[default]
    Utf16,
}

impl Encoding {
    /// The name in the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
        }
    }

    const fn width(self, letter: char) -> usize {
        match self {
            Self::Utf8 => letter.len_utf8(),
            Self::Utf16 => letter.len_utf16(),
        }
    }
}

/// A text with the beginnings of its lines.
#[derive(Clone, Debug)]
pub struct Text {
    text: String,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl Text {
    /// A text whose positions are counted in these units.
    pub fn new(text: String, encoding: Encoding) -> Self {
        let starts = line_starts(&text);
        Self { text, starts, encoding }
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// In which units its positions are counted.
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The offset of a position.
    pub fn offset(&self, line: usize, character: usize) -> usize {
        let Some(&start) = self.starts.get(line) else { return self.text.len() };
        let mut left = character;
        for (at, letter) in self.text[start..].char_indices() {
            if left < self.encoding.width(letter) || matches!(letter, '\n' | '\r') {
                return start + at;
            }
            left -= self.encoding.width(letter);
        }
        self.text.len()
    }

    /// Line and character of an offset.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let before = self.text[self.starts[line]..offset].chars();
        (line, before.map(|letter| self.encoding.width(letter)).sum())
    }

    /// A place as the protocol writes it.
    pub fn range(&self, span: Span) -> Value {
        let position = |offset: usize| {
            let (line, character) = self.position(offset);
            json!({"line": line, "character": character})
        };
        json!({"start": position(span.start), "end": position(span.end.max(span.start))})
    }

    /// A line without the blanks around what it says, counted from 0, as the protocol writes it.
    pub fn line(&self, line: usize) -> Option<Value> {
        let &start = self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let whole = &self.text[start..end];
        let indent = whole.len() - whole.trim_start().len();
        Some(self.range(Span::new(start + indent.min(whole.trim_end().len()), start + whole.trim_end().len())))
    }

    /// The whole text as a place.
    pub fn whole(&self) -> Span {
        Span::new(0, self.text.len())
    }

    /// The offset of a position as the protocol writes it.
    pub fn offset_of(&self, position: &Value) -> Option<usize> {
        let number =
            |name: &str| position.get(name)?.as_u64().map(|value| usize::try_from(value).unwrap_or(usize::MAX));
        Some(self.offset(number("line")?, number("character")?))
    }

    /// The place of a range as the protocol writes it.
    pub fn span_of(&self, range: &Value) -> Option<Span> {
        let (start, end) = (self.offset_of(range.get("start")?)?, self.offset_of(range.get("end")?)?);
        Some(Span::new(start.min(end), start.max(end)))
    }

    /// Applies one change of a document: another text in a place, or another text.
    pub fn change(&mut self, change: &Value) {
        let Some(new) = change.get("text").and_then(Value::as_str) else { return };
        match change.get("range").and_then(|range| self.span_of(range)) {
            Some(span) => self.text.replace_range(span.start..span.end, new),
            None => new.clone_into(&mut self.text),
        }
        self.starts = line_starts(&self.text);
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = (0..bytes.len()).filter(|&at| match bytes[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|at| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "a𝔘b\r\nüx\rlast\n";

    #[test]
    fn positions_and_offsets_are_inverse() {
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let text = Text::new(SAMPLE.to_owned(), encoding);
            for (offset, letter) in SAMPLE.char_indices() {
                let (line, character) = text.position(offset);
                // Inside a line break there is no position of its own.
                if letter != '\n' || !SAMPLE[..offset].ends_with('\r') {
                    assert_eq!(text.offset(line, character), offset, "{encoding:?} {offset}");
                }
            }
        }
    }

    #[test]
    fn characters_outside_the_basic_plane_count_twice() {
        let text = Text::new(SAMPLE.to_owned(), Encoding::Utf16);
        assert_eq!(text.position(5), (0, 3), "behind the letter of four bytes");
        assert_eq!(text.offset(0, 2), 1, "inside of it is before it");
        assert_eq!(text.offset(0, 99), 6, "not behind the line break");
        assert_eq!(text.offset(1, 1), 10);
        assert_eq!(text.offset(2, 0), 12);
        assert_eq!(text.offset(99, 0), SAMPLE.len());
        assert_eq!(Text::new(SAMPLE.to_owned(), Encoding::Utf8).position(5), (0, 5));
    }

    #[test]
    fn changes_are_applied_in_units_of_the_protocol() {
        let mut text = Text::new(SAMPLE.to_owned(), Encoding::Utf16);
        let range = json!({"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 3}});
        text.change(&json!({"range": range, "text": "\n"}));
        assert_eq!(text.as_str(), "a\nb\r\nüx\rlast\n");
        assert_eq!(text.position(2), (1, 0));
        text.change(&json!({"text": "new"}));
        assert_eq!(text.as_str(), "new");
        text.change(&json!({"nothing": 1}));
        assert_eq!(text.as_str(), "new");
    }
}
