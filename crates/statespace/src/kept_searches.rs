//! Which searches of a run are written down, and when may one go on?
//!
//! A search goes on with what is there if it is of the same program, as far as it was left after slicing, with the same goals, reductions and limit.

use std::path::Path;

use tertium_base::Diagnostic;
use tertium_explore::search::Observer;
use tertium_explore::search::breadth::{Explored, Listeners, Options, breadth_first_telling};
use tertium_load::failure::Failure;
pub use tertium_program::fingerprint::fingerprint;

use super::space::{Space, Stepper};

/// Visits every state; from where the search was, if searches are written down and this one is there. `what` tells it from the others of the program.
///
/// # Errors
/// If what is there is damaged.
pub(crate) fn search<O: Observer>(
    space: &Space<'_>,
    what: &str,
    (stepper, observer): (&Stepper<'_>, &O),
    initial: &[Vec<u32>],
    options: &Options<'_>,
    listeners: Listeners<'_>,
) -> Result<Explored, Failure> {
    let Some(folder) = &space.checkpoints else {
        return Ok(breadth_first_telling(stepper, observer, initial, options, listeners));
    };
    let program = fingerprint(space.program());
    let identity = format!("{program:016x} {:?} {} {what}", options.max_states, space.keeps_promises);
    let found = folder.search(&identity, (stepper, observer), initial, options, listeners);
    found.map_err(|why| refused(folder.path(), &why.to_string()))
}

/// The code of what says that something written down cannot be gone on with.
pub const UNRESUMABLE: &str = "E0387";

/// Why what is written down cannot be gone on with, for the user.
#[must_use]
pub fn refused(place: &Path, why: &str) -> Failure {
    Diagnostic::error(UNRESUMABLE, format!("cannot go on with `{}`: {why}", place.display()))
        .help("begin anew with `--checkpoint`, or name the folder, the model and the options that it was written with")
        .into()
}
