//! All runs: first without a mutant, then each mutant over its tests until one notices.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Problem;
use super::build::Plan;
use super::catalogue::{Mutant, Tests};
use super::layer::{Layer, layer};
use super::options::Options;
use super::watch::{End, Limits, watched};

/// How long tests take without a mutant.
pub type Usual = BTreeMap<Tests, Duration>;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// The tests that noticed it, which of them, how, and what that one said.
    Caught { tests: Tests, test: String, layer: Layer, said: String },
    /// All its tests passed.
    Missed,
    /// There was no time.
    NotRun,
}

/// A mutant and what became of it.
#[derive(Debug)]
pub struct Judged {
    pub mutant: Mutant,
    pub fate: Fate,
}

impl Judged {
    pub fn is_caught(&self) -> bool {
        matches!(self.fate, Fate::Caught { .. })
    }
}

/// When everything has to be through.
pub struct Deadline(Option<Instant>);

impl Deadline {
    pub fn after(total: Option<Duration>) -> Self {
        Self(total.and_then(|total| Instant::now().checked_add(total)))
    }

    /// How long there still is; none: as long as it takes.
    fn left(&self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }
}

/// Without a mutant every chosen test passes.
pub fn baseline(plan: &Plan, chosen: &[Mutant], options: &Options) -> Result<Usual, Problem> {
    let mut tests = chosen.iter().flat_map(|mutant| mutant.tests.clone()).collect::<Vec<_>>();
    tests.sort();
    tests.dedup();
    let limits = Limits { time: Duration::from_secs(3600), memory_mib: memory(options) };
    let ends = in_parallel(&tests, threads(options), |at, tests| {
        let begun = Instant::now();
        let end = watched(plan.program(tests)?, tests, 0, limits, &place("baseline", at))?;
        eprintln!("without a mutant: {} ({} s)", name(tests), begun.elapsed().as_secs());
        Ok((end, begun.elapsed()))
    })?;
    let mut usual = Usual::new();
    for (tests, (end, time)) in tests.into_iter().zip(ends) {
        if end != End::Passed {
            return Err(format!("without any mutant, `{}` does not pass: {}", name(&tests), shortened(&end)));
        }
        usual.insert(tests, time);
    }
    Ok(usual)
}

/// Every mutant over its tests, but for those of which it is known what became of them.
pub fn mutants(
    plan: &Plan,
    chosen: Vec<Mutant>,
    usual: &Usual,
    options: &Options,
    deadline: &Deadline,
) -> Result<Vec<Judged>, Problem> {
    let results = Results::open(options.results.as_deref())?;
    let fates = in_parallel(&chosen, threads(options), |_, mutant| {
        if let Some(known) = results.known.get(&mutant.name) {
            return Ok(known.clone());
        }
        let fate = fate(plan, mutant, usual, options, deadline)?;
        eprintln!("{}: {}", mutant.name, in_words(&fate));
        results.keep(&mutant.name, &fate)?;
        Ok(fate)
    })?;
    Ok(chosen.into_iter().zip(fates).map(|(mutant, fate)| Judged { mutant, fate }).collect())
}

fn in_words(fate: &Fate) -> String {
    match fate {
        Fate::Caught { tests, test, layer, .. } => format!("{} by {} {test}", layer.name(), name(tests)),
        Fate::Missed => "missed".to_owned(),
        Fate::NotRun => "not run".to_owned(),
    }
}

fn fate(plan: &Plan, mutant: &Mutant, usual: &Usual, options: &Options, deadline: &Deadline) -> Result<Fate, Problem> {
    for (at, tests) in mutant.tests.iter().enumerate() {
        let enough = usual.get(tests).map_or(Duration::from_secs(600), |time| (*time * 5).max(Duration::from_secs(60)));
        let own = options.limit.unwrap_or(enough);
        let time = deadline.left().map_or(own, |left| left.min(own));
        if time.is_zero() {
            return Ok(Fate::NotRun);
        }
        let limits = Limits { time, memory_mib: memory(options) };
        let end = watched(plan.program(tests)?, tests, mutant.number, limits, &place(&mutant.name, at))?;
        let (test, layer, said) = match end {
            End::Passed => continue,
            End::Failed { test, text } => (test, layer(&text), first_panic(&text)),
            End::OutOfTime if time < own => return Ok(Fate::NotRun),
            End::OutOfTime => (String::new(), Layer::Time, String::new()),
            End::OutOfMemory => (String::new(), Layer::Memory, String::new()),
        };
        return Ok(Fate::Caught { tests: tests.clone(), test, layer, said });
    }
    Ok(Fate::Missed)
}

/// What the first test that failed said, shortened.
fn first_panic(text: &str) -> String {
    let panic = text.find("panicked at").map_or(text, |at| &text[at..]);
    panic.chars().take(600).collect()
}

/// What became of mutants in earlier runs and in this one.
struct Results {
    known: BTreeMap<String, Fate>,
    file: Option<Mutex<File>>,
}

impl Results {
    fn open(path: Option<&Path>) -> Result<Self, Problem> {
        let Some(path) = path else { return Ok(Self { known: BTreeMap::new(), file: None }) };
        let problem = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let known = text.lines().filter_map(|line| serde_json::from_str::<(String, Fate)>(line).ok()).collect();
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(problem)?;
        Ok(Self { known, file: Some(Mutex::new(file)) })
    }

    fn keep(&self, name: &str, fate: &Fate) -> Result<(), Problem> {
        let Some(file) = self.file.as_ref().filter(|_| *fate != Fate::NotRun) else { return Ok(()) };
        let line = serde_json::to_string(&(name, fate)).map_err(|error| error.to_string())?;
        let mut file = file.lock().map_err(|_| "a thread ended early".to_owned())?;
        writeln!(file, "{line}").map_err(|error| format!("the results: {error}"))
    }
}

/// The results of `work` for all items, in their order; the first problem ends it.
fn in_parallel<Item: Sync, Outcome: Send>(
    items: &[Item],
    threads: usize,
    work: impl Fn(usize, &Item) -> Result<Outcome, Problem> + Sync,
) -> Result<Vec<Outcome>, Problem> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let outcome = work(at, item);
                    if outcome.is_err() {
                        next.store(items.len(), Ordering::Relaxed);
                    }
                    if let Ok(mut done) = done.lock() {
                        done.insert(at, outcome);
                    }
                }
            });
        }
    });
    done.into_inner().map_err(|_| "a thread ended early".to_owned())?.into_values().collect()
}

fn threads(options: &Options) -> usize {
    options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

fn memory(options: &Options) -> u64 {
    options.memory_mib.unwrap_or(6144)
}

/// A folder for the files of one run.
fn place(name: &str, at: usize) -> PathBuf {
    std::env::temp_dir().join(format!("tertium-mutants-{}", std::process::id())).join(format!("{name}-{at}"))
}

pub fn name(tests: &Tests) -> String {
    [&tests.package, &tests.target].into_iter().chain(&tests.arguments).cloned().collect::<Vec<_>>().join(" ")
}

/// The end of what a failed run said.
fn shortened(end: &End) -> String {
    let End::Failed { test, text } = end else { return format!("{end:?}") };
    let lines = text.lines().rev().take(40).collect::<Vec<_>>();
    format!("{test}\n{}", lines.into_iter().rev().collect::<Vec<_>>().join("\n"))
}
