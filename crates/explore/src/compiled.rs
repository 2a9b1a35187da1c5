//! Successors of any program, fast.
//!
//! All steps are made ready once ([`crate::code`]); what a move writes patches the packed row of the state it leaves, so a
//! successor costs what it changes. Any state in which something goes wrong, or that needs what only the definition of
//! a step knows, is left to the definition ([`Plain`]), which decides alone what a fault is.

use tertium_program::layout::FRAME_PRIORITY;
use tertium_program::{Expr, ExprId, Fault, FaultKind, Semantics, Width};

use crate::blocks::{Entry, Work};
use crate::channels::stored_width;
use crate::code::{Code, Trap, View};
use crate::offers::{Frames, Offer, Offers};
use crate::pack::{Packing, Shape, Shapes};
use crate::reduction::Reduction;
use crate::steps::{self, ProcessCode};
use crate::successors::{Expansion, Plain, Successors};

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
    watched: bool,
    reduction: Option<Reduction>,
}

/// What one thread needs.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    slots: Vec<i64>,
    offers: Offers,
    /// Offers inside an uninterruptible block.
    inner: Offers,
    room: Room,
}

/// Where states between two rows are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    pub shapes: Shapes,
    /// States inside a block that are still to be gone on from, and room for more.
    pub block: Vec<Work>,
    pub spare: Vec<Work>,
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
                .map(|channel| channel.fields.iter().map(|&ty| stored_width(program, ty)).collect())
                .collect(),
            last: program.last.map(|last| semantics.layout().variable(last) as u32),
            uses_timeout: (0..program.exprs.len()).any(|id| program.exprs.get(ExprId::new(id)) == Expr::Timeout),
            priorities: program.priorities,
            watched: program.trace.is_some(),
            reduction: None,
        }
    }

    /// The same, offering the steps of private locations alone.
    #[must_use]
    pub fn reduced(mut self, reduction: Reduction) -> Self {
        self.reduction = Some(reduction);
        self
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

    /// All successors of the state whose slots are in `scratch`.
    fn try_expand(&self, row: &[u32], shape: &Shape, scratch: &mut Scratch, found: &mut Expansion) -> Result<(), Trap> {
        if self.watched {
            return Err(Trap::Fault);
        }
        scratch.offers.clear();
        self.offer_all(shape, scratch, false)?;
        if self.uses_timeout && scratch.offers.list.is_empty() {
            self.offer_all(shape, scratch, true)?;
        }
        if self.priorities {
            retain_highest(shape, &scratch.slots, &mut scratch.offers.list);
        }
        self.take_all(row, shape, scratch, found)?;
        found.deadlock = found.steps() == 0 && found.faults.is_empty() && !self.all_at_end(shape, &scratch.slots);
        Ok(())
    }

    fn offer_all(&self, shape: &Shape, scratch: &mut Scratch, timeout: bool) -> Result<(), Trap> {
        for (me, &frame) in shape.frames.iter().enumerate() {
            let view = View { slots: &scratch.slots, shape, me, frame, inputs: &[], timeout };
            self.offer(&view, &mut scratch.room.shapes, &mut scratch.offers)?;
        }
        Ok(())
    }

    fn all_at_end(&self, shape: &Shape, slots: &[i64]) -> bool {
        let view = View::observer(slots, shape);
        (0..shape.frames.len()).all(|pid| self.location_of(&view, pid).end)
    }

    /// Takes up every offer.
    fn take_all(&self, row: &[u32], shape: &Shape, scratch: &mut Scratch, found: &mut Expansion) -> Result<(), Trap> {
        let Scratch { slots, offers, inner, room } = scratch;
        for offer in &offers.list {
            if offer.failed {
                found.faults.push(Fault { kind: FaultKind::Assertion, step: Some(offer.step) });
            }
            if offer.holder.is_some() {
                self.take_block(row, &Entry { shape, slots }, offer, offers, inner, room, found)?;
            } else {
                self.take(row, shape, offer, offers, &mut room.shapes, found);
            }
        }
        Ok(())
    }

    /// The row after an offer that leaves nobody holding control.
    #[inline]
    fn take(
        &self,
        row: &[u32],
        shape: &Shape,
        offer: &Offer,
        offers: &Offers,
        shapes: &mut Shapes,
        found: &mut Expansion,
    ) {
        let writes = &offers.writes[offer.writes.clone()];
        let least = self.packing().words();
        let patch =
            |next: &mut [u32]| writes.iter().for_each(|&(slot, value)| shape.field(slot as usize).put(next, value));
        match &offer.frames {
            Frames::Same => patch(found.open(row, shape.words)),
            Frames::Started(process, slots) => {
                let mut processes = shape.processes.clone();
                processes.push(*process);
                let wider = shapes.of_processes(self.packing(), &processes);
                let next = found.open(row, wider.words);
                patch(next);
                for (at, &value) in offers.started[slots.clone()].iter().enumerate() {
                    wider.field(shape.slots + at).put(next, value);
                }
            }
            Frames::Ended => {
                let narrower = shapes.of_processes(self.packing(), &shape.processes[..shape.processes.len() - 1]);
                // The frame that is gone begins where the others end.
                patch(found.open(&row[..row.len().min(narrower.used)], narrower.words));
            }
        }
        found.close(least, offer.pid);
    }
}

/// Only the processes of the highest priority among those that can step may step.
fn retain_highest(shape: &Shape, slots: &[i64], offers: &mut Vec<Offer>) {
    let priority = |offer: &Offer| slots[shape.frames[offer.pid as usize] + FRAME_PRIORITY];
    let highest = offers.iter().map(priority).max();
    offers.retain(|offer| Some(priority(offer)) == highest);
}

impl Successors for Compiled<'_> {
    type Scratch = Scratch;

    fn words(&self) -> usize {
        self.plain.words()
    }

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn expand(&self, row: &[u32], scratch: &mut Scratch, found: &mut Expansion) {
        found.clear();
        let shape = scratch.room.shapes.of_row(self.packing(), row);
        shape.unpack(row, &mut scratch.slots);
        if self.try_expand(row, &shape, scratch, found).is_err() {
            scratch.room.spare.append(&mut scratch.room.block);
            self.plain.expand(row, &mut (), found);
        }
    }

    fn expand_private(&self, row: &[u32], scratch: &mut Scratch, found: &mut Expansion) -> bool {
        let Some(reduction) = &self.reduction else { return false };
        found.clear();
        let shape = scratch.room.shapes.of_row(self.packing(), row);
        shape.unpack(row, &mut scratch.slots);
        for (me, &frame) in shape.frames.iter().enumerate() {
            let view = View { slots: &scratch.slots, shape: &shape, me, frame, inputs: &[], timeout: false };
            let at = view.slots[frame + tertium_program::layout::FRAME_LOCATION] as usize;
            if !reduction.is_private(shape.processes[me] as usize, at) {
                continue;
            }
            scratch.offers.clear();
            if self.offer(&view, &mut scratch.room.shapes, &mut scratch.offers).is_err()
                || self.take_all(row, &shape, scratch, found).is_err()
            {
                scratch.room.spare.append(&mut scratch.room.block);
                return false;
            }
            if found.steps() > 0 {
                return true;
            }
        }
        false
    }
}
