//! Proof obligations: whatever is found over predicates has a certificate that is accepted, and each kind of change in it is noticed by the kind of
//! obligation that is there for it.

mod certified;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::certified::{deciders, folder, refused, refused_as, refused_by, stored};
use tertium_base::Budget;
use tertium_driver::program::check::CheckOutcome;
use tertium_driver::program::predicate_abstraction::{self, AbstractionKind, AbstractionOptions};
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::refinement_loop;
use tertium_driver::program::spotlight::{self, SpotlightOptions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, load};
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use tertium_driver::{Belnap, Failure};
use tertium_testkit::{Case, ProgramShape, for_random_cases, random_program, random_promela};

fn written(file: &ProgramFile, question: &Question, answer: &ProgramAnswer, options: &CheckOptions) -> Written {
    certificate_of(file, question, answer, options, &Budget::unlimited())
        .unwrap_or_else(|failure| panic!("{}: {failure:?}\n{}", answer.name, file.source.text))
}

#[derive(Default)]
struct Tally {
    made: Cell<usize>,
    /// Why there are none.
    none: RefCell<BTreeMap<String, usize>>,
}

impl Tally {
    /// Certifies every definite answer that has no run.
    fn all(
        &self,
        program: &Path,
        file: &ProgramFile,
        (asked, answers): (&[Question], &[ProgramAnswer]),
        options: &CheckOptions,
    ) {
        for (question, answer) in asked.iter().zip(answers) {
            if !matches!(answer.value(), Belnap::True | Belnap::False) || answer.run().is_some() || answer.is_vacuous()
            {
                continue;
            }
            match written(file, question, answer, options) {
                Written::WithObligations { text, .. } | Written::Certificate(text) => {
                    let why = refused_as(options, program, &text);
                    assert_eq!(why, None, "{}\n{}\n{text}", answer.name, file.source.text);
                    self.made.set(self.made.get() + 1);
                }
                Written::None(why) => {
                    let why: String = why.chars().filter(|c| !c.is_ascii_digit()).take(70).collect();
                    *self.none.borrow_mut().entry(why).or_default() += 1;
                }
            }
        }
    }

