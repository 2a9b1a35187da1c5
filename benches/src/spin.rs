//! How fast are Promela models decided, compared with Spin?
//!
//! Arguments are models (`FILE` or `FILE:NAME=VALUE` for a size), or folders of them; without arguments the project's own
//! families. For each: states and steps of the plain semantics, states a second of CPU time, bytes a state, what a second
//! thread brings; the same of Spin's `pan -O2 -DSAFETY -DNOREDUCE` without its own optimisations; and the total time to the
//! verdict of both, generation and compilation included. Where no `spin` or no C compiler is on the path, ours alone.
//!
//! CPU time is measured, not time by the clock, so that other work on the machine matters little. `--seconds=N` limits each
//! search, ours and Spin's; whoever does not finish has lost, and where neither does nothing is compared. At the end it tells the share
//! of models on which we were faster in total, and how much on average. With `--assert` it exits
//! with 1 if a bar is missed: verdicts and counts as Spin's, faster in total on nine of ten models, at least Spin's rate
//! and at most the bytes of its collapse mode on the five largest, 1.6 times the rate with two threads.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use tertium_base::narrow::whole;
use tertium_base::{Budget, memory};
use tertium_bench::families::{allocation, bounded_buffer, philosophers, token_ring};
use tertium_bench::processor_time;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::Blind;
use tertium_explore::search::breadth::{Explored, Options, breadth_first};
use tertium_program::Semantics;

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

/// Larger state spaces are not finished, and not compared.
const MOST_STATES: usize = 40_000_000;
/// A search takes at most so many seconds unless the command line says otherwise.
const SECONDS_EACH: u64 = 60;
/// How deep Spin's search goes at first, and if that is not enough.
const DEPTHS: [&str; 2] = ["-m1000000", "-m20000000"];
/// Bytes a state of Spin's collapse mode, for models where they are known.
const COLLAPSED: [(&str, f64); 4] =
    [("case_tests_peterson4", 46.0), ("case_iprotocol_i0", 50.0), ("case_iprotocol_i2", 50.0), ("case_sgc", 90.0)];
/// Searches shorter than this say little about rates.
const MEASURABLE: f64 = 0.2;

struct Model {
    name: String,
    path: PathBuf,
    text: String,
    define: Option<(String, String)>,
}

struct Ours {
    explored: Explored,
    total: f64,
    search: f64,
    second_thread: f64,
}

/// What Spin did with a model.
enum Rival {
    /// There is no Spin, or it does not take the model.
    Absent,
    /// Its search did not end in time, which took so many seconds with everything.
    Unfinished(f64),
    Finished(Spin),
}

struct Spin {
    states: usize,
    transitions: usize,
    errors: usize,
    bytes: f64,
    total: f64,
    search: f64,
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let asserts = arguments.iter().any(|argument| argument == "--assert");
    let alone = arguments.iter().any(|argument| argument == "--alone");
    let seconds = arguments.iter().find_map(|argument| argument.strip_prefix("--seconds=")?.parse().ok());
    let limit = Duration::from_secs(seconds.unwrap_or(SECONDS_EACH));
    arguments.retain(|argument| !argument.starts_with("--"));
    let models =
        if arguments.is_empty() { own_models() } else { arguments.iter().flat_map(|at| models_at(at)).collect() };
    say(
        "model                            states  transitions  k states/s 2 threads bytes |  Spin: states k states/s bytes | rate  total time ours/Spin",
    );
    let mut rows = Vec::new();
    for model in models {
        let Some(ours) = ours(&model, limit) else {
            say(&format!("{:<28} not accepted", model.name));
            continue;
        };
        let rival = if alone { Rival::Absent } else { spin(&model, limit).unwrap_or(Rival::Absent) };
        say(&line(&model, &ours, &rival));
        rows.push((model.name, ours, rival));
    }
    say(&conclusion(&rows));
    let missed = judge(&rows);
    missed.iter().for_each(|bar| say(&format!("missed: {bar}")));
    if asserts && !missed.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn own_models() -> Vec<Model> {
    let families = [token_ring(7, 5), philosophers(11), bounded_buffer(3, 2, 4, 5), allocation(8, 11, 3)];
    let own = families.into_iter().map(|pair| Model {
        path: PathBuf::from(format!("{}.pml", pair.name)),
        name: pair.name,
        text: pair.promela,
        define: None,
    });
    own.collect()
}

/// The model, or all models of a folder.
fn models_at(argument: &str) -> Vec<Model> {
    let (path, define) = match argument.split_once(':') {
        Some((path, define)) => (Path::new(path), define.split_once('=')),
        None => (Path::new(argument), None),
    };
    let mut paths = vec![path.to_path_buf()];
    if let Ok(entries) = std::fs::read_dir(path) {
        paths = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "pml"))
            .collect();
        paths.sort();
    }
    let model = |path: PathBuf| {
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let text = std::fs::read_to_string(&path).ok()?;
        Some(Model { name, path, text, define: define.map(|(name, value)| (name.to_owned(), value.to_owned())) })
    };
    paths.into_iter().filter_map(model).collect()
}

