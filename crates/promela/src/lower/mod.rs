//! How does a Promela model become a program graph?
//!
//! `data` lays out variables, structures and channels; `exprs` gives expressions C's meaning (32-bit arithmetic,
//! truncation where something is stored); `elements` arranges statements the way Spin does, because what is a state of
//! its own depends on it; `flow` makes locations and steps of them; `actions` says what single statements do;
//! `specifications` adds what the model asks: formulas, `never` claims, `trace`; `promises` what it says of its channels; `hidden` drops what only hidden variables see.
//!
//! The tree and the tables must come without errors: lowering reports only what the graph cannot hold.

mod actions;
mod data;
mod elements;
mod exprs;
mod flow;
mod hidden;
mod promises;
mod specifications;

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Diagnostic, Span};
use tertium_program::{Expr, ExprId, Instance, LocationId, ProcessId, Program, Scope, VarId};

use crate::ast::{self, File, Item, LabelId, RefId};
use crate::sources::Sources;
use crate::symbols::{Meaning, Predefined, SymbolId, Symbols, UnitId, UnitKind};

/// A model as a program graph.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The graph; complete only if no diagnostic is an error.
    pub program: Program,
    /// What cannot be represented, and remarks.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether some statement is labelled `accept`, outside `never` claims.
    pub accepts: bool,
    /// Whether some statement is labelled `progress`.
    pub progresses: bool,
}

/// The graph of a model whose names are resolved.
#[must_use]
pub fn lower(file: &File, symbols: &Symbols, sources: &Sources) -> Lowered {
    let mut lowering = Lowering {
        file,
        symbols,
        sources,
        program: Program::new(""),
        diagnostics: Vec::new(),
        processes: BTreeMap::new(),
        places: BTreeMap::new(),
        types: data::Types::default(),
        scratch: BTreeMap::new(),
        copies: BTreeMap::new(),
        labels: BTreeMap::new(),
        remote_labels: BTreeSet::new(),
        current: None,
    };
    lowering.run();
    let progresses = lowering.some_location(|location| location.progress);
    let accepts = lowering.some_location(|location| location.accept);
    Lowered { program: lowering.program, diagnostics: lowering.diagnostics, accepts, progresses }
}

/// Everything under construction.
struct Lowering<'a> {
    file: &'a File,
    symbols: &'a Symbols,
    sources: &'a Sources,
    program: Program,
    diagnostics: Vec<Diagnostic>,
    processes: BTreeMap<UnitId, ProcessId>,
    /// The program's variable for each plain part of a symbol, by the positions of fields.
    places: BTreeMap<(SymbolId, Vec<u32>), VarId>,
    types: data::Types,
    /// Counters of loops over channels, by the mention of the channel: an inline that is called twice has two loops.
    scratch: BTreeMap<RefId, VarId>,
    /// How many variables there are of each name.
    copies: BTreeMap<(Scope, String), u32>,
    /// Where each label is.
    labels: BTreeMap<LabelId, (ProcessId, LocationId)>,
    /// Labels that some expression asks about.
    remote_labels: BTreeSet<LabelId>,
    /// The unit whose code is being lowered.
    current: Option<UnitId>,
}

impl<'a> Lowering<'a> {
    fn run(&mut self) {
        self.program.persistent = true;
        self.declare_types();
        self.declare_processes();
        self.declare_variables();
        self.instances();
        self.remote_labels = self.labels_seen_from_outside();
        let units: Vec<UnitId> = self.processes.keys().copied().collect();
        let drafts: Vec<_> = units.iter().map(|&unit| (unit, self.arrange(unit))).collect();
        // Labels of all processes are known before any expression that may speak of them.
        for (unit, draft) in &drafts {
            self.place(*unit, draft);
        }
        for (unit, draft) in &drafts {
            self.current = Some(*unit);
            self.connect(*unit, draft);
        }
        self.current = None;
        // What watches runs looks at these.
        self.program.exprs.add(Expr::Accepting);
        self.program.exprs.add(Expr::NonProgress);
        self.properties();
        self.promises();
        hidden::drop_unread(&mut self.program);
    }

    fn declare_processes(&mut self) {
        for (at, unit) in self.symbols.units.iter().enumerate() {
            let id = self.program.add_process(unit.name.clone(), unit.span);
            self.processes.insert(UnitId::new(at), id);
            match unit.kind {
                UnitKind::Never => self.program.claims.push(id),
                UnitKind::Proctype | UnitKind::Init | UnitKind::Trace => {}
            }
        }
        self.program.priorities = self.uses_priorities();
    }

    /// Pids in the order of the text.
    fn instances(&mut self) {
        for (at, unit) in self.symbols.units.iter().enumerate() {
            let (count, priority) = match &self.file.items[unit.item] {
                Item::Proctype(proctype) => (unit.active, proctype.priority.as_ref()),
                Item::Init(init) => (1, init.priority.as_ref()),
                _ => continue,
            };
            let priority = priority.and_then(|expr| self.constant(expr)).unwrap_or(1);
            for _ in 0..count {
                let process = self.processes[&UnitId::new(at)];
                self.program.instances.push(Instance { process, arguments: Vec::new(), priority });
            }
        }
    }

    /// Spin minds priorities if any is given or asked for.
    fn uses_priorities(&self) -> bool {
        let mut found = self.file.items.iter().any(|item| match item {
            Item::Proctype(proctype) => proctype.priority.is_some(),
            Item::Init(init) => init.priority.is_some(),
            _ => false,
        });
        self.each_expr(&mut |expr| {
            found |= match &expr.kind {
                ast::ExprKind::Run(run) => run.priority.is_some(),
                _ => false,
            };
        });
        self.each_stmt(&mut |stmt| found |= matches!(stmt.kind, ast::StmtKind::SetPriority(..)));
        let asked = |meaning: &Option<Meaning>| matches!(meaning, Some(Meaning::Predefined(Predefined::Priority)));
        found || self.symbols.meanings.iter().any(asked)
    }

    fn some_location(&self, has: impl Fn(&tertium_program::Location) -> bool) -> bool {
        let claims = &self.program.claims;
        let trace = self.program.trace.as_ref().map(|trace| trace.process);
        let watches = |id: ProcessId| claims.contains(&id) || trace == Some(id);
        let mut own = self.program.process_ids().filter(|&id| !watches(id));
        own.any(|id| self.program.process(id).locations.iter().any(&has))
    }

    fn error(&mut self, span: Span, what: impl Into<String>, help: &str) -> ExprId {
        self.diagnostics.push(Diagnostic::error("E0590", what).at(span, "here").help(help));
        self.program.exprs.int(0)
    }

    /// The text of a place on one line.
    fn text(&self, span: Span) -> String {
        self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn body(&self, unit: UnitId) -> (&'a [ast::Stmt], Span) {
        match &self.file.items[self.symbols.unit(unit).item] {
            Item::Proctype(item) => (&item.body, item.end),
            Item::Init(item) => (&item.body, item.end),
            Item::Never(item) => (&item.body, item.end),
            Item::Trace(item) => (&item.body, item.end),
            _ => (&[], Span::default()),
        }
    }
}
