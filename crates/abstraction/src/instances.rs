//! One process per running copy, so that every variable is one place of the state.
//!
//! Languages whose processes have several copies, or end, are brought into the form that terms can speak of: each copy gets
//! code and variables of its own, its number is put in, ending becomes a step to a last location that only the youngest copy
//! that is still there can take, and channels become variables (`queues`). Nothing else changes; what cannot be said
//! this way is refused.

use std::collections::{BTreeSet, HashMap};

use tertium_program::terms::{add, rewrite};
use tertium_program::{
    Action, Assign, ChannelId, Domain, Expr, ExprId, Exprs, Field, InitialValue, Instance, Location, LocationId, Named,
    Pattern, PatternId, Place, Process, ProcessId, Program, Scope, Sort, Step, StepId, VarId,
};

use crate::queues::{Change, Queues, width};
use crate::system::Unsupported;
use crate::timeouts;

/// A program with one process per copy.
#[derive(Clone, Debug)]
pub struct Separated {
    /// The program.
    pub program: Program,
    /// For each of its predicates, which one of the original it comes from.
    pub origins: Vec<usize>,
    /// The variables that its channels became.
    pub channels: Vec<VarId>,
    /// For each of its steps, the one of the original it comes from.
    pub steps: Vec<StepId>,
    copies: Copies,
}

#[derive(Clone, Debug, Default)]
struct Copies {
    /// The original process of each copy, by pid.
    original: Vec<ProcessId>,
    /// New variables by original ones: of everyone, and of each copy.
    shared: HashMap<VarId, VarId>,
    own: Vec<HashMap<VarId, VarId>>,
    /// Copies that may end.
    ending: BTreeSet<usize>,
    queues: Queues,
}

impl Copies {
    fn only(&self, process: ProcessId) -> Option<usize> {
        let mut all = (0..self.original.len()).filter(|&pid| self.original[pid] == process);
        all.next().filter(|_| all.next().is_none())
    }

    /// The variable that `var` is for the copy `me`, or for an observer.
    fn variable(&self, program: &Program, var: VarId, me: Option<usize>) -> Option<VarId> {
        let Scope::Local(process) = program.variable(var).scope else { return self.shared.get(&var).copied() };
        let pid = match me {
            Some(me) if self.original[me] == process => me,
            _ => self.only(process)?,
        };
        self.own[pid].get(&var).copied()
    }

    /// The copy that an expression for a pid names, if it never ends.
    fn lasting(&self, exprs: &Exprs, pid: ExprId) -> Option<usize> {
        let pid = usize::try_from(exprs.constant(pid)?).ok()?;
        (pid < self.original.len() && !self.ending.contains(&pid)).then_some(pid)
    }

    /// An expression over the new variables.
    fn moved(&self, old: &Program, exprs: &mut Exprs, root: ExprId, me: Option<usize>) -> Result<ExprId, Unsupported> {
        let mut refused = false;
        let new = rewrite(exprs, root, &mut |exprs, expr, sort| {
            let place = |found: Option<Expr>| found.unwrap_or(expr);
            let mapped = match expr {
                Expr::Var(var) => self.variable(old, var, me).map(Expr::Var),
                Expr::Element(var, list) => self.variable(old, var, me).map(|var| Expr::Element(var, list)),
                Expr::OwnPid => me.map(|me| Expr::Int(me as i64)),
                Expr::At(process, location) => self.only(process).map(|pid| Expr::At(ProcessId::new(pid), location)),
                Expr::ProcessCount if self.ending.is_empty() => Some(Expr::Int(self.original.len() as i64)),
                Expr::RemoteAt(pid, process, location) => self.lasting(exprs, pid).map(|pid| {
                    if self.original[pid] == process {
                        Expr::At(ProcessId::new(pid), location)
                    } else {
                        Expr::Bool(false)
                    }
                }),
                Expr::Remote(pid, var) => {
                    let own = self.lasting(exprs, pid).and_then(|pid| self.own[pid].get(&var));
                    own.map(|&var| Expr::Var(var))
                }
                Expr::RemoteElement(pid, var, list) => {
                    let own = self.lasting(exprs, pid).and_then(|pid| self.own[pid].get(&var));
                    own.map(|&var| Expr::Element(var, list))
                }
                Expr::Length(channel) => {
                    let queue = self.queues.meant(exprs, channel);
                    queue.and_then(|queue| queue.length(exprs)).map(|length| exprs.get(length))
                }
                Expr::Capacity(channel) => {
                    self.queues.meant(exprs, channel).map(|queue| Expr::Int(queue.capacity as i64))
                }
                Expr::Poll(pattern) => self.poll(old, exprs, pattern, me).map(|fits| exprs.get(fits)),
                // For a step it is put in when all steps are known; an observer never sees one.
                Expr::Timeout if me.is_none() => Some(Expr::Bool(false)),
                Expr::ProcessCount | Expr::LocationOf(_) | Expr::PriorityOf(_) | Expr::Enabled(_) => None,
                _ => Some(expr),
            };
            refused |= mapped.is_none();
            match place(mapped) {
                Expr::Var(var) => exprs.add_sorted(Expr::Var(var), sort),
                Expr::Element(var, list) => exprs.add_sorted(Expr::Element(var, list), sort),
                Expr::Int(value) => exprs.int(value),
                Expr::Bool(value) => exprs.bool(value),
                mapped => add(exprs, mapped, sort),
            }
        });
        if refused { Err(Unsupported::Expression(old.show(root))) } else { Ok(new) }
    }
}

