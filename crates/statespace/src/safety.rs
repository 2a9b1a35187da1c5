//! Which of the things that a single state or step can break are broken?
//!
//! All of them are looked for in one breadth-first search. Where fewer steps are enough to tell whether something is
//! broken, they are searched first; the shortest run then comes from a search with all steps, so that it does not
//! depend on what was left out. Only if that takes far too many states the run with fewer steps is told, with all its steps.

use tertium_base::{Budget, StopReason};
use tertium_explore::reduction::ReductionKinds;
use tertium_explore::search::breadth::{Explored, Levelled, Listeners, Options, breadth_first_telling};
use tertium_explore::search::liveness::Scheduling;
use tertium_explore::search::run::shortest_run;
use tertium_explore::search::{Finding, FindingPlace, Progress, Summary};
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::Logic;
use tertium_program::ExprId;

pub use tertium_explore::store::Keeping;

use super::bitstate;
pub use super::goal_observer::GoalObserver;
pub(crate) use super::goal_observer::{WantedFinding, watcher};
use super::grace::{afterwards, short_while};
use super::kept_searches;
use super::reduced_program::ReducedProgram;
use super::space::{Space, Stepper, stop_word};
use tertium_cegar::answer::{ProgramAnswer, Reason};
use tertium_load::failure::Failure;
use tertium_load::questions::{MistakeQuery, PropertyQuery};
use tertium_trace::propositional;
use tertium_trace::run::{self, Run};

/// Programs with unbounded variables are explored up to this many states unless the user says otherwise.
pub const DEFAULT_LIMIT: usize = 1_000_000;

/// The shortest run is looked for among so many times the states that a search with fewer steps needed, and some more.
pub(crate) const MOST_TIMES: usize = 8;
pub(crate) const MOST_MORE: usize = 500_000;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'a> {
    /// How many threads.
    pub threads: usize,
    /// The limit on states that the user gave.
    pub max_states: Option<usize>,
    /// Whether steps may be left out where that is sound.
    pub reduction: bool,
    /// How much is kept of each state.
    pub store: Keeping,
    /// Time and memory.
    pub budget: &'a Budget,
}

impl Effort<'_> {
    /// The limit on states for a program.
    #[must_use]
    pub fn limit(&self, space: &Space<'_>) -> Option<usize> {
        self.max_states.or_else(|| (!space.unbounded().is_empty()).then_some(DEFAULT_LIMIT))
    }
}

