//! Does any text get an answer, never a crash?

use std::fs;

use tertium_base::render::render;
use tertium_base::{Diagnostic, SourceFile};
use tertium_horn::compile;
use tertium_testkit::{corpus, for_random_cases, mutated};

fn seeds() -> Vec<String> {
    let folders = ["horn", "horn/lia"].map(|folder| fs::read_dir(corpus::folder().join(folder)).unwrap());
    let mut paths: Vec<_> = folders.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Pieces that change the meaning of what stands around them.
const PIECES: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    "()",
    "|",
    "\"",
    ";",
    "\n",
    "\0",
    "é",
    ":named",
    "!",
    "_",
    "x",
    "-1",
    "0",
    "1.5",
    "99999999999999999999",
    "#b1",
    "(set-logic HORN)",
    "(declare-fun p (Int Bool) Bool)",
    "(declare-const k Int)",
    "(declare-rel r (Int))",
    "(declare-var v Int)",
    "(rule (r v))",
    "(query r)",
    "(assert ",
    "(forall ((x Int)) ",
    "(exists ((y Bool)) ",
    "(let ((z 1)) ",
    "(=> ",
    "(and ",
    "(or ",
    "(not ",
    "(ite ",
    "(= ",
    "(distinct ",
    "(< ",
    "(- ",
    "(* ",
    "(div ",
    "(mod ",
    "(abs ",
    "(define-fun f ((a Int)) Int a)",
    "(check-sat)",
    "(get-model)",
    "(push 1)",
    "(pop 1)",
    "(exit)",
    "Int",
    "Bool",
    "Real",
    "(Array Int Int)",
    "true",
    "false",
];

#[test]
fn changed_scripts_get_messages_or_are_accepted() {
    let seeds = seeds();
    for_random_cases(1500, |case| {
        let seed = case.rng.pick(&seeds).clone();
        let text = mutated(&mut case.rng, &seed, PIECES);
        case.keep("clauses.smt2", text.clone());
        let source = SourceFile::new("clauses.smt2", &text);
        let compiled = compile(&text);
        for diagnostic in &compiled.diagnostics {
            assert!(render(diagnostic, Some(&source), false).contains(diagnostic.code));
            assert_ne!(diagnostic.code, "E0750", "reading did not end well");
        }
        assert_eq!(compiled.program.is_none(), compiled.diagnostics.iter().any(Diagnostic::is_error));
    });
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    for open in ["(", "(not ", "(and true ", "(let ((z 1)) ", "(forall ((x Int)) "] {
        let text =
            format!("(set-logic HORN)\n(assert {}true{})\n(check-sat)\n", open.repeat(100_000), ")".repeat(100_000));
        assert!(compile(&text).program.is_none(), "{open}");
    }
}
