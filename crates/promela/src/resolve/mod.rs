//! What do the names of a model mean, and does everything fit together?
//!
//! Walks the tree in the order of the text, since Promela's names must be declared before they are used, and fills
//! the tables of [`crate::symbols`]. Refuses what Spin refuses when it generates a verifier. What can only be told
//! when everything is known (which process `run` starts, which label a remote reference means, what formulas speak
//! of) is looked at last.
//!
//! Not here: what statements do ([`crate::lower`]).

mod constants;
mod declare;
mod exprs;
mod labels;
mod loops;
mod names;
mod statements;

use std::collections::BTreeMap;

use tertium_base::{Diagnostic, Span};

use crate::ast::{Exclusive, Expr, ExprKind, File, Formula, FormulaKind, Item, Proctype, Stmt, VarRef};
use crate::symbols::{MtypeSet, Owner, SymbolId, Symbols, Unit, UnitId, UnitKind};
use names::Scopes;

/// Looks up all names of a model and checks it.
pub(crate) fn resolve(file: &File) -> (Symbols, Vec<Diagnostic>) {
    let mut resolver = Resolver {
        file,
        symbols: Symbols {
            meanings: vec![None; file.refs],
            declared: vec![None; file.decls],
            mtypes: vec![MtypeSet { name: "_unnamed_".to_owned(), names: Vec::new() }],
            ..Symbols::default()
        },
        diagnostics: Vec::new(),
        scopes: Scopes::default(),
        structs: Vec::new(),
        place: WalkPosition::default(),
        labels: labels::Labels::default(),
        late: Late::default(),
        widest: 0,
        active: 0,
        rendezvous: false,
        exclusive: BTreeMap::new(),
    };
    resolver.file();
    (resolver.symbols, resolver.diagnostics)
}

/// Where in the model the walk is.
#[derive(Clone, Default)]
struct WalkPosition {
    unit: Option<UnitId>,
    kind: Option<UnitKind>,
    /// The innermost `d_step`, if any, by its position among all of them.
    d_step: Option<usize>,
    /// How many loops are open that `break` can leave.
    loops: u32,
    /// Inside the brackets of `for (…)`, arrays may stand without index.
    in_for: bool,
    /// Calls of inlines around.
    inlines: Vec<String>,
}

/// What is looked at when the whole model is known.
#[derive(Default)]
struct Late<'a> {
    runs: Vec<(&'a crate::ast::Run, Span)>,
    remotes: Vec<&'a Expr>,
    sends: Vec<(Span, usize)>,
    enabled: Option<Span>,
}

/// There are no numbers for more processes: a pid has eight bits, and 255 is nobody's.
const MOST_PROCESSES: u32 = 255;

struct Resolver<'a> {
    file: &'a File,
    symbols: Symbols,
    diagnostics: Vec<Diagnostic>,
    scopes: Scopes,
    /// How many cells each structure has, and how deep structures are nested in it.
    structs: Vec<(u64, u32)>,
    place: WalkPosition,
    labels: labels::Labels,
    late: Late<'a>,
    /// How many fields the widest channel has.
    widest: usize,
    /// How many processes run from the start, so far.
    active: u32,
    rendezvous: bool,
    /// Who has a channel to send to or to receive from alone.
    exclusive: BTreeMap<(Exclusive, SymbolId), (UnitId, Span)>,
}

