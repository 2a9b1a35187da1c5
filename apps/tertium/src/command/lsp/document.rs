//! An open text, what is known about it, and how its places are written for the editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tertium_base::{Severity, Span, SymbolKind};
use tertium_driver::editor::{Analysis, TextKind, analyse};
use tertium_driver::{Belnap, Located};
use tertium_report::view::ValueView;

use super::checking::{PropertyReport, ReportedStep, StepPlace};
use super::errors_page::ErrorsPage;
use super::text::{Encoding, Text};
use super::uri;

/// An open text.
#[derive(Debug)]
pub struct Document {
    /// Its address.
    pub uri: String,
    /// Its language.
    pub kind: TextKind,
    /// How often it changed, as the editor counts.
    pub version: i64,
    /// The text.
    pub text: Text,
    /// Whether what is known of it has been told since the last change.
    pub told: bool,
    /// What properties were found to be, since the last change.
    pub results: BTreeMap<String, PropertyReport>,
    path: Option<PathBuf>,
    analysis: Option<Analysis>,
}

impl Document {
    /// A text that was opened; none if its language is not known.
    pub fn open(item: &Value, encoding: Encoding) -> Option<Self> {
        let address = item.get("uri")?.as_str()?;
        let text = item.get("text")?.as_str()?.to_owned();
        let path = uri::to_path(address);
        let language = item.get("languageId").and_then(Value::as_str).unwrap_or("");
        let by_name = path.as_deref().or(Some(Path::new(address))).and_then(TextKind::of);
        Some(Self {
            uri: address.to_owned(),
            kind: by_name.or_else(|| TextKind::from_name(language))?,
            version: item.get("version").and_then(Value::as_i64).unwrap_or(0),
            text: Text::new(text, encoding),
            told: false,
            results: BTreeMap::new(),
            path,
            analysis: None,
        })
    }

    /// Applies changes.
    pub fn change(&mut self, version: Option<i64>, changes: &[Value]) {
        changes.iter().for_each(|change| self.text.change(change));
        self.version = version.unwrap_or(self.version + 1);
        (self.told, self.analysis) = (false, None);
        self.results.clear();
    }

    /// The path that messages name.
    pub fn file(&self) -> String {
        self.path.as_ref().map_or_else(|| self.uri.clone(), |path| path.to_string_lossy().into_owned())
    }

    /// Reads the text again if it has changed.
    pub fn refresh(&mut self) {
        if self.analysis.is_none() {
            self.analysis = Some(analyse(self.kind, &self.file(), self.text.as_str()));
        }
    }

    /// What is known about the text; call [`Self::refresh`] before.
    pub fn analysis(&self) -> Option<&Analysis> {
        self.analysis.as_ref()
    }

    /// The place in an included file behind the end of the text: the file's path, its text and the place in it.
    fn elsewhere(&self, span: Span) -> Option<(&str, Text, Span, usize)> {
        if span.start <= self.text.as_str().len() {
            return None;
        }
        let piece = self.analysis()?.included.as_ref()?.piece(span)?;
        let local = |at: usize| at.saturating_sub(piece.offset);
        let text = Text::new(piece.text.clone(), self.text.encoding());
        Some((&piece.name, text, Span::new(local(span.start), local(span.end)), piece.first_line))
    }

    /// A place as the protocol writes it, in this text or in one that it includes.
    pub fn location(&self, span: Span) -> Value {
        match self.elsewhere(span) {
            None => json!({"uri": self.uri, "range": self.text.range(span)}),
            Some((name, text, span, _)) => json!({"uri": uri::of_path(Path::new(name)), "range": text.range(span)}),
        }
    }

    /// All diagnostics: what is wrong with the text, and what was found out about properties.
    pub fn diagnostics(&self, errors_page: Option<&ErrorsPage>) -> Vec<Value> {
        let Some(analysis) = self.analysis() else { return Vec::new() };
        let mut all: Vec<Value> =
            analysis.messages.iter().map(|message| self.diagnostic(message, errors_page)).collect();
        all.extend(self.results.values().filter_map(|told| self.result(told)));
        all
    }

    /// One message as the protocol writes it.
    pub fn diagnostic(&self, message: &Located, errors_page: Option<&ErrorsPage>) -> Value {
        let diagnostic = &message.diagnostic;
        let primary = diagnostic.primary.as_ref();
        let span = primary.map_or_else(Span::default, |label| label.span);
        let mut text = diagnostic.message.clone();
        let label = primary.map(|label| label.text.as_str()).filter(|label| !label.is_empty());
        text.extend(label.map(|label| format!(" ({label})")));
        let notes = diagnostic.notes.iter().map(|note| format!("\nnote: {note}"));
        text.extend(notes.chain(diagnostic.helps.iter().map(|help| format!("\nhelp: {help}"))));
        let range = match self.elsewhere(span) {
            None => self.text.range(span),
            Some((name, inside, place, first_line)) => {
                text = format!("in {name}, line {}: {text}", inside.position(place.start).0 + first_line);
                self.text.range(Span::default())
            }
        };
        let related: Vec<Value> = diagnostic
            .secondary
            .iter()
            .map(|label| json!({"location": self.location(label.span), "message": label.text}))
            .collect();
        let severity = match diagnostic.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Note => 3,
        };
        let mut value = json!({
            "range": range, "severity": severity, "code": diagnostic.code, "source": "tertium", "message": text,
        });
        if !related.is_empty() {
            value["relatedInformation"] = Value::Array(related);
        }
        if let Some(page) = errors_page {
            value["codeDescription"] = json!({"href": page.link(diagnostic.code)});
        }
        value
    }

    /// What was found out about a property, at its name; nothing for one that holds.
    fn result(&self, told: &PropertyReport) -> Option<Value> {
        let severity = match told.value {
            ValueView::Belnap(Belnap::True) => return None,
            ValueView::Belnap(Belnap::False) => 1,
            // An open question is no failure.
            _ => 3,
        };
        let names = self.analysis()?.names.symbols();
        let property = names.iter().find(|symbol| symbol.name == told.name && super::features::can_be_checked(symbol));
        let span = property.map_or_else(Span::default, |symbol| symbol.span);
        let mut value = json!({
            "range": self.text.range(span), "severity": severity, "source": "tertium check",
            "message": told.text.trim_end(),
        });
        let steps: Vec<Value> = told.steps.iter().filter_map(|step| self.step(step)).collect();
        if !steps.is_empty() {
            value["relatedInformation"] = Value::Array(steps);
        }
        Some(value)
    }

    /// A step of a run as something to go to; none if it stands nowhere in the texts.
    fn step(&self, step: &ReportedStep) -> Option<Value> {
        let location = match &step.place {
            StepPlace::Line(line, None) => json!({"uri": self.uri, "range": self.text.line(line.checked_sub(1)?)?}),
            StepPlace::Line(line, Some(file)) => {
                let included = self.analysis()?.included.as_ref()?;
                let piece = included.pieces().iter().find(|piece| piece.name == *file)?;
                let text = Text::new(piece.text.clone(), self.text.encoding());
                json!({"uri": uri::of_path(Path::new(&piece.name)), "range": text.line(line.checked_sub(piece.first_line)?)?})
            }
            StepPlace::State(name) => {
                let states = self.analysis()?.names.symbols().iter();
                let state =
                    states.filter(|symbol| symbol.kind == SymbolKind::State).find(|symbol| symbol.name == *name)?;
                self.location(state.span)
            }
        };
        Some(json!({"location": location, "message": step.what}))
    }
}
