//! One process per running copy, so that every variable is one place of the state.
//!
//! Languages whose processes have several copies, begin later or end, are brought into the form that terms can speak of: each
//! copy that there can be (`starts`) gets code and variables of its own, and what is said of processes is said of copies
//! (`copies`). A copy that is not there rests at a last location of its own; starting it is a joint step of whoever does, ending
//! is a step that only the youngest copy can take. Channels become variables (`queues`, `messages`), or rendezvous of two copies
//! (`rendezvous`). Priorities (`priorities`), what is asked about what is enabled (`enabled`), events that are watched (`events`) and
//! processes that must not have a choice (`determined`) become conditions of steps. Nothing else changes; what cannot be said this way is refused.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tertium_base::narrow::{to_i64, to_u32};
use tertium_program::terms::{add, rewrite};
use tertium_program::{
    Action, Assign, ChannelId, Domain, Expr, ExprId, Field, InitialValue, Instance, Location, Named, Pattern, Place,
    ProcessId, Program, Scope, Semantics, Sort, Step, StepId, VarId,
};

use crate::Unsupported;
use crate::copies::Copies;
use crate::events::Watcher;
use crate::queues::{Fit, Queues, TAKEN, width};
use crate::starts::{Copy, Starts, reached};
use crate::timeouts;

/// Arrays of copies that begin later may have this many cells.
const MOST_CELLS: usize = 256;
/// A channel with more variables than this is not abstracted.
const MOST_QUEUE_CELLS: usize = 64;
/// The same where no solver has to think about them.
const MOST_EXACT_CELLS: usize = 512;

/// Where a step comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The pid of whoever takes it.
    pub pid: u32,
    /// The step of the original.
    pub step: StepId,
    /// Whom it meets, and the step of the original that is taken there.
    pub partner: Option<(u32, StepId)>,
}

/// A copy that may be started later: its number, its code, and the values of parameters that it is told from others by.
pub type LaterCopy = (usize, ProcessId, Vec<(VarId, i64)>);

/// A program with one process per copy.
#[derive(Clone, Debug)]
pub struct Instantiated {
    /// The program.
    pub program: Program,
    /// For each of its predicates, which one of the original it comes from.
    pub origins: Vec<usize>,
    /// The variables that its channels became.
    pub channels: Vec<VarId>,
    /// For each of its steps, where it comes from.
    pub steps: Vec<Origin>,
    /// Its steps that stand for a statement on a value that is no channel, or with a message of another shape.
    pub misused: BTreeSet<StepId>,
    /// Its steps that stand for events which a `trace` does not allow, or a `notrace` forbids.
    pub strayed: BTreeSet<StepId>,
    /// The variable of whoever watches events, and the values with which it may rest.
    pub resting: Option<(VarId, Vec<i64>)>,
    copies: Copies,
}

/// What a receive does with a field, and how the place that it goes to truncates.
pub(crate) type Taking = (Field, Option<Fit>);

/// A program in the making.
pub(crate) struct Making<'p> {
    pub(crate) old: &'p Program,
    pub(crate) program: Program,
    pub(crate) copies: Copies,
    pub(crate) origins: Vec<Origin>,
    pub(crate) misused: BTreeSet<StepId>,
    pub(crate) strayed: BTreeSet<StepId>,
    /// Steps that go wrong while it is found out whether they can be taken.
    pub(crate) wrong: BTreeSet<StepId>,
    /// Who watches events.
    pub(crate) watcher: Option<Watcher>,
    /// When a step strays from what is allowed.
    pub(crate) straying: HashMap<StepId, ExprId>,
    /// Whether states of the original are told apart exactly.
    exact: bool,
}

impl Instantiated {
    /// Takes a program apart, as solvers need it: time-outs are conditions on the state.
    ///
    /// # Errors
    /// What of it cannot be said with one process per copy.
    pub fn new(old: &Program) -> Result<Self, Unsupported> {
        let mut instantiated = Self::made(old, false)?;
        let steps = &instantiated.steps;
        timeouts::close(&mut instantiated.program).map_err(|step| Unsupported::Step(steps[step.index()].step))?;
        instantiated.finished(old)
    }

    /// Takes a program apart such that it has one state for each of the original: copies that are gone leave nothing behind.
    /// Time-outs stay as they are.
    ///
    /// # Errors
    /// What of it cannot be said with one process per copy.
    pub fn exactly(old: &Program) -> Result<Self, Unsupported> {
        Self::made(old, true)?.finished(old)
    }

