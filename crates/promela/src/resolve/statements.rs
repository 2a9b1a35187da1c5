//! Statements: every name in them, and whether they may stand where they stand.

use tertium_base::{Diagnostic, Span};

use super::Resolver;
use crate::ast::{Branch, Exclusive, Expr, ExprKind, ForLoop, ForRange, Stmt, StmtKind, VarRef};
use crate::symbols::{DataType, Meaning, UnitKind};

impl<'a> Resolver<'a> {
    pub(crate) fn body(&mut self, body: &'a [Stmt]) {
        for stmt in body {
            self.statement(stmt);
        }
    }

    /// Statements in braces: a scope, and nothing may jump to its beginning.
    fn block(&mut self, body: &'a [Stmt], what: &str) {
        self.scopes.open();
        self.body(body);
        self.scopes.close();
        let first = body.iter().find(|stmt| !matches!(stmt.kind, StmtKind::Exclusive(..) | StmtKind::Pred(_)));
        let Some(first) = first else {
            if let Some(only) = body.first() {
                self.error("E0505", "a block needs a statement", only.span, "does nothing");
            }
            return;
        };
        // A loop has a place of its own before its options, so a label may stand there.
        if let (Some(label), false) = (first.labels.first(), matches!(first.kind, StmtKind::Do(_) | StmtKind::For(_))) {
            let diagnostic = Diagnostic::error(
                "E0514",
                format!("the label `{}` stands at the beginning of a block", label.name.name),
            )
            .at(label.name.span, "not a place of its own")
            .help(format!("put it before the block: `{}: {what} {{ … }}`", label.name.name));
            self.report(diagnostic);
        }
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        for label in &stmt.labels {
            self.new_label(label);
        }
        match &stmt.kind {
            StmtKind::Decl { vars, step } => self.local_variables(vars, *step),
            StmtKind::Exclusive(right, channels) => self.exclusive(*right, channels),
            StmtKind::Pred(predicate) => self.value(predicate),
            StmtKind::Expr(expr) => {
                self.value(expr);
                self.only_run(expr);
            }
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::Increment(place) | StmtKind::Decrement(place) => self.count_up(place),
            StmtKind::Send { channel, args, .. } => self.send(channel, args, stmt.span),
            StmtKind::Receive { channel, args, .. } => {
                self.in_claim("receives", stmt.span);
                self.channel_ref(channel);
                self.receive_args(args);
            }
            StmtKind::Assert(condition) => self.value(condition),
            StmtKind::Printf(_, args) => args.iter().for_each(|arg| self.value(arg)),
            StmtKind::Printm(value) => self.value(value),
            StmtKind::SetPriority(pid, value) => {
                self.value(pid);
                self.value(value);
            }
            StmtKind::Goto(target) => self.new_goto(target),
            StmtKind::Break => self.break_loop(stmt.span),
            StmtKind::Else => {}
            StmtKind::Block(body) => self.block(body, ""),
            StmtKind::Inline(inlined) => {
                self.place.inlines.push(inlined.name.name.clone());
                self.block(&inlined.body, "");
                self.place.inlines.pop();
            }
            StmtKind::Atomic(body) => self.block(body, "atomic"),
            StmtKind::DStep(body) => self.d_step(body),
            StmtKind::If(branches) => self.branches(branches, stmt.span),
            StmtKind::Do(branches) => {
                self.place.loops += 1;
                self.branches(branches, stmt.span);
                self.place.loops -= 1;
            }
            StmtKind::For(for_loop) => self.for_loop(for_loop),
            StmtKind::Select(var, from, to) => {
                self.counter(var, "select");
                self.range(from, to);
            }
            StmtKind::Unless(body, escape) => self.unless(body, escape),
        }
        self.event(stmt);
    }

