//! What does the action of a step do to a state?

use tertium_base::narrow::{to_i64, to_u32, to_usize};

use crate::eval::Context;
use crate::expr::{ExprId, Field, Pattern, Place};
use crate::fault::FaultKind;
use crate::graph::{Action, Assign, Hold, ProcessId, Step, StepId};
use crate::layout::{FRAME_LOCATION, FRAME_PRIORITY};
use crate::queue::Queue;
use crate::semantics::Semantics;
use crate::state::{Move, State};
use crate::types::InitialValue;

/// More processes than this cannot run at once.
pub const MOST_PROCESSES: usize = 255;

/// The state after a move, and what failed on the way if one can go on regardless.
pub(crate) struct After {
    pub state: State,
    pub failed: Option<FaultKind>,
}

impl Semantics<'_> {
    /// Makes a move that the state offers.
    pub(crate) fn apply_move(&self, state: &State, mv: &Move) -> Result<After, FaultKind> {
        let frames = self.layout().frames(&state.slots);
        let step = self.program().step(mv.step);
        let me = mv.pid as usize;
        let timeout = self.needs_timeout(state, &frames);
        let context =
            Context { slots: &state.slots, frames: &frames, me: Some(me), inputs: &mv.inputs, timeout, asking: 0 };
        self.find_fault(step, mv, &context)?;
        let mut slots = state.slots.clone();
        let mut failed = self.act(step, mv, &context, &mut slots)?.then_some(FaultKind::Assertion);
        if !self.watch_events(step, mv, &context, &mut slots)? {
            failed = Some(FaultKind::Event);
        }
        let mut holder = None;
        if step.action != Action::End {
            slots[frames[me] + FRAME_LOCATION] = to_i64(step.target.index());
            holder = self.holds(step).then_some(mv.pid);
        }
        if let Some((pid, id)) = mv.partner {
            let step = self.program().step(id);
            slots[frames[pid as usize] + FRAME_LOCATION] = to_i64(step.target.index());
            // Control goes to the receiver, who keeps it only inside a block of its own.
            holder = self.holds(step).then_some(pid);
        }
        if let Action::Together { moves, control, .. } = &step.action {
            for &(process, target) in moves {
                let pid = self.only_instance(process)?;
                slots[frames[pid as usize] + FRAME_LOCATION] = to_i64(target.index());
                if *control == Some(process) {
                    let keeps = !step.frees && self.program().location(process, target).hold != Hold::Free;
                    holder = keeps.then_some(pid);
                }
            }
        }
        if let Some(last) = self.program().last
            && let Some(pid) = self.who_stepped(mv)
        {
            slots[self.layout().variable(last)] = i64::from(pid);
        }
        Ok(After { state: State { slots, holder }, failed })
    }

    /// What the code of a claim does in a state: none if the step is not possible there, else whether its assertion, if it
    /// is one, holds. What it assigns is written to `slots`.
    ///
    /// # Errors
    /// What goes wrong while evaluating.
    pub fn take_note(&self, id: crate::graph::StepId, slots: &mut [i64]) -> Result<Option<bool>, FaultKind> {
        let (before, frames) = (slots.to_vec(), self.layout().frames(slots));
        let context = self.observer(&before, &frames);
        let step = self.program().step(id);
        if self.value(step.guard, &context)? == 0 {
            return Ok(None);
        }
        for &rival in &step.yields_to {
            if self.value(self.program().step(rival).guard, &context)? != 0 {
                return Ok(None);
            }
        }
        match &step.action {
            Action::Assign(assigns) => self.assign(assigns, &context, slots)?,
            Action::Assert(condition) => return Ok(Some(self.value(*condition, &context)? != 0)),
            _ => {}
        }
        Ok(Some(true))
    }

    /// A move is also offered if finding out whether it can be made goes wrong; this says how it goes wrong.
    fn find_fault(&self, step: &Step, mv: &Move, context: &Context<'_>) -> Result<(), FaultKind> {
        self.is_provided(step, context)?;
        self.value(step.guard, context)?;
        if mv.inputs.len() != step.inputs.len() {
            self.input_values(step, context)?;
            return Err(FaultKind::UnboundedInput);
        }
        if mv.partner.is_none() {
            self.ways(step, context)?;
        }
        Ok(())
    }

    /// Whether the values belong to the domains of the step's inputs.
    pub(crate) fn inputs_fit(&self, step: &Step, inputs: &[i64], context: &Context<'_>) -> Result<bool, FaultKind> {
        if step.inputs.len() != inputs.len() {
            return Ok(false);
        }
        for (input, &value) in step.inputs.iter().zip(inputs) {
            let (lo, hi) = self.input_bounds(input.domain, context)?;
            if lo.is_some_and(|lo| value < lo) || hi.is_some_and(|hi| value > hi) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does the action; says whether an assertion failed.
    fn act(&self, step: &Step, mv: &Move, context: &Context<'_>, slots: &mut Vec<i64>) -> Result<bool, FaultKind> {
        match &step.action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => self.assign(assigns, context, slots)?,
            Action::Assert(condition) => return Ok(self.value(*condition, context)? == 0),
            Action::Send { channel, message, sorted } => {
                let queue = self.queue(self.value(*channel, context)?, context)?;
                let values = self.all_values(message, context)?;
                let message = self.truncated(queue, values.clone())?;
                match mv.partner {
                    Some((pid, receive)) => self.hand_over(&message, pid, receive, context, slots)?,
                    None if *sorted => queue.insert(slots, queue.sorted_position(context.slots, &values), &message),
                    None => queue.insert(slots, queue.length(context.slots), &message),
                }
            }
            Action::Receive { pattern, keep } => self.receive(pattern, *keep, context, slots)?,
            Action::Run { process, arguments, priority, then } => {
                let arguments = self.all_values(arguments, context)?;
                let priority = priority.map_or(Ok(1), |priority| self.value(priority, context))?;
                let pid = context.frames.len();
                self.assign(then, &Context { inputs: &[to_i64(pid)], ..*context }, slots)?;
                self.start(*process, &arguments, priority, slots)?;
            }
            Action::SetPriority { pid, value } => {
                let (pid, value) = (self.value(*pid, context)?, self.value(*value, context)?);
                // A process that is not there has no priority to set.
                if let Some(frame) = usize::try_from(pid).ok().and_then(|pid| context.frames.get(pid)) {
                    if !(1..=255).contains(&value) {
                        return Err(FaultKind::Priority(value));
                    }
                    slots[frame + FRAME_PRIORITY] = value;
                }
            }
            Action::Print { values, .. } => {
                self.all_values(values, context)?;
            }
            Action::End => slots.truncate(context.frames[mv.pid as usize]),
        }
        Ok(false)
    }

    fn all_values(&self, exprs: &[ExprId], context: &Context<'_>) -> Result<Vec<i64>, FaultKind> {
        exprs.iter().map(|&expr| self.value(expr, context)).collect()
    }

    /// Simultaneous: everything is evaluated before anything is written.
    fn assign(&self, assigns: &[Assign], context: &Context<'_>, slots: &mut [i64]) -> Result<(), FaultKind> {
        let mut writes = Vec::with_capacity(assigns.len());
        for assign in assigns {
            let slot = self.slot(assign.place, context)?;
            let value = self.value(assign.value, context)?;
            self.check_range(assign.place, value)?;
            writes.push((slot, value));
        }
        for (slot, value) in writes {
            slots[slot] = value;
        }
        Ok(())
    }

    fn check_range(&self, place: Place, value: i64) -> Result<(), FaultKind> {
        let variable = place.variable();
        if self.program().admits(self.program().variable(variable).ty, value) {
            return Ok(());
        }
        Err(FaultKind::OutOfRange { variable, value })
    }

    fn message(&self, queue: Queue, message: &[ExprId], context: &Context<'_>) -> Result<Vec<i64>, FaultKind> {
        self.truncated(queue, self.all_values(message, context)?)
    }

    /// Who could receive this message right now, and with which step.
    pub(crate) fn partners(
        &self,
        queue: Queue,
        message: &[ExprId],
        context: &Context<'_>,
    ) -> Result<Vec<Option<(u32, StepId)>>, FaultKind> {
        let message = self.message(queue, message, context)?;
        let mut partners = Vec::new();
        for pid in (0..context.frames.len()).filter(|&pid| Some(pid) != context.me) {
            let receiver = Context { me: Some(pid), inputs: &[], ..*context };
            let location = self.program().location(receiver.process_of(pid), receiver.location_of(pid));
            let mut ready = Vec::new();
            for &id in &location.steps {
                if self.accepts(queue, &message, id, &receiver)? {
                    ready.push((self.program().step(id).rank, id));
                }
            }
            let best = ready.iter().map(|&(rank, _)| rank).min();
            let best = ready.into_iter().filter(|&(rank, _)| Some(rank) == best);
            partners.extend(best.map(|(_, id)| Some((to_u32(pid), id))));
        }
        Ok(partners)
    }

    fn accepts(&self, queue: Queue, message: &[i64], id: StepId, receiver: &Context<'_>) -> Result<bool, FaultKind> {
        let step = self.program().step(id);
        let Action::Receive { pattern, .. } = &step.action else { return Ok(false) };
        if !self.is_provided(step, receiver)? || self.value(step.guard, receiver)? == 0 {
            return Ok(false);
        }
        // A variable that holds no channel yet is no reason for the sender to fail.
        let theirs = self.value(pattern.channel, receiver).and_then(|number| self.queue(number, receiver));
        Ok(theirs.is_ok_and(|theirs| theirs == queue) && self.matches(&pattern.fields, message, receiver)?)
    }

    fn hand_over(
        &self,
        message: &[i64],
        pid: u32,
        receive: StepId,
        context: &Context<'_>,
        slots: &mut [i64],
    ) -> Result<(), FaultKind> {
        let Action::Receive { pattern, .. } = &self.program().step(receive).action else { return Ok(()) };
        self.bind(&pattern.fields, message, &Context { me: Some(pid as usize), inputs: &[], ..*context }, slots)
    }

    fn receive(
        &self,
        pattern: &Pattern,
        keep: bool,
        context: &Context<'_>,
        slots: &mut [i64],
    ) -> Result<(), FaultKind> {
        let queue = self.queue(self.value(pattern.channel, context)?, context)?;
        let position = self.find_message(pattern, queue, context)?.ok_or(FaultKind::MessageShape)?;
        let message = queue.message(context.slots, position).to_vec();
        if !keep {
            queue.remove(slots, position);
        }
        self.bind(&pattern.fields, &message, context, slots)
    }

    /// Field after field, so that an index may use a field bound before it.
    fn bind(
        &self,
        fields: &[Field],
        message: &[i64],
        context: &Context<'_>,
        slots: &mut [i64],
    ) -> Result<(), FaultKind> {
        for (field, &value) in fields.iter().zip(message) {
            let Field::Bind(place) = *field else { continue };
            let slot = self.slot(place, &Context { slots, ..*context })?;
            let value = self.program().stored(self.program().variable(place.variable()).ty, value);
            self.check_range(place, value)?;
            slots[slot] = value;
        }
        Ok(())
    }

    /// Puts a new instance on top of the others.
    pub(crate) fn start(
        &self,
        process: ProcessId,
        arguments: &[i64],
        priority: i64,
        slots: &mut Vec<i64>,
    ) -> Result<(), FaultKind> {
        let frames = self.layout().frames(slots);
        if frames.len() >= MOST_PROCESSES && !self.layout().is_fixed() {
            return Err(FaultKind::TooManyProcesses);
        }
        let first_channel = self.channels_of(&frames, slots);
        let frame = slots.len();
        slots.resize(frame + self.layout().frame_size(process), 0);
        slots[frame] = to_i64(process.index());
        slots[frame + FRAME_LOCATION] = to_i64(self.program().process(process).entry.index());
        if self.program().priorities {
            slots[frame + FRAME_PRIORITY] = priority;
        }
        let frames = self.layout().frames(slots);
        for &local in &self.program().process(process).locals {
            let at = frame + self.layout().variable(local);
            let context =
                Context { slots, frames: &frames, me: Some(frames.len() - 1), inputs: &[], timeout: false, asking: 0 };
            let values = self.initial_cells(local, arguments, first_channel, &context)?;
            slots[at..at + values.len()].copy_from_slice(&values);
        }
        Ok(())
    }

    /// How many channels there are: those of later frames are numbered after them.
    fn channels_of(&self, frames: &[usize], slots: &[i64]) -> usize {
        let local = |&frame: &usize| self.program().processes[to_usize(slots[frame])].channels.len();
        self.layout().global_channels().len() + frames.iter().map(local).sum::<usize>()
    }

    /// What the cells of a variable hold when it comes into being; those that may hold anything get 0.
    pub(crate) fn initial_cells(
        &self,
        var: crate::types::VarId,
        arguments: &[i64],
        channels_before: usize,
        context: &Context<'_>,
    ) -> Result<Vec<i64>, FaultKind> {
        let variable = self.program().variable(var);
        let cells = variable.cells();
        let first = match &variable.initial {
            InitialValue::Any => 0,
            InitialValue::Same(value) => *value,
            InitialValue::Each(values) => {
                return Ok(values.iter().map(|&value| self.program().stored(variable.ty, value)).collect());
            }
            InitialValue::Argument(position) => arguments.get(*position as usize).copied().unwrap_or(0),
            InitialValue::Computed(expr) => self.value(*expr, context)?,
            InitialValue::Channel(id) => {
                let row = match variable.scope {
                    crate::types::Scope::Global => self.layout().global_channels(),
                    crate::types::Scope::Local(process) => &self.program().process(process).channels,
                };
                let position = row.iter().position(|channel| channel == id).unwrap_or(0);
                let number = channels_before + position + 1;
                return Ok((0..cells).map(|cell| to_i64(number + cell)).collect());
            }
        };
        Ok(vec![self.program().stored(variable.ty, first); cells])
    }

    /// Who has stepped with this move. Inside a deterministic block nobody has before it ends; a sender who meets its
    /// receiver there has.
    fn who_stepped(&self, mv: &Move) -> Option<u32> {
        match self.program().stepped.get(mv.step.index()) {
            Some(&who) => who,
            None => self.program().who_steps((mv.pid, mv.step), mv.partner),
        }
    }

    /// The pid of a process that has one instance.
    fn only_instance(&self, process: ProcessId) -> Result<u32, FaultKind> {
        self.layout().only_instance(process).ok_or(FaultKind::NoProcess(-1))
    }

    fn holds(&self, step: &Step) -> bool {
        !step.frees && self.program().location(step.process, step.target).hold != Hold::Free
    }
}
