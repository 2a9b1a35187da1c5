//! Where does each variable lie in a state?
//!
//! A state is one row of `i64` slots: globals, then global channels, then one frame per running instance,
//! oldest first. Instances are removed youngest first, so the frames are a stack, and a program whose
//! processes are fixed has every slot at a fixed place.
//!
//! Frame: process, location, priority (if the program uses priorities), locals, local channels. Channel: number
//! of messages, then `capacity` messages of as many slots as fields, oldest first; unused slots are 0.

use tertium_base::narrow::{to_u32, to_usize};

use crate::graph::{ProcessId, Program};
use crate::types::{ChannelId, Scope, VarId};

/// Slot of the process in a frame.
pub const FRAME_PROCESS: usize = 0;
/// Slot of the location in a frame.
pub const FRAME_LOCATION: usize = 1;
/// Slot of the priority in a frame, if the program uses priorities.
pub const FRAME_PRIORITY: usize = 2;

/// The places of everything in the states of one program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    variables: Vec<usize>,
    channels: Vec<usize>,
    global_channels: Vec<ChannelId>,
    globals: usize,
    frames: Vec<usize>,
    initial_frames: Vec<usize>,
    initial_size: usize,
    fixed: bool,
    only_instance: Vec<Option<u32>>,
}

impl Layout {
    /// The places in states of `program`.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let mut layout = Self {
            variables: vec![0; program.variables.len()],
            channels: vec![0; program.channels.len()],
            global_channels: Vec::new(),
            globals: 0,
            frames: Vec::new(),
            initial_frames: Vec::new(),
            initial_size: 0,
            fixed: program.is_static(),
            only_instance: only_instances(program),
        };
        layout.place_globals(program);
        layout.place_frames(program);
        let mut at = layout.globals;
        for instance in &program.instances {
            layout.initial_frames.push(at);
            at += layout.frames[instance.process.index()];
        }
        layout.initial_size = at;
        layout
    }

    fn place_globals(&mut self, program: &Program) {
        let mut at = 0;
        for (id, variable) in program.variables.iter().enumerate() {
            if variable.scope == Scope::Global {
                self.variables[id] = at;
                at += variable.cells();
            }
        }
        for (id, channel) in program.channels.iter().enumerate() {
            if channel.scope == Scope::Global {
                self.channels[id] = at;
                self.global_channels.push(ChannelId::new(id));
                at += channel_size(program, ChannelId::new(id));
            }
        }
        self.globals = at;
    }

    fn place_frames(&mut self, program: &Program) {
        for process in &program.processes {
            let mut at = if program.priorities { 3 } else { 2 };
            for &local in &process.locals {
                self.variables[local.index()] = at;
                at += program.variable(local).cells();
            }
            for &channel in &process.channels {
                self.channels[channel.index()] = at;
                at += channel_size(program, channel);
            }
            self.frames.push(at);
        }
    }

    /// The first slot of a variable: in the state for a global, in its process's frame for a local.
    #[inline]
    #[must_use]
    pub fn variable(&self, var: VarId) -> usize {
        self.variables[var.index()]
    }

    /// The first slot of a channel: in the state for a global, in its process's frame for a local.
    #[inline]
    #[must_use]
    pub fn channel(&self, channel: ChannelId) -> usize {
        self.channels[channel.index()]
    }

    /// The global channels; the first has number 1.
    #[must_use]
    pub fn global_channels(&self) -> &[ChannelId] {
        &self.global_channels
    }

    /// How many slots come before the first frame.
    #[must_use]
    pub fn global_size(&self) -> usize {
        self.globals
    }

    /// How many slots a frame of this process has.
    #[must_use]
    pub fn frame_size(&self, process: ProcessId) -> usize {
        self.frames[process.index()]
    }

    /// How many slots an initial state has; every state, if the processes are fixed.
    #[must_use]
    pub fn initial_size(&self) -> usize {
        self.initial_size
    }

    /// Whether every state has the frames of the initial ones.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// Where the frames of an initial state begin, by pid; of every state, if the processes are fixed.
    #[must_use]
    pub fn initial_frames(&self) -> &[usize] {
        &self.initial_frames
    }

    /// The pid of the only instance of a process, if there is exactly one from the start and no other is created.
    #[must_use]
    pub fn only_instance(&self, process: ProcessId) -> Option<u32> {
        self.only_instance[process.index()]
    }

    /// Where the frames of a state begin, by pid.
    #[must_use]
    pub fn frames(&self, slots: &[i64]) -> Vec<usize> {
        let mut frames = Vec::new();
        let mut at = self.globals;
        while at < slots.len() {
            frames.push(at);
            at += self.frames[to_usize(slots[at + FRAME_PROCESS])];
        }
        frames
    }

    /// The slot of a variable in states of a program with fixed processes.
    #[must_use]
    pub fn fixed_slot(&self, program: &Program, var: VarId) -> Option<usize> {
        match program.variable(var).scope {
            Scope::Global => Some(self.variable(var)),
            Scope::Local(process) => {
                let pid = self.only_instance(process)?;
                Some(self.initial_frames[pid as usize] + self.variable(var))
            }
        }
    }
}

fn channel_size(program: &Program, id: ChannelId) -> usize {
    let channel = program.channel(id);
    1 + channel.capacity as usize * channel.fields.len()
}

fn only_instances(program: &Program) -> Vec<Option<u32>> {
    let mut only = vec![None; program.processes.len()];
    let mut several = vec![false; program.processes.len()];
    for (pid, instance) in program.instances.iter().enumerate() {
        let process = instance.process.index();
        several[process] |= only[process].is_some();
        only[process] = Some(to_u32(pid));
    }
    for step in &program.steps {
        if let crate::graph::Action::Run { process, .. } = step.action {
            several[process.index()] = true;
        }
    }
    only.into_iter().zip(several).map(|(pid, several)| pid.filter(|_| !several)).collect()
}
