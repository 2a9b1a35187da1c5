//! Constructs that stand for others mean what their expansion by hand means: both texts become the same graph.

use tertium_gcl::compile;
use tertium_testkit::for_random_cases;
use tertium_testkit::programs::{ConstructPair, random_construct_pair};

/// The graph of a text, with `_` in place of the dots of fields.
#[track_caller]
fn graph(text: &str) -> String {
    let compiled = compile(text);
    assert_eq!(compiled.diagnostics, [], "{text}");
    let shown = compiled.program.expect("no mistakes").show_all();
    let mut plain = String::new();
    let letters: Vec<char> = shown.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let name = |at: usize| letters.get(at).is_some_and(|c| c.is_ascii_alphabetic());
        let dot = letter == '.' && at > 0 && name(at - 1) && name(at + 1);
        plain.push(if dot { '_' } else { letter });
    }
    plain
}

#[track_caller]
fn same(sugar: &str, plain: &str) {
    assert_eq!(graph(&format!("system s {sugar}")), graph(&format!("system s {plain}")), "{sugar}\n{plain}");
}

#[test]
fn quantifiers() {
    let head = "const N = 3 var a : array[1..N] of 0..9 = 0 var b : array[1..N] of bool = false var x : int = 0";
    for (sugar, plain) in [
        ("await forall i in 1..N : b[i];", "await b[1] && b[2] && b[3];"),
        ("await exists i in 2..N : b[i] && a[i] = i;", "await b[2] && a[2] = 2 || b[3] && a[3] = 3;"),
        (
            "await x > 0 && forall i in 1..2 : b[i] -> a[i] > 0;",
            "await x > 0 && (b[1] -> a[1] > 0) && (b[2] -> a[2] > 0);",
        ),
        ("await forall i != j in 1..2 : a[i] != a[j];", "await a[1] != a[2] && a[2] != a[1];"),
        ("await forall i in 3..2 : b[i];", "await true;"),
        ("x := sum i in 1..2 : a[i] * i;", "x := a[1] * 1 + a[2] * 2;"),
        ("x := 1 + sum i in 1..2 : a[i] + 1;", "x := 1 + ((a[1] + 1) + (a[2] + 1));"),
        ("await sum i in 1..2 : a[i] <= 5;", "await a[1] + a[2] <= 5;"),
        ("await count i in 1..2 : b[i] = 1;", "await (if b[1] then 1 else 0) + (if b[2] then 1 else 0) = 1;"),
        ("await count i in 1..2 : !b[i] < 2;", "await (if !b[1] then 1 else 0) + (if !b[2] then 1 else 0) < 2;"),
        ("x := min(a[1], x);", "x := if a[1] <= x then a[1] else x;"),
        ("x := max(x, 2, a[1]);", "x := if x >= 2 && x >= a[1] then x else if 2 >= a[1] then 2 else a[1];"),
        (
            "x := min i in 1..3 : a[i];",
            "x := if a[1] <= a[2] && a[1] <= a[3] then a[1] else if a[2] <= a[3] then a[2] else a[3];",
        ),
        ("await x in 1..N;", "await x >= 1 && x <= 3;"),
        ("await x not in 1..N;", "await !(x >= 1 && x <= 3);"),
        ("x += a[1]; x -= 2;", "x := x + a[1]; x := x - 2;"),
        ("a[1], x += 1, 2;", "a[1], x := a[1] + 1, x + 2;"),
        ("await forall i in 1..2 : exists j in 1..i : b[j];", "await b[1] && (b[1] || b[2]);"),
    ] {
        same(&format!("{head} process P {{ {sugar} }}"), &format!("{head} process P {{ {plain} }}"));
    }
    // Bounds that depend on the index of a family, and families as ranges.
    same(
        &format!(
            "{head} process P[i : 1..N] {{ await forall j in 1..i - 1 : b[j]; await exists j in P : j != i && b[j]; }}"
        ),
        &format!(
            "{head} process P[i : 1..N] {{ await (i <= 1 || b[1]) && (i <= 2 || b[2]); await i != 1 && b[1] || i != 2 && b[2] || i != 3 && b[3]; }}"
        ),
    );
}

