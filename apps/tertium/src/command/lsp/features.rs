//! What does the editor get when it asks about a place?
//!
//! One function a request: from the document and the request's parameters to the answer, or to why there is none.

use serde_json::{Value, json};
use tertium_base::{Diagnostic, Span, Symbol, SymbolKind};
use tertium_driver::editor::rename::target;
use tertium_driver::editor::{self, Analysis, proposals, words};

use super::document::Document;
use super::errors_page::ErrorsPage;

/// The command behind the lenses.
pub const CHECK: &str = "tertium.check";

/// The command by which an editor that can do so shows the page.
pub const PAGE: &str = "tertium.page";

/// Why a request has no answer: the protocol's code and a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The code.
    pub code: i64,
    /// Why.
    pub message: String,
}

impl Refusal {
    /// The parameters are not those of the request.
    pub fn params(message: impl Into<String>) -> Self {
        Self { code: -32602, message: message.into() }
    }

    /// The request makes sense, and cannot be met.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { code: -32803, message: message.into() }
    }

    /// What a message says.
    pub fn of(diagnostic: &Diagnostic) -> Self {
        let more = diagnostic.notes.iter().chain(&diagnostic.helps);
        let text: Vec<&str> = std::iter::once(&diagnostic.message).chain(more).map(String::as_str).collect();
        Self::failed(format!("{} [{}]", text.join("; "), diagnostic.code))
    }
}

/// The answer to a request.
pub type Answered = Result<Value, Refusal>;

/// What is known about a text.
pub fn analysis(document: &Document) -> Result<&Analysis, Refusal> {
    document.analysis().ok_or_else(|| Refusal::failed("the text could not be read"))
}

fn offset(document: &Document, params: &Value) -> Result<usize, Refusal> {
    let position = params.get("position").and_then(|position| document.text.offset_of(position));
    position.ok_or_else(|| Refusal::params("no position"))
}

/// What is under the cursor: the declaration, its kind, and what is known of it.
pub fn hover(document: &Document, params: &Value) -> Answered {
    let known = analysis(document)?;
    let (names, at) = (&known.names, offset(document, params)?);
    let Some(found) = names.at(at) else { return Ok(word(document, known, at)) };
    let symbol = &names.symbols()[found.symbol];
    let mut text = format!("```{}\n{}\n```\n\n{}", document.kind.name(), symbol.detail, symbol.kind.word());
    if let Some(parent) = symbol.parent {
        let parent = &names.symbols()[parent];
        text.push_str(&format!(" of {} `{}`", parent.kind.word(), parent.name));
    }
    text.extend(symbol.notes.iter().map(|note| format!("  \n{note}")));
    if let Some(told) = document.results.get(&symbol.name).filter(|_| can_be_checked(symbol)) {
        text.push_str(&format!("  \nchecked: {}", told.word()));
    }
    Ok(json!({"contents": {"kind": "markdown", "value": text}, "range": document.text.range(found.span)}))
}

/// What a word of the language means; of operators of temporal logic, where a property stands.
fn word(document: &Document, known: &Analysis, at: usize) -> Value {
    let text = document.text.as_str();
    let all = words::words(document.kind, text);
    let Some(&span) = all.iter().find(|span| span.start <= at && at <= span.end) else { return Value::Null };
    let word = &text[span.start..span.end];
    let operator = || words::operator(word).filter(|_| editor::complete::in_property(known, text, at));
    let Some((syntax, what)) = words::meaning(document.kind, word).or_else(operator) else { return Value::Null };
    let shown = format!("```{}\n{syntax}\n```\n\n{what}", document.kind.name());
    json!({"contents": {"kind": "markdown", "value": shown}, "range": document.text.range(span)})
}

/// Where a name is declared.
pub fn definition(document: &Document, params: &Value) -> Answered {
    let names = &analysis(document)?.names;
    let found = names.at(offset(document, params)?);
    Ok(found.map_or(Value::Null, |found| document.location(names.symbols()[found.symbol].span)))
}

