//! How does a copy begin?
//!
//! Whoever starts a process starts the copy that is next: all younger ones are gone, and the one before it is there. What the copy has besides
//! what it has while it is not there, its arguments and what is computed from them, is assigned by the same step.

use tertium_base::narrow::to_i64;
use tertium_program::analysis::partial_evaluation::{fold, rewrite};
use tertium_program::{
    Action, Assign, Expr, ExprId, InitialValue, Place, ProcessId, Program, Sort, Step, StepId, VarId,
};

use crate::Unsupported;
use crate::instances::Making;
use crate::queues::{fitted, width};

impl Making<'_> {
    /// A step that starts a process: one for each copy that it may start.
    pub(crate) fn add_starts(
        &mut self,
        (copy, id): (usize, StepId),
        draft: &Step,
        (process, arguments, then): (ProcessId, &[ExprId], &[Assign]),
    ) -> Result<(), Unsupported> {
        let arguments = self.all_moved(arguments, copy)?;
        let then = self.assigns(then, copy)?;
        let started: Vec<usize> = self.copies.starts.by.get(&(copy, id)).into_iter().flatten().copied().collect();
        for &new in &started {
            let mut step = draft.clone();
            if started.len() > 1 {
                let first = self.is_next(copy, new, &started, &arguments);
                step.guard = self.program.exprs.and(draft.guard, first);
            }
            let mut assigns = Vec::new();
            for assign in &then {
                let pid = to_i64(self.copies.starts.copies[new].pid);
                let value = rewrite(&mut self.program.exprs, assign.value, &mut |exprs, expr, sort| match expr {
                    Expr::Input(0, _) => exprs.int(pid),
                    _ => fold(exprs, expr, sort),
                });
                assigns.push(Assign { place: assign.place, value });
            }
            let begun = self.begun(new, &arguments, &assigns)?;
            assigns.extend(begun.ok_or(Unsupported::Step(id))?);
            assigns.extend(self.priority_set(new, Some(id))?);
            let entry = self.old.process(process).entry;
            step.action = Action::Together { assigns, moves: vec![(ProcessId::new(new), entry)], control: None };
            self.push((copy, id), step, None);
        }
        Ok(())
    }

    /// That the next process to be started is this copy.
    fn is_next(&mut self, by: usize, new: usize, started: &[usize], arguments: &[ExprId]) -> ExprId {
        let copies = self.copies.starts.copies.clone();
        let pid = copies[new].pid;
        let exprs = &mut self.program.exprs;
        let mut parts = Vec::new();
        if started.iter().any(|&other| other != new && copies[other].constants != copies[new].constants) {
            for (&parameter, &value) in &copies[new].constants {
                let InitialValue::Argument(position) = self.old.variable(parameter).initial else { continue };
                if let Some(&argument) = arguments.get(position as usize) {
                    let argument = given(self.old, exprs, parameter, argument);
                    let value = exprs.int(value);
                    parts.push(exprs.eq(argument, value));
                }
            }
        }
        for (other, _) in copies.iter().enumerate().filter(|(_, other)| other.pid >= pid) {
            parts.push(self.copies.absent(exprs, other));
        }
        if copies[by].pid + 1 != pid {
            let mut before = Vec::new();
            for (other, _) in copies.iter().enumerate().filter(|(_, other)| other.pid + 1 == pid) {
                before.push(self.copies.alive(exprs, other));
            }
            parts.push(exprs.any(&before));
        }
        // One after the other, so that the first that is known not to hold is enough to know.
        let mut all = exprs.bool(true);
        for part in parts {
            all = exprs.and(all, part);
        }
        all
    }

    /// What a copy begins with besides what it has while it is not there; none if that cannot be said.
    fn begun(&mut self, new: usize, arguments: &[ExprId], then: &[Assign]) -> Result<Option<Vec<Assign>>, Unsupported> {
        let old = self.old;
        let mut assigns: Vec<Assign> = Vec::new();
        for &local in &old.process(self.copies.starts.copies[new].process).locals {
            if self.copies.starts.copies[new].constants.contains_key(&local) {
                continue;
            }
            let var = self.copies.own[new][&local];
            let value = match old.variable(local).initial {
                InitialValue::Argument(position) => match arguments.get(position as usize) {
                    Some(&argument) => given(old, &mut self.program.exprs, local, argument),
                    None => self.program.exprs.int(0),
                },
                InitialValue::Computed(expr) => {
                    let expr = self.moved(expr, new)?;
                    let reads = self.program.footprint_of(expr);
                    let touched = then.iter().any(|assign| reads.reads.contains(&assign.place.variable()));
                    if touched || reads.whole_system || !reads.locations.is_empty() {
                        return Ok(None);
                    }
                    // It may speak of what begins before it.
                    let value = rewrite(&mut self.program.exprs, expr, &mut |exprs, expr, sort| {
                        let set = assigns.iter().find(|assign| expr == Expr::Var(assign.place.variable()));
                        set.map_or_else(|| fold(exprs, expr, sort), |assign| assign.value)
                    });
                    given(old, &mut self.program.exprs, local, value)
                }
                InitialValue::Any => return Ok(None),
                _ => continue,
            };
            if !old.variable(local).dimensions.is_empty() {
                return Ok(None);
            }
            assigns.push(Assign { place: Place::Var(var), value });
        }
        Ok(Some(assigns))
    }
}

/// A value as a parameter takes it.
fn given(old: &Program, exprs: &mut tertium_program::Exprs, parameter: VarId, value: ExprId) -> ExprId {
    let ty = old.variable(parameter).ty;
    if old.sort_of(ty) == Sort::Bool {
        return value;
    }
    let value = crate::queues::number(exprs, value);
    fitted(exprs, width(old, ty).flatten(), value)
}
