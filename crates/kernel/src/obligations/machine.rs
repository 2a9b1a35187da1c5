//! The state of a program as named cells, for whoever writes obligations about its steps.
//!
//! Every running process has a location (`@P`; one past the last is for a process that has ended), every variable is a symbol or an
//! array, every channel with a buffer a length (`len(c)`) and one symbol for each field of each place (`c[0].1`). What belongs to one
//! process is named after it: `P.x`, and `P(2).x` where several processes run the same code.
//!
//! Nothing of the engines is used here: this, [`super::values`] and [`super::steps`] say again, as terms, what `tertium_program`'s
//! definition of a step says about states. Processes that may be started have cells as well ([`super::roster`]). Not here: who outranks whom
//! ([`super::priorities`]), and traces, which are refused.

use std::collections::{BTreeSet, HashMap};

use tertium_base::narrow::to_i64;
use tertium_program::{
    Action, ChannelId, Field, InitialValue, ProcessId, Program, Scope, Semantics, StepId, Type, VarId,
};

use super::Later;
use super::priorities;
use super::roster::{self, Slot};
use super::terms::{Bounds, Domain, Function, Sort, TermId, Terms};

/// Why nothing can be said about a program, or about a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoTerm(pub String);

impl NoTerm {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

/// Where the value of a variable is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Store {
    /// One symbol.
    Plain(TermId),
    /// An array, by position.
    Array(TermId),
    /// Numbers of channels that never change.
    Fixed(Vec<i64>),
}

/// A channel with a buffer.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub(super) id: ChannelId,
    pub(super) capacity: usize,
    pub(super) length: TermId,
    /// By place, then by field.
    pub(super) cells: Vec<Vec<TermId>>,
}

/// A program whose steps can be written as terms.
#[derive(Debug)]
pub struct Machine<'p> {
    pub(super) program: &'p Program,
    /// All terms.
    pub terms: Terms,
    /// Where processes may run.
    pub(super) slots: Vec<Slot>,
    /// The process of each slot.
    pub(super) code: Vec<ProcessId>,
    names: Vec<String>,
    pub(super) at: Vec<TermId>,
    pub(super) shared: HashMap<VarId, Store>,
    pub(super) own: Vec<HashMap<VarId, Store>>,
    /// By number, beginning with 1; none for channels without a buffer or with too many cells.
    pub(super) queues: Vec<Option<Queue>>,
    /// Variables that hold channels and never change, and the numbers of those.
    held: Vec<(TermId, Vec<i64>)>,
    /// Which channel each of them is, and whose.
    pub(super) lines: Vec<(ChannelId, Option<usize>)>,
    /// Stands for `deadlock`.
    pub(super) deadlock: TermId,
    /// Whether `timeout` may hold where an expression is looked at: in the first small step of a way.
    pub(super) may_wait: bool,
    /// Where nobody can move but by waiting for a time-out, once somebody has asked.
    pub(super) nobody_moves: Option<TermId>,
    /// By process that nobody of higher priority can step, and whether that is exact, once somebody has asked.
    pub(super) alone: HashMap<usize, (TermId, bool)>,
}

/// A channel with more cells is not looked at.
const MOST_CELLS: usize = 4096;

impl<'p> Machine<'p> {
    /// The cells of a program.
    ///
    /// # Errors
    /// Why its steps cannot be written as terms.
    pub fn new(program: &'p Program) -> Result<Self, NoTerm> {
        Self::with(program, &[])
    }

    /// The cells of a program in which these processes may be started.
    ///
    /// # Errors
    /// Why its steps cannot be written as terms, or why the list is none of this program.
    pub fn with(program: &'p Program, later: &[Later]) -> Result<Self, NoTerm> {
        if program.trace.is_some() || program.last.is_some() {
            return Err(NoTerm::new("traces and `_last` cannot be written as terms"));
        }
        priorities::are_understood(program, !later.is_empty())?;
        let mut terms = Terms::default();
        let deadlock = terms.hidden("!deadlock", Sort::Bool);
        let slots = roster::slots(program, later)?;
        let code: Vec<ProcessId> = slots.iter().map(|slot| slot.code).collect();
        let mut machine = Self {
            program,
            names: roster::names(program, slots.iter()),
            at: Vec::new(),
            shared: HashMap::new(),
            own: vec![HashMap::new(); code.len()],
            queues: Vec::new(),
            held: Vec::new(),
            lines: Vec::new(),
            deadlock,
            may_wait: false,
            nobody_moves: None,
            alone: HashMap::new(),
            slots,
            code,
            terms,
        };
        machine.declare_functions();
        machine.declare_channels();
        machine.declare_variables();
        Ok(machine)
    }

