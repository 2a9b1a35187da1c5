//! All runs: first without a mutant, then each mutant over its tests until one notices.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Problem;
use super::build::Plan;
use super::catalogue::{Mutant, Tests};
use super::layer::{Layer, layer};
use super::options::Options;
use super::watch::{End, Limits, watched};

/// How long tests take without a mutant.
pub type Usual = BTreeMap<Tests, Duration>;

/// What became of a mutant.
#[derive(Debug)]
pub struct Judged {
    pub mutant: Mutant,
    /// The tests that noticed it, and how; none: it was missed.
    pub caught: Option<(Tests, String, Layer)>,
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

/// Every mutant over its tests.
pub fn mutants(plan: &Plan, chosen: Vec<Mutant>, usual: &Usual, options: &Options) -> Result<Vec<Judged>, Problem> {
    let caught = in_parallel(&chosen, threads(options), |_, mutant| {
        let caught = caught(plan, mutant, usual, options)?;
        let how = caught
            .as_ref()
            .map_or("missed".to_owned(), |(tests, test, layer)| format!("{} by {} {test}", layer.name(), name(tests)));
        eprintln!("{}: {how}", mutant.name);
        Ok(caught)
    })?;
    Ok(chosen.into_iter().zip(caught).map(|(mutant, caught)| Judged { mutant, caught }).collect())
}

fn caught(
    plan: &Plan,
    mutant: &Mutant,
    usual: &Usual,
    options: &Options,
) -> Result<Option<(Tests, String, Layer)>, Problem> {
    for (at, tests) in mutant.tests.iter().enumerate() {
        let enough = usual.get(tests).map_or(Duration::from_secs(600), |time| (*time * 5).max(Duration::from_secs(60)));
        let limits = Limits { time: options.limit.unwrap_or(enough), memory_mib: memory(options) };
        let end = watched(plan.program(tests)?, tests, mutant.number, limits, &place(&mutant.name, at))?;
        let (test, layer) = match end {
            End::Passed => continue,
            End::Failed { test, text } => (test, layer(&text)),
            End::OutOfTime => (String::new(), Layer::Time),
            End::OutOfMemory => (String::new(), Layer::Memory),
        };
        return Ok(Some((tests.clone(), test, layer)));
    }
    Ok(None)
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
