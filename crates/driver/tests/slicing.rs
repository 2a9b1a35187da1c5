//! A program without the variables that cannot matter has the values of the whole program; what is found on it is told, and proved, of the whole program.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tertium_base::Budget;
use tertium_certify::{Decider, Request, findings};
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::predicate_abstraction::basis::Basis;
use tertium_driver::program::proof::{Written, certificate_of, is_shown_by_its_run};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::run_evidence::{RunEvidence, shows};
use tertium_driver::program::slice::Slice;
use tertium_driver::program::{
    CheckOptions, ProgramAnswer, ProgramFile, check, from_text, load, promela, refinement_loop, run_confirmation,
    semantics, symbolic,
};
use tertium_driver::strategy::{ProgramQuery, Wishes, decide, decide_telling};
use tertium_program::analysis::cone_of_influence::{Dependencies, Part};
use tertium_testkit::{ProgramShape, Rng, for_random_cases, random_program, random_promela};

/// Larger programs are left out.
const MOST_STATES: usize = 3000;

const ASKED: &str = "
property never : ltl G !home
property comes_back : ltl G F home
property next : ltl X X (home || b)
property possible : ctl EF (home && b)
property always_possible : ctl AG EF home
property certain : ctl AF home
property around : mu nu Y. (mu X. home || <> X) && [] Y
property reads : ltl G F w1
";

/// Statements about variables that nobody reads: one only written, one faint, one that may go wrong, one that gets any value.
fn unread_statement(rng: &mut Rng, counter: &str) -> String {
    match rng.below(7) {
        0 | 1 => format!("w0 := {counter};\n"),
        2 => "w1 := !w1;\n".to_owned(),
        3 => "w2 := (w2 + w3) mod 3;\n".to_owned(),
        4 => "w3 := * in 0..2;\n".to_owned(),
        5 => "w2, w3 := w3, (if b then w2 else 1);\n".to_owned(),
        _ => "w4[w3 mod 2] := w2;\n".to_owned(),
    }
}

/// The same program with variables that nobody reads: `w0` bounded, and without bounds.
fn with_unread(rng: &mut Rng, text: &str) -> (String, String) {
    let fails = rng.chance(15);
    let mut both = [String::new(), String::new()];
    let declared =
        "var w1 : bool = false\nvar w2, w3 : 0..2 = 0\nvar w4 : array[0..1] of 0..2 = 0\nvar w5 : 0..1 = 0\n";
    for line in text.lines() {
        both.iter_mut().for_each(|text| *text += &format!("{line}\n"));
        if line.starts_with("const K") {
            both[0] += &format!("var w0 : 0..2 = 0\n{declared}");
            both[1] += &format!("var w0 : nat = 0\n{declared}");
        }
        if line.ends_with(';') && rng.chance(60) {
            if fails && rng.chance(30) {
                both.iter_mut().for_each(|text| *text += "w5 := (w5 + 1) div 1;\n");
            }
            let mut other = rng.clone();
            both[0] += &unread_statement(rng, "(w0 + 1) mod 3");
            both[1] += &unread_statement(&mut other, "w0 + 1");
        }
    }
    let [bounded, unbounded] = both;
    (bounded, unbounded)
}

fn asked_of(text: &str) -> String {
    let member = if text.contains("process P0[") { "[1]" } else { "" };
    format!("{text}predicate home : P0{member}@here\n{ASKED}")
}

