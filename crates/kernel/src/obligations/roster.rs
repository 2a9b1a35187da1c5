//! Which processes can there be, and what does it mean to start one?
//!
//! Every process that may ever run has a slot: those that run from the beginning, then those that a certificate lists ([`Later`]). A slot
//! that nobody runs in stands at its last location, one past those of its code, and its variables hold what is said here: the listed
//! values of parameters, else initial values that are constants, else 0. So a state of the program is one of the slots, and only one.
//!
//! Whoever is started gets the number of processes that there are, and the first slot with that number, that code and those
//! values. That there is one is an obligation ([`Wrong::Unlisted`]), so a list that is too short proves nothing.

use std::collections::{BTreeMap, HashMap};

use tertium_program::{Action, InitialValue, ProcessId, Program, Type, VarId};

use super::Later;
use super::machine::{Machine, NoTerm, Store};
use super::steps::{Look, Path, Walk, Wrong};
use super::terms::TermId;
use super::values::{Changes, Fine, Sight};

/// More processes are not told apart.
const MOST_SLOTS: usize = 200;
/// Arrays with more cells are not begun anew.
const MOST_CELLS: usize = 256;

/// Where a process may run.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) pid: usize,
    pub(super) code: ProcessId,
    /// Whether it is empty at the beginning.
    pub(super) later: bool,
    /// Values of parameters that whoever runs here was given.
    pub(super) given: BTreeMap<VarId, i64>,
}

/// The slots of a program: of what runs from the beginning, then of what is listed.
///
/// # Errors
/// If the list does not speak of this program.
pub(super) fn slots(program: &Program, later: &[Later]) -> Result<Vec<Slot>, NoTerm> {
    let running = program.instances.iter().enumerate();
    let mut slots: Vec<Slot> = running
        .map(|(pid, instance)| Slot { pid, code: instance.process, later: false, given: BTreeMap::new() })
        .collect();
    if !later.is_empty() && slots.len().saturating_add(later.len()) > MOST_SLOTS {
        return Err(NoTerm::new(format!("more than {MOST_SLOTS} processes are listed")));
    }
    for one in later {
        slots.push(slot(program, one)?);
    }
    Ok(slots)
}

fn slot(program: &Program, later: &Later) -> Result<Slot, NoTerm> {
    let no = |what: &str| NoTerm::new(format!("`{}` {what}", later.process));
    let mut named = program.process_ids().filter(|&process| program.process(process).name == later.process);
    let (Some(code), None) = (named.next(), named.next()) else { return Err(no("is not one process type")) };
    if !program.process(code).channels.is_empty() {
        return Err(no("is started later and has channels of its own"));
    }
    let mut given = BTreeMap::new();
    for (name, value) in &later.given {
        let parameter = program.process(code).locals.iter().copied().find(|&local| {
            let variable = program.variable(local);
            variable.name == *name
                && variable.dimensions.is_empty()
                && matches!(variable.initial, InitialValue::Argument(_))
                && program.stored(variable.ty, *value) == *value
                && program.admits(variable.ty, *value)
        });
        given.insert(parameter.ok_or_else(|| no(&format!("has no parameter `{name}` with such a value")))?, *value);
    }
    Ok(Slot { pid: later.pid as usize, code, later: true, given })
}

/// The names of slots: that of the process, with its pid where several run the same code, and a mark where several have that pid. The
/// iterator is walked through twice, so that as many processes as there may be cost no more than their number.
pub(super) fn names<'s>(program: &Program, slots: impl Iterator<Item = &'s Slot> + Clone) -> Vec<String> {
    let mut alike: HashMap<ProcessId, usize> = HashMap::new();
    slots.clone().for_each(|slot| *alike.entry(slot.code).or_default() += 1);
    let mut same: HashMap<(ProcessId, usize), usize> = HashMap::new();
    let name = |slot: &Slot| {
        let process = &program.process(slot.code).name;
        let number = same.entry((slot.code, slot.pid)).or_default();
        *number += 1;
        match (alike[&slot.code], *number) {
            (1, _) => process.clone(),
            (_, 1) => format!("{process}({})", slot.pid),
            (_, number) => format!("{process}({}.{number})", slot.pid),
        }
    };
    slots.map(name).collect()
}

