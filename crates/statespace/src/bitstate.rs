//! Bitstate hashing and hash compaction: what can be said with a store that may take a state for another one?
//!
//! That something is broken: the run that the search followed is repeated by the definition of a step. Never that all is
//! well: states may have been overlooked, so the answer is unknown, and says how many states were probably seen.

use tertium_base::StopReason;
use tertium_cegar::answer::{ProgramAnswer, Reason};
use tertium_evidence::provenance::{Engine, Provenance, Technique};
use tertium_explore::reduction::ReductionKinds;
use tertium_explore::search::breadth::{Listeners, Options};
use tertium_explore::search::compaction::{CompactSearch, compact_search};
use tertium_explore::search::{Finding, Progress};
use tertium_explore::store::Keeping;
use tertium_lattice::{Belnap, TruthValue};
use tertium_load::failure::Failure;
use tertium_program::ExprId;

use super::grace::afterwards;
use super::safety::{self, Effort, Goal, MOST_MORE, WantedFinding};
use super::space::{Space, stop_word};

/// Decides what it can of all goals.
///
/// # Errors
/// If a run cannot be repeated, which is a fault of this program.
pub(crate) fn decide(
    space: &Space<'_>,
    goals: &[Goal<'_>],
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<ProgramAnswer>, Failure> {
    let mut watcher = safety::watcher(space, goals);
    let wanted = watcher.wanted.clone();
    let seen: Vec<ExprId> = goals.iter().flat_map(|goal| safety::seen_by(goal)).copied().collect();
    let reduced = if effort.reduction { space.reduced(&seen, ReductionKinds::ALL) } else { None };
    let (stepper, initial) =
        reduced.as_ref().map_or((&space.stepper, &space.initial), |reduced| (&reduced.stepper, &reduced.initial));
    let options =
        Options { threads: 1, max_states: effort.limit(space), stop_at_finding: false, budget: effort.budget };
    let found = compact_search(stepper, &watcher, initial, effort.store, &options, progress);
    watcher.wanted.retain(|wanted| wanted.found(&found.summary).is_some());
    // A search that keeps everything, but not much of it, may know shorter runs.
    let near = (!watcher.wanted.is_empty()).then(|| {
        let few = effort.limit(space).map_or(MOST_MORE, |limit| limit.min(MOST_MORE));
        let effort = Effort { store: Keeping::Exact, max_states: Some(few), ..*effort };
        let listeners = Listeners { progress, found: &mut |_, _| {} };
        safety::search(space, &space.stepper, &space.initial, &watcher, &effort, listeners)
    });
    let mut answers = Vec::new();
    for (goal, wanted) in goals.iter().zip(&wanted) {
        let mut answer = safety::open(goal);
        answer.provenance =
            Provenance::new(Engine::Explore, kept(effort.store)).reduced(reduced.as_ref().map(|reduced| reduced.kind));
        (answer.cost.states, answer.cost.transitions) = (found.summary.states, found.summary.transitions);
        let blurred = matches!(wanted, WantedFinding::Broken(at) if watcher.conditions[*at].eyes.blurred());
        let nearest = near.as_ref().and_then(|near| Some((near, wanted.found(&near.summary)?)));
        match (wanted.found(&found.summary), nearest) {
            _ if blurred => answer.verdict.leave_open(safety::cannot_evaluate()),
            (Some(_), Some((near, place))) => {
                let run = safety::run_to(space, goal, place, near.levelled(), None, &afterwards(effort.budget))?;
                answer.verdict.settle(Belnap::False);
                answer.show_run(Some(run));
            }
            (Some((_, finding)), None) => {
                let rows = found.runs.get(finding).ok_or_else(no_run)?;
                let run = safety::told(space, goal, finding, rows, reduced.as_ref())?;
                answer.verdict.settle(Belnap::False);
                answer.show_run(Some(run));
            }
            (None, _) => leave_open(space, &found, effort, &mut answer),
        }
        if matches!(goal, Goal::Invariant(asked) if asked.exists) {
            answer.verdict.settle(answer.value().not());
        }
        answers.push(answer);
    }
    Ok(answers)
}

/// The technique of a search that keeps so little of each state.
const fn kept(store: Keeping) -> Technique {
    match store {
        Keeping::Bits => Technique::Bitstate,
        _ => Technique::HashCompaction,
    }
}

fn no_run() -> Failure {
    Failure::Internal("a finding has no run".to_owned())
}

/// Nothing was found, which proves nothing.
fn leave_open(space: &Space<'_>, found: &CompactSearch, effort: &Effort<'_>, answer: &mut ProgramAnswer) {
    for finding in found.summary.findings.keys() {
        if let Finding::Fault(fault) = finding
            && let Some(reason) = space.fault_reason(fault)
            && !answer.reasons().contains(&reason)
        {
            answer.verdict.leave_open(reason);
        }
    }
    match found.summary.stopped {
        Some(stopped) if stopped.0 == StopReason::Count => {
            answer.verdict.leave_open(space.limit_reason(effort.limit(space).unwrap_or(found.summary.states)));
        }
        Some(stopped) => answer.stop_if(stop_word(stopped)),
        None => answer.verdict.leave_open(not_proved(effort.store, found.summary.states, found.coverage)),
    }
}

/// What it means that nothing was found.
#[must_use]
pub fn not_proved(store: Keeping, states: usize, coverage: f64) -> Reason {
    let kept = match store {
        Keeping::Bits => "three bits",
        _ => "64 bits",
    };
    Reason {
        what: format!(
            "no violation found in {states} states, which is no proof: the store keeps {kept} of a state and may take one \
             for another; an estimated {} of the states were seen",
            percentage(coverage)
        ),
        about: None,
        span: None,
        help: "`--store exact` keeps every state and decides".to_owned(),
    }
}

/// What it means for a count of states.
#[must_use]
pub fn few_kept(store: Keeping, coverage: f64) -> Reason {
    let kept = match store {
        Keeping::Bits => "three bits",
        _ => "64 bits",
    };
    Reason {
        what: format!(
            "the store keeps {kept} of a state and may take one for another; an estimated {} of the states were seen",
            percentage(coverage)
        ),
        about: None,
        span: None,
        help: "`--store exact` counts all of them".to_owned(),
    }
}

/// A part as a percentage that never claims all.
fn percentage(part: f64) -> String {
    match part {
        _ if part > 0.999_999 => "more than 99.9999 %".to_owned(),
        _ if part > 0.99 => format!("{:.4} %", part * 100.0),
        _ => format!("{:.0} %", part * 100.0),
    }
}

/// Why a question cannot be answered with such a store at all.
#[must_use]
pub fn needs_exact(what: &str) -> Reason {
    Reason {
        what: format!("{what} cannot be decided with a store that may take a state for another one"),
        about: None,
        span: None,
        help: "leave out `--store`, or choose `--store exact`".to_owned(),
    }
}
