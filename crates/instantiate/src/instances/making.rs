//! A program in the making: the variables, locations and steps of each copy.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tertium_base::narrow::{to_i64, to_u32};
use tertium_program::analysis::partial_evaluation::{fold, rewrite};
use tertium_program::{
    Action, Assign, ChannelId, Domain, Expr, ExprId, Field, InitialValue, Instance, Location, Pattern, Place,
    ProcessId, Program, Scope, Sort, Step, StepId, VarId,
};

use super::{MOST_CELLS, Origin, name};
use crate::Unsupported;
use crate::copies::Copies;
use crate::events::Watcher;
use crate::queues::{Fit, TAKEN, width};
use crate::starts::reached;

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
    pub(super) exact: bool,
}

impl Making<'_> {
    /// An expression over the new variables, as a copy means it.
    pub(crate) fn moved(&mut self, expr: ExprId, copy: usize) -> Result<ExprId, Unsupported> {
        self.copies.moved(self.old, &mut self.program.exprs, expr, Some(copy))
    }

    pub(crate) fn all_moved(&mut self, exprs: &[ExprId], copy: usize) -> Result<Vec<ExprId>, Unsupported> {
        exprs.iter().map(|&expr| self.moved(expr, copy)).collect()
    }

    pub(super) fn add_globals(&mut self) {
        let old = self.old;
        for channel in (0..old.channels.len()).map(ChannelId::new) {
            if old.channel(channel).scope == Scope::Global {
                self.copies.queues.add(old, &mut self.program, channel, None);
            }
        }
        for var in old.variable_ids().filter(|&var| old.variable(var).scope == Scope::Global) {
            let new = self.program.add_variable(old.variable(var).clone());
            self.copies.shared.insert(var, new);
            self.leave_out(var, new);
            self.begin(var, new, None);
        }
    }

    /// What a slice leaves out it leaves out of every copy.
    fn leave_out(&mut self, var: VarId, new: VarId) {
        if self.old.left_out.contains(&var) {
            self.program.left_out.insert(new);
        }
    }

    /// A variable that holds channels begins with their numbers.
    fn begin(&mut self, var: VarId, new: VarId, copy: Option<usize>) {
        if let Some(initial) = self.copies.queues.initial(self.old, var, new, copy) {
            self.program.variables[new.index()].initial = initial;
        }
    }

    pub(super) fn add_copy(&mut self, at: usize) -> Result<(), Unsupported> {
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
            let new = self.program.add_variable(variable);
            self.leave_out(local, new);
            own.insert(local, new);
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

    pub(super) fn add_steps(&mut self, copy: usize) -> Result<(), Unsupported> {
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
                    fold(exprs, expr, sort)
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
