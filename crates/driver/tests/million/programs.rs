//! Guarded commands: engines and refinement against running the program, and the kernel on what is true.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::{PropertyQuery, Question, questions};
use tertium_driver::program::refinement_loop;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check};
use tertium_driver::{Belnap, Failure};
use tertium_logic::{Formula, Logic};
use tertium_program::ExprId;
use tertium_testkit::programs::{Space, state_space};
use tertium_testkit::{Case, FormulaShape, ProgramShape, random_program};

use super::certified::{folder, refused_as, stored};
use super::graph::Graph;
use super::sample::Tally;

/// The definitions look at no larger graphs.
pub const MOST_STATES: usize = 400;
/// How many formulas a program gets.
const FORMULAS: usize = 8;

/// Limits of one way to answer all questions. The memory is that of the whole process, which all threads share: with a small limit a
/// sample would be stopped for what its neighbours hold, the kernel's part of it, too.
pub fn budget() -> Budget {
    Budget::unlimited().with_time(Some(Duration::from_secs(8))).with_memory(Some(8 << 30))
}

/// A file for a sample; samples beside each other do not meet.
pub fn place(case: &Case, extension: &str) -> PathBuf {
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "");
    folder("million").join(format!("{}-{thread}-{}.{extension}", std::process::id(), case.number))
}

/// A program, what is asked of it, and its graph.
struct Subject {
    path: PathBuf,
    file: ProgramFile,
    space: Option<Space>,
    asked: Vec<Question>,
    /// With fairness the graph is one of steps, since the text's own does not tell who steps.
    graph: Option<Graph>,
}

impl Drop for Subject {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn subject(case: &mut Case, shape: &ProgramShape) -> Subject {
    let mut text = random_program(&mut case.rng, shape);
    let member = if text.contains("process P0[") { "[1]" } else { "" };
    let condition = *case.rng.pick(&["b", "n = 1", "n < 2 && !b", "n = 0 || b", "n > 0 -> b"]);
    text.push_str(&format!("predicate p : P0{member}@here\npredicate q : {condition}\n"));
    let fair = case.rng.chance(25);
    if fair {
        text.push_str("fair P0\n");
    }
    for number in 0..FORMULAS {
        let logic =
            *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Ctl, Logic::Mu, Logic::Ltl, Logic::Ltl, Logic::CtlStar]);
        let size = *case.rng.pick(&[2, 4, 5]);
        let formula = tertium_testkit::formulas::random_formula(
            &mut case.rng,
            &FormulaShape { size, ..FormulaShape::new(logic) },
        );
        text.push_str(&format!("property f{number} : {} {}\n", logic.name(), formula.text()));
    }
    case.keep("program.gcl", text.clone());
    let path = place(case, "gcl");
    let file = stored(&path, &text);
    let mut asked = questions(&file, &[], false).expect("no names are asked for");
    // What the generator asks by itself speaks of more than the named predicates.
    asked.retain(|question| property(question).is_none_or(|asked| asked.name.starts_with('f')));
    let space = state_space(&tertium_gcl::parse(&text).0, MOST_STATES);
    let graph = if fair { fair_graph(&file, &asked) } else { space.as_ref().map(Graph::of_space) };
    Subject { path, file, space, asked, graph }
}

/// The graph of steps with the fairness that the program declares; atoms are its predicates.
fn fair_graph(file: &ProgramFile, asked: &[Question]) -> Option<Graph> {
    let program = &file.program;
    let mut atoms: Vec<(String, ExprId)> = asked.iter().filter_map(property).flat_map(atoms_of).collect();
    atoms.sort();
    atoms.dedup();
    let is_fair = |pid: &u32| {
        let process = program.instances[*pid as usize].process;
        program.process(process).fairness == tertium_driver::program::Fairness::Weak
    };
    let fair = (0..to_u32(program.instances.len())).filter(is_fair).collect();
    Graph::of_steps(program, &atoms, fair, MOST_STATES)
}

/// The property that a question is.
pub fn property(question: &Question) -> Option<&PropertyQuery> {
    match question {
        Question::Property(asked) => Some(asked),
        Question::Never(_) | Question::Watched(_) => None,
    }
}

/// The atoms of a property by their texts.
pub fn atoms_of(asked: &PropertyQuery) -> Vec<(String, ExprId)> {
    asked.formula.atoms().iter().zip(&asked.atoms).map(|(atom, &expr)| (atom.text.clone(), expr)).collect()
}

/// The value of a question by running the program; none if that cannot tell.
fn expected(subject: &Subject, question: &Question) -> Option<Belnap> {
    match question {
        Question::Property(asked) => subject.graph.as_ref().map(|graph| graph.value(&asked.formula)),
        Question::Never(never) => {
            let space = subject.space.as_ref()?;
            let happens = match never.mistake.name() {
                "deadlocks" => !space.deadlocks.is_empty(),
                "assertions" => space.faults.contains_key("assertion"),
                name => space.faults.contains_key(name),
            };
            Some(Belnap::from(!happens))
        }
        Question::Watched(_) => None,
    }
}

/// What one way says, against the truth. Unknown contradicts nothing; a limit that was reached says nothing.
pub fn contradicts(answer: &ProgramAnswer, expected: Belnap) -> bool {
    answer.value().is_definite() && expected.is_definite() && answer.value() != expected
}

