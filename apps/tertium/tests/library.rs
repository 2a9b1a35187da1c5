//! The library face: what a program that embeds Tertium sees.

use tertium::{Belnap, Budget, Failure, LoadOptions, Model, Observer, Options, StopReason, Verdict};

fn checked(name: &str, text: &str) -> tertium::Report {
    let model = Model::from_text(name, text).unwrap_or_else(|failure| panic!("{failure}"));
    let options = Options { certificates: true, ..Options::default() };
    tertium::check(&model, &options, &Budget::unlimited(), &()).unwrap_or_else(|failure| panic!("{failure}"))
}

const PARTIAL: &str = "props p
state a p: t
state b p: ?
init a
a -must-> b
b -may-> a
property safe : ctl AG p
";

#[test]
fn an_unknown_of_a_partial_structure_says_what_is_open() {
    let report = checked("s.kmts", PARTIAL);
    let safe = report.of("safe").expect("it is asked");
    let Verdict::Indefinite(reasons) = &safe.verdict else { panic!("{:?}", safe.verdict) };
    assert_eq!(reasons, &["label p at b is unknown"]);
    assert_eq!(report.value(), Belnap::Unknown);
}

#[test]
fn definite_answers_about_programs_have_runs_and_certificates() {
    let text = "system s\nvar x : int = 0\nprocess P { loop { up: x := x + 1; } }\nproperty low : ltl G (x < 2)\nproperty natural : ltl G (x >= 0)\n";
    let report = checked("s.gcl", text);
    let Verdict::Fails(evidence) = &report.of("low").expect("it is asked").verdict else { panic!("it is false") };
    let run = evidence.run.as_ref().expect("a counterexample");
    assert_eq!(
        (run.steps.len(), run.steps[2].statement.as_deref(), run.steps[2].line),
        (3, Some("x := x + 1"), Some(3))
    );
    let Verdict::Holds(evidence) = &report.of("natural").expect("it is asked").verdict else { panic!("it is true") };
    assert!(evidence.certificate.as_ref().is_some_and(|text| text.contains("natural") || text.contains("x")));
    assert_eq!(report.value(), Belnap::False);
}

#[test]
fn mistakes_are_errors_with_places_and_limits_are_verdicts() {
    let failure = Model::from_text("m.gcl", "system s\nprocess P { y := 1; }\n").expect_err("y is not declared");
    let error: &dyn std::error::Error = &failure;
    assert!(error.to_string().contains("m.gcl:2:13"), "{error}");
    assert!(matches!(failure, Failure::Input(_)));
    let text = "system s\nvar x : int = 0\nvar y : int = 0\nprocess P { loop { x, y := x + y, x * y + 1; } }\nproperty p : ltl G (x * x != 7 * y * y + 3)\n";
    let model = Model::from_text("m.gcl", text).unwrap_or_else(|failure| panic!("{failure}"));
    let budget = Budget::unlimited().with_effort(Some(3));
    let report =
        tertium::check(&model, &Options::default(), &budget, &()).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(report.results.iter().any(|result| matches!(result.verdict, Verdict::Stopped(StopReason::Time, _))));
}

#[test]
fn properties_can_be_added_and_observers_are_told() {
    struct Phases(std::sync::Mutex<Vec<String>>);
    impl Observer for Phases {
        fn phase(&self, _: &str) {}
        fn answered(&self, name: &str, value: Belnap) {
            self.0.lock().unwrap().push(format!("{name}={value}"));
        }
    }
    let extra = LoadOptions { properties: vec!["mine: EF x = 2".to_owned()], ..LoadOptions::default() };
    let text = "system s\nvar x : 0..2 = 0\nprocess P { while x < 2 { x := x + 1; } }\n";
    let model = Model::from_text_with("s.gcl", text, &extra, &Budget::unlimited())
        .unwrap_or_else(|failure| panic!("{failure}"));
    let told = Phases(std::sync::Mutex::default());
    let options = Options { only: vec!["mine".to_owned()], ..Options::default() };
    let report =
        tertium::check(&model, &options, &Budget::unlimited(), &told).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(report.results.len(), 1);
    let told = told.0.into_inner().expect("nobody panicked");
    assert!(told.contains(&"mine=true".to_owned()), "{told:?}");
}

#[test]
fn a_family_that_one_size_breaks_has_the_run_of_that_size() {
    let text =
        "system s\nconst N >= 1\nvar n : int = 0\nprocess P[i : 1..N] { n := n + 1; }\nproperty few : ltl G (n < 3)\n";
    let report = checked("family.gcl", text);
    let Verdict::Fails(evidence) = &report.of("few").expect("it is asked").verdict else {
        panic!("three are too many")
    };
    assert_eq!(evidence.run.as_ref().map(|run| run.steps.len()), Some(4));
}
