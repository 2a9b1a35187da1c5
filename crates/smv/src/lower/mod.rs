//! The flat model as a program graph.
//!
//! Without `process` there is one process, each of whose steps writes all variables at once: a synchronous product. With it every process
//! has a step of its own, in which only its variables are assigned to. A step's guard is what is left of the transition relation when the
//! values that are computed are put in their places: `TRANS`, `INVAR` of the next state, and from which sets values are chosen.

mod arrays;
mod calls;
mod choices;
mod exprs;
mod obligations;
mod past;
mod specs;
mod variables;

use std::collections::{BTreeMap, HashMap};

use tertium_base::{Diagnostic, Span};
use tertium_program::{
    Action, Assign, Expr as Node, ExprId, Fairness, InitialValue, Input, Instance, Location, LocationId, Place,
    ProcessId, Program, Scope, Step, Type, VarId, Variable,
};

use crate::ast::{AssignDecl, AssignKind, ConstraintKind, Expr, ExprKind, VarKind};
use crate::flatten::{DefineId, Flat, FlatId, InstanceId, Meaning};
use crate::values::{Choice, Enumerations};

/// How deep expressions and what they name may lead.
const DEEPEST: usize = 2000;

/// Models with more inputs than this have them in their states.
const MOST_INPUTS: usize = 8;

/// What went wrong is noted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrong;
pub(crate) type Lowered<T> = Result<T, Wrong>;

/// When an expression is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Moment {
    /// In a state.
    State,
    /// In a step of a process: in the state before or, for `next`, in the one after it.
    Step { process: usize, next: bool },
}

/// The value of a variable after a step.
#[derive(Clone, Copy, Debug)]
enum NextValue {
    Busy,
    Known(ExprId),
}

