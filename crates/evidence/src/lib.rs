//! Why should anyone believe an answer?
//!
//! The semantics an answer was given under ([`Reading`]), what proves it ([`Certificate`]), and what
//! leaves it open ([`Reason`]). Engines make these values; nothing here is shared with an engine.
//!
//! Not here: finding proofs (`check`) and showing them (`report`).

mod certificate;
mod reading;
mod reason;

pub use certificate::{Certificate, Choice, Claim, Proof};
pub use reading::{Deadlock, LinearReading, Reading};
pub use reason::{OpenQuestion, PlayStep, Reason, StepDirection};
