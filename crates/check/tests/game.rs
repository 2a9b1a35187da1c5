//! The game engine against the clauses of the definition, on random structures and formulas.

mod common;

use common::{CONVENTIONS, random_formula, random_shape, reading};
use tertium_base::Budget;
use tertium_check::game::ParityGame;
use tertium_check::reduction::{ActionBit, Reduction};
use tertium_check::witness::open_question;
use tertium_check::{Ask, Engine, EngineError, Task};
use tertium_evidence::Deadlock;
use tertium_logic::{Formula, Logic, ParseOptions, fair_ctl, parse};
use tertium_model::{Kmts, KmtsBuilder, StateId};
use tertium_testkit::for_random_cases;
use tertium_testkit::reference::{Deadlocks, branching_values};

fn assert_agrees(model: &Kmts, formula: &Formula, deadlock: Deadlock, convention: Deadlocks) {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, reading(deadlock), Ask::All, &budget).unwrap();
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

#[test]
fn fair_ctl_by_the_game_has_the_values_of_the_definition() {
    for_random_cases(200, |case| {
        let mut shape = random_shape(case);
        shape.fairness = 2;
        let model = case.structure(&shape);
        let formula = random_formula(case, Logic::Ctl, &model, &shape);
        let fair = fair_ctl(&formula, model.fairness().len()).unwrap();
        for (deadlock, convention) in [CONVENTIONS[0], CONVENTIONS[2]] {
            assert_agrees(&model, &fair, deadlock, convention);
        }
    });
}

#[test]
fn odd_variables_and_path_formulas_are_declined_with_a_reason() {
    let mut builder = KmtsBuilder::new();
    builder.add_state("s");
    builder.add_prop("p");
    let model = builder.finish().unwrap();
    let budget = Budget::unlimited();
    let formula = parse("A (X p & F p)", &ParseOptions::in_logic(Logic::CtlStar)).formula.unwrap();
    let task = Task::new(&model, &formula, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
    assert!(ParityGame.supports(&task).unwrap_err().reason.contains("ctl*"));
    let mut maker = tertium_logic::FormulaBuilder::new();
    let var = maker.fresh_variable("X");
    let inner = maker.add(tertium_logic::Node::Var(var));
    let negated = maker.add(tertium_logic::Node::Not(inner));
    let root = maker.add(tertium_logic::Node::Mu(var, negated));
    let odd = maker.finish(root, Logic::Mu);
    let task = Task::new(&model, &odd, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
    assert!(ParityGame.supports(&task).unwrap_err().reason.contains("odd number of negations"));
    let free = maker.finish(negated, Logic::Mu);
    let task = Task::new(&model, &free, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
    assert!(ParityGame.values(&task).is_err());
}

#[test]
fn deep_formulas_need_no_deep_call_stack() {
    let mut builder = KmtsBuilder::new();
    let state = builder.add_state("s");
    builder.add_prop("p");
    builder.add_edge(state, state, true, true, None);
    let model = builder.finish().unwrap();
    let depth = 100_000;
    let text = format!("{}p{}", "EX !(p & AF (".repeat(depth), "))".repeat(depth));
    let formula = parse(&text, &ParseOptions::in_logic(Logic::Ctl)).formula.unwrap();
    let budget = Budget::unlimited();
    let task = Task::new(&model, &formula, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
    assert_eq!(ParityGame.values(&task).unwrap().at(StateId::new(0)), tertium_lattice::Belnap::Unknown);
}

#[test]
fn a_spent_budget_stops_the_engines() {
    let mut builder = KmtsBuilder::new();
    let p = builder.add_prop("p");
    let states: Vec<StateId> = (0..10_000).map(|at| builder.add_state(&format!("s{at}"))).collect();
    for at in 0..states.len() {
        builder.set_label(states[at], p, tertium_lattice::Belnap::from(at % 100 == 0));
        builder.add_edge(states[at], states[(at * 7 + 1) % states.len()], true, at % 2 == 0, None);
        builder.add_edge(states[at], states[(at + 1) % states.len()], true, true, None);
    }
    let model = builder.finish().unwrap();
    let formula = parse("AG EF p", &ParseOptions::in_logic(Logic::Ctl)).formula.unwrap();
    let cancelled = Budget::unlimited().with_cancel(std::sync::Arc::new(true.into()));
    let task = Task::new(&model, &formula, reading(Deadlock::Mu), Ask::All, &cancelled).unwrap();
    for engine in [&ParityGame as &dyn Engine, &Reduction, &ActionBit] {
        assert!(matches!(engine.values(&task), Err(EngineError::Stopped(_))), "{}", engine.name());
    }
    assert!(matches!(open_question(&task, states[0], 1), Err(EngineError::Stopped(_))));
}