fn ours(model: &Model, limit: Duration) -> Option<Ours> {
    let start = processor_time();
    let mut options = tertium_promela::Options::default();
    options.defines.extend(model.define.clone());
    let read = tertium_promela::read(&model.path.to_string_lossy(), &model.text, &options);
    if read.diagnostics.iter().any(tertium_base::Diagnostic::is_error) {
        return None;
    }
    let lowered = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources);
    let semantics = Semantics::new(&lowered.program).persistent();
    let compiled = Compiled::of(&semantics);
    let (search, explored) = explore(&compiled, 1, limit);
    let total = processor_time() - start;
    let mut second_thread = 0.0;
    if search > MEASURABLE && explored.summary.stopped.is_none() {
        let (two, again) = explore(&compiled, 2, limit * 4);
        assert!(again.summary.stopped.is_some() || explored.summary == again.summary, "threads must not matter");
        // Two threads that share the work equally take half of their CPU time by the clock.
        second_thread = search / (two / 2.0);
    }
    Some(Ours { explored, total, search, second_thread })
}

fn explore(compiled: &Compiled<'_>, threads: usize, limit: Duration) -> (f64, Explored) {
    let budget = Budget::unlimited().with_time(Some(limit));
    let initial = compiled.plain().semantics().initial_states(1 << 20, &budget).unwrap_or_default();
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let options = Options { threads, max_states: Some(MOST_STATES), stop_at_finding: false, budget: &budget };
    let start = processor_time();
    let explored = breadth_first(compiled, &Blind, &initial, &options, &mut |_| {});
    (processor_time() - start, explored)
}

/// Generation, compilation and search by Spin; none if something is missing.
fn spin(model: &Model, limit: Duration) -> Option<Rival> {
    let folder = std::env::current_dir().ok()?.join("target/bench/spin");
    std::fs::create_dir_all(&folder).ok()?;
    std::fs::write(folder.join("model.pml"), &model.text).ok()?;
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&folder).stdin(Stdio::null()).output().ok()
    };
    let define = model.define.as_ref().map(|(name, value)| format!("-D{name}={value}"));
    let start = processor_time();
    let mut arguments = vec!["-o1", "-o2", "-o3", "-a"];
    arguments.extend(define.as_deref());
    arguments.push("model.pml");
    run("spin", &arguments).filter(|output| output.status.success())?;
    let flags = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DMEMLIM=6000", "-o", "pan", "pan.c"];
    run("gcc", &flags).filter(|output| output.status.success())?;
    let made = processor_time() - start;
    let (mut text, mut search) = (String::new(), 0.0);
    for depth in DEPTHS {
        let begun = processor_time();
        let output = within(&folder, depth, limit)?;
        search = processor_time() - begun;
        text = match output {
            Some(text) => text,
            None => return Some(Rival::Unfinished(made + search)),
        };
        if !text.contains("max search depth too small") {
            break;
        }
    }
    let total = made + search;
    let number = |mark: &str| -> Option<f64> {
        let line = text.lines().find(|line| line.contains(mark))?;
        line.split_whitespace().find_map(|word| word.trim_end_matches(',').parse().ok())
    };
    let states = number("states, stored")?;
    let errors =
        text.lines().find_map(|line| line.split_once("errors: ")).and_then(|(_, rest)| rest.trim().parse().ok());
    let stored = number("equivalent memory usage").or_else(|| number("actual memory usage for states"));
    let actual = number("actual memory usage for states").or(stored).unwrap_or(0.0);
    Some(Rival::Finished(Spin {
        states: whole(states),
        transitions: whole(number("transitions (=")?) - 1,
        errors: errors.unwrap_or(0),
        bytes: actual * 1e6 / states,
        total,
        search,
    }))
}

