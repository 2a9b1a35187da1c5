//! What does an abstract step do to a ranking function?
//!
//! A ranking function is a tuple of integers that is compared lexicographically. A step decreases it if one of the integers gets smaller and was not negative, and none before
//! it gets greater; it does not increase it if it decreases it, or makes none of them greater. (Then of the integers that decrease again and again the first one never increases from some point on.) Each way of taking the
//! step is a question to the solver: can a program state of the abstract one take it, arrive in the other, and not change the integers like this?
//! Such steps augment an abstraction with what no run does for ever (Kesten, Pnueli 2000).
//!
//! Not here: which integers, and what follows for runs. The independent checker writes obligations of its own about certificates; none of its code is used.

use tertium_lattice::Kleene;
use tertium_program::{ExprId, ProcessId};
use tertium_smt::{Purpose, Reply, Sort, Term, TermId};

use crate::Unsupported;
use crate::expand::Failed;
use crate::state::AbstractState;
use crate::system::{OperationId, System};
use crate::view::View;

/// What every program step between two abstract states does to a ranking function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// Whether all ways surely decrease it.
    pub decreases: bool,
    /// Whether no way increases it.
    pub does_not_increase: bool,
    /// Whether some way surely decreases it.
    pub decreases_somehow: bool,
}

impl System {
    /// An expression as an integer; truth values are 0 and 1.
    ///
    /// # Errors
    /// If it has no term.
    pub fn number(&mut self, expr: ExprId) -> Result<TermId, Unsupported> {
        let term = self.term(expr)?;
        if self.terms.sort(term) != Sort::Bool {
            return Ok(term);
        }
        let (one, zero) = (self.terms.int(1), self.terms.int(0));
        Ok(self.terms.ite(term, one, zero))
    }

    /// Whether the value of a term depends on functions of which nothing is known.
    #[must_use]
    pub fn has_functions(&self, term: TermId) -> bool {
        self.terms.reachable(&[term]).into_iter().any(|id| matches!(self.terms.get(id), Term::Apply(..)))
    }

    /// What the steps of a process from one abstract state into another do to a ranking function.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn change(
        &mut self,
        from: &AbstractState,
        process: ProcessId,
        to: &AbstractState,
        rank: &[TermId],
    ) -> Result<Change, Failed> {
        let view = self.view(from);
        let mut change = Change { decreases: true, does_not_increase: true, decreases_somehow: false };
        let at = from.locations[process.index()].index();
        let mut ways = 0;
        for operation in self.leaving[process.index()][at].clone() {
            let Some(passage) = self.passage(&view, operation, from, to) else { continue };
            ways += 1;
            let after: Vec<TermId> = rank.iter().map(|&term| self.after(operation, term)).collect();
            let [decrease, no_increase] = self.decrease(rank, &after);
            let decreases = self.surely_changes(&view, &passage, decrease)?;
            change.decreases &= decreases;
            change.decreases_somehow |= decreases;
            change.does_not_increase &= decreases || self.surely_changes(&view, &passage, no_increase)?;
        }
        // What nobody can do decreases nothing.
        change.decreases &= ways > 0;
        Ok(change)
    }

    /// Whether some operation of a process between the locations of two abstract states changes an integer.
    pub fn may_change(
        &mut self,
        from: &AbstractState,
        process: ProcessId,
        to: &AbstractState,
        integer: TermId,
    ) -> bool {
        let (at, target) = (from.locations[process.index()], to.locations[process.index()]);
        let operations = self.leaving[process.index()][at.index()].clone();
        operations.into_iter().any(|one| self.operations[one].target == target && self.after(one, integer) != integer)
    }

    /// For each operation of a process in an abstract state: when it makes an integer smaller, and when that is not negative before, as far as this is open and no matter of inputs.
    pub fn decrease_conditions(&mut self, from: &AbstractState, process: ProcessId, integer: TermId) -> Vec<TermId> {
        let view = self.view(from);
        let at = from.locations[process.index()].index();
        let mut found = Vec::new();
        for operation in self.leaving[process.index()][at].clone() {
            let after = self.after(operation, integer);
            let (smaller, zero) = (self.terms.lt(after, integer), self.terms.int(0));
            let bounded = self.terms.le(zero, integer);
            for condition in [smaller, bounded] {
                let condition = self.simplify(&view, condition);
                let support = self.support(condition);
                let input = |symbol: TermId| match self.terms.get(symbol) {
                    Term::Symbol(id) => support.contains(&(id.index() as u64)),
                    _ => false,
                };
                let chosen = self.operations[operation].inputs.iter().any(|choice| input(choice.symbol));
                if self.terms.as_bool(condition).is_none() && !chosen {
                    found.push(condition);
                }
            }
        }
        found
    }

    /// What it takes for an operation to lead from one abstract state into another; none if it plainly does not.
    pub(crate) fn passage(
        &mut self,
        view: &View,
        operation: OperationId,
        from: &AbstractState,
        to: &AbstractState,
    ) -> Option<Vec<TermId>> {
        let mut locations = from.locations.clone();
        self.operations[operation].arrive(&mut locations);
        if locations != to.locations {
            return None;
        }
        let mut taken = vec![self.operations[operation].relation];
        for (at, &value) in to.kept.iter().enumerate() {
            let after = self.after(operation, self.kept[at].symbol);
            taken.push(match self.terms.sort(after) {
                Sort::Bool if value != 0 => after,
                Sort::Bool => self.terms.not(after),
                _ => {
                    let value = self.terms.int(value);
                    self.terms.eq(after, value)
                }
            });
        }
        for (at, &value) in to.cube.iter().enumerate() {
            let after = self.after(operation, self.predicate_terms[at]);
            match value {
                Kleene::True => taken.push(after),
                Kleene::False => taken.push(self.terms.not(after)),
                Kleene::Unknown => {}
            }
        }
        let taken: Vec<TermId> = taken.into_iter().map(|part| self.simplify(view, part)).collect();
        let possible = taken.iter().all(|&part| self.terms.as_bool(part) != Some(false));
        possible.then_some(taken)
    }

    /// When integers decrease, and when they do not increase.
    pub(crate) fn decrease(&mut self, before: &[TermId], after: &[TermId]) -> [TermId; 2] {
        let terms = &mut self.terms;
        let (zero, mut not_increased) = (terms.int(0), terms.bool(true));
        let mut decreases = Vec::new();
        for (&was, &is) in before.iter().zip(after) {
            let (bounded, smaller) = (terms.le(zero, was), terms.lt(is, was));
            decreases.push(terms.all(&[not_increased, bounded, smaller]));
            let not_greater = terms.le(is, was);
            not_increased = terms.and(not_increased, not_greater);
        }
        let decrease = terms.any(&decreases);
        [decrease, terms.or(decrease, not_increased)]
    }

    /// Whether whatever takes the passage changes integers as `wanted` says.
    fn surely_changes(&mut self, view: &View, passage: &[TermId], wanted: TermId) -> Result<bool, Failed> {
        let wanted = self.simplify(view, wanted);
        let otherwise = self.terms.not(wanted);
        let question: Vec<TermId> = passage.iter().copied().chain([otherwise]).collect();
        Ok(self.possible(view, Purpose::Path, &question)? == Reply::Unsat)
    }
}
