//! What does an editor want to know about a text that is being written?
//!
//! [`analyse`] reads a text as `check` would, and beside the mistakes it returns all names with their places
//! ([`Analysis`]). [`rename`](mod@rename) changes a name everywhere, and only if the changed text means the same;
//! [`complete`](mod@complete) lists what could be written at a place, [`words`] tells what words of the language mean. A text with mistakes is the usual case here.
//!
//! Not here: positions in lines and columns, and how editors are spoken to.

pub mod complete;
pub mod rename;
mod structures;
pub mod words;

use std::path::Path;
use std::sync::Arc;

use tertium_base::{Diagnostic, SourceFile, Span, SymbolKind, SymbolTable};
use tertium_load::imports::{Bundle, bundle};
use tertium_logic::classify::{existential_only, universal_only};
use tertium_logic::{Formula, Logic, ParseOptions, parse, positive_normal_form};
use tertium_program::Property;
use tertium_promela::Options;
use tertium_promela::sources::Sources;

use crate::failure::Located;
use crate::precision::precision;

pub use complete::{Completion, complete};
pub use rename::rename;

/// Formulas longer than this are not shown in another form.
const LONGEST_SHOWN: usize = 400;

/// The languages that editors are helped with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TextKind {
    /// Guarded commands, `.gcl`.
    Gcl,
    /// Promela, `.pml`.
    Promela,
    /// Structures, `.kmts`.
    Kmts,
}

impl TextKind {
    /// The kind of a file, as its name says.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "gcl" => Some(Self::Gcl),
            "pml" | "prom" | "promela" => Some(Self::Promela),
            "kmts" => Some(Self::Kmts),
            _ => None,
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "gcl" => Some(Self::Gcl),
            "promela" => Some(Self::Promela),
            "kmts" => Some(Self::Kmts),
            _ => None,
        }
    }

    /// The name by which editors know the language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gcl => "gcl",
            Self::Promela => "promela",
            Self::Kmts => "kmts",
        }
    }

    /// Words of the language that cannot be names.
    #[must_use]
    pub fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::Gcl => tertium_gcl::symbols::keywords(),
            Self::Promela => tertium_promela::outline::keywords(),
            Self::Kmts => tertium_model::outline::keywords(),
        }
    }

    /// Words with a meaning of their own in some places, which may be names in others.
    #[must_use]
    pub fn soft_words(self) -> &'static [&'static str] {
        match self {
            Self::Gcl => tertium_gcl::symbols::soft_words(),
            Self::Promela | Self::Kmts => &[],
        }
    }

    /// Whether a text can be a name, without quotes.
    #[must_use]
    pub fn is_name(self, text: &str) -> bool {
        match self {
            Self::Gcl => tertium_gcl::symbols::is_name(text),
            Self::Promela => tertium_promela::outline::is_name(text),
            Self::Kmts => tertium_model::outline::is_name(text),
        }
    }
}

/// What is known about a text.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Its language.
    pub kind: TextKind,
    /// What is wrong with it, and what is worth a remark.
    pub messages: Vec<Located>,
    /// Its names; places count from the beginning of the text.
    pub names: SymbolTable,
    /// The texts that a model includes; places behind the text's end lie in them.
    pub included: Option<Sources>,
}

impl Analysis {
    /// Whether `check` would refuse the text.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.messages.iter().any(|message| message.diagnostic.is_error())
    }
}

/// Reads a text. `file` is its path: what it includes is searched beside it.
#[must_use]
pub fn analyse(kind: TextKind, file: &str, text: &str) -> Analysis {
    match kind {
        TextKind::Gcl => guarded_commands(file, text),
        TextKind::Promela => promela(file, text),
        TextKind::Kmts => structures::analyse(file, text),
    }
}

