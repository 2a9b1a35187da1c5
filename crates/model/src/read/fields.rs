//! A structure written as JSON: which fields it has and what stands in them.
//!
//! Fields come in any order, so nothing here assumes that a state was declared before an edge names it.
//!
//! Not here: the tokens of JSON ([`super::json`]) and checks that need the whole input ([`super::finish`]).

use std::io::Read;

use tertium_base::{Diagnostic, Span};

use super::bytes::{ByteSource, Flow};
use super::draft::{Draft, FairDraft, LatticeDraft, NONE, Pairs, Property, suggest};
use super::json::{Json, not_text};

const FIELDS: [&str; 19] = [
    "states",
    "props",
    "actions",
    "must",
    "may",
    "hyper",
    "edges",
    "fair",
    "total",
    "mixed",
    "init",
    "params",
    "lattice",
    "elements",
    "leq",
    "covers",
    "neg",
    "properties",
    "model",
];

/// Reads one structure into `draft`.
pub(crate) fn read<R: Read>(name: &str, source: ByteSource<'_, R>, draft: &mut Draft<'_>) -> Flow {
    let mut json = Json::new(source);
    if json.next()? != Some(b'{') {
        return Err(not_a_structure(&mut json));
    }
    let mut reader = Reader { json, draft, name, in_model: false, warnings: Vec::new() };
    reader.structure()?;
    if !reader.in_model {
        for warning in std::mem::take(&mut reader.warnings) {
            reader.draft.report.add(warning);
        }
    }
    match reader.json.next()? {
        None => Ok(()),
        Some(_) => Err(Diagnostic::error("E0201", "something follows the end of the structure")
            .at(reader.json.here(), "the structure ended before this")
            .into()),
    }
}

fn not_a_structure<R: Read>(json: &mut Json<'_, R>) -> super::bytes::Halt {
    match json.next() {
        Err(halt) => halt,
        Ok(Some(b'[')) => Diagnostic::error("E0208", "a structure is a JSON object, this is a list")
            .at(json.here(), "expected `{`")
            .help("if the list holds several structures, put each into a file of its own")
            .into(),
        Ok(_) => json.unexpected("a structure, which begins with `{`"),
    }
}

struct Reader<'r, 'd, 'b, R> {
    json: Json<'b, R>,
    draft: &'r mut Draft<'d>,
    name: &'r str,
    /// Whether a field `model` was read: what stands around it is not ours.
    in_model: bool,
    warnings: Vec<Diagnostic>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    May,
    Must,
}

