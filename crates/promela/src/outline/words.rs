//! Names as they are written: macros, inlines, and words that only the text before preprocessing shows.
//!
//! The tree holds what macros and inlines stand for, not where the arguments were written. So every word of the
//! model's own file that the tree did not explain is looked up by where it stands: parameters of the inline around it,
//! macros and inlines, variables of the process around it, globals. In the body of a macro a local is meant if only one
//! process has it.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Span, Symbol, SymbolKind};

use super::{Namer, keywords};
use crate::lexer::{Token, TokenKind, lex};
use crate::symbols::Owner;

/// An `inline` as written.
struct InlineText {
    /// From the name to the closing brace.
    extent: Span,
    params: BTreeMap<String, usize>,
}

/// What words can mean where the tree does not say it.
struct KnownWords<'a> {
    inlines: Vec<InlineText>,
    /// Macros and inlines.
    put_in: BTreeMap<String, usize>,
    globals: BTreeMap<&'a str, usize>,
    /// Local variables by name: the unit's extent, where it is declared, and its symbol.
    locals: BTreeMap<&'a str, Vec<(Span, usize, usize)>>,
}

impl<'a> Namer<'a> {
    /// Enters macros, inlines, and the words that the tree does not explain.
    pub(super) fn words(&mut self, text: &str) {
        let tokens = lex(text, 0);
        let mut known = KnownWords {
            inlines: Vec::new(),
            put_in: BTreeMap::new(),
            globals: self.global_names(),
            locals: self.local_names(),
        };
        self.macros(&tokens, &mut known);
        self.inlines(&tokens, &mut known);
        let explained: BTreeSet<Span> =
            self.table.uses().iter().map(|found| found.span).chain(self.by_span.keys().copied()).collect();
        let mut in_directive = false;
        let mut hidden: BTreeSet<&str> = BTreeSet::new();
        for (at, token) in tokens.iter().enumerate() {
            if token.newline {
                in_directive = token.is_sign("#");
                hidden = if in_directive { macro_params(&tokens[at..]) } else { BTreeSet::new() };
            }
            let plain = token.kind == TokenKind::Word && keywords().binary_search(&&*token.text).is_err();
            let field = at > 0 && tokens[at - 1].is_sign(".");
            if !plain || field || explained.contains(&token.span) || hidden.contains(&*token.text) {
                continue;
            }
            if let Some(symbol) = self.meaning(&known, token, in_directive) {
                self.table.use_at(token.span, symbol);
            }
        }
    }

    fn local_names(&self) -> BTreeMap<&'a str, Vec<(Span, usize, usize)>> {
        let extents = self.unit_extents();
        let mut locals: BTreeMap<&str, Vec<(Span, usize, usize)>> = BTreeMap::new();
        let model = self.model;
        for variable in &model.symbols.variables {
            let Owner::Unit(unit) = variable.owner else { continue };
            let Some(&symbol) = self.by_span.get(&variable.span) else { continue };
            if let Some(&(extent, _)) = extents.iter().find(|(_, id)| *id == unit) {
                locals.entry(variable.name.as_str()).or_default().push((extent, variable.span.start, symbol));
            }
        }
        locals
    }

    /// Puts a name in that stands for other text.
    fn put_in(&mut self, name: &Token, kind: SymbolKind, extent: Span, known: &mut KnownWords<'_>) -> usize {
        let detail: String = self.snippet(extent).chars().take(80).collect();
        let (span, text) = (name.span, name.text.to_string());
        let symbol = Symbol { name: text.clone(), kind, span, extent, detail, notes: Vec::new(), parent: None };
        let id = self.table.declare(symbol);
        self.by_span.insert(span, id);
        known.put_in.entry(text).or_insert(id);
        id
    }

    fn macros(&mut self, tokens: &[Token], known: &mut KnownWords<'_>) {
        for (at, line) in tokens.windows(3).enumerate() {
            let directive = line[0].is_sign("#") && line[0].newline && line[1].is_word("define");
            if !directive || line[2].kind != TokenKind::Word || line[2].newline {
                continue;
            }
            let end = tokens[at + 3..].iter().position(|token| token.newline).unwrap_or(0) + at + 2;
            self.put_in(&line[2], SymbolKind::Macro, line[0].span.to(tokens[end].span), known);
        }
    }

    fn inlines(&mut self, tokens: &[Token], known: &mut KnownWords<'_>) {
        for at in 0..tokens.len().saturating_sub(2) {
            if !tokens[at].is_word("inline") || tokens[at + 1].kind != TokenKind::Word || !tokens[at + 2].is_sign("(") {
                continue;
            }
            let Some(close) = tokens[at..].iter().position(|token| token.is_sign(")")) else { continue };
            let end = closing_brace(tokens, at + close);
            let extent = tokens[at].span.to(tokens[end].span);
            let head = tokens[at].span.to(tokens[at + close].span);
            let inline = self.put_in(&tokens[at + 1], SymbolKind::Inline, extent, known);
            self.table.symbols_mut()[inline].detail = self.snippet(head);
            let mut params = BTreeMap::new();
            for token in tokens[at + 3..at + close].iter().filter(|token| token.kind == TokenKind::Word) {
                let (name, span) = (token.text.to_string(), token.span);
                let detail = format!("parameter {name} of {}", tokens[at + 1].text);
                let kind = SymbolKind::Parameter;
                let (extent, notes, parent) = (span, Vec::new(), Some(inline));
                let symbol = Symbol { name: name.clone(), kind, span, extent, detail, notes, parent };
                let id = self.table.declare(symbol);
                self.by_span.insert(span, id);
                params.insert(name, id);
            }
            known.inlines.push(InlineText { extent, params });
        }
    }

    fn meaning(&self, known: &KnownWords<'_>, token: &Token, in_directive: bool) -> Option<usize> {
        let (name, at) = (&*token.text, token.span.start);
        let inside = |extent: Span| extent.start <= at && at < extent.end;
        let inline = known.inlines.iter().find(|inline| inside(inline.extent));
        if let Some(&param) = inline.and_then(|inline| inline.params.get(name)) {
            return Some(param);
        }
        if let Some(&symbol) = known.put_in.get(name) {
            return Some(symbol);
        }
        let locals = known.locals.get(name).map_or(&[][..], Vec::as_slice);
        let here = locals.iter().filter(|(extent, declared, _)| inside(*extent) && *declared <= at);
        if let Some((_, _, symbol)) = here.max_by_key(|(_, declared, _)| declared) {
            return Some(*symbol);
        }
        if let Some(&symbol) = self.globals.get(name).or_else(|| known.globals.get(name)) {
            return Some(symbol);
        }
        match locals {
            [(_, _, only)] if in_directive || inline.is_some() => Some(*only),
            _ => None,
        }
    }
}

/// The parameters of the macro that a line defines.
fn macro_params(line: &[Token]) -> BTreeSet<&str> {
    let defines = line.len() > 3 && line[1].is_word("define") && line[3].is_sign("(") && !line[3].space;
    if !defines {
        return BTreeSet::new();
    }
    let inside = line[4..].iter().take_while(|token| !token.is_sign(")") && !token.newline);
    inside.filter(|token| token.kind == TokenKind::Word).map(|token| &*token.text).collect()
}

/// Where the block that begins behind `from` ends.
fn closing_brace(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        if token.is_sign("{") {
            depth += 1;
        } else if token.is_sign("}") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at;
            }
        }
    }
    tokens.len() - 1
}
