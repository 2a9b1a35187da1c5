//! Which file and line does a place of a model belong to?
//!
//! A model may consist of several files. Their texts count as one behind the other: the model's own file begins at
//! byte 0, each included one behind those read before. So one [`Span`] names a place in any of them. A line marker
//! (`# 7 "file"`) ends one piece of a text and begins another, which claims to be from line 7 of `file`.
//!
//! A piece is a [`SourceFile`] whose `offset` says where it begins, so rendering a diagnostic needs only the piece
//! of its place ([`Sources::piece`]).

use tertium_base::{SourceFile, Span};

/// All texts of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// In the order of their offsets; never overlapping.
    pieces: Vec<SourceFile>,
    /// Where the next text begins.
    end: usize,
}

impl Sources {
    /// Adds a text behind all others; returns its offset.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        let mut piece = SourceFile::new(name, text);
        piece.offset = self.end;
        // One byte between texts, so that the end of one is not the beginning of the next.
        self.end += piece.text.len() + 1;
        self.pieces.push(piece);
        self.pieces[self.pieces.len() - 1].offset
    }

    /// Says that what stands from `at` on comes from line `line` of `name`.
    pub fn mark(&mut self, at: usize, name: impl Into<String>, line: usize) {
        let Some(index) = self.index(at) else { return };
        let local = at - self.pieces[index].offset;
        if !self.pieces[index].text.is_char_boundary(local) {
            return;
        }
        let text = self.pieces[index].text.split_off(local);
        let piece = SourceFile { name: name.into(), text, first_line: line, offset: at };
        self.pieces.insert(index + 1, piece);
    }

    /// The piece of text that a place lies in.
    #[must_use]
    pub fn piece(&self, span: Span) -> Option<&SourceFile> {
        self.index(span.start).map(|index| &self.pieces[index])
    }

    /// File name, line and column of a place.
    #[must_use]
    pub fn place(&self, span: Span) -> (&str, usize, usize) {
        self.piece(span).map_or(("", 0, 0), |piece| {
            let (line, column) = piece.line_column(span.start);
            (piece.name.as_str(), line, column)
        })
    }

    /// The text of a place.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.piece(span)
            .and_then(|piece| piece.text.get(span.start - piece.offset..span.end.saturating_sub(piece.offset)))
            .unwrap_or("")
    }

    /// All pieces.
    #[must_use]
    pub fn pieces(&self) -> &[SourceFile] {
        &self.pieces
    }

    fn index(&self, at: usize) -> Option<usize> {
        self.pieces.partition_point(|piece| piece.offset <= at).checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_by_file_and_line() {
        let mut sources = Sources::default();
        assert_eq!(sources.add("a.pml", "one\ntwo\n"), 0);
        assert_eq!(sources.add("b.h", "three\nfour\nfive"), 9);
        sources.mark(15, "c.h", 40);
        assert_eq!(sources.place(Span::new(4, 7)), ("a.pml", 2, 1));
        assert_eq!(sources.place(Span::new(9, 14)), ("b.h", 1, 1));
        assert_eq!(sources.place(Span::new(20, 24)), ("c.h", 41, 1));
        assert_eq!(sources.text(Span::new(20, 24)), "five");
        assert_eq!(sources.text(Span::new(20, 99)), "");
    }
}
