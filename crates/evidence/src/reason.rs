//! What leaves an answer open.

use tertium_logic::NodeId;
use tertium_model::{PropId, StateId};

/// Whether an open step was wanted to exist or feared to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StepDirection {
    /// An existential operator needs the step.
    Exists,
    /// A universal operator would be broken by the step.
    Forall,
}

/// One element of the model that is not decided and matters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// The label is unknown.
    Label {
        /// Where.
        state: StateId,
        /// Which.
        prop: PropId,
    },
    /// The step is possible but not certain.
    Edge {
        /// From here.
        from: StateId,
        /// To there.
        to: StateId,
        /// Why it matters.
        direction: StepDirection,
    },
    /// Some step into the set is certain, but not which.
    Hyper {
        /// From here.
        from: StateId,
        /// Into these.
        members: Vec<StateId>,
        /// Why it matters.
        direction: StepDirection,
    },
}

/// One position of a play: at this state the question was this sub-formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayStep {
    /// The state.
    pub state: StateId,
    /// The node of the checked formula.
    pub node: NodeId,
    /// Whether the question is if the node is true (or, under a negation, if it is false).
    pub positive: bool,
}

/// The certificate of an unknown: a play that nobody can decide, and the elements it stops at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OpenQuestion {
    /// The play from the asked state to the first open element; for a linear formula, the open path.
    pub play: Vec<PlayStep>,
    /// For a linear formula: where the path loops back to, as an index into `play`.
    pub loop_start: Option<usize>,
    /// The open elements, the one the play stops at first.
    pub reasons: Vec<Reason>,
}
