//! Names as the tree knows them: every reference of the model and what it means.

use tertium_base::{Span, SymbolKind};

use super::Namer;
use crate::ast::{
    Expr, ExprKind, ForRange, Formula, FormulaKind, Ident, Initializer, Item, LabelRef, RecvArg, Stmt, StmtKind,
    TypeKind, TypeName, VarDecl, VarRef,
};
use crate::symbols::{DataType, Meaning};

impl<'a> Namer<'a> {
    /// Labels and declarations among statements.
    pub(super) fn locals(&mut self, body: &'a [Stmt], unit: Option<usize>) {
        for stmt in body {
            for label in &stmt.labels {
                let (name, span) = (&label.name.name, label.name.span);
                let shown: String = self.snippet(stmt.span).chars().take(60).collect();
                let detail = format!("{name}: {shown}");
                if let Some(symbol) = self.enter(name, SymbolKind::Label, span, span, detail, unit) {
                    self.labels.insert(label.id, symbol);
                }
            }
            if let StmtKind::Decl { vars, .. } = &stmt.kind {
                self.variables(vars, SymbolKind::Local, unit);
            }
            for body in bodies(&stmt.kind) {
                self.locals(body, unit);
            }
        }
    }

    /// Enters all uses.
    pub(super) fn walk(&mut self) {
        for item in &self.model.file.items {
            match item {
                Item::Vars(decl) => self.declared(decl),
                Item::Typedef(typedef) => typedef.fields.iter().for_each(|decl| self.declared(decl)),
                Item::Proctype(proctype) => {
                    proctype.params.iter().for_each(|decl| self.declared(decl));
                    let active = proctype.active.as_ref().and_then(|active| active.count.as_ref());
                    let parts = [active, proctype.priority.as_ref(), proctype.provided.as_ref()];
                    parts.into_iter().flatten().for_each(|expr| self.expr(expr));
                    self.body(&proctype.body);
                }
                Item::Init(init) => self.body(&init.body),
                Item::Never(never) => self.body(&never.body),
                Item::Trace(trace) => self.body(&trace.body),
                Item::Ltl(ltl) => self.formula(&ltl.formula),
                Item::Pred(predicate) => self.expr(predicate),
                Item::Mtype(_) => {}
            }
        }
    }

    /// A use, if the name really stands there.
    fn used(&mut self, name: &str, span: Span, symbol: Option<usize>) {
        if let Some(symbol) = symbol
            && self.model.sources.text(span) == name
        {
            self.table.use_at(span, symbol);
        }
    }

    fn used_global(&mut self, name: &Ident) {
        let symbol = self.globals.get(&name.name).copied();
        self.used(&name.name, name.span, symbol);
    }

    fn declared(&mut self, decl: &'a VarDecl) {
        self.ty(&decl.ty);
        for declarator in &decl.vars {
            declarator.width.iter().chain(&declarator.size).for_each(|expr| self.expr(expr));
            match &declarator.initial {
                None => {}
                Some(Initializer::Value(value)) => self.expr(value),
                Some(Initializer::List(values, _)) => values.iter().for_each(|value| self.expr(value)),
                Some(Initializer::Channel(init)) => {
                    self.expr(&init.capacity);
                    init.fields.iter().for_each(|ty| self.ty(ty));
                }
            }
        }
    }

    fn ty(&mut self, ty: &TypeName) {
        if let TypeKind::User(name) = &ty.kind {
            self.used_global(name);
        }
    }

    fn body(&mut self, body: &'a [Stmt]) {
        for stmt in body {
            self.stmt(&stmt.kind);
            for body in bodies(&stmt.kind) {
                self.body(body);
            }
        }
    }

