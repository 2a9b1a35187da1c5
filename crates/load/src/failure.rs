//! Why is there no answer?
//!
//! Mistakes of the user, limits that were reached, and faults of this program never share a variant.

use std::fmt;
use std::sync::Arc;

use tertium_base::{Diagnostic, SourceFile, Stopped};

/// A message with the text that its places point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What is to be said.
    pub diagnostic: Diagnostic,
    /// Where it points into; none if it has no place.
    pub source: Option<Arc<SourceFile>>,
}

impl Located {
    /// A message that has no place.
    #[must_use]
    pub fn nowhere(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, source: None }
    }

    /// A message about a place in `source`.
    #[must_use]
    pub fn within(diagnostic: Diagnostic, source: &Arc<SourceFile>) -> Self {
        Self { diagnostic, source: Some(Arc::clone(source)) }
    }

    /// The message as text.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        tertium_base::render::render(&self.diagnostic, self.source.as_deref(), colour)
    }
}

/// Why a command has no result.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The input is refused; at least one message is an error.
    Input(Vec<Located>),
    /// A limit was reached before anything could be said.
    Stopped(Stopped),
    /// Two parts of this program disagree; the text says on what.
    Internal(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(messages) => {
                for (at, message) in messages.iter().enumerate() {
                    let between = if at == 0 { "" } else { "\n\n" };
                    write!(f, "{between}{}", message.render(false))?;
                }
                Ok(())
            }
            Self::Stopped(stopped) => write!(f, "stopped: {stopped}"),
            Self::Internal(what) => write!(f, "a fault of tertium, not of the model: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<Located> for Failure {
    fn from(located: Located) -> Self {
        Self::Input(vec![located])
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Input(vec![Located::nowhere(diagnostic)])
    }
}