/// Something that one state or step can break.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'q> {
    /// A condition on every state.
    Invariant(&'q PropertyQuery),
    /// A mistake.
    Never(&'q MistakeQuery),
}

/// Whether single states decide a property.
#[must_use]
pub fn decided_by_states(space: &Space<'_>, asked: &PropertyQuery) -> bool {
    // Fairness leaves out paths, so not every state that can be reached counts. Of several initial states each must
    // have a path to what is to be found.
    let all_paths = space.scheduling == Scheduling::default();
    let of_branches = all_paths && (!asked.exists || space.initial.len() == 1);
    asked.invariant.is_some() && (asked.formula.logic() == Logic::Ltl || of_branches)
}

/// What the search for all goals found.
#[derive(Debug)]
pub struct SafetyOutcome {
    /// One answer per goal.
    pub answers: Vec<ProgramAnswer>,
    /// The search with all steps, if it saw every state.
    pub whole: Option<Explored>,
}

/// Decides all goals. What is broken is told as it is found, if the search goes on for long after that.
///
/// # Errors
/// If a run cannot be repeated, which is a fault of this program.
pub fn decide(
    space: &Space<'_>,
    goals: &[Goal<'_>],
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
    tell: &mut dyn FnMut(usize, &ProgramAnswer),
) -> Result<SafetyOutcome, Failure> {
    if let Some(reason) = &space.open {
        let left_open = |goal: &Goal<'_>| {
            let mut answer = open(goal);
            answer.verdict.leave_open(reason.clone());
            answer
        };
        let answers = goals.iter().map(left_open).collect();
        return Ok(SafetyOutcome { answers, whole: None });
    }
    if effort.store != Keeping::Exact {
        return Ok(SafetyOutcome { answers: bitstate::decide(space, goals, effort, progress)?, whole: None });
    }
    let seen: Vec<ExprId> = goals.iter().flat_map(|goal| seen_by(goal)).copied().collect();
    let reduced = if effort.reduction { space.reduced(&seen, ReductionKinds::ALL) } else { None };
    let watcher = watcher(space, goals);
    let search = SafetySearch { space, goals, effort, reduced: reduced.as_ref(), watcher: &watcher };
    let mut early = Early { answers: vec![None; goals.len()], next: FIRST_TELLING, failed: None };
    let found = &mut |summary: &Summary, levelled: Levelled<'_>| search.tell_early(summary, levelled, &mut early, tell);
    let (stepper, initial) = search.steps();
    let asked: Vec<(String, String)> = goals.iter().map(open).map(|answer| (answer.name, answer.formula)).collect();
    let what = format!("states {} {} {asked:?}", reduced.is_some(), space.scheduling != Scheduling::default());
    let options = options(space, effort);
    let listeners = Listeners { progress, found };
    let first = kept_searches::search(space, &what, (stepper, &watcher), initial, &options, listeners)?;
    early.failed.map_or(Ok(()), Err)?;
    let open: Vec<usize> = (0..goals.len()).filter(|&at| early.answers[at].is_none()).collect();
    let all_steps = search.with_all_steps(&open, &first.summary, progress);
    let mut answers = Vec::new();
    for (at, early) in early.answers.into_iter().enumerate() {
        let answer = early.map_or_else(|| search.answer(at, &first.summary, first.levelled(), all_steps.as_ref()), Ok);
        answers.push(answer?);
    }
    let whole = (reduced.is_none() && first.summary.complete()).then_some(first);
    Ok(SafetyOutcome { answers, whole })
}

/// What was told before the search has ended.
struct Early {
    answers: Vec<Option<ProgramAnswer>>,
    /// How many states there are to be before something is told again: going back takes time, and much would be told soon anyway.
    next: usize,
    failed: Option<Failure>,
}

/// A search that ends within so many states tells everything at its end.
const FIRST_TELLING: usize = 20_000;

/// One search for all goals.
struct SafetySearch<'s, 'p> {
    space: &'s Space<'p>,
    goals: &'s [Goal<'s>],
    effort: &'s Effort<'s>,
    reduced: Option<&'s ReducedProgram<'p>>,
    watcher: &'s GoalObserver<'s, 'p>,
}

impl<'s, 'p> SafetySearch<'s, 'p> {
    /// The steps that are searched, and where they begin.
    fn steps(&self) -> (&'s Stepper<'p>, &'s [Vec<u32>]) {
        let all = (&self.space.stepper, self.space.initial.as_slice());
        self.reduced.map_or(all, |reduced| (&reduced.stepper, &reduced.initial))
    }

    /// Tells what was found so far and not told.
    fn tell_early(
        &self,
        summary: &Summary,
        levelled: Levelled<'_>,
        early: &mut Early,
        tell: &mut dyn FnMut(usize, &ProgramAnswer),
    ) {
        if levelled.store.len() < early.next || early.failed.is_some() {
            return;
        }
        let is_new = |at: &usize| early.answers[*at].is_none() && self.watcher.wanted[*at].found(summary).is_some();
        let news: Vec<usize> = (0..self.goals.len()).filter(is_new).collect();
        if news.is_empty() {
            return;
        }
        early.next = levelled.store.len().saturating_mul(2);
        let summary = Summary { states: levelled.store.len(), ..summary.clone() };
        let all_steps = self.with_all_steps(&news, &summary, &mut |_| {});
        for at in news {
            match self.answer(at, &summary, levelled, all_steps.as_ref()) {
                Ok(answer) if answer.verdict.is_definite() => {
                    tell(at, &answer);
                    early.answers[at] = Some(answer);
                }
                // It is tried again at the end.
                Ok(_) => {}
                Err(failure) => early.failed = Some(failure),
            }
        }
    }

    /// The search with all steps for the shortest runs to those of these goals that were found with fewer steps.
    fn with_all_steps(&self, goals: &[usize], first: &Summary, progress: &mut dyn FnMut(Progress)) -> Option<Explored> {
        self.reduced?;
        let mut watcher = watcher(self.space, self.goals);
        let wanted = goals.iter().map(|&at| watcher.wanted[at]).filter(|wanted| wanted.found(first).is_some());
        watcher.wanted = wanted.collect();
        if watcher.wanted.is_empty() {
            return None;
        }
        let budget = short_while(self.effort.budget);
        let most = Some(enough(self.space, self.effort, first.states));
        let effort = Effort { budget: &budget, max_states: most, ..*self.effort };
        let listeners = Listeners { progress, found: &mut |_, _| {} };
        Some(search(self.space, &self.space.stepper, &self.space.initial, &watcher, &effort, listeners))
    }

