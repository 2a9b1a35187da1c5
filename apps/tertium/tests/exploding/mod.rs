//! Small inputs that explode, for every engine and every command: what a limit has to end.
//!
//! Shared by the tests, which ask whether each ends with a report, and by `make bench-limits`, which measures how soon and with how much
//! memory.

use std::fmt::Write;

/// A run that would not end for a long time, or only with very much memory.
pub struct Case {
    /// What explodes.
    pub name: &'static str,
    /// Files that are there when it runs.
    pub files: Vec<(&'static str, String)>,
    /// Commands that come first; they make files, and end soon.
    pub before: Vec<Vec<&'static str>>,
    /// The command.
    pub command: Vec<String>,
    /// The limit on time, in seconds.
    #[allow(dead_code, reason = "the tests have one of their own")]
    pub seconds: u64,
    /// The limit on memory, in MiB.
    pub megabytes: u64,
}

impl Case {
    fn new(name: &'static str, file: &'static str, text: String, command: &str) -> Self {
        let command = command.split_whitespace().map(|word| word.replace("FILE", file)).collect();
        Self { name, files: vec![(file, text)], before: Vec::new(), command, seconds: 3, megabytes: 300 }
    }

    fn with_argument(mut self, argument: &str) -> Self {
        self.command.push(argument.to_owned());
        self
    }

    fn with_file(mut self, name: &'static str, text: String) -> Self {
        self.files.push((name, text));
        self
    }

    fn after(mut self, command: &[&'static str]) -> Self {
        self.before.push(command.to_vec());
        self
    }

    const fn with_memory(mut self, megabytes: u64) -> Self {
        self.megabytes = megabytes;
        self
    }
}

/// Lines that differ in a number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        let _ = writeln!(text, "{}", line(at));
        text
    })
}

/// Processes that count by themselves: 20 to the power of `count` states.
fn counters(count: usize, properties: &str) -> String {
    let variables = lines(count, |at| format!("var x{at} : 0..19 = 0"));
    let processes =
        lines(count, |at| format!("process P{at} {{ loop {{ x{at} := (x{at} + {}) mod 20; }} }}", 1 + at % 3));
    format!("system counters\n{variables}{processes}{properties}\n")
}

fn promela_counters(count: usize, more: &str) -> String {
    let variables = lines(count, |at| format!("byte x{at};"));
    let processes = lines(count, |at| format!("active proctype P{at}() {{ do :: x{at} = (x{at} + 1) % 20 od }}"));
    format!("{variables}{processes}{more}\n")
}

/// One step with two to the power of 40 outcomes.
fn wide_block() -> String {
    let variables = lines(40, |at| format!("var x{at} : 0..1 = 0"));
    let choices = lines(40, |at| format!("choose {{ x{at} := 0; }} or {{ x{at} := 1; }}"));
    format!("system wide\n{variables}process P {{ atomic {{\n{choices}}} bad: skip; }}\nproperty a : ltl G !P@bad\n")
}

/// A question that Z3 does not come back from by itself.
const HARD_FOR_Z3: &str = "system hard
var x : -1000..1000 = 0
var y : -1000..1000 = 1
process Q {
  loop {
    l0: y := * in 0..x;
    choose { await ((y mod (-2)) > x); } or { when x < 2 do x := x + 2; } or { when y < 2 do y := y + 1; }
  }
}
property f2 : ltl F !(y > 0)
";

/// Products of numbers without bounds.
const CUBES: &str = "system cubes
var x, y, z : int
process P { loop { choose { x := x * y + 1; } or { y := y * z - 2; } or { z := z * x * y + 3; } } }
property cubes : ltl G (x * x * x + y * y * y + z * z * z != 42)
property falls : ltl F (x * y * z > 1000)
";

/// A product of two numbers of twelve bits, as sets of bits: no order of the bits is a good one.
fn product() -> String {
    "system product
var a, b : 0..4095 = 0
var c : 0..16769025 = 0
var d : 0..16769025 = 0
process A { loop { a := * in 0..4095; } }
process B { loop { b := * in 0..4095; } }
process C { loop { choose { c := a * b; } or { d := (a * b + c) mod 16769025; } } }
property p : ctl AG EF (c = 1 && d = 16000001)
"
    .to_owned()
}

