//! Temporal properties of unbounded data: what is decided about `corpus/gcl/unbounded` is what stands there, and never is a formula true together with its negation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::AbstractionOptions;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::{CheckOptions, ProgramFile, from_text, load, refinement_loop};
use tertium_logic::Logic;
use tertium_program::InitialValue;

/// Programs of every kind that take little time; all of them are looked at with `TERTIUM_CASES`.
const FEW: [&str; 8] = ["acqrel", "c_stepsize", "dropbuf", "g_tug", "n_grow", "server", "t_up", "walk"];
/// Looks at the budget that one program gets.
const EFFORT: u64 = 20_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/gcl/unbounded")
}

/// Some of the programs; all of them with `TERTIUM_CASES`.
fn programs() -> Vec<PathBuf> {
    if std::env::var_os("TERTIUM_CASES").is_none() {
        return FEW.iter().map(|name| folder().join(format!("{name}.gcl"))).collect();
    }
    let entries = std::fs::read_dir(folder()).expect("the folder is there").flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "gcl"));
    paths.sort();
    paths
}

/// The properties of a text, with the values that stand behind them.
fn expected(text: &str) -> Vec<(String, String, Option<Belnap>)> {
    let one = |line: &str| {
        let (head, value) = line.trim().strip_prefix("property ")?.rsplit_once("//")?;
        let value = match value.trim() {
            "true" => Some(Belnap::True),
            "false" => Some(Belnap::False),
            _ => None,
        };
        let (name, formula) = head.split_once(':')?;
        Some((name.trim().to_owned(), formula.trim().to_owned(), value))
    };
    text.lines().filter_map(one).collect()
}

/// What abstraction with two rounds of refinement decides about these properties, by name.
fn decided(file: &ProgramFile, names: &[String]) -> Vec<(String, Belnap)> {
    let asked = questions(file, names, false).expect("the names are there");
    let budget = Budget::unlimited().with_effort(Some(EFFORT));
    let how = AbstractionOptions::default();
    let found = refinement_loop::check(file, &asked, &CheckOptions::default(), &how, 2, &budget, &())
        .unwrap_or_else(|failure| panic!("{failure:?}\n{}", file.source.text));
    let names = asked.iter().map(|question: &Question| question.name().to_owned());
    names.zip(found.answers.iter().map(|answer| answer.value())).collect()
}

#[test]
fn definite_answers_are_those_that_stand_there() {
    let (mut definite, mut all) = (0, 0);
    for path in programs() {
        let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
        let wanted = expected(&file.source.text);
        assert!(!wanted.is_empty(), "{} has no values", path.display());
        let names: Vec<String> = wanted.iter().map(|(name, ..)| name.clone()).collect();
        for ((name, value), (_, formula, wanted)) in decided(&file, &names).into_iter().zip(&wanted) {
            all += 1;
            definite += usize::from(value != Belnap::Unknown);
            let right = value == Belnap::Unknown || wanted.is_none_or(|wanted| wanted == value);
            assert!(right, "{}: {name}: {formula} is {value}, and should be {wanted:?}", path.display());
        }
    }
    assert!(definite * 10 >= all * 6, "only {definite} of {all} are decided");
}

/// The text, with the negation of each property about states beside it.
fn with_negations(text: &str) -> (String, Vec<(String, String)>) {
    let (mut more, mut pairs) = (text.to_owned(), Vec::new());
    for (name, formula, _) in expected(text) {
        let (logic, formula) = formula.split_once(' ').expect("a logic and a formula");
        if Logic::from_name(logic) == Some(Logic::Ltl) {
            continue;
        }
        let negation = format!("not_{name}");
        more.push_str(&format!("property {negation} : {logic} !({})\n", formula.trim()));
        pairs.push((name, negation));
    }
    (more, pairs)
}

#[test]
fn no_formula_has_the_value_of_its_negation() {
    let mut both = 0;
    for path in programs() {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let (text, pairs) = with_negations(&text);
        let place = std::env::temp_dir().join(format!("tertium-negations-{}", std::process::id()));
        std::fs::create_dir_all(&place).expect("a folder for it");
        let copy = place.join(path.file_name().expect("it has a name"));
        std::fs::write(&copy, text).expect("it can be written");
        let file = load(&copy, &[], None, &[]).unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
        let names: Vec<String> = pairs.iter().flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
        let values: BTreeMap<String, Belnap> = decided(&file, &names).into_iter().collect();
        for (name, other) in &pairs {
            let (value, negation) = (values[name], values[other]);
            assert!(
                !(value == Belnap::True && negation == Belnap::True),
                "{}: {name} is true, and so is its negation",
                path.display()
            );
            both += usize::from(value != Belnap::Unknown && negation != Belnap::Unknown);
            // Several initial states may differ, so that each of the two is false of one of them.
            let any = |variable: &tertium_program::Variable| matches!(variable.initial, InitialValue::Any);
            let starts_once = !file.program.variables.iter().any(any);
            assert!(
                !(starts_once && value == Belnap::False && negation == Belnap::False),
                "{}: {name} is false, and so is its negation",
                path.display()
            );
        }
        let _ = std::fs::remove_dir_all(&place);
    }
    assert!(both > 8, "only {both} formulas are decided together with their negations");
}

