//! Breadth-first search with states by owner (after Stern and Dill 1997).
//!
//! A hash of the row says which worker a state belongs to; that one keeps it. A level is a round: a worker expands its states of the level, keeps
//! what is its own and sends the rest to the owners. Between levels everybody tells everybody what was found, so that all decide alike whether to
//! go on. Whatever is reported is the least by content, as in the search on one machine, so the answers are the same for any number of workers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tertium_base::narrow::{folded, to_u32};
use tertium_base::{Budget, StopReason, Stopped};
use tertium_explore::rows::{RowReader, RowWriter, UnreadableRow};
use tertium_explore::search::{Finding, Observer, Progress, Summary};
use tertium_explore::store::{Branches, StateStore};
use tertium_explore::successors::{Expansion, RowSuccessors};

use crate::checkpoints::{ClusterCheckpoints, PartFile, STATES};
use crate::failure::ClusterFailure;
use crate::groups::{ARRIVALS, Arrivals, GROUP, Group};
use crate::rounds::Rounds;

/// Rows for one worker are sent when they have so many bytes.
pub(crate) const PACKET: usize = 1 << 14;
/// After so many states a worker looks what has arrived.
pub(crate) const STATES_PER_LOOK: usize = 64;
/// So many rows that were sent lately are not sent again.
const LATELY: usize = 1 << 12;

/// When to end early.
#[derive(Clone, Debug)]
pub struct ClusterOptions<'a> {
    /// More states than this, of all workers together, end the search after a level.
    pub max_states: Option<usize>,
    /// Time, memory, and the user's patience, of this process.
    pub budget: &'a Budget,
    /// Where this process writes down its parts of the states.
    pub checkpoints: Option<ClusterCheckpoints<'a>>,
}

/// What the search took, of all processes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterCost {
    /// How many workers there were.
    pub workers: usize,
    /// Bytes in their stores.
    pub bytes: usize,
    /// Rows that were sent to another worker.
    pub rows_sent: usize,
    /// Bytes that went from one process to another.
    pub network: usize,
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

/// What a worker tells after each level.
#[derive(Debug, Serialize, Deserialize)]
struct LevelReport {
    /// States of the next level.
    fresh: usize,
    states: usize,
    stopped: Option<u8>,
    /// Whether everybody is to write its part down now; that of the first worker counts.
    is_due: bool,
    /// Where something was found, or found nearer: depth and row.
    places: Vec<(usize, Vec<u32>)>,
}

/// What a worker tells at the end.
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

/// All bits of a row in 64.
pub(crate) fn hash(row: &[u32]) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64 ^ row.len() as u64;
    for &word in row {
        let mixed = u128::from(hash ^ u64::from(word)) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
        hash = folded(mixed).wrapping_add(hash.rotate_left(29));
    }
    folded(u128::from(hash ^ 0x2D35_8DCC_AA6C_78A5) * u128::from(0xA076_1D64_78BD_642F_u64))
}

/// Which of so many workers a state with this hash belongs to.
pub(crate) fn owner(hash: u64, workers: usize) -> usize {
    usize::try_from((u128::from(hash) * workers as u128) >> 64).unwrap_or(0)
}

/// One worker's part of the states.
pub(crate) struct OwnStates<'q, S: RowSuccessors, O: Observer> {
    pub question: &'q Question<'q, S, O>,
    pub store: StateStore,
    /// The number of the first state of each level that was expanded, and where the last of them ends.
    pub levels: Vec<u32>,
    pub end: usize,
    pub base: Branches,
    pub branches: Branches,
    pub scratch: S::Scratch,
    pub eyes: O::Scratch,
    pub summary: Summary,
    /// The findings that all others know of, with their places.
    pub told: Summary,
    pub stopped: Option<Stopped>,
    pub errors: usize,
    /// Where this part is written down.
    pub part: Option<PartFile>,
    /// Why somebody could not write.
    pub unwritten: Option<String>,
    pub outgoing: Vec<RowWriter>,
    pub rows_sent: usize,
    /// Rows that were sent lately, by some bits of their hashes.
    lately: Vec<Vec<u32>>,
    pub arrivals: Arrivals,
    pub me: usize,
}

/// Takes part in a search with the states that belong to this worker.
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

impl<'q, S: RowSuccessors, O: Observer> OwnStates<'q, S, O> {
    pub fn new(question: &'q Question<'q, S, O>, rounds: &Rounds<'_>) -> Self {
        let store = StateStore::new(question.successors.words());
        Self {
            question,
            base: store.branches(),
            branches: store.branches(),
            store,
            levels: vec![0],
            end: 0,
            scratch: question.successors.scratch(),
            eyes: question.observer.scratch(),
            summary: Summary::default(),
            told: Summary::default(),
            stopped: None,
            errors: 0,
            part: None,
            unwritten: None,
            outgoing: (0..rounds.peers()).map(|_| RowWriter::default()).collect(),
            rows_sent: 0,
            lately: vec![Vec::new(); if rounds.peers() > 1 { LATELY } else { 0 }],
            arrivals: Arrivals::default(),
            me: rounds.index(),
        }
    }

