//! Proof obligations: each kind is there for a kind of mistake in a certificate: what is changed here is noticed by that obligation, and
//! would be by no other.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tertium_base::Budget;
use tertium_certify::{Decider, Request, findings};
use tertium_driver::program::predicate_abstraction::{self, AbstractionOptions};
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::refinement_loop;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, load};

/// A program with a property, and the certificate for it.
struct Certified {
    path: PathBuf,
    text: String,
    document: Value,
}

/// A Promela model, decided by the loop that finds predicates.
fn modelled(name: &str, text: &str, question: &str) -> Certified {
    let path = place(&format!("{name}.pml"));
    std::fs::write(&path, text).expect("a file can be written");
    let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    let asked = questions(&file, &[question.to_owned()], false).expect("the name is there");
    let how = AbstractionOptions::default();
    let found = refinement_loop::check(&file, &asked, &CheckOptions::default(), &how, 12, &Budget::unlimited(), &());
    let answer = found.unwrap_or_else(|failure| panic!("{failure:?}")).answers.remove(0);
    accepted(path, &file, &asked[0], &answer, text.to_owned())
}

fn place(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("changed");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder.join(name)
}

fn certified(name: &str, text: &str, question: &str, predicates: &[&str]) -> Certified {
    certified_by(&AbstractionOptions::default(), name, text, question, predicates)
}

fn certified_by(how: &AbstractionOptions, name: &str, text: &str, question: &str, predicates: &[&str]) -> Certified {
    let path = place(&format!("{name}.gcl"));
    let declared: String = predicates.iter().map(|predicate| format!("predicate {predicate}\n")).collect();
    let text = format!("{text}{declared}");
    std::fs::write(&path, &text).expect("a file can be written");
    let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    let asked = questions(&file, &[question.to_owned()], false).expect("the name is there");
    let found = predicate_abstraction::check(&file, &asked, &CheckOptions::default(), how, &Budget::unlimited(), &());
    let answer = found.unwrap_or_else(|failure| panic!("{failure:?}")).answers.remove(0);
    accepted(path, &file, &asked[0], &answer, text)
}

fn accepted(path: PathBuf, file: &ProgramFile, asked: &Question, answer: &ProgramAnswer, text: String) -> Certified {
    let written = certificate_of(file, asked, answer, &CheckOptions::default(), &Budget::unlimited());
    let Ok(Written::WithObligations { text: certificate, .. }) = written else {
        panic!("{:?}: {written:?}", answer.value())
    };
    let document = serde_json::from_str(&certificate).expect("a certificate is JSON");
    let certified = Certified { path, text, document };
    assert_eq!(certified.refused(&certified.document), None);
    certified
}

impl Certified {
    fn refused(&self, document: &Value) -> Option<String> {
        let path = self.path.with_extension("cert.json");
        std::fs::write(&path, document.to_string()).expect("a file can be written");
        judged(&self.path, &path)
    }

    /// What becomes of a certificate that is changed in this way.
    #[track_caller]
    fn notices(&self, kind: &str, change: impl FnOnce(&mut Value)) {
        let mut changed = self.document.clone();
        change(&mut changed);
        assert_ne!(changed, self.document, "nothing was changed");
        let why = self.refused(&changed).unwrap_or_else(|| panic!("accepted: {changed}"));
        assert!(why.contains(kind), "{why}\n{changed}");
    }

    /// What becomes of it for a program that is changed in this way.
    #[track_caller]
    fn notices_program(&self, kind: &str, from: &str, to: &str) {
        let changed = self.text.replace(from, to);
        assert_ne!(changed, self.text, "nothing was changed");
        std::fs::write(&self.path, &changed).expect("a file can be written");
        let why = self.refused(&self.document);
        std::fs::write(&self.path, &self.text).expect("a file can be written");
        let why = why.unwrap_or_else(|| panic!("accepted for {changed}"));
        assert!(why.contains(kind), "{why}\n{changed}");
    }
}

