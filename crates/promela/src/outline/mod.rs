//! Which names does a model declare, and where are they used?
//!
//! For editors. Declarations and references come from the tables of [`crate::symbols`] (`walk`). Names that macros and
//! calls of inlines hide from the tree are then looked up word by word in the text as it is written (`words`). A name
//! that a macro made stands nowhere in the text and is left out.
//!
//! Spans count over all sources of the model, as everywhere in this crate.

mod walk;
mod words;

use std::collections::BTreeMap;

use tertium_base::{Span, Symbol, SymbolKind, SymbolTable};

use crate::Model;
use crate::ast::{Declarator, Item, LabelId, MtypeDecl, TypeName, VarDecl};
use crate::symbols::Owner;

/// Finds the names of one model.
pub(crate) struct Namer<'a> {
    model: &'a Model,
    table: SymbolTable,
    /// Symbols by where they are declared: each call of an inline declares its variables at the same place.
    by_span: BTreeMap<Span, usize>,
    /// Proctypes, types and constants by name.
    globals: BTreeMap<String, usize>,
    labels: BTreeMap<LabelId, usize>,
    /// The symbol of each unit that has one.
    units: Vec<Option<usize>>,
}

/// All names of a model whose own file has this text.
///
/// ```
/// let text = "byte turn; active proctype P() { turn = 1 - turn }";
/// let model = tertium_promela::read("m.pml", text, &tertium_promela::Options::default());
/// let table = tertium_promela::outline::names(text, &model);
/// let turn = table.at(5).unwrap().symbol;
/// assert_eq!(table.symbols()[turn].detail, "byte turn");
/// assert_eq!(table.places(turn).len(), 3);
/// ```
#[must_use]
pub fn names(text: &str, model: &Model) -> SymbolTable {
    let mut namer = Namer {
        model,
        table: SymbolTable::default(),
        by_span: BTreeMap::new(),
        globals: BTreeMap::new(),
        labels: BTreeMap::new(),
        units: vec![None; model.symbols.units.len()],
    };
    namer.declare();
    namer.walk();
    namer.words(text);
    namer.table.finish();
    namer.table
}

/// Words that cannot be names.
#[must_use]
pub fn keywords() -> &'static [&'static str] {
    crate::parser::KEYWORDS
}

/// Whether a text can be a name.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let begins = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    begins && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') && !keywords().contains(&text)
}

