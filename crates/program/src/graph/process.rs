//! Code with locations, and copies of it that run.

use tertium_base::Span;

use super::{LocationId, ProcessId, StepId};
use crate::expr::ExprId;
use crate::types::{ChannelId, VarId};

/// What happens to exclusive control when a process arrives at a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Hold {
    /// It is given up: other processes may step next. States here are visible.
    #[default]
    Free,
    /// It is kept while the process can step; when it cannot, the state is visible and others may step
    /// (inside Promela's `atomic`).
    WhileEnabled,
    /// It is kept; a way of executing the block that gets stuck here does not exist (inside `atomic` of
    /// guarded commands: the whole block is one step or none).
    Indivisible,
    /// It is kept; of several enabled steps the first is taken, and none enabled is a fault (inside `d_step`).
    Deterministic,
}

/// A control point of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// The steps that leave it, in source order.
    pub steps: Vec<StepId>,
    /// The labels that stand here.
    pub labels: Vec<String>,
    /// Whether a process may rest here for ever without that being a deadlock.
    pub end: bool,
    /// Whether being here is progress.
    pub progress: bool,
    /// Whether being here infinitely often is an acceptance cycle.
    pub accept: bool,
    /// What arriving here does to exclusive control.
    pub hold: Hold,
    /// The statement that starts here.
    pub span: Span,
}

/// What the scheduler promises to a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Fairness {
    /// Nothing.
    #[default]
    None,
    /// If it can step at every moment from some point on, it steps infinitely often.
    Weak,
    /// If it can step infinitely often, it steps infinitely often.
    Strong,
}

/// A piece of code that instances run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// The name for people: `P` or `P[2]`.
    pub name: String,
    /// Its local variables, parameters first.
    pub locals: Vec<VarId>,
    /// Its local channels.
    pub channels: Vec<ChannelId>,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Where an instance starts.
    pub entry: LocationId,
    /// It can step only while this holds.
    pub provided: Option<ExprId>,
    /// Having a choice between steps is a fault.
    pub deterministic: bool,
    /// What the scheduler promises.
    pub fairness: Fairness,
    /// Where it is declared.
    pub span: Span,
}

impl Process {
    /// The location with this label.
    #[must_use]
    pub fn labelled(&self, label: &str) -> Option<LocationId> {
        self.locations.iter().position(|location| location.labels.iter().any(|l| l == label)).map(LocationId::new)
    }
}

/// A process that runs from the start; its pid is its position in [`Program::instances`](super::Program::instances).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The code.
    pub process: ProcessId,
    /// Values for [`crate::types::InitialValue::Argument`].
    pub arguments: Vec<i64>,
    /// Its priority, used if [`Program::priorities`](super::Program::priorities).
    pub priority: i64,
}
