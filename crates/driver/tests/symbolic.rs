//! Finite programs decided over sets are decided as by visiting their states, and the runs are as short.

use tertium_base::Budget;
use tertium_driver::engines::EngineChoice;
use tertium_driver::failure::Failure;
use tertium_driver::program::explore::{SearchOrder, explore};
use tertium_driver::program::predicate_abstraction::{self, AbstractionKind, AbstractionOptions};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::safety::Effort;
use tertium_driver::program::space::Space;
use tertium_driver::program::symbolic::Encoding;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text};
use tertium_driver::provenance::Engine;
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use tertium_driver::{Belnap, LinearReading, Observer, ProgramObserver};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

const ASKED: &str = "
property never : ltl G !home
property comes : ltl F home
property comes_back : ltl G F home
property answered : ltl G (home -> X F !home)
property never_ctl : ctl AG !home
property possible : ctl EF home
property always_possible : ctl AG EF home
property sure : ctl AF home
property until : ctl A[!home U home]
property release : ctl A[home R !home]
property stays : ctl EG !home
property never_stuck : ctl AG !deadlock
property goes_on : mu nu X. (!home & <> X)
property turns : mu nu X. mu Y. <> ((home & X) | Y)
property step : pml [] !home
property leads : ctl AG (home -> AF !home)
property soon : ctl AX (home || AX home)
property escape : ctl AG (home -> EF AG !home)
property again : ctl* A G F home
property some_path : ctl* E (F home && G F !home)
property nested : ctl* A G (home -> E X F home)
";

/// What is asked of a random program.
fn asked(text: &str) -> String {
    let member = if text.contains("process P0[") { "[1]" } else { "" };
    format!("predicate home : P0{member}@here\n{ASKED}")
}

/// Only what is wrong: with the sources a message is pages long.
fn brief(failure: &Failure) -> String {
    match failure {
        Failure::Input(why) => why.iter().map(|located| located.diagnostic.message.clone() + "\n").collect(),
        other => format!("{other:?}"),
    }
}

fn loaded(text: &str) -> ProgramFile {
    from_text("random.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{}\n{text}", brief(&failure)))
}

fn answers(file: &ProgramFile, engine: EngineChoice) -> Result<Vec<ProgramAnswer>, Failure> {
    let options = CheckOptions { engine, look_for_idle: false, ..CheckOptions::default() };
    let asked = questions(file, &[], false).expect("no names are asked for");
    check(file, &asked, &options, &Budget::unlimited(), &()).map(|outcome| outcome.answers)
}

/// Everything about the steps of a program is decided, so all readings of linear formulas are one.
#[test]
fn a_program_has_one_reading() {
    for_random_cases(6, |case| {
        let mut text = random_program(&mut case.rng, &ProgramShape { processes: 1..=2, ..ProgramShape::default() });
        text.push_str(&asked(&text));
        case.keep("program.gcl", text.clone());
        let file = loaded(&text);
        let questions = questions(&file, &[], false).expect("no names are asked for");
        let Ok(expected) = answers(&file, EngineChoice::Symbolic) else { return };
        for linear in LinearReading::ALL.map(Some) {
            let options = CheckOptions {
                engine: EngineChoice::Symbolic,
                linear,
                look_for_idle: false,
                ..CheckOptions::default()
            };
            let found = check(&file, &questions, &options, &Budget::unlimited(), &());
            let found = found.unwrap_or_else(|failure| panic!("{}\n{text}", brief(&failure))).answers;
            for (one, other) in expected.iter().zip(&found) {
                assert_eq!(one.value(), other.value(), "{} {linear:?}\n{text}", one.name);
            }
        }
    });
}

/// Whether the program could be encoded.
fn compare(text: &str) -> bool {
    let file = loaded(text);
    let sets = match answers(&file, EngineChoice::Symbolic) {
        Ok(sets) => sets,
        Err(Failure::Input(why)) if why[0].diagnostic.code == "E0361" => return false,
        Err(failure) => panic!("{}\n{text}", brief(&failure)),
    };
    let visited = answers(&file, EngineChoice::Auto).unwrap_or_else(|failure| panic!("{}\n{text}", brief(&failure)));
    assert_eq!(sets.len(), visited.len());
    for (one, other) in sets.iter().zip(&visited) {
        assert_eq!(one.name, other.name);
        if other.value() != Belnap::Unknown {
            assert_eq!(one.value(), other.value(), "{}\n{text}", one.name);
        }
        // With fairness the others show how it goes on after what is broken.
        let plain = one.name == "never_ctl" && !text.contains("fair ");
        let shortest = one.logic == "safety" || one.name == "never" || plain;
        if one.value() == Belnap::False && shortest {
            let length = |answer: &ProgramAnswer| answer.run().map(|run| run.length());
            assert_eq!(length(one), length(other), "length of the run for {}\n{text}", one.name);
        }
        let lasso = ["comes", "comes_back", "answered", "again"].contains(&one.name.as_str());
        if one.value() == Belnap::False && lasso {
            assert!(one.run().is_some_and(|run| run.loop_start.is_some()), "{} has no lasso\n{text}", one.name);
        }
    }
    counts_agree(&file, text);
    true
}

