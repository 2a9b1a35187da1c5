//! What does a property say?
//!
//! Formulas of PML, CTL, CTL*, LTL and the modal mu-calculus as hash-consed graphs ([`Formula`]).
//!
//! Not here: evaluating anything.

mod formula;

pub use formula::{ActionId, Atom, AtomId, ElementId, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};
