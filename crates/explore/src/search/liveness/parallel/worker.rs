//! What one thread does in the search for accepted runs that several threads make together.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use tertium_base::narrow::low_half;
use tertium_program::Fault;

use super::fair::fair_part;
use super::union_find::{Claim, SharedComponents};
use super::{Found, Meeting};
use crate::search::Progress;
use crate::search::liveness::Monitor;
use crate::search::liveness::product_rows::{ProductRows, ProductScratch};
use crate::store::{Branches, Full, StateStore};
use crate::successors::{Expansion, RowSuccessors};

/// The limits are looked at after so many steps of the search; a power of two.
const STEPS_PER_LOOK: u32 = 1024;

/// A set that is being searched.
struct Frame {
    /// The state by which the thread came.
    entry: u32,
    /// The marks of the step by which it came.
    entered_by: u64,
    /// The state of the set that is being expanded.
    at: Option<u32>,
    /// How many steps it has.
    steps: usize,
    /// Its steps that were not followed yet begin here in the common list.
    edges_from: usize,
}

/// A set on the stack of those that are not known to be one.
struct Root {
    state: u32,
    entered_by: u64,
}

/// Whether there is more to do.
enum Turn {
    Goes,
    Ends,
}

/// The search of one thread; it can be broken off anywhere and gone on with.
pub(super) struct Searcher<'s, S: RowSuccessors, M: Monitor> {
    product: &'s ProductRows<'s, S, M>,
    meeting: &'s Meeting<'s>,
    /// One bit that no other thread has.
    bit: u64,
    scratch: ProductScratch<S, M>,
    found: Expansion,
    base: Branches,
    branches: Branches,
    row: Vec<u32>,
    frames: Vec<Frame>,
    roots: Vec<Root>,
    edges: Vec<(u32, u64)>,
    targets: Vec<u32>,
    /// So many initial states were begun with.
    begun: usize,
    steps: u32,
    /// Where chance stands; threads that went the same way would find the same.
    chance: u64,
    /// Steps of states that this thread was the first to expand to the end.
    pub transitions: usize,
    pub faults: BTreeSet<Fault>,
}

/// The states of the product by number, and the sets they are merged to.
pub(super) struct SharedProduct {
    pub store: StateStore,
    pub components: SharedComponents,
}

impl<'s, S: RowSuccessors, M: Monitor> Searcher<'s, S, M> {
    pub fn new(
        product: &'s ProductRows<'s, S, M>,
        meeting: &'s Meeting<'s>,
        number: usize,
        store: &StateStore,
    ) -> Self {
        Self {
            product,
            meeting,
            bit: 1 << number,
            scratch: product.scratch(),
            found: Expansion::default(),
            base: store.branches(),
            branches: store.branches(),
            row: Vec::new(),
            frames: Vec::new(),
            roots: Vec::new(),
            edges: Vec::new(),
            targets: Vec::new(),
            begun: 0,
            steps: 0,
            // No seed is zero.
            chance: 0x9E37_79B9_7F4A_7C15 ^ number as u64,
            transitions: 0,
            faults: BTreeSet::new(),
        }
    }

    /// Searches until everything is done or somebody halts; says whether it is done.
    pub fn run(&mut self, product: &SharedProduct, mut progress: Option<&mut dyn FnMut(Progress)>) -> bool {
        while !self.meeting.halt.load(Ordering::Relaxed) {
            self.steps = self.steps.wrapping_add(1);
            if self.steps & (STEPS_PER_LOOK - 1) == 0 {
                if let Err(stopped) = self.meeting.budget.check() {
                    self.meeting.stop(stopped);
                    return false;
                }
                if let Some(progress) = &mut progress {
                    let (store, queue) = (&product.store, self.edges.len());
                    progress(Progress { states: store.len(), queue, depth: self.frames.len(), bytes: store.bytes() });
                }
            }
            match self.turn(product) {
                Ok(Turn::Goes) => {}
                Ok(Turn::Ends) => return true,
                Err(Full) => self.meeting.halt.store(true, Ordering::Relaxed),
            }
        }
        false
    }

    /// One step of the search.
    fn turn(&mut self, product: &SharedProduct) -> Result<Turn, Full> {
        let components = &product.components;
        let Some(frame) = self.frames.last_mut() else { return Ok(self.begin(components)) };
        match frame.at {
            None => match components.pick(frame.entry) {
                Some(state) => self.expand(product, state)?,
                None => self.leave(product),
            },
            Some(_) if self.edges.len() > frame.edges_from => self.follow(components),
            Some(state) => {
                frame.at = None;
                if components.finish(state) {
                    self.transitions += frame.steps;
                }
            }
        }
        Ok(Turn::Goes)
    }

    /// Begins with the next initial state; every thread with another one first.
    fn begin(&mut self, components: &SharedComponents) -> Turn {
        let starts = self.meeting.starts;
        if self.begun == starts.len() {
            return Turn::Ends;
        }
        let first = self.bit.trailing_zeros() as usize;
        let start = starts[(first + self.begun) % starts.len()];
        self.begun += 1;
        if components.claim(start, self.bit) != Claim::Dead {
            self.enter(start, 0);
        }
        Turn::Goes
    }