fn counts_agree(file: &ProgramFile, text: &str) {
    let budget = Budget::unlimited();
    let space = Space::new(&file.program, &budget).expect("it can be explored");
    let effort = Effort {
        threads: 1,
        max_states: None,
        reduction: false,
        store: tertium_driver::program::safety::Keeping::Exact,
        budget: &budget,
    };
    let (counts, _) = explore(&space, SearchOrder::Breadth, &effort, &mut |_| {}).expect("it can be explored");
    let encoding = Encoding::new(&file.program, &budget, &mut |_| {}).expect("it was encoded before");
    assert_eq!(encoding.figures().states, counts.states as f64, "states\n{text}");
}

#[test]
fn random_programs_have_the_verdicts_of_a_search() {
    let encoded = std::cell::Cell::new([0usize; 2]);
    for_random_cases(30, |case| {
        let shape = ProgramShape { faults: case.rng.chance(60), ..ProgramShape::default() };
        let mut text = random_program(&mut case.rng, &shape);
        text.push_str(&asked(&text));
        case.keep("program.gcl", text.clone());
        let [mut all, mut fit] = encoded.get();
        all += 1;
        fit += usize::from(compare(&text));
        encoded.set([all, fit]);
    });
    let [all, fit] = encoded.get();
    assert!(fit * 10 >= all * 9, "only {fit} of {all} programs could be encoded");
}

#[test]
fn fair_programs_have_the_verdicts_of_a_search() {
    for_random_cases(15, |case| {
        let shape = ProgramShape { faults: false, processes: 2..=3, ..ProgramShape::default() };
        let mut text = random_program(&mut case.rng, &shape);
        let names: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix("process "))
            .filter_map(|rest| rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next())
            .map(str::to_owned)
            .collect();
        for name in &names {
            if !case.rng.chance(60) {
                continue;
            }
            let strong = if case.rng.chance(40) { "strong " } else { "" };
            text.push_str(&format!("\n{strong}fair {name}\n"));
        }
        text.push_str(&asked(&text));
        case.keep("program.gcl", text.clone());
        compare(&text);
    });
}

/// Where a search shows what breaks a property, so do sets; what they show is as much.
#[test]
fn false_branching_formulas_come_with_runs() {
    let text = "system s\nvar x : 0..3 = 0\nprocess P { loop { choose { when x < 3 do x := x + 1 } or { when x = 3 do x := 1 } } }\n\
        property back : ctl AG AF x = 0\nproperty stays : ctl AG (x = 2 -> AX x = 2)\nproperty none : ctl AX AX AX x = 2\n\
        property never : ctl !EF (x = 2 && EX x = 3)\nproperty modal : pml [][] x = 0\nproperty all : ctl* A F G x = 2\n\
        property either : ctl (AG x < 2 || AG x < 1) && EF x = 3\n";
    let file = loaded(text);
    let length = |answer: &ProgramAnswer| answer.run().map(|run| (run.length(), run.loop_start.is_some()));
    let sets = answers(&file, EngineChoice::Symbolic).unwrap_or_else(|failure| panic!("{}", brief(&failure)));
    let visited = answers(&file, EngineChoice::Auto).unwrap_or_else(|failure| panic!("{}", brief(&failure)));
    let mut shown = 0;
    for (one, other) in sets.iter().zip(&visited) {
        assert_eq!(one.value(), other.value(), "{}", one.name);
        if one.value() == Belnap::False {
            assert!(one.run().is_some(), "{} has no run, a search has {:?}", one.name, length(other));
            shown += 1;
        }
    }
    assert_eq!(shown, 7, "all of them are false");
    let of = |name: &str| sets.iter().find(|answer| answer.name == name).and_then(length);
    assert_eq!(of("stays"), Some((3, false)), "to x = 2 and a step");
    assert_eq!(of("never"), Some((3, false)));
    assert_eq!(of("back").map(|(_, loops)| loops), Some(true));
    assert_eq!(of("all").map(|(_, loops)| loops), Some(true));
}

