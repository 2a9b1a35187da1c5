//! Does NuSMV say the same about random models, and about those of the corpus?
//!
//! Both are given the same text, where there is a `NuSMV` on the path or where `make nusmv` lays it. Models that NuSMV refuses are left out; what it
//! reads must not go wrong for us either: no value leaves its range, and every `case` has a branch. `make test-nusmv` compares many.

use std::cell::RefCell;
use std::collections::BTreeMap;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramFile, check, smv, symbolic};
use tertium_driver::strategy::{ProgramQuery, Wishes, decide};
use tertium_load::program::Extras;
use tertium_testkit::nusmv::{NuSmv, Verdict};
use tertium_testkit::smv::{Kind, Model, random_smv};
use tertium_testkit::{Case, corpus, for_random_cases};

/// How many values of which kind were compared, and what was left out and why.
#[derive(Default)]
struct Table {
    counts: BTreeMap<String, usize>,
    compared: usize,
    wrong: Vec<String>,
}

impl Table {
    fn count(&mut self, what: String) {
        *self.counts.entry(what).or_default() += 1;
    }
}

/// Who decides.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// One engine.
    Engine(EngineChoice),
    /// What is done without options.
    Default,
}

/// The answers to everything that was asked, by name; an answer that is not definite is none.
fn answers(file: &ProgramFile, way: Way) -> BTreeMap<String, Option<bool>> {
    let asked = questions(file, &[], false).unwrap_or_else(|why| panic!("{why:?}"));
    let budget = Budget::unlimited().with_effort(Some(4_000_000)).with_memory(Some(1 << 30));
    let found = match way {
        Way::Engine(engine) => {
            let max_states = (engine != EngineChoice::Symbolic).then_some(20_000);
            let options = CheckOptions { engine, max_states, look_for_idle: false, ..CheckOptions::default() };
            check(file, &asked, &options, &budget, &()).unwrap_or_else(|why| panic!("{why:?}")).answers
        }
        Way::Default => {
            let query = ProgramQuery { file, questions: &asked, wishes: &Wishes::default() };
            decide(&query, &budget, &()).unwrap_or_else(|why| panic!("{why:?}")).answers
        }
    };
    let definite = |value: Belnap| matches!(value, Belnap::True | Belnap::False).then_some(value == Belnap::True);
    found.iter().map(|answer| (answer.name.clone(), definite(answer.value()))).collect()
}

fn distances(file: &ProgramFile) -> Vec<String> {
    let told = symbolic::distances(file, &CheckOptions::default(), &Budget::unlimited()).expect("numbers");
    told.iter()
        .map(|note| note.diagnostic.message.rsplit_once(" is ").map_or("", |(_, end)| end).to_lowercase())
        .collect()
}

fn read(name: &str, text: &str) -> ProgramFile {
    smv::from_text(name, text, &[], None, &[], &Extras::default()).unwrap_or_else(|why| panic!("{why:?}\n{text}"))
}

/// All values of a model against NuSMV's, in this way.
fn compare(model: &Model, theirs: &[Verdict], way: Way, table: &mut Table) {
    let text = model.text();
    let file = read("model.smv", &text);
    let ours = answers(&file, way);
    let mut told = distances(&file).into_iter();
    let mut numbers = BTreeMap::<&str, usize>::new();
    for (specification, verdict) in model.specifications.iter().zip(theirs) {
        let kind = match specification.kind {
            Kind::Branching => "ctl",
            Kind::Linear => "ltl",
            Kind::Invariant => "invariant",
            Kind::Distance => "distance",
        };
        let number = numbers.entry(kind).or_default();
        *number += 1;
        let found = match verdict {
            Verdict::Distance(_) => told.next().map(Verdict::Distance),
            Verdict::Value(_) => ours[&format!("{kind}_{number}")].map(Verdict::Value),
        };
        match found {
            None => table.count(format!("{kind} open, {way:?}")),
            Some(found) if found == *verdict => {
                table.compared += 1;
                let value = if let Verdict::Value(value) = found { value.to_string() } else { String::new() };
                table.count(format!("{kind} {value}, {way:?}"));
            }
            Some(found) => {
                let what = &specification.text;
                table.wrong.push(format!("{what}: {found:?} by {way:?}, {verdict:?} by NuSMV\n{text}"));
            }
        }
    }
    let specified = |name: &str| ["ctl_", "ltl_", "invariant_"].iter().any(|start| name.starts_with(start));
    for (name, _) in ours.iter().filter(|(name, value)| !specified(name) && **value == Some(false)) {
        table.wrong.push(format!("{name} goes wrong by {way:?}, not for NuSMV\n{text}"));
    }
}

