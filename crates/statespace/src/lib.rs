//! What can be said about a program by its states?
//!
//! [`check`](mod@check) answers: one search for everything that a single state breaks ([`safety`]), a search for accepting cycles
//! for each other linear property ([`linear`]), and the collected graph for branching ones ([`branching`]). Promela models are asked
//! more: `never` claims, acceptance and progress ([`claims`]). [`bitstate`] answers with a store that keeps little,
//! [`symbolic`] decides finite programs over sets of states instead of visiting them. Whatever is false comes with a run,
//! repeated by the definition of a step.
//!
//! [`space`] is a program made ready for searching, [`reduced_program`] leaves out what a question does not need, [`coverage`] tells
//! what no run ever does, [`run_evidence`] whether a run shows what it is said to show, [`kept_searches`] which searches are written down and gone on with, [`on_disk`] what becomes of more states than memory holds.
//!
//! Not here: which engine is tried when (the strategy of `driver`), and abstraction (`cegar`).
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_lattice::Belnap;
//! use tertium_load::program::from_text;
//! use tertium_load::questions::questions;
//! use tertium_statespace::{CheckOptions, check};
//!
//! let text = "system s var x : 0..3 = 0 process P { loop { if x < 3 { x := x + 1; } else { x := 0; } } }\n\
//!             property comes_back: ltl G F x = 0";
//! let file = from_text("s.gcl", text.to_owned(), &[], None).expect("no mistakes");
//! let asked = questions(&file, &[], false).expect("all names are known");
//! let outcome = check(&file, &asked, &CheckOptions::default(), &Budget::unlimited(), &()).expect("it can be run");
//! assert!(outcome.answers.iter().all(|answer| answer.value() == Belnap::True));
//! ```

mod atom_values;
pub mod bitstate;
pub mod branching;
pub mod check;
pub mod claims;
pub mod coverage;
pub mod games;
#[cfg(test)]
mod games_tests;
mod goal_observer;
mod grace;
mod graph_parts;
pub mod kept_searches;
pub mod linear;
mod notes;
pub mod on_disk;
pub mod outside;
pub mod reduced_program;
pub mod run_evidence;
pub mod safety;
pub mod space;
pub mod symbolic;

pub use check::{CheckOptions, check};
