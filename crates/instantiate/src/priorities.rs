//! Who may step, where processes have priorities?
//!
//! Only those whom nobody with a higher priority keeps from it: a step can be taken if no copy of higher priority could take
//! one of its own. Priorities that never change are numbers, others are variables of the copies. Steps inside a deterministic block are
//! not interrupted.

use std::collections::BTreeSet;

use tertium_base::narrow::to_i64;
use tertium_program::expr::DEEPEST;
use tertium_program::{
    Action, Assign, Binary, Expr, ExprId, Exprs, Hold, InitialValue, Place, ProcessId, Scope, Sort, Step, StepId, Type,
    VarId, Variable,
};

use crate::Unsupported;
use crate::copies::Copies;
use crate::instances::Making;
use crate::queues::number;

/// The largest priority.
const HIGHEST: i64 = 255;

/// The priority of a copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Priority {
    /// It is always this.
    Always(i64),
    /// It is the value of a variable; 0 while the copy is not there.
    Kept(VarId),
}

impl Priority {
    fn read(self, exprs: &mut Exprs) -> ExprId {
        match self {
            Self::Always(value) => exprs.int(value),
            Self::Kept(var) => exprs.var(var, Sort::Int),
        }
    }
}

impl Copies {
    /// The copies that an expression for a pid can mean, each with the condition that it does, and is there.
    pub(crate) fn whose(&self, exprs: &mut Exprs, pid: ExprId) -> Vec<(usize, ExprId)> {
        let mut found = Vec::new();
        for (copy, of) in self.all() {
            let number = exprs.int(to_i64(of.pid));
            let (meant, alive) = (exprs.eq(pid, number), self.alive(exprs, copy));
            let is = exprs.and(meant, alive);
            if exprs.constant(is) != Some(0) && exprs.constant(meant) != Some(0) {
                found.push((copy, is));
            }
        }
        found
    }

    /// The priority of the copy with a pid, or 0; none if there are no priorities.
    pub(crate) fn priority_of(&self, exprs: &mut Exprs, pid: ExprId) -> Option<ExprId> {
        if self.priorities.is_empty() {
            return None;
        }
        let mut value = exprs.int(0);
        for (copy, is) in self.whose(exprs, pid).into_iter().rev() {
            let own = self.priorities[copy].read(exprs);
            value = exprs.ite(is, own, value);
        }
        Some(value)
    }
}

