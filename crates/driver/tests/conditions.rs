//! Fairness on conditions in guarded commands: what a search and sets say of it, and what the definition says.

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::engines::EngineChoice;
use tertium_driver::failure::Failure;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, check, from_text};

const COIN: &str = "system coin
var heads : bool = false
var n : 0..2 = 0
process Coin { loop { choose { heads := true } or { heads := false } } }
process Count { loop { when heads && n < 2 do n := n + 1 } }
";

fn value(declared: &str, property: &str, engine: EngineChoice) -> Belnap {
    let text = format!("{COIN}{declared}\nproperty asked : {property}\n");
    let file = from_text("coin.gcl", text, &[], None).unwrap_or_else(|why| panic!("{declared}: {why:?}"));
    let asked = questions(&file, &["asked".to_owned()], false).expect("it is there");
    let options = CheckOptions { engine, look_for_idle: false, ..CheckOptions::default() };
    let outcome = check(&file, &asked, &options, &Budget::unlimited(), &()).unwrap_or_else(|why| panic!("{why:?}"));
    outcome.answers[0].value()
}

#[test]
fn runs_that_keep_the_promise_count() {
    for (declared, property, holds) in [
        ("", "ltl G F heads", false),
        ("fair heads", "ltl G F heads", true),
        ("fair heads", "ctl AG AF heads", true),
        ("fair heads", "ctl AF n = 2", false),
        ("fair heads && true", "ctl EF n = 2", true),
        ("fair n = 2", "ctl AF n = 2", true),
        ("fair n = 2", "ltl F G n = 2", true),
        ("fair (n = 0)", "ctl EF n = 1", false),
        ("fair (n = 0)", "ltl G n = 0", true),
        ("compassion (heads, n = 2)", "ltl (G F heads) -> F n = 2", true),
        ("compassion (heads, n = 2)", "ltl F n = 2", false),
        ("fair heads\ncompassion (heads, n = 2)", "ctl AF n = 2", true),
        ("fair Coin\nfair Count\nfair !heads", "ltl G F !heads", true),
    ] {
        for engine in [EngineChoice::Auto, EngineChoice::Symbolic] {
            let expected = if holds { Belnap::True } else { Belnap::False };
            assert_eq!(value(declared, property, engine), expected, "{declared:?} {property} {engine:?}");
        }
    }
}

#[test]
fn what_speaks_of_steps_is_refused() {
    let text = format!("{COIN}fair heads\nproperty asked : mu mu X. heads | <> X\n");
    match from_text("coin.gcl", text, &[], None) {
        Err(Failure::Input(found)) => assert!(found.iter().any(|one| one.diagnostic.code == "E0427"), "{found:?}"),
        other => panic!("{other:?}"),
    }
}
