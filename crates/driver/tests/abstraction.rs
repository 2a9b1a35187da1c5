//! What abstraction says is what running the program says: on random programs with small domains, for all kinds, all logics,
//! with fairness and with runs that end; and on the programs of the corpus.

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::Failure;
use tertium_driver::program::abstracted::{self, AbstractionOptions, Kind, Limit};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, Extras, ProgramAnswer, ProgramFile, check, from_text_with};
use tertium_testkit::{Case, ProgramShape, for_random_cases, random_program, random_promela};

const KINDS: [Kind; 5] = Kind::ALL;

fn loaded(text: &str, predicates: &[&str]) -> ProgramFile {
    let extras = Extras {
        predicates: predicates.iter().map(|text| (*text).to_owned()).collect(),
        keep: Vec::new(),
        ..Extras::default()
    };
    from_text_with("test.gcl", text.to_owned(), &[], None, &extras)
        .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn abstract_answers(file: &ProgramFile, options: &AbstractionOptions) -> Result<Vec<ProgramAnswer>, Failure> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    abstracted::check(file, &asked, &CheckOptions::default(), options, &Budget::unlimited(), &())
        .map(|outcome| outcome.answers)
}

fn concrete_answers(file: &ProgramFile) -> Vec<ProgramAnswer> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
    check(file, &asked, &options, &Budget::unlimited(), &()).unwrap_or_else(|failure| panic!("{failure:?}")).answers
}

fn random_text(case: &mut Case) -> String {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    let mut text = random_program(&mut case.rng, &shape);
    for process in ["P0", "P1"] {
        if text.contains(&format!("process {process}")) && case.rng.chance(40) {
            text.push_str(&format!("fair {process}\n"));
        }
    }
    text.push_str(
        "property p1 : ltl F (n = 1)\nproperty p2 : ltl G (b -> F (n = 0))\nproperty p3 : ltl X (n = 1 || b)\n",
    );
    text.push_str("property p4 : ctl AG (b -> EX (n = 0 || b))\nproperty p5 : ctl AF (n = 2)\nproperty p6 : ctl* E (F b && G (n < 2))\n");
    text.push_str("property p7 : mu nu X. (n < 2 && <> X)\n");
    case.keep("program.gcl", &text);
    text
}

fn compare(case: &mut Case, limit: Limit) -> Option<(usize, usize)> {
    let text = random_text(case);
    let choices = ["n = 1", "b", "n < 2", "n = 0", "b = (n = 1)"];
    let predicates = case.rng.some_of(&choices);
    case.keep("predicates.txt", predicates.join("\n"));
    let file = loaded(&text, &predicates);
    let truth = concrete_answers(&file);
    let (mut definite, mut all) = (0, 0);
    for kind in KINDS {
        case.keep("kind.txt", kind.name());
        let options =
            AbstractionOptions { kind, limit, keep_small: case.rng.chance(25), ..AbstractionOptions::default() };
        let found = match abstract_answers(&file, &options) {
            Ok(found) => found,
            // Blocks with loops have no terms.
            Err(Failure::Input(_)) => return None,
            Err(failure) => panic!("{failure:?}"),
        };
        for (answer, expected) in found.iter().zip(&truth) {
            assert_eq!(answer.name, expected.name);
            all += 1;
            if matches!(answer.value, Belnap::True | Belnap::False) {
                definite += 1;
                let known = matches!(expected.value, Belnap::True | Belnap::False);
                assert!(
                    !known || answer.value == expected.value,
                    "{} ({kind:?}): abstraction says {:?}, running says {:?}",
                    answer.name,
                    answer.value,
                    expected.value
                );
            }
        }
    }
    Some((definite, all))
}

#[test]
fn definite_answers_are_those_of_the_program() {
    let counts = std::cell::Cell::new((0, 0));
    for_random_cases(40, |case| {
        if let Some((definite, all)) = compare(case, Limit::default()) {
            counts.set((counts.get().0 + definite, counts.get().1 + all));
        }
    });
    let (definite, all) = counts.get();
    assert!(definite * 4 > all, "only {definite} of {all} answers are definite");
}

