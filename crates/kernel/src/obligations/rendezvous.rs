//! Rendezvous: who meets whom at a channel without a buffer, as terms?
//!
//! Whoever sends makes the step, and makes it with any process that stands at a receive which takes the message; of several receives at
//! one place those of lowest rank. Both move, what is received is what was sent, and control goes to the receiver.

use tertium_program::{Action, ExprId, Field, Hold, Pattern, StepId};

use super::machine::{Machine, NoTerm, Queue};
use super::steps::{Look, Path, Walk};
use super::terms::TermId;
use super::values::{Fine, Sight};

/// What a channel may be.
pub(super) struct Line {
    /// One of these, by number, which have no buffer; and when.
    pub(super) open: Vec<(usize, TermId)>,
    /// One of these, which have one; and when.
    pub(super) buffers: Vec<(Queue, TermId)>,
}

impl Line {
    /// Whether it is one channel with a buffer, whatever the state.
    pub(super) fn is_plain(&self) -> bool {
        self.open.is_empty() && self.buffers.len() == 1
    }
}

/// A receive that a send meets.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    who: usize,
    step: StepId,
    /// It is there, and takes the message.
    pub(super) accepts: TermId,
    /// The message, as the channel holds it.
    message: Vec<TermId>,
}

impl Machine<'_> {
    /// What a channel may be, and where it is one.
    pub(super) fn line(&mut self, channel: ExprId, sight: &Sight<'_>) -> Result<(Line, Fine), NoTerm> {
        let number = self.value(channel, sight)?;
        self.numbered_line(number, sight)
    }

    /// The same for a number, and where that has a value.
    pub(super) fn numbered_line(
        &mut self,
        (number, mut fine): (TermId, Fine),
        sight: &Sight<'_>,
    ) -> Result<(Line, Fine), NoTerm> {
        let number = self.as_number(number);
        let (mut line, mut valid) = (Line { open: Vec::new(), buffers: Vec::new() }, Vec::new());
        for at in 0..self.queues.len() {
            let named = self.terms.number(at as i128 + 1);
            let this = self.terms.eq(number, named);
            if self.terms.as_truth(this) == Some(false) {
                continue;
            }
            let (id, owner) = self.lines[at];
            let there = match owner.filter(|owner| Some(*owner) != sight.me) {
                Some(owner) => self.there(owner, sight).0[2],
                None => self.terms.truth(true),
            };
            valid.push(self.terms.and(this, there));
            if self.program.channel(id).capacity == 0 {
                line.open.push((at, this));
            } else {
                let queue = self.queues[at].clone().ok_or_else(|| NoTerm::new("a channel with too many cells"))?;
                line.buffers.push((queue, this));
            }
        }
        let valid = self.terms.any(&valid);
        fine.0[2] = self.terms.and(fine.0[2], valid);
        Ok((line, fine))
    }

    /// The receives that a send meets on one of these channels, and where that question has an answer.
    pub(super) fn meetings(
        &mut self,
        channels: &[(usize, TermId)],
        message: &[ExprId],
        sight: &Sight<'_>,
    ) -> Result<(Vec<Meeting>, Fine), NoTerm> {
        let (mut fine, mut values, mut found) = (self.always_fine(), Vec::new(), Vec::new());
        for &value in message {
            let (value, below) = self.value(value, sight)?;
            fine = self.both_fine(fine, below);
            values.push(value);
        }
        // The message is looked at first.
        let defined = self.terms.all(&fine.0);
        for &(channel, this) in channels {
            let fields = self.program.channel(self.lines[channel].0).fields.clone();
            if fields.len() != values.len() {
                let other = self.terms.not(this);
                fine.0[2] = self.terms.and(fine.0[2], other);
                continue;
            }
            let message: Vec<TermId> = values.iter().zip(fields).map(|(&value, ty)| self.stored(ty, value)).collect();
            let this = self.terms.and(defined, this);
            for who in (0..self.processes()).filter(|&who| Some(who) != sight.me) {
                for at in 0..self.gone(who) {
                    let here = self.stands(who, at, sight);
                    let here = self.terms.and(here, this);
                    if self.terms.as_truth(here) != Some(false) {
                        let (meetings, below) = self.takers((who, at), (channel, here), &message, sight)?;
                        found.extend(meetings);
                        fine = self.both_fine(fine, below);
                    }
                }
            }
        }
        Ok((found, fine))
    }

    /// The receives at one place that take a message.
    fn takers(
        &mut self,
        (who, at): (usize, usize),
        (channel, here): (usize, TermId),
        message: &[TermId],
        sight: &Sight<'_>,
    ) -> Result<(Vec<Meeting>, Fine), NoTerm> {
        let program = self.program;
        let mut fine = self.always_fine();
        let mut ready: Vec<(u32, Meeting)> = Vec::new();
        for &step in &program.process(self.code[who]).locations[at].steps {
            let Action::Receive { pattern, .. } = &program.step(step).action else { continue };
            let receiver = Sight { me: Some(who), changes: sight.changes, inputs: &[] };
            let (accepts, below) = self.accepts(step, pattern, (channel, here), message, &receiver)?;
            fine = self.both_fine(fine, below);
            if self.terms.as_truth(accepts) != Some(false) {
                let meeting = Meeting { who, step, accepts, message: message.to_vec() };
                ready.push((program.step(step).rank, meeting));
            }
        }
        let mut found = Vec::new();
        for (rank, meeting) in &ready {
            let before: Vec<TermId> =
                ready.iter().filter(|(other, _)| other < rank).map(|(_, other)| other.accepts).collect();
            let before = self.terms.any(&before);
            let first = self.terms.not(before);
            found.push(Meeting { accepts: self.terms.and(meeting.accepts, first), ..meeting.clone() });
        }
        Ok((found, fine))
    }

    /// Whether a receive takes a message that is sent on a channel, and where that question has an answer.
    fn accepts(
        &mut self,
        id: StepId,
        pattern: &Pattern,
        (channel, here): (usize, TermId),
        message: &[TermId],
        receiver: &Sight<'_>,
    ) -> Result<(TermId, Fine), NoTerm> {
        let step = self.program.step(id);
        let held = self.program.location(step.process, step.source).hold == Hold::Deterministic;
        let provided = self.program.process(step.process).provided.filter(|_| !held);
        let (mut accepts, mut fine) = (here, self.always_fine());
        for condition in provided.into_iter().chain([step.guard]) {
            let (value, below) = self.value(condition, receiver)?;
            let below = self.fine_if(accepts, below);
            fine = self.both_fine(fine, below);
            let holds = self.as_truth(value);
            accepts = self.terms.and(accepts, holds);
        }
        // A variable that holds no channel yet is no reason for the sender to fail.
        let (theirs, known) = self.value(pattern.channel, receiver)?;
        let (theirs, number) = (self.as_number(theirs), self.terms.number(channel as i128 + 1));
        let same = self.terms.eq(theirs, number);
        let parts = [accepts, same, known.0[0], known.0[1], known.0[2]];
        accepts = self.terms.all(&parts);
        if self.terms.as_truth(accepts) == Some(false) {
            return Ok((accepts, fine));
        }
        if pattern.fields.len() != message.len() {
            let never = self.terms.not(accepts);
            fine.0[2] = self.terms.and(fine.0[2], never);
            return Ok((self.terms.truth(false), fine));
        }
        for (field, &value) in pattern.fields.iter().zip(message) {
            let Field::Match(wanted) = *field else { continue };
            let (wanted, below) = self.value(wanted, receiver)?;
            let below = self.fine_if(accepts, below);
            fine = self.both_fine(fine, below);
            let wanted = self.as_number(wanted);
            let equal = self.terms.eq(wanted, value);
            accepts = self.terms.and(accepts, equal);
        }
        Ok((accepts, fine))
    }

    /// A send that meets somebody: one way for each.
    pub(super) fn meet(&mut self, walk: &mut Walk, path: &Path, (begun, look): (TermId, &Look)) -> Result<(), NoTerm> {
        let changes = path.changes.clone();
        for Meeting { who, step, accepts, message } in look.meetings.iter().flatten() {
            let here = self.terms.and(begun, *accepts);
            if self.terms.as_truth(here) == Some(false) {
                continue;
            }
            let Action::Receive { pattern, .. } = &self.program.step(*step).action else { continue };
            let mut next = path.going(look);
            let sight = Sight { me: Some(*who), changes: &changes, inputs: &[] };
            let done = self.handed(pattern, message, &sight, &mut next.changes)?;
            self.moved(look.me, look.step, &mut next.changes);
            let holder = self.moved(*who, *step, &mut next.changes);
            let yes = self.terms.truth(true);
            self.conclude(walk, (look, here), next, (done.0, done.1, yes), holder);
        }
        Ok(())
    }

    /// Binds the fields of a message, one after the other.
    fn handed(
        &mut self,
        pattern: &Pattern,
        message: &[TermId],
        sight: &Sight<'_>,
        changes: &mut super::values::Changes,
    ) -> Result<(Fine, TermId), NoTerm> {
        let mut told = (self.always_fine(), self.terms.truth(true));
        for (field, &value) in pattern.fields.iter().zip(message) {
            if let Field::Bind(place) = *field {
                self.bind_field(place, value, sight, changes, &mut told)?;
            }
        }
        Ok(told)
    }
}
