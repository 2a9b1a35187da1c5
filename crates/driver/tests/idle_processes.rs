//! Which states are reached does not depend on processes that write nothing of what matters: what is found without them is so of the whole program, its runs are runs of it, and its certificates are accepted.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use tertium_base::Budget;
use tertium_certify::{Decider, Request, findings};
use tertium_driver::Belnap;
use tertium_driver::program::proof::{Written, certificate_of, is_shown_by_its_run};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::slice::Slice;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text, load, run_confirmation};
use tertium_driver::strategy::{ProgramQuery, Wishes, decide};
use tertium_program::analysis::cone_of_influence::{Dependencies, Part};
use tertium_program::analysis::copy_propagation::Propagation;
use tertium_testkit::{ProgramShape, Rng, for_random_cases, random_program};

/// Larger programs are left out.
const MOST_STATES: usize = 3000;

const ASKED: &str = "
property never : ltl G !home
property small : ltl G n <= 1
property implied : ctl AG (b -> !home)
property possible : ctl EF (home && b)
property reached : ctl EF n = 2
property comes_back : ltl G F home
";

fn asked_of(text: &str) -> String {
    let member = if text.contains("process P0[") { "[1]" } else { "" };
    format!("{text}predicate home : P0{member}@here\n{ASKED}")
}

/// A process that looks at the others, counts, goes wrong, waits and keeps control; nobody looks at it.
fn with_onlooker(rng: &mut Rng, text: &str) -> String {
    let statement = |rng: &mut Rng, at: usize| match rng.below(7) {
        0 => format!("o{at}: when b do mine := (mine + 1) mod 3;\n"),
        1 => format!("o{at}: mine := mine + 1;\n"),
        2 => format!("o{at}: assert mine < 2;\n"),
        3 => format!("o{at}: atomic {{ mine := 0; mine := n; }}\n"),
        4 => format!("o{at}: own := * in 0..2;\n"),
        5 => format!("o{at}: if own > mine {{ own := 0; }} else {{ mine := 0; }}\n"),
        _ => format!("o{at}: when n > own do skip;\n"),
    };
    let body: String = (0..=rng.below(3)).map(|at| statement(rng, at)).collect();
    let fair = *rng.pick(&["", "fair Onlooker\n", "strong fair Onlooker\n"]);
    let declared = text.replacen("const K = 2\n", "const K = 2\nvar mine : 0..2 = 0\n", 1);
    format!("{declared}process Onlooker {{ var own : 0..2 = 0\nloop {{ {body} }} }}\n{fair}")
}

fn file_of(text: &str) -> ProgramFile {
    from_text("random.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// The values by visiting all states, with nothing left out; none if there are too many.
fn brute_force(file: &ProgramFile, asked: &[Question]) -> Option<Vec<Belnap>> {
    let options = CheckOptions {
        look_for_idle: false,
        reduction: false,
        max_states: Some(MOST_STATES),
        ..CheckOptions::default()
    };
    let outcome = check(file, asked, &options, &Budget::unlimited(), &()).expect("it can be checked");
    let known = outcome.answers.iter().all(|answer| answer.reasons().is_empty() && answer.stopped().is_none());
    known.then(|| outcome.answers.iter().map(ProgramAnswer::value).collect())
}

/// The slice for one question about which states are reached.
fn slice_for<'a>(file: &'a ProgramFile, question: &Question) -> Option<Slice<'a>> {
    let Question::Property(asked) = question else { return None };
    asked.invariant?;
    Slice::of(file, &Dependencies::of(&file.program).part(&file.program, &asked.atoms))
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

/// Shows a line of what was found, for whoever looks at it.
fn told(line: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stdout(), format!("{line}\n").as_bytes());
}

/// The certificate of an answer that takes one, or why there is none.
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
fn the_same_states_are_reached_without_processes_that_cannot_matter() {
    let (compared, idle) = (Cell::new(0), Cell::new(0));
    for_random_cases(60, |case| {
        let text = random_program(&mut case.rng, &ProgramShape { processes: 1..=2, ..ProgramShape::default() });
        let text = asked_of(&with_onlooker(&mut case.rng, &text));
        case.keep("program.gcl", text.clone());
        let file = file_of(&text);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let Some(expected) = brute_force(&file, &asked) else { return };
        for (question, value) in asked.iter().zip(expected) {
            let Some(slice) = slice_for(&file, question) else { continue };
            let options = CheckOptions { look_for_idle: false, ..CheckOptions::default() };
            let found = check(&slice.file, std::slice::from_ref(question), &options, &Budget::unlimited(), &());
            let answer =
                found.expect("it can be checked").answers.into_iter().next().expect("one question, one answer");
            assert_eq!(answer.value(), value, "{}", answer.name);
            let lifted =
                slice.lift(question, answer).expect("its run is one of the program").expect("it has no blocks");
            run_confirmation::must_show(&file, question, &lifted).unwrap_or_else(|failure| panic!("{failure:?}"));
            compared.set(compared.get() + 1);
            idle.set(idle.get() + slice.idle.len());
        }
    });
    assert!(compared.get() > 70 && idle.get() > 70, "{} questions, {} processes", compared.get(), idle.get());
}

