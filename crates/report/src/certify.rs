//! Whether a certificate was accepted, in words.

use serde::Serialize;

use crate::view::Tool;

/// Everything that one `certify` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CertifyReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The model's file.
    pub file: String,
    /// The certificate's file.
    pub certificate: String,
    /// Whether every part is accepted.
    pub accepted: bool,
    /// One entry per structure and state that the certificate speaks of.
    pub parts: Vec<PartView>,
}

/// One proof of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartView {
    /// Whether the proof holds.
    pub accepted: bool,
    /// The formula it speaks of.
    pub formula: String,
    /// The formula's logic.
    pub logic: &'static str,
    /// The state it speaks of.
    pub state: String,
    /// The value it proves.
    pub value: String,
    /// `strategy`, `lasso`, `run` or `certificate`.
    pub proof: &'static str,
    /// For a parameterised or lattice-valued model: which instance or cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What a reader of an accepted proof should know.
    pub caveats: Vec<&'static str>,
    /// Why it was rejected.
    pub reason: Option<String>,
}
