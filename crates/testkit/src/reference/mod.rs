//! Evaluators that are nothing but the definitions, to compare engines with.
//!
//! [`branching_values`] computes the two sets (truth evidence, not refuted) of PML, CTL and mu-calculus
//! formulas clause by clause, with naive fixpoint iteration. [`linear_bounds`] looks at all short
//! lassos; what it says is one-sided, see there.

mod branching;
mod linear;

pub use branching::{Deadlocks, branching_values};
pub use linear::{Lasso, LinearBounds, Steps, lassos, linear_bounds, value_on_lasso};
