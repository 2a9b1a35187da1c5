//! What is true over sets has a certificate that is accepted, however many states there are; a set in which a state is missing, or
//! that has a bad one, is refused.

mod certified;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::certified::{folder, refused, stored};
use tertium_base::Budget;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, load};
use tertium_driver::{Belnap, Failure};
use tertium_testkit::{ProgramShape, corpus, for_random_cases, random_program, random_promela};

/// Looks at the budget after which a program is given up.
const MOST_EFFORT: u64 = 1_000_000;

fn options() -> CheckOptions {
    CheckOptions { engine: EngineChoice::Symbolic, look_for_idle: false, keep_basis: true, ..CheckOptions::default() }
}

fn decided(file: &ProgramFile) -> Result<Vec<(Question, ProgramAnswer)>, Failure> {
    let mut asked = questions(file, &[], false)?;
    // Games are not decided over all states at once.
    asked.retain(|question| !matches!(question, Question::Property(asked) if asked.formula.logic().is_strategic()));
    let budget = Budget::unlimited().with_effort(Some(MOST_EFFORT));
    let answers = check(file, &asked, &options(), &budget, &())?.answers;
    Ok(asked.into_iter().zip(answers).collect())
}

fn written(file: &ProgramFile, question: &Question, answer: &ProgramAnswer) -> Written {
    certificate_of(file, question, answer, &options(), &Budget::unlimited())
        .unwrap_or_else(|failure| panic!("{}: {failure:?}\n{}", answer.name, file.source.text))
}

/// How many certificates there are, and why answers have none.
#[derive(Default)]
struct Tally {
    sets: Cell<usize>,
    graphs: Cell<usize>,
    none: RefCell<BTreeMap<String, usize>>,
}

impl Tally {
    /// Certifies everything that is definite and has no run.
    fn all(&self, path: &Path, file: &ProgramFile) {
        let decided = match decided(file) {
            Ok(decided) => decided,
            Err(Failure::Input(_)) => return,
            Err(failure) => panic!("{failure:?}\n{}", file.source.text),
        };
        for (question, answer) in decided {
            if !matches!(answer.value(), Belnap::True | Belnap::False) || answer.run().is_some() || answer.is_vacuous()
            {
                continue;
            }
            let (text, count) = match written(file, &question, &answer) {
                Written::WithObligations { text, .. } => (text, &self.sets),
                Written::Certificate(text) => (text, &self.graphs),
                Written::None(why) => {
                    let why: String = why.chars().filter(|c| !c.is_ascii_digit()).take(100).collect();
                    *self.none.borrow_mut().entry(why).or_default() += 1;
                    continue;
                }
            };
            assert_eq!(refused(path, &text), None, "{}\n{}\n{text}", answer.name, file.source.text);
            count.set(count.get() + 1);
        }
    }

    fn told(&self) -> String {
        let mut told =
            format!("{} certificates of sets, {} of graphs; answers without:\n", self.sets.get(), self.graphs.get());
        self.none.borrow().iter().for_each(|(why, count)| told.push_str(&format!("{count:>5} {why}\n")));
        let _ = std::io::Write::write_all(&mut std::io::stdout(), told.as_bytes());
        told
    }
}

const ASKED: &str = "
property p1 : ltl G (n < 2)
property p2 : ltl G (b -> n < 2)
property p3 : ctl AG (n = 0 || b)
property p4 : ctl EF (n = 1 && b)
property p5 : ctl AG EF (n = 0)
property p6 : ctl !EF (n = 2 && !b)
";

#[test]
fn random_programs_have_certificates() {
    let (folder, tally) = (folder("random_set_certificates"), Tally::default());
    for_random_cases(12, |case| {
        let shape = ProgramShape { faults: case.rng.chance(60), ..ProgramShape::default() };
        let mut text = random_program(&mut case.rng, &shape);
        text.push_str(if case.rng.below(2) == 0 { "" } else { "fair P0\n" });
        text.push_str(ASKED);
        case.keep("program.gcl", &text);
        let path = folder.join("random.gcl");
        let file = stored(&path, &text);
        tally.all(&path, &file);
    });
    let told = tally.told();
    assert!(tally.sets.get() > 20, "{told}");
}

#[test]
fn random_promela_models_have_certificates() {
    let (folder, tally) = (folder("random_set_certificates"), Tally::default());
    for_random_cases(8, |case| {
        let mut text = random_promela(&mut case.rng);
        text.push_str("ltl p { [] (g1 != 2) }\nltl q { [] (g1 < 200) }\nltl r { <> (g1 == 1) }\n");
        case.keep("model.pml", &text);
        let path = folder.join("random.pml");
        let file = stored(&path, &text);
        tally.all(&path, &file);
    });
    let told = tally.told();
    assert!(tally.sets.get() > 5, "{told}");
}

