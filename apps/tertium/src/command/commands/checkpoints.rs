//! What is written down of the searches of a run, and gone on with.

use std::path::{Path, PathBuf};
use std::time;

use tertium_base::Diagnostic;
use tertium_driver::Failure;
use tertium_driver::program::ProgramFile;
use tertium_driver::program::checkpoints::{CheckpointFolder, RunIdentity, folder_of_run};

use crate::command::args::{CheckArgs, EngineName, StoreName};
use crate::command::units::Duration;

/// How often a search is written down, if nobody says it.
const EVERY: time::Duration = time::Duration::from_secs(60);

/// The folder and how often, as in `states:5m`.
pub fn place(said: &str) -> (PathBuf, time::Duration) {
    let parsed = said.rsplit_once(':').and_then(|(folder, every)| Some((folder, every.parse::<Duration>().ok()?)));
    let (folder, every) = parsed.map_or((said, EVERY), |(folder, every)| (folder, every.0));
    (Path::new(folder).to_owned(), every)
}

/// The folder for the searches of a check, if one is wanted.
pub fn of_check(args: &CheckArgs, file: &ProgramFile) -> Result<Option<CheckpointFolder>, Failure> {
    let Some(said) = args.checkpoint.as_ref().or(args.resume.as_ref()) else { return Ok(None) };
    let is_exact = args.store.is_none_or(|store| store == StoreName::Exact);
    if args.engine != EngineName::Explicit || !is_exact {
        return Err(Diagnostic::error(
            "E0385",
            "only searches of states one by one that keep every state are written down",
        )
        .help("add `--engine explicit` and leave out `--store`, or leave out the checkpoints")
        .into());
    }
    let (folder, every) = place(said);
    folder_of_run(&folder, every, (&identity(args, file), args.resume.is_some())).map(Some)
}

/// What must be the same for a run to go on: limits on time and memory, threads and the form of the output may differ.
fn identity(args: &CheckArgs, file: &ProgramFile) -> RunIdentity {
    let texts: Vec<String> = file.texts().into_iter().map(|(_, text)| text).collect();
    let asked = (&args.properties, &args.only, args.logic.map(|logic| logic.0), args.progress, args.fair);
    let read = (args.ltl.map(|name| name.0), args.deadlock.map(|name| name.0), args.no_reduction, args.max_states);
    RunIdentity {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        model: format!("{texts:?} {:?}", args.text.defines),
        options: format!("{asked:?} {read:?} {:?}", args.module),
    }
}
