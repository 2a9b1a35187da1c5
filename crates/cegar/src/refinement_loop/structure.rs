//! Questions about more than single states: checked on the structure of possible and certain steps.
//!
//! A linear property is asked of parts of it first, which are made on demand; of the whole if that leaves it open.
//! The play that stays open is followed in the program like any path; what contradicts it becomes predicates. If it can be
//! followed, the open step or label at its end is split by its precondition.

use crate::limits;
use crate::refine::split::{literals, pre_of};
use crate::refine::{Chooser, Contradiction, Followed, OpenPath, follow};
use tertium_abstraction::{AbstractState, Explored, Failed, System};
use tertium_base::narrow::to_u32;
use tertium_evidence::{OpenQuestion, Reason as Open};
use tertium_lattice::Belnap;
use tertium_model::StateId;

use super::Loop;
use super::game_attempts::GameEffort;
use super::reasons::{multiply, no_progress};
use crate::answer::{ProgramAnswer, Round};
use crate::predicate_abstraction::on_the_fly::OnTheFlyAnswer;
use crate::predicate_abstraction::{AbstractionCheck, Prepared, failed};
use tertium_evidence::Technique;
use tertium_load::failure::Failure;
use tertium_load::questions::{Question, QuestionId};

/// A question as it is asked again and again.
struct RefinedQuestion {
    number: QuestionId,
    /// The answer before the first round.
    before: ProgramAnswer,
    /// Calls of the solver that were made for it before.
    calls: usize,
    /// Those that its own solver had made when the present attempt began.
    since: u64,
    chooser: Chooser,
    rounds: Vec<Round>,
    /// The predicates that are new in the present round.
    news: Vec<String>,
    /// Whether numbers that cannot fall for ever were looked for already.
    ranked: bool,
    /// Whether a ranked game was played although the structure is not small.
    played: bool,
}

impl RefinedQuestion {
    /// Begins an attempt with the predicates that are there.
    fn new(prepared: &Prepared, number: QuestionId, before: ProgramAnswer, calls: usize) -> Self {
        let system = &prepared.system;
        let news = system.predicates().iter().map(|predicate| predicate.name.clone()).collect();
        let since = system.queries().calls();
        Self {
            number,
            before,
            calls,
            since,
            chooser: Chooser::default(),
            rounds: Vec::new(),
            news,
            ranked: false,
            played: false,
        }
    }

    /// Ends a round: how many states it had, and what it left open.
    fn end_round(&mut self, prepared: &Prepared, states: usize, open: Option<String>) {
        let calls = usize::try_from(prepared.system.queries().calls()).unwrap_or(usize::MAX);
        self.rounds.push(Round { predicates: std::mem::take(&mut self.news), states, calls, open, ..Round::default() });
    }

    /// How often the solver was called in this attempt.
    fn spent(&self, prepared: &Prepared) -> u64 {
        prepared.system.queries().calls() - self.since
    }
}

