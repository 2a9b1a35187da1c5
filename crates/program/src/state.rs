//! One state of a running program, and one way to leave it.

use crate::fault::Fault;
use crate::graph::StepId;

/// A state: the slots of [`crate::layout`], and who holds exclusive control.
///
/// Between the steps that others can see nobody holds control, so `slots` alone is the state there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The values.
    pub slots: Vec<i64>,
    /// The pid of the process inside an uninterruptible block, if one is.
    pub holder: Option<u32>,
}

impl State {
    /// A state in which nobody holds control.
    #[must_use]
    pub const fn visible(slots: Vec<i64>) -> Self {
        Self { slots, holder: None }
    }
}

/// One step of one process with its inputs, together with the receiver's step if two processes meet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Who steps.
    pub pid: u32,
    /// What is done.
    pub step: StepId,
    /// The values chosen for the step's inputs. Empty although the step has inputs: they are unbounded, and
    /// executing the move says so.
    pub inputs: Vec<i64>,
    /// Who receives, and with which step, if the step sends on a channel without a buffer.
    pub partner: Option<(u32, StepId)>,
}

/// What comes of a move.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The state after it.
    Next(State),
    /// Something goes wrong. `next` is the state if one goes on regardless, which only a failed assertion allows.
    Fault {
        /// What.
        fault: Fault,
        /// How it would go on.
        next: Option<State>,
    },
}

impl Outcome {
    /// The next state, if nothing went wrong.
    #[must_use]
    pub const fn state(&self) -> Option<&State> {
        match self {
            Self::Next(state) => Some(state),
            Self::Fault { .. } => None,
        }
    }
}

/// One step as others see it: uninterruptible blocks as a whole.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Successor {
    /// The moves it consists of; one, unless it passes through an uninterruptible block.
    pub moves: Vec<Move>,
    /// What comes of the last one; nobody holds control in the state.
    pub outcome: Outcome,
}
