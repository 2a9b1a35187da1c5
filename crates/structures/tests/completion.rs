//! A completion is found exactly if there is one: small ones are found by trying all structures, every one found satisfies its properties by the definitions, and "none" agrees with
//! the thorough value of the conjunction.

use std::cell::Cell;

use tertium_base::Budget;
use tertium_load::structure::{Loaded, from_text};
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, Model, StateId};
use tertium_structures::check::{CheckOptions, Session};
use tertium_structures::completion::{CompletionAnswer, CompletionOptions, CompletionOutcome, complete};
use tertium_testkit::completions::{complete_structures, completions_among, truths};
use tertium_testkit::reference::{Deadlocks, refinement_relation};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

fn completed(loaded: &Loaded, pins: &[&str], wanted: usize) -> CompletionAnswer {
    let pins = pins.iter().map(|&pin| pin.to_owned()).collect();
    let options = CompletionOptions { pins, wanted, check: CheckOptions::default() };
    complete(loaded, (&[], &[]), &options, &Budget::unlimited(), &()).expect("it is understood")
}

fn read(text: &str) -> Loaded {
    from_text("model.kmts", text, &Budget::unlimited()).expect("no mistakes")
}

/// One random partial model with one to four properties.
fn random_case(case: &mut tertium_testkit::Case) -> (Kmts, Vec<Formula>) {
    let shape = StructureShape { states: 1..=3, hyper: true, density: 40, ..StructureShape::default() };
    let model = case.structure(&shape);
    let first = [model.init()[0]];
    let count = case.rng.between(&(1..=4));
    let mixed = [Logic::Ctl, Logic::Ctl, Logic::Ltl, Logic::Pml, Logic::CtlStar, Logic::Mu];
    let logics = if case.rng.chance(30) { &[Logic::Ctl][..] } else { &mixed };
    let formulas = (0..count).map(|_| {
        let logic = *case.rng.pick(logics);
        case.formula(&FormulaShape { size: 4, ..FormulaShape::new(logic) })
    });
    let formulas = formulas.collect();
    (one_initial(&model, first[0]), formulas)
}

/// The same structure with one initial state, which enumerated completions have too.
fn one_initial(model: &Kmts, first: StateId) -> Kmts {
    let mut text = Vec::new();
    tertium_model::write_kmts(&mut text, &Model::Kmts(model.clone()), &[]).expect("memory does not fail");
    let text = String::from_utf8(text).expect("names are letters");
    let init = format!("init {}", model.state_name(first));
    let lines: Vec<&str> =
        text.lines().map(|line| if line.starts_with("init ") { init.as_str() } else { line }).collect();
    match read(&lines.join("\n")).model {
        Model::Kmts(model) => model,
        _ => panic!("it was a structure with may and must"),
    }
}

#[test]
fn a_completion_is_found_exactly_if_there_is_one() {
    // The long run, `make test-completion`, compares with all structures of three states.
    let long = std::env::var_os("TERTIUM_CASES").is_some();
    let small = complete_structures(&["p", "q"], if long { 3 } else { 2 });
    let (yes, no, copied) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_random_cases(150, |case| {
        let (model, formulas) = random_case(case);
        let named: Vec<(String, Formula)> =
            formulas.iter().enumerate().map(|(at, formula)| (format!("p{at}"), formula.clone())).collect();
        let loaded = Loaded::of_model("random.kmts", Model::Kmts(model.clone())).with_properties(&named);
        let budget = Budget::unlimited().with_effort(Some(2_000_000));
        let options = CompletionOptions { wanted: 1, ..CompletionOptions::default() };
        let Ok(answer) = complete(&loaded, (&[], &[]), &options, &budget, &()) else { return };
        let first = model.init()[0];
        match answer.outcome {
            CompletionOutcome::Completed { completions, .. } => {
                yes.set(yes.get() + 1);
                let found = &completions[0];
                copied.set(copied.get() + usize::from(!found.copies.is_empty()));
                let at = found.structure.init()[0];
                assert!(
                    refinement_relation(&model, &found.structure)[first.index()][at.index()],
                    "it is no completion"
                );
                for formula in &formulas {
                    assert!(truths(&found.structure, formula, Deadlocks::Mu)[at.index()], "{formula} does not hold");
                }
            }
            CompletionOutcome::Conflict(conflict) => {
                no.set(no.get() + 1);
                let core: Vec<&Formula> = conflict.properties.iter().map(|&at| &formulas[at]).collect();
                for at in completions_among(&small, &model, first) {
                    assert!(
                        !core.iter().all(|formula| truths(&small[at], formula, Deadlocks::Mu)[0]),
                        "one was missed"
                    );
                }
                assert!(
                    matches!(thorough(&model, &core).as_str(), "false" | ONE_LOGIC),
                    "the thorough value disagrees"
                );
                for left_out in 0..core.len() {
                    let rest: Vec<&Formula> =
                        core.iter().enumerate().filter(|&(at, _)| at != left_out).map(|(_, &one)| one).collect();
                    assert!(
                        rest.is_empty() || thorough(&model, &rest) != "false",
                        "the conflict is not a smallest one"
                    );
                }
            }
            CompletionOutcome::Undecided(why) => panic!("not decided: {why}"),
        }
    });
    let (yes, no, copied) = (yes.get(), no.get(), copied.get());
    assert!(yes > 40 && no > 20 && copied > 0, "{yes} completed ({copied} with copies), {no} conflicts");
}