impl Loop<'_> {
    /// Answers one question about more than single states, refined as long as that helps. `calls` were made for it before.
    pub(crate) fn structure(
        &mut self,
        prepared: &mut Prepared,
        number: QuestionId,
        calls: usize,
    ) -> Result<(), Failure> {
        let (first, before) = (prepared.system.predicates().len(), self.answers[number.index()].clone());
        let mut asking = RefinedQuestion::new(prepared, number, before.clone(), calls);
        if self.demanding && self.on_demand(prepared, &mut asking)? {
            return Ok(());
        }
        if !asking.ranked && self.ranked(prepared, number, limits::STRUCTURE_FEW_CHANGES)? {
            return Ok(());
        }
        if !asking.ranked && self.goes_on(prepared, number, true)? {
            return Ok(());
        }
        if self.ranked_game(prepared, number, GameEffort::First)? {
            return Ok(());
        }
        let learnt = prepared.system.predicates().len() > first;
        self.whole(prepared, asking)?;
        if learnt && self.answers[number.index()].value() == Belnap::Unknown && self.work.budget.check().is_ok() {
            // What paths taught has not helped; what the whole structure teaches may.
            prepared.system.keep_predicates(first);
            let again = RefinedQuestion::new(prepared, number, before, calls);
            self.whole(prepared, again)?;
        }
        Ok(())
    }

    /// Whether the first predicates show a linear property on a part of the structure, with little effort.
    pub(crate) fn is_true_at_once(
        &mut self,
        prepared: &mut Prepared,
        number: QuestionId,
        calls: usize,
    ) -> Result<bool, Failure> {
        if !self.demanding {
            return Ok(false);
        }
        let budget = self.work.budget.apart(limits::STRUCTURE_FIRST_LOOK_EFFORT);
        let look = AbstractionCheck { budget: &budget, ..self.work };
        let found = look.on_demand(prepared, &self.questions[number.index()])?;
        self.work.budget.check()?;
        let Some(OnTheFlyAnswer::Answered(answer)) = found else { return Ok(false) };
        if answer.value() != Belnap::True {
            // Whatever is false is better told with a run.
            return Ok(false);
        }
        let before = self.answers[number.index()].clone();
        let mut asking = RefinedQuestion::new(prepared, number, before, calls);
        asking.end_round(prepared, answer.cost.states, None);
        self.keep(number, *answer, &asking.before, &asking.rounds, calls);
        Ok(true)
    }

    /// Answers it on parts of the structure that are made on demand, if that is enough.
    fn on_demand(&mut self, prepared: &mut Prepared, asking: &mut RefinedQuestion) -> Result<bool, Failure> {
        let question = &self.questions[asking.number.index()];
        loop {
            let run = match self.work.on_demand(prepared, question)? {
                None => return Ok(false),
                Some(OnTheFlyAnswer::Answered(answer)) => {
                    asking.end_round(prepared, answer.cost.states, None);
                    self.keep(asking.number, *answer, &asking.before, &asking.rounds, asking.calls);
                    return Ok(true);
                }
                Some(OnTheFlyAnswer::Open(run)) => run,
            };
            if !asking.ranked && run.made <= limits::STRUCTURE_FEW_STATES {
                asking.ranked = true;
                if self.ranked(prepared, asking.number, limits::STRUCTURE_FEW_CHANGES)?
                    || self.goes_on(prepared, asking.number, true)?
                    || self.ranked_game(prepared, asking.number, GameEffort::First)?
                {
                    return Ok(true);
                }
            } else if !asking.ranked && !asking.played {
                // A game may need no more than the first predicates, and costs more with each that paths teach.
                asking.played = true;
                if self.ranked_game(prepared, asking.number, GameEffort::First)? {
                    return Ok(true);
                }
            }
            let last = to_u32(asking.rounds.len()) >= self.refinements
                || asking.spent(prepared) > limits::STRUCTURE_MOST_FOR_PATHS;
            if last {
                return Ok(false);
            }
            let before = prepared.system.predicates().len();
            let news = learn(prepared, question, &run.part, &run.open, &mut asking.chooser)?;
            if news.is_empty() || self.grows(&prepared.system, news.len()) {
                prepared.system.keep_predicates(before);
                return Ok(false);
            }
            asking.end_round(prepared, run.made, Some(run.why));
            asking.news = news;
            self.write_predicates(prepared, question.name());
        }
    }

    /// Answers it on the whole structure.
    fn whole(&mut self, prepared: &mut Prepared, mut asking: RefinedQuestion) -> Result<(), Failure> {
        let number = asking.number;
        let question = &self.questions[number.index()];
        loop {
            let explored = match self.visit(prepared, &asking) {
                Ok(explored) => explored,
                Err(Failed::Stopped(stopped)) => {
                    let answer = self.work.stopped(&prepared.system, question, stopped);
                    self.keep(number, answer, &asking.before, &asking.rounds, asking.calls);
                    return Ok(());
                }
                Err(why) => return Err(failed(self.work.file, prepared.system.program(), why)),
            };
            let (answer, opened) = self.work.answer_with(prepared, &explored, question)?;
            let open = match answer.provenance.technique {
                Technique::AbstractCompletions => {
                    Some("left open, but all completions agree: this saved a round".to_owned())
                }
                _ => answer.reasons().first().map(|reason| reason.what.clone()),
            };
            asking.end_round(prepared, explored.states.len(), open);
            let done = answer.value() != Belnap::Unknown || answer.stopped().is_some();
            let large = asking.spent(prepared) > limits::STRUCTURE_MOST_CALLS;
            self.keep(number, answer, &asking.before, &asking.rounds, asking.calls);
            let Some(opened) = opened.filter(|_| !done && !large && to_u32(asking.rounds.len()) <= self.refinements)
            else {
                return Ok(());
            };
            let Some((open, _)) = opened.found.open() else {
                self.answers[number.index()].verdict.leave_open(no_progress());
                return Ok(());
            };
            asking.news = learn(prepared, question, &explored, open, &mut asking.chooser)?;
            if self.grows(&prepared.system, asking.news.len()) {
                self.answers[number.index()].verdict.leave_open(multiply(prepared.system.predicates().len()));
                return Ok(());
            }
            if asking.news.is_empty() {
                self.answers[number.index()].verdict.leave_open(no_progress());
                return Ok(());
            }
            self.write_predicates(prepared, question.name());
            // What a round taught may be what a game needs, as long as it is little.
            let few = prepared.system.predicates().len() <= limits::STRUCTURE_GAME_FEW_PREDICATES;
            if few && self.ranked_game(prepared, number, GameEffort::AfterRound)? {
                return Ok(());
            }
        }
    }

    fn visit(&self, prepared: &mut Prepared, asking: &RefinedQuestion) -> Result<Explored, Failed> {
        let observer = self.work.observer;
        let (round, count) = (asking.rounds.len(), prepared.system.predicates().len());
        let (name, calls) = (&asking.before.name, prepared.system.queries().calls());
        let open = asking.rounds.last().and_then(|round| round.open.clone());
        let why = open.map_or_else(String::new, |open| format!("; open: {open}"));
        Explored::visit(&mut prepared.system, self.work.budget, &mut |done, known| {
            if done % 16 == 1 {
                observer.phase(&format!(
                    "{name}, round {round}: {count} predicates, {done} of {known} abstract states, {calls} solver \
                     calls{why}"
                ));
            }
        })
    }

    /// Takes an answer over, with all that its rounds cost.
    pub(crate) fn keep(
        &mut self,
        number: QuestionId,
        mut answer: ProgramAnswer,
        before: &ProgramAnswer,
        rounds: &[Round],
        calls: usize,
    ) {
        answer.rounds = before.rounds.iter().chain(rounds).cloned().collect();
        answer.cost.refinements = before.cost.refinements + rounds.len().saturating_sub(1);
        if let Some(solver) = &mut answer.cost.solver {
            solver.calls += if before.rounds.is_empty() { 0 } else { calls };
        }
        before.reasons().iter().for_each(|reason| answer.verdict.leave_open(reason.clone()));
        answer.cost.elapsed = before.cost.elapsed;
        self.answers[number.index()] = answer;
    }
}

