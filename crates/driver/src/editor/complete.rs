//! What could be written here?
//!
//! Names that can be seen at a place, and the words of the language. Behind `P@` the labels of `P`, behind `P.` its
//! variables, behind `goto` the labels of the process around.

use tertium_base::{Span, Symbol, SymbolKind, SymbolTable};

use super::{Analysis, TextKind};

/// Operators and logics that may stand in properties.
const IN_PROPERTIES: &[&str] = &[
    "A", "AF", "AG", "AX", "E", "EF", "EG", "EX", "F", "G", "M", "R", "U", "W", "X", "atl", "atl*", "ctl", "ctl*",
    "ltl", "mu", "nu", "pml",
];

/// One proposal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// What is written.
    pub label: String,
    /// What it stands for; none for words of the language.
    pub kind: Option<SymbolKind>,
    /// Its declaration.
    pub detail: String,
}

/// What could be written at a place.
#[must_use]
pub fn complete(analysis: &Analysis, text: &str, offset: usize) -> Vec<Completion> {
    let names = &analysis.names;
    let before = word_start(text, offset);
    match wanted(analysis.kind, &text[..before]) {
        Wanted::LabelsOf(process) => members(names, process, &[SymbolKind::Label]),
        Wanted::VariablesOf(process) => {
            let own = members(names, process, &[SymbolKind::Local, SymbolKind::Parameter]);
            // Behind anything but a process stands the field of a record.
            if own.is_empty() { of_kinds(names, &[SymbolKind::Field]) } else { own }
        }
        Wanted::Fields => of_kinds(names, &[SymbolKind::Field]),
        Wanted::LabelsHere => visible(names, offset, &|symbol| symbol.kind == SymbolKind::Label),
        Wanted::Nothing => Vec::new(),
        Wanted::Anything => {
            let mut all =
                visible(names, offset, &|symbol| !matches!(symbol.kind, SymbolKind::Label | SymbolKind::Field));
            let operators = if in_property(analysis, text, offset) { IN_PROPERTIES } else { &[] };
            let words = analysis.kind.keywords().iter().chain(analysis.kind.soft_words()).chain(operators);
            all.extend(words.map(|word| Completion { label: (*word).to_owned(), kind: None, detail: String::new() }));
            all.sort_by(|a, b| a.label.cmp(&b.label));
            all.dedup_by(|later, earlier| later.label == earlier.label);
            all
        }
    }
}

enum Wanted<'a> {
    Anything,
    Nothing,
    LabelsHere,
    LabelsOf(&'a str),
    VariablesOf(&'a str),
    Fields,
}

/// What kind of name the text before it asks for.
fn wanted(kind: TextKind, before: &str) -> Wanted<'_> {
    if in_comment(kind, before) {
        return Wanted::Nothing;
    }
    let trimmed = before.trim_end_matches([' ', '\t']);
    if kind == TextKind::Kmts {
        return Wanted::Anything;
    }
    if let Some(process) = trimmed.strip_suffix('@') {
        return Wanted::LabelsOf(last_name(process));
    }
    if let Some(left) = trimmed.strip_suffix('.').filter(|left| !left.ends_with('.')) {
        return if kind == TextKind::Gcl { Wanted::VariablesOf(last_name(left)) } else { Wanted::Fields };
    }
    if last_name(trimmed) == "goto" && trimmed.len() < before.len() {
        return Wanted::LabelsHere;
    }
    Wanted::Anything
}

/// Whether the end of the text lies in a comment; quotation marks are not looked at.
fn in_comment(kind: TextKind, before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or("");
    match kind {
        TextKind::Kmts => line.contains('#'),
        _ => line.contains("//") || before.rfind("/*") > before.rfind("*/"),
    }
}

/// The name that a text ends with, an index behind it left out.
fn last_name(text: &str) -> &str {
    let text = match text.strip_suffix(']').and_then(|inside| inside.rfind('[')) {
        Some(bracket) => &text[..bracket],
        None => text,
    };
    &text[word_start(text, text.len())..]
}

fn word_start(text: &str, offset: usize) -> usize {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    text[..offset].char_indices().rev().take_while(|&(_, letter)| is_name(letter)).last().map_or(offset, |(at, _)| at)
}

fn proposal(symbol: &Symbol) -> Completion {
    Completion { label: symbol.name.clone(), kind: Some(symbol.kind), detail: symbol.detail.clone() }
}

fn sorted(symbols: impl Iterator<Item = Completion>) -> Vec<Completion> {
    let mut all: Vec<Completion> = symbols.collect();
    all.sort_by(|a, b| a.label.cmp(&b.label));
    all.dedup();
    all
}

fn members(names: &SymbolTable, process: &str, kinds: &[SymbolKind]) -> Vec<Completion> {
    let owner = names.symbols().iter().position(|symbol| symbol.kind == SymbolKind::Process && symbol.name == process);
    let own = names.symbols().iter().filter(|symbol| owner.is_some() && symbol.parent == owner);
    sorted(own.filter(|symbol| kinds.contains(&symbol.kind)).map(proposal))
}

fn of_kinds(names: &SymbolTable, kinds: &[SymbolKind]) -> Vec<Completion> {
    sorted(names.symbols().iter().filter(|symbol| kinds.contains(&symbol.kind)).map(proposal))
}

/// Names that can be seen: those of everyone, and those of the process around.
fn visible(names: &SymbolTable, offset: usize, wanted: &dyn Fn(&Symbol) -> bool) -> Vec<Completion> {
    let covers = |extent: Span| extent.start <= offset && offset <= extent.end;
    let seen = |symbol: &&Symbol| {
        let own = matches!(symbol.kind, SymbolKind::Local | SymbolKind::Parameter | SymbolKind::Label);
        let around = symbol.parent.is_some_and(|parent| covers(names.symbols()[parent].extent));
        wanted(symbol) && (!own || around)
    };
    sorted(names.symbols().iter().filter(seen).map(proposal))
}

/// Whether a place lies in a property, or behind the beginning of one.
#[must_use]
pub fn in_property(analysis: &Analysis, text: &str, offset: usize) -> bool {
    let line_start = text[..offset.min(text.len())].rfind('\n').map_or(0, |at| at + 1);
    let inside = |symbol: &Symbol| {
        symbol.kind == SymbolKind::Property && symbol.extent.start <= offset && offset <= symbol.extent.end + 1
    };
    text[line_start..].starts_with("property") || analysis.names.symbols().iter().any(inside)
}
