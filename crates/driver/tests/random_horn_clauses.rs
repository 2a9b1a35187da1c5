//! Does Z3 say the same of random Horn clauses?
//!
//! Both are given the same text: the solver reads it by itself (Spacer, Komuravelli, Gurfinkel and Chaki 2014). `make test-horn` compares many.

use std::cell::RefCell;
use std::collections::BTreeMap;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::load;
use tertium_driver::program::questions::questions;
use tertium_driver::strategy::{ProgramQuery, Wishes, decide};
use tertium_testkit::horn::random_horn;
use tertium_testkit::{Case, for_random_cases};
use z3::{Params, SatResult, Solver};

/// Z3 may take this long for one script.
const MILLISECONDS: u32 = 1_000;
/// Looks at the budget that one script gets.
const EFFORT: u64 = 20_000;

/// What Z3 says; none if it does not know in time.
fn solved(text: &str) -> Option<bool> {
    let solver = Solver::new_for_logic("HORN")?;
    let mut params = Params::new();
    params.set_u32("timeout", MILLISECONDS);
    solver.set_params(&params);
    solver.from_string(text);
    match solver.check() {
        SatResult::Sat => Some(true),
        SatResult::Unsat => Some(false),
        SatResult::Unknown => None,
    }
}

/// What is decided by default; none if that stays open.
fn decided(text: &str) -> Option<bool> {
    let place = std::env::temp_dir().join(format!("tertium-random-clauses-{}.smt2", std::process::id()));
    std::fs::write(&place, text).expect("it can be written");
    let file = load(&place, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
    let _ = std::fs::remove_file(&place);
    let asked = questions(&file, &["check-sat".to_owned()], false).expect("the question is there");
    let query = ProgramQuery { file: &file, questions: &asked, wishes: &Wishes::default() };
    let budget = Budget::unlimited().with_effort(Some(EFFORT));
    let found = decide(&query, &budget, &()).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
    match found.answers[0].value() {
        Belnap::True => Some(true),
        Belnap::False => Some(false),
        _ => None,
    }
}

fn compare(case: &mut Case, counts: &mut BTreeMap<String, usize>) {
    let text = random_horn(&mut case.rng);
    case.keep("clauses.smt2", text.clone());
    let (ours, theirs) = (decided(&text), solved(&text));
    let word = |value: Option<bool>| value.map_or("open", |value| if value { "sat" } else { "unsat" });
    *counts.entry(format!("{} by us, {} by Z3", word(ours), word(theirs))).or_default() += 1;
    if let (Some(ours), Some(theirs)) = (ours, theirs) {
        assert_eq!(ours, theirs, "by us and by Z3\n{text}");
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "what was compared is told")]
fn random_clauses_have_the_value_that_z3_finds() {
    tertium_smt::loading::load().expect("the library");
    let counts = RefCell::new(BTreeMap::new());
    for_random_cases(30, |case| compare(case, &mut counts.borrow_mut()));
    let counts = counts.into_inner();
    for (what, count) in &counts {
        eprintln!("{count:>8}  {what}");
    }
    let of = |wanted: &str| counts.get(wanted).copied().unwrap_or(0);
    let (sat, unsat) = (of("sat by us, sat by Z3"), of("unsat by us, unsat by Z3"));
    let all: usize = counts.values().sum();
    assert!(sat > 0 && unsat > 0 && (sat + unsat) * 2 > all, "{counts:?}");
}
