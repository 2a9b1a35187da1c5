//! How long does the loop take to find its predicates, and how long Spacer for the same systems?
//!
//! Our models in `corpus/gcl/loop` against Z3's Spacer on Horn clauses of the same systems, each with one clause per step and with one for
//! all: the faster of the two counts. Arguments: the folder with the clauses (none: only our side is measured). Then the bakeries
//! beside the table of Saïdi, and the examples that must be decided without any options. Exits with 1 if an answer differs from what
//! the model says or from Spacer's, if the geometric mean of the ratios is above 1, if the bakeries cost more than his, or if an example takes
//! too long. Time is CPU time, of all that has to be done, the middle of several runs.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use tertium_base::{Budget, memory};
use tertium_bench::thread_time;
use tertium_driver::Belnap;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, from_text, load};
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use z3::{Params, SatResult, Solver};

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

/// Nobody gets more time than this; a ratio is then at least as good as it looks.
const LIMIT: Duration = Duration::from_secs(30);
/// The geometric mean of the ratios is at most this.
const BAR: f64 = 1.0;
/// An example is decided within this many seconds.
const SECONDS: f64 = 2.0;
/// Calls of the decision procedure in the table of Saïdi.
const SAIDI: [(&str, &str, usize); 3] =
    [("bakery_a", "27", 27), ("bakery_b", "72 + 32 + 134", 238), ("bakery_c", "120 + 35 + 32", 187)];
/// Examples, and the property of each that is decided without options.
const EXAMPLES: [(&str, &str, Belnap); 10] = [
    ("corpus/gcl/bakery_a.gcl", "mutex", Belnap::True),
    ("corpus/gcl/bakery_b.gcl", "mutex", Belnap::False),
    ("corpus/gcl/bakery_c.gcl", "mutex", Belnap::True),
    ("corpus/gcl/spotlight_loop.gcl", "live", Belnap::False),
    ("corpus/gcl/mutex_flags.gcl", "mutex", Belnap::True),
    ("corpus/gcl/tickets.gcl", "mutex", Belnap::True),
    ("examples/bakery.pml", "", Belnap::True),
    ("examples/bakery3.pml", "", Belnap::True),
    ("examples/fischer.pml", "", Belnap::True),
    ("examples/fischer3.pml", "", Belnap::True),
];

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn main() -> ExitCode {
    tertium_smt::loading::load().expect("the solver's library");
    let clauses = std::env::args().nth(1).map(PathBuf::from).filter(|folder| folder.is_dir());
    let mut missed = Vec::new();
    against_spacer(clauses.as_deref(), &mut missed);
    say("");
    against_saidi(&mut missed);
    say("");
    examples(&mut missed);
    missed.iter().for_each(|bar| say(&format!("missed: {bar}")));
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn against_spacer(clauses: Option<&Path>, missed: &mut Vec<String>) {
    if clauses.is_none() {
        say("no folder with Horn clauses was given: only our side is measured");
    }
    say(
        "model                       |  ours:  value  rounds  states  calls  seconds |  Spacer:  value  seconds |  ratio",
    );
    let models = models();
    if models.is_empty() {
        missed.push("no models in corpus/gcl/loop; run this from the project's folder".to_owned());
    }
    let mut ratios: Vec<f64> = Vec::new();
    for (name, path) in models {
        let Some((answer, own)) = measured(|| decide(&path, "")) else {
            missed.push(format!("{name} cannot be checked"));
            continue;
        };
        if Some(answer.value()) != expected(&path) {
            missed.push(format!("{name} is {}", answer.value()));
        }
        let peer = clauses.and_then(|folder| spacer(folder, &name));
        let calls = answer.cost.solver.map_or(0, |solver| solver.calls);
        let mut line = format!(
            "{name:<27} |        {:>6}  {:>6}  {:>6}  {calls:>5}  {own:>7.3} |",
            answer.value().to_string(),
            answer.rounds.len(),
            answer.cost.states,
        );
        if let Some((value, time)) = peer {
            let ratio = own.max(1e-4) / time.max(1e-4);
            let word = value.map_or_else(|| "no answer".to_owned(), |value| value.to_string());
            line += &format!("  {word:>14}  {time:>7.3} |  {ratio:>5.2}");
            ratios.push(ratio);
            if value.is_some_and(|value| value != answer.value()) {
                missed.push(format!("{name}: Spacer says {word}"));
            }
        }
        say(&line);
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        say(&format!("geometric mean of the ratios: {mean:.3} (at most {BAR})"));
        if mean > BAR {
            missed.push(format!("the geometric mean is {mean:.3}"));
        }
    }
}

/// Our models, by name.
fn models() -> BTreeMap<String, String> {
    let entries = std::fs::read_dir("corpus/gcl/loop").into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let path = entry.path();
        let name = path.file_stem()?.to_str()?.to_owned();
        Some((name, path.to_str()?.to_owned()))
    });
    named.filter(|(_, path)| path.ends_with(".gcl")).collect()
}

/// What a model says about itself.
fn expected(path: &str) -> Option<Belnap> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("// Expected: "))?;
    if line.contains(" true") { Some(Belnap::True) } else { line.contains(" false").then_some(Belnap::False) }
}

