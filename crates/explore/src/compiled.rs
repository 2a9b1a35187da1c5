//! Successors of any program, fast.
//!
//! All steps are made ready once ([`crate::code`]); what a move writes patches the packed row of the state it leaves, so a
//! successor costs what it changes. Any state in which something goes wrong, or that needs what only the definition of
//! a step knows, is left to the definition ([`Plain`]), which decides alone what a fault is. What a process did when it saw
//! the same values is remembered (`step_cache`), not computed again.

use std::sync::Arc;

use tertium_base::narrow::{to_u32, to_usize};
use tertium_program::layout::{FRAME_LOCATION, FRAME_PRIORITY};
use tertium_program::{Expr, ExprId, Fault, FaultKind, Hold, Outcome, Semantics, Width};

use crate::blocks::{BlockState, Entry};
use crate::code::{Code, Trap, View};
use crate::functions::{StepFunctions, ThreadFunctions};
use crate::masked_steps::MaskedSteps;
use crate::offers::{Frames, Offer, Offers};
use crate::pack::{Packing, RowLayout, RowLayouts};
use crate::reduction::{DeadVariables, StateSpaceReduction};
use crate::seen::Seen;
use crate::step_cache::{CacheLookup, MOST_SHAPES, StepCache};
use crate::steps::{self, ActionCode, ProcessCode};
use crate::store::trimmed;
use crate::successors::{Expansion, MaskedState, Plain, RowSuccessors};

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled<'p> {
    pub(crate) plain: Plain<'p>,
    pub(crate) code: Code,
    pub(crate) processes: Vec<ProcessCode>,
    /// How much is kept of the fields of each channel's messages.
    pub(crate) fields: Vec<Vec<Option<Width>>>,
    /// The slot that says who stepped last.
    pub(crate) last: Option<u32>,
    uses_timeout: bool,
    pub(crate) priorities: bool,
    /// An automaton watches the events on channels, which only the definition of a step knows.
    pub(crate) watched: bool,
    pub(crate) reduction: Option<StateSpaceReduction>,
    pub(crate) caches_steps: bool,
    pub(crate) functions: Option<Arc<dyn StepFunctions + 'p>>,
}

/// What one thread needs.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The slots of the state at hand, once something must be computed.
    slots: Vec<i64>,
    pub(crate) unpacked: bool,
    offers: Offers,
    /// Offers inside an uninterruptible block.
    inner: Offers,
    pub(crate) room: Room,
    pub(crate) seen: Seen,
    /// What was done before, by the number of the shape.
    step_caches: Vec<StepCache>,
    pub(crate) functions: ThreadFunctions,
    pub(crate) masked: MaskedSteps,
}

/// The state that is being expanded.
#[derive(Clone, Copy)]
pub(crate) struct Here<'h> {
    pub row: &'h [u32],
    pub shape: &'h RowLayout,
    /// The number of the shape.
    pub number: usize,
}

/// How what a process can do is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SuccessorQuery {
    Plainly,
    /// Noting what is looked at.
    ToRemember,
    /// When nothing but what waits for a timeout can be done.
    AfterTimeout,
}

/// Where states between two rows are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    pub shapes: RowLayouts,
    /// States inside a block that are still to be gone on from, and room for more.
    pub block: Vec<BlockState>,
    pub spare: Vec<BlockState>,
}

impl<'p> Compiled<'p> {
    /// Compiles a program.
    #[must_use]
    pub fn of(semantics: &Semantics<'p>) -> Self {
        let program = semantics.program();
        let mut code = Code::default();
        let processes = steps::compile(semantics, &mut code);
        Self {
            plain: Plain::of(semantics),
            code,
            processes,
            fields: program
                .channels
                .iter()
                .map(|channel| channel.fields.iter().map(|&ty| program.stored_width(ty)).collect())
                .collect(),
            last: program.last.map(|last| to_u32(semantics.layout().variable(last))),
            uses_timeout: (0..program.exprs.len()).any(|id| program.exprs.get(ExprId::new(id)) == Expr::Timeout),
            priorities: program.priorities,
            watched: program.trace.is_some() || program.must_be_deterministic(),
            reduction: None,
            caches_steps: !program.priorities,
            functions: None,
        }
    }