    /// Only sends and receives, and what chooses among them, can be events.
    fn event(&mut self, stmt: &Stmt) {
        if self.place.kind != Some(UnitKind::Trace) {
            return;
        }
        let made_up = stmt.labels.last().is_some_and(|label| label.name.span == stmt.span);
        let is_event = match &stmt.kind {
            StmtKind::Send { sorted, .. } => !sorted,
            StmtKind::Receive { random, keep, .. } => !random && !keep,
            StmtKind::If(_) | StmtKind::Do(_) | StmtKind::Goto(_) | StmtKind::Break => true,
            StmtKind::Decl { .. } | StmtKind::Pred(_) | StmtKind::Exclusive(..) => true,
            _ => made_up,
        };
        if !is_event {
            let diagnostic = Diagnostic::error("E0517", "a trace consists of sends and receives")
                .at(stmt.span, "not an event")
                .help("only `q!…`, `q?…`, `if`, `do`, `goto` and `break` may stand in a trace");
            self.report(diagnostic);
        }
    }

    fn in_claim(&mut self, does: &str, span: Span) {
        if self.place.kind == Some(UnitKind::Never) {
            let diagnostic = Diagnostic::error("E0517", format!("a `never` claim {does} a message"))
                .at(span, "changes what it watches")
                .help("a claim may poll: `q?[…]`, `len(q)`");
            self.report(diagnostic);
        }
    }

    fn exclusive(&mut self, right: Exclusive, channels: &'a [VarRef]) {
        for channel in channels {
            let Some(Meaning::Variable { symbol, ty, .. }) = self.reference(channel) else { continue };
            let name = &channel.parts[0].name.name;
            if ty != DataType::Chan {
                let message = format!("`{name}` is not a channel");
                self.error("E0512", message, channel.span, "said to be exclusive");
                continue;
            }
            let Some(unit) = self.place.unit else { continue };
            let (owner, first) = *self.exclusive.entry((right, symbol)).or_insert((unit, channel.span));
            if owner != unit {
                let diagnostic = Diagnostic::error("E0517", format!("two proctypes have `{name}` for themselves"))
                    .at(channel.span, "second one")
                    .also(first, "first one");
                self.report(diagnostic);
            }
        }
    }

    fn assign(&mut self, place: &'a VarRef, value: &'a Expr) {
        self.written(place);
        self.value(value);
        // Spin does not look into structures here.
        let is_channel = matches!(self.symbols.meaning(place.id), Some(Meaning::Variable { ty: DataType::Chan, .. }));
        if is_channel && place.parts.len() == 1 && self.constant(value).is_some() {
            self.error("E0512", "a channel cannot be set to a number", value.span, "not a channel");
        }
        if let Some(Meaning::Variable { ty, fields, .. }) = self.symbols.meaning(place.id)
            && fields.is_empty()
        {
            self.other_set(*ty, value);
        }
    }

    fn count_up(&mut self, place: &'a VarRef) {
        self.written(place);
        if let Some(Meaning::Variable { ty: DataType::Chan, .. }) = self.symbols.meaning(place.id) {
            self.error("E0512", "a channel cannot be computed with", place.span, "a channel");
        }
    }

    fn send(&mut self, channel: &'a VarRef, args: &'a [Expr], span: Span) {
        self.in_claim("sends", span);
        self.channel_ref(channel);
        let values = self.spread_args(args);
        for arg in args {
            if super::exprs::runs(arg) > 0 {
                self.error("E0520", "`run` cannot stand in a message", arg.span, "starts a process");
            }
        }
        self.late.sends.push((span, values));
    }

    fn break_loop(&mut self, span: Span) {
        if self.place.loops == 0 {
            let in_step = self.place.d_step.is_some();
            let code = if in_step { "E0516" } else { "E0517" };
            let message = if in_step { "`break` leaves a `d_step`" } else { "`break` stands outside of a loop" };
            let diagnostic = Diagnostic::error(code, message).at(span, "no loop to leave here");
            self.report(diagnostic.help("`break` leaves the `do` or `for` around it; elsewhere use `goto`"));
        }
    }

    fn d_step(&mut self, body: &'a [Stmt]) {
        let outer = self.place.clone();
        // A d_step inside of another is part of it.
        if outer.d_step.is_none() {
            self.place.d_step = Some(self.labels.new_step());
            self.place.loops = 0;
        }
        self.block(body, "d_step");
        self.place = outer;
    }