#[test]
fn a_solver_that_gives_up_makes_no_answer_wrong() {
    for_random_cases(15, |case| {
        let work = *case.rng.pick(&[1, 50, 200]);
        compare(case, Limit { work: Some(work), time: None });
    });
}

fn corpus(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/gcl").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[track_caller]
fn values(name: &str, predicates: &[&str], options: &AbstractionOptions) -> Vec<(String, Belnap)> {
    let file = loaded(&corpus(name), predicates);
    let answers = abstract_answers(&file, options).unwrap_or_else(|failure| panic!("{failure:?}"));
    answers.into_iter().map(|answer| (answer.name, answer.value)).collect()
}

#[test]
fn the_bakery_is_proved_over_all_integers() {
    for kind in KINDS {
        let options = AbstractionOptions { kind, ..AbstractionOptions::default() };
        let found = values("bakery_a.gcl", &[], &options);
        assert!(found.iter().all(|(_, value)| *value == Belnap::True), "{kind:?}: {found:?}");
    }
    let all = ["y1 = 0", "y2 = 0", "y1 <= y2", "P1.t = 0", "P1.t <= y2", "P2.t = 0", "y1 <= P2.t", "P1.t <= P2.t"];
    let found = values("bakery_c.gcl", &[&all[..], &["x1 = 0", "x2 = 0"]].concat(), &AbstractionOptions::default());
    assert_eq!(found[0], ("mutex".to_owned(), Belnap::True));
    let file = loaded(&corpus("bakery_b.gcl"), &all);
    let answers = abstract_answers(&file, &AbstractionOptions::default()).unwrap();
    assert_eq!(answers[0].value, Belnap::False);
    let run = answers[0].run.as_ref().expect("a run of the program");
    assert_eq!(run.length(), 6);
}

#[test]
fn parities_of_an_unknown_function() {
    let cubes = AbstractionOptions { kind: Kind::Cubes, ..AbstractionOptions::default() };
    let thorough = AbstractionOptions { thorough: true, ..cubes.clone() };
    let hyper = AbstractionOptions::default();
    let check = |name: &str, property: &str, expected: [Belnap; 3]| {
        let found = [&cubes, &thorough, &hyper].map(|options| {
            let all = values(name, &["p", "q"], options);
            all.into_iter().find(|(known, _)| known == property).expect("the property").1
        });
        assert_eq!(found, expected, "{name} {property}: cubes, cubes thoroughly, hyper");
    };
    check("parity_c1.gcl", "phi1", [Belnap::Unknown, Belnap::True, Belnap::True]);
    check("parity_c2.gcl", "phi2", [Belnap::Unknown, Belnap::False, Belnap::False]);
    check("parity_c2.gcl", "phi2x", [Belnap::Unknown, Belnap::False, Belnap::False]);
    check("parity_c3.gcl", "phi3", [Belnap::Unknown, Belnap::Unknown, Belnap::Unknown]);
}

#[test]
fn mistakes_are_told_by_kind() {
    let text =
        "system s\nvar x : int = 0\nvar a : int = 1\nprocess P { loop { x := x + 1; assert x < 3; a := 6 div a; } }\n";
    let file = loaded(text, &["x = 0", "x = 1", "x = 2", "x < 3", "a = 1", "a = 6"]);
    for kind in KINDS {
        let options = AbstractionOptions { kind, ..AbstractionOptions::default() };
        let answers = abstract_answers(&file, &options).unwrap_or_else(|failure| panic!("{failure:?}"));
        let answer = |name: &str| answers.iter().find(|answer| answer.name == name).expect("the question");
        assert_eq!(answer("division-by-zero").value, Belnap::True, "{kind:?}");
        assert_eq!(answer("assertions").value, Belnap::False, "{kind:?}");
        let run = answer("assertions").run.as_ref().expect("a run of the program");
        assert!(run.fault.is_some());
    }
}

/// A Promela model of two tickets.
fn promela(declaration: &str, bound: &str) -> tempfile::File {
    let take = |own: &str, other: &str| format!("atomic {{ {} {own} = {other} + 1 }}", bound.replace("OTHER", other));
    let text = format!(
        "{declaration}\npred t0 == 0\npred t1 == 0\npred t0 <= t1\n\
         active proctype P() {{ do :: {}; (t1 == 0 || t0 <= t1); crit: t0 = 0 od }}\n\
         active proctype Q() {{ do :: {}; (t0 == 0 || t1 < t0); crit: t1 = 0 od }}\n\
         ltl mutex {{ [] !(P@crit && Q@crit) }}\n",
        take("t0", "t1"),
        take("t1", "t0"),
    );
    tempfile::File::new(&text)
}

/// A file that goes when its test does.
mod tempfile {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static NEXT: AtomicUsize = AtomicUsize::new(0);

    pub struct File(pub PathBuf);

    impl File {
        pub fn new(text: &str) -> Self {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("tertium-{}-{number}.pml", std::process::id()));
            std::fs::write(&path, text).expect("a temporary file");
            Self(path)
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }
}

fn promela_values(path: &std::path::Path, kind: Kind) -> (Vec<(String, Belnap)>, ProgramFile) {
    let file = tertium_driver::program::load(path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    let options = AbstractionOptions { kind, ..AbstractionOptions::default() };
    let answers =
        abstract_answers(&file, &options).unwrap_or_else(|failure| panic!("{failure:?}\n{}", file.program.show_all()));
    (answers.into_iter().map(|answer| (answer.name, answer.value)).collect(), file)
}

#[test]
fn machine_integers_wrap_in_abstraction_too() {
    // Three bits: a ticket after 7 is 0, and two processes are inside.
    let wrapping = promela("unsigned t0 : 3; unsigned t1 : 3;", "");
    for kind in KINDS {
        let (found, file) = promela_values(&wrapping.0, kind);
        let mutex = found.iter().find(|(name, _)| name == "mutex").expect("the property");
        assert_ne!(mutex.1, Belnap::True, "{kind:?}");
        let truth = concrete_answers(&file);
        let truth = truth.iter().find(|answer| answer.name == "mutex").expect("the property");
        assert_eq!(truth.value, Belnap::False);
    }
    for (declaration, bound) in
        [("unsigned t0 : 20; unsigned t1 : 20;", "OTHER < 262144 ->"), ("byte t0, t1;", "OTHER < 200 ->")]
    {
        let bounded = promela(declaration, bound);
        let (found, _) = promela_values(&bounded.0, Kind::Hyper);
        let mutex = found.iter().find(|(name, _)| name == "mutex").expect("the property");
        assert_eq!(mutex.1, Belnap::True, "{declaration}");
    }
}

#[test]
fn the_examples_in_promela_are_proved_whatever_their_bounds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let examples = [("bakery.pml", "MAX"), ("bakery3.pml", "MAX"), ("fischer.pml", "LONG"), ("fischer3.pml", "LONG")];
    for (name, bound) in examples {
        let mut calls = Vec::new();
        for size in ["64", "16384"] {
            let defines = [(bound.to_owned(), size.to_owned())];
            let file = tertium_driver::program::load(&folder.join(name), &[], None, &defines);
            let file = file.unwrap_or_else(|failure| panic!("{failure:?}"));
            let answers = abstract_answers(&file, &AbstractionOptions::default());
            let answers = answers.unwrap_or_else(|failure| panic!("{failure:?}\n{}", file.program.show_all()));
            let mutex = answers.iter().find(|answer| answer.name == "mutex").expect("the property");
            assert_eq!(mutex.value, Belnap::True, "{name} with {size}");
            calls.push(mutex.solver.expect("abstraction").calls);
        }
        // Which models a solver finds, and so which later questions are spared, is up to it.
        let (fewer, more) = (calls[0].min(calls[1]), calls[0].max(calls[1]));
        assert!(more - fewer <= more / 50, "{name}: the work does not depend on the bound: {calls:?}");
    }
}

/// The same protocols with a mistake in them: never true.
#[test]
fn the_examples_with_a_mistake_are_not_proved() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mistakes = [
        ("bakery.pml", "(t0 == 0 || t1 < t0)", "(t0 == 0 || t1 <= t0 || t0 == 2)"),
        ("bakery3.pml", "(t1 == 0 || t2 < t1)", "(t1 == 0 || t2 < t1 || t0 == 0)"),
        ("fischer.pml", "y > LONG;", "y >= LONG;"),
        ("fischer3.pml", "z > LONG;", "z >= LONG;"),
    ];
    for (name, right, wrong) in mistakes {
        let text = std::fs::read_to_string(folder.join(name)).expect("an example");
        assert!(text.contains(right), "{name}");
        let text = text.replace(right, wrong).replace("#define MAX 262144", "#define MAX 3");
        let changed = tempfile::File::new(&text.replace("#define LONG 32768", "#define LONG 2"));
        let (found, file) = promela_values(&changed.0, Kind::Hyper);
        let value =
            |name: &str, all: &[(String, Belnap)]| all.iter().find(|found| found.0 == name).map(|found| found.1);
        assert_ne!(value("mutex", &found), Some(Belnap::True), "{name}");
        let truth: Vec<(String, Belnap)> =
            concrete_answers(&file).into_iter().map(|answer| (answer.name, answer.value)).collect();
        assert_eq!(value("mutex", &truth), Some(Belnap::False), "{name}");
    }
}

