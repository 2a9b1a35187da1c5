//! Is there an infinite run that fulfils conditions again and again? One-way-catch-them-young, with states by owner.
//!
//! All states of the product are visited first. Then states are removed that no such run can stay in, until none is left to remove (Fisler, Fraer, Kamhi, Vardi and Yang
//! 2001; distributed by Černá and Pelánek 2003): in a pass every condition is sent forward along the steps that fulfil it, from state to state among those
//! that are left. A state goes if a condition that binds it does not arrive, or if no step arrives at all. What is left at the end, if anything, has a component without
//! a way in from outside; every condition that binds one of its states arrives there, so it is fulfilled inside. And a run that fulfils what binds it again and again
//! keeps itself: whatever it needs arrives along itself. So there is such a run exactly if something is left. A strongly fair process binds only states where it
//! can step (Kesten, Pnueli and Raviv 1998).
//!
//! Steps go forward only, as the product makes them, and are made anew in each pass (`waves`): only a few words a state are kept besides the store.

use std::mem;

use tertium_base::narrow::to_u32;
use tertium_base::{StopReason, Stopped};
use tertium_explore::rows::{RowReader, UnreadableRow};
use tertium_explore::search::liveness::{Lasso, Monitor, ProductRows};
use tertium_explore::search::{Blind, Finding, Progress, Summary};
use tertium_explore::successors::RowSuccessors;

use crate::failure::ClusterFailure;
use crate::own_states::OwnStates;
use crate::rounds::Rounds;
use crate::search::{ClusterCost, ClusterOptions, Question, number_of, reason_of};
use crate::waves::{Expander, number, unvisited};

/// A search for an accepted fair run that has ended.
#[derive(Clone, Debug)]
pub struct ClusterCycles {
    /// What was seen of the product; if it was stopped, nothing is known of runs.
    pub summary: Summary,
    /// An accepted fair run, if there is one: rows of the program.
    pub lasso: Option<Lasso>,
    /// How often conditions were sent through what was left.
    pub passes: usize,
    /// What it took.
    pub cost: ClusterCost,
    /// Why somebody could not write its part down on the way.
    pub unwritten: Option<String>,
}

/// Why a search ends early.
pub(crate) enum Interruption {
    Failed(ClusterFailure),
    /// Somebody has reached a limit, and everybody knows.
    Stopped(Stopped),
}

impl From<ClusterFailure> for Interruption {
    fn from(failure: ClusterFailure) -> Self {
        Self::Failed(failure)
    }
}

/// What is told of a state: two words of conditions, and two more.
pub(crate) type Header = [u32; 4];

pub(crate) fn conditions_of(header: Header) -> u64 {
    u64::from(header[0]) | u64::from(header[1]) << 32
}

#[expect(clippy::cast_possible_truncation, reason = "the lower and the upper half")]
pub(crate) fn header(conditions: u64, third: u32, fourth: u32) -> Header {
    [conditions as u32, (conditions >> 32) as u32, third, fourth]
}

/// What is known of this process's states, by number.
#[derive(Default)]
pub(crate) struct Candidates {
    /// Those that were not removed.
    pub left: Vec<bool>,
    /// How many steps arrive from states that are left.
    arrivals: Vec<u32>,
    /// The conditions that have arrived.
    pub reached: Vec<u64>,
    /// Those of them that were not sent on.
    fresh: Vec<u64>,
    /// The conditions that bind each; none where it is the same for all.
    pub binds: Vec<u64>,
    /// States to go on with.
    pub queue: Vec<u32>,
}

/// Bytes that are kept for each state.
const BYTES_PER_STATE: usize = 1 + 4 + 8 + 8 + 8;

impl Candidates {
    fn new(states: usize) -> Self {
        Self {
            left: vec![true; states],
            arrivals: vec![0; states],
            reached: vec![0; states],
            fresh: vec![0; states],
            binds: vec![0; states],
            queue: Vec::new(),
        }
    }

    /// Conditions arrive at a state; those that are new.
    pub fn arrive(&mut self, state: usize, conditions: u64) -> u64 {
        let new = conditions & !self.reached[state];
        if new != 0 {
            if self.fresh[state] == 0 {
                self.queue.push(to_u32(state));
            }
            self.reached[state] |= new;
            self.fresh[state] |= new;
        }
        new
    }

