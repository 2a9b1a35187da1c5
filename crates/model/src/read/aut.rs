//! A labelled transition system in Aldebaran's format: `.aut`, as CADP and mCRL2 write it.
//!
//! `des (first, transitions, states)`, then a line `(from, label, to)` for each transition, the label in quotes or without. States are numbers. Labels become actions; everything is certain, and there
//! are no propositions. A file that is shorter than its first line says is refused, and so are probabilities, which mCRL2 writes beside targets.
//!
//! Not here: what `tertium export --to aut` encodes in labels. It is read as any other label.

use std::io::Read;

use tertium_base::narrow::to_u32;
use tertium_base::{Diagnostic, Span};

use super::bytes::{ByteSource, Flow, Halt};
use super::draft::Draft;
use crate::kmts::TARGET;

/// Reads one transition system into `draft`.
pub(crate) fn read<R: Read>(source: ByteSource<'_, R>, draft: &mut Draft<'_>) -> Flow {
    let mut lines = Lines { source, line: Vec::new(), start: 0 };
    if !lines.next()? {
        return Err(broken(Span::new(0, 0), "the file is empty", "expected `des (first, transitions, states)`"));
    }
    let header = header(&lines)?;
    let mut count = 0usize;
    while lines.next()? {
        transition(&lines, header.states, draft)?;
        count += 1;
        if count.is_multiple_of(1024) {
            draft.budget.check()?;
        }
    }
    let end = Span::new(header.span.start, header.span.end);
    if count != header.transitions {
        let message = format!("{count} transitions follow, and the first line announces {}", header.transitions);
        return Err(broken(end, message, "announced here"));
    }
    if header.states > 2 * count + 1 {
        let message =
            format!("{} states are announced, more than {count} transitions can lead to or from", header.states);
        return Err(broken(end, message, "announced here"));
    }
    // The numbers of states in the draft are those of the file, since they are declared in this order.
    for state in 0..header.states {
        draft.declare(state.to_string().as_bytes(), end)?;
    }
    draft.init.push(to_u32(header.first));
    Ok(())
}

struct Header {
    first: usize,
    transitions: usize,
    states: usize,
    span: Span,
}

/// `des (first, transitions, states)`.
fn header<R: Read>(lines: &Lines<'_, R>) -> Flow<Header> {
    let (text, span) = lines.text()?;
    let wanted = || {
        broken(span, "the first line is not that of a transition system", "expected `des (first, transitions, states)`")
    };
    let inside = text.strip_prefix("des").map(str::trim).and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
    let parts: Vec<&str> = inside.ok_or_else(wanted)?.split(',').map(str::trim).collect();
    if parts.first().is_some_and(|first| first.contains(' ')) {
        return Err(probabilities(span));
    }
    let numbers: Option<Vec<usize>> = parts.iter().map(|part| part.parse().ok()).collect();
    let Some([first, transitions, states]) = numbers.and_then(|numbers| <[usize; 3]>::try_from(numbers).ok()) else {
        return Err(wanted());
    };
    if states > TARGET as usize {
        return Err(Diagnostic::error("E0221", format!("more than {TARGET} states")).at(span, "announced here").into());
    }
    if first >= states {
        return Err(broken(
            span,
            format!("the initial state {first} is none of the {states} states"),
            "announced here",
        ));
    }
    Ok(Header { first, transitions, states, span })
}

/// `(from, label, to)`.
fn transition<R: Read>(lines: &Lines<'_, R>, states: usize, draft: &mut Draft<'_>) -> Flow {
    let (text, span) = lines.text()?;
    let wanted = || broken(span, "this line is no transition", "expected `(from, \"label\", to)`");
    let inside = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(wanted)?;
    let (from, rest) = inside.split_once(',').ok_or_else(wanted)?;
    let (label, to) = rest.rsplit_once(',').ok_or_else(wanted)?;
    if to.trim().contains(' ') {
        return Err(probabilities(span));
    }
    let state = |number: &str| {
        let number: usize = number.trim().parse().map_err(|_| wanted())?;
        if number >= states {
            return Err(broken(
                span,
                format!("there is no state {number}: the first line announces {states}"),
                "named here",
            ));
        }
        Ok(to_u32(number))
    };
    let (from, to) = (state(from)?, state(to)?);
    let label = label.trim();
    let quoted = label.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let action = draft.action(quoted.unwrap_or(label).as_bytes(), span)?;
    draft.edge(from, to, true, true, action, span.start)
}

fn broken(span: Span, message: impl Into<String>, here: &str) -> Halt {
    Diagnostic::error("E0225", message).at(span, here).into()
}

fn probabilities(span: Span) -> Halt {
    Diagnostic::error("E0226", "transitions with probabilities have no counterpart here")
        .at(span, "several targets, or a probability")
        .help("write the system without probabilities")
        .into()
}

/// The lines of the input that are not empty.
struct Lines<'b, R> {
    source: ByteSource<'b, R>,
    line: Vec<u8>,
    start: usize,
}

impl<R: Read> Lines<'_, R> {
    /// Goes on to the next line; `false` at the end.
    fn next(&mut self) -> Flow<bool> {
        loop {
            self.line.clear();
            self.start = self.source.offset();
            let mut any = false;
            while let Some(byte) = self.source.peek()? {
                self.source.bump();
                any = true;
                if byte == b'\n' {
                    break;
                }
                if self.line.len() >= LONGEST_LINE {
                    let here = Span::new(self.start, self.start + 1);
                    return Err(Diagnostic::error("E0201", "a line is longer than 1 MB")
                        .at(here, "begins here")
                        .into());
                }
                self.line.push(byte);
            }
            if !any {
                return Ok(false);
            }
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                return Ok(true);
            }
        }
    }

    /// The line without blanks around it, and where it stands.
    fn text(&self) -> Flow<(&str, Span)> {
        let span = Span::new(self.start, self.start + self.line.len());
        match std::str::from_utf8(&self.line) {
            Ok(text) => Ok((text.trim(), span)),
            Err(_) => Err(super::json::not_text(span)),
        }
    }
}

/// Labels are names, which are short.
const LONGEST_LINE: usize = 1 << 20;
