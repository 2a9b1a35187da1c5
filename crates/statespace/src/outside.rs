//! Goals and linear properties decided by a search that somebody else does, with the runs that it found.

use std::collections::BTreeMap;

use tertium_base::Stopped;
use tertium_cegar::answer::{ProgramAnswer, Reason};
use tertium_evidence::Technique;
use tertium_explore::search::liveness::{LivenessOutcome, MOST_CONDITIONS, ProductRows};
use tertium_explore::search::{Finding, Summary};
use tertium_lattice::{Belnap, TruthValue};
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;

use super::linear::{self, FormulaMonitor, LinearQuestion};
use super::safety::{self, Effort, Goal, GoalObserver, WantedFinding};
use super::space::{Space, Stepper};

/// What such a search found.
#[derive(Clone, Debug)]
pub struct OutsideSearch {
    /// What was seen, with all steps.
    pub summary: Summary,
    /// A shortest run to each finding of [`GoalObserver::nearest`], as rows from an initial one on; none where a limit was reached while it was looked for.
    pub runs: BTreeMap<Finding, Vec<Vec<u32>>>,
    /// What was found for each product, or the limit that was reached before.
    pub cycles: Vec<Result<LivenessOutcome, Stopped>>,
}

/// The product of a program and the automaton of what breaks a linear property.
pub type FormulaProduct<'q, 'p> = ProductRows<'q, Stepper<'p>, FormulaMonitor<'q, 'p>>;

/// A search that shows every state to an observer and looks for accepted fair runs of products.
pub type SearchElsewhere<'f, 'p> =
    dyn FnMut(&GoalObserver<'_, '_>, &[FormulaProduct<'_, 'p>]) -> Result<OutsideSearch, Failure> + 'f;

/// The answers to goals and to linear properties, in their order.
pub type OutsideAnswers = (Vec<ProgramAnswer>, Vec<ProgramAnswer>);

impl GoalObserver<'_, '_> {
    /// The nearest finding for each goal that is broken.
    #[must_use]
    pub fn nearest(&self, summary: &Summary) -> Vec<Finding> {
        let mut found: Vec<Finding> =
            self.wanted.iter().filter_map(|wanted| wanted.found(summary)).map(|(_, finding)| finding.clone()).collect();
        found.sort();
        found.dedup();
        found
    }
}

/// Decides all goals and linear properties by what `search` finds; it shows every state to the observer that it gets, and looks for accepted fair runs of the products.
///
/// # Errors
/// If the search fails, or a run cannot be repeated, which is a fault of this program.
pub fn decide<'p>(
    space: &Space<'p>,
    (goals, linear): (&[Goal<'_>], &[&PropertyQuery]),
    effort: &Effort<'_>,
    search: &mut SearchElsewhere<'_, 'p>,
) -> Result<OutsideAnswers, Failure> {
    let watcher = safety::watcher(space, goals);
    let mut asked = linear.iter().map(|asked| linear::ask(space, asked, effort)).collect::<Result<Vec<_>, _>>()?;
    for (answer, question) in &mut asked {
        answer.provenance.technique = Technique::OneWayCatchThemYoung;
        let is_too_much =
            |asked: &LinearQuestion<'_, '_>| ProductRows::new(&space.stepper, &asked.watched, &asked.fair).is_none();
        if question.as_ref().is_some_and(is_too_much) {
            answer.verdict.leave_open(too_many_conditions());
            *question = None;
        }
    }
    let asked_for = asked.iter().filter_map(|(_, question)| question.as_ref());
    let products: Vec<FormulaProduct<'_, 'p>> =
        asked_for.filter_map(|asked| ProductRows::new(&space.stepper, &asked.watched, &asked.fair)).collect();
    let found = search(&watcher, &products)?;
    drop(products);
    let mut cycles = found.cycles.clone().into_iter();
    let mut linear = Vec::new();
    for (mut answer, question) in asked {
        if let Some(question) = question {
            match cycles.next() {
                Some(Ok(outcome)) => question.settle(&mut answer, None, (outcome, None), &mut |_| {})?,
                Some(Err(stopped)) => question.stop(stopped, &mut answer),
                None => return Err(Failure::Internal("a product was not searched".to_owned())),
            }
        }
        linear.push(answer);
    }
    let decided = goals.iter().zip(&watcher.wanted);
    let goals = decided.map(|(goal, &wanted)| answer(space, goal, effort, (&watcher, wanted), &found));
    Ok((goals.collect::<Result<_, _>>()?, linear))
}

fn too_many_conditions() -> Reason {
    Reason {
        what: format!("the property and the fair processes are more than {MOST_CONDITIONS} conditions"),
        about: None,
        span: None,
        help: "`tertium check` decides it on one machine".to_owned(),
    }
}

fn answer(
    space: &Space<'_>,
    goal: &Goal<'_>,
    effort: &Effort<'_>,
    (watcher, wanted): (&GoalObserver<'_, '_>, WantedFinding),
    found: &OutsideSearch,
) -> Result<ProgramAnswer, Failure> {
    let mut answer = safety::open(goal);
    (answer.cost.states, answer.cost.transitions) = (found.summary.states, found.summary.transitions);
    let condition = match wanted {
        WantedFinding::Broken(at) => Some(&watcher.conditions[at]),
        WantedFinding::Mistake(_) => None,
    };
    match (&space.open, wanted.found(&found.summary)) {
        (Some(reason), _) => answer.verdict.leave_open(reason.clone()),
        _ if condition.is_some_and(|condition| condition.eyes.blurred()) => {
            answer.verdict.leave_open(safety::cannot_evaluate());
        }
        (None, Some((place, finding))) => match found.runs.get(finding) {
            Some(rows) if rows.len() == place.depth + 1 && space.initial.contains(&rows[0]) => {
                let run = safety::told(space, goal, finding, rows, None)?;
                answer.verdict.settle(Belnap::False);
                answer.show_run(Some(run));
            }
            Some(_) => return Err(Failure::Internal("a shortest run does not begin in an initial state".to_owned())),
            // The search itself says that it was stopped, or was by the time that runs were looked for.
            None => answer.verdict.stop(found.summary.stopped.map_or(tertium_base::StopReason::Time, |why| why.0)),
        },
        (None, None) => safety::settle(space, &found.summary, effort, &mut answer),
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