impl<R: Read> Reader<'_, '_, '_, R> {
    /// The object with the structure's fields, or one with a field `model` that holds it.
    fn structure(&mut self) -> Flow {
        self.json.expect(b'{', "`{`")?;
        let mut seen = [None; FIELDS.len()];
        let mut first = true;
        while self.json.another(&mut first, b'}')? {
            let key = self.json.key()?;
            let text = self.json.text(key);
            let known = FIELDS.iter().position(|field| field.as_bytes() == text);
            match known {
                Some(at) if FIELDS[at] == "model" && self.in_model => self.unknown_field(key.span)?,
                Some(at) => match seen[at].replace(key.span) {
                    Some(before) => self.repeated_field(FIELDS[at], key.span, before)?,
                    None => self.field(FIELDS[at])?,
                },
                None => self.unknown_field(key.span)?,
            }
        }
        Ok(())
    }

    fn repeated_field(&mut self, field: &str, span: Span, before: Span) -> Flow {
        self.draft.report.add(
            Diagnostic::error("E0206", format!("the field `{field}` occurs twice"))
                .at(span, "again here")
                .also(before, "first here"),
        );
        self.json.skip().map(|_| ())
    }

    fn unknown_field(&mut self, span: Span) -> Flow {
        let name = String::from_utf8_lossy(self.json_key()).into_owned();
        self.json.skip()?;
        let warning = Diagnostic::warning("W0204", format!("the field `{name}` is not known and was ignored"))
            .at(span, "not a field of structures");
        self.warnings.push(suggest(warning, &name, FIELDS));
        Ok(())
    }

    fn json_key(&self) -> &[u8] {
        self.json.last_key()
    }

    fn field(&mut self, field: &'static str) -> Flow {
        match field {
            "states" => self.states(),
            "props" => {
                self.draft.declared_props.get_or_insert_default();
                self.names("props", |reader, text| {
                    let name = reader.json.text(text);
                    reader.draft.declare_prop(name, text.span)
                })
            }
            "actions" => self.names("actions", |reader, text| {
                let name = reader.json.text(text);
                reader.draft.action(name, text.span).map(|_| ())
            }),
            "must" => self.edges(Kind::Must),
            "may" => self.edges(Kind::May),
            "hyper" => self.hyper_edges(),
            "edges" => self.valued_edges(),
            "fair" => self.fairness(),
            "total" => {
                self.draft.total = self.flag("total")?;
                Ok(())
            }
            "mixed" => {
                self.draft.mixed = self.flag("mixed")?;
                Ok(())
            }
            "init" => self.init(),
            "params" => self.params(),
            "lattice" => self.lattice(),
            "elements" => self.elements(),
            "leq" | "covers" => self.order(field),
            "neg" => self.negation(),
            "properties" => self.properties(),
            _ => self.model(),
        }
    }

    fn model(&mut self) -> Flow {
        if !self.opens(b'{', "an object", "`model`")? {
            return Ok(());
        }
        self.in_model = true;
        let around = std::mem::take(&mut self.warnings);
        self.structure()?;
        for warning in std::mem::take(&mut self.warnings) {
            self.draft.report.add(warning);
        }
        drop(around);
        Ok(())
    }

    /// Whether a value of the wanted kind comes; if not, it is reported and skipped.
    fn opens(&mut self, byte: u8, wanted: &str, what: &str) -> Flow<bool> {
        if self.json.next()? == Some(byte) {
            return Ok(true);
        }
        self.wrong_type(wanted, what).map(|()| false)
    }

    #[cold]
    fn wrong_type(&mut self, wanted: &str, what: &str) -> Flow {
        let found = self.json.kind()?;
        let span = self.json.skip()?;
        let shown = Span::new(span.start, span.end.min(span.start + 60));
        self.draft.report.add(
            Diagnostic::error("E0208", format!("{what} must be {wanted}, not {found}"))
                .at(shown, format!("expected {wanted}")),
        );
        Ok(())
    }

    fn string(&mut self, what: &str) -> Flow<Option<super::json::Text>> {
        if self.json.next()? == Some(b'"') {
            return self.json.string().map(Some);
        }
        self.wrong_type("a string", what).map(|()| None)
    }

    /// A state's name that is mentioned here.
    #[inline]
    fn state(&mut self, what: &str) -> Flow<Option<u32>> {
        let Some(text) = self.string(what)? else { return Ok(None) };
        let name = self.json.text(text);
        self.draft.mention(name, text.span).map(Some)
    }

    fn action(&mut self) -> Flow<Option<u32>> {
        let Some(text) = self.string("an action")? else { return Ok(None) };
        let name = self.json.text(text);
        self.draft.action(name, text.span).map(Some)
    }

    /// A list of strings, each handed to `each`.
    fn names(&mut self, what: &str, each: impl Fn(&mut Self, super::json::Text) -> Flow) -> Flow {
        if !self.opens(b'[', "a list of strings", &format!("`{what}`"))? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            if let Some(text) = self.string(&format!("an entry of `{what}`"))? {
                each(self, text)?;
            }
        }
        Ok(())
    }

    fn flag(&mut self, what: &str) -> Flow<Option<(bool, Span)>> {
        let start = {
            self.json.next()?;
            self.json.here().start
        };
        match self.json.boolean()? {
            Some(value) => Ok(Some((value, Span::new(start, self.json.here().start)))),
            None => self.wrong_type("true or false", &format!("`{what}`")).map(|()| None),
        }
    }

    fn states(&mut self) -> Flow {
        self.draft.has_states = true;
        match self.json.next()? {
            Some(b'{') => self.json.bump(),
            Some(b'[') => return self.bare_states(),
            _ => return self.wrong_type("an object from names to labels", "`states`"),
        }
        let mut first = true;
        while self.json.another(&mut first, b'}')? {
            let key = self.json.key()?;
            let name = self.json.text(key);
            match self.draft.declare(name, key.span)? {
                Some(state) => self.labels(state)?,
                None => self.json.skip().map(|_| ())?,
            }
        }
        Ok(())
    }

    /// States without labels may be written as a list.
    fn bare_states(&mut self) -> Flow {
        self.names("states", |reader, text| {
            let name = reader.json.text(text);
            reader.draft.declare(name, text.span).map(|_| ())
        })
    }

    fn labels(&mut self, state: u32) -> Flow {
        if !self.opens(b'{', "an object from propositions to values", "the labels of a state")? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b'}')? {
            let key = self.json.key()?;
            let name = self.json.text(key);
            let prop = self.draft.prop(name, key.span)?;
            self.label(state, prop)?;
        }
        Ok(())
    }

    fn label(&mut self, state: u32, prop: u32) -> Flow {
        if self.json.next()? == Some(b'"') {
            let text = self.json.string()?;
            let value = self.json.text(text);
            return self.draft.label(state, prop, value, text.span);
        }
        let here = self.json.here();
        match self.json.boolean()? {
            Some(value) => self.draft.label(state, prop, if value { b"t" } else { b"f" }, here),
            None => self.wrong_type("one of \"t\", \"u\", \"f\", \"b\"", "the value of a label"),
        }
    }

    /// `[[from, to], [from, to, action], ...]`
    fn edges(&mut self, kind: Kind) -> Flow {
        let field = if kind == Kind::May { "`may`" } else { "`must`" };
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
    fn edge(&mut self, kind: Kind) -> Flow {
        let at = self.json.here().start;
        let Some((from, to, action)) = self.pair("[from, to] or [from, to, action]")? else { return Ok(()) };
        self.draft.edge(from, to, kind == Kind::May, kind == Kind::Must, action, at)
    }

    /// `[from, to]` or `[from, to, action]`; without a result if it is something else, which is reported.
    #[inline]
    fn pair(&mut self, shape: &str) -> Flow<Option<(u32, u32, u32)>> {
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
    fn wrong_shape(&mut self, what: &str, shape: &str, start: usize) {
        let span = Span::new(start, self.json.here().start);
        self.draft.report.add(
            Diagnostic::error("E0208", format!("{what} is written {shape}")).at(span, "has another number of parts"),
        );
    }

    fn hyper_edges(&mut self) -> Flow {
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
    fn valued_edges(&mut self) -> Flow {
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

    fn fairness(&mut self) -> Flow {
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

    fn init(&mut self) -> Flow {
        match self.json.next()? {
            Some(b'[') => self.names("init", |reader, text| {
                let name = reader.json.text(text);
                let state = reader.draft.mention(name, text.span)?;
                reader.draft.init.push(state);
                Ok(())
            }),
            Some(b'"') => {
                if let Some(state) = self.state("`init`")? {
                    self.draft.init.push(state);
                }
                Ok(())
            }
            _ => self.wrong_type("a state or a list of states", "`init`"),
        }
    }

    fn owned_names(&mut self, what: &str) -> Flow<Vec<(String, Span)>> {
        let mut list = Vec::new();
        if !self.opens(b'[', "a list of strings", &format!("`{what}`"))? {
            return Ok(list);
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            if let Some(text) = self.string(&format!("an entry of `{what}`"))? {
                crate::names::room(&mut list, self.draft.budget)?;
                list.push((self.json.owned(text)?, text.span));
            }
        }
        Ok(list)
    }

    fn params(&mut self) -> Flow {
        let list = self.owned_names("params")?;
        self.draft.params = Some(list);
        Ok(())
    }

    fn lattice_draft(&mut self) -> &mut LatticeDraft {
        self.draft.lattice.get_or_insert_default()
    }

    fn lattice(&mut self) -> Flow {
        if let Some(text) = self.string("`lattice`")? {
            let name = self.json.owned(text)?;
            let lattice = self.lattice_draft();
            lattice.name = Some(name);
            lattice.span = text.span;
        }
        Ok(())
    }

    fn elements(&mut self) -> Flow {
        let list = self.owned_names("elements")?;
        self.lattice_draft().elements = Some(list);
        Ok(())
    }

    /// `[[low, high], ...]`
    fn order(&mut self, field: &'static str) -> Flow {
        let mut list = Vec::new();
        if !self.opens(b'[', "a list of pairs", &format!("`{field}`"))? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            let start = self.json.here().start;
            let pair = self.owned_names("a pair of elements")?;
            let span = Span::new(start, self.json.here().start);
            match <[_; 2]>::try_from(pair) {
                Ok([(low, _), (high, _)]) => list.push((low, high, span)),
                Err(_) => self.wrong_shape("a pair of elements", "[lower, higher]", start),
            }
        }
        let lattice = self.lattice_draft();
        *(if field == "leq" { &mut lattice.leq } else { &mut lattice.covers }) = Some(list);
        Ok(())
    }

    fn negation(&mut self) -> Flow {
        if !self.opens(b'{', "an object from elements to elements", "`neg`")? {
            return Ok(());
        }
        self.json.bump();
        let mut list = Vec::new();
        let mut first = true;
        while self.json.another(&mut first, b'}')? {
            let key = self.json.key()?;
            let from = self.json.owned(key)?;
            if let Some(text) = self.string("a negation")? {
                list.push((from, self.json.owned(text)?, key.span));
            }
        }
        self.lattice_draft().neg = Some(list);
        Ok(())
    }

    fn properties(&mut self) -> Flow {
        if !self.opens(b'[', "a list of properties", "`properties`")? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            match self.json.next()? {
                Some(b'"') => self.bare_property()?,
                Some(b'{') => self.property()?,
                _ => self.wrong_type("a formula or an object with `name`, `logic`, `formula`", "a property")?,
            }
        }
        Ok(())
    }

    fn bare_property(&mut self) -> Flow {
        let text = self.json.string()?;
        let formula = self.json.owned(text)?;
        let name = format!("property{}", self.draft.properties.len() + 1);
        let source = self.json.line_around(self.name, text.span);
        self.draft.properties.push(Property { name, logic: None, formula, span: text.span, source });
        Ok(())
    }

    fn property(&mut self) -> Flow {
        let start = self.json.here();
        self.json.bump();
        let (mut name, mut logic, mut formula) = (None, None, None);
        let mut first = true;
        while self.json.another(&mut first, b'}')? {
            let key = self.json.key()?;
            let field = String::from_utf8(self.json.text(key).to_vec()).map_err(|_| not_text(key.span))?;
            let Some(text) = self.string(&format!("`{field}` of a property"))? else { continue };
            let value = self.json.owned(text)?;
            match field.as_str() {
                "name" => name = Some(value),
                "logic" => logic = Some(value),
                "formula" => formula = Some((value, text.span, self.json.line_around(self.name, text.span))),
                _ => self.draft.report.add(
                    Diagnostic::warning("W0204", format!("the field `{field}` of a property was ignored"))
                        .at(key.span, "expected `name`, `logic` or `formula`"),
                ),
            }
        }
        let Some((formula, span, source)) = formula else {
            self.draft.report.add(Diagnostic::error("E0208", "a property has no `formula`").at(start, "this property"));
            return Ok(());
        };
        let name = name.unwrap_or_else(|| format!("property{}", self.draft.properties.len() + 1));
        self.draft.properties.push(Property { name, logic, formula, span, source });
        Ok(())
    }
}
