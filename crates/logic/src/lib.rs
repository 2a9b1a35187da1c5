//! What can be said about a system, how is it written, and into which forms can it be brought?
//!
//! Formulas of PML, CTL, CTL*, LTL and the modal mu-calculus: the node table ([`formula`]), text to formula
//! and back ([`syntax`]).
//!
//! Not here: models, and evaluating anything on them.

pub mod formula;
pub mod syntax;
#[cfg(test)]
mod testing;

pub use formula::{ActionId, Atom, AtomId, ElementId, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};
pub use syntax::parse::{ParseOptions, Parsed, parse};