/// A process that is enabled again and again, never for good: weak fairness does not help it, strong fairness does.
#[test]
fn strong_fairness_gives_a_turn_to_who_can_step_again_and_again() {
    let program = |fairness: &str| {
        format!(
            "system s\nvar b : bool = false\nvar won : bool = false\nprocess P {{ loop {{ b := true; b := false }} }}\n\
             process Q {{ when b do won := true }}\n{fairness}\nproperty wins : ltl F won\nproperty wins_ctl : ctl AF won\n\
             property can : ctl AG EF won\nproperty star : ctl* A (G F b -> F won)\n"
        )
    };
    for (fairness, expected) in [
        ("", [Belnap::False, Belnap::False, Belnap::True, Belnap::False]),
        ("fair P\nfair Q", [Belnap::False, Belnap::False, Belnap::True, Belnap::False]),
        ("fair P\nstrong fair Q", [Belnap::True; 4]),
    ] {
        let sets = answers(&loaded(&program(fairness)), EngineChoice::Symbolic);
        let sets = sets.unwrap_or_else(|failure| panic!("{}", brief(&failure)));
        for (name, value) in ["wins", "wins_ctl", "can", "star"].into_iter().zip(expected) {
            let answer = sets.iter().find(|answer| answer.name == name).expect("it was asked");
            assert_eq!(answer.value(), value, "{name} with `{fairness}`");
            assert_eq!(answer.run().is_some(), value == Belnap::False, "{name} with `{fairness}`");
        }
    }
}

#[test]
fn what_is_not_encoded_is_refused_with_the_reason() {
    let refused = |text: &str| match answers(&loaded(text), EngineChoice::Symbolic) {
        Err(Failure::Input(why)) => (why[0].diagnostic.code, why[0].diagnostic.message.clone()),
        other => panic!("{other:?}"),
    };
    let (code, why) = refused("system s\nvar x : int = 0\nprocess P { loop { x := x + 1; } }\n");
    assert_eq!(code, "E0361");
    assert!(why.contains("`x` has no bounds"), "{why}");
}

#[test]
fn a_small_memory_ends_in_an_answer_that_says_so() {
    let mut text = "system s\n".to_owned();
    for at in 0..40 {
        text.push_str(&format!("var a{at}, b{at} : 0..255\n"));
    }
    text.push_str("process P { loop { when a0 * b0 + a1 * b1 = a2 * b2 do a3 := 1 } }\nproperty p : ctl AG a3 >= 0\n");
    let file = loaded(&text);
    let asked = questions(&file, &["p".to_owned()], false).expect("it is there");
    let options = CheckOptions { engine: EngineChoice::Symbolic, look_for_idle: false, ..CheckOptions::default() };
    let budget = Budget::unlimited().with_memory(Some(4 << 20));
    let outcome = check(&file, &asked, &options, &budget, &()).expect("a limit is no mistake");
    assert_eq!(outcome.answers[0].stopped(), Some(tertium_base::StopReason::Memory));
    assert_eq!(outcome.answers[0].value(), Belnap::Unknown);
}

/// Products of many numbers: a single operation on their diagrams would take minutes.
#[test]
fn a_small_time_ends_in_an_answer_that_says_so() {
    let mut text = "system s\n".to_owned();
    for at in 0..3 {
        text.push_str(&format!("var a{at}, b{at} : 0..65535\n"));
    }
    text.push_str("process P { loop { when a0 * b0 + a1 * b1 = a2 * b2 do a0 := 1 } }\nproperty p : ctl AG a0 >= 0\n");
    let file = loaded(&text);
    let asked = questions(&file, &["p".to_owned()], false).expect("it is there");
    let options = CheckOptions { engine: EngineChoice::Symbolic, look_for_idle: false, ..CheckOptions::default() };
    let limit = std::time::Duration::from_millis(500);
    let budget = Budget::unlimited().with_time(Some(limit)).with_memory(Some(2 << 30));
    let outcome = check(&file, &asked, &options, &budget, &()).expect("a limit is no mistake");
    assert_eq!(outcome.answers[0].stopped(), Some(tertium_base::StopReason::Time));
}

