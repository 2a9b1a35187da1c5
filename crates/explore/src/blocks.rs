//! Every way through an uninterruptible block, fast.
//!
//! The states inside a block are nobody's but the holder's, so they are never stored. Where there is one way to go on
//! the state is changed in place; where there are several, copies wait for their turn. A block with too many moves,
//! which may be endless, is left to the definition of a step.

use std::sync::Arc;

use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Fault, FaultKind, Hold};

use crate::code::{Trap, View};
use crate::compiled::{Compiled, Room};
use crate::offers::{Frames, Offer, Offers};
use crate::pack::{Shape, Shapes};
use crate::reduction::Dead;
use crate::seen::Seen;
use crate::steps::location_slot;
use crate::successors::Expansion;

/// A block with more moves than this is left to the definition of a step.
const LONGEST_BLOCK: usize = 20_000;

/// A state inside a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    slots: Vec<i64>,
    /// The slots that may have changed since the block was entered.
    changed: Vec<u32>,
    /// Its shape, if that is not the one it had when the block was entered.
    shape: Option<Arc<Shape>>,
    holder: u32,
}

impl Work {
    fn copy_from(&mut self, other: &Self) {
        self.slots.clone_from(&other.slots);
        self.changed.clone_from(&other.changed);
        self.shape.clone_from(&other.shape);
        self.holder = other.holder;
    }

    /// Forgets the values that processes which have moved never read again.
    fn forget(&mut self, dead: &Dead, entered: &Shape) {
        let shape = self.shape.clone();
        let now = shape.as_deref().unwrap_or(entered);
        for (&process, &frame) in now.processes.iter().zip(&now.frames) {
            if shape.is_none() && !self.changed.contains(&location_slot(frame)) {
                continue;
            }
            let location = self.slots[frame + FRAME_LOCATION] as usize;
            for &slot in dead.at(process as usize, location) {
                let slot = frame + slot as usize;
                self.slots[slot] = now.field(slot).least();
                self.changed.push(slot as u32);
            }
        }
    }

    fn apply(&mut self, offer: &Offer, offers: &Offers, entered: &Shape, shapes: &mut Shapes, compiled: &Compiled<'_>) {
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
    pub shape: &'e Shape,
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
        let mut moves = 0;
        loop {
            moves += 1;
            if moves > LONGEST_BLOCK {
                return Err(Trap::Fault);
            }
            if !self.go_on(entry, &mut work, inner, room, found)? {
                room.spare.push(work);
                let Some(next) = room.block.pop() else { return Ok(()) };
                work = next;
            }
        }
    }

    /// One move of the holder of control; says whether `work` is to be gone on from.
    fn go_on(
        &self,
        entry: &Entry<'_>,
        work: &mut Work,
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
        work: &mut Work,
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
        work: &mut Work,
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
    fn leave_block(&self, entry: &Entry<'_>, work: &mut Work, found: &mut Expansion) {
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
