//! Is what Spin refuses refused, at the right place, and what it accepts accepted?

use crate::{Options, read};

/// The codes and places of all messages.
fn messages(text: &str) -> Vec<String> {
    let model = read("m.pml", text, &Options::default());
    let place = |diagnostic: &tertium_base::Diagnostic| {
        let span = diagnostic.primary.as_ref().map(|label| label.span).unwrap_or_default();
        let (_, line, column) = model.sources.place(span);
        format!("{} {line}:{column}", diagnostic.code)
    };
    model.diagnostics.iter().map(place).collect()
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    assert_eq!(messages(text), [expected], "{text}");
}

#[track_caller]
fn accepted(text: &str) {
    assert_eq!(messages(text), Vec::<String>::new(), "{text}");
}

#[test]
fn names() {
    refused("active proctype P() { y = 1 }", "E0510 1:23");
    refused("active proctype P() { byte x; { byte x; skip } }", "E0511 1:38");
    refused("byte x; active proctype P() { { byte x; skip } }", "E0511 1:38");
    refused("byte P; active proctype P() { skip }", "E0511 1:25");
    refused("mtype = {a, b, a}; init { skip }", "E0511 1:10");
    refused("inline P() { skip } active proctype P() { skip }", "E0511 1:8");
    refused("active proctype P() { skip } inline P() { skip }", "E0511 1:37");
    refused("init { byte _pid; skip }", "E0511 1:13");
    accepted("active proctype P() { { byte x; skip }; { byte x; skip }; byte x }");
    accepted("byte a; mtype = {a, b}; init { skip }");
}

#[test]
fn types() {
    refused("typedef T { byte a }; init { T x; byte y; y = x }", "E0512 1:47");
    refused("typedef T { byte a }; init { T x; x.b = 1 }", "E0510 1:37");
    refused("init { byte x; x.y = 1 }", "E0512 1:18");
    refused("chan q; init { q++ }", "E0512 1:16");
    refused("chan q; init { byte x; x = q + 1 }", "E0512 1:28");
    refused("init { byte x; x = _ }", "E0512 1:20");
    refused("init { _pid = 1 }", "E0512 1:8");
    refused("mtype = { a }; init { a = 1 }", "E0512 1:23");
    refused("hidden bit x; init { skip }", "E0512 1:12");
    refused("proctype P(byte a[2]) { skip } init { skip }", "E0512 1:19");
    refused("typedef T { byte a }; T s; init { for (s.a : 0 .. 1) { skip } }", "E0512 1:40");
    refused("chan q = [1] of { unsigned }; init { skip }", "E0512 1:19");
    accepted("typedef T { byte a = 3; chan q = [1] of { byte } }; init { T x; x.q!x.a }");
    accepted("mtype = { a }; mtype:f = { b }; mtype x; mtype:f y; init { x = b; x = y; _ = 1 }");
    accepted("init { byte x; x[0] = 1 }");
}

#[test]
fn sizes_and_numbers() {
    refused("unsigned x; init { skip }", "E0513 1:10");
    refused("unsigned x : 40; init { skip }", "E0513 1:14");
    refused("byte x : 3; init { skip }", "E0513 1:10");
    refused("byte a[0]; init { skip }", "E0513 1:8");
    refused("active [300] proctype P() { skip }", "E0513 1:9");
    refused("active proctype P() priority 0 { skip }", "E0513 1:30");
    refused("byte x; init { for (x : 3 .. 1) { skip } }", "E0513 1:25");
    refused("init { int x = 99999999999999999999; skip }", "E0508 1:16");
    accepted("byte n = 3; byte a[n]; active [n] proctype P() { a[2] = 1 }");
    accepted("active [0] proctype P() { skip } init { byte x[2] = { 1, 2, 3 }; skip }");
}

#[test]
fn initial_values() {
    refused("proctype P(byte x = 1) { skip } init { run P(1) }", "E0522 1:21");
    refused("init { byte x = { 1 }; skip }", "E0522 1:17");
    refused("init { skip; chan q = [1] of { byte }; q!1 }", "E0522 1:23");
    refused("init { byte q = [1] of { byte }; skip }", "E0522 1:17");
    accepted("byte g = 3; byte h = g; init { byte x; byte y = x + h; skip }");
}

#[test]
fn labels_and_jumps() {
    refused("init { goto M }", "E0514 1:13");
    refused("init { L: skip; L: skip }", "E0514 1:17");
    refused("init { atomic { L: skip; skip } }", "E0514 1:17");
    refused("init { { L: skip; skip } }", "E0514 1:10");
    refused("byte x; init { L: x = 1 unless x == 2 }", "E0514 1:16");
    refused("init { L: goto L }", "E0519 1:16");
    refused("init { A: goto B; B: goto A }", "E0519 1:16");
    refused("byte x; init { do :: d_step { x = 1; break } od }", "E0516 1:38");
    refused("active proctype P() { L: skip } init { d_step { P@L; skip } }", "E0516 1:49");
    refused("byte x; init { d_step { x = 1; { x = 2 } unless { x == 1 } } }", "E0516 1:32");
    refused("ltl { [] P@M } active proctype P() { L: skip }", "E0514 1:12");
    accepted("init { { skip; L: skip }; { skip; L: skip }; goto L }");
    accepted("init { atomic { L: do :: break od } }");
    accepted("init { L: do :: goto L od }");
    accepted("byte x; init { d_step { x = 1; goto L; x = 3; L: x = 2 }; L1: d_step { x = 1 } unless { x == 1 } }");
    accepted("inline f() { goto done; done: skip } init { f(); f() }");
    accepted("ltl { [] P@L } active proctype P() { L: skip }");
}

