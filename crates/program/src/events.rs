//! Are the events on channels those that the trace automaton allows?
//!
//! The automaton's location is a global variable, so it is part of the state. A send or receive on a channel that it
//! names, in that direction, must match one of its steps. If it is negated, what does not match ends it for good, and
//! reaching its end by a match is the mistake.

use tertium_base::narrow::{to_i64, to_usize};

use crate::eval::Context;
use crate::fault::FaultKind;
use crate::graph::{Action, LocationId, Step, StepId, Trace};
use crate::semantics::Semantics;
use crate::state::Move;

/// One event: the channel's number, the message, and whether it is sent.
struct Event {
    channel: i64,
    message: Vec<i64>,
    sent: bool,
}

impl Semantics<'_> {
    /// Moves the automaton along with a move whose state before is in `context`; false if the events are not allowed.
    pub(crate) fn watch_events(
        &self,
        step: &Step,
        mv: &Move,
        context: &Context<'_>,
        slots: &mut [i64],
    ) -> Result<bool, FaultKind> {
        let Some(trace) = &self.program().trace else { return Ok(true) };
        let mut fine = true;
        for event in self.events(step, mv, context)? {
            fine &= self.advance(trace, &event, slots)?;
        }
        Ok(fine)
    }

    /// Whether the automaton, if there is one, is where it may rest.
    pub(crate) fn events_may_end(&self, slots: &[i64]) -> bool {
        self.program().trace.as_ref().is_none_or(|trace| {
            let at = LocationId::new(to_usize(slots[self.layout().variable(trace.variable)]));
            self.program().location(trace.process, at).end
        })
    }

    fn events(&self, step: &Step, mv: &Move, context: &Context<'_>) -> Result<Vec<Event>, FaultKind> {
        match &step.action {
            Action::Send { channel, message, .. } => {
                let channel = self.value(*channel, context)?;
                let values: Result<Vec<i64>, FaultKind> =
                    message.iter().map(|&part| self.value(part, context)).collect();
                let message = self.truncated(self.queue(channel, context)?, values?)?;
                let received = mv.partner.map(|_| Event { channel, message: message.clone(), sent: false });
                Ok([Some(Event { channel, message, sent: true }), received].into_iter().flatten().collect())
            }
            Action::Receive { pattern, keep: false } => {
                let channel = self.value(pattern.channel, context)?;
                let queue = self.queue(channel, context)?;
                let position = self.find_message(pattern, queue, context)?.ok_or(FaultKind::MessageShape)?;
                Ok(vec![Event { channel, message: queue.message(context.slots, position).to_vec(), sent: false }])
            }
            _ => Ok(Vec::new()),
        }
    }

    fn advance(&self, trace: &Trace, event: &Event, slots: &mut [i64]) -> Result<bool, FaultKind> {
        let program = self.program();
        let steps = program.step_ids().filter(|&id| program.step(id).process == trace.process);
        let mut named = false;
        for id in steps {
            named |= self.names(trace, id, event, slots)?;
        }
        if !named {
            return Ok(true);
        }
        let slot = self.layout().variable(trace.variable);
        let at = LocationId::new(to_usize(slots[slot]));
        let location = program.location(trace.process, at);
        let mut fitting = Vec::new();
        for &id in &location.steps {
            if self.names(trace, id, event, slots)? && self.fits(id, event, slots)? {
                fitting.push(program.step(id).target);
            }
        }
        let is_end = |at: LocationId| program.location(trace.process, at).steps.is_empty();
        match fitting.first().copied() {
            Some(target) if fitting.len() > 1 && !(trace.negated && is_end(target)) => Err(FaultKind::AmbiguousEvent),
            Some(target) => {
                slots[slot] = to_i64(target.index());
                Ok(!(trace.negated && is_end(target)))
            }
            None if trace.negated => {
                let locations = 0..program.process(trace.process).locations.len();
                let end = locations.map(LocationId::new).find(|&at| is_end(at));
                slots[slot] = end.map_or(slots[slot], |end| to_i64(end.index()));
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Whether a step of the automaton speaks of events on this channel in this direction.
    fn names(&self, trace: &Trace, id: StepId, event: &Event, slots: &[i64]) -> Result<bool, FaultKind> {
        let Action::Receive { pattern, .. } = &self.program().step(id).action else { return Ok(false) };
        let context = self.observer(slots, &[]);
        Ok(trace.sends.contains(&id) == event.sent && self.value(pattern.channel, &context)? == event.channel)
    }

    fn fits(&self, id: StepId, event: &Event, slots: &[i64]) -> Result<bool, FaultKind> {
        let Action::Receive { pattern, .. } = &self.program().step(id).action else { return Ok(false) };
        self.matches(&pattern.fields, &event.message, &self.observer(slots, &[]))
    }
}
