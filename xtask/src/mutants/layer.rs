//! Which line of defence noticed a mutant? Told from what the failing test wrote.

use serde::{Deserialize, Serialize};

/// Who noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Layer {
    /// The kernel refused the certificate of an answer.
    Certificate,
    /// A run that was found could not be repeated by the definition of a step.
    Replay,
    /// A comparison of answers, or an assertion.
    Test,
    /// It did not end in time.
    Time,
    /// It used too much memory.
    Memory,
}

impl Layer {
    pub fn name(self) -> &'static str {
        match self {
            Layer::Certificate => "certificate",
            Layer::Replay => "replay",
            Layer::Test => "test",
            Layer::Time => "time",
            Layer::Memory => "memory",
        }
    }
}

/// Words of failures that mean: the kernel refuses what an engine gave as proof.
const REFUSED: [&str; 6] = [
    "the kernel refuses",
    "the certificate is refused",
    "is refused:",
    "rejected:",
    // Obligations of a certificate that an engine's answer rests on.
    "this does not hold:",
    "proves it only together with more",
];

/// Words of failures that mean: a run is none.
const NOT_REPEATED: [&str; 4] =
    ["cannot be repeated", "could not be repeated", "is not a step", "a run that was found is not accepted"];

/// By the words of the first panic.
pub fn layer(text: &str) -> Layer {
    let panic = text.find("panicked at").map_or(text, |at| &text[at..]);
    if NOT_REPEATED.iter().any(|words| panic.contains(words)) {
        Layer::Replay
    } else if REFUSED.iter().any(|words| panic.contains(words)) || refused_certificate(panic) {
        Layer::Certificate
    } else {
        Layer::Test
    }
}

/// Tests about certificates of answers compare the reason of a refusal with none.
fn refused_certificate(panic: &str) -> bool {
    let place = panic.lines().next().unwrap_or_default();
    let about_certificates = ["certificates.rs", "proof_obligations.rs", "proofs.rs", "witness.rs"];
    about_certificates.iter().any(|file| place.contains(file))
        && (panic.contains("right: None") && panic.contains("left: Some") || panic.contains("Certificate {"))
        && !panic.contains("accepted, but")
}