#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn nusmv() -> Option<NuSmv> {
    let found = NuSmv::find();
    if found.is_none() {
        eprintln!("skipped: no NuSMV on the path or in target/peers (make nusmv)");
    }
    found
}

fn random_model(nusmv: &NuSmv, case: &mut Case, table: &mut Table) {
    let model = random_smv(&mut case.rng);
    case.keep("model.smv", model.text());
    let theirs = match nusmv.verdicts(&model) {
        Ok(theirs) => theirs,
        Err(why) => {
            let why = if why.contains("undefined") { "a symbol that no type has" } else { "it ended" };
            return table.count(format!("refused by NuSMV: {why}"));
        }
    };
    let way = match case.rng.below(5) {
        0 => Way::Default,
        1 | 2 => Way::Engine(EngineChoice::Symbolic),
        _ => Way::Engine(EngineChoice::Auto),
    };
    compare(&model, &theirs, way, table);
}

#[test]
#[allow(clippy::print_stderr, reason = "what was compared is told")]
fn random_models_have_the_values_that_nusmv_finds() {
    let Some(nusmv) = nusmv() else { return };
    let table = RefCell::new(Table::default());
    for_random_cases(40, |case| random_model(&nusmv, case, &mut table.borrow_mut()));
    let table = table.into_inner();
    for (what, count) in &table.counts {
        eprintln!("{count:>8}  {what}");
    }
    assert!(table.wrong.is_empty(), "{} are wrong:\n{}", table.wrong.len(), table.wrong.join("\n\n"));
    assert!(table.compared > 100, "only {} values compared", table.compared);
}

/// What the language of NuSMV 2.5 does not have yet.
const NEWER: [&str; 9] = [
    "comments.smv",
    "counter.smv",
    "declarations.smv",
    "int.smv",
    "nested_arrays.smv",
    "numbers.smv",
    "past.smv",
    "running.smv",
    "step_specs.smv",
];

#[test]
#[allow(clippy::print_stderr, reason = "what was left out is told")]
fn models_of_the_corpus_have_the_values_that_nusmv_finds() {
    let Some(nusmv) = nusmv() else { return };
    let folder = corpus::folder().join("smv");
    let expected = std::fs::read_to_string(folder.join("expected.json")).expect("it is there");
    let expected: BTreeMap<String, BTreeMap<String, bool>> = serde_json::from_str(&expected).expect("it is a table");
    for (name, wanted) in &expected {
        let text = std::fs::read_to_string(folder.join(name)).expect("a text");
        match nusmv.values(&text) {
            Err(why) => assert!(NEWER.contains(&name.as_str()) || text.contains("0sd"), "{name}: {why}"),
            // It leaves compassion out of account in CTL.
            Ok(_) if text.contains("COMPASSION") => {}
            Ok(theirs) => {
                // Specifications of submodules have no expected value of their own.
                let count = |values: &[bool], value: bool| values.iter().filter(|&&other| other == value).count();
                let ours: Vec<bool> = wanted.values().copied().collect();
                let fits = [true, false].iter().all(|&value| count(&ours, value) <= count(&theirs, value));
                assert!(
                    fits && (ours.len() == theirs.len() || name == "definitions_elsewhere.smv"),
                    "{name}: {theirs:?}"
                );
            }
        }
    }
}
