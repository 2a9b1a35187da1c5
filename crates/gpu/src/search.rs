//! The search as the host leads it: level by level, with a table that grows, and with the definition of a step for what goes wrong.

mod host;
pub(crate) mod memory;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};
use tertium_explore::compiled::Compiled;
use tertium_explore::search::{Finding, FindingPlace, Progress, Summary};
use tertium_explore::successors::Expansion;
use tertium_program::{ExprId, Fault, FaultKind, StepId};

pub(crate) use self::host::{HostSteps, PlainSteps, ProductSteps};
use self::memory::{Counters, Memory, count};
use crate::device::{Device, DeviceError};
use crate::seen::SeenRows;
use crate::source::{LIST_LENGTH, SearchSource, Unsupported};

/// The search begins anew, with longer keys or other layouts, at most so often.
pub(crate) const MOST_ATTEMPTS: usize = 24;
/// A search that has met rows without keys goes on to meet others, until so many states were expanded by the host.
const MOST_BESIDE: usize = 100_000;
/// Single levels grow and shrink by chance: so many are compared with as many before them.
const LEVELS_TOGETHER: usize = 8;

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
    /// So many states are looked at on the host before the search, to find out which bits vary.
    pub look_at: usize,
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
    /// How long it took from then on, until the device could be given back.
    pub searching: Duration,
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
    let mut seen = SeenRows::looking_at(options.look_at);
    seen.look_from(compiled, initial, options.budget);
    for _ in 0..MOST_ATTEMPTS {
        let keys = seen.keys(compiled, 0);
        let atoms = options.watched.map_or(&[] as &[ExprId], |watched| watched.atoms);
        let source = SearchSource::of(compiled, &keys, atoms).map_err(SearchError::Unsupported)?;
        let memory = Memory::new(make(&source)?, &source, options.capacity)?;
        let mut leader = Leader::new(PlainSteps::new(compiled, &keys), memory, options, start);
        if leader.visit(initial, progress)? {
            return leader.found();
        }
        seen.widen(compiled, &leader.misfits, options.budget);
    }
    Err(SearchError::Layouts)
}

/// Leads the search on a device; the host finds steps in its own way.
pub(crate) struct Leader<'l, D: Device, H: HostSteps> {
    pub host: H,
    pub memory: Memory<D>,
    pub options: &'l Options<'l>,
    pub summary: Summary,
    /// The states that the definition of a step expands.
    pub by_definition: Vec<u32>,
    /// Rows of the program that have no keys.
    pub misfits: Vec<Vec<u32>>,
    /// The depth of the states that led to the first of them, and how many states had been expanded by the host before.
    misfit_at: Option<(usize, usize)>,
    /// How many states there will be, where that can be guessed.
    expected: u64,
    pub preparation: Duration,
    /// When the preparation was over.
    pub begun: Instant,
    /// The number of the first state of each level.
    levels: Vec<u64>,
    /// The numbers of the states at which findings were met first.
    places: BTreeMap<Finding, u32>,
}