    /// A step that arrived does no more.
    fn lose(&mut self, state: usize) {
        self.arrivals[state] = self.arrivals[state].saturating_sub(1);
        if self.arrivals[state] == 0 {
            self.remove(state);
        }
    }

    fn remove(&mut self, state: usize) {
        self.left[state] = false;
        self.queue.push(to_u32(state));
    }

    /// The next state to send conditions on from, with the conditions.
    pub fn next_fresh(&mut self, queue: &mut Vec<u32>) -> Option<(u32, u64)> {
        queue.pop().map(|state| (state, mem::take(&mut self.fresh[state as usize])))
    }

    pub fn clear(&mut self) {
        self.reached.fill(0);
        self.fresh.fill(0);
        self.queue.clear();
    }

    pub fn count(&self) -> usize {
        self.left.iter().filter(|&&left| left).count()
    }
}

/// One process's part of the product.
pub(crate) struct ProductPart<'q, S: RowSuccessors, M: Monitor> {
    pub own: OwnStates<'q, ProductRows<'q, S, M>, Blind>,
    pub product: &'q ProductRows<'q, S, M>,
    /// One for each thread.
    pub expanders: Vec<Expander<'q, S, M>>,
    row: Vec<u32>,
}

/// What is told of a state: made from the number of the one before it, and conditions.
pub(crate) type Telling<'t> = dyn Fn(u32, u64) -> Header + Sync + 't;

/// What is done with what is told of a state.
pub(crate) type Taking<'t> = dyn FnMut(&mut Candidates, usize, Header) + 't;

