//! Both forms of the reduction against the clauses of the definition, and its refusals.

mod common;

use common::{CONVENTIONS, random_formula, random_shape, reading};
use tertium_base::Budget;
use tertium_check::reduction::{ActionBit, Reduction};
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_logic::{Logic, ParseOptions, parse};
use tertium_model::{KmtsBuilder, StateId};
use tertium_testkit::reference::branching_values;
use tertium_testkit::{StructureShape, for_random_cases};

#[test]
fn two_runs_have_the_values_of_the_definition() {
    for_random_cases(1500, |case| {
        let shape = random_shape(case);
        let model = case.structure(&shape);
        let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Mu]);
        let formula = random_formula(case, logic, &model, &shape);
        let budget = Budget::unlimited();
        for (deadlock, convention) in CONVENTIONS {
            let task = Task::new(&model, &formula, reading(deadlock), Ask::All, &budget).unwrap();
            let values = Reduction.values(&task).unwrap();
            let got: Vec<Belnap> = model.states().map(|state| values.at(state)).collect();
            assert_eq!(got, branching_values(&model, &formula, convention), "{deadlock:?}");
        }
    });
}

#[test]
fn one_relation_and_a_bit_are_enough() {
    for_random_cases(1500, |case| {
        let shape = StructureShape { hyper: false, total: false, actions: 0, fairness: 0, ..random_shape(case) };
        let model = case.structure(&shape);
        let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Ctl, Logic::Mu]);
        let formula = random_formula(case, logic, &model, &shape);
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
        let values = ActionBit.values(&task).unwrap();
        let got: Vec<Belnap> = model.states().map(|state| values.at(state)).collect();
        assert_eq!(got, branching_values(&model, &formula, CONVENTIONS[0].1));
    });
}

#[test]
fn the_single_relation_declines_what_it_cannot_express() {
    let mut builder = KmtsBuilder::new();
    let (a, b) = (builder.add_state("a"), builder.add_state("b"));
    builder.add_prop("p");
    let act = builder.add_action("act");
    builder.add_edge(a, b, true, false, Some(act));
    let plain = builder.clone().finish().unwrap();
    builder.add_hyper(a, &[a, b], None);
    let hyper = builder.finish().unwrap();
    let total = plain.clone().with_total(true);
    let budget = Budget::unlimited();
    let formula = parse("<act> p", &ParseOptions::in_logic(Logic::Mu)).formula.unwrap();
    let simple = parse("<> p", &ParseOptions::in_logic(Logic::Mu)).formula.unwrap();
    let cases = [
        (&plain, &formula, Deadlock::Mu, "actions"),
        (&plain, &simple, Deadlock::Maximal, "deadlock convention"),
        (&plain, &simple, Deadlock::Total, "totality"),
        (&total, &simple, Deadlock::Mu, "totality"),
        (&hyper, &simple, Deadlock::Mu, "hyper-must"),
    ];
    for (model, formula, deadlock, expected) in cases {
        let task = Task::new(model, formula, reading(deadlock), Ask::All, &budget).unwrap();
        let why = ActionBit.supports(&task).unwrap_err();
        assert!(why.reason.contains(expected), "{why:?}");
        assert!(Reduction.supports(&task).is_ok());
    }
    let task = Task::new(&plain, &simple, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
    assert_eq!(ActionBit.values(&task).unwrap().at(StateId::new(0)), Belnap::Unknown);
}
