//! Promela models have the verdicts and the numbers of states that Spin 6.5.2 gives them.
//!
//! `corpus/promela/truth.json` holds Spin's answers without its own optimisations and reductions, going on after errors; a
//! transition there counts the initial state too. The small models run with every test. Other collections in the same form are
//! looked through by `make agreement MODELS=DIR`, which prints one line a model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::explore::{Counts, SearchOrder, explore};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::safety::Effort;
use tertium_driver::program::space::Space;
use tertium_driver::program::{self, CheckOptions, ProgramFile};

/// Models on which we differ from Spin on purpose, and why.
const DEVIATIONS: &[(&str, &str)] = &[
    ("micro_array_oob", "Spin goes on after an index outside its array and overwrites what lies behind it"),
    ("starol_HanoiPuzzle_N3", "Spin goes on after an index outside its array and overwrites what lies behind it"),
    ("micro_div_zero", "Spin's verifier dies of a division by zero; here it is a fault of that step alone"),
    ("micro_dstep_block", "Spin ends its search at a blocked d_step"),
    ("taka_abp_iv", "Spin ends its search at a message with too many fields"),
    ("micro_run_max", "Spin ends its search at the 256th process"),
];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela")
}

fn truth(dir: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join("truth.json")).expect("truth.json");
    serde_json::from_str(&text).expect("a list of models")
}

struct Compared {
    name: String,
    problems: Vec<String>,
    notes: Vec<String>,
}

fn load(path: &Path) -> Result<ProgramFile, String> {
    program::load(path, &[], None, &[]).map_err(|failure| match failure {
        tertium_driver::Failure::Input(messages) => {
            messages.iter().map(|message| message.render(false)).collect::<Vec<_>>().join("\n")
        }
        other => format!("{other:?}"),
    })
}

fn count(file: &ProgramFile, budget: &Budget, limit: usize) -> Result<Counts, String> {
    let space = Space::new(&file.program, budget).map_err(|failure| format!("{failure:?}"))?;
    let effort = Effort {
        threads: 1,
        max_states: Some(limit),
        reduction: false,
        store: tertium_driver::program::safety::Keeping::Exact,
        budget,
    };
    let explored = explore(&space, SearchOrder::Breadth, &effort, &mut |_| {});
    explored.map(|(counts, _)| counts).map_err(|failure| format!("{failure:?}"))
}

/// One value by the name of its question.
fn decide(file: &ProgramFile, name: &str, fair: bool, budget: &Budget) -> Result<Belnap, String> {
    let only = [name.to_owned()];
    let asked: Vec<Question> =
        questions(file, &only, false).map_err(|failure| format!("no question `{name}`: {failure:?}"))?;
    let options = CheckOptions { fair, look_for_idle: false, ..CheckOptions::default() };
    let outcome = program::check(file, &asked, &options, budget, &()).map_err(|failure| format!("{failure:?}"))?;
    let answer = outcome.answers.first().ok_or("no answer")?;
    if answer.value() == Belnap::False && answer.run().is_none() {
        return Err("false without a run".to_owned());
    }
    Ok(answer.value())
}

fn word(value: Belnap) -> &'static str {
    match value {
        Belnap::True => "true",
        Belnap::False => "false",
        Belnap::Unknown => "unknown",
        Belnap::Both => "both",
    }
}

/// Compares everything that Spin says about one model.
fn compare(dir: &Path, entry: &Value, limit: usize, time: Option<Duration>) -> Option<Compared> {
    let name = entry["file"].as_str()?.to_owned();
    let (mut problems, mut notes) = (Vec::new(), Vec::new());
    let budget = Budget::unlimited().with_time(time);
    let file = match load(&dir.join(&name)) {
        Ok(file) => file,
        Err(message) => {
            problems.push(format!("refused: {}", message.lines().next().unwrap_or_default()));
            return Some(Compared { name, problems, notes });
        }
    };
    let complete = entry["complete_o123"].as_bool() == Some(true);
    if complete && entry["states_o123"].as_u64()? <= limit as u64 {
        match count(&file, &budget, limit) {
            Ok(counts) if counts.stopped.is_some() => notes.push("out of time".to_owned()),
            Ok(counts) => {
                let wanted = (entry["states_o123"].as_u64()?, entry["transitions_o123"].as_u64()? - 1);
                let found = (counts.states as u64, counts.transitions as u64);
                if wanted != found {
                    problems.push(format!("states and transitions {found:?}, Spin has {wanted:?}"));
                }
            }
            Err(message) => problems.push(message),
        }
    } else {
        notes.push("too large".to_owned());
        return Some(Compared { name, problems, notes });
    }
    let verdict = entry["verdict_o123"].as_str().unwrap_or_default();
    for (question, word_of_spin) in [
        ("end-states", "invalid_end_state"),
        ("assertions", "assertion"),
        ("array-bounds", "array_index"),
        ("trace", "trace"),
    ] {
        let broken = verdict.split('+').any(|part| part == word_of_spin);
        check_one(&file, question, false, broken, &mut problems, &mut notes, time);
    }
    watch(entry, &file, &mut problems, &mut notes, time);
    Some(Compared { name, problems, notes })
}

