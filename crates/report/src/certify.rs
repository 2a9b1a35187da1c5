//! What a certificate proves, in words.

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
    /// Whether everything that was asked is proved, without any assumption.
    pub accepted: bool,
    /// One entry per question that was asked.
    pub results: Vec<ResultView>,
}

/// What was found out about one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultView {
    /// The name of the question.
    pub name: String,
    /// Its formula, as the model has it.
    pub formula: String,
    /// The formula's logic.
    pub logic: &'static str,
    /// The value that is proved, or that a refused proof claims; empty if it claims none.
    pub value: String,
    /// `proved`, `assuming` or `refused`.
    pub verdict: &'static str,
    /// `strategy`, `lasso`, `run`, `invariant`, `completions` or `certificate`.
    pub proof: &'static str,
    /// What was proved in full: of which states, under which reading, over what.
    pub about: Vec<String>,
    /// How many obligations a solver decided.
    pub obligations: usize,
    /// What the proof assumes.
    pub assumptions: Vec<&'static str>,
    /// Why it was refused.
    pub reason: Option<String>,
}
