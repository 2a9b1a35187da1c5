//! What does each slot of a state hold?
//!
//! For packing states by domain, for showing them, and for telling what changed between two of them.

use tertium_base::narrow::{to_i64, to_u32, to_usize};

use crate::graph::{ProcessId, Program};
use crate::layout::{FRAME_PROCESS, Layout};
use crate::types::{ChannelId, Type, VarId};

/// What a slot holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// A cell of a variable, by its position in the array; of the instance with this pid if it is local.
    Cell {
        /// The variable.
        var: VarId,
        /// Position, row by row; 0 for a plain variable.
        cell: u32,
        /// The instance, for a local variable.
        pid: Option<u32>,
    },
    /// How many messages a channel holds.
    Length {
        /// The channel.
        channel: ChannelId,
        /// The instance, for a local channel.
        pid: Option<u32>,
    },
    /// A field of a message in a channel; 0 beyond the last message.
    Message {
        /// The channel.
        channel: ChannelId,
        /// Which message, the oldest is 0.
        position: u32,
        /// Which field.
        field: u32,
        /// The instance, for a local channel.
        pid: Option<u32>,
    },
    /// Which process an instance runs.
    Process {
        /// The instance.
        pid: u32,
    },
    /// Where an instance is.
    Location {
        /// The instance.
        pid: u32,
        /// The process it runs.
        process: ProcessId,
    },
    /// The priority of an instance.
    Priority {
        /// The instance.
        pid: u32,
    },
}

impl Layout {
    /// What the slots of a state hold, in order. The initial states of a program with fixed processes stand for all.
    #[must_use]
    pub fn slots(&self, program: &Program, state: &[i64]) -> Vec<Slot> {
        let mut slots = Vec::with_capacity(state.len());
        let globals = program.variable_ids().filter(|&var| program.variable(var).scope == crate::types::Scope::Global);
        globals.for_each(|var| push_cells(&mut slots, program, var, None));
        for &channel in self.global_channels() {
            push_channel(&mut slots, program, channel, None);
        }
        for (pid, frame) in self.frames(state).into_iter().enumerate() {
            let pid = to_u32(pid);
            let process = ProcessId::new(to_usize(state[frame + FRAME_PROCESS]));
            slots.extend([Slot::Process { pid }, Slot::Location { pid, process }]);
            slots.extend(program.priorities.then_some(Slot::Priority { pid }));
            let code = program.process(process);
            code.locals.iter().for_each(|&var| push_cells(&mut slots, program, var, Some(pid)));
            code.channels.iter().for_each(|&channel| push_channel(&mut slots, program, channel, Some(pid)));
        }
        slots
    }
}

fn push_cells(slots: &mut Vec<Slot>, program: &Program, var: VarId, pid: Option<u32>) {
    slots.extend((0..to_u32(program.variable(var).cells())).map(|cell| Slot::Cell { var, cell, pid }));
}

fn push_channel(slots: &mut Vec<Slot>, program: &Program, channel: ChannelId, pid: Option<u32>) {
    slots.push(Slot::Length { channel, pid });
    let declared = program.channel(channel);
    for position in 0..declared.capacity {
        slots.extend((0..to_u32(declared.fields.len())).map(|field| Slot::Message { channel, position, field, pid }));
    }
}

impl Program {
    /// Smallest and largest value a slot can have, where there is such a bound.
    #[must_use]
    pub fn slot_bounds(&self, slot: Slot) -> (Option<i64>, Option<i64>) {
        match slot {
            Slot::Cell { var, .. } => self.bounds(self.variable(var).ty),
            Slot::Length { channel, .. } => (Some(0), Some(i64::from(self.channel(channel).capacity))),
            Slot::Message { channel, field, .. } => {
                let (lo, hi) = self.bounds(self.channel(channel).fields[field as usize]);
                // Unused places hold 0, whatever the type.
                (lo.map(|lo| lo.min(0)), hi.map(|hi| hi.max(0)))
            }
            Slot::Process { .. } => (Some(0), Some(to_i64(self.processes.len()) - 1)),
            Slot::Location { process, .. } => (Some(0), Some(to_i64(self.process(process).locations.len()) - 1)),
            Slot::Priority { .. } => (None, None),
        }
    }

    /// The name of a slot for people: `x`, `a[3]`, `P.t`, `P@`.
    #[must_use]
    pub fn slot_name(&self, layout: &Layout, state: &[i64], slot: Slot) -> String {
        let owner = |pid: Option<u32>| match pid {
            None => String::new(),
            Some(pid) => format!("{}.", self.instance_name(layout, state, pid)),
        };
        match slot {
            Slot::Cell { var, cell, pid } => {
                format!("{}{}{}", owner(pid), self.variable(var).name, self.show_indices(var, cell))
            }
            Slot::Length { channel, pid } => format!("len({}{})", owner(pid), self.channel(channel).name),
            Slot::Message { channel, position, field, pid } => {
                format!("{}{}[{position}].{field}", owner(pid), self.channel(channel).name)
            }
            Slot::Process { pid } => format!("process({pid})"),
            Slot::Location { pid, .. } => format!("{}@", self.instance_name(layout, state, pid)),
            Slot::Priority { pid } => format!("priority({pid})"),
        }
    }

    /// The name of an instance: its process's, with its pid if several run the same code.
    fn instance_name(&self, layout: &Layout, state: &[i64], pid: u32) -> String {
        let frame = layout.frames(state).get(pid as usize).copied();
        let Some(frame) = frame else { return format!("process {pid}") };
        let process = ProcessId::new(to_usize(state[frame + FRAME_PROCESS]));
        let name = &self.process(process).name;
        if layout.only_instance(process).is_some() { name.clone() } else { format!("{name}:{pid}") }
    }

    fn show_indices(&self, var: VarId, cell: u32) -> String {
        let mut rest = cell;
        let mut indices = Vec::new();
        for dimension in self.variable(var).dimensions.iter().rev() {
            indices.push(format!("[{}]", dimension.lo + i64::from(rest % dimension.len)));
            rest /= dimension.len;
        }
        indices.reverse();
        indices.concat()
    }

    /// The value of a slot for people: `true`, `red`, a label.
    #[must_use]
    pub fn slot_value(&self, slot: Slot, value: i64) -> String {
        let index = usize::try_from(value).unwrap_or(usize::MAX);
        match slot {
            Slot::Cell { var, .. } => self.show_value(self.variable(var).ty, value),
            Slot::Message { channel, field, .. } => {
                self.show_value(self.channel(channel).fields[field as usize], value)
            }
            Slot::Location { process, .. } if index < self.process(process).locations.len() => {
                self.location_name(process, crate::graph::LocationId::new(index))
            }
            Slot::Process { .. } if index < self.processes.len() => self.processes[index].name.clone(),
            _ => self.show_value(Type::Int, value),
        }
    }
}
