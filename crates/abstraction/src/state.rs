//! An abstract state: what is known exactly, and which predicates hold.

use tertium_lattice::Kleene;
use tertium_program::LocationId;

/// A set of program states: those with these locations and kept values in which the predicates have these values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AbstractState {
    /// Where each process is.
    pub locations: Vec<LocationId>,
    /// The values of the kept cells.
    pub kept: Vec<i128>,
    /// One value per predicate; unknown means either.
    pub cube: Vec<Kleene>,
    /// Whether nothing can happen any more. Such states exist only where runs that end are prolonged.
    pub stopped: bool,
}

impl AbstractState {
    /// Whether every predicate has a value.
    #[must_use]
    pub fn is_definite(&self) -> bool {
        !self.cube.contains(&Kleene::Unknown)
    }
}

/// A truth value as a predicate's value.
#[must_use]
pub const fn definite(value: bool) -> Kleene {
    if value { Kleene::True } else { Kleene::False }
}
