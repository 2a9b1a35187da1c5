//! Are SMV models and Horn clauses decided as they should be, by all engines alike?
//!
//! Models of the corpus have expected answers. Random synchronous systems are searched and computed over sets; formulas with the past are evaluated
//! on lassos by their definition.

use std::collections::BTreeMap;

use tertium_base::Budget;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramFile, check, horn, smv, symbolic};
use tertium_driver::{Belnap, Failure};
use tertium_load::program::Extras;
use tertium_testkit::{Case, corpus, for_random_cases};

fn read(name: &str, text: &str) -> ProgramFile {
    smv::from_text(name, text, &[], None, &[], &Extras::default())
        .unwrap_or_else(|why| panic!("{name}: {why:?}\n{text}"))
}

/// The values of all questions, by name; those that were not decided are left out.
fn values(file: &ProgramFile, engine: EngineChoice) -> Result<BTreeMap<String, bool>, Failure> {
    let asked = questions(file, &[], false)?;
    let max_states = (engine == EngineChoice::Auto).then_some(20_000);
    let options = CheckOptions { engine, max_states, look_for_idle: false, ..CheckOptions::default() };
    let budget = Budget::unlimited().with_effort(Some(2_000_000)).with_memory(Some(1 << 30));
    let answers = check(file, &asked, &options, &budget, &())?.answers;
    let definite = |value: Belnap| matches!(value, Belnap::True | Belnap::False).then_some(value == Belnap::True);
    Ok(answers.iter().filter_map(|answer| Some((answer.name.clone(), definite(answer.value())?))).collect())
}

#[test]
fn models_of_the_corpus_have_their_values() {
    let folder = corpus::folder().join("smv");
    let expected = std::fs::read_to_string(folder.join("expected.json")).expect("it is there");
    let expected: BTreeMap<String, BTreeMap<String, bool>> = serde_json::from_str(&expected).expect("it is a table");
    let mut listed = 0;
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(wanted) = expected.get(&name) else {
            assert!(!name.ends_with(".smv"), "{name} has no expected values");
            continue;
        };
        listed += 1;
        let file = read(&name, &std::fs::read_to_string(&path).expect("a text"));
        let unbounded = name == "int.smv";
        // Over a graph, every quantifier of CTL with fairness has an automaton of its own: these take minutes.
        let large = ["abp_bits.smv", "bus_devices.smv"].contains(&name.as_str());
        for engine in [EngineChoice::Auto, EngineChoice::Symbolic] {
            if unbounded || (large && engine == EngineChoice::Auto) {
                continue;
            }
            let found = values(&file, engine).unwrap_or_else(|why| panic!("{name} {engine:?}: {why:?}"));
            for (property, value) in wanted {
                assert_eq!(found.get(property), Some(value), "{name} {property} {engine:?}");
            }
        }
    }
    assert_eq!(listed, expected.len(), "models that are listed are there");
}

#[test]
fn distances_are_computed() {
    for (name, expected) in [
        ("carry_counter.smv", ["is 5", "is 3", "is Infinity", "", "", ""]),
        ("no_fair_start.smv", ["is Infinity", "is undefined", "is undefined", "is 1", "", ""]),
        ("compute.smv", ["is 6", "is 11", "is 0", "is Infinity", "is Infinity", "is undefined"]),
    ] {
        let text = std::fs::read_to_string(corpus::folder().join("smv").join(name)).expect("a text");
        let file = read(name, &text);
        let told = symbolic::distances(&file, &CheckOptions::default(), &Budget::unlimited()).expect("numbers");
        let told: Vec<String> = told.iter().map(|note| note.diagnostic.message.clone()).collect();
        let expected: Vec<&str> = expected.into_iter().filter(|end| !end.is_empty()).collect();
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (told, end) in told.iter().zip(expected) {
            assert!(told.ends_with(end), "{told}");
        }
    }
}

