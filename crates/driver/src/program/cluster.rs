//! What single states and single runs of a program break, decided by several processes together.
//!
//! Every process has the same program, asks the same and gets the same answers; one of them tells.

use std::time::Instant;

use tertium_base::{Diagnostic, Stopped};
use tertium_cluster::{
    ClusterCheckpoints, ClusterCost, ClusterCycles, ClusterFailure, ClusterOptions, search_with_cycles,
};
use tertium_explore::search::liveness::LivenessOutcome;
use tertium_explore::search::{Finding, Summary};
use tertium_statespace::kept_searches::UNRESUMABLE;
use tertium_statespace::outside::{self, OutsideSearch};

pub use tertium_cluster::{ClusterCheckpoints as Checkpoints, Meeting, Team, hosts};
pub use tertium_explore::search::Progress;
pub use tertium_program::fingerprint::fingerprint;

use super::answer::ProgramAnswer;
use super::asked::{Asked, EveryState};
use super::checkpoints;
use super::explore::Counts;
use super::questions::Question;
use super::safety::Effort;
use super::space::Space;
use crate::failure::Failure;

/// What several processes found.
#[derive(Debug)]
pub struct ClusterOutcome {
    /// What was counted.
    pub counts: Counts,
    /// One answer for each question that single states or single runs decide, in their order.
    pub answers: Vec<ProgramAnswer>,
    /// The names of the other questions.
    pub not_asked: Vec<String>,
    /// What it took.
    pub cost: ClusterCost,
    /// What could not be written down on the way.
    pub unwritten: Option<Diagnostic>,
}

/// Why there is no answer, for the user.
#[must_use]
pub fn told(failure: &ClusterFailure) -> Failure {
    let code = match failure {
        ClusterFailure::Unresumable { .. } => UNRESUMABLE,
        ClusterFailure::Unwritable { .. } => "E0388",
        _ => "E0389",
    };
    let help = match failure {
        ClusterFailure::Lost { .. } => "no answer rests on what is left; start all processes again",
        ClusterFailure::Absent { .. } => {
            "start every process, each with its own `--process`, and see that they can reach each other"
        }
        ClusterFailure::Refused { .. } => "start the same version everywhere, with the same hosts and `--workers`",
        ClusterFailure::Unwritable { .. } => "name a folder that can be written",
        ClusterFailure::Unresumable { .. } => {
            "begin anew with `--checkpoint`, or name the folder, the program, the options and as many processes as it was written with"
        }
        ClusterFailure::Unable { .. } | ClusterFailure::Unreadable { .. } => {
            "see that the address is this machine's and nobody else uses its port"
        }
    };
    Diagnostic::error(code, failure.to_string()).help(help).into()
}

/// What a search for an accepted fair run has found, as on one machine.
fn outcome(found: ClusterCycles) -> Result<LivenessOutcome, Stopped> {
    if let Some(stopped) = found.summary.stopped {
        return Err(stopped);
    }
    let fault = |finding: &Finding| match finding {
        Finding::Fault(fault) => Some(fault.clone()),
        Finding::Deadlock | Finding::Broken(_) => None,
    };
    Ok(LivenessOutcome {
        lasso: found.lasso,
        states: found.summary.states,
        transitions: found.summary.transitions,
        faults: found.summary.findings.keys().filter_map(fault).collect(),
    })
}

/// Decides what single states and single runs break, together with the processes that were met; those must call this too, with the same program and questions.
///
/// # Errors
/// If a process is lost, or a run cannot be repeated.
pub fn decide(
    space: &Space<'_>,
    questions: &[Question],
    meeting: Meeting,
    (effort, checkpoints): (&Effort<'_>, Option<ClusterCheckpoints<'_>>),
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<ClusterOutcome, Failure> {
    let start = Instant::now();
    let asked = Asked::of(space, questions, true);
    let options = ClusterOptions {
        max_states: effort.limit(space),
        budget: effort.budget,
        checkpoints,
        masked_after: ClusterOptions::MASKED_AFTER,
    };
    let (mut meeting, mut counted, mut unwritten) = (Some(meeting), None, None);
    let answers = outside::decide(space, (&asked.goals, &asked.linear), effort, &mut |observer, products| {
        let meeting = meeting.take().ok_or_else(|| Failure::Internal("a meeting ends once".to_owned()))?;
        let wanted = |summary: &Summary| observer.nearest(summary);
        let searched = (&space.stepper, &EveryState(observer));
        let (found, cycles) =
            search_with_cycles(meeting, searched, &space.initial, &wanted, products, &options, progress)
                .map_err(|failure| told(&failure))?;
        let cost = cycles.iter().fold(found.cost, |cost, cycles| cost.and(cycles.cost));
        counted = Some((found.summary.clone(), found.errors, cost));
        unwritten = found.unwritten.or_else(|| cycles.iter().find_map(|cycles| cycles.unwritten.clone()));
        let cycles = cycles.into_iter().map(outcome).collect();
        Ok(OutsideSearch { summary: found.summary, runs: found.runs, cycles })
    })?;
    let (summary, errors, cost) = counted.ok_or_else(|| Failure::Internal("nothing was searched".to_owned()))?;
    let counts = Counts::of(space, &summary, errors, effort, (start.elapsed(), cost.bytes));
    let unwritten =
        unwritten.zip(checkpoints).map(|(why, checkpoints)| checkpoints::unwritten(checkpoints.folder, &why));
    Ok(ClusterOutcome { counts, answers: asked.in_order(answers), not_asked: asked.not_asked(), cost, unwritten })
}
