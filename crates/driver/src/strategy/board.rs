//! What is known of each question so far?

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tertium_base::StopReason;
use tertium_cegar::answer::{ProgramAnswer, Reason};
use tertium_cegar::options::{CheckOutcome, Covered};
use tertium_lattice::Belnap;
use tertium_load::Located;
use tertium_load::questions::{Question, QuestionId};

use super::engine::{EngineId, EngineOutcome};
use crate::failure::Failure;

/// The answers so far, and who gave them; everyone who works on the questions sees it.
pub(super) struct Board {
    state: Mutex<State>,
    news: Sender<News>,
}

/// What whoever listens is told.
pub(super) enum News {
    /// A definite answer to this question.
    Answer(QuestionId, Box<ProgramAnswer>),
    /// A lane does no more.
    Ended,
}

struct State {
    answers: Vec<ProgramAnswer>,
    /// Whether each was decided elsewhere.
    elsewhere: Vec<bool>,
    /// How much the `unknown` of each tells.
    insight: Vec<u8>,
    remarks: Vec<Located>,
    coverage: Option<Vec<Covered>>,
    ran: Vec<EngineId>,
    refused: Vec<EngineId>,
    missing: Option<Reason>,
    /// Pieces of work, by the questions that they are for, with what tells them that nobody wants to know any more.
    watched: Vec<(Vec<QuestionId>, Arc<AtomicBool>)>,
    /// Whether nobody wants to know anything any more.
    closed: bool,
    failed: Option<Failure>,
}

impl State {
    fn questions(&self) -> impl Iterator<Item = QuestionId> + use<> {
        (0..self.answers.len()).map(QuestionId::new)
    }

    /// A value that depends on what no step changes is told as it is.
    fn is_open(&self, question: QuestionId) -> bool {
        let answer = &self.answers[question.index()];
        !self.elsewhere[question.index()] && answer.value() == Belnap::Unknown && answer.condition.is_empty()
    }

    /// Ends the work that is for nothing.
    fn dismiss(&self) {
        for (questions, flag) in &self.watched {
            if self.closed || !questions.iter().any(|&question| self.is_open(question)) {
                flag.store(true, Ordering::Relaxed);
            }
        }
    }

    fn close(&mut self) {
        self.closed = true;
        self.dismiss();
    }
}

