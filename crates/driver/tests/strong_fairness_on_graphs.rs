//! Strong fairness on the graph of a program: what every strongly fair run does, and nothing else, is true of the graph with copies for what strong fairness
//! excludes; and certificates about it are accepted for what is true, by nobody for what is not. Branching formulas are asked of the graph whose states say who steps, and have the
//! value there that they have over sets.

use tertium_base::Budget;
use tertium_check::{Ask, Task};
use tertium_driver::Belnap;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text};
use tertium_kernel::programs::question::{Settings, Subject};
use tertium_testkit::{Rng, for_random_cases};

fn loaded(text: &str) -> ProgramFile {
    from_text("test.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn asked(file: &ProgramFile) -> Vec<Question> {
    let all = questions(file, &[], false).expect("no names are asked for");
    all.into_iter().filter(|question| matches!(question, Question::Property(_))).collect()
}

fn run(file: &ProgramFile) -> Vec<ProgramAnswer> {
    let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
    let found = check(file, &asked(file), &options, &Budget::unlimited(), &());
    found.unwrap_or_else(|failure| panic!("{failure:?}")).answers
}

/// Processes that wait for what others switch on and off again and again.
fn switches(rng: &mut Rng) -> String {
    let mut text = "system switches\nvar x : 0..2 = 0\nvar a, b : bool = false\n".to_owned();
    for process in 0..2 + rng.below(2) {
        let mut body = String::new();
        for _ in 0..1 + rng.below(3) {
            let guard = *rng.pick(&["x = 0", "x = 1", "a", "!a", "b", "x < 2", "true"]);
            let action = *rng.pick(&["x := (x + 1) mod 3", "a := !a", "b := true", "b := false", "skip", "x := 2 - x"]);
            body.push_str(&format!("when {guard} do {action}; "));
        }
        let body = if rng.chance(80) { format!("loop {{ {body}}}") } else { body };
        text.push_str(&format!("process P{process} {{ {body} }}\n"));
        let fairness = *rng.pick(&["strong fair", "strong fair", "fair", ""]);
        if !fairness.is_empty() {
            text.push_str(&format!("{fairness} P{process}\n"));
        }
    }
    for (at, formula) in [
        "G F b",
        "F G a",
        "G (a -> F !a)",
        "F (x = 2)",
        "G F (x = 1) -> G F a",
        "F (b && X !b)",
        "F deadlock",
        "G !(a && b)",
    ]
    .iter()
    .enumerate()
    {
        text.push_str(&format!("property f{at} : ltl {formula}\n"));
    }
    text
}

#[test]
fn graphs_with_copies_say_what_running_says() {
    let counts = std::cell::Cell::new([0, 0, 0]);
    for_random_cases(60, |case| {
        let text = switches(&mut case.rng);
        case.keep("program.gcl", &text);
        let file = loaded(&text);
        let budget = Budget::unlimited();
        for (answer, question) in run(&file).iter().zip(asked(&file)) {
            let subject = Subject::of(&file, &question, Settings::default()).expect("a property");
            let Ok(graph) = subject.graph(&budget) else { continue };
            let [start] = graph.init() else { panic!("one initial state") };
            let ask = [*start];
            let formula = tertium_structures::prove::evaluated_formula(&graph, subject.formula());
            let task = Task::new(&graph, &formula, subject.reading, Ask::At(&ask), &budget).expect("it fits");
            let engine = tertium_structures::engines::EngineChoice::Auto;
            let value = tertium_structures::engines::evaluate(&task, engine).expect("a value").1.at(*start);
            assert_eq!(value == Belnap::True, answer.value() == Belnap::True, "{}: {value:?}", answer.name);
            let options = CheckOptions::default();
            let written = certificate_of(&file, &question, answer, &options, &budget);
            let written = written.unwrap_or_else(|failure| panic!("{}: {failure:?}", answer.name));
            let mut seen = counts.get();
            seen[usize::from(answer.value() == Belnap::True)] += 1;
            if subject.is_strongly_fair() && answer.value() == Belnap::True {
                assert!(matches!(written, Written::Certificate(_)), "{}: {written:?}", answer.name);
                seen[2] += 1;
            }
            counts.set(seen);
        }
    });
    let [wrong, right, written] = counts.get();
    assert!(wrong > 20 && right > 20 && written > 10, "{wrong} false, {right} true, {written} with strong fairness");
}

/// Formulas that branch, of the same programs.
const BRANCHING: [&str; 10] = [
    "ctl AG AF b",
    "ctl EG !b",
    "ctl AG EF a",
    "ctl EF AG a",
    "ctl A[!b U (a || x = 2)]",
    "ctl AX AF (x = 1)",
    "ctl AG (a -> AF !a)",
    "ctl* A (G F b || F G a)",
    "ctl* E (G F a && G F !a && G !b)",
    "ctl* A G (b -> E (X F !b))",
];

#[test]
fn branching_formulas_have_the_value_that_sets_give_them() {
    let counts = std::cell::Cell::new([0, 0, 0]);
    for_random_cases(25, |case| {
        let mut text = switches(&mut case.rng);
        text.retain(|c| c != '\r');
        let text: String =
            text.lines().filter(|line| !line.starts_with("property")).map(|line| format!("{line}\n")).collect();
        let named = BRANCHING.iter().enumerate().map(|(at, formula)| format!("property b{at} : {formula}\n"));
        let text = text + &named.collect::<String>();
        case.keep("program.gcl", &text);
        let file = loaded(&text);
        let budget = Budget::unlimited();
        let engine = tertium_structures::engines::EngineChoice::Symbolic;
        let options = CheckOptions { engine, look_for_idle: false, ..CheckOptions::default() };
        let asked = asked(&file);
        let found = check(&file, &asked, &options, &budget, &()).unwrap_or_else(|failure| panic!("{failure:?}"));
        for (answer, question) in found.answers.iter().zip(&asked) {
            let subject = Subject::of(&file, question, Settings::default()).expect("a property");
            if !subject.is_strongly_fair() {
                continue;
            }
            let options = CheckOptions::default();
            let written = certificate_of(&file, question, answer, &options, &budget);
            let written = written.unwrap_or_else(|failure| panic!("{}: {failure:?}", answer.name));
            assert!(matches!(written, Written::Certificate(_)), "{}: {written:?}", answer.name);
            let graph = subject.graph(&budget).expect("it is small");
            let formula = subject.graph_formula().expect("it branches");
            let task = Task::new(&graph, &formula, subject.reading, Ask::At(graph.init()), &budget).expect("it fits");
            let engine = tertium_structures::engines::EngineChoice::Auto;
            let values = tertium_structures::engines::evaluate(&task, engine).expect("a value").1;
            let all = graph.init().iter().all(|&state| values.at(state) == Belnap::True);
            assert_eq!(all, answer.value() == Belnap::True, "{}", answer.name);
            let mut seen = counts.get();
            seen[usize::from(all)] += 1;
            counts.set(seen);
        }
    });
    let [wrong, right, _] = counts.get();
    assert!(wrong > 20 && right > 20, "{wrong} false, {right} true");
}
