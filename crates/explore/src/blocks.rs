//! Every way through an uninterruptible block, fast.
//!
//! The states inside a block are nobody's but the holder's, so they are never stored. Where there is one way to go on
//! the state is changed in place; where there are several, copies wait for their turn. A block that goes round, or that has
//! too many choices for that to be known soon, is left to the definition of a step, which alone says what is endless. A
//! block that is too long for the limits is noted as such here: that says nothing about the program.

use std::sync::Arc;

use tertium_base::narrow::{to_u32, to_usize};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Fault, FaultKind, Hold};

use crate::code::{Trap, View};
use crate::compiled::{Compiled, Room};
use crate::offers::{Frames, Offer, Offers};
use crate::pack::{RowLayout, RowLayouts};
use crate::reduction::DeadVariables;
use crate::seen::Seen;
use crate::steps::location_slot;
use crate::successors::Expansion;

/// A block with more choices than this is left to the definition of a step.
const MOST_CHOICES: usize = 20_000;
/// After so many moves the limits are looked at, and states are compared to see whether the block goes round.
const MOVES_PER_LOOK: usize = 1024;

/// A state inside a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockState {
    slots: Vec<i64>,
    /// The slots that may have changed since the block was entered.
    changed: Vec<u32>,
    /// Its shape, if that is not the one it had when the block was entered.
    shape: Option<Arc<RowLayout>>,
    holder: u32,
}

/// How far a block has been followed.
#[derive(Default)]
struct Lengths {
    /// Moves on all ways.
    all: usize,
    /// Moves on the way that is being followed, since there was a choice: at most those that the way has.
    moves: usize,
    /// How often there was a choice, on all ways.
    choices: usize,
    /// A state of the way that is being followed, met after so many moves: if it comes again, the way goes round.
    anchor: Option<(usize, Vec<i64>, u32)>,
}

impl Lengths {
    /// The way goes on elsewhere: there was a choice, or another way is turned to.
    fn turn(&mut self) {
        self.moves = 0;
        self.anchor = None;
    }

    /// Whether the state is one that the way has passed, as far as the one state that is kept of it tells (Brent's method).
    fn goes_round(&mut self, work: &BlockState) -> bool {
        if self.moves < MOVES_PER_LOOK {
            return false;
        }
        match &self.anchor {
            Some((_, slots, holder)) if *holder == work.holder && *slots == work.slots => true,
            Some((at, ..)) if self.moves < at.saturating_mul(2) => false,
            _ => {
                self.anchor = Some((self.moves, work.slots.clone(), work.holder));
                false
            }
        }
    }
}

impl BlockState {
    /// Lists each changed slot once, if the list has become long.
    fn tidy(&mut self) {
        if self.changed.len() > 2 * self.slots.len() + MOVES_PER_LOOK {
            self.changed.sort_unstable();
            self.changed.dedup();
        }
    }

    fn copy_from(&mut self, other: &Self) {
        self.slots.clone_from(&other.slots);
        self.changed.clone_from(&other.changed);
        self.shape.clone_from(&other.shape);
        self.holder = other.holder;
    }

    /// Forgets the values that processes which have moved never read again.
    fn forget(&mut self, dead: &DeadVariables, entered: &RowLayout) {
        let shape = self.shape.clone();
        let now = shape.as_deref().unwrap_or(entered);
        for (&process, &frame) in now.processes.iter().zip(&now.frames) {
            if shape.is_none() && !self.changed.contains(&location_slot(frame)) {
                continue;
            }
            let location = to_usize(self.slots[frame + FRAME_LOCATION]);
            for &slot in dead.at(process as usize, location) {
                let slot = frame + slot as usize;
                self.slots[slot] = now.field(slot).least();
                self.changed.push(to_u32(slot));
            }
        }
    }

    fn apply(
        &mut self,
        offer: &Offer,
        offers: &Offers,
        entered: &RowLayout,
        shapes: &mut RowLayouts,
        compiled: &Compiled<'_>,
    ) {
        for &(slot, value) in &offers.writes[offer.writes.clone()] {
            // Writes to a frame that ends with this move are gone with it.
            if let Some(at) = self.slots.get_mut(slot as usize) {
                *at = value;
                self.changed.push(slot);
            }
        }
        let now = self.shape.as_deref().unwrap_or(entered);
        match &offer.frames {
            Frames::Same => {}
            Frames::Started(process, slots) => {
                let mut processes = now.processes.clone();
                processes.push(*process);
                self.slots.extend_from_slice(&offers.started[slots.clone()]);
                self.shape = Some(shapes.of_processes(compiled.packing(), &processes));
            }
            Frames::Ended => {
                let shape = shapes.of_processes(compiled.packing(), &now.processes[..now.processes.len() - 1]);
                self.slots.truncate(shape.slots);
                self.shape = Some(shape);
            }
        }
        self.holder = offer.holder.unwrap_or(u32::MAX);
    }
}

/// The state from which a block is entered, and who enters it.
pub(crate) struct Entry<'e> {
    pub shape: &'e RowLayout,
    pub slots: &'e Vec<i64>,
    pub mover: u32,
    pub seen: Option<&'e Seen>,
}

