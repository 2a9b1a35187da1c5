//! Does the plain semantics have as many states and steps as Spin counts, and the same mistakes?
//!
//! Spin's figures for the models of the corpus are recorded. Random models are given to Spin in the same test, if a
//! `spin` and a `gcc` are on the path: verdict, states and transitions must be equal (Spin counts the initial state
//! as a transition). `make test-spin` runs many.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tertium_base::Budget;
use tertium_program::{FaultKind, Outcome, Program, Semantics, State};
use tertium_promela::lower::lower;
use tertium_promela::{Options, read};
use tertium_testkit::{corpus, for_random_cases, random_promela};

/// More states than this are not counted.
const MOST_STATES: usize = 30_000;

/// What a search finds.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    states: usize,
    /// As Spin counts: one more than there are steps.
    transitions: usize,
    mistakes: BTreeSet<String>,
}

fn program(name: &str, text: &str) -> Result<Program, String> {
    let model = read(name, text, &Options::default());
    let errors: Vec<String> = model.diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect();
    if model.is_broken() {
        return Err(errors.join("\n"));
    }
    let lowered = lower(&model.file, &model.symbols, &model.sources);
    let errors: Vec<String> =
        lowered.diagnostics.iter().filter(|d| d.is_error()).map(|d| format!("{} {}", d.code, d.message)).collect();
    if errors.is_empty() { Ok(lowered.program) } else { Err(errors.join("\n")) }
}

fn mistake(kind: &FaultKind) -> String {
    match kind {
        FaultKind::Assertion => "assertion violated".to_owned(),
        FaultKind::BlockedInDeterministic => "block in d_step seq".to_owned(),
        FaultKind::Index { .. } => "invalid array index".to_owned(),
        other => other.name().to_owned(),
    }
}

/// All states, by the definition of a step; `None` if there are too many.
fn search(program: &Program) -> Option<Found> {
    let semantics = Semantics::new(program).persistent();
    let initial = semantics.initial_states(2, &Budget::unlimited()).expect("one initial state");
    let mut seen: HashSet<State> = initial.iter().cloned().collect();
    let mut queue: VecDeque<State> = initial.into();
    let mut found = Found { states: 0, transitions: 1, mistakes: BTreeSet::new() };
    while let Some(state) = queue.pop_front() {
        let mut stuck = true;
        for successor in semantics.successors(&state) {
            stuck = false;
            match successor.outcome {
                Outcome::Next(next) => {
                    found.transitions += 1;
                    if seen.insert(next.clone()) {
                        queue.push_back(next);
                    }
                }
                Outcome::Fault { fault, .. } => {
                    found.mistakes.insert(mistake(&fault.kind));
                }
            }
        }
        if stuck && !semantics.all_at_end(&state.slots) {
            found.mistakes.insert("invalid end state".to_owned());
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    found.states = seen.len();
    Some(found)
}

#[test]
fn models_of_one_rule_each_have_as_many_states_as_spin_counts() {
    let folder = corpus::folder().join("promela/micro");
    let text = fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut different = Vec::new();
    for (name, entry) in expected.as_object().unwrap() {
        let Some(states) = entry["states"].as_u64() else { continue };
        // After an index out of bounds Spin goes on with whatever lies there in memory; we stop the run.
        if entry["complete"] != true || name == "micro_array_oob.pml" {
            continue;
        }
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let found = match program(name, &text) {
            Ok(program) => search(&program),
            Err(errors) => panic!("{name}: {errors}"),
        };
        let Some(found) = found else { continue };
        let wanted = (states, entry["transitions"].as_u64().unwrap_or(0));
        if (found.states as u64, found.transitions as u64) != wanted {
            different
                .push(format!("{name}: {} states, {} transitions; Spin {wanted:?}", found.states, found.transitions));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

fn on_path(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// What Spin says of a model: refused; too large to compare, or translated to C that is none; or its figures.
enum Spin {
    Refused(String),
    Unusable,
    Found(Found),
}

fn spin(folder: &Path, text: &str) -> Spin {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("model.pml"), text).unwrap();
    let run = |tool: &str, arguments: &[&str]| {
        let output = Command::new(tool).args(arguments).current_dir(folder).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    let generated = run("spin", &["-o1", "-o2", "-o3", "-a", "model.pml"]);
    if !folder.join("pan.c").exists() {
        return Spin::Refused(generated);
    }
    let flags = ["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DMEMLIM=512", "-o", "pan", "pan.c"];
    let compiled = run("gcc", &flags);
    if !folder.join("pan").exists() {
        assert!(compiled.contains("error"), "{compiled}");
        return Spin::Unusable;
    }
    let output = run("timeout", &["20", "./pan", "-n", "-c0", "-m20000"]);
    let number = |mark: &str| {
        let line = output.lines().find(|line| line.contains(mark))?;
        line.split_whitespace().next()?.parse::<usize>().ok()
    };
    let out_of_time = !output.contains("errors:") && !output.contains("error:");
    if out_of_time || output.contains("max search depth too small") || output.contains("Search not completed") {
        return Spin::Unusable;
    }
    let (Some(states), Some(transitions)) = (number("states, stored"), number("transitions (=")) else {
        return Spin::Refused(output);
    };
    let mistakes = output.lines().filter_map(mistake_of).collect();
    Spin::Found(Found { states, transitions, mistakes })
}

/// `pan:1: assertion violated (x==1) (at depth 3)`.
fn mistake_of(line: &str) -> Option<String> {
    let text = line.strip_prefix("pan:")?.split_once(": ")?.1;
    let known = ["invalid array index", "assertion violated", "invalid end state", "block in d_step seq"];
    Some(known.iter().find(|known| text.contains(**known)).map_or(text, |known| known).to_owned())
}

fn scratch(number: usize) -> PathBuf {
    std::env::temp_dir().join(format!("tertium-spin-{}-{number}", std::process::id()))
}

#[test]
#[allow(clippy::print_stderr)]
fn random_models_agree_with_spin() {
    if !on_path("spin") || !on_path("gcc") {
        eprintln!("skipped: no spin and gcc on the path");
        return;
    }
    for_random_cases(6, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", text.clone());
        let folder = scratch(case.number);
        let theirs = spin(&folder, &text);
        let _ = fs::remove_dir_all(&folder);
        let ours = program("model.pml", &text);
        match theirs {
            // A loop of one state, or an `else` inside an option beside another, is no mistake: Spin's verifiers only
            // cannot follow it.
            Spin::Refused(why) if why.contains("unconditional self-loop") || why.contains("'else' stmnts") => {}
            Spin::Refused(why) => assert!(ours.is_err(), "Spin refuses:\n{why}"),
            Spin::Unusable => {}
            Spin::Found(theirs) => {
                let program = ours.unwrap_or_else(|errors| panic!("Spin accepts, we do not:\n{errors}"));
                if let Some(ours) = search(&program) {
                    assert_eq!(ours, theirs, "left: ours, right: Spin's");
                }
            }
        }
    });
}
