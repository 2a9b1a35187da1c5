//! Layers of sets as ranking functions: what is true over sets because something is reached has a certificate that is accepted, and a changed one is refused.

mod certified;

use std::cell::Cell;
use std::path::Path;

use self::certified::{folder, refused, stored};
use tertium_base::Budget;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check};
use tertium_driver::{Belnap, Failure};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

/// Layers however few states there are, so that small programs can show what they are worth.
fn options() -> CheckOptions {
    CheckOptions {
        engine: EngineChoice::Symbolic,
        look_for_idle: false,
        keep_basis: true,
        layers_above: -1.0,
        ..CheckOptions::default()
    }
}

fn decided(file: &ProgramFile) -> Option<Vec<(Question, ProgramAnswer)>> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let asked: Vec<Question> = asked.into_iter().filter(|asked| matches!(asked, Question::Property(_))).collect();
    match check(file, &asked, &options(), &Budget::unlimited().with_effort(Some(1_000_000)), &()) {
        Ok(outcome) => Some(asked.into_iter().zip(outcome.answers).collect()),
        Err(Failure::Input(_)) => None,
        Err(failure) => panic!("{failure:?}"),
    }
}

/// The certificate over layers, if there is one; another proof, or none, is no fault.
fn over_layers(path: &Path, file: &ProgramFile, question: &Question, answer: &ProgramAnswer) -> Option<String> {
    let written = certificate_of(file, question, answer, &options(), &Budget::unlimited());
    match written.unwrap_or_else(|failure| panic!("{}: {failure:?}", answer.name)) {
        Written::WithObligations { text, .. } => {
            assert_eq!(refused(path, &text), None, "{}\n{}", answer.name, file.source.text);
            text.contains("\"ranks\"").then_some(text)
        }
        _ => None,
    }
}

const ASKED: &str = "
property p1 : ctl AG EF (n = 0)
property p2 : ctl AG (b -> EF (n = 1 || !b))
property p3 : ctl AF (n = 1)
property p4 : ltl G F (n = 0 || b)
property p5 : ltl G (b -> F (n = 0 || !b))
property p6 : ctl AG (n = 0 -> E [n = 0 U (n = 1 || b)])
property p7 : ltl (n = 0) U (n = 1 || b)
";

#[test]
fn random_programs_have_certificates_over_layers() {
    let (folder, found) = (folder("random_layers"), Cell::new([0, 0]));
    for_random_cases(10, |case| {
        let shape = ProgramShape { processes: 1..=2, variables: 0..=1, statements: 1..=3, ..ProgramShape::default() };
        let mut text = random_program(&mut case.rng, &shape);
        text.push_str(ASKED);
        case.keep("program.gcl", &text);
        let path = folder.join(format!("random-{}.gcl", case.number));
        let file = stored(&path, &text);
        for (question, answer) in decided(&file).unwrap_or_default() {
            if answer.value() != Belnap::True || answer.is_vacuous() {
                continue;
            }
            let [layers, all] = found.get();
            let here = usize::from(over_layers(&path, &file, &question, &answer).is_some());
            found.set([layers + here, all + 1]);
        }
        let _ = std::fs::remove_file(&path);
    });
    let [layers, all] = found.get();
    assert!(layers * 3 > all && layers > 5, "{layers} of {all} over layers");
}

/// Counters that wait for each other: far more states than a graph may have.
const COUNTERS: &str = "
system counters
var x, y, z : 0..99 = 0
process P { loop { when x < 99 do x := x + 1; } }
process Q { loop { choose { when y < 99 do y := y + 1; } or { when y > 0 do y := y - 1; } } }
process R { loop { choose { when z < 99 do z := z + 1; } or { await z = 99; z := 0; } } }
property back : ctl AG EF (y = 0)
property never : ctl AG EF (x = 0)
";

#[test]
fn a_million_states_have_a_certificate() {
    let path = folder("layers").join("counters.gcl");
    let file = stored(&path, COUNTERS);
    let decided = decided(&file).expect("it can be encoded");
    let (question, answer) = &decided[0];
    assert_eq!((answer.value(), decided[1].1.value()), (Belnap::True, Belnap::False));
    assert!(answer.cost.states > 1_000_000, "{} states", answer.cost.states);
    let text = over_layers(&path, &file, question, answer).expect("a certificate over layers");
    let document: serde_json::Value = serde_json::from_str(&text).expect("a document");
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut document = document.clone();
        change(&mut document);
        assert_ne!(document.to_string(), serde_json::from_str::<serde_json::Value>(&text).unwrap().to_string());
        refused(&path, &document.to_string())
    };
    let rank = |document: &mut serde_json::Value, text: &str| {
        document["structure"]["ranks"][0]["terms"][0] = text.into();
    };
    for wrong in ["0", "x", "(- 0 y)", "z"] {
        assert!(changed(&|document| rank(document, wrong)).is_some(), "{wrong}");
    }
    // Another ranking function that does it, too.
    assert_eq!(changed(&|document| rank(document, "y")), None);
    // Of the property that is false nothing is proved, whatever is claimed.
    assert!(
        changed(&|document| {
            let text =
                document.to_string().replace("AG EF (y = 0)", "AG EF (x = 0)").replace("AG EF y = 0", "AG EF x = 0");
            *document = serde_json::from_str(&text).unwrap();
        })
        .is_some()
    );
}