/// The names of a message are of the program at hand; the rest tells which construct is refused.
pub fn construct(failure: &Failure) -> String {
    let Failure::Input(why) = failure else { panic!("{failure:?}") };
    let diagnostic = &why[0].diagnostic;
    assert!(["E0360", "E0361"].contains(&diagnostic.code), "{failure:?}");
    let words = diagnostic.message.split('`').enumerate().map(|(at, word)| if at % 2 == 0 { word } else { ".." });
    words.collect::<String>().replace("the program cannot be encoded as sets: ", "")
}

/// The kernel accepts the certificate of every definite answer that has one; how many.
pub fn certify(
    (path, file): (&Path, &ProgramFile),
    (asked, answers): (&[Question], &[ProgramAnswer]),
    options: &CheckOptions,
    tally: &mut Tally,
) {
    for (question, answer) in asked.iter().zip(answers) {
        if !answer.value().is_definite() || answer.run().is_some() || answer.is_vacuous() {
            continue;
        }
        let text = match certificate_of(file, question, answer, options, &budget()) {
            Ok(Written::WithObligations { text, .. } | Written::Certificate(text)) => text,
            Ok(Written::None(_)) | Err(Failure::Stopped(_)) => continue,
            Err(failure) => panic!("{}: {failure:?}", answer.name),
        };
        let refused = refused_as(options, path, &text);
        assert_eq!(refused, None, "the kernel refuses the certificate of {}:\n{text}", answer.name);
        tally.certificates += 1;
    }
}

/// Explicit search and sets give every question the value that running the program gives it.
pub fn programs(case: &mut Case, tally: &mut Tally) {
    let shape = ProgramShape { faults: case.rng.chance(60), ..ProgramShape::default() };
    let subject = subject(case, &shape);
    let Some(true) = subject.graph.as_ref().map(Graph::begins) else {
        tally.limited += subject.asked.len() as u64;
        return;
    };
    let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
    let found =
        check(&subject.file, &subject.asked, &options, &budget(), &()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let sets = CheckOptions { engine: EngineChoice::Symbolic, max_states: None, ..options.clone() };
    let sets = match check(&subject.file, &subject.asked, &sets, &budget(), &()) {
        Ok(found) => Some(found.answers),
        Err(failure) => {
            tally.refuse(construct(&failure));
            None
        }
    };
    for (at, question) in subject.asked.iter().enumerate() {
        let explicit = &found.answers[at];
        let Some(expected) = expected(&subject, question).filter(|_| explicit.stopped().is_none()) else {
            tally.limited += 1;
            continue;
        };
        for (way, answer) in [("explicit", Some(explicit)), ("sets", sets.as_ref().map(|sets| &sets[at]))] {
            let Some(answer) = answer else { continue };
            let (name, value) = (&answer.name, answer.value());
            assert!(!contradicts(answer, expected), "{name}: {value} by {way}, {expected} by running it");
        }
        tally.value(explicit.value());
    }
    certify((&subject.path, &subject.file), (&subject.asked, &found.answers), &options, tally);
}

/// Whatever predicate abstraction with refinement decides is what running the program gives.
pub fn abstraction(case: &mut Case, tally: &mut Tally) {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    let subject = subject(case, &shape);
    let Some(true) = subject.graph.as_ref().map(Graph::begins) else {
        tally.limited += subject.asked.len() as u64;
        return;
    };
    let options = CheckOptions { look_for_idle: false, ..CheckOptions::default() };
    let how =
        AbstractionOptions { keep_small: case.rng.chance(30), max_states: Some(60), ..AbstractionOptions::default() };
    let found = match refinement_loop::check(&subject.file, &subject.asked, &options, &how, 3, &budget(), &()) {
        Ok(found) => found,
        Err(Failure::Stopped(_)) => {
            tally.limited += subject.asked.len() as u64;
            return;
        }
        Err(Failure::Input(why)) => return tally.refuse(why[0].diagnostic.code),
        Err(failure) => panic!("{failure:?}"),
    };
    for (question, answer) in subject.asked.iter().zip(&found.answers) {
        let Some(expected) = expected(&subject, question).filter(|_| answer.stopped().is_none()) else {
            tally.limited += 1;
            continue;
        };
        let (name, value) = (&answer.name, answer.value());
        assert!(!contradicts(answer, expected), "{name}: {value} by abstraction, {expected} by running it");
        tally.value(value);
    }
    certify((&subject.path, &subject.file), (&subject.asked, &found.answers), &options, tally);
}

/// Only for formulas over the named predicates: their atoms are these names.
#[test]
fn atoms_of_random_formulas_are_the_predicates() {
    let mut case = Case::new(1, 0);
    let subject = subject(&mut case, &ProgramShape::default());
    let formulas: Vec<&Formula> = subject.asked.iter().filter_map(property).map(|asked| &asked.formula).collect();
    let is_named = |formula: &&&Formula| formula.atoms().iter().all(|atom| ["p", "q"].contains(&atom.text.as_str()));
    assert!(formulas.iter().filter(is_named).count() >= FORMULAS);
}
