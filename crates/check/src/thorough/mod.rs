//! Generalised model checking (Bruns and Godefroid 2000): what is true of every completion of a partial structure, and what of none?
//!
//! The thorough semantics: true if all completions satisfy the formula, false if none does, unknown otherwise. Each
//! side is one question, whether some completion satisfies a formula: asked for the negation, and for the formula.
//!
//! PML, CTL, mu-calculus and CTL* by a tableau game (`tableau`) over the formula's terms (`terms`) and the
//! structure's cells (`cells`). LTL by a product for the side of truth (`paths`) and a parity game with a deterministic
//! automaton for the side of falsity (`linear`); a path may also end, if that counts (`endings`).
//!
//! The cheap answers come first: the compositional value, if definite; and a test that says when it cannot be
//! improved.
//!
//! Fairness constraints become propositions first (`fairness`): a step of a completion counts as the step of the structure does that it
//! stands for.
//!
//! Not here: constants other than true and false.

mod cells;
mod completion;
pub mod completion_game;
mod conjunction;
mod decide;
mod endings;
mod estimate;
mod fairness;
mod linear;
mod outplay;
mod paths;
mod proofs;
mod search;
mod tableau;
mod terms;
mod words;

pub use completion::Completion;
pub use conjunction::search_conjunction;
pub use decide::{How, Thorough, ThoroughOutcome, decide, is_strongest, two_completions};
pub use estimate::{Estimate, estimate};
pub use fairness::MarkedStructure;
pub use proofs::{proof_by_moves, small_proof, thorough_proof};
pub use search::{Found, Method, Wanted, by_tableau, search, supported};
