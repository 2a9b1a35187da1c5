//! Is there an infinite run of the product with an automaton that fulfils all conditions again and again? Led from the host.
//!
//! All states of the product are visited as any states are. Then states are removed that no such run can stay in, in passes over what is left, by one-way-catch-them-young
//! (Fisler, Fraer, Kamhi, Vardi and Yang 2001); something is left at the end exactly if there is such a run. `cycles.cu` says how. The run is found backwards, by noting from
//! where a condition arrives, one condition at a time.

use std::time::{Duration, Instant};

use tertium_base::Stopped;
use tertium_base::narrow::to_u32;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::liveness::{Lasso, Monitor, ProductRows, cycle_backwards};
use tertium_explore::search::{Finding, Progress};
use tertium_explore::successors::{Expansion, RowSuccessors};
use tertium_program::Fault;

use crate::automaton::Automaton;
use crate::device::{Device, DeviceError};
use crate::search::memory::Memory;
use crate::search::memory::cycles::{CycleCounts, CycleMemory, Telling};
use crate::search::{HostSteps, Leader, MOST_ATTEMPTS, Options, ProductSteps, SearchError};
use crate::seen::SeenRows;
use crate::source::SearchSource;

/// A search for an accepted fair run that has ended.
#[derive(Clone, Debug)]
pub struct FoundCycle {
    /// States of the product.
    pub states: usize,
    /// Steps of the product.
    pub transitions: usize,
    /// What goes wrong in steps.
    pub faults: Vec<Fault>,
    /// If it was stopped, nothing is known of runs.
    pub stopped: Option<Stopped>,
    /// An accepted fair run, if there is one: rows of the program.
    pub lasso: Option<Lasso>,
    /// How often conditions were sent through what was left.
    pub passes: usize,
    /// How many states were expanded by the definition of a step.
    pub by_definition: usize,
    /// Bytes of the device for each state, at the end of the visit.
    pub bytes_per_state: u64,
    /// How long it took until the first state was expanded for good.
    pub preparation: Duration,
    /// How long it took from then on, until the device could be given back.
    pub searching: Duration,
}

