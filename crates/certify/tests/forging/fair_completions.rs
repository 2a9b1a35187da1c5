//! What all completions of a structure with fairness agree on has proofs about the structure whose states are marked; on other structures, and changed, they prove only what is so.

use std::cell::Cell;

use serde_json::{Value, json};
use tertium_base::Budget;
use tertium_certify::Request;
use tertium_check::thorough::MarkedStructure;
use tertium_check::{Ask, Task};
use tertium_driver::Belnap;
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::property::Property;
use tertium_evidence::{Deadlock, Fingerprint, Reading, read_document};
use tertium_kernel::{Finding, structures};
use tertium_load::Loaded;
use tertium_logic::{Logic, ParseOptions, parse};
use tertium_model::{Kmts, Model};
use tertium_testkit::structures::random_structure;
use tertium_testkit::{FormulaShape, Rng, StructureShape, for_random_cases};

use crate::mutate::{Pool, sites};

/// A formula, its logic, and how ends are read.
type Asked<'a> = (&'a str, Logic, Deadlock);

fn budget() -> Budget {
    Budget::unlimited().with_effort(Some(200_000))
}

/// The thorough value of a formula at the initial states, and its certificate.
fn thorough(loaded: &Loaded, (text, logic, deadlock): Asked<'_>) -> Option<(Belnap, Option<String>)> {
    let options =
        CheckOptions { thorough: true, always_recheck: true, deadlock: Some(deadlock), ..CheckOptions::default() };
    let budget = budget();
    let session = Session::new(loaded, options, &budget).ok()?;
    let parsed =
        Property::from_argument(text, 1).parse(Some(logic), &[]).unwrap_or_else(|why| panic!("{text}: {why:?}"));
    let answer = match session.check(&parsed, &budget, &()) {
        Err(tertium_driver::Failure::Internal(why)) => panic!("{why}\n{text}"),
        answer => answer.ok()?,
    };
    if answer.stopped().is_some() {
        return None;
    }
    let tertium_driver::answer::Value::Belnap(value) = answer.value() else { return None };
    let certificate =
        (!answer.certificates.is_empty()).then(|| session.certificate_text(&answer).expect("it is written"));
    Some((value, certificate))
}

fn findings(loaded: &Loaded, document: &Value, (text, logic, deadlock): Asked<'_>) -> Vec<Finding> {
    let document = document.to_string();
    let Ok(read) = read_document(&document) else { return Vec::new() };
    let (given, logic, deadlock) = (vec![text.to_owned()], Some(logic), Some(deadlock));
    let request = Request { given, logic, deadlock, ..Request::default() };
    structures::certify(loaded, (&read, &document), &request, &budget()).unwrap_or_default()
}

/// The fingerprint that a forger computes.
fn fingerprint(model: &Kmts) -> Option<String> {
    let budget = budget();
    let anything = parse("true", &ParseOptions::in_logic(Logic::Ltl)).formula?;
    let task = Task::new(model, &anything, Reading::default(), Ask::All, &budget).ok()?;
    let marked = MarkedStructure::of(&task).ok()??;
    Some(Fingerprint::of(&marked.model).to_string())
}

fn is_about_marks(document: &Value) -> bool {
    document["parts"]
        .as_array()
        .is_some_and(|parts| parts.iter().any(|part| part["where"] == json!("fair-completions")))
}

fn shape() -> StructureShape {
    StructureShape { states: 2..=3, props: 1, fairness: 2, hyper: true, ..StructureShape::default() }
}

/// Whatever the kernel accepts of a structure is what completions agree on there.
fn accepts_only_what_is_so(loaded: &Loaded, document: &Value, question: Asked<'_>, truth: Belnap) -> bool {
    let proved = findings(loaded, document, question).into_iter().find(Finding::is_proved);
    if let Some(found) = &proved {
        assert_eq!(found.value, truth.word(), "{}\n{document}", question.0);
    }
    proved.is_some()
}

