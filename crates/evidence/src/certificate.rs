//! Proofs of definite answers, as data.
//!
//! A branching answer is proved by *claims*. A claim says that a node of the formula (as parsed, no
//! normal form) is true, or is false, at a state, and which alternative it uses. The claims are a
//! winning strategy of the verifier in the game over (state, node, polarity); a checker needs only
//! the rules of the operators and a search for bad cycles.
//!
//! **Which formula.** Nodes are those of the formula's text as parsed. One exception: a formula of
//! `ctl` on a structure with fairness constraints is first rewritten to the mu-calculus
//! (`tertium_logic::fair_ctl`), and the nodes are those of the rewritten formula.
//!
//! **The rules.** `true` of `!a` needs `a` false, and so on: a claim of falsity uses the rule of the
//! dual operator. So only these are listed, each with the claims it needs:
//!
//! | claim | choice | needs |
//! |---|---|---|
//! | constant, label | `None` | the evidence is in the constant or the label |
//! | `!a` | `None` | `a` with the other polarity |
//! | `a & b` | `None` | both |
//! | `a \| b`, also `a -> b` read as `!a \| b` | `Operand(0)` or `Operand(1)` | that operand |
//! | `a <-> b` true, `a xor b` false | `Operand(0)` / `Operand(1)` | both true / both false |
//! | `a <-> b` false, `a xor b` true | `Operand(0)` / `Operand(1)` | `a` true, `b` false / the other way round |
//! | the same, mixed structures | `Operand(2)` / `Operand(3)` | `a` / `b` both true and false |
//! | `EX a`, `<act> a` | `Into(m)` | a certain set inside `m`; `a` at each of `m` |
//! | `AX a`, `[act] a` | `None` | `a` at every possible successor |
//! | `mu`, `nu` | `None` | the body, at the same state |
//! | a variable | `None` | its fixpoint, at the same state |
//! | `Q[a U b]` | `Operand(1)` | `b` |
//! | | a step | `a`, and the step |
//! | `Q[a R b]` | `Operand(0)` | `a` and `b` |
//! | | a step | `b`, and the step |
//! | `Q[a W b]` | `Operand(1)` | `b` |
//! | | a step | `a`, and the step |
//! | `Q[a M b]` | `Operand(0)` | `a` and `b` |
//! | | a step | `b`, and the step |
//! | `QF a` | `Operand(0)` | `a` |
//! | | a step | the step |
//! | `QG a` | a step | `a`, and the step |
//!
//! The step of an existential operator is `Into(m)` (the same claim at each of `m`), that of a
//! universal one is `Onward` (the same claim at every possible successor). Over abstract states of a program with ranking functions `Along(n)` stands wherever `Into(m)` may: its members are those of the
//! certain set number `n` that carries rank conditions. Under
//! [`crate::Deadlock::Maximal`] the existential operators that go on forever (`EG`, `ER`, `EW`; false:
//! `AF`, `AU`, `AM`) may also use `Onward`, since a path that ends is as good; and the universal ones that
//! must arrive (`AF`, `AU`, `AM`; false: `EG`, `ER`, `EW`) may use `Onward` only where something is certain.
//!
//! Dual operators: `E`/`A`, `U`/`R`, `W`/`M`, `F`/`G`, `<>`/`[]`, `mu`/`nu`; operands keep their
//! numbers, except that false `a -> b` needs `a` true and `b` false.

use tertium_lattice::Belnap;
use tertium_logic::NodeId;
use tertium_model::{Kmts, StateId};

use crate::Reading;

