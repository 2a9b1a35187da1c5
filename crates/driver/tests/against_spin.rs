//! Does Spin say the same about random formulas of random models?
//!
//! Both are given the same text in the same test, if a `spin` and a C compiler are on the path. Models are left out whose steps
//! can go wrong, since Spin goes on where a run has ended for us, and those that count processes, since Spin counts its claim,
//! too. `make test-spin` runs many.

use std::cell::Cell;
use std::path::Path;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramAnswer, check, load};
use tertium_testkit::spin::{Verifier, is_available, random_claim};
use tertium_testkit::{for_random_cases, random_promela};

/// How many formulas a model gets.
const FORMULAS: usize = 3;

/// What we say of the formulas; nothing if the model is too large, is refused, or goes wrong somewhere.
fn ours(path: &Path) -> Option<Vec<ProgramAnswer>> {
    let file = load(path, &[], None, &[]).ok()?;
    let asked = questions(&file, &[], false).expect("no names are asked for");
    let options = CheckOptions { max_states: Some(20_000), look_for_idle: false, ..CheckOptions::default() };
    let budget = Budget::unlimited().with_effort(Some(200_000));
    let found = check(&file, &asked, &options, &budget, &()).unwrap_or_else(|failure| panic!("{failure:?}")).answers;
    let (formulas, mistakes): (Vec<_>, Vec<_>) = found.into_iter().partition(|answer| answer.name.starts_with("f_"));
    let fine = |answer: &ProgramAnswer| answer.value() == Belnap::True || answer.name == "end-states";
    mistakes.iter().all(fine).then_some(formulas)
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn random_formulas_have_the_value_that_spin_finds() {
    if !is_available() {
        eprintln!("skipped: no spin and no C compiler on the path");
        return;
    }
    let (compared, violated) = (Cell::new(0), Cell::new(0));
    for_random_cases(15, |case| {
        let mut text = random_promela(&mut case.rng);
        if ["_nr_pr", "trace", "pc_value"].iter().any(|word| text.contains(word)) {
            return;
        }
        for number in 0..FORMULAS {
            text.push_str(&format!("ltl f_{number} {{ {} }}\n", random_claim(&mut case.rng, 3)));
        }
        case.keep("model.pml", text.clone());
        let folder = std::env::temp_dir().join(format!("tertium-ltl-{}-{}", std::process::id(), case.number));
        let Some(verifier) = Verifier::of(folder, &text) else { return };
        for answer in ours(&verifier.model()).unwrap_or_default() {
            let value = match answer.value() {
                Belnap::True => true,
                Belnap::False => false,
                _ => continue,
            };
            if let Some(theirs) = verifier.holds(&answer.name) {
                assert_eq!(value, theirs, "{}: left: ours, right: Spin's", answer.name);
                compared.set(compared.get() + 1);
                violated.set(violated.get() + usize::from(!value));
            }
        }
    });
    eprintln!("{} formulas compared, {} of them violated", compared.get(), violated.get());
    assert!(compared.get() > 5 && violated.get() > 0, "{} compared", compared.get());
}
