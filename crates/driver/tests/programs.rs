//! Verdicts, counts and shortest runs of programs are those of a brute force that shares no code with the explorer.

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::explore::{Counts, SearchOrder, explore};
use tertium_driver::program::questions::questions;
use tertium_driver::program::safety::Effort;
use tertium_driver::program::space::Space as Explorable;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text};
use tertium_testkit::programs::{Space, state_space};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

const LIMIT: usize = 3000;
const ASKED: &str = "
property never : ltl G !home
property comes : ltl F home
property comes_back : ltl G F home
property never_ctl : ctl AG !home
property possible : ctl EF home
property always_possible : ctl AG EF home
";

fn loaded(text: &str) -> ProgramFile {
    from_text("random.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn answers(file: &ProgramFile, reduction: bool, threads: usize) -> Vec<ProgramAnswer> {
    let options = CheckOptions { reduction, threads, look_for_idle: false, ..CheckOptions::default() };
    let asked = questions(file, &[], false).expect("no names are asked for");
    match check(file, &asked, &options, &Budget::unlimited(), &()) {
        Ok(outcome) => outcome.answers,
        Err(failure) => panic!("{failure:?}\n{}", file.source.text),
    }
}

fn found<'a>(answers: &'a [ProgramAnswer], name: &str) -> Option<&'a ProgramAnswer> {
    answers.iter().find(|answer| answer.name == name)
}

fn truth(holds: bool) -> Belnap {
    if holds { Belnap::True } else { Belnap::False }
}

/// Grows or shrinks a set of states until nothing changes.
fn settled(space: &Space, mut set: Vec<bool>, rule: impl Fn(bool, &[usize], &[bool]) -> bool) -> Vec<bool> {
    loop {
        let before = set.clone();
        for (state, row) in space.edges.iter().enumerate() {
            set[state] = rule(set[state], row, &set);
        }
        if set == before {
            return set;
        }
    }
}

/// What the brute force says about the questions in `ASKED`.
fn expected(space: &Space) -> Vec<(&'static str, bool)> {
    let home = &space.predicates["home"];
    let reach = settled(space, home.clone(), |inside, row, set| inside || row.iter().any(|&next| set[next]));
    // A run can stay away for ever; where nothing follows, it stays.
    let away: Vec<bool> = home.iter().map(|inside| !inside).collect();
    let avoid =
        settled(space, away, |inside, row, set| inside && (row.is_empty() || row.iter().any(|&next| set[next])));
    vec![
        ("never", !home.iter().any(|&inside| inside)),
        ("never_ctl", !home.iter().any(|&inside| inside)),
        ("comes", !avoid[..space.initial].iter().any(|&yes| yes)),
        ("comes_back", !avoid.iter().any(|&yes| yes)),
        ("possible", reach[..space.initial].iter().all(|&yes| yes)),
        ("always_possible", reach.iter().all(|&yes| yes)),
    ]
}

fn compare(text: &str) -> bool {
    let (tree, _) = tertium_gcl::parse(text);
    let Some(space) = state_space(&tree, LIMIT) else { return false };
    let file = loaded(text);
    let plain = answers(&file, false, 1);
    for (reduction, threads) in [(true, 1), (true, 2), (false, 2)] {
        let other = answers(&file, reduction, threads);
        assert_eq!(plain.len(), other.len());
        for (one, two) in plain.iter().zip(&other) {
            assert_eq!(
                (one.value(), one.run()),
                (two.value(), two.run()),
                "{} {reduction} {threads} {:?}\n{text}",
                one.name,
                two.reasons()
            );
        }
    }
    let failing = plain.iter().filter_map(|answer| answer.run().filter(|run| run.fault.is_some()));
    assert_eq!(failing.map(|run| run.length()).min(), space.shortest_fault, "{text}");
    counts_agree(&file, &space, text);
    verdicts_agree(&plain, &space, text);
    true
}

