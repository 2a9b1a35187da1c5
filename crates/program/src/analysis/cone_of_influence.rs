//! Cone of influence (Clarke, Grumberg, Peled 1999, section 13.1; on program texts slicing, Weiser 1981): which variables can matter to a question?
//!
//! The least set *R* of variables that contains everything read by guards, `provided`, assertions, array indices of what is kept, channel
//! operations, arguments of `run`, priorities, domains of inputs, `init`, claims and traces, and by the question, and with a variable all that is
//! read to compute it. A variable that is read only to compute variables outside of *R* is outside, too (a faint variable: strong liveness).
//! [`slice()`] is the program without the assignments to variables outside of *R*; they keep their places and initial values, so that
//! layouts, ids and names are those of the program.
//!
//! **What is dropped cannot go wrong.** An assignment that might end in a fault stays, with its variable: it is dropped only if [interval analysis](super::intervals) of the whole
//! program shows that its value is in the range of the type, its indices are in bounds and its divisors are not 0, and if it reads nothing but constants, inputs and variables that are
//! surely there (no function of which nothing is known, no channel, no other process). That a value needs more than 64 bits is a limit of running a program, no fault of it.
//!
//! **Why every question has the same value.** Let `π` take a state to the same state with initial values outside of *R*. Guards, ranks, `provided`, time-outs, priorities and channels
//! read *R* and locations only, so `s` and `π(s)` offer the same moves; inputs that only dropped assignments use can be chosen in the program whatever the slice chooses (their domains are
//! constant and not empty), and their values make no difference to *R*. A move of `s` to `t` is one of `π(s)` to `π(t)` by the same process, at the same locations, with the same
//! partner, and the other way round: dropped assignments cannot go wrong, and what is kept reads *R*. What `init` relates is in *R*. A variable whose initial value is open, and of which `init` speaks alone or not at all, has any one of its initial values in the slice,
//! and `π` takes it to that one: an initial state goes to one of the slice, and each of those comes from one. Hence `π` is a strong bisimulation, functional, that keeps processes, locations and atoms:
//!
//! | question | why |
//! |---|---|
//! | LTL, with `X` and without | each run of the program is one of the slice, step by step, with the same atoms, and the other way round; no step is left out, so `X` is kept |
//! | CTL, CTL*, mu-calculus, PML | bisimilar states have the same values |
//! | deadlocks, end states | `s` has a move if and only if `π(s)` has one, and locations are the same |
//! | faults, assertions | the same moves go wrong in the same way: what can go wrong is kept, in its order |
//! | fair runs | the same processes can step in `s` and `π(s)`, and the same one takes a step |
//! | `never` claims, traces, labels | they read *R*, locations and events on channels, and channels are kept |
//! | blocks that never end | a way through a block of `s` is one of `π(s)`, so that if those are all finite, these are. Only a block whose state repeats is *said* to be endless, and a counter keeps it from repeating: whoever finds an endless block on the slice asks again on the program |
//!
//! What the slice does not keep is that a state comes back: where it goes round a cycle, the program may count. Runs are told of the program, never of the slice.
//!
//! **Processes.** A process that writes nothing that can matter, and that nobody looks at, changes only who else steps in between. [`Dependencies::part`] leaves it out of questions about
//! *which states are reached*, and of no others: it steps, so that deadlocks, fairness, `X`, and what happens for ever would not be the same without it. With *K* the processes that are kept and *R* what they
//! look at, what writes *R*, and so on: a run of the slice is one of the program in which the others never step; and a run of the program, without the steps of the others, is one of the slice, through the same
//! values of *R* and the same locations of *K*. What goes wrong in a process that is left out ends runs, but not before the states that they have reached; mistakes themselves are asked of the whole program. Every finite run can go on
//! as a fair scheduler wants, so that fairness makes no state unreachable.
//!
//! Not here: variables that stand for others ([copy propagation](super::copy_propagation)); live ranges of locals, which searches forget where they are dead.

use std::collections::BTreeSet;

use super::intervals::{ExprIntervals, Interval, Intervals};
use super::open_starts::Starts;
use crate::expr::{Binary, Expr, ExprId, Field, ListId, Place, Sort};
use crate::graph::{Action, Assign, Domain, Input, ProcessId, Program, Step};
use crate::types::{InitialValue, Scope, Type, VarId};

