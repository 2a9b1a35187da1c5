//! When can a copy execute the statement that it is at?
//!
//! Where one of its steps from there is possible, whatever its priority is and whether it is provided with control. Once all steps are
//! known that is a condition on the state, which is put in for what programs and questions ask. What would wait for its own answer
//! is refused, and so is what goes wrong while somebody asks, where that is looked at before all steps are known: in messages.

use std::collections::BTreeSet;

use tertium_base::narrow::to_i64;
use tertium_program::analysis::partial_evaluation::{fold, rewrite};
use tertium_program::{Action, Assign, Binary, Domain, Expr, ExprId, Exprs, Place, ProcessId, StepId};

use crate::Unsupported;
use crate::copies::Copies;
use crate::instances::Making;

impl Copies {
    /// Whether the copy with a pid can step, told by its number among the copies; none if a copy asks that about itself.
    pub(crate) fn enabled(&self, exprs: &mut Exprs, pid: ExprId, me: Option<usize>) -> Option<ExprId> {
        if !self.exact {
            return None;
        }
        let mut any = Vec::new();
        for (copy, is) in self.whose(exprs, pid) {
            if me == Some(copy) {
                return None;
            }
            let number = exprs.int(to_i64(copy));
            let able = exprs.add(Expr::Enabled(number));
            any.push(exprs.and(is, able));
        }
        Some(exprs.any(&any))
    }

    /// An expression with conditions for what is enabled; none if one is not known.
    pub(crate) fn with_enabled(&self, exprs: &mut Exprs, root: ExprId) -> Option<ExprId> {
        with(exprs, root, &self.able)
    }
}

/// An expression with these conditions for what is enabled; none if one is missing.
fn with(exprs: &mut Exprs, root: ExprId, able: &[Option<ExprId>]) -> Option<ExprId> {
    let mut missing = false;
    let new = rewrite(exprs, root, &mut |exprs, expr, sort| {
        let Expr::Enabled(copy) = expr else { return fold(exprs, expr, sort) };
        let known = exprs.constant(copy).and_then(|copy| *able.get(usize::try_from(copy).ok()?)?);
        missing |= known.is_none();
        known.unwrap_or(copy)
    });
    (!missing).then_some(new)
}

/// The copies whose steps an expression asks for.
fn asked(exprs: &Exprs, root: ExprId) -> BTreeSet<usize> {
    let copy = |id: ExprId| match exprs.get(id) {
        Expr::Enabled(copy) => exprs.constant(copy).and_then(|copy| usize::try_from(copy).ok()),
        _ => None,
    };
    exprs.reachable(&[root]).into_iter().filter_map(copy).collect()
}

impl Making<'_> {
    /// Puts conditions in for everything that is asked about what is enabled.
    pub(crate) fn close_enabled(&mut self) -> Result<(), Unsupported> {
        let old = &self.old.exprs;
        if !(0..old.len()).any(|at| matches!(old.get(ExprId::new(at)), Expr::Enabled(_))) {
            return Ok(());
        }
        let count = self.copies.starts.copies.len();
        let mut plain: Vec<Option<ExprId>> = (0..count).map(|copy| self.able(copy)).collect();
        let sets = |action: &Action| matches!(action, Action::SetPriority { .. });
        if !self.old.channels.is_empty() || self.old.steps.iter().any(|step| sets(&step.action)) {
            plain.iter_mut().for_each(|plain| *plain = plain.filter(|&plain| self.has_value(plain)));
        }
        let mut known: Vec<Option<ExprId>> = vec![None; count];
        // Those who ask for nobody first, then those who ask for them, until only circles are left.
        for _ in 0..count {
            for (copy, &plain) in plain.iter().enumerate().filter(|(_, plain)| plain.is_some()) {
                let Some(plain) = plain.filter(|_| known[copy].is_none()) else { continue };
                if asked(&self.program.exprs, plain).iter().all(|&other| known[other].is_some()) {
                    known[copy] = with(&mut self.program.exprs, plain, &known);
                }
            }
        }
        self.copies.able = known;
        for process in 0..count {
            if let Some(provided) = self.program.processes[process].provided {
                self.program.processes[process].provided = Some(self.answered(provided)?);
            }
        }
        for id in self.program.step_ids().collect::<Vec<_>>() {
            self.answer_in(id)?;
        }
        Ok(())
    }

    fn has_value(&mut self, expr: ExprId) -> bool {
        let defined = self.program.defined(expr);
        self.program.exprs.constant(defined) == Some(1)
    }

    /// Where a copy can step; none if that cannot be said.
    fn able(&mut self, copy: usize) -> Option<ExprId> {
        let process = ProcessId::new(copy);
        let mut ways = Vec::new();
        for id in self.program.step_ids().collect::<Vec<_>>() {
            let step = self.program.step(id);
            if step.process != process {
                continue;
            }
            // Whoever asks goes wrong with whom it asks about.
            if self.wrong.contains(&id) {
                return None;
            }
            let source = step.source;
            let (here, possible) = (self.program.exprs.add(Expr::At(process, source)), self.possible(id)?);
            ways.push(self.program.exprs.and(here, possible));
        }
        Some(self.program.exprs.any(&ways))
    }

    /// That a step can be taken with some inputs; none if that cannot be said.
    pub(crate) fn possible(&mut self, id: StepId) -> Option<ExprId> {
        let step = self.program.step(id).clone();
        let exprs = &mut self.program.exprs;
        let reads = exprs.reachable(&[step.guard]).iter().any(|&part| matches!(exprs.get(part), Expr::Input(..)));
        if reads {
            return None;
        }
        let mut possible = step.guard;
        for input in &step.inputs {
            if let Domain::Range(lo, hi) = input.domain {
                let some = exprs.binary(Binary::Le, lo, hi);
                possible = exprs.and(possible, some);
            }
        }
        Some(possible)
    }

    pub(crate) fn answered(&mut self, expr: ExprId) -> Result<ExprId, Unsupported> {
        let answered = self.copies.with_enabled(&mut self.program.exprs, expr);
        answered.ok_or_else(|| Unsupported::Expression(self.program.show(expr)))
    }

    fn answer_in(&mut self, id: StepId) -> Result<(), Unsupported> {
        let mut step = self.program.step(id).clone();
        step.guard = self.answered(step.guard)?;
        for input in &mut step.inputs {
            if let Domain::Range(lo, hi) = input.domain {
                input.domain = Domain::Range(self.answered(lo)?, self.answered(hi)?);
            }
        }
        match &mut step.action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => {
                for assign in assigns {
                    *assign = self.answered_assign(*assign)?;
                }
            }
            Action::Assert(condition) => *condition = self.answered(*condition)?,
            Action::Print { values, .. } => {
                for value in values {
                    *value = self.answered(*value)?;
                }
            }
            _ => {}
        }
        self.program.steps[id.index()] = step;
        Ok(())
    }

    fn answered_assign(&mut self, Assign { place, value }: Assign) -> Result<Assign, Unsupported> {
        let value = self.answered(value)?;
        let Place::Element(var, indices) = place else { return Ok(Assign { place, value }) };
        let mut moved = Vec::new();
        for index in self.program.exprs.list(indices).to_vec() {
            moved.push(self.answered(index)?);
        }
        Ok(Assign { place: Place::Element(var, self.program.exprs.add_list(&moved)), value })
    }
}
