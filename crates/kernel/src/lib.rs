//! Does a proof prove what a model asks? The independent checker of evidence.
//!
//! *The question comes from outside* ([`Request`]): formula, logic, reading, fairness and all initial states are the model's, parsed from its own text or
//! given by the user; a certificate supplies proofs only. For structures see [`structures`], for programs [`programs`]. What a proof may prove is said
//! by one closed table (`checker::permitted`); what an abstraction rests on is written as [`obligations`], in the same act in which it is
//! drawn, and decided by a solver ([`solve`]). `docs/kernel.md` states every rule and why it is sound.
//!
//! Not here: finding proofs, and anything that engines use to find answers.

pub mod checker;
mod completion_game;
pub mod finding;
pub mod obligations;
pub mod programs;
pub mod request;
pub mod solve;
pub mod structures;
pub mod vocabulary;

pub use checker::{
    Accepted, Assumption, Rejection, Subject, check_certificate, check_certificate_of, check_open_question,
};
pub use finding::{Finding, Verdict};
pub use request::Request;