fn file_of(name: &str, text: &str) -> ProgramFile {
    from_text(name, text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// The values by visiting all states, with nothing left out; none if there are too many.
fn brute_force(file: &ProgramFile) -> Option<Vec<(String, Belnap)>> {
    let options = CheckOptions {
        look_for_idle: false,
        reduction: false,
        max_states: Some(MOST_STATES),
        ..CheckOptions::default()
    };
    let asked = questions(file, &[], false).expect("no names are asked for");
    let outcome = check(file, &asked, &options, &Budget::unlimited(), &()).expect("it can be checked");
    let valued = |answer: &ProgramAnswer| (answer.name.clone(), answer.value());
    let known = outcome.answers.iter().all(|answer| answer.reasons().is_empty() && answer.stopped().is_none());
    known.then(|| outcome.answers.iter().map(valued).collect())
}

/// The slice for one question.
fn slice_for<'a>(file: &'a ProgramFile, question: &Question) -> Option<Slice<'a>> {
    let dependencies = Dependencies::of(&file.program);
    let variables = match question {
        Question::Property(asked) => dependencies.cone(&file.program, &asked.atoms),
        _ => dependencies.cone(&file.program, &[]),
    };
    Slice::of(file, &Part { variables, ..Part::default() })
}

/// A run shows what it is told for, on the whole program.
fn must_show(file: &ProgramFile, question: &Question, answer: &ProgramAnswer) {
    run_confirmation::must_show(file, question, answer).unwrap_or_else(|failure| panic!("{failure:?}"));
    let Some(run) = answer.run().filter(|_| answer.repeats().is_none()) else { return };
    if is_shown_by_its_run(question, answer) {
        let shown = shows(&semantics(file), question, run, false).expect("it can be evaluated");
        // A run that rests may not count for a branching formula, which the run alone does not tell.
        let open = matches!(shown, RunEvidence::Open(_));
        assert!(open || shown == RunEvidence::Value(answer.value()), "{}: {shown:?}", answer.name);
    }
}

/// Shows a line of what was found, for whoever looks at it.
fn told(line: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stdout(), format!("{line}\n").as_bytes());
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Whether the independent checker accepts a certificate about the program in a file.
fn accepted(program: &Path, text: &str) -> bool {
    let path = program.with_extension("cert.json");
    std::fs::write(&path, text).expect("a file can be written");
    match findings((program, &path), &Request::default(), &Decider::default(), &Budget::unlimited()) {
        Ok(outcomes) => !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.is_proved()),
        Err(_) => false,
    }
}

/// The certificate of an answer, if there is one and it takes one.
fn certificate(file: &ProgramFile, question: &Question, answer: &ProgramAnswer) -> Option<Result<String, String>> {
    if is_shown_by_its_run(question, answer) {
        return None;
    }
    let written = certificate_of(file, question, answer, &CheckOptions::default(), &Budget::unlimited());
    Some(match written.expect("nothing limits the proof") {
        Written::Certificate(text) | Written::WithObligations { text, .. } => Ok(text),
        Written::None(why) => Err(why),
    })
}

#[test]
fn every_question_has_the_same_value_on_its_slice() {
    let (compared, left_out) = (Cell::new(0), Cell::new(0));
    for_random_cases(150, |case| {
        let text = random_program(&mut case.rng, &ProgramShape::default());
        let fair = case.rng.pick(&["", "fair P0\n", "strong fair P0\n"]).to_owned();
        let (bounded, _) = with_unread(&mut case.rng, &text);
        let text = format!("{}{fair}", asked_of(&bounded));
        case.keep("program.gcl", text.clone());
        let file = file_of("random.gcl", &text);
        let Some(expected) = brute_force(&file) else { return };
        for (question, (name, value)) in questions(&file, &[], false).expect("all").iter().zip(expected) {
            let Some(slice) = slice_for(&file, question) else { continue };
            left_out.set(left_out.get() + slice.left_out.len());
            let options = CheckOptions { look_for_idle: false, ..CheckOptions::default() };
            let asked = [question.clone()];
            let found = check(&slice.file, &asked, &options, &Budget::unlimited(), &()).expect("it can be checked");
            let answer = found.answers.into_iter().next().expect("one question, one answer");
            assert_eq!(answer.value(), value, "{name}");
            let lifted = slice.lift(question, answer).expect("its run is one of the program");
            // Only that a block is endless may have to be asked again.
            let Some(lifted) = lifted else {
                assert_eq!(name, "endless-atomic");
                continue;
            };
            must_show(&file, question, &lifted);
            compared.set(compared.get() + 1);
        }
    });
    assert!(compared.get() > 500, "only {} were compared", compared.get());
    assert!(left_out.get() > 1000, "only {} variables were left out", left_out.get());
}