impl Copies {
    /// Whether a message that fits waits in a channel.
    fn poll(&self, old: &Program, exprs: &mut Exprs, pattern: PatternId, me: Option<usize>) -> Option<ExprId> {
        let pattern = exprs.pattern(pattern).clone();
        let channel = self.moved(old, exprs, pattern.channel, me).ok()?;
        let mut wanted = Vec::new();
        for field in pattern.fields {
            wanted.push(match field {
                Field::Match(value) => Some(self.moved(old, exprs, value, me).ok()?),
                Field::Skip | Field::Bind(_) => None,
            });
        }
        self.queues.meant(exprs, channel)?.poll(exprs, &wanted, pattern.anywhere)
    }
}

impl Separated {
    /// Takes a program apart.
    ///
    /// # Errors
    /// What of it cannot be said with one process per copy.
    pub fn new(old: &Program) -> Result<Self, Unsupported> {
        if old.priorities || old.last.is_some() || old.trace.is_some() || old.must_be_deterministic() {
            return Err(Unsupported::Processes);
        }
        let mut program = old.clone();
        program.processes.clear();
        program.steps.clear();
        program.variables.clear();
        program.instances.clear();
        program.spotlight.clear();
        program.claims.clear();
        program.channels.clear();
        let mut copies = Copies {
            original: old.instances.iter().map(|instance| instance.process).collect(),
            queues: Queues::of(old),
            ..Copies::default()
        };
        for channel in (0..old.channels.len()).map(ChannelId::new) {
            if old.channel(channel).scope == Scope::Global {
                copies.queues.add(old, &mut program, channel, None);
            }
        }
        for var in old.variable_ids().filter(|&var| old.variable(var).scope == Scope::Global) {
            let new = program.add_variable(old.variable(var).clone());
            copies.shared.insert(var, new);
            copies.begin(old, &mut program, var, new, None);
        }
        for (pid, instance) in old.instances.iter().enumerate() {
            let reached = reached(old, instance.process);
            if reached.iter().any(|&step| old.step(step).action == Action::End) {
                copies.ending.insert(pid);
            }
            let own = add_process(old, &mut program, pid, instance);
            for &channel in &old.process(instance.process).channels {
                copies.queues.add(old, &mut program, channel, Some(pid));
            }
            for &var in &old.process(instance.process).locals {
                copies.begin(old, &mut program, var, own[&var], Some(pid));
            }
            copies.own.push(own);
        }
        let mut steps = Vec::new();
        for pid in 0..copies.original.len() {
            add_steps(old, &mut program, &copies, pid, &mut steps)?;
        }
        timeouts::close(&mut program).map_err(|step| Unsupported::Step(steps[step.index()]))?;
        program.keep = old.keep.iter().flat_map(|&var| copies.everywhere(var)).collect();
        let channels = copies.queues.variables();
        let mut separated = Self { program, origins: Vec::new(), channels, steps, copies };
        separated.add_initial(old)?;
        separated.add_predicates(old);
        separated.program.properties.clear();
        Ok(separated)
    }

    /// An expression that an observer of the original evaluates.
    ///
    /// # Errors
    /// If it speaks of a copy that may have ended.
    pub fn observed(&mut self, old: &Program, expr: ExprId) -> Result<ExprId, Unsupported> {
        self.copies.moved(old, &mut self.program.exprs, expr, None)
    }

    fn add_initial(&mut self, old: &Program) -> Result<(), Unsupported> {
        if let Some(init) = old.init {
            self.program.init = Some(self.observed(old, init)?);
        }
        for at in 0..self.program.variables.len() {
            if let InitialValue::Computed(expr) = self.program.variables[at].initial {
                let Some(value) = self.program.exprs.constant(expr) else {
                    return Err(Unsupported::Initial(VarId::new(at)));
                };
                self.program.variables[at].initial = InitialValue::Same(value);
            }
        }
        Ok(())
    }