    /// How many channels there are; their numbers begin with 1.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.copies.queues.len()
    }

    pub(crate) const fn copies(&self) -> &Copies {
        &self.copies
    }

    fn made(old: &Program, exact: bool) -> Result<Self, Unsupported> {
        let special = old.last.is_some() || old.priorities || old.trace.is_some() || old.must_be_deterministic();
        if special && !exact {
            return Err(Unsupported::Processes);
        }
        let starts = Starts::of(old).map_err(Unsupported::Starts)?;
        let mut program = old.clone();
        program.processes.clear();
        program.steps.clear();
        program.variables.clear();
        program.instances.clear();
        program.spotlight.clear();
        program.claims.clear();
        program.channels.clear();
        (program.priorities, program.trace) = (false, None);
        let most_cells = if exact { MOST_EXACT_CELLS } else { MOST_QUEUE_CELLS };
        let copies = Copies { starts, queues: Queues::of(old, most_cells), exact, ..Copies::default() };
        let mut making = Making {
            old,
            program,
            copies,
            origins: Vec::new(),
            misused: BTreeSet::new(),
            strayed: BTreeSet::new(),
            wrong: BTreeSet::new(),
            watcher: None,
            straying: HashMap::new(),
            exact,
        };
        making.add_globals();
        for copy in 0..making.copies.starts.copies.len() {
            making.add_copy(copy)?;
        }
        making.watcher = making.watcher()?;
        for copy in 0..making.copies.starts.copies.len() {
            making.add_steps(copy)?;
        }
        making.close_enabled()?;
        making.determine()?;
        making.respect_priorities()?;
        let Making { mut program, copies, origins: steps, misused, strayed, watcher, .. } = making;
        let resting = watcher.map(|watcher| (watcher.variable, watcher.ends));
        program.keep = old.keep.iter().flat_map(|&var| copies.everywhere(var)).collect();
        program.last = old.last.and_then(|last| copies.shared.get(&last).copied());
        if program.last.is_some() {
            let who = |origin: &Origin| old.who_steps((origin.pid, origin.step), origin.partner);
            program.stepped = steps.iter().map(who).collect();
        }
        let channels = copies.queues.variables();
        Ok(Self { program, origins: Vec::new(), channels, steps, misused, strayed, resting, copies })
    }

    fn finished(mut self, old: &Program) -> Result<Self, Unsupported> {
        self.add_initial(old)?;
        self.add_predicates(old);
        self.program.properties.clear();
        Ok(self)
    }

    /// An expression that an observer of the original evaluates.
    ///
    /// # Errors
    /// If it speaks of what has no meaning in copies.
    pub fn observed(&mut self, old: &Program, expr: ExprId) -> Result<ExprId, Unsupported> {
        let exprs = &mut self.program.exprs;
        let moved = self.copies.moved(old, exprs, expr, None)?;
        let known = self.copies.with_enabled(exprs, moved);
        let known = known.ok_or_else(|| Unsupported::Expression(old.show(expr)))?;
        // An observer never sees a time-out.
        let none = exprs.bool(false);
        Ok(if known == moved { moved } else { timeouts::with(exprs, known, none) })
    }

    /// What a global variable of the original became.
    #[must_use]
    pub fn shared(&self, old: VarId) -> Option<VarId> {
        self.copies.shared.get(&old).copied()
    }

    /// A place that an observer of the original writes.
    ///
    /// # Errors
    /// If it is not everyone's, or an index speaks of what has no meaning in copies.
    pub fn observed_place(&mut self, old: &Program, place: Place) -> Result<Place, Unsupported> {
        let refused = || Unsupported::Expression(old.show_variable(place.variable()));
        let var = self.shared(place.variable()).ok_or_else(refused)?;
        let Place::Element(_, list) = place else { return Ok(Place::Var(var)) };
        let mut indices = Vec::new();
        for index in old.exprs.list(list).to_vec() {
            indices.push(self.observed(old, index)?);
        }
        Ok(Place::Element(var, self.program.exprs.add_list(&indices)))
    }

    /// The copies that may be started later, in the order of their processes. None if one that runs from the start may be started again.
    #[must_use]
    pub fn later(&self) -> Option<Vec<LaterCopy>> {
        let starts = &self.copies.starts;
        if (0..starts.initial).any(|copy| starts.is_started(copy)) {
            return None;
        }
        let told = |copy: &Copy| {
            let constants = copy.constants.iter().map(|(&parameter, &value)| (parameter, value));
            (copy.pid, copy.process, constants.collect())
        };
        Some(starts.copies[starts.initial..].iter().map(told).collect())
    }

    fn add_initial(&mut self, old: &Program) -> Result<(), Unsupported> {
        if let Some(init) = old.init {
            self.program.init = Some(self.observed(old, init)?);
        }
        let computed = |var: &VarId| matches!(old.variable(*var).initial, InitialValue::Computed(_));
        let semantics = Semantics::new(old);
        // Where anything may be there at first, what is computed from it is not known either.
        let anything = old.variables.iter().any(|variable| variable.initial == InitialValue::Any);
        let slots = semantics.first_slots().ok().filter(|_| !anything);
        for var in old.variable_ids().filter(computed) {
            let slots = slots.as_ref().ok_or(Unsupported::Initial(var))?;
            let frames = semantics.layout().frames(slots);
            let first = semantics.layout().variable(var);
            let mut set = |new: VarId, from: usize| {
                let values = slots[from + first..][..old.variable(var).cells()].to_vec();
                self.program.variables[new.index()].initial = InitialValue::Each(values);
            };
            if let Some(&new) = self.copies.shared.get(&var) {
                set(new, 0);
            }
            for (own, &frame) in self.copies.own.iter().zip(&frames) {
                if let Some(&new) = own.get(&var) {
                    set(new, frame);
                }
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
                for copy in 0..self.copies.starts.copies.len() {
                    if let Ok(expr) = self.copies.moved(old, &mut self.program.exprs, named.expr, Some(copy)) {
                        let pid = self.copies.starts.copies[copy].pid;
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

/// The name of a copy: its process's, with its pid where there are several, and a mark where several may have that pid.
fn name(old: &Program, copies: &[Copy], at: usize) -> String {
    let (code, copy) = (&old.process(copies[at].process).name, &copies[at]);
    let alike = |copies: &[Copy]| copies.iter().filter(|other| other.process == copy.process).count();
    let same = copies[..at].iter().filter(|other| other.process == copy.process && other.pid == copy.pid).count();
    match (alike(copies), same) {
        (1, _) => code.clone(),
        (_, 0) => format!("{code}({})", copy.pid),
        (_, same) => format!("{code}({}.{})", copy.pid, same + 1),
    }
}

impl Making<'_> {
    /// An expression over the new variables, as a copy means it.
    pub(crate) fn moved(&mut self, expr: ExprId, copy: usize) -> Result<ExprId, Unsupported> {
        self.copies.moved(self.old, &mut self.program.exprs, expr, Some(copy))
    }

    pub(crate) fn all_moved(&mut self, exprs: &[ExprId], copy: usize) -> Result<Vec<ExprId>, Unsupported> {
        exprs.iter().map(|&expr| self.moved(expr, copy)).collect()
    }

    fn add_globals(&mut self) {
        let old = self.old;
        for channel in (0..old.channels.len()).map(ChannelId::new) {
            if old.channel(channel).scope == Scope::Global {
                self.copies.queues.add(old, &mut self.program, channel, None);
            }
        }
        for var in old.variable_ids().filter(|&var| old.variable(var).scope == Scope::Global) {
            let new = self.program.add_variable(old.variable(var).clone());
            self.copies.shared.insert(var, new);
            self.begin(var, new, None);
        }
    }

    /// A variable that holds channels begins with their numbers.
    fn begin(&mut self, var: VarId, new: VarId, copy: Option<usize>) {
        if let Some(initial) = self.copies.queues.initial(self.old, var, new, copy) {
            self.program.variables[new.index()].initial = initial;
        }
    }

    fn add_copy(&mut self, at: usize) -> Result<(), Unsupported> {
        let old = self.old;
        let running = at < self.copies.starts.initial;
        let of = self.copies.starts.copies[at].clone();
        let code = old.process(of.process);
        let process = self.program.add_process(name(old, &self.copies.starts.copies, at), code.span);
        for location in &code.locations {
            self.program.add_location(process, Location { steps: Vec::new(), ..location.clone() });
        }
        // Where a copy is that is not there.
        let gone = self.program.add_location(process, Location { end: true, ..Location::default() });
        self.copies.gone.push(gone);
        if reached(old, of.process).iter().any(|&step| old.step(step).action == Action::End) {
            self.copies.ending.insert(at);
        }
        self.program.processes[process.index()].entry = if running { code.entry } else { gone };
        self.program.processes[process.index()].fairness = code.fairness;
        let instance = old.instances.get(of.pid).filter(|_| running);
        let priority = instance.map_or(1, |instance| instance.priority);
        self.program.instances.push(Instance { process, arguments: Vec::new(), priority });
        let mut own = HashMap::new();
        for &local in &code.locals {
            let mut variable = old.variable(local).clone();
            variable.scope = Scope::Local(process);
            match (&variable.initial, instance) {
                _ if of.constants.contains_key(&local) => {
                    variable.initial = InitialValue::Same(of.constants[&local]);
                }
                (InitialValue::Argument(position), Some(instance)) => {
                    let value = instance.arguments.get(*position as usize).copied().unwrap_or(0);
                    variable.initial = InitialValue::Same(value);
                }
                (InitialValue::Argument(_) | InitialValue::Computed(_), None) => {
                    variable.initial = InitialValue::Same(0);
                }
                _ => {}
            }
            own.insert(local, self.program.add_variable(variable));
        }
        for &channel in &code.channels {
            self.copies.queues.add(old, &mut self.program, channel, Some(at));
        }
        for &local in &code.locals {
            self.begin(local, own[&local], Some(at));
        }
        self.copies.own.push(own);
        if old.priorities { self.add_priority(at) } else { Ok(()) }
    }

    fn add_steps(&mut self, copy: usize) -> Result<(), Unsupported> {
        let old = self.old;
        let original = self.copies.starts.copies[copy].process;
        if let Some(provided) = old.process(original).provided {
            self.program.processes[copy].provided = Some(self.moved(provided, copy)?);
        }
        let mut numbers: HashMap<StepId, Vec<StepId>> = HashMap::new();
        for id in reached(old, original) {
            let first = self.program.steps.len();
            self.add_step(copy, id)?;
            numbers.insert(id, (first..self.program.steps.len()).map(StepId::new).collect());
        }
        // All steps of a location are reached together; one that became none is never taken by itself.
        for new in numbers.values().flatten().copied().collect::<BTreeSet<_>>() {
            let step = &mut self.program.steps[new.index()];
            let rivals = std::mem::take(&mut step.yields_to);
            step.yields_to = rivals.iter().filter_map(|rival| numbers.get(rival)).flatten().copied().collect();
        }
        Ok(())
    }

    /// Adds what a step of the original becomes.
    fn add_step(&mut self, copy: usize, id: StepId) -> Result<(), Unsupported> {
        let step = self.old.step(id);
        let mut draft = Step { process: ProcessId::new(copy), ..step.clone() };
        draft.guard = self.moved(step.guard, copy)?;
        for input in &mut draft.inputs {
            if let Domain::Range(lo, hi) = input.domain {
                input.domain = Domain::Range(self.moved(lo, copy)?, self.moved(hi, copy)?);
            }
        }
        match &step.action {
            Action::Run { process, arguments, then, .. } => {
                return self.add_starts((copy, id), &draft, (*process, arguments, then));
            }
            Action::Send { .. } | Action::Receive { .. } => return self.add_message((copy, id), &draft),
            Action::SetPriority { pid, value } => return self.add_setting((copy, id), &draft, (*pid, *value)),
            _ => self.become_plain(copy, id, &mut draft)?,
        }
        self.push((copy, id), draft, None);
        Ok(())
    }

    pub(crate) fn push(&mut self, (copy, id): (usize, StepId), step: Step, partner: Option<(u32, StepId)>) {
        let pid = to_u32(self.copies.starts.copies[copy].pid);
        self.program.add_step(step);
        self.origins.push(Origin { pid, step: id, partner });
    }

    /// Guard, action and target of a step that remains one step.
    fn become_plain(&mut self, copy: usize, id: StepId, draft: &mut Step) -> Result<(), Unsupported> {
        let step = self.old.step(id);
        draft.action = match &step.action {
            Action::Assign(assigns) => Action::Assign(self.assigns(assigns, copy)?),
            Action::Assert(condition) => Action::Assert(self.moved(*condition, copy)?),
            Action::Print { format, values } => {
                Action::Print { format: format.clone(), values: self.all_moved(values, copy)? }
            }
            Action::End => {
                draft.target = self.copies.gone[copy];
                let mut last = vec![draft.guard];
                let pid = self.copies.starts.copies[copy].pid;
                let younger = self.copies.all().filter(|(_, other)| other.pid > pid);
                for other in younger.map(|(at, _)| at).collect::<Vec<_>>() {
                    last.push(self.copies.absent(&mut self.program.exprs, other));
                }
                draft.guard = self.program.exprs.all(&last);
                let mut assigns = self.cleared(copy).ok_or(Unsupported::Step(id))?;
                assigns.extend(self.priority_set(copy, None)?);
                Action::Assign(assigns)
            }
            _ => return Err(Unsupported::Step(id)),
        };
        Ok(())
    }

    pub(crate) fn assigns(&mut self, assigns: &[Assign], copy: usize) -> Result<Vec<Assign>, Unsupported> {
        let mut moved = Vec::new();
        for assign in assigns {
            let place = self.copies.place(self.old, &mut self.program.exprs, assign.place, copy)?;
            moved.push(Assign { place, value: self.moved(assign.value, copy)? });
        }
        Ok(moved)
    }

    /// What a receive does with each field, and how the place truncates; none if a place depends on an array that a field before it
    /// has changed.
    pub(crate) fn fields(&mut self, copy: usize, pattern: &Pattern) -> Result<Option<Vec<Taking>>, Unsupported> {
        let old = self.old;
        let mut fields = Vec::new();
        let mut bound: BTreeMap<VarId, u32> = BTreeMap::new();
        for (position, &field) in pattern.fields.iter().enumerate() {
            fields.push(match field {
                Field::Match(value) => (Field::Match(self.moved(value, copy)?), None),
                Field::Skip => (Field::Skip, None),
                Field::Bind(place) => {
                    let width = width(old, old.variable(place.variable()).ty);
                    let place = self.copies.place(old, &mut self.program.exprs, place, copy)?;
                    let Some(place) = self.after_fields(place, &bound) else { return Ok(None) };
                    bound.insert(place.variable(), to_u32(position));
                    (Field::Bind(place), width)
                }
            });
        }
        Ok(Some(fields))
    }

    /// A place of a receive: an index that a field before it has set is that field. None if it reads an array that one has changed.
    fn after_fields(&mut self, place: Place, bound: &BTreeMap<VarId, u32>) -> Option<Place> {
        let Place::Element(var, list) = place else { return Some(place) };
        let (mut indices, mut lost) = (Vec::new(), false);
        for index in self.program.exprs.list(list).to_vec() {
            indices.push(rewrite(&mut self.program.exprs, index, &mut |exprs, expr, sort| match expr {
                Expr::Var(read) if bound.contains_key(&read) => exprs.add(Expr::Input(TAKEN + bound[&read], sort)),
                _ => {
                    lost |= matches!(expr, Expr::Element(read, _) if bound.contains_key(&read));
                    add(exprs, expr, sort)
                }
            }));
        }
        (!lost).then(|| Place::Element(var, self.program.exprs.add_list(&indices)))
    }

    /// What a copy leaves behind: what it began with, so that it can be started again, or counts as the same state. None if
    /// that is too much.
    fn cleared(&mut self, copy: usize) -> Option<Vec<Assign>> {
        let mut assigns = Vec::new();
        let again = self.copies.starts.is_started(copy);
        if !again && !self.exact {
            return Some(assigns);
        }
        let constants = &self.copies.starts.copies[copy].constants;
        let own = self.copies.own[copy].iter().filter(|(local, _)| !constants.contains_key(local));
        let mut own: Vec<VarId> = own.map(|(_, &var)| var).collect();
        own.extend(self.copies.queues.variables_of(copy));
        own.sort_unstable();
        for var in own {
            let variable = self.program.variable(var).clone();
            let value = |cell: usize| match &variable.initial {
                InitialValue::Same(value) => Some(*value),
                InitialValue::Each(values) => values.get(cell).copied(),
                // What never begins again may leave anything behind, if it is always the same.
                _ => (!again).then_some(0),
            };
            let sort = self.program.sort_of(variable.ty);
            if variable.cells() > MOST_CELLS || variable.dimensions.len() > 1 {
                return None;
            }
            for cell in 0..variable.cells() {
                let value = self.program.stored(variable.ty, value(cell)?);
                let exprs = &mut self.program.exprs;
                let value = if sort == Sort::Bool { exprs.bool(value != 0) } else { exprs.int(value) };
                let place = match variable.dimensions.first() {
                    None => Place::Var(var),
                    Some(dimension) => {
                        let index = exprs.int(dimension.lo + to_i64(cell));
                        Place::Element(var, exprs.add_list(&[index]))
                    }
                };
                assigns.push(Assign { place, value });
            }
        }
        Some(assigns)
    }
}
