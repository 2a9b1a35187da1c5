//! A structure written in lines for people: `.kmts`.
//!
//! One statement a line; braces may span lines. The grammar is in `docs/formats.md`. A mistake costs its line
//! only: reading goes on with the next one.
//!
//! Not here: checks that need the whole input ([`super::finish`]).

use std::io::Read;

use tertium_base::{Diagnostic, Span};

use super::bytes::{ByteSource, Flow, Halt};
use super::draft::{Draft, FairDraft, LatticeDraft, NONE, Pairs, Property, suggest};
use super::json::escape;

/// Words that begin a statement. A state of such a name is written in quotes.
pub(crate) const KEYWORDS: [&str; 11] =
    ["state", "init", "props", "actions", "params", "total", "mixed", "strict", "lattice", "fair", "property"];

const LOGICS: [&str; 5] = ["pml", "ctl", "ctl*", "ltl", "mu"];

/// Whether a name can be written without quotes.
pub(crate) fn is_bare_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_bare) && !KEYWORDS.contains(&name)
}

/// Whether a byte can stand in a name without quotes.
pub(crate) fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'\'' | b'@' | b'$') || byte >= 0x80
}

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
    /// Skips blanks and comments, not line breaks; the next byte.
    #[inline]
    fn next(&mut self) -> Flow<Option<u8>> {
        loop {
            match self.source.peek()? {
                Some(b' ' | b'\t' | b'\r') => self.source.bump(),
                Some(b'#') => self.skip_line()?,
                other => return Ok(other),
            }
        }
    }

    /// Skips to the next thing on this or a later line.
    fn next_line(&mut self) -> Flow<Option<u8>> {
        loop {
            match self.next()? {
                Some(b'\n') => self.source.bump(),
                other => return Ok(other),
            }
        }
    }

    /// Skips up to the line break.
    fn skip_line(&mut self) -> Flow {
        while let Some(byte) = self.source.peek()? {
            if byte == b'\n' {
                break;
            }
            let rest = self.source.rest();
            let count = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            self.source.take(count);
        }
        Ok(())
    }

    fn here(&self) -> Span {
        let offset = self.source.offset();
        Span::new(offset, offset + 1)
    }

    #[cold]
    fn unexpected(&mut self, what: &str) -> Halt {
        let found = match self.next() {
            Err(halt) => return halt,
            Ok(found) => found,
        };
        let message = match found {
            None => format!("the file ends where {what} should come"),
            Some(b'\n') => format!("the line ends where {what} should come"),
            Some(byte) if byte.is_ascii_graphic() => format!("expected {what}, found `{}`", byte as char),
            Some(byte) => format!("expected {what}, found the byte 0x{byte:02x}"),
        };
        Diagnostic::error("E0201", message).at(self.here(), "not expected here").into()
    }

    #[inline]
    fn expect(&mut self, byte: u8, what: &str) -> Flow {
        if self.next()? == Some(byte) {
            self.source.bump();
            return Ok(());
        }
        Err(self.unexpected(what))
    }

    fn takes(&mut self, byte: u8) -> Flow<bool> {
        let found = self.next()? == Some(byte);
        if found {
            self.source.bump();
        }
        Ok(found)
    }

    fn end_of_line(&mut self) -> Flow {
        match self.next()? {
            None | Some(b'\n') => Ok(()),
            Some(_) => Err(self.unexpected("the end of the line")),
        }
    }

    /// Reads a bare or quoted name into `self.word`; says where it stands.
    #[inline]
    fn name(&mut self, what: &str) -> Flow<Span> {
        match self.next()? {
            Some(b'"') => self.quoted(),
            Some(byte) if is_bare(byte) => self.bare(),
            _ => Err(self.unexpected(what)),
        }
    }

    #[inline]
    fn bare(&mut self) -> Flow<Span> {
        let start = self.source.offset();
        self.word.clear();
        loop {
            let rest = self.source.rest();
            let count = rest.iter().position(|&byte| !is_bare(byte)).unwrap_or(rest.len());
            let whole = count < rest.len();
            self.word.extend_from_slice(self.source.take(count));
            if whole || self.source.peek()?.is_none() {
                return Ok(Span::new(start, start + self.word.len()));
            }
        }
    }

    fn quoted(&mut self) -> Flow<Span> {
        let start = self.source.offset();
        self.source.bump();
        let mut raw = Vec::new();
        loop {
            match self.source.peek()? {
                None | Some(b'\n') => {
                    return Err(Diagnostic::error("E0201", "a quoted name is not closed on its line")
                        .at(Span::new(start, start + 1), "begins here")
                        .into());
                }
                Some(b'"') if !ends_in_escape(&raw) => break,
                Some(byte) => {
                    crate::names::room(&mut raw, self.draft.budget)?;
                    raw.push(byte);
                    self.source.bump();
                }
            }
        }
        self.source.bump();
        self.decode(&raw, start + 1)?;
        Ok(Span::new(start + 1, start + 1 + raw.len()))
    }

    fn decode(&mut self, raw: &[u8], start: usize) -> Flow {
        self.word.clear();
        let mut at = 0;
        while at < raw.len() {
            if raw[at] != b'\\' {
                self.word.push(raw[at]);
                at += 1;
                continue;
            }
            let Some((symbol, used)) = escape(&raw[at + 1..]) else {
                return Err(Diagnostic::error("E0201", "no such escape in a quoted name")
                    .at(Span::new(start + at, start + at + 2), "not an escape")
                    .into());
            };
            self.word.extend_from_slice(symbol.encode_utf8(&mut [0; 4]).as_bytes());
            at += 1 + used;
        }
        Ok(())
    }

    fn word_text(&self, span: Span) -> Flow<String> {
        String::from_utf8(self.word.clone()).map_err(|_| super::json::not_text(span))
    }

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

    /// A value up to one of `stops` or the end of the line, or in quotes.
    fn value(&mut self, stops: &[u8]) -> Flow<Span> {
        if self.next()? == Some(b'"') {
            return self.quoted();
        }
        let start = self.source.offset();
        self.word.clear();
        while let Some(byte) = self.source.peek()? {
            if byte == b'\n' || byte == b'#' || stops.contains(&byte) {
                break;
            }
            crate::names::room(&mut self.word, self.draft.budget)?;
            self.word.push(byte);
            self.source.bump();
        }
        let kept = self.word.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
        self.word.truncate(kept);
        if self.word.is_empty() {
            return Err(self.unexpected("a value"));
        }
        Ok(Span::new(start, start + kept))
    }

    /// What follows the source of an edge.
    fn edge(&mut self, from: u32, at: usize) -> Flow {
        self.expect(b'-', "`-`")?;
        if self.takes(b'[')? {
            return self.valued_edge(from);
        }
        let kind_span = self.name("must, may, hyper, mustonly, hyperonly or `[`")?;
        let kind = match self.word.as_slice() {
            b"must" => Kind::Plain(true, true),
            b"may" => Kind::Plain(true, false),
            b"mustonly" => Kind::Plain(false, true),
            b"hyper" => Kind::Hyper(true),
            b"hyperonly" => Kind::Hyper(false),
            _ => return Err(self.unknown_kind(kind_span)),
        };
        let mut action = NONE;
        if self.takes(b':')? {
            let span = self.name("an action")?;
            action = self.draft.action(&self.word, span)?;
        }
        self.arrow()?;
        match kind {
            Kind::Plain(may, must) => {
                let to = self.state()?;
                self.draft.edge(from, to, may, must, action, at)?;
            }
            Kind::Hyper(may) => self.hyper_edge(from, action, may, at)?,
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
    fn closes(&mut self) -> Flow<bool> {
        let closed = self.next_line()? == Some(b'}');
        if closed {
            self.source.bump();
        }
        Ok(closed)
    }

    /// `fair {a -> b, c -act-> d} [certain {...}]`
    fn fairness(&mut self, start: Span) -> Flow {
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

    /// `lattice NAME` or `lattice NAME { elements ...; order ...; neg ... }`, one part a line.
    fn lattice(&mut self) -> Flow {
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

    /// `property NAME : [LOGIC] FORMULA`, to the end of the line.
    fn property(&mut self) -> Flow {
        let span = self.name("the name of a property")?;
        let name = self.word_text(span)?;
        self.expect(b':', "`:` and a formula")?;
        self.next()?;
        let start = self.source.offset();
        let line = self.rest_of_line()?;
        let text =
            std::str::from_utf8(&line).map_err(|_| super::json::not_text(Span::new(start, start + line.len())))?;
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

    /// Everything up to the line break or a comment; `#` inside double quotes begins none.
    fn rest_of_line(&mut self) -> Flow<Vec<u8>> {
        let mut line = Vec::new();
        let mut in_quotes = false;
        while let Some(byte) = self.source.peek()? {
            match byte {
                b'\n' => break,
                b'#' if !in_quotes => {
                    self.skip_line()?;
                    break;
                }
                b'"' => in_quotes = !in_quotes,
                _ => {}
            }
            crate::names::room(&mut line, self.draft.budget)?;
            line.push(byte);
            self.source.bump();
        }
        Ok(line)
    }
}

enum Kind {
    /// May, must.
    Plain(bool, bool),
    /// Whether members are may successors too.
    Hyper(bool),
}

fn ends_in_escape(raw: &[u8]) -> bool {
    raw.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
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