    /// A predicate over locals is one for each copy.
    fn add_predicates(&mut self, old: &Program) {
        self.program.predicates.clear();
        for (origin, named) in old.predicates.iter().enumerate() {
            let mut found: Vec<(String, ExprId)> = Vec::new();
            if let Ok(expr) = self.observed(old, named.expr) {
                found.push((named.name.clone(), expr));
            } else {
                for pid in 0..self.copies.original.len() {
                    if let Ok(expr) = self.copies.moved(old, &mut self.program.exprs, named.expr, Some(pid)) {
                        found.push((format!("{} ({pid})", named.name), expr));
                    }
                }
            }
            for (name, expr) in found {
                self.program.predicates.push(Named { name, expr, span: named.span });
                self.origins.push(origin);
            }
        }
    }
}

impl Copies {
    /// A variable that holds channels begins with their numbers.
    fn begin(&mut self, old: &Program, program: &mut Program, var: VarId, new: VarId, pid: Option<usize>) {
        if let Some(initial) = self.queues.initial(old, var, new, pid) {
            program.variables[new.index()].initial = initial;
        }
    }

    fn send(
        &self,
        old: &Program,
        program: &mut Program,
        pid: usize,
        (channel, message, sorted): (ExprId, &[ExprId], bool),
    ) -> Result<Option<Change>, Unsupported> {
        let channel = self.moved(old, &mut program.exprs, channel, Some(pid))?;
        let mut moved = Vec::new();
        for &value in message {
            moved.push(self.moved(old, &mut program.exprs, value, Some(pid))?);
        }
        let queue = self.queues.meant(&program.exprs, channel);
        Ok(queue.and_then(|queue| queue.send(&mut program.exprs, &moved, sorted)))
    }

    fn receive(
        &self,
        old: &Program,
        program: &mut Program,
        pid: usize,
        pattern: &Pattern,
        keep: bool,
    ) -> Result<Option<Change>, Unsupported> {
        let channel = self.moved(old, &mut program.exprs, pattern.channel, Some(pid))?;
        let mut fields = Vec::new();
        let mut bound: BTreeSet<VarId> = BTreeSet::new();
        for &field in &pattern.fields {
            fields.push(match field {
                Field::Match(value) => (Field::Match(self.moved(old, &mut program.exprs, value, Some(pid))?), None),
                Field::Skip => (Field::Skip, None),
                Field::Bind(place) => {
                    // An index that a field before it has set is another one than before the step.
                    if let Place::Element(_, indices) = place {
                        let indices = old.exprs.list(indices).iter();
                        if indices.into_iter().any(|&index| !old.footprint_of(index).reads.is_disjoint(&bound)) {
                            return Ok(None);
                        }
                    }
                    bound.insert(place.variable());
                    let width = width(old, old.variable(place.variable()).ty);
                    (Field::Bind(moved_place(old, program, self, pid, place)?), width)
                }
            });
        }
        let queue = self.queues.meant(&program.exprs, channel);
        Ok(queue.and_then(|queue| queue.receive(&mut program.exprs, &fields, pattern.anywhere, keep)))
    }

    fn everywhere(&self, var: VarId) -> Vec<VarId> {
        self.shared
            .get(&var)
            .copied()
            .into_iter()
            .chain(self.own.iter().filter_map(|own| own.get(&var).copied()))
            .collect()
    }
}

/// The steps that a process can come to, as its graph tells.
fn reached(program: &Program, process: ProcessId) -> Vec<StepId> {
    let mut seen: BTreeSet<LocationId> = BTreeSet::new();
    let mut open = vec![program.process(process).entry];
    let mut steps = Vec::new();
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            for &step in &program.location(process, at).steps {
                steps.push(step);
                open.push(program.step(step).target);
            }
        }
    }
    steps.sort_unstable();
    steps
}

fn add_process(old: &Program, program: &mut Program, pid: usize, instance: &Instance) -> HashMap<VarId, VarId> {
    let code: &Process = old.process(instance.process);
    let several = old.instances.iter().filter(|other| other.process == instance.process).count() > 1;
    let name = if several { format!("{}({pid})", code.name) } else { code.name.clone() };
    let process = program.add_process(name, code.span);
    for location in &code.locations {
        program.add_location(process, Location { steps: Vec::new(), ..location.clone() });
    }
    // Where a copy is that has ended.
    program.add_location(process, Location { end: true, ..Location::default() });
    program.processes[process.index()].entry = code.entry;
    program.processes[process.index()].fairness = code.fairness;
    program.instances.push(Instance { process, arguments: Vec::new(), priority: instance.priority });
    let mut own = HashMap::new();
    for &local in &code.locals {
        let mut variable = old.variable(local).clone();
        variable.scope = Scope::Local(process);
        if let InitialValue::Argument(position) = variable.initial {
            let value = instance.arguments.get(position as usize).copied().unwrap_or(0);
            variable.initial = InitialValue::Same(value);
        }
        own.insert(local, program.add_variable(variable));
    }
    own
}

