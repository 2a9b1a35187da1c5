//! Promela, the language of Spin: text to tree, names and types, diagnostics.
//!
//! The way of the data: text → tokens after preprocessing → tree ([`ast`]) → meaning of names ([`symbols`]).
//! Mistakes are values, several per run; places point into the user's text, through `#include` and macros
//! ([`sources`]). [`outline`] tells editors where names stand.
//!
//! ```
//! use tertium_promela::{Options, lower::lower, read};
//!
//! let text = "byte x; active [2] proctype P() { do :: x < 3 -> x++ od }";
//! let model = read("count.pml", text, &Options::default());
//! assert!(!model.is_broken());
//! let program = lower(&model.file, &model.symbols, &model.sources).program;
//! assert_eq!(program.instances.len(), 2);
//! ```

pub mod ast;
pub mod include;
mod lexer;
pub mod lower;
pub mod outline;
pub mod parser;
mod preprocess;
pub mod printer;
mod resolve;
pub mod sources;
pub mod symbols;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tertium_base::{Diagnostic, Span};

pub use preprocess::{Loader, Options};
use sources::Sources;

/// What a text says, before names mean anything.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree, as far as it was understood.
    pub file: ast::File,
    /// The texts that spans point into.
    pub sources: Sources,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Preprocesses and parses a model. `name` is its path: what it includes is searched beside it.
#[must_use]
pub fn parse(name: &str, text: &str, options: &Options<'_>) -> Parsed {
    parse_words(name, text, options).0
}

/// As [`parse`], with all words of the model and where they stand.
fn parse_words(name: &str, text: &str, options: &Options<'_>) -> (Parsed, Vec<(Rc<str>, Span)>) {
    let preprocessed = preprocess::preprocess(name, text, options);
    let words = preprocessed.tokens.iter().filter(|token| token.kind == lexer::TokenKind::Word);
    let words = words.map(|token| (Rc::clone(&token.text), token.span)).collect();
    let (file, diagnostics) = parser::parse(preprocessed.tokens);
    let mut all = preprocessed.diagnostics;
    all.extend(diagnostics);
    (Parsed { file, sources: preprocessed.sources, diagnostics: all }, words)
}

/// A model with the meaning of its names.
#[derive(Clone, Debug)]
pub struct Model {
    /// The tree, as far as it was understood.
    pub file: ast::File,
    /// What its names mean.
    pub symbols: symbols::Symbols,
    /// The texts that spans point into.
    pub sources: Sources,
    /// What is wrong, in the order it was found.
    pub diagnostics: Vec<Diagnostic>,
}

impl Model {
    /// Whether it must be refused. Otherwise every reference has a meaning.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Preprocesses and parses a model, looks up its names and checks it.
#[must_use]
pub fn read(name: &str, text: &str, options: &Options<'_>) -> Model {
    let (Parsed { file, sources, mut diagnostics }, words) = parse_words(name, text, options);
    let (symbols, found) = resolve::resolve(&file);
    let broken = diagnostics.iter().any(Diagnostic::is_error);
    diagnostics.extend(if broken { certain(found, &words) } else { found });
    Model { file, symbols, sources, diagnostics }
}

/// What is wrong besides the grammar, whatever the parts of the tree say that could not be read: names that are declared twice, and names that stand
/// nowhere but where they are not known. Everything else may be missing only because its declaration was skipped.
fn certain(found: Vec<Diagnostic>, words: &[(Rc<str>, Span)]) -> Vec<Diagnostic> {
    let place = |message: &Diagnostic| message.primary.as_ref().map(|label| label.span);
    let unknown: BTreeSet<Span> = found.iter().filter(|message| message.code == "E0510").filter_map(place).collect();
    let elsewhere: BTreeSet<&str> =
        words.iter().filter(|(_, at)| !unknown.contains(at)).map(|(name, _)| name.as_ref()).collect();
    let names: BTreeMap<Span, &str> = words.iter().map(|(name, at)| (*at, name.as_ref())).collect();
    let nowhere_else = |span: Span| names.get(&span).is_some_and(|name| !elsewhere.contains(name));
    let keep = |message: &Diagnostic| match message.code {
        "E0511" => true,
        "E0510" => place(message).is_some_and(nowhere_else),
        _ => false,
    };
    found.into_iter().filter(keep).collect()
}
