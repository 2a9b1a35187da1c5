//! Which of the things that a single state or step can break are broken?
//!
//! All of them are looked for in one breadth-first search. Where fewer steps are enough to tell whether something is
//! broken, they are searched first; the shortest run then comes from a search with all steps, so that it does not
//! depend on what was left out. Only if that takes far too many states the run with fewer steps is told, with all its steps.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tertium_base::{Budget, StopReason, Stopped};
use tertium_explore::reduction::ReductionKinds;
use tertium_explore::search::breadth::{Explored, Options, breadth_first};
use tertium_explore::search::run::shortest_run;
use tertium_explore::search::{Finding, Observer, Place, Progress, Summary};
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, NodeId};
use tertium_program::ExprId;

pub use tertium_explore::store::Keeping;

use super::answer::{ProgramAnswer, Reason, Vacuity};
use super::atom_values::{AtomEvaluator, AtomScratch};
use super::bitstate;
use super::propositional;
use super::questions::{Mistake, PropertyQuery};
use super::reduced_program::ReducedProgram;
use super::run::{self, Run};
use super::space::{Space, Stepper, stop_word};
use crate::failure::Failure;
use crate::vacuity;

/// Programs with unbounded variables are explored up to this many states unless the user says otherwise.
pub const DEFAULT_LIMIT: usize = 1_000_000;

/// The shortest run is looked for among so many times the states that a search with fewer steps needed, and some more.
pub(super) const MOST_TIMES: usize = 8;
pub(super) const MOST_MORE: usize = 500_000;

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
    Never(Mistake),
}

/// A condition on states with what it takes to evaluate it.
pub(super) struct Condition<'s, 'p> {
    formula: &'s Formula,
    root: NodeId,
    holds: bool,
    pub eyes: AtomEvaluator<'s, 'p>,
    /// Its implications.
    implications: Vec<Implication>,
}

/// `a -> b`, as a part of a condition.
struct Implication {
    node: NodeId,
    antecedent: NodeId,
    /// Whether the condition is broken somewhere if `!a` stands in its place. Otherwise `b` does not matter.
    matters: AtomicBool,
}

impl Condition<'_, '_> {
    fn warn_if_vacuous(&self, answer: &mut ProgramAnswer) {
        answer.vacuity = Vacuity::NotFound;
        for implication in self.implications.iter().filter(|implication| !implication.matters.load(Ordering::Relaxed)) {
            let text = self.formula.text_of(implication.antecedent, LONGEST_PART);
            answer.vacuity = Vacuity::Vacuous;
            answer.warnings.push(vacuity::never_matters(&text));
        }
    }
}

/// Longer sub-formulas in warnings are cut.
const LONGEST_PART: usize = 200;

/// Looks at states for all goals.
pub(super) struct GoalObserver<'s, 'p> {
    pub conditions: Vec<Condition<'s, 'p>>,
    /// What is searched for: positions of conditions, and mistakes.
    pub wanted: Vec<WantedFinding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedFinding {
    Broken(usize),
    Mistake(Mistake),
}

impl WantedFinding {
    fn matches(self, finding: &Finding) -> bool {
        match (self, finding) {
            (Self::Broken(wanted), Finding::Broken(found)) => wanted == *found,
            (Self::Mistake(Mistake::Deadlock | Mistake::EndState), Finding::Deadlock) => true,
            (Self::Mistake(mistake), Finding::Fault(fault)) => Mistake::of(&fault.kind) == Some(mistake),
            _ => false,
        }
    }

    /// The nearest place, and of those the least.
    pub fn found(self, summary: &Summary) -> Option<(&Place, &Finding)> {
        let found = summary.findings.iter().filter(|(finding, _)| self.matches(finding));
        found.map(|(finding, place)| (place, finding)).min()
    }
}

impl Observer for GoalObserver<'_, '_> {
    type Scratch = Vec<(AtomScratch, Vec<bool>, Vec<bool>)>;

    fn scratch(&self) -> Self::Scratch {
        self.conditions.iter().map(|condition| (condition.eyes.room(), Vec::new(), Vec::new())).collect()
    }

