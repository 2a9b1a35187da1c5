//! Which steps do the fields of a structure list: edges, hyper-edges, and constraints of fairness over them?

use std::io::Read;

use tertium_base::{Diagnostic, Span};

use super::Reader;
use crate::read::bytes::Flow;
use crate::read::draft::{FairDraft, NONE, Pairs};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeCertainty {
    May,
    Must,
}

impl<R: Read> Reader<'_, '_, '_, R> {
    /// `[[from, to], [from, to, action], ...]`
    pub(super) fn edges(&mut self, kind: EdgeCertainty) -> Flow {
        let field = if kind == EdgeCertainty::May { "`may`" } else { "`must`" };
        if !self.opens(b'[', "a list of edges", field)? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            self.edge(kind)?;
        }
        Ok(())
    }

    #[inline]
    fn edge(&mut self, kind: EdgeCertainty) -> Flow {
        let at = self.json.here().start;
        let Some((from, to, action)) = self.pair("[from, to] or [from, to, action]")? else { return Ok(()) };
        self.draft.edge(from, to, kind == EdgeCertainty::May, kind == EdgeCertainty::Must, action, at)
    }

    /// `[from, to]` or `[from, to, action]`; without a result if it is something else, which is reported.
    #[inline]
    pub(super) fn pair(&mut self, shape: &str) -> Flow<Option<(u32, u32, u32)>> {
        if !self.opens(b'[', "a list", "an edge")? {
            return Ok(None);
        }
        let start = self.json.here().start;
        self.json.bump();
        let mut first = true;
        let (mut from, mut to, mut action) = (None, None, NONE);
        let mut count = 0;
        while self.json.another(&mut first, b']')? {
            match count {
                0 => from = self.state("a state")?,
                1 => to = self.state("a state")?,
                2 => action = self.action()?.unwrap_or(NONE),
                _ => self.json.skip().map(|_| ())?,
            }
            count += 1;
        }
        if !(2..=3).contains(&count) {
            self.wrong_shape("an edge", shape, start);
            return Ok(None);
        }
        Ok(from.zip(to).map(|(from, to)| (from, to, action)))
    }

    #[cold]
    pub(super) fn wrong_shape(&mut self, what: &str, shape: &str, start: usize) {
        let span = Span::new(start, self.json.here().start);
        self.draft.report.add(
            Diagnostic::error("E0208", format!("{what} is written {shape}")).at(span, "has another number of parts"),
        );
    }

    pub(super) fn hyper_edges(&mut self) -> Flow {
        if !self.opens(b'[', "a list of hyper edges", "`hyper`")? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            if self.opens(b'[', "a list", "a hyper edge")? {
                self.hyper_edge()?;
            }
        }
        Ok(())
    }

    /// `[from, [member, ...]]` or with an action.
    fn hyper_edge(&mut self) -> Flow {
        let start = self.json.here().start;
        self.json.bump();
        let mut first = true;
        let (mut from, mut action, mut listed) = (None, NONE, false);
        let mut count = 0;
        while self.json.another(&mut first, b']')? {
            match count {
                0 => from = self.state("a state")?,
                1 => listed = self.members()?,
                2 => action = self.action()?.unwrap_or(NONE),
                _ => self.json.skip().map(|_| ())?,
            }
            count += 1;
        }
        if !(2..=3).contains(&count) {
            self.wrong_shape("a hyper edge", "[from, [member, ...]] or [from, [member, ...], action]", start);
        }
        match from {
            Some(from) if listed => self.draft.hyper(from, action, Span::new(start, self.json.here().start)),
            _ => {
                let kept = self.draft.hyper.ends.last().copied().unwrap_or(0) as usize;
                self.draft.hyper.members.truncate(kept);
                Ok(())
            }
        }
    }

    fn members(&mut self) -> Flow<bool> {
        if !self.opens(b'[', "a list of states", "the members of a hyper edge")? {
            return Ok(false);
        }
        self.json.bump();
        let mut first = true;
        let mut all = true;
        while self.json.another(&mut first, b']')? {
            match self.state("a state")? {
                Some(state) => self.draft.member(state)?,
                None => all = false,
            }
        }
        Ok(all)
    }

    /// `[[from, value, to], ...]`
    pub(super) fn valued_edges(&mut self) -> Flow {
        if !self.opens(b'[', "a list of edges [from, value, to]", "`edges`")? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            if self.opens(b'[', "a list [from, value, to]", "an edge with a value")? {
                self.valued_edge()?;
            }
        }
        Ok(())
    }

    fn valued_edge(&mut self) -> Flow {
        let start = self.json.here().start;
        self.json.bump();
        let mut first = true;
        let (mut from, mut to, mut value) = (None, None, None);
        let mut count = 0;
        while self.json.another(&mut first, b']')? {
            match count {
                0 => from = self.state("a state")?,
                1 => {
                    if let Some(text) = self.string("the value of an edge")? {
                        value = Some((self.json.owned(text)?, text.span));
                    }
                }
                2 => to = self.state("a state")?,
                _ => self.json.skip().map(|_| ())?,
            }
            count += 1;
        }
        if count != 3 {
            self.wrong_shape("an edge with a value", "[from, value, to]", start);
            return Ok(());
        }
        if let (Some(from), Some((value, span)), Some(to)) = (from, value, to) {
            self.draft.valued_edge(from, value.as_bytes(), to, span)?;
        }
        Ok(())
    }

    pub(super) fn fairness(&mut self) -> Flow {
        if !self.opens(b'[', "a list of constraints", "`fair`")? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            let start = self.json.here().start;
            let constraint = match self.json.next()? {
                Some(b'{') => self.split_constraint()?,
                _ => FairDraft { possible: self.constraint()?, ..FairDraft::default() },
            };
            let span = Span::new(start, self.json.here().start);
            self.draft.fair.push(FairDraft { span, ..constraint });
        }
        Ok(())
    }

    /// `{"possible": [...], "certain": [...]}`, as abstractions have them.
    fn split_constraint(&mut self) -> Flow<FairDraft> {
        self.json.bump();
        let mut constraint = FairDraft::default();
        let mut first = true;
        while self.json.another(&mut first, b'}')? {
            let key = self.json.key()?;
            match self.json.text(key) {
                b"possible" => constraint.possible = self.constraint()?,
                b"certain" => constraint.certain = Some(self.constraint()?),
                _ => {
                    self.json.skip()?;
                    self.draft.report.add(
                        Diagnostic::error("E0208", "a constraint has the fields `possible` and `certain` only")
                            .at(key.span, "no such field"),
                    );
                }
            }
        }
        Ok(constraint)
    }

    fn constraint(&mut self) -> Flow<Pairs> {
        let mut pairs = Pairs::new();
        if !self.opens(b'[', "a list of edges", "a fairness constraint")? {
            return Ok(pairs);
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            if let Some(pair) = self.pair("[from, to] or [from, to, action]")? {
                crate::names::room(&mut pairs, self.draft.budget)?;
                pairs.push(pair);
            }
        }
        Ok(pairs)
    }
}