/// A random structure in the text format; every second step is open.
fn structure(states: usize, edges: usize, properties: &str) -> String {
    let mut seed = 7_u64;
    let mut draw = move |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound
    };
    let mut text = "props p, q, r\n".to_owned();
    for at in 0..states {
        let label = |number: usize| ["t", "f", "?"][number % 3];
        let _ = writeln!(text, "state s{at} p: {}, q: {}, r: {}", label(draw(6)), label(draw(5)), label(draw(7)));
    }
    text.push_str("init s0\n");
    for at in 0..edges {
        let (from, to) = (if at < states { at } else { draw(states) }, draw(states));
        let _ = writeln!(text, "s{from} -{}-> s{to}", if draw(2) == 0 { "must" } else { "may" });
    }
    text + properties + "\n"
}

/// A structure whose edges depend on parameters.
fn parameterised(parameters: usize, properties: &str) -> String {
    let names: Vec<String> = (0..parameters).map(|at| format!("x{at}")).collect();
    let mut text = format!("params {}\nprops p, q\n", names.join(", "));
    for at in 0..parameters {
        let _ = writeln!(text, "state s{at} p: x{at}, q: !x{}", (at * 7 + 3) % parameters);
    }
    text.push_str("init s0\n");
    for at in 0..parameters {
        let (next, other) = ((at + 1) % parameters, (at * 5 + 2) % parameters);
        let _ = writeln!(text, "s{at} -[x{at} & !x{other}]-> s{next}\ns{at} -[!x{at} | x{other}]-> s{other}");
    }
    text + properties + "\n"
}

/// A linear formula whose automaton is large.
fn long_linear(parts: usize) -> String {
    let names = ["p", "q", "r"];
    let part = |at: usize| {
        let (a, b, c) = (names[at % 3], names[(at + 1) % 3], names[(at + 2) % 3]);
        format!("((G F ({a} U (X {b} R X X {c}))) -> F G ({b} U X X ({c} & X {a})))")
    };
    (0..parts).map(part).collect::<Vec<_>>().join(" & ")
}

fn many_atoms(parts: usize) -> String {
    (0..parts).map(|at| format!("(G F a{at} -> F (b{at} U X c{at}))")).collect::<Vec<_>>().join(" & ")
}

/// Many predicates over one another.
fn predicates() -> String {
    let predicates = lines(30, |at| format!("predicate x + {at} * y > {} * z", at % 7));
    format!(
        "system many\nvar x, y, z : int\nprocess P {{ loop {{ choose {{ x := x + y; }} or {{ y := y - z; }} or {{ z := 2 * z + x; }} }} }}\n{predicates}property p : ltl G x >= 0\n"
    )
}

/// A proof over predicates, and its model.
const TICKETS: &str = "system tickets
var x : nat = 0
process P { loop { x := x + 1; } }
property up : ltl G x >= 0
";

/// All cases. Each explodes, or takes far longer than it may.
pub fn cases() -> Vec<Case> {
    let mut all = searches();
    all.extend(abstractions());
    all.extend(structures());
    all.extend(other_commands());
    all.extend(readings());
    all
}