/// Compares what Spin says about infinite runs.
fn watch(
    entry: &Value,
    file: &ProgramFile,
    problems: &mut Vec<String>,
    notes: &mut Vec<String>,
    time: Option<Duration>,
) {
    for (key, of_progress) in [("liveness", false), ("nonprogress", true)] {
        for row in entry[key].as_array().into_iter().flatten() {
            if row.get("reduction").is_some_and(|reduction| reduction != "noreduce") {
                continue;
            }
            let verdict = row["verdict"].as_str().unwrap_or_default();
            let broken = match verdict {
                "ok" => false,
                "acceptance_cycle" | "claim_end_reached" | "nonprogress_cycle" => true,
                // How Spin tells that a safety formula is violated.
                "assertion" if row["claim"].is_string() => true,
                _ => continue,
            };
            let name = match row["claim"].as_str() {
                _ if of_progress => "progress",
                Some("(accept labels)") => "acceptance",
                Some(name) => name,
                None if !file.program.claims.is_empty() => "never",
                None if file.program.properties.len() == 1 => file.program.properties[0].name.as_str(),
                None => "acceptance",
            };
            let name = name.to_owned();
            check_one(file, &name, row["fair"].as_bool() == Some(true), broken, problems, notes, time);
        }
    }
}

fn check_one(
    file: &ProgramFile,
    question: &str,
    fair: bool,
    broken: bool,
    problems: &mut Vec<String>,
    notes: &mut Vec<String>,
    time: Option<Duration>,
) {
    let budget = Budget::unlimited().with_time(time);
    let wanted = if broken { Belnap::False } else { Belnap::True };
    let fairly = if fair { " under fairness" } else { "" };
    match decide(file, question, fair, &budget) {
        Ok(value) if value == wanted => {}
        Ok(Belnap::Unknown) => notes.push(format!("{question}{fairly} open")),
        Ok(value) => problems.push(format!("{question}{fairly}: {}, Spin says {}", word(value), word(wanted))),
        // A question that a model cannot break is not asked.
        Err(message) if message.starts_with("no question") && !broken => {}
        Err(message) if message.starts_with("Stopped") => notes.push(format!("{question}{fairly} open")),
        Err(message) => problems.push(format!("{question}{fairly}: {message}")),
    }
}

fn deviation(name: &str) -> Option<&'static str> {
    DEVIATIONS.iter().find(|(known, _)| name.contains(known)).map(|(_, why)| *why)
}

#[test]
fn small_models_agree_with_spin() {
    let dir = corpus();
    let mut wrong = Vec::new();
    for entry in truth(&dir) {
        let Some(compared) = compare(&dir, &entry, 100_000, None) else { continue };
        if deviation(&compared.name).is_none() {
            wrong.extend(compared.problems.iter().map(|problem| format!("{}: {problem}", compared.name)));
            wrong.extend(compared.notes.iter().map(|note| format!("{}: {note}", compared.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `make agreement MODELS=DIR`: the table for a collection with its own `truth.json`.
#[test]
#[ignore = "needs a collection of models, named by TERTIUM_MODELS"]
fn a_collection_agrees_with_spin() {
    let dir = PathBuf::from(std::env::var("TERTIUM_MODELS").expect("TERTIUM_MODELS names a directory with truth.json"));
    let limit = std::env::var("TERTIUM_LIMIT").ok().and_then(|text| text.parse().ok()).unwrap_or(200_000);
    let only = std::env::var("TERTIUM_ONLY").unwrap_or_default();
    let seconds = std::env::var("TERTIUM_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let (mut agree, mut differ, mut part, mut meant) = (0, 0, 0, 0);
    let mut table = String::new();
    for entry in truth(&dir) {
        if !entry["file"].as_str().is_some_and(|name| name.contains(&only)) {
            continue;
        }
        let Some(compared) = compare(&dir, &entry, limit, Some(Duration::from_secs(seconds))) else { continue };
        let why = deviation(&compared.name);
        let line = match (compared.problems.is_empty(), compared.notes.is_empty()) {
            (true, true) => {
                agree += 1;
                "agrees".to_owned()
            }
            (true, false) => {
                part += 1;
                format!("no difference, but: {}", compared.notes.join("; "))
            }
            (false, _) => {
                meant += usize::from(why.is_some());
                differ += usize::from(why.is_none());
                let why = why.map_or_else(String::new, |why| format!(" (on purpose: {why})"));
                format!("DIFFERS: {}{why}", compared.problems.join("; "))
            }
        };
        table.push_str(&format!("{:<48} {line}\n", compared.name));
    }
    let summary = format!("{agree} agree, {part} in part, {meant} differ on purpose, {differ} differ");
    let out = std::env::var("TERTIUM_TABLE").unwrap_or_else(|_| "agreement.txt".to_owned());
    std::fs::write(&out, format!("{table}\n{summary}\n")).expect("the table can be written");
    assert_eq!(differ, 0, "{summary}; see {out}");
}
