//! Whatever is left out of a search, and however little is kept of its states, answers are those of a search with everything.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::promela;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::reduced_program::ReducedProgram;
use tertium_driver::program::run;
use tertium_driver::program::safety::{Effort, Keeping};
use tertium_driver::program::space::Space;
use tertium_driver::program::{CheckOptions, ProgramFile, check, from_text};
use tertium_explore::reduction::{ReductionKinds, StateSpaceReduction};
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::run::shortest_run;
use tertium_explore::search::{Blind, Finding};
use tertium_program::Semantics;
use tertium_testkit::{ProgramShape, Rng, for_random_cases, random_program, random_promela};

/// Larger models are left out.
const MOST_STATES: usize = 4000;

/// A model in which most steps are a process's own, and most channels too; now and then a promise about one is not kept.
fn private_model(rng: &mut Rng) -> String {
    let processes = 2 + rng.below(2);
    let mut text = String::from("byte g;\n");
    for at in 0..processes {
        let _ = writeln!(text, "chan q{at} = [{}] of {{ byte }};", 1 + rng.below(2));
    }
    for at in 0..processes {
        let _ = writeln!(text, "proctype P{at}(chan in, out; byte k) {{ byte x = k, y, z[2];");
        for (keyword, channel) in [("xr", "in"), ("xs", "out")] {
            if rng.chance(60) {
                let _ = writeln!(text, "  {keyword} {channel};");
            }
        }
        let _ = writeln!(text, "top:");
        for number in 0..3 + rng.below(4) {
            let _ = writeln!(text, "  {};", statement(rng, number, true));
        }
        let _ = writeln!(text, "{}}}", if rng.chance(50) { "  goto top\n" } else { "" });
    }
    let _ = writeln!(text, "init {{ atomic {{");
    for at in 0..processes {
        let next = if rng.chance(85) { (at + 1) % processes } else { at };
        let _ = writeln!(text, "  run P{at}(q{at}, q{next}, {});", rng.below(3));
    }
    text.push_str("} }\n");
    for (number, formula) in FORMULAS.iter().enumerate() {
        if rng.chance(35) {
            let _ = writeln!(text, "ltl f{number} {{ {formula} }}");
        }
    }
    text
}

const FORMULAS: [&str; 7] = [
    "[] (g != 2)",
    "<> (g == 1)",
    "[] <> (g == 0)",
    "<> [] (g != 1)",
    "[] (len(q0) < 2)",
    "X X (g == 0)",
    "(g == 0) U (g == 1 || len(q1) > 0)",
];

fn statement(rng: &mut Rng, number: usize, nested: bool) -> String {
    let simple = |rng: &mut Rng| {
        let choices = [
            "x = (x + 1) % 3",
            "y = x",
            "z[x % 2] = y",
            "x = z[y % 2]",
            "y = 0",
            "out!x",
            "out!1",
            "in?y",
            "in?x",
            "in?eval(x)",
            "g = x",
            "g = (g + y) % 3",
            "assert(x != 2 || y != 1)",
            "assert(g != 2 || x != 1)",
            "printf(\"%d\", x)",
            "skip",
            "x < 2",
            "g == 0",
            "out!!y",
            "in??1",
            "x = 7 / (2 - y)",
        ];
        (*rng.pick(&choices)).to_owned()
    };
    match rng.below(if nested { 10 } else { 5 }) {
        0..=4 => simple(rng),
        5 => format!("if :: x == 0 -> {} :: else -> {} fi", statement(rng, 0, false), statement(rng, 0, false)),
        6 => format!("do :: y < 2 -> y++; {} :: else -> break od", statement(rng, 0, false)),
        7 => format!("if :: in?y -> {} :: in?2 -> {} fi", statement(rng, 0, false), statement(rng, 0, false)),
        8 => {
            let label = *rng.pick(&["accept", "progress", "end", "here"]);
            format!("{label}{number}: {}", simple(rng))
        }
        _ => format!("if :: nempty(in) -> {} :: timeout -> {} fi", simple(rng), simple(rng)),
    }
}