/// Looks for an accepted fair run of the product.
pub(crate) fn look_for_cycle<S: RowSuccessors, M: Monitor>(
    rounds: &mut Rounds<'_>,
    (name, product): (&str, &ProductRows<'_, S, M>),
    initial: &[Vec<u32>],
    options: &ClusterOptions<'_>,
    network: &dyn Fn() -> u64,
    progress: &mut dyn FnMut(Progress),
) -> Result<ClusterCycles, ClusterFailure> {
    let initial = product.initial(initial);
    let wanted = |_: &Summary| -> Vec<Finding> { Vec::new() };
    let question = Question { successors: product, observer: &Blind, initial: &initial, wanted: &wanted, options };
    let mut own = OwnStates::new(&question, rounds);
    let sent_before = network();
    own.explore(name, rounds, progress)?;
    let place = (rounds.index(), rounds.peers());
    let expanders = (0..rounds.threads()).map(|_| Expander::new(product, &own.store, place)).collect();
    let mut part = ProductPart { own, product, expanders, row: Vec::new() };
    let (mut lasso, mut passes) = (None, 0);
    if part.own.told.complete() {
        match part.decide(rounds, &mut passes) {
            Ok(found) => lasso = found,
            Err(Interruption::Stopped(stopped)) => part.own.told.stopped = Some(stopped),
            Err(Interruption::Failed(failure)) => return Err(failure),
        }
    }
    let (_, cost) = part.own.add_up(rounds, network() - sent_before)?;
    for remarks in rounds.gather(product.monitor().remarks())? {
        product.monitor().absorb(&remarks);
    }
    Ok(ClusterCycles { summary: part.own.told, lasso, passes, cost, unwritten: part.own.unwritten })
}

impl<S: RowSuccessors, M: Monitor> ProductPart<'_, S, M> {
    fn decide(&mut self, rounds: &mut Rounds<'_>, passes: &mut usize) -> Result<Option<Lasso>, Interruption> {
        let states = self.own.store.len();
        self.own.stopped = self.own.question.options.budget.reserve(states.saturating_mul(BYTES_PER_STATE)).err();
        self.sum(rounds, 0)?;
        let mut candidates = Candidates::new(states);
        loop {
            *passes += 1;
            let removed = self.pass(rounds, &mut candidates, *passes == 1)?;
            if self.sum(rounds, candidates.count())? == 0 {
                return Ok(None);
            }
            if removed == 0 {
                return self.lasso(rounds, &mut candidates).map(Some);
            }
        }
    }

    /// Sends every condition through what is left and removes what it does not reach; how many states were removed, by all.
    fn pass(
        &mut self,
        rounds: &mut Rounds<'_>,
        candidates: &mut Candidates,
        is_first: bool,
    ) -> Result<usize, Interruption> {
        candidates.clear();
        let first = |_: u32, conditions: u64| header(conditions, u32::from(is_first), 0);
        let later = |_: u32, conditions: u64| header(conditions, 0, 0);
        self.spread(rounds, candidates, (&first, &later), &mut |candidates, state, told| {
            candidates.arrivals[state] += told[2];
            candidates.arrive(state, conditions_of(told));
        })?;
        for state in 0..candidates.left.len() {
            let missing = candidates.binds[state] & !candidates.reached[state];
            if candidates.left[state] && (missing != 0 || candidates.arrivals[state] == 0) {
                candidates.remove(state);
            }
        }
        let mut removed = 0;
        loop {
            let mut queue = mem::take(&mut candidates.queue);
            let wave = self.sum(rounds, queue.len())?;
            removed += wave;
            if wave == 0 {
                return Ok(removed);
            }
            let next = &mut |_: &mut Candidates| queue.pop().map(|state| (state, None));
            self.wave(rounds, candidates, next, &|_, _| header(0, 1, 0), &mut |candidates, state, _| {
                candidates.lose(state);
            })?;
        }
    }

    /// Sends the conditions that steps fulfil to where they arrive, and on from there, until nothing new arrives anywhere. What is told of a state is made from the number
    /// of the one before it and the conditions: first of every step, later of those that conditions are sent on along.
    pub fn spread(
        &mut self,
        rounds: &mut Rounds<'_>,
        candidates: &mut Candidates,
        (first, later): (&Telling<'_>, &Telling<'_>),
        take: &mut Taking<'_>,
    ) -> Result<(), Interruption> {
        let mut state = 0;
        let next = &mut |candidates: &mut Candidates| {
            state += candidates.left[state..].iter().position(|&left| left)? + 1;
            Some((to_u32(state - 1), None))
        };
        self.wave(rounds, candidates, next, first, take)?;
        loop {
            let mut queue = mem::take(&mut candidates.queue);
            if self.sum(rounds, queue.len())? == 0 {
                return Ok(());
            }
            let next = &mut |candidates: &mut Candidates| {
                candidates.next_fresh(&mut queue).map(|(state, conditions)| (state, Some(conditions)))
            };
            self.wave(rounds, candidates, next, later, take)?;
        }
    }

    /// The sum of what all processes say; or that somebody has reached a limit.
    pub fn sum(&mut self, rounds: &mut Rounds<'_>, ours: usize) -> Result<usize, Interruption> {
        let reports = rounds.gather((ours, self.own.stopped.map(number_of)))?;
        match reports.iter().find_map(|(_, stopped)| stopped.map(reason_of)) {
            Some(reason) => Err(Interruption::Stopped(Stopped(reason))),
            None => Ok(reports.iter().map(|(count, _)| count).sum()),
        }
    }

    pub fn receive(
        &mut self,
        bytes: &[u8],
        candidates: &mut Candidates,
        take: &mut Taking<'_>,
    ) -> Result<(), ClusterFailure> {
        let mut rows = RowReader::new(bytes);
        let unreadable = |why: UnreadableRow| ClusterFailure::Unreadable { cause: why.to_string() };
        while let Some(told) = rows.next_row().map_err(unreadable)? {
            let Some((&header, row)) = told.split_first_chunk() else {
                return Err(unreadable(UnreadableRow("a row is too short")));
            };
            self.row.clear();
            self.row.extend_from_slice(row);
            let state = number(&self.own.store, None, &self.row, &mut self.own.branches).ok_or_else(unvisited)?;
            if candidates.left[state] {
                take(candidates, state, header);
            }
        }
        Ok(())
    }

    /// A limit that was reached where everybody notices alike.
    pub fn too_long() -> Interruption {
        Interruption::Stopped(Stopped(StopReason::Count))
    }
}