/// Which alternative a claim uses, where its operator leaves a choice. The module's table says which fits where.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Choice {
    /// No choice to make: a literal, a conjunction, a step along all possible edges.
    None,
    /// A disjunction holds by this operand, counted from 0; an until by its goal, a release by its releasing side.
    Operand(u8),
    /// An existential step: some certain set of the state lies inside these members, and each has its claim.
    Into(Vec<StateId>),
    /// A fixpoint operator of CTL goes on along all possible edges: all possible successors carry its claim.
    Onward,
    /// An existential step along the certain set of this number among those with rank conditions: each member has its claim.
    Along(u32),
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
    /// A linear formula is false: a path of certain steps (of possible ones for the readings `tg` and `tg-pnf`)
    /// whose label word refutes it. `stem` then `cycle` forever; `cycle` is empty if the path ends: in a
    /// deadlock that stutters, or in the open future of a prefix that no continuation can repair.
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
    /// Under [`crate::Deadlock::Maximal`] a position without moves stands for a play that stutters in a deadlock; at
    /// a state where nothing is certain the moves cover all possible successors, and ending there is a play, too.
    Plays {
        /// Positions as (state, memory); the first is the start.
        positions: Vec<(StateId, u32)>,
        /// For each position, the positions it moves to: at least one for every member of some certain set.
        moves: Vec<Vec<u32>>,
    },
    /// CTL*: for each quantified node (as parsed), the states where it is claimed true and claimed false.
    Labels(Vec<(NodeId, Vec<StateId>, Vec<StateId>)>),
    /// A linear formula is true of every completion: no possible path refutes it, however open labels are settled.
    NoWord,
    /// A linear formula is false of every completion: whatever labels it settles and whichever steps it takes to meet
    /// what is certain, a path that the moves follow refutes the formula.
    Settled {
        /// Positions as (state, memory); the first is the start.
        positions: Vec<(StateId, u32)>,
        /// For each position and each way to settle its open labels, the positions it moves to: all members of some
        /// certain set. The open labels are those of the formula's atoms, in the formula's order; way `i` makes the
        /// atom with number `b` true if bit `b` of `i` is set.
        moves: Vec<Vec<Vec<u32>>>,
    },
    /// PML, CTL, mu-calculus: every completion agrees, since none can meet the contrary. See [`Refuted`].
    Refuted(Vec<Refuted>),
    /// Any logic, any structure: no completion can meet the contrary, since these moves beat whoever tries to build one. The first
    /// stand is the asked state with the contrary of the answer. See [`Stand`].
    Outplayed(Vec<Stand>),
    /// Completions disagree: one satisfies the formula, one violates it. The value is unknown, whatever else is known.
    Completions(Box<[CompletionProof; 2]>),
}

/// No concrete state that refines `state` makes all the `terms` true.
///
/// Shown by these steps: in every way to settle disjunctions and open labels there is something to follow up, a certain set
/// or a step that a term asks for, and wherever it leads, what the target has to meet contains the terms of another
/// such claim: one of smaller rank, or one of the same rank that watches only terms to which watched terms led. Watched
/// terms are least fixpoints, which may not be put off forever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refuted {
    /// What is refined.
    pub state: StateId,
    /// Nodes with their truth; not all of them can be so.
    pub terms: Vec<(NodeId, bool)>,
    /// Those of the terms that are put off.
    pub watched: Vec<(NodeId, bool)>,
    /// Claims rest on claims of smaller rank, or go on watching.
    pub rank: u32,
}

/// A position of the completion game (`tertium_kernel`): who refines all the `states` cannot meet all the `terms`.
///
/// Every way to meet them has a move, and each of its outcomes a stand that is beaten. A play of such moves that never ends has
/// a thread that puts something off for ever: that is what is watched for. A watch is kept from one stand to the next if its
/// threads come from threads of the same watch, and is *good* if all of them have met the priority that they are said to meet
/// since it was last good. On every play that never ends some watch is kept for ever and is good again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stand {
    /// What is refined.
    pub states: Vec<StateId>,
    /// What cannot be met, as terms of the formula.
    pub terms: Vec<u32>,
    /// What is watched here.
    pub watched: Vec<Watch>,
    /// For each way to meet the terms what is followed up, and the stand for each of its outcomes.
    pub moves: Vec<(u32, Vec<u32>)>,
}

/// A set of threads. A thread is a term and an odd priority: from here on it meets this one and no greater one; or 0 if
/// nothing is said about it yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    /// Tells watches of one stand apart; the same name at the next stand goes on with it.
    pub name: u32,
    /// The threads.
    pub threads: Vec<(u32, u32)>,
    /// Those that have met their priority since the watch was last good.
    pub met: Vec<(u32, u32)>,
}

/// A complete structure that refines the model, and the proof of the formula's value there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompletionProof {
    /// The structure; it has one initial state.
    pub structure: Kmts,
    /// For each of its states the states of the model that it refines.
    pub refines: Vec<Vec<StateId>>,
    /// Why the formula is true (or false) at its initial state.
    pub proof: Proof,
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
    /// True or false; unknown for a proof by completions.
    pub value: Belnap,
    /// Why.
    pub proof: Proof,
}