fn searches() -> Vec<Case> {
    let linear = "property l : ltl G !(x0 = 5 && X x0 = 9)";
    let graph = "property c : ctl AG EF (x0 = 1 && x1 = 2)";
    let safe = "property a : ltl G x0 <= 19";
    vec![
        Case::new(
            "search, states one by one",
            "s.gcl",
            counters(9, safe),
            "check FILE --no-reduction --max-states 1000000000",
        ),
        Case::new(
            "search with one thread",
            "s.gcl",
            counters(9, safe),
            "check FILE --no-reduction --threads 1 --max-states 1000000000",
        ),
        Case::new("search, 64 bits a state", "s.gcl", counters(9, safe), "check FILE --store compact"),
        Case::new("search, three bits a state", "s.gcl", counters(9, safe), "check FILE --store bitstate"),
        Case::new(
            "infinite runs",
            "s.gcl",
            counters(9, linear),
            "check FILE --no-reduction --only l --max-states 1000000000",
        ),
        Case::new(
            "the whole graph",
            "s.gcl",
            counters(9, graph),
            "check FILE --no-reduction --only c --max-states 1000000000",
        ),
        Case::new(
            "Promela, fair",
            "s.pml",
            promela_counters(9, "ltl l { [] !(x0 == 5 && X (x0 == 9)) }"),
            "check FILE --fair --no-reduction --max-states 1000000000",
        ),
        Case::new(
            "Promela, claim",
            "s.pml",
            promela_counters(9, "never { T0: do :: x0 < 20 :: x1 > 20 -> goto accept od; accept: do :: x2 < 9 od }"),
            "check FILE --no-reduction --max-states 1000000000",
        ),
        Case::new("sets of states", "s.gcl", product(), "check FILE --engine symbolic"),
        Case::new("one step, 2^40 outcomes", "s.gcl", wide_block(), "check FILE"),
        Case::new("one step, seen from outside", "s.gcl", wide_block(), "check FILE --abstraction none --format json"),
    ]
}

fn abstractions() -> Vec<Case> {
    let family = "system family\nvar t : 0..1 = 0\nprocess P[i : 1..300] { var y : int = 0\n loop { y := y * i + t; t := (y mod 2) * (y mod 2); c: skip; } }\nproperty m : ltl G !(P[1]@c && P[2]@c)\n".to_owned();
    let every = "system every\nconst N >= 2\nvar owner : 0..N = 0\nvar a : array[1..N] of 0..N = 0\nprocess P[i : 1..N] { loop { a[i] := (owner * a[i] + i) mod N; when owner = a[i] do owner := i; c: skip; owner := 0; } }\nproperty m : ltl forall i != j in P : G !(P[i]@c && P[j]@c)\n".to_owned();
    vec![
        Case::new(
            "abstraction, hard for Z3",
            "s.gcl",
            HARD_FOR_Z3.to_owned(),
            "check FILE --abstraction hyper --refinements 0",
        ),
        Case::new(
            "abstraction, many predicates",
            "s.gcl",
            predicates(),
            "check FILE --abstraction hyper --refinements 0",
        ),
        Case::new("refinement, products", "s.gcl", CUBES.to_owned(), "check FILE --refinements 1000"),
        Case::new("all by itself, products", "s.gcl", CUBES.to_owned(), "check FILE"),
        Case::new(
            "abstract states as sets",
            "s.gcl",
            predicates(),
            "check FILE --abstraction hyper --refinements 0 --engine symbolic",
        ),
        Case::new("spotlight", "s.gcl", family, "check FILE --spotlight P[1],P[2]"),
        Case::new("every size", "s.gcl", every, "check FILE"),
        Case::new(
            "thorough over abstract states",
            "s.gcl",
            predicates(),
            "check FILE --semantics thorough --abstraction boolean --refinements 0",
        ),
    ]
}

fn structures() -> Vec<Case> {
    let formula = format!("property l : ltl !({})", long_linear(12));
    let nested = "property m : mu nu X. mu Y. nu Z. mu W. nu V. mu U. (<>(p & X) | [](q & Y) | <>(r & Z) | [](!p & W) | <>(!q & V) | []U)";
    let thorough = format!("property t : ltl !({})", long_linear(6));
    vec![
        Case::new("automaton of a formula", "s.kmts", structure(50, 200, &formula), "check FILE"),
        Case::new("parity game", "s.kmts", structure(150_000, 900_000, nested), "check FILE --engine game"),
        Case::new("all completions", "s.kmts", structure(40, 200, &thorough), "check FILE --semantics thorough"),
        Case::new("parameters", "s.kmts", parameterised(40, "property c : ctl AG EF (p & AF q)"), "check FILE"),
        Case::new("comparison", "a.kmts", structure(25_000, 100_000, ""), "compare FILE b.kmts")
            .with_file("b.kmts", structure(24_999, 100_001, "")),
    ]
}

