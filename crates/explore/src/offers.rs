//! What can a process do in a state, and what does that change?
//!
//! An [`Offer`] is a move with its whole effect: writes to slots, a frame that comes or goes, and who holds control then.
//! Nothing is changed yet, so that all offers of a state are found before the first is taken up.

use std::ops::Range;

use tertium_base::narrow::{to_i64, to_u32, to_usize};
use tertium_program::effect::MOST_PROCESSES;
use tertium_program::layout::{FRAME_LOCATION, FRAME_PRIORITY};
use tertium_program::semantics::MOST_INPUTS;
use tertium_program::{Hold, StepId};

use crate::channels::Write;
use crate::code::{Trap, View};
use crate::compiled::Compiled;
use crate::pack::{Queue, RowLayouts};
use crate::steps::{ActionCode, AssignCode, InitialCode, InputCode, LocationCode, StepCode, location_slot};

/// Which frames there are afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frames {
    Same,
    /// A new one on top, with these slots.
    Started(u32, Range<usize>),
    /// The topmost one is gone.
    Ended,
}

/// A move and what it changes.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub pid: u32,
    pub step: StepId,
    pub writes: Range<usize>,
    pub frames: Frames,
    pub holder: Option<u32>,
    /// Whoever it meets, and so moves too.
    pub partner: Option<u32>,
    /// An assertion fails in it.
    pub failed: bool,
}

/// The offers of one state. Reused from state to state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offers {
    pub list: Vec<Offer>,
    pub writes: Vec<Write>,
    /// The slots of new frames.
    pub started: Vec<i64>,
    inputs: Vec<i64>,
    ranges: Vec<(i64, i64)>,
    message: Vec<i64>,
    slots: Vec<i64>,
}

impl Offers {
    pub fn clear(&mut self) {
        self.list.clear();
        self.writes.clear();
        self.started.clear();
    }
}