/// What Spin's verifier prints; nothing if it does not end in time.
fn within(folder: &Path, depth: &str, limit: Duration) -> Option<Option<String>> {
    let report = std::fs::File::create(folder.join("report.txt")).ok()?;
    let mut command = Command::new("./pan");
    command.args([depth, "-n", "-c0"]).current_dir(folder).stdin(Stdio::null()).stdout(report).stderr(Stdio::null());
    let (mut child, begun) = (command.spawn().ok()?, Instant::now());
    while child.try_wait().ok()?.is_none() {
        if begun.elapsed() > limit {
            child.kill().ok()?;
            child.wait().ok()?;
            return Some(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    std::fs::read(folder.join("report.txt")).ok().map(|bytes| Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn rate(states: usize, seconds: f64) -> f64 {
    states as f64 / seconds.max(1e-3) / 1e3
}

fn line(model: &Model, ours: &Ours, rival: &Rival) -> String {
    let summary = &ours.explored.summary;
    let mine = rate(summary.states, ours.search);
    let bytes = ours.explored.store.bytes() as f64 / summary.states as f64;
    let spin = match rival {
        Rival::Absent => String::new(),
        Rival::Unfinished(total) => format!("{:>12} after {total:.0} s", "not finished"),
        Rival::Finished(spin) => {
            let theirs = rate(spin.states, spin.search);
            let agree = if agree(ours, spin) { "" } else { " DIFFERENT" };
            let against = (mine / theirs, ours.total.max(0.005) / spin.total.max(0.005));
            let total = format!("{:>5.2} {:>8.3}{agree}", against.0, against.1);
            format!("{:>12} {theirs:>10.0} {:>5.0} | {total}", spin.states, spin.bytes)
        }
    };
    let stopped = if summary.stopped.is_some() { "+" } else { " " };
    format!(
        "{:<28} {:>10}{stopped} {:>11} {mine:>11.0} {:>8.2}x {bytes:>5.1} | {spin}",
        model.name, summary.states, summary.transitions, ours.second_thread
    )
}

fn agree(ours: &Ours, spin: &Spin) -> bool {
    let summary = &ours.explored.summary;
    let wrong = summary.faults + summary.deadlocks > 0;
    summary.stopped.is_some()
        || (summary.states == spin.states && summary.transitions == spin.transitions && wrong == (spin.errors > 0))
}

/// On how many models we were faster in total, of how many that one of both finished.
fn share(rows: &[(String, Ours, Rival)]) -> (usize, usize) {
    let judged = rows.iter().filter_map(|(_, ours, rival)| {
        let finished = ours.explored.summary.stopped.is_none();
        match rival {
            Rival::Absent => None,
            Rival::Unfinished(_) => finished.then_some(true),
            Rival::Finished(spin) => Some(finished && ours.total <= spin.total),
        }
    });
    let judged: Vec<bool> = judged.collect();
    (judged.iter().filter(|faster| **faster).count(), judged.len())
}

/// The share of models won, and how much longer Spin takes on average (geometric mean) and in the sum.
fn conclusion(rows: &[(String, Ours, Rival)]) -> String {
    let (faster, all) = share(rows);
    let times: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|(_, ours, rival)| match rival {
            Rival::Finished(spin) if ours.explored.summary.stopped.is_none() => {
                Some((ours.total.max(0.005), spin.total.max(0.005)))
            }
            _ => None,
        })
        .collect();
    let mean = (times.iter().map(|(ours, spin)| (spin / ours).ln()).sum::<f64>() / times.len().max(1) as f64).exp();
    let (ours, spin) = times.iter().fold((0.0, 0.0), |sum, time| (sum.0 + time.0, sum.1 + time.1));
    format!(
        "faster in total on {faster} of {all} models ({:.0} %); Spin takes {mean:.0} times as long on average, {spin:.0} s against {ours:.0} s in all",
        faster as f64 * 100.0 / all.max(1) as f64
    )
}

/// The bars that are missed, in words.
fn judge(rows: &[(String, Ours, Rival)]) -> Vec<String> {
    let mut missed = Vec::new();
    let compared: Vec<(&String, &Ours, &Spin)> = rows
        .iter()
        .filter_map(|(name, ours, rival)| match rival {
            Rival::Finished(spin) => Some((name, ours, spin)),
            _ => None,
        })
        .collect();
    for (name, ours, spin) in &compared {
        if !agree(ours, spin) {
            missed.push(format!("{name}: counts or verdict differ from Spin's"));
        }
    }
    let (faster, all) = share(rows);
    if faster * 10 < all * 9 {
        missed.push(format!("faster than Spin in total on {faster} of {all} models"));
    }
    let mut largest = compared;
    largest.retain(|(_, ours, _)| ours.explored.summary.stopped.is_none());
    largest.sort_by_key(|(_, ours, _)| std::cmp::Reverse(ours.explored.summary.states));
    for (name, ours, spin) in largest.into_iter().take(5) {
        let against = rate(ours.explored.summary.states, ours.search) / rate(spin.states, spin.search);
        if against < 1.0 {
            missed.push(format!("{name}: {against:.2} of pan's states a second"));
        }
    }
    for (name, most) in COLLAPSED {
        let measured = rows.iter().find(|(found, ours, _)| found == name && ours.explored.summary.states > 0);
        let bytes =
            measured.map(|(_, ours, _)| ours.explored.store.bytes() as f64 / ours.explored.summary.states as f64);
        if let Some(bytes) = bytes.filter(|bytes| *bytes > most) {
            missed.push(format!("{name}: {bytes:.0} bytes a state, {most} with Spin's collapse mode"));
        }
    }
    for (name, ours, _) in
        rows.iter().filter(|(_, ours, _)| ours.search > 10.0 * MEASURABLE && ours.second_thread > 0.0)
    {
        if ours.second_thread < 1.6 {
            missed.push(format!("{name}: two threads are {:.2} times one", ours.second_thread));
        }
    }
    missed
}
