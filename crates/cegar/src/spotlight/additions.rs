//! What is added to a spotlight abstraction that leaves a property open, and what is taken back?
//!
//! In this order: a parameter for a branch, where that was asked for; a name for an unknown value; predicates; a process; predicates that
//! only the shade tests.

use tertium_abstraction::spotlight::{MOST_PARAMETERS, Parameter, SpotExplored, SpotState};
use tertium_evidence::{OpenQuestion, Reason as Open};
use tertium_load::failure::Failure;
use tertium_program::ExprId;

use super::Parameters;
use super::judge::Judge;
use super::rounds::Rounds;
use crate::limits;
use crate::predicate_abstraction::failed;
use crate::refine::spotlight::{Suggestions, suggestions};

impl Rounds<'_> {
    /// Takes names back that did not help: the youngest one, or all; whether there were any.
    pub(super) fn take_back(&mut self, explored: &SpotExplored, all: bool) -> bool {
        let mut taken = 0;
        if let Some(branch) = self.branches.pop() {
            self.refused_branches.push(branch);
            taken += 1;
        }
        while taken == 0 || all {
            match self.spotlight.parameters.last() {
                Some(Parameter::Site(state, predicate)) => {
                    self.refused.push((state.clone(), *predicate));
                    self.spotlight.parameters.pop();
                    taken += 1;
                }
                _ => break,
            }
        }
        let what = format!("{taken} names of unknown values did not help over {} states", explored.states.len());
        self.end_round(Some(what));
        taken > 0
    }

    /// Adds what an open question suggests; whether there was anything.
    pub(super) fn add(
        &mut self,
        judge: &Judge<'_>,
        explored: &mut SpotExplored,
        assignment: usize,
        question: Option<&OpenQuestion>,
    ) -> Result<bool, Failure> {
        let reasons: &[Open] = question.map_or(&[], |question| &question.reasons);
        if self.fix_branch(explored, assignment, reasons)? {
            return Ok(true);
        }
        let about = (self.asked.atoms.as_slice(), judge.shape.fair.as_slice());
        let found = suggestions(self.system, explored, assignment, about, question);
        let open = self.open_text(explored, reasons);
        if judge.may_name() && self.work.how.parameters != Parameters::Off && self.add_name(&found, &open) {
            return Ok(true);
        }
        Ok(self.add_predicates(&found.predicates, &open)?
            || self.add_process(&found, &open)
            || self.add_predicates(&found.last, &open)?)
    }

    /// Gives a branch a parameter of its own, where that was asked for.
    fn fix_branch(
        &mut self,
        explored: &mut SpotExplored,
        assignment: usize,
        reasons: &[Open],
    ) -> Result<bool, Failure> {
        let used = self.branches.len() + self.spotlight.parameters.len();
        if self.work.how.parameters != Parameters::Literal || used >= MOST_PARAMETERS {
            return Ok(false);
        }
        for reason in reasons {
            let Open::Edge { from, .. } = reason else { continue };
            let from = from.index();
            let state = &explored.states[from];
            if self.branches.contains(state) || self.refused_branches.contains(state) {
                continue;
            }
            let plain = explored.plain(self.system, from, assignment);
            let plain = plain.map_err(|why| failed(self.work.file, self.system.program(), why))?;
            let target = |at: usize| {
                let mover = tertium_abstraction::spotlight::Mover::Spot(plain.steps[at].operation);
                explored.steps[from].iter().find(|step| step.mover == mover).map(|step| step.target)
            };
            let complementary = |members: &Vec<usize>| members.len() == 2 && target(members[0]) != target(members[1]);
            // One parameter for one branch: two branches at one state would share it.
            if plain.joint.len() == 1 && complementary(&plain.joint[0].1) {
                let state = explored.states[from].clone();
                let name = self.system.spot_name(&self.spotlight.processes, &state);
                self.branches.push(state);
                self.end_round(Some(format!("the branch at `{name}` gets a parameter")));
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add_name(&mut self, found: &Suggestions, open: &str) -> bool {
        if self.spotlight.parameters.len() + self.branches.len() >= MOST_PARAMETERS {
            return false;
        }
        let known = |state: &SpotState, predicate: usize, parameters: &[Parameter]| {
            parameters
                .iter()
                .any(|parameter| matches!(parameter, Parameter::Site(at, which) if at == state && *which == predicate))
        };
        let fresh = found.sites.iter().find(|(state, predicate, _)| {
            let refused = self.refused.iter().any(|(at, which)| at == state && which == predicate);
            !refused && !known(state, *predicate, &self.spotlight.parameters)
        });
        let Some((state, predicate, why)) = fresh.cloned() else { return false };
        let name = self.system.predicates()[predicate].name.clone();
        let place = self.system.spot_name(&self.spotlight.processes, &state);
        // Branches belong to the states of this round.
        self.branches.clear();
        self.spotlight.parameters.push(Parameter::Site(state, predicate));
        self.end_round(Some(format!("{open}; `{name}` at `{place}` gets a name: {why}")));
        true
    }

    fn add_predicates(&mut self, found: &[(ExprId, String)], open: &str) -> Result<bool, Failure> {
        let lit = self.spotlight.processes.clone();
        let round = self.closing();
        let mut added = Vec::new();
        for (expr, why) in found {
            if added.len() < limits::SPOTLIGHT_ROUNDS_AT_ONCE && self.add_predicate(*expr, None, &lit)? {
                added.push(format!("`{}` becomes a predicate: {why}", self.system.program().show(*expr)));
            }
        }
        if added.is_empty() {
            self.round = round;
            return Ok(false);
        }
        self.push(round, Some(format!("{open}; {}", added.join("; "))));
        self.forget_names();
        Ok(true)
    }

    fn add_process(&mut self, found: &Suggestions, open: &str) -> bool {
        let fresh = found.processes.iter().find(|(process, _)| !self.spotlight.holds(*process));
        let Some((process, why)) = fresh.filter(|_| self.spotlight.processes.len() < self.work.how.most_processes)
        else {
            return false;
        };
        let name = self.named(&[*process]).remove(0);
        self.end_round(Some(format!("{open}; `{name}` comes into the spotlight: {why}")));
        self.round.processes = vec![name];
        self.spotlight.processes.push(*process);
        self.spotlight.processes.sort_unstable();
        self.forget_names();
        true
    }

    fn forget_names(&mut self) {
        self.refused.clear();
        self.refused_branches.clear();
        self.name_rigid();
    }
}
