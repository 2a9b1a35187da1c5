//! Why has a program no such form?

use tertium_program::{StepId, VarId};

/// What of a program cannot be laid out as plain cells and steps, or not be abstracted in that form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// Priorities, traces, or processes that come and go.
    Processes,
    /// This step uses a channel that is not known beforehand, or is a block with a loop.
    Step(StepId),
    /// This step may start more processes than can be told apart.
    Starts(StepId),
    /// This expression has no meaning in that form.
    Expression(String),
    /// This variable's initial value is computed.
    Initial(VarId),
    /// This variable should stay concrete, but too many values come in.
    Keep(VarId),
    /// This variable should stay concrete, but may begin with any of too many values.
    KeepFromStart(VarId),
}
