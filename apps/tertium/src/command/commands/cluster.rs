//! `tertium cluster`: the state space of a program, visited by several processes.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tertium_base::{Budget, Diagnostic, StopReason};
use tertium_driver::program::cluster::{Checkpoints, ClusterOutcome, Team, decide, fingerprint, hosts, told};
use tertium_driver::program::questions::questions;
use tertium_driver::program::safety::{Effort, Keeping};
use tertium_driver::program::space::Space;
use tertium_driver::program::{Extras, ProgramFile};
use tertium_driver::{Counts, Failure, Located, ModelLanguage, ModelSource, Observer as _};
use tertium_report::cluster::ClusterReport;
use tertium_report::{Style, json, text};

use super::checkpoints;
use super::questions::any;
use crate::command::args::{ClusterArgs, PlainFormat};
use crate::command::exit;
use crate::command::progress::{Phase, Progress};
use crate::command::terminal::{self, Stream};

/// Runs the command.
pub fn run(args: &ClusterArgs) -> u8 {
    let budget = super::budget(args.limits);
    match take_part(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn misused(message: &str, help: &str) -> Failure {
    Diagnostic::error("E0386", message).help(help).into()
}

/// The processes that were started here; what is left of them is ended with this one.
struct Helpers {
    children: Vec<Child>,
    hosts: Option<PathBuf>,
}

impl Drop for Helpers {
    fn drop(&mut self) {
        for child in &mut self.children {
            // One that has ended already cannot be ended.
            let _ = child.kill();
            let _ = child.wait();
        }
        if let Some(hosts) = &self.hosts {
            let _ = std::fs::remove_file(hosts);
        }
    }
}

fn take_part(args: &ClusterArgs, budget: &Budget) -> Result<u8, Failure> {
    let process = args.process.unwrap_or(0);
    let first = match (&args.file, process) {
        (Some(file), 0) => {
            let model = super::source(file, &args.text)?;
            super::allow_includes(&model, &args.text.include_dirs)?;
            model.must_be_program()?;
            Some((model.program(&[], None, &args.text.defines, &Extras::default())?, task_of(args, &model)?))
        }
        (None, 1..) => None,
        (None, 0) => return Err(misused("process 0 has no program", "name a file, for example `protocol.pml`")),
        (Some(_), _) => {
            return Err(misused("only process 0 reads the program", "leave out the file: it comes from process 0"));
        }
    };
    let phase = Phase::default();
    phase.phase("meeting the other processes");
    let progress = Progress::start(phase.clone(), args.look.quiet || process > 0);
    let (addresses, mut helpers) = meet_where(args)?;
    let processes = addresses.len();
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let team = Team { addresses, process, workers: args.workers, version, patience: args.patience.0 };
    let mut meeting = team.meet(budget).map_err(|failure| told(&failure))?;
    let Task { file, max_states, fair } = match first {
        Some((file, mut task)) => {
            task["fingerprint"] = json!(fingerprint(&file.program).to_string());
            meeting.share_task(task.to_string().into_bytes()).map_err(|failure| told(&failure))?;
            Task { file, max_states: args.max_states, fair: args.fair }
        }
        None => given(&meeting.share_task(Vec::new()).map_err(|failure| told(&failure))?)?,
    };
    let asked = questions(&file, &[], false)?;
    let space = Space::new(&file.program, budget)?;
    let space = if fair { fair_to_all(space)? } else { space };
    let effort = Effort { threads: 1, max_states, reduction: false, store: Keeping::Exact, budget };
    let tell = &mut |now: tertium_driver::program::cluster::Progress| {
        let (states, waiting, depth) = (now.states, now.queue, now.depth);
        phase.counts(Counts { states, rate: 0, waiting, depth });
        phase.phase(&format!("exploring together: {states} states, depth {depth}"));
    };
    let identity = format!("{} {:016x} {fair} {max_states:?}", env!("CARGO_PKG_VERSION"), fingerprint(&file.program));
    let place = args.checkpoint.as_ref().or(args.resume.as_ref()).map(|said| checkpoints::place(said));
    let written = place.as_ref().map(|(folder, every)| Checkpoints {
        folder,
        every: *every,
        resume: args.resume.is_some(),
        identity: &identity,
    });
    let outcome = decide(&space, &asked, meeting, (&effort, written), tell)?;
    drop(progress);
    for child in &mut helpers.children {
        let _ = child.wait();
    }
    if process > 0 {
        return Ok(exit::ALL_HOLD);
    }
    if !args.look.quiet {
        super::show(&file.warnings, args.look.color);
    }
    if let Some(unwritten) = outcome.unwritten.clone().filter(|_| !args.look.quiet) {
        super::show(&[Located::nowhere(unwritten)], args.look.color);
    }
    let report = report(&file, &outcome, processes);
    show(args, &file, &report);
    Ok(code(&report, outcome.counts.stopped))
}

/// What all processes do.
struct Task {
    file: ProgramFile,
    max_states: Option<usize>,
    fair: bool,
}

/// The states of a program whose scheduler is weakly fair to every process. How many are started on the way is known only when all states are.
fn fair_to_all(space: Space<'_>) -> Result<Space<'_>, Failure> {
    let count = space.fixed_processes().ok_or_else(|| {
        misused(
            "processes that are started on the way cannot be treated fairly here",
            "use `active` processes, or `tertium check --fair` on one machine",
        )
    })?;
    Ok(space.fair_to(count))
}

/// What process 0 gives to the others.
fn task_of(args: &ClusterArgs, model: &ModelSource) -> Result<Value, Failure> {
    let defines: Vec<[&str; 2]> =
        args.text.defines.iter().map(|(name, value)| [name.as_str(), value.as_str()]).collect();
    Ok(json!({
        "name": model.name(),
        "language": model.language.name(),
        "text": model.text()?,
        "defines": defines,
        "max_states": args.max_states,
        "fair": args.fair,
    }))
}

/// The program that process 0 has given, read here.
fn given(task: &[u8]) -> Result<Task, Failure> {
    let unreadable = || misused("what process 0 has sent is no program", "start the same version everywhere");
    let task: Value = serde_json::from_slice(task).map_err(|_| unreadable())?;
    let word = |name: &str| task[name].as_str().map(str::to_owned).ok_or_else(unreadable);
    let language = ModelLanguage::from_name(&word("language")?).ok_or_else(unreadable)?;
    let mut defines = Vec::new();
    for pair in task["defines"].as_array().ok_or_else(unreadable)? {
        let (name, value) = pair[0].as_str().zip(pair[1].as_str()).ok_or_else(unreadable)?;
        defines.push((name.to_owned(), value.to_owned()));
    }
    let model = ModelSource::of_text(&word("name")?, language, word("text")?);
    let file = model.program(&[], None, &defines, &Extras::default())?;
    if fingerprint(&file.program).to_string() != word("fingerprint")? {
        return Err(misused(
            "the program is another one here than for process 0",
            "what it includes must stand in the text itself, or be the same on every machine",
        ));
    }
    let max_states = task["max_states"].as_u64().map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    Ok(Task { file, max_states, fair: task["fair"] == true })
}

/// The addresses of all processes; those that are to be started here are.
fn meet_where(args: &ClusterArgs) -> Result<(Vec<String>, Helpers), Failure> {
    let mut helpers = Helpers { children: Vec::new(), hosts: None };
    if let Some(path) = &args.hosts {
        let read = std::fs::read_to_string(path).map_err(|error| {
            misused(&format!("cannot read `{}`: {error}", path.display()), "name the file of the hosts")
        })?;
        let addresses = hosts::addresses(&read).map_err(|failure| told(&failure))?;
        return Ok((addresses, helpers));
    }
    let processes = args.processes.unwrap_or(1);
    let unable = |error: std::io::Error| misused(&format!("cannot start processes here: {error}"), "try fewer");
    let free = || TcpListener::bind("127.0.0.1:0");
    // All are bound at once, so that they differ.
    let listeners = (0..processes).map(|_| free()).collect::<Result<Vec<_>, _>>().map_err(unable)?;
    let address = |listener: &TcpListener| listener.local_addr().map(|address| address.to_string());
    let addresses = listeners.iter().map(address).collect::<Result<Vec<_>, _>>().map_err(unable)?;
    drop(listeners);
    if processes > 1 {
        let path = std::env::temp_dir().join(format!("tertium-hosts-{}", std::process::id()));
        std::fs::write(&path, addresses.join("\n")).map_err(unable)?;
        helpers.hosts = Some(path.clone());
        let program = std::env::current_exe().map_err(unable)?;
        for process in 1..processes {
            let mut command = Command::new(&program);
            command.arg("cluster").arg("--hosts").arg(&path).args(["--process", &process.to_string()]);
            command.args(["--workers", &args.workers.to_string(), "--quiet"]);
            command.args(["--patience", &format!("{}s", args.patience.0.as_secs_f64())]);
            if let Some(memory) = args.limits.memory {
                command.args(["--memory", &memory.0.to_string()]);
            }
            for (option, place) in [("--checkpoint", &args.checkpoint), ("--resume", &args.resume)] {
                command.args(place.iter().flat_map(|place| [option, place.as_str()]));
            }
            command.stdin(Stdio::null()).stdout(Stdio::null());
            helpers.children.push(command.spawn().map_err(unable)?);
        }
    }
    Ok((addresses, helpers))
}

fn report(file: &ProgramFile, outcome: &ClusterOutcome, processes: usize) -> ClusterReport {
    let counts = &outcome.counts;
    ClusterReport {
        counts: super::explore::report(file, counts),
        results: outcome.answers.iter().map(|answer| super::questions::result(file, answer)).collect(),
        not_asked: outcome.not_asked.clone(),
        processes,
        workers: outcome.cost.workers,
        rows_sent: outcome.cost.rows_sent,
        network_bytes: outcome.cost.network,
    }
}

fn show(args: &ClusterArgs, file: &ProgramFile, report: &ClusterReport) {
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let written = match args.format {
        PlainFormat::Json => json::document(report),
        PlainFormat::Text if args.look.quiet => text::cluster(report, None, style),
        PlainFormat::Text => text::cluster(report, Some(&file.description()), style),
    };
    terminal::write(Stream::Out, &written);
}

fn code(report: &ClusterReport, stopped: Option<StopReason>) -> u8 {
    match stopped {
        Some(StopReason::Interrupted) => exit::INTERRUPTED,
        _ if any(&report.results, "false") => exit::SOME_FALSE,
        // A question that was not asked is open too.
        _ if any(&report.results, "unknown") || !report.counts.complete || !report.not_asked.is_empty() => {
            exit::SOME_OPEN
        }
        _ => exit::ALL_HOLD,
    }
}