fn verdicts_agree(answers: &[ProgramAnswer], space: &Space, text: &str) {
    for (name, holds) in expected(space) {
        let answer = found(answers, name).expect("it was asked");
        assert_eq!(answer.value(), truth(holds), "{name}\n{text}");
    }
    for (name, kind) in [
        ("assertions", "assertion"),
        ("array-bounds", "array-bounds"),
        ("division-by-zero", "division-by-zero"),
        ("range-overflow", "range-overflow"),
    ] {
        let value = found(answers, name).map_or(Belnap::True, |answer| answer.value());
        assert_eq!(value, truth(!space.faults.contains_key(kind)), "{name}\n{text}");
    }
    let nearest = |states: &mut dyn Iterator<Item = usize>| states.map(|state| space.depth[state]).min();
    let length = |name: &str| found(answers, name).and_then(|answer| answer.run()).map(|run| run.length());
    assert_eq!(length("deadlocks"), nearest(&mut space.deadlocks.iter().copied()), "{text}");
    let home = &space.predicates["home"];
    assert_eq!(length("never"), nearest(&mut (0..home.len()).filter(|&state| home[state])), "{text}");
}

fn counts_agree(file: &ProgramFile, space: &Space, text: &str) {
    let budget = Budget::unlimited();
    let explorable = Explorable::new(&file.program, &budget).expect("it can be explored");
    for threads in [1, 2] {
        let effort = Effort {
            threads,
            max_states: None,
            reduction: false,
            store: tertium_driver::program::safety::Keeping::Exact,
            budget: &budget,
        };
        let (counts, _) =
            explore(&explorable, SearchOrder::Breadth, &effort, &mut |_| {}).expect("no limit is reached");
        let (deep, _) = explore(&explorable, SearchOrder::Depth, &effort, &mut |_| {}).expect("no limit is reached");
        let numbers = |found: &Counts| (found.states, found.transitions, found.deadlocks, found.errors);
        assert_eq!(numbers(&deep), numbers(&counts), "depth first");
        let faults: usize = space.faults.values().sum();
        let depth = space.depth.iter().copied().max().unwrap_or(0);
        assert_eq!(
            (counts.states, counts.transitions, counts.deadlocks, counts.errors, counts.depth, counts.complete),
            (space.states(), space.transitions(), space.deadlocks.len(), faults, depth, true),
            "{text}"
        );
    }
}

#[test]
fn random_programs_have_the_verdicts_of_brute_force() {
    let compared = std::cell::Cell::new(0);
    for_random_cases(300, |case| {
        let mut text = random_program(&mut case.rng, &ProgramShape::default());
        let member = if text.contains("process P0[") { "[1]" } else { "" };
        text.push_str(&format!("predicate home : P0{member}@here\n{ASKED}"));
        case.keep("program.gcl", text.clone());
        compared.set(compared.get() + usize::from(compare(&text)));
    });
    assert!(compared.get() > 200, "{} compared", compared.get());
}

const LINEAR: [&str; 8] = [
    "F home",
    "G F home",
    "F G home",
    "G (home -> X !home)",
    "home U !b",
    "G F b -> G F home",
    "G (home -> F (b && !home))",
    "X (b R home) || F G !b",
];

/// Two ways that share nothing but the steps: on the fly with Couvreur's search, and as `A` over the collected graph.
#[test]
fn linear_formulas_have_one_value_on_the_fly_and_on_the_graph() {
    let both = std::cell::Cell::new([0, 0]);
    for_random_cases(150, |case| {
        let mut text = random_program(&mut case.rng, &ProgramShape { faults: false, ..ProgramShape::default() });
        let member = if text.contains("process P0[") { "[1]" } else { "" };
        text.push_str(&format!("predicate home : P0{member}@here\n"));
        let fair = case.rng.below(3);
        text.push_str(["", "fair P0\n", "fair P0\n"][fair]);
        for (at, formula) in LINEAR.iter().enumerate() {
            text.push_str(&format!("property fly{at} : ltl {formula}\nproperty graph{at} : ctl* A ({formula})\n"));
        }
        case.keep("program.gcl", text.clone());
        let (tree, _) = tertium_gcl::parse(&text);
        if state_space(&tree, LIMIT).is_none() {
            return;
        }
        let answers = answers(&loaded(&text), true, 1);
        for (at, formula) in LINEAR.iter().enumerate() {
            let fly = found(&answers, &format!("fly{at}")).expect("it was asked");
            let graph = found(&answers, &format!("graph{at}")).expect("it was asked");
            assert_eq!(fly.value(), graph.value(), "{formula}\n{text}");
            let mut seen = both.get();
            seen[usize::from(fly.value() == Belnap::True)] += 1;
            both.set(seen);
        }
    });
    assert!(both.get().iter().all(|&count| count > 100), "{:?}", both.get());
}