/// A process whose locals stand for each other now and then, and for numbers.
fn with_copier(rng: &mut Rng, text: &str) -> String {
    let variables = ["x", "y", "z"];
    let statement = |rng: &mut Rng, at: usize| {
        let (one, other) = (*rng.pick(&variables), *rng.pick(&variables));
        match rng.below(9) {
            0..=2 => format!("k{at}: {one} := {other};\n"),
            3 => format!("k{at}: x := (x + 1) mod 3;\n"),
            4 => format!("k{at}: when {one} <= {other} do n := {one};\n"),
            5 => format!("k{at}: b := ({one} = {other});\n"),
            6 => format!("k{at}: x, y := y, x;\n"),
            7 => format!("k{at}: {one} := {};\n", rng.below(3)),
            _ => format!("k{at}: if {one} = {other} {{ x := * in 0..2; }} else {{ n := {other}; }}\n"),
        }
    };
    let body: String = (0..3 + rng.below(4)).map(|at| statement(rng, at)).collect();
    format!("{text}process Copier {{ var x, y, z : 0..2 = 0\nloop {{ {body} }} }}\n")
}

#[test]
fn every_question_has_the_same_value_where_copies_are_propagated() {
    let folder = folder("copies");
    let (compared, unread, certified, without) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    for_random_cases(60, |case| {
        let shape = ProgramShape { processes: 1..=1, statements: 1..=2, ..ProgramShape::default() };
        let text = random_program(&mut case.rng, &shape);
        let text = asked_of(&with_copier(&mut case.rng, &text));
        case.keep("program.gcl", text.clone());
        let path = folder.join("copier.gcl");
        std::fs::write(&path, text).expect("a file can be written");
        let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
        let everything = file.program.variable_ids().collect();
        let Some(copies) = Propagation::of(&file.program, &everything) else { return };
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let Some(expected) = brute_force(&file, &asked) else { return };
        for (question, value) in asked.iter().zip(expected) {
            let atoms = if let Question::Property(asked) = question { asked.atoms.clone() } else { Vec::new() };
            let variables = Dependencies::of(&copies.program).cone(&copies.program, &atoms);
            let part = Part { variables, ..Part::default() };
            let Some(slice) = Slice::with_copies(&file, Some(&copies), &part) else { continue };
            let options = CheckOptions { look_for_idle: false, ..CheckOptions::default() };
            let found = check(&slice.file, std::slice::from_ref(question), &options, &Budget::unlimited(), &());
            let answer =
                found.expect("it can be checked").answers.into_iter().next().expect("one question, one answer");
            assert_eq!(answer.value(), value, "{}", answer.name);
            let Some(lifted) = slice.lift(question, answer).expect("its run is one of the program") else { continue };
            run_confirmation::must_show(&file, question, &lifted).unwrap_or_else(|failure| panic!("{failure:?}"));
            compared.set(compared.get() + 1);
            unread.set(unread.get() + slice.left_out.intersection(&copies.unread).count());
            // Certificates take longer than all the rest.
            if compared.get() % 20 == 0 && lifted.left_out.intersection(&copies.unread).next().is_some() {
                match certificate(&file, question, &lifted) {
                    Some(Ok(text)) => {
                        assert!(accepted(&path, &text), "{}\n{text}", lifted.name);
                        certified.set(certified.get() + 1);
                    }
                    Some(Err(_)) => without.set(without.get() + 1),
                    None => {}
                }
            }
        }
    });
    let counts = [compared.get(), unread.get(), certified.get(), without.get()];
    assert!(counts[0] > 80 && counts[1] > 80 && counts[2] > 3 && counts[3] * 5 < counts[2], "{counts:?}");
}

