//! Which state of a program does a state of what it became stand for?
//!
//! Copies that are there become frames again, by their numbers; variables become messages again, and channels get the numbers that
//! they have in the program. Only programs taken apart exactly have one state for each of the original.

use std::collections::HashMap;

use tertium_base::narrow::to_i64;
use tertium_program::layout::{FRAME_LOCATION, FRAME_PRIORITY};
use tertium_program::{ChannelId, Layout, Program, Scope, Type, VarId};

use crate::instances::Instantiated;
use crate::priorities::Priority;
use crate::starts::Copy;

/// Where things lie in the states of both programs.
#[derive(Debug)]
pub struct Restoring<'s> {
    instantiated: &'s Instantiated,
    old: &'s Program,
    before: Layout,
    after: Layout,
}

/// A state as it is read.
struct Reading<'r> {
    slots: &'r [i64],
    /// The numbers of channels, by those that they have after separation.
    numbers: HashMap<i64, i64>,
}

impl<'s> Restoring<'s> {
    /// For the states of a program that was made from `old`.
    #[must_use]
    pub fn new(instantiated: &'s Instantiated, old: &'s Program) -> Self {
        Self { instantiated, old, before: Layout::of(old), after: Layout::of(&instantiated.program) }
    }

    /// The slots of the original's state.
    #[must_use]
    pub fn slots(&self, slots: &[i64]) -> Vec<i64> {
        let copies = self.instantiated.copies();
        let mut there: Vec<(usize, &Copy)> =
            copies.all().filter(|&(at, _)| slots[self.place(at)] != to_i64(copies.gone[at].index())).collect();
        there.sort_by_key(|(_, copy)| copy.pid);
        let reading = Reading { slots, numbers: self.numbers(&there) };
        let mut restored = vec![0; self.before.global_size()];
        for old in self.old.variable_ids() {
            if let Some(&new) = copies.shared.get(&old) {
                self.restore(&reading, (old, new), 0, &mut restored);
            }
        }
        for &channel in self.before.global_channels() {
            self.refill(&reading, (channel, None), 0, &mut restored);
        }
        for (at, copy) in there {
            let frame = restored.len();
            restored.resize(frame + self.before.frame_size(copy.process), 0);
            restored[frame] = to_i64(copy.process.index());
            restored[frame + FRAME_LOCATION] = slots[self.place(at)];
            if let Some(&priority) = copies.priorities.get(at) {
                restored[frame + FRAME_PRIORITY] = self.priority(slots, priority);
            }
            for &old in &self.old.process(copy.process).locals {
                if let Some(&new) = copies.own[at].get(&old) {
                    self.restore(&reading, (old, new), frame, &mut restored);
                }
            }
            for &channel in &self.old.process(copy.process).channels {
                self.refill(&reading, (channel, Some(at)), frame, &mut restored);
            }
        }
        restored
    }

    fn priority(&self, slots: &[i64], priority: Priority) -> i64 {
        match priority {
            Priority::Always(value) => value,
            Priority::Kept(var) => self.after.fixed_slot(&self.instantiated.program, var).map_or(0, |slot| slots[slot]),
        }
    }

    /// The slot of a copy's location.
    fn place(&self, copy: usize) -> usize {
        self.after.initial_frames()[copy] + FRAME_LOCATION
    }

    fn numbers(&self, there: &[(usize, &Copy)]) -> HashMap<i64, i64> {
        let queues = &self.instantiated.copies().queues;
        let globals = self.before.global_channels().iter().map(|&channel| (channel, None));
        let local = there.iter().flat_map(|&(at, copy)| {
            self.old.process(copy.process).channels.iter().map(move |&channel| (channel, Some(at)))
        });
        let all = globals.chain(local).zip(1..);
        all.filter_map(|((channel, copy), number)| Some((queues.number(channel, copy)?, number))).collect()
    }

    fn value(&self, reading: &Reading<'_>, ty: Type, value: i64) -> i64 {
        match ty {
            Type::Channel => reading.numbers.get(&value).copied().unwrap_or(0),
            _ => value,
        }
    }

    fn restore(&self, reading: &Reading<'_>, (old, new): (VarId, VarId), frame: usize, restored: &mut [i64]) {
        let variable = self.old.variable(old);
        let Some(from) = self.after.fixed_slot(&self.instantiated.program, new) else { return };
        let base = if variable.scope == Scope::Global { 0 } else { frame };
        let to = base + self.before.variable(old);
        for cell in 0..variable.cells() {
            restored[to + cell] = self.value(reading, variable.ty, reading.slots[from + cell]);
        }
    }

    fn refill(&self, reading: &Reading<'_>, (channel, copy): (ChannelId, Option<usize>), frame: usize, to: &mut [i64]) {
        let queue = self.instantiated.copies().queues.find(channel, copy);
        let fields = &self.old.channel(channel).fields;
        let first = frame + self.before.channel(channel);
        let values = queue.into_iter().flat_map(|queue| queue.variables());
        for (at, var) in values.enumerate() {
            let Some(from) = self.after.fixed_slot(&self.instantiated.program, var) else { continue };
            // The first variable is the number of messages.
            let ty = at.checked_sub(1).map_or(Type::Int, |at| fields[at % fields.len()]);
            to[first + at] = self.value(reading, ty, reading.slots[from]);
        }
    }
}