impl Making<'_> {
    /// How the priority of a copy is known.
    pub(crate) fn add_priority(&mut self, copy: usize) -> Result<(), Unsupported> {
        let (old, running) = (self.old, copy < self.copies.starts.initial);
        let first = old.instances.get(self.copies.starts.copies[copy].pid).filter(|_| running);
        let first = first.map(|instance| instance.priority);
        let mut given: BTreeSet<i64> = first.into_iter().collect();
        for (&(_, step), started) in &self.copies.starts.by {
            if started.contains(&copy) {
                given.insert(self.started_with(step)?);
            }
        }
        let changes = old.steps.iter().any(|step| matches!(step.action, Action::SetPriority { .. }));
        let priority = match given.first() {
            Some(&only) if given.len() == 1 && !changes => Priority::Always(only),
            _ => Priority::Kept(self.program.add_variable(Variable {
                name: "priority".to_owned(),
                ty: Type::Range { lo: 0, hi: HIGHEST },
                dimensions: Vec::new(),
                scope: Scope::Local(ProcessId::new(copy)),
                initial: InitialValue::Same(first.unwrap_or(0)),
                hidden: false,
                span: old.process(self.copies.starts.copies[copy].process).span,
            })),
        };
        self.copies.priorities.push(priority);
        Ok(())
    }

    /// The priority that a step gives to whom it starts.
    fn started_with(&self, step: StepId) -> Result<i64, Unsupported> {
        let Action::Run { priority, .. } = &self.old.step(step).action else { return Ok(1) };
        let value = priority.map_or(Some(1), |priority| self.old.exprs.constant(priority));
        value.filter(|value| (0..=HIGHEST).contains(value)).ok_or(Unsupported::Step(step))
    }

    /// What a copy that is started by a step, or that ends, gets as its priority.
    pub(crate) fn priority_set(&mut self, copy: usize, by: Option<StepId>) -> Result<Option<Assign>, Unsupported> {
        let Some(&Priority::Kept(var)) = self.copies.priorities.get(copy) else { return Ok(None) };
        let value = by.map_or(Ok(0), |step| self.started_with(step))?;
        Ok(Some(Assign { place: Place::Var(var), value: self.program.exprs.int(value) }))
    }

    /// A step that sets the priority of whoever has a pid; nobody's if there is none. A priority that there is not goes wrong.
    pub(crate) fn add_setting(
        &mut self,
        (copy, id): (usize, StepId),
        draft: &Step,
        (pid, value): (ExprId, ExprId),
    ) -> Result<(), Unsupported> {
        let (pid, value) = (self.moved(pid, copy)?, self.moved(value, copy)?);
        for expr in [pid, value] {
            let defined = self.program.defined(expr);
            if self.program.exprs.constant(defined) != Some(1) {
                return Err(Unsupported::Step(id));
            }
        }
        let exprs = &mut self.program.exprs;
        let value = number(exprs, value);
        let meant = self.copies.whose(exprs, pid);
        let there: Vec<ExprId> = meant.iter().map(|&(_, is)| is).collect();
        let there = exprs.any(&there);
        let (least, most) = (exprs.int(1), exprs.int(HIGHEST));
        let (low, high) = (exprs.binary(Binary::Lt, value, least), exprs.binary(Binary::Gt, value, most));
        let outside = exprs.or(low, high);
        let wrong = exprs.and(there, outside);
        let fine = exprs.not(wrong);
        let guard = exprs.and(draft.guard, fine);
        let mut assigns = Vec::new();
        for (other, is) in meant {
            if let Priority::Kept(var) = self.copies.priorities[other] {
                let now = exprs.var(var, Sort::Int);
                assigns.push(Assign { place: Place::Var(var), value: exprs.ite(is, value, now) });
            }
        }
        self.push_misused((copy, id), draft, wrong);
        self.push((copy, id), Step { guard, action: Action::Assign(assigns), ..draft.clone() }, None);
        Ok(())
    }

    /// Lets only those step whom nobody of higher priority keeps from it.
    pub(crate) fn respect_priorities(&mut self) -> Result<(), Unsupported> {
        if self.copies.priorities.is_empty() {
            return Ok(());
        }
        let mut offered = Vec::new();
        for copy in 0..self.copies.starts.copies.len() {
            offered.push(self.offered(copy)?);
        }
        for copy in 0..self.copies.starts.copies.len() {
            let alone = self.alone(copy, &offered);
            for id in self.program.step_ids().collect::<Vec<_>>() {
                let step = self.program.step(id);
                let held = self.program.location(step.process, step.source).hold == Hold::Deterministic;
                if step.process.index() != copy || held {
                    continue;
                }
                let guard = self.program.exprs.and(alone, step.guard);
                if self.program.exprs.depth(guard) > DEEPEST {
                    return Err(Unsupported::Step(self.origins[id.index()].step));
                }
                self.program.steps[id.index()].guard = guard;
            }
        }
        Ok(())
    }

    /// That no other copy of higher priority could step.
    fn alone(&mut self, copy: usize, offered: &[ExprId]) -> ExprId {
        let mut parts = Vec::new();
        for (other, &could) in offered.iter().enumerate().filter(|&(other, _)| other != copy) {
            let exprs = &mut self.program.exprs;
            let (theirs, own) = (self.copies.priorities[other].read(exprs), self.copies.priorities[copy].read(exprs));
            let higher = exprs.binary(Binary::Gt, theirs, own);
            let kept = exprs.and(higher, could);
            parts.push(exprs.not(kept));
        }
        self.program.exprs.all(&parts)
    }

    /// Where a copy could step, if nobody kept it from that; a step that goes wrong counts.
    fn offered(&mut self, copy: usize) -> Result<ExprId, Unsupported> {
        let process = ProcessId::new(copy);
        let provided = self.program.process(process).provided;
        if let Some(provided) = provided {
            let defined = self.program.defined(provided);
            if self.program.exprs.constant(defined) != Some(1) {
                return Err(Unsupported::Expression(self.program.show(provided)));
            }
        }
        let mut ways = Vec::new();
        for id in self.program.step_ids().collect::<Vec<_>>() {
            let (owner, source) = (self.program.step(id).process, self.program.step(id).source);
            if owner != process {
                continue;
            }
            let mut could = self.could(id)?;
            if let Some(provided) =
                provided.filter(|_| self.program.location(owner, source).hold != Hold::Deterministic)
            {
                could = self.program.exprs.and(provided, could);
            }
            let here = self.program.exprs.add(Expr::At(owner, source));
            ways.push(self.program.exprs.and(here, could));
        }
        Ok(self.program.exprs.any(&ways))
    }

    /// That a step is offered at its place: it can be taken, or finding that out goes wrong.
    pub(crate) fn could(&mut self, id: StepId) -> Result<ExprId, Unsupported> {
        let possible = self.possible(id).ok_or(Unsupported::Step(self.origins[id.index()].step))?;
        let defined = self.program.defined(possible);
        let undefined = self.program.exprs.not(defined);
        Ok(self.program.exprs.or(undefined, possible))
    }
}