fn loaded(name: &str, text: &str) -> ProgramFile {
    let file = match name.ends_with(".pml") {
        true => promela::from_text(name, text, &[], None, &[], &[]),
        false => from_text(name, text.to_owned(), &[], None),
    };
    file.unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// The value of every question, by name.
fn values(file: &ProgramFile, options: &CheckOptions, progress: bool) -> Vec<(String, Belnap)> {
    let asked = questions(file, &[], progress).expect("no names are asked for");
    let options = CheckOptions { look_for_idle: false, ..options.clone() };
    match check(file, &asked, &options, &Budget::unlimited(), &()) {
        Ok(outcome) => outcome
            .answers
            .into_iter()
            .map(|answer| {
                let known = answer.value() != Belnap::Unknown || !answer.reasons().is_empty();
                assert!(known, "{} is open without a reason\n{}", answer.name, file.source.text);
                (answer.name.clone(), answer.value())
            })
            .collect(),
        Err(failure) => panic!("{failure:?}\n{}", file.source.text),
    }
}

/// The space, if it is small.
fn small<'f>(file: &'f ProgramFile, budget: &Budget) -> Option<Space<'f>> {
    let space = Space::new(&file.program, budget).ok()?;
    let options = Options { threads: 1, max_states: Some(MOST_STATES), stop_at_finding: false, budget };
    let found = breadth_first(&space.stepper, &Blind, &space.initial, &options, &mut |_| {});
    found.summary.complete().then_some(space)
}

fn random_model(case: usize, rng: &mut Rng) -> ProgramFile {
    match case % 4 {
        0 => loaded("random.pml", &random_promela(rng)),
        1 => loaded("random.gcl", &random_program(rng, &ProgramShape::default())),
        _ => loaded("private.pml", &private_model(rng)),
    }
}

#[test]
fn answers_do_not_depend_on_what_is_left_out_or_kept() {
    let (compared, told_false) = (Cell::new(0), Cell::new(0));
    for_random_cases(60, |case| {
        let file = random_model(case.number, &mut case.rng);
        if small(&file, &Budget::unlimited()).is_none() {
            return;
        }
        compared.set(compared.get() + 1);
        let (fair, progress) = (case.number % 5 == 0, case.number % 2 == 0);
        let all = CheckOptions { reduction: false, fair, ..CheckOptions::default() };
        let expected = values(&file, &all, progress);
        told_false.set(told_false.get() + expected.iter().filter(|(_, value)| *value == Belnap::False).count());
        let reduced = values(&file, &CheckOptions { reduction: true, ..all.clone() }, progress);
        assert_eq!(reduced, expected, "left: with reductions\n{}", file.source.text);
        let store = if case.number % 8 == 1 { Keeping::Bits } else { Keeping::Compact };
        for reduction in [true, false] {
            let sketched = values(&file, &CheckOptions { reduction, store, ..all.clone() }, progress);
            for ((name, found), (_, known)) in sketched.iter().zip(&expected) {
                let open = *found == Belnap::Unknown;
                let on_graph = file.program.properties.iter().any(|property| property.logic != "ltl");
                // So few states do not meet in 64 bits: what is false is found.
                let missed = open && *known == Belnap::False && !on_graph;
                assert!(
                    (open || found == known) && !missed,
                    "{name} {store:?} {reduction}: {found:?}, not {known:?}\n{}",
                    file.source.text
                );
                let proved = *found == Belnap::True && !on_graph;
                assert!(!proved, "{name}: nothing is proved with {store:?}\n{}", file.source.text);
            }
        }
    });
    let (compared, told_false) = (compared.get(), told_false.get());
    assert!(compared > 25 && told_false > 20, "{compared} compared, {told_false} false");
}

/// Steps that nobody else sees but the property, which speaks of locals of two processes, or of where both are: only a search that
/// interleaves them meets the state.
#[test]
fn what_a_property_sees_of_processes_is_not_left_out() {
    let processes = "proctype A() { byte x; x = 1; m: x = 2; x = 3; x > 4 }\n\
                     proctype B() { byte y; y = 1; n: y = 2; y = 3; y > 4 }\n\
                     init { atomic { run A(); run B() } }\n";
    for (formula, value) in [
        ("[] !(A[1]:x == 1 && B[2]:y == 1)", Belnap::False),
        ("[] !(A[1]:x == 2 && B[2]:y == 0)", Belnap::False),
        ("[] !(A[1]:x == 0 && B[2]:y == 2)", Belnap::False),
        ("[] !(A[1]:x == 3 && B[2]:y == 4)", Belnap::True),
        ("[] !(A[1]@m && B[2]@n)", Belnap::False),
        ("[] (A[1]@m -> B[2]:y != 3)", Belnap::False),
        ("[] (B[2]@n -> A[1]:x != 3)", Belnap::False),
    ] {
        let file = loaded("seen.pml", &format!("{processes}ltl seen {{ {formula} }}\n"));
        for reduction in [true, false] {
            let options = CheckOptions { reduction, ..CheckOptions::default() };
            let found = values(&file, &options, false);
            let seen = found.iter().find(|(name, _)| name == "seen").expect("it is asked");
            assert_eq!(seen.1, value, "{formula}, reduction: {reduction}");
        }
    }
}

