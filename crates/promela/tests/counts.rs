//! Small models have as many states and transitions as Spin counts without its optimisations.
//!
//! Explored here by the definition of a step alone, with a set of states, so that nothing but lowering and that definition is
//! compared with `corpus/promela/truth.json`.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tertium_base::Budget;
use tertium_program::{Outcome, Program, Semantics};
use tertium_promela::lower::lower;
use tertium_promela::{Options, read};

/// Models on which we differ from Spin on purpose.
const DEVIATIONS: &[&str] = &["micro_array_oob", "micro_div_zero", "micro_dstep_block", "micro_run_max"];

fn corpus() -> PathBuf {
    std::env::var("TERTIUM_MODELS")
        .map_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela"), PathBuf::from)
}

fn program(path: &Path) -> Result<Program, String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let name = path.to_string_lossy();
    let model = read(&name, &text, &Options::default());
    let errors = |found: &[tertium_base::Diagnostic]| {
        found.iter().find(|message| message.is_error()).map(|message| message.message.clone())
    };
    if let Some(message) = errors(&model.diagnostics) {
        return Err(format!("refused: {message}"));
    }
    let lowered = lower(&model.file, &model.symbols, &model.sources);
    match errors(&lowered.diagnostics) {
        Some(message) => Err(format!("cannot be lowered: {message}")),
        None => Ok(lowered.program),
    }
}

struct Counts {
    states: usize,
    transitions: usize,
    found: BTreeSet<&'static str>,
}

fn count(program: &Program, limit: usize) -> Result<Counts, String> {
    let semantics = Semantics::new(program);
    let initial = semantics.initial_states(1, &Budget::unlimited()).map_err(|why| format!("{why:?}"))?;
    let mut seen: HashSet<Vec<i64>> = initial.iter().map(|state| state.slots.clone()).collect();
    let mut open: VecDeque<_> = initial.into();
    let mut counts = Counts { states: 0, transitions: 0, found: BTreeSet::new() };
    while let Some(state) = open.pop_front() {
        if seen.len() > limit {
            return Err("too many states".to_owned());
        }
        let successors = semantics.successors(&state);
        if successors.is_empty() && !semantics.all_at_end(&state.slots) {
            counts.found.insert("invalid_end_state");
        }
        for successor in successors {
            match successor.outcome {
                Outcome::Next(next) => {
                    counts.transitions += 1;
                    if seen.insert(next.slots.clone()) {
                        open.push_back(next);
                    }
                }
                Outcome::Fault { fault, .. } => {
                    counts.found.insert(fault.kind.name());
                }
            }
        }
    }
    counts.states = seen.len();
    Ok(counts)
}

fn compare(entry: &Value, limit: usize) -> Result<(), String> {
    let file = entry["file"].as_str().unwrap_or_default();
    if entry["complete_o123"].as_bool() != Some(true) {
        return Ok(());
    }
    let number = |key: &str| usize::try_from(entry[key].as_u64().unwrap_or(0)).unwrap();
    let program = program(&corpus().join(file))?;
    let violations = program.violations();
    if !violations.is_empty() {
        return Err(format!("malformed: {}", violations[0]));
    }
    if number("states_o123") > limit {
        return Ok(());
    }
    let counts = count(&program, limit * 4)?;
    let wanted = (number("states_o123"), number("transitions_o123").saturating_sub(1));
    let mut problems = Vec::new();
    if (counts.states, counts.transitions) != wanted {
        problems.push(format!("{:?}, Spin has {wanted:?}", (counts.states, counts.transitions)));
    }
    let verdict = entry["verdict_o123"].as_str().unwrap_or_default();
    for word in ["assertion", "invalid_end_state", "trace"] {
        if counts.found.contains(word) != verdict.split('+').any(|part| part == word) {
            problems.push(format!("{word}: we have {:?}, Spin {verdict}", counts.found));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}

#[test]
fn plain_counts_are_those_of_spin() {
    let text = std::fs::read_to_string(corpus().join("truth.json")).expect("truth.json");
    let entries: Vec<Value> = serde_json::from_str(&text).expect("a list of models");
    let limit = std::env::var("TERTIUM_LIMIT").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let only = std::env::var("TERTIUM_ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for entry in &entries {
        let name = entry["file"].as_str().unwrap_or_default();
        if !name.contains(&only) || DEVIATIONS.iter().any(|known| name.contains(known)) {
            continue;
        }
        if let Err(problem) = compare(entry, limit) {
            wrong.push(format!("{name}: {problem}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), entries.len(), wrong.join("\n"));
}
