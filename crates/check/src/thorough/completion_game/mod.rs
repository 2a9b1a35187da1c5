//! The completion game: which moves does someone have who builds a completion, and which has someone who shows that there is none?
//!
//! The completion game behind proofs of the thorough semantics. A *stand* is a set of states that one concrete state refines
//! together, and the terms ([`Terms`]) that it has to meet. The builder picks a way to meet them ([`TermChoice`]); the other picks
//! something to follow up, a certain step or one that a term asks for ([`Demand`]); the builder picks where it leads
//! ([`DemandOutcome`]). A play that never ends is lost for the builder if it has a *thread*, a term and the terms that it
//! led to, on which the greatest priority that is met again and again is odd: something was put off for ever.
//!
//! Everything is in the fixed order that `docs/certificates.md` gives, so that a proof can speak of "the second way". `kernel` has
//! this game, too, written anew from its definitions (`tests/completion_game.rs` compares the two); here it serves to find proofs and to write them
//! down, and is no part of how answers are found.

mod paths;
mod steps;
mod terms;
mod ways;

pub use steps::{CompletionGame, Demand, DemandOutcome};
pub use terms::{Term, TermId, Terms};
pub use ways::TermChoice;
