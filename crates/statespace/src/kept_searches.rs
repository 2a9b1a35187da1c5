//! Which searches of a run are written down, and when may one go on?
//!
//! A search goes on with what is there if it is of the same program, as far as it was left after slicing, with the same goals, reductions and limit.

use std::hash::{DefaultHasher, Hash, Hasher};

use tertium_base::Diagnostic;
use tertium_explore::search::Observer;
use tertium_explore::search::breadth::{Explored, Listeners, Options, breadth_first_telling};
use tertium_explore::search::checkpoint::CheckpointFailure;
use tertium_load::failure::Failure;
use tertium_program::Program;
use tertium_program::expr::Exprs;

use super::space::{Space, Stepper};

/// Tells one program from another: processes that have read different ones do not search together.
#[must_use]
pub fn fingerprint(program: &Program) -> u64 {
    let mut hasher = DefaultHasher::new();
    expression_table(program).hash(&mut hasher);
    let rest = Program { exprs: Exprs::default(), ..program.clone() };
    format!("{rest:?}").hash(&mut hasher);
    hasher.finish()
}

/// The table of expressions, written without its two indices, which repeat what the lists say in an order that differs from run to run. There are no names
/// in a table, so nothing else is written like an index.
fn expression_table(program: &Program) -> String {
    let mut text = format!("{:?}", program.exprs);
    for (index, next) in [(", known: {", ", lists: ["), (", known_lists: {", ", patterns: [")] {
        if let (Some(from), Some(to)) = (text.find(index), text.find(next))
            && from < to
        {
            text.replace_range(from..to, "");
        }
    }
    text
}

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
    found.map_err(|why| refused(folder.path(), &why))
}

fn refused(folder: &std::path::Path, why: &CheckpointFailure) -> Failure {
    Diagnostic::error("E0387", format!("cannot go on with what is in `{}`: {why}", folder.display()))
        .help("begin anew with `--checkpoint`")
        .into()
}
