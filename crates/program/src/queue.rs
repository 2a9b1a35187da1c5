//! How do channels lie in a state, and how do messages come and go?

use tertium_base::narrow::to_usize;

use crate::eval::Context;
use crate::expr::Pattern;
use crate::fault::FaultKind;
use crate::layout::FRAME_PROCESS;
use crate::semantics::Semantics;
use crate::types::{ChannelId, Type};

/// A channel of one state: where it is and how large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Queue {
    /// Its declaration.
    pub id: ChannelId,
    /// The slot with the number of messages.
    pub at: usize,
    /// How many messages it holds; 0 means sender and receiver meet.
    pub capacity: usize,
    /// How many slots a message has.
    pub fields: usize,
}

impl Queue {
    pub fn length(self, slots: &[i64]) -> usize {
        to_usize(slots[self.at])
    }

    fn start(self, position: usize) -> usize {
        self.at + 1 + position * self.fields
    }

    pub fn message(self, slots: &[i64], position: usize) -> &[i64] {
        &slots[self.start(position)..self.start(position + 1)]
    }

    /// Inserts a message so that it gets this position.
    pub fn insert(self, slots: &mut [i64], position: usize, message: &[i64]) {
        let length = self.length(slots);
        slots.copy_within(self.start(position)..self.start(length), self.start(position + 1));
        slots[self.start(position)..self.start(position + 1)].copy_from_slice(message);
        slots[self.at] += 1;
    }

    /// Removes the message at this position.
    pub fn remove(self, slots: &mut [i64], position: usize) {
        let length = self.length(slots);
        slots.copy_within(self.start(position + 1)..self.start(length), self.start(position));
        slots[self.start(length - 1)..self.start(length)].fill(0);
        slots[self.at] -= 1;
    }

    /// Where a message goes if messages are kept in numerical order; equal ones stay in order of arrival. Its values are
    /// compared as they were computed, before they are cut to the fields' widths, as Spin's verifier does.
    pub fn sorted_position(self, slots: &[i64], values: &[i64]) -> usize {
        let length = self.length(slots);
        (0..length).find(|&position| self.message(slots, position) > values).unwrap_or(length)
    }
}

impl Semantics<'_> {
    /// The channel with this number. Numbers count the global channels, then those of each frame, from 1.
    pub(crate) fn queue(&self, number: i64, context: &Context<'_>) -> Result<Queue, FaultKind> {
        let unknown = FaultKind::NoChannel(number);
        let mut rest = usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).ok_or(unknown.clone())?;
        let globals = self.layout().global_channels();
        if let Some(&id) = globals.get(rest) {
            return Ok(self.queue_at(id, 0));
        }
        rest -= globals.len();
        for &frame in context.frames {
            let process = &self.program().processes[to_usize(context.slots[frame + FRAME_PROCESS])];
            if let Some(&id) = process.channels.get(rest) {
                return Ok(self.queue_at(id, frame));
            }
            rest -= process.channels.len();
        }
        Err(unknown)
    }

    fn queue_at(&self, id: ChannelId, frame: usize) -> Queue {
        let channel = self.program().channel(id);
        Queue {
            id,
            at: frame + self.layout().channel(id),
            capacity: channel.capacity as usize,
            fields: channel.fields.len(),
        }
    }

    /// The position of the message that a pattern picks.
    pub(crate) fn find_message(
        &self,
        pattern: &Pattern,
        queue: Queue,
        context: &Context<'_>,
    ) -> Result<Option<usize>, FaultKind> {
        let candidates =
            if pattern.anywhere { queue.length(context.slots) } else { queue.length(context.slots).min(1) };
        for position in 0..candidates {
            if self.matches(&pattern.fields, queue.message(context.slots, position), context)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// A message as the channel stores it: machine integers truncated to the fields' widths.
    pub(crate) fn truncated(&self, queue: Queue, message: Vec<i64>) -> Result<Vec<i64>, FaultKind> {
        let fields = &self.program().channel(queue.id).fields;
        if fields.len() != message.len() {
            return Err(FaultKind::MessageShape);
        }
        let store = |(value, &field): (i64, &Type)| self.program().stored(field, value);
        Ok(message.into_iter().zip(fields).map(store).collect())
    }
}
