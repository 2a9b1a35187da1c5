//! Does the plain semantics have as many states and steps as Spin counts, and the same mistakes?
//!
//! Spin's figures for the models of the corpus are recorded. Random models are given to Spin in the same test, if a
//! `spin` and a `gcc` are on the path: verdict, states and transitions must be equal (Spin counts the initial state
//! as a transition). The definition of a step and compiled steps must agree with each other in any case, with several
//! threads too, and reduction must keep the verdict. `make test-spin` runs many.

use std::cell::Cell;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tertium_base::Budget;
use tertium_explore::compiled::Compiled;
use tertium_explore::reduction::StateSpaceReduction;
use tertium_explore::search::breadth::{self, breadth_first};
use tertium_explore::search::depth::depth_first;
use tertium_explore::search::{Blind, Finding, Summary};
use tertium_program::{FaultKind, Outcome, Program, Semantics, State};
use tertium_promela::lower::lower;
use tertium_promela::{Options, read};
use tertium_testkit::spin::{compiler, is_available};
use tertium_testkit::{corpus, for_random_cases, random_promela};

/// More states than this are not counted by the definition.
const MOST_STATES: usize = 30_000;
/// More states than this are not counted by compiled steps.
const MOST_COMPILED: usize = 300_000;

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

fn mistakes_of(summary: &Summary) -> BTreeSet<String> {
    let name = |finding: &Finding| match finding {
        Finding::Fault(fault) => mistake(&fault.kind),
        Finding::Deadlock => "invalid end state".to_owned(),
        Finding::Broken(condition) => format!("condition {condition}"),
    };
    summary.findings.keys().map(name).collect()
}

/// All states, by compiled steps; `None` if there are too many. The searches that must agree do.
fn search_compiled(program: &Program) -> Option<Found> {
    let semantics = Semantics::new(program).persistent();
    let compiled = Compiled::of(&semantics);
    let budget = Budget::unlimited();
    let initial = semantics.initial_states(2, &budget).expect("one initial state");
    let initial: Vec<Vec<u32>> = initial.iter().map(|state| compiled.plain().row(state)).collect();
    let options = |threads| breadth::Options {
        threads,
        max_states: Some(MOST_COMPILED),
        stop_at_finding: false,
        budget: &budget,
    };
    let full = breadth_first(&compiled, &Blind, &initial, &options(1), &mut |_| {}).summary;
    if !full.complete() {
        return None;
    }
    let with_two = breadth_first(&compiled, &Blind, &initial, &options(2), &mut |_| {}).summary;
    assert_eq!(with_two, full, "left: two threads, right: one");
    let mistakes = mistakes_of(&full);
    let reduced = compiled.reduced(StateSpaceReduction::of(&semantics, &[]));
    let initial: Vec<Vec<u32>> = initial.iter().map(|row| reduced.representative(row)).collect();
    let wide = breadth_first(&reduced, &Blind, &initial, &options(1), &mut |_| {}).summary;
    assert_eq!(breadth_first(&reduced, &Blind, &initial, &options(2), &mut |_| {}).summary, wide, "reduced");
    let deep = depth_first(&reduced, &Blind, &initial, &options(1), &mut |_| {}).summary;
    for fewer in [wide, deep] {
        assert!(fewer.states <= full.states && fewer.complete());
        assert_eq!(mistakes_of(&fewer), mistakes, "left: with reduction, right: without");
    }
    // As Spin counts.
    Some(Found { states: full.states, transitions: full.transitions + 1, mistakes })
}