#[test]
fn a_counter_without_bounds_changes_no_answer_and_costs_no_evidence() {
    let folder = folder("slicing");
    let (compared, certified, endless, without) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    for_random_cases(24, |case| {
        let shape = ProgramShape { processes: 1..=2, ..ProgramShape::default() };
        let text = random_program(&mut case.rng, &shape);
        let (bounded, unbounded) = with_unread(&mut case.rng, &text);
        let Some(expected) = brute_force(&file_of("bounded.gcl", &asked_of(&bounded))) else { return };
        let path = folder.join("unbounded.gcl");
        case.keep("program.gcl", asked_of(&unbounded));
        std::fs::write(&path, asked_of(&unbounded)).expect("a file can be written");
        let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let wishes = Wishes::default();
        let request = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
        let outcome = decide(&request, &Budget::unlimited(), &()).expect("it can be decided");
        for (question, answer) in asked.iter().zip(&outcome.answers) {
            // What blocks assign without bounds may leave open whether they come to an end.
            let Some((name, value)) = expected.iter().find(|(name, _)| *name == answer.name) else { continue };
            if answer.value() == Belnap::Unknown && answer.left_out.is_empty() {
                continue;
            }
            assert_eq!(answer.value(), *value, "{name}");
            must_show(&file, question, answer);
            compared.set(compared.get() + 1);
            endless.set(endless.get() + usize::from(answer.repeats().is_some()));
            match certificate(&file, question, answer) {
                Some(Ok(text)) => {
                    assert!(accepted(&path, &text), "{name}\n{text}");
                    certified.set(certified.get() + 1);
                }
                Some(Err(why)) => {
                    told(&format!("{name}: {why}"));
                    without.set(without.get() + 1);
                }
                None => {}
            }
        }
    });
    let counts = [compared.get(), certified.get(), endless.get(), without.get()];
    told(&format!("compared, certified, endless runs, without certificate: {counts:?}"));
    assert!(compared.get() > 60 && certified.get() > 24 && endless.get() > 0, "{counts:?}");
    assert!(without.get() * 10 < certified.get(), "{counts:?}");
}

/// The same program with locals that are written, read once or never, and overwritten.
fn with_temporaries(rng: &mut Rng, text: &str) -> String {
    let mut made = String::new();
    let mut inside = false;
    for line in text.lines() {
        made += &format!("{line}\n");
        if line.starts_with("process ") {
            inside = true;
            made += "var t0 : 0..2 = 1\nvar t1 : 0..2\nvar t2 : bool = false\n";
        } else if inside && line.ends_with(';') && rng.chance(50) {
            made += *rng.pick::<&str>(&[
                "t0 := n;\n",
                "t0 := * in 0..2;\nn := t0;\n",
                "t1 := n;\nwhen t1 > 0 do skip;\n",
                "t1 := 1;\n",
                "t2 := b;\nb := !t2;\n",
                "atomic { t0 := n; n := (t0 + 1) mod 3; }\n",
                "if t2 { t0, t1 := 0, t0; } else { t2 := true; }\n",
                "assert t0 < 2;\n",
            ]);
        }
    }
    made
}

/// Proofs with many abstract states take long to check.
fn is_small(basis: &Basis) -> bool {
    matches!(basis, Basis::States(over) | Basis::Structure(over, _) if over.states.len() <= 12)
}