/// The middle of several timings, and the last result; what takes long is done once.
fn measured<T>(mut work: impl FnMut() -> Option<T>) -> Option<(T, f64)> {
    let (mut times, mut result) = (Vec::new(), None);
    for run in 0..6 {
        let start = thread_time();
        result = Some(work()?);
        let time = thread_time() - start;
        // The first one warms up.
        if run > 0 || time > 1.0 {
            times.push(time);
        }
        if times.iter().sum::<f64>() > 2.0 {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    Some((result?, times[times.len() / 2]))
}

/// One property of a model, or all of them together: the first that is not true, else the last.
fn decide(path: &str, property: &str) -> Option<ProgramAnswer> {
    let text = std::fs::read_to_string(path).ok()?;
    // Predicates that the models give are what is to be found.
    let kept: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("pred ")).collect();
    let file = if path.ends_with(".pml") {
        let folder = std::env::current_dir().ok()?.join("target/bench/loop");
        std::fs::create_dir_all(&folder).ok()?;
        let without = folder.join(Path::new(path).file_name()?);
        std::fs::write(&without, kept.join("\n")).ok()?;
        load(&without, &[], None, &[]).ok()?
    } else {
        from_text(path, kept.join("\n"), &[], None).ok()?
    };
    let only = if property.is_empty() { Vec::new() } else { vec![property.to_owned()] };
    let mut asked = questions(&file, &only, false).ok()?;
    if property.is_empty() {
        asked.retain(|question| matches!(question, tertium_driver::program::questions::Question::Property(_)));
    }
    let budget = Budget::unlimited().with_time(Some(LIMIT));
    let answers = as_by_default(&file, &asked, &budget)?;
    let worst =
        answers.iter().position(|answer| answer.value() != Belnap::True).unwrap_or(answers.len().checked_sub(1)?);
    answers.into_iter().nth(worst)
}

/// What happens when no options are given.
fn as_by_default(
    file: &ProgramFile,
    asked: &[tertium_driver::program::questions::Question],
    budget: &Budget,
) -> Option<Vec<ProgramAnswer>> {
    let wishes = Wishes { options: CheckOptions { threads: 1, ..CheckOptions::default() }, ..Wishes::default() };
    let request = ProgramQuery { file, questions: asked, wishes: &wishes };
    strategy::decide(&request, budget, &()).ok().map(|outcome| outcome.answers)
}

/// What Spacer says, and how long it took; the faster of both forms.
fn spacer(folder: &Path, name: &str) -> Option<(Option<Belnap>, f64)> {
    let forms = [format!("{name}.smt2"), format!("{name}.mono.smt2")];
    let texts: Vec<String> = forms.iter().filter_map(|form| std::fs::read_to_string(folder.join(form)).ok()).collect();
    let found = texts.iter().filter_map(|text| measured(|| Some(horn(text))));
    found.min_by(|a, b| (a.0.is_none(), a.1).partial_cmp(&(b.0.is_none(), b.1)).unwrap_or(std::cmp::Ordering::Equal))
}

fn horn(text: &str) -> Option<Belnap> {
    let solver = Solver::new_for_logic("HORN")?;
    let mut params = Params::new();
    params.set_u32("timeout", u32::try_from(LIMIT.as_millis()).unwrap_or(u32::MAX));
    solver.set_params(&params);
    solver.from_string(text);
    match solver.check() {
        SatResult::Sat => Some(Belnap::True),
        SatResult::Unsat => Some(Belnap::False),
        SatResult::Unknown => None,
    }
}

fn against_saidi(missed: &mut Vec<String>) {
    say("protocol    Saïdi: calls       ours: value  refinements  predicates  states  calls");
    for (name, calls, all) in SAIDI {
        let Some(answer) = decide(&format!("corpus/gcl/{name}.gcl"), "mutex") else {
            missed.push(format!("{name} cannot be checked"));
            continue;
        };
        let work = answer.cost.solver.unwrap_or_default();
        say(&format!(
            "{name:<10}  {calls:<18} {:>12} {:>12} {:>11} {:>7} {:>6}",
            answer.value().to_string(),
            answer.cost.refinements,
            work.predicates,
            answer.cost.states,
            work.calls
        ));
        if work.calls > all || answer.cost.refinements > 2 {
            missed.push(format!("{name} takes {} refinements and {} calls", answer.cost.refinements, work.calls));
        }
    }
}

fn examples(missed: &mut Vec<String>) {
    say("without options               value  rounds  calls  seconds");
    for (path, property, wanted) in EXAMPLES {
        let Some((answer, time)) = measured(|| decide(path, property)) else {
            missed.push(format!("{path} cannot be checked"));
            continue;
        };
        let calls = answer.cost.solver.map_or(0, |solver| solver.calls);
        say(&format!("{path:<28} {:>6} {:>7} {calls:>6} {time:>8.3}", answer.value().to_string(), answer.rounds.len()));
        if answer.value() != wanted {
            missed.push(format!("{path} is {}", answer.value()));
        }
        if time > SECONDS {
            missed.push(format!("{path} takes {time:.2} s"));
        }
    }
}