    fn told(&self) -> String {
        let mut told = format!("{} certificates over predicates; answers without:\n", self.made.get());
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
property p5 : ltl F (n = 1)
property p6 : ctl AG EF (n = 0)
property p7 : ltl G F (n = 0)
property p8 : ctl AF (n = 1 || !b)
property p9 : mu nu X. (n < 3 && [] X)
";

/// No definite answer contradicts what visiting the states tells.
fn are_as_running_tells(file: &ProgramFile, asked: &[Question], answers: &[ProgramAnswer], options: &CheckOptions) {
    let options = CheckOptions { max_states: Some(20_000), ..options.clone() };
    let run = check(file, asked, &options, &Budget::unlimited(), &()).expect("it can be run").answers;
    for (answer, run) in answers.iter().zip(&run) {
        let both = [answer.value(), run.value()];
        let definite = both.iter().all(|value| matches!(value, Belnap::True | Belnap::False));
        assert!(!definite || both[0] == both[1], "{}: {both:?}\n{}", answer.name, file.source.text);
    }
}

/// Decides random programs in some way; more than `least` of the answers must have certificates, at most `most_without` may have none, and all
/// certificates are accepted.
fn random_programs(
    name: &str,
    shape: &ProgramShape,
    (least, most_without): (usize, usize),
    decide: impl Fn(&mut Case, &ProgramFile, &[Question], &CheckOptions) -> Result<CheckOutcome, Failure>,
) {
    let (folder, tally) = (folder(name), Tally::default());
    for_random_cases(12, |case| {
        let mut text = random_program(&mut case.rng, shape);
        text.push_str(if case.rng.below(2) == 0 { "" } else { "fair P0\n" });
        text.push_str(ASKED);
        case.keep("program.gcl", &text);
        let path = folder.join("random.gcl");
        let file = stored(&path, &text);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let options = CheckOptions { fair: case.rng.below(3) == 0, ..CheckOptions::default() };
        match decide(case, &file, &asked, &options) {
            Ok(found) => {
                are_as_running_tells(&file, &asked, &found.answers, &options);
                tally.all(&path, &file, (&asked, &found.answers), &options);
            }
            Err(Failure::Input(_)) => {}
            Err(failure) => panic!("{failure:?}\n{text}"),
        }
    });
    let told = tally.told();
    let without: usize = tally.none.borrow().values().sum();
    assert!(tally.made.get() > least && without <= most_without, "{told}");
}

#[test]
fn random_programs_by_the_loop() {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=3, statements: 1..=4, ..ProgramShape::default() };
    random_programs("random_obligations", &shape, (25, 0), |case, file, asked, options| {
        let keep_small = case.rng.chance(30);
        let how = AbstractionOptions { keep_small, max_states: Some(60), ..AbstractionOptions::default() };
        refinement_loop::check(file, asked, options, &how, 4, &Budget::unlimited(), &())
    });
}

#[test]
fn random_programs_by_every_kind_of_abstraction() {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    random_programs("random_kinds", &shape, (25, 0), |case, file, asked, options| {
        let (kind, keep_small) =
            (AbstractionKind::ALL[case.rng.below(AbstractionKind::ALL.len())], case.rng.chance(50));
        let how = AbstractionOptions { kind, keep_small, max_states: Some(60), ..AbstractionOptions::default() };
        predicate_abstraction::check(file, asked, options, &how, &Budget::unlimited(), &())
    });
}

#[test]
fn random_programs_by_spotlight() {
    let shape = ProgramShape { processes: 2..=3, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    random_programs("random_spotlight", &shape, (8, 0), |_, file, asked, options| {
        let how = SpotlightOptions { rounds: 12, most_processes: 2, ..SpotlightOptions::default() };
        let abstraction = AbstractionOptions { max_states: Some(200), ..AbstractionOptions::default() };
        spotlight::check(file, asked, options, &abstraction, &how, &Budget::unlimited(), &())
    });
}

fn decided(file: &ProgramFile) -> Vec<(Question, ProgramAnswer)> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let (options, how) = (CheckOptions::default(), AbstractionOptions::default());
    let found = strategy::decide(
        &ProgramQuery {
            file,
            questions: &asked,
            wishes: &Wishes { options: options.clone(), abstraction: how, ..Wishes::default() },
        },
        &Budget::unlimited(),
        &(),
    )
    .unwrap_or_else(|failure| panic!("{failure:?}"));
    asked.into_iter().zip(found.answers).collect()
}

/// Names that mean something to a solver are names all the same.
const LIKE_A_SOLVER: &str = "system words
var select, store : int = 0
process concat {
  loop { sin: when store <= select do select := select + 1; exp: when select > store do store := store + 1 }
}
property order : ltl G (store <= select && select <= store + 1)
property later : ltl G (concat@exp -> select > store)
";

#[test]
fn two_solvers_accept_a_program_that_speaks_like_them() {
    let copy = folder("like_a_solver").join("words.gcl");
    let file = stored(&copy, LIKE_A_SOLVER);
    let found = decided(&file);
    for (question, answer) in &found[..2] {
        assert_eq!(answer.value(), Belnap::True, "{}: {:?}", answer.name, answer.reasons());
        let Written::WithObligations { text, .. } = written(&file, question, answer, &CheckOptions::default()) else {
            panic!("{}: no certificate", answer.name);
        };
        for decider in deciders() {
            assert_eq!(refused_by(&decider, &copy, &text), None, "{}: {decider:?}", answer.name);
        }
    }
}

#[test]
fn unbounded_programs_of_the_corpus_have_certificates() {
    let deciders = deciders();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = folder("corpus_obligations");
    for (from, wanted) in [
        ("corpus/gcl/bakery_a.gcl", "mutex mutex_ctl deadlocks"),
        ("corpus/gcl/bakery_b.gcl", "deadlocks"),
        ("corpus/gcl/bakery_c.gcl", "mutex deadlocks"),
        ("corpus/gcl/mutex_flags.gcl", "mutex deadlocks"),
        ("corpus/gcl/tickets.gcl", "mutex deadlocks"),
    ] {
        let copy = folder.join(Path::new(from).file_name().expect("a file"));
        std::fs::copy(root.join(from), &copy).expect("the corpus is there");
        let file = load(&copy, &[], None, &[]).expect("it compiles");
        for (question, answer) in
            decided(&file).iter().filter(|(_, answer)| wanted.split(' ').any(|name| name == answer.name))
        {
            assert_eq!(answer.value(), Belnap::True, "{from}: {}", answer.name);
            match written(&file, question, answer, &CheckOptions::default()) {
                Written::WithObligations { text, .. } => {
                    for decider in &deciders {
                        let refused = refused_by(decider, &copy, &text);
                        assert_eq!(refused, None, "{from}: {}: {decider:?}", answer.name);
                    }
                }
                other => panic!("{from}: {}: {other:?}", answer.name),
            }
        }
    }
}

#[test]
fn machine_words_and_fairness_to_everyone_have_certificates() {
    let folder = folder("promela_obligations");
    for (name, text, fair) in [
        (
            "bits",
            "int y = 4; int m = 0;\nactive proctype A() { do :: m = m + 1 :: y = y | 1; y = y & 4 od }\n\
             ltl kept { [] ((y & 4) == 4) }\nltl inside { [] ((y | 5) == 5) }\n",
            false,
        ),
        (
            "fair",
            "bool a, b; int x;\nactive proctype A() { do :: a = !a; x++ od }\nactive proctype B() { do :: b = !b od }\n\
             ltl live { [] <> a && [] <> b }\n",
            true,
        ),
    ] {
        let path = folder.join(format!("{name}.pml"));
        let file = stored(&path, text);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let options = CheckOptions { fair, ..CheckOptions::default() };
        let how = AbstractionOptions::default();
        let found = refinement_loop::check(&file, &asked, &options, &how, 6, &Budget::unlimited(), &())
            .unwrap_or_else(|failure| panic!("{failure:?}"));
        for (question, answer) in asked.iter().zip(&found.answers) {
            assert_eq!(answer.value(), Belnap::True, "{name}: {}: {:?}", answer.name, answer.reasons());
            match written(&file, question, answer, &options) {
                Written::WithObligations { text, .. } => {
                    assert_eq!(refused_as(&options, &path, &text), None, "{name}: {}", answer.name);
                    // Without fairness the same is not true.
                    let unfair = text.replace(", \"fair\": true", "");
                    assert_eq!(
                        refused_as(&options, &path, &unfair).is_some(),
                        unfair != text,
                        "{name}: {}",
                        answer.name
                    );
                    assert_eq!(refused(&path, &text).is_some(), unfair != text, "{name}: {}", answer.name);
                    assert_eq!(unfair != text, answer.name == "live", "{text}");
                }
                other => panic!("{name}: {}: {other:?}", answer.name),
            }
        }
    }
}

/// Processes that are started and processes that meet: everything that is true of the models has a certificate over predicates.
#[test]
fn promela_of_the_corpus_has_certificates() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela/abstracted");
    let (folder, tally) = (folder("corpus_promela"), Tally::default());
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(root).expect("the corpus").map(|entry| entry.expect("a file").path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    names.sort();
    for from in names {
        let copy = folder.join(from.file_name().expect("a file"));
        std::fs::copy(&from, &copy).expect("the corpus is there");
        let file = load(&copy, &[], None, &[]).expect("it compiles");
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let how = AbstractionOptions::default();
        let found =
            refinement_loop::check(&file, &asked, &CheckOptions::default(), &how, 12, &Budget::unlimited(), &());
        let mut answers = found.unwrap_or_else(|failure| panic!("{failure:?}")).answers;
        // The graph of a program, which some of these have, is no proof over predicates.
        answers
            .iter_mut()
            .filter(|answer| answer.basis().is_none())
            .for_each(|answer| answer.verdict.settle(Belnap::Unknown));
        tally.all(&copy, &file, (&asked, &answers), &CheckOptions::default());
    }
    let told = tally.told();
    assert!(tally.made.get() > 20, "{told}");
}

#[test]
fn random_promela_by_the_loop() {
    let (folder, tally) = (folder("random_promela"), Tally::default());
    for_random_cases(40, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", &text);
        let path = folder.join("random.pml");
        std::fs::write(&path, &text).expect("a file can be written");
        let Ok(file) = load(&path, &[], None, &[]) else { return };
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let how = AbstractionOptions { max_states: Some(60), ..AbstractionOptions::default() };
        let budget = Budget::unlimited().with_effort(Some(20_000));
        match refinement_loop::check(&file, &asked, &CheckOptions::default(), &how, 2, &budget, &()) {
            Ok(found) => tally.all(&path, &file, (&asked, &found.answers), &CheckOptions::default()),
            Err(Failure::Input(_) | Failure::Stopped(_)) => {}
            Err(failure) => panic!("{failure:?}\n{text}"),
        }
    });
    let told = tally.told();
    assert!(tally.made.get() > 5, "{told}");
}
