//! What does a whole uninterruptible block mean as a formula?
//!
//! A block is one step. Every way through it is a sequence of small steps, and the terms of a sequence are put together from
//! the terms of its parts. Where control is handed to another process inside a block, its steps go on with the sequence.
//! Blocks with loops that constants do not decide, and blocks with too many ways through, have no terms.

use std::collections::BTreeMap;

use tertium_base::narrow::to_u32;

use crate::analysis::partial_evaluation::{fold, rewrite};
use crate::expr::{Binary, Expr, ExprId, Place};
use crate::graph::{Action, Assign, Domain, Hold, LocationId, ProcessId, Program, Step, StepId};
use crate::terms::{NoTerms, StepTerms, is_plain};
use crate::types::VarId;

/// Blocks with more ways through than this have no terms.
pub const MOST_WAYS: usize = 256;

/// Loops that constants decide may go on for this many small steps.
const LONGEST_ROW: usize = 1024;

/// One way to take a step as others see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockPath {
    /// The small steps it consists of.
    pub steps: Vec<StepId>,
    /// Their terms, put together: over the state before the first and after the last.
    pub terms: StepTerms,
    /// Whether it ends in the middle of a deterministic block, which is a fault.
    pub blocked: bool,
}

/// A way in the making, and who holds control at its end.
struct Open {
    way: BlockPath,
    holder: Option<ProcessId>,
}

impl Program {
    /// All ways to take the step that begins with `first`: one, unless it leads into an `atomic` block. Every way ends where
    /// control is given up by the location.
    ///
    /// A way is taken exactly if its `enabled` holds, and meets a fault exactly where its `safe` does not.
    ///
    /// # Errors
    /// If a part has no terms, or the block has a loop, too many ways through, or a place where it may be interrupted.
    pub fn ways(&mut self, first: StepId) -> Result<Vec<BlockPath>, NoTerms> {
        let ways = self.interrupted_ways(first, &[])?;
        let rests = |way: &BlockPath| way.blocked || self.ends(&way.terms).any(|(who, at)| self.holds_at(who, at));
        if ways.iter().any(rests) { Err(NoTerms(first)) } else { Ok(ways) }
    }

    /// As [`Self::ways`], with those that end in the middle of a block: because nothing there can be executed, because control
    /// went to whoever received a message, or because a jump gave it up. Values in `known` are those that variables surely have
    /// before it.
    ///
    /// A loop in which constants decide how it goes on is a row of steps.
    ///
    /// # Errors
    /// If a part has no terms, or the block has another loop, or too many ways through.
    pub fn interrupted_ways(&mut self, first: StepId, known: &[(VarId, i64)]) -> Result<Vec<BlockPath>, NoTerms> {
        let mut begin = self.begin(first)?;
        if !known.is_empty() {
            // Before the first step nobody holds control, so that there may be a time-out.
            if self.asks_for_timeout(&begin.way.terms) {
                return Err(NoTerms(first));
            }
            begin.way.terms = self.knowing(known, &begin.way.terms);
        }
        let mut open = vec![begin];
        let mut ways = Vec::new();
        while let Some(Open { way, holder }) = open.pop() {
            let Some((process, at)) = holder.and_then(|process| Some((process, way.terms.arrives(process)?))) else {
                ways.push(way);
                continue;
            };
            let location = self.location(process, at);
            let (hold, onward) = (location.hold, location.steps.clone());
            if hold == Hold::Free {
                ways.push(way);
                continue;
            }
            let rests = if hold == Hold::Indivisible { None } else { self.stuck(&way, (process, at), first)? };
            let again = way.steps[1..].iter().any(|step| onward.contains(step));
            let mut on = Vec::new();
            for next in onward.into_iter().rev() {
                let Open { way: then, holder } = self.begin(next)?;
                if !self.never(&way.terms, &then.terms) {
                    let steps = [way.steps.as_slice(), &[next]].concat();
                    let terms = self.then(&way.terms, &then.terms);
                    on.push(Open { way: BlockPath { steps, terms, blocked: false }, holder });
                }
            }
            // Nothing but a constant ends a loop here.
            let goes_round = again && (on.len() + usize::from(rests.is_some()) > 1 || way.steps.len() > LONGEST_ROW);
            if goes_round || ways.len() + open.len() + on.len() > MOST_WAYS {
                return Err(NoTerms(first));
            }
            ways.extend(rests);
            open.extend(on);
        }
        Ok(ways)
    }

    fn asks_for_timeout(&self, terms: &StepTerms) -> bool {
        let mut roots = vec![terms.enabled, terms.safe, terms.asserted];
        roots.extend(terms.updates.iter().map(|update| update.value));
        self.exprs.reachable(&roots).into_iter().any(|id| self.exprs.get(id) == Expr::Timeout)
    }

    /// A step where variables have these values.
    fn knowing(&mut self, known: &[(VarId, i64)], terms: &StepTerms) -> StepTerms {
        let (always, (process, source, _)) = (self.exprs.bool(true), terms.jump);
        let mut updates = Vec::new();
        for &(var, value) in known {
            updates.push(Assign { place: Place::Var(var), value: self.exprs.int(value) });
        }
        let (inputs, others, jump) = (Vec::new(), Vec::new(), (process, source, source));
        let before = StepTerms { inputs, enabled: always, safe: always, asserted: always, updates, jump, others };
        self.then(&before, terms)
    }

