//! The game engine against the clauses of the definition, on random structures and formulas.

use tertium_base::Budget;
use tertium_check::game::ParityGame;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::{Deadlock, Reading};
use tertium_logic::{Formula, Logic};
use tertium_model::Kmts;
use tertium_testkit::reference::{Deadlocks, branching_values};
use tertium_testkit::{Case, FormulaShape, StructureShape, for_random_cases};

const CONVENTIONS: [(Deadlock, Deadlocks); 3] =
    [(Deadlock::Mu, Deadlocks::Mu), (Deadlock::Maximal, Deadlocks::Maximal), (Deadlock::Total, Deadlocks::Total)];

fn random_shape(case: &mut Case) -> StructureShape {
    let rng = &mut case.rng;
    StructureShape {
        states: 1..=*rng.pick(&[2, 4, 6]),
        density: *rng.pick(&[15, 30, 50]),
        hyper: rng.chance(60),
        mixed: rng.chance(30),
        both_labels: rng.chance(30),
        fairness: if rng.chance(30) { 2 } else { 0 },
        actions: *rng.pick(&[0, 0, 1, 2]),
        total: rng.chance(20),
        ..StructureShape::default()
    }
}

fn random_formula(case: &mut Case, logic: Logic, model: &Kmts, shape: &StructureShape) -> Formula {
    let mut actions = shape.action_names();
    actions.extend((0..model.fairness().len()).map(|number| format!("fair:{number}")));
    let elements = if case.rng.chance(20) { ["t", "f", "u", "b"].map(str::to_owned).to_vec() } else { Vec::new() };
    let size = *case.rng.pick(&[4, 8, 14]);
    let guarded = case.rng.chance(70);
    case.formula(&FormulaShape { size, actions, elements, guarded, ..FormulaShape::new(logic) })
}

fn assert_agrees(model: &Kmts, formula: &Formula, deadlock: Deadlock, convention: Deadlocks) {
    let budget = Budget::unlimited();
    let reading = Reading { deadlock, ..Reading::default() };
    let task = Task::new(model, formula, reading, Ask::All, &budget).unwrap();
    let expected = branching_values(model, formula, convention);
    let values = ParityGame.values(&task).unwrap();
    let got: Vec<_> = model.states().map(|state| values.at(state)).collect();
    assert_eq!(got, expected, "{deadlock:?}");
    for state in model.states() {
        let one = Task { ask: Ask::At(&[state]), ..task.clone() };
        assert_eq!(ParityGame.values(&one).unwrap().at(state), expected[state.index()], "{deadlock:?} at {state:?}");
    }
}

#[test]
fn the_game_has_the_values_of_the_definition() {
    for_random_cases(4000, |case| {
        let shape = random_shape(case);
        let model = case.structure(&shape);
        let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Ctl, Logic::Mu, Logic::Mu]);
        let formula = random_formula(case, logic, &model, &shape);
        for (deadlock, convention) in CONVENTIONS {
            assert_agrees(&model, &formula, deadlock, convention);
        }
    });
}