    fn enter(&mut self, state: u32, entered_by: u64) {
        self.roots.push(Root { state, entered_by });
        self.frames.push(Frame { entry: state, entered_by, at: None, steps: 0, edges_from: self.edges.len() });
    }

    /// Puts the steps of a state of the topmost set on the list.
    fn expand(&mut self, product: &SharedProduct, state: u32) -> Result<(), Full> {
        let SharedProduct { store, components } = product;
        store.read(state, &mut self.base);
        let reduces = self.meeting.reduces && !components.follows_all(state);
        if !(reduces && self.expand_some(product, state)?) {
            if self.meeting.reduces {
                components.follow_all(state);
            }
            self.product.expand(self.base.words(), &mut self.scratch, &mut self.found);
            self.faults.extend(self.found.faults.drain(..));
            self.number_targets(product)?;
        }
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        (frame.at, frame.steps) = (Some(state), self.targets.len());
        let from = self.edges.len();
        self.edges.extend(self.targets.iter().copied().zip(self.scratch.fulfils.iter().copied()));
        // The list is taken from its end, so that the first step is followed first; the other threads draw lots.
        match self.bit {
            1 => self.edges[from..].reverse(),
            _ => self.shuffle(from),
        }
        Ok(())
    }

    /// Tries private steps alone.
    fn expand_some(&mut self, product: &SharedProduct, state: u32) -> Result<bool, Full> {
        if !self.product.expand_private_steps(self.base.words(), &mut self.scratch, &mut self.found) {
            return Ok(false);
        }
        self.number_targets(product)?;
        Ok(product.components.some_are_enough(state, self.targets.iter().copied()))
    }

    /// Enters what was found.
    fn number_targets(&mut self, product: &SharedProduct) -> Result<(), Full> {
        self.targets.clear();
        for step in 0..self.found.steps() {
            self.found.copy_row(step, &mut self.row);
            let (target, _) = product.store.insert(&self.base, &self.row, &mut self.branches)?;
            if target as usize >= product.components.room() {
                return Err(Full);
            }
            self.targets.push(target);
        }
        Ok(())
    }

    fn shuffle(&mut self, from: usize) {
        for at in (from + 1..self.edges.len()).rev() {
            self.chance ^= self.chance << 13;
            self.chance ^= self.chance >> 7;
            self.chance ^= self.chance << 17;
            self.edges.swap(at, from + low_half(self.chance) as usize % (at - from + 1));
        }
    }

    /// Follows the next step of the state at hand.
    fn follow(&mut self, components: &SharedComponents) {
        let Some((target, marks)) = self.edges.pop() else { return };
        match components.claim(target, self.bit) {
            Claim::Dead => {}
            Claim::New => self.enter(target, marks),
            Claim::OnStack => self.merge(components, target, marks),
        }
    }

    /// A step leads back to a set on the stack: everything since then is one set.
    fn merge(&mut self, components: &SharedComponents, target: u32, marks: u64) {
        let Some(entry) = self.frames.last().map(|frame| frame.entry) else { return };
        let mut collected = marks;
        while !components.same(target, entry) {
            let (Some(root), Some(below)) = (self.roots.pop(), self.roots.last()) else { return };
            components.unite(root.state, below.state);
            collected |= root.entered_by;
        }
        self.collect(components, entry, collected);
    }

    /// Steps with these marks stay inside a set.
    fn collect(&self, components: &SharedComponents, state: u32, marks: u64) {
        let all = self.product.always();
        if components.add_marks(state, marks) & all == all && !self.meeting.is_strong {
            self.meeting.found(Found::SetOf(state));
        }
    }

    /// The topmost set is a whole component, and done.
    fn leave(&mut self, product: &SharedProduct) {
        let components = &product.components;
        let Some(frame) = self.frames.pop() else { return };
        if self.roots.last().is_some_and(|root| root.state == frame.entry) {
            self.roots.pop();
        }
        if components.bury(frame.entry) && self.meeting.is_strong && components.is_cyclic(frame.entry) {
            self.look_for_fair_part(product, frame.entry);
        }
        // The step that led here may stay inside what was merged by others meanwhile.
        let came_from = self.frames.last().map(|below| below.entry);
        if let Some(below) = came_from.filter(|&below| components.same(below, frame.entry)) {
            self.collect(components, below, frame.entered_by);
        }
    }

    /// Strong fairness is looked at when a component is done.
    fn look_for_fair_part(&mut self, product: &SharedProduct, state: u32) {
        let members = product.components.members(state);
        let (mut row, mut ticks) = (Vec::new(), 0);
        let meeting = self.meeting;
        let after = &mut |state: u32, steps: &mut Vec<(u32, u64)>| {
            meeting.budget.tick(&mut ticks)?;
            product.store.read(state, &mut self.base);
            self.product.expand(self.base.words(), &mut self.scratch, &mut self.found);
            steps.clear();
            for (step, &fulfils) in self.scratch.fulfils.iter().enumerate() {
                self.found.copy_row(step, &mut row);
                // What was expanded before has only successors that are there.
                steps.extend(product.store.find(&row).map(|target| (target, fulfils)));
            }
            Ok(self.scratch.binds)
        };
        match fair_part(members, self.product.always(), after) {
            Ok(None) => {}
            Ok(Some(part)) => meeting.found(Found::States(part)),
            Err(stopped) => meeting.stop(stopped),
        }
    }
}
