//! What does a whole uninterruptible block mean as a formula?
//!
//! A block of guarded commands is one step. Every way through it is a sequence of small steps, and the terms of a sequence
//! are put together from the terms of its parts. Blocks with loops, and blocks with too many ways through, have no
//! terms; abstraction then follows the small steps one by one.

use crate::expr::{Expr, ExprId, Place};
use crate::graph::{Action, Assign, Hold, Program, StepId};
use crate::terms::{NoTerms, StepTerms, add, rewrite};

/// Blocks with more ways through than this have no terms.
pub const MOST_WAYS: usize = 256;

/// One way to take a step as others see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// The small steps it consists of.
    pub steps: Vec<StepId>,
    /// Their terms, put together: over the state before the first and after the last.
    pub terms: StepTerms,
}

impl Program {
    /// All ways to take the step that begins with `first`: one, unless it leads into an `atomic` block.
    ///
    /// A way is taken exactly if its `enabled` holds, and meets a fault exactly where its `safe` does not.
    ///
    /// # Errors
    /// If a part has no terms, or the block has a loop or too many ways through.
    pub fn ways(&mut self, first: StepId) -> Result<Vec<Way>, NoTerms> {
        let mut open = vec![Way { steps: vec![first], terms: self.step_terms(first)? }];
        let mut ways = Vec::new();
        while let Some(way) = open.pop() {
            let (process, _, at) = way.terms.jump;
            let location = self.location(process, at);
            let (hold, onward) = (location.hold, location.steps.clone());
            match hold {
                Hold::Free => ways.push(way),
                Hold::WhileEnabled | Hold::Deterministic if !self.goes_on(&onward) => return Err(NoTerms(first)),
                Hold::Indivisible | Hold::WhileEnabled | Hold::Deterministic => {
                    for next in onward.into_iter().rev() {
                        if way.steps[1..].contains(&next) || ways.len() + open.len() >= MOST_WAYS {
                            return Err(NoTerms(first));
                        }
                        let terms = self.step_terms(next)?;
                        let steps = [way.steps.as_slice(), &[next]].concat();
                        open.push(Way { steps, terms: self.then(&way.terms, &terms) });
                    }
                }
            }
        }
        Ok(ways)
    }

    /// Whether the only step of these can always be taken. Then it does not matter what being stuck would mean.
    fn goes_on(&self, steps: &[StepId]) -> bool {
        let [only] = steps else { return false };
        let step = self.step(*only);
        let plain = matches!(step.action, Action::Assign(_) | Action::Assert(_) | Action::Print { .. });
        let always = self.exprs.constant(step.guard).is_some_and(|guard| guard != 0);
        plain && always && step.inputs.is_empty() && !step.frees && self.process(step.process).provided.is_none()
    }

    /// First one step, then another.
    pub fn then(&mut self, first: &StepTerms, second: &StepTerms) -> StepTerms {
        let by = first.inputs.len() as u32;
        let mut inputs = first.inputs.clone();
        for &(lo, hi) in &second.inputs {
            inputs.push((lo.map(|lo| self.later(first, lo, by)), hi.map(|hi| self.later(first, hi, by))));
        }
        let enabled = self.later(first, second.enabled, by);
        let enabled = self.exprs.and(first.enabled, enabled);
        let safe = self.later(first, second.safe, by);
        let safe = self.exprs.implies(first.enabled, safe);
        let safe = self.exprs.and(first.safe, safe);
        let asserted = self.later(first, second.asserted, by);
        let reached = self.exprs.and(first.enabled, first.safe);
        let asserted = self.exprs.implies(reached, asserted);
        let asserted = self.exprs.and(first.asserted, asserted);
        let mut updates = first.updates.clone();
        for update in &second.updates {
            let value = self.later(first, update.value, by);
            let place = match update.place {
                Place::Var(var) => Place::Var(var),
                Place::Element(var, indices) => {
                    let indices = self.exprs.list(indices).to_vec();
                    let indices: Vec<ExprId> = indices.into_iter().map(|index| self.later(first, index, by)).collect();
                    Place::Element(var, self.exprs.add_list(&indices))
                }
            };
            // A plain variable has one update at most, so that the list reads as an assignment.
            updates.retain(|earlier| !(matches!(place, Place::Var(_)) && earlier.place == place));
            updates.push(Assign { place, value });
        }
        let jump = (first.jump.0, first.jump.1, second.jump.2);
        StepTerms { inputs, enabled, safe, asserted, updates, jump }
    }

    /// An expression of the second step over the state before the first; its inputs are numbered after the first's.
    fn later(&mut self, first: &StepTerms, expr: ExprId, by: u32) -> ExprId {
        let moved = rewrite(&mut self.exprs, expr, &mut |exprs, expr, sort| match expr {
            Expr::Input(position, sort) => exprs.add(Expr::Input(position + by, sort)),
            _ => add(exprs, expr, sort),
        });
        self.after(first, moved)
    }
}
