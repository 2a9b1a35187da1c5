//! The product of a program and a monitor as rows: the monitor's state, then the program's row.
//!
//! For searches that number states their own way, on several machines for instance. What a run must do again and again is told by conditions, one bit each: the
//! monitor's marks, weak fairness to a process, and strong fairness to a process, which binds only states where that process can step.

use tertium_base::narrow::to_u32;

use super::marked::NOBODY;
use super::{Monitor, Scheduling};
use crate::successors::{Expansion, RowSuccessors};

/// More conditions than this are not told apart.
pub const MOST_CONDITIONS: usize = 64;

/// The product of a program and a monitor.
#[derive(Debug)]
pub struct ProductRows<'s, S, M> {
    successors: &'s S,
    monitor: &'s M,
    scheduling: &'s Scheduling,
    /// The marks of the monitor and of weak fairness, or one that every step carries where there are none.
    always: u64,
}

/// What one thread needs to expand states of the product, and the conditions of what it found last.
pub struct ProductScratch<S: RowSuccessors, M: Monitor> {
    steps: S::Scratch,
    eyes: M::Scratch,
    found: Expansion,
    moves: Vec<(u32, u64)>,
    changes: Vec<(u32, u32)>,
    /// The conditions that each step found last fulfils.
    pub fulfils: Vec<u64>,
    /// The conditions that bind the state expanded last.
    pub binds: u64,
}

impl<'s, S: RowSuccessors, M: Monitor> ProductRows<'s, S, M> {
    /// The product; none if it takes more than [`MOST_CONDITIONS`].
    #[must_use]
    pub fn new(successors: &'s S, monitor: &'s M, scheduling: &'s Scheduling) -> Option<Self> {
        let (always, strong) = (monitor.marks() as usize + scheduling.weak.len(), scheduling.strong.len());
        let always = match always {
            // A run goes on, whatever else it must do.
            0 => 1_u64.checked_shl(to_u32(strong))?,
            1..=MOST_CONDITIONS => u64::MAX >> (MOST_CONDITIONS - always),
            _ => return None,
        };
        let product = Self { successors, monitor, scheduling, always };
        (product.conditions() <= MOST_CONDITIONS).then_some(product)
    }

    /// How many conditions bind every state besides that it goes on.
    fn first_strong(&self) -> usize {
        self.monitor.marks() as usize + self.scheduling.weak.len()
    }

    /// How many conditions there are; at least one.
    #[must_use]
    pub fn conditions(&self) -> usize {
        let always = self.first_strong();
        always + self.scheduling.strong.len() + usize::from(always == 0)
    }

    /// The conditions that bind every state.
    #[must_use]
    pub fn always(&self) -> u64 {
        self.always
    }

    /// The monitor.
    #[must_use]
    pub fn monitor(&self) -> &'s M {
        self.monitor
    }

    /// What the scheduler promises.
    #[must_use]
    pub fn scheduling(&self) -> &'s Scheduling {
        self.scheduling
    }

    /// The initial states: the program's, each with those of the monitor.
    #[must_use]
    pub fn initial(&self, initial: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let states = self.monitor.initial();
        let joined = |state: u32, row: &[u32]| std::iter::once(state).chain(row.iter().copied()).collect();
        initial.iter().flat_map(|row| states.iter().map(move |&state| joined(state, row))).collect()
    }

    /// The program's part of a row.
    #[must_use]
    pub fn program_row(row: &[u32]) -> &[u32] {
        row.get(1..).unwrap_or_default()
    }

    /// What a step fulfils besides the monitor's marks. It is weakly fair to a process if it is the process's own or the process cannot step.
    fn fair(&self, mover: u32, movers: &[u32]) -> u64 {
        let weak = self.scheduling.weak.iter().map(|pid| *pid == mover || !movers.contains(pid));
        let strong = self.scheduling.strong.iter().map(|pid| *pid == mover);
        let first = self.monitor.marks() as usize;
        let going_on = if self.first_strong() == 0 { self.always } else { 0 };
        let fulfilled = weak.chain(strong).enumerate().filter(|&(_, fulfilled)| fulfilled);
        fulfilled.fold(going_on, |bits, (at, _)| bits | 1 << (first + at))
    }

    /// The conditions of a state where these processes can step.
    fn binding(&self, movers: &[u32]) -> u64 {
        let first = self.first_strong();
        let bound = self.scheduling.strong.iter().enumerate().filter(|(_, pid)| movers.contains(pid));
        bound.fold(self.always, |bits, (at, _)| bits | 1 << (first + at))
    }

    /// Finds private steps alone; whether there are any. Where a scheduler is fair they never stand for all.
    pub(super) fn expand_private_steps(
        &self,
        row: &[u32],
        scratch: &mut ProductScratch<S, M>,
        out: &mut Expansion,
    ) -> bool {
        let found = self.successors.expand_private(Self::program_row(row), &mut scratch.steps, &mut scratch.found);
        if found {
            self.pair(row, scratch, out);
        }
        found
    }

    /// Pairs what was found after the program's part of a row with the monitor's moves.
    fn pair(&self, row: &[u32], scratch: &mut ProductScratch<S, M>, out: &mut Expansion) {
        let ProductScratch { eyes, found, moves, changes, fulfils, binds, .. } = scratch;
        out.begin(row, self.successors.words() + 1);
        fulfils.clear();
        let Some((&state, program_row)) = row.split_first() else { return };
        out.faults.append(&mut found.faults);
        moves.clear();
        self.monitor.next(state, program_row, eyes, moves);
        *binds = self.binding(&found.movers);
        let stutters = found.steps() == 0;
        for at in 0..found.steps().max(usize::from(self.monitor.stutters())) {
            let mover = if stutters { NOBODY } else { found.movers[at] };
            let fair = self.fair(mover, &found.movers);
            let steps = if stutters { &[][..] } else { found.changes(at) };
            for &(next, marks) in moves.iter() {
                changes.clear();
                changes.extend((next != state).then_some((0, next)));
                changes.extend(steps.iter().map(|&(word, value)| (word + 1, value)));
                out.add(changes, mover);
                fulfils.push(marks | fair);
            }
        }
    }
}

impl<S: RowSuccessors, M: Monitor> RowSuccessors for ProductRows<'_, S, M> {
    type Scratch = ProductScratch<S, M>;

    fn words(&self) -> usize {
        self.successors.words() + 1
    }

    fn scratch(&self) -> ProductScratch<S, M> {
        ProductScratch {
            steps: self.successors.scratch(),
            eyes: self.monitor.scratch(),
            found: Expansion::default(),
            moves: Vec::new(),
            changes: Vec::new(),
            fulfils: Vec::new(),
            binds: 0,
        }
    }

    fn expand(&self, row: &[u32], scratch: &mut ProductScratch<S, M>, out: &mut Expansion) {
        self.successors.expand(Self::program_row(row), &mut scratch.steps, &mut scratch.found);
        self.pair(row, scratch, out);
    }
}
