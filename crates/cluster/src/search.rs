//! Breadth-first search with states by owner (after Stern and Dill 1997).
//!
//! A hash of the row says which process a state belongs to; that one keeps it. A level is a round, or several: the threads of a process expand its states of the level, keep
//! what is its own and send the rest to the owners. Between rounds every process tells all others what was found, so that all decide alike whether to
//! go on. Whatever is reported is the least by content, as in the search on one machine, so the answers are the same for any number of processes and threads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tertium_base::{Budget, StopReason, Stopped};
use tertium_explore::search::{Finding, Observer, Progress, Summary};
use tertium_explore::successors::RowSuccessors;

use crate::checkpoints::{ClusterCheckpoints, STATES};
use crate::failure::ClusterFailure;
use crate::own_states::OwnStates;
use crate::rounds::Rounds;

/// When to end early, and when to look what varies.
#[derive(Clone, Debug)]
pub struct ClusterOptions<'a> {
    /// More states than this, of all processes together, end the search after a level.
    pub max_states: Option<usize>,
    /// Time, memory, and the user's patience, of this process.
    pub budget: &'a Budget,
    /// Where this process writes down its parts of the states.
    pub checkpoints: Option<ClusterCheckpoints<'a>>,
    /// Rows may be masked once all processes together have so many states.
    pub masked_after: usize,
}

impl ClusterOptions<'_> {
    /// With fewer states it is not worth its time, and what varies was not seen yet.
    pub const MASKED_AFTER: usize = 1 << 17;
}

/// What the search took, of all processes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterCost {
    /// How many threads there were.
    pub workers: usize,
    /// Bytes in the stores.
    pub bytes: usize,
    /// States that were sent to another process.
    pub rows_sent: usize,
    /// Bytes that went from one process to another.
    pub network: usize,
    /// How often all processes agreed which bits of rows are stored.
    pub masks: usize,
}

impl ClusterCost {
    /// The cost of two searches one after the other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            workers: self.workers,
            bytes: self.bytes.max(other.bytes),
            rows_sent: self.rows_sent + other.rows_sent,
            network: self.network + other.network,
            masks: self.masks.max(other.masks),
        }
    }
}

/// A search that has ended.
#[derive(Clone, Debug)]
pub struct ClusterSearch {
    /// What was seen.
    pub summary: Summary,
    /// A shortest run to each finding that was wanted, as rows from an initial one on.
    pub runs: BTreeMap<Finding, Vec<Vec<u32>>>,
    /// Steps that go wrong, without those that only could not be computed.
    pub errors: usize,
    /// What it took.
    pub cost: ClusterCost,
    /// Why somebody could not write its part down on the way.
    pub unwritten: Option<String>,
}

/// What is asked, and what everybody knows without being told.
pub(crate) struct Question<'q, S, O> {
    pub successors: &'q S,
    pub observer: &'q O,
    pub initial: &'q [Vec<u32>],
    /// The findings to which runs are wanted, once the search has ended.
    pub wanted: &'q (dyn Fn(&Summary) -> Vec<Finding> + Sync),
    pub options: &'q ClusterOptions<'q>,
}

/// What a process tells at the end.
#[derive(Debug, Serialize, Deserialize)]
struct FinalReport {
    transitions: usize,
    deadlocks: usize,
    faults: usize,
    errors: usize,
    bytes: usize,
    rows_sent: usize,
    network: usize,
    remarks: Vec<u64>,
    unwritten: Option<String>,
}

static REASONS: [StopReason; 4] = [StopReason::Time, StopReason::Memory, StopReason::Interrupted, StopReason::Count];

pub(crate) fn number_of(stopped: Stopped) -> u8 {
    match stopped.0 {
        StopReason::Time => 0,
        StopReason::Memory => 1,
        StopReason::Interrupted => 2,
        StopReason::Count => 3,
    }
}

/// The reason with this number. One that nobody knows is a reason to stop all the same.
pub(crate) fn reason_of(number: u8) -> StopReason {
    REASONS.get(usize::from(number)).copied().unwrap_or(StopReason::Interrupted)
}

/// Takes part in a search with the states that belong to this process.
pub(crate) fn take_part<S: RowSuccessors, O: Observer>(
    rounds: &mut Rounds<'_>,
    question: &Question<'_, S, O>,
    network: &dyn Fn() -> u64,
    progress: &mut dyn FnMut(Progress),
) -> Result<ClusterSearch, ClusterFailure> {
    let mut own = OwnStates::new(question, rounds);
    let sent_before = network();
    own.explore(STATES, rounds, progress)?;
    let (errors, cost) = own.add_up(rounds, network() - sent_before)?;
    let mut runs = BTreeMap::new();
    for finding in (question.wanted)(&own.told) {
        let Some(place) = own.told.findings.get(&finding) else { continue };
        let (depth, row) = (place.depth, place.row.clone());
        if let Some(run) = own.shortest_run(rounds, depth, row)? {
            runs.insert(finding, run);
        }
    }
    Ok(ClusterSearch { summary: own.told, runs, errors, cost, unwritten: own.unwritten })
}

impl<S: RowSuccessors, O: Observer> OwnStates<'_, S, O> {
    /// Adds up what all processes have counted; the steps that go wrong, and what it took.
    pub fn add_up(&mut self, rounds: &mut Rounds<'_>, network: u64) -> Result<(usize, ClusterCost), ClusterFailure> {
        let reports = rounds.gather(self.final_report(network))?;
        let (workers, masks) = (rounds.peers() * rounds.threads(), self.masks.made());
        let mut cost = ClusterCost { workers, masks, ..ClusterCost::default() };
        for report in &reports {
            self.told.transitions += report.transitions;
            self.told.deadlocks += report.deadlocks;
            self.told.faults += report.faults;
            cost.bytes += report.bytes;
            cost.rows_sent += report.rows_sent;
            cost.network += report.network;
            self.question.observer.absorb(&report.remarks);
            self.unwritten = self.unwritten.take().or_else(|| report.unwritten.clone());
        }
        Ok((reports.iter().map(|report| report.errors).sum(), cost))
    }

    fn final_report(&self, network: u64) -> FinalReport {
        FinalReport {
            transitions: self.summary.transitions,
            deadlocks: self.summary.deadlocks,
            faults: self.summary.faults,
            errors: self.errors,
            bytes: self.store.bytes(),
            rows_sent: self.rows_sent,
            network: usize::try_from(network).unwrap_or(usize::MAX),
            remarks: self.question.observer.remarks(),
            unwritten: self.part.as_ref().and_then(|part| part.unwritten.clone()),
        }
    }
}