/// What is said about a variable.
#[derive(Clone, Copy, Debug, Default)]
struct VarFacts<'m> {
    /// Its place in the program; none for inputs that no specification speaks of, and for names of values.
    var: Option<VarId>,
    init: Option<(InstanceId, &'m AssignDecl)>,
    /// Whether some process says what comes next.
    next: bool,
    current: Option<(InstanceId, &'m AssignDecl)>,
    /// Whether it is a name for the value of `x := e`.
    alias: bool,
}

/// The step of a process while it is made.
#[derive(Clone, Debug, Default)]
struct StepDraft {
    inputs: Vec<Input>,
    guards: Vec<ExprId>,
}

pub(crate) struct Lowering<'m> {
    flat: &'m Flat<'m>,
    text: &'m str,
    asked: Vec<&'m Expr>,
    pub program: Program,
    enums: Enumerations,
    vars: Vec<VarFacts<'m>>,
    drafts: Vec<StepDraft>,
    /// What each process says about the next values of variables.
    assigned: HashMap<(FlatId, usize), (InstanceId, &'m AssignDecl)>,
    nexts: HashMap<(FlatId, usize), NextValue>,
    aliases: HashMap<(FlatId, Moment), Option<Choice>>,
    defined: HashMap<(DefineId, Moment), Option<Choice>>,
    /// The conditions of the `case` branches around what is read.
    path: Vec<ExprId>,
    depth: usize,
    /// What must hold in every state for the text to have a meaning.
    obligations: BTreeMap<(usize, usize), (ExprId, &'static str)>,
    /// Who takes the next step, if a specification asks for it.
    selector: Option<VarId>,
    chosen_selectors: Vec<Option<ExprId>>,
    /// Whether a state may be without successors.
    may_stop: bool,
    /// What is remembered of the past.
    memory: past::Memory<'m>,
    justice: Vec<specs::FairnessCondition>,
    pub diagnostics: Vec<Diagnostic>,
}

impl<'m> Lowering<'m> {
    /// Nothing is made yet; `asked` is what is added to the specifications of the text.
    pub fn new(flat: &'m Flat<'m>, text: &'m str, asked: &[&'m Expr]) -> Self {
        let processes = flat.processes.len();
        Self {
            flat,
            text,
            asked: asked.to_vec(),
            program: Program::new(""),
            enums: Enumerations::default(),
            vars: vec![VarFacts::default(); flat.variables.len()],
            drafts: vec![StepDraft::default(); processes],
            assigned: HashMap::new(),
            nexts: HashMap::new(),
            aliases: HashMap::new(),
            defined: HashMap::new(),
            path: Vec::new(),
            depth: 0,
            obligations: BTreeMap::new(),
            selector: None,
            chosen_selectors: vec![None; processes],
            may_stop: flat
                .constraints
                .iter()
                .any(|(_, kind, _)| matches!(kind, ConstraintKind::Trans | ConstraintKind::Invar)),
            memory: past::Memory::default(),
            justice: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Lowered<T> {
        // One mistake is told once, however many instances have it.
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
        Err(Wrong)
    }

    fn wrong<T>(&mut self, code: &'static str, message: &str, span: Span) -> Lowered<T> {
        self.fail(Diagnostic::error(code, message).at(span, "here"))
    }

    /// Everything but the specifications.
    pub fn system(&mut self) -> Lowered<()> {
        self.note_assigns();
        if !self.diagnostics.is_empty() {
            return Err(Wrong);
        }
        self.declare();
        self.find_aliases();
        for index in 0..self.flat.processes.len() {
            let name = self.process_name(index);
            let process = self.program.add_process(name, Span::default());
            self.program.add_location(process, Location { labels: vec![String::new()], ..Location::default() });
            self.program.instances.push(Instance { process, arguments: Vec::new(), priority: 1 });
        }
        self.fairness();
        Ok(())
    }

    /// Initial states and steps; after everything that is to be remembered is known.
    pub fn behaviour(&mut self) {
        self.initial();
        for process in 0..self.flat.processes.len() {
            // What is wrong is noted.
            let _ = self.step(process);
        }
        self.ask_obligations();
        self.hints();
    }

    /// `PRED` and `MIRROR`: predicates and variables that abstraction keeps.
    fn hints(&mut self) {
        for &(scope, name, condition) in &self.flat.predicates {
            let text = name.map_or_else(|| self.atom_text(condition, scope), |name| name.name.clone());
            // What is wrong is noted.
            let _ = self.predicate(condition, scope, &text);
        }
        for &(scope, variable) in &self.flat.mirrored {
            match self.flat.meaning(variable, scope) {
                Some(Meaning::Variable(id)) => self.program.keep.extend(self.vars[id.index()].var),
                _ => {
                    let _: Lowered<()> = self.wrong("E0727", "only a variable can be kept", variable.span);
                }
            }
        }
    }

    fn process_name(&self, index: usize) -> String {
        let prefix = &self.flat.instances[self.flat.processes[index].index()].prefix;
        if prefix.is_empty() { "main".to_owned() } else { prefix.trim_end_matches('.').to_owned() }
    }

    fn note_assigns(&mut self) {
        for &(scope, assign) in &self.flat.assigns {
            let Some(Meaning::Variable(id)) = self.flat.meaning(&assign.target, scope) else {
                let _: Lowered<()> = self.wrong("E0727", "only a variable can be assigned to", assign.target.span);
                continue;
            };
            let kind = self.flat.variables[id.index()].kind;
            if kind == VarKind::Input || (kind == VarKind::Frozen && assign.kind != AssignKind::Init) {
                let _: Lowered<()> = self.wrong(
                    "E0727",
                    "inputs, and frozen variables after the start, are not assigned to",
                    assign.span,
                );
                continue;
            }
            let facts = &mut self.vars[id.index()];
            let before = match assign.kind {
                AssignKind::Init => facts.init.replace((scope, assign)),
                AssignKind::Current => facts.current.replace((scope, assign)),
                AssignKind::Next => {
                    facts.next = true;
                    let process = self.flat.instances[scope.index()].process;
                    self.assigned.insert((id, process), (scope, assign))
                }
            };
            let mixed = facts.current.is_some() && (facts.init.is_some() || facts.next);
            if before.is_some() || mixed {
                let name = &self.flat.variables[id.index()].name;
                let error =
                    Diagnostic::error("E0728", format!("`{name}` is assigned to twice")).at(assign.span, "again");
                let error = before.map_or(error.clone(), |(_, first)| error.also(first.span, "first"));
                let _: Lowered<()> = self.fail(error);
            }
        }
    }

    /// Gives every variable its place; names of values need none.
    fn declare(&mut self) {
        let mut asked = self.asked_of_steps();
        let inputs = || (0..self.flat.variables.len()).filter(|&at| self.flat.variables[at].kind == VarKind::Input);
        if inputs().count() > MOST_INPUTS {
            // Values that a state does not show have to be tried out when a run is repeated.
            asked.inputs.extend(inputs().map(FlatId::new));
        }
        for at in 0..self.flat.variables.len() {
            let id = FlatId::new(at);
            self.vars[at].alias = self.vars[at].current.is_some_and(|(_, assign)| !chooses(&assign.value));
            let input = self.flat.variables[at].kind == VarKind::Input && !asked.inputs.contains(&id);
            if !input && !self.vars[at].alias {
                self.place(id);
            }
        }
        if asked.running && self.flat.processes.len() > 1 {
            let names = (0..self.flat.processes.len()).map(|index| self.process_name(index)).collect();
            let ty = Type::Enum(self.enums.with(&mut self.program, names));
            self.selector =
                Some(self.new_variable("_process_selector_".to_owned(), ty, InitialValue::Any, Span::default()));
        }
    }

    fn place(&mut self, id: FlatId) {
        let variable = &self.flat.variables[id.index()];
        let (name, span) = (variable.name.clone(), variable.span);
        let ty = self.place_type(id);
        self.vars[id.index()].var = Some(self.new_variable(name, ty, InitialValue::Any, span));
    }

    fn new_variable(&mut self, name: String, ty: Type, initial: InitialValue, span: Span) -> VarId {
        self.program.add_variable(Variable {
            name,
            ty,
            dimensions: Vec::new(),
            scope: Scope::Global,
            initial,
            hidden: false,
            span,
        })
    }

    /// `x := e` without a choice is a name for `e`, if its values surely fit; else it gets a place after all.
    fn find_aliases(&mut self) {
        use tertium_program::analysis::intervals::{ExprIntervals, Interval};
        loop {
            let mut values = Vec::new();
            for at in 0..self.vars.len() {
                let Some((scope, assign)) = self.vars[at].current.filter(|_| self.vars[at].alias) else { continue };
                let id = FlatId::new(at);
                match self.value(&assign.value, scope, Moment::State) {
                    Ok(Choice::One(value)) => values.push((id, self.fitted(value, id, assign.value.span).ok())),
                    Ok(Choice::Many(_)) => values.push((id, None)),
                    Err(Wrong) => {}
                }
            }
            if !self.diagnostics.is_empty() {
                return;
            }
            let known = ExprIntervals::by_types(&self.program);
            let mut again = false;
            for (id, value) in values {
                let ty = self.place_type(id);
                let fits = value.is_some_and(|value| known.at(value).is_within(Interval::of_type(&self.program, ty)));
                if !fits {
                    self.vars[id.index()].alias = false;
                    self.place(id);
                    again = true;
                }
            }
            if !again {
                return;
            }
            self.aliases.clear();
            self.defined.clear();
        }
    }

    fn initial(&mut self) {
        let mut conditions = Vec::new();
        for at in 0..self.vars.len() {
            let (facts, id) = (self.vars[at], FlatId::new(at));
            let (Some(var), false) = (facts.var, facts.alias) else { continue };
            let Some((scope, assign)) = facts.init.or(facts.current) else { continue };
            let Ok(value) = self.value(&assign.value, scope, Moment::State) else { continue };
            if let Choice::One(value) = value
                && let Ok(raw) = self.fitted(value, id, assign.value.span)
                && let Some(constant) = self.program.exprs.constant(raw)
            {
                self.program.variables[var.index()].initial = InitialValue::Same(constant);
                continue;
            }
            let all = value.alternatives(&mut self.program);
            let raw = self.program.read(var);
            if let Ok(may) = self.one_of(id, raw, &all, assign.value.span) {
                conditions.push(may);
            }
        }
        for &(scope, kind, condition) in &self.flat.constraints {
            if matches!(kind, ConstraintKind::Init | ConstraintKind::Invar)
                && let Ok(condition) = self.truth(condition, scope, Moment::State)
            {
                conditions.push(condition);
            }
        }
        conditions.extend(self.memory.initial.clone());
        let all = self.program.exprs.all(&conditions);
        if self.program.exprs.constant(all) != Some(1) {
            self.program.init = Some(all);
        }
    }

    /// The step of a process.
    fn step(&mut self, process: usize) -> Lowered<()> {
        let mut assigns = Vec::new();
        for at in 0..self.vars.len() {
            let (Some(var), false) = (self.vars[at].var, self.vars[at].alias) else { continue };
            let span = self.flat.variables[at].span;
            let Ok(value) = self.next_value(FlatId::new(at), process, span) else { continue };
            if value != self.program.read(var) {
                assigns.push(Assign { place: Place::Var(var), value });
            }
        }
        for &(scope, kind, condition) in &self.flat.constraints {
            let moment = match kind {
                ConstraintKind::Trans => Moment::Step { process, next: false },
                ConstraintKind::Invar => Moment::Step { process, next: true },
                _ => continue,
            };
            if let Ok(guard) = self.truth(condition, scope, moment) {
                self.drafts[process].guards.push(guard);
            }
        }
        if let Some(selector) = self.selector {
            let (read, number) = (self.program.read(selector), self.program.exprs.int(crate::to_i64(process)));
            let turn = self.program.exprs.eq(read, number);
            self.drafts[process].guards.push(turn);
            let value = self.selected(process);
            assigns.push(Assign { place: Place::Var(selector), value });
        }
        assigns.extend(self.memory_assigns(process)?);
        let StepDraft { inputs, guards } = std::mem::take(&mut self.drafts[process]);
        let guard = self.program.exprs.all(&guards);
        if self.program.exprs.depth(guard) > tertium_program::expr::DEEPEST
            || self.program.exprs.size(guard) > tertium_program::expr::LARGEST
        {
            return self.wrong(
                "E0717",
                "the transition relation is too large once its definitions are written out",
                Span::default(),
            );
        }
        let (source, of) = (LocationId::new(0), ProcessId::new(process));
        self.program.add_step(Step {
            process: of,
            source,
            target: source,
            rank: 0,
            yields_to: Vec::new(),
            frees: false,
            inputs,
            guard,
            action: Action::Assign(assigns),
            span: self.flat.instances[self.flat.processes[process].index()].span,
            text: "step".to_owned(),
        });
        Ok(())
    }

    /// Who takes the step after a step of a process.
    fn selected(&mut self, process: usize) -> ExprId {
        if let Some(known) = self.chosen_selectors[process] {
            return known;
        }
        let ty = self.selector.map_or(Type::Bool, |selector| self.program.variable(selector).ty);
        let raw = self.new_input("next(_process_selector_)".to_owned(), ty, process);
        self.chosen_selectors[process] = Some(raw);
        raw
    }

    /// What is promised of runs.
    fn fairness(&mut self) {
        for &(scope, kind, condition) in &self.flat.constraints {
            if kind != ConstraintKind::Justice {
                continue;
            }
            // A process that can always step and does so again and again.
            if let Some(Meaning::Running(of)) = self.flat.meaning(condition, scope)
                && self.selector.is_none()
            {
                let process = self.flat.instances[of.index()].process;
                if self.flat.processes.len() > 1 {
                    self.program.processes[process].fairness = Fairness::Weak;
                }
                continue;
            }
            if let Ok(truth) = self.truth(condition, scope, Moment::State) {
                let text = self.atom_text(condition, scope);
                self.justice.push(specs::FairnessCondition::Justice(text, truth));
            }
        }
        for &(scope, often, then) in &self.flat.compassion {
            let (Ok(first), Ok(second)) =
                (self.truth(often, scope, Moment::State), self.truth(then, scope, Moment::State))
            else {
                continue;
            };
            let texts = (self.atom_text(often, scope), self.atom_text(then, scope));
            self.justice.push(specs::FairnessCondition::Compassion((texts.0, first), (texts.1, second)));
        }
    }
}

/// Whether an expression has a set in it.
fn chooses(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Set(members) => members.len() != 1,
        ExprKind::Range(..) | ExprKind::Binary(crate::ast::Binary::Union, ..) => true,
        ExprKind::Binary(crate::ast::Binary::In, a, _) => chooses(a),
        ExprKind::Binary(_, a, b) => chooses(a) || chooses(b),
        ExprKind::Unary(_, a) => chooses(a),
        ExprKind::If(_, a, b) => chooses(a) || chooses(b),
        ExprKind::Case(branches) => branches.iter().any(|(_, value)| chooses(value)),
        _ => false,
    }
}

/// Whether an expression of the program reads what a step chooses.
fn reads_inputs(program: &Program, expr: ExprId) -> bool {
    program.exprs.reachable(&[expr]).iter().any(|&part| matches!(program.exprs.get(part), Node::Input(..)))
}