    fn answer(
        &self,
        at: usize,
        first: &Summary,
        levelled: Levelled<'_>,
        all_steps: Option<&Explored>,
    ) -> Result<ProgramAnswer, Failure> {
        let (goal, wanted) = (&self.goals[at], self.watcher.wanted[at]);
        let mut answer = open(goal);
        answer.provenance.reduction = self.reduced.map(|reduced| reduced.kind);
        (answer.cost.states, answer.cost.transitions) = (first.states, first.transitions);
        let full = all_steps.filter(|second| wanted.found(&second.summary).is_some());
        let (summary, levelled) = full.map_or((first, levelled), |full| (&full.summary, full.levelled()));
        let left_out = self.reduced.filter(|_| full.is_none());
        let condition = match wanted {
            WantedFinding::Broken(at) => Some(&self.watcher.conditions[at]),
            WantedFinding::Mistake(_) => None,
        };
        match wanted.found(summary) {
            _ if condition.is_some_and(|condition| condition.eyes.blurred()) => {
                answer.verdict.leave_open(cannot_evaluate());
            }
            Some(found) => match run_to(self.space, goal, found, levelled, left_out, &afterwards(self.effort.budget)) {
                Ok(run) => {
                    answer.verdict.settle(Belnap::False);
                    answer.show_run(Some(run));
                }
                Err(Failure::Stopped(stopped)) => answer.verdict.stop(stopped.0),
                Err(failure) => return Err(failure),
            },
            None => settle(self.space, first, self.effort, &mut answer),
        }
        let exists = matches!(goal, Goal::Invariant(asked) if asked.exists);
        if let (Some(condition), Belnap::True, false) = (condition, answer.value(), exists) {
            condition.warn_if_vacuous(&mut answer);
        }
        if exists {
            answer.verdict.settle(answer.value().not());
        }
        Ok(answer)
    }
}

pub(crate) fn open(goal: &Goal<'_>) -> ProgramAnswer {
    match goal {
        Goal::Invariant(asked) => {
            ProgramAnswer::open(&asked.name, asked.named, &asked.source, asked.formula.logic().name())
        }
        Goal::Never(never) => ProgramAnswer::open(&never.name, true, never.mistake.claim(), "safety"),
    }
}

pub(crate) fn seen_by<'q>(goal: &Goal<'q>) -> &'q [ExprId] {
    match goal {
        Goal::Invariant(asked) => &asked.atoms,
        Goal::Never(_) => &[],
    }
}

pub(crate) fn search(
    space: &Space<'_>,
    stepper: &Stepper<'_>,
    initial: &[Vec<u32>],
    watcher: &GoalObserver<'_, '_>,
    effort: &Effort<'_>,
    listeners: Listeners<'_>,
) -> Explored {
    breadth_first_telling(stepper, watcher, initial, &options(space, effort), listeners)
}

fn options<'e>(space: &Space<'_>, effort: &Effort<'e>) -> Options<'e> {
    Options { threads: effort.threads, max_states: effort.limit(space), stop_at_finding: false, budget: effort.budget }
}

/// The reason of a property whose atoms have no value somewhere.
#[must_use]
pub fn cannot_evaluate() -> Reason {
    Reason {
        what: "an atom of the property has no value in some reachable state (a fault while evaluating it)".to_owned(),
        about: None,
        span: None,
        help: "guard the atom, for example `i < n -> a[i] = 0`".to_owned(),
    }
}

/// Nothing was found: true if everything was seen.
pub(crate) fn settle(space: &Space<'_>, summary: &Summary, effort: &Effort<'_>, answer: &mut ProgramAnswer) {
    for finding in summary.findings.keys() {
        if let Finding::Fault(fault) = finding {
            add(answer, space.fault_reason(fault));
        }
    }
    match summary.stopped {
        None if answer.reasons().is_empty() => answer.verdict.settle(Belnap::True),
        None => {}
        Some(stopped) => {
            answer.stop_if(stop_word(stopped));
            if stopped.0 == StopReason::Count {
                add(answer, Some(space.limit_reason(effort.limit(space).unwrap_or(summary.states))));
            }
        }
    }
}