impl<'l, D: Device, H: HostSteps> Leader<'l, D, H> {
    pub fn new(host: H, memory: Memory<D>, options: &'l Options<'l>, start: Instant) -> Self {
        Self {
            host,
            memory,
            options,
            summary: Summary::default(),
            by_definition: Vec::new(),
            misfits: Vec::new(),
            misfit_at: None,
            expected: u64::MAX,
            preparation: start.elapsed(),
            begun: Instant::now(),
            levels: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    /// Visits all states; says whether all had keys.
    pub fn visit(&mut self, initial: &[Vec<u32>], progress: &mut dyn FnMut(Progress)) -> Result<bool, SearchError> {
        let (initial, parents) = self.with_keys(initial, &vec![u32::MAX; initial.len()]);
        if !self.misfits.is_empty() {
            return Ok(false);
        }
        let mut counters = self.memory.enter(&initial, &parents)?;
        while counters.full {
            if !self.memory.grow(counters.states, u64::MAX)? {
                return Err(DeviceError::Memory.into());
            }
            counters = self.memory.enter(&initial, &parents)?;
        }
        let (mut first, mut depth, mut before) = (0, 0, 1);
        while first < counters.states {
            let last = counters.states;
            let level = last - first;
            // Levels grow and shrink slowly. A table that grows before a level spares doing it twice.
            let next = level.saturating_mul(level) / before + level / 4;
            self.expected = last.saturating_add(self.still_to_come(last));
            if !self.memory.has_room(last + next) {
                self.memory.grow(last, self.expected)?;
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
            self.levels.push(first);
            match self.level(first, last, depth)? {
                Some(after) => counters = after,
                None => {
                    counters = self.memory.counters()?;
                    self.summary.stopped = Some(Stopped(StopReason::Memory));
                    break;
                }
            }
            if self.has_met_enough() {
                break;
            }
            if self.options.stop_at_finding && !self.summary.findings.is_empty() {
                self.summary.stopped = Some(Stopped(StopReason::Count));
                break;
            }
            (first, depth, before) = (last, depth + 1, level);
        }
        self.summary.states = count(counters.states);
        let is_over = |stopped: Stopped| !matches!(stopped.0, StopReason::Count | StopReason::Memory);
        Ok(self.misfits.is_empty() || self.summary.stopped.is_some_and(is_over))
    }

    /// How many states are still to be found, if the next levels go on to shrink as the last ones did; as many as can be if they did not.
    fn still_to_come(&self, last: u64) -> u64 {
        let begun = |levels: usize| self.levels.len().checked_sub(levels).map(|at| self.levels[at]);
        let (Some(first), Some(middle)) = (begun(2 * LEVELS_TOGETHER), begun(LEVELS_TOGETHER)) else { return u64::MAX };
        let (before, now) = (middle - first, last - middle);
        match before.checked_sub(now) {
            None | Some(0) => u64::MAX,
            // A geometric series, and a tenth more.
            Some(shrunk) => (now.saturating_mul(now) / shrunk).saturating_mul(11) / 10,
        }
    }

    /// Whether enough rows without keys were met to begin anew.
    fn has_met_enough(&self) -> bool {
        self.misfit_at.is_some_and(|(_, before)| self.by_definition.len() - before >= MOST_BESIDE)
    }

    /// What was found, with runs.
    fn found(mut self) -> Result<Found, SearchError> {
        self.note_broken()?;
        let bytes_per_state = self.bytes_per_state();
        let runs = self.runs()?;
        Ok(Found {
            runs,
            bytes_per_state,
            by_definition: self.by_definition.len(),
            preparation: self.preparation,
            searching: self.begun.elapsed(),
            summary: self.summary,
        })
    }

    /// How many bytes of the device each state takes.
    pub fn bytes_per_state(&self) -> u64 {
        self.memory.bytes() / (self.summary.states as u64).max(1)
    }

    /// Rows as the device has them, with the states that they were found from; those without keys become misfits.
    fn with_keys(&mut self, rows: &[Vec<u32>], parents: &[u32]) -> (Vec<Vec<u32>>, Vec<u32>) {
        let (mut on_device, mut their_parents) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for (row, &parent) in rows.iter().zip(parents) {
            if let Some(row) = self.host.to_device(row) {
                on_device.push(row);
                their_parents.push(parent);
            } else {
                self.misfits.push(H::program_row(row).to_vec());
            }
        }
        (on_device, their_parents)
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
        while from < last && !self.has_met_enough() {
            let to = last.min(from + piece);
            self.memory.clear_lists()?;
            self.memory.expand(from, to)?;
            let now = self.memory.counters()?;
            if now.full {
                if !self.memory.grow(now.states, self.expected)? {
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
    fn note_broken(&mut self) -> Result<(), SearchError> {
        let Some(watched) = self.options.watched else { return Ok(()) };
        let mut states = self.memory.first_states()?;
        if states.pop().flatten().is_some() {
            return Err(SearchError::Atoms);
        }
        let states: Vec<u32> = states.into_iter().flatten().collect();
        for (row, &state) in self.rows(&states)?.into_iter().zip(&states) {
            let depth = self.levels.partition_point(|&first| first <= u64::from(state)).saturating_sub(1);
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
        // What comes after a row without a key is missing, so that this run may not be a shortest one.
        if self.misfit_at.is_some_and(|(at, _)| depth > at) {
            return;
        }
        let known = self.summary.findings.get(&finding);
        if known.is_none_or(|place| (depth, &row) < (place.depth, &place.row)) {
            self.places.insert(finding.clone(), state);
            self.summary.findings.insert(finding, FindingPlace { depth, row });
        }
    }

    /// The rows of states, as the host has them.
    pub fn rows(&mut self, states: &[u32]) -> Result<Vec<Vec<u32>>, SearchError> {
        let rows = self.memory.rows(states)?;
        Ok(rows.into_iter().map(|row| self.host.of_device(row)).collect())
    }

    /// Expands the states that the device leaves to the definition of a step; says whether the memory sufficed.
    fn expand_here(&mut self, now: Counters, depth: usize) -> Result<bool, SearchError> {
        if now.trapped == 0 {
            return Ok(true);
        }
        let states: Vec<u32> = self.memory.trapped(now.trapped)?.iter().map(|&(state, _)| state).collect();
        let rows = self.rows(&states)?;
        self.by_definition.extend_from_slice(&states);
        let (mut found, mut next, mut parents) = (Expansion::default(), Vec::new(), Vec::new());
        for (row, &state) in rows.into_iter().zip(&states) {
            self.host.expand(&row, &mut found);
            self.summary.transitions += found.steps();
            self.summary.faults += found.faults.len();
            if found.deadlock {
                self.summary.deadlocks += 1;
                self.note(Finding::Deadlock, depth, row.clone(), state);
            }
            for fault in found.faults.drain(..) {
                self.note(Finding::Fault(fault), depth, row.clone(), state);
            }
            parents.extend((0..found.steps()).map(|_| state));
            next.extend(found.rows());
        }
        let (next, parents) = self.with_keys(&next, &parents);
        if !self.misfits.is_empty() && self.misfit_at.is_none() {
            self.misfit_at = Some((depth, self.by_definition.len()));
        }
        loop {
            let after = self.memory.enter(&next, &parents)?;
            if !after.full {
                return Ok(true);
            }
            if !self.memory.grow(after.states, self.expected)? {
                return Ok(false);
            }
        }
    }

    /// For each finding a run to it.
    fn runs(&mut self) -> Result<BTreeMap<Finding, Vec<Vec<u32>>>, SearchError> {
        let mut runs = BTreeMap::new();
        for (finding, state) in self.places.clone() {
            runs.insert(finding, self.run_to(state)?);
        }
        Ok(runs)
    }

    /// A run from an initial state to one with this number, each step of which the definition of a step confirms.
    pub fn run_to(&mut self, state: u32) -> Result<Vec<Vec<u32>>, SearchError> {
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
            self.host.expand(&pair[0], &mut found);
            if !found.rows().any(|row| row == pair[1]) {
                return Err(SearchError::Wrong(format!("{:?} does not lead to {:?}", pair[0], pair[1])));
            }
        }
        Ok(rows)
    }
}
