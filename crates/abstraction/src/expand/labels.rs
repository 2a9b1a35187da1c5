//! What is known of an expression in an abstract state?

use tertium_lattice::Kleene;
use tertium_smt::{Purpose, Reply, Sort, TermId};

use super::Failed;
use crate::state::{AbstractState, definite};
use crate::system::System;
use crate::view::View;

impl System {
    /// The value of an expression in a state: what all its program states agree on.
    ///
    /// # Errors
    /// If a limit is reached, or the expression has no term.
    pub fn label(
        &mut self,
        state: &AbstractState,
        expr: tertium_program::ExprId,
        deadlock: Option<Kleene>,
    ) -> Result<Kleene, Failed> {
        let view = self.view(state);
        self.label_in(&view, expr, deadlock)
    }

    /// The value of an expression where this is known.
    pub(crate) fn label_in(
        &mut self,
        view: &View,
        expr: tertium_program::ExprId,
        deadlock: Option<Kleene>,
    ) -> Result<Kleene, Failed> {
        for value in [true, false] {
            let term = self.observed(expr, value)?;
            let term = self.simplify(view, term);
            let readings = match (self.mentions_deadlock(term), deadlock) {
                (false, _) => vec![term],
                (true, Some(Kleene::True)) => vec![self.with_deadlock(term, true)],
                (true, Some(Kleene::False)) => vec![self.with_deadlock(term, false)],
                (true, _) => vec![self.with_deadlock(term, true), self.with_deadlock(term, false)],
            };
            let mut always = true;
            for reading in readings {
                let reading = self.simplify(view, reading);
                let not = self.terms.not(reading);
                always = always && self.possible(view, Purpose::Label, &[not])? == Reply::Unsat;
            }
            if always {
                return Ok(definite(value));
            }
        }
        Ok(Kleene::Unknown)
    }

    fn mentions_deadlock(&self, term: TermId) -> bool {
        self.terms.reachable(&[term]).contains(&self.deadlock)
    }

    fn with_deadlock(&mut self, term: TermId, value: bool) -> TermId {
        debug_assert_eq!(self.terms.sort(self.deadlock), Sort::Bool);
        let value = self.terms.bool(value);
        self.terms.substitute(term, &std::collections::HashMap::from([(self.deadlock, value)]))
    }
}