/// Nobody chose an engine: where types allow many states and a short search does not end, sets are tried, and that is told.
#[test]
fn sets_are_chosen_where_a_search_would_not_end() {
    let counters = |most: usize| {
        let mut text = "system s\n".to_owned();
        for at in 0..6 {
            text.push_str(&format!(
                "process C{at} {{ var x : 0..{most} = 0\n loop {{ choose {{ when x < {most} do x := x + 1 }} or {{ when x > 0 do x := x - 1 }} }} }}\n"
            ));
        }
        text.push_str("property back : ctl AG EF C0.x = 0\n");
        text
    };
    let chosen = |text: &str| {
        let file = loaded(text);
        let asked = questions(&file, &["back".to_owned()], false).expect("it is there");
        let wishes = Wishes::default();
        let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
        let outcome = strategy::decide(&query, &Budget::unlimited(), &()).expect("answers");
        let told = outcome.remarks.iter().find(|remark| remark.diagnostic.code == "W0431");
        assert_eq!(outcome.answers[0].value(), Belnap::True);
        (outcome.answers[0].provenance.engine, told.map(|remark| remark.diagnostic.message.clone()))
    };
    let (engine, told) = chosen(&counters(99));
    assert_eq!(engine, Engine::Symbolic);
    assert!(told.is_some_and(|message| message.contains("at most 10^12 states")), "the estimate is shown");
    let (engine, told) = chosen(&counters(3));
    assert!(engine != Engine::Symbolic && told.is_none(), "4096 states are visited");
}

fn abstracted(
    file: &ProgramFile,
    engine: EngineChoice,
    linear: Option<LinearReading>,
    max_states: Option<usize>,
) -> Result<Vec<ProgramAnswer>, Failure> {
    let options = CheckOptions { engine, linear, look_for_idle: false, ..CheckOptions::default() };
    let how = AbstractionOptions { kind: AbstractionKind::Cartesian, max_states, ..AbstractionOptions::default() };
    let asked = questions(file, &[], false).expect("no names are asked for");
    predicate_abstraction::check(file, &asked, &options, &how, &Budget::unlimited(), &()).map(|outcome| outcome.answers)
}

/// What sets of abstract states decide is what the program does, however linear formulas are read.
#[test]
fn sets_of_abstract_states_never_contradict_the_program() {
    let definite = std::cell::Cell::new([0usize; 6]);
    for_random_cases(12, |case| {
        let shape = ProgramShape {
            faults: case.rng.chance(30),
            processes: 1..=2,
            statements: 1..=3,
            depth: 1,
            ..ProgramShape::default()
        };
        let mut text = random_program(&mut case.rng, &shape);
        text.push_str(&asked(&text));
        case.keep("program.gcl", text.clone());
        let file = loaded(&text);
        let visited =
            answers(&file, EngineChoice::Auto).unwrap_or_else(|failure| panic!("{}\n{text}", brief(&failure)));
        for (at, linear) in [None].into_iter().chain(LinearReading::ALL.map(Some)).enumerate() {
            let sets = match abstracted(&file, EngineChoice::Symbolic, linear, None) {
                Ok(sets) => sets,
                Err(Failure::Input(_)) => return,
                Err(failure) => panic!("{}\n{text}", brief(&failure)),
            };
            for (one, other) in sets.iter().zip(&visited) {
                // What the literal reading calls false need not be.
                let trusted = linear != Some(LinearReading::Tg) || one.value() == Belnap::True || one.logic != "ltl";
                if one.value() != Belnap::Unknown && other.value() != Belnap::Unknown && trusted {
                    assert_eq!(one.value(), other.value(), "{} {linear:?}\n{text}", one.name);
                    let mut counts = definite.get();
                    counts[at] += 1;
                    definite.set(counts);
                }
            }
        }
    });
    assert!(definite.get().iter().all(|&count| count > 20), "only {:?} definite answers", definite.get());
}

/// Forty predicates: too many combinations to list, few enough relations to compute with.
#[test]
fn many_predicates_are_decided_where_listing_gives_up() {
    let mut text = "system many\n".to_owned();
    let mut all = Vec::new();
    for at in 0..20 {
        text.push_str(&format!(
            "process W{at} {{ var x : int = 0\n loop {{ choose {{ x := x + 1 }} or {{ when x > 0 do x := x - 1 }} }} }}\n\
             predicate W{at}.x >= 0\npredicate W{at}.x > 0\n"
        ));
        all.push(format!("W{at}.x >= 0"));
    }
    text.push_str(&format!("property natural : ctl AG ({})\n", all.join(" && ")));
    let file = loaded(&text);
    let listed =
        abstracted(&file, EngineChoice::Auto, None, Some(2000)).unwrap_or_else(|failure| panic!("{}", brief(&failure)));
    let sets =
        abstracted(&file, EngineChoice::Symbolic, None, None).unwrap_or_else(|failure| panic!("{}", brief(&failure)));
    let value =
        |answers: &[ProgramAnswer]| answers.iter().find(|answer| answer.name == "natural").map(|answer| answer.value());
    assert_eq!(value(&listed), Some(Belnap::Unknown), "two to the twentieth states are more than two thousand");
    assert_eq!(value(&sets), Some(Belnap::True));
    assert_eq!(sets[0].cost.solver.map(|work| work.predicates), Some(40));
}

