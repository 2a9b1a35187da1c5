//! Which graph a text becomes, in full.

#[path = "lowering/sugar.rs"]
mod sugar;

use tertium_gcl::compile;

#[track_caller]
fn check(source: &str, expected: &str) {
    let compiled = compile(&format!("system s\n{source}"));
    assert_eq!(compiled.diagnostics, [], "{source}");
    let text = compiled.program.unwrap().show_all();
    let strip = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(strip(&text), strip(expected), "{source}");
}

#[test]
fn a_guarded_assignment_is_one_step() {
    check(
        "var x : 0..1 process P { loop { when x = 0 do x := 1; } }",
        "var x : 0..1
         process P
           loc0 (start)
           loc0 -> loc0  when x = 0 do x := 1",
    );
}

#[test]
fn tests_are_steps_and_loops_are_not() {
    check(
        "var x : int = 0 process P { while x < 3 { x := x + 1; } if x = 3 { skip; } }",
        "var x : int = 0
         process P
           loc0 (start)
           loc0 -> loc2  when x < 3 do skip
           loc0 -> loc1  when x >= 3 do skip
           loc1 -> loc3  when x = 3 do skip
           loc1 -> loc4  when x != 3 do skip
           loc2 -> loc0  x := x + 1
           loc3 -> loc4  skip
           loc4 (end)",
    );
}

#[test]
fn a_choice_stands_before_all_its_branches() {
    check(
        "var x : bool process P { c: choose { a: x := true; } or { b: await x; goto c; } }",
        "var x : bool
         process P
           loc0 (start, c, a, b)
           loc0 -> loc1  x := true
           loc0 -> loc0  when x do skip
           loc1 (end)",
    );
}

#[test]
fn a_loop_at_the_head_of_a_branch_does_not_choose_again() {
    check(
        "var x : bool process P { choose { while x { x := false; } } or { skip; } }",
        "var x : bool
         process P
           loc0 (start)
           loc0 -> loc2  when x do skip
           loc0 -> loc3  when !x do skip
           loc0 -> loc3  skip
           loc1 -> loc2  when x do skip
           loc1 -> loc3  when !x do skip
           loc2 -> loc1  x := false
           loc3 (end)",
    );
}

#[test]
fn an_atomic_block_has_an_inside_that_nobody_sees() {
    check(
        "var x : 0..9 = 0 process P { loop { a: atomic { x := 1; x := 2; } } }",
        "var x : 0..9 = 0
         process P
           loc0 (start, a)
           loc0 -> loc1  x := 1
           loc1 (inside)
           loc1 -> loc0  x := 2",
    );
}

#[test]
fn families_inputs_and_other_processes() {
    check(
        "const N = 2 type c = {r, g} var v : array[1..N] of c = r
         process P[i : 1..N] { var t : nat = i w: await P[3 - i]@w && P[3 - i].t = 0; v[i] := *; t := * in 0..t; stop; }
         strong fair P[1]",
        "var v : array[1..2] of c = r
         strong fair process P[1]
           var t : nat = 1
           loc0 (start, w)
           loc0 -> loc1  when P[2]@w && P[2].t = 0 do skip
           loc1 -> loc2  v[1] := ?0, ?0 in c
           loc2 -> loc3  t := ?0, ?0 in 0..t
           loc3 -> loc4  skip
           loc4 (end)
         process P[2]
           var t : nat = 2
           loc0 (start, w)
           loc0 -> loc1  when P[1]@w && P[1].t = 0 do skip
           loc1 -> loc2  v[2] := ?0, ?0 in c
           loc2 -> loc3  t := ?0, ?0 in 0..t
           loc3 -> loc4  skip
           loc4 (end)",
    );
}

#[test]
fn definitions_are_put_in_and_operators_bind_as_usual() {
    check(
        "define d = x - 1 - 2 * x mod 3 var x : int = 0
         process P { await d = 1 -> not (x = 2 or x = 3 and true) -> x > -2; stop; }",
        "var x : int = 0
         process P
           loc0 (start)
           loc0 -> loc1  when x - 1 - 2 * x mod 3 = 1 -> !(x = 2 || x = 3) -> x > -2 do skip
           loc1 -> loc2  skip
           loc2 (end)",
    );
}

#[test]
fn formulas_keep_their_operators_and_mark_their_atoms() {
    let source = "system s var x : int = 0 process P { l: skip; }
        property a : ltl G (x + 1 < 3 -> F (P@l U !(x = 2)))
        property b : ctl A[ x = 0 U (x) * 2 > 1 && deadlock ]
        property c : mu nu Z. \"x = 1 || x = 2\" && [] (Z || <> x < 3)
        property d : ctl* A (G F x = 1 || !true)";
    let compiled = compile(source);
    assert_eq!(compiled.diagnostics, []);
    let program = compiled.program.unwrap();
    let shown: Vec<(&str, Vec<&str>)> = (program.properties.iter())
        .map(|p| (p.formula.as_str(), p.atoms.keys().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        shown,
        [
            ("G ( \"x + 1 < 3\" -> F ( P@l U ! ( \"x = 2\" ) ) )", vec!["P@l", "x + 1 < 3", "x = 2"]),
            ("A [ \"x = 0\" U \"(x) * 2 > 1\" && deadlock ]", vec!["(x) * 2 > 1", "deadlock", "x = 0"]),
            ("nu Z . \"x = 1 || x = 2\" && [] ( Z || <> \"x < 3\" )", vec!["x < 3", "x = 1 || x = 2"]),
            ("A ( G F \"x = 1\" || ! true )", vec!["x = 1"]),
        ]
    );
}

#[test]
fn the_environment_is_a_list_of_processes() {
    let environment = |text: &str| {
        let compiled = compile(&format!("system s\nvar x : 0..3 = 0\n{text}"));
        assert_eq!(compiled.diagnostics, [], "{text}");
        let program = compiled.program.unwrap();
        program
            .environment
            .map(|list| list.iter().map(|&at| program.processes[at.index()].name.clone()).collect::<Vec<_>>())
    };
    let processes = "process P { x := 1; } process Q[i : 1..2] { x := 2; }";
    assert_eq!(environment(processes), None);
    assert_eq!(environment(&format!("environment scheduler {processes}")), Some(vec![]));
    assert_eq!(environment(&format!("environment P, scheduler {processes}")).unwrap(), ["P"]);
    assert_eq!(environment(&format!("environment Q {processes}")).unwrap().len(), 2);
    let compiled = compile("system s\nenvironment R\nprocess P { skip; }");
    assert!(!compiled.diagnostics.is_empty());
}
