//! Does a proof prove what a model asks? The independent checker of evidence.
//!
//! *The question comes from outside* ([`Request`]): formula, logic, reading, fairness and all initial states are the model's, parsed from its own text or
//! given by the user; a certificate supplies proofs only. For structures see [`structures`], for programs [`programs`]. What a proof may prove is said
//! by one closed table (`checker::permitted`); what an abstraction rests on is written as [`obligations`], in the same act in which it is
//! drawn, and decided by a solver ([`solve`]). `docs/kernel.md` states every rule and why it is sound.
//!
//! Not here: finding proofs, and anything that engines use to find answers.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_evidence::{Certificate, Proof, Reading};
//! use tertium_kernel::check_certificate;
//! use tertium_lattice::{Belnap, TruthValue};
//! use tertium_logic::Logic;
//! use tertium_model::KmtsBuilder;
//!
//! let mut builder = KmtsBuilder::new();
//! let (state, p) = (builder.add_state("s"), builder.add_prop("p"));
//! builder.set_label(state, p, Belnap::True);
//! builder.add_edge(state, state, true, true, None);
//! let model = builder.finish().expect("it is small");
//!
//! let (formula, reading) = ("G p".to_owned(), Reading::default());
//! let proof = Certificate { formula, logic: Logic::Ltl, reading, state, value: Belnap::True, proof: Proof::NoPath };
//! assert!(check_certificate(&model, &proof, &Budget::unlimited()).is_ok());
//! // The same does not prove the opposite.
//! let opposite = Certificate { value: proof.value.not(), ..proof };
//! assert!(check_certificate(&model, &opposite, &Budget::unlimited()).is_err());
//! ```

pub mod checker;
pub mod completion_game;
pub mod finding;
mod marked_structure;
pub mod obligations;
pub mod programs;
pub mod request;
pub mod solve;
pub mod structures;
pub mod vocabulary;

pub use checker::{
    Accepted, Assumption, RankChange, RankedMove, RankedSteps, Rejection, Subject, check_certificate,
    check_certificate_of, check_open_question, check_ranked_certificate,
};
pub use finding::{Finding, Verdict};
pub use request::Request;
