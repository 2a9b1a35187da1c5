//! Linear Horn clauses: what is decided about `corpus/horn/lia` is what stands in the first line of each script.

use std::path::{Path, PathBuf};

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, load, refinement_loop};

/// Scripts of every kind that take little time; all of them are looked at with `TERTIUM_CASES`.
const FEW: [&str; 8] = ["count_up_down", "cggmp", "gj2007", "gulwani1", "tokens", "two_loops", "sn", "count_up_downU"];
/// Looks at the budget that one script gets.
const EFFORT: u64 = 20_000;

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/horn/lia");
    if std::env::var_os("TERTIUM_CASES").is_none() {
        return FEW.iter().map(|name| folder.join(format!("{name}.smt2"))).collect();
    }
    let entries = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// What abstraction with some rounds of refinement says: true is `sat`.
fn decided(file: &tertium_driver::program::ProgramFile) -> Belnap {
    let asked = questions(file, &["check-sat".to_owned()], false).expect("the question is there");
    let budget = Budget::unlimited().with_effort(Some(EFFORT));
    let how = AbstractionOptions::default();
    let found = refinement_loop::check(file, &asked, &CheckOptions::default(), &how, 20, &budget, &())
        .unwrap_or_else(|failure| panic!("{failure:?}\n{}", file.source.text));
    found.answers[0].value()
}

#[test]
fn scripts_have_the_value_of_their_first_line() {
    let (mut satisfiable, mut of) = (0, 0);
    for path in scripts() {
        let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
        let wanted = match file.source.text.lines().next() {
            Some("; sat") => Belnap::True,
            Some("; unsat") => Belnap::False,
            other => panic!("{} begins with {other:?}", path.display()),
        };
        let value = decided(&file);
        assert!(value == Belnap::Unknown || value == wanted, "{} is {value}", path.display());
        of += usize::from(wanted == Belnap::True);
        satisfiable += usize::from(value == Belnap::True);
    }
    assert!(satisfiable * 10 >= of * 8, "only {satisfiable} of {of} are decided");
}

/// An input is related to variables that are set to it, and to what the guard says of it; a number below 0 may be written as one word.
#[test]
fn inputs_keep_their_relations() {
    let text = |bad: &str| {
        format!(
            "(set-logic HORN)\n(declare-fun p (Int Int Int) Bool)\n\
             (assert (forall ((x Int) (y Int) (n Int)) (=> (and (= x n) (= y -3) (>= n 0)) (p x y n))))\n\
             (assert (forall ((x Int) (y Int) (n Int) (z Int)) (=> (and (p x y n) (<= 1 z) (not (> z x))) (p (- x z) (+ y z) n))))\n\
             (assert (forall ((x Int) (y Int) (n Int)) (=> (and (p x y n) {bad}) false)))\n(check-sat)\n"
        )
    };
    for (bad, wanted) in
        [("(not (= (+ x y) (- n 3)))", Belnap::True), ("(< x 0)", Belnap::True), ("(= x 0)", Belnap::False)]
    {
        let place = std::env::temp_dir().join(format!("tertium-clauses-{}.smt2", std::process::id()));
        std::fs::write(&place, text(bad)).expect("it can be written");
        let file = load(&place, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
        let _ = std::fs::remove_file(&place);
        assert_eq!(decided(&file), wanted, "{bad}");
    }
}
