//! What a run alone does not show has a certificate beside it: recurrent sets, branching formulas, `never` claims and labels that watch.
//!
//! Each certificate is accepted for the model that it was made for. Applied to a model of the same shape in which the contrary is so, with its fingerprints
//! made to fit and with every field changed in turn, it is refused.

mod common;
#[path = "forging/mutate.rs"]
#[allow(dead_code, reason = "only changes of single fields are used here")]
mod mutate;

use std::time::Duration;

use serde_json::Value;
use tertium_base::Budget;
use tertium_certify::Request;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::proof::{Written, certificate_of, is_shown_by_its_run};
use tertium_driver::program::{CheckOptions, ProgramAnswer, itf};
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use tertium_kernel::programs::certify_run;
use tertium_load::ProgramFile;
use tertium_load::questions::{Question, questions};
use tertium_testkit::Rng;

use common::{LoadedModel, Victim};
use mutate::{Pool, sites};

fn read(name: &str, text: &str) -> Victim {
    Victim::read(name, text, &[]).unwrap_or_else(|why| panic!("{why:?}\n{text}"))
}

fn program(victim: &Victim) -> &ProgramFile {
    let LoadedModel::Program(file) = &victim.kind else { panic!("no program") };
    file
}

fn budget() -> Budget {
    Budget::unlimited().with_time(Some(Duration::from_secs(60)))
}

fn answered(file: &ProgramFile, name: &str, fair: bool) -> (Question, ProgramAnswer, CheckOptions) {
    let mut asked = questions(file, &[name.to_owned()], false).expect("the name is there");
    let options = CheckOptions { fair, look_for_idle: false, ..CheckOptions::default() };
    let how = AbstractionOptions::default();
    let wishes = Wishes { options: options.clone(), abstraction: how, ..Wishes::default() };
    let request = ProgramQuery { file, questions: &asked, wishes: &wishes };
    let outcome = strategy::decide(&request, &budget(), &()).expect("it can be decided");
    (asked.remove(0), outcome.answers[0].clone(), options)
}

/// The certificate of a question with this value, which the kernel accepts.
fn certified(victim: &Victim, name: &str, fair: bool, value: Belnap) -> (Value, ProgramAnswer) {
    let file = program(victim);
    let (question, answer, options) = answered(file, name, fair);
    assert_eq!(answer.value(), value, "{name}: {:?}\n{}", answer.reasons(), victim.text);
    assert!(!is_shown_by_its_run(&question, &answer), "{name}");
    let written = certificate_of(file, &question, &answer, &options, &budget()).expect("no limit is reached");
    let (Written::Certificate(text) | Written::WithObligations { text, .. }) = written else {
        panic!("{name}: {written:?}\n{}", victim.text)
    };
    let document: Value = serde_json::from_str(&text).expect("it was just written");
    let request = Request { only: vec![name.to_owned()], fair, ..Request::default() };
    let found = victim.findings(&document, &request);
    assert!(found.len() == 1 && found[0].is_proved() && found[0].value == value.word(), "{found:?}\n{text}");
    // Its own words find the question, too.
    let found = victim.findings(&document, &Request { fair, ..Request::default() });
    assert!(found.len() == 1 && found[0].is_proved() && found[0].name == name, "{found:?}\n{text}");
    (document, answer)
}

/// Whether the kernel accepts a document for a question; its fingerprints are made to fit.
fn accepts(victim: &Victim, document: &Value, name: &str, fair: bool) -> bool {
    let request = Request { only: vec![name.to_owned()], fair, ..Request::default() };
    let mut document = document.clone();
    victim.refit(&mut document, &request, name);
    victim.findings(&document, &request).iter().any(tertium_kernel::Finding::is_proved)
}