/// New predicates from what is open.
pub(crate) fn learn(
    prepared: &mut Prepared,
    question: &Question,
    explored: &Explored,
    open: &OpenQuestion,
    chooser: &mut Chooser,
) -> Result<Vec<String>, Failure> {
    let mut states: Vec<usize> = open.play.iter().map(|step| step.state.index()).collect();
    states.dedup();
    let system = &mut prepared.system;
    if let Some(path) = path(system, explored, &states)?
        && let Followed::Spurious(conditions) = follow(system, &path)?
    {
        let learnt = chooser.choose(system, &conditions)?;
        if !learnt.is_empty() {
            return Ok(learnt);
        }
    }
    let mut conditions = Vec::new();
    for reason in open.reasons.iter().take(limits::STRUCTURE_MOST_REASONS) {
        match reason {
            Open::Edge { from, to, .. } => conditions.push(split(system, explored, *from, *to)?),
            Open::Hyper { from, members, .. } => {
                for member in members.iter().take(limits::STRUCTURE_MOST_REASONS) {
                    conditions.push(split(system, explored, *from, *member)?);
                }
            }
            Open::Label { prop, .. } => {
                if let Question::Property(asked) = question
                    && let Some(&atom) = asked.atoms.get(prop.index())
                {
                    let atom = prepared.moved.as_ref().and_then(|moved| moved.get(&atom).copied()).unwrap_or(atom);
                    conditions.extend(system.condition(atom, true).ok().map(|term| vec![term]));
                }
            }
        }
    }
    Ok(chooser.choose(system, &Contradiction { conditions, ..Contradiction::default() })?)
}

/// A play as a path with what is known at every position; none if it leaves the abstract states.
fn path(system: &mut System, explored: &Explored, states: &[usize]) -> Result<Option<OpenPath>, Failure> {
    let abstracted: Vec<AbstractState> =
        states.iter().map_while(|&number| explored.states.get(number).cloned()).collect();
    let mut operations = Vec::new();
    for pair in abstracted.windows(2) {
        let steps = steps(system, &pair[0])?;
        let Some(step) = steps.into_iter().find(|step| step.target == pair[1]) else { return Ok(None) };
        operations.push(step.operation);
    }
    if abstracted.is_empty() {
        return Ok(None);
    }
    let known = abstracted.iter().map(|state| literals(system, state)).collect();
    let (terms, _) = system.asking();
    Ok(Some(OpenPath {
        locations: abstracted.iter().map(|state| state.locations.clone()).collect(),
        operations,
        known,
        kept: abstracted.iter().map(|state| state.kept.clone()).collect(),
        through: true,
        goal: terms.bool(true),
        goal_operation: None,
    }))
}

fn steps(system: &mut System, state: &AbstractState) -> Result<Vec<tertium_abstraction::PossibleStep>, Failure> {
    match system.possible_steps(state) {
        Ok(steps) => Ok(steps),
        Err(Failed::Stopped(stopped)) => Err(stopped.into()),
        Err(Failed::Unsupported(_)) => Ok(Vec::new()),
    }
}

/// What tells the program states apart that can step from one abstract state to another.
fn split(
    system: &mut System,
    explored: &Explored,
    from: StateId,
    to: StateId,
) -> Result<Vec<tertium_smt::TermId>, Failure> {
    let (Some(from), Some(to)) = (explored.states.get(from.index()), explored.states.get(to.index())) else {
        return Ok(Vec::new());
    };
    let mut conditions = Vec::new();
    for step in steps(system, from)?.into_iter().filter(|step| step.target == *to) {
        conditions.extend(pre_of(system, step.operation, &from.locations, to));
    }
    Ok(conditions)
}