#[test]
fn by_default_they_are_left_out_and_certificates_are_about_everyone() {
    let folder = folder("idle_processes");
    let (certified, without) = (Cell::new(0), Cell::new(0));
    for_random_cases(20, |case| {
        let text = random_program(&mut case.rng, &ProgramShape { processes: 1..=2, ..ProgramShape::default() });
        let text = asked_of(&with_onlooker(&mut case.rng, &text));
        let path = folder.join("onlooker.gcl");
        case.keep("program.gcl", text.clone());
        std::fs::write(&path, text).expect("a file can be written");
        let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
        let names: Vec<String> =
            ["never", "small", "implied", "possible", "reached"].iter().map(|&name| name.to_owned()).collect();
        let asked = questions(&file, &names, false).expect("all are there");
        let Some(expected) = brute_force(&file, &asked) else { return };
        let query = ProgramQuery { file: &file, questions: &asked, wishes: &Wishes::default() };
        let outcome = decide(&query, &Budget::unlimited(), &()).expect("it can be decided");
        for ((question, answer), value) in asked.iter().zip(&outcome.answers).zip(expected) {
            assert_eq!(answer.value(), value, "{}", answer.name);
            run_confirmation::must_show(&file, question, answer).unwrap_or_else(|failure| panic!("{failure:?}"));
            match certificate(&file, question, answer).filter(|_| !answer.idle.is_empty()) {
                Some(Ok(text)) => {
                    assert!(accepted(&path, &text), "{}\n{text}", answer.name);
                    certified.set(certified.get() + 1);
                }
                Some(Err(why)) => {
                    told(&format!("{}: {why}", answer.name));
                    without.set(without.get() + 1);
                }
                None => {}
            }
        }
    });
    let counts = (certified.get(), without.get());
    assert!(counts.0 > 10 && counts.1 * 10 < counts.0, "{counts:?}");
}

/// What the answers of a file leave out.
fn idle_in(text: &str, name: &str) -> String {
    let file = file_of(text);
    let asked = questions(&file, &[name.to_owned()], false).expect("it is there");
    let query = ProgramQuery { file: &file, questions: &asked, wishes: &Wishes::default() };
    let outcome = decide(&query, &Budget::unlimited(), &()).expect("it can be decided");
    let names = outcome.answers[0].idle.iter().map(|&process| file.program.process(process).name.clone());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn whoever_can_matter_is_kept() {
    let with = |own: &str, property: &str| {
        format!(
            "system s\nvar x, y, z : 0..1 = 0\nprocess P {{ loop {{ a: when x = 0 do y := 1 - y; }} }}\nprocess Q {{ loop {{ q: {own}; }} }}\nproperty p : {property}\n"
        )
    };
    let cases = [
        // It only looks on; it writes what is read; it writes what is asked for; it is asked for.
        ("when y = 1 do z := 1 - z", "ltl G y <= 1", "Q"),
        ("x := 1 - x", "ltl G y <= 1", ""),
        ("z := 1 - z", "ltl G z <= 1", "P"),
        ("skip", "ctl EF Q@q", "P"),
        // What happens for ever, whether something happens at all, and the next step depend on everyone.
        ("skip", "ltl G F y = 1", ""),
        ("skip", "ctl AG EF y = 1", ""),
        ("skip", "ltl X y = 1", ""),
        ("skip", "ctl AG !deadlock", ""),
    ];
    for (own, property, idle) in cases {
        assert_eq!(idle_in(&with(own, property), "p"), idle, "{own}: {property}");
    }
    assert_eq!(idle_in(&with("skip", "ltl G y <= 1"), "deadlocks"), "");
}

/// A copy of a counter without bounds: what predicates say without it is proved of the whole program, where guards read the copy.
#[test]
fn certificates_say_what_copies_stand_for() {
    let text = "system s\nvar bad : bool = false\nvar turns : 0..3 = 0\nprocess P { var x, y : nat = 1\nloop { a: x := x + 1; b: y := x; c: if y < 1 { bad := true; } else { turns := (turns + 1) mod 4; } } }\nproperty good : ltl G !bad\nproperty safe : ctl AG !bad\n";
    let path = folder("copy_of_a_counter").join("s.gcl");
    std::fs::write(&path, text).expect("a file can be written");
    let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    let asked = questions(&file, &["good".to_owned(), "safe".to_owned()], false).expect("both are there");
    let mut wishes = Wishes::default();
    wishes.options.keep_basis = true;
    let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
    let outcome = decide(&query, &Budget::unlimited(), &()).expect("it can be decided");
    for (question, answer) in asked.iter().zip(&outcome.answers) {
        assert_eq!(answer.value(), Belnap::True, "{}", answer.name);
        let left_out: Vec<String> = answer.left_out.iter().map(|&var| file.program.show_variable(var)).collect();
        assert!(left_out.contains(&"P.y".to_owned()), "{left_out:?}");
        let text = certificate(&file, question, answer).expect("no run shows it").expect("there is one");
        assert!(accepted(&path, &text), "{}\n{text}", answer.name);
        // Whoever forgets what the copy stands for proves nothing.
        let forgotten = text.replace("(= y@P x@P)", "true");
        assert!(text == forgotten || !accepted(&path, &forgotten), "{}", answer.name);
    }
}