/// By three engines: each state for itself, sets, predicates.
#[test]
fn what_is_never_read_again_changes_no_answer() {
    let folder = folder("live_ranges");
    let counts = Cell::new([0; 4]);
    let count = |at: usize| {
        let mut all = counts.get();
        all[at] += 1;
        counts.set(all);
    };
    for_random_cases(16, |case| {
        let shape = ProgramShape { processes: 1..=2, ..ProgramShape::default() };
        let text = random_program(&mut case.rng, &shape);
        let fair = case.rng.pick(&["", "fair P0\n", "strong fair P0\n"]).to_owned();
        let text = format!("{}{fair}", asked_of(&with_temporaries(&mut case.rng, &text))).replace("w1", "b");
        let path = folder.join("temporaries.gcl");
        case.keep("program.gcl", text.clone());
        std::fs::write(&path, &text).expect("a file can be written");
        let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
        let Some(expected) = brute_force(&file) else { return };
        for (question, (name, value)) in questions(&file, &[], false).expect("all").iter().zip(expected) {
            let seen = if let Question::Property(asked) = question { asked.atoms.clone() } else { Vec::new() };
            let Some(slice) = Slice::with_live_ranges(&file, &seen) else { continue };
            let (asked, budget) = ([question.clone()], Budget::unlimited().with_effort(Some(20_000)));
            let options = CheckOptions { look_for_idle: false, keep_basis: true, ..CheckOptions::default() };
            let how = AbstractionOptions::default();
            let found = [
                check(&slice.file, &asked, &options, &budget, &()),
                symbolic::check(&slice.file, &asked, &options, &budget, &()),
                refinement_loop::check(&slice.file, &asked, &options, &how, 8, &budget, &()),
            ];
            for (engine, found) in found.into_iter().enumerate() {
                let Some(answer) = found.ok().and_then(|found| found.answers.into_iter().next()) else { continue };
                if answer.value() == Belnap::Unknown {
                    continue;
                }
                assert_eq!(answer.value(), value, "{name} by engine {engine}");
                // A cycle that does not close is asked again.
                let Some(lifted) = slice.lift(question, answer).expect("its run is one of the program") else {
                    continue;
                };
                must_show(&file, question, &lifted);
                count(engine);
                if engine > 0 && lifted.basis().is_some_and(is_small) {
                    let Some(Ok(text)) = certificate(&file, question, &lifted) else { continue };
                    assert!(accepted(&path, &text), "{name} by engine {engine}\n{text}");
                    count(3);
                }
            }
        }
    });
    let counts = counts.get();
    told(&format!("explicit, sets, predicates, certificates: {counts:?}"));
    assert!(counts[0] > 50 && counts[1] > 50 && counts[2] > 20 && counts[3] > 20, "{counts:?}");
}

/// A model in which some assignments are followed by others to variables that nobody reads.
fn with_unread_bytes(rng: &mut Rng, model: &str) -> String {
    let mut text = "byte w0; byte w1; bool w2;\n".to_owned();
    for line in model.lines() {
        text += line;
        let assigns = line.split_once(" = ").is_some_and(|(place, _)| {
            let place = place.trim_start();
            place.starts_with(|first: char| first.is_ascii_lowercase()) && !place.contains(' ')
        });
        if assigns && line.starts_with(' ') && line.ends_with(';') && rng.chance(60) {
            text += *rng.pick::<&str>(&[" w0 = (w0 + 1) % 3;", " w1 = w0;", " w2 = !w2;", " w1 = w1 + w0;"]);
        }
        text.push('\n');
    }
    text
}

