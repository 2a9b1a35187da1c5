//! What does a line say about steps: edges, hyper-edges, and constraints of fairness over them?

use std::io::Read;

use tertium_base::{Diagnostic, Span};

use super::Reader;
use crate::read::bytes::{Flow, Halt};
use crate::read::draft::{FairDraft, NONE, Pairs, suggest};

enum ArrowKind {
    /// May, must.
    Plain(bool, bool),
    /// Whether members are may successors too.
    Hyper(bool),
}

impl<R: Read> Reader<'_, '_, '_, R> {
    /// What follows the source of an edge.
    pub(super) fn edge(&mut self, from: u32, at: usize) -> Flow {
        self.expect(b'-', "`-`")?;
        if self.takes(b'[')? {
            return self.valued_edge(from);
        }
        let kind_span = self.name("must, may, hyper, mustonly, hyperonly or `[`")?;
        let kind = match self.word.as_slice() {
            b"must" => ArrowKind::Plain(true, true),
            b"may" => ArrowKind::Plain(true, false),
            b"mustonly" => ArrowKind::Plain(false, true),
            b"hyper" => ArrowKind::Hyper(true),
            b"hyperonly" => ArrowKind::Hyper(false),
            _ => return Err(self.unknown_kind(kind_span)),
        };
        let mut action = NONE;
        if self.takes(b':')? {
            let span = self.name("an action")?;
            action = self.draft.action(&self.word, span)?;
        }
        self.arrow()?;
        match kind {
            ArrowKind::Plain(may, must) => {
                let to = self.state()?;
                self.draft.edge(from, to, may, must, action, at)?;
            }
            ArrowKind::Hyper(may) => self.hyper_edge(from, action, may, at)?,
        }
        self.end_of_line()
    }

    fn unknown_kind(&self, span: Span) -> Halt {
        let word = String::from_utf8_lossy(&self.word).into_owned();
        let diagnostic = Diagnostic::error("E0223", format!("`{word}` is no kind of edge"))
            .at(span, "expected must, may, hyper, mustonly or hyperonly")
            .help("an action is written after the kind: `a -must:act-> b`; a value in brackets: `a -[x1]-> b`");
        suggest(diagnostic, &word, ["must", "may", "hyper", "mustonly", "hyperonly"]).into()
    }

    fn arrow(&mut self) -> Flow {
        self.expect(b'-', "`->`")?;
        if self.source.peek()? != Some(b'>') {
            return Err(self.unexpected("`>` of `->`"));
        }
        self.source.bump();
        Ok(())
    }

    fn valued_edge(&mut self, from: u32) -> Flow {
        let span = self.value(b"]")?;
        let value = std::mem::take(&mut self.word);
        self.expect(b']', "`]`")?;
        self.arrow()?;
        let to = self.state()?;
        self.draft.valued_edge(from, &value, to, span)?;
        self.end_of_line()
    }

    /// `{a, b}`; unless told otherwise, the members are possible too.
    fn hyper_edge(&mut self, from: u32, action: u32, may: bool, at: usize) -> Flow {
        self.expect(b'{', "`{` and the members")?;
        let kept = self.draft.hyper.members.len();
        let result = self.members();
        if result.is_err() {
            self.draft.hyper.members.truncate(kept);
            return result;
        }
        if may {
            for index in kept..self.draft.hyper.members.len() {
                let member = self.draft.hyper.members[index];
                self.draft.edge(from, member, true, false, action, at)?;
            }
        }
        let span = Span::new(at, self.here().start);
        self.draft.hyper(from, action, span)
    }

    fn members(&mut self) -> Flow {
        if self.closes()? {
            return Ok(());
        }
        loop {
            self.next_line()?;
            let state = self.state()?;
            self.draft.member(state)?;
            if self.closes()? {
                return Ok(());
            }
            self.expect(b',', "`,` or `}`")?;
        }
    }

    /// Whether the block ends here; blocks may span lines.
    pub(super) fn closes(&mut self) -> Flow<bool> {
        let closed = self.next_line()? == Some(b'}');
        if closed {
            self.source.bump();
        }
        Ok(closed)
    }

    /// `fair {a -> b, c -act-> d} [certain {...}]`
    pub(super) fn fairness(&mut self, start: Span) -> Flow {
        let possible = self.pairs()?;
        let mut certain = None;
        if self.next()? == Some(b'c') {
            self.name("`certain`")?;
            if self.word != b"certain" {
                return Err(self.unexpected("`certain` before another list of edges"));
            }
            certain = Some(self.pairs()?);
        }
        let span = start.to(Span::new(self.here().start, self.here().start));
        self.draft.fair.push(FairDraft { possible, certain, span });
        Ok(())
    }

    fn pairs(&mut self) -> Flow<Pairs> {
        self.expect(b'{', "`{` and edges")?;
        let mut pairs = Pairs::new();
        if self.closes()? {
            return Ok(pairs);
        }
        loop {
            self.next_line()?;
            let pair = self.pair()?;
            crate::names::room(&mut pairs, self.draft.budget)?;
            pairs.push(pair);
            if self.closes()? {
                return Ok(pairs);
            }
            self.expect(b',', "`,` or `}`")?;
        }
    }

    /// `a -> b` or `a -act-> b`
    fn pair(&mut self) -> Flow<(u32, u32, u32)> {
        let from = self.state()?;
        self.expect(b'-', "`->`")?;
        let mut action = NONE;
        if self.source.peek()? == Some(b'>') {
            self.source.bump();
        } else {
            let span = self.name("an action or `->`")?;
            action = self.draft.action(&self.word, span)?;
            self.arrow()?;
        }
        Ok((from, self.state()?, action))
    }
}