/// Which variables flow into which, and which matter whatever is asked.
#[derive(Clone, Debug)]
pub struct Dependencies {
    /// For each variable what is read to compute it.
    reads: Vec<BTreeSet<VarId>>,
    /// For each variable the processes that write it.
    writers: Vec<BTreeSet<ProcessId>>,
    /// What is looked at whatever is asked.
    declared: Seen,
    /// What each process looks at while it is there.
    steps: Vec<Seen>,
    /// Whether something depends on who else is there, so that no process can be left out.
    all_processes: bool,
}

/// What somebody looks at.
#[derive(Clone, Debug, Default)]
struct Seen {
    variables: BTreeSet<VarId>,
    /// Processes by their locations.
    processes: BTreeSet<ProcessId>,
}

/// A part of a program that can matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The variables in it.
    pub variables: BTreeSet<VarId>,
    /// The processes that are not in it.
    pub idle: BTreeSet<ProcessId>,
}

impl Part {
    /// The least part with everything of two.
    pub fn extend(&mut self, other: &Self) {
        self.variables.extend(&other.variables);
        self.idle.retain(|process| other.idle.contains(process));
    }
}

impl Dependencies {
    /// Those of a program.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let known = ExprIntervals::of(program, intervals_of(program));
        let mut found = Self {
            reads: vec![BTreeSet::new(); program.variables.len()],
            writers: vec![BTreeSet::new(); program.variables.len()],
            declared: Seen::default(),
            steps: vec![Seen::default(); program.processes.len()],
            all_processes: needs_all_processes(program),
        };
        found.declarations(program);
        for step in &program.steps {
            found.step(program, &known, step);
        }
        // A step that does nothing is told from others where a choice is a fault.
        if program.must_be_deterministic() {
            found.declared.variables.extend(program.variable_ids());
        }
        found
    }

    /// The variables that can matter to whoever looks at these expressions.
    #[must_use]
    pub fn cone(&self, program: &Program, seen: &[ExprId]) -> BTreeSet<VarId> {
        self.closure(program, seen, program.process_ids().collect()).variables
    }

    /// What can matter to whether a state is reached in which these expressions have some values.
    #[must_use]
    pub fn part(&self, program: &Program, seen: &[ExprId]) -> Part {
        let everyone = self.all_processes || seen_by(program, seen).is_none();
        let kept = if everyone { program.process_ids().collect() } else { Vec::new() };
        self.closure(program, seen, kept)
    }

    /// The least part with these processes, and what is looked at.
    fn closure(&self, program: &Program, seen: &[ExprId], mut processes: Vec<ProcessId>) -> Part {
        let (mut cone, mut kept) = (BTreeSet::new(), BTreeSet::new());
        let mut variables: Vec<VarId> = read_by(program, seen).into_iter().collect();
        variables.extend(&self.declared.variables);
        processes.extend(&self.declared.processes);
        processes.extend(seen_by(program, seen).into_iter().flatten());
        loop {
            if let Some(var) = variables.pop() {
                if cone.insert(var) {
                    variables.extend(&self.reads[var.index()]);
                    processes.extend(&self.writers[var.index()]);
                }
            } else if let Some(process) = processes.pop() {
                if kept.insert(process) {
                    variables.extend(&self.steps[process.index()].variables);
                    processes.extend(&self.steps[process.index()].processes);
                }
            } else {
                let idle = program.process_ids().filter(|process| !kept.contains(process)).collect();
                return Part { variables: cone, idle };
            }
        }
    }

    /// What matters by what is declared.
    fn declarations(&mut self, program: &Program) {
        let named = program.predicates.iter().map(|named| named.expr);
        let provided = program.processes.iter().filter_map(|process| process.provided);
        let starts = Starts::of(program);
        let exprs: Vec<ExprId> = named.chain(provided).chain(starts.others.iter().copied()).collect();
        let roots = &mut self.declared;
        roots.look_at(program, &exprs);
        roots.processes.extend(&program.spotlight);
        roots.variables.extend(program.keep.iter().chain(&program.last).copied());
        roots.variables.extend(program.trace.iter().map(|trace| trace.variable));
        roots.variables.extend(program.promises.iter().map(|promise| promise.channel));
        for var in program.variable_ids() {
            match program.variable(var).initial {
                InitialValue::Any if !starts.open.contains_key(&var) => _ = roots.variables.insert(var),
                InitialValue::Computed(expr) => roots.look_at(program, &[expr]),
                _ => {}
            }
        }
    }

    fn step(&mut self, program: &Program, known: &ExprIntervals, step: &Step) {
        let mut looked_at = vec![step.guard];
        for input in &step.inputs {
            if let Domain::Range(lo, hi) = input.domain {
                looked_at.extend([lo, hi]);
            }
        }
        match &step.action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => {
                let safety = Safety { program, known, step, inputs: known.inputs(program, step) };
                assigns.iter().for_each(|assign| self.assign(&safety, assign));
            }
            Action::Assert(condition) => looked_at.push(*condition),
            Action::Send { channel, message, .. } => {
                looked_at.push(*channel);
                looked_at.extend(message);
            }
            Action::Receive { pattern, .. } => {
                looked_at.push(pattern.channel);
                for field in &pattern.fields {
                    match *field {
                        Field::Match(value) => looked_at.push(value),
                        Field::Bind(place) => self.always_written(program, step.process, place, &mut looked_at),
                        Field::Skip => {}
                    }
                }
            }
            Action::Run { arguments, priority, then, .. } => {
                looked_at.extend(arguments.iter().chain(priority));
                for assign in then {
                    looked_at.push(assign.value);
                    self.always_written(program, step.process, assign.place, &mut looked_at);
                }
            }
            Action::SetPriority { pid, value } => looked_at.extend([*pid, *value]),
            Action::Print { values, .. } => looked_at.extend(values),
            Action::End => {}
        }
        self.steps[step.process.index()].look_at(program, &looked_at);
        for var in step.written() {
            self.writers[var.index()].insert(step.process);
        }
        // What watches runs takes notes in steps of its own.
        if program.claims.contains(&step.process) || program.trace.as_ref().is_some_and(|it| it.process == step.process)
        {
            self.steps[step.process.index()].variables.extend(step.written());
        }
    }

    fn assign(&mut self, safety: &Safety<'_>, assign: &Assign) {
        let var = assign.place.variable();
        let mut read = vec![assign.value];
        if let Place::Element(_, indices) = assign.place {
            read.extend(safety.program.exprs.list(indices));
        }
        self.reads[var.index()].extend(read_by(safety.program, &read));
        let process = safety.step.process;
        // A location that only such an assignment reads decides its value.
        self.steps[process.index()].processes.extend(seen_by(safety.program, &read).into_iter().flatten());
        if !safety.cannot_fail(assign) {
            self.steps[process.index()].variables.insert(var);
        }
    }

    /// A place that is written by more than an assignment, and stays.
    fn always_written(&mut self, program: &Program, process: ProcessId, place: Place, looked_at: &mut Vec<ExprId>) {
        self.steps[process.index()].variables.insert(place.variable());
        if let Place::Element(_, indices) = place {
            looked_at.extend(program.exprs.list(indices));
        }
    }
}