/// What the folders of models hold, as far as it is finite: sets give the verdicts of a search.
#[test]
fn the_corpus_has_the_verdicts_of_a_search() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut compared, mut refused) = (0usize, Vec::new());
    for folder in ["examples", "corpus/gcl", "corpus/gcl/bounded", "corpus/promela/micro"] {
        let mut files: Vec<_> = std::fs::read_dir(root.join(folder))
            .expect("the folder is there")
            .map(|entry| entry.expect("it can be read").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "gcl" || ending == "pml"))
            .collect();
        files.sort();
        for path in files {
            let Ok(file) = tertium_driver::program::load(&path, &[], None, &[]) else { continue };
            match same_verdicts(&file, &path.display().to_string()) {
                Ok(properties) => compared += properties,
                Err(why) => refused.push(format!("{}: {why}", path.display())),
            }
        }
    }
    assert!(compared >= LEAST_COMPARED, "only {compared} properties were compared; refused:\n{}", refused.join("\n"));
}

/// Looks at the budget after which sets are given up.
const ENOUGH: u64 = 3_000;
/// So many properties of the corpus are decided by both.
const LEAST_COMPARED: usize = 400;

/// How many properties were compared; or why there are no sets.
fn same_verdicts(file: &ProgramFile, name: &str) -> Result<usize, String> {
    let mut asked = questions(file, &[], false).expect("no names are asked for");
    // Games are asked otherwise than over all states at once.
    let is_about_players =
        |question: &Question| matches!(question, Question::Property(asked) if asked.formula.logic().is_strategic());
    asked.retain(|question| !matches!(question, Question::Watched(_)) && !is_about_players(question));
    let options =
        |engine, max_states| CheckOptions { engine, max_states, look_for_idle: false, ..CheckOptions::default() };
    let budget = Budget::unlimited().with_effort(Some(ENOUGH));
    let sets = match check(file, &asked, &options(EngineChoice::Symbolic, None), &budget, &()) {
        Ok(outcome) => outcome.answers,
        Err(Failure::Input(why)) if why[0].diagnostic.code.starts_with("E036") => {
            return Err(why[0].diagnostic.message.clone());
        }
        Err(failure) => panic!("{name}: {}", brief(&failure)),
    };
    let visited = check(file, &asked, &options(EngineChoice::Auto, Some(100_000)), &Budget::unlimited(), &());
    let visited = visited.unwrap_or_else(|failure| panic!("{name}: {}", brief(&failure))).answers;
    let mut compared = 0;
    for (one, other) in sets.iter().zip(&visited) {
        assert!(
            one.value() != Belnap::False || one.run().is_some() || one.logic == "mu",
            "{name}: {} has no run",
            one.name
        );
        if one.stopped().is_none() && other.value() != Belnap::Unknown {
            assert_eq!(one.value(), other.value(), "{name}: {}", one.name);
            compared += 1;
        }
    }
    Ok(compared)
}

/// Remembers what it is told, in order.
#[derive(Default)]
struct Heard(std::sync::Mutex<Vec<String>>);

impl Observer for Heard {
    fn phase(&self, what: &str) {
        self.0.lock().unwrap().push(what.to_owned());
    }

    fn answered(&self, name: &str, value: Belnap) {
        self.0.lock().unwrap().push(format!("{name}: {value:?}"));
    }
}

impl ProgramObserver for Heard {}

/// So a run that is ended from outside has a report with what was known.
#[test]
fn each_answer_is_told_before_the_next_question_is_looked_at() {
    let file = loaded(
        "system s\nvar x : 0..1 = 0\nprocess P { loop { x := 1 - x; } }\n\
         property holds : ltl G x <= 1\nproperty breaks : ltl G x = 0\n",
    );
    let options = CheckOptions { engine: EngineChoice::Symbolic, look_for_idle: false, ..CheckOptions::default() };
    let asked = questions(&file, &[], false).expect("no names are asked for");
    let heard = Heard::default();
    check(&file, &asked, &options, &Budget::unlimited(), &heard)
        .unwrap_or_else(|failure| panic!("{}", brief(&failure)));
    let heard: Vec<String> = heard
        .0
        .into_inner()
        .unwrap()
        .into_iter()
        .filter(|what| what.contains(": ") || what.starts_with("deciding"))
        .collect();
    let order =
        ["deciding holds", "holds: True", "deciding breaks", "breaks: False", "deciding deadlocks", "deadlocks: True"];
    assert_eq!(heard, order);
}
