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
    refused("init { byte _pid; skip }", "E0511 1:13");
    accepted("active proctype P() { { byte x; skip }; { byte x; skip }; byte x }");
    accepted("byte a; mtype = {a, b}; init { skip }");
}