    fn look(&self, row: &[u32], scratch: &mut Self::Scratch, broken: &mut dyn FnMut(usize)) {
        for (at, (condition, (room, nodes, others))) in self.conditions.iter().zip(scratch).enumerate() {
            condition.eyes.look(row, room);
            if propositional::value(condition.formula, condition.root, &room.values, nodes) != condition.holds {
                broken(at);
            }
            for implication in &condition.implications {
                if !nodes[implication.antecedent.index()] || implication.matters.load(Ordering::Relaxed) {
                    continue;
                }
                let (formula, node) = (condition.formula, Some(implication.node));
                let without = propositional::value_without(formula, condition.root, &room.values, node, others);
                if without != condition.holds {
                    implication.matters.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    fn is_enough(&self, summary: &Summary) -> bool {
        !self.wanted.is_empty() && self.wanted.iter().all(|wanted| wanted.found(summary).is_some())
    }
}

/// What the search for all goals found.
#[derive(Debug)]
pub struct Outcome {
    /// One answer per goal.
    pub answers: Vec<ProgramAnswer>,
    /// The search with all steps, if it saw every state.
    pub whole: Option<Explored>,
}

/// Decides all goals.
///
/// # Errors
/// If a run cannot be repeated, which is a fault of this program.
pub fn decide(
    space: &Space<'_>,
    goals: &[Goal<'_>],
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, Failure> {
    if let Some(reason) = &space.open {
        let left_open = |goal: &Goal<'_>| {
            let mut answer = open(goal);
            answer.verdict.leave_open(reason.clone());
            answer
        };
        let answers = goals.iter().map(left_open).collect();
        return Ok(Outcome { answers, whole: None });
    }
    if effort.store != Keeping::Exact {
        return Ok(Outcome { answers: bitstate::decide(space, goals, effort, progress)?, whole: None });
    }
    let mut watcher = watcher(space, goals);
    let wanted = watcher.wanted.clone();
    let seen: Vec<ExprId> = goals.iter().flat_map(|goal| seen_by(goal)).copied().collect();
    let reduced = if effort.reduction { space.reduced(&seen, ReductionKinds::ALL) } else { None };
    let (stepper, initial) =
        reduced.as_ref().map_or((&space.stepper, &space.initial), |reduced| (&reduced.stepper, &reduced.initial));
    let first = search(space, stepper, initial, &watcher, effort, progress);
    let mut second = None;
    if reduced.is_some() {
        watcher.wanted.retain(|wanted| wanted.found(&first.summary).is_some());
        if !watcher.wanted.is_empty() {
            let budget = short_while(effort.budget);
            let effort = Effort { budget: &budget, max_states: Some(enough(space, effort, &first)), ..*effort };
            second = Some(search(space, &space.stepper, &space.initial, &watcher, &effort, progress));
        }
    }
    let mut answers = Vec::new();
    for (goal, wanted) in goals.iter().zip(&wanted) {
        let mut answer = open(goal);
        answer.provenance.reduction = reduced.as_ref().map(|reduced| reduced.kind);
        (answer.cost.states, answer.cost.transitions) = (first.summary.states, first.summary.transitions);
        let full = second.as_ref().filter(|second| wanted.found(&second.summary).is_some());
        let explored = full.unwrap_or(&first);
        let left_out = reduced.as_ref().filter(|_| full.is_none());
        let blurred = matches!(wanted, WantedFinding::Broken(at) if watcher.conditions[*at].eyes.blurred());
        match wanted.found(&explored.summary) {
            _ if blurred => answer.verdict.leave_open(cannot_evaluate()),
            Some((place, finding)) => {
                match run_to(space, goal, (place, finding), explored, left_out, &afterwards(effort.budget)) {
                    Ok(run) => {
                        answer.verdict.settle(Belnap::False);
                        answer.show_run(Some(run));
                    }
                    Err(Failure::Stopped(stopped)) => answer.verdict.stop(stopped.0),
                    Err(failure) => return Err(failure),
                }
            }
            None => settle(space, &first.summary, effort, &mut answer),
        }
        if let WantedFinding::Broken(at) = wanted
            && answer.value() == Belnap::True
        {
            watcher.conditions[*at].warn_if_vacuous(&mut answer);
        }
        if matches!(goal, Goal::Invariant(asked) if asked.exists) {
            answer.verdict.settle(answer.value().not());
        }
        answers.push(answer);
    }
    let whole = (reduced.is_none() && first.summary.complete()).then_some(first);
    Ok(Outcome { answers, whole })
}

pub(super) fn open(goal: &Goal<'_>) -> ProgramAnswer {
    match goal {
        Goal::Invariant(asked) => {
            ProgramAnswer::open(&asked.name, asked.named, &asked.source, asked.formula.logic().name())
        }
        Goal::Never(mistake) => ProgramAnswer::open(mistake.name(), true, mistake.claim(), "safety"),
    }
}

pub(super) fn seen_by<'q>(goal: &Goal<'q>) -> &'q [ExprId] {
    match goal {
        Goal::Invariant(asked) => &asked.atoms,
        Goal::Never(_) => &[],
    }
}

pub(super) fn watcher<'s, 'p>(space: &'s Space<'p>, goals: &[Goal<'s>]) -> GoalObserver<'s, 'p> {
    let mut watcher = GoalObserver { conditions: Vec::new(), wanted: Vec::new() };
    for goal in goals {
        watcher.wanted.push(match goal {
            Goal::Never(mistake) => WantedFinding::Mistake(*mistake),
            Goal::Invariant(asked) => {
                let (root, holds) = asked.invariant.unwrap_or((asked.formula.root(), true));
                let eyes = AtomEvaluator::new(&space.semantics, space.plain.packing(), &asked.atoms);
                let implications = (vacuity::implications(&asked.formula).into_iter())
                    .map(|(node, antecedent)| Implication { node, antecedent, matters: AtomicBool::new(false) })
                    .collect();
                watcher.conditions.push(Condition { formula: &asked.formula, root, holds, eyes, implications });
                WantedFinding::Broken(watcher.conditions.len() - 1)
            }
        });
    }
    watcher
}

pub(super) fn search(
    space: &Space<'_>,
    stepper: &Stepper<'_>,
    initial: &[Vec<u32>],
    watcher: &GoalObserver<'_, '_>,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Explored {
    let options = Options {
        threads: effort.threads,
        max_states: effort.limit(space),
        stop_at_finding: false,
        budget: effort.budget,
    };
    breadth_first(stepper, watcher, initial, &options, progress)
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
pub(super) fn settle(space: &Space<'_>, summary: &Summary, effort: &Effort<'_>, answer: &mut ProgramAnswer) {
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

/// The budget itself while time is left, else a little more, to look for the shortest run to what is already known.
fn short_while(budget: &Budget) -> Budget {
    if budget.check().is_ok() {
        return budget.clone();
    }
    let grace = budget.elapsed().min(a_moment(budget) / 2);
    Budget::unlimited().with_time(Some(grace)).with_memory(budget.memory_limit())
}

/// What was found in time is told even if the time is then up: going back costs at most as much as the search did. Where time is
/// limited, it has to be done before the run is ended from outside; elsewhere the clock has no say in it.
pub(super) fn afterwards(budget: &Budget) -> Budget {
    let grace = match (budget.time_left(), budget.check()) {
        (_, Err(Stopped(StopReason::Interrupted))) => Duration::from_secs(2),
        (Some(left), _) => left + a_moment(budget),
        (None, _) => {
            return Budget::unlimited().with_effort(Some(budget.effort().saturating_mul(2).max(LEAST_AFTERWARDS)));
        }
    };
    Budget::unlimited().with_time(Some(grace))
}

/// Looks at the budget that going back may take however short the search was.
const LEAST_AFTERWARDS: u64 = 20_000;

/// So much later than its limit a run may end.
fn a_moment(budget: &Budget) -> Duration {
    Duration::from_millis(300) + budget.time_limit().unwrap_or_default() / 25
}

/// How many states are looked at for the shortest run, after a search with fewer steps has found some run.
fn enough(space: &Space<'_>, effort: &Effort<'_>, first: &Explored) -> usize {
    let most = first.summary.states.saturating_mul(MOST_TIMES).saturating_add(MOST_MORE);
    effort.limit(space).map_or(most, |limit| limit.min(most))
}

pub(super) fn run_to(
    space: &Space<'_>,
    goal: &Goal<'_>,
    (place, finding): (&Place, &Finding),
    explored: &Explored,
    reduced: Option<&ReducedProgram<'_>>,
    budget: &Budget,
) -> Result<Run, Failure> {
    let stepper = reduced.map_or(&space.stepper, |reduced| &reduced.stepper);
    let rows = shortest_run(stepper, explored, &place.row, place.depth, budget)?;
    let initial = reduced.map_or(&space.initial, |reduced| &reduced.initial);
    if rows.len() != place.depth + 1 || !initial.contains(&rows[0]) {
        return Err(Failure::Internal("a shortest run does not begin in an initial state".to_owned()));
    }
    if space.semantics.budget().check().is_ok() {
        return told(space, goal, finding, &rows, reduced);
    }
    told(&space.within(budget), goal, finding, &rows, reduced)
}

/// The run through these rows to a finding, by the definition of a step.
pub(super) fn told(
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
pub(super) fn observed(
    space: &Space<'_>,
    asked: &PropertyQuery,
    state: &tertium_program::State,
) -> Result<Vec<bool>, Failure> {
    let value = |&atom: &ExprId| space.semantics.observe(atom, state).map(|value| value != 0);
    let values: Result<Vec<bool>, _> = asked.atoms.iter().map(value).collect();
    values.map_err(|kind| Failure::Internal(format!("an atom has no value at the end of a run: {}", kind.name())))
}