fn other_commands() -> Vec<Case> {
    vec![
        Case::new("explore, breadth first", "s.gcl", counters(9, ""), "explore FILE"),
        Case::new("explore, depth first", "s.gcl", counters(9, ""), "explore FILE --search depth"),
        Case::new("explore, the graph", "s.gcl", counters(6, ""), "explore FILE --graph s.dot"),
        Case::new("explore, one step", "s.gcl", wide_block(), "explore FILE --format json"),
        Case::new("simulate, one step", "s.gcl", wide_block(), "simulate FILE --seed 1"),
        Case::new("simulate, for ever", "s.gcl", counters(3, ""), "simulate FILE --seed 1 --steps 1000000000"),
        Case::new("abstract", "s.gcl", predicates(), "abstract FILE"),
        Case::new(
            "view",
            "s.gcl",
            counters(9, "property l : ltl G !(x0 = 5 && X x0 = 9)"),
            "view FILE --out page.html --no-reduction --max-states 1000000000",
        ),
        Case::new("formula, automaton", "none", String::new(), "formula --logic ltl --automaton")
            .with_argument(&many_atoms(9)),
        Case::new("formula, minimised", "none", String::new(), "formula --logic ctl --minimise").with_argument(
            &(0..40).map(|at| format!("(EX (a{at} & b{at}) | AX (!a{at} | c{at}))")).collect::<Vec<_>>().join(" & "),
        ),
        Case::new(
            "certify, a solver without answers",
            "s.gcl",
            TICKETS.to_owned(),
            "certify FILE proofs/up.cert.json --solver",
        )
        .after(&["check", "s.gcl", "--evidence", "proofs", "--refinements", "20", "-q"])
        .with_argument("sleep 300"),
        Case::new("export", "s.kmts", structure(300_000, 1_200_000, ""), "export FILE --to dot --output s.dot")
            .with_memory(20),
    ]
}

fn readings() -> Vec<Case> {
    let claim = lines(20_000, |at| {
        format!(
            "L{at}: if :: x == {} -> goto L{} :: else -> goto L{} fi;",
            at % 256,
            (at + 1) % 20_000,
            at * 7 % 20_000
        )
    });
    let bombs = format!(
        "{}#define M40 1\nint x;\nactive proctype P() {{ x = M0 }}\n",
        lines(40, |at| format!("#define M{at} M{} + M{}", at + 1, at + 1))
    );
    vec![
        Case::new(
            "array of 10 million",
            "s.gcl",
            "system s\nvar a : array[0..9999999] of int\nprocess P { a[0] := 1; }\nproperty p : ltl G a[0] >= 0\n"
                .to_owned(),
            "check FILE",
        ),
        Case::new(
            "family of 100,000",
            "s.gcl",
            "system s\nvar x : int = 0\nprocess P[i : 1..100000] { x := i; }\nproperty a : ltl G x >= 0\n".to_owned(),
            "check FILE",
        ),
        Case::new(
            "claim with 20,000 labels",
            "s.pml",
            format!("byte x;\nactive proctype P() {{ x = 1 }}\nnever {{\n{claim}}}\n"),
            "check FILE",
        ),
        Case::new(
            "4,000 names nobody declared",
            "s.pml",
            format!("active proctype P() {{\n{}}}\n", lines(4_000, |at| format!("u{at} = v{at} + 1;"))),
            "check FILE",
        ),
        Case::new("macros that double", "s.pml", bombs, "check FILE"),
        Case::new(
            "200,000 lines of text",
            "s.gcl",
            format!(
                "system s\nvar x : 0..9 = 0\nprocess P {{\n{}}}\nproperty p : ltl G x <= 9\n",
                lines(200_000, |at| format!("x := {};", at % 10))
            ),
            "check FILE",
        )
        .with_memory(1_000),
    ]
}
