//! What is true of every completion of a partial structure, and what of none?
//!
//! The thorough semantics: true if all completions satisfy the formula, false if none does, unknown otherwise. Each
//! side is one question, whether some completion satisfies a formula: asked for the negation, and for the formula.
//!
//! PML, CTL, mu-calculus and CTL* by a tableau game ([`tableau`]) over the formula's terms ([`terms`]) and the
//! structure's cells ([`cells`]). LTL by a product for the side of truth and a parity game with a deterministic automaton
//! for the side of falsity ([`linear`]).
//!
//! The cheap answers come first: the compositional value, if definite; and a test that says when it cannot be
//! improved.
//!
//! Not here: fairness constraints, which completions do not inherit; constants other than true and false.

mod branching;
mod cells;
mod completion;
mod expand;
mod graph;
mod monitor;
mod tableau;
mod terms;

pub use branching::branching_completion;
pub use completion::Completion;