fn judged(program: &Path, certificate: &Path) -> Option<String> {
    match findings((program, certificate), &Request::default(), &Decider::default(), &Budget::unlimited()) {
        Ok(outcomes) if outcomes.is_empty() => Some("nothing".to_owned()),
        Ok(outcomes) => {
            outcomes.iter().find(|outcome| !outcome.is_proved()).map(|outcome| format!("{:?}", outcome.verdict))
        }
        Err(failure) => Some(format!("{failure:?}")),
    }
}

const PAIR: &str = "system pair
var x, y : int = 0
process P { loop { first: x := x + 1; second: y := y + 1; } }
property close : ltl G (x = y || x = y + 1)
property other : ltl G (x = y)
";

#[test]
fn an_invariant() {
    let pair = certified("pair", PAIR, "close", &["x = y", "x = y + 1"]);
    let over = |document: &mut Value, name: &str, value: Value| document["invariant"]["over"][name] = value;
    pair.notices("obligation initial", |document| over(document, "states", json!([])));
    pair.notices("obligation step", |document| {
        let states = document["invariant"]["over"]["states"].as_array_mut().expect("a list");
        states.pop();
    });
    pair.notices("obligation holds", |document| {
        let states = document["invariant"]["over"]["states"].as_array_mut().expect("a list");
        states.iter_mut().for_each(|state| state["cube"] = json!("??"));
        // What holds at the locations would prove it, too.
        over(document, "always", json!([]));
    });
    pair.notices("obligation always", |document| over(document, "always", json!(["(<= x 5)"])));
    pair.notices("at the beginning", |document| over(document, "always", json!(["(<= 1 x)"])));
    pair.notices("obligation", |document| document["invariant"]["over"]["predicates"][0] = json!("(= x 0)"));
    pair.notices("no cell", |document| document["invariant"]["over"]["predicates"][0] = json!("(= z 0)"));
    pair.notices("operator", |document| document["invariant"]["over"]["predicates"][0] = json!("((= x 0))"));
    pair.notices("no truth value", |document| document["invariant"]["over"]["predicates"][0] = json!("(+ x 1)"));
    pair.notices("no whole term", |document| document["invariant"]["over"]["predicates"][0] = json!("(= x 0"));
    pair.notices("goes on after", |document| {
        document["invariant"]["over"]["predicates"][0] = json!("(= x y)) (assert false)");
    });
    pair.notices("single states", |document| document["invariant"]["value"] = json!("false"));
    pair.notices("another question", |document| {
        document["invariant"]["where"]["property"]["text"] = json!("G (x = y)");
    });
    pair.notices("obligation holds", |document| {
        document["invariant"]["where"]["property"]["text"] = json!("G (x = y)");
        document["invariant"]["formula"] = json!("G \"x = y\"");
    });
    pair.notices("nothing that this model asks", |document| {
        document["invariant"]["where"] = json!({"mistake": "boredom"})
    });
    pair.notices("not one of this program", |document| {
        document["invariant"]["over"]["states"][0]["at"] = json!([7]);
    });
    pair.notices_program("obligation always", "x := x + 1", "x := x + 2");
    pair.notices_program("obligation initial", "var x, y : int = 0", "var x : int = 5\nvar y : int = 0");
}

#[test]
fn mistakes() {
    let stuck = "system stuck\nvar x : int = 0\nprocess P { loop { await x >= 0; x := x + 1; } }\n";
    let free = certified("stuck", stuck, "deadlocks", &["x >= 0"]);
    let open = |document: &mut Value| {
        let over = &mut document["invariant"]["over"];
        // Bounds that were found beforehand would tell the same.
        over["always"] = json!([]);
        let count = over["predicates"].as_array().map_or(0, Vec::len);
        let states = over["states"].as_array_mut().expect("a list");
        states.iter_mut().for_each(|state| state["cube"] = json!("?".repeat(count)));
    };
    free.notices("obligation free", open);
    let asserts = "system asserts\nvar x : int = 0\nprocess P { loop { assert x >= 0; x := x + 1; } }\n";
    let fine = certified("asserts", asserts, "assertions", &["x >= 0"]);
    fine.notices("obligation fine", open);
    fine.notices_program("obligation fine", "assert x >= 0", "assert x >= 1");
    let divides = "system divides\nvar x, y : int = 1\nvar a : array[0..1] of int = 0\nprocess P { loop { y := y div x; x := x + 1; } }\n";
    let divides = certified("divides", divides, "division-by-zero", &["x >= 1"]);
    divides.notices("obligation fine", open);
    // Of two mistakes in one step either may come first: the states exclude both, or prove nothing.
    divides.notices_program("obligation fine", "y := y div x", "y := a[y] div (x - 1)");
    let ranges = "system ranges\nvar x : int = 0\nvar y : 0..3 = 0\nprocess P { loop { x := 3 - y; y := x; } }\n";
    let ranges = certified("ranges", ranges, "range-overflow", &["0 <= x && x <= 3"]);
    // What cannot happen any more is missed, or a mistake is met: either way it is no proof.
    ranges.notices_program("E0624", "var y : 0..3", "var y : 0..2");
}

