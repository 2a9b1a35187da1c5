//! Which moves lead from one state to another, where steps choose too many values to try them all?
//!
//! A value that is chosen and put into a variable is what the variable holds afterwards. So it is known where the step should lead; only the rest is tried.

use crate::eval::Context;
use crate::expr::{Expr, Place};
use crate::graph::{Action, Hold, Step};
use crate::semantics::Semantics;
use crate::state::{Move, State};
use tertium_base::narrow::to_u32;

/// So many combinations of the other values are tried.
const MOST_TRIED: usize = 1 << 16;
/// Steps with fewer combinations are tried as they are.
const FEW: u64 = 1 << 6;

impl Semantics<'_> {
    /// The single moves from one state to another; none if that cannot be said without looking at all successors.
    #[must_use]
    pub fn moves_towards(&self, from: &State, to: &State) -> Option<Vec<Move>> {
        let program = self.program();
        if from.holder.is_some() || program.priorities || self.uses_timeout() || from.slots.len() != to.slots.len() {
            return None;
        }
        let frames = self.layout().frames(&from.slots);
        let (mut found, mut many) = (Vec::new(), false);
        for pid in 0..frames.len() {
            let context =
                Context { slots: &from.slots, frames: &frames, me: Some(pid), inputs: &[], timeout: false, asking: 0 };
            let location = program.location(context.process_of(pid), context.location_of(pid));
            for &id in &location.steps {
                let step = program.step(id);
                let free = step.frees || program.location(step.process, step.target).hold == Hold::Free;
                let Action::Assign(_) = &step.action else { return None };
                let provided = program.process(step.process).provided.is_some();
                if !free || provided || step.rank != 0 || !step.yields_to.is_empty() {
                    return None;
                }
                let (rows, combinations) = self.inputs_towards(step, &context, to)?;
                many |= combinations > FEW;
                for inputs in rows {
                    let here = Context { inputs: &inputs, ..context };
                    if self.value(step.guard, &here).ok()? == 0 {
                        continue;
                    }
                    let mv = Move { pid: to_u32(pid), step: id, inputs: inputs.clone(), partner: None };
                    if self.apply_move(from, &mv).is_ok_and(|after| after.state == *to) {
                        found.push(mv);
                    }
                }
            }
        }
        many.then_some(found)
    }

    /// Values of a step's inputs with which it may lead to a state, and in how many ways it could choose.
    fn inputs_towards(&self, step: &Step, context: &Context<'_>, to: &State) -> Option<(Vec<Vec<i64>>, u64)> {
        let Action::Assign(assigns) = &step.action else { return None };
        let (mut rows, mut combinations) = (vec![Vec::new()], 1u64);
        for (position, input) in step.inputs.iter().enumerate() {
            let (lo, hi) = self.input_bounds(input.domain, context).ok()?;
            let holder =
                assigns.iter().find_map(|assign| match (assign.place, self.program().exprs.get(assign.value)) {
                    (Place::Var(var), Expr::Input(at, _)) if at as usize == position => {
                        self.layout().fixed_slot(self.program(), var)
                    }
                    _ => None,
                });
            let width = lo.zip(hi).map(|(lo, hi)| if hi < lo { 0 } else { hi.abs_diff(lo).saturating_add(1) });
            combinations = combinations.saturating_mul(width.unwrap_or(u64::MAX));
            let values: Vec<i64> = match (holder, lo, hi) {
                (Some(slot), lo, hi) => {
                    let value = to.slots[slot];
                    let inside = lo.is_none_or(|lo| lo <= value) && hi.is_none_or(|hi| value <= hi);
                    Some(value).filter(|_| inside).into_iter().collect()
                }
                (None, Some(lo), Some(hi)) if width? <= MOST_TRIED as u64 => (lo..=hi).collect(),
                _ => return None,
            };
            if rows.len().saturating_mul(values.len()) > MOST_TRIED {
                return None;
            }
            rows = rows
                .iter()
                .flat_map(|row: &Vec<i64>| values.iter().map(move |&value| [row.as_slice(), &[value]].concat()))
                .collect();
        }
        Some((rows, combinations))
    }
}
