//! Questions about more than single states: checked on the structure of possible and certain steps.
//!
//! The play that stays open is followed in the program like any path; what contradicts it becomes predicates. If it can be
//! followed, the open step or label at its end is split by its precondition.

use tertium_abstraction::{AbstractState, Explored, Failed, System};
use tertium_evidence::Reason as Open;
use tertium_lattice::Belnap;
use tertium_model::StateId;
use tertium_refine::split::{literals, pre_of};
use tertium_refine::{Chooser, Contradiction, Followed, OpenPath, follow};

use super::super::super::answer::Round;
use super::super::super::questions::Question;
use super::super::{Opened, Prepared, failed};
use super::{Loop, multiply, no_progress};
use crate::failure::Failure;

/// Structures with more abstract states than this are not made unless the user allows more.
pub(super) const MOST_STATES: usize = 600;
/// Calls of the solver after which no further round begins.
const MOST_CALLS: u64 = 4_000;
/// Open elements that are looked at in one round.
const MOST_REASONS: usize = 4;

impl Loop<'_> {
    /// Answers one question on the structure, refined as long as that helps. `calls` were made for it before.
    pub(super) fn structure(&mut self, prepared: &mut Prepared, number: usize, calls: usize) -> Result<(), Failure> {
        let question = &self.questions[number];
        let before = self.answers[number].clone();
        let mut chooser = Chooser::default();
        let mut rounds: Vec<Round> = Vec::new();
        let mut news: Vec<String> =
            prepared.system.predicates().iter().map(|predicate| predicate.name.clone()).collect();
        loop {
            let observer = self.work.observer;
            let (round, count) = (rounds.len(), prepared.system.predicates().len());
            let (name, calls_before) = (before.name.clone(), prepared.system.queries().calls());
            let open = rounds.last().and_then(|round| round.open.clone());
            let why = open.map_or_else(String::new, |open| format!("; open: {open}"));
            let explored = Explored::visit(&mut prepared.system, self.work.budget, &mut |done, known| {
                if done % 16 == 1 {
                    observer.phase(&format!(
                        "{name}, round {round}: {count} predicates, {done} of {known} abstract states, \
                         {calls_before} solver calls{why}"
                    ));
                }
            });
            let explored = match explored {
                Ok(explored) => explored,
                Err(Failed::Stopped(stopped)) => {
                    let answer = self.work.stopped(&prepared.system, question, stopped);
                    self.keep(number, answer, &before, &rounds, calls);
                    return Ok(());
                }
                Err(why) => return Err(failed(self.work.file, prepared.system.program(), why)),
            };
            let (answer, opened) = self.work.answer_with(prepared, &explored, question)?;
            let calls_now = prepared.system.queries().calls();
            rounds.push(Round {
                predicates: std::mem::take(&mut news),
                states: explored.states.len(),
                calls: usize::try_from(calls_now).unwrap_or(usize::MAX),
                open: match answer.by_completions {
                    true => Some("left open, but all completions agree: this saved a round".to_owned()),
                    false => answer.reasons.first().map(|reason| reason.what.clone()),
                },
                ..Round::default()
            });
            let done = answer.value != Belnap::Unknown || answer.stopped.is_some();
            let large = calls_now > MOST_CALLS;
            self.keep(number, answer, &before, &rounds, calls);
            let Some(opened) = opened.filter(|_| !done && !large && rounds.len() as u32 <= self.refinements) else {
                return Ok(());
            };
            news = learn(prepared, question, &explored, &opened, &mut chooser)?;
            if self.grows(&prepared.system, news.len()) {
                self.answers[number].reasons.push(multiply(prepared.system.predicates().len()));
                return Ok(());
            }
            if news.is_empty() {
                self.answers[number].reasons.push(no_progress());
                return Ok(());
            }
        }
    }

    /// Takes an answer over, unless it says less than what is known.
    pub(super) fn keep(
        &mut self,
        number: usize,
        mut answer: super::ProgramAnswer,
        before: &super::ProgramAnswer,
        rounds: &[Round],
        calls: usize,
    ) {
        answer.rounds = before.rounds.iter().chain(rounds).cloned().collect();
        answer.refinements = before.refinements + rounds.len().saturating_sub(1);
        if let Some(solver) = &mut answer.solver {
            solver.calls += if before.rounds.is_empty() { 0 } else { calls };
        }
        if answer.value == Belnap::Unknown {
            answer.reasons.extend(before.reasons.iter().cloned());
        }
        answer.elapsed = before.elapsed;
        self.answers[number] = answer;
    }
}

/// New predicates from what is open.
fn learn(
    prepared: &mut Prepared,
    question: &Question,
    explored: &Explored,
    opened: &Opened,
    chooser: &mut Chooser,
) -> Result<Vec<String>, Failure> {
    let Some((open, _)) = &opened.found.open else { return Ok(Vec::new()) };
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
    for reason in open.reasons.iter().take(MOST_REASONS) {
        match reason {
            Open::Edge { from, to, .. } => conditions.push(split(system, explored, *from, *to)?),
            Open::Hyper { from, members, .. } => {
                for member in members.iter().take(MOST_REASONS) {
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
