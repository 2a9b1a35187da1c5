//! Structures in an editor: the names of the text and those in its formulas.

use std::collections::BTreeMap;

use tertium_base::{Budget, Span, SymbolKind, SymbolTable};
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::outline::{Outline, outline};

use super::{Analysis, TextKind, about};
use crate::check::{CheckOptions, Session};
use crate::failure::{Failure, Located};
use crate::input::from_text;

pub(super) fn analyse(file: &str, text: &str) -> Analysis {
    let mut found = outline(text);
    in_formulas(text, &mut found);
    Analysis { kind: TextKind::Kmts, messages: messages(file, text), names: found.table, included: None }
}

/// What is wrong with the structure, else what is wrong with its properties.
fn messages(file: &str, text: &str) -> Vec<Located> {
    let budget = Budget::unlimited();
    let told = |failure| match failure {
        Failure::Input(messages) => messages,
        Failure::Stopped(_) | Failure::Internal(_) => Vec::new(),
    };
    let loaded = match from_text(file, text, &budget) {
        Ok(loaded) => loaded,
        Err(failure) => return told(failure),
    };
    let mut messages = loaded.warnings().to_vec();
    let options = CheckOptions { parameters: true, ..CheckOptions::default() };
    let session = Session::new(&loaded, options, &budget);
    if let Err(failure) = session.and_then(|session| session.properties(&[], &[])) {
        messages.extend(told(failure));
    }
    messages
}

/// Enters the propositions, actions and players that formulas use, and says what the formulas are.
fn in_formulas(text: &str, found: &mut Outline) {
    let of_kind = |table: &SymbolTable, kind: SymbolKind| -> BTreeMap<String, usize> {
        let symbols = table.symbols().iter().enumerate().filter(|(_, symbol)| symbol.kind == kind);
        symbols.map(|(at, symbol)| (symbol.name.clone(), at)).collect()
    };
    let props = of_kind(&found.table, SymbolKind::Proposition);
    let actions = of_kind(&found.table, SymbolKind::Action);
    let players = of_kind(&found.table, SymbolKind::Player);
    for (property, logic, span) in std::mem::take(&mut found.formulas) {
        let formula = &text[span.start..span.end];
        let options = ParseOptions { logic: logic.as_deref().and_then(Logic::from_name), elements: Vec::new() };
        let parsed = parse(formula, &options);
        let coalitions = coalitions_in(formula);
        for name in names_in(formula) {
            let player = coalitions.iter().any(|inside| inside.start <= name.span.start && name.span.end <= inside.end);
            let known = match name.action {
                _ if player => &players,
                true => &actions,
                false => &props,
            };
            let no_atom = player || name.action;
            let is_atom = parsed.formula.as_ref().is_none_or(|formula| no_atom || has_atom(formula, name.text));
            if let (Some(&symbol), true) = (known.get(name.text), is_atom) {
                found.table.use_at(name.span.shifted(span.start), symbol);
            }
        }
        if let Some(formula) = parsed.formula {
            found.table.symbols_mut()[property].notes = about(&formula);
        }
        found.formulas.push((property, logic, span));
    }
    found.table.finish();
}

fn has_atom(formula: &Formula, name: &str) -> bool {
    formula.atoms().iter().any(|atom| atom.text == name)
}

/// What stands between `<<` and `>>`, and between `[[` and `]]`.
fn coalitions_in(formula: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for (opener, closer) in [("<<", ">>"), ("[[", "]]")] {
        for (at, _) in formula.match_indices(opener) {
            let end = formula[at..].find(closer).map_or(at, |length| at + length);
            found.push(Span::new(at, end));
        }
    }
    found
}

/// A name in a formula.
struct Name<'a> {
    text: &'a str,
    span: Span,
    /// Whether it stands in a modality.
    action: bool,
}

/// Everything in a formula that could be a name.
fn names_in(formula: &str) -> Vec<Name<'_>> {
    let mut names = Vec::new();
    let mut before = ' ';
    let mut letters = formula.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let is_name = |letter: char| letter.is_alphanumeric() || "_.'@$".contains(letter);
        let mut end = at + letter.len_utf8();
        if letter == '"' {
            let inside = formula[end..].find('"').map_or(formula.len(), |length| end + length);
            names.push(Name { text: &formula[end..inside], span: Span::new(end, inside), action: false });
            while letters.next_if(|&(next, _)| next <= inside).is_some() {}
        } else if is_name(letter) {
            while let Some((next, letter)) = letters.next_if(|&(_, letter)| is_name(letter)) {
                end = next + letter.len_utf8();
            }
            let behind = formula[end..].trim_start().chars().next();
            let action = matches!((before, behind), ('[', Some(']')) | ('<', Some('>')));
            names.push(Name { text: &formula[at..end], span: Span::new(at, end), action });
        }
        if !letter.is_whitespace() {
            before = letter;
        }
    }
    names
}

/// Lays out a structure: no blanks at the ends of lines, one blank line at most, states and edges lined up in rows.
///
/// Works on lines, never on the structure, so comments stay and a text with mistakes can be laid out, too.
pub(super) fn format(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.trim_end();
        if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(line.to_owned());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let mut at = 0;
    while at < lines.len() {
        let length = lines[at..].iter().take_while(|line| row(line).is_some()).count();
        align(&mut lines[at..at + length]);
        at += length.max(1);
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A line that is one state or one edge between plain names, in its columns.
fn row(line: &str) -> Option<Vec<String>> {
    if line.contains(['"', '#', '{', '[']) {
        return None;
    }
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if first == "state" {
        let name = words.next()?.to_owned();
        let labels = words.collect::<Vec<_>>().join(" ");
        return Some(vec!["state".to_owned(), name, labels]);
    }
    let (from, rest) = line.trim_start().split_once('-')?;
    let (kind, to) = rest.split_once("->")?;
    let single = |word: &str| word.split_whitespace().count() == 1;
    let plain = single(from) && single(kind) && single(to);
    plain.then(|| vec![from.trim().to_owned(), format!("-{}->", kind.trim()), to.trim().to_owned()])
}

/// Lines up rows of the same kind that follow each other.
fn align(lines: &mut [String]) {
    let mut at = 0;
    while at < lines.len() {
        let is_state = |line: &str| line.trim_start().starts_with("state ");
        let kind = is_state(&lines[at]);
        let length = lines[at..].iter().take_while(|line| is_state(line) == kind).count();
        let block = &mut lines[at..at + length];
        let rows: Vec<Vec<String>> = block.iter().filter_map(|line| row(line)).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let (first, second) = (width(0), width(1));
        for (line, row) in block.iter_mut().zip(&rows) {
            *line = format!("{:first$} {:second$} {}", row[0], row[1], row[2]).trim_end().to_owned();
        }
        at += length;
    }
}
