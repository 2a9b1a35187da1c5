//! What is each word of a text, as colours tell it?
//!
//! Names have the colour of what they stand for, which a grammar cannot know; words that are names in some places and part of the language in others are told
//! apart. Everything else is left to the editor's grammar.

use serde_json::{Value, json};
use tertium_base::{Span, SymbolKind};
use tertium_driver::editor::words::{meaning, words};

use super::document::Document;
use super::features::{Answered, analysis};

/// The types of tokens, by number; all of them are the protocol's own.
const TYPES: [&str; 10] =
    ["namespace", "class", "type", "enumMember", "variable", "parameter", "property", "function", "macro", "keyword"];
const KEYWORD: usize = 9;
/// A bit each.
const MODIFIERS: [&str; 2] = ["declaration", "readonly"];

/// What the server can do, with the names of what the numbers mean.
pub fn capability() -> Value {
    json!({"legend": {"tokenTypes": TYPES, "tokenModifiers": MODIFIERS}, "full": true})
}

const fn type_of(kind: SymbolKind) -> usize {
    match kind {
        SymbolKind::System => 0,
        SymbolKind::Process | SymbolKind::Player => 1,
        SymbolKind::Type => 2,
        SymbolKind::Constant | SymbolKind::Member | SymbolKind::State | SymbolKind::Action => 3,
        SymbolKind::Variable | SymbolKind::Local | SymbolKind::Proposition => 4,
        SymbolKind::Parameter => 5,
        SymbolKind::Field | SymbolKind::Label => 6,
        SymbolKind::Function | SymbolKind::Property | SymbolKind::Predicate | SymbolKind::Definition => 7,
        SymbolKind::Macro | SymbolKind::Inline => 8,
    }
}

const fn is_fixed(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Constant | SymbolKind::Member | SymbolKind::Parameter)
}

/// All tokens of a text, each relative to the one before it.
pub fn semantic_tokens(document: &Document) -> Answered {
    let names = &analysis(document)?.names;
    let text = document.text.as_str();
    let mut tokens: Vec<(Span, usize, usize)> = Vec::new();
    for (at, symbol) in names.symbols().iter().enumerate() {
        for place in names.places(at).into_iter().filter(|place| place.start < place.end && place.end <= text.len()) {
            let modifiers = usize::from(place == symbol.span) | usize::from(is_fixed(symbol.kind)) << 1;
            tokens.push((place, type_of(symbol.kind), modifiers));
        }
    }
    for word in words(document.kind, text) {
        let is_soft = document.kind.soft_words().contains(&&text[word.start..word.end]);
        if is_soft && meaning(document.kind, &text[word.start..word.end]).is_some() {
            tokens.push((word, KEYWORD, 0));
        }
    }
    // A name before the same word of the language, which is then none.
    tokens.sort_by_key(|&(span, kind, _)| (span.start, kind));
    let mut data: Vec<usize> = Vec::new();
    let (mut line, mut character, mut end) = (0, 0, 0);
    for (span, kind, modifiers) in tokens {
        let (here, column) = document.text.position(span.start);
        let (last, after) = document.text.position(span.end);
        // Names in quotes may hold anything; a token lies in one line.
        if span.start < end || last != here {
            continue;
        }
        let apart = if here == line { column - character } else { column };
        data.extend([here - line, apart, after - column, kind, modifiers]);
        (line, character, end) = (here, column, span.end);
    }
    Ok(json!({"data": data}))
}