    /// The same, computing everything anew: the oracle of what is remembered.
    #[must_use]
    pub fn forgetful(mut self) -> Self {
        self.caches_steps = false;
        self
    }

    /// The same, leaving out what a reduction says. What goes wrong is still found by the definition of all steps.
    #[must_use]
    pub fn reduced(mut self, reduction: StateSpaceReduction) -> Self {
        for (at, process) in self.processes.iter_mut().enumerate() {
            let targets: Vec<bool> =
                (0..process.locations.len()).map(|location| reduction.is_merged(at, location)).collect();
            for (location, merged) in process.locations.iter_mut().zip(&targets) {
                if *merged {
                    location.hold = Hold::WhileEnabled;
                }
                for step in location.steps.iter_mut().filter(|step| targets[to_usize(step.target)]) {
                    step.holds = !matches!(step.action, ActionCode::End);
                }
            }
        }
        self.reduction = Some(reduction);
        // They are for the program without reduction.
        self.functions = None;
        self
    }

    /// The row that stands for this one: without values that are never read again.
    #[must_use]
    pub fn representative(&self, row: &[u32]) -> Vec<u32> {
        let Some(dead) = self.dead() else { return row.to_vec() };
        let shape = self.packing().shape_of_row(row);
        let mut row = row.to_vec();
        row.resize(shape.words, 0);
        for (&process, &frame) in shape.processes.iter().zip(&shape.frames) {
            let location = to_usize(shape.field(frame + FRAME_LOCATION).take(&row));
            for &slot in dead.at(process as usize, location) {
                let field = shape.field(frame + slot as usize);
                field.put(&mut row, field.least());
            }
        }
        row.truncate(trimmed(&row, self.words()));
        row
    }

    /// Whether the process that made the last step towards this row goes on at once, so that the row is not stored.
    #[must_use]
    pub fn is_passed(&self, row: &[u32], mover: usize) -> bool {
        let shape = self.packing().shape_of_row(row);
        let (Some(reduction), Some(&frame)) = (&self.reduction, shape.frames.get(mover)) else { return false };
        let location = to_usize(shape.field(frame + FRAME_LOCATION).take(row));
        reduction.is_merged(shape.processes[mover] as usize, location)
    }

    #[inline]
    pub(crate) fn dead(&self) -> Option<&DeadVariables> {
        self.reduction.as_ref().and_then(StateSpaceReduction::dead)
    }

