//! Expressions: every name in them, and whether their parts fit together.

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};

use super::Resolver;
use crate::ast::{Expr, ExprKind, LabelRef, RecvArg, Remote, Run, VarRef};
use crate::symbols::{DataType, Meaning, Predefined, UnitId, UnitKind};

/// How many `run`s an expression contains.
pub(crate) fn runs(expr: &Expr) -> usize {
    count(expr, &|kind| matches!(kind, ExprKind::Run(_)))
}

fn count(expr: &Expr, what: &dyn Fn(&ExprKind) -> bool) -> usize {
    let inner = match &expr.kind {
        ExprKind::Unary(_, inner)
        | ExprKind::Enabled(inner)
        | ExprKind::PcValue(inner)
        | ExprKind::GetPriority(inner) => count(inner, what),
        ExprKind::Binary(_, left, right) => count(left, what) + count(right, what),
        ExprKind::Conditional(condition, yes, no) => count(condition, what) + count(yes, what) + count(no, what),
        ExprKind::Run(run) => run.args.iter().map(|argument| count(argument, what)).sum(),
        _ => 0,
    };
    inner + usize::from(what(&expr.kind))
}

impl<'a> Resolver<'a> {
    /// An expression that stands for one value.
    pub(crate) fn value(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Skip | ExprKind::Timeout => {}
            ExprKind::Ref(reference) => self.read(reference),
            ExprKind::Unary(_, inner) => self.operand(inner),
            ExprKind::Binary(op, left, right) => {
                // Channels can be compared, not computed with.
                let comparison = matches!(op, crate::ast::Binary::Eq | crate::ast::Binary::Ne);
                for side in [left, right] {
                    if comparison { self.value(side) } else { self.operand(side) }
                }
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.value(condition);
                self.value(yes);
                self.value(no);
            }
            ExprKind::Run(run) => self.run(run, expr.span),
            ExprKind::Probe(_, channel) => self.channel_ref(channel),
            ExprKind::Poll { channel, args, .. } => {
                self.channel_ref(channel);
                self.receive_args(args);
            }
            ExprKind::NonProgress => self.non_progress(expr.span),
            ExprKind::Enabled(pid) => {
                self.late.enabled.get_or_insert(expr.span);
                self.asked_by_process(expr.span);
                self.value(pid);
            }
            ExprKind::PcValue(pid) | ExprKind::GetPriority(pid) => self.value(pid),
            ExprKind::At(remote, _) | ExprKind::RemoteVar(remote, _) => {
                if self.place.d_step.is_some() {
                    let diagnostic = Diagnostic::error("E0516", "a `d_step` looks into another process")
                        .at(expr.span, "not visible here")
                        .help("look before the `d_step`, or let the other process keep a global variable");
                    self.report(diagnostic);
                }
                if let Some(pid) = &remote.pid {
                    self.value(pid);
                }
                if let ExprKind::RemoteVar(_, VarRef { parts, .. }) = &expr.kind
                    && let Some(index) = &parts[0].index
                {
                    self.value(index);
                }
                self.late.remotes.push(expr);
            }
        }
    }

    /// An operand of arithmetic: a channel is none.
    fn operand(&mut self, expr: &'a Expr) {
        self.value(expr);
        if let Some(reference) = Self::as_reference(expr)
            && let Some(Meaning::Variable { ty: DataType::Chan, .. }) = self.symbols.meaning(reference.id)
        {
            let diagnostic = Diagnostic::error("E0512", "a channel cannot be computed with")
                .at(reference.span, "a channel")
                .help("`len(q)` is the number of messages in a channel");
            self.report(diagnostic);
        }
    }

    fn non_progress(&mut self, span: Span) {
        if self.place.unit.is_some() && self.place.kind != Some(UnitKind::Never) {
            let diagnostic = Diagnostic::error("E0517", "`np_` is used outside of a claim")
                .at(span, "only in `never` and `ltl`")
                .note("it says whether any process is at a progress label, which no process can see");
            self.report(diagnostic);
        }
    }

    /// Spin warns here, too: nothing can be left out of a search where processes look at what others can do.
    fn asked_by_process(&mut self, span: Span) {
        if self.place.unit.is_some() && self.place.kind != Some(UnitKind::Never) {
            let diagnostic = Diagnostic::warning("W0506", "`enabled` is used by a process")
                .at(span, "meant for `never` and `ltl`")
                .note("asking about itself, or in a circle, is a fault of that step");
            self.report(diagnostic);
        }
    }

    /// Looks up a reference and its indices.
    pub(crate) fn reference(&mut self, reference: &'a VarRef) -> Option<Meaning> {
        let in_for = std::mem::take(&mut self.place.in_for);
        for part in &reference.parts {
            if let Some(index) = &part.index {
                self.value(index);
            }
        }
        self.place.in_for = in_for;
        let meaning = self.look_up(reference);
        self.symbols.meanings[reference.id.index()].clone_from(&meaning);
        meaning
    }

    /// A reference whose value is used.
    fn read(&mut self, reference: &'a VarRef) {
        let meaning = self.reference(reference);
        self.whole_structure(meaning.as_ref(), reference);
        if meaning == Some(Meaning::Predefined(Predefined::Scratch)) {
            let diagnostic = Diagnostic::error("E0512", "`_` has no value")
                .at(reference.span, "read here")
                .note("whatever is written to `_` is dropped");
            self.report(diagnostic);
        }
    }

    fn whole_structure(&mut self, meaning: Option<&Meaning>, reference: &VarRef) {
        if let Some(Meaning::Variable { ty: DataType::Struct(id), .. }) = meaning {
            let structure = self.symbols.structure(*id);
            let field = structure.fields.first().map_or("field", |field| field.name.as_str());
            let name = &reference.parts[reference.parts.len() - 1].name.name;
            let diagnostic = Diagnostic::error("E0512", format!("`{name}` is a structure, not one value"))
                .at(reference.span, "the whole structure")
                .help(format!("name a field: `{name}.{field}`"));
            self.report(diagnostic);
        }
    }

    /// A place that is written.
    pub(crate) fn written(&mut self, reference: &'a VarRef) {
        let meaning = self.reference(reference);
        self.whole_structure(meaning.as_ref(), reference);
        let what = match meaning {
            Some(Meaning::Constant { .. }) => "a constant",
            Some(Meaning::Predefined(Predefined::Pid | Predefined::NrPr | Predefined::Last)) => {
                "set by the system alone"
            }
            _ => return,
        };
        let message = format!("`{}` cannot be assigned", reference.parts[0].name.name);
        self.error("E0512", message, reference.span, what);
    }

    /// A reference that must be a channel.
    pub(crate) fn channel_ref(&mut self, reference: &'a VarRef) {
        let meaning = self.reference(reference);
        self.whole_structure(meaning.as_ref(), reference);
        // Spin takes the value of a number for a channel's; that is how channels in bytes are used.
        if let Some(Meaning::Constant { .. } | Meaning::Predefined(Predefined::Scratch)) = meaning {
            let message = format!("`{}` is not a channel", reference.parts[0].name.name);
            self.error("E0512", message, reference.span, "used as a channel");
        }
    }

    /// Values of a message or arguments of `run`; returns how many there are when structures are spread out.
    pub(crate) fn spread_args(&mut self, args: &'a [Expr]) -> usize {
        let mut total = 0;
        for arg in args {
            total += match Self::as_reference(arg) {
                Some(reference) => self.spread_reference(reference, true),
                None => {
                    self.value(arg);
                    1
                }
            };
        }
        total
    }

    fn spread_reference(&mut self, reference: &'a VarRef, read: bool) -> usize {
        let meaning = self.reference(reference);
        match meaning {
            Some(Meaning::Variable { ty: ty @ DataType::Struct(_), .. }) => self.spread(ty, reference.span).len(),
            // In a trace it stands for any value.
            Some(Meaning::Predefined(Predefined::Scratch)) if read && self.place.kind != Some(UnitKind::Trace) => {
                self.error("E0512", "`_` has no value", reference.span, "read here");
                1
            }
            _ => 1,
        }
    }

    /// What is received. More or fewer than the fields of the channel are accepted, as in Spin.
    pub(crate) fn receive_args(&mut self, args: &'a [RecvArg]) {
        let mut plain: Vec<&VarRef> = Vec::new();
        for arg in args {
            match arg {
                RecvArg::Const(..) => {}
                RecvArg::Eval(value) => self.value(value),
                RecvArg::Place(place) => {
                    self.spread_reference(place, false);
                    self.received_twice(place, &mut plain);
                }
            }
        }
    }

    /// A plain variable cannot take two fields of one message.
    fn received_twice(&mut self, place: &'a VarRef, plain: &mut Vec<&'a VarRef>) {
        let single = place.parts.len() == 1 && place.parts[0].index.is_none();
        if !single || !matches!(self.symbols.meaning(place.id), Some(Meaning::Variable { .. })) {
            return;
        }
        let name = &place.parts[0].name.name;
        if let Some(old) = plain.iter().find(|old| old.parts[0].name.name == *name) {
            let diagnostic = Diagnostic::error("E0517", format!("`{name}` takes two fields of one message"))
                .at(place.span, "second time")
                .also(old.span, "first time")
                .help("use `_` for a field that is not needed");
            self.report(diagnostic);
        }
        plain.push(place);
    }

    fn run(&mut self, run: &'a Run, span: Span) {
        if self.place.unit.is_none() {
            self.error("E0520", "`run` starts a process outside of any process", span, "no process is here");
        }
        if matches!(self.place.kind, Some(UnitKind::Never | UnitKind::Trace)) {
            self.error("E0517", "a claim cannot start processes", span, "starts one");
        }
        if self.place.d_step.is_some() {
            let diagnostic = Diagnostic::error("E0516", "`run` cannot be part of a `d_step`")
                .at(span, "starts a process")
                .help("use `atomic` instead of `d_step`");
            self.report(diagnostic);
        }
        self.spread_args(&run.args);
        self.priority(run.priority.as_ref());
        self.late.runs.push((run, span));
    }

    /// An expression as a statement: at most one `run`, and then nothing else.
    pub(crate) fn only_run(&mut self, expr: &'a Expr) {
        let found = runs(expr);
        if found > 1 {
            let diagnostic = Diagnostic::error("E0520", "more than one `run` in an expression")
                .at(expr.span, "starts several processes")
                .note("if only some of them can be started, the expression would block half-way")
                .help("write `atomic { run P(); run Q() }`");
            self.report(diagnostic);
        } else if found == 1 && !matches!(expr.kind, ExprKind::Run(_)) {
            let diagnostic = Diagnostic::error("E0520", "`run` is part of a larger expression")
                .at(expr.span, "a condition that starts a process")
                .note("a condition is evaluated to see whether it can be executed; that must change nothing")
                .help("assign the pid first: `p = run P()`");
            self.report(diagnostic);
        }
    }

    pub(crate) fn check_run(&mut self, run: &'a Run, span: Span) {
        let name = &run.process;
        let Some(unit) = self.symbols.proctype(&name.name) else { return self.no_proctype(name) };
        let params = self.symbols.unit(unit).params.clone();
        let place = self.symbols.unit(unit).span;
        let mut wanted = 0;
        for (at, param) in params.into_iter().enumerate() {
            let ty = self.symbols.variable(param).ty;
            if let Some(value) = run.args.get(at).filter(|_| wanted == at) {
                self.other_set(ty, value);
            }
            wanted += self.spread(ty, span).len();
        }
        let mut given = 0;
        for arg in &run.args {
            let ty = Self::as_reference(arg).and_then(|reference| match self.symbols.meaning(reference.id) {
                Some(Meaning::Variable { ty, .. }) => Some(*ty),
                _ => None,
            });
            given += ty.map_or(1, |ty| self.spread(ty, span).len());
        }
        if given != wanted {
            let message = format!("`{}` has {wanted} parameters, but {given} values are given", name.name);
            let diagnostic = Diagnostic::error("E0515", message).at(span, "started here").also(place, "declared here");
            self.report(diagnostic);
        }
    }

    /// A constant of one set is no value for a variable of another that has a name.
    pub(crate) fn other_set(&mut self, wanted: DataType, value: &Expr) {
        let DataType::Mtype(wanted @ 1..) = wanted else { return };
        let Some(reference) = Self::as_reference(value) else { return };
        let Some(&Meaning::Constant { set, .. }) = self.symbols.meaning(reference.id) else { return };
        if set != wanted {
            let (wanted, given) = (&self.symbols.mtypes[wanted as usize].name, &self.symbols.mtypes[set as usize].name);
            let given = if set == 0 { "the set without a name".to_owned() } else { format!("`mtype:{given}`") };
            let message = format!("`{}` belongs to {given}, not to `mtype:{wanted}`", reference.parts[0].name.name);
            self.error("E0512", message, value.span, "of another set");
        }
    }

    fn no_proctype(&mut self, name: &crate::ast::Ident) {
        let mut diagnostic = Diagnostic::error("E0510", format!("no proctype is named `{}`", name.name))
            .at(name.span, "not in this model");
        let known = self.symbols.units.iter().filter(|unit| unit.kind == UnitKind::Proctype);
        if let Some(close) = closest_name(&name.name, known.map(|unit| unit.name.as_str())) {
            diagnostic = diagnostic.help(format!("a proctype with a similar name exists: `{close}`"));
        }
        self.report(diagnostic);
    }

    pub(crate) fn check_remote(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::At(remote, label) => {
                if let Some(unit) = self.remote_unit(remote) {
                    self.remote_label(unit, label);
                }
            }
            ExprKind::RemoteVar(remote, var) => {
                if let Some(unit) = self.remote_unit(remote) {
                    self.remote_var(unit, var);
                }
            }
            _ => {}
        }
    }

    fn remote_unit(&mut self, remote: &Remote) -> Option<UnitId> {
        let name = &remote.process;
        let unit = self.symbols.proctype(&name.name).or_else(|| {
            let init = |unit: &crate::symbols::Unit| unit.kind == UnitKind::Init && name.name == "init";
            self.symbols.units.iter().position(init).map(UnitId::new)
        });
        if unit.is_none() {
            self.no_proctype(name);
        }
        unit
    }

    fn remote_label(&mut self, unit: UnitId, label: &LabelRef) {
        let labels = &self.symbols.unit(unit).labels;
        // Of several with one name, Spin means the first in the text.
        if let Some(id) = labels.get(&label.name.name).and_then(|ids| ids.first()) {
            self.symbols.meanings[label.id.index()] = Some(Meaning::Label(*id));
            return;
        }
        let message = format!("`{}` has no label `{}`", self.symbols.unit(unit).name, label.name.name);
        let mut diagnostic = Diagnostic::error("E0514", message).at(label.name.span, "no such label");
        if let Some(close) = closest_name(&label.name.name, labels.keys().map(String::as_str)) {
            diagnostic = diagnostic.help(format!("a label with a similar name exists: `{close}`"));
        }
        self.report(diagnostic);
    }

    fn remote_var(&mut self, unit: UnitId, var: &VarRef) {
        let part = &var.parts[0];
        let locals = &self.symbols.unit(unit).locals;
        let found = locals.iter().copied().find(|id| self.symbols.variable(*id).name == part.name.name);
        let Some(symbol) = found else {
            let message = format!("`{}` has no variable `{}`", self.symbols.unit(unit).name, part.name.name);
            return self.error("E0510", message, part.name.span, "no such variable");
        };
        let here = self.symbols.variable(symbol);
        let (ty, whole_array) = (here.ty, here.size.is_some() && part.index.is_none());
        if whole_array || matches!(ty, DataType::Struct(_)) {
            let message = format!("`{}` is more than one value", part.name.name);
            self.error("E0512", message, var.span, "an array or structure as a whole");
        }
        let meaning = Meaning::Variable { symbol, fields: Vec::new(), ty, whole_array };
        self.symbols.meanings[var.id.index()] = Some(meaning);
    }
}