/// Where a name stands.
pub fn references(document: &Document, params: &Value) -> Answered {
    let names = &analysis(document)?.names;
    let Some(found) = names.at(offset(document, params)?) else { return Ok(json!([])) };
    let declaration = params.pointer("/context/includeDeclaration").and_then(Value::as_bool).unwrap_or(true);
    let declared = names.symbols()[found.symbol].span;
    let places = names.places(found.symbol).into_iter().filter(|&place| declaration || place != declared);
    Ok(places.map(|place| document.location(place)).collect())
}

/// The same inside the document, to be marked.
pub fn highlights(document: &Document, params: &Value) -> Answered {
    let names = &analysis(document)?.names;
    let Some(found) = names.at(offset(document, params)?) else { return Ok(json!([])) };
    let places = names.places(found.symbol).into_iter().filter(|place| place.end <= document.text.as_str().len());
    Ok(places.map(|place| json!({"range": document.text.range(place)})).collect())
}

/// The name that would be changed.
pub fn prepare_rename(document: &Document, params: &Value) -> Answered {
    let at = offset(document, params)?;
    let (symbol, span) =
        target(analysis(document)?, document.text.as_str(), at).map_err(|refused| Refusal::of(&refused))?;
    let name = &analysis(document)?.names.symbols()[symbol].name;
    Ok(json!({"range": document.text.range(span), "placeholder": name}))
}

/// Changes a name everywhere.
pub fn rename(document: &Document, params: &Value) -> Answered {
    let new_name = params.get("newName").and_then(Value::as_str).ok_or_else(|| Refusal::params("no new name"))?;
    let (file, text) = (document.file(), document.text.as_str());
    let places = editor::rename(analysis(document)?, &file, text, offset(document, params)?, new_name)
        .map_err(|refused| Refusal::of(&refused))?;
    let edits: Vec<Value> =
        places.into_iter().map(|place| json!({"range": document.text.range(place), "newText": new_name})).collect();
    Ok(json!({"changes": {(&document.uri): edits}}))
}

/// All declarations, nested.
pub fn symbols(document: &Document) -> Answered {
    let symbols = analysis(document)?.names.symbols();
    let own = |symbol: &&Symbol| symbol.extent.end <= document.text.as_str().len();
    let top = symbols.iter().filter(own).filter(|symbol| symbol.parent.is_none());
    let children = |parent: &Symbol| -> Vec<Value> {
        let is_child = |symbol: &&Symbol| symbol.parent.is_some_and(|at| symbols[at].span == parent.span);
        symbols.iter().filter(own).filter(is_child).map(|symbol| entry(document, symbol, Vec::new())).collect()
    };
    Ok(top.map(|symbol| entry(document, symbol, children(symbol))).collect())
}

fn entry(document: &Document, symbol: &Symbol, children: Vec<Value>) -> Value {
    let extent = symbol.extent.to(symbol.span);
    json!({
        "name": symbol.name, "detail": symbol.detail, "kind": symbol_kind(symbol.kind),
        "range": document.text.range(extent), "selectionRange": document.text.range(symbol.span), "children": children,
    })
}

const fn symbol_kind(kind: SymbolKind) -> u32 {
    match kind {
        SymbolKind::System => 2,
        SymbolKind::Process | SymbolKind::Player => 5,
        SymbolKind::Property | SymbolKind::Predicate => 7,
        SymbolKind::Field => 8,
        SymbolKind::Type => 10,
        SymbolKind::Function | SymbolKind::Inline => 12,
        SymbolKind::Variable | SymbolKind::Local | SymbolKind::Parameter | SymbolKind::Definition => 13,
        SymbolKind::Constant | SymbolKind::Macro => 14,
        SymbolKind::Proposition => 17,
        SymbolKind::Label => 20,
        SymbolKind::Member => 22,
        SymbolKind::State => 23,
        SymbolKind::Action => 24,
    }
}

