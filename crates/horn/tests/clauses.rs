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

/// How many clauses a formula over `p`, `q` and `x` becomes.
fn clauses(formula: &str) -> usize {
    let text = format!("(declare-fun p (Int) Bool)(declare-fun q () Bool)(assert (forall ((x Int)) {formula}))");
    let compiled = compile(&text);
    let program = compiled.program.unwrap_or_else(|| panic!("{formula}: {:?}", compiled.diagnostics));
    program.steps.len()
}

#[test]
fn formulas_are_taken_apart_into_clauses() {
    for (formula, count) in [
        ("(=> (or (and (p x) (> x 9)) (and (p x) (< x 0))) q)", 2),
        ("(=> (p x) (and (p (+ x 1)) (=> (> x 3) q)))", 2),
        ("(=> (exists ((y Int)) (and (p y) (= x (* 2 y)))) (p x))", 1),
        ("(=> (= x 1) (forall ((y Int)) (=> (< 0 y 3) (p y))))", 1),
        ("(not (and (p x) (not (p (- x)))))", 1),
        ("(ite (> x 0) (p x) (=> (p x) q))", 2),
        ("(= q (p x))", 2),
        ("(or (not (p x)) (< x 9))", 1),
        ("(=> (and (p x) (p x)) q)", 1),
        ("(=> false (p x))", 0),
    ] {
        assert_eq!(clauses(formula), count, "{formula}");
    }
    for formula in ["(=> (forall ((y Int)) (p y)) q)", "(or (p x) q)", "(p (ite q 1 2))"] {
        let text = format!("(declare-fun p (Int) Bool)(declare-fun q () Bool)(assert (forall ((x Int)) {formula}))");
        assert!(refused(&text).iter().all(|found| found.starts_with("E0742")), "{formula}");
    }
}

#[test]
fn every_query_is_a_question_of_its_own() {
    let rules = "(declare-rel p (Int))(declare-rel bad ())(declare-var x Int)(rule (p 0))
        (rule (=> (and (p x) (< x 3)) (p (+ x 1))))(rule (=> (and (p x) (> x 5)) bad))";
    let names = |text: &str| {
        let program = compile(text).program.expect("no mistakes");
        program.properties.iter().map(|property| format!("{}: {}", property.name, property.source)).collect::<Vec<_>>()
    };
    assert_eq!(names(&format!("{rules}(query bad)")), ["check-sat: no rule derives bad"]);
    assert_eq!(
        names(&format!("{rules}(query bad)(query (and (p x) (= x 3)))")),
        ["query_1: no rule derives bad", "query_2: no rule derives (and (p x) (= x 3))"]
    );
    // What is asked before a clause does not depend on it.
    assert!(refused(&format!("{rules}(query bad)(rule (p 7))"))[0].contains("after the question"));
    assert!(refused(&format!("(set-logic HORN){rules}(check-sat)(assert (p 7))"))[0].contains("after the question"));
}
