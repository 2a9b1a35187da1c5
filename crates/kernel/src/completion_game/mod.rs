//! The completion game, as the checker needs it: what must be answered before it is believed that nobody can complete a structure so?
//!
//! A *stand* is a set of states that one concrete state refines together, and the terms ([`Terms`]) that it has to meet. The builder of a
//! completion makes a choice that meets them ([`TermChoice`]); the refuter picks something to follow up, a certain step or one that a term
//! asks for ([`Demand`]); the builder picks where it leads ([`DemandOutcome`]). A play that never ends is lost for the builder if it has a
//! *thread*, a term and the terms that it led to, on which the greatest priority that is met again and again is odd: something was put off
//! for ever. Generalised model checking: Bruns and Godefroid 2000.
//!
//! The certificate has the refuter's strategy; here stand only the builder's possibilities, each by its definition: all choices, of which
//! the least count; all sets of successors, of which the least count; one step of a path formula as its disjunctive normal form. Numbers and orders are those of
//! `docs/certificates.md`. The engine that searches for strategies has the same game as code of its own, and
//! `crates/check/tests/completion_game.rs` compares the two.

mod choices;
mod moves;
mod path_automaton;
mod priorities;
mod terms;

pub use choices::TermChoice;
pub use moves::{CompletionGame, Demand, DemandOutcome};
pub use terms::{Term, TermId, Terms};
