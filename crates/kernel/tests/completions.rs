//! Proofs that nothing which is known decides a formula: two completions disagree. Forged ones, of formulas that are decided, have
//! one that is no completion, each in a way of its own.

mod common;

use common::{Asked, accepted, branching, claim, formula, model, rejected, states};
use tertium_evidence::{CompletionProof, Proof};
use tertium_kernel::{Accepted, Rejection};
use tertium_lattice::Belnap;
use tertium_logic::Logic;

/// A structure, what each of its states refines, and why the formula has its value there.
type Completion<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

/// Whether these two completions show that the formula is unknown at `a`.
fn undecided(text: &str, what: &str, [yes, no]: [Completion<'_>; 2]) -> Result<Accepted, Rejection> {
    let model = model(text);
    let parsed = formula(what, Logic::Pml);
    let read = |(text, refines, lines): Completion<'_>| {
        let structure = common::model(&format!("{text}; init a"));
        let refines = refines.iter().map(|names| states(&model, names)).collect();
        let proof = Proof::Claims(lines.iter().map(|line| claim(&structure, &parsed, line)).collect());
        CompletionProof { structure, refines, proof }
    };
    let asked = Asked { value: Belnap::Unknown, ..branching(&model, what, Logic::Pml, "a", true) };
    asked.check(Proof::Completions(Box::new([read(yes), read(no)])))
}

const NO_STEP: Completion<'_> = ("a: p=f; b: p=t", &["a", "b"], &["a # EX p # f # -"]);
const STEP: Completion<'_> = ("a: p=f; b: p=t; a => b", &["a", "b"], &["a # EX p # t # into b", "b # p # t # -"]);

#[test]
fn what_is_open_may_go_either_way() {
    accepted(undecided("a: p=f; b: p=t; a -> b", "EX p", [STEP, NO_STEP]));
    let (yes, no) = (("a: p=t", &["a"][..], &["a # p # t # -"][..]), ("a: p=f", &["a"][..], &["a # p # f # -"][..]));
    accepted(undecided("a: p=u", "p", [yes, no]));
    rejected(undecided("a: p=u", "p", [no, yes]), "E0612", "no claim says");
}

#[test]
fn a_completion_keeps_what_is_known_of_labels() {
    let (yes, no) = (("a: p=t", &["a"][..], &["a # p # t # -"][..]), ("a: p=f", &["a"][..], &["a # p # f # -"][..]));
    rejected(undecided("a: p=t", "p", [yes, no]), "E0622", "the violating completion has a state `a` that does not");
    rejected(undecided("a: p=f", "p", [yes, no]), "E0622", "the satisfying completion has a state `a` that does not");
}

#[test]
fn a_completion_has_every_certain_step() {
    let refused = "the violating completion has a state `a` that does not refine";
    rejected(undecided("a: p=f; b: p=t; a => b", "EX p", [STEP, NO_STEP]), "E0622", refused);
    let either = "a: p=f; b: p=t; c: p=t; a => b c";
    rejected(undecided(either, "EX p", [STEP, NO_STEP]), "E0622", refused);
}

#[test]
fn a_completion_has_possible_steps_only() {
    let refused = "the satisfying completion has a state `a` that does not refine";
    rejected(undecided("a: p=f; b: p=t", "EX p", [STEP, NO_STEP]), "E0622", refused);
    rejected(undecided("a: p=f; b: p=t; a -> a", "EX p", [STEP, NO_STEP]), "E0622", refused);
}

/// Structures that are refined by nothing say whatever one likes.
#[test]
fn a_completion_leaves_nothing_open() {
    let no_way: Completion<'_> = ("a: p=f; b: p=t; a +> b", NO_STEP.1, NO_STEP.2);
    let decided = "a: p=f; b: p=t; a => b";
    rejected(undecided(decided, "EX p", [STEP, no_way]), "E0622", "leaves something open");
    let both = ("a: p=b", &["a"][..], &["a # p & !p # t # -", "a # p # t # -", "a # !p # t # -", "a # p # f # -"][..]);
    let no = ("a: p=f", &["a"][..], &["a # p & !p # f # 0", "a # p # f # -"][..]);
    rejected(undecided("a: p=u", "p & !p", [both, no]), "E0622", "leaves something open");
}
