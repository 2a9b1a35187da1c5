//! What can one step do? Guards, inputs and actions.

use tertium_base::Span;

use super::{LocationId, ProcessId, StepId};
use crate::expr::{ExprId, Field, Pattern, Place};
use crate::types::{Type, VarId};

/// Which values an input may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Every value of a type.
    Type(Type),
    /// All integers from the first to the second; none if they are in the wrong order.
    Range(ExprId, ExprId),
}

/// A value that the environment, or chance, chooses for a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// A name for people.
    pub name: String,
    /// Which values.
    pub domain: Domain,
}

/// `place := value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assign {
    /// What is written.
    pub place: Place,
    /// What it gets; evaluated before anything is written.
    pub value: ExprId,
}

/// What a step does besides moving on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Simultaneous assignments; if two write one place, the last one stays. None at all is `skip`.
    Assign(Vec<Assign>),
    /// A fault if it does not hold.
    Assert(ExprId),
    /// Sends a message; blocks while the channel is full, or, without a buffer, until a receiver is ready.
    Send {
        /// The channel.
        channel: ExprId,
        /// One value per field.
        message: Vec<ExprId>,
        /// Whether the message is put in numerical order instead of last.
        sorted: bool,
    },
    /// Receives a message that matches. Fields are bound left to right, each seeing those before it.
    Receive {
        /// Which message.
        pattern: Pattern,
        /// Whether the message stays in the channel.
        keep: bool,
    },
    /// Starts an instance. Its pid is input 0 of the assignments that follow.
    Run {
        /// The code.
        process: ProcessId,
        /// The arguments.
        arguments: Vec<ExprId>,
        /// The new instance's priority.
        priority: Option<ExprId>,
        /// Done once the pid is known.
        then: Vec<Assign>,
    },
    /// Sets the priority of the process with this pid.
    SetPriority {
        /// Whose.
        pid: ExprId,
        /// The new priority.
        value: ExprId,
    },
    /// Shows a text; `%d`-like marks in the format stand for the values.
    Print {
        /// The format.
        format: String,
        /// The values.
        values: Vec<ExprId>,
    },
    /// Ends the instance and removes it; only the youngest instance can do that.
    End,
    /// Assignments while others move too: two processes meet, or one starts another. Only where the processes are fixed;
    /// no language says it, it is what meeting and starting become when processes are taken apart.
    Together {
        /// As in [`Self::Assign`].
        assigns: Vec<Assign>,
        /// Who else moves, and to where.
        moves: Vec<(ProcessId, LocationId)>,
        /// Who gets control, if not whoever steps; one of those who move. It is kept only inside a block. Nobody if somebody
        /// is started, which one of the steps at a location always can do.
        control: Option<ProcessId>,
    },
}

impl Action {
    /// Nothing.
    #[must_use]
    pub const fn skip() -> Self {
        Self::Assign(Vec::new())
    }
}

/// One thing a process can do at one of its locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Whose it is.
    pub process: ProcessId,
    /// From where.
    pub source: LocationId,
    /// To where; meaningless after [`Action::End`].
    pub target: LocationId,
    /// Of the steps at one location only those of the lowest rank that has an enabled step may be taken:
    /// an `unless` escape ranks before the body.
    pub rank: u32,
    /// It can be taken only if none of these steps can; they have the same rank and stand before it at the same
    /// location. `else` yields to the options before it, an option of an `if` at the start of a `d_step` to those before.
    pub yields_to: Vec<StepId>,
    /// Arriving by this step gives up control, whatever the location says: it jumps into the middle of a block.
    pub frees: bool,
    /// Values that are chosen when it is taken.
    pub inputs: Vec<Input>,
    /// It can be taken only if this holds; may speak of the inputs.
    pub guard: ExprId,
    /// What it does.
    pub action: Action,
    /// Where it stands.
    pub span: Span,
    /// How it reads.
    pub text: String,
}

impl Step {
    /// The variables that it writes.
    #[must_use]
    pub fn written(&self) -> Vec<VarId> {
        match &self.action {
            Action::Assign(assigns) | Action::Run { then: assigns, .. } | Action::Together { assigns, .. } => {
                assigns.iter().map(|assign| assign.place.variable()).collect()
            }
            Action::Receive { pattern, .. } => {
                let bound = |field: &Field| if let Field::Bind(place) = field { Some(place.variable()) } else { None };
                pattern.fields.iter().filter_map(bound).collect()
            }
            _ => Vec::new(),
        }
    }
}
