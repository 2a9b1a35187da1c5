//! What holds of a program whatever it does, found without running it?

pub mod cell_invariants;
pub mod cone_of_influence;
pub mod constants;
pub mod copy_propagation;
pub mod intervals;
pub mod location_invariants;
mod open_starts;
pub mod partial_evaluation;
pub mod value_sets;

pub use cell_invariants::CellInvariants;
pub use constants::Constants;
pub use intervals::{Interval, Intervals};
pub use location_invariants::LocationInvariants;
pub use value_sets::ValueSets;