impl<'a> Namer<'a> {
    /// A stretch of the text on one line.
    fn snippet(&self, span: Span) -> String {
        self.model.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Enters a name, unless a macro made it or it is there already.
    fn enter(
        &mut self,
        name: &str,
        kind: SymbolKind,
        span: Span,
        extent: Span,
        detail: String,
        parent: Option<usize>,
    ) -> Option<usize> {
        if let Some(&known) = self.by_span.get(&span) {
            return Some(known);
        }
        if self.model.sources.text(span) != name {
            return None;
        }
        let symbol = Symbol { name: name.to_owned(), kind, span, extent, detail, notes: Vec::new(), parent };
        let id = self.table.declare(symbol);
        self.by_span.insert(span, id);
        Some(id)
    }

    fn note(&mut self, symbol: Option<usize>, note: String) {
        if let Some(symbol) = symbol {
            let notes = &mut self.table.symbols_mut()[symbol].notes;
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }

    fn declare(&mut self) {
        let model = self.model;
        let mut unnamed = 0;
        for item in &model.file.items {
            match item {
                Item::Vars(decl) => self.variables(decl, SymbolKind::Variable, None),
                Item::Mtype(mtype) => self.mtype(mtype),
                Item::Typedef(typedef) => {
                    let detail = format!("typedef {}", typedef.name.name);
                    let (name, span) = (&typedef.name.name, typedef.name.span);
                    let symbol = self.enter(name, SymbolKind::Type, span, typedef.span, detail, None);
                    self.global(name, symbol);
                    typedef.fields.iter().for_each(|decl| self.variables(decl, SymbolKind::Field, symbol));
                }
                Item::Ltl(ltl) => {
                    let made_up = format!("ltl_{unnamed}");
                    unnamed += usize::from(ltl.name.is_none());
                    let detail = format!("ltl {{ {} }}", ltl.text);
                    match &ltl.name {
                        Some(name) => {
                            self.enter(&name.name, SymbolKind::Property, name.span, ltl.span, detail, None);
                        }
                        None => self.unnamed(made_up, Span::new(ltl.span.start, ltl.span.start + 3), ltl.span, detail),
                    }
                }
                Item::Never(never) => {
                    let extent = never.span.to(never.end);
                    if let Some(name) = &never.name {
                        let detail = format!("never {}", name.name);
                        self.enter(&name.name, SymbolKind::Property, name.span, extent, detail, None);
                    } else {
                        self.unnamed("never".to_owned(), never.span, extent, "never claim".to_owned());
                    }
                }
                Item::Proctype(_) | Item::Init(_) | Item::Trace(_) | Item::Pred(_) => {}
            }
        }
        self.units();
    }

    /// A property without a name is found by the word that begins it.
    fn unnamed(&mut self, name: String, span: Span, extent: Span, detail: String) {
        let symbol = Symbol { name, kind: SymbolKind::Property, span, extent, detail, notes: Vec::new(), parent: None };
        let id = self.table.declare(symbol);
        self.by_span.insert(span, id);
    }

    fn global(&mut self, name: &str, symbol: Option<usize>) {
        if let Some(symbol) = symbol {
            self.globals.entry(name.to_owned()).or_insert(symbol);
        }
    }

    fn mtype(&mut self, mtype: &MtypeDecl) {
        let set = mtype.set.as_ref().map_or("mtype".to_owned(), |set| format!("mtype:{}", set.name));
        let in_tables = mtype.set.as_ref().map_or("_unnamed_", |set| set.name.as_str());
        for name in &mtype.names {
            let detail = format!("{set} {}", name.name);
            let symbol = self.enter(&name.name, SymbolKind::Member, name.span, name.span, detail, None);
            self.global(&name.name, symbol);
            let known = self.model.symbols.mtypes.iter().find(|known| known.name == in_tables);
            let position = known.and_then(|known| known.names.iter().position(|known| *known == name.name));
            if let Some(position) = position {
                self.note(symbol, format!("value {}", position + 1));
            }
        }
    }

    fn units(&mut self) {
        let model = self.model;
        for (at, unit) in model.symbols.units.iter().enumerate() {
            let (symbol, params, body) = match &model.file.items[unit.item] {
                Item::Proctype(proctype) => {
                    let (name, span) = (&proctype.name.name, proctype.name.span);
                    let head = Span::new(proctype.span.start, span.end);
                    let detail = self.snippet(head);
                    let symbol = self.enter(name, SymbolKind::Process, span, proctype.span, detail, None);
                    self.global(name, symbol);
                    if unit.active > 1 {
                        self.note(symbol, format!("{} processes from the start", unit.active));
                    }
                    (symbol, &proctype.params[..], &proctype.body)
                }
                Item::Init(init) => {
                    let extent = init.span.to(init.end);
                    let detail = "init".to_owned();
                    (self.enter("init", SymbolKind::Process, init.span, extent, detail, None), &[][..], &init.body)
                }
                Item::Never(never) => (None, &[][..], &never.body),
                Item::Trace(trace) => (None, &[][..], &trace.body),
                _ => continue,
            };
            self.units[at] = symbol;
            params.iter().for_each(|decl| self.variables(decl, SymbolKind::Parameter, symbol));
            self.locals(body, symbol);
        }
    }

    fn variables(&mut self, decl: &VarDecl, kind: SymbolKind, parent: Option<usize>) {
        for declarator in &decl.vars {
            let detail = self.declaration(&decl.ty, declarator);
            let (name, span) = (&declarator.name.name, declarator.name.span);
            self.enter(name, kind, span, declarator.span, detail, parent);
        }
    }

    /// A declaration with one variable: `byte a[3] = 1`.
    fn declaration(&self, ty: &TypeName, declarator: &Declarator) -> String {
        let (ty, rest) = (self.snippet(ty.span), self.snippet(declarator.span));
        if rest.is_empty() { format!("{ty} {}", declarator.name.name) } else { format!("{ty} {rest}") }
    }

    /// The symbol of a variable of the tables.
    fn variable(&self, id: crate::symbols::SymbolId) -> Option<usize> {
        self.by_span.get(&self.model.symbols.variable(id).span).copied()
    }

    /// The whole text of each unit, and its symbol.
    fn unit_extents(&self) -> Vec<(Span, crate::symbols::UnitId)> {
        let item = |unit: &crate::symbols::Unit| match &self.model.file.items[unit.item] {
            Item::Proctype(proctype) => proctype.span,
            Item::Init(init) => init.span.to(init.end),
            Item::Never(never) => never.span.to(never.end),
            Item::Trace(trace) => trace.span.to(trace.end),
            _ => unit.span,
        };
        let units = self.model.symbols.units.iter().enumerate();
        units.map(|(at, unit)| (item(unit), crate::symbols::UnitId::new(at))).collect()
    }

    /// Global variables by name; a constant of the same name wins, as in Spin.
    fn global_names(&self) -> BTreeMap<&'a str, usize> {
        let mut names = BTreeMap::new();
        for variable in &self.model.symbols.variables {
            if let (Owner::Global, Some(&symbol)) = (variable.owner, self.by_span.get(&variable.span)) {
                names.insert(variable.name.as_str(), symbol);
            }
        }
        names
    }
}
