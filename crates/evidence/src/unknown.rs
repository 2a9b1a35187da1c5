//! What is in the way of an answer about a program, and what would help?

use tertium_base::Span;

/// Why a question stays open, and what would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What is in the way.
    pub what: String,
    /// The variable, function or statement it is about.
    pub about: Option<String>,
    /// Where that stands.
    pub span: Option<Span>,
    /// What to do about it.
    pub help: String,
}