#[test]
fn promela_models_have_the_same_values_on_their_slices() {
    let compared = Cell::new(0);
    for_random_cases(120, |case| {
        let model = random_promela(&mut case.rng);
        let text = with_unread_bytes(&mut case.rng, &model);
        case.keep("model.pml", text.clone());
        let Ok(file) = promela::from_text("random.pml", &text, &[], None, &[], &[]) else { return };
        let Some(expected) = brute_force(&file) else { return };
        for (question, (name, value)) in questions(&file, &[], false).expect("all").iter().zip(expected) {
            let Some(slice) = slice_for(&file, question) else { continue };
            let options = CheckOptions { look_for_idle: false, ..CheckOptions::default() };
            let asked = [question.clone()];
            let found = check(&slice.file, &asked, &options, &Budget::unlimited(), &()).expect("it can be checked");
            let answer = found.answers.into_iter().next().expect("one question, one answer");
            assert_eq!(answer.value(), value, "{name}");
            let lifted = slice.lift(question, answer).expect("its run is one of the model");
            let Some(lifted) = lifted else {
                assert_eq!(name, "endless-atomic");
                continue;
            };
            run_confirmation::must_show(&file, question, &lifted).unwrap_or_else(|failure| panic!("{failure:?}"));
            compared.set(compared.get() + 1);
        }
    });
    assert!(compared.get() > 100, "only {} were compared", compared.get());
}

/// The answers to the questions about a model of the corpus, with the file.
fn corpus(name: &str) -> (PathBuf, ProgramFile) {
    let path = PathBuf::from(format!("{}/../../corpus/gcl/sliced/{name}.gcl", env!("CARGO_MANIFEST_DIR")));
    let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    (path, file)
}

/// Decides a model as `check` does, and compares values and what was left out; every definite answer is shown by a run or has a certificate that is accepted.
fn decided(name: &str, expected: &[(&str, Belnap, &str)]) {
    let (path, file) = corpus(name);
    let asked = questions(&file, &[], false).expect("no names are asked for");
    let wishes = Wishes::default();
    let request = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
    let outcome = decide(&request, &Budget::unlimited(), &()).expect("it can be decided");
    let copy = folder("sliced").join(format!("{name}.gcl"));
    std::fs::copy(&path, &copy).expect("the corpus is there");
    for &(name, value, left_out) in expected {
        let at = outcome.answers.iter().position(|answer| answer.name == name).expect("it is asked");
        let (question, answer) = (&asked[at], &outcome.answers[at]);
        assert_eq!(answer.value(), value, "{name}");
        let names: Vec<String> = answer.left_out.iter().map(|&var| file.program.show_variable(var)).collect();
        assert_eq!(names.join(" "), left_out, "{name}");
        must_show(&file, question, answer);
        match certificate(&file, question, answer) {
            Some(Ok(text)) => assert!(accepted(&copy, &text), "{name}\n{text}"),
            Some(Err(why)) => panic!("{name} has no certificate: {why}"),
            None => assert!(answer.run().is_some(), "{name}"),
        }
    }
}

#[test]
fn what_is_only_written_costs_nothing() {
    let (yes, no) = (Belnap::True, Belnap::False);
    let limiter = [
        ("cap", yes, "refused"),
        ("empties", no, "refused"),
        ("drains", no, "refused"),
        ("refills", yes, "refused"),
        ("deadlocks", yes, "refused"),
    ];
    decided("limiter", &limiter);
    let cache = [("swmr", yes, "mem val last"), ("all_write", yes, "mem val last"), ("deadlocks", yes, "mem val last")];
    decided("cache", &cache);
    let faint =
        [("presses", yes, "seen total"), ("alternates", yes, "seen total"), ("range-overflow", no, "seen total")];
    decided("faint", &faint);
}

#[test]
fn a_loop_that_does_not_close_is_not_told_as_one() {
    let text = "system s\nvar up : nat = 0\nvar on : bool = false\nprocess P { loop { a: on := !on; b: up := up + 1; } }\nproperty stays : ltl F G on\n";
    let file = file_of("s.gcl", text);
    let asked = questions(&file, &["stays".to_owned()], false).expect("it is there");
    let wishes = Wishes::default();
    let request = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
    let outcome = decide(&request, &Budget::unlimited(), &()).expect("it can be decided");
    let answer = &outcome.answers[0];
    assert_eq!(answer.value(), Belnap::False);
    let (run, repeats) = (answer.run().expect("a run shows it"), answer.repeats().expect("no state comes back"));
    assert_eq!((run.loop_start, repeats.length), (None, 4));
    assert_eq!(repeats.whenever, ["on = false"]);
    assert_eq!(run.last().slots[0], 6, "the counter has its true value");
    assert_eq!(run.steps.len(), repeats.start + 3 * repeats.length);
}