fn add_steps(
    old: &Program,
    program: &mut Program,
    copies: &Copies,
    pid: usize,
    origins: &mut Vec<StepId>,
) -> Result<(), Unsupported> {
    let (original, process) = (copies.original[pid], ProcessId::new(pid));
    let gone = LocationId::new(old.process(original).locations.len());
    if let Some(provided) = old.process(original).provided {
        let provided = copies.moved(old, &mut program.exprs, provided, Some(pid))?;
        program.processes[process.index()].provided = Some(provided);
    }
    let mut numbers: HashMap<StepId, StepId> = HashMap::new();
    for id in reached(old, original) {
        let step = old.step(id);
        let mut guard = copies.moved(old, &mut program.exprs, step.guard, Some(pid))?;
        let mut target = step.target;
        let action = match &step.action {
            Action::Assign(assigns) => {
                let mut moved = Vec::new();
                for assign in assigns {
                    moved.push(moved_assign(old, program, copies, pid, *assign)?);
                }
                Action::Assign(moved)
            }
            Action::Assert(condition) => {
                Action::Assert(copies.moved(old, &mut program.exprs, *condition, Some(pid))?)
            }
            Action::Print { format, values } => {
                let mut moved = Vec::new();
                for &value in values {
                    moved.push(copies.moved(old, &mut program.exprs, value, Some(pid))?);
                }
                Action::Print { format: format.clone(), values: moved }
            }
            Action::End => {
                target = gone;
                let mut last = vec![guard];
                for younger in pid + 1..copies.original.len() {
                    let end = LocationId::new(old.process(copies.original[younger]).locations.len());
                    last.push(program.exprs.add(Expr::At(ProcessId::new(younger), end)));
                }
                guard = program.exprs.all(&last);
                Action::skip()
            }
            Action::Send { channel, message, sorted } => {
                let change = copies.send(old, program, pid, (*channel, message, *sorted))?;
                let change = change.ok_or(Unsupported::Step(id))?;
                guard = program.exprs.and(guard, change.guard);
                Action::Assign(change.assigns)
            }
            Action::Receive { pattern, keep } => {
                let change = copies.receive(old, program, pid, pattern, *keep)?;
                let change = change.ok_or(Unsupported::Step(id))?;
                guard = program.exprs.and(guard, change.guard);
                Action::Assign(change.assigns)
            }
            _ => return Err(Unsupported::Step(id)),
        };
        let mut inputs = step.inputs.clone();
        for input in &mut inputs {
            if let Domain::Range(lo, hi) = input.domain {
                let lo = copies.moved(old, &mut program.exprs, lo, Some(pid))?;
                let hi = copies.moved(old, &mut program.exprs, hi, Some(pid))?;
                input.domain = Domain::Range(lo, hi);
            }
        }
        let yields_to = step.yields_to.clone();
        let new = program.add_step(Step { process, target, inputs, guard, action, yields_to, ..step.clone() });
        numbers.insert(id, new);
        origins.push(id);
    }
    // All steps of a location are reached together, so each has a new number.
    for &new in numbers.values().collect::<BTreeSet<_>>() {
        let yields_to = &mut program.steps[new.index()].yields_to;
        for rival in yields_to.iter_mut() {
            *rival = *numbers.get(rival).ok_or(Unsupported::Step(*rival))?;
        }
    }
    Ok(())
}

fn moved_assign(
    old: &Program,
    program: &mut Program,
    copies: &Copies,
    pid: usize,
    assign: Assign,
) -> Result<Assign, Unsupported> {
    let place = moved_place(old, program, copies, pid, assign.place)?;
    debug_assert!(matches!(program.exprs.sort(assign.value), Sort::Bool | Sort::Int));
    Ok(Assign { place, value: copies.moved(old, &mut program.exprs, assign.value, Some(pid))? })
}

fn moved_place(
    old: &Program,
    program: &mut Program,
    copies: &Copies,
    pid: usize,
    place: Place,
) -> Result<Place, Unsupported> {
    let var = place.variable();
    let refused = || Unsupported::Expression(old.show_variable(var));
    let new = copies.variable(old, var, Some(pid)).ok_or_else(refused)?;
    Ok(match place {
        Place::Var(_) => Place::Var(new),
        Place::Element(_, list) => {
            let mut indices = Vec::new();
            for index in program.exprs.list(list).to_vec() {
                indices.push(copies.moved(old, &mut program.exprs, index, Some(pid))?);
            }
            Place::Element(new, program.exprs.add_list(&indices))
        }
    })
}