#[test]
fn quantifiers_in_formulas() {
    let head = "var a : array[1..2] of bool = false process P[i : 1..2] { loop { l: a[i] := !a[i]; } }";
    for (sugar, plain) in [
        ("ltl G forall i in 1..2 : F a[i]", "ltl G ( ( F \"a[1]\" ) && ( F \"a[2]\" ) )"),
        ("ltl forall i in 1..2 : G (a[i] || !a[i])", "ltl G ((\"a[1]\" || !\"a[1]\") && (\"a[2]\" || !\"a[2]\"))"),
        ("ctl AG (exists i in P : EX a[i])", "ctl AG ( ( ( EX \"a[1]\" ) || ( EX \"a[2]\" ) ) )"),
    ] {
        let formula = |text: &str| {
            let compiled = compile(&format!("system s {head} property p : {text}"));
            assert_eq!(compiled.diagnostics, [], "{text}");
            let property = compiled.program.unwrap().properties.remove(0);
            let parsed = tertium_logic::parse(&property.formula, &tertium_logic::ParseOptions::default());
            (parsed.formula.expect("a formula").text(), property.atoms.len())
        };
        assert_eq!(formula(sugar), formula(plain), "{sugar}");
    }
    let compiled = compile(&format!("system s {head} invariant some : forall i != j in P : a[i] || !a[j] || P[i]@l"));
    assert_eq!(compiled.diagnostics, []);
    let program = compiled.program.unwrap();
    assert!(program.properties[0].formula.starts_with("G "), "{}", program.properties[0].formula);
    assert_eq!((program.properties[0].logic.as_str(), program.predicates.len()), ("ltl", 1));
    // What is enabled is no predicate.
    let compiled = compile(&format!("system s {head} define stuck = deadlock invariant goes_on : !stuck || a[1]"));
    assert_eq!((compiled.diagnostics, compiled.program.unwrap().predicates.len()), (Vec::new(), 0));
}

#[test]
fn records_and_sets() {
    let (types, plain_types) = ("type R = record { a : 0..3, b : bool }", "");
    let sugar = "var r, t : R = R(1, true) var rs : array[0..1] of R = [R(0, false), R(3, true)] var s : set of 0..2 = {1} var x : 0..3 = 0";
    let plain = "var r_a, t_a : 0..3 = 1 var r_b, t_b : bool = true var rs_a : array[0..1] of 0..3 = [0, 3] var rs_b : array[0..1] of bool = [false, true] \
                 var s : array[0..2] of bool = [false, true, false] var x : 0..3 = 0";
    for (of_sugar, of_plain) in [
        ("r := t;", "r_a, r_b := t_a, t_b;"),
        ("r := R(x, 1 in s);", "r_a, r_b := x, s[1];"),
        ("rs[x] := r;", "rs_a[x], rs_b[x] := r_a, r_b;"),
        ("rs[1].a := rs[0].a;", "rs_a[1] := rs_a[0];"),
        ("await r = t;", "await r_a = t_a && r_b = t_b;"),
        ("await rs[0] != R(0, true);", "await !(rs_a[0] = 0 && rs_b[0] = true);"),
        ("r := *;", "r_a, r_b := *, *;"),
        ("r.a += 1;", "r_a := r_a + 1;"),
        ("await rs.a[1] = 3;", "await rs_a[1] = 3;"),
        ("await x in s;", "await x >= 0 && x <= 2 && s[x];"),
        ("await 2 in s && 5 not in s;", "await s[2];"),
        ("s += {x};", "s[x] := true;"),
        ("s -= {1};", "s[1] := false;"),
        ("s := s + {0, 2};", "s[0], s[1], s[2] := true, s[1], true;"),
        ("s := s * {1..2};", "s[0], s[1], s[2] := false, s[1], s[2];"),
        ("s := {};", "s[0], s[1], s[2] := false, false, false;"),
        ("s := *;", "s[0], s[1], s[2] := *, *, *;"),
        ("await s = {};", "await (s[0] <-> false) && (s[1] <-> false) && (s[2] <-> false);"),
        ("await s <= {0, 1};", "await !s[2];"),
        (
            "await card(s) = 2;",
            "await 0 + (if s[0] then 1 else 0) + (if s[1] then 1 else 0) + (if s[2] then 1 else 0) = 2;",
        ),
        ("await forall i in s : i < x;", "await (!s[0] || 0 < x) && (!s[1] || 1 < x) && (!s[2] || 2 < x);"),
        ("x := sum i in s : i;", "x := ((if s[0] then 0 else 0) + (if s[1] then 1 else 0)) + (if s[2] then 2 else 0);"),
    ] {
        same(
            &format!("{types} {sugar} process P {{ {of_sugar} }}"),
            &format!("{plain_types} {plain} process P {{ {of_plain} }}"),
        );
    }
}

