//! Which variables stay concrete: indices of abstract arrays and what they are computed from, unless something abstract flows in.

mod common;

use common::program;
use tertium_abstraction::Options;
use tertium_abstraction::invariants::intervals;
use tertium_abstraction::keep::{Reason, Taint, kept, tainted};
use tertium_program::{Program, VarId};

fn reasons(program: &Program, options: &Options) -> Vec<(String, Reason)> {
    let kept = kept(program, &intervals(program), options);
    kept.into_iter().map(|(var, reason)| (program.show_variable(var), reason)).collect()
}

fn variable(program: &Program, name: &str) -> VarId {
    program.variable_ids().find(|&var| program.show_variable(var) == name).expect("a variable of that name")
}

fn text(index: &str) -> String {
    format!(
        "system s\nvar a : array[0..99] of int = 0\nvar big : int = 0\nvar i, k : 0..99 = 0\n\
         process P {{ loop {{ k := {index}; a[k] := big; i := if i < 99 then i + 1 else 0; }} }}\n\
         process E {{ loop {{ big := big + 1; }} }}\n"
    )
}

#[test]
fn indices_stay_concrete_with_what_they_are_computed_from() {
    let program = program(&text("99 - i"), &["a[3] < 4", "big < 4"]);
    let found = reasons(&program, &Options::default());
    let (a, k) = (variable(&program, "a"), variable(&program, "k"));
    assert_eq!(found, [("i".to_owned(), Reason::Feeds(k)), ("k".to_owned(), Reason::Index(a))]);
    let all = kept(&program, &intervals(&program), &Options::default());
    assert_eq!(tainted(&program, &intervals(&program), &all), []);
    assert_eq!(reasons(&program, &Options { keep_small: false, ..Options::default() }), []);
}

#[test]
fn what_is_abstract_taints_an_index() {
    let program = program(&text("big mod 100"), &["a[3] < 4", "big < 4"]);
    let all = kept(&program, &intervals(&program), &Options::default());
    assert_eq!(all, []);
    let (a, k, big) = (variable(&program, "a"), variable(&program, "k"), variable(&program, "big"));
    assert_eq!(tainted(&program, &intervals(&program), &all), [(k, a, Taint::From(big))]);
    // Asked for, it stays concrete nevertheless.
    let asked = Options { keep: vec![k], ..Options::default() };
    assert_eq!(reasons(&program, &asked), [("k".to_owned(), Reason::Asked)]);
}
