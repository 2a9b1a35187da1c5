//! Proofs of definite answers, as data.
//!
//! A branching answer is proved by *claims*. A claim says that a node of the formula (as parsed, no
//! normal form) is true, or is false, at a state, and which alternative it uses. The claims are a
//! winning strategy of the verifier in the game over (state, node, polarity); a checker needs only
//! the rules of the operators and a search for bad cycles.

use tertium_lattice::Belnap;
use tertium_logic::NodeId;
use tertium_model::StateId;

use crate::Reading;

/// Which alternative a claim uses, where its operator leaves a choice.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Choice {
    /// No choice to make: a literal, a conjunction, a step along all possible edges.
    None,
    /// A disjunction holds by this operand (0 or 1); an until by its goal, a release by its releasing side
    /// (then the operand is 1 for the goal `b` of `a U b`, and 0 for the releasing `a` of `a R b`).
    Operand(u8),
    /// An existential step: some certain set of the state lies inside these members, and each has its claim.
    /// A fixpoint operator of CTL (`EU`, `ER`, …) that goes on uses it too; one that goes on along all
    /// possible edges uses [`Choice::Onward`].
    Into(Vec<StateId>),
    /// A universal fixpoint operator (`AU`, `AR`, …) goes on: all possible successors carry its claim.
    Onward,
}

/// A node of the formula is true (`positive`) or false (otherwise) at a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// Where.
    pub state: StateId,
    /// What.
    pub node: NodeId,
    /// Truth or falsity.
    pub positive: bool,
    /// How.
    pub choice: Choice,
}

/// What proves a definite answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// PML, CTL, mu-calculus: a set of claims closed under the operators' rules.
    Claims(Vec<Claim>),
    /// A linear formula is false: a path of certain steps whose label word refutes it. `stem` then
    /// `cycle` forever; `cycle` is empty if the path ends (in a deadlock, or in the open future of a prefix).
    Lasso {
        /// From the asked state to where the cycle begins, exclusive of it.
        stem: Vec<StateId>,
        /// What is repeated forever.
        cycle: Vec<StateId>,
    },
    /// A linear formula is true (or false) because no possible fair path refutes (or satisfies) it;
    /// the checker searches for such a path with its own tableau.
    NoPath,
    /// A linear formula is false: a finite-memory strategy over certain sets, all of whose plays refute it.
    Plays {
        /// Positions as (state, memory); the first is the start.
        positions: Vec<(StateId, u32)>,
        /// For each position, the positions it moves to: one for every member of a certain set.
        moves: Vec<Vec<u32>>,
    },
    /// CTL*: for each quantified node (as parsed), the states where it is claimed true and claimed false.
    Labels(Vec<(NodeId, Vec<StateId>, Vec<StateId>)>),
}

/// A definite answer with its proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// The formula's text; it parses to the nodes that the proof speaks of.
    pub formula: String,
    /// The logic it is written in.
    pub logic: tertium_logic::Logic,
    /// The semantics.
    pub reading: Reading,
    /// The state asked about.
    pub state: StateId,
    /// True or false.
    pub value: Belnap,
    /// Why.
    pub proof: Proof,
}