const LIFT: &str = "system lift
var x : 0..3 = 0
process P { loop { up: when x < 3 do x := x + 1; } }
process Q { loop { idle: await x < 2; } }
fair P
fair Q
property rises : ltl F (x = 3)
property can : ctl AG EF (x = 3)
property falls : ltl G F (x = 0)
";

fn list<'d>(document: &'d mut Value, name: &str) -> &'d mut Vec<Value> {
    document["structure"][name].as_array_mut().expect("a list")
}

#[test]
fn a_structure() {
    let whole = AbstractionOptions { on_demand: false, ..AbstractionOptions::default() };
    let lift = certified_by(&whole, "lift", LIFT, "rises", &[]);
    lift.notices("obligation initial", |document| list(document, "initial").clear());
    lift.notices("obligation step", |document| {
        list(document, "steps").pop();
    });
    lift.notices("obligation label", |document| {
        let labels = list(document, "labels");
        labels.iter_mut().for_each(|label| *label = json!("T"));
    });
    // Somewhere Q cannot step, and P can at last not either.
    lift.notices("obligation able", |document| {
        list(document, "able").iter_mut().for_each(|able| able[1] = json!([0, 1]));
    });
    lift.notices("obligation able", |document| list(document, "stops").clear());
    lift.notices("not one over these", |document| list(document, "labels").clear());
    lift.notices("E0603", |document| list(document, "able").clear());
    lift.notices("nothing that this model asks", |document| {
        document["parts"][0]["where"]["property"]["text"] = json!("F (x = 2)");
    });
    lift.notices("other runs", |document| document["parts"][0]["where"]["property"]["stutter"] = json!(false));
    lift.notices_program("obligation step", "x := x + 1", "x := x + 0");
    lift.notices_program("E0603", "fair P\n", "");
}

const COUNT: &str = "system count
var n : int = 0
process P { loop { n := n + 1; } }
property near : ltl X X (n < 3)
";

#[test]
fn a_part_of_a_structure() {
    let count = certified("count", COUNT, "near", &["n <= 0", "n <= 1", "n <= 2", "n <= 3", "n <= 4"]);
    let untold = count.document["structure"]["untold"].as_array().expect("some states are left untold").clone();
    let states = count.document["structure"]["labels"].as_array().expect("a list").len();
    assert!(untold.len() < states && states <= 4, "{states} states, of which {} are untold", untold.len());
    count.notices("obligation step", |document| list(document, "untold").clear());
    count.notices("obligation label", |document| {
        let labels = list(document, "labels");
        labels.iter_mut().for_each(|label| *label = json!("F"));
    });
    // Nothing may be said about what is untold: it would be taken for all that there is to say.
    count.notices("not one over these", |document| list(document, "stops").push(untold[0].clone()));
    count.notices("not one over these", |document| list(document, "certain").push(json!([untold[0], 0, [0]])));
    count.notices("not one over these", |document| list(document, "able").push(json!([untold[0], [0]])));
    count.notices("not one over these", |document| list(document, "untold").push(json!(states)));
    // What is proved has to be so whatever follows an untold state.
    count.notices("E0603", |document| {
        list(document, "steps").clear();
        list(document, "able").clear();
        list(document, "stops").clear();
        *list(document, "untold") = (0..states).map(|state| json!(state)).collect();
    });
}

