//! How are certificates written down and read back?
//!
//! A document is JSON: a version and parts, each a certificate for one structure. There is one part as a
//! rule; a parameterised structure has one per instance, a lattice-valued one per cut. States are given
//! by name, so a certificate survives a renumbering of the model. `docs/certificates.md` describes the format.
//!
//! Not here: whether a proof is right (`checker`).

mod format;
mod read;
mod structure;
mod write;

pub use read::{CountedPart, Document, Part, ShownPart, SizedPart, read_document};
pub use write::{write_counted, write_document, write_invariant, write_structure};

use std::collections::BTreeMap;

use tertium_lattice::Belnap;
use tertium_logic::Logic;

use crate::abstraction::Abstraction;

/// The version of the format that this crate writes and reads.
pub const FORMAT_VERSION: u64 = 2;

/// Which structure of a family a certificate is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum CertificatePlace {
    /// The model is one structure.
    #[default]
    Whole,
    /// The instance of a parameterised structure under this assignment.
    Assignment(BTreeMap<String, bool>),
    /// The cut of a lattice-valued structure at this join-irreducible element.
    Element(String),
    /// The graph of a program, labelled with what a property speaks of.
    Property {
        /// The property, in the language of the program.
        text: String,
        /// Whether a state without successors has a loop there: what ends is taken to stay for ever.
        stutter: bool,
        /// Whether every process is treated weakly fairly, whatever the text says of it.
        fair: bool,
    },
    /// The graph of a program in which the steps that go wrong in this way lead to a state of their own.
    Mistake(String),
    /// The structure whose states say for which fairness constraints the step into them counts: completions with fairness are its completions.
    FairCompletions,
}

/// A proof over abstract states that nothing bad is ever reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvariantPart {
    /// The question: a property, or a mistake.
    pub place: CertificatePlace,
    /// The formula of the question.
    pub formula: String,
    /// Its logic.
    pub logic: Logic,
    /// True; or false of a property that asks for a run to something that is never reached.
    pub value: Belnap,
    /// The abstract states.
    pub over: Abstraction,
}
