//! Why should anyone believe an answer?
//!
//! The semantics an answer was given under ([`Reading`]), what proves it ([`Certificate`]), what leaves it open ([`Reason`]), all of it about one property
//! ([`Verdict`]), and
//! certificate files ([`Document`]) and stored runs ([`itf`]), as data. Engines make these values, `kernel` checks them; nothing here decides anything.

pub mod abstraction;
mod certificate;
pub mod document;
mod fingerprint;
pub mod itf;
pub mod observer;
pub mod provenance;
mod reading;
mod reason;
pub mod unknown;
mod verdict;

pub use certificate::{Certificate, Choice, Claim, CompletionProof, Proof, Refuted, Stand, Watch};
pub use document::{
    CountedPart, Document, InvariantPart, Part, Place, ShownPart, SizedPart, read_document, write_counted,
    write_document, write_invariant, write_structure,
};
pub use fingerprint::Fingerprint;
pub use provenance::{Provenance, Technique};
pub use reading::{Deadlock, LinearReading, Reading};
pub use reason::{OpenQuestion, PlayStep, Reason, StepDirection};
pub use verdict::Verdict;