/// What the thorough value is not asked of: formulas of several logics.
const ONE_LOGIC: &str = "not of one logic";

/// The thorough value of the conjunction, if it is one of one logic.
fn thorough(model: &Kmts, formulas: &[&Formula]) -> String {
    let logic = formulas[0].logic();
    if formulas.iter().any(|formula| formula.logic() != logic) {
        return ONE_LOGIC.to_owned();
    }
    let text = formulas.iter().map(|formula| format!("({formula})")).collect::<Vec<_>>().join(" & ");
    let both = parse(&text, &ParseOptions::in_logic(logic)).formula.expect("parts are formulas");
    let loaded =
        Loaded::of_model("random.kmts", Model::Kmts(model.clone())).with_properties(&[("all".to_owned(), both)]);
    let options = CheckOptions { thorough: true, ..CheckOptions::default() };
    let budget = Budget::unlimited();
    let session = Session::new(&loaded, options, &budget).expect("nothing contradicts");
    let property = &session.properties(&[], &[]).expect("it is a formula")[0];
    session.check(property, &budget, &()).expect("no limit is set").value().word().to_owned()
}

const LAMP: &str = "props lamp, open
state off lamp: f, open: ?
state on  lamp: ?, open: ?
init off
off -may-> on
on -may-> off
on -hyper-> {on, off}
";

#[test]
fn the_fewest_decisions_come_first() {
    let loaded = read(&format!("{LAMP}property lit : ctl EF lamp\n"));
    let answer = completed(&loaded, &[], 3);
    let CompletionOutcome::Completed { completions, smallest, .. } = answer.outcome else { panic!("there is one") };
    assert!(smallest);
    assert_eq!(completions[0].needed, ["on.lamp=t", "off->on=t"]);
    assert!(completions[0].free.contains(&"off.open=f".to_owned()), "{:?}", completions[0].free);
}

#[test]
fn pins_stay() {
    let loaded = read(&format!("{LAMP}property lit : ctl EF lamp\n"));
    let answer = completed(&loaded, &["on.lamp=f"], 1);
    let CompletionOutcome::Conflict(conflict) = answer.outcome else { panic!("it cannot be lit") };
    assert!(conflict.undone.iter().all(|undo| undo.decision != "on.lamp=f"), "what is pinned is not undone");
    assert!(conflict.undone.iter().any(|undo| undo.decision == "off.lamp=f" && undo.helps == Some(true)));
}

#[test]
fn several_completions_differ_in_what_they_need() {
    let text = "props p\nstate a p: ?\nstate b p: ?\ninit a\na -must-> b\nproperty some : ctl p | EX p\n";
    let answer = completed(&read(text), &[], 5);
    let CompletionOutcome::Completed { completions, all, .. } = answer.outcome else { panic!("there are some") };
    let needed: Vec<_> = completions.iter().map(|one| one.needed.clone()).collect();
    assert_eq!(needed, [["a.p=t"], ["b.p=t"]]);
    assert!(all);
}

#[test]
fn copies_are_made_where_states_are_not_enough() {
    let text = "props p\nstate a p: f\nstate b p: ?\ninit a\na -must-> b\nproperty both : ctl EX p & EX !p\n";
    let answer = completed(&read(text), &[], 1);
    let CompletionOutcome::Completed { completions, .. } = answer.outcome else { panic!("there is one") };
    assert_eq!(completions[0].structure.state_count(), 3);
    assert!(!completions[0].copies.is_empty());
}

#[test]
fn a_conflict_has_no_property_that_can_be_spared() {
    let text = "props p, q\nstate a p: ?, q: ?\ninit a\na -must-> a\nproperty idle : ctl AG (p | q | !p)\nproperty yes : ctl AG p\nproperty no : ltl F !p\n";
    let answer = completed(&read(text), &[], 1);
    let CompletionOutcome::Conflict(conflict) = answer.outcome else { panic!("they contradict each other") };
    assert_eq!(conflict.properties, [1, 2]);
    assert!(conflict.smallest && conflict.complete);
    // Without the step there is no path, and nothing is to be reached on all of none.
    assert_eq!(conflict.undone.len(), 1);
    assert!(conflict.undone[0].decision == "a->a=t" && conflict.undone[0].helps == Some(true), "{:?}", conflict.undone);
}

#[test]
fn wrong_pins_are_told() {
    let loaded = read(&format!("{LAMP}property lit : ctl EF lamp\n"));
    for pin in ["on.lamp", "on.lump=t", "oon.lamp=t", "off.lamp=t", "on->no=t", "off->off=t", "on-[x]->off=t"] {
        let options = CompletionOptions { pins: vec![pin.to_owned()], wanted: 1, ..CompletionOptions::default() };
        let refused = complete(&loaded, (&[], &[]), &options, &Budget::unlimited(), &());
        let told = refused.expect_err("it is no pin").to_string();
        assert!(told.contains("E0395") && told.contains(pin), "{told}");
    }
}
