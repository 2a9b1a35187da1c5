//! Where in the user's text something stands.

/// A stretch of bytes in one source: `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The stretch `start..end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// This span moved `by` bytes to the right, e.g. from a formula's own text to the file it stands in.
    #[must_use]
    pub const fn shifted(self, by: usize) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }
}

/// A named piece of text that diagnostics point into.
///
/// For a file too large to keep, `text` may be an excerpt: `first_line` and `offset` then say where
/// in the whole it begins, and spans still count from the start of the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the user wrote it, or a name such as `<property>`.
    pub name: String,
    /// The text, or the excerpt of it.
    pub text: String,
    /// Line number of the first line of `text`, counted from 1.
    pub first_line: usize,
    /// Byte offset of `text` in the whole.
    pub offset: usize,
}

impl SourceFile {
    /// A whole source.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), first_line: 1, offset: 0 }
    }

    /// Line and column, both counted from 1 and the column in characters, of a byte offset.
    #[must_use]
    pub fn line_column(&self, at: usize) -> (usize, usize) {
        let mut local = at.saturating_sub(self.offset).min(self.text.len());
        while !self.text.is_char_boundary(local) {
            local -= 1;
        }
        let before = &self.text[..local];
        let line = before.bytes().filter(|&byte| byte == b'\n').count();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (self.first_line + line, before[line_start..].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_characters_from_one() {
        let file = SourceFile::new("x", "aé\nb");
        assert_eq!(file.line_column(0), (1, 1));
        assert_eq!(file.line_column(3), (1, 3));
        assert_eq!(file.line_column(4), (2, 1));
        assert_eq!(file.line_column(99), (2, 2));
    }
}
