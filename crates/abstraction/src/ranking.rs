//! What does an abstract step do to a ranking function?
//!
//! A ranking function is a tuple of integers that is compared lexicographically. A step decreases it if the first integer that changes gets smaller,
//! and was not negative; it does not increase it if it decreases it, or changes at most the last integer, and does not make that one greater. Each way of taking the
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
use crate::system::System;
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
        let at = from.locations[process.index()] as usize;
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

    /// What it takes for an operation to lead from one abstract state into another; none if it plainly does not.
    fn passage(
        &mut self,
        view: &View,
        operation: usize,
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
    fn decrease(&mut self, before: &[TermId], after: &[TermId]) -> [TermId; 2] {
        let terms = &mut self.terms;
        let (zero, mut unchanged) = (terms.int(0), terms.bool(true));
        let (mut decreases, mut last) = (Vec::new(), terms.bool(true));
        for (&was, &is) in before.iter().zip(after) {
            let (bounded, smaller) = (terms.le(zero, was), terms.lt(is, was));
            decreases.push(terms.all(&[unchanged, bounded, smaller]));
            let not_greater = terms.le(is, was);
            last = terms.and(unchanged, not_greater);
            let same = terms.eq(is, was);
            unchanged = terms.and(unchanged, same);
        }
        let decrease = terms.any(&decreases);
        [decrease, terms.or(decrease, last)]
    }

    /// Whether whatever takes the passage changes integers as `wanted` says.
    fn surely_changes(&mut self, view: &View, passage: &[TermId], wanted: TermId) -> Result<bool, Failed> {
        let wanted = self.simplify(view, wanted);
        let otherwise = self.terms.not(wanted);
        let question: Vec<TermId> = passage.iter().copied().chain([otherwise]).collect();
        Ok(self.possible(view, Purpose::Path, &question)? == Reply::Unsat)
    }
}