#[test]
fn certain_steps() {
    let lift = certified("lift_can", LIFT, "can", &[]);
    lift.notices("obligation certain", |document| list(document, "certain").push(json!([0, 0, [0]])));
    lift.notices("E0603", |document| {
        list(document, "certain").pop();
    });
    lift.notices("obligation certain", |document| list(document, "certain").push(json!([0, null, [2, 3]])));
}

#[test]
fn what_is_false_needs_a_beginning() {
    let text = LIFT.replace("= 0\nprocess P", "\ninit x = 0\nprocess P");
    let lift = certified("lift_falls", &text, "falls", &[]);
    lift.notices_program("obligation starts", "init x = 0", "init x = 0 && x = 1");
}

const SERVER: &str = "
chan ask = [0] of { int };
int last;
proctype server() { do :: ask?last od }
proctype client(int by) { int y; do :: y < 1000000 -> ask!y; y = y + by :: else -> break od }
init { run server(); run client(1) }
ltl bounded { [] (last >= 0 && last <= 1000000) }
ltl few { [] (_nr_pr <= 3) }
";

#[test]
fn processes_that_are_started_and_meet() {
    let server = modelled("server", SERVER, "bounded");
    let later = |document: &mut Value, change: fn(&mut Vec<Value>)| {
        change(document["invariant"]["over"]["later"].as_array_mut().expect("a list"));
    };
    server.notices("no cell of this program", |document| {
        later(document, |list| {
            list.pop();
        });
    });
    server.notices("obligation listed", |document| later(document, |list| list[0]["pid"] = json!(7)));
    server.notices("obligation", |document| later(document, |list| list[1]["pid"] = json!(3)));
    server.notices("not one process type", |document| later(document, |list| list[0]["process"] = json!("nobody")));
    server.notices("", |document| later(document, |list| list.swap(0, 1)));
    server.notices("obligation", |document| later(document, |list| list[1]["given"] = json!({"by": 2})));
    server.notices("no parameter", |document| later(document, |list| list[1]["given"] = json!({"y": 0})));
    server.notices("obligation", |document| {
        let states = document["invariant"]["over"]["states"].as_array_mut().expect("a list");
        states.pop();
    });
    server.notices_program("obligation", "ask!y;", "ask!y + 1;");
    server.notices_program("obligation", "y = y + by", "y = y - by");
    server.notices_program("obligation", "y < 1000000", "y < 1000001");
    server.notices_program("obligation", "run client(1)", "run client(1); run client(1)");
    server.notices_program("obligation", "run client(1)", "run client(2)");
    let few = modelled("few", SERVER, "few");
    few.notices_program("obligation", "run server();", "run server(); run server();");
}

const WAITS: &str = "
int x; byte calm;
active proctype mover() { do :: x < 1000000 && calm == 0 -> x = x + 1 :: x > 10 -> calm = 1; break od }
active proctype watcher() { timeout -> assert(calm == 1 || x >= 1000000); calm = 2 }
ltl late { [] (calm != 2 || x > 10) }
";

#[test]
fn waiting_for_a_time_out() {
    let waits = modelled("waits", WAITS, "late");
    waits.notices_program("obligation", "timeout ->", "true ->");
    waits.notices_program("obligation", "x > 10 -> calm", "x > 5 -> calm");
}

const COUNTED: &str = "
int x; byte started;
active proctype p() {
	byte i = 1;
	atomic { do :: i < 5 -> i++; started = started + i :: else -> break od };
	do :: x < 1000000 -> x = x + 1 :: else -> break od
}
ltl sum { [] (started == 0 || started == 14) }
ltl small { [] (x <= 1000000) }
";

/// How often the loop goes round follows from what `i` holds where it begins, which is claimed and shown.
#[test]
fn a_block_that_goes_round() {
    let counted = modelled("counted", COUNTED, "sum");
    counted.notices_program("obligation", "byte i = 1", "byte i = 2");
    counted.notices("block may go round", |document| {
        document["invariant"]["over"]["always"].as_array_mut().expect("a list").clear();
    });
    counted.notices_program("obligation", "i < 5", "i < 6");
}
