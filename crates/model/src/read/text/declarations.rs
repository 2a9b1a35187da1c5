//! What does a line declare: a lattice, or a property?

use std::io::Read;

use tertium_base::{Diagnostic, Span};

use super::Reader;
use crate::read::bytes::Flow;
use crate::read::draft::{LatticeDraft, Property};

const LOGICS: [&str; 7] = ["pml", "ctl", "ctl*", "ltl", "mu", "atl", "atl*"];

impl<R: Read> Reader<'_, '_, '_, R> {
    /// `lattice NAME` or `lattice NAME { elements ...; order ...; neg ... }`, one part a line.
    pub(super) fn lattice(&mut self) -> Flow {
        // One that is written down needs no name.
        let (name, span) = if self.next()? == Some(b'{') {
            let at = self.source.offset();
            (None, Span::new(at, at + 1))
        } else {
            let span = self.name("the name of a lattice, or `{`")?;
            (Some(self.word_text(span)?), span)
        };
        if self.draft.lattice.is_some() {
            self.draft.duplicate("E0206", "the lattice", name.as_deref().unwrap_or("{").as_bytes(), span, None);
        }
        let mut lattice = LatticeDraft { name, span, ..LatticeDraft::default() };
        if self.takes(b'{')? {
            while !self.closes()? {
                self.lattice_part(&mut lattice)?;
            }
        }
        self.draft.lattice = Some(lattice);
        Ok(())
    }

    fn lattice_part(&mut self, lattice: &mut LatticeDraft) -> Flow {
        self.name("elements, order or neg")?;
        match self.word.as_slice() {
            b"elements" => loop {
                let element = self.element()?;
                lattice.elements.get_or_insert_default().push(element);
                if !self.takes(b',')? {
                    return self.end_of_part();
                }
            },
            b"order" => loop {
                let mut low = self.element()?;
                while self.takes(b'<')? {
                    let high = self.element()?;
                    lattice.covers.get_or_insert_default().push((low.0, high.0.clone(), high.1));
                    low = high;
                }
                if !self.takes(b',')? {
                    lattice.covers.get_or_insert_default();
                    return self.end_of_part();
                }
            },
            b"neg" => loop {
                let (from, span) = self.element()?;
                self.expect(b':', "`:` and the negation")?;
                let (to, _) = self.element()?;
                lattice.neg.get_or_insert_default().push((from, to, span));
                if !self.takes(b',')? {
                    return self.end_of_part();
                }
            },
            _ => Err(self.unexpected("a part of a lattice: elements, order or neg")),
        }
    }

    fn element(&mut self) -> Flow<(String, Span)> {
        let span = self.name("an element")?;
        Ok((self.word_text(span)?, span))
    }

    fn end_of_part(&mut self) -> Flow {
        if self.takes(b';')? {
            return Ok(());
        }
        match self.next()? {
            None | Some(b'\n' | b'}') => Ok(()),
            Some(_) => Err(self.unexpected("`,`, `;` or the end of the line")),
        }
    }

    /// `owner STATE, ... = PLAYER`
    pub(super) fn owner(&mut self) -> Flow {
        let mut states = Vec::new();
        loop {
            let span = self.name("the name of a state")?;
            states.push((self.draft.mention(&self.word, span)?, span.start));
            if !self.takes(b',')? {
                break;
            }
        }
        self.expect(b'=', "`=` and a player")?;
        let span = self.name("the name of a player")?;
        let player = self.draft.player(&self.word, span)?;
        for (state, at) in states {
            self.draft.owner(state, player, at)?;
        }
        Ok(())
    }

    /// `property NAME : [LOGIC] FORMULA`, to the end of the line.
    pub(super) fn property(&mut self) -> Flow {
        let span = self.name("the name of a property")?;
        let name = self.word_text(span)?;
        self.expect(b':', "`:` and a formula")?;
        self.next()?;
        let start = self.source.offset();
        let line = self.rest_of_line()?;
        let text = std::str::from_utf8(&line)
            .map_err(|_| crate::read::json::not_text(Span::new(start, start + line.len())))?;
        let (logic, from) = split_logic(text);
        let formula = text[from..].trim_end();
        let span = Span::new(start + from, start + from + formula.len());
        if formula.is_empty() {
            return Err(Diagnostic::error("E0201", format!("the property `{name}` has no formula"))
                .at(Span::new(start, start + 1), "expected a formula")
                .into());
        }
        let source = self.source.line_around(self.name, span);
        let (logic, formula) = (logic.map(str::to_owned), formula.to_owned());
        self.draft.properties.push(Property { name, logic, formula, span, source });
        Ok(())
    }
}

/// The logic that a property's text begins with, and where its formula begins.
///
/// `mu` is a logic unless a variable and a dot follow, as in `mu X. p`; in brackets it is always one.
pub(crate) fn split_logic(text: &str) -> (Option<&str>, usize) {
    let skip = |at: usize| at + text[at..].len() - text[at..].trim_start().len();
    if let Some(end) = text.strip_prefix('[').and_then(|rest| rest.find(']')) {
        let inside = text[1..=end].trim();
        if LOGICS.contains(&inside) {
            return (Some(inside), skip(end + 2));
        }
        return (None, 0);
    }
    let end = text.find(|letter: char| !letter.is_ascii_alphabetic() && letter != '*').unwrap_or(text.len());
    let word = &text[..end];
    let apart = text[end..].starts_with(|letter: char| letter.is_whitespace());
    if !LOGICS.contains(&word) || !apart {
        return (None, 0);
    }
    let rest = text[end..].trim_start();
    let variable = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    let binds = variable > 0 && rest[variable..].trim_start().starts_with('.');
    if word == "mu" && binds { (None, 0) } else { (Some(word), skip(end)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logic_is_told_from_a_fixpoint() {
        for (text, logic, formula) in [
            ("AG p", None, "AG p"),
            ("ctl AG p", Some("ctl"), "AG p"),
            ("ctl* A G p", Some("ctl*"), "A G p"),
            ("mu X. p | <>X", None, "mu X. p | <>X"),
            ("mu mu X. p", Some("mu"), "mu X. p"),
            ("[mu] mu X. p", Some("mu"), "mu X. p"),
            ("mu <>p", Some("mu"), "<>p"),
            ("[a] p", None, "[a] p"),
            ("[] p", None, "[] p"),
            ("ltl", None, "ltl"),
        ] {
            let (found, at) = split_logic(text);
            assert_eq!((found, &text[at..]), (logic, formula), "{text}");
        }
    }
}