/// Every model of the corpus that can be abstracted: what is definite is what running it says.
#[test]
fn promela_models_of_the_corpus_get_no_wrong_answer() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela/micro");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("the corpus").map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    paths.sort();
    let (mut abstracted_models, mut definite) = (0, 0);
    // Every third is enough for one test; those that take long are left.
    for path in paths.into_iter().step_by(3) {
        let Ok(file) = tertium_driver::program::load(&path, &[], None, &[]) else { continue };
        let asked = questions(&file, &[], false).expect("no names are asked for");
        for (kind, keep_small) in
            [(Kind::Hyper, true), (Kind::Hyper, false), (Kind::Cartesian, false), (Kind::Four, false)]
        {
            let options =
                AbstractionOptions { kind, keep_small, max_states: Some(3000), ..AbstractionOptions::default() };
            let budget = Budget::unlimited().with_effort(Some(10_000));
            let found = abstracted::check(&file, &asked, &CheckOptions::default(), &options, &budget, &());
            let Ok(found) = found else { continue };
            abstracted_models += 1;
            let truth = concrete_answers(&file);
            for (answer, expected) in found.answers.iter().zip(&truth) {
                assert_eq!(answer.name, expected.name);
                let known = |answer: &ProgramAnswer| matches!(answer.value, Belnap::True | Belnap::False);
                if known(answer) && known(expected) {
                    definite += 1;
                    assert_eq!(answer.value, expected.value, "{} ({kind:?}): {}", path.display(), answer.name);
                }
            }
        }
    }
    assert!(abstracted_models > 20 && definite > 40, "{abstracted_models} models, {definite} definite answers");
}