    fn stmt(&mut self, kind: &'a StmtKind) {
        match kind {
            StmtKind::Decl { vars, .. } => self.declared(vars),
            StmtKind::Exclusive(_, channels) => channels.iter().for_each(|channel| self.reference(channel)),
            StmtKind::Pred(expr) | StmtKind::Expr(expr) | StmtKind::Assert(expr) | StmtKind::Printm(expr) => {
                self.expr(expr);
            }
            StmtKind::Assign(place, value) => {
                self.reference(place);
                self.expr(value);
            }
            StmtKind::Increment(place) | StmtKind::Decrement(place) => self.reference(place),
            StmtKind::Send { channel, args, .. } => {
                self.reference(channel);
                args.iter().for_each(|arg| self.expr(arg));
            }
            StmtKind::Receive { channel, args, .. } => {
                self.reference(channel);
                self.received(args);
            }
            StmtKind::Printf(_, args) => args.iter().for_each(|arg| self.expr(arg)),
            StmtKind::SetPriority(pid, value) => {
                self.expr(pid);
                self.expr(value);
            }
            StmtKind::Goto(label) => self.label(label),
            StmtKind::For(for_loop) => {
                self.reference(&for_loop.var);
                match &for_loop.over {
                    ForRange::Range(from, to) => {
                        self.expr(from);
                        self.expr(to);
                    }
                    ForRange::In(collection) => self.reference(collection),
                }
            }
            StmtKind::Select(var, from, to) => {
                self.reference(var);
                self.expr(from);
                self.expr(to);
            }
            StmtKind::Else
            | StmtKind::Break
            | StmtKind::Block(_)
            | StmtKind::Inline(_)
            | StmtKind::Atomic(_)
            | StmtKind::DStep(_)
            | StmtKind::If(_)
            | StmtKind::Do(_)
            | StmtKind::Unless(..) => {}
        }
    }

    fn received(&mut self, args: &'a [RecvArg]) {
        for arg in args {
            match arg {
                RecvArg::Place(place) => self.reference(place),
                RecvArg::Eval(value) => self.expr(value),
                RecvArg::Const(..) => {}
            }
        }
    }

    fn label(&mut self, label: &LabelRef) {
        if let Some(Meaning::Label(id)) = self.model.symbols.meaning(label.id) {
            let symbol = self.labels.get(id).copied();
            self.used(&label.name.name, label.name.span, symbol);
        }
    }

    fn reference(&mut self, reference: &'a VarRef) {
        reference.parts.iter().filter_map(|part| part.index.as_ref()).for_each(|index| self.expr(index));
        let first = &reference.parts[0].name;
        match self.model.symbols.meaning(reference.id) {
            Some(Meaning::Variable { symbol, fields, .. }) => {
                let (symbol, fields) = (*symbol, fields.as_slice());
                let id = self.variable(symbol);
                self.used(&first.name, first.span, id);
                self.fields(reference, self.model.symbols.variable(symbol).ty, fields);
            }
            Some(Meaning::Constant { .. }) => self.used_global(first),
            _ => {}
        }
    }

    fn fields(&mut self, reference: &VarRef, mut ty: DataType, fields: &[u32]) {
        for (part, &field) in reference.parts[1..].iter().zip(fields) {
            let DataType::Struct(id) = ty else { return };
            let Some(field) = self.model.symbols.structure(id).fields.get(field as usize) else { return };
            let symbol = self.by_span.get(&field.span).copied();
            self.used(&part.name.name, part.name.span, symbol);
            ty = field.ty;
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Skip | ExprKind::Timeout | ExprKind::NonProgress => {}
            ExprKind::Ref(reference) | ExprKind::Probe(_, reference) => self.reference(reference),
            ExprKind::Unary(_, inner)
            | ExprKind::Enabled(inner)
            | ExprKind::PcValue(inner)
            | ExprKind::GetPriority(inner) => self.expr(inner),
            ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Conditional(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Run(run) => {
                self.used_global(&run.process);
                run.args.iter().chain(&run.priority).for_each(|arg| self.expr(arg));
            }
            ExprKind::Poll { channel, args, .. } => {
                self.reference(channel);
                self.received(args);
            }
            ExprKind::At(remote, label) => {
                self.used_global(&remote.process);
                remote.pid.iter().for_each(|pid| self.expr(pid));
                self.label(label);
            }
            ExprKind::RemoteVar(remote, var) => {
                self.used_global(&remote.process);
                remote.pid.iter().for_each(|pid| self.expr(pid));
                self.reference(var);
            }
        }
    }

    fn formula(&mut self, formula: &'a Formula) {
        match &formula.kind {
            FormulaKind::Atom(expr) => self.expr(expr),
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
}

/// The statements inside a statement.
fn bodies(kind: &StmtKind) -> Vec<&[Stmt]> {
    match kind {
        StmtKind::Block(body) | StmtKind::Atomic(body) | StmtKind::DStep(body) => vec![body],
        StmtKind::Inline(inlined) => vec![&inlined.body],
        StmtKind::If(branches) | StmtKind::Do(branches) => branches.iter().map(|branch| &branch.body[..]).collect(),
        StmtKind::For(for_loop) => vec![&for_loop.body],
        StmtKind::Unless(body, escape) => vec![std::slice::from_ref(&**body), std::slice::from_ref(&**escape)],
        _ => Vec::new(),
    }
}