#[test]
fn starting_processes() {
    refused("init { run Z() }", "E0510 1:12");
    refused("proctype Q() { skip } init { run Q() == 1 }", "E0520 1:30");
    refused("proctype Q() { skip } init { byte x = run Q(); skip }", "E0520 1:39");
    refused("proctype Q() { skip } chan q = [1] of { byte }; init { q!run Q() }", "E0520 1:58");
    refused("proctype Q(byte a; byte b) { skip } init { run Q(1) }", "E0515 1:44");
    accepted("proctype Q(byte a) { skip } init { byte x; x = run Q(1 + 2) + 1; (run Q(2)) }");
    accepted("typedef T { byte a; byte b }; proctype Q(T t; chan c) { skip } chan q; T s; init { run Q(s, q) }");
}

#[test]
fn arrays_are_not_passed() {
    refused("typedef T { byte a[2] }; proctype Q(T t) { skip } init { skip }", "E0512 1:39");
    refused("typedef T { byte a[2] }; typedef U { byte b; T t }; proctype Q(U u) { skip } init { skip }", "E0512 1:66");
    refused("proctype Q(byte b[2]) { skip } init { skip }", "E0512 1:19");
}

#[test]
fn what_is_whose() {
    let sets = "mtype:a = { x, y }; mtype:b = { z }; mtype = { k }; ";
    refused(&format!("{sets}mtype:b v; init {{ v = x }}"), "E0512 1:75");
    refused(&format!("{sets}mtype:b v = x; init {{ skip }}"), "E0512 1:65");
    refused(&format!("{sets}mtype:a v; init {{ v = k }}"), "E0512 1:75");
    refused(&format!("{sets}proctype P(mtype:b v) {{ skip }} init {{ run P(x) }}"), "E0512 1:97");
    accepted(&format!("{sets}mtype:b v; mtype w = x; byte n; init {{ v = z; w = y; n = x; v == x }}"));
    refused("byte x; init { x[1] = 2 }", "E0512 1:18");
    accepted("byte x; init { x[0] = 2 }");
    refused("init { hidden byte x; skip }", "E0512 1:20");
    refused("never { byte x; x == 1 } init { skip }", "E0517 1:14");
    let two = |right: &str| {
        format!(
            "chan q = [1] of {{ byte }}; active proctype A() {{ {right} q; skip }} active proctype B() {{ xs q; skip }}"
        )
    };
    refused(&two("xs"), "E0517 1:87");
    accepted(&two("xr"));
}

#[test]
fn claims_and_traces() {
    refused("init { np_ }", "E0517 1:8");
    refused("chan q = [1] of { byte }; trace { skip } init { q!1 }", "E0517 1:35");
    refused("ltl p { [] true } ltl p { <> true } init { skip }", "E0511 1:23");
    refused("never { x == 1 } byte x; init { skip }", "E0510 1:9");
    refused("chan q = [0] of { byte }; never { enabled(1) } init { skip }", "E0517 1:35");
    refused("init { enabled(1) }", "W0506 1:8");
    refused("active proctype P() provided (enabled(1)) { skip }", "W0506 1:31");
    refused("active proctype A() { byte k; skip } active proctype B() provided (A:k > 1) { skip }", "E0517 1:68");
    accepted("chan q = [1] of { byte }; trace { q!_ } init { q!1 }");
    refused("chan q = [1] of { byte }; init { q!_ }", "E0512 1:36");
    accepted("never { enabled(0) } ltl p { [] enabled(0) } init { pc_value(0) == 0 }");
    accepted(
        "ltl { [] np_ } chan q = [1] of { byte }; trace { do :: q!1 :: q?_ od } byte x; never { x = 1 } init { q!1 }",
    );
    accepted("byte x; pred x > 1; active proctype P() { byte y; pred y == x; byte pred; pred = 1; pred++ }");
}

#[test]
fn embedded_c_is_named() {
    refused("c_decl { int x; }; init { skip }", "E0507 1:1");
    refused("init { skip; c_code { x = 1; }; skip }", "E0507 1:14");
    refused("init { c_expr { x } -> skip }", "E0507 1:8");
}

#[test]
fn several_mistakes_are_told_at_once() {
    let text = "init {\n  x = 1;\n  goto L;\n  break;\n  run P()\n}";
    assert_eq!(messages(text), ["E0510 2:3", "E0517 4:3", "E0514 3:8", "E0510 5:7"]);
    let text =
        "byte x;\ninit {\n  x = ;\n  if x fi;\n  x = 2 3;\n  skip\n}\nbyte y z;\nbyte v;\nactve proctype P() { skip }";
    assert_eq!(messages(text), ["E0505 3:7", "E0505 4:6", "E0505 5:9", "E0505 8:8", "E0505 10:1"]);
}
