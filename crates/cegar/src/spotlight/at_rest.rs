//! What do the runs say in which the shade does not step?
//!
//! They are a part of all runs, and far fewer abstract states: nothing becomes unknown by the shade. First every step of the shade is taken to lead
//! anywhere, to one state of which nothing is known. That is an abstraction of the program like any other, with the same certain steps, since no step
//! of the shade is ever certain; what is false of it is false. Otherwise the runs without the shade tell what to add: a property that is open on
//! them is open with the shade, too. Only what is true on them has to be looked at with the shade.

use std::sync::Arc;

use tertium_abstraction::Failed;
use tertium_abstraction::spotlight::{ShadeModel, SpotExplored, SpotShape};
use tertium_base::{StopReason, Stopped};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_program::search::Limits;

use super::judge::{Judge, Judgement};
use super::replay;
use super::rounds::Rounds;
use crate::limits;
use crate::predicate_abstraction::basis::Basis;
use crate::predicate_abstraction::failed;

impl Rounds<'_> {
    /// Looks at what happens without the shade, and reacts where that tells enough; whether that was all.
    pub(super) fn without_the_shade(&mut self, judge: &Judge<'_>, text: &str) -> Result<Option<bool>, Failure> {
        let all_lit = self.spotlight.processes.len() == self.system.program().processes.len();
        if all_lit || !judge.is_about_all_runs() {
            return Ok(None);
        }
        let mut explored = self.visit(ShadeModel::AtRest, text)?;
        let anything = judge.with_shape(SpotShape { anything: true, ..judge.shape.clone() });
        let judgement = anything.judge(self.system, &mut explored, &self.branches)?;
        if matches!(judgement, Judgement::Definite(Belnap::False)) && explored.certain {
            self.answer.verdict.settle(Belnap::False);
            self.end_round(None);
            let run = replay::run(self.work, self.system, &self.spotlight, self.asked)?;
            if run.is_none() {
                self.tell_coarsely(judge, text)?;
            }
            self.answer.show_run(run);
            return Ok(Some(true));
        }
        match judge.judge(self.system, &mut explored, &self.branches)? {
            Judgement::Open(assignment, question) => {
                let added = self.add(judge, &mut explored, assignment, question.as_ref())?;
                Ok(added.then_some(false))
            }
            _ => Ok(None),
        }
    }

    /// What a false answer rests on that was found without the shade: any step of which may change all it writes to.
    fn tell_coarsely(&mut self, judge: &Judge<'_>, text: &str) -> Result<(), Failure> {
        let limit = limits::SPOTLIGHT_ROUNDS_MOST_COARSE;
        let (cost, round) = (self.answer.cost, self.round.clone());
        let limits = Limits { most: limit.min(self.system.most_states()), budget: self.work.budget };
        self.work.observer.phase(&format!("{text}: what the answer rests on"));
        let shade = ShadeModel::Havoc;
        match SpotExplored::visit_with(self.system, (&self.spotlight, shade), limits, &mut |_, _| {}) {
            Ok(mut explored) => self.tell(judge, &mut explored)?,
            Err(Failed::Stopped(Stopped(StopReason::Count))) => {
                let why = format!("with the steps of the shade there are more than {limit} abstract states");
                self.answer.show(|evidence| evidence.basis = Some(Arc::new(Basis::Untold(why))));
            }
            Err(why) => return Err(failed(self.work.file, self.system.program(), why)),
        }
        (self.answer.cost, self.round) = (cost, round);
        Ok(())
    }
}
