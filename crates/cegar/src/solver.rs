//! Is there a solver for abstraction?

use tertium_base::Diagnostic;
use tertium_smt::{SolverError, Z3, loading};

use crate::answer::Reason;

/// A solver without assertions.
///
/// # Errors
/// A message that says what is missing.
pub fn z3() -> Result<Z3, Box<Diagnostic>> {
    Z3::new().map_err(|error| Box::new(described(&error)))
}

/// Why abstraction cannot be tried, if there is no solver.
#[must_use]
pub fn missing() -> Option<Reason> {
    let message = described(&loading::load().err()?);
    let what = format!("abstraction was not tried: {} ({})", message.message, message.code);
    Some(Reason { what, about: None, span: None, help: message.helps.join("; ") })
}

fn described(error: &SolverError) -> Diagnostic {
    error.diagnostic(match error {
        SolverError::Missing(_) => "E0332",
        _ => "E0327",
    })
}
