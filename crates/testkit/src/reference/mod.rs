//! Evaluators that are nothing but the definitions, to compare engines with.
//!
//! [`branching_values`] computes the two sets (truth evidence, not refuted) of PML, CTL and mu-calculus
//! formulas clause by clause, with naive fixpoint iteration. [`linear_values`] and [`star_values`] decide
//! linear and CTL* formulas by looking at all guesses of what holds where; [`linear_bounds`] looks at all
//! short lassos, and what it says is one-sided, see there. [`refinement_relation`] is the completeness
//! preorder by deleting pairs until nothing changes.

mod branching;
mod linear;
mod paths;
mod preorder;

pub use branching::{Deadlocks, branching_values};
pub use linear::{Lasso, LinearBounds, Steps, lassos, linear_bounds, value_on_lasso};
pub use paths::{LinearReading, REFERENCE_LIMIT, linear_values, star_values};
pub use preorder::refinement_relation;