    fn branches(&mut self, branches: &'a [Branch], span: Span) {
        let mut other: Option<Span> = None;
        for branch in branches {
            self.body(&branch.body);
            let Some(first) = first_step(&branch.body) else {
                self.error("E0505", "an option needs a statement", branch.span, "does nothing");
                continue;
            };
            if !matches!(first.kind, StmtKind::Else) {
                continue;
            }
            if let Some(old) = other.replace(first.span) {
                let diagnostic = Diagnostic::error("E0517", "there is a second `else`")
                    .at(first.span, "second `else`")
                    .also(old, "first `else`")
                    .also(span, "in this choice");
                self.report(diagnostic);
            }
        }
    }

    fn for_loop(&mut self, for_loop: &'a ForLoop) {
        self.place.in_for = true;
        match &for_loop.over {
            ForRange::Range(from, to) => {
                self.counter(&for_loop.var, "for");
                self.range(from, to);
            }
            ForRange::In(collection) => self.for_in(&for_loop.var, collection),
        }
        self.place.in_for = false;
        self.place.loops += 1;
        self.scopes.open();
        self.body(&for_loop.body);
        self.scopes.close();
        self.place.loops -= 1;
    }

    /// The variable that runs must be a plain one.
    fn counter(&mut self, var: &'a VarRef, what: &str) {
        self.written(var);
        let Some(symbol) = self.root(var) else { return };
        let bad = matches!(symbol.ty, DataType::Chan | DataType::Struct(_)) || symbol.size.is_some();
        if bad {
            let diagnostic = Diagnostic::error("E0512", format!("`{what}` needs a plain variable to run"))
                .at(var.span, "an array, structure or channel")
                .also(symbol.span, "declared here");
            self.report(diagnostic.help("declare a variable of its own, e.g. `byte i`"));
        }
    }

    fn range(&mut self, from: &'a Expr, to: &'a Expr) {
        self.value(from);
        self.value(to);
        if let (ExprKind::Int(first), ExprKind::Int(last)) = (&from.kind, &to.kind)
            && first > last
        {
            let message = format!("the range from {first} to {last} is empty");
            self.error("E0513", message, from.span.to(to.span), "ends before it begins");
        }
    }

    fn for_in(&mut self, var: &'a VarRef, collection: &'a VarRef) {
        self.reference(collection);
        let Some(symbol) = self.root(collection).cloned() else { return self.written(var) };
        let meaning = self.reference(var);
        let over_messages = matches!(meaning, Some(Meaning::Variable { ty: DataType::Struct(_), .. }));
        if over_messages {
            let fits = self.messages_fit(var, &symbol);
            if !fits {
                let diagnostic =
                    Diagnostic::error("E0512", format!("`for` cannot run through `{}` with a structure", symbol.name))
                        .at(collection.span, "not a channel of such structures")
                        .also(symbol.span, "declared here")
                        .help("the channel must hold messages of one field, which has the type of the variable");
                self.report(diagnostic);
            }
            return;
        }
        self.counter(var, "for");
        if symbol.size.is_none() || collection.parts.len() > 1 {
            let diagnostic = Diagnostic::error("E0512", format!("`for` cannot run through `{}`", symbol.name))
                .at(collection.span, "not an array")
                .also(symbol.span, "declared here")
                .note("through a channel only a structure can run, of the type of its messages");
            self.report(diagnostic);
        }
    }

    fn messages_fit(&self, var: &VarRef, channel: &crate::symbols::Symbol) -> bool {
        let Some(Meaning::Variable { ty: DataType::Struct(id), .. }) = self.symbols.meaning(var.id) else {
            return false;
        };
        let Some(shape) = &channel.channel else { return false };
        let cells = self.structs[id.index()].0;
        channel.ty == DataType::Chan && shape.capacity > 0 && shape.fields.len() as u64 == cells
    }

    fn unless(&mut self, body: &'a Stmt, escape: &'a Stmt) {
        self.statement(body);
        // The escape of a loop is outside of it already, as everything behind it.
        self.statement(escape);
        if self.place.d_step.is_some() {
            let span = body.span.to(escape.span);
            let diagnostic = Diagnostic::error("E0516", "`unless` cannot be part of a `d_step`");
            self.report(diagnostic.at(span, "interrupts what cannot be interrupted").help("use `atomic`"));
        }
    }
}

/// The first statement that is a step.
fn first_step(body: &[Stmt]) -> Option<&Stmt> {
    body.iter().find(|stmt| !matches!(stmt.kind, StmtKind::Exclusive(..) | StmtKind::Pred(_)))
}
