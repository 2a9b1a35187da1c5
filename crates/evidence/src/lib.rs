//! Why should anyone believe an answer?
//!
//! The semantics an answer was given under ([`Reading`]), what proves it ([`Certificate`]), what
//! leaves it open ([`Reason`]), certificate files ([`Document`]), and the check of a proof
//! ([`check_certificate`]). Engines make these values; nothing here is used to find an answer.
//! What the moves are that a proof about all completions speaks of is said once, in [`contest`].
//!
//! Not here: finding proofs (`check`) and showing them (`report`).

pub mod abstraction;
mod certificate;
mod checker;
pub mod contest;
pub mod document;
mod fingerprint;
mod reading;
mod reason;

pub use certificate::{Certificate, Choice, Claim, CompletionProof, Proof, Refuted, Stand, Watch};
pub use checker::{Accepted, Caveat, Rejection, check_certificate, check_certificate_with, check_open_question};
pub use document::{
    CountedPart, Document, InvariantPart, Part, Place, ShownPart, SizedPart, read_document, write_counted,
    write_document, write_invariant, write_structure,
};
pub use fingerprint::Fingerprint;
pub use reading::{Deadlock, LinearReading, Reading};
pub use reason::{OpenQuestion, PlayStep, Reason, StepDirection};
