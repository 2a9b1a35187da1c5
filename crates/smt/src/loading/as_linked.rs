//! The library that the program was linked with.

use super::{Library, fitting};
use crate::solver::SolverError;

pub(super) fn load() -> Result<Library, SolverError> {
    fitting("libz3".into(), z3::full_version())
}
