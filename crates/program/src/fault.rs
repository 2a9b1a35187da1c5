//! What can go wrong when a step is taken, as a value.

use crate::graph::StepId;
use crate::types::{FunctionId, VarId};

/// What went wrong.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// The asserted condition does not hold.
    Assertion,
    /// An event on a channel is not what the trace automaton allows.
    Event,
    /// An index lies outside its array.
    Index {
        /// The array.
        array: VarId,
        /// The index.
        index: i64,
    },
    /// Division or remainder by 0.
    DivisionByZero,
    /// A value does not belong to the type of the variable it is assigned to.
    OutOfRange {
        /// The variable or array.
        variable: VarId,
        /// The value.
        value: i64,
    },
    /// A channel operation on a value that is no channel.
    NoChannel(i64),
    /// A message with another number of fields than the channel has.
    MessageShape,
    /// Asking what could be received from a channel without a buffer.
    PollWithoutBuffer,
    /// A pid that no process has.
    NoProcess(i64),
    /// A statement after the first of a `d_step` cannot be executed.
    BlockedInDeterministic,
    /// An uninterruptible block goes round for ever: a state inside it repeats.
    EndlessBlock,
    /// An uninterruptible block was not followed to its end: it has too many moves or ways, or time or memory ran out.
    BlockTooLong,
    /// There are as many processes as there can be.
    TooManyProcesses,
    /// A guard asks whether steps are enabled, which would depend on itself.
    Circular,
    /// A priority that is not between 1 and 255.
    Priority(i64),
    /// A process that is said to be deterministic has a choice.
    NotDeterministic,
    /// The trace automaton can follow an event in two ways.
    AmbiguousEvent,
    /// The value is an integer, but too large for concrete exploration (it needs more than 64 bits).
    TooLarge,
    /// The value of a function of which nothing is known.
    Uninterpreted(FunctionId),
    /// An input that can be any integer cannot be tried out value by value.
    UnboundedInput,
}

impl FaultKind {
    /// Whether this is a mistake of the program. Otherwise it is a limit of running programs concretely, and
    /// says nothing about the program.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        !matches!(self, Self::TooLarge | Self::Uninterpreted(_) | Self::UnboundedInput | Self::BlockTooLong)
    }

    /// A short name, used in reports and counts.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Event => "trace",
            Self::Index { .. } => "array-bounds",
            Self::DivisionByZero => "division-by-zero",
            Self::OutOfRange { .. } => "range-overflow",
            Self::NoChannel(_) => "no-channel",
            Self::MessageShape => "message-shape",
            Self::PollWithoutBuffer => "poll-without-buffer",
            Self::NoProcess(_) => "no-process",
            Self::BlockedInDeterministic => "blocked-in-d_step",
            Self::EndlessBlock => "endless-atomic",
            Self::BlockTooLong => "block-too-long",
            Self::TooManyProcesses => "too-many-processes",
            Self::Circular => "circular-guard",
            Self::Priority(_) => "priority-range",
            Self::NotDeterministic => "not-deterministic",
            Self::AmbiguousEvent => "ambiguous-trace",
            Self::TooLarge => "too-large",
            Self::Uninterpreted(_) => "uninterpreted-function",
            Self::UnboundedInput => "unbounded-input",
        }
    }
}

/// Something that went wrong, and where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// In which step; none when an expression was evaluated outside a step.
    pub step: Option<StepId>,
}

impl From<FaultKind> for Fault {
    fn from(kind: FaultKind) -> Self {
        Self { kind, step: None }
    }
}
