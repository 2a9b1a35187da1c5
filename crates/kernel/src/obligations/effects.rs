//! What do assignments and inputs of a step do, as terms?

use std::collections::BTreeSet;

use tertium_program::{Place, Type};

use super::machine::{Machine, NoTerm, Store};
use super::steps::Input;
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
}
