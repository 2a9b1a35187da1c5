//! The automata engine against the exact evaluators of the test kit.

use tertium_base::Budget;
use tertium_check::automata::AutomataEngine;
use tertium_check::{Ask, Engine, Task, Values};
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_logic::{Formula, Logic};
use tertium_model::Kmts;
use tertium_testkit::reference::{self, linear_values, star_values};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

/// Constants in some of the cases.
fn elements(number: usize) -> Vec<String> {
    if number.is_multiple_of(4) { ["t", "f", "u", "b"].map(str::to_owned).to_vec() } else { Vec::new() }
}

fn values(model: &Kmts, formula: &Formula, reading: Reading) -> Values {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, reading, Ask::All, &budget).expect("names are known");
    AutomataEngine.values(&task).expect("supported")
}

#[test]
fn every_plain_reading_has_its_exact_values() {
    let readings = [
        (LinearReading::Bg, reference::LinearReading::Bg),
        (LinearReading::BgTotal, reference::LinearReading::BgTotal),
        (LinearReading::Tg, reference::LinearReading::Tg),
        (LinearReading::TgPnf, reference::LinearReading::TgPnf),
    ];
    for_random_cases(300, |case| {
        let mixed = case.number % 5 == 4;
        let shape = StructureShape {
            states: 1..=4,
            density: 35,
            fairness: case.number % 3,
            mixed,
            both_labels: mixed,
            complete: !mixed && case.number % 8 == 0,
            ..StructureShape::default()
        };
        let model = case.structure(&shape);
        let elements = elements(case.number);
        let mixed = mixed || !elements.is_empty();
        let formula = case.formula(&FormulaShape { size: 5, elements, ..FormulaShape::new(Logic::Ltl) });
        for (linear, exact) in readings {
            if mixed && linear == LinearReading::BgTotal {
                continue;
            }
            let expected = linear_values(&model, &formula, exact);
            let found = values(&model, &formula, Reading { deadlock: Deadlock::Mu, linear });
            for state in model.states() {
                let name = model.state_name(state);
                assert_eq!(found.at(state), expected[state.index()], "{} at {name}", linear.name());
            }
        }
    });
}

#[test]
fn star_formulas_have_their_exact_values() {
    for_random_cases(300, |case| {
        let mixed = case.number % 4 == 3;
        let shape = StructureShape {
            states: 1..=4,
            density: 35,
            fairness: case.number % 3,
            mixed,
            both_labels: mixed,
            complete: !mixed && case.number % 8 == 0,
            ..StructureShape::default()
        };
        let model = case.structure(&shape);
        let formula = case.formula(&FormulaShape {
            size: 6,
            elements: elements(case.number),
            ..FormulaShape::new(Logic::CtlStar)
        });
        let expected = star_values(&model, &formula);
        let found = values(&model, &formula, Reading { deadlock: Deadlock::Mu, linear: LinearReading::Bg });
        for state in model.states() {
            assert_eq!(found.at(state), expected[state.index()], "at {}", model.state_name(state));
        }
    });
}
