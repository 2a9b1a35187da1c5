//! Why should anyone believe an answer?
//!
//! The semantics an answer was given under ([`Reading`]), what proves it ([`Certificate`]), what leaves it open ([`Reason`]), all of it about one property
//! ([`Verdict`]), and
//! certificate files ([`Document`]) and stored runs ([`itf`]), as data. Engines make these values, `kernel` checks them; nothing here decides anything.
//!
//! ```
//! use tertium_evidence::{Certificate, CertificatePlace, Proof, Reading, read_document, write_document};
//! use tertium_lattice::Belnap;
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
//! let certificate = Certificate { formula, logic: Logic::Ltl, reading, state, value: Belnap::True, proof: Proof::NoPath };
//! let mut text = Vec::new();
//! write_document(&mut text, &[(CertificatePlace::Whole, &model, &certificate)]).expect("memory is enough");
//! let text = String::from_utf8(text).expect("it is text");
//! let document = read_document(&text).expect("it was written just now");
//! assert_eq!(document.parts[0].certificate_for(&model, &text).expect("it is about this structure"), certificate);
//! ```

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
    CertificatePlace, CountedPart, Document, InvariantPart, Part, ShownPart, SizedPart, read_document, write_counted,
    write_document, write_invariant, write_structure,
};
pub use fingerprint::Fingerprint;
pub use provenance::{Provenance, Technique};
pub use reading::{Deadlock, LinearReading, Reading};
pub use reason::{OpenQuestion, PlayStep, Reason, StepDirection};
pub use verdict::Verdict;
