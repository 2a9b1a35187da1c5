//! What a spotlight says is what running the program says: on random programs with small domains, whatever is in the
//! spotlight, with names for unknown values and without, with fairness and without; and on programs that rules for
//! such names were wrong about.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tertium_base::{Budget, StopReason};
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::spotlight::{self, Parameters, SpotlightOptions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text};
use tertium_driver::{Belnap, Failure, LinearReading, Observer, ProgramObserver};
use tertium_program::ProcessId;
use tertium_testkit::{Case, ProgramShape, Rng, for_random_cases, random_program};

fn loaded(text: &str) -> ProgramFile {
    from_text("test.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// The properties; mistakes are compared by a test of their own.
fn asked(file: &ProgramFile) -> Vec<Question> {
    let all = questions(file, &[], false).expect("no names are asked for");
    all.into_iter().filter(|question| matches!(question, Question::Property(_))).collect()
}

fn lit(file: &ProgramFile, names: &[&str]) -> Vec<ProcessId> {
    let processes = file.program.process_ids();
    processes.filter(|&process| names.contains(&file.program.process(process).name.as_str())).collect()
}

fn spot(file: &ProgramFile, how: &SpotlightOptions) -> Result<Vec<ProgramAnswer>, Failure> {
    let (options, abstraction) = (CheckOptions::default(), AbstractionOptions::default());
    spotlight::check(file, &asked(file), &options, &abstraction, how, &Budget::unlimited(), &())
        .map(|outcome| outcome.answers)
}

/// What the engines for structures say of the program's own graph.
fn run(file: &ProgramFile) -> Vec<ProgramAnswer> {
    let linear = Some(LinearReading::Hyper);
    let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, linear, ..CheckOptions::default() };
    check(file, &asked(file), &options, &Budget::unlimited(), &())
        .unwrap_or_else(|failure| panic!("{failure:?}"))
        .answers
}

fn definite(value: Belnap) -> bool {
    matches!(value, Belnap::True | Belnap::False)
}

/// Every definite answer with these processes equals what running the program says; how many there are of how many.
fn agree(
    case: &mut Case,
    file: &ProgramFile,
    truth: &[ProgramAnswer],
    how: &SpotlightOptions,
) -> Option<(usize, usize)> {
    case.keep("how.txt", format!("{how:?}"));
    let found = match spot(file, how) {
        Ok(found) => found,
        // Blocks with loops have no terms.
        Err(Failure::Input(_)) => return None,
        Err(failure) => panic!("{failure:?}"),
    };
    let mut decided = 0;
    for (answer, expected) in found.iter().zip(truth) {
        assert_eq!(answer.name, expected.name);
        if definite(answer.value()) && definite(expected.value()) {
            assert_eq!(answer.value(), expected.value(), "{} with {how:?}: {:#?}", answer.name, answer.rounds);
            decided += 1;
        }
    }
    Some((decided, found.len()))
}

#[test]
fn random_programs_have_the_values_that_running_them_finds() {
    let (decided, all) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(40, |case| {
        let shape = ProgramShape { processes: 2..=3, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
        let mut text = random_program(&mut case.rng, &shape);
        for process in ["P0", "P1"] {
            if text.contains(&format!("process {process}")) && case.rng.chance(30) {
                text.push_str(&format!("{}fair {process}\n", case.rng.pick(&["", "strong "])));
            }
        }
        text.push_str("property p1 : ltl F (n = 1)\nproperty p2 : ltl G (b -> F (n = 0))\nproperty p3 : ltl G F b\n");
        text.push_str("property p4 : ctl AG (b -> EF (n = 0 || b))\nproperty p5 : ltl G !(b && n = 1)\n");
        case.keep("program.gcl", &text);
        let file = loaded(&text);
        let truth = run(&file);
        let processes: Vec<ProcessId> = file.program.process_ids().collect();
        let parameters = *case.rng.pick(&[Parameters::On, Parameters::On, Parameters::Off]);
        let chosen = case.rng.chance(80).then(|| case.rng.some_of(&processes));
        let how = SpotlightOptions {
            processes: chosen,
            parameters,
            rounds: 1 + case.rng.below(5),
            most_processes: case.rng.below(4),
        };
        if let Some((some, of)) = agree(case, &file, &truth, &how) {
            decided.set(decided.get() + some);
            all.set(all.get() + of);
        }
    });
    assert!(decided.get() * 5 > all.get(), "only {} of {} were decided", decided.get(), all.get());
}

const TRUTHS: [&str; 4] = ["p", "q", "r", "w"];

fn value(rng: &mut Rng) -> String {
    let name = *rng.pick(&TRUTHS);
    match rng.below(6) {
        0 => format!("!{name}"),
        1 => format!("({name} = {})", rng.pick(&TRUTHS)),
        2 => (*rng.pick(&["e", "!e"])).to_owned(),
        3 => "e".to_owned(),
        _ => name.to_owned(),
    }
}

fn statements(rng: &mut Rng, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + rng.below(3) {
        match rng.below(if depth == 0 { 3 } else { 6 }) {
            0..=2 => text.push_str(&format!("{} := {}; ", rng.pick(&["p", "q", "r"]), value(rng))),
            3 => {
                let condition = value(rng);
                let (a, b) = (statements(rng, depth - 1), statements(rng, depth - 1));
                text.push_str(&format!("if {condition} {{ {a}}} else {{ {b}}} "));
            }
            4 => text.push_str(&format!("await {}; ", value(rng))),
            _ => text.push_str(&format!("while {} {{ {}}} ", value(rng), statements(rng, depth - 1))),
        }
    }
    text
}

/// Two processes over truth values, and one that changes what they look at.
fn truths(rng: &mut Rng) -> String {
    let initial = |rng: &mut Rng| *rng.pick(&["", " = false", " = true"]);
    let mut text = "system truths\n".to_owned();
    for name in ["p", "q", "r", "w", "e"] {
        text.push_str(&format!("var {name} : bool{}\n", initial(rng)));
    }
    for process in ["P", "Q"] {
        let body = statements(rng, 2);
        let body = if rng.chance(60) { format!("loop {{ {body}}}") } else { body };
        text.push_str(&format!("process {process} {{ {body} }}\n"));
    }
    let dark = *rng.pick(&["e := !e;", "e := *;", "e := p;", "e := true;", "skip;", "p := !p;", "e := w;"]);
    text.push_str(&format!("process S {{ loop {{ {dark} }} }}\n"));
    for process in ["P", "Q", "S"] {
        if rng.chance(15) {
            text.push_str(&format!("fair {process}\n"));
        }
    }
    for (at, formula) in [
        "G !(p && q)",
        "G (p -> r)",
        "G F p",
        "F (q && r)",
        "F G !p",
        "p U q",
        "(G !p) || (G !q)",
        "(F p) && (F q)",
        "X X p",
        "G (p -> F q)",
    ]
    .iter()
    .enumerate()
    {
        text.push_str(&format!("property f{at} : ltl {formula}\n"));
    }
    text
}

#[test]
fn names_for_unknown_values_never_decide_wrongly() {
    let (decided, gained) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(40, |case| {
        let text = truths(&mut case.rng);
        case.keep("program.gcl", &text);
        let file = loaded(&text);
        let truth = run(&file);
        let names: &[&str] = case.rng.pick::<&[&str]>(&[&["P"], &["P", "Q"], &["Q"], &[]]);
        let mut counts = [0, 0];
        for (at, parameters) in [Parameters::Off, Parameters::On].into_iter().enumerate() {
            // With few rounds and no further processes the names have to do it.
            let how = SpotlightOptions {
                processes: Some(lit(&file, names)),
                parameters,
                rounds: 10,
                most_processes: names.len(),
            };
            counts[at] = agree(case, &file, &truth, &how).map_or(0, |(some, _)| some);
        }
        decided.set(decided.get() + counts[1]);
        gained.set(gained.get() + counts[1].saturating_sub(counts[0]));
    });
    assert!(decided.get() > 40, "only {} were decided", decided.get());
    assert!(gained.get() > 0, "names decided nothing that was open without them");
}

#[test]
fn branches_with_parameters_never_decide_wrongly() {
    let decided = std::cell::Cell::new(0);
    for_random_cases(25, |case| {
        let text = truths(&mut case.rng);
        case.keep("program.gcl", &text);
        let whole = loaded(&text);
        // One property at a time: those outside the class are refused.
        for (answer, question) in run(&whole).iter().zip(asked(&whole)) {
            let Question::Property(property) = &question else { continue };
            let how = SpotlightOptions {
                processes: Some(lit(&whole, &["P"])),
                parameters: Parameters::Literal,
                rounds: 8,
                most_processes: 1,
            };
            let (options, abstraction) = (CheckOptions::default(), AbstractionOptions::default());
            let found = spotlight::check(
                &whole,
                std::slice::from_ref(&question),
                &options,
                &abstraction,
                &how,
                &Budget::unlimited(),
                &(),
            );
            let positional = tertium_check::family::is_positional(&property.formula);
            let fair = text.contains("fair") && property.invariant.is_none();
            match found {
                Ok(found) => {
                    assert!(positional && !fair, "{} should be refused", property.source);
                    let value = found.answers[0].value();
                    assert!(!definite(value) || value == answer.value(), "{}: {value:?}", property.source);
                    decided.set(decided.get() + usize::from(definite(value)));
                }
                Err(Failure::Input(messages)) => {
                    assert!(!positional || fair, "{} was refused", property.source);
                    assert_eq!(messages[0].diagnostic.code, "E0350");
                }
                Err(failure) => panic!("{failure:?}"),
            }
        }
    });
    assert!(decided.get() > 10, "only {} were decided", decided.get());
}

/// Programs that rules for parameters were wrong about, each with its property and what running a bounded version says.
const TRAPS: [(&str, &str, &[&str], &str); 8] = [
    (
        "a branch that goes both ways, and a formula with memory: true for each fixed direction",
        "system t\nvar v, a, b : bool = false\nprocess P { loop { if v { a := true; a := false; } else { b := true; b := false; } } }\n\
         process S { loop { v := !v; } }\nproperty x : ltl (G !a) || (G !b)\n",
        &["P"],
        "false",
    ),
    (
        "the same, false for each fixed direction",
        "system t\nvar v : 0..1 = 0\nvar a, b : bool = false\nprocess P { loop { if v = 1 { a := true; a := false; } else { b := true; b := false; } \
         v := 1 - v; } }\nfair P\nproperty x : ltl (F a) && (F b)\n",
        &["P"],
        "true",
    ),
    (
        "a safety formula with next steps",
        "system t\nvar v : bool\nvar p : bool = false\nprocess P { s0: while v { skip; } p := true; loop { skip; } }\n\
         process S { loop { v := !v; } }\nproperty x : ltl X X p\n",
        &["P"],
        "false",
    ),
    (
        "a branch that may depend on what happened before",
        "system t\nvar h, v : bool\nvar a, b, u, w : bool = false\nprocess P { if h { a := true; v := true; } else { b := true; v := false; } \
         if v { u := true; } else { w := true; } }\nfair P\n\
         property x : ltl !((F a && F u) || (F b && F w))\n",
        &["P"],
        "false",
    ),
    (
        "no fixed direction has a fair run, going both ways is one",
        "system t\nvar v, p : bool = false\nprocess P { loop { if v { skip; } else { skip; } } }\nprocess S { loop { v := !v; } }\n\
         fair P, S\nproperty x : ltl G F p\n",
        &["P"],
        "false",
    ),
    (
        "the shade flips the value between the two uses",
        "system t\nvar flag : bool\nvar r : bool = false\nprocess P { r := !flag; loop { skip; } }\nprocess S { loop { flag := !flag; } }\n\
         property x : ltl G !(flag && r)\n",
        &["P"],
        "false",
    ),
    (
        "two ways to one place, related on one of them only",
        "system t\nvar c, v, w : bool\nvar a, b : bool = false\nprocess P { if c { a := v; b := !a; } else { a, b := v, w; } loop { skip; } }\n\
         process S { loop { v, w := *, *; } }\nproperty x : ltl G !(a && b)\n",
        &["P"],
        "false",
    ),
    (
        "values that are chosen anew in a loop never make progress",
        "system t\nvar v, w, x, y : bool\nvar q : bool = false\nprocess P { loop { x := v; q := (x = y); y := w; q := !(x = y); } }\n\
         process S { loop { v, w := !y, x; } }\nproperty x : ltl G F q\n",
        &["P"],
        "false",
    ),
];

/// A site at which a value is chosen twice, told apart only by the other labels.
const SITE_KEY: &str = "system t\nvar q, v : bool\nvar o, x, bad : bool = false\n\
    process P { o := q; loop { x := v; if x { if !(q = o) { bad := true; } } else { q := !q; } } }\n\
    process S { loop { v := !v; } }\nproperty x : ltl G !bad\n";

#[test]
fn no_trap_is_fallen_into() {
    let mut all: Vec<(&str, &str, &[&str], &str)> = TRAPS.to_vec();
    all.push(("a site told apart by its labels", SITE_KEY, &["P"], "false"));
    for (what, text, names, expected) in all {
        for fairness in ["", "fair P\n", "fair P, S\n"] {
            if (text.contains("fair ") || !text.contains("process S")) && !fairness.is_empty() {
                continue;
            }
            let file = loaded(&format!("{text}{fairness}"));
            let truth = run(&file);
            if fairness.is_empty() {
                assert_eq!(format!("{:?}", truth[0].value()).to_lowercase(), expected, "{what}");
            }
            for parameters in [Parameters::Off, Parameters::On, Parameters::Literal] {
                for (processes, most) in [(Some(lit(&file, names)), 1), (Some(lit(&file, names)), 6), (None, 6)] {
                    let how = SpotlightOptions { processes, parameters, rounds: 40, most_processes: most };
                    let found = match spot(&file, &how) {
                        Ok(found) => found,
                        Err(Failure::Input(messages)) => {
                            let codes: Vec<_> = messages.iter().map(|message| message.diagnostic.code).collect();
                            assert_eq!((parameters, codes), (Parameters::Literal, vec!["E0350"]), "{what}");
                            continue;
                        }
                        Err(failure) => panic!("{failure:?}"),
                    };
                    let value = found[0].value();
                    assert!(!definite(value) || value == truth[0].value(), "{what}: {value:?} with {how:?} {fairness}");
                }
            }
        }
    }
}

/// Nothing that looking at single processes excludes happens when the program is run.
#[test]
fn mistakes_that_are_excluded_do_not_happen() {
    let (excluded, all) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(30, |case| {
        let shape = ProgramShape { processes: 2..=3, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
        let text = random_program(&mut case.rng, &shape);
        case.keep("program.gcl", &text);
        let file = loaded(&text);
        let mistakes: Vec<Question> = questions(&file, &[], false)
            .unwrap()
            .into_iter()
            .filter(|question| matches!(question, Question::Never(_)))
            .collect();
        let (options, abstraction) = (CheckOptions::default(), AbstractionOptions::default());
        let (how, budget) = (SpotlightOptions::default(), Budget::unlimited());
        let Ok(found) = spotlight::check(&file, &mistakes, &options, &abstraction, &how, &budget, &()) else { return };
        let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
        let Ok(truth) = check(&file, &mistakes, &options, &budget, &()) else { return };
        for (answer, expected) in found.answers.iter().zip(&truth.answers) {
            all.set(all.get() + 1);
            if answer.value() == Belnap::True {
                excluded.set(excluded.get() + 1);
                assert_ne!(expected.value(), Belnap::False, "{}", answer.name);
            }
            assert_ne!(answer.value(), Belnap::False, "{}", answer.name);
        }
    });
    assert!(excluded.get() * 5 > all.get(), "only {} of {} were excluded", excluded.get(), all.get());
}

fn corpus(name: &str) -> ProgramFile {
    let path = tertium_testkit::corpus::folder().join("gcl").join(name);
    loaded(&std::fs::read_to_string(path).expect("the corpus is there"))
}

#[test]
fn one_process_is_enough_to_see_that_progress_ends() {
    let file = corpus("spotlight_loop.gcl");
    let found = spot(&file, &SpotlightOptions::default()).unwrap();
    assert_eq!(found[0].value(), Belnap::False);
    assert_eq!(found[0].spotlight.as_deref(), Some(&["P1".to_owned()][..]));
    assert!(found[0].run().is_some_and(|run| run.loop_start.is_some()));
}

#[test]
fn two_processes_and_names_for_flags_are_enough() {
    let file = corpus("mutex_flags.gcl");
    let found = spot(&file, &SpotlightOptions::default()).unwrap();
    assert_eq!(found[0].value(), Belnap::True);
    assert_eq!(found[0].spotlight.as_deref(), Some(&["P1".to_owned(), "P2".to_owned()][..]));
    let predicates: Vec<&String> = found[0].rounds.iter().flat_map(|round| &round.predicates).collect();
    assert!(predicates.iter().all(|name| !name.contains('v')), "{predicates:?}");
    let without =
        SpotlightOptions { parameters: Parameters::Off, rounds: 12, most_processes: 2, ..SpotlightOptions::default() };
    assert_eq!(spot(&file, &without).unwrap()[0].value(), Belnap::Unknown);
}

#[test]
fn what_no_step_changes_gives_a_condition() {
    let text = "system t\nvar limit : int\nvar x : int = 0\nprocess P { if limit > 3 { x := 1; } else { x := 2; } loop { skip; } }\n\
        process S { loop { skip; } }\nproperty small : ltl G (x < 2)\n";
    let found = spot(&loaded(text), &SpotlightOptions::default()).unwrap();
    assert_eq!(found[0].value(), Belnap::Unknown);
    let conditions: Vec<String> = found[0].condition.iter().map(|(value, when)| format!("{value}: {when}")).collect();
    assert_eq!(conditions, ["true: (limit > 3)", "false: !(limit > 3)"]);
}

/// Processes that request three of six resources in order, use them and release them; two more agree on unknown flags.
fn resources(processes: usize) -> String {
    let mut text =
        "system resources\nfunction f(int) : bool\nvar load : int\nvar flag1, flag2, ready : bool = false\n".to_owned();
    for resource in 1..=6 {
        text.push_str(&format!("var r{resource} : 0..{processes} = 0\n"));
    }
    for process in 1..=processes {
        let first = if process <= 2 { 1 } else { 1 + process % 4 };
        let each = |statement: &dyn Fn(usize) -> String| (first..first + 3).map(statement).collect::<String>();
        let take = each(&|r| format!("when r{r} = 0 do r{r} := {process}; "));
        let give = each(&|r| format!("when r{r} = {process} do r{r} := 0; "));
        text.push_str(&format!(
            "process P{process} {{ loop {{ idle: load := *; {take}busy: if load > 0 {{ skip; }} else {{ load := 0; }} {give}}} }}\n"
        ));
    }
    text.push_str(
        "process A { one: flag1 := f(load); two: ready := true; three: flag1 := !flag2; four: loop { skip; } }\n",
    );
    text.push_str(
        "process B { one: flag2 := false; two: await ready; three: flag2 := !flag1; four: loop { skip; } }\n",
    );
    text.push_str("fair P1, P2\nproperty safe : ltl G !(P1@busy && P2@busy)\n");
    text.push_str("property release : ltl G (P1@busy -> F P1@idle)\nproperty modes : ltl G !(flag1 && flag2)\n");
    text
}

#[test]
fn few_of_many_processes_are_enough() {
    let sizes = [8, 30].map(|processes| {
        let file = loaded(&resources(processes));
        assert!(spotlight::start::reason(&file, &asked(&file)).is_some());
        let found = spot(&file, &SpotlightOptions::default()).unwrap();
        found.iter().for_each(|answer| {
            assert_eq!(
                answer.value(),
                Belnap::True,
                "{} with {processes} processes: {:#?}",
                answer.name,
                answer.rounds
            );
        });
        let size =
            |answer: &ProgramAnswer| (answer.name.clone(), answer.spotlight.as_ref().map_or(usize::MAX, Vec::len));
        found.iter().map(size).collect::<Vec<_>>()
    });
    assert_eq!(sizes[0], sizes[1], "it does not matter how many there are");
    // What depends on fairness may need some of those who could interfere.
    let few = |(name, size): &(String, usize)| *size <= if name == "release" { 5 } else { 2 };
    assert!(sizes[1].iter().all(few), "{sizes:?}");
}

/// Stops the run as soon as it hears an answer.
struct Impatient(Arc<AtomicBool>);

impl Observer for Impatient {
    fn phase(&self, _: &str) {}

    fn answered(&self, name: &str, value: Belnap) {
        assert_eq!((name, value), ("holds", Belnap::True));
        self.0.store(true, Ordering::SeqCst);
    }
}

impl ProgramObserver for Impatient {}

/// So a run that is ended from outside has a report with what was known.
#[test]
fn each_answer_is_told_before_the_next_question_is_looked_at() {
    let file = loaded(
        "system s\nvar x : 0..1 = 0\nprocess P { loop { x := 1 - x; } }\nprocess Q { skip; }\n\
         property holds : ltl G x <= 1\nproperty breaks : ltl G x = 0\n",
    );
    let cancel = Arc::new(AtomicBool::new(false));
    let budget = Budget::unlimited().with_cancel(Arc::clone(&cancel));
    let (options, abstraction, how) =
        (CheckOptions::default(), AbstractionOptions::default(), SpotlightOptions::default());
    let found = spotlight::check(&file, &asked(&file), &options, &abstraction, &how, &budget, &Impatient(cancel))
        .unwrap_or_else(|failure| panic!("{failure:?}"));
    let told: Vec<_> = found.answers.iter().map(|answer| (answer.value(), answer.stopped())).collect();
    assert_eq!(told, [(Belnap::True, None), (Belnap::Unknown, Some(StopReason::Interrupted))]);
}
