//! How do messages come and go in channels with a buffer, as terms?

use std::collections::HashMap;

use tertium_program::{Action, ExprId, Field, Pattern, Place, Type};

use super::machine::{Machine, NoTerm, Queue};
use super::rendezvous::{Line, Meeting};
use super::steps::{Look, Path, Walk};
use super::terms::TermId;
use super::values::{Changes, Fine, Sight};

impl Machine<'_> {
    fn present(&self, symbol: TermId, sight: &Sight<'_>) -> TermId {
        sight.changes.get(&symbol).copied().unwrap_or(symbol)
    }

    /// Whether the action of a step can be done at all, where that question has an answer, and whom it meets if that is what it does.
    pub(super) fn ready(
        &mut self,
        me: usize,
        action: &Action,
        sight: &Sight<'_>,
    ) -> Result<(TermId, Fine, Option<Vec<Meeting>>), NoTerm> {
        let fine = self.always_fine();
        match action {
            Action::Send { channel, message, .. } => self.ready_to_send(*channel, message, sight),
            Action::Receive { pattern, .. } => {
                // On a channel without a buffer whoever sends makes the move.
                let (line, mut fine) = self.line(pattern.channel, sight)?;
                let mut able = Vec::new();
                for (queue, this) in &line.buffers {
                    let (fits, below) = self.fitting(pattern, queue, sight)?;
                    let below = self.fine_if(*this, below);
                    fine = self.both_fine(fine, below);
                    let some = self.terms.any(&fits);
                    able.push(self.terms.and(*this, some));
                }
                Ok((self.terms.any(&able), fine, None))
            }
            Action::End => {
                let pid = self.slots[me].pid;
                let mut younger = Vec::new();
                for other in 0..self.processes() {
                    if self.slots[other].pid > pid {
                        younger.push(self.is_gone(other, sight));
                    }
                }
                Ok((self.terms.all(&younger), fine, None))
            }
            _ => Ok((self.terms.truth(true), fine, None)),
        }
    }

    /// Whether a message can be sent, where that question has an answer, and whom that may meet.
    fn ready_to_send(
        &mut self,
        channel: ExprId,
        message: &[ExprId],
        sight: &Sight<'_>,
    ) -> Result<(TermId, Fine, Option<Vec<Meeting>>), NoTerm> {
        let (Line { open, buffers }, mut fine) = self.line(channel, sight)?;
        let mut able = Vec::new();
        for (queue, this) in &buffers {
            let room = self.room(queue, sight);
            able.push(self.terms.and(*this, room));
        }
        if open.is_empty() && !buffers.is_empty() {
            return Ok((self.terms.any(&able), fine, None));
        }
        let (meetings, mut below) = self.meetings(&open, message, sight)?;
        if !buffers.is_empty() {
            // With a buffer the message is looked at when it is sent.
            let meets: Vec<TermId> = open.iter().map(|&(_, this)| this).collect();
            let meets = self.terms.any(&meets);
            below = self.fine_if(meets, below);
        }
        fine = self.both_fine(fine, below);
        able.extend(meetings.iter().map(|meeting| meeting.accepts));
        Ok((self.terms.any(&able), fine, Some(meetings)))
    }

    /// Whether there is room for one more message.
    fn room(&mut self, queue: &Queue, sight: &Sight<'_>) -> TermId {
        let (length, full) = (self.present(queue.length, sight), self.terms.number(queue.capacity as i128));
        self.terms.lt(length, full)
    }

    /// Puts a message into a buffer, or takes one out: one way for each channel that may be meant.
    pub(super) fn pass(&mut self, walk: &mut Walk, path: &Path, (begun, look): (TermId, &Look)) -> Result<(), NoTerm> {
        let action = &self.program.step(look.step).action;
        let channel = match action {
            Action::Send { channel, .. } => *channel,
            Action::Receive { pattern, .. } => pattern.channel,
            _ => return Ok(()),
        };
        let symbols: Vec<TermId> = look.inputs.iter().map(|input| input.symbol).collect();
        let changes = path.changes.clone();
        let sight = Sight { me: Some(look.me), changes: &changes, inputs: &symbols };
        let (line, _) = self.line(channel, &sight)?;
        let plain = line.is_plain();
        for (queue, this) in &line.buffers {
            let mut next = path.going(look);
            let yes = self.terms.truth(true);
            let (able, fine, ranges) = match action {
                Action::Send { message, sorted, .. } => {
                    let fine = self.send(queue, message, *sorted, &sight, &mut next.changes)?;
                    (self.room(queue, &sight), fine, yes)
                }
                Action::Receive { pattern, keep } => {
                    let (fits, _) = self.fitting(pattern, queue, &sight)?;
                    let (fine, ranges) = self.receive((pattern, queue), &fits, *keep, &sight, &mut next.changes)?;
                    (self.terms.any(&fits), fine, ranges)
                }
                _ => continue,
            };
            let here = if plain { begun } else { self.terms.all(&[begun, *this, able]) };
            if self.terms.as_truth(here) == Some(false) {
                continue;
            }
            let holder = self.moved(look.me, look.step, &mut next.changes);
            self.conclude(walk, (look, here), next, (fine, ranges, yes), holder);
        }
        Ok(())
    }

    /// For each place that may be received from, whether its message is there and fits.
    fn fitting(&mut self, pattern: &Pattern, queue: &Queue, sight: &Sight<'_>) -> Result<(Vec<TermId>, Fine), NoTerm> {
        let mut wanted = Vec::new();
        for field in &pattern.fields {
            wanted.push(match *field {
                Field::Match(value) => Some(self.value(value, sight)?),
                Field::Bind(_) | Field::Skip => None,
            });
        }
        self.fitting_values(&wanted, pattern.anywhere, queue, sight)
    }

    /// The same for values that fields must have; none for those that may have any.
    fn fitting_values(
        &mut self,
        wanted: &[Option<(TermId, Fine)>],
        anywhere: bool,
        queue: &Queue,
        sight: &Sight<'_>,
    ) -> Result<(Vec<TermId>, Fine), NoTerm> {
        if wanted.len() != queue.cells.first().map_or(0, Vec::len) {
            return Err(NoTerm::new("a message with another number of fields than its channel"));
        }
        let length = self.present(queue.length, sight);
        let zero = self.terms.number(0);
        let some = self.terms.lt(zero, length);
        let mut fine = self.always_fine();
        for &(_, below) in wanted.iter().flatten() {
            let below = self.fine_if(some, below);
            fine = self.both_fine(fine, below);
        }
        let candidates = if anywhere { queue.capacity } else { 1 };
        let mut fits = Vec::new();
        for place in 0..candidates {
            let at = self.terms.number(place as i128);
            let mut parts = vec![self.terms.lt(at, length)];
            for (field, wanted) in wanted.iter().enumerate() {
                if let Some((wanted, _)) = *wanted {
                    let cell = self.present(queue.cells[place][field], sight);
                    let wanted = self.as_number(wanted);
                    parts.push(self.terms.eq(wanted, cell));
                }
            }
            fits.push(self.terms.all(&parts));
        }
        Ok((fits, fine))
    }

    /// Whether a message could be received; `known` has the values of everything that the pattern speaks of.
    pub(super) fn poll(
        &mut self,
        pattern: &Pattern,
        known: &HashMap<ExprId, (TermId, Fine)>,
        sight: &Sight<'_>,
    ) -> Result<(TermId, Fine), NoTerm> {
        let (line, mut fine) = self.numbered_line(known[&pattern.channel], sight)?;
        for &(_, this) in &line.open {
            let other = self.terms.not(this);
            fine.0[2] = self.terms.and(fine.0[2], other);
        }
        let mut found = Vec::new();
        for (queue, this) in &line.buffers {
            let mut wanted: Vec<Option<(TermId, Fine)>> = Vec::new();
            wanted.extend(pattern.fields.iter().map(|field| match field {
                Field::Match(value) => Some(known[value]),
                Field::Bind(_) | Field::Skip => None,
            }));
            // A question may leave out the last fields.
            wanted.resize(wanted.len().max(queue.cells.first().map_or(0, Vec::len)), None);
            let (fits, below) = self.fitting_values(&wanted, pattern.anywhere, queue, sight)?;
            let below = self.fine_if(*this, below);
            fine = self.both_fine(fine, below);
            let some = self.terms.any(&fits);
            found.push(self.terms.and(*this, some));
        }
        Ok((self.terms.any(&found), fine))
    }

    /// What a value becomes in a field or variable of this type.
    pub(super) fn stored(&mut self, ty: Type, value: TermId) -> TermId {
        let value = self.as_number(value);
        match ty {
            Type::Wrapped(width) => self.wrapped(u32::from(width.bits), width.signed, value),
            Type::Enum(id) if self.program.enumeration(id).members.len() == 256 => self.wrapped(8, false, value),
            _ => value,
        }
    }

    /// Puts a message behind the others, or before the first that is greater.
    fn send(
        &mut self,
        queue: &Queue,
        message: &[ExprId],
        sorted: bool,
        sight: &Sight<'_>,
        changes: &mut Changes,
    ) -> Result<Fine, NoTerm> {
        let fields = self.program.channel(queue.id).fields.clone();
        if fields.len() != message.len() {
            return Err(NoTerm::new("a message with another number of fields than its channel"));
        }
        let (mut fine, mut stored, mut values) = (self.always_fine(), Vec::new(), Vec::new());
        for (&value, &ty) in message.iter().zip(&fields) {
            let (value, below) = self.value(value, sight)?;
            fine = self.both_fine(fine, below);
            stored.push(self.stored(ty, value));
            // The place of a message is found by its values before they are cut to the fields' widths.
            values.push(self.as_number(value));
        }
        let length = self.present(queue.length, sight);
        // Whether the message has found its place already.
        let mut placed = self.terms.truth(false);
        for place in 0..queue.capacity {
            let at = self.terms.number(place as i128);
            let last = self.terms.eq(length, at);
            let here = if sorted {
                let greater = self.greater(queue, place, &values, sight);
                let there = self.terms.lt(at, length);
                let greater = self.terms.and(there, greater);
                self.terms.or(last, greater)
            } else {
                last
            };
            for (field, &value) in stored.iter().enumerate() {
                let now = self.present(queue.cells[place][field], sight);
                let moved = if place == 0 { now } else { self.present(queue.cells[place - 1][field], sight) };
                let otherwise = self.terms.ite(here, value, now);
                let new = if sorted { self.terms.ite(placed, moved, otherwise) } else { otherwise };
                changes.insert(queue.cells[place][field], new);
            }
            placed = self.terms.or(placed, here);
        }
        let one = self.terms.number(1);
        changes.insert(queue.length, self.terms.sum(length, one));
        Ok(fine)
    }

    /// Whether the message at a place is greater than another, field by field.
    fn greater(&mut self, queue: &Queue, place: usize, values: &[TermId], sight: &Sight<'_>) -> TermId {
        let mut greater = self.terms.truth(false);
        for (field, &value) in values.iter().enumerate().rev() {
            let cell = self.present(queue.cells[place][field], sight);
            let (more, same) = (self.terms.lt(value, cell), self.terms.eq(cell, value));
            let rest = self.terms.and(same, greater);
            greater = self.terms.or(more, rest);
        }
        greater
    }

    /// Takes the first message that fits: where places and values are fine, and where values fit their types.
    fn receive(
        &mut self,
        (pattern, queue): (&Pattern, &Queue),
        fits: &[TermId],
        keep: bool,
        sight: &Sight<'_>,
        changes: &mut Changes,
    ) -> Result<(Fine, TermId), NoTerm> {
        let mut told = (self.always_fine(), self.terms.truth(true));
        if !keep {
            self.remove(queue, fits, sight, changes);
        }
        for (field, bound) in pattern.fields.iter().enumerate() {
            let Field::Bind(place) = *bound else { continue };
            let mut value = self.present(queue.cells[fits.len() - 1][field], sight);
            for at in (0..fits.len() - 1).rev() {
                let cell = self.present(queue.cells[at][field], sight);
                value = self.terms.ite(fits[at], cell, value);
            }
            self.bind_field(place, value, sight, changes, &mut told)?;
        }
        Ok(told)
    }

    /// Puts one field, as its place stores it, where it belongs; adds where that is fine, and where the value fits.
    pub(super) fn bind_field(
        &mut self,
        place: Place,
        value: TermId,
        sight: &Sight<'_>,
        changes: &mut Changes,
        (fine, ranges): &mut (Fine, TermId),
    ) -> Result<(), NoTerm> {
        let value = self.stored(self.program.variable(place.variable()).ty, value);
        let fit = self.fits(place, value);
        *ranges = self.terms.and(*ranges, fit);
        let below = self.bind(place, value, sight, changes)?;
        *fine = self.both_fine(*fine, below);
        Ok(())
    }

    /// Puts one field where it belongs. An index sees the fields bound before.
    fn bind(&mut self, place: Place, value: TermId, sight: &Sight<'_>, changes: &mut Changes) -> Result<Fine, NoTerm> {
        let so_far = changes.clone();
        let seen = Sight { me: sight.me, changes: &so_far, inputs: sight.inputs };
        let ((store, position), below) = self.target(place, &seen)?;
        self.write(store, position, value, changes)?;
        Ok(below)
    }

    /// Moves the messages behind the one that is taken forward.
    fn remove(&mut self, queue: &Queue, fits: &[TermId], sight: &Sight<'_>, changes: &mut Changes) {
        let length = self.present(queue.length, sight);
        let mut taken = self.terms.truth(false);
        for place in 0..queue.capacity {
            if let Some(&fits) = fits.get(place) {
                taken = self.terms.or(taken, fits);
            }
            for field in 0..queue.cells[place].len() {
                let now = self.present(queue.cells[place][field], sight);
                let next = match queue.cells.get(place + 1) {
                    Some(cells) => self.present(cells[field], sight),
                    None => self.terms.number(0),
                };
                changes.insert(queue.cells[place][field], self.terms.ite(taken, next, now));
            }
        }
        let one = self.terms.number(1);
        changes.insert(queue.length, self.terms.difference(length, one));
    }
}
