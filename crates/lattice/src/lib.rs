//! Which truth values can an answer have, and how do they combine?
//!
//! The two-valued, Kleene's three-valued and Belnap's four-valued domain under one trait
//! ([`TruthValue`]).
//!
//! Not here: anything that knows models or formulas.

mod belnap;
mod kleene;
mod truth;

pub use belnap::Belnap;
pub use kleene::Kleene;
pub use truth::TruthValue;