#[test]
fn completions_with_fairness_have_certificates_that_prove_what_is_so() {
    let counts = Cell::new([0usize; 4]);
    for_random_cases(240, |case| {
        let model = case.structure(&shape());
        if model.fairness().is_empty() {
            return;
        }
        let logic = if case.rng.chance(50) { Logic::Ltl } else { Logic::Ctl };
        let formula = case.formula(&FormulaShape { size: 5, atoms: vec!["p".to_owned()], ..FormulaShape::new(logic) });
        let text = formula.text();
        let deadlock = if case.rng.chance(30) { Deadlock::Maximal } else { Deadlock::Mu };
        let loaded = Loaded::of_model("s.kmts", Model::Kmts(model));
        let Some((value, Some(certificate))) = thorough(&loaded, (&text, logic, deadlock)) else { return };
        let honest: Value = serde_json::from_str(&certificate).expect("it was just written");
        let found = findings(&loaded, &honest, (&text, logic, deadlock));
        assert!(found.len() == 1 && found[0].is_proved() && found[0].value == value.word(), "{found:?}\n{certificate}");
        let mut seen = counts.get();
        if !is_about_marks(&honest) {
            seen[0] += 1;
            counts.set(seen);
            return;
        }
        seen[1] += 1;
        let mut rng = Rng::new(case.rng.below(1 << 20) as u64);
        seen[2] += changed(&loaded, &honest, (&text, logic, deadlock), value, &mut rng);
        seen[3] += elsewhere(&honest, (&text, logic, deadlock), &mut rng);
        counts.set(seen);
    });
    let [plain, marked, changed, elsewhere] = counts.get();
    assert!(
        plain > 20 && marked > 8 && changed > 200 && elsewhere > 30,
        "{plain} compositional, {marked} about marks, {changed} changed, {elsewhere} of other structures"
    );
}

/// Certificates with one field changed; how many were tried.
fn changed(loaded: &Loaded, honest: &Value, question: Asked<'_>, truth: Belnap, rng: &mut Rng) -> usize {
    let mut pool = Pool::default();
    pool.learn(honest);
    let mut changes = Vec::new();
    for (pointer, key) in sites(honest) {
        let Some(value) = honest.pointer(&pointer) else { continue };
        changes.extend(pool.others(&key, value).into_iter().map(|other| (pointer.clone(), other)));
    }
    rng.shuffle(&mut changes);
    changes.truncate(40);
    for (pointer, other) in &changes {
        let mut document = honest.clone();
        let Some(place) = document.pointer_mut(pointer) else { continue };
        *place = other.clone();
        accepts_only_what_is_so(loaded, &document, question, truth);
    }
    changes.len()
}

/// The certificate put before other structures, its fingerprint made to fit; how many were tried.
fn elsewhere(honest: &Value, question: Asked<'_>, rng: &mut Rng) -> usize {
    let mut tried = 0;
    for _ in 0..6 {
        let model = random_structure(rng, &shape());
        let Some(number) = fingerprint(&model) else { continue };
        let loaded = Loaded::of_model("s.kmts", Model::Kmts(model));
        let Some((truth, _)) = thorough(&loaded, question) else { continue };
        let mut document = honest.clone();
        for part in document["parts"].as_array_mut().into_iter().flatten() {
            part["model"] = json!(number);
        }
        accepts_only_what_is_so(&loaded, &document, question, truth);
        tried += 1;
    }
    tried
}

/// A path that ends is never fair, however ends are read.
#[test]
fn paths_that_end_are_not_fair() {
    let text = "props p\nstate a p: t\nstate b p: f\ninit a\na -must-> a\na -must-> b\nfair {a -> b}\n";
    let loaded = tertium_load::structure::from_text("s.kmts", text, &Budget::unlimited()).expect("it can be read");
    for deadlock in [Deadlock::Mu, Deadlock::Maximal] {
        let (value, certificate) = thorough(&loaded, ("G p", Logic::Ltl, deadlock)).expect("no limit is reached");
        assert_eq!(value, Belnap::True, "{deadlock:?}: no fair path begins here\n{certificate:?}");
    }
}

/// What completions without fairness would agree on proves nothing where there is fairness, and the other way round.
#[test]
fn proofs_about_completions_without_fairness_are_not_mixed_up() {
    let fair = "props p\nstate a p: ?\nstate b p: f\ninit a\na -may-> a\na -must-> b\nb -must-> b\nfair {a -> a}\n";
    let plain = fair.replace("fair {a -> a}\n", "");
    let read =
        |text: &str| tertium_load::structure::from_text("s.kmts", text, &Budget::unlimited()).expect("it can be read");
    let (fair, plain) = (read(fair), read(&plain));
    let question = ("F !p | G p", Logic::Ltl, Deadlock::Mu);
    let (value, certificate) = thorough(&fair, question).expect("no limit is reached");
    assert_eq!(value, Belnap::True);
    let document: Value = serde_json::from_str(&certificate.expect("a proof")).expect("it was just written");
    assert!(is_about_marks(&document), "{document}");
    assert!(findings(&plain, &document, question).iter().all(|found| !found.is_proved()));
}