/// The intervals of all variables.
fn intervals_of(program: &Program) -> Vec<Option<Interval>> {
    let known = Intervals::of(program);
    program.variable_ids().map(|var| known.variable(var)).collect()
}

/// The variables that expressions read.
#[must_use]
pub fn read_by(program: &Program, exprs: &[ExprId]) -> BTreeSet<VarId> {
    let read = |id: ExprId| match program.exprs.get(id) {
        Expr::Var(var)
        | Expr::Element(var, _)
        | Expr::OldVar(var)
        | Expr::OldElement(var, _)
        | Expr::Remote(_, var)
        | Expr::RemoteElement(_, var, _) => Some(var),
        _ => None,
    };
    program.exprs.reachable(exprs).into_iter().filter_map(read).collect()
}

impl Seen {
    fn look_at(&mut self, program: &Program, exprs: &[ExprId]) {
        self.variables.extend(read_by(program, exprs));
        self.processes.extend(seen_by(program, exprs).into_iter().flatten());
    }
}

/// The processes whose locations expressions speak of; none if what they say depends on all of them.
fn seen_by(program: &Program, exprs: &[ExprId]) -> Option<BTreeSet<ProcessId>> {
    let mut found = BTreeSet::new();
    for id in program.exprs.reachable(exprs) {
        match program.exprs.get(id) {
            Expr::At(process, _) | Expr::RemoteAt(_, process, _) => _ = found.insert(process),
            Expr::Deadlock
            | Expr::Timeout
            | Expr::ProcessCount
            | Expr::NonProgress
            | Expr::Accepting
            | Expr::Enabled(_)
            | Expr::LocationOf(_)
            | Expr::PriorityOf(_)
            | Expr::FirstInstance(_)
            | Expr::Length(_)
            | Expr::Capacity(_)
            | Expr::Poll(_) => return None,
            _ => {}
        }
    }
    Some(found)
}