    /// The definition of a step behind it.
    #[must_use]
    pub fn plain(&self) -> &Plain<'p> {
        &self.plain
    }

    /// The packing of its rows.
    #[must_use]
    pub fn packing(&self) -> &Packing {
        self.plain.packing()
    }

    /// All successors of a state.
    fn try_expand(&self, here: Here<'_>, scratch: &mut Scratch, found: &mut Expansion) -> Result<(), Trap> {
        if self.watched {
            return Err(Trap::Fault);
        }
        if self.priorities {
            self.by_priority(here, scratch, found)?;
        } else {
            let pids = 0..here.shape.frames.len();
            let any = match self.by_functions(pids.clone(), here, scratch, found) {
                Some(any) => any,
                None => pids
                    .map(|pid| self.steps_of(pid, here, scratch, found))
                    .try_fold(false, |any, found| Ok(any | found?))?,
            };
            if !any && self.uses_timeout {
                for pid in 0..here.shape.frames.len() {
                    self.compute(pid, here, SuccessorQuery::AfterTimeout, scratch, found)?;
                }
            }
        }
        found.deadlock = found.steps() == 0 && found.faults.is_empty() && !self.all_at_end(here, scratch);
        Ok(())
    }

    /// Only processes of the highest priority step.
    fn by_priority(&self, here: Here<'_>, scratch: &mut Scratch, found: &mut Expansion) -> Result<(), Trap> {
        scratch.unpack(here);
        for timeout in [false, true] {
            scratch.offers.clear();
            for pid in 0..here.shape.frames.len() {
                let view = here.view(&scratch.slots, pid, timeout, None);
                self.offer(&view, &mut scratch.room.shapes, &mut scratch.offers)?;
            }
            if !self.uses_timeout || !scratch.offers.list.is_empty() {
                break;
            }
        }
        retain_highest(here.shape, &scratch.slots, &mut scratch.offers.list);
        self.take_all(here, false, scratch, found)
    }

    /// All successors by the definition of a step, which alone knows what goes wrong. What does not go wrong is left out as
    /// elsewhere, so that some of the steps of a state and all of them lead to the same rows.
    fn expand_by_definition(&self, row: &[u32], scratch: &mut Scratch, found: &mut Expansion) {
        if self.reduction.is_none() {
            self.plain.expand(row, &mut (), found);
            return;
        }
        found.begin(row, self.words());
        let (semantics, state) = (self.plain.semantics(), self.plain.state(row));
        let successors = semantics.successors(&state);
        found.deadlock = successors.is_empty() && !semantics.all_at_end(&state.slots);
        for successor in successors {
            let mover = successor.moves.first().map_or(0, |mv| mv.pid);
            let last = successor.moves.last().map_or(0, |mv| mv.partner.map_or(mv.pid, |(pid, _)| pid));
            match successor.outcome {
                Outcome::Fault { fault, .. } => found.faults.push(fault),
                Outcome::Next(next) => self.pass_on(&self.plain.row(&next), (mover, last), scratch, found),
            }
        }
    }

    /// Adds a successor, or, if the process that arrived last goes on at once, what it does next.
    fn pass_on(&self, row: &[u32], (mover, last): (u32, u32), scratch: &mut Scratch, found: &mut Expansion) {
        let mut next = Expansion::default();
        if self.is_passed(row, last as usize) && self.steps_alone(row, last as usize, scratch, &mut next) {
            next.rows().for_each(|row| found.arrive(&row, mover));
            found.faults.append(&mut next.faults);
        } else {
            found.arrive(&self.representative(row), mover);
        }
    }

    /// What one process does in a state; says whether it is anything and nothing goes wrong.
    fn steps_alone(&self, row: &[u32], pid: usize, scratch: &mut Scratch, found: &mut Expansion) -> bool {
        let (number, shape) = scratch.room.shapes.of_row(self.packing(), row);
        let here = Here { row, shape: &shape, number };
        found.begin(row, self.words());
        self.prepare(here, scratch);
        let done = self.steps_of(pid, here, scratch, found);
        if done.is_err() {
            scratch.abandon_blocks();
        }
        done.is_ok() && found.steps() > 0
    }

    /// What one process can do, remembered or computed; says whether it is anything.
    #[inline]
    fn steps_of(&self, pid: usize, here: Here<'_>, scratch: &mut Scratch, found: &mut Expansion) -> Result<bool, Trap> {
        let Some(step_cache) = scratch.step_caches.get_mut(here.number).filter(|_| self.caches_steps) else {
            return self.compute(pid, here, SuccessorQuery::Plainly, scratch, found);
        };
        let before = found.steps();
        let spot = match step_cache.repeat(pid, here.row, found) {
            CacheLookup::Repeated => return Ok(found.steps() > before),
            CacheLookup::New(spot) => spot,
            CacheLookup::Open => return self.compute(pid, here, SuccessorQuery::Plainly, scratch, found),
        };
        let faults = found.faults.len();
        found.record();
        let any = self.compute(pid, here, SuccessorQuery::ToRemember, scratch, found)?;
        // Where something was offered that leads nowhere, or goes wrong, steps alone do not tell what was found.
        if found.faults.len() == faults && any == (found.steps() > before) {
            let own = to_u32(here.shape.frames[pid] + FRAME_LOCATION);
            let seen = scratch.seen.sorted().iter().copied().filter(|&slot| slot != own);
            scratch.step_caches[here.number].remember(spot, seen, here, found);
        }
        Ok(any)
    }

    /// What one process can do, by its code; says whether it is anything.
    pub(crate) fn compute(
        &self,
        pid: usize,
        here: Here<'_>,
        asked: SuccessorQuery,
        scratch: &mut Scratch,
        found: &mut Expansion,
    ) -> Result<bool, Trap> {
        scratch.unpack(here);
        scratch.offers.clear();
        let noting = asked == SuccessorQuery::ToRemember;
        if noting {
            scratch.seen.begin(here.shape.slots);
        }
        let view =
            here.view(&scratch.slots, pid, asked == SuccessorQuery::AfterTimeout, noting.then_some(&scratch.seen));
        self.offer(&view, &mut scratch.room.shapes, &mut scratch.offers)?;
        self.take_all(here, noting, scratch, found)?;
        Ok(!scratch.offers.list.is_empty())
    }

    fn all_at_end(&self, here: Here<'_>, scratch: &mut Scratch) -> bool {
        scratch.unpack(here);
        let view = View::observer(&scratch.slots, here.shape);
        (0..here.shape.frames.len()).all(|pid| self.location_of(&view, pid).end)
    }

    /// Makes room for what is done in states of this shape.
    #[inline]
    fn prepare(&self, here: Here<'_>, scratch: &mut Scratch) {
        scratch.unpacked = false;
        let number = here.number;
        if number < MOST_SHAPES && scratch.step_caches.get(number).is_none_or(StepCache::is_empty) {
            // RowLayouts are numbered as they are met; those met only inside blocks are never asked for.
            let known = scratch.step_caches.len().max(number + 1);
            scratch.step_caches.resize_with(known, StepCache::default);
            scratch.step_caches[number] = StepCache::of(self, here.shape);
        }
    }

    /// Takes up every offer.
    fn take_all(&self, here: Here<'_>, noting: bool, scratch: &mut Scratch, found: &mut Expansion) -> Result<(), Trap> {
        let Scratch { slots, offers, inner, room, seen, .. } = scratch;
        let seen = noting.then_some(&*seen);
        for offer in &offers.list {
            if offer.failed {
                found.faults.push(Fault { kind: FaultKind::Assertion, step: Some(offer.step) });
            }
            if offer.holder.is_some() {
                let entry = Entry { shape: here.shape, slots, mover: offer.pid, seen };
                self.take_block(&entry, offer, offers, inner, room, found)?;
            } else {
                self.take(here.shape, offer, offers, &mut room.shapes, found);
            }
        }
        Ok(())
    }

    /// The successor by an offer that leaves nobody holding control.
    #[inline]
    fn take(&self, shape: &RowLayout, offer: &Offer, offers: &Offers, shapes: &mut RowLayouts, found: &mut Expansion) {
        for &(slot, value) in &offers.writes[offer.writes.clone()] {
            found.put(shape.field(slot as usize), value);
        }
        if let Some(dead) = self.dead() {
            for pid in std::iter::once(offer.pid).chain(offer.partner) {
                forget_dead(dead, shape, pid as usize, offer, offers, found);
            }
        }
        match &offer.frames {
            Frames::Same => {}
            Frames::Started(process, slots) => {
                found.forget();
                let mut processes = shape.processes.clone();
                processes.push(*process);
                let wider = shapes.of_processes(self.packing(), &processes);
                let entry = to_usize(self.processes[*process as usize].entry);
                let gone = self.dead().map_or(&[][..], |dead| dead.at(*process as usize, entry));
                for (at, &value) in offers.started[slots.clone()].iter().enumerate() {
                    let field = wider.field(shape.slots + at);
                    found.put(field, if gone.contains(&to_u32(at)) { field.least() } else { value });
                }
            }
            Frames::Ended => {
                let narrower = shapes.of_processes(self.packing(), &shape.processes[..shape.processes.len() - 1]);
                found.forget();
                // The frame that is gone begins where the others end.
                found.cut(narrower.used);
            }
        }
        found.close(offer.pid);
    }
}