/// No document with at most one field changed is accepted of this model, in which the contrary of what it claims is so.
fn refused_however_changed(victim: &Victim, honest: &Value, (name, fair): (&str, bool), most: usize) {
    assert!(!accepts(victim, honest, name, fair), "{}\n{honest}", victim.text);
    let mut pool = Pool::default();
    pool.learn(honest);
    let mut changes = Vec::new();
    for (pointer, key) in sites(honest) {
        let Some(value) = honest.pointer(&pointer) else { continue };
        changes.extend(pool.others(&key, value).into_iter().map(|other| (pointer.clone(), other)));
    }
    Rng::new(7).shuffle(&mut changes);
    for (pointer, other) in changes.into_iter().filter(|(pointer, _)| !pointer.ends_with("/value")).take(most) {
        let mut document = honest.clone();
        let Some(place) = document.pointer_mut(&pointer) else { continue };
        *place = other;
        assert!(!accepts(victim, &document, name, fair), "{pointer}\n{}\n{document}", victim.text);
    }
}

/// Programs in which a property is false for ever though no state repeats, and the same with steps under which it is true.
const RECURRENT: [(&str, &str, bool); 4] = [
    (
        "system s\nvar x, y : int = 0\nprocess P { loop { up: x := x + 1; } }\n\
         process Q { loop { wait: await x > y; y := y + 1; } }\nfair Q\nproperty p : ltl F (y > x)\n",
        "system s\nvar x, y : int = 0\nprocess P { loop { up: when x < 5 do x := x + 1; } }\n\
         process Q { loop { wait: await x < 9; y := y + 1; } }\nfair Q\nproperty p : ltl F (y > x)\n",
        false,
    ),
    (
        "system s\nvar x : int = 0\nvar y : 0..1 = 0\nprocess P { loop { up: x := x + 1; } }\n\
         process Q { wait: await x < 0; y := 1; }\nproperty p : ltl F (y = 1)\n",
        "system s\nvar x : int = 0\nvar y : 0..1 = 0\nprocess P { loop { up: x := x + 1; } }\n\
         process Q { wait: await x >= 0; y := 1; }\nproperty p : ltl F (y = 1)\n",
        true,
    ),
    (
        "system s\nvar x : int = 0\nprocess P { loop { x := * in x + 1 .. x + 2; } }\nproperty p : ltl F (x < 0)\n",
        "system s\nvar x : int = 0\nprocess P { loop { x := * in x - 2 .. x - 1; } }\nproperty p : ltl F (x < 0)\n",
        false,
    ),
    (
        "system s\nvar x : int = 0\nprocess P { loop { x := x + 1; } }\nproperty p : ltl G F (x = 3)\n",
        "system s\nvar x : int = 0\nprocess P { loop { when x < 3 do x := x + 1; } }\nproperty p : ltl G F (x = 3)\n",
        false,
    ),
];

#[test]
fn recurrent_sets_have_certificates_that_no_other_program_accepts() {
    for (breaks, keeps, fair) in RECURRENT {
        let victim = read("s.gcl", breaks);
        let (document, answer) = certified(&victim, "p", fair, Belnap::False);
        let (run, repeats) = (answer.run().expect("a run"), answer.repeats().expect("why it repeats"));
        assert!(document.get("structure").is_some(), "{document}");
        // The run alone proves nothing.
        let text = itf::document(program(&victim), run, None, Some(repeats));
        let request = Request { only: vec!["p".to_owned()], fair, ..Request::default() };
        let found = certify_run(program(&victim), &text, &request, &budget()).expect("it is a run");
        assert!(!found[0].is_proved(), "{found:?}");
        refused_however_changed(&read("s.gcl", keeps), &document, ("p", fair), 150);
    }
}

/// Where a fair process could step on the cycle, the run that never lets it is none that counts.
#[test]
fn a_recurrent_set_that_starves_a_fair_process_is_refused() {
    let text = "system s\nvar x : int = 0\nvar y : 0..1 = 0\nprocess P { loop { x := x + 1; } }\n\
                process Q { y := 1; }\nproperty p : ltl F (y = 1)\n";
    let (document, _) = certified(&read("s.gcl", text), "p", false, Belnap::False);
    refused_however_changed(&read("s.gcl", &format!("{text}fair Q\n")), &document, ("p", false), 200);
    assert!(!accepts(&read("s.gcl", text), &document, "p", true));
}