impl<'a> Resolver<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span, label: &str) {
        self.report(Diagnostic::error(code, message).at(span, label));
    }

    fn file(&mut self) {
        let file = self.file;
        for (position, item) in file.items.iter().enumerate() {
            self.place = WalkPosition::default();
            self.item(item, position);
        }
        self.place = WalkPosition::default();
        for item in &file.items {
            match item {
                Item::Ltl(ltl) => self.formula(&ltl.formula),
                Item::Pred(predicate) => self.value(predicate),
                _ => {}
            }
        }
        self.claims();
        self.late_checks();
        if !self.symbols.units.iter().any(|unit| unit.kind == UnitKind::Init || unit.active > 0) {
            let diagnostic = Diagnostic::error("E0518", "no process runs from the start")
                .help("add `init { … }`, or put `active` before a proctype");
            self.report(
                match file.items.iter().rev().find_map(|item| match item {
                    Item::Proctype(proctype) => Some(proctype.name.span),
                    _ => None,
                }) {
                    Some(span) => diagnostic.at(span, "never started"),
                    None => diagnostic.at(Span::new(0, 0), "nothing to run in this model"),
                },
            );
        }
    }

    fn item(&mut self, item: &'a Item, position: usize) {
        match item {
            Item::Vars(vars) => self.variables(vars, Owner::Global, false),
            Item::Mtype(mtype) => self.mtype(mtype),
            Item::Typedef(typedef) => self.typedef(typedef),
            Item::Proctype(proctype) => self.proctype(proctype, position),
            Item::Init(init) => {
                self.begin_unit(UnitKind::Init, "init".to_owned(), position, init.span);
                self.priority(init.priority.as_ref());
                self.end_unit(&init.body);
            }
            Item::Never(never) => {
                let count = self.symbols.units.iter().filter(|unit| unit.kind == UnitKind::Never).count();
                let name = never.name.as_ref().map_or(format!("never_{count}"), |name| name.name.clone());
                self.begin_unit(UnitKind::Never, name, position, never.span);
                self.end_unit(&never.body);
            }
            Item::Trace(trace) => {
                if let Some(old) = self.symbols.units.iter().find(|unit| unit.kind == UnitKind::Trace) {
                    let diagnostic = Diagnostic::error("E0511", "there is a second `trace` or `notrace`")
                        .at(trace.span, "second one")
                        .also(old.span, "first one");
                    self.report(diagnostic);
                }
                let name = if trace.negated { "notrace" } else { "trace" };
                self.begin_unit(UnitKind::Trace, name.to_owned(), position, trace.span);
                self.end_unit(&trace.body);
            }
            // Formulas and predicates may speak of anything in the model.
            Item::Ltl(_) | Item::Pred(_) => {}
        }
    }

    fn begin_unit(&mut self, kind: UnitKind, name: String, item: usize, span: Span) -> UnitId {
        let id = UnitId::new(self.symbols.units.len());
        let active = u32::from(kind == UnitKind::Init);
        self.symbols.units.push(Unit {
            kind,
            name,
            item,
            active,
            params: Vec::new(),
            locals: Vec::new(),
            labels: std::collections::BTreeMap::new(),
            span,
        });
        self.place = WalkPosition { unit: Some(id), kind: Some(kind), ..WalkPosition::default() };
        self.labels.begin();
        self.scopes.open();
        id
    }

    fn end_unit(&mut self, body: &'a [Stmt]) {
        self.body(body);
        self.scopes.close();
        self.resolve_labels();
        self.goto_loops(body);
        self.place = WalkPosition::default();
    }

    fn proctype(&mut self, proctype: &'a Proctype, position: usize) {
        let name = &proctype.name;
        self.new_global(name, names::Global::Proctype);
        let active = self.active_count(proctype);
        let id = self.begin_unit(UnitKind::Proctype, name.name.clone(), position, name.span);
        self.symbols.units[id.index()].active = active;
        for params in &proctype.params {
            self.variables(params, Owner::Unit(id), true);
        }
        self.priority(proctype.priority.as_ref());
        if let Some(provided) = &proctype.provided {
            let before = self.late.remotes.len();
            self.value(provided);
            if let Some(remote) = self.late.remotes.get(before) {
                let diagnostic = Diagnostic::error("E0517", "`provided` looks into another process")
                    .at(remote.span, "not visible here")
                    .help("let the other process keep a global variable");
                self.report(diagnostic);
            }
        }
        self.end_unit(&proctype.body);
    }

    /// How many instances run from the start.
    fn active_count(&mut self, proctype: &Proctype) -> u32 {
        let Some(active) = &proctype.active else { return 0 };
        let count = self.given_count(proctype, active.count.as_ref());
        let before = self.active;
        self.active = before.saturating_add(count);
        if before <= MOST_PROCESSES && self.active > MOST_PROCESSES {
            let span = active.count.as_ref().map_or(proctype.name.span, |count| count.span);
            let message = format!("more than {MOST_PROCESSES} processes cannot be active");
            self.error("E0513", message, span, "too many, with those before");
        }
        count
    }

    fn given_count(&mut self, proctype: &Proctype, count: Option<&Expr>) -> u32 {
        let Some(count) = count else { return 1 };
        let Some(value) = self.size_constant(count, "the number of processes") else { return 1 };
        match u32::try_from(value) {
            Ok(value) if value <= MOST_PROCESSES => value,
            _ => {
                let message = format!("{value} processes of `{}` cannot be active", proctype.name.name);
                self.error("E0513", message, count.span, "not between 0 and 255");
                1
            }
        }
    }

    fn priority(&mut self, priority: Option<&'a Expr>) {
        let Some(priority) = priority else { return };
        let value = self.constant(priority);
        if !value.is_some_and(|value| (1..=255).contains(&value)) {
            self.error("E0513", "a priority is a constant between 1 and 255", priority.span, "not such a constant");
        }
    }

    fn formula(&mut self, formula: &'a Formula) {
        match &formula.kind {
            FormulaKind::Atom(expr) => self.value(expr),
            FormulaKind::Not(inner)
            | FormulaKind::Next(inner)
            | FormulaKind::Always(inner)
            | FormulaKind::Eventually(inner) => self.formula(inner),
            FormulaKind::Binary(_, left, right) => {
                self.formula(left);
                self.formula(right);
            }
        }
    }

    /// Claims and formulas have names of their own.
    fn claims(&mut self) {
        let mut seen: Vec<&crate::ast::Ident> = Vec::new();
        let file = self.file;
        for item in &file.items {
            let name = match item {
                Item::Ltl(ltl) => ltl.name.as_ref(),
                Item::Never(never) => never.name.as_ref(),
                _ => None,
            };
            let Some(name) = name else { continue };
            if let Some(old) = seen.iter().find(|old| old.name == name.name) {
                let diagnostic = Diagnostic::error("E0511", format!("two claims are named `{}`", name.name))
                    .at(name.span, "second one")
                    .also(old.span, "first one");
                self.diagnostics.push(diagnostic);
            }
            seen.push(name);
        }
    }

    fn late_checks(&mut self) {
        let late = std::mem::take(&mut self.late);
        for (run, span) in late.runs {
            self.check_run(run, span);
        }
        for remote in late.remotes {
            self.check_remote(remote);
        }
        for (span, values) in late.sends {
            if values > self.widest {
                let message =
                    format!("a message has {values} values, but no channel has more than {} fields", self.widest);
                let diagnostic = Diagnostic::error("E0515", message)
                    .at(span, "too many values")
                    .help("give a channel its fields: `chan q = [1] of { byte }`");
                self.report(diagnostic);
            }
        }
        if let Some(span) = late.enabled.filter(|_| self.rendezvous) {
            let message = "`enabled` cannot be used in a model with rendezvous channels";
            self.error("E0517", message, span, "depends on what it decides");
        }
    }

    /// The variable at the root of a reference, if it is one.
    fn root(&self, reference: &VarRef) -> Option<&crate::symbols::Symbol> {
        match self.symbols.meaning(reference.id)? {
            crate::symbols::Meaning::Variable { symbol, .. } => Some(self.symbols.variable(*symbol)),
            _ => None,
        }
    }

    /// The reference that an expression is, if it is nothing else.
    fn as_reference(expr: &Expr) -> Option<&VarRef> {
        match &expr.kind {
            ExprKind::Ref(reference) => Some(reference),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