fn add(answer: &mut ProgramAnswer, reason: Option<Reason>) {
    if let Some(reason) = reason.filter(|reason| !answer.reasons().contains(reason)) {
        answer.verdict.leave_open(reason);
    }
}

/// How many states are looked at for the shortest run, after a search with fewer steps has found some run.
fn enough(space: &Space<'_>, effort: &Effort<'_>, first: usize) -> usize {
    let most = first.saturating_mul(MOST_TIMES).saturating_add(MOST_MORE);
    effort.limit(space).map_or(most, |limit| limit.min(most))
}

/// Before a run of so many steps is made others have their turn: half of what it takes to look for it, repeat it and tell it.
const LONG_RUN: usize = 10_000;
const MICROSECONDS_A_STEP: u64 = 4;

/// The shortest run to a finding.
///
/// # Errors
/// If a limit is reached, or the definition of a step does not repeat it.
pub(crate) fn run_to(
    space: &Space<'_>,
    goal: &Goal<'_>,
    (place, finding): (&FindingPlace, &Finding),
    explored: Levelled<'_>,
    reduced: Option<&ReducedProgram<'_>>,
    budget: &Budget,
) -> Result<Run, Failure> {
    // Somebody else may decide it while a long run would still be looked for, repeated and told.
    if place.depth >= LONG_RUN {
        budget.lets_others_first(place.depth as u64 * MICROSECONDS_A_STEP);
        budget.check()?;
    }
    let stepper = reduced.map_or(&space.stepper, |reduced| &reduced.stepper);
    let rows = shortest_run(stepper, explored, &place.row, place.depth, budget)?;
    let initial = reduced.map_or(&space.initial, |reduced| &reduced.initial);
    if rows.len() != place.depth + 1 || !initial.contains(&rows[0]) {
        return Err(Failure::Internal("a shortest run does not begin in an initial state".to_owned()));
    }
    told(&space.within(budget), goal, finding, &rows, reduced)
}

/// The run through these rows to a finding, by the definition of a step.
pub(crate) fn told(
    space: &Space<'_>,
    goal: &Goal<'_>,
    finding: &Finding,
    rows: &[Vec<u32>],
    reduced: Option<&ReducedProgram<'_>>,
) -> Result<Run, Failure> {
    let states = match (reduced, finding) {
        (Some(reduced), Finding::Fault(fault)) => reduced.follow_to(space, rows, fault)?,
        (Some(reduced), _) => reduced.follow(space, rows)?,
        (None, _) => rows.iter().map(|row| space.state(row)).collect(),
    };
    let run = run::connect(&space.semantics, &states)?;
    match (finding, goal) {
        (Finding::Fault(fault), _) => run::with_fault(&space.semantics, run, fault),
        (Finding::Deadlock, _) => run::with_deadlock(&space.semantics, run),
        (Finding::Broken(_), Goal::Invariant(asked)) if breaks(space, asked, &run)? => Ok(run),
        (Finding::Broken(_), _) => Err(Failure::Internal("the end of a run does not break the property".to_owned())),
    }
}

/// Whether the last state of a run breaks an invariant, by the definition of expressions.
fn breaks(space: &Space<'_>, asked: &PropertyQuery, run: &Run) -> Result<bool, Failure> {
    let (root, holds) = asked.invariant.unwrap_or((asked.formula.root(), true));
    let atoms = observed(space, asked, run.last())?;
    Ok(propositional::value(&asked.formula, root, &atoms, &mut Vec::new()) != holds)
}

/// The atoms' values in a state, by the definition of expressions.
///
/// # Errors
/// If one has none, though it had one before.
pub(crate) fn observed(
    space: &Space<'_>,
    asked: &PropertyQuery,
    state: &tertium_program::State,
) -> Result<Vec<bool>, Failure> {
    let value = |&atom: &ExprId| space.semantics.observe(atom, state).map(|value| value != 0);
    let values: Result<Vec<bool>, _> = asked.atoms.iter().map(value).collect();
    values.map_err(|kind| Failure::Internal(format!("an atom has no value at the end of a run: {}", kind.name())))
}
