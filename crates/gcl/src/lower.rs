//! From a tree to a program graph: locations and steps of every process, and the remaining items.

use tertium_base::narrow::{to_i64, to_u32};
use tertium_base::{Diagnostic, Span};
use tertium_program::{
    Action, Assign, Domain, Expr as Op, Fairness, Hold, Input, Location, LocationId, Named, Place as Target, ProcessId,
    Step, Type, VarId,
};

use crate::ast::{Assignment, Expr, File, Item, ProcessRef, SCHEDULER, Source, is_scheduler};
use crate::flow::{Doing, FlowStep};
use crate::names::{Elaborator, Entity, ExprContext, Ty, Use};

/// An assignment with its inputs.
type Effect = (Vec<Assign>, Vec<Input>);

impl<'a> Elaborator<'a> {
    /// Everything but declarations.
    pub(crate) fn rest(&mut self, file: &'a File) {
        for group in 0..self.groups.len() {
            self.bodies(group);
        }
        for item in &file.items {
            match item {
                Item::Init(expr) => self.init(expr),
                Item::Predicate(name, expr) => self.predicate(name.as_ref().map(|name| name.name.as_str()), expr),
                Item::Define(name, expr) => self.define(&name.name, expr),
                Item::Spotlight(processes) => self.spotlight(processes),
                Item::Keep(variables) => {
                    for variable in variables {
                        let kept = self.kept(variable);
                        self.program.keep.extend(kept);
                    }
                }
                Item::Fair(strong, processes) => {
                    let fairness = if *strong { Fairness::Strong } else { Fairness::Weak };
                    for process in self.processes(processes) {
                        self.program.processes[process.index()].fairness = fairness;
                    }
                }
                Item::Justice(_) | Item::Compassion(..) => self.fairness_condition(item),
                Item::Environment(processes) => self.environment(processes),
                _ => {}
            }
        }
    }

    /// Processes that play against the rest. The scheduler is always one of them, so its name is accepted and says nothing more.
    fn environment(&mut self, named: &[ProcessRef]) {
        let known = self.globals.contains_key(SCHEDULER);
        let named: Vec<ProcessRef> = named.iter().filter(|process| known || !is_scheduler(process)).cloned().collect();
        let processes = self.processes(&named);
        self.program.environment.get_or_insert_default().extend(processes);
    }

    pub(crate) fn spotlight(&mut self, processes: &[ProcessRef]) {
        let processes = self.processes(processes);
        self.program.spotlight.extend(processes);
    }

    /// The processes named by a list; a family's name alone means all its members.
    fn processes(&mut self, named: &[ProcessRef]) -> Vec<ProcessId> {
        let members: Vec<(usize, usize)> = named.iter().flat_map(|process| self.members(process)).collect();
        members.into_iter().map(|(group, member)| self.groups[group].processes[member]).collect()
    }

    fn init(&mut self, expr: &'a Expr) {
        let Some(id) = self.of_type(expr, Ty::Bool, &ExprContext::global(Use::Guard)) else { return };
        self.program.init = Some(match self.program.init {
            Some(before) => self.program.exprs.and(before, id),
            None => id,
        });
    }

    fn predicate(&mut self, name: Option<&str>, expr: &'a Expr) {
        let Some(id) = self.of_type(expr, Ty::Bool, &ExprContext::global(Use::Guard)) else { return };
        let name = name.map_or_else(|| self.snippet(expr.span), str::to_owned);
        self.program.predicates.push(Named { name, expr: id, span: expr.span });
    }

    fn define(&mut self, name: &str, expr: &'a Expr) {
        if let Some(typed) = self.expr(expr, &ExprContext::global(Use::Formula)) {
            self.program.defines.push(Named { name: name.to_owned(), expr: typed.id, span: expr.span });
        }
    }

