//! Which channels can a statement mean, and what does it become for each?
//!
//! A channel that never changes is known beforehand. Otherwise the statement becomes one step for each channel that its
//! expression may mean, and one that goes wrong where it means none. The number of a channel of a process that is gone may be
//! another channel's in the program; where that could matter, the statement is refused.

use tertium_base::narrow::to_i64;
use tertium_program::{Action, Binary, Expr, ExprId, Pattern, Step, StepId};

use crate::Unsupported;
use crate::events::Event;
use crate::instances::Making;
use crate::queues::{Change, Queue};

/// The channels that an expression can mean.
pub(crate) struct Choices {
    /// Each with the condition that it is meant.
    pub(crate) each: Vec<(usize, ExprId)>,
    /// Whether it means one of these wherever it has a value.
    closed: bool,
}

impl Making<'_> {
    /// What a statement on a channel becomes.
    pub(crate) fn add_message(&mut self, (copy, id): (usize, StepId), draft: &Step) -> Result<(), Unsupported> {
        let step = self.old.step(id);
        let channel = match &step.action {
            Action::Send { channel, .. } => *channel,
            Action::Receive { pattern, .. } => pattern.channel,
            _ => return Err(Unsupported::Step(id)),
        };
        let channel = self.moved(channel, copy)?;
        let choices = self.choices(copy, channel).ok_or(Unsupported::Step(id))?;
        let mut guard = draft.guard;
        let defined = self.program.defined(channel);
        if self.program.exprs.constant(defined) != Some(1) {
            let undefined = self.program.exprs.not(defined);
            self.push_wrong((copy, id), draft, undefined, vec![channel]);
            guard = self.program.exprs.and(guard, defined);
        }
        if !choices.closed {
            let conditions: Vec<ExprId> = choices.each.iter().map(|&(_, condition)| condition).collect();
            let known = self.program.exprs.any(&conditions);
            let unknown = self.program.exprs.not(known);
            let unknown = self.program.exprs.and(defined, unknown);
            let nothing = self.nothing();
            self.push_wrong((copy, id), draft, unknown, vec![nothing]);
        }
        for (at, condition) in choices.each {
            let guard = self.program.exprs.and(guard, condition);
            self.add_for((copy, id), &Step { guard, ..draft.clone() }, at)?;
        }
        Ok(())
    }

    /// What the statement becomes if it means this channel; `draft` says when it does.
    fn add_for(&mut self, (copy, id): (usize, StepId), draft: &Step, at: usize) -> Result<(), Unsupported> {
        let queue = self.copies.queues.get(at).clone();
        let fields = queue.fields().ok_or(Unsupported::Step(id))?;
        let change = match &self.old.step(id).action {
            Action::Send { message, sorted, .. } => {
                let message = self.all_moved(message, copy)?;
                match (queue.capacity, message.len() == fields) {
                    (0, true) => return self.add_rendezvous((copy, id), draft, at, &message),
                    (_, true) => queue.send(&mut self.program.exprs, &message, *sorted),
                    // A message of another shape goes wrong where it is put in.
                    (_, false) => return self.misshapen((copy, id), draft, &queue, true),
                }
            }
            // Whoever sends makes the move.
            Action::Receive { .. } if queue.capacity == 0 => return Ok(()),
            Action::Receive { pattern, .. } if pattern.fields.len() != fields => {
                return self.misshapen((copy, id), draft, &queue, false);
            }
            Action::Receive { pattern, keep } => self.receive(copy, pattern, *keep, &queue)?,
            _ => None,
        };
        let Change { guard, assigns, message } = change.ok_or(Unsupported::Step(id))?;
        let guard = self.program.exprs.and(draft.guard, guard);
        let event = match self.old.step(id).action {
            Action::Receive { keep: true, .. } => None,
            Action::Receive { .. } => Some(Event { queue: at, message, sent: false }),
            _ => Some(Event { queue: at, message, sent: true }),
        };
        let step = Step { guard, action: Action::Assign(assigns), ..draft.clone() };
        self.push_eventful((copy, id), step, None, event.as_slice());
        Ok(())
    }

    fn receive(
        &mut self,
        copy: usize,
        pattern: &Pattern,
        keep: bool,
        queue: &Queue,
    ) -> Result<Option<Change>, Unsupported> {
        let fields = self.fields(copy, pattern)?;
        Ok(fields.and_then(|fields| queue.receive(&mut self.program.exprs, &fields, pattern.anywhere, keep)))
    }

    /// A step that goes wrong because the message has another shape: where there is room for it, or a message.
    fn misshapen(&mut self, at: (usize, StepId), draft: &Step, queue: &Queue, sends: bool) -> Result<(), Unsupported> {
        let length = queue.length(&mut self.program.exprs).ok_or(Unsupported::Step(at.1))?;
        let exprs = &mut self.program.exprs;
        let (full, none) = (exprs.int(to_i64(queue.capacity)), exprs.int(0));
        let when = match (queue.capacity, sends) {
            (0, _) => exprs.bool(true),
            (_, true) => exprs.binary(Binary::Lt, length, full),
            (_, false) => exprs.binary(Binary::Lt, none, length),
        };
        let nothing = self.nothing();
        self.push_wrong(at, draft, when, vec![nothing]);
        Ok(())
    }

    /// An expression that has no value.
    pub(crate) fn nothing(&mut self) -> ExprId {
        let (one, zero) = (self.program.exprs.int(1), self.program.exprs.int(0));
        self.program.exprs.add(Expr::Binary(Binary::Quotient, one, zero))
    }

    /// A step that goes wrong under a condition under which these have no value.
    pub(crate) fn push_wrong(&mut self, at: (usize, StepId), draft: &Step, when: ExprId, values: Vec<ExprId>) {
        let guard = self.program.exprs.and(draft.guard, when);
        if self.program.exprs.constant(guard) != Some(0) {
            if values == [self.nothing()] {
                self.misused.insert(StepId::new(self.program.steps.len()));
            }
            self.wrong.insert(StepId::new(self.program.steps.len()));
            let action = Action::Print { format: String::new(), values };
            self.push(at, Step { guard, action, ..draft.clone() }, None);
        }
    }

    /// The channels that an expression over the new variables can mean for a copy; none if that cannot be told.
    pub(crate) fn choices(&mut self, copy: usize, channel: ExprId) -> Option<Choices> {
        if let Some(at) = self.copies.queues.position(&self.program.exprs, channel) {
            return Some(Choices { each: vec![(at, self.program.exprs.bool(true))], closed: true });
        }
        let (all, closed) = match self.copies.queues.fixed_choices(&self.program.exprs, channel) {
            Some(all) => (all, true),
            None => ((0..self.copies.queues.len()).collect(), false),
        };
        if !closed && !all.iter().all(|&at| self.stays(copy, at)) {
            return None;
        }
        let mut each = Vec::new();
        for at in all {
            let number = self.program.exprs.int(to_i64(at) + 1);
            each.push((at, self.program.exprs.eq(channel, number)));
        }
        Some(Choices { each, closed })
    }

    /// Whether a channel that a copy knows is there as long as the copy is, under the same number.
    fn stays(&self, copy: usize, at: usize) -> bool {
        let Some(owner) = self.copies.queues.get(at).owner() else { return true };
        let copies = &self.copies.starts.copies;
        let older = self.copies.starts.by.is_empty() && copies[owner].pid <= copies[copy].pid;
        older || !self.copies.ending.contains(&owner)
    }
}