#[test]
fn loops_calls_and_channels() {
    let head = "const N = 2 var a : array[0..N] of 0..9 = 0 var x : 0..9 = 0";
    for (sugar, plain) in [
        ("process P { for i in 0..N { a[i] := i; } }", "process P { choose { a[0] := 0; a[1] := 1; a[2] := 2; } }"),
        ("process P { for i in 1..0 { a[i] := i; } skip; }", "process P { choose { } skip; }"),
        (
            "process P { atomic { for i in 0..1 { for j in 0..i { a[j] := i; } } } }",
            "process P { atomic { choose { choose { a[0] := 0; } choose { a[0] := 1; a[1] := 1; } } } }",
        ),
        (
            "procedure put(i : 0..2, var y : 0..9) { y := a[i]; a[i] := 0; } process P { var l : 0..9 = 1 put(1, l); put(2, x); }",
            "process P { var l : 0..9 = 1 choose { l := a[1]; a[1] := 0; } choose { x := a[2]; a[2] := 0; } }",
        ),
        (
            "procedure twice(var y : 0..9) { once(y); once(y); } procedure once(var z : 0..9) { z += 1; } process P { twice(a[1]); }",
            "process P { choose { choose { a[1] := a[1] + 1; } choose { a[1] := a[1] + 1; } } }",
        ),
    ] {
        same(&format!("{head} {sugar}"), &format!("{head} {plain}"));
    }
    same(
        "chan c : 1..3 capacity 2 var x : 1..3 = 1 process P { c ! x; when x > 1 do c ? x; assert len(c) <= 2; }",
        "var c_len : 0..2 = 0 var c_buf : array[0..1] of 1..3 = 1 var x : 1..3 = 1 process P { \
         when c_len < 2 do c_len, c_buf[c_len] := c_len + 1, x; \
         when x > 1 && c_len > 0 do c_len, c_buf[0], c_buf[1], x := c_len - 1, c_buf[1], 1, c_buf[0]; \
         assert c_len <= 2; }",
    );
}

#[test]
fn labels_of_copies_are_one_label() {
    let text = "system s procedure p() { in_p: skip; } process P { for i in 1..2 { l: skip; } p(); skip; p(); } \
                property at : ltl G (P@l || P@in_p || true)";
    let compiled = compile(text);
    assert_eq!(compiled.diagnostics, []);
    let program = compiled.program.unwrap();
    let places =
        |label: &str| program.processes[0].locations.iter().filter(|at| at.labels.iter().any(|l| l == label)).count();
    assert_eq!((places("l"), places("in_p")), (2, 2));
}

#[test]
fn random_pairs_become_the_same_graph() {
    for_random_cases(80, |case| {
        let ConstructPair { sugar, plain } = random_construct_pair(&mut case.rng, 2);
        case.keep("sugar.gcl", sugar.clone());
        case.keep("plain.gcl", plain.clone());
        assert_eq!(graph(&sugar), graph(&plain), "{sugar}\n{plain}");
    });
}
