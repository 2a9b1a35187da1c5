//! The search as the host leads it: level by level, with a table that grows, and with the definition of a step for what goes wrong.

mod memory;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};
use tertium_explore::compiled::{Compiled, Scratch};
use tertium_explore::search::{Finding, FindingPlace, Progress, Summary};
use tertium_explore::store::trimmed;
use tertium_explore::successors::{Expansion, RowSuccessors};
use tertium_program::{ExprId, Fault, FaultKind, StepId};

use self::memory::{Counters, Memory, count};
use crate::device::{Device, DeviceError};
use crate::keys::{KeyBits, SeenRows};
use crate::source::{LIST_LENGTH, SearchSource, Unsupported};

/// The search begins anew, with longer keys or other layouts, at most so often.
const MOST_ATTEMPTS: usize = 24;

/// Conditions on states.
#[derive(Clone, Copy)]
pub struct Watched<'a> {
    /// What they are made of: states with the same values of all of them break the same.
    pub atoms: &'a [ExprId],
    /// Which conditions the state in a row breaks.
    pub broken: &'a dyn Fn(&[u32]) -> Vec<usize>,
}

impl std::fmt::Debug for Watched<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watched").field("atoms", &self.atoms).finish_non_exhaustive()
    }
}

/// What a search may use, and when it may end early.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// More states than this end the search, after their level.
    pub max_states: Option<usize>,
    /// Whether the first finding ends the search, after its level.
    pub stop_at_finding: bool,
    /// Time, and the user's patience.
    pub budget: &'a Budget,
    /// How many places the table has at first.
    pub capacity: u64,
    /// What states are looked at for, if anything.
    pub watched: Option<Watched<'a>>,
}

/// What a search has seen.
#[derive(Clone, Debug)]
pub struct Found {
    /// Counts and findings, as every search tells them.
    pub summary: Summary,
    /// For each finding the rows of a shortest run to it, the first of which is an initial one.
    pub runs: BTreeMap<Finding, Vec<Vec<u32>>>,
    /// How many bytes of the device each state took in the end, free places of the table included.
    pub bytes_per_state: u64,
    /// How many states were expanded by the definition of a step.
    pub by_definition: usize,
    /// How long it took until the first state was expanded for good: keys, code, and searches that met rows without keys.
    pub preparation: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// Such programs are not searched on a device.
    Unsupported(Unsupported),
    /// The device cannot do it.
    Device(DeviceError),
    /// Processes come and go in too many ways.
    Layouts,
    /// An atom of a property cannot be evaluated in some state.
    Atoms,
    /// What the device found is not what the definition of a step finds.
    Wrong(String),
}

impl std::fmt::Display for SearchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unsupported(why) => why.fmt(f),
            Self::Device(why) => why.fmt(f),
            Self::Layouts => f.write_str("processes come and go in too many ways for a device"),
            Self::Atoms => {
                f.write_str("a property speaks of something that not every state has, which a device does not decide")
            }
            Self::Wrong(what) => write!(f, "the device and the definition of a step disagree: {what}"),
        }
    }
}

impl std::error::Error for SearchError {}