impl Board {
    /// What is `decided` elsewhere stays without an answer here, and nobody is asked about it.
    pub(super) fn new(questions: &[Question], decided: &BTreeSet<String>, news: Sender<News>) -> Self {
        let state = State {
            answers: questions.iter().map(ProgramAnswer::about).collect(),
            elsewhere: questions.iter().map(|question| decided.contains(question.name())).collect(),
            insight: vec![0; questions.len()],
            remarks: Vec::new(),
            coverage: None,
            ran: Vec::new(),
            refused: Vec::new(),
            missing: None,
            watched: Vec::new(),
            closed: false,
            failed: None,
        };
        Self { state: Mutex::new(state), news }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions without a definite answer; none once nobody wants to know.
    pub(super) fn open(&self) -> Vec<QuestionId> {
        let state = self.state();
        if state.closed { Vec::new() } else { state.questions().filter(|&question| state.is_open(question)).collect() }
    }

    /// Whether the question with this name has a definite answer.
    pub(super) fn is_decided(&self, name: &str) -> bool {
        let state = self.state();
        let is_decided = |(answer, elsewhere): (&ProgramAnswer, &bool)| {
            answer.name == name && (answer.verdict.is_definite() || *elsewhere)
        };
        state.closed || state.answers.iter().zip(&state.elsewhere).any(is_decided)
    }

    /// Whether some engine has had its turn.
    pub(super) fn has_begun(&self) -> bool {
        !self.state().ran.is_empty()
    }

    /// Whether this engine has done what it can.
    pub(super) fn has_run(&self, engine: EngineId) -> bool {
        self.state().ran.contains(&engine)
    }

    /// Whether this engine could not do what was asked.
    pub(super) fn has_refused(&self, engine: EngineId) -> bool {
        self.state().refused.contains(&engine)
    }

    /// What keeps an engine from being tried.
    pub(super) fn missing(&self) -> Option<Reason> {
        self.state().missing.clone()
    }

    /// The names of what is false.
    pub(super) fn broken(&self) -> Vec<String> {
        let is_false = |answer: &&ProgramAnswer| answer.value() == Belnap::False;
        self.state().answers.iter().filter(is_false).map(|answer| answer.name.clone()).collect()
    }

    /// What tells a piece of work for these questions that nobody wants to know any more.
    pub(super) fn watch(&self, questions: &[QuestionId]) -> Arc<AtomicBool> {
        let (mut state, flag) = (self.state(), Arc::new(AtomicBool::new(false)));
        state.watched.retain(|(_, flag)| Arc::strong_count(flag) > 1);
        state.watched.push((questions.to_vec(), Arc::clone(&flag)));
        state.dismiss();
        flag
    }

    /// A limit was reached: what is open stays so.
    pub(super) fn stop(&self, limit: StopReason) {
        let mut state = self.state();
        for question in state.questions() {
            let is_open = state.is_open(question);
            let answer = &mut state.answers[question.index()];
            if is_open && answer.stopped().is_none() {
                answer.verdict.stop(limit);
            }
        }
    }

    /// A lane does no more.
    pub(super) fn ended(&self) {
        // Nobody listening is no reason to stop.
        let _ = self.news.send(News::Ended);
    }

    /// Nobody wants to know more.
    pub(super) fn close(&self) {
        self.state().close();
    }

    /// A fault of this program, or what an engine that was wished for cannot do.
    pub(super) fn fail(&self, failure: Failure) {
        let mut state = self.state();
        state.failed.get_or_insert(failure);
        state.close();
    }

    /// An engine cannot do what was asked.
    pub(super) fn refused(&self, engine: EngineId) {
        self.state().refused.push(engine);
    }

    /// An engine lacks something, and what is open stays so for this reason unless a search settles it.
    pub(super) fn lacks(&self, engine: EngineId, open: &[QuestionId], reason: &Reason) {
        let mut state = self.state();
        for &question in open {
            if !state.is_open(question) {
                continue;
            }
            state.answers[question.index()].verdict.withdraw(reason.clone());
            state.insight[question.index()] = engine.insight();
        }
        state.missing = Some(reason.clone());
    }

    /// Takes in a definite answer; whether it is news. Two that contradict each other are a fault of this program.
    pub(super) fn decide(&self, question: QuestionId, mut answer: ProgramAnswer) -> bool {
        let mut state = self.state();
        if !state.is_open(question) {
            let known = &state.answers[question.index()];
            if known.verdict.is_definite() && known.value() != answer.value() {
                let (one, other) = (known.provenance.phrase(), answer.provenance.phrase());
                let (name, value) = (&answer.name, known.value());
                let message = format!("`{name}` is {value:?} by {one} and {:?} by {other}", answer.value());
                state.failed.get_or_insert(Failure::Internal(message));
                state.close();
            }
            return false;
        }
        answer.cost.elapsed += state.answers[question.index()].cost.elapsed;
        let _ = self.news.send(News::Answer(question, Box::new(answer.clone())));
        state.answers[question.index()] = answer;
        state.dismiss();
        true
    }

    /// Takes in what an engine leaves open: of two such answers the one that tells more stays.
    pub(super) fn merge(&self, engine: EngineId, open: &[QuestionId], found: EngineOutcome) {
        for (&question, answer) in open.iter().zip(found.answers) {
            let Some(answer) = answer else { continue };
            if answer.verdict.is_definite() {
                self.decide(question, answer);
                continue;
            }
            self.leave_open(engine, question, answer);
        }
        let mut state = self.state();
        for remark in found.remarks {
            if !state.remarks.contains(&remark) {
                state.remarks.push(remark);
            }
        }
        state.coverage = found.coverage.or(state.coverage.take());
    }

    fn leave_open(&self, engine: EngineId, question: QuestionId, mut answer: ProgramAnswer) {
        let mut state = self.state();
        if !state.is_open(question) {
            return;
        }
        let (insight, before) = (engine.insight(), state.insight[question.index()]);
        let known = &mut state.answers[question.index()];
        answer.cost.elapsed += known.cost.elapsed;
        // However a limit is told, what was visited until then stays counted.
        if answer.stopped().is_some() && known.cost.states > answer.cost.states {
            (answer.cost.states, answer.cost.transitions) = (known.cost.states, known.cost.transitions);
        }
        if insight >= before || answer.value() != Belnap::Unknown {
            *known = answer;
            state.insight[question.index()] = insight;
            return;
        }
        known.cost.elapsed = answer.cost.elapsed;
        if answer.stopped().is_some() {
            known.stop_if(answer.stopped());
            (known.cost.states, known.cost.transitions) = (answer.cost.states, answer.cost.transitions);
        }
    }

    /// An engine has done what it can.
    pub(super) fn ran(&self, engine: EngineId) {
        self.state().ran.push(engine);
    }

    /// Whether a search of all states has answered everything.
    pub(super) fn is_decided_by_search(&self) -> bool {
        let by_search = |(answer, elsewhere): (&ProgramAnswer, &bool)| {
            let found = answer.provenance.engine == tertium_evidence::provenance::Engine::Explore;
            *elsewhere || (answer.verdict.is_definite() && found)
        };
        let state = self.state();
        state.answers.iter().zip(&state.elsewhere).all(by_search)
    }

    /// Whether somebody still wants to know what happens to each statement.
    pub(super) fn lacks_coverage(&self) -> bool {
        let state = self.state();
        !state.closed && state.coverage.is_none()
    }

    /// Everything that was found out.
    ///
    /// # Errors
    /// If two parts of this program disagree, or an engine that was wished for cannot do it.
    pub(super) fn outcome(self) -> Result<CheckOutcome, Failure> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.failed {
            Some(failure) => Err(failure),
            None => Ok(CheckOutcome { answers: state.answers, remarks: state.remarks, coverage: state.coverage }),
        }
    }
}
