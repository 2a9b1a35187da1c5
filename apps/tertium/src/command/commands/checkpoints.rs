//! What is written down of the searches of a run, and gone on with.

use std::path::{Path, PathBuf};
use std::time;

use tertium_base::Diagnostic;
use tertium_driver::Failure;
use tertium_driver::program::ProgramFile;
use tertium_driver::program::checkpoints::{CheckpointFolder, RunIdentity, folder_of_run};

use crate::command::args::{CheckArgs, DeviceName, EngineName, StoreName};
use crate::command::units::Duration;

/// How often a search is written down, if nobody says it.
const EVERY: time::Duration = time::Duration::from_secs(60);

/// The folder and how often, as in `states:5m`.
pub fn place(said: &str) -> (PathBuf, time::Duration) {
    let parsed = said.rsplit_once(':').and_then(|(folder, every)| Some((folder, every.parse::<Duration>().ok()?)));
    let (folder, every) = parsed.map_or((said, EVERY), |(folder, every)| (folder, every.0));
    (Path::new(folder).to_owned(), every)
}

/// The folder of a check, if one is wanted.
pub fn of_check(args: &CheckArgs, file: &ProgramFile) -> Result<Option<CheckpointFolder>, Failure> {
    if args.disk.is_some() {
        must_be_plain(args, ("E0385", "states on disk", "--disk"))?;
    } else if args.device == DeviceName::Gpu {
        must_be_plain(args, ("E0330", "on a graphics processor states", "--device"))?;
    }
    let Some(said) = args.checkpoint.as_ref().or(args.resume.as_ref()) else { return Ok(None) };
    if args.store.is_some_and(|store| store != StoreName::Exact) {
        return Err(Diagnostic::error("E0385", "searches that do not keep every state are not written down")
            .help("leave out `--store`, or the checkpoints")
            .into());
    }
    let (folder, every) = place(said);
    folder_of_run(&folder, every, (&identity(args, file), args.resume.is_some())).map(Some)
}

/// A search on disk, or on a device, is one that visits states one by one, keeps every one, and is not written down.
fn must_be_plain(args: &CheckArgs, (code, what, wanted): (&'static str, &str, &str)) -> Result<(), Failure> {
    let other = args.engine != EngineName::Auto && args.engine != EngineName::Explicit;
    let given = [
        ("--store", args.store.is_some_and(|store| store != StoreName::Exact)),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--resume", args.resume.is_some()),
        ("--engine", other),
        ("--device", args.disk.is_some() && args.device == DeviceName::Gpu),
    ];
    let Some((option, _)) = given.iter().find(|(_, given)| *given) else { return Ok(()) };
    Err(Diagnostic::error(
        code,
        format!("{what} are visited one by one and kept, and `{option}` is about something else"),
    )
    .help(format!("leave out `{option}`, or `{wanted}`"))
    .into())
}

/// What must be the same for a run to go on: limits on time and memory, threads, evidence and the form of the output may differ.
fn identity(args: &CheckArgs, file: &ProgramFile) -> RunIdentity {
    let texts: Vec<String> = file.texts().into_iter().map(|(_, text)| text).collect();
    let asked = (&args.properties, &args.only, args.logic.map(|logic| logic.0), args.progress, args.fair);
    let read = (args.ltl.map(|name| name.0), args.deadlock.map(|name| name.0), args.module, args.semantics);
    let work = (args.engine, args.no_reduction, args.max_states, args.parameters, args.refinements, &args.spotlight);
    RunIdentity {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        model: format!("{} {texts:?} {:?}", file.language.name(), args.text.defines),
        options: format!("{asked:?} {read:?} {work:?} {:?}", args.how),
    }
}
