//! What is known of each question so far?

use tertium_cegar::answer::{ProgramAnswer, Reason};
use tertium_cegar::options::{Covered, Outcome};
use tertium_lattice::Belnap;
use tertium_load::Located;
use tertium_load::questions::Question;

use super::engine::{EngineId, Found, ProgramEngine};

/// The answers so far, and who gave them.
pub(super) struct Board {
    answers: Vec<ProgramAnswer>,
    /// How much the `unknown` of each tells.
    insight: Vec<u8>,
    remarks: Vec<Located>,
    coverage: Option<Vec<Covered>>,
    ran: Vec<EngineId>,
    refused: Vec<EngineId>,
    missing: Option<Reason>,
}

impl Board {
    pub(super) fn new(questions: &[Question]) -> Self {
        Self {
            answers: questions.iter().map(ProgramAnswer::about).collect(),
            insight: vec![0; questions.len()],
            remarks: Vec::new(),
            coverage: None,
            ran: Vec::new(),
            refused: Vec::new(),
            missing: None,
        }
    }

    /// The questions without a definite answer. A value that depends on what no step changes is told as it is.
    pub(super) fn open(&self) -> Vec<usize> {
        let open = |answer: &ProgramAnswer| answer.value() == Belnap::Unknown && answer.condition.is_empty();
        (0..self.answers.len()).filter(|&at| open(&self.answers[at])).collect()
    }

    /// Whether some engine has had its turn.
    pub(super) fn has_begun(&self) -> bool {
        !self.ran.is_empty()
    }

    /// Whether this engine has had its turn.
    pub(super) fn has_run(&self, engine: EngineId) -> bool {
        self.ran.contains(&engine)
    }

    /// Whether this engine could not do what was asked.
    pub(super) fn has_refused(&self, engine: EngineId) -> bool {
        self.refused.contains(&engine)
    }

    /// What keeps an engine from being tried.
    pub(super) fn missing(&self) -> Option<&Reason> {
        self.missing.as_ref()
    }

    /// The names of what is false.
    pub(super) fn broken(&self) -> Vec<String> {
        let is_false = |answer: &&ProgramAnswer| answer.value() == Belnap::False;
        self.answers.iter().filter(is_false).map(|answer| answer.name.clone()).collect()
    }

    /// An engine cannot do what was asked.
    pub(super) fn refused(&mut self, engine: &dyn ProgramEngine) {
        self.refused.push(engine.id());
    }

    /// An engine lacks something, and what is open stays so for this reason unless a search settles it.
    pub(super) fn lacks(&mut self, engine: &dyn ProgramEngine, open: &[usize], reason: &Reason) {
        for &at in open {
            self.answers[at].verdict.withdraw(reason.clone());
            self.insight[at] = engine.id().insight();
        }
        self.missing = Some(reason.clone());
    }

    /// Takes in what an engine found about the questions that were open: a definite answer counts, of two that leave it open the one that tells
    /// more.
    pub(super) fn merge(&mut self, engine: &dyn ProgramEngine, open: &[usize], found: Found) {
        self.ran.push(engine.id());
        for (&at, answer) in open.iter().zip(found.answers) {
            let Some(mut answer) = answer else { continue };
            let (known, insight) = (&mut self.answers[at], engine.id().insight());
            answer.cost.elapsed += known.cost.elapsed;
            if answer.value() != Belnap::Unknown || insight >= self.insight[at] {
                *known = answer;
                self.insight[at] = insight;
                continue;
            }
            known.cost.elapsed = answer.cost.elapsed;
            if answer.stopped().is_some() {
                known.stop_if(answer.stopped());
                (known.cost.states, known.cost.transitions) = (answer.cost.states, answer.cost.transitions);
            }
        }
        for remark in found.remarks {
            if !self.remarks.contains(&remark) {
                self.remarks.push(remark);
            }
        }
        self.coverage = found.coverage.or(self.coverage.take());
    }

    /// Everything that was found out.
    pub(super) fn outcome(self) -> Outcome {
        Outcome { answers: self.answers, remarks: self.remarks, coverage: self.coverage }
    }
}