/// Looks for an accepted fair run of a program's product with a monitor; the automaton is what the monitor does, as a table.
///
/// # Errors
/// If the program is not for a device, or the device fails.
pub fn search_cycle<S: RowSuccessors, M: Monitor, D: Device>(
    compiled: &Compiled<'_>,
    initial: &[Vec<u32>],
    (automaton, product): (&Automaton, &ProductRows<'_, S, M>),
    options: &Options<'_>,
    make: &mut dyn FnMut(&SearchSource) -> Result<D, DeviceError>,
    progress: &mut dyn FnMut(Progress),
) -> Result<FoundCycle, SearchError> {
    let start = Instant::now();
    let mut seen = SeenRows::looking_at(options.look_at);
    seen.look_from(compiled, initial, options.budget);
    let joined = product.initial(initial);
    for _ in 0..MOST_ATTEMPTS {
        let keys = seen.keys(compiled, automaton.state_bits());
        let source = SearchSource::of_product(compiled, &keys, automaton).map_err(SearchError::Unsupported)?;
        let memory = Memory::new(make(&source)?, &source, options.capacity)?;
        let mut leader = Leader::new(ProductSteps::new(product, &keys), memory, options, start);
        if leader.visit(&joined, progress)? {
            return Passes::decide(leader, progress);
        }
        seen.widen(compiled, &leader.misfits, options.budget);
    }
    Err(SearchError::Layouts)
}

/// Why passes end early.
enum Interruption {
    Failed(SearchError),
    Stopped(Stopped),
}

impl<E: Into<SearchError>> From<E> for Interruption {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// A state that the host expands.
struct OnHost {
    number: u32,
    row: Vec<u32>,
}

struct Passes<'l, 'q, D: Device, S: RowSuccessors, M: Monitor> {
    leader: Leader<'l, D, ProductSteps<'q, S, M>>,
    cycles: CycleMemory,
    on_host: Vec<OnHost>,
    passes: usize,
    /// Of which condition the device knows where it came from.
    traced: Option<usize>,
}

impl<'l, 'q, D: Device, S: RowSuccessors, M: Monitor> Passes<'l, 'q, D, S, M> {
    fn decide(
        leader: Leader<'l, D, ProductSteps<'q, S, M>>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<FoundCycle, SearchError> {
        let mut faults: Vec<Fault> = Vec::new();
        for finding in leader.summary.findings.keys() {
            if let Finding::Fault(fault) = finding {
                faults.push(fault.clone());
            }
        }
        let (summary, preparation, begun) = (leader.summary.clone(), leader.preparation, leader.begun);
        let mut found = FoundCycle {
            states: summary.states,
            transitions: summary.transitions,
            faults,
            stopped: summary.stopped,
            lasso: None,
            passes: 0,
            by_definition: leader.by_definition.len(),
            bytes_per_state: leader.bytes_per_state(),
            preparation,
            searching: begun.elapsed(),
        };
        if found.stopped.is_some() || found.states == 0 {
            return Ok(found);
        }
        let mut leader = leader;
        let cycles = match leader.memory.cycles() {
            Ok(cycles) => cycles,
            Err(DeviceError::Memory) => {
                found.stopped = Some(Stopped(tertium_base::StopReason::Memory));
                return Ok(found);
            }
            Err(error) => return Err(error.into()),
        };
        let mut passes = Self { leader, cycles, on_host: Vec::new(), passes: 0, traced: None };
        match passes.run(progress) {
            Ok(lasso) => found.lasso = lasso,
            Err(Interruption::Stopped(stopped)) => found.stopped = Some(stopped),
            Err(Interruption::Failed(error)) => return Err(error),
        }
        found.passes = passes.passes;
        found.searching = begun.elapsed();
        Ok(found)
    }

    fn run(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<Option<Lasso>, Interruption> {
        self.leave_to_host()?;
        self.leader.memory.leave_all(&self.cycles, self.leader.summary.states as u64)?;
        self.mark_host()?;
        loop {
            self.passes += 1;
            let counts = self.pass(progress)?;
            if counts.left == counts.removed_at_once {
                return Ok(None);
            }
            if counts.removed_at_once == 0 {
                return self.lasso().map(Some);
            }
        }
    }

    /// Which states the host expands.
    fn leave_to_host(&mut self) -> Result<(), SearchError> {
        let mut numbers = std::mem::take(&mut self.leader.by_definition);
        numbers.sort_unstable();
        numbers.dedup();
        let rows = self.leader.rows(&numbers)?;
        self.on_host = numbers.into_iter().zip(rows).map(|(number, row)| OnHost { number, row }).collect();
        Ok(())
    }

    fn mark_host(&mut self) -> Result<(), SearchError> {
        let mut found = Expansion::default();
        let (mut numbers, mut binds) = (Vec::new(), Vec::new());
        for state in &self.on_host {
            self.leader.host.expand(&state.row, &mut found);
            numbers.push(state.number);
            binds.push(narrowed(self.leader.host.scratch.binds));
        }
        Ok(self.leader.memory.leave_to_host(&self.cycles, &numbers, &binds)?)
    }

    /// Sends every condition through what is left and removes what it does not reach.
    fn pass(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<CycleCounts, Interruption> {
        self.leader.memory.begin_pass(&self.cycles)?;
        let first = if self.passes == 1 { Telling::First } else { Telling::Spread };
        let waves = self.waves(0, first, Telling::Spread, 0)?;
        let counts = self.leader.memory.judge(&self.cycles, waves)?;
        progress(Progress {
            states: self.leader.summary.states,
            queue: counts.left - counts.removed_at_once,
            depth: self.leader.summary.depth,
            bytes: 0,
        });
        if counts.removed_at_once > 0 && counts.left > counts.removed_at_once {
            self.waves(waves, Telling::Lose, Telling::Lose, 0)?;
        }
        Ok(counts)
    }

    /// Tells things until nobody has anything to tell; the number of the next wave.
    fn waves(&mut self, from: u64, first: Telling, later: Telling, condition: usize) -> Result<u64, Interruption> {
        let mut wave = from;
        loop {
            self.leader.options.budget.check().map_err(Interruption::Stopped)?;
            let telling = if wave == from { first } else { later };
            self.leader.memory.spread(&self.cycles, telling, condition, wave)?;
            self.tell_from_host(telling, condition, wave)?;
            wave += 1;
            if !self.leader.memory.has_changed(&self.cycles)? {
                return Ok(wave);
            }
        }
    }

    /// The same for states that the host expands.
    fn tell_from_host(&mut self, telling: Telling, condition: usize, wave: u64) -> Result<(), SearchError> {
        if self.on_host.is_empty() {
            return Ok(());
        }
        let numbers: Vec<u32> = self.on_host.iter().map(|state| state.number).collect();
        let flags = self.leader.memory.take_flags(&self.cycles, &numbers, wave)?;
        let told_of = if telling == Telling::Trace { 1 << condition } else { u32::MAX };
        let (mut rows, mut told, mut found) = (Vec::new(), Vec::new(), Expansion::default());
        for (state, flags) in self.on_host.iter().zip(flags) {
            if !flags.tells(telling, wave) {
                continue;
            }
            self.leader.host.expand(&state.row, &mut found);
            for step in 0..found.steps() {
                let fulfilled = narrowed(self.leader.host.scratch.fulfils[step]);
                let unknown = || SearchError::Wrong("a state that was visited has no key".to_owned());
                rows.push(self.leader.host.to_device(&found.row(step)).ok_or_else(unknown)?);
                told.push(((flags.conditions() | fulfilled) & told_of, flags.place));
            }
        }
        Ok(self.leader.memory.tell_rows(&self.cycles, &rows, &told, telling, wave)?)
    }

    /// A run that goes round in what is left, with a shortest one that leads there.
    fn lasso(&mut self) -> Result<Lasso, Interruption> {
        let start = self.leader.memory.some_left(&self.cycles)?;
        let start = self.row_of_place(start)?;
        let product = self.leader.host.product;
        let cycle = cycle_backwards(product, start, &mut |row, condition| self.origin(row, condition))?;
        let cycle = cycle.ok_or_else(|| SearchError::Wrong("nobody knows where a run comes from".to_owned()))?;
        let entry = self.place_of(&cycle[0])?;
        let number = self.leader.memory.number_of(&self.cycles, entry, self.leader.summary.states as u64)?;
        let mut stem = self.leader.run_to(number)?;
        stem.pop();
        let programs = |rows: &[Vec<u32>]| -> Vec<Vec<u32>> {
            rows.iter().map(|row| ProductRows::<S, M>::program_row(row).to_vec()).collect()
        };
        Ok(Lasso { stem: programs(&stem), cycle: programs(&cycle) })
    }

    /// The state that a condition arrived from at another.
    fn origin(&mut self, row: &[u32], condition: usize) -> Result<Option<Vec<u32>>, Interruption> {
        if self.traced != Some(condition) {
            self.leader.memory.begin_pass(&self.cycles)?;
            self.waves(0, Telling::Trace, Telling::Trace, condition)?;
            self.traced = Some(condition);
        }
        let place = self.place_of(row)?;
        let origin = self.leader.memory.origin(&self.cycles, condition, place)?;
        Ok(origin.map(|origin| self.row_of_place(origin)).transpose()?)
    }

    fn place_of(&mut self, row: &[u32]) -> Result<u32, SearchError> {
        let unknown = || SearchError::Wrong(format!("{row:?} was not visited"));
        let on_device = self.leader.host.to_device(row).ok_or_else(unknown)?;
        self.leader.memory.place_of(&self.cycles, &on_device)?.ok_or_else(unknown)
    }

    fn row_of_place(&mut self, place: u32) -> Result<Vec<u32>, SearchError> {
        let row = self.leader.memory.row_of_place(&self.cycles, place)?;
        Ok(self.leader.host.of_device(row))
    }
}

/// Conditions as the device has them: there are at most as many as a word has bits.
fn narrowed(conditions: u64) -> u32 {
    to_u32(usize::try_from(conditions).unwrap_or(usize::MAX))
}