/// Programs with properties whose values the specification of ranked games says (its section on vectors).
const VECTORS: [(&str, &[(&str, Belnap)]); 8] = [
    ("var x : int\nprocess P { while x > 0 { x := x - 1; } end: loop { skip; } }", &[("ltl F P@end", Belnap::True)]),
    (
        "var x : int = 0\nprocess P { loop { choose { x := x + 1; } or { x := x - 1; } } }",
        &[
            ("ctl EF (x = 7)", Belnap::True),
            ("ctl AG EF (x > 100)", Belnap::True),
            ("ctl AF (x = 1)", Belnap::False),
            ("ctl AG (x >= 0)", Belnap::False),
            ("ctl EG (x < 10)", Belnap::True),
        ],
    ),
    (
        "var x, y : int\ninit y < 0\nprocess P { while x > 0 { x := x + y; } end: loop { skip; } }",
        &[("ltl F P@end", Belnap::True), ("ctl AF P@end", Belnap::True)],
    ),
    (
        "var x, y : int\ninit x > 0 && y >= 0\nprocess P { while x > 0 { x := x + y; } end: loop { skip; } }",
        &[("ltl F P@end", Belnap::False), ("ctl AF P@end", Belnap::False)],
    ),
    (
        "var x, y : int\nprocess P { while x > 0 { x := x + y; } end: loop { skip; } }",
        &[("ltl F P@end", Belnap::False), ("ctl AF P@end", Belnap::False)],
    ),
    (
        "var x, y : int\nprocess P { while x > 0 { choose { x := x - 1; y := *; } or { when y > 0 do y := y - 1; } } end: loop { skip; } }",
        &[("ltl F P@end", Belnap::True), ("ctl AF P@end", Belnap::True)],
    ),
    (
        "var x : int = 0\nprocess P { loop { x := *; } }",
        &[("ctl AG EF (x = 5)", Belnap::True), ("ctl AX AF (x = 0)", Belnap::False)],
    ),
    (
        "var x : int = 0\nvar done : bool = false\nprocess P { loop { x := x + 1; } }\nprocess Q { when x > 100 do done := true; }\nfair P, Q",
        &[("ltl F done", Belnap::True)],
    ),
];

/// What refinement decides about formulas, each asked by itself.
fn decides(text: &str, formulas: &[(&str, Belnap)]) {
    for (at, (formula, wanted)) in formulas.iter().enumerate() {
        let text = format!("system vector\n{text}\nproperty p{at} : {formula}\n");
        let file =
            from_text("vector.gcl", text.clone(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
        let found = decided(&file, &[format!("p{at}")]);
        assert_eq!(found[0].1, *wanted, "{text}");
    }
}

#[test]
fn vectors_of_ranked_games_have_their_values() {
    VECTORS.iter().for_each(|(text, formulas)| decides(text, formulas));
    let (fair, _) = VECTORS[7];
    decides(&fair.replace("\nfair P, Q", ""), &[("ltl F done", Belnap::False)]);
}

/// Models that were unknown once, where they are at hand.
#[test]
fn models_that_were_unknown_are_decided() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/unbounded");
    let wanted: [(&str, &[(&str, Belnap)]); 5] = [
        (
            "afdone",
            &[
                ("f", Belnap::True),
                ("af", Belnap::True),
                ("star", Belnap::True),
                ("mu1", Belnap::True),
                ("ef", Belnap::True),
                ("agef", Belnap::True),
            ],
        ),
        ("countdown_ctl", &[("ef", Belnap::True), ("af", Belnap::True), ("lin", Belnap::True), ("agef", Belnap::True)]),
        ("havoc_range", &[("ef", Belnap::True)]),
        ("three_counters", &[("ends", Belnap::True)]),
        ("unreachable_label", &[("safe", Belnap::True)]),
    ];
    for (name, values) in wanted {
        let path = shared.join(format!("{name}.gcl"));
        if !path.exists() {
            return;
        }
        let file = load(&path, &[], None, &[]).unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
        for (property, wanted) in values {
            let found = decided(&file, &[(*property).to_owned()]);
            assert_eq!(found[0].1, *wanted, "{name}: {property}");
        }
    }
}
