//! Which truth values can an answer have, and how do they combine?
//!
//! The two-valued, Kleene's three-valued and Belnap's four-valued domain under one trait
//! ([`TruthValue`]), and any finite De Morgan lattice that a user writes down ([`DeMorganLattice`]),
//! with the cuts that reduce its values to Booleans. [`laws`] states what all of them obey.
//!
//! Not here: anything that knows models or formulas.
//!
//! ```
//! use tertium_lattice::{Belnap, Kleene, TruthValue};
//!
//! // What is not known may turn out false, but something false settles a conjunction.
//! assert_eq!(Kleene::Unknown.and(Kleene::True), Kleene::Unknown);
//! assert_eq!(Kleene::Unknown.and(Kleene::False), Kleene::False);
//! // Evidence for both sides is a value, too.
//! assert_eq!(Belnap::from_evidence(true, true), Belnap::Both);
//! ```

mod belnap;
mod build;
mod built_in;
mod de_morgan;
mod error;
mod kleene;
pub mod laws;
mod rows;
mod truth;

pub use belnap::Belnap;
pub use de_morgan::{DeMorganLattice, Element};
pub use error::LatticeError;
pub use kleene::Kleene;
pub use truth::TruthValue;