/// The examples with their unbounded variables bounded.
#[test]
fn bounded_examples_have_the_verdicts_of_brute_force() {
    for (name, both) in [
        ("bakery_a", "P1@crit && P2@crit"),
        ("bakery_b", "P1@crit && P2@crit"),
        ("bakery_c", "P1@crit && P2@crit"),
        ("tickets", "P[1]@crit && P[2]@crit"),
    ] {
        let path = format!("{}/../../corpus/gcl/{name}.gcl", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let asked = |line: &&str| !line.starts_with("property") && !line.starts_with("fair");
        let without = text.lines().filter(asked).collect::<Vec<_>>().join("\n");
        for bound in [2, 3] {
            let bounded = without.replace(": nat", &format!(": 0..{bound}"));
            let text = format!("{bounded}\npredicate home : {both}\n{ASKED}");
            assert!(compare(&text), "{name} is too large with the bound {bound}");
        }
    }
}

#[test]
fn what_cannot_finish_says_why() {
    let reason = |text: &str| {
        let file = loaded(text);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let options = CheckOptions { max_states: Some(5000), ..CheckOptions::default() };
        let outcome = check(&file, &asked, &options, &Budget::unlimited(), &()).expect("answers");
        let answer = &outcome.answers[0];
        assert_eq!(answer.value(), Belnap::Unknown, "{answer:?}");
        answer.reasons()[0].about.clone().unwrap_or_default()
    };
    let counting = "system s\nvar x : nat = 0\nprocess P { loop { x := x + 1; } }\n";
    assert_eq!(reason(&format!("{counting}property p : ltl G x >= 0")), "x");
    assert_eq!(reason(&format!("{counting}property p : ltl F G x > 5")), "x");
    assert_eq!(reason(&format!("{counting}property p : ctl EF x < 0")), "x");
    assert_eq!(reason("system s\nvar y : int\nprocess P { skip; }\nproperty p : ltl G y = y"), "y");
    let unknown = "system s\nfunction f(int) : int\nvar x : int = 0\nprocess P { x := f(x); }\n";
    assert_eq!(reason(&format!("{unknown}property p : ltl G x = 0")), "f");
    // The only run that is known rests where `f` is called; that is no counterexample.
    assert_eq!(reason(&format!("{unknown}property p : ltl F x = 1")), "f");
}

#[test]
fn fairness_decides_what_comes_in_the_end() {
    let value = |fair: &str, guard: &str| {
        let text = format!(
            "system s\nvar x : 0..1 = 0\nvar done : bool = false\n\
             process P {{ loop {{ x := 1 - x; }} }}\nprocess Q {{ when {guard} do done := true; }}\n\
             {fair}\nproperty p : ltl F done\n"
        );
        let file = loaded(&text);
        let run = answers(&file, true, 1).remove(0);
        assert_eq!(run.value() == Belnap::False, run.run().is_some_and(|run| run.loop_start.is_some()));
        run.value()
    };
    // Q can step at every moment, or again and again.
    assert_eq!(
        [value("", "true"), value("fair Q", "true"), value("strong fair Q", "true")].map(|v| v == Belnap::True),
        [false, true, true]
    );
    assert_eq!(
        [value("", "x = 1"), value("fair Q", "x = 1"), value("strong fair Q", "x = 1")].map(|v| v == Belnap::True),
        [false, false, true]
    );
}

#[test]
fn an_implication_that_never_matters_is_told() {
    let vacuous = |formula: &str| {
        let text = format!("system s\nvar x : 0..9 = 0\nprocess P {{ x := 3; }}\nproperty p : {formula}\n");
        let answer = answers(&loaded(&text), true, 1).remove(0);
        assert_eq!(answer.value(), Belnap::True, "{formula}");
        answer.is_vacuous()
    };
    assert_eq!(
        ["ltl G (x = 5 -> x = 6)", "ctl AG (x > 3 -> x = 9)", "ltl G (x = 3 -> x > 0)"].map(vacuous),
        [true, true, false]
    );
}

/// A state that is its own successor does not come before itself in a shortest run.
#[test]
fn a_broken_state_with_a_step_to_itself() {
    let text = "system s\nvar p : bool\nvar r : bool = true\nprocess Q { loop { r := !p; } }\n\
                process S { loop { skip; } }\nproperty f : ltl G (p -> r)\n";
    for reduction in [true, false] {
        let answer = answers(&loaded(text), reduction, 1).remove(0);
        assert_eq!(answer.value(), Belnap::False);
        assert_eq!(answer.run().expect("a run shows it").steps.len(), 1);
    }
}