/// Whether no process can be left out: they come and go, meet, watch each other or have ranks.
fn needs_all_processes(program: &Program) -> bool {
    let plain = |step: &Step| match &step.action {
        Action::Assign(assigns) => seen_by(program, &values(program, assigns)).is_some(),
        Action::Assert(condition) => seen_by(program, &[*condition]).is_some(),
        Action::Print { values, .. } => seen_by(program, values).is_some(),
        _ => false,
    };
    let domains = |step: &Step| {
        let bounds = |input: &Input| match input.domain {
            Domain::Range(lo, hi) => vec![lo, hi],
            Domain::Type(_) => Vec::new(),
        };
        let bounds: Vec<ExprId> = step.inputs.iter().flat_map(bounds).chain([step.guard]).collect();
        seen_by(program, &bounds).is_some()
    };
    let provided: Vec<ExprId> = program.processes.iter().filter_map(|process| process.provided).collect();
    !program.is_static()
        || program.priorities
        || !program.claims.is_empty()
        || !program.channels.is_empty()
        || !program.promises.is_empty()
        || program.last.is_some()
        || seen_by(program, &provided).is_none()
        || !program.steps.iter().all(|step| plain(step) && domains(step))
}

/// Everything that assignments evaluate.
fn values(program: &Program, assigns: &[Assign]) -> Vec<ExprId> {
    let mut found = Vec::new();
    for assign in assigns {
        found.push(assign.value);
        if let Place::Element(_, indices) = assign.place {
            found.extend(program.exprs.list(indices));
        }
    }
    found
}

/// Whether assignments of one step can go wrong.
struct Safety<'a> {
    program: &'a Program,
    known: &'a ExprIntervals,
    step: &'a Step,
    inputs: Vec<Interval>,
}

impl Safety<'_> {
    fn cannot_fail(&self, assign: &Assign) -> bool {
        let ty = self.program.variable(assign.place.variable()).ty;
        let fits = self.value(assign.value).is_within(Interval::of_type(self.program, ty));
        let there = match assign.place {
            Place::Var(var) => self.is_there(var),
            Place::Element(var, indices) => self.is_inside(var, indices) && self.all_have_values(indices),
        };
        fits && there && self.has_a_value(assign.value)
    }

    fn value(&self, id: ExprId) -> Interval {
        self.known.with_inputs(self.program, id, &self.inputs)
    }

    fn all_have_values(&self, list: ListId) -> bool {
        self.program.exprs.list(list).iter().all(|&id| self.has_a_value(id))
    }

    /// Whether evaluating an expression in this step surely gives a value; operands that would not be looked at count, too.
    fn has_a_value(&self, root: ExprId) -> bool {
        self.program.exprs.reachable(&[root]).into_iter().all(|id| match self.program.exprs.get(id) {
            Expr::Bool(_) | Expr::Int(_) | Expr::Member(..) => true,
            Expr::Unary(..) | Expr::If(..) | Expr::Wrap(..) => true,
            Expr::Input(position, _) => (position as usize) < self.inputs.len(),
            Expr::Var(var) => self.is_there(var),
            Expr::Element(var, indices) => self.is_inside(var, indices),
            Expr::Binary(Binary::Div | Binary::Mod | Binary::Quotient | Binary::Remainder, _, divisor) => {
                !self.value(divisor).contains(0)
            }
            Expr::Binary(..) => true,
            _ => false,
        })
    }

    fn is_inside(&self, var: VarId, indices: ListId) -> bool {
        let dimensions = &self.program.variable(var).dimensions;
        let indices = self.program.exprs.list(indices);
        let inside = |(&index, dimension): (&ExprId, &crate::types::Dimension)| {
            self.value(index).is_within(Interval::between(dimension.lo.into(), dimension.hi().into()))
        };
        self.is_there(var) && indices.len() == dimensions.len() && indices.iter().zip(dimensions).all(inside)
    }

    /// Whether a variable is in every state in which the step is taken: that of a process which may be gone is not.
    fn is_there(&self, var: VarId) -> bool {
        match self.program.variable(var).scope {
            Scope::Global => true,
            Scope::Local(process) => process == self.step.process || self.program.is_static(),
        }
    }
}