/// The text laid out.
pub fn formatting(document: &Document) -> Answered {
    let text = document.text.as_str();
    match editor::format(document.kind, &document.file(), text) {
        Ok(Some(neat)) if neat != text => {
            Ok(json!([{"range": document.text.range(document.text.whole()), "newText": neat}]))
        }
        Ok(Some(_)) => Ok(json!([])),
        Ok(None) => Err(Refusal::failed("there is no layout for Promela: macros would be lost")),
        Err(mistakes) => {
            let first = mistakes.first().map_or("", |mistake| mistake.diagnostic.message.as_str());
            Err(Refusal::failed(format!("the text has mistakes and is left as it is: {first}")))
        }
    }
}

/// What could be written at a place.
pub fn completion(document: &Document, params: &Value) -> Answered {
    let found = editor::complete(analysis(document)?, document.text.as_str(), offset(document, params)?);
    let item = |completion: editor::Completion| {
        let kind = match completion.kind {
            None => 14,
            Some(SymbolKind::Function | SymbolKind::Inline) => 3,
            Some(SymbolKind::Field) => 5,
            Some(SymbolKind::Process | SymbolKind::System) => 7,
            Some(SymbolKind::Property | SymbolKind::Predicate | SymbolKind::Definition) => 10,
            Some(SymbolKind::Type) => 13,
            Some(SymbolKind::Label | SymbolKind::State) => 18,
            Some(SymbolKind::Member) => 20,
            Some(SymbolKind::Constant | SymbolKind::Macro) => 21,
            Some(_) => 6,
        };
        json!({"label": completion.label, "kind": kind, "detail": completion.detail})
    };
    Ok(json!({"isIncomplete": false, "items": found.into_iter().map(item).collect::<Vec<_>>()}))
}

/// Spellings that messages propose.
pub fn code_actions(document: &Document, params: &Value, errors_page: Option<&ErrorsPage>) -> Answered {
    let wanted = params.get("range").and_then(|range| document.text.span_of(range));
    let wanted = wanted.ok_or_else(|| Refusal::params("no range"))?;
    let mut actions = Vec::new();
    for message in &analysis(document)?.messages {
        let Some(label) = &message.diagnostic.primary else { continue };
        let touches = label.span.start <= wanted.end && wanted.start <= label.span.end;
        if !touches || label.span.end > document.text.as_str().len() {
            continue;
        }
        for name in proposals(&message.diagnostic) {
            let edit = json!({"range": document.text.range(label.span), "newText": name});
            actions.push(json!({
                "title": format!("Change to `{name}`"), "kind": "quickfix", "isPreferred": actions.is_empty(),
                "diagnostics": [document.diagnostic(message, errors_page)],
                "edit": {"changes": {(&document.uri): [edit]}},
            }));
        }
    }
    Ok(Value::Array(actions))
}

/// Whether there is something to decide about a symbol.
pub fn can_be_checked(symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::Property
}

/// One lens a property, one for all, and one for the page if the editor shows it.
pub fn lenses(document: &Document, shows_page: bool) -> Answered {
    let analysis = analysis(document)?;
    let lens_for = |command: &str, span: Span, title: String, arguments: Value| {
        json!({"range": document.text.range(span),
               "command": {"title": title, "command": command, "arguments": arguments}})
    };
    let lens = |span: Span, title: String, arguments: Value| lens_for(CHECK, span, title, arguments);
    let properties = analysis.names.symbols().iter().filter(|symbol| can_be_checked(symbol));
    let own = properties.filter(|symbol| symbol.span.end <= document.text.as_str().len());
    let mut all: Vec<Value> = own
        .map(|symbol| {
            let title = match document.results.get(&symbol.name) {
                Some(told) => format!("{}: check again", told.word()),
                None => "check this property".to_owned(),
            };
            lens(symbol.span, title, json!([document.uri, symbol.name]))
        })
        .collect();
    all.insert(0, lens(Span::default(), "check everything".to_owned(), json!([document.uri])));
    if shows_page {
        all.insert(1, lens_for(PAGE, Span::default(), "show the page".to_owned(), json!([document.uri])));
    }
    Ok(Value::Array(all))
}