/// Forgets the values that a process which has moved never reads again. Where it has moved to is among the writes.
#[inline]
fn forget_dead(
    dead: &DeadVariables,
    shape: &RowLayout,
    pid: usize,
    offer: &Offer,
    offers: &Offers,
    found: &mut Expansion,
) {
    let frame = shape.frames[pid];
    let own = steps::location_slot(frame);
    let mut writes = offers.writes[offer.writes.clone()].iter().rev();
    let Some(&(_, location)) = writes.find(|(slot, _)| *slot == own) else { return };
    for &slot in dead.at(shape.processes[pid] as usize, to_usize(location)) {
        let field = shape.field(frame + slot as usize);
        found.put(field, field.least());
    }
}

impl<'h> Here<'h> {
    /// The state as a process sees it.
    fn view<'v>(self, slots: &'v [i64], pid: usize, timeout: bool, seen: Option<&'v Seen>) -> View<'v>
    where
        'h: 'v,
    {
        let Here { shape, .. } = self;
        View { slots, shape, me: pid, frame: shape.frames[pid], inputs: &[], timeout, seen }
    }
}

impl Scratch {
    #[inline]
    fn unpack(&mut self, here: Here<'_>) {
        if !self.unpacked {
            here.shape.unpack(here.row, &mut self.slots);
            self.unpacked = true;
        }
    }

