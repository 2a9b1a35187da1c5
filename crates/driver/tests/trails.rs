//! Is the run that a trail of Spin describes found again?
//!
//! Written trails, and trails that Spin makes during the test if a `spin` and a `gcc` are on the path: with and without
//! its merging of statements the run must be found, must fit Spin's numbers, and must end in the mistake that Spin found.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tertium_base::Budget;
use tertium_driver::program::simulate::{Ending, Simulator};
use tertium_driver::program::trail::{Followed, Numbers, read};
use tertium_driver::program::{ProgramFile, promela};
use tertium_driver::{Failure, program};

fn model(text: &str) -> ProgramFile {
    promela::from_text("model.pml", text, &[], None, &[], &[]).expect("a model")
}

fn follow(text: &str, trail: &str) -> Result<(Followed, Option<Ending>), Failure> {
    let (file, budget) = (model(text), Budget::unlimited());
    let mut simulator = Simulator::new(&file, &budget)?;
    let followed = simulator.follow(&read(trail)?, &budget)?;
    // What is told must be a run by the definition of a step.
    let semantics = program::semantics(&file);
    let mut state = followed.run.first.clone();
    for taken in followed.run.steps.iter().filter(|taken| !taken.moves.is_empty()) {
        let known = semantics
            .successors(&state)
            .into_iter()
            .any(|successor| successor.moves == taken.moves && successor.outcome.state() == Some(&taken.state));
        assert!(known, "{taken:?} is no step");
        state = taken.state.clone();
    }
    let ending = simulator.ending();
    Ok((followed, ending))
}

fn code(failure: Failure) -> &'static str {
    match failure {
        Failure::Input(messages) => messages[0].diagnostic.code,
        other => panic!("{other:?}"),
    }
}

/// The first option is the wrong one in both choices.
const CHOICES: &str =
    "byte x; active proctype A() { if :: x = 1 :: x = 2 fi; if :: x++ :: x = x + 2 fi; assert(x != 4) }";

#[test]
fn the_end_decides_between_runs_of_the_same_processes() {
    let (followed, ending) = follow(CHOICES, "1:0:1\n2:0:5\n3:0:8\n").expect("a run");
    assert!(matches!(ending, Some(Ending::Fault(_))));
    assert_eq!((followed.run.length(), followed.numbers, followed.ends_badly), (3, Numbers::InOrder, true));
}

#[test]
fn numbers_that_fit_no_run_are_said_to_contradict() {
    let (followed, ending) = follow(CHOICES, "1:0:1\n2:0:1\n3:0:1\n").expect("a run");
    assert!(matches!(ending, Some(Ending::Fault(_))));
    assert_eq!(followed.numbers, Numbers::Contradict);
    let (followed, _) = follow(CHOICES, "1:0:8\n2:0:5\n3:0:1\n").expect("a run");
    assert_eq!(followed.numbers, Numbers::Consistent);
}

#[test]
fn a_trail_of_another_model_is_refused() {
    assert_eq!(code(follow(CHOICES, "1:1:0\n").expect_err("no such process")), "E0596");
    assert_eq!(code(follow(CHOICES, "1:0:0\n-1:-1:-1\n2:0:1\n").expect_err("no such cycle")), "E0596");
    assert_eq!(code(follow(CHOICES, "1;0;0\n").expect_err("no trail")), "E0595");
}

#[test]
fn a_trail_may_end_where_nothing_is_wrong() {
    let (followed, ending) = follow(CHOICES, "1:0:0\n").expect("a run");
    assert_eq!((followed.run.length(), followed.ends_badly, ending), (1, false, None));
}

#[test]
fn a_claim_does_not_move_inside_an_atomic_block() {
    let text = "byte x; active proctype P() {
        if :: atomic { x = 2; x = 3 } :: x = 1 fi; atomic { x = x + 1; x = x + 2; goto l }; x = 9; l: x = x + 3
    } ltl p { [] (x != 6) }";
    let (followed, _) = follow(text, "-2:1:-2\n-4:-4:-4\n1:0:16\n2:1:0\n3:0:16\n4:1:6\n5:0:13\n").expect("a run");
    assert_eq!((followed.run.length(), followed.numbers, followed.claim_steps), (2, Numbers::InOrder, 3));
}

/// Models with one mistake each, and the options of the verifier that finds it.
const MISTAKES: [(&str, &str, &str); 6] = [
    (
        "meeting",
        "",
        "chan q = [0] of { byte }; byte x; active proctype A() { do :: x < 2 -> x++ :: q!1 od }
         active proctype B() { byte y; do :: q?y -> atomic { x = x + 1; if :: x > 1 -> x = 5 :: else -> skip fi };
         assert(x < 5) od }",
    ),
    (
        "processes",
        "",
        "byte x; chan q = [1] of { byte }; proctype P(byte n) { byte k; k = n; k++; q!n; x++ }
         init { atomic { run P(1); run P(2) }; q?1; q?2; x == 2 -> d_step { x = 3; x = 4 }; q?3 }",
    ),
    (
        "claim",
        "-a",
        "byte x, z; active proctype A() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
         active proctype B() { do :: z = 1 - z od }
         never { do :: true :: x == 1 -> goto accept od; accept: do :: x < 2 od }",
    ),
    (
        "formula",
        "-a",
        "byte x; active proctype A() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od } ltl p { <> [] (x > 0) }",
    ),
    ("rest", "-a", "byte x; active proctype A() { x = 1; x = 2 } ltl p { [] <> (x == 1) }"),
    (
        "loops",
        "",
        "byte i, s; inline add(v) { s = s + v } active proctype A() { for (i : 1 .. 3) { add(i) } ; add(1);
         { s++ -> s++ } unless { s > 200 }; select (i : 0 .. 2); assert(s + i < 10) }",
    ),
];

fn on_path(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// The trail that Spin writes.
fn trail_of(directory: &Path, options: &[&str], verifier: &str, text: &str) -> String {
    let _ = fs::remove_dir_all(directory);
    fs::create_dir_all(directory).expect("a directory");
    fs::write(directory.join("m.pml"), text).expect("the model");
    let run = |tool: &str, arguments: &[&str]| {
        Command::new(tool).args(arguments).current_dir(directory).output().expect("it runs")
    };
    run("spin", &[options, &["-a", "m.pml"]].concat());
    run("gcc", &["-w", "-O0", "-o", "pan", "pan.c"]);
    let pan = directory.join("pan");
    run(pan.to_str().expect("a path"), &verifier.split_whitespace().collect::<Vec<_>>());
    fs::read_to_string(directory.join("m.pml.trail")).expect("Spin finds the mistake")
}

#[test]
fn trails_of_spin_are_followed() {
    if !on_path("spin") || !on_path("gcc") {
        let _ = writeln!(std::io::stderr(), "skipped: there is no spin or no gcc");
        return;
    }
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trails");
    for (name, verifier, text) in MISTAKES {
        for options in [&[][..], &["-o1", "-o2", "-o3"]] {
            let trail = trail_of(&directory.join(name), options, verifier, text);
            let found = follow(text, &trail);
            let (followed, _) = found.unwrap_or_else(|why| panic!("{name} {options:?}: {why:?}\n{trail}"));
            assert!(followed.ends_badly, "{name} {options:?}\n{trail}");
            assert!(
                matches!(followed.numbers, Numbers::InOrder | Numbers::Consistent),
                "{name} {options:?}: {:?}\n{trail}",
                followed.numbers
            );
            assert_eq!(followed.run.loop_start.is_some(), trail.contains("-1:-1:-1"), "{name}");
        }
    }
}