impl Machine<'_> {
    /// What the cells of a variable hold while nobody runs in a slot.
    pub(super) fn resting(&self, slot: usize, var: VarId) -> Vec<i64> {
        let variable = self.program.variable(var);
        let value = match (self.slots[slot].given.get(&var), &variable.initial) {
            (Some(&given), _) => given,
            (None, InitialValue::Each(values)) => return values.clone(),
            (None, InitialValue::Same(value)) => *value,
            (None, _) => 0,
        };
        vec![self.program.stored(variable.ty, value); variable.cells()]
    }

    /// Gives the variables of a slot that becomes empty the values of an empty one.
    pub(super) fn leave(&mut self, slot: usize, changes: &mut Changes) -> Result<(), NoTerm> {
        if !self.slots[slot].later {
            return Ok(());
        }
        let program = self.program;
        for &local in &program.process(self.slots[slot].code).locals {
            for (cell, value) in self.resting(slot, local).into_iter().enumerate() {
                let value = self.terms.number(i128::from(value));
                self.set(slot, local, cell, value, changes)?;
            }
        }
        Ok(())
    }

    /// Writes one cell of a variable of a slot.
    fn set(
        &mut self,
        slot: usize,
        var: VarId,
        cell: usize,
        value: TermId,
        changes: &mut Changes,
    ) -> Result<(), NoTerm> {
        let store = self.own[slot].get(&var).cloned().ok_or_else(|| NoTerm::new("a variable without a cell"))?;
        if cell >= MOST_CELLS {
            return Err(NoTerm::new("a process that is started has a large array"));
        }
        let position = matches!(store, Store::Array(_)).then(|| self.terms.number(cell as i128));
        self.write(store, position, value, changes)
    }

    /// A step that starts a process: one way for each slot that it may run in.
    pub(super) fn start(&mut self, walk: &mut Walk, path: &Path, (begun, look): (TermId, &Look)) -> Result<(), NoTerm> {
        let step = self.program.step(look.step);
        let Action::Run { process, arguments, priority, then } = &step.action else { return Ok(()) };
        let changes = path.changes.clone();
        let symbols: Vec<TermId> = look.inputs.iter().map(|input| input.symbol).collect();
        let sight = Sight { me: Some(look.me), changes: &changes, inputs: &symbols };
        let (mut fine, mut values) = (self.always_fine(), Vec::new());
        for &argument in arguments.iter().chain(priority) {
            let (value, below) = self.value(argument, &sight)?;
            fine = self.both_fine(fine, below);
            values.push(self.as_number(value));
        }
        let count = self.count(&sight);
        let mut found = self.terms.truth(false);
        for slot in 0..self.slots.len() {
            if !self.slots[slot].later || self.slots[slot].code != *process {
                continue;
            }
            let fits = self.is_next(slot, count, &values, &sight);
            let first = self.terms.not(found);
            let here = self.terms.all(&[begun, fits, first]);
            found = self.terms.or(found, fits);
            if self.terms.as_truth(here) == Some(false) {
                continue;
            }
            let mut next = path.going(look);
            let pid = self.terms.number(self.slots[slot].pid as i128);
            let told = Sight { inputs: &[pid], ..sight };
            let (below, ranges, yes) = self.assign(then, &told, &mut next.changes)?;
            let mut all = self.both_fine(fine, below);
            let (below, fitting) = self.begin(slot, &values, &mut next.changes)?;
            all = self.both_fine(all, below);
            let unfitting = self.terms.not(fitting);
            let wrong = self.terms.and(here, unfitting);
            self.slipped(walk, look, &next.inputs, Wrong::Unlisted, wrong);
            let here = self.terms.and(here, fitting);
            let holder = self.moved(look.me, look.step, &mut next.changes);
            self.conclude(walk, (look, here), next, (all, ranges, yes), holder);
        }
        let defined = self.terms.all(&fine.0);
        let unlisted = self.terms.not(found);
        let unlisted = self.terms.all(&[begun, defined, unlisted]);
        self.slipped(walk, look, &path.going(look).inputs, Wrong::Unlisted, unlisted);
        // Where arguments have no value, no slot is looked for.
        let nothing = self.terms.truth(false);
        self.mistakes(walk, (look, begun), &path.going(look).inputs, (fine, nothing, nothing), 3);
        Ok(())
    }

    /// Whether the next process to be started runs in this slot, if it is the first of those that could.
    fn is_next(&mut self, slot: usize, count: TermId, arguments: &[TermId], sight: &Sight<'_>) -> TermId {
        let Slot { pid, given, .. } = self.slots[slot].clone();
        let pid = self.terms.number(pid as i128);
        let gone = self.is_gone(slot, sight);
        let mut parts = vec![gone, self.terms.eq(count, pid)];
        for (parameter, value) in given {
            let variable = self.program.variable(parameter);
            let InitialValue::Argument(position) = variable.initial else { continue };
            let argument = arguments.get(position as usize).copied().unwrap_or_else(|| self.terms.number(0));
            let (argument, value) = (self.stored(variable.ty, argument), self.terms.number(i128::from(value)));
            parts.push(self.terms.eq(argument, value));
        }
        self.terms.all(&parts)
    }

    /// What a process begins with, and its place: where its initial values have a value, and where they fit their types.
    fn begin(&mut self, slot: usize, arguments: &[TermId], changes: &mut Changes) -> Result<(Fine, TermId), NoTerm> {
        let program = self.program;
        let process = program.process(self.slots[slot].code);
        let entry = self.terms.number(process.entry.index() as i128);
        changes.insert(self.at[slot], entry);
        let (mut fine, mut fitting) = (self.always_fine(), self.terms.truth(true));
        for &local in &process.locals {
            let variable = program.variable(local);
            let first = match variable.initial {
                InitialValue::Argument(position) => {
                    arguments.get(position as usize).copied().unwrap_or_else(|| self.terms.number(0))
                }
                InitialValue::Computed(expr) => {
                    let so_far = changes.clone();
                    let waits = std::mem::replace(&mut self.may_wait, false);
                    let value = self.value(expr, &Sight { me: Some(slot), changes: &so_far, inputs: &[] });
                    self.may_wait = waits;
                    let (value, below) = value?;
                    fine = self.both_fine(fine, below);
                    self.as_number(value)
                }
                InitialValue::Channel(_) => return Err(NoTerm::new("a process that is started has channels")),
                InitialValue::Any | InitialValue::Same(_) | InitialValue::Each(_) => {
                    for (cell, value) in self.resting(slot, local).into_iter().enumerate() {
                        let value = self.terms.number(i128::from(value));
                        self.set(slot, local, cell, value, changes)?;
                    }
                    continue;
                }
            };
            let value = self.stored(variable.ty, first);
            if variable.ty != Type::Bool {
                let within = self.terms.within(value, self.bounds(variable.ty));
                fitting = self.terms.and(fitting, within);
            }
            for cell in 0..variable.cells() {
                self.set(slot, local, cell, value, changes)?;
            }
        }
        Ok((fine, fitting))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn program() -> Program {
        let text = "system s\nvar x : 0..1 = 0\nprocess P { x := 1; }\nprocess Q { x := 0; }\n";
        tertium_load::program::from_text("s.gcl", text.to_owned(), &[], None).expect("a program").program
    }

    fn at(code: usize, pid: usize) -> Slot {
        Slot { pid, code: ProcessId::new(code), later: false, given: BTreeMap::new() }
    }

    #[test]
    fn slots_that_are_alike_have_different_names() {
        let program = program();
        let slots = [at(0, 0), at(1, 1), at(1, 2), at(1, 2), at(1, 1)];
        assert_eq!(names(&program, slots.iter()), ["P", "Q(1)", "Q(2)", "Q(2.2)", "Q(1.2)"]);
    }

    #[test]
    fn a_hundred_thousand_slots_are_looked_at_twice_each() {
        let program = program();
        for count in [1_000, 100_000] {
            let slots: Vec<Slot> = (0..count).map(|pid| at(0, pid)).collect();
            let looks = Cell::new(0);
            let names = names(&program, slots.iter().inspect(|_| looks.set(looks.get() + 1)));
            assert_eq!((names.len(), looks.get()), (count, 2 * count));
        }
    }
}