    /// Nothing is left of a block that could not be finished.
    pub(crate) fn abandon_blocks(&mut self) {
        self.room.spare.append(&mut self.room.block);
    }
}

/// Only the processes of the highest priority among those that can step may step.
fn retain_highest(shape: &RowLayout, slots: &[i64], offers: &mut Vec<Offer>) {
    let priority = |offer: &Offer| slots[shape.frames[offer.pid as usize] + FRAME_PRIORITY];
    let highest = offers.iter().map(priority).max();
    offers.retain(|offer| Some(priority(offer)) == highest);
}

impl RowSuccessors for Compiled<'_> {
    type Scratch = Scratch;

    fn words(&self) -> usize {
        self.plain.words()
    }

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn expand(&self, row: &[u32], scratch: &mut Scratch, found: &mut Expansion) {
        found.begin(row, self.words());
        let (number, shape) = scratch.room.shapes.of_row(self.packing(), row);
        let here = Here { row, shape: &shape, number };
        self.prepare(here, scratch);
        if self.try_expand(here, scratch, found).is_err() {
            scratch.abandon_blocks();
            self.expand_by_definition(row, scratch, found);
        }
    }

    fn expand_masked(&self, state: MaskedState<'_>, scratch: &mut Scratch, keys: &mut Vec<u64>) -> bool {
        self.expand_by_keys(state, scratch, keys)
    }

    fn expand_private(&self, row: &[u32], scratch: &mut Scratch, found: &mut Expansion) -> bool {
        let Some(reduction) = &self.reduction else { return false };
        let (number, shape) = scratch.room.shapes.of_row(self.packing(), row);
        let here = Here { row, shape: &shape, number };
        found.begin(row, self.words());
        self.prepare(here, scratch);
        for (pid, &frame) in shape.frames.iter().enumerate() {
            let at = to_usize(shape.field(frame + FRAME_LOCATION).take(row));
            if !reduction.is_ample(shape.processes[pid] as usize, at) {
                continue;
            }
            if self.by_functions(pid..pid + 1, here, scratch, found).is_none()
                && self.steps_of(pid, here, scratch, found).is_err()
            {
                scratch.abandon_blocks();
                return false;
            }
            if found.steps() > 0 {
                return true;
            }
        }
        false
    }
}