impl From<DeviceError> for SearchError {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

/// How one attempt ends.
enum Attempt {
    Done(Box<Found>),
    /// Rows were met that have no keys.
    Misfits(Vec<Vec<u32>>),
}

/// Visits every state that is reachable from `initial`, on a device that is made for the source.
///
/// # Errors
/// If the program is not for a device, or the device fails.
pub fn search<D: Device>(
    compiled: &Compiled<'_>,
    initial: &[Vec<u32>],
    options: &Options<'_>,
    make: &mut dyn FnMut(&SearchSource) -> Result<D, DeviceError>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Found, SearchError> {
    let start = Instant::now();
    let mut seen = SeenRows::default();
    seen.look_from(compiled, initial);
    for _ in 0..MOST_ATTEMPTS {
        let keys = seen.keys(compiled);
        let atoms = options.watched.map_or(&[] as &[ExprId], |watched| watched.atoms);
        let source = SearchSource::of(compiled, &keys, atoms).map_err(SearchError::Unsupported)?;
        let device = make(&source)?;
        let memory = Memory::new(device, &source, options.capacity)?;
        let leader = Leader {
            compiled,
            options,
            memory,
            keys: &keys,
            scratch: compiled.scratch(),
            summary: Summary::default(),
            places: BTreeMap::new(),
            misfits: Vec::new(),
            by_definition: 0,
            preparation: start.elapsed(),
        };
        match leader.run(initial, progress)? {
            Attempt::Done(found) => return Ok(*found),
            Attempt::Misfits(rows) => seen.widen(compiled, &rows),
        }
    }
    Err(SearchError::Layouts)
}

struct Leader<'l, 'p, D: Device> {
    compiled: &'l Compiled<'p>,
    options: &'l Options<'l>,
    memory: Memory<D>,
    keys: &'l KeyBits,
    scratch: Scratch,
    summary: Summary,
    /// The numbers of the states at which findings were met first.
    places: BTreeMap<Finding, u32>,
    /// Rows that have no keys.
    misfits: Vec<Vec<u32>>,
    by_definition: usize,
    preparation: Duration,
}

impl<D: Device> Leader<'_, '_, D> {
    fn run(mut self, initial: &[Vec<u32>], progress: &mut dyn FnMut(Progress)) -> Result<Attempt, SearchError> {
        let parents = vec![u32::MAX; initial.len()];
        let mut counters = self.memory.enter(initial, &parents)?;
        while counters.full {
            if !self.memory.grow(counters.states)? {
                return Err(DeviceError::Memory.into());
            }
            counters = self.memory.enter(initial, &parents)?;
        }
        let (mut first, mut depth, mut before) = (0, 0, 1);
        let mut levels = Vec::new();
        while first < counters.states {
            let last = counters.states;
            let level = last - first;
            // Levels grow and shrink slowly. A table that grows before a level spares doing it twice.
            let expected = level.saturating_mul(level) / before + level / 4;
            if !self.memory.has_room(last + expected) {
                self.memory.grow(last)?;
            }
            if let Err(stopped) = self.within_limits(last) {
                self.summary.stopped = Some(stopped);
                break;
            }
            progress(Progress {
                states: count(last),
                queue: count(last - first),
                depth,
                bytes: count(self.memory.bytes()),
            });
            self.summary.depth = depth;
            levels.push(first);
            match self.level(first, last, depth)? {
                Some(after) => counters = after,
                None => {
                    counters = self.memory.counters()?;
                    self.summary.stopped = Some(Stopped(StopReason::Memory));
                    break;
                }
            }
            if !self.misfits.is_empty() {
                return Ok(Attempt::Misfits(self.misfits));
            }
            if self.options.stop_at_finding && !self.summary.findings.is_empty() {
                self.summary.stopped = Some(Stopped(StopReason::Count));
                break;
            }
            (first, depth, before) = (last, depth + 1, level);
        }
        self.summary.states = count(counters.states);
        self.note_broken(&levels)?;
        let bytes_per_state = self.memory.bytes() / counters.states.max(1);
        let runs = self.runs()?;
        let Self { summary, by_definition, preparation, .. } = self;
        Ok(Attempt::Done(Box::new(Found { summary, runs, bytes_per_state, by_definition, preparation })))
    }

    fn within_limits(&self, states: u64) -> Result<(), Stopped> {
        if self.options.max_states.is_some_and(|most| states > most as u64) {
            return Err(Stopped(StopReason::Count));
        }
        self.options.budget.check()
    }

    /// Expands a level, piece by piece if much of it goes wrong; none if the memory does not suffice.
    fn level(&mut self, first: u64, last: u64, depth: usize) -> Result<Option<Counters>, SearchError> {
        let (mut from, mut piece) = (first, last - first);
        let mut counters = self.memory.counters()?;
        while from < last && self.misfits.is_empty() {
            let to = last.min(from + piece);
            self.memory.clear_lists()?;
            self.memory.expand(from, to)?;
            let now = self.memory.counters()?;
            if now.full {
                if !self.memory.grow(now.states)? {
                    return Ok(None);
                }
                continue;
            }
            if now.trapped > LIST_LENGTH as u64 {
                piece = (piece / 16).max(LIST_LENGTH as u64);
                continue;
            }
            self.summary.transitions += count(now.transitions);
            self.note_failures(now, depth)?;
            self.note_deadlocks(now, depth)?;
            if !self.expand_here(now, depth)? {
                return Ok(None);
            }
            from = to;
            counters = self.memory.counters()?;
        }
        Ok(Some(counters))
    }

    fn note_deadlocks(&mut self, now: Counters, depth: usize) -> Result<(), SearchError> {
        self.summary.deadlocks += count(now.deadlocks);
        if now.deadlocks == 0 || self.is_known(&Finding::Deadlock, depth) {
            return Ok(());
        }
        let states: Vec<u32> = self.memory.deadlocks(now.deadlocks)?.iter().map(|&(state, _)| state).collect();
        for (row, &state) in self.rows(&states)?.into_iter().zip(&states) {
            self.note(Finding::Deadlock, depth, row, state);
        }
        Ok(())
    }

    fn note_failures(&mut self, now: Counters, depth: usize) -> Result<(), SearchError> {
        self.summary.faults += count(now.failures);
        if now.failures == 0 {
            return Ok(());
        }
        let finding =
            |step: u32| Finding::Fault(Fault { kind: FaultKind::Assertion, step: Some(StepId::new(step as usize)) });
        let mut failures = self.memory.failures(now.failures)?;
        failures.retain(|&(_, step)| !self.is_known(&finding(step), depth));
        let states: Vec<u32> = failures.iter().map(|&(state, _)| state).collect();
        for (row, &(state, step)) in self.rows(&states)?.into_iter().zip(&failures) {
            self.note(finding(step), depth, row, state);
        }
        Ok(())
    }

    /// Looks at one state for each valuation of the atoms; levels begin with these states.
    fn note_broken(&mut self, levels: &[u64]) -> Result<(), SearchError> {
        let Some(watched) = self.options.watched else { return Ok(()) };
        let mut states = self.memory.first_states()?;
        if states.pop().flatten().is_some() {
            return Err(SearchError::Atoms);
        }
        let states: Vec<u32> = states.into_iter().flatten().collect();
        for (row, &state) in self.rows(&states)?.into_iter().zip(&states) {
            let depth = levels.partition_point(|&first| first <= u64::from(state)).saturating_sub(1);
            for condition in (watched.broken)(&row) {
                self.note(Finding::Broken(condition), depth, row.clone(), state);
            }
        }
        Ok(())
    }

    /// Whether a finding was met at an earlier level.
    fn is_known(&self, finding: &Finding, depth: usize) -> bool {
        self.summary.findings.get(finding).is_some_and(|place| place.depth < depth)
    }

    fn note(&mut self, finding: Finding, depth: usize, row: Vec<u32>, state: u32) {
        let known = self.summary.findings.get(&finding);
        if known.is_none_or(|place| (depth, &row) < (place.depth, &place.row)) {
            self.places.insert(finding.clone(), state);
            self.summary.findings.insert(finding, FindingPlace { depth, row });
        }
    }

    /// The rows of states, without zeros at their ends.
    fn rows(&mut self, states: &[u32]) -> Result<Vec<Vec<u32>>, SearchError> {
        let mut rows = self.memory.rows(states)?;
        for row in &mut rows {
            row.truncate(trimmed(row, self.compiled.words()));
        }
        Ok(rows)
    }

    /// Expands the states that the device leaves to the definition of a step; says whether the memory sufficed.
    fn expand_here(&mut self, now: Counters, depth: usize) -> Result<bool, SearchError> {
        if now.trapped == 0 {
            return Ok(true);
        }
        let states: Vec<u32> = self.memory.trapped(now.trapped)?.iter().map(|&(state, _)| state).collect();
        let rows = self.rows(&states)?;
        self.by_definition += states.len();
        let (mut found, mut next, mut parents) = (Expansion::default(), Vec::new(), Vec::new());
        for (row, &state) in rows.into_iter().zip(&states) {
            self.compiled.expand(&row, &mut self.scratch, &mut found);
            self.summary.transitions += found.steps();
            self.summary.faults += found.faults.len();
            if found.deadlock {
                self.summary.deadlocks += 1;
                self.note(Finding::Deadlock, depth, row.clone(), state);
            }
            for fault in found.faults.drain(..) {
                self.note(Finding::Fault(fault), depth, row.clone(), state);
            }
            for successor in found.rows() {
                if self.keys.fits(&successor) {
                    next.push(successor);
                    parents.push(state);
                } else {
                    self.misfits.push(successor);
                }
            }
        }
        if !self.misfits.is_empty() {
            return Ok(true);
        }
        loop {
            let after = self.memory.enter(&next, &parents)?;
            if !after.full {
                return Ok(true);
            }
            if !self.memory.grow(after.states)? {
                return Ok(false);
            }
        }
    }

    /// For each finding a run to it, each step of which the definition of a step confirms.
    fn runs(&mut self) -> Result<BTreeMap<Finding, Vec<Vec<u32>>>, SearchError> {
        let mut runs = BTreeMap::new();
        for (finding, state) in self.places.clone() {
            let mut states = vec![state];
            loop {
                let parent = self.memory.parent(states[states.len() - 1])?;
                if parent == u32::MAX {
                    break;
                }
                states.push(parent);
                if to_u32(states.len()) > parent.saturating_add(to_u32(self.summary.depth)).saturating_add(2) {
                    return Err(SearchError::Wrong("a run has no beginning".to_owned()));
                }
            }
            states.reverse();
            let rows = self.rows(&states)?;
            for pair in rows.windows(2) {
                let mut found = Expansion::default();
                self.compiled.expand(&pair[0], &mut self.scratch, &mut found);
                if !found.rows().any(|row| row == pair[1]) {
                    return Err(SearchError::Wrong(format!("{:?} does not lead to {:?}", pair[0], pair[1])));
                }
            }
            runs.insert(finding, rows);
        }
        Ok(runs)
    }
}