#[test]
fn branching_answers_with_a_run_have_a_certificate_beside_it() {
    let lamp = |steps: &str| {
        format!(
            "system s\nvar x : 0..3 = 0\nprocess P {{ loop {{ {steps} }} }}\nproperty back : ctl AG EF x = 0\n\
             property stuck : ctl EF AG x = 3\nproperty may : mu nu X. (mu Y. (x = 0 || <> Y)) && [] X\n"
        )
    };
    let once = read("s.gcl", &lamp("when x < 3 do x := x + 1;"));
    let again = read("s.gcl", &lamp("choose { when x < 3 do x := x + 1; } or { when x = 3 do x := 0; }"));
    for name in ["back", "may"] {
        let (document, _) = certified(&once, name, false, Belnap::False);
        refused_however_changed(&again, &document, (name, false), 300);
        let (document, _) = certified(&again, name, false, Belnap::True);
        refused_however_changed(&once, &document, (name, false), 300);
    }
    let (document, _) = certified(&once, "stuck", false, Belnap::True);
    refused_however_changed(&again, &document, ("stuck", false), 300);
}

/// What branches rests on strong fairness where the lamp is on and off again and again, so that a weakly fair process need never step.
#[test]
fn branching_formulas_under_strong_fairness_have_certificates() {
    let lamp = |fairness: &str, guard: &str| {
        format!(
            "system s\nvar on : bool = false\nvar seen : bool = false\nprocess L {{ loop {{ on := !on; }} }}\n\
             process Q {{ loop {{ when {guard} do seen := true; when on do seen := false; }} }}\nfair L\n{fairness} Q\n\
             property comes : ctl AF seen\nproperty again : ctl AG AF seen\nproperty may : ctl EG !seen\n\
             property star : ctl* A (G F seen && G F !seen)\nproperty leads : ctl AG (on -> EX AF seen)\n"
        )
    };
    let (strong, weak) = (read("s.gcl", &lamp("strong fair", "on")), read("s.gcl", &lamp("fair", "on")));
    let never = read("s.gcl", &lamp("strong fair", "on && !on"));
    for (name, value) in [
        ("comes", Belnap::True),
        ("again", Belnap::True),
        ("may", Belnap::False),
        ("star", Belnap::True),
        ("leads", Belnap::True),
    ] {
        let (document, _) = certified(&strong, name, false, value);
        refused_however_changed(&weak, &document, (name, false), 60);
        refused_however_changed(&never, &document, (name, false), 60);
        let contrary = if value == Belnap::True { Belnap::False } else { Belnap::True };
        let (document, _) = certified(&never, name, false, contrary);
        refused_however_changed(&strong, &document, (name, false), 60);
    }
}

/// Models whose events are those that a trace allows, and the same with one more event.
const TRACES: [(&str, &str); 4] = [
    (
        "mtype = {a, b}; chan q = [2] of {mtype};\ntrace { end: do :: q!a; q!b od }\n\
         active proctype P() { q!a; q!b; q!a; q!b }\nactive proctype R() { end: do :: q?_ od }",
        "mtype = {a, b}; chan q = [2] of {mtype};\ntrace { end: do :: q!a; q!b od }\n\
         active proctype P() { q!a; q!b; q!b; q!a }\nactive proctype R() { end: do :: q?_ od }",
    ),
    (
        "chan q = [2] of { byte };\nactive proctype A() { q!1; q!2 }\nactive proctype B() { byte v; q?v; q?v }\n\
         notrace { q!2; q!1 }",
        "chan q = [2] of { byte };\nactive proctype A() { q!2; q!1 }\nactive proctype B() { byte v; q?v; q?v }\n\
         notrace { q!2; q!1 }",
    ),
    (
        "chan q = [0] of { byte }; chan r = [1] of { byte };\ntrace { end: do :: q!1; r!1 od }\n\
         active proctype A() { q!1; r!1; q!1; r!1 }\nactive proctype B() { byte v; do :: q?v :: r?v od }",
        "chan q = [0] of { byte }; chan r = [1] of { byte };\ntrace { end: do :: q!1; r!1 od }\n\
         active proctype A() { q!1; r!1; r!1; q!1 }\nactive proctype B() { byte v; do :: q?v :: r?v od }",
    ),
    (
        "chan q = [1] of { byte };\ntrace { do :: q?1; q?2 :: q?3 od }\n\
         active proctype A() { do :: q!1; q!2 :: q!3 od }\nactive proctype B() { byte v; do :: q?v od }",
        "chan q = [1] of { byte };\ntrace { do :: q?1; q?2 :: q?3 od }\n\
         active proctype A() { do :: q!1; q!2 :: q!3 od }\nactive proctype B() { byte v; do :: q?v od }\n\
         active proctype C() { q!3 }",
    ),
];