fn guarded_commands(file: &str, text: &str) -> Analysis {
    let Bundle { text: whole, sources: included, diagnostics } = bundle(file, text);
    let compiled = tertium_gcl::compile(&whole);
    let source = Arc::new(SourceFile::new(file, text));
    let mut names = tertium_gcl::symbols::symbols(&whole);
    if let Some(program) = &compiled.program {
        describe_properties(&mut names, &program.properties);
    }
    let place = |diagnostic: Diagnostic| {
        let span = diagnostic.primary.as_ref().map_or_else(Span::default, |label| label.span);
        let piece = included.as_ref().and_then(|included| included.piece(span));
        Located::within(diagnostic, &piece.map_or_else(|| Arc::clone(&source), |piece| Arc::new(piece.clone())))
    };
    let messages = diagnostics.into_iter().chain(compiled.diagnostics).map(place).collect();
    Analysis { kind: TextKind::Gcl, messages, names, included }
}

fn promela(file: &str, text: &str) -> Analysis {
    let model = tertium_promela::read(file, text, &Options::default());
    let mut names = tertium_promela::outline::names(text, &model);
    let mut diagnostics = model.diagnostics.clone();
    if !diagnostics.iter().any(Diagnostic::is_error) {
        let lowered = tertium_promela::lower::lower(&model.file, &model.symbols, &model.sources);
        diagnostics.extend(lowered.diagnostics);
        describe_properties(&mut names, &lowered.program.properties);
    }
    let place = |diagnostic: Diagnostic| {
        let span = diagnostic.primary.as_ref().map_or_else(Span::default, |label| label.span);
        let source = model.sources.piece(span).cloned();
        Located { diagnostic, source: source.map(Arc::new) }
    };
    let messages = diagnostics.into_iter().map(place).collect();
    Analysis { kind: TextKind::Promela, messages, names, included: Some(model.sources) }
}

/// Says of each property what its formula is.
fn describe_properties(names: &mut SymbolTable, properties: &[Property]) {
    for property in properties {
        let own = |symbol: &&mut tertium_base::Symbol| {
            symbol.kind == SymbolKind::Property && symbol.name == property.name && within(symbol.extent, property.span)
        };
        let Some(symbol) = names.symbols_mut().iter_mut().find(own) else { continue };
        let options = ParseOptions { logic: Logic::from_name(&property.logic), elements: Vec::new() };
        if let Some(formula) = parse(&property.formula, &options).formula {
            symbol.notes.extend(about(&formula));
        }
    }
}

fn within(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.start <= outer.end
}

/// What there is to know about a formula, in a few lines.
fn about(formula: &Formula) -> Vec<String> {
    let shape = match (universal_only(formula), existential_only(formula)) {
        (true, true) => "about states alone",
        (true, false) => "about all paths",
        (false, true) => "about some path",
        (false, false) => "about all paths and about some",
    };
    let mut notes = vec![format!("{} formula {shape}", formula.logic().name())];
    let normal = positive_normal_form(formula, false).short_text(LONGEST_SHOWN);
    if normal != formula.short_text(LONGEST_SHOWN) {
        notes.push(format!("normal form: {normal}"));
    }
    if let Some(obstacle) = precision(formula).obstacle {
        notes.push(format!("unknown may hide a definite value: {obstacle}"));
    }
    notes
}

/// The layout of a text, if it can be laid out without losing anything.
///
/// # Errors
/// If it has mistakes in its syntax.
pub fn format(kind: TextKind, file: &str, text: &str) -> Result<Option<String>, Vec<Located>> {
    match kind {
        TextKind::Gcl => crate::program::format_text(file, text).map(Some),
        TextKind::Kmts => Ok(Some(structures::format(text))),
        // Macros and comments would be lost.
        TextKind::Promela => Ok(None),
    }
}

/// The text that a message proposes instead of what stands at its place.
#[must_use]
pub fn proposals(message: &Diagnostic) -> Vec<String> {
    let proposal = |help: &String| {
        let begins = ["similar name exists: `", "did you mean `"];
        let (_, rest) = begins.iter().find_map(|begin| help.split_once(begin))?;
        rest.split_once('`').map(|(name, _)| name.to_owned())
    };
    message.helps.iter().filter_map(proposal).collect()
}

#[cfg(test)]
mod tests;
