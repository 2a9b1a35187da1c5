//! What do assignments and inputs of a step do, what may go wrong, and when has time run out, as terms?

use std::collections::BTreeSet;

use tertium_program::{Action, Hold, Place, StepId, Type};

use super::machine::{Machine, NoTerm, Store};
use super::steps::{Input, Look, Path, Slip, Walk, Wrong};
use super::terms::{Sort, TermId};
use super::values::{Changes, Fine, Sight};

/// Inputs with at most this many combinations of values are tried one by one.
const FEW: i128 = 64;

impl Machine<'_> {
    /// Simultaneous assignments: where everything has a value, where values fit, and the changes.
    pub(super) fn assign(
        &mut self,
        assigns: &[tertium_program::Assign],
        sight: &Sight<'_>,
        changes: &mut Changes,
    ) -> Result<(Fine, TermId, TermId), NoTerm> {
        let (mut fine, mut ranges) = (self.always_fine(), self.terms.truth(true));
        let mut writes = Vec::new();
        for assign in assigns {
            let (write, below) = self.target(assign.place, sight)?;
            let (value, of_value) = self.value(assign.value, sight)?;
            fine = self.both_fine(fine, below);
            fine = self.both_fine(fine, of_value);
            let fits = self.fits(assign.place, value);
            ranges = self.terms.and(ranges, fits);
            writes.push((write, value));
        }
        for ((store, position), value) in writes {
            self.write(store, position, value, changes)?;
        }
        Ok((fine, ranges, self.terms.truth(true)))
    }

    /// Where a place is: its store and its position there.
    pub(super) fn target(
        &mut self,
        place: Place,
        sight: &Sight<'_>,
    ) -> Result<((Store, Option<TermId>), Fine), NoTerm> {
        let (store, there) = self.place(place.variable(), sight)?;
        let Place::Element(var, indices) = place else { return Ok(((store, None), there)) };
        let mut values = Vec::new();
        for &index in self.program.exprs.list(indices) {
            values.push(self.value(index, sight)?);
        }
        let (position, inside) = self.position(var, &values);
        Ok(((store, Some(position)), self.both_fine(there, inside)))
    }

    /// Where a value belongs to the type of a place.
    pub(super) fn fits(&mut self, place: Place, value: TermId) -> TermId {
        let ty = self.program.variable(place.variable()).ty;
        if ty == Type::Bool && self.terms.sort(value) == Sort::Bool {
            return self.terms.truth(true);
        }
        let value = self.as_number(value);
        self.terms.within(value, self.bounds(ty))
    }

    pub(super) fn write(
        &mut self,
        store: Store,
        position: Option<TermId>,
        value: TermId,
        changes: &mut Changes,
    ) -> Result<(), NoTerm> {
        let (symbol, array) = match store {
            Store::Plain(symbol) => (symbol, false),
            Store::Array(symbol) => (symbol, true),
            Store::Fixed(_) => return Err(NoTerm::new("a channel is assigned")),
        };
        let truth = matches!(self.terms.sort(symbol), Sort::Bool | Sort::BoolArray);
        let value = if truth { self.as_truth(value) } else { self.as_number(value) };
        let new = if array {
            let before = changes.get(&symbol).copied().unwrap_or(symbol);
            let position = position.unwrap_or_else(|| self.terms.number(0));
            self.terms.store(before, position, value)
        } else {
            value
        };
        changes.insert(symbol, new);
        Ok(())
    }

    /// For no values of the inputs does the term hold.
    pub fn never(&mut self, inputs: &[Input], term: TermId) -> TermId {
        let symbols: BTreeSet<TermId> = inputs.iter().map(|input| input.symbol).collect();
        let reached = self.terms.reachable(&[term]);
        let used: Vec<Input> = inputs.iter().copied().filter(|input| reached.contains(&input.symbol)).collect();
        let not = self.terms.not(term);
        if symbols.is_empty() || used.is_empty() {
            return not;
        }
        if let Some(all) = self.each(&used, not) {
            return all;
        }
        let symbols: Vec<TermId> = used.iter().map(|input| input.symbol).collect();
        self.terms.forall(&symbols, not)
    }

    /// The term for every combination of values, if those are few.
    fn each(&mut self, inputs: &[Input], term: TermId) -> Option<TermId> {
        let mut parts = vec![term];
        for input in inputs {
            let (lo, hi) = (input.bounds.0?, input.bounds.1?);
            let count = hi.checked_sub(lo)?.checked_add(1)?;
            if count.checked_mul(parts.len() as i128)? > FEW {
                return None;
            }
            let mut more = Vec::new();
            for part in parts {
                for value in lo..=hi {
                    let truth = self.terms.sort(input.symbol) == Sort::Bool;
                    let value = if truth { self.terms.truth(value != 0) } else { self.terms.number(value) };
                    more.push(self.terms.substitute(part, &Changes::from([(input.symbol, value)])));
                }
            }
            parts = more;
        }
        Some(self.terms.all(&parts))
    }

    /// Moves a process to the target of its step; where it goes on holding control, if it does.
    pub(super) fn moved(&mut self, me: usize, id: StepId, changes: &mut Changes) -> Option<(usize, usize)> {
        let step = self.program.step(id);
        let ends = step.action == Action::End;
        let target = if ends { self.gone(me) } else { step.target.index() };
        changes.insert(self.at[me], self.terms.number(target as i128));
        let free = ends || step.frees || self.program.process(self.code[me]).locations[target].hold == Hold::Free;
        (!free).then_some((me, target))
    }

    /// Notes what can go wrong when an action is done: the first `kinds` of division, index, anything else, range and
    /// assertion. Returns where all of it is fine, a failed assertion left out where runs go on after it.
    pub(super) fn mistakes(
        &mut self,
        walk: &mut Walk,
        (look, begun): (&Look, TermId),
        inputs: &[Input],
        (fine, ranges, asserted): (Fine, TermId, TermId),
        kinds: usize,
    ) -> TermId {
        let all = [
            (Wrong::Division, fine.0[0]),
            (Wrong::Index, fine.0[1]),
            (Wrong::Other, fine.0[2]),
            (Wrong::Range, ranges),
            (Wrong::Assertion, asserted),
        ];
        let mut done = begun;
        for (wrong, good) in all.into_iter().take(kinds) {
            let bad = self.terms.not(good);
            // Of several mistakes that could happen any may come first.
            let when = self.terms.and(begun, bad);
            self.slipped(walk, look, inputs, wrong, when);
            if wrong != Wrong::Assertion || !self.program.persistent {
                done = self.terms.and(done, good);
            }
        }
        done
    }

    pub(super) fn slipped(&self, walk: &mut Walk, look: &Look, inputs: &[Input], wrong: Wrong, when: TermId) {
        let (pid, source, step, inputs) = (walk.pid, walk.source, look.step, inputs.to_vec());
        self.slip(&mut walk.found, Slip { pid, source, step, wrong, when, exact: true, inputs });
    }

    /// Where nobody can move but by waiting for a time-out: then `timeout` holds.
    ///
    /// # Errors
    /// If some step has no term, or chooses values, for which there may be none.
    pub(super) fn timeout(&mut self) -> Result<TermId, NoTerm> {
        if let Some(known) = self.nobody_moves {
            return Ok(known);
        }
        let waits = std::mem::replace(&mut self.may_wait, false);
        let found = self.nobody_moves_at_once();
        self.may_wait = waits;
        let found = found?;
        self.nobody_moves = Some(found);
        Ok(found)
    }

    fn nobody_moves_at_once(&mut self) -> Result<TermId, NoTerm> {
        let (none, start) = (Changes::new(), Path::beginning(&mut self.terms, Changes::new()));
        let mut parts = Vec::new();
        for me in 0..self.processes() {
            for (at, location) in self.program.process(self.code[me]).locations.iter().enumerate() {
                let here = self.stands(me, at, &Sight { me: None, changes: &none, inputs: &[] });
                for &id in &location.steps {
                    let look = self.look(me, id, location.hold, &start)?;
                    if !look.inputs.is_empty() {
                        return Err(NoTerm::new("whether `timeout` holds depends on values that are chosen"));
                    }
                    // A guard that cannot be evaluated is a step that goes wrong.
                    let unclear = self.unclear(&look.unclear);
                    let moves = self.terms.or(look.able, unclear);
                    let not = self.terms.not(moves);
                    parts.push(self.terms.implies(here, not));
                }
            }
        }
        Ok(self.terms.all(&parts))
    }
}