/// Random models that can be abstracted: what is definite is what running them says.
#[test]
fn random_models_get_no_wrong_answer() {
    let (models, compared) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(30, |case| {
        let mut text = random_promela(&mut case.rng);
        text.push_str("ltl p { [] (g1 != 2) }\nltl q { <> (g1 == 1) }\nltl r { [] (g1 == 0 -> <> (g1 != 0)) }\n");
        case.keep("model.pml", &text);
        let model = tempfile::File::new(&text);
        let file = tertium_driver::program::load(&model.0, &[], None, &[]);
        let file = file.unwrap_or_else(|failure| panic!("{failure:?}"));
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let brief = || Budget::unlimited().with_effort(Some(20_000));
        let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
        for (kind, keep_small) in [(Kind::Hyper, true), (Kind::Hyper, false), (Kind::Cartesian, false)] {
            let how = AbstractionOptions { kind, keep_small, max_states: Some(400), ..AbstractionOptions::default() };
            let found = abstracted::check(&file, &asked, &CheckOptions::default(), &how, &brief(), &());
            let found = match found {
                Ok(found) => found,
                // What it starts, or how its processes meet, may not be known to abstraction.
                Err(Failure::Input(_)) => return,
                Err(failure) => panic!("{failure:?}"),
            };
            models.set(models.get() + 1);
            let truth = check(&file, &asked, &options, &brief(), &()).unwrap_or_else(|failure| panic!("{failure:?}"));
            for (answer, expected) in found.answers.iter().zip(&truth.answers) {
                let known = |answer: &ProgramAnswer| matches!(answer.value, Belnap::True | Belnap::False);
                if known(answer) && known(expected) {
                    assert_eq!(answer.value, expected.value, "{kind:?}: {}", answer.name);
                    compared.set(compared.get() + 1);
                }
            }
        }
    });
    assert!(compared.get() > 0, "no random model could be abstracted");
}

