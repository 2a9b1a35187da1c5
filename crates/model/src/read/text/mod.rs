//! A structure written in lines for people: `.kmts`.
//!
//! One statement a line; braces may span lines. The grammar is in `docs/formats.md`. A mistake costs its line
//! only: reading goes on with the next one.
//!
//! Not here: checks that need the whole input ([`super::finish`]).

mod declarations;
mod edges;
mod words;

use std::io::Read;

use tertium_base::{Diagnostic, Span};

pub(crate) use self::declarations::split_logic;
pub(crate) use self::words::{KEYWORDS, is_bare, is_bare_name};
use crate::read::bytes::{ByteSource, Flow, Halt};
use crate::read::draft::{Draft, suggest};

/// Reads one structure into `draft`.
pub(crate) fn read<R: Read>(name: &str, source: ByteSource<'_, R>, draft: &mut Draft<'_>) -> Flow {
    let mut reader = Reader { source, word: Vec::new(), draft, name };
    while reader.next_line()?.is_some() {
        match reader.line() {
            Ok(()) => {}
            Err(Halt::Broken(diagnostic)) if !["E0200", "E0221"].contains(&diagnostic.code) => {
                reader.draft.report.add(*diagnostic);
                if reader.draft.report.is_full() {
                    return Ok(());
                }
                reader.skip_line()?;
            }
            Err(halt) => return Err(halt),
        }
    }
    Ok(())
}

struct Reader<'r, 'd, 'b, R> {
    source: ByteSource<'b, R>,
    /// The word read last.
    word: Vec<u8>,
    draft: &'r mut Draft<'d>,
    name: &'r str,
}

impl<R: Read> Reader<'_, '_, '_, R> {
    /// A state that is mentioned here.
    #[inline]
    fn state(&mut self) -> Flow<u32> {
        let span = self.name("a state")?;
        self.draft.mention(&self.word, span)
    }

    fn line(&mut self) -> Flow {
        let quoted = self.source.peek()? == Some(b'"');
        let span = self.name("a statement or an edge")?;
        let keyword = KEYWORDS.iter().copied().find(|keyword| !quoted && keyword.as_bytes() == self.word);
        let Some(keyword) = keyword else {
            if self.next()? != Some(b'-') {
                return Err(self.unknown_statement(span));
            }
            let from = self.draft.mention(&self.word, span)?;
            return self.edge(from, span.start);
        };
        if self.next()? == Some(b'-') {
            let from = self.draft.mention(keyword.as_bytes(), span)?;
            return self.edge(from, span.start);
        }
        self.statement(keyword, span)
    }

    fn unknown_statement(&self, span: Span) -> Halt {
        let word = String::from_utf8_lossy(&self.word).into_owned();
        let diagnostic = Diagnostic::error("E0223", format!("`{word}` begins neither a statement nor an edge"))
            .at(span, "expected a statement, or `-` of an edge after a state")
            .note(format!("statements begin with {}", KEYWORDS.join(", ")));
        suggest(diagnostic, &word, KEYWORDS).into()
    }

    fn statement(&mut self, keyword: &'static str, span: Span) -> Flow {
        match keyword {
            "state" => self.state_line()?,
            "init" => self.list(|reader, span| {
                let state = reader.draft.mention(&reader.word, span)?;
                reader.draft.init.push(state);
                Ok(())
            })?,
            "props" => {
                self.draft.declared_props.get_or_insert_default();
                self.optional_list(|reader, span| reader.draft.declare_prop(&reader.word, span))?;
            }
            "actions" => self.list(|reader, span| reader.draft.action(&reader.word, span).map(|_| ()))?,
            "params" => {
                self.draft.params.get_or_insert_default();
                self.optional_list(|reader, span| {
                    let name = reader.word_text(span)?;
                    reader.draft.params.get_or_insert_default().push((name, span));
                    Ok(())
                })?;
            }
            "total" => self.draft.total = Some((true, span)),
            "mixed" => self.flag_mixed(true, span),
            "strict" => self.flag_mixed(false, span),
            "lattice" => self.lattice()?,
            "fair" => self.fairness(span)?,
            "owner" => self.owner()?,
            _ => return self.property(),
        }
        self.end_of_line()
    }

    fn flag_mixed(&mut self, mixed: bool, span: Span) {
        match self.draft.mixed {
            Some((before, first)) if before != mixed => self.draft.report.add(
                Diagnostic::error("E0219", "`mixed` and `strict` contradict each other")
                    .at(span, "contradicts the other")
                    .also(first, "said here"),
            ),
            _ => self.draft.mixed = Some((mixed, span)),
        }
    }

    fn optional_list(&mut self, each: impl Fn(&mut Self, Span) -> Flow) -> Flow {
        match self.next()? {
            None | Some(b'\n') => Ok(()),
            Some(_) => self.list(each),
        }
    }

    /// Names with commas between, each handed to `each`.
    fn list(&mut self, each: impl Fn(&mut Self, Span) -> Flow) -> Flow {
        loop {
            let span = self.name("a name")?;
            each(self, span)?;
            if !self.takes(b',')? {
                return Ok(());
            }
        }
    }

    /// `state NAME [PROP: VALUE, ...]`
    fn state_line(&mut self) -> Flow {
        let span = self.name("the name of a state")?;
        let Some(state) = self.draft.declare(&self.word, span)? else { return self.skip_line() };
        if matches!(self.next()?, None | Some(b'\n')) {
            return Ok(());
        }
        loop {
            let span = self.name("a proposition")?;
            let prop = self.draft.prop(&self.word, span)?;
            self.expect(b':', "`:` and a value")?;
            let span = self.value(b",")?;
            self.draft.label(state, prop, &self.word, span)?;
            if !self.takes(b',')? {
                return Ok(());
            }
        }
    }
}
