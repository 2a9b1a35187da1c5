//! Processes that must not have a choice: a step goes wrong where another one before it could be taken.
//!
//! A step that always can be taken and does nothing is never the mistake, and inside a deterministic block there is no choice.

use tertium_program::{Action, Hold, LocationId, ProcessId, Step, StepId};

use crate::Unsupported;
use crate::instances::Making;

impl Making<'_> {
    /// Lets the steps of such processes go wrong where there is a choice.
    pub(crate) fn determine(&mut self) -> Result<(), Unsupported> {
        for copy in 0..self.copies.starts.copies.len() {
            if !self.old.process(self.copies.starts.copies[copy].process).deterministic {
                continue;
            }
            let process = ProcessId::new(copy);
            for at in (0..self.program.process(process).locations.len()).map(LocationId::new) {
                let location = self.program.location(process, at);
                if location.hold == Hold::Deterministic {
                    continue;
                }
                let steps = location.steps.clone();
                for position in 0..steps.len() {
                    self.part((copy, steps[position]), &steps[..position])?;
                }
            }
        }
        Ok(())
    }

    /// Parts a step: it goes wrong where one of those before it could be taken.
    fn part(&mut self, (copy, id): (usize, StepId), before: &[StepId]) -> Result<(), Unsupported> {
        let (origin, step) = (self.origins[id.index()], self.program.step(id).clone());
        if self.is_trivial(origin.step) || self.fails(id) {
            return Ok(());
        }
        let mut others = Vec::new();
        for &other in before {
            let rank = self.program.step(other).rank;
            if rank == step.rank && self.origins[other.index()].step != origin.step {
                others.push(self.could(other)?);
            }
        }
        let mut quiet = self.quiet(&step.action);
        // An event that is not allowed is what goes wrong then.
        if let Some(&strays) = self.straying.get(&id) {
            let strays = self.answered(strays)?;
            let stays = self.program.exprs.not(strays);
            quiet = self.program.exprs.and(quiet, stays);
        }
        let exprs = &mut self.program.exprs;
        let choice = exprs.any(&others);
        let wrong = exprs.and(choice, quiet);
        let only = exprs.not(wrong);
        let guard = exprs.and(step.guard, only);
        let parted = self.program.steps.len();
        self.push_misused((copy, origin.step), &step, wrong);
        if self.program.steps.len() > parted {
            self.origins[parted] = origin;
            // Where runs go on after what goes wrong, the step is taken all the same.
            if !self.old.persistent {
                self.program.steps[id.index()].guard = guard;
            }
            let stands_for = |step: &Step| step.yields_to.contains(&id);
            for other in self.program.steps.iter_mut().filter(|step| stands_for(step)) {
                other.yields_to.push(StepId::new(parted));
            }
        }
        Ok(())
    }

    /// Whether a step goes wrong in any case.
    fn fails(&self, id: StepId) -> bool {
        self.misused.contains(&id) || self.strayed.contains(&id) || self.wrong.contains(&id)
    }

    /// Whether a step of the program always can be taken and does nothing.
    fn is_trivial(&self, id: StepId) -> bool {
        let step = self.old.step(id);
        let idle = matches!(&step.action, Action::Assign(assigns) if assigns.is_empty());
        idle && self.old.exprs.constant(step.guard).is_some_and(|value| value != 0)
    }
}