/// A model that polls, waits for a time-out and breaks its claims: each false answer comes with a run of the model itself.
#[test]
fn false_answers_about_promela_come_with_a_run() {
    let text = "chan q = [2] of { bit, bool }; bool nine; int y;
        pred y == 0
        active proctype S() { unsigned i : 2; do :: i < 2 -> q!i,true; i++ :: else -> break od; timeout -> nine = true }
        active proctype R() { do :: q?[1,true] -> q?_,_ :: q?[0] -> q?0,_; y = y + 4 :: timeout -> break od;
                              assert(y < 3) }
        ltl never_nine { [] !nine }
        ltl small { [] (y <= 3) }
        ltl some { <> (y > 3) }";
    let model = tempfile::File::new(text);
    let file = tertium_driver::program::load(&model.0, &[], None, &[]);
    let file = file.unwrap_or_else(|failure| panic!("{failure:?}"));
    let found = abstract_answers(&file, &AbstractionOptions::default()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let truth = concrete_answers(&file);
    let mut runs = 0;
    for (answer, expected) in found.iter().zip(&truth) {
        let told: Vec<String> = answer.reasons.iter().map(|reason| reason.what.clone()).collect();
        // That the assertion alone goes wrong is not told from other faults.
        if answer.name == "other-faults" {
            continue;
        }
        assert_eq!(answer.value, expected.value, "{}: {}", answer.name, told.join("; "));
        if answer.value == Belnap::False {
            assert!(answer.run.is_some(), "{} is false without a run", answer.name);
            runs += 1;
        }
    }
    assert!(runs >= 3, "{runs} runs");
}

const LINEAR: [&str; 14] = [
    "F (n = 1)",
    "G (b -> F (n = 0))",
    "X (n = 1 || b)",
    "X X X (n < 3 || !b)",
    "G F b",
    "F G (n < 2)",
    "(n < 2) U b",
    "b R (n < 3)",
    "G (n = 1 -> X (n != 1))",
    "(G F b) -> F G (n = 0)",
    "(n = 0) W (b && X !b)",
    "G (n >= 0)",
    "F (b && X (n = 0))",
    "!(b U (n = 2)) || X b",
];

fn linear_text(case: &mut Case) -> String {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    let mut text = random_program(&mut case.rng, &shape);
    for process in ["P0", "P1"] {
        if text.contains(&format!("process {process}")) && case.rng.chance(30) {
            text.push_str(&format!("fair {process}\n"));
        }
    }
    for (number, formula) in case.rng.some_of(&LINEAR).into_iter().take(6).enumerate() {
        text.push_str(&format!("property l{number} : ltl {formula}\n"));
    }
    case.keep("program.gcl", &text);
    text
}

/// Making states on demand says what the whole structure says, for every kind of abstraction.
#[test]
fn on_demand_says_what_the_whole_structure_says() {
    let (on_demand, all) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(60, |case| {
        let text = linear_text(case);
        let predicates = case.rng.some_of(&["n = 1", "b", "n < 2", "n = 0", "b = (n = 1)"]);
        case.keep("predicates.txt", predicates.join("\n"));
        let file = loaded(&text, &predicates);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let deadlock = case.rng.chance(20).then_some(tertium_driver::Deadlock::Mu);
        let checked = CheckOptions { deadlock, fair: case.rng.chance(20), ..CheckOptions::default() };
        for kind in KINDS {
            case.keep("kind.txt", kind.name());
            let part = AbstractionOptions { kind, keep_small: case.rng.chance(25), ..AbstractionOptions::default() };
            let whole = AbstractionOptions { on_demand: false, ..part.clone() };
            let answers = |how: &AbstractionOptions| {
                abstracted::check(&file, &asked, &checked, how, &Budget::unlimited(), &()).map(|found| found.answers)
            };
            let (part, whole) = match (answers(&part), answers(&whole)) {
                (Ok(part), Ok(whole)) => (part, whole),
                (Err(Failure::Input(_)), Err(Failure::Input(_))) => return,
                (part, whole) => panic!("{:?} {:?}", part.err(), whole.err()),
            };
            for (part, whole) in part.iter().zip(&whole) {
                assert_eq!(part.value, whole.value, "{}: {} ({kind:?})", part.name, part.formula);
                // What was not made is not known to be vacuous.
                let made_all = part.on_demand.is_none_or(|made| made.left == 0);
                assert!(!part.vacuous || whole.vacuous, "{}: {} ({kind:?})", part.name, part.formula);
                assert!(part.vacuous || !whole.vacuous || !made_all, "{}: {} ({kind:?})", part.name, part.formula);
                all.set(all.get() + usize::from(part.logic == "ltl"));
                on_demand.set(on_demand.get() + usize::from(part.on_demand.is_some()));
                if let Some(made) = part.on_demand {
                    assert!(made.made <= whole.states, "{}: {made:?}, {} in all", part.name, whole.states);
                }
            }
        }
    });
    let (on_demand, all) = (on_demand.get(), all.get());
    assert!(on_demand * 2 > all, "only {on_demand} of {all} answers were found on demand");
}

fn with_and_without(file: &ProgramFile) -> (Vec<ProgramAnswer>, Vec<ProgramAnswer>) {
    let answers = |on_demand| {
        let how = AbstractionOptions { on_demand, ..AbstractionOptions::default() };
        abstract_answers(file, &how).unwrap_or_else(|failure| panic!("{failure:?}"))
    };
    (answers(true), answers(false))
}

/// A run that may break a property is near, and most of the abstraction is not: only what is near is made, and asked for.
#[test]
fn what_is_far_from_a_near_run_is_not_made() {
    let text = "system s\nvar n : int = 0\nvar m : int\nvar b : bool = false\ninit 1 <= m && m <= 2\n\
                process P { loop { n := n + m; } }\nprocess Q { loop { skip; } }\nprocess R { await n > 20; b := true; }\n\
                property soon : ltl F b\nproperty near : ltl X X (n <= 4)\n";
    let predicates: Vec<String> = (0..=20).map(|at| format!("n <= {at}")).collect();
    let predicates: Vec<&str> = predicates.iter().map(String::as_str).chain(["m <= 1", "m >= 1", "m <= 2"]).collect();
    let (part, whole) = with_and_without(&loaded(text, &predicates));
    for (number, (name, value)) in [("soon", Belnap::False), ("near", Belnap::True)].into_iter().enumerate() {
        let (part, whole) = (&part[number], &whole[number]);
        assert_eq!((part.name.as_str(), part.value, whole.value), (name, value, value));
        let made = part.on_demand.expect("it was made on demand");
        assert!(made.made * 4 < whole.states, "{name}: {made:?} of {} states", whole.states);
        let (few, many) = (part.solver.expect("a solver").calls, whole.solver.expect("a solver").calls);
        assert!(few * 3 < many, "{name}: {few} calls, {many} for the whole structure");
    }
}

/// The same for a model with many abstract states.
#[test]
fn what_is_not_made_costs_no_questions() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fischer3.pml");
    let given = ["early: X X !P@crit".to_owned()];
    let file = tertium_driver::program::load(&path, &given, Some(tertium_driver::Logic::Ltl), &[]);
    let (part, whole) = with_and_without(&file.unwrap_or_else(|failure| panic!("{failure:?}")));
    let (part, whole) = (&part[0], &whole[0]);
    assert_eq!((part.value, whole.value), (Belnap::True, Belnap::True));
    let made = part.on_demand.expect("it was made on demand");
    assert!(made.made * 50 < whole.states, "{made:?} of {} states", whole.states);
    let (few, many) = (part.solver.expect("a solver").calls, whole.solver.expect("a solver").calls);
    assert!(few * 10 < many, "{few} calls, {many} for the whole structure");
}