/// The codes of what is wrong with a text.
fn mistakes(text: &str) -> Vec<String> {
    match smv::from_text("wrong.smv", text, &[], None, &[], &Extras::default()) {
        Ok(_) => Vec::new(),
        Err(Failure::Input(found)) => found.iter().map(|mistake| mistake.diagnostic.code.to_string()).collect(),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    let with =
        |more: &str| format!("MODULE main\nVAR p : boolean; x : 0..7; w : word[8]; a : array 0..3 of 0..7;\n{more}\n");
    let deep = "F[0,1000] ".repeat(4);
    let long = format!("INVARSPEC {}p", "p & ".repeat(5000));
    for (more, code) in [
        ("LTLSPEC F[0,1000000000] p", "E0714"),
        (&format!("LTLSPEC {deep} p"), "E0717"),
        ("CTLSPEC ABF 0..1000 ABF 0..1000 ABF 0..1000 p", "E0717"),
        ("CTLSPEC EBG 5..2 p", "E0714"),
        ("PSLSPEC always p", "E0704"),
        ("VAR r : real;", "E0704"),
        ("VAR big : word[64];", "E0704"),
        ("FUN f : integer -> integer;", "E0704"),
        ("INVARSPEC x = 1.5", "E0704"),
        ("ISA nobody", "E0711"),
        ("ISA main", "E0712"),
        ("DEFINE d := e; e := d; INVARSPEC d", "E0716"),
        ("ASSIGN x := x + 1;", "E0716"),
        ("ASSIGN next(x) := next(x);", "E0716"),
        ("ASSIGN next(x) := 1; next(x) := 2;", "E0728"),
        ("ASSIGN x := 1; next(x) := 2;", "E0728"),
        ("INVARSPEC a[9] = 1", "E0724"),
        ("INVARSPEC w[8:0] = w", "E0724"),
        ("INVARSPEC w + x = w", "E0721"),
        ("INIT next(p)", "E0719"),
        ("SPEC G p", "E0730"),
        ("LTLSPEC AG p", "E0730"),
    ] {
        let found = mistakes(&with(more));
        assert!(found.iter().any(|found| found == code), "{more}: {found:?} instead of {code}");
    }
    assert_eq!(mistakes(&with(&long)), Vec::<String>::new(), "a long conjunction is not deep");
}

/// A condition over the variables `b0`, `b1`, … and `n`.
fn condition(case: &mut Case, bits: usize, deep: usize) -> String {
    if deep == 0 || case.rng.chance(30) {
        return match case.rng.below(4) {
            0 => format!("n = {}", case.rng.below(4)),
            1 => format!("n < {}", case.rng.below(5)),
            _ => format!("b{}", case.rng.below(bits)),
        };
    }
    let (a, b) = (condition(case, bits, deep - 1), condition(case, bits, deep - 1));
    match case.rng.below(6) {
        0 => format!("!({a})"),
        1 => format!("({a} & {b})"),
        2 => format!("({a} | {b})"),
        3 => format!("({a} xor {b})"),
        4 => format!("({a} -> {b})"),
        _ => format!("case {a} : {b}; TRUE : b0; esac"),
    }
}

fn random_system(case: &mut Case) -> String {
    // Enough bits that steps are a conjunction, few of them free so that a search ends.
    let bits = 19 + case.rng.below(6);
    let mut text = "MODULE main\nVAR n : 0..3;\n".to_owned();
    for bit in 0..bits {
        text.push_str(&format!("  b{bit} : boolean;\n"));
    }
    text.push_str("ASSIGN init(n) := {0, 2}; next(n) := case b0 : (n + 1) mod 4; b1 : {0, 3}; TRUE : n; esac;\n");
    let free = case.rng.below(3);
    for bit in 0..bits {
        text.push_str(&format!("  init(b{bit}) := {};\n", if case.rng.chance(50) { "TRUE" } else { "FALSE" }));
        if bit < free {
            continue;
        }
        let next = if bit > 0 && case.rng.chance(60) { format!("b{}", bit - 1) } else { condition(case, bits, 2) };
        text.push_str(&format!("  next(b{bit}) := {};\n", if bit == 0 { "!b0".to_owned() } else { next }));
    }
    if case.rng.chance(40) {
        text.push_str(&format!("TRANS {} -> next(n) != 1\n", condition(case, bits, 1)));
    }
    if case.rng.chance(30) {
        text.push_str(&format!("INVAR {} | n != 3\n", condition(case, bits, 1)));
    }
    if case.rng.chance(40) {
        text.push_str(&format!("FAIRNESS {}\n", condition(case, bits, 1)));
    }
    let mut p = || condition(case, bits, 2);
    text.push_str(&format!("CTLSPEC AG ({} -> EF {})\n", p(), p()));
    text.push_str(&format!("CTLSPEC A[{} U {}]\n", p(), p()));
    text.push_str(&format!("CTLSPEC EG ({}) | AX {}\n", p(), p()));
    text.push_str(&format!("CTLSPEC EBF 1..3 ({})\n", p()));
    text.push_str(&format!("LTLSPEC G ({} -> F {})\n", p(), p()));
    text.push_str(&format!("LTLSPEC F ({} S {}) | G O {}\n", p(), p(), p()));
    text.push_str(&format!("INVARSPEC {}\n", p()));
    text
}

#[test]
fn random_synchronous_systems_agree() {
    let compared = std::cell::Cell::new(0);
    for_random_cases(30, |case| {
        let text = random_system(case);
        case.keep("model.smv", &text);
        let file = read("random.smv", &text);
        let sets = values(&file, EngineChoice::Symbolic).unwrap_or_else(|why| panic!("{why:?}"));
        let visited = values(&file, EngineChoice::Auto).unwrap_or_else(|why| panic!("{why:?}"));
        for (name, value) in &visited {
            if let Some(other) = sets.get(name) {
                assert_eq!(value, other, "{name}");
                compared.set(compared.get() + 1);
            }
        }
    });
    assert!(compared.get() > 100, "only {} answers were compared", compared.get());
}

/// Formulas with the past, as text and by their meaning.
enum Past {
    Atom(usize),
    Not(Box<Past>),
    And(Box<Past>, Box<Past>),
    One(char, Box<Past>),
    Two(char, Box<Past>, Box<Past>),
}

impl Past {
    fn random(case: &mut Case, deep: usize) -> Self {
        if deep == 0 {
            return Self::Atom(case.rng.below(2));
        }
        let mut next = || Box::new(Self::random(case, deep - 1));
        let (a, b) = (next(), next());
        match case.rng.below(8) {
            0 => Self::Not(a),
            1 => Self::And(a, b),
            2 => Self::One('Y', a),
            3 => Self::One('Z', a),
            4 => Self::One('O', a),
            5 => Self::One('H', a),
            6 => Self::Two('S', a, b),
            _ => Self::Two('T', a, b),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Atom(0) => "p".to_owned(),
            Self::Atom(_) => "q".to_owned(),
            Self::Not(a) => format!("!({})", a.text()),
            Self::And(a, b) => format!("(({}) & ({}))", a.text(), b.text()),
            Self::One(op, a) => format!("({op} ({}))", a.text()),
            Self::Two(op, a, b) => format!("(({}) {op} ({}))", a.text(), b.text()),
        }
    }

    /// At every place of a word, by the definition: looking back from there.
    fn at(&self, word: &[[bool; 2]], here: usize) -> bool {
        match self {
            Self::Atom(which) => word[here][*which],
            Self::Not(a) => !a.at(word, here),
            Self::And(a, b) => a.at(word, here) && b.at(word, here),
            Self::One('Y', a) => here > 0 && a.at(word, here - 1),
            Self::One('Z', a) => here == 0 || a.at(word, here - 1),
            Self::One('O', a) => (0..=here).any(|at| a.at(word, at)),
            Self::One(_, a) => (0..=here).all(|at| a.at(word, at)),
            Self::Two('S', a, b) => (0..=here).any(|at| b.at(word, at) && (at + 1..=here).all(|on| a.at(word, on))),
            Self::Two(_, a, b) => (0..=here).all(|at| b.at(word, at) || (at + 1..=here).any(|on| a.at(word, on))),
        }
    }
}

#[test]
fn formulas_with_the_past_are_what_they_say_on_lassos() {
    for_random_cases(40, |case| {
        let (stem, cycle) = (case.rng.below(3), 1 + case.rng.below(3));
        let letters: Vec<[bool; 2]> = (0..stem + cycle).map(|_| [case.rng.chance(50), case.rng.chance(50)]).collect();
        let formula = Past::random(case, 2);
        // What is remembered repeats itself after a few rounds.
        let word: Vec<[bool; 2]> = (0..stem + 12 * cycle)
            .map(|at| if at < stem { letters[at] } else { letters[stem + (at - stem) % cycle] })
            .collect();
        let holds: Vec<bool> = (0..word.len()).map(|at| formula.at(&word, at)).collect();
        let last = &holds[word.len() - cycle..];
        let set = |which: usize| {
            let at: Vec<String> =
                (0..letters.len()).filter(|&at| letters[at][which]).map(|at| format!("i = {at}")).collect();
            if at.is_empty() { "FALSE".to_owned() } else { at.join(" | ") }
        };
        let (end, text) = (stem + cycle - 1, formula.text());
        let model = format!(
            "MODULE main\nVAR i : 0..{};\nASSIGN init(i) := 0; next(i) := i = {end} ? {stem} : i + 1;\nDEFINE p := {}; q := {};\n\
             LTLSPEC NAME always := G {text}\nLTLSPEC NAME again := G F {text}\nLTLSPEC NAME now := {text}\nLTLSPEC NAME some := F {text}\n",
            end + 1,
            set(0),
            set(1),
        );
        case.keep("model.smv", &model);
        let found = values(&read("lasso.smv", &model), EngineChoice::Auto).unwrap_or_else(|why| panic!("{why:?}"));
        let expected = [
            ("always", holds.iter().all(|&holds| holds)),
            ("again", last.contains(&true)),
            ("now", holds[0]),
            ("some", holds.contains(&true)),
        ];
        for (name, value) in expected {
            assert_eq!(found.get(name), Some(&value), "{name}");
        }
    });
}

/// A formula of the past and the future, mixed.
enum Mixed {
    Atom(usize),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    One(char, Box<Self>),
    Two(char, Box<Self>, Box<Self>),
}

impl Mixed {
    fn random(case: &mut Case, deep: usize) -> Self {
        if deep == 0 {
            return Self::Atom(case.rng.below(3));
        }
        let mut next = || Box::new(Self::random(case, deep - 1));
        let (a, b) = (next(), next());
        let pick = |case: &mut Case, all: &str| all.chars().nth(case.rng.below(all.len())).unwrap_or('F');
        match case.rng.below(6) {
            0 => Self::Not(a),
            1 => Self::And(a, b),
            2 | 3 => Self::One(pick(case, "YZOHXFG"), a),
            _ => Self::Two(pick(case, "STUV"), a, b),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Atom(0) => "p".to_owned(),
            Self::Atom(1) => "q".to_owned(),
            // What is said of the step that begins here.
            Self::Atom(_) => "(p = next(q))".to_owned(),
            Self::Not(a) => format!("!({})", a.text()),
            Self::And(a, b) => format!("(({}) & ({}))", a.text(), b.text()),
            Self::One(op, a) => format!("({op} ({}))", a.text()),
            Self::Two(op, a, b) => format!("(({}) {op} ({}))", a.text(), b.text()),
        }
    }

    /// At every place of a word whose last letters, `cycle` of them, go on for ever: what is at the end of it goes round.
    fn at(&self, word: &[[bool; 2]], cycle: usize) -> Vec<bool> {
        let len = word.len();
        let next = |at: usize| if at + 1 < len { at + 1 } else { len - cycle };
        // What is seen from a place, up to twice around.
        let ahead = |at: usize| std::iter::successors(Some(at), |&at| Some(next(at))).take(len + cycle);
        match self {
            Self::Atom(2) => (0..len).map(|at| word[at][0] == word[next(at)][1]).collect(),
            Self::Atom(which) => word.iter().map(|letter| letter[*which]).collect(),
            Self::Not(a) => a.at(word, cycle).iter().map(|value| !value).collect(),
            Self::And(a, b) => a.at(word, cycle).iter().zip(b.at(word, cycle)).map(|(&a, b)| a && b).collect(),
            Self::One(op, a) => {
                let a = a.at(word, cycle);
                (0..len)
                    .map(|at| match op {
                        'Y' => at > 0 && a[at - 1],
                        'Z' => at == 0 || a[at - 1],
                        'O' => a[..=at].contains(&true),
                        'H' => !a[..=at].contains(&false),
                        'X' => a[next(at)],
                        'F' => ahead(at).any(|at| a[at]),
                        _ => ahead(at).all(|at| a[at]),
                    })
                    .collect()
            }
            Self::Two(op, a, b) => {
                let (a, b) = (a.at(word, cycle), b.at(word, cycle));
                let until =
                    |at: usize, a: &[bool], b: &[bool]| ahead(at).find(|&at| b[at] || !a[at]).is_some_and(|at| b[at]);
                let since = |at: usize, a: &[bool], b: &[bool]| {
                    (0..=at).rev().find(|&at| b[at] || !a[at]).is_some_and(|at| b[at])
                };
                let not = |all: &[bool]| all.iter().map(|value| !value).collect::<Vec<_>>();
                (0..len)
                    .map(|at| match op {
                        'U' => until(at, &a, &b),
                        'S' => since(at, &a, &b),
                        'V' => !until(at, &not(&a), &not(&b)),
                        _ => !since(at, &not(&a), &not(&b)),
                    })
                    .collect()
            }
        }
    }
}

#[test]
fn the_future_inside_the_past_is_what_it_says_on_lassos() {
    for_random_cases(40, |case| {
        let (stem, cycle) = (case.rng.below(3), 1 + case.rng.below(2));
        let letters: Vec<[bool; 2]> = (0..stem + cycle).map(|_| [case.rng.chance(50), case.rng.chance(50)]).collect();
        let formula = Mixed::random(case, 2);
        // After a few rounds every part of the formula repeats itself with each round.
        let word: Vec<[bool; 2]> = (0..stem + 16 * cycle)
            .map(|at| if at < stem { letters[at] } else { letters[stem + (at - stem) % cycle] })
            .collect();
        let holds = formula.at(&word, cycle);
        let set = |which: usize| {
            let at: Vec<String> =
                (0..letters.len()).filter(|&at| letters[at][which]).map(|at| format!("i = {at}")).collect();
            if at.is_empty() { "FALSE".to_owned() } else { at.join(" | ") }
        };
        let (end, text) = (stem + cycle - 1, formula.text());
        let model = format!(
            "MODULE main\nVAR i : 0..{};\nASSIGN init(i) := 0; next(i) := i = {end} ? {stem} : i + 1;\nDEFINE p := {}; q := {};\n\
             LTLSPEC NAME now := {text}\nLTLSPEC NAME always := G {text}\nLTLSPEC NAME some := F {text}\n",
            end + 1,
            set(0),
            set(1),
        );
        case.keep("model.smv", &model);
        for engine in [EngineChoice::Auto, EngineChoice::Symbolic] {
            let found = values(&read("lasso.smv", &model), engine).unwrap_or_else(|why| panic!("{why:?}"));
            let expected = [("now", holds[0]), ("always", !holds.contains(&false)), ("some", holds.contains(&true))];
            for (name, value) in expected {
                assert_eq!(found.get(name), Some(&value), "{name} {engine:?}\n{model}");
            }
        }
    });
}

#[test]
fn horn_clauses_are_satisfiable_or_not() {
    for (name, text, sat) in [
        (
            "bounded",
            "(set-logic HORN)(declare-fun p (Int Bool) Bool)
             (assert (forall ((x Int)) (=> (= x 0) (p x true))))
             (assert (forall ((x Int) (y Int) (b Bool)) (=> (and (p x b) (= (+ x 1) y)) (p y (not b)))))
             (assert (forall ((x Int) (b Bool)) (=> (and (p x b) (< x 0)) false)))(check-sat)",
            true,
        ),
        (
            "reached",
            "(set-logic HORN)(declare-fun p (Int) Bool)(declare-fun q (Int Int) Bool)
             (assert (forall ((x Int)) (=> (and (>= x 0) (<= x 2)) (p x))))
             (assert (forall ((x Int)) (=> (p x) (q x (* 2 x)))))
             (assert (forall ((x Int) (y Int)) (=> (and (q x y) (= y 4)) false)))(check-sat)",
            false,
        ),
    ] {
        let file =
            horn::from_text(name, text, &[], &[], &Extras::default()).unwrap_or_else(|why| panic!("{name}: {why:?}"));
        let asked = questions(&file, &[], false).expect("one question");
        let wishes = tertium_driver::strategy::Wishes::default();
        let request = tertium_driver::strategy::ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
        let outcome = tertium_driver::strategy::decide(&request, &Budget::unlimited(), &())
            .unwrap_or_else(|why| panic!("{why:?}"));
        assert_eq!(outcome.answers[0].value(), if sat { Belnap::True } else { Belnap::False }, "{name}");
        let told: Vec<&str> = outcome
            .remarks
            .iter()
            .filter(|remark| remark.diagnostic.code == "W0751")
            .map(|remark| remark.diagnostic.message.as_str())
            .collect();
        match sat {
            true => assert!(told[0].starts_with("sat\n(\n  (define-fun p ((x Int) (b Bool)) Bool\n"), "{told:?}"),
            false => assert_eq!(told, ["unsat\n(p 2)\n(q 2 4)\nfalse"]),
        }
    }
}

/// What becomes of `y` speaks of what becomes of `x`, in a step that writes many bits.
fn related_values(next_of_y: &str) -> String {
    let mut text = "MODULE main\nVAR x : 0..5; y : 0..5; z : {a, b, c};\n".to_owned();
    (0..12).for_each(|bit| {
        text.push_str(&format!("VAR b{bit} : boolean;\nASSIGN next(b{bit}) := b{};\n", (bit + 1) % 12))
    });
    text.push_str("ASSIGN init(x) := 0; next(x) := case b0 & x < 4 : x + 1; b1 & x > 0 : x - 1; TRUE : x; esac;\n");
    text.push_str("init(z) := a; next(z) := case next(x) > 2 : b; next(y) = 5 : c; TRUE : z; esac;\n");
    text + &format!(
        "init(y) := 1; next(y) := {next_of_y};\nINVARSPEC y = x + 1\nINVARSPEC z = c -> b0\nSPEC EF z = b\n"
    )
}

#[test]
fn values_after_a_step_may_depend_on_each_other() {
    for (next_of_y, fits, follows) in
        [("next(x) + 1", true, true), ("next(x) + 2", false, false), ("next(x)", true, false)]
    {
        let file = read("related.smv", &related_values(next_of_y));
        let (sets, visited) = (values(&file, EngineChoice::Symbolic), values(&file, EngineChoice::Auto));
        let (sets, visited) = (sets.expect("an answer"), visited.expect("an answer"));
        assert_eq!(sets.get("range-overflow").copied().unwrap_or(true), fits, "{next_of_y}");
        assert_eq!(sets.get("invariant_1"), Some(&follows), "{next_of_y}");
        // A search does not see all states.
        for (name, value) in &visited {
            assert_eq!(sets.get(name), Some(value), "{name} {next_of_y}");
        }
    }
}