#[test]
fn traces_have_certificates() {
    for (fine, stray) in TRACES {
        let (fine, stray) = (read("m.pml", fine), read("m.pml", stray));
        let (document, _) = certified(&fine, "trace", false, Belnap::True);
        refused_however_changed(&stray, &document, ("trace", false), 150);
        let (question, answer, _) = answered(program(&stray), "trace", false);
        assert!(answer.value() == Belnap::False && is_shown_by_its_run(&question, &answer), "{:?}", answer.value());
        let text = itf::document(program(&stray), answer.run().expect("a run"), None, None);
        let request = Request { only: vec!["trace".to_owned()], ..Request::default() };
        let shown = certify_run(program(&stray), &text, &request, &budget()).expect("it is a run");
        assert!(shown[0].is_proved() && shown[0].value == "false", "{shown:?}\n{}", stray.text);
    }
}

/// What holds because a higher priority comes first has a proof by terms where the graph has too many states; of the same model with equal priorities it proves nothing.
#[test]
fn priorities_have_certificates() {
    let counters = |priority: usize| {
        format!(
            "int x; int y;\nactive proctype L() priority 2 {{ do :: x++ :: y = y + 3 od }}\n\
             active proctype H() priority {priority} {{ do :: x > 10 -> x = 0 od }}\nltl low {{ [] (x <= 11) }}"
        )
    };
    let (higher, equal, lower) = (counters(5), counters(2), counters(1));
    let (document, _) = certified(&read("m.pml", &higher), "low", false, Belnap::True);
    assert!(document.get("invariant").is_some(), "{document}");
    refused_however_changed(&read("m.pml", &equal), &document, ("low", false), 100);
    refused_however_changed(&read("m.pml", &lower), &document, ("low", false), 100);
    // Blocks that are interrupted have no terms.
    let block = higher.replace("x > 10 -> x = 0", "atomic { x > 10 -> x = 0 }");
    assert!(!accepts(&read("m.pml", &block), &document, "low", false));
}

/// Names of questions, and pairs of models: what watches is quiet in the first, and finds something in the second.
const WATCHED: [(&str, bool, &str, &str); 6] = [
    (
        "acceptance",
        false,
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> break od; accept: x = 4 }",
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> x = 0 :: x == 2 -> accept: x = 0 od }",
    ),
    // Where a run ends it stays, at an accept label, too.
    (
        "acceptance",
        false,
        "byte x; active proctype A() { accept: x = 1; end: x == 2 }",
        "byte x; active proctype A() { x = 1; accept_end: x == 2 }",
    ),
    (
        "progress",
        false,
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> progress: x = 0 od }",
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> progress: x = 0 :: x == 1 -> x = 0 od }",
    ),
    (
        "never",
        false,
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }\n\
         never { do :: true :: x != 3 -> goto accept od; accept: do :: x != 3 od }",
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> x = 0 :: x == 1 -> x = 0 od }\n\
         never { do :: true :: x != 3 -> goto accept od; accept: do :: x != 3 od }",
    ),
    // A claim that reaches its end is matched, whatever follows.
    (
        "never",
        false,
        "byte x; active proctype A() { x = 1; x = 2 }\nnever { do :: x == 3 -> break :: else od }",
        "byte x; active proctype A() { x = 1; x = 3; x = 2 }\nnever { do :: x == 3 -> break :: else od }",
    ),
    (
        "never",
        true,
        "byte x; bool go; active proctype A() { do :: x = 1 - x od }\nactive proctype B() { go = true }\n\
         never { accept: do :: !go od }",
        "byte x; bool go; active proctype A() { do :: x = 1 - x od }\nactive proctype B() { x == 5; go = true }\n\
         never { accept: do :: !go od }",
    ),
];