#[test]
fn programs_of_the_corpus_have_certificates() {
    let tally = Tally::default();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [corpus::folder().join("gcl"), corpus::folder().join("gcl/bounded"), here.join("../../examples")];
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder of the corpus"))
        .map(|entry| entry.expect("an entry").path())
        // The philosophers have a test of their own, without the layers that take minutes.
        .filter(|path| path.extension().is_some_and(|ending| ending == "gcl") && !path.ends_with("philosophers.gcl"))
        .collect();
    files.sort();
    for path in &files {
        let Ok(file) = load(path, &[], None, &[]) else { continue };
        tally.all(path, &file);
    }
    let told = tally.told();
    assert!(tally.sets.get() > 5, "{told}");
}

/// Twenty philosophers: far more states than can be listed.
#[test]
fn truths_about_very_many_states_have_certificates() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/philosophers.gcl");
    let file = load(&path, &[], None, &[]).expect("an example");
    let mut accepted = Vec::new();
    for (question, answer) in decided(&file).expect("it can be encoded") {
        assert!(answer.cost.states as f64 > 1e9, "{} states", answer.cost.states);
        // That something stays possible takes layers of sets, which the solver tries for minutes and does not decide.
        if answer.value() != Belnap::True || answer.name == "can_eat" {
            continue;
        }
        match written(&file, &question, &answer) {
            Written::WithObligations { text, obligations } => {
                assert!(obligations.len() > 50, "{} obligations", obligations.len());
                assert_eq!(refused(&path, &text), None, "{}", answer.name);
                accepted.push(answer.name.clone());
            }
            Written::None(why) => panic!("{}: {why}", answer.name),
            Written::Certificate(_) => panic!("a graph of so many states"),
        }
    }
    assert_eq!(accepted, ["neighbours", "deadlocks"]);
}

const MUTEX: &str = "
system mutex
var turn : 0..1 = 0
var want : array[0..1] of bool = false
process P { loop { ncs: want[0] := true; turn := 1; when !want[1] || turn = 0 do skip; crit: want[0] := false } }
process Q { loop { ncs: want[1] := true; turn := 0; when !want[0] || turn = 1 do skip; crit: want[1] := false } }
property mutex : ctl AG !(P@crit && Q@crit)
";

/// A set that lacks a state which can be reached is not closed, and one that has a bad state proves nothing.
#[test]
fn sets_that_are_not_what_they_seem_are_refused() {
    let path = folder("wrong_sets").join("mutex.gcl");
    let file = stored(&path, MUTEX);
    let (question, answer) = decided(&file)
        .expect("it can be encoded")
        .into_iter()
        .find(|(_, answer)| answer.name == "mutex")
        .expect("it is asked");
    let Written::WithObligations { text, .. } = written(&file, &question, &answer) else { panic!("no certificate") };
    assert_eq!(refused(&path, &text), None);
    let mut document: serde_json::Value = serde_json::from_str(&text).expect("a document");
    let over = |document: &mut serde_json::Value| document["invariant"]["over"].take();
    let whole = over(&mut document);
    let inside = whole["predicates"][0].as_str().expect("a set").to_owned();
    let with = |predicate: &str, shared: Option<(usize, String)>| {
        let (mut document, mut changed) = (document.clone(), whole.clone());
        changed["predicates"][0] = predicate.into();
        if let Some((at, text)) = shared {
            changed["shared"][at] = text.into();
        }
        document["invariant"]["over"] = changed;
        refused(&path, &document.to_string())
    };
    assert_eq!(with(&inside, None), None);
    // The beginning is missing, then what follows it.
    for missing in ["(and (= @P 0) (= @Q 0))", "(and (= @P 0) (= @Q 1))", "(and (= @P 2) (select want 0))"] {
        let why = with(&format!("(and {inside} (not {missing}))"), None);
        assert!(why.as_ref().is_some_and(|why| why.contains("E0624")), "{missing}: {why:?}");
    }
    for everything in ["true", "(or true false)", &format!("(or {inside} (= @P 3))")] {
        let why = with(everything, None);
        assert!(why.is_some_and(|why| why.contains("E0624")), "{everything}");
    }
    // Nodes that stand for others: none of these sets is closed by chance, so at most a few may still do.
    let shared = whole["shared"].as_array().expect("nodes").len();
    assert!(shared > 3, "{text}");
    let turned = (0..shared).filter(|&at| {
        let node = whole["shared"][at].as_str().expect("a node").to_owned();
        with(&inside, Some((at, format!("(not {node})")))).is_none()
    });
    assert_eq!(turned.count(), 0, "a node turned round was not noticed");
    for (wrong, why) in
        [("#99999", "no part that stands before"), ("#x", "no part"), ("(ite #0 1 2)", "no truth value")]
    {
        assert!(with(wrong, None).is_some_and(|said| said.contains(why)), "{wrong}");
    }
    assert!(with(&inside, Some((0, "#0".to_owned()))).is_some_and(|said| said.contains("no part that stands before")));
}