    /// Visits level after level, until there are no more states or everybody knows a reason to end. The name is that of the search among those of a run.
    pub fn explore(
        &mut self,
        name: &str,
        rounds: &mut Rounds<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ClusterFailure> {
        let resumed = self.begin_part(name, rounds)?;
        if resumed.is_none() {
            for row in self.question.initial {
                if owner(hash(row), rounds.peers()) == self.me {
                    self.enter(row, 0);
                }
            }
        }
        let (mut start, mut group) = (resumed.unwrap_or(0), Group::new(&self.store));
        loop {
            let end = self.store.len();
            let (goes_on, is_due) = self.agree(rounds, end - start)?;
            if !goes_on {
                return Ok(());
            }
            if is_due && self.told.depth > 0 {
                self.write_part(start);
            }
            if self.told.depth > 0 {
                self.levels.push(to_u32(start));
            }
            self.end = end;
            let depth = self.told.depth;
            let states = self.told.states;
            progress(Progress { states, queue: end - start, depth, bytes: self.store.bytes() });
            self.expand_level(rounds, &mut group, (start, end), depth)?;
            self.told.depth += 1;
            start = end;
        }
    }

    /// Tells the others what is new, hears what they have; whether there is a next level to expand, and whether to write down what there is before.
    fn agree(&mut self, rounds: &mut Rounds<'_>, fresh: usize) -> Result<(bool, bool), ClusterFailure> {
        if self.stopped.is_none() {
            self.stopped = self.question.options.budget.check().err();
        }
        let is_news = |(finding, place): &(&Finding, _)| self.told.findings.get(*finding) != Some(*place);
        let news = self.summary.findings.iter().filter(is_news);
        let mut places: Vec<(usize, Vec<u32>)> = news.map(|(_, place)| (place.depth, place.row.clone())).collect();
        places.sort();
        places.dedup();
        let stopped = self.stopped.map(number_of);
        let is_due = self.part.as_ref().is_some_and(PartFile::is_due);
        let reports = rounds.gather(LevelReport { fresh, states: self.store.len(), stopped, is_due, places })?;
        self.told.states = reports.iter().map(|report| report.states).sum();
        for (depth, row) in reports.iter().flat_map(|report| &report.places) {
            self.tell(*depth, row);
        }
        // What stays of a finding that everybody knows nearer is not told again.
        for (finding, place) in &self.told.findings {
            self.summary.findings.insert(finding.clone(), place.clone());
        }
        let stopped = reports.iter().find_map(|report| report.stopped.map(reason_of));
        let fresh: usize = reports.iter().map(|report| report.fresh).sum();
        let full = self.question.options.max_states.is_some_and(|most| self.told.states > most);
        self.told.stopped = match stopped {
            Some(reason) => Some(Stopped(reason)),
            None if fresh == 0 => None,
            None if full || self.question.observer.is_enough(&self.told) => Some(Stopped(StopReason::Count)),
            None => None,
        };
        let goes_on = self.told.stopped.is_none() && fresh > 0;
        if !goes_on {
            // The depth is that of the last level that was expanded.
            self.told.depth = self.told.depth.saturating_sub(1);
        }
        Ok((goes_on, reports.first().is_some_and(|first| first.is_due)))
    }

    /// Notes all that there is to be found at a state that somebody else may have found.
    fn tell(&mut self, depth: usize, row: &[u32]) {
        let mut found = Expansion::default();
        self.question.successors.expand(row, &mut self.scratch, &mut found);
        if found.deadlock {
            self.told.note(Finding::Deadlock, depth, row);
        }
        for fault in found.faults.drain(..) {
            self.told.note(Finding::Fault(fault), depth, row);
        }
        let told = &mut self.told;
        let note = &mut |number| told.note(Finding::Broken(number), depth, row);
        self.question.observer.look(row, &mut self.eyes, note);
    }

    fn expand_level(
        &mut self,
        rounds: &mut Rounds<'_>,
        group: &mut Group,
        (start, end): (usize, usize),
        depth: usize,
    ) -> Result<(), ClusterFailure> {
        for from in (start..end).step_by(GROUP) {
            if (from - start) % STATES_PER_LOOK == 0 {
                if rounds.peers() > 1 {
                    rounds.poll(&mut |_, bytes| self.receive(&bytes, depth + 1))?;
                }
                self.mind_the_limits();
            }
            if self.stopped.is_some() {
                break;
            }
            self.expand_group(group, from..end.min(from + GROUP), depth, rounds);
        }
        for worker in 0..rounds.peers() {
            self.dispatch_packet(worker, rounds);
        }
        rounds.finish(&mut |_, bytes| self.receive(&bytes, depth + 1))
    }

    fn mind_the_limits(&mut self) {
        let full = self.question.options.max_states.is_some_and(|most| self.store.len() > most);
        let stopped = if full { Err(Stopped(StopReason::Count)) } else { self.question.options.budget.check() };
        self.stopped = self.stopped.or(stopped.err());
    }

    /// Whether a row belongs to this worker; otherwise it is sent to its owner.
    pub fn is_own_or_sent(&mut self, row: &[u32], rounds: &mut Rounds<'_>) -> bool {
        let hash = hash(row);
        let owner = owner(hash, rounds.peers());
        if owner == self.me {
            return true;
        }
        let lately = &mut self.lately[tertium_base::narrow::below(hash, LATELY)];
        if lately == row {
            return false;
        }
        lately.clear();
        lately.extend_from_slice(row);
        self.rows_sent += 1;
        self.outgoing[owner].add(row);
        if self.outgoing[owner].len() >= PACKET {
            self.dispatch_packet(owner, rounds);
        }
        false
    }

    pub fn dispatch_packet(&mut self, owner: usize, rounds: &mut Rounds<'_>) {
        if !self.outgoing[owner].is_empty() {
            rounds.send(owner, self.outgoing[owner].take());
        }
    }

    fn receive(&mut self, bytes: &[u8], depth: usize) -> Result<(), ClusterFailure> {
        let mut rows = RowReader::new(bytes);
        let unreadable = |why: UnreadableRow| ClusterFailure::Unreadable { cause: why.to_string() };
        while let Some(row) = rows.next_row().map_err(unreadable)? {
            self.arrivals.add(row);
            if self.arrivals.len() >= ARRIVALS {
                self.enter_arrivals(depth);
            }
        }
        self.enter_arrivals(depth);
        Ok(())
    }

    pub fn count(&mut self, row: &[u32], found: &mut Expansion, depth: usize) {
        let summary = &mut self.summary;
        summary.transitions += found.steps();
        if found.deadlock {
            summary.deadlocks += 1;
            summary.note(Finding::Deadlock, depth, row);
        }
        summary.faults += found.faults.len();
        self.errors += found.faults.iter().filter(|fault| fault.kind.is_error()).count();
        for fault in found.faults.drain(..) {
            summary.note(Finding::Fault(fault), depth, row);
        }
    }

    /// Adds up what all workers have counted; the steps that go wrong, and what it took.
    pub fn add_up(&mut self, rounds: &mut Rounds<'_>, network: u64) -> Result<(usize, ClusterCost), ClusterFailure> {
        let reports = rounds.gather(self.final_report(network))?;
        let mut cost = ClusterCost { workers: rounds.peers(), ..ClusterCost::default() };
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

    /// A shortest run to a state of this depth, found backwards: of all states of the level before that lead there, whoever has them, the least.
    /// None if the budget of somebody is spent on the way.
    pub fn shortest_run(
        &mut self,
        rounds: &mut Rounds<'_>,
        depth: usize,
        row: Vec<u32>,
    ) -> Result<Option<Vec<Vec<u32>>>, ClusterFailure> {
        let mut run = vec![row];
        for level in (0..depth).rev() {
            let ours = self.least_predecessor(level, &run[run.len() - 1]);
            let told = rounds.gather((ours.is_err(), ours.unwrap_or_default()))?;
            if told.iter().any(|(is_stopped, _)| *is_stopped) {
                return Ok(None);
            }
            let Some(before) = told.into_iter().filter_map(|(_, before)| before).min() else { return Ok(None) };
            run.push(before);
        }
        run.reverse();
        Ok(Some(run))
    }

    fn least_predecessor(&mut self, level: usize, row: &[u32]) -> Result<Option<Vec<u32>>, Stopped> {
        let first = self.levels.get(level).map_or(self.end, |&first| first as usize);
        let end = self.levels.get(level + 1).map_or(self.end, |&end| end as usize);
        let (mut found, mut next) = (Expansion::default(), Vec::new());
        let (mut least, mut ticks) = (None::<Vec<u32>>, 0);
        for state in first..end {
            self.question.options.budget.tick(&mut ticks)?;
            self.store.read(to_u32(state), &mut self.base);
            if least.as_deref().is_some_and(|least| least <= self.base.words()) {
                continue;
            }
            self.question.successors.expand(self.base.words(), &mut self.scratch, &mut found);
            let arrives = (0..found.steps()).any(|step| {
                found.copy_row(step, &mut next);
                next == row
            });
            if arrives {
                least = Some(self.base.words().to_vec());
            }
        }
        Ok(least)
    }
}