impl Compiled<'_> {
    /// Takes an offer that leads into a block, and goes on until nobody holds control.
    pub(crate) fn take_block(
        &self,
        entry: &Entry<'_>,
        offer: &Offer,
        offers: &Offers,
        inner: &mut Offers,
        room: &mut Room,
        found: &mut Expansion,
    ) -> Result<(), Trap> {
        if self.priorities {
            // A process of higher priority interrupts blocks.
            return Err(Trap::Fault);
        }
        let mut work = room.spare.pop().unwrap_or_default();
        work.slots.clone_from(entry.slots);
        work.changed.clear();
        work.shape = None;
        work.apply(offer, offers, entry.shape, &mut room.shapes, self);
        let mut lengths = Lengths::default();
        loop {
            lengths.all += 1;
            lengths.moves += 1;
            if lengths.choices > MOST_CHOICES || lengths.goes_round(&work) {
                return Err(Trap::Fault);
            }
            if self.is_too_long(&lengths) {
                found.faults.push(Fault { kind: FaultKind::BlockTooLong, step: Some(offer.step) });
                room.spare.push(work);
                room.spare.append(&mut room.block);
                return Ok(());
            }
            let waiting = room.block.len();
            let goes_on = self.go_on(entry, &mut work, inner, room, found)?;
            if room.block.len() > waiting {
                lengths.choices += 1;
                lengths.turn();
            }
            if goes_on {
                work.tidy();
                continue;
            }
            room.spare.push(work);
            let Some(next) = room.block.pop() else { return Ok(()) };
            work = next;
            lengths.turn();
        }
    }

    /// Whether a block cannot be followed farther within the limits.
    fn is_too_long(&self, lengths: &Lengths) -> bool {
        let semantics = self.plain.semantics();
        lengths.moves >= semantics.longest_block()
            || (lengths.all.is_multiple_of(MOVES_PER_LOOK) && semantics.budget().check().is_err())
    }

    /// One move of the holder of control; says whether `work` is to be gone on from.
    fn go_on(
        &self,
        entry: &Entry<'_>,
        work: &mut BlockState,
        offers: &mut Offers,
        room: &mut Room,
        found: &mut Expansion,
    ) -> Result<bool, Trap> {
        let now = work.shape.clone();
        let now = now.as_deref().unwrap_or(entry.shape);
        let me = work.holder as usize;
        let (frame, seen) = (now.frames[me], entry.seen);
        let view = View { slots: &work.slots, shape: now, me, frame, inputs: &[], timeout: false, seen };
        offers.clear();
        seen.inspect(|seen| seen.set_written(&work.changed, true));
        let offered = self.offer(&view, &mut room.shapes, offers);
        seen.inspect(|seen| seen.set_written(&work.changed, false));
        offered?;
        let goes_on = if offers.list.is_empty() {
            match self.location_of(&View { seen: None, ..view }, me).hold {
                Hold::Free | Hold::WhileEnabled => self.leave_block(entry, work, found),
                Hold::Indivisible => {}
                Hold::Deterministic => return Err(Trap::Fault),
            }
            false
        } else {
            self.take_inner(entry, work, offers, room, found)
        };
        Ok(goes_on)
    }

    /// Takes up the offers of a state inside a block; says whether `work`, changed by the first, is to be gone on from.
    fn take_inner(
        &self,
        entry: &Entry<'_>,
        work: &mut BlockState,
        offers: &Offers,
        room: &mut Room,
        found: &mut Expansion,
    ) -> bool {
        let waiting = room.block.len();
        for offer in offers.list.iter().skip(1) {
            let mut other = room.spare.pop().unwrap_or_default();
            other.copy_from(work);
            if self.arrive(entry, &mut other, offer, offers, room, found) {
                room.block.push(other);
            } else {
                room.spare.push(other);
            }
        }
        room.block[waiting..].reverse();
        self.arrive(entry, work, &offers.list[0], offers, room, found)
    }

    /// Takes one offer inside a block; says whether somebody still holds control.
    fn arrive(
        &self,
        entry: &Entry<'_>,
        work: &mut BlockState,
        offer: &Offer,
        offers: &Offers,
        room: &mut Room,
        found: &mut Expansion,
    ) -> bool {
        if offer.failed {
            found.faults.push(Fault { kind: FaultKind::Assertion, step: Some(offer.step) });
        }
        work.apply(offer, offers, entry.shape, &mut room.shapes, self);
        if offer.holder.is_none() {
            self.leave_block(entry, work, found);
        }
        offer.holder.is_some()
    }

    /// The state in which nobody holds control any more, as a successor.
    fn leave_block(&self, entry: &Entry<'_>, work: &mut BlockState, found: &mut Expansion) {
        if let Some(dead) = self.dead() {
            work.forget(dead, entry.shape);
        }
        if let Some(shape) = &work.shape {
            let mut row = vec![0; shape.words];
            shape.pack(&work.slots, &mut row);
            found.arrive(&row, entry.mover);
        } else {
            for &slot in &work.changed {
                found.put(entry.shape.field(slot as usize), work.slots[slot as usize]);
            }
            found.close(entry.mover);
        }
    }
}
