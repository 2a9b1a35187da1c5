//! Which values can a slot ever hold?
//!
//! The intervals of variables and messages ([`Intervals`]), slot by slot: a byte that only ever gets the constants 1 to 3 needs
//! two bits. Cells that are never assigned keep what they begin with.

use tertium_base::narrow::to_i64;
use tertium_program::analysis::Intervals;
use tertium_program::analysis::intervals::{Interval, MessageField, stored};
use tertium_program::{ChannelId, InitialValue, Layout, ProcessId, Program, Scope, Semantics, VarId};

use crate::pack::frame_header;

/// Smallest and largest value; `None` where there is no such bound.
pub type Bounds = (Option<i64>, Option<i64>);

/// The values of the slots of one program.
#[derive(Clone, Debug)]
pub struct Ranges {
    intervals: Intervals,
    assigned: Vec<bool>,
}

fn only(value: i64) -> Bounds {
    (Some(value), Some(value))
}

impl Ranges {
    /// The values of a program's slots.
    #[must_use]
    pub fn of(semantics: &Semantics<'_>) -> Self {
        let program = semantics.program();
        let mut assigned = vec![false; program.variables.len()];
        let watched = program.trace.as_ref().map(|trace| trace.variable);
        let written = program.steps.iter().flat_map(|step| step.written()).chain(watched).chain(program.last);
        written.for_each(|var| assigned[var.index()] = true);
        Self { intervals: Intervals::of(program), assigned }
    }

    /// The bounds of the slots before the first frame.
    #[must_use]
    pub fn globals(&self, program: &Program, layout: &Layout) -> Vec<Bounds> {
        let mut slots = Vec::with_capacity(layout.global_size());
        for var in program.variable_ids().filter(|&var| program.variable(var).scope == Scope::Global) {
            self.push_cells(program, layout, var, &mut slots);
        }
        layout.global_channels().iter().for_each(|&channel| self.push_channel(program, channel, &mut slots));
        slots
    }

    /// The bounds of the slots of a frame.
    #[must_use]
    pub fn frame(&self, program: &Program, layout: &Layout, process: ProcessId) -> Vec<Bounds> {
        let mut slots = frame_header(program, process).to_vec();
        if program.priorities {
            slots.push((None, None));
        }
        let code = program.process(process);
        code.locals.iter().for_each(|&var| self.push_cells(program, layout, var, &mut slots));
        code.channels.iter().for_each(|&channel| self.push_channel(program, channel, &mut slots));
        slots
    }

    fn push_cells(&self, program: &Program, layout: &Layout, var: VarId, slots: &mut Vec<Bounds>) {
        let variable = program.variable(var);
        let cells = variable.cells();
        let first = slots.len();
        slots.resize(first + cells, self.intervals.variable(var).map_or(only(0), Interval::bounds));
        if self.assigned[var.index()] {
            return;
        }
        // What is never assigned keeps its initial value, cell by cell.
        match &variable.initial {
            InitialValue::Each(values) => {
                for (bounds, &value) in slots[first..].iter_mut().zip(values) {
                    *bounds = only(program.stored(variable.ty, value));
                }
            }
            InitialValue::Channel(id) if variable.scope == Scope::Global => {
                let position = layout.global_channels().iter().position(|channel| channel == id).unwrap_or(0);
                for (cell, bounds) in slots[first..].iter_mut().enumerate() {
                    *bounds = only(to_i64(position + cell + 1));
                }
            }
            _ => {}
        }
    }

    fn push_channel(&self, program: &Program, id: ChannelId, slots: &mut Vec<Bounds>) {
        let channel = program.channel(id);
        slots.push((Some(0), Some(i64::from(channel.capacity))));
        for _ in 0..channel.capacity {
            for (at, &ty) in channel.fields.iter().enumerate() {
                let field = MessageField { of: channel.fields.len(), at };
                let sent = self.intervals.field(field).map(|sent| stored(program, ty, sent));
                // Unused places hold 0, whatever the type.
                let zero = Interval::exactly(0);
                slots.push(sent.map_or(zero, |sent| sent.join(zero)).bounds());
            }
        }
    }
}
