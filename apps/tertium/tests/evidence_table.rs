//! No definite answer is without evidence: over the corpus, each is shown by a run that is repeated, or by a certificate that `certify` accepts, or is one of
//! a closed list of exceptions, with their reasons. `make evidence-table` looks at every model and prints the table.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::ROOT;
use serde_json::Value;

/// What an answer without evidence may say, and why nothing is written then.
const EXCEPTIONS: [(&str, &str); 6] = [
    (
        "strong fairness cannot be written as constraints on edges",
        "a recurrent run under strong fairness is repeated, not certified",
    ),
    ("uninterpreted-function", "certificates are of one meaning of each function, and the answer is for all of them"),
    ("a claim that assigns to variables", "the claim is part of the program then, not a question about it"),
    ("where a trace may end is not part of the graph", "traces are watched while states are visited"),
    ("the time limit was reached", "a limit of the run, not of the answer"),
    (
        "certificates over predicates say nothing of players",
        "a game over predicates has owners, of which no obligation speaks, and the graph is too large",
    ),
];

/// Models that take long, and are looked at by `make evidence-table` only.
const SLOW: [&str; 12] = [
    "philosophers.gcl",
    "fischer.pml",
    "fischer3.pml",
    "fischer3_const.gcl",
    "fischer3_param.gcl",
    "brp_N16_M3.gcl",
    "bakery3.pml",
    "counted.pml",
    "limiter.gcl",
    "tickets.gcl",
    "ticket_lock.gcl",
    "turns.gcl",
];

/// One model of so many small ones, unless all are wanted.
const ONE_OF: usize = 12;

fn models() -> Vec<PathBuf> {
    let all = std::env::var_os("TERTIUM_EVIDENCE_TABLE").is_some();
    let mut found = Vec::new();
    for folder in [
        "examples",
        "corpus/gcl",
        "corpus/gcl/loop",
        "corpus/gcl/ends",
        "corpus/gcl/sliced",
        "corpus/gcl/bounded",
        "corpus/gcl/parameterised",
        "corpus/promela/abstracted",
    ] {
        found.extend(files(folder));
    }
    found.extend(
        files("corpus/promela/micro")
            .into_iter()
            .enumerate()
            .filter(|(at, _)| all || at % ONE_OF == 0)
            .map(|(_, file)| file),
    );
    let name = |file: &Path| file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    found.retain(|file| all || !SLOW.contains(&name(file).as_str()));
    found
}

/// The models of a folder, in order.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let is_model =
        |path: &PathBuf| path.extension().is_some_and(|end| ["gcl", "pml", "kmts"].iter().any(|known| end == *known));
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_model).collect();
    found.sort();
    found
}

fn tertium(arguments: &[&str]) -> (Option<i32>, String) {
    let output = common::tertium(".", arguments);
    (output.status.code(), common::out(&output))
}

/// What shows one definite answer.
fn shown_by(model: &str, result: &Value) -> Result<&'static str, String> {
    let exception = |told: &str| EXCEPTIONS.iter().find(|(words, _)| told.contains(words)).map(|(words, _)| *words);
    let warnings = result["warnings"].as_array().cloned().unwrap_or_default();
    let told: Vec<&str> = (warnings.iter().filter(|warning| warning["code"] == "W0407"))
        .filter_map(|warning| warning["message"].as_str())
        .collect();
    let Some(file) = result["evidence"]["file"].as_str() else {
        return exception(&told.join("; ")).ok_or_else(|| format!("no evidence: {told:?}"));
    };
    // A run of one size is one of the system of that size.
    let size = result["sizes"]["value"]
        .as_i64()
        .map(|size| format!("-D{}={size}", result["sizes"]["constant"].as_str().unwrap_or_default()));
    let certify =
        |file: &str| tertium(&["certify", model, file].into_iter().chain(size.as_deref()).collect::<Vec<_>>());
    let (code, refused) = certify(file);
    if code == Some(0) {
        return Ok(if file.ends_with(".itf.json") { "run" } else { "certificate" });
    }
    // A run alone may not say enough; the certificate beside it does.
    if certify(&file.replace(".itf.json", ".cert.json")).0 == Some(0) {
        return Ok("run and certificate");
    }
    exception(&format!("{refused}; {}", told.join("; ")))
        .ok_or_else(|| format!("{file} is not accepted: {refused} {told:?}"))
}

/// Definite answers by what shows them and by value, and those that nothing shows.
#[derive(Default)]
struct Table {
    counts: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    missing: Vec<String>,
}

impl Table {
    /// Takes in every definite answer about a model.
    fn add(&mut self, model: &str, folder: &Path) {
        let folder_text = folder.to_string_lossy();
        let (code, text) =
            tertium(&["check", model, "--format", "json", "--timeout", "60s", "--evidence", &folder_text]);
        assert!(matches!(code, Some(0 | 5 | 10)), "{model}: {code:?}");
        let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{model}: {error}"));
        for result in report["results"].as_array().into_iter().flatten() {
            let value = match (result["value"].as_str(), &result["stopped"]) {
                (Some("true"), Value::Null) => "true",
                (Some("false"), Value::Null) => "false",
                _ => continue,
            };
            match shown_by(model, result) {
                Ok(by) => *self.counts.entry(by).or_default().entry(value).or_default() += 1,
                Err(why) => self.missing.push(format!("{model}: {} is {value}: {why}", result["name"])),
            }
        }
    }

    fn merge(&mut self, other: Self) {
        for (by, counts) in other.counts {
            for (value, count) in counts {
                *self.counts.entry(by).or_default().entry(value).or_default() += count;
            }
        }
        self.missing.extend(other.missing);
    }

    fn text(&self) -> String {
        let mut lines = vec![format!("{:<50} {:>6} {:>6}", "shown by", "true", "false")];
        for (by, counts) in &self.counts {
            let of = |value: &str| counts.get(value).copied().unwrap_or_default();
            let exception = EXCEPTIONS.iter().find(|(words, _)| words == by);
            let why = exception.map_or(String::new(), |(_, why)| format!("  nothing: {why}"));
            lines.push(format!("{by:<50} {:>6} {:>6}{why}", of("true"), of("false")));
        }
        lines.join("\n")
    }
}

/// Looks at models until none is left.
fn work(models: &[PathBuf], next: &AtomicUsize) -> Table {
    let mut table = Table::default();
    while let Some((at, model)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, models.get(at)?)))
    {
        let folder = common::folder(&format!("evidence-table-{at}"));
        table.add(&model.to_string_lossy(), &folder);
        let _ = std::fs::remove_dir_all(&folder);
    }
    table
}

#[test]
fn no_definite_answer_is_without_evidence() {
    let (models, next, mut table) = (models(), AtomicUsize::new(0), Table::default());
    let workers = std::thread::available_parallelism().map_or(1, |all| all.get().min(4));
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(|| work(&models, &next))).collect();
        for worker in workers {
            match worker.join() {
                Ok(found) => table.merge(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    #[allow(clippy::print_stderr, reason = "the table is what a reader of the test wants")]
    {
        eprintln!("{}", table.text());
    }
    assert!(table.missing.is_empty(), "{}\n{}", table.missing.join("\n"), table.text());
}