    /// The steps of everything that runs.
    fn steps(&self) -> impl Iterator<Item = StepId> + use<'p> {
        let codes: BTreeSet<ProcessId> = self.code.iter().copied().collect();
        let program = self.program;
        program.step_ids().filter(move |&step| codes.contains(&program.step(step).process))
    }

    /// The name of an instance.
    #[must_use]
    pub fn name(&self, pid: usize) -> &str {
        &self.names[pid]
    }

    /// The number that whoever runs in a slot has.
    #[must_use]
    pub fn pid(&self, slot: usize) -> usize {
        self.slots[slot].pid
    }

    /// The code of whoever runs in a slot.
    #[must_use]
    pub fn process(&self, slot: usize) -> ProcessId {
        self.code[slot]
    }

    /// How many processes there can be, those that may be started later among them.
    #[must_use]
    pub fn processes(&self) -> usize {
        self.code.len()
    }

    /// The program.
    #[must_use]
    pub const fn program(&self) -> &'p Program {
        self.program
    }

    /// The symbol of a process's location.
    #[must_use]
    pub fn location(&self, pid: usize) -> TermId {
        self.at[pid]
    }

    /// The location of a process that has ended: one past the last.
    #[must_use]
    pub fn gone(&self, pid: usize) -> usize {
        self.program.process(self.code[pid]).locations.len()
    }

    /// The cell of a variable as seen from outside, by its position; none for what has no cell of its own.
    #[must_use]
    pub fn cell(&mut self, var: VarId, position: usize) -> Option<TermId> {
        let store = match self.program.variable(var).scope {
            Scope::Global => self.shared.get(&var)?,
            Scope::Local(process) => self.own[self.only(process)?].get(&var)?,
        };
        match *store {
            Store::Plain(symbol) => Some(symbol),
            Store::Array(array) => {
                let position = self.terms.number(position as i128);
                Some(self.terms.select(array, position))
            }
            Store::Fixed(_) => None,
        }
    }

    /// The only instance of a process.
    pub(super) fn only(&self, process: ProcessId) -> Option<usize> {
        let mut all = (0..self.code.len()).filter(|&pid| self.code[pid] == process);
        all.next().filter(|_| all.next().is_none())
    }

    fn declare(&mut self, name: &str, sort: Sort, domain: Domain) -> TermId {
        let mut unique = name.replace(['|', '\\'], "_");
        let base = unique.clone();
        let mut again = 1;
        loop {
            if let Some(symbol) = self.terms.declare(&unique, sort, domain) {
                return symbol;
            }
            again += 1;
            unique = format!("{base}#{again}");
        }
    }

    fn declare_functions(&mut self) {
        for function in &self.program.functions {
            let sort = |ty: &Type| if *ty == Type::Bool { Sort::Bool } else { Sort::Int };
            let bounds = if function.result == Type::Bool { (None, None) } else { self.bounds(function.result) };
            let declared = Function {
                arguments: function.arguments.iter().map(sort).collect(),
                result: sort(&function.result),
                bounds,
            };
            self.terms.declare_function(&format!("{}()", function.name), declared);
        }
    }

    /// The bounds of a type.
    pub(super) fn bounds(&self, ty: Type) -> Bounds {
        let (lo, hi) = self.program.bounds(ty);
        (lo.map(i128::from), hi.map(i128::from))
    }

    fn declare_channels(&mut self) {
        let program = self.program;
        let channels = (0..program.channels.len()).map(ChannelId::new);
        for id in channels.filter(|&id| program.channel(id).scope == Scope::Global) {
            self.declare_channel(id, None);
        }
        for pid in 0..self.code.len() {
            for &id in &program.process(self.code[pid]).channels {
                self.declare_channel(id, Some(pid));
            }
        }
    }

    fn declare_channel(&mut self, id: ChannelId, pid: Option<usize>) {
        self.lines.push((id, pid));
        let channel = self.program.channel(id);
        let (capacity, fields) = (channel.capacity as usize, channel.fields.len());
        if capacity == 0 || capacity.saturating_mul(fields) > MOST_CELLS {
            self.queues.push(None);
            return;
        }
        let whose = pid.map_or(String::new(), |pid| format!("{}.", self.names[pid]));
        let most = Domain { bounds: (Some(0), Some(capacity as i128)), cells: 0 };
        let length = self.declare(&format!("{whose}len({})", channel.name), Sort::Int, most);
        let mut cells = Vec::new();
        for place in 0..capacity {
            let mut row = Vec::new();
            for (field, &ty) in channel.fields.iter().enumerate() {
                let bounds = self.bounds(ty);
                // A place that holds no message holds 0.
                let bounds = (bounds.0.map(|lo| lo.min(0)), bounds.1.map(|hi| hi.max(0)));
                let name = format!("{whose}{}[{place}].{field}", channel.name);
                row.push(self.declare(&name, Sort::Int, Domain { bounds, cells: 0 }));
            }
            cells.push(row);
        }
        self.queues.push(Some(Queue { id, capacity, length, cells }));
    }

    fn declare_variables(&mut self) {
        let program = self.program;
        let written = written(program, self.steps());
        for var in program.variable_ids().filter(|&var| program.variable(var).scope == Scope::Global) {
            let store = self.declare_variable(var, None, &written);
            self.shared.insert(var, store);
        }
        for pid in 0..self.code.len() {
            let most = self.gone(pid) as i128;
            let name = format!("@{}", self.names[pid]);
            let at = self.declare(&name, Sort::Int, Domain { bounds: (Some(0), Some(most)), cells: 0 });
            self.at.push(at);
            for &var in &program.process(self.code[pid]).locals {
                let store = self.declare_variable(var, Some(pid), &written);
                self.own[pid].insert(var, store);
            }
        }
    }

    /// What a variable is called.
    fn named(&self, var: VarId, slot: Option<usize>) -> String {
        let name = &self.program.variable(var).name;
        slot.map_or_else(|| name.clone(), |slot| format!("{}.{name}", self.names[slot]))
    }

    fn declare_variable(&mut self, var: VarId, pid: Option<usize>, written: &BTreeSet<VarId>) -> Store {
        let variable = self.program.variable(var);
        if let InitialValue::Channel(first) = variable.initial
            && !written.contains(&var)
        {
            let number = |cell: usize| self.number_of(ChannelId::new(first.index() + cell), pid);
            let numbers: Vec<i64> = (0..variable.cells()).map(number).collect();
            // Nobody asks the symbol for them, but others may speak of it.
            let sort = if variable.dimensions.is_empty() { Sort::Int } else { Sort::IntArray };
            let cells = if variable.dimensions.is_empty() { 0 } else { variable.cells() };
            let domain = Domain { bounds: self.bounds(variable.ty), cells };
            let symbol = self.declare(&self.named(var, pid), sort, domain);
            self.held.push((symbol, numbers.clone()));
            return Store::Fixed(numbers);
        }
        let name = self.named(var, pid);
        let truth = variable.ty == Type::Bool;
        let given = pid.and_then(|slot| self.slots[slot].given.get(&var)).filter(|_| !truth && !written.contains(&var));
        let bounds = match given {
            // Whoever runs here was given this, and an empty slot holds it, too.
            Some(&value) => (Some(i128::from(value)), Some(i128::from(value))),
            None if truth => (None, None),
            None => self.bounds(variable.ty),
        };
        if variable.dimensions.is_empty() {
            let sort = if truth { Sort::Bool } else { Sort::Int };
            return Store::Plain(self.declare(&name, sort, Domain { bounds, cells: 0 }));
        }
        let sort = if truth { Sort::BoolArray } else { Sort::IntArray };
        Store::Array(self.declare(&name, sort, Domain { bounds, cells: variable.cells() }))
    }

    /// The number of a channel: global ones are counted first, then those of each process, from 1.
    fn number_of(&self, id: ChannelId, pid: Option<usize>) -> i64 {
        let program = self.program;
        let globals: Vec<ChannelId> = (0..program.channels.len())
            .map(ChannelId::new)
            .filter(|&id| program.channel(id).scope == Scope::Global)
            .collect();
        if let Some(at) = globals.iter().position(|&known| known == id) {
            return to_i64(at) + 1;
        }
        let Some(pid) = pid else { return 0 };
        let before: usize = self.code[..pid].iter().map(|&code| program.process(code).channels.len()).sum();
        let own = program.process(self.code[pid]).channels.iter().position(|&known| known == id);
        own.map_or(0, |own| to_i64(globals.len() + before + own) + 1)
    }

    /// What variables hold that name channels and never change.
    pub(super) fn names_of_channels(&mut self) -> Vec<TermId> {
        let mut facts = Vec::new();
        for (symbol, numbers) in self.held.clone() {
            let array = self.terms.sort(symbol) == Sort::IntArray;
            for (position, number) in numbers.into_iter().enumerate() {
                let position = self.terms.number(position as i128);
                let cell = if array { self.terms.select(symbol, position) } else { symbol };
                let number = self.terms.number(i128::from(number));
                facts.push(self.terms.eq(cell, number));
            }
        }
        facts
    }

    /// Where a slot is at the beginning.
    pub(super) fn beginning(&self, slot: usize) -> usize {
        if self.slots[slot].later { self.gone(slot) } else { self.program.process(self.code[slot]).entry.index() }
    }

    /// What holds of the states in which the program begins, as far as types do not say it.
    ///
    /// # Errors
    /// If an initial value cannot be computed, or the condition on initial states has no term.
    pub fn initial(&mut self) -> Result<TermId, NoTerm> {
        let mut parts = Vec::new();
        for pid in 0..self.code.len() {
            let entry = self.terms.number(self.beginning(pid) as i128);
            parts.push(self.terms.eq(self.at[pid], entry));
        }
        for queue in self.queues.clone().into_iter().flatten() {
            let zero = self.terms.number(0);
            for symbol in queue.cells.iter().flatten().chain([&queue.length]) {
                parts.push(self.terms.eq(*symbol, zero));
            }
        }
        for var in self.program.variable_ids() {
            match self.program.variable(var).scope {
                Scope::Global => self.begins(var, None, &mut parts)?,
                Scope::Local(process) => {
                    for pid in (0..self.code.len()).filter(|&pid| self.code[pid] == process).collect::<Vec<_>>() {
                        self.begins(var, Some(pid), &mut parts)?;
                    }
                }
            }
        }
        parts.extend(self.names_of_channels());
        if let Some(init) = self.program.init {
            let (holds, _) = self.observed(init)?;
            parts.push(holds);
        }
        Ok(self.terms.all(&parts))
    }

    /// Computed initial values: each is one number, whatever the program begins with, by the definition of initial states.
    fn computed(&self, var: VarId, slot: Option<usize>) -> Result<Vec<i64>, NoTerm> {
        let (semantics, variable) = (Semantics::new(self.program), self.program.variable(var));
        let none = || NoTerm::new(format!("the initial value of `{}` cannot be computed", variable.name));
        let slots = semantics.first_slots().map_err(|_| none())?;
        let base = match slot {
            None => 0,
            Some(slot) => *semantics.layout().frames(&slots).get(self.slots[slot].pid).ok_or_else(none)?,
        };
        let at = base + semantics.layout().variable(var);
        slots.get(at..at + variable.cells()).map(<[i64]>::to_vec).ok_or_else(none)
    }

    fn begins(&mut self, var: VarId, pid: Option<usize>, parts: &mut Vec<TermId>) -> Result<(), NoTerm> {
        let store = match pid {
            None => self.shared.get(&var),
            Some(pid) => self.own[pid].get(&var),
        };
        let (Some(store), variable) = (store.cloned(), self.program.variable(var)) else { return Ok(()) };
        let count = variable.cells();
        let empty = pid.filter(|&slot| self.slots[slot].later);
        let values: Vec<i64> = match (&store, &variable.initial) {
            _ if empty.is_some() => empty.map_or_else(Vec::new, |slot| self.resting(slot, var)),
            (Store::Fixed(_), _) | (_, InitialValue::Any) => return Ok(()),
            (_, InitialValue::Same(value)) => vec![self.program.stored(variable.ty, *value); count],
            (_, InitialValue::Each(values)) => values.clone(),
            (_, InitialValue::Argument(position)) => {
                let given = pid.and_then(|pid| self.program.instances[pid].arguments.get(*position as usize).copied());
                vec![self.program.stored(variable.ty, given.unwrap_or(0)); count]
            }
            (_, InitialValue::Channel(first)) => {
                (0..count).map(|cell| self.number_of(ChannelId::new(first.index() + cell), pid)).collect()
            }
            (_, InitialValue::Computed(_)) => self.computed(var, pid)?,
        };
        // What is known of cells by their types must hold from the beginning.
        if values.iter().any(|&value| !self.program.admits(variable.ty, value)) {
            return Err(NoTerm::new(format!("the initial value of `{}` is none of its type", variable.name)));
        }
        for (position, value) in values.into_iter().enumerate() {
            let cell = match store {
                Store::Plain(symbol) => symbol,
                Store::Array(array) => {
                    let position = self.terms.number(position as i128);
                    self.terms.select(array, position)
                }
                Store::Fixed(_) => continue,
            };
            let value = if self.terms.sort(cell) == Sort::Bool {
                self.terms.truth(value != 0)
            } else {
                self.terms.number(i128::from(value))
            };
            parts.push(self.terms.eq(cell, value));
        }
        Ok(())
    }
}

/// The variables that some step writes.
fn written(program: &Program, steps: impl Iterator<Item = StepId>) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for step in steps {
        match &program.step(step).action {
            Action::Assign(assigns) | Action::Run { then: assigns, .. } | Action::Together { assigns, .. } => {
                found.extend(assigns.iter().map(|assign| assign.place.variable()));
            }
            Action::Receive { pattern, .. } => {
                found.extend(pattern.fields.iter().filter_map(|field| match field {
                    Field::Bind(place) => Some(place.variable()),
                    Field::Match(_) | Field::Skip => None,
                }));
            }
            _ => {}
        }
    }
    found
}
