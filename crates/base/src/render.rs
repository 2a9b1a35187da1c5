//! Diagnostics as text for people, in the style of rustc.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{SourceFile, Span};
use crate::visible::{is_deceptive, visible, visible_lines, write_out};

/// Lines longer than this are shown in part: a one-line JSON file may hold a hundred megabytes.
const LONGEST_SHOWN: usize = 400;

/// Renders `diagnostic` as text. `source` is what its places point into; without one, places are left out.
#[must_use]
pub fn render(diagnostic: &Diagnostic, source: Option<&SourceFile>, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(printable(&diagnostic.message)).id(diagnostic.code);
    let excerpt = source.and_then(|source| Excerpt::around(diagnostic, source));
    let mut group = Group::with_title(title);
    if let (Some(excerpt), Some(source)) = (&excerpt, source) {
        group = group.element(snippet(diagnostic, excerpt, source));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    for help in &diagnostic.helps {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).render(&[group])
}

fn snippet<'a>(
    diagnostic: &Diagnostic,
    excerpt: &'a Excerpt,
    source: &'a SourceFile,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let primary = diagnostic.primary.iter().map(|label| (AnnotationKind::Primary, label));
    let secondary = diagnostic.secondary.iter().map(|label| (AnnotationKind::Context, label));
    let annotations = primary.chain(secondary).filter_map(|(kind, label)| {
        let span = excerpt.local(label.span)?;
        Some(kind.span(span).label(printable(&label.text)))
    });
    Snippet::source(excerpt.text.as_str())
        .line_start(excerpt.first_line)
        .path(visible(&source.name))
        .annotations(annotations)
}

/// The lines that a diagnostic speaks of, cut so that a huge source costs nothing to render.
struct Excerpt {
    text: String,
    first_line: usize,
    offset: usize,
    /// Characters that are written out: where each ends in the source's excerpt, and how much longer it has become.
    grown: Vec<(usize, usize)>,
}

impl Excerpt {
    fn around(diagnostic: &Diagnostic, source: &SourceFile) -> Option<Self> {
        let primary = diagnostic.primary.as_ref()?.span;
        let local = |at: usize| at.saturating_sub(source.offset).min(source.text.len());
        let (mut from, mut to) = (local(primary.start), local(primary.end));
        for label in &diagnostic.secondary {
            let (start, end) = (local(label.span.start), local(label.span.end));
            // A far-away second place would drag everything between into view.
            if from.abs_diff(start) < 20_000 {
                from = from.min(start);
                to = to.max(end);
            }
        }
        to = to.max(from).min(from + 40_000).min(source.text.len());
        let text = &source.text;
        let floor = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let line_start = text[..floor(from)].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[floor(to)..].find('\n').map_or(text.len(), |newline| floor(to) + newline);
        let start = floor(line_start.max(from.saturating_sub(LONGEST_SHOWN)));
        let end = floor(line_end.min(to + LONGEST_SHOWN));
        let lines_before = text[..start].bytes().filter(|&byte| byte == b'\n').count();
        let (mut shown, mut grown) = (String::new(), Vec::new());
        for (at, c) in text[start..end].char_indices() {
            if !is_deceptive(c) || matches!(c, '\n' | '\t') || text[start + at..end].starts_with("\r\n") {
                shown.push(c);
                continue;
            }
            let before = shown.len();
            write_out(c, &mut shown);
            grown.push((at + c.len_utf8(), shown.len() - before - c.len_utf8()));
        }
        Some(Self { text: shown, first_line: source.first_line + lines_before, offset: source.offset + start, grown })
    }

    /// Where a byte of the source's excerpt is in what is shown.
    fn moved(&self, at: usize) -> usize {
        at + self.grown.iter().take_while(|(end, _)| *end <= at).map(|(_, by)| by).sum::<usize>()
    }

    fn local(&self, span: Span) -> Option<std::ops::Range<usize>> {
        let start = self.moved(span.start.checked_sub(self.offset)?);
        if start > self.text.len() {
            return None;
        }
        let floor = |mut at: usize| {
            at = at.min(self.text.len());
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = floor(start);
        let end = floor(self.moved(span.end.saturating_sub(self.offset))).max(start);
        Some(start..end)
    }
}

fn printable(text: &str) -> String {
    visible_lines(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_place_cause_and_help() {
        let source = SourceFile::new("design.kmts", "init a\na -must-> bb\n");
        let diagnostic = Diagnostic::error("E0204", "no state is named `bb`")
            .at(Span::new(17, 19), "unknown state")
            .help("a state with a similar name exists: `b`");
        let text = render(&diagnostic, Some(&source), false);
        assert!(text.contains("error[E0204]: no state is named `bb`"), "{text}");
        assert!(text.contains("design.kmts:2:11"), "{text}");
        assert!(text.contains("help: a state with a similar name exists"), "{text}");
    }

    #[test]
    fn survives_places_outside_the_text_and_endless_lines() {
        let source = SourceFile::new("x", "é".repeat(100_000));
        for (start, end) in [(0, 1), (1, 2), (99_999, 400_000), (500_000, 600_000), (7, 3)] {
            let diagnostic = Diagnostic::error("E0001", "m").at(Span::new(start, end), "here");
            assert!(render(&diagnostic, Some(&source), false).len() < 20_000);
        }
    }

    #[test]
    fn what_deceives_is_written_out_and_places_stay_right() {
        let source = SourceFile::new("a\u{202e}b.kmts", "state \u{202e}x\u{200b} bb\r\nstate \x1b[2J c\n");
        let found =
            Diagnostic::error("E0204", "no \u{2066}state\x07").at(Span::new(14, 16), "h\u{200f}ere").help("\x1b]0;x");
        let text = render(&found, Some(&source), false);
        assert!(!text.chars().any(|c| is_deceptive(c) && c != '\n'), "{text:?}");
        assert!(text.contains("state \\u{202e}x\\u{200b} bb") && text.contains("a\\u{202e}b.kmts:1"), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        let shown = lines.iter().position(|line| line.contains(" bb")).expect("the line");
        assert_eq!(lines[shown].find("bb"), lines[shown + 1].find("^^"), "{text}");
    }
}