impl Compiled<'_> {
    /// Everything that the process which looks at the state can do.
    pub(crate) fn offer(&self, view: &View<'_>, shapes: &mut RowLayouts, offers: &mut Offers) -> Result<(), Trap> {
        let location = self.location_of(view, view.me);
        let first = offers.list.len();
        let mut rank = None;
        for step in &location.steps {
            if offers.list.len() > first {
                if location.hold == Hold::Deterministic {
                    // Of several enabled steps the first is taken, so the others do not count.
                    offers.list.truncate(first + 1);
                    return Ok(());
                }
                if rank != Some(step.rank) {
                    return Ok(());
                }
            }
            rank = Some(step.rank);
            if !step.yields_to.is_empty()
                && offers.list[first..].iter().any(|offer| step.yields_to.contains(&offer.step))
            {
                continue;
            }
            self.offer_step(step, view, shapes, offers)?;
        }
        if location.hold == Hold::Deterministic {
            offers.list.truncate(first + 1);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn location_of(&self, view: &View<'_>, pid: usize) -> &LocationCode {
        let process = &self.processes[view.shape.processes[pid] as usize];
        &process.locations[to_usize(view.at(view.shape.frames[pid] + FRAME_LOCATION))]
    }

    #[inline]
    fn offer_step(
        &self,
        step: &StepCode,
        view: &View<'_>,
        shapes: &mut RowLayouts,
        offers: &mut Offers,
    ) -> Result<(), Trap> {
        if let Some(condition) = step.provided
            && self.code.value(condition, view)? == 0
        {
            return Ok(());
        }
        if step.inputs.is_empty() {
            if let Some(guard) = step.guard
                && self.code.value(guard, view)? == 0
            {
                return Ok(());
            }
            return self.offer_ways(step, view, shapes, offers);
        }
        self.offer_inputs(step, view, shapes, offers)
    }

    /// One offer for each choice of inputs that the guard allows.
    fn offer_inputs(
        &self,
        step: &StepCode,
        view: &View<'_>,
        shapes: &mut RowLayouts,
        offers: &mut Offers,
    ) -> Result<(), Trap> {
        if let Some(guard) = step.guard {
            match self.code.value(guard, view) {
                Ok(0) => return Ok(()),
                Ok(_) | Err(Trap::Input) => {}
                Err(Trap::Fault) => return Err(Trap::Fault),
            }
        }
        if !self.find_ranges(step, view, &mut offers.ranges)? {
            return Ok(());
        }
        let ranges = std::mem::take(&mut offers.ranges);
        let mut inputs = std::mem::take(&mut offers.inputs);
        inputs.clear();
        inputs.extend(ranges.iter().map(|&(lo, _)| lo));
        loop {
            let view = View { inputs: &inputs, ..*view };
            if step.guard.map_or(Ok(1), |guard| self.code.value(guard, &view))? != 0 {
                self.offer_ways(step, &view, shapes, offers)?;
            }
            // Counts up like an odometer: the last input turns fastest.
            let Some(turn) = (0..ranges.len()).rev().find(|&at| inputs[at] < ranges[at].1) else { break };
            inputs[turn] += 1;
            for (input, range) in inputs.iter_mut().zip(&ranges).skip(turn + 1) {
                *input = range.0;
            }
        }
        offers.ranges = ranges;
        offers.inputs = inputs;
        Ok(())
    }

    /// The ranges of a step's inputs; says whether there is a choice at all.
    fn find_ranges(&self, step: &StepCode, view: &View<'_>, ranges: &mut Vec<(i64, i64)>) -> Result<bool, Trap> {
        ranges.clear();
        let mut combinations: u64 = 1;
        for input in &step.inputs {
            let (lo, hi) = match *input {
                InputCode::Fixed(lo, hi) => (lo, hi),
                InputCode::Range(lo, hi) => (self.code.value(lo, view)?, self.code.value(hi, view)?),
                InputCode::Open => return Err(Trap::Fault),
            };
            let choices = if hi < lo { 0 } else { hi.abs_diff(lo).saturating_add(1) };
            combinations = combinations.saturating_mul(choices);
            if combinations > MOST_INPUTS {
                return Err(Trap::Fault);
            }
            ranges.push((lo, hi));
        }
        Ok(combinations > 0)
    }

    /// One offer for each way to do the action: none if it blocks, one per partner if it meets one.
    #[inline]
    fn offer_ways(
        &self,
        step: &StepCode,
        view: &View<'_>,
        shapes: &mut RowLayouts,
        offers: &mut Offers,
    ) -> Result<(), Trap> {
        let from = offers.writes.len();
        let mut failed = false;
        match &step.action {
            ActionCode::Assign(assigns) => self.assign(assigns, view, &mut offers.writes)?,
            ActionCode::Assert(condition) => {
                failed = self.code.value(*condition, view)? == 0;
                if failed && !self.plain.semantics().is_persistent() {
                    return Err(Trap::Fault);
                }
            }
            ActionCode::Send { channel, message, sorted } => {
                let queue = view.queue(self.code.value(*channel, view)?)?;
                let length = queue.length(view);
                if queue.capacity > 0 && length >= queue.capacity {
                    return Ok(());
                }
                self.message(queue, message, view, &mut offers.message)?;
                // The place of a message is found by its values before they are cut to the fields' widths.
                let position = if *sorted { queue.sorted_position(view, &offers.message) } else { length };
                self.cut(queue, &mut offers.message);
                if queue.capacity == 0 {
                    return self.offer_meetings(step, queue, view, offers);
                }
                queue.insert(view, position, &offers.message, &mut offers.writes);
            }
            ActionCode::Receive { pattern, keep } => {
                let queue = view.queue(self.code.value(pattern.channel, view)?)?;
                if queue.capacity == 0 {
                    return Ok(());
                }
                let Some(position) = self.code.find_message(pattern, queue, view)? else { return Ok(()) };
                self.code.receive(pattern, queue, position, *keep, view, &mut offers.writes)?;
            }
            ActionCode::Run { .. } => return self.offer_start(step, view, shapes, offers),
            ActionCode::SetPriority { pid, value } => {
                let (pid, value) = (self.code.value(*pid, view)?, self.code.value(*value, view)?);
                let frame = usize::try_from(pid).ok().and_then(|pid| view.shape.frames.get(pid)).ok_or(Trap::Fault)?;
                if !(1..=255).contains(&value) {
                    return Err(Trap::Fault);
                }
                offers.writes.push((to_u32(frame + FRAME_PRIORITY), value));
            }
            ActionCode::Print(values) => {
                for &value in values {
                    self.code.value(value, view)?;
                }
            }
            ActionCode::Together => return Err(Trap::Fault),
            ActionCode::End => {
                if view.me + 1 == view.shape.frames.len() {
                    self.add(step, view, from, Frames::Ended, failed, offers);
                }
                return Ok(());
            }
        }
        offers.writes.push((location_slot(view.frame), step.target));
        self.add(step, view, from, Frames::Same, failed, offers);
        Ok(())
    }

    /// Adds the offer whose writes begin at `from`.
    #[inline]
    fn add(&self, step: &StepCode, view: &View<'_>, from: usize, frames: Frames, failed: bool, offers: &mut Offers) {
        let pid = to_u32(view.me);
        if let Some(last) = self.last.filter(|_| !step.inside) {
            offers.writes.push((last, i64::from(pid)));
        }
        let (writes, holder) = (from..offers.writes.len(), step.holds.then_some(pid));
        offers.list.push(Offer { pid, step: step.id, writes, frames, holder, partner: None, failed });
    }

    /// Simultaneous: everything is evaluated before anything is written.
    #[inline]
    fn assign(&self, assigns: &[AssignCode], view: &View<'_>, writes: &mut Vec<Write>) -> Result<(), Trap> {
        for assign in assigns {
            let slot = self.code.slot(assign.place, view)?;
            let value = self.code.value(assign.value, view)?;
            if value < assign.lo || value > assign.hi {
                return Err(Trap::Fault);
            }
            writes.push((to_u32(slot), value));
        }
        Ok(())
    }

    /// The values of a message, one for each field of the channel.
    fn message(
        &self,
        queue: Queue,
        message: &[crate::code::CodeId],
        view: &View<'_>,
        values: &mut Vec<i64>,
    ) -> Result<(), Trap> {
        let fields = &self.fields[queue.id.index()];
        if fields.len() != message.len() {
            return Err(Trap::Fault);
        }
        values.clear();
        for &value in message {
            values.push(self.code.value(value, view)?);
        }
        Ok(())
    }

    /// Makes of the values what the channel stores.
    fn cut(&self, queue: Queue, values: &mut [i64]) {
        for (value, field) in values.iter_mut().zip(&self.fields[queue.id.index()]) {
            if let Some(width) = field {
                *value = width.wrap(*value);
            }
        }
    }

    /// One offer for each process and step that could receive the message now.
    fn offer_meetings(&self, step: &StepCode, queue: Queue, view: &View<'_>, offers: &mut Offers) -> Result<(), Trap> {
        let message = std::mem::take(&mut offers.message);
        for pid in (0..view.shape.frames.len()).filter(|&pid| pid != view.me) {
            let location = self.location_of(view, pid);
            if !location.receives {
                continue;
            }
            let receiver = view.seen_by(pid);
            let mut best = None;
            // All of them are looked at, because looking may go wrong; the steps are in the order of their ranks.
            for theirs in &location.steps {
                if !self.accepts(theirs, queue, &message, &receiver)? || best.is_some_and(|best| best != theirs.rank) {
                    continue;
                }
                best = Some(theirs.rank);
                self.meet(step, theirs, &message, view, &receiver, offers)?;
            }
        }
        offers.message = message;
        Ok(())
    }

    fn accepts(&self, step: &StepCode, queue: Queue, message: &[i64], receiver: &View<'_>) -> Result<bool, Trap> {
        let ActionCode::Receive { pattern, .. } = &step.action else { return Ok(false) };
        let holds = |condition: Option<crate::code::CodeId>| {
            condition.map_or(Ok(true), |condition| self.code.value(condition, receiver).map(|value| value != 0))
        };
        if !holds(step.provided)? || !holds(step.guard)? {
            return Ok(false);
        }
        // A variable that holds no channel yet is no reason for the sender to fail.
        let theirs = self.code.value(pattern.channel, receiver).and_then(|number| receiver.queue(number));
        Ok(theirs.is_ok_and(|theirs| theirs == queue) && self.code.matches(pattern, message, receiver)?)
    }

    /// The offer in which `step` hands a message to `theirs`.
    fn meet(
        &self,
        step: &StepCode,
        theirs: &StepCode,
        message: &[i64],
        view: &View<'_>,
        receiver: &View<'_>,
        offers: &mut Offers,
    ) -> Result<(), Trap> {
        let ActionCode::Receive { pattern, .. } = &theirs.action else { return Ok(()) };
        let from = offers.writes.len();
        self.code.bind(pattern, message, receiver, from, &mut offers.writes)?;
        offers.writes.push((location_slot(view.frame), step.target));
        offers.writes.push((location_slot(receiver.frame), theirs.target));
        self.add(step, view, from, Frames::Same, false, offers);
        if let Some(last) = self.last {
            // Who goes on inside a deterministic block has not stepped yet.
            offers.writes.push((last, if theirs.inside { to_i64(view.me) } else { to_i64(receiver.me) }));
        }
        if let Some(offer) = offers.list.last_mut() {
            offer.writes.end = offers.writes.len();
            // Control goes to the receiver, who keeps it only inside a block of its own.
            offer.holder = theirs.holds.then_some(to_u32(receiver.me));
            offer.partner = Some(to_u32(receiver.me));
        }
        Ok(())
    }

    fn offer_start(
        &self,
        step: &StepCode,
        view: &View<'_>,
        shapes: &mut RowLayouts,
        offers: &mut Offers,
    ) -> Result<(), Trap> {
        let ActionCode::Run { process, arguments, priority, then } = &step.action else { return Ok(()) };
        let pid = view.shape.frames.len();
        if pid >= MOST_PROCESSES {
            return Err(Trap::Fault);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            values.push(self.code.value(argument, view)?);
        }
        let priority = priority.map_or(Ok(1), |priority| self.code.value(priority, view))?;
        let from = offers.writes.len();
        self.assign(then, &View { inputs: &[to_i64(pid)], ..*view }, &mut offers.writes)?;
        let mut slots = std::mem::take(&mut offers.slots);
        slots.clear();
        slots.extend_from_slice(view.slots);
        offers.writes[from..].iter().for_each(|&(slot, value)| slots[slot as usize] = value);
        self.start(*process, &values, priority, view, shapes, &mut slots)?;
        let first = offers.started.len();
        offers.started.extend_from_slice(&slots[view.shape.slots..]);
        offers.slots = slots;
        offers.writes.push((location_slot(view.frame), step.target));
        let frames = Frames::Started(to_u32(*process), first..offers.started.len());
        self.add(step, view, from, frames, false, offers);
        Ok(())
    }

    /// Puts a new frame on top of `slots`.
    fn start(
        &self,
        process: usize,
        arguments: &[i64],
        priority: i64,
        view: &View<'_>,
        shapes: &mut RowLayouts,
        slots: &mut Vec<i64>,
    ) -> Result<(), Trap> {
        let code = &self.processes[process];
        let mut processes = view.shape.processes.clone();
        processes.push(to_u32(process));
        let shape = shapes.of_processes(self.packing(), &processes);
        let frame = slots.len();
        slots.resize(frame + code.frame, 0);
        slots[frame] = to_i64(process);
        slots[frame + FRAME_LOCATION] = code.entry;
        if self.plain.semantics().program().priorities {
            slots[frame + FRAME_PRIORITY] = priority;
        }
        let first_channel = view.shape.queues.len();
        for local in &code.locals {
            let new =
                View { slots, shape: &shape, me: processes.len() - 1, frame, inputs: &[], timeout: false, seen: None };
            let cells = frame + local.offset..frame + local.offset + local.cells;
            match &local.initial {
                InitialCode::Values(values) => slots[cells].copy_from_slice(values),
                InitialCode::Argument(position, width) => {
                    let value = arguments.get(*position).copied().unwrap_or(0);
                    slots[cells].fill(width.map_or(value, |width| width.wrap(value)));
                }
                InitialCode::Computed(expr, width) => {
                    let value = self.code.value(*expr, &new)?;
                    slots[cells].fill(width.map_or(value, |width| width.wrap(value)));
                }
                InitialCode::Channel(position) => {
                    for (cell, slot) in slots[cells].iter_mut().enumerate() {
                        *slot = to_i64(first_channel + position + 1 + cell);
                    }
                }
            }
        }
        Ok(())
    }
}
