//! The mistakes found so far, and the pieces of the input that they speak of.

use std::io::Read;

use tertium_base::{Diagnostic, SourceFile, Span};

/// More errors than this help nobody.
const MOST_ERRORS: usize = 20;
/// How much of the input is shown on either side of a place.
const AROUND: usize = 2000;

/// Collects diagnostics, the first [`MOST_ERRORS`] of each severity.
#[derive(Debug, Default)]
pub(crate) struct Report {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Report {
    pub fn add(&mut self, diagnostic: Diagnostic) {
        let count = if diagnostic.is_error() { &mut self.errors } else { &mut self.warnings };
        *count += 1;
        if *count <= MOST_ERRORS {
            self.list.push(diagnostic);
        }
    }

    /// Whether the input must be refused.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether further errors would not be shown, so that looking for them is a waste.
    pub fn is_full(&self) -> bool {
        self.errors >= MOST_ERRORS
    }

    /// All diagnostics in the order of their places; those without a place last.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map_or(usize::MAX, |label| label.span.start));
        let hidden = self.errors.saturating_sub(MOST_ERRORS) + self.warnings.saturating_sub(MOST_ERRORS);
        if hidden > 0 {
            self.list.push(Diagnostic::note_only("E0200", format!("{hidden} further messages are not shown")));
        }
        self.list
    }
}

/// For each diagnostic the part of the input that it speaks of, in one pass over the input.
/// What cannot be read (again) is left out.
pub(crate) fn excerpts(name: &str, mut input: impl Read, diagnostics: &mut [Diagnostic]) -> Vec<Option<SourceFile>> {
    let mut wanted: Vec<(usize, Span)> =
        diagnostics.iter().enumerate().filter_map(|(at, diagnostic)| Some((at, shown_part(diagnostic)?))).collect();
    wanted.sort_by_key(|(_, span)| span.start);
    let mut found = vec![None; diagnostics.len()];
    let mut reader = Excerpter { held: Vec::new(), base: 0, lines: 0, finished: false };
    for (at, span) in wanted {
        found[at] = reader.cut(name, &mut input, span);
    }
    for (diagnostic, excerpt) in diagnostics.iter_mut().zip(&found) {
        note_long_line(diagnostic, excerpt.as_ref());
    }
    found
}

/// A place in a line that is too long to be shown from its start is told by its byte: columns are counted
/// from where the excerpt begins.
fn note_long_line(diagnostic: &mut Diagnostic, excerpt: Option<&SourceFile>) {
    let (Some(label), Some(excerpt)) = (&diagnostic.primary, excerpt) else { return };
    let before = label.span.start.saturating_sub(excerpt.offset).min(excerpt.text.len());
    let starts_a_line = excerpt.offset == 0 || excerpt.text.as_bytes()[..before].contains(&b'\n');
    if !starts_a_line {
        diagnostic.notes.push(format!("the line is long; the place is at byte {} of the input", label.span.start + 1));
    }
}

/// The stretch from the primary place over near secondary ones, with some text around.
fn shown_part(diagnostic: &Diagnostic) -> Option<Span> {
    let primary = diagnostic.primary.as_ref()?.span;
    let near = |span: &Span| span.start.abs_diff(primary.start) < 10 * AROUND;
    let all = diagnostic.secondary.iter().map(|label| label.span).filter(near).fold(primary, Span::to);
    Some(Span::new(
        all.start.saturating_sub(AROUND),
        all.end.min(primary.start + 20 * AROUND).max(primary.start) + AROUND,
    ))
}

struct Excerpter {
    held: Vec<u8>,
    base: usize,
    lines: usize,
    finished: bool,
}

impl Excerpter {
    fn cut(&mut self, name: &str, input: &mut impl Read, span: Span) -> Option<SourceFile> {
        while !self.finished && self.base + self.held.len() < span.end {
            self.drop_before(span.start);
            self.read_more(input);
        }
        self.drop_before(span.start);
        let from = span.start.checked_sub(self.base)?;
        let to = (span.end - self.base).min(self.held.len());
        if from > to {
            return None;
        }
        // Begin with a line break if there is one, so that columns count from there; else with a character.
        let mut start = from;
        if span.start > 0 {
            let line = self.held[from..to.min(from + AROUND)].iter().position(|&byte| byte == b'\n');
            start = line.map_or(from, |at| from + at);
            while start < to && self.held[start] & 0xC0 == 0x80 {
                start += 1;
            }
        }
        let (text, kept) = lossy_same_length(&self.held[start..to]);
        debug_assert_eq!(kept, to - start);
        Some(SourceFile {
            name: name.to_owned(),
            text,
            first_line: self.lines + super::bytes::line_breaks(&self.held[..start]) + 1,
            offset: self.base + start,
        })
    }

    fn drop_before(&mut self, offset: usize) {
        let count = offset.saturating_sub(self.base).min(self.held.len());
        self.lines += super::bytes::line_breaks(&self.held[..count]);
        self.base += count;
        self.held.drain(..count);
    }

    fn read_more(&mut self, input: &mut impl Read) {
        let before = self.held.len();
        self.held.resize(before + 256 * 1024, 0);
        let count = loop {
            match input.read(&mut self.held[before..]) {
                Err(failure) if failure.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other.unwrap_or(0),
            }
        };
        self.held.truncate(before + count);
        self.finished |= count == 0;
    }
}

/// Text in which every byte that is no UTF-8 is one `?`, so that offsets stay right.
fn lossy_same_length(bytes: &[u8]) -> (String, usize) {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    let len = text.len();
    (text, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_keep_lines_and_offsets() {
        let text: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
        let places: Vec<usize> = [0, 7, 500_000, 777_777, text.len() - 3].into();
        let diagnostics: Vec<Diagnostic> =
            places.iter().rev().map(|&at| Diagnostic::error("E0201", "m").at(Span::new(at, at + 2), "")).collect();
        let whole = SourceFile::new("x", text.clone());
        for (excerpt, &at) in excerpts("x", text.as_bytes(), &mut diagnostics.clone()).iter().zip(places.iter().rev()) {
            let excerpt = excerpt.as_ref().expect("an excerpt");
            assert_eq!(excerpt.line_column(at), whole.line_column(at));
            assert!(excerpt.text.len() < 5 * AROUND);
            assert_eq!(excerpt.text[at - excerpt.offset..][..2], text[at..][..2]);
        }
    }

    #[test]
    fn bytes_that_are_no_text_keep_their_number() {
        let (text, len) = lossy_same_length(b"a\xff\xfe\xc3(\xe2\x82z");
        assert_eq!((text.as_str(), len), ("a???(??z", 8));
    }
}
