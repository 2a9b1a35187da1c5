//! Minimised formulas have the thorough value.

use tertium_base::Budget;
use tertium_check::automata::AutomataEngine;
use tertium_check::explicit::Explicit;
use tertium_check::thorough::Thorough;
use tertium_check::{Ask, Engine, Task, Values};
use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::Kmts;
use tertium_testkit::{Case, FormulaShape, StructureShape, for_random_cases};

use crate::common;

/// Formulas whose fixpoints alternate, over two atoms.
const ALTERNATING: [&str; 10] = [
    "nu X. mu Y. (p & <> X) | <> Y",
    "mu X. nu Y. (p & <> Y) | <> X",
    "nu X. mu Y. (p & [] X) | [] Y",
    "mu X. nu Y. (p & [] Y) | [] X",
    "nu X. mu Y. [] ((p & X) | (!p & Y)) & (q | <> !p)",
    "mu X. nu Y. ((p | <> X) & <> Y) | (!q & [] X)",
    "nu X. mu Y. nu Z. (p & <> X) | (q & [] Y) | (!p & !q & <> Z)",
    "mu X. nu Y. mu Z. <> ((p & X) | (q & Y) | Z) & [] (p | q | Y)",
    "(nu X. mu Y. <> ((p & X) | Y)) & (mu X. nu Y. [] ((!p & Y) | X))",
    "(nu X. mu Y. [] ((p & X) | Y)) & (nu X. mu Y. [] ((!p & X) | (q & Y)))",
];

/// Structures and formulas of every logic, the latter with actions and with fixpoints that are not guarded.
fn question_to_minimise(case: &mut Case) -> (Kmts, Formula) {
    let logic = Logic::WITHOUT_PLAYERS[case.number % 5];
    let modal = matches!(logic, Logic::Pml | Logic::Mu);
    let actions = if modal { case.rng.below(3) } else { 0 };
    let shape = StructureShape {
        states: 1..=4,
        hyper: case.rng.chance(30),
        // Which action the step takes that has to be there is no part of a formula.
        total: actions == 0 && case.rng.chance(20),
        actions,
        ..StructureShape::default()
    };
    let model = case.structure(&shape);
    if logic == Logic::Mu && case.rng.chance(60) {
        let text = *case.rng.pick(&ALTERNATING);
        case.keep("formula.txt", text.to_owned());
        return (model, parse(text, &ParseOptions::in_logic(logic)).formula.expect("it is one"));
    }
    let size = if modal { 9 } else { 5 };
    let guarded = case.rng.chance(70);
    let formula =
        case.formula(&FormulaShape { size, actions: shape.action_names(), guarded, ..FormulaShape::new(logic) });
    (model, formula)
}

/// The forms of a formula for both sides have, part by part, the value that all completions agree on; so have their texts.
#[test]
fn minimised_formulas_have_the_thorough_value() {
    // For each logic: formulas, those with a form for each side, those that differ from the compositional value.
    let compared = std::cell::RefCell::new([[0usize; 3]; 5]);
    for_random_cases(2000, |case| {
        let (model, formula) = question_to_minimise(case);
        let budget = Budget::unlimited();
        let Ok(least) = tertium_logic::minimise::minimise(&formula, &budget) else { return };
        assert_eq!(least.exact, least.obstacle.is_none());
        if !least.exact {
            return;
        }
        case.keep("minimised.txt", least.formula.text());
        let reading = common::reading(Deadlock::Mu);
        let asked = |formula: &Formula| -> Values {
            let options = ParseOptions::in_logic(Logic::Mu);
            let again = parse(&formula.text(), &options).formula.expect("its own text is one");
            let task = Task::new(&model, &again, reading, Ask::All, &budget).expect("names are known");
            Explicit.values(&task).expect("supported")
        };
        let (surely, refuting) = (asked(&least.formula), asked(least.refuting.as_ref().unwrap_or(&least.formula)));
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        let thorough = Thorough.values(&task).expect("supported");
        let compositional: Values = match formula.logic() {
            Logic::Ltl | Logic::CtlStar => AutomataEngine.values(&task),
            _ => Explicit.values(&task),
        }
        .expect("supported");
        let mut gained = false;
        for state in model.states() {
            let (at, expected) = (state.index(), thorough.at(state));
            gained |= expected != compositional.at(state);
            assert_eq!(surely.for_true.contains(at), expected == Belnap::True, "true at {}", model.state_name(state));
            assert_eq!(
                !refuting.not_refuted.contains(at),
                expected == Belnap::False,
                "false at {}",
                model.state_name(state)
            );
        }
        let counts = &mut compared.borrow_mut()[case.number % 5];
        counts[0] += 1;
        counts[1] += usize::from(least.refuting.is_some());
        counts[2] += usize::from(gained);
    });
    let counts = compared.into_inner();
    assert!(counts.iter().all(|of| of[0] > 300 && of[1] > 50 && of[2] > 5), "{counts:?}");
}
