//! Explicit-state search: states are visited one by one, all of them or the first ones.

use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::options::CheckOptions;
use tertium_lattice::Belnap;
use tertium_load::questions::{Question, QuestionId};
use tertium_logic::Logic;

use super::ProgramQuery;
use super::engine::{Applies, EngineId, EngineOutcome, ProgramEngine, Situation};
use crate::engines::EngineChoice;
use crate::failure::Failure;
use crate::program::check;

/// How many states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    /// All, or as many as the user allows.
    Whole,
    /// These, before something else is tried: faults that lie near are found, and programs that turn out to be small are decided.
    First(usize),
    /// These, of a program without bounds, and more as long as others work on it; all that the user allows if it cannot be abstracted.
    More(usize),
}

/// Which questions are asked on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QuestionChoice {
    /// All.
    All,
    /// Those that are decided by states, steps and the graph of them: they share one search.
    States,
    /// Those about infinite runs: each is a search of its own.
    Runs,
}

/// States that are visited.
pub(super) struct ExplicitSearch {
    pub(super) extent: Extent,
    pub(super) asked: QuestionChoice,
}

/// Each time a search of a program without bounds begins again, it visits so many times more states.
const MORE_EACH_TIME: usize = 8;

impl ProgramEngine for ExplicitSearch {
    fn id(&self) -> EngineId {
        EngineId::Explicit
    }

    fn applies(&self, situation: &Situation<'_>) -> Applies {
        // Of a program with functions of which nothing is known, the first states are all that can be visited.
        let again = matches!(self.extent, Extent::Whole | Extent::More(_)) && situation.board.has_run(self.id());
        let blind = again && situation.facts.functions && !situation.board.has_refused(EngineId::Cegar);
        Applies::when(!blind)
    }

    fn divide(&self, request: &ProgramQuery<'_>, open: &[QuestionId]) -> Vec<Vec<QuestionId>> {
        let about_runs = |question: &&QuestionId| is_about_runs(request, **question);
        let each = |question: &QuestionId| vec![*question];
        match self.asked {
            QuestionChoice::All => vec![open.to_vec()],
            QuestionChoice::States => vec![open.iter().filter(|at| !about_runs(at)).copied().collect()],
            QuestionChoice::Runs => open.iter().filter(about_runs).map(each).collect(),
        }
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<EngineOutcome, Failure> {
        let wanted = &situation.request.wishes.options;
        let mut max_states = match self.extent {
            Extent::More(_) if situation.board.has_refused(EngineId::Cegar) => wanted.max_states,
            Extent::Whole => wanted.max_states,
            Extent::First(most) | Extent::More(most) => Some(most),
        };
        // A few states are not worth waking threads; and of several threads that look for an infinite run now one, now another one finds its own.
        let alone = matches!(self.extent, Extent::First(_))
            || (situation.request.wishes.deterministic && self.asked == QuestionChoice::Runs);
        let threads = if alone { 1 } else { wanted.threads };
        // What happens to each statement is asked once.
        let look_for_idle = wanted.look_for_idle && self.asked != QuestionChoice::Runs;
        // The first states are soon visited again, and searches that begin anew with other limits are others each time.
        let checkpoints = wanted.checkpoints.clone().filter(|_| self.extent == Extent::Whole);
        let disk = wanted.disk.clone().filter(|_| self.extent == Extent::Whole);
        let (file, budget, observer) = (situation.request.file, situation.budget, situation.observer);
        let all = self.asked_together(situation, open, checkpoints.is_some());
        loop {
            let (checkpoints, disk) = (checkpoints.clone(), disk.clone());
            let options = CheckOptions { max_states, look_for_idle, threads, checkpoints, disk, ..wanted.clone() };
            let mut outcome = check(file, &all, &options, budget, observer)?;
            outcome.answers.retain(|answer| open.iter().any(|question| question.name() == answer.name));
            let is_open =
                |answer: &ProgramAnswer| answer.value() == Belnap::Unknown && !observer.is_decided(&answer.name);
            let goes_on =
                matches!(self.extent, Extent::More(_)) && !situation.client.is_alone() && budget.glance().is_ok();
            match max_states.and_then(|most| most.checked_mul(MORE_EACH_TIME)) {
                Some(more) if goes_on && outcome.answers.iter().any(is_open) => max_states = Some(more),
                _ => return Ok(outcome.into()),
            }
        }
    }

    fn explain(&self, situation: &Situation<'_>, answer: &mut ProgramAnswer) {
        let how = answer.provenance.phrase();
        let choice = self.choice(situation).map(|why| format!("by {how}: {why}"));
        answer.choice = choice.or(answer.choice.take());
    }
}

/// Whether a question is about infinite runs, which are searched for one question at a time.
pub(super) fn is_about_runs(request: &ProgramQuery<'_>, question: QuestionId) -> bool {
    let options = &request.wishes.options;
    let chosen = options.deadlock.is_some() || options.linear.is_some() || options.engine != EngineChoice::Auto;
    match request.question(question) {
        Question::Watched(_) => true,
        Question::Never(_) => false,
        Question::Property(asked) => !chosen && asked.invariant.is_none() && asked.formula.logic() == Logic::Ltl,
    }
}

impl ExplicitSearch {
    /// The open questions; where the search for what states break is written down, with all others that it is about: whatever is decided meanwhile, it is the same search.
    fn asked_together(&self, situation: &Situation<'_>, open: &[Question], is_written: bool) -> Vec<Question> {
        let by_states = |question: &Question| match question {
            Question::Property(asked) => asked.invariant.is_some(),
            Question::Never(_) => true,
            Question::Watched(_) => false,
        };
        if !is_written || !open.iter().any(by_states) {
            return open.to_vec();
        }
        let is_open = |question: &Question| open.iter().any(|open| open.name() == question.name());
        let asked = situation.request.questions.iter();
        asked.filter(|question| by_states(question) || is_open(question)).cloned().collect()
    }

    /// Why an answer was found in this way, if there is something to say about it.
    fn choice(&self, situation: &Situation<'_>) -> Option<String> {
        match self.extent {
            Extent::First(most) => Some(format!("found among the first {most} states")),
            Extent::Whole | Extent::More(_) => {
                if let Some(missing) = situation.board.missing() {
                    return Some(missing.what);
                }
                let abstracted = situation.board.has_run(EngineId::Cegar);
                abstracted.then(|| "abstraction left it open".to_owned())
            }
        }
    }
}
