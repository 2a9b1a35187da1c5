//! Does any text get an answer, never a crash?

use std::fs;

use tertium_base::render::render;
use tertium_promela::{Options, read};
use tertium_testkit::{corpus, for_random_cases, mutated};

fn seeds() -> Vec<String> {
    let mut paths = Vec::new();
    for folder in ["promela/micro", "promela/reject"] {
        for entry in fs::read_dir(corpus::folder().join(folder)).unwrap() {
            paths.push(entry.unwrap().path());
        }
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Pieces that change the meaning of what stands around them.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "->",
    "::",
    ":",
    "if",
    "fi",
    "do",
    "od",
    "atomic {",
    "d_step {",
    "unless",
    "else",
    "goto L;",
    "L:",
    "break",
    "run P()",
    "!",
    "?",
    "??",
    "!!",
    "<",
    ">",
    "=",
    "++",
    "--",
    ",",
    ".",
    "@",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\n",
    "#define f(x) x f(x)\n",
    "#if 1\n",
    "#endif\n",
    "#include \"x\"\n",
    "# 3 \"y\"\n",
    "##",
    "#",
    "mtype",
    "chan",
    "typedef",
    "inline f(a) { a }",
    "f(f(1))",
    "ltl {",
    "[]",
    "<>",
    "U",
    "X",
    "never {",
    "trace {",
    "_pid",
    "_",
    "timeout",
    "eval(",
    "len(",
    "for (",
    "select (",
    "in",
    "..",
    "99999999999999999999",
    "-1",
    "é",
    "\0",
    "proctype",
    "active",
    "init",
    "hidden",
    "unsigned x : 40",
    "c_code { x }",
    "pred x",
    "return",
    "priority",
];

#[test]
fn changed_models_get_messages_or_are_accepted() {
    let seeds = seeds();
    for_random_cases(4000, |case| {
        let seed = case.rng.pick(&seeds).clone();
        let text = mutated(&mut case.rng, &seed, PIECES);
        case.keep("model.pml", text.clone());
        let options = Options { defines: Vec::new(), load: &|_, _| Err(std::io::ErrorKind::NotFound.into()) };
        let model = read("model.pml", &text, &options);
        for diagnostic in &model.diagnostics {
            let piece = diagnostic.primary.as_ref().and_then(|label| model.sources.piece(label.span));
            assert!(render(diagnostic, piece, false).contains(diagnostic.code));
        }
        let missing = model.symbols.meanings.iter().filter(|meaning| meaning.is_none()).count();
        assert!(model.is_broken() || missing == 0, "a name without meaning is not reported");
    });
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let deep = |open: &str, inside: &str, close: &str| {
        let text = format!("byte x; init {{ {}{inside}{} }}", open.repeat(100_000), close.repeat(100_000));
        let model = read("m.pml", &text, &Options::default());
        assert!(model.diagnostics.iter().any(|diagnostic| diagnostic.code == "E0506"), "{open}");
    };
    deep("(", "x", ")");
    deep("{ ", "skip", " }");
    deep("if :: ", "skip", " fi");
    deep("do :: atomic { ", "break", " } od");
    deep("(x -> ", "1", " : 2)");
    deep("! ", "x", "");
    deep("x + ", "x", "");
    let formula = format!("ltl {{ {}x }} byte x; init {{ skip }}", "[] ".repeat(100_000));
    assert!(read("m.pml", &formula, &Options::default()).is_broken());
    let structures: String =
        (1..2000).map(|at| format!("typedef T{at} {{ T{} a; T{} b }};\n", at - 1, at - 1)).collect();
    let text = format!("typedef T0 {{ byte a }};\n{structures} init {{ skip }}");
    assert!(read("m.pml", &text, &Options::default()).is_broken());
    let inlines: String = (1..60).map(|at| format!("inline f{at}() {{ f{}(); f{}() }}\n", at - 1, at - 1)).collect();
    let text = format!("inline f0() {{ skip }}\n{inlines} init {{ f59() }}");
    assert!(read("m.pml", &text, &Options::default()).is_broken());
}
