//! What is false of a program with functions of which nothing is known: proved at every abstract state in which it can begin, whatever the functions do;
//! a proof at some of them is none.

mod certified;

use self::certified::refused;
use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, load, refinement_loop};

/// Where `hog` begins depends on `need(load)`: it is one of two abstract states, and the property is false in both.
#[test]
fn falsity_is_proved_wherever_functions_let_the_program_begin() {
    let path = tertium_testkit::corpus::folder().join("gcl/spotlight/hog.gcl");
    let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{failure:?}"));
    let asked = questions(&file, &["live".to_owned()], false).expect("the property is there");
    let (options, how, budget) = (CheckOptions::default(), AbstractionOptions::default(), Budget::unlimited());
    let found = refinement_loop::check(&file, &asked, &options, &how, 20, &budget, &());
    let found = found.unwrap_or_else(|failure| panic!("{failure:?}")).answers;
    assert_eq!(found[0].value(), Belnap::False);
    let written = certificate_of(&file, &asked[0], &found[0], &options, &budget);
    let Written::WithObligations { text, .. } = written.unwrap_or_else(|failure| panic!("{failure:?}")) else {
        panic!("no certificate")
    };
    assert_eq!(refused(&path, &text), None);
    let document: serde_json::Value = serde_json::from_str(&text).expect("a document");
    let parts = document["parts"].as_array().expect("parts").len();
    assert!(parts > 1, "{text}");
    for missing in 0..parts {
        let mut fewer = document.clone();
        let part = fewer["parts"].as_array_mut().expect("parts").remove(missing);
        // One of the states is not shown to break it.
        assert!(refused(&path, &fewer.to_string()).is_some(), "without the part {missing}");
        // Whoever leaves the state out, too, leaves out where the program may begin.
        let state: u64 = part["state"].as_str().and_then(|state| state.parse().ok()).expect("a number");
        fewer["structure"]["initial"].as_array_mut().expect("states").retain(|at| at.as_u64() != Some(state));
        assert!(refused(&path, &fewer.to_string()).is_some(), "without the state {state}");
    }
}