#[test]
fn what_may_go_wrong_is_kept() {
    let cases = [
        // A value that may be out of range, an index, a division, a function of which nothing is known.
        ("var x : 0..3 = 0", "x := x + 1", "x"),
        ("var x : nat = 0", "x := x - 1", "x"),
        ("var x : array[0..1] of bool = false\nvar i : 0..2 = 0", "i := * in 0..2; x[i] := true", "x i"),
        ("var x, i : 0..2 = 0", "x := 2 div i", "x i"),
        ("var x : nat = 0", "x := x + 1", ""),
        ("var x, i : 0..2 = 0", "x := (x + i) mod 3", ""),
        ("var x : 0..9 = 0", "x := * in 2..5", ""),
    ];
    for (declared, statement, kept) in cases {
        let text = format!("system s\n{declared}\nprocess P {{ loop {{ {statement}; }} }}\n");
        let file = file_of("s.gcl", &text);
        let cone = Dependencies::of(&file.program).cone(&file.program, &[]);
        let names: Vec<String> = cone.iter().map(|&var| file.program.show_variable(var)).collect();
        assert_eq!(names.join(" "), kept, "{statement}");
    }
}

#[test]
fn a_certificate_says_nothing_about_a_program_in_which_what_was_left_out_matters() {
    let (path, file) = corpus("limiter");
    let asked = questions(&file, &[], false).expect("no names are asked for");
    let wishes = Wishes::default();
    let request = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
    let outcome = decide(&request, &Budget::unlimited(), &()).expect("it can be decided");
    let text = std::fs::read_to_string(&path).expect("the corpus is there");
    let (own, other) = (folder("sliced_own").join("limiter.gcl"), folder("sliced_other").join("limiter.gcl"));
    std::fs::write(&own, &text).expect("a file can be written");
    let changed = text.replace("when tokens < BURST do", "when tokens < BURST && refused = 0 do");
    assert_ne!(text, changed);
    std::fs::write(&other, changed).expect("a file can be written");
    let mut refused = 0;
    for (question, answer) in asked.iter().zip(&outcome.answers) {
        // What is true there without the clock, or of every step, is so with it.
        if !["drains", "refills"].contains(&answer.name.as_str()) {
            continue;
        }
        let text = certificate(&file, question, answer).expect("it takes a certificate").expect("there is one");
        assert!(accepted(&own, &text), "{}", answer.name);
        assert!(!accepted(&other, &text), "{}", answer.name);
        refused += 1;
    }
    assert_eq!(refused, 2);
}

/// A slice that never ends does not starve the others: they take turns.
#[test]
fn slices_take_turns() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/gcl/sliced/turns.gcl");
    let file = load(&path, &[], None, &[]).expect("it can be read");
    let asked = questions(&file, &["far".to_owned(), "grows".to_owned()], false).expect("both are there");
    let budget = Budget::unlimited().with_effort(Some(400_000));
    let mut told = Vec::new();
    let query = ProgramQuery { file: &file, questions: &asked, wishes: &Wishes::default() };
    decide_telling(&query, &budget, &(), &mut |at, answer| {
        told.push((answer.name.clone(), answer.value(), at.index()));
        ControlFlow::Break(())
    })
    .expect("it can be decided");
    assert_eq!(told, [("grows".to_owned(), Belnap::True, 1)]);
    assert!(budget.effort() < 50_000, "{} looks", budget.effort());
}
