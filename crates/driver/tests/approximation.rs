//! The abstraction as programs: what is true of the over-approximation is true of the program, what is false of the under-approximation
//! is false of it; both are read by this tool, in guarded commands and in Promela, and by Spin.

use tertium_base::Budget;
use tertium_driver::program::approximation::{Approximation, SourceLanguage, source};
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::{CheckOptions, Extras, ProgramFile, check, from_text_with, promela};
use tertium_driver::{Belnap, Failure, LinearReading};
use tertium_testkit::{ProgramShape, for_random_cases, random_program, spin};

const SIDES: [Approximation; 2] = [Approximation::Over, Approximation::Under];
const LANGUAGES: [SourceLanguage; 2] = [SourceLanguage::Gcl, SourceLanguage::Promela];

fn loaded(text: &str, predicates: &[String]) -> ProgramFile {
    let extras = Extras { predicates: predicates.to_vec(), ..Extras::default() };
    from_text_with("test.gcl", text.to_owned(), &[], None, &extras)
        .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// The properties and their values, by running the program.
fn values(file: &ProgramFile) -> Vec<(String, Belnap)> {
    let all = questions(file, &[], false).expect("no names are asked for");
    let asked: Vec<Question> = all.into_iter().filter(|question| matches!(question, Question::Property(_))).collect();
    let options = CheckOptions {
        max_states: Some(50_000),
        look_for_idle: false,
        linear: Some(LinearReading::Hyper),
        ..CheckOptions::default()
    };
    let outcome = check(file, &asked, &options, &Budget::unlimited(), &());
    let answers = outcome.unwrap_or_else(|failure| panic!("{failure:?}")).answers;
    answers.into_iter().map(|answer| (answer.name.clone(), answer.value())).collect()
}

fn read(language: SourceLanguage, text: &str) -> ProgramFile {
    let read = match language {
        SourceLanguage::Gcl => from_text_with("approximation.gcl", text.to_owned(), &[], None, &Extras::default()),
        SourceLanguage::Promela => promela::from_text("approximation.pml", text, &[], None, &[], &[]),
    };
    read.unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// The approximation; none if the program has none.
fn written(file: &ProgramFile, side: Approximation, language: SourceLanguage) -> Option<String> {
    match source(file, &AbstractionOptions::default(), (side, language), &Budget::unlimited()) {
        Ok(text) => Some(text),
        // Blocks with loops have no terms.
        Err(Failure::Input(_)) => None,
        Err(failure) => panic!("{failure:?}"),
    }
}

#[test]
fn definite_values_of_approximations_are_those_of_the_program() {
    let decided = std::cell::Cell::new([0, 0]);
    for_random_cases(12, |case| {
        let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
        let mut text = random_program(&mut case.rng, &shape);
        text.push_str(
            "property p1 : ltl F (n = 1)\nproperty p2 : ltl G (b -> F (n = 0))\nproperty p3 : ltl G !(b && n = 1)\n",
        );
        text.push_str("property p4 : ltl (n = 0) U (b || n = 2)\nproperty p5 : ltl X (n = 1 || X b)\n");
        text.push_str("property p6 : ltl F deadlock\nproperty p7 : ltl G (deadlock -> b)\n");
        if case.rng.chance(50) {
            text.push_str("keep n\n");
        }
        case.keep("program.gcl", &text);
        let predicates: Vec<String> = ["b", "n = 0", "n = 1", "n = 2"]
            .iter()
            .filter(|_| case.rng.chance(70))
            .map(|&text| text.to_owned())
            .collect();
        let file = loaded(&text, &predicates);
        let truth = values(&file);
        for (side, language) in SIDES.into_iter().flat_map(|side| LANGUAGES.map(|language| (side, language))) {
            let Some(text) = written(&file, side, language) else { return };
            case.keep("approximation.txt", &text);
            for (name, value) in values(&read(language, &text)) {
                let Some((_, expected)) = truth.iter().find(|(known, _)| *known == name) else { continue };
                let says = match side {
                    Approximation::Over => value == Belnap::True,
                    Approximation::Under => value == Belnap::False,
                };
                if says && matches!(expected, Belnap::True | Belnap::False) {
                    assert_eq!(value, *expected, "{name} by {side:?} {language:?}\n{text}");
                    let mut counts = decided.get();
                    counts[usize::from(side == Approximation::Under)] += 1;
                    decided.set(counts);
                }
            }
        }
    });
    let [over, under] = decided.get();
    assert!(over > 3 && under > 3, "only {over} and {under} were decided");
}

/// What a property says of variables that stay concrete is told of their values, alone and beside predicates.
#[test]
fn atoms_over_kept_variables_are_told() {
    let text = "system ring\nvar t : 0..2 = 0\nvar n : int = 0\nvar on : bool = false\n\
        process A { loop { when t = 0 do t := 1; n := n + 1; } }\nprocess B { loop { when t = 1 do t := 2; on := !on; } }\n\
        process C { loop { when t = 2 do t := 0; } }\npredicate n > 0\nkeep t, on\n\
        property bounded : ltl G (t <= 2)\nproperty turn : ltl G (t = 2 -> F (t = 0))\nproperty hardly : ltl G (t != 2 || n <= 0 || !on)\n\
        property most : ltl G (t + n > 4 -> n > 0)\n";
    let file = loaded(text, &[]);
    for language in LANGUAGES {
        let told = |side| {
            let text = written(&file, side, language).expect("an approximation");
            (values(&read(language, &text)), text)
        };
        let is = |found: &[(String, Belnap)], name: &str| found.iter().find(|one| one.0 == name).map(|one| one.1);
        let (over, text) = told(Approximation::Over);
        assert_eq!(is(&over, "bounded"), Some(Belnap::True), "{text}");
        assert_eq!(is(&over, "most"), Some(Belnap::True), "{text}");
        let (under, text) = told(Approximation::Under);
        assert_eq!(is(&under, "hardly"), Some(Belnap::False), "{text}");
        assert_ne!(is(&under, "bounded"), Some(Belnap::False), "{text}");
    }
}

fn corpus(name: &str, predicates: &[&str]) -> ProgramFile {
    let path = tertium_testkit::corpus::folder().join("gcl").join(name);
    let text = std::fs::read_to_string(path).expect("the corpus is there");
    loaded(&text, &predicates.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
}

/// Figure 2 of Saïdi's paper: three predicates prove mutual exclusion, in both languages.
#[test]
fn the_bakery_is_proved_by_its_over_approximation() {
    let file = corpus("bakery_a.gcl", &["y1 = 0", "y2 = 0", "y1 <= y2"]);
    for language in LANGUAGES {
        let text = written(&file, Approximation::Over, language).expect("an approximation");
        let found = values(&read(language, &text));
        assert!(found.iter().any(|(name, value)| name == "mutex" && *value == Belnap::True), "{found:?}\n{text}");
    }
}

#[test]
fn spin_reads_approximations_and_finds_the_same() {
    if !spin::is_available() {
        return;
    }
    let file = corpus("bakery_a.gcl", &["y1 = 0", "y2 = 0", "y1 <= y2"]);
    for side in SIDES {
        let text = written(&file, side, SourceLanguage::Promela).expect("an approximation");
        let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("approximation-{side:?}"));
        let verifier = spin::Verifier::of(folder, &text).unwrap_or_else(|| panic!("Spin refuses\n{text}"));
        for (name, value) in values(&read(SourceLanguage::Promela, &text)) {
            assert_eq!(verifier.holds(&name), Some(value == Belnap::True), "{name} by {side:?}\n{text}");
        }
    }
}

/// What is a word of the target language only is no name there.
#[test]
fn names_that_are_words_of_the_other_language_are_changed() {
    let text = "system s\nvar pid : 0..3 = 0\nkeep pid\nprocess c_code { loop { run: pid := (pid + 1) mod 4; } }\nproperty c_decl : ltl G (pid <= 3)\n";
    let file = loaded(text, &[]);
    for (side, language) in SIDES.into_iter().flat_map(|side| LANGUAGES.map(|language| (side, language))) {
        let text = written(&file, side, language).expect("an approximation");
        assert!(!values(&read(language, &text)).is_empty(), "{text}");
    }
}

/// What comes of a program that keeps `x`, which begins as `init` says.
fn kept_from_start(init: &str, max_states: Option<usize>) -> Result<String, Failure> {
    let text =
        format!("system kept\nvar x : int\nvar y : int = 0\n{init}\nprocess P {{ loop {{ y := y + x; }} }}\nkeep x\n");
    let how = AbstractionOptions { max_states, ..AbstractionOptions::default() };
    source(&loaded(&text, &[]), &how, (Approximation::Over, SourceLanguage::Gcl), &Budget::unlimited())
}

#[test]
fn a_kept_variable_without_bounds_at_the_start_is_refused() {
    for init in ["", "init x >= 0", "init x mod 2 = 0", "init x < 1000000"] {
        match kept_from_start(init, None) {
            Err(Failure::Input(mistakes)) => {
                let told: Vec<&str> = mistakes.iter().map(|one| one.diagnostic.message.as_str()).collect();
                assert!(told.iter().any(|one| one.contains("`x` cannot stay concrete")), "{init}: {told:?}");
            }
            other => panic!("{init}: {other:?}"),
        }
    }
}

#[test]
fn a_kept_variable_with_bounds_at_the_start_has_all_its_values() {
    let text = kept_from_start("init x >= -300 && x < 300 && x mod 2 = 0", None).expect("300 values");
    assert!(text.contains("-300") && text.contains("298"), "{text}");
    let limit = kept_from_start("init x >= -300 && x < 300", Some(100));
    assert!(matches!(limit, Err(Failure::Stopped(_))), "{limit:?}");
}