/// The program without assignments to the variables that are not in a part, which are listed in [`Program::left_out`]. Processes that are not in it stay where they begin.
#[must_use]
pub fn slice(program: &Program, part: &Part) -> Program {
    let (mut sliced, cone) = (program.clone(), &part.variables);
    for at in 0..sliced.steps.len() {
        if part.idle.contains(&sliced.steps[at].process) {
            sliced.steps[at].guard = sliced.exprs.bool(false);
            sliced.steps[at].action = Action::skip();
            sliced.steps[at].inputs.clear();
            continue;
        }
        let (Action::Assign(assigns) | Action::Together { assigns, .. }) = &mut sliced.steps[at].action else {
            continue;
        };
        let before = assigns.len();
        assigns.retain(|assign| cone.contains(&assign.place.variable()));
        if assigns.len() < before && !sliced.steps[at].inputs.is_empty() {
            choose_unused_inputs(&mut sliced, at);
        }
    }
    let starts = Starts::of(program);
    let mut outside: BTreeSet<VarId> = program.steps.iter().flat_map(Step::written).collect();
    outside.extend(starts.open.keys());
    sliced.left_out = outside.difference(cone).copied().collect();
    starts.fix(&mut sliced);
    sliced
}

/// Gives inputs that nothing uses any more a single value, so that they do not multiply steps.
fn choose_unused_inputs(program: &mut Program, at: usize) {
    let step = &program.steps[at];
    let mut evaluated = vec![step.guard];
    for input in &step.inputs {
        if let Domain::Range(lo, hi) = input.domain {
            evaluated.extend([lo, hi]);
        }
    }
    let (Action::Assign(assigns) | Action::Together { assigns, .. }) = &step.action else { return };
    evaluated.extend(values(program, assigns));
    let used: BTreeSet<u32> = (program.exprs.reachable(&evaluated).into_iter())
        .filter_map(|id| if let Expr::Input(position, _) = program.exprs.get(id) { Some(position) } else { None })
        .collect();
    for position in 0..program.steps[at].inputs.len() {
        let domain = program.steps[at].inputs[position].domain;
        if u32::try_from(position).is_ok_and(|position| used.contains(&position)) {
            continue;
        }
        if let Some(value) = one_of(program, domain) {
            debug_assert_eq!(program.exprs.sort(value), Sort::Int, "values of inputs are numbers");
            program.steps[at].inputs[position].domain = Domain::Range(value, value);
        }
    }
}

/// A value of a domain that is the same in all states and not empty.
fn one_of(program: &mut Program, domain: Domain) -> Option<ExprId> {
    match domain {
        // Two values are not worth another sort.
        Domain::Type(Type::Bool) => None,
        Domain::Type(ty) => {
            let (lo, hi) = program.bounds(ty);
            let value = lo.or(hi).unwrap_or(0);
            program.admits(ty, value).then(|| program.exprs.int(value))
        }
        Domain::Range(lo, hi) => {
            let (first, last) = (program.exprs.constant(lo)?, program.exprs.constant(hi)?);
            (first <= last && program.exprs.sort(lo) == Sort::Int).then_some(lo)
        }
    }
}
