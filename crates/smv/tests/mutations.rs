//! Does any text get an answer, never a crash?

use std::fs;

use tertium_base::render::render;
use tertium_base::{Diagnostic, SourceFile};
use tertium_smv::compile;
use tertium_testkit::{corpus, for_random_cases, mutated};

fn seeds() -> Vec<String> {
    let folder = fs::read_dir(corpus::folder().join("smv")).unwrap();
    let mut paths: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smv"));
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Pieces that change the meaning of what stands around them.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ":",
    ":=",
    "::",
    "..",
    ",",
    ".",
    "!",
    "&",
    "|",
    "->",
    "<->",
    "=",
    "!=",
    "<",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "mod",
    "<<",
    ">>",
    "?",
    "--",
    "/--",
    "--/",
    "\n",
    "\0",
    "é",
    "\"",
    "\\",
    "MODULE main\n",
    "MODULE m(a, b)\n",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE d := ",
    "CONSTANTS c;",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION(",
    "SPEC",
    "LTLSPEC",
    "INVARSPEC",
    "NAME n :=",
    "COMPUTE MIN [",
    "ISA m",
    "PRED",
    "MIRROR",
    "PSLSPEC",
    "init(",
    "next(",
    "case",
    "esac",
    "TRUE",
    "FALSE",
    "0",
    "1",
    "-1",
    "31",
    "9223372036854775807",
    "99999999999999999999",
    "0ud8_255",
    "-0sd4_8",
    "0b3_101",
    "0hff",
    "unsigned word[8]",
    "signed word[32]",
    "word[0]",
    "boolean",
    "0..3",
    "3..0",
    "-9223372036854775807..9223372036854775807",
    "array 0..3 of",
    "array -1..1 of array 0..1 of",
    "process",
    "running",
    "self",
    "in",
    "union",
    "xor",
    "xnor",
    "AG",
    "EF",
    "A [",
    " U ",
    "ABF 0..4",
    "E[a BU 1..3 b]",
    "G",
    "F",
    "X",
    "[0,5]",
    "Y",
    "Z",
    "O",
    "H",
    "S",
    "T",
    "V",
    "word1(",
    "bool(",
    "toint(",
    "signed(",
    "unsigned(",
    "extend(",
    "resize(",
    "sizeof(",
    "uwconst(",
    "swconst(",
    "count(",
    "abs(",
    "max(",
    "min(",
    "[7:0]",
    "[x]",
    "a.b",
    "e0.token",
    "#x",
    "$",
    "_",
];

#[test]
fn changed_models_get_messages_or_are_accepted() {
    let seeds = seeds();
    for_random_cases(1500, |case| {
        let seed = case.rng.pick(&seeds).clone();
        let text = mutated(&mut case.rng, &seed, PIECES);
        case.keep("model.smv", text.clone());
        let source = SourceFile::new("model.smv", &text);
        let compiled = compile(&text, &[]);
        for diagnostic in &compiled.diagnostics {
            assert!(render(diagnostic, Some(&source), false).contains(diagnostic.code));
            assert_ne!(diagnostic.code, "E0733", "reading did not end well");
        }
        assert_eq!(compiled.program.is_none(), compiled.diagnostics.iter().any(Diagnostic::is_error));
    });
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let deep = |open: &str, close: &str| {
        let text =
            format!("MODULE main\nVAR x : boolean;\nINVARSPEC {}x{}\n", open.repeat(100_000), close.repeat(100_000));
        let compiled = compile(&text, &[]);
        assert!(compiled.diagnostics.iter().any(|diagnostic| diagnostic.code == "E0705"), "{open}");
    };
    deep("(", ")");
    deep("!", "");
    deep("{", "}");
    deep("case TRUE : ", "; esac");
    deep("next(", ")");
    deep("x -> ", "");
    deep("TRUE ? x : ", "");
    deep("AG ", "");
    deep("A [ TRUE U ", "]");
}