    /// Whether a step is neither taken after another nor goes wrong there, as constants tell.
    fn never(&mut self, first: &StepTerms, second: &StepTerms) -> bool {
        let by = to_u32(first.inputs.len());
        let (enabled, safe) = (self.later(first, second.enabled, by), self.later(first, second.safe, by));
        self.exprs.constant(enabled) == Some(0) && self.exprs.constant(safe) == Some(1)
    }

    fn begin(&mut self, id: StepId) -> Result<Open, NoTerms> {
        let terms = self.step_terms(id)?;
        let step = self.step(id);
        let holder = match step.action {
            Action::Together { control: Some(process), .. } => process,
            _ => step.process,
        };
        let holder = Some(holder).filter(|_| !step.frees);
        Ok(Open { way: BlockPath { steps: vec![id], terms, blocked: false }, holder })
    }

    /// Where everyone is who moved.
    fn ends<'a>(&self, terms: &'a StepTerms) -> impl Iterator<Item = (ProcessId, LocationId)> + use<'a> {
        [(terms.jump.0, terms.jump.2)].into_iter().chain(terms.others.iter().copied())
    }

    fn holds_at(&self, process: ProcessId, at: LocationId) -> bool {
        self.location(process, at).hold != Hold::Free
    }

    /// The way that ends because the holder of control cannot go on; none if it always can.
    fn stuck(
        &mut self,
        way: &BlockPath,
        (process, at): (ProcessId, LocationId),
        first: StepId,
    ) -> Result<Option<BlockPath>, NoTerms> {
        let location = self.location(process, at);
        let (blocked, steps) = (location.hold == Hold::Deterministic, location.steps.clone());
        // Somebody can always be started.
        let starts = |&id: &StepId| matches!(self.step(id).action, Action::Together { control: None, .. });
        if steps.iter().any(starts) && self.process(process).provided.is_none() {
            return Ok(None);
        }
        let mut able = Vec::new();
        for id in steps {
            if !self.always_has_inputs(self.step(id)) {
                return Err(NoTerms(first));
            }
            able.push(self.step(id).guard);
        }
        let mut able = self.exprs.any(&able);
        if let Some(provided) = self.process(process).provided.filter(|_| !blocked) {
            able = self.exprs.and(provided, able);
        }
        let enabled = self.exprs.not(able);
        let here = self.later(&way.terms, enabled, to_u32(way.terms.inputs.len()));
        if self.exprs.constant(here) == Some(0) {
            return Ok(None);
        }
        let mut safe = self.defined(enabled);
        if blocked {
            safe = self.exprs.and(safe, able);
        }
        let asserted = self.exprs.bool(true);
        let (inputs, updates, others) = (Vec::new(), Vec::new(), Vec::new());
        let rest = StepTerms { inputs, enabled, safe, asserted, updates, jump: (process, at, at), others };
        Ok(Some(BlockPath { steps: way.steps.clone(), terms: self.then(&way.terms, &rest), blocked }))
    }

    /// Whether a step can be taken whenever its guard holds, which does not speak of its inputs.
    fn always_has_inputs(&self, step: &Step) -> bool {
        let constant = |id: ExprId| self.exprs.constant(id);
        let some = step.inputs.iter().all(|input| match input.domain {
            Domain::Type(_) => true,
            Domain::Range(lo, hi) => matches!((constant(lo), constant(hi)), (Some(lo), Some(hi)) if lo <= hi),
        });
        let speaks = |&id: &ExprId| matches!(self.exprs.get(id), Expr::Input(..));
        some && is_plain(&step.action)
            && (step.inputs.is_empty() || !self.exprs.reachable(&[step.guard]).iter().any(speaks))
    }

    /// First one step, then another, of the same process or of one that moved along.
    pub fn then(&mut self, first: &StepTerms, second: &StepTerms) -> StepTerms {
        let by = to_u32(first.inputs.len());
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
        let (process, source, target) = first.jump;
        let jump = (process, source, second.arrives(process).unwrap_or(target));
        let mut others = first.others.clone();
        others.retain(|&(other, _)| second.arrives(other).is_none());
        others.extend(self.ends(second).filter(|&(other, _)| other != process));
        others.sort_unstable();
        StepTerms { inputs, enabled, safe, asserted, updates, jump, others }
    }

    /// Where processes are if a condition holds, as far as it says so plainly.
    pub fn places(&self, condition: ExprId) -> BTreeMap<ProcessId, LocationId> {
        let (mut open, mut found) = (vec![condition], BTreeMap::new());
        while let Some(id) = open.pop() {
            match self.exprs.get(id) {
                Expr::Binary(Binary::And, a, b) => open.extend([a, b]),
                Expr::At(process, at) => {
                    found.insert(process, at);
                }
                _ => {}
            }
        }
        found
    }

    /// An expression of the second step over the state before the first; its inputs are numbered after the first's. Who
    /// holds control does not wait for a time-out.
    fn later(&mut self, first: &StepTerms, expr: ExprId, by: u32) -> ExprId {
        let places = self.places(first.enabled);
        let moved = rewrite(&mut self.exprs, expr, &mut |exprs, expr, sort| match expr {
            Expr::Input(position, sort) => exprs.add(Expr::Input(position + by, sort)),
            Expr::Timeout => exprs.bool(false),
            // Who did not move is where the first step found it.
            Expr::At(process, at) if first.arrives(process).is_none() => match places.get(&process) {
                Some(&known) => exprs.bool(known == at),
                None => fold(exprs, expr, sort),
            },
            _ => fold(exprs, expr, sort),
        });
        self.after(first, moved)
    }
}
