//! A certificate of a family for every size, asked about one size (`-D N=…`), and of a family of one size.

mod common;

use std::path::PathBuf;

use tertium_base::Budget;
use tertium_certify::{Decider, Request, findings};
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::{CheckOptions, ProgramAnswer, parameterised, refinement_loop};
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use tertium_kernel::Finding;
use tertium_load::ProgramFile;
use tertium_load::program::{Extras, from_text_with};
use tertium_load::questions::questions;

const FAMILY: &str = "system family
const N >= 2
var busy : bool = false
var x : 0..1 = 0
process P[i : 1..N] { loop { want: await !busy; set: busy := true; crit: skip; busy := false; } }
property zero : ltl G x = 0
property small : ltl forall i in P : G !(P[i]@crit && x = 1)
";

fn read(sizes: &[(&str, i64)]) -> ProgramFile {
    let sizes: std::collections::BTreeMap<_, _> = sizes.iter().map(|&(name, size)| (name.to_owned(), size)).collect();
    let extras = Extras { every: sizes.is_empty(), sizes, ..Extras::default() };
    from_text_with("family.gcl", FAMILY.to_owned(), &[], None, &extras).expect("a program")
}

/// The certificate of what is true.
fn certificate(file: &ProgramFile, name: &str) -> String {
    let asked = questions(file, &[name.to_owned()], false).expect("the name is there");
    let options = CheckOptions { keep_basis: true, ..CheckOptions::default() };
    let how = AbstractionOptions::default();
    let budget = Budget::unlimited();
    let answers: Vec<ProgramAnswer> = if file.open.is_some() {
        let how = (&how, refinement_loop::DEFAULT_REFINEMENTS);
        parameterised::check(file, &asked, &options, how, &budget, &()).expect("it can be decided").answers
    } else {
        let wishes = Wishes { options: options.clone(), abstraction: how, ..Wishes::default() };
        let request = ProgramQuery { file, questions: &asked, wishes: &wishes };
        strategy::decide(&request, &budget, &()).expect("it can be decided").answers
    };
    assert_eq!(answers[0].value(), Belnap::True, "{name}: {:?}", answers[0].reasons());
    match certificate_of(file, &asked[0], &answers[0], &options, &budget).expect("no limit is reached") {
        Written::Certificate(text) | Written::WithObligations { text, .. } => text,
        Written::None(why) => panic!("{name}: {why}"),
    }
}

/// What the kernel finds, of the model with this value for its constant.
fn found(text: &str, model: &str, name: &str, size: Option<i64>) -> Option<Finding> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("sizes-{name}-{size:?}-{}", model.len()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (program, proof) = (folder.join("family.gcl"), folder.join("proof.cert.json"));
    std::fs::write(&program, model).and_then(|()| std::fs::write(&proof, text)).expect("files");
    let defines = size.iter().map(|size| ("N".to_owned(), size.to_string())).collect();
    let request = Request { only: vec![name.to_owned()], defines, ..Request::default() };
    findings((&program, &proof), &request, &Decider::default(), &Budget::unlimited()).ok()?.into_iter().next()
}

fn is_proved(text: &str, model: &str, name: &str, size: Option<i64>) -> bool {
    found(text, model, name, size).is_some_and(|finding| finding.is_proved() && finding.value == "true")
}

#[test]
fn a_proof_for_every_size_is_one_for_each() {
    let file = read(&[]);
    for name in ["zero", "small", "deadlocks"] {
        let text = certificate(&file, name);
        assert!(text.contains("\"counted\""), "{text}");
        for size in [None, Some(2), Some(3), Some(70)] {
            assert!(is_proved(&text, FAMILY, name, size), "{name}, {size:?}: {:?}", found(&text, FAMILY, name, size));
        }
        // Of a size that the text does not admit nothing is shown, and of a family that sets `x` something else.
        assert!(!is_proved(&text, FAMILY, name, Some(1)), "{name}");
        let other = FAMILY.replace("crit: skip", "crit: x := 1").replace("await !busy", "await !busy && x = 0");
        for size in [None, Some(3)] {
            assert!(!is_proved(&text, &other, name, size), "{name}, {size:?}");
        }
    }
}

#[test]
fn a_family_of_one_size_has_certificates_for_that_size() {
    let file = read(&[("N", 40)]);
    for name in ["zero", "deadlocks"] {
        let text = certificate(&file, name);
        assert!(is_proved(&text, FAMILY, name, Some(40)), "{:?}", found(&text, FAMILY, name, Some(40)));
        // One size is not every size.
        assert!(!is_proved(&text, FAMILY, name, None), "{text}");
    }
}