/// Of processes that come and go, no location is private whose steps a question sees.
#[test]
fn steps_that_a_question_sees_are_not_private() {
    for (formula, private) in [("g == 0", true), ("A[1]:x == 1", false), ("A[1]@m", false)] {
        let text = format!(
            "byte g; active proctype B() {{ do :: g < 2 -> g++; run A() :: break od }}\n\
             proctype A() {{ byte x; x = 1; m: x = 2; x = 3 }}\nltl seen {{ [] ({formula}) }}\n"
        );
        let file = loaded("private.pml", &text);
        let asked = questions(&file, &["seen".to_owned()], false).expect("it is asked");
        let Some(Question::Property(asked)) = asked.first() else { panic!("a property is a property") };
        let semantics = Semantics::new(&file.program);
        assert!(!semantics.layout().is_fixed(), "processes come and go");
        let reduction = StateSpaceReduction::of(&semantics, &asked.atoms);
        let process = file.program.process_ids().find(|&process| file.program.process(process).name == "A");
        let process = process.expect("it is there");
        let locations = file.program.process(process).locations.len();
        let is_private = (0..locations).any(|at| reduction.is_ample(process.index(), at));
        assert_eq!(is_private, private, "{formula}");
    }
}

/// What its own process does not read any more may be read by another.
#[test]
fn a_variable_that_another_process_reads_is_not_dead() {
    let text = "system watched\nprocess P {\n  var x : 0..2 = 0\n  x := 1; skip; skip }\n\
                process Q { when P.x = 1 do skip; assert false }\n";
    let file = loaded("watched.gcl", text);
    for reduction in [true, false] {
        let options = CheckOptions { reduction, ..CheckOptions::default() };
        let found = values(&file, &options, false);
        assert!(found.iter().any(|(_, value)| *value == Belnap::False), "reduction: {reduction}: {found:?}");
    }
}

#[test]
fn runs_of_reduced_searches_are_followed_with_all_their_steps() {
    let (followed, merged, by_promise) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let longest = RefCell::new(0);
    for_random_cases(80, |case| {
        let file = random_model(case.number, &mut case.rng);
        let budget = Budget::unlimited();
        let Some(mut space) = small(&file, &budget) else { return };
        let effort = Effort { threads: 1, max_states: None, reduction: true, store: Keeping::Exact, budget: &budget };
        let broken = space.watch_promises(&effort, &mut |_| {});
        let promises = !file.program.promises.is_empty() && broken.is_none();
        by_promise.set(by_promise.get() + usize::from(promises));
        let Some(reduced) = ReducedProgram::of(&space, &[], ReductionKinds { promises, ..ReductionKinds::ALL }) else {
            return;
        };
        let options = Options { threads: 1, max_states: None, stop_at_finding: false, budget: &budget };
        let all = breadth_first(&space.stepper, &Blind, &space.initial, &options, &mut |_| {});
        let found = breadth_first(&reduced.stepper, &Blind, &reduced.initial, &options, &mut |_| {});
        let text = &file.source.text;
        assert!(
            found.summary.findings.keys().eq(all.summary.findings.keys()),
            "{:?}\n{:?}\n{text}",
            found.summary.findings,
            all.summary.findings
        );
        for (finding, place) in &found.summary.findings {
            let rows =
                shortest_run(&reduced.stepper, found.levelled(), &place.row, place.depth, &budget).expect("no limit");
            let states = match finding {
                Finding::Fault(fault) => reduced.follow_to(&space, &rows, fault),
                _ => reduced.follow(&space, &rows),
            };
            let states = states.unwrap_or_else(|failure| panic!("{failure:?} {finding:?}\n{text}"));
            merged.set(merged.get() + usize::from(states.len() > rows.len()));
            let run = run::connect(&space.semantics, &states);
            let run = run.unwrap_or_else(|failure| panic!("{failure:?} {finding:?}\n{text}"));
            let run = match finding {
                Finding::Fault(fault) => run::with_fault(&space.semantics, run, fault),
                _ => run::with_deadlock(&space.semantics, run),
            };
            let run = run.unwrap_or_else(|failure| panic!("{failure:?} {finding:?}\n{text}"));
            let mut longest = longest.borrow_mut();
            *longest = run.length().max(*longest);
            followed.set(followed.get() + 1);
        }
    });
    let (followed, merged, by_promise) = (followed.get(), merged.get(), by_promise.get());
    assert!(
        followed > 20 && merged > 5 && by_promise > 5,
        "{followed} followed, {merged} with merged steps, {by_promise} with promises"
    );
    assert!(longest.into_inner() > 5);
}