/// What the definition and compiled steps find; they agree where both can finish.
fn search_both(program: &Program) -> Option<Found> {
    let compiled = search_compiled(program);
    let defined = search(program);
    if defined.is_some() {
        assert_eq!(compiled, defined, "left: compiled, right: defined");
    }
    compiled
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
            Ok(program) => search_both(&program),
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

/// Models whose figures under Spin are known: what is written, states, transitions.
const RECORDED: [(&str, usize, usize); 7] = [
    (
        // Inside a `d_step` that begins with a rendezvous the sender has stepped last.
        "byte x, y; chan q = [0] of { byte };
         active proctype P() { skip; q!1; y = _last }
         active proctype R() { y = 3 }
         active proctype Q() { byte a; d_step { q?a; x = _last + 1; x = x + 1; x = x + _last };
           x = x + _last * 10; d_step { x = x + _last * 20; y = _last } }",
        105,
        123,
    ),
    (
        // Inside a `d_step` `_last` stays as it was, inside `atomic` it does not.
        "byte x, y;
         active proctype R() { atomic { y = 3; d_step { x = _last; y = _last + 4 }; x = x + _last } }
         active proctype Q() { x = x + _last * 10; d_step { x = x + _last * 20; y = _last;
           do :: x > 0 -> x-- :: x > 0 -> x = _last :: else -> break od } }",
        17,
        18,
    ),
    // The priority of a proctype is that of its active instances, not of those that `run` starts.
    ("byte x; proctype P() priority 2 { skip; skip } init { run P(); x = 1; skip }", 14, 20),
    ("byte x; proctype P() { skip; x = 2; skip } init { run P() priority 2; x = 1; skip }", 9, 9),
    (
        // Whether `else` is possible depends on who waits to meet, so coming there is nobody's own business.
        "byte done; chan q = [0] of { byte };
         active proctype S() { q!1; do :: q?_ :: q!0 :: else -> break od; done = 1 }
         active proctype R() { byte p; q?1; p = 1; q?p }",
        14,
        17,
    ),
    (
        // So does whether a block is interrupted in its middle: without a buffer,
        "byte x; chan q = [0] of { byte };
         active proctype A() { atomic { x = 1; q!1; x = 2 } }
         active proctype P() { byte l; l = 1; q?l }
         active proctype C() { x == 1 -> assert(x == 2) }",
        21,
        31,
    ),
    (
        // and with one.
        "byte x; chan q = [1] of { byte };
         active proctype A() { byte v; atomic { x = 1; q?v; x = 2 } }
         active proctype P() { byte l; l = 1; q!l }
         active proctype C() { x == 1 -> assert(x == 2) }",
        22,
        33,
    ),
];

#[test]
fn recorded_models_have_as_many_states_as_spin_counts() {
    for (text, states, transitions) in RECORDED {
        let found = search_both(&program("model.pml", text).unwrap()).unwrap();
        assert_eq!((found.states, found.transitions), (states, transitions), "{text}");
    }
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
    let compiled = run(compiler().unwrap_or("gcc"), &flags);
    if !folder.join("pan").exists() {
        assert!(compiled.contains("error"), "{compiled}");
        return Spin::Unusable;
    }
    let output = run("timeout", &["900", "./pan", "-n", "-c0", "-m20000", "-w18"]);
    let number = |mark: &str| {
        let line = output.lines().find(|line| line.contains(mark))?;
        line.split_whitespace().next()?.parse::<usize>().ok()
    };
    let out_of_time = !output.contains("states, stored") && !output.contains("error:");
    // Among many mistakes Spin does not say that it did not go on.
    let too_deep = output.contains("max search depth too small") || output.contains("depth reached 19999");
    if out_of_time || too_deep || output.contains("Search not completed") {
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
    if text.contains("event_trace error") {
        return Some("trace".to_owned());
    }
    let known = ["invalid array index", "assertion violated", "invalid end state", "block in d_step seq"];
    Some(known.iter().find(|known| text.contains(**known)).map_or(text, |known| known).to_owned())
}

fn scratch(number: usize) -> PathBuf {
    std::env::temp_dir().join(format!("tertium-spin-{}-{number}", std::process::id()))
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn random_models_agree_with_spin() {
    if !is_available() {
        eprintln!("skipped: no spin and no C compiler on the path");
        return;
    }
    let (equal, refused, unusable) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let count = |of: &Cell<usize>| of.set(of.get() + 1);
    for_random_cases(6, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", text.clone());
        let folder = scratch(case.number);
        let theirs = spin(&folder, &text);
        let _ = fs::remove_dir_all(&folder);
        let ours = program("model.pml", &text);
        let found = ours.as_ref().ok().and_then(search_both);
        match theirs {
            // A loop of one state, or an `else` inside an option beside another, is no mistake: Spin's verifiers only
            // cannot follow it.
            Spin::Refused(why) if why.contains("unconditional self-loop") || why.contains("'else' stmnts") => {
                count(&unusable);
            }
            Spin::Refused(why) => {
                assert!(ours.is_err(), "Spin refuses:\n{why}");
                count(&refused);
            }
            Spin::Unusable => count(&unusable),
            Spin::Found(theirs) => {
                if let Err(errors) = ours {
                    panic!("Spin accepts, we do not:\n{errors}");
                }
                match found {
                    Some(ours) => {
                        assert_eq!(ours, theirs, "left: ours, right: Spin's");
                        count(&equal);
                    }
                    None => count(&unusable),
                }
            }
        }
    });
    let (equal, refused, unusable) = (equal.get(), refused.get(), unusable.get());
    eprintln!("{equal} models equal, {refused} refused by both, {unusable} that cannot be compared");
}
