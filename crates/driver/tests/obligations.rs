//! What a proof over predicates has to show: its obligations, as the kernel writes them for a solver.
//!
//! After an intended change run with `INSTA_UPDATE=always`, and read the difference before keeping it.

use std::fmt::Write as _;
use std::path::Path;

use tertium_base::Budget;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::questions;
use tertium_driver::program::refinement_loop;
use tertium_driver::program::{CheckOptions, load};

#[test]
fn obligations_are_what_they_were() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/gcl/bakery_a.gcl");
    let file = load(&path, &[], None, &[]).expect("it compiles");
    let asked = questions(&file, &["mutex".to_owned()], false).expect("there is such a property");
    let (options, how, budget) = (CheckOptions::default(), AbstractionOptions::default(), Budget::unlimited());
    let found = refinement_loop::check(&file, &asked, &options, &how, 12, &budget, &()).expect("it is abstracted");
    let written = certificate_of(&file, &asked[0], &found.answers[0], &options, &budget).expect("no limit is set");
    let Written::WithObligations { obligations, .. } = written else { panic!("{written:?}") };
    let mut text = String::new();
    for obligation in &obligations {
        let _ = writeln!(text, "{} ({:?}): {}", obligation.name, obligation.expected, obligation.about);
    }
    let first = obligations.iter().find(|obligation| obligation.name.starts_with("step")).unwrap_or(&obligations[0]);
    let _ = writeln!(text, "\n{}:\n{}", first.name, first.script);
    insta::assert_snapshot!("bakery_a", text);
}
