//! A structure written as JSON: which fields it has and what stands in them.
//!
//! Fields come in any order, so nothing here assumes that a state was declared before an edge names it.
//!
//! Not here: the tokens of JSON ([`super::json`]) and checks that need the whole input ([`super::finish`]).

mod declarations;
mod edges;

use std::io::Read;

use tertium_base::{Diagnostic, Span};

use self::edges::EdgeCertainty;
use crate::read::bytes::{ByteSource, Flow};
use crate::read::draft::{Draft, suggest};
use crate::read::json::Json;

const FIELDS: [&str; 20] = [
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
    "owner",
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
            "must" => self.edges(EdgeCertainty::Must),
            "may" => self.edges(EdgeCertainty::May),
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
            "owner" => self.owner(),
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
}
