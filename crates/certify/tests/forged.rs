//! Certificates that were forged by hand, each of something that is not so: none is accepted, however the question is put, and
//! with whatever fingerprint.

mod common;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tertium_base::Budget;
use tertium_certify::{Decider, Request, findings};
use tertium_evidence::{Deadlock, LinearReading};

use common::{Victim, retarget};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/regress/forged")
}

/// A model, a forged certificate, and properties that it may be given for.
const FORGED: [(&str, &str, &[&str]); 26] = [
    // A certain set that anyone may step into, beside steps of processes, left moves without outcomes.
    ("nope.gcl", "nope", &["G x = 1"]),
    ("nope.gcl", "nope_ctl", &["ctl: AG x = 1"]),
    ("nope.gcl", "nope_ef", &["ctl: EF x = 1"]),
    ("nope.gcl", "nope_false", &["G x = 0"]),
    ("nope.gcl", "nope_unknown", &["G x = 0"]),
    ("prom.pml", "prom", &["[] x"]),
    ("fam.gcl", "fam", &["G x = 1"]),
    ("act2.kmts", "act2", &["pml: q"]),
    // The text of the property brings a process with it, or a file.
    ("inject.pml", "inject", &["<> x", "true } active proctype Evil() { go = true } ltl q { <> x"]),
    ("inject.pml", "inject_include", &["<> x", "true }\n#include \"other/note.txt\"\nltl q { <> x"]),
    // Only the first part is about the question.
    ("fam2.gcl", "fam2", &["G x = 0"]),
    ("two.gcl", "two", &["G x = 0"]),
    ("eg.gcl", "eg", &["ctl: EG x = 0", "ctl: x = 0"]),
    ("eg.gcl", "eg_ltl", &["F !(x = 0)"]),
    ("afag.gcl", "afag", &["ctl*: AF AG s != 1", "ctl: AF AG s != 1"]),
    ("ef.gcl", "ef", &["ctl: EF x = 0"]),
    // A process that is started later is said to be able to step.
    ("later.pml", "later", &["<> x"]),
    // Who took a step is told from states that overlap.
    ("overlap.gcl", "overlap", &["F x = 1"]),
    // A completion that is fair in its own way.
    ("comp2.kmts", "comp2", &["F p"]),
    // What holds of all completions is no value in a lattice.
    ("lat.kmts", "lat_t", &["pml: p | !p"]),
    ("lat.kmts", "latq_u", &["pml: q"]),
    ("mix.kmts", "mix", &["pml: q"]),
    // The reading is the certificate's.
    ("bg.kmts", "bg", &["ctl*: E X p"]),
    ("once.gcl", "once", &["G (x = 100)"]),
    ("once.gcl", "once_always", &["G (x = 100)"]),
    // Terms that name what is no cell: the input of a step, and whether nobody can step.
    ("rank_input.gcl", "rank_input", &["(F G x = 0) || (F G x = 1)"]),
];

/// Another one of the last kind, whose property is the model's.
const DEADLOCK: (&str, &str, &[&str]) = ("rigid.gcl", "rigid", &["G (!deadlock -> X !deadlock)"]);

/// Every way in which somebody may ask for what a certificate claims.
fn requests(victim: &Victim, given: &[&str]) -> Vec<Request> {
    let mut requests = vec![Request::default()];
    requests.extend(victim.questions().into_iter().map(|name| Request { only: vec![name], ..Request::default() }));
    requests.extend(given.iter().map(|text| Request {
        given: vec![property(text).1],
        logic: property(text).0,
        ..Request::default()
    }));
    let fair = requests.clone().into_iter().map(|request| Request { fair: true, ..request });
    requests.iter().cloned().chain(fair).collect()
}

fn property(text: &str) -> (Option<tertium_logic::Logic>, String) {
    match text.split_once(": ") {
        Some((logic, formula)) => (tertium_logic::Logic::from_name(logic), formula.to_owned()),
        None => (None, text.to_owned()),
    }
}

fn is_refused(model: &Path, certificate: &Path, request: &Request) {
    let found = findings((model, certificate), request, &Decider::default(), &Budget::unlimited());
    let proved = found.iter().flatten().find(|finding| finding.is_proved());
    assert!(proved.is_none(), "{} {}: {request:?}: {proved:?}", model.display(), certificate.display());
}

#[test]
fn certificates_of_what_is_not_so_are_refused() {
    for (model, certificate, given) in FORGED.iter().chain([&DEADLOCK]) {
        let certificate = format!("{certificate}.cert.json");
        let (model, path) = (folder().join(model), folder().join(certificate));
        let text = std::fs::read_to_string(&model).unwrap_or_else(|error| panic!("{}: {error}", model.display()));
        let victim = Victim::read(&model.to_string_lossy(), &text, &[]).unwrap_or_else(|why| panic!("{why:?}"));
        for request in requests(&victim, given) {
            is_refused(&model, &path, &request);
            refitted_is_refused(&model, &text, &path, &request);
        }
    }
}

/// The same certificate, with the fingerprints of what the kernel draws; also with every question put in place of what it claims.
fn refitted_is_refused(model: &Path, text: &str, certificate: &Path, request: &Request) {
    let name = model.to_string_lossy();
    let Ok(victim) = Victim::read(&name, text, &request.given) else { return };
    let document = std::fs::read_to_string(certificate).unwrap_or_else(|error| panic!("{error}"));
    let document: Value = serde_json::from_str(&document).unwrap_or_else(|error| panic!("{error}"));
    for question in victim.questions() {
        for other in [false, true] {
            let mut forged = document.clone();
            if other {
                retarget(&victim, &mut forged, &question);
            }
            victim.refit(&mut forged, request, &question);
            let proved = victim.findings(&forged, request).into_iter().find(tertium_kernel::Finding::is_proved);
            assert!(proved.is_none(), "{name} {}: {request:?}: {proved:?}", certificate.display());
        }
    }
}

#[test]
fn every_forged_certificate_of_the_corpus_is_tried() {
    let mut there: Vec<String> = std::fs::read_dir(folder())
        .unwrap_or_else(|error| panic!("{error}"))
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().strip_suffix(".cert.json")?.to_owned()))
        .collect();
    there.sort();
    let mut tried: Vec<&str> = FORGED.iter().chain([&DEADLOCK]).map(|(_, certificate, _)| *certificate).collect();
    tried.sort_unstable();
    assert_eq!(there, tried);
}

#[test]
fn the_reading_is_the_users_and_its_assumption_is_told() {
    let (model, certificate) = (folder().join("bg.kmts"), folder().join("bg.cert.json"));
    let request = Request { linear: Some(LinearReading::BgTotal), deadlock: Some(Deadlock::Mu), ..Request::default() };
    let found = findings((&model, &certificate), &request, &Decider::default(), &Budget::unlimited());
    assert!(found.iter().flatten().all(|finding| !finding.is_proved()), "{found:?}");
}
