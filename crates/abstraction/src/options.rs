//! How should a program be abstracted?

use tertium_program::VarId;
use tertium_smt::Limit;

/// How precise the steps between abstract states are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum AbstractionKind {
    /// Possible steps exactly; certain steps to single states.
    Boolean,
    /// Each predicate for itself: cheap, less precise.
    Cartesian,
    /// One state per step, in which predicates may be unknown: cheapest, least precise.
    Cubes,
    /// Possible steps exactly; certain steps to merged states, so that the structure is four-valued.
    Four,
    /// Possible steps exactly; certain steps to sets of states exactly.
    #[default]
    Hyper,
}

impl AbstractionKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Boolean, Self::Cartesian, Self::Cubes, Self::Four, Self::Hyper];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Cartesian => "cartesian",
            Self::Cubes => "cubes",
            Self::Four => "four",
            Self::Hyper => "hyper",
        }
    }
}

/// How to abstract.
#[derive(Clone, Debug)]
pub struct Options {
    /// How precise steps are.
    pub kind: AbstractionKind,
    /// Variables that stay concrete.
    pub keep: Vec<VarId>,
    /// Variables that channels became: they stay concrete if only concrete values come in.
    pub channels: Vec<VarId>,
    /// Whether variables with few values stay concrete too.
    pub keep_small: bool,
    /// Whether what holds at locations is found first, and part of every question.
    pub location_invariants: bool,
    /// How much one question may cost.
    pub limit: Limit,
    /// The largest number of abstract states.
    pub most_states: usize,
    /// Calls of the solver after which a structure of all of them is given up.
    pub most_calls: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            kind: AbstractionKind::Hyper,
            keep: Vec::new(),
            channels: Vec::new(),
            keep_small: true,
            location_invariants: true,
            limit: Limit::default(),
            most_states: 1_000_000,
            most_calls: u64::MAX,
        }
    }
}