    /// A stretch of the text on one line.
    pub(crate) fn snippet(&self, span: Span) -> String {
        self.text[span.start..span.end].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn bodies(&mut self, group: usize) {
        let family = self.groups[group].decl.family.as_ref().map(|(name, _)| name.name.as_str());
        let before = self.diagnostics.len();
        for member in 0..self.groups[group].processes.len() {
            // What is wrong with one member is nearly always wrong with all.
            if self.diagnostics.len() > before {
                return;
            }
            let index = family.map(|name| (name, self.groups[group].lo + to_i64(member)));
            self.body(group, member, &ExprContext { process: Some((group, member)), index, uses: Use::Guard });
        }
    }

    fn body(&mut self, group: usize, member: usize, place: &ExprContext<'_>) {
        let process = self.groups[group].processes[member];
        let flow = self.groups[group].flow.clone();
        for from in &flow.places {
            self.program.add_location(
                process,
                Location {
                    labels: from.labels.iter().map(|&label| label.to_owned()).collect(),
                    end: from.end,
                    hold: if from.inside { Hold::Indivisible } else { Hold::Free },
                    span: from.span,
                    ..Location::default()
                },
            );
        }
        self.program.processes[process.index()].entry = LocationId::new(flow.entry);
        self.passed(group, place);
        for step in &flow.steps {
            if let Some((guard, action, inputs)) = self.doing(step.doing, place) {
                self.program.add_step(Step {
                    process,
                    source: LocationId::new(step.source),
                    target: LocationId::new(step.target),
                    rank: 0,
                    yields_to: Vec::new(),
                    frees: false,
                    inputs,
                    guard,
                    action,
                    span: step.span,
                    text: self.step_text(step),
                });
            }
        }
    }

    /// What calls pass is of the types of the parameters.
    fn passed(&mut self, group: usize, place: &ExprContext<'_>) {
        let decl = self.groups[group].decl;
        for (value, ty) in &decl.passed {
            let Some((ty, dimensions)) = self.resolve_type(ty, &ExprContext::global(Use::Constant)) else { continue };
            if !dimensions.is_empty() {
                // Arrays are looked at where the procedure uses them.
                continue;
            }
            if let Some(id) = self.of_type(value, Self::ty_of(ty), place)
                && let Some(value_known) = self.program.exprs.constant(id)
            {
                self.check_fits(value_known, ty, value.span);
            }
        }
    }

    fn step_text(&self, step: &FlowStep<'_>) -> String {
        match step.doing {
            Doing::Test(_, false) => format!("!({})", self.snippet(step.span)),
            _ => self.snippet(step.span),
        }
    }

    fn doing(
        &mut self,
        doing: Doing<'a>,
        place: &ExprContext<'_>,
    ) -> Option<(tertium_program::ExprId, Action, Vec<Input>)> {
        let always = self.program.exprs.bool(true);
        match doing {
            Doing::Skip => Some((always, Action::skip(), Vec::new())),
            Doing::Assign(assignment) => {
                let (assigns, inputs) = self.assignment(assignment, place)?;
                Some((always, Action::Assign(assigns), inputs))
            }
            Doing::Test(condition, wanted) => {
                let condition = self.of_type(condition, Ty::Bool, place)?;
                let guard = if wanted { condition } else { self.program.exprs.not(condition) };
                Some((guard, Action::skip(), Vec::new()))
            }
            Doing::Assert(condition) => {
                let condition = self.of_type(condition, Ty::Bool, place)?;
                Some((always, Action::Assert(condition), Vec::new()))
            }
            Doing::When(condition, assignment) => {
                let guard = self.of_type(condition, Ty::Bool, place);
                let (assigns, inputs) = match assignment {
                    Some(assignment) => self.assignment(assignment, place)?,
                    None => (Vec::new(), Vec::new()),
                };
                Some((guard?, Action::Assign(assigns), inputs))
            }
        }
    }

    fn assignment(&mut self, assignment: &'a Assignment, place: &ExprContext<'_>) -> Option<Effect> {
        let (left, right) = (assignment.targets.len(), assignment.sources.len());
        if left != right {
            let span = assignment.targets[0].span.to(assignment.targets[left - 1].span);
            let diagnostic = Diagnostic::error("E0412", format!("{left} variables are assigned {right} values"));
            return self.fail(diagnostic.at(span, format!("{left} here")));
        }
        let mut effect = Some((Vec::new(), Vec::new()));
        for (target, source) in assignment.targets.iter().zip(&assignment.sources) {
            let written = self.target(target, place);
            let Some((to, var)) = written else {
                // The other side may have mistakes of its own.
                if let Source::Value(expr) = source {
                    self.expr(expr, place);
                }
                effect = None;
                continue;
            };
            if let Some((assigns, _)) = &effect
                && let Target::Var(_) = to
                && assigns.iter().any(|earlier: &Assign| earlier.place == to)
            {
                let diagnostic =
                    Diagnostic::error("E0406", format!("`{}` is assigned twice at once", target.name.name));
                effect = self.fail(diagnostic.at(target.span, "second assignment to it"));
                continue;
            }
            let already = effect.as_ref().map_or(0, |(_, inputs)| inputs.len());
            let value = self.source(source, var, already, &target.name.name, place);
            match (value, &mut effect) {
                (Some((value, input)), Some((assigns, inputs))) => {
                    assigns.push(Assign { place: to, value });
                    inputs.extend(input);
                }
                (None, effect) => *effect = None,
                _ => {}
            }
        }
        effect
    }

    fn target(&mut self, target: &'a crate::ast::Target, place: &ExprContext<'_>) -> Option<(Target, VarId)> {
        let name = &target.name;
        let var = self.assignable(name, place)?;
        let indices = self.check_indices(var, &target.indices, target.span, place)?;
        if indices.is_empty() {
            return Some((Target::Var(var), var));
        }
        Some((Target::Element(var, self.program.exprs.add_list(&indices)), var))
    }

    fn assignable(&mut self, name: &'a crate::ast::Ident, place: &ExprContext<'_>) -> Option<VarId> {
        let fixed = |what: &str| {
            Diagnostic::error("E0413", format!("`{}` cannot be assigned", name.name)).at(name.span, what.to_owned())
        };
        if place.index.is_some_and(|(index, _)| index == name.name) {
            return self.fail(fixed("the index of the family never changes"));
        }
        if let Some((group, member)) = place.process
            && let Some(&position) = self.groups[group].locals.get(name.name.as_str())
        {
            return self.program.process(self.groups[group].processes[member]).locals.get(position).copied();
        }
        match self.globals.get(name.name.as_str()) {
            Some(&(Entity::Var(var), _)) => Some(var),
            Some(_) => self.fail(fixed("not a variable")),
            None => {
                let diagnostic = self.unknown(name, "variable", place);
                self.fail(diagnostic)
            }
        }
    }

    /// The value to be assigned, and the input it comes from if there is one.
    fn source(
        &mut self,
        source: &'a Source,
        var: VarId,
        inputs: usize,
        name: &str,
        place: &ExprContext<'_>,
    ) -> Option<(tertium_program::ExprId, Option<Input>)> {
        let ty = self.program.variable(var).ty;
        let domain = match source {
            Source::Value(expr) => {
                let id = self.of_type(expr, Self::ty_of(ty), place)?;
                if let Some(value) = self.program.exprs.constant(id)
                    && !self.check_fits(value, ty, expr.span)
                {
                    return None;
                }
                return Some((id, None));
            }
            Source::Any(_) => Domain::Type(ty),
            Source::Within(range, span) => {
                if matches!(ty, Type::Bool | Type::Enum(_)) {
                    let diagnostic = Diagnostic::error("E0407", format!("`{name}` is not a number"));
                    return self.fail(diagnostic.at(*span, "a range of numbers").help("write `*` alone for any value"));
                }
                let lo = self.of_type(&range.lo, Ty::Int, place);
                let hi = self.of_type(&range.hi, Ty::Int, place);
                Domain::Range(lo?, hi?)
            }
        };
        let sort = self.program.sort_of(ty);
        let mut value = self.program.exprs.add(Op::Input(to_u32(inputs), sort));
        if let (Domain::Range(..), Type::Wrapped(width)) = (&domain, ty) {
            value = self.program.exprs.wrap(width, value);
        }
        Some((value, Some(Input { name: name.to_owned(), domain })))
    }
}
