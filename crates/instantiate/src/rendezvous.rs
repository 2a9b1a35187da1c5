//! Rendezvous: two processes that meet at a channel without a buffer make one step of both.
//!
//! Whoever sends makes the step; it can be made if somebody is at a receive that takes the message. So a send becomes one step for
//! each copy and receive that it may meet, in whose guard the other's place and wishes stand, and which moves both. Control
//! goes to whoever receives.

use tertium_base::narrow::to_u32;
use tertium_program::{Action, Assign, Expr, ExprId, Field, Hold, ProcessId, Step, StepId};

use crate::Unsupported;
use crate::events::Event;
use crate::instances::Making;
use crate::queues::{fitted, landed, number};
use crate::starts::{Copy, reached};

/// A receive that a send may meet.
struct Receiver {
    copy: usize,
    step: StepId,
    /// It takes the message, at its place.
    accepts: ExprId,
    assigns: Vec<Assign>,
}

impl Making<'_> {
    /// One step for each receive that a send may meet; one more if evaluating the message may go wrong.
    pub(crate) fn add_rendezvous(
        &mut self,
        (copy, id): (usize, StepId),
        draft: &Step,
        queue: usize,
        message: &[ExprId],
    ) -> Result<(), Unsupported> {
        let stored = self.copies.queues.get(queue).stored(&mut self.program.exprs, message);
        let stored = stored.ok_or(Unsupported::Step(id))?;
        let mut guard = draft.guard;
        let mut defined = Vec::new();
        for &value in &stored {
            defined.push(self.program.defined(value));
        }
        let defined = self.program.exprs.all(&defined);
        if self.program.exprs.constant(defined) != Some(1) {
            // The message is looked at whether somebody waits for it or not.
            let undefined = self.program.exprs.not(defined);
            self.push_wrong((copy, id), draft, undefined, message.to_vec());
            guard = self.program.exprs.and(guard, defined);
        }
        for receiver in self.receivers(copy, queue, &stored)? {
            let theirs = self.old.step(receiver.step);
            let here = self.program.exprs.add(Expr::At(ProcessId::new(receiver.copy), theirs.source));
            let step = Step {
                guard: self.program.exprs.all(&[here, guard, receiver.accepts]),
                action: Action::Together {
                    assigns: receiver.assigns,
                    moves: vec![(ProcessId::new(receiver.copy), theirs.target)],
                    control: Some(ProcessId::new(receiver.copy)),
                },
                frees: theirs.frees,
                text: format!("{} and {}", draft.text, theirs.text),
                ..draft.clone()
            };
            let pid = to_u32(self.copies.starts.copies[receiver.copy].pid);
            let event = |sent| Event { queue, message: stored.clone(), sent };
            self.push_eventful((copy, id), step, Some((pid, receiver.step)), &[event(true), event(false)]);
        }
        Ok(())
    }

    /// The receives of others on a channel, and when each takes a message.
    fn receivers(&mut self, sender: usize, queue: usize, message: &[ExprId]) -> Result<Vec<Receiver>, Unsupported> {
        let mut found = Vec::new();
        let copies = self.copies.starts.copies.clone();
        let mut others: Vec<(usize, &Copy)> = copies.iter().enumerate().collect();
        // Who must take the first of several ways takes that of the oldest.
        others.sort_by_key(|(_, other)| other.pid);
        for (copy, other) in others.into_iter().filter(|(_, other)| other.pid != copies[sender].pid) {
            let mut ready: Vec<Receiver> = Vec::new();
            for step in reached(self.old, other.process) {
                ready.extend(self.receiver(copy, step, queue, message)?);
            }
            for at in 0..ready.len() {
                let step = self.old.step(ready[at].step);
                // An escape that takes the message goes before the body.
                let before = ready.iter().filter(|rival| {
                    let rival = self.old.step(rival.step);
                    rival.source == step.source && rival.rank < step.rank
                });
                let mut parts = vec![ready[at].accepts];
                for accepts in before.map(|rival| rival.accepts).collect::<Vec<_>>() {
                    parts.push(self.program.exprs.not(accepts));
                }
                let accepts = self.program.exprs.all(&parts);
                let assigns = ready[at].assigns.clone();
                found.push(Receiver { copy, step: ready[at].step, accepts, assigns });
            }
        }
        Ok(found)
    }

    fn receiver(
        &mut self,
        copy: usize,
        id: StepId,
        queue: usize,
        message: &[ExprId],
    ) -> Result<Option<Receiver>, Unsupported> {
        let step = self.old.step(id);
        let Action::Receive { pattern, .. } = &step.action else { return Ok(None) };
        let refused = Unsupported::Step(id);
        let channel = self.moved(pattern.channel, copy)?;
        let choices = self.choices(copy, channel).ok_or(refused.clone())?;
        let Some(&(_, same)) = choices.each.iter().find(|&&(at, _)| at == queue) else { return Ok(None) };
        let fields = self.fields(copy, pattern)?.filter(|fields| fields.len() == message.len());
        let fields = fields.ok_or(refused.clone())?;
        let mut parts = Vec::new();
        let process = self.old.process(step.process);
        let within = self.old.location(step.process, step.source).hold == Hold::Deterministic;
        if let Some(provided) = process.provided.filter(|_| !within) {
            parts.push(self.moved(provided, copy)?);
        }
        parts.push(self.moved(step.guard, copy)?);
        let mut assigns = Vec::new();
        let mut taken = message.to_vec();
        for (at, ((field, fit), &value)) in fields.into_iter().zip(message).enumerate() {
            match field {
                Field::Match(wanted) => {
                    let wanted = number(&mut self.program.exprs, wanted);
                    parts.push(self.program.exprs.eq(wanted, value));
                }
                Field::Bind(place) => {
                    let fit = fit.ok_or(refused.clone())?;
                    let exprs = &mut self.program.exprs;
                    taken[at] = fitted(exprs, fit, value);
                    assigns.push(Assign { place: landed(exprs, place, &taken), value: taken[at] });
                }
                Field::Skip => {}
            }
        }
        // A variable that holds no channel yet is no reason for whoever sends to fail.
        let known = self.program.defined(channel);
        let mut accepts = self.program.exprs.and(known, same);
        for part in parts {
            // What cannot be evaluated goes wrong for whoever sends, which no step of theirs says.
            let defined = self.program.defined(part);
            if self.program.exprs.constant(defined) != Some(1) && !self.follows(message, defined) {
                return Err(refused);
            }
            accepts = self.program.exprs.and(accepts, part);
        }
        Ok(Some(Receiver { copy, step: id, accepts, assigns }))
    }

    /// Whether a condition holds wherever the message can be evaluated.
    fn follows(&mut self, message: &[ExprId], condition: ExprId) -> bool {
        message.iter().any(|&value| self.program.defined(value) == condition)
    }
}
