//! What does an expression mean, and does it make sense?

use tertium_base::narrow::to_i64;
use tertium_base::{Diagnostic, Span};
use tertium_program::{Binary, Expr as Op, ExprId, LocationId, ProcessId, VarId};

use crate::ast::sugar::ExprSugar;
use crate::ast::{Comparison, Expr, ExprKind, Ident, ProcessRef, Range};
use crate::flow::unknown_label;
use crate::names::{Elaborator, Entity, ExprContext, NamedExpr, Progress, Ty, Typed, Use};

/// Expressions, with the definitions they use before these are worked out, may be nested this deep.
const DEEPEST: u32 = 250;

impl Elaborator<'_> {
    /// The meaning of an expression; `None` if a mistake in it has been reported.
    pub(crate) fn expr(&mut self, expr: &Expr, place: &ExprContext<'_>) -> Option<Typed> {
        if self.depth >= DEEPEST {
            let diagnostic = Diagnostic::error("E0421", "definitions use each other too deeply")
                .at(expr.span, "one too many")
                .help("define first what is used later");
            return self.fail(diagnostic);
        }
        self.depth += 1;
        let typed = self.expr_kind(expr, place);
        self.depth -= 1;
        let typed = typed?;
        let exprs = &self.program.exprs;
        if exprs.depth(typed.id) > tertium_program::expr::DEEPEST
            || exprs.size(typed.id) > tertium_program::expr::LARGEST
        {
            let diagnostic = Diagnostic::error("E0421", "this expression is too large once definitions are put in")
                .at(expr.span, "too large")
                .help("keep intermediate values in variables");
            return self.fail(diagnostic);
        }
        Some(typed)
    }

    fn expr_kind(&mut self, expr: &Expr, place: &ExprContext<'_>) -> Option<Typed> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(value) => Some(Typed { id: self.program.exprs.int(*value), ty: Ty::Int }),
            ExprKind::Bool(value) => Some(Typed { id: self.program.exprs.bool(*value), ty: Ty::Bool }),
            ExprKind::Deadlock => self.deadlock(span, place),
            ExprKind::Name(name) => self.name(name, place),
            ExprKind::Index(name, indices) => self.array_cell(name, indices, place),
            ExprKind::Call(name, arguments) => self.call(name, arguments, span, place),
            ExprKind::At(process, label) => self.at(process, label, place),
            ExprKind::Field(process, name, indices) => self.field(process, name, indices, span, place),
            ExprKind::Not(inner) => {
                let inner = self.of_type(inner, Ty::Bool, place)?;
                Some(Typed { id: self.program.exprs.not(inner), ty: Ty::Bool })
            }
            ExprKind::Negate(inner) => self.negated(inner, place),
            ExprKind::Bitwise(op, left, right) => self.bitwise(*op, left, right, place),
            ExprKind::And(parts) => self.connective(parts, true, place),
            ExprKind::Or(parts) => self.connective(parts, false, place),
            ExprKind::Implies(left, right) => self.truth_pair(Binary::Implies, left, right, place),
            ExprKind::Iff(left, right) => self.truth_pair(Binary::Eq, left, right, place),
            ExprKind::Compare(op, left, right) => self.compare(*op, left, right, place),
            ExprKind::Sum(first, rest) => self.sum(first, rest, place),
            ExprKind::Product(first, rest) => self.product(first, rest, place),
            ExprKind::If(condition, yes, no) => self.conditional(condition, yes, no, place),
            ExprKind::Sugar(sugar) => match sugar.as_ref() {
                ExprSugar::Quantified(quantifier, binding, body) => {
                    self.quantified(*quantifier, binding, body, (span, place))
                }
                // A mistake has been reported where it was to be expanded.
                _ => None,
            },
        }
    }

    /// An expression that must have a certain type.
    pub(crate) fn of_type(&mut self, expr: &Expr, wanted: Ty, place: &ExprContext<'_>) -> Option<ExprId> {
        let typed = self.expr(expr, place)?;
        self.as_type(typed, expr, wanted)
    }

    /// An expression whose value is known now.
    pub(crate) fn constant(&mut self, expr: &Expr, wanted: Ty, place: &ExprContext<'_>) -> Option<i64> {
        let id = self.of_type(expr, wanted, &ExprContext { uses: Use::Constant, ..*place })?;
        if let Some(value) = self.program.exprs.constant(id) {
            return Some(value);
        }
        let diagnostic = Diagnostic::error("E0408", "this has no constant value")
            .at(expr.span, "divides by zero, or is too large, or depends on an unknown function");
        self.fail(diagnostic)
    }

    /// Both ends of a range that is known now.
    pub(crate) fn constant_range(&mut self, range: &Range, place: &ExprContext<'_>) -> Option<(i64, i64)> {
        let lo = self.constant(&range.lo, Ty::Int, place);
        let hi = self.constant(&range.hi, Ty::Int, place);
        let (lo, hi) = (lo?, hi?);
        if hi < lo {
            let diagnostic = Diagnostic::error("E0409", format!("the range {lo}..{hi} is empty"))
                .at(range.lo.span.to(range.hi.span), "ends before it begins");
            return self.fail(diagnostic);
        }
        Some((lo, hi))
    }

    fn deadlock(&mut self, span: Span, place: &ExprContext<'_>) -> Option<Typed> {
        if place.uses != Use::Formula {
            let diagnostic = Diagnostic::error("E0420", "`deadlock` can only be used in properties")
                .at(span, "whether a step is possible cannot depend on this");
            return self.fail(diagnostic);
        }
        Some(Typed { id: self.program.exprs.add(Op::Deadlock), ty: Ty::Bool })
    }

    fn name(&mut self, name: &Ident, place: &ExprContext<'_>) -> Option<Typed> {
        if let Some((_, value)) = place.index.filter(|(index, _)| *index == name.name) {
            return Some(Typed { id: self.program.exprs.int(value), ty: Ty::Int });
        }
        if let Some(var) = self.local(&name.name, place) {
            return self.variable(var, &[], name.span, place);
        }
        match self.globals.get(name.name.as_str()) {
            Some(&(Entity::Var(var), _)) => self.variable(var, &[], name.span, place),
            Some(&(Entity::Named(entry), _)) => self.named(entry, name.span, place),
            Some(&(Entity::Member(id, position), _)) => {
                Some(Typed { id: self.program.exprs.add(Op::Member(id, position)), ty: Ty::Enum(id) })
            }
            Some(&(Entity::Function(_), _)) => {
                let diagnostic = Diagnostic::error("E0407", format!("`{}` is a function", name.name))
                    .at(name.span, "no value by itself")
                    .help(format!("give it arguments: `{}(…)`", name.name));
                self.fail(diagnostic)
            }
            Some(&(Entity::Process(_), _)) => {
                let diagnostic = Diagnostic::error("E0407", format!("`{}` is a process", name.name))
                    .at(name.span, "no value by itself")
                    .help(format!("ask where it is with `{0}@label`, or read its variable with `{0}.x`", name.name));
                self.fail(diagnostic)
            }
            None => {
                let diagnostic = self.unknown(name, "variable, constant or definition", place);
                self.fail(diagnostic)
            }
        }
    }

    fn local(&self, name: &str, place: &ExprContext<'_>) -> Option<VarId> {
        let (group, member) = place.process?;
        let group = &self.groups[group];
        let position = *group.locals.get(name)?;
        self.program.process(group.processes[member]).locals.get(position).copied()
    }

    /// A constant, definition or predicate, worked out when it is first used.
    pub(crate) fn named(&mut self, entry: usize, used_at: Span, place: &ExprContext<'_>) -> Option<Typed> {
        let NamedExpr { ident, expr, constant, progress } = self.named[entry].clone();
        let typed = match progress {
            Progress::Done(typed) => typed,
            Progress::Busy => {
                let diagnostic = Diagnostic::error("E0417", format!("`{}` is defined by itself", ident.name))
                    .at(used_at, "used here in its own definition")
                    .also(ident.span, "defined here");
                return self.fail(diagnostic);
            }
            Progress::Untouched => {
                self.named[entry].progress = Progress::Busy;
                let uses = if constant { Use::Constant } else { Use::Formula };
                let typed = self.expr(expr, &ExprContext::global(uses));
                self.named[entry].progress = Progress::Done(typed);
                typed
            }
        }?;
        if !constant && place.uses == Use::Constant {
            return self.not_constant(&ident.name, used_at);
        }
        if place.uses == Use::Guard && self.mentions_deadlock(typed.id) {
            return self.deadlock(used_at, place);
        }
        Some(typed)
    }

    fn mentions_deadlock(&self, id: ExprId) -> bool {
        let exprs = &self.program.exprs;
        exprs.reachable(&[id]).into_iter().any(|part| exprs.get(part) == Op::Deadlock)
    }

    fn not_constant<T>(&mut self, name: &str, span: Span) -> Option<T> {
        let diagnostic = Diagnostic::error("E0408", format!("`{name}` is not a constant"))
            .at(span, "its value changes")
            .note("sizes, ranges and initial values must be known before the first step");
        self.fail(diagnostic)
    }

    /// A read of a variable or of a cell.
    fn variable(&mut self, var: VarId, indices: &[Expr], span: Span, place: &ExprContext<'_>) -> Option<Typed> {
        let variable = self.program.variable(var);
        let (ty, rank, name) = (variable.ty, variable.dimensions.len(), variable.name.clone());
        if place.uses == Use::Constant {
            return self.not_constant(&name, span);
        }
        let indices = self.check_indices(var, indices, span, place)?;
        let sort = self.program.sort_of(ty);
        let exprs = &mut self.program.exprs;
        let id = if rank == 0 { exprs.var(var, sort) } else { exprs.element(var, &indices, sort) };
        Some(Typed { id, ty: Self::ty_of(ty) })
    }

    /// The indices of a cell; constant ones are checked now.
    pub(crate) fn check_indices(
        &mut self,
        var: VarId,
        indices: &[Expr],
        span: Span,
        place: &ExprContext<'_>,
    ) -> Option<Vec<ExprId>> {
        let variable = self.program.variable(var);
        let (dimensions, name) = (variable.dimensions.clone(), variable.name.clone());
        if dimensions.len() != indices.len() {
            let diagnostic = match (dimensions.len(), indices.len()) {
                (0, _) => Diagnostic::error("E0407", format!("`{name}` is not an array")).at(span, "cannot be indexed"),
                (wanted, 0) => Diagnostic::error("E0407", format!("`{name}` is an array"))
                    .at(span, format!("needs {wanted} {}", if wanted == 1 { "index" } else { "indices" })),
                (wanted, found) => Diagnostic::error("E0412", format!("`{name}` takes {wanted} indices"))
                    .at(span, format!("{found} given")),
            };
            return self.fail(diagnostic);
        }
        let mut ids = Vec::new();
        for (index, dimension) in indices.iter().zip(dimensions) {
            let id = self.of_type(index, Ty::Int, place)?;
            if let Some(value) = self.program.exprs.constant(id)
                && !(dimension.lo..=dimension.hi()).contains(&value)
            {
                let diagnostic = Diagnostic::error("E0410", format!("index {value} is outside of `{name}`"))
                    .at(index.span, format!("indices go from {} to {}", dimension.lo, dimension.hi()));
                return self.fail(diagnostic);
            }
            ids.push(id);
        }
        Some(ids)
    }

    fn array_cell(&mut self, name: &Ident, indices: &[Expr], place: &ExprContext<'_>) -> Option<Typed> {
        let span = name.span.to(indices.last().map_or(name.span, |last| last.span));
        let var = match self.local(&name.name, place) {
            Some(var) => Some(var),
            None => match self.globals.get(name.name.as_str()) {
                Some(&(Entity::Var(var), _)) => Some(var),
                _ => None,
            },
        };
        match var {
            Some(var) => self.variable(var, indices, span, place),
            None if self.globals.contains_key(name.name.as_str()) => {
                let message = format!("`{}` is not an array", name.name);
                self.fail(Diagnostic::error("E0407", message).at(name.span, "cannot be indexed"))
            }
            None => {
                let diagnostic = self.unknown(name, "array", place);
                self.fail(diagnostic)
            }
        }
    }

    fn call(&mut self, name: &Ident, arguments: &[Expr], span: Span, place: &ExprContext<'_>) -> Option<Typed> {
        if let Some(value) = self.built_in(name, arguments, span, place) {
            return value;
        }
        let Some(&(Entity::Function(id), declared)) = self.globals.get(name.name.as_str()) else {
            let diagnostic = self.unknown(name, "function", place);
            return self.fail(diagnostic);
        };
        let function = self.program.function(id).clone();
        if function.arguments.len() != arguments.len() {
            let (wanted, found) = (function.arguments.len(), arguments.len());
            let diagnostic = Diagnostic::error("E0412", format!("`{}` takes {wanted} arguments", name.name))
                .at(span, format!("{found} given"))
                .also(declared, "declared here");
            return self.fail(diagnostic);
        }
        let ids: Vec<Option<ExprId>> = (arguments.iter().zip(&function.arguments))
            .map(|(argument, &ty)| self.of_type(argument, Self::ty_of(ty), place))
            .collect();
        let ids: Vec<ExprId> = ids.into_iter().collect::<Option<_>>()?;
        let list = self.program.exprs.add_list(&ids);
        let sort = self.program.sort_of(function.result);
        let id = self.program.exprs.add_sorted(Op::Apply(id, list), sort);
        Some(Typed { id, ty: Self::ty_of(function.result) })
    }

    /// The process that `P` or `P[2]` names: its group and member.
    pub(crate) fn process_ref(&mut self, process: &ProcessRef, place: &ExprContext<'_>) -> Option<(usize, usize)> {
        let name = &process.name;
        let group = match self.globals.get(name.name.as_str()) {
            Some(&(Entity::Process(group), _)) => group,
            Some(_) => {
                let diagnostic = Diagnostic::error("E0416", format!("`{}` is not a process", name.name));
                return self.fail(diagnostic.at(name.span, "expected a process"));
            }
            None => {
                let diagnostic = self.unknown(name, "process", place);
                return self.fail(diagnostic);
            }
        };
        let family = self.groups[group].decl.family.is_some();
        let (lo, members) = (self.groups[group].lo, self.groups[group].processes.len());
        match &process.index {
            None if !family => Some((group, 0)),
            None => {
                let diagnostic = Diagnostic::error("E0416", format!("`{}` is a family of processes", name.name))
                    .at(name.span, "which of them?")
                    .help(format!("give an index from {lo} to {}: `{}[{lo}]`", lo + to_i64(members) - 1, name.name));
                self.fail(diagnostic)
            }
            Some(index) if !family => {
                let diagnostic = Diagnostic::error("E0416", format!("`{}` is a single process", name.name))
                    .at(index.span, "no index here");
                self.fail(diagnostic)
            }
            Some(index) => {
                let value = self.constant(index, Ty::Int, place)?;
                let member = value.checked_sub(lo).and_then(|at| usize::try_from(at).ok()).filter(|&at| at < members);
                if member.is_none() {
                    let last = lo + to_i64(members) - 1;
                    let diagnostic = Diagnostic::error("E0416", format!("there is no `{}[{value}]`", name.name))
                        .at(index.span, format!("the family goes from {lo} to {last}"));
                    return self.fail(diagnostic);
                }
                Some((group, member?))
            }
        }
    }

    fn at(&mut self, process: &ProcessRef, label: &Ident, place: &ExprContext<'_>) -> Option<Typed> {
        if place.uses == Use::Constant {
            return self.not_constant(&process.name.name, process.name.span);
        }
        let (group, member) = self.process_ref(process, place)?;
        let id = self.groups[group].processes[member];
        let labels = &self.groups[group].flow.labels;
        let Some(places) = labels.get(label.name.as_str()) else {
            let known: Vec<&str> = labels.keys().copied().collect();
            let diagnostic = unknown_label(&label.name, label.span, &known);
            return self.fail(diagnostic);
        };
        if self.groups[group].flow.unreached.contains(label.name.as_str()) {
            let diagnostic = Diagnostic::warning("W0401", format!("nothing leads to the label `{}`", label.name))
                .at(label.span, "this is always false");
            self.report(diagnostic);
            return Some(Typed { id: self.program.exprs.bool(false), ty: Ty::Bool });
        }
        if places.is_empty() {
            let diagnostic = Diagnostic::error("E0419", format!("the process is never seen at `{}`", label.name))
                .at(label.span, "inside `atomic`");
            return self.fail(diagnostic);
        }
        let places = places.clone();
        let ids: Vec<ExprId> = places.iter().map(|&at| self.at_location(id, at)).collect();
        Some(Typed { id: self.program.exprs.any(&ids), ty: Ty::Bool })
    }

    fn at_location(&mut self, process: ProcessId, at: usize) -> ExprId {
        self.program.exprs.add(Op::At(process, LocationId::new(at)))
    }

    fn field(
        &mut self,
        process: &ProcessRef,
        name: &Ident,
        indices: &[Expr],
        span: Span,
        place: &ExprContext<'_>,
    ) -> Option<Typed> {
        let (group, member) = self.process_ref(process, place)?;
        let there = ExprContext { process: Some((group, member)), index: None, uses: place.uses };
        let Some(var) = self.local(&name.name, &there) else {
            let known: Vec<&str> = self.groups[group].locals.keys().copied().collect();
            let message = format!("process `{}` has no variable `{}`", process.name.name, name.name);
            let mut diagnostic = Diagnostic::error("E0405", message).at(name.span, "unknown name");
            if let Some(close) = tertium_base::diagnostic::closest_name(&name.name, known) {
                diagnostic = diagnostic.help(format!("a similar name exists: `{close}`"));
            }
            return self.fail(diagnostic);
        };
        self.variable(var, indices, span, place)
    }

    fn truth_pair(&mut self, op: Binary, left: &Expr, right: &Expr, place: &ExprContext<'_>) -> Option<Typed> {
        let left = self.of_type(left, Ty::Bool, place);
        let right = self.of_type(right, Ty::Bool, place);
        Some(Typed { id: self.program.exprs.binary(op, left?, right?), ty: Ty::Bool })
    }

    fn compare(&mut self, op: Comparison, left: &Expr, right: &Expr, place: &ExprContext<'_>) -> Option<Typed> {
        let (a, b) = (self.expr(left, place), self.expr(right, place));
        let (a, b) = (a?, b?);
        let op = match op {
            Comparison::Eq => Binary::Eq,
            Comparison::Ne => Binary::Ne,
            Comparison::Lt => Binary::Lt,
            Comparison::Le => Binary::Le,
            Comparison::Gt => Binary::Gt,
            Comparison::Ge => Binary::Ge,
        };
        let ordered = !matches!(op, Binary::Eq | Binary::Ne);
        let numbers = [a.ty, b.ty].iter().all(|ty| matches!(ty, Ty::Int | Ty::Bits(_)));
        if !numbers && (a.ty != b.ty || (ordered && a.ty == Ty::Bool)) {
            let (x, y) = (self.type_name(a.ty), self.type_name(b.ty));
            let message = if a.ty == b.ty {
                "truth values have no order".to_owned()
            } else {
                format!("`{x}` and `{y}` cannot be compared")
            };
            let diagnostic = Diagnostic::error("E0407", message)
                .at(right.span, format!("this is `{y}`"))
                .also(left.span, format!("this is `{x}`"));
            return self.fail(diagnostic);
        }
        Some(Typed { id: self.program.exprs.binary(op, a.id, b.id), ty: Ty::Bool })
    }
}