#[test]
fn claims_and_labels_have_certificates() {
    for (name, fair, quiet, found) in WATCHED {
        let (quiet, found) = (read("m.pml", quiet), read("m.pml", found));
        let (document, _) = certified(&quiet, name, fair, Belnap::True);
        refused_however_changed(&found, &document, (name, fair), 200);
        if name == "never" {
            let (document, _) = certified(&found, name, fair, Belnap::False);
            refused_however_changed(&quiet, &document, (name, fair), 200);
            continue;
        }
        // What labels forbid is shown by the run itself.
        let (question, answer, _) = answered(program(&found), name, fair);
        assert!(is_shown_by_its_run(&question, &answer), "{name}: {:?}", answer.value());
        let text = itf::document(program(&found), answer.run().expect("a run"), None, None);
        let request = Request { only: vec![name.to_owned()], fair, ..Request::default() };
        let shown = certify_run(program(&found), &text, &request, &budget()).expect("it is a run");
        assert!(shown[0].is_proved() && shown[0].value == "false", "{shown:?}\n{}", found.text);
        // The quiet model has no such run, if it has it at all.
        if let Ok(shown) = certify_run(program(&quiet), &text, &request, &budget()) {
            assert!(!shown[0].is_proved(), "{shown:?}\n{}", quiet.text);
        }
    }
}

/// Without fairness the second process need never step, and the claim is matched.
#[test]
fn a_proof_for_fair_runs_is_none_for_all_runs() {
    let (_, _, fair, _) = WATCHED[5];
    let victim = read("m.pml", fair);
    let (document, _) = certified(&victim, "never", true, Belnap::True);
    assert!(!accepts(&victim, &document, "never", false));
}

/// A claim that takes notes has no certificate, and says so.
#[test]
fn a_claim_that_assigns_has_no_certificate() {
    let text = "byte x; byte seen; active proctype A() { x = 1 }\nnever { do :: x == 1 -> seen = seen + 1; assert(seen < 9) :: x == 7 -> break :: else od }";
    let victim = read("m.pml", text);
    let file = program(&victim);
    let (question, answer, options) = answered(file, "never", false);
    if answer.value() == Belnap::True {
        let written = certificate_of(file, &question, &answer, &options, &budget()).expect("no limit is reached");
        assert!(matches!(&written, Written::None(why) if why.contains("assigns")), "{written:?}");
    }
}

/// On the models of the corpus the kernel agrees with the engines about claims and labels, and accepts what they prove.
#[test]
fn certificates_of_claims_and_labels_in_the_corpus() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela");
    let (mut open, mut count) = (vec![folder], 0);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let inside = std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path());
            open.extend(inside);
            continue;
        }
        let Ok(file) = tertium_load::program::load(&path, &[], None, &[]) else { continue };
        let watched = |question: &Question| matches!(question, Question::Watched(_));
        let mut asked = questions(&file, &[], true).expect("no names are asked for");
        asked.retain(watched);
        for fair in [false, true] {
            let options =
                CheckOptions { fair, look_for_idle: false, max_states: Some(2000), ..CheckOptions::default() };
            let Ok(outcome) = tertium_driver::program::check(&file, &asked, &options, &budget(), &()) else { continue };
            for (question, answer) in asked.iter().zip(&outcome.answers) {
                if !matches!(answer.value(), Belnap::True | Belnap::False) || is_shown_by_its_run(question, answer) {
                    continue;
                }
                let written = certificate_of(&file, question, answer, &options, &budget());
                let written = written.unwrap_or_else(|why| panic!("{}, {}: {why:?}", path.display(), answer.name));
                count += usize::from(matches!(written, Written::Certificate(_)));
            }
        }
    }
    assert!(count > 20, "{count} certificates");
}
