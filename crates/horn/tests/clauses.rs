//! Which scripts are read, and what is refused by name?

use tertium_horn::compile;

fn refused(text: &str) -> Vec<String> {
    let compiled = compile(text);
    assert!(compiled.program.is_none(), "accepted: {text}");
    compiled.diagnostics.iter().map(|found| format!("{} {}", found.code, found.message)).collect()
}

#[test]
fn what_is_not_linear_over_integers_is_refused_by_name() {
    for (text, what) in [
        ("(declare-fun p (Real) Bool)", "E0742 the sort `Real`"),
        ("(declare-fun p ((Array Int Int)) Bool)", "E0742 the sort `Array`"),
        ("(declare-fun p ((_ BitVec 8)) Bool)", "E0742 a sort with an index"),
        (
            "(declare-fun p (Int) Bool) (assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p 1))))",
            "E0742 a nonlinear clause",
        ),
        ("(declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (= (* x x) 4) (p x))))", "E0742 a product"),
        ("(declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (= (mod 4 x) 1) (p x))))", "E0742 a division"),
        ("(set-logic LIA)", "E0742 the logic"),
        ("(assert (forall ((x Int)) (q x)))", "E0743"),
        ("(assert", "E0740"),
        (")", "E0740"),
        (&"(".repeat(20_000), "E0741"),
    ] {
        let found = refused(text);
        assert!(found.iter().any(|found| found.starts_with(what)), "{what}: {found:?}");
    }
}

#[test]
fn equations_define_and_the_rest_is_chosen() {
    let text = "(set-logic HORN)(declare-rel p (Int Int))(declare-var x Int)(declare-var y Int)(declare-var z Int)
        (rule (p 0 0))
        (rule (=> (and (p x y) (= (- z 3) (+ x y)) (let ((a (+ z 1))) (> a 0))) (p z y)))
        (rule (=> (and (p x y) (> z x)) (p x z)))
        (query p)";
    let program = compile(text).program.expect("no mistakes");
    let inputs: Vec<usize> = program.steps.iter().map(|step| step.inputs.len()).collect();
    assert_eq!(inputs, [0, 0, 1, 0]);
    assert_eq!(program.steps[3].target.index(), 2, "a query leads to false");
}
