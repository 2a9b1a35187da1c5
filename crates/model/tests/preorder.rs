//! The completeness preorder and minimisation against expected answers and the reference evaluator.

use serde_json::Value;
use tertium_base::Budget;
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Logic, ParseOptions, parse};
use tertium_model::{Format, Kmts, Model, StateId, equivalence, minimise, read_bytes, refines};
use tertium_testkit::reference::{Deadlocks, branching_values, refinement_relation};
use tertium_testkit::{Case, FormulaShape, StructureShape, corpus, for_random_cases};

fn kmts(value: &Value) -> Kmts {
    let loaded = read_bytes("vector", Format::Json, value.to_string().as_bytes(), &Budget::unlimited()).unwrap();
    match loaded.model {
        Some(Model::Kmts(kmts)) => kmts,
        _ => panic!("{value} is refused: {:?}", loaded.diagnostics),
    }
}

#[test]
fn vectors_have_their_expected_relation() {
    for vector in corpus::vectors_with_semantics("preorder-relation") {
        let (left, right) = (kmts(&vector["abstract"]), kmts(&vector["concrete"]));
        let relation = refines(&left, &right, &Budget::unlimited()).unwrap();
        let mut found: Vec<(&str, &str)> =
            relation.pairs().map(|(a, c)| (left.state_name(a), right.state_name(c))).collect();
        found.sort();
        let mut expected: Vec<(&str, &str)> = vector["expected"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap()))
            .collect();
        expected.sort();
        assert_eq!(found, expected, "{}", vector["id"]);
    }
    for vector in corpus::vectors_with_semantics("preorder") {
        let (left, right) = (kmts(&vector["abstract"]), kmts(&vector["concrete"]));
        let relation = refines(&left, &right, &Budget::unlimited()).unwrap();
        let state = |kmts: &Kmts, at: usize| kmts.state_by_name(vector["pair"][at].as_str().unwrap()).unwrap();
        assert_eq!(relation.contains(state(&left, 0), state(&right, 1)), vector["expected"], "{}", vector["id"]);
    }
}

fn shape(case: &mut Case) -> StructureShape {
    StructureShape {
        states: 1..=5,
        hyper: case.rng.chance(50),
        mixed: case.rng.chance(25),
        both_labels: case.rng.chance(20),
        actions: case.rng.below(3),
        total: case.rng.chance(30),
        ..StructureShape::default()
    }
}

fn value(structure: &Kmts, text: &str, state: StateId) -> Belnap {
    let options = ParseOptions { logic: Some(Logic::Pml), ..ParseOptions::default() };
    let parsed = parse(text, &options);
    let formula = parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
    branching_values(structure, &formula, Deadlocks::Mu)[state.index()]
}

#[test]
fn refinements_are_found_and_keep_definite_values() {
    for_random_cases(150, |case| {
        let shape = shape(case);
        let coarse = case.structure(&shape);
        let fine = case.refinement(&coarse);
        let relation = refines(&coarse, &fine.structure, &Budget::unlimited()).unwrap();
        for (at, &old) in fine.refines.iter().enumerate() {
            assert!(relation.contains(old, StateId::new(at)));
        }
        let mut formulas = FormulaShape::new(Logic::Mu);
        formulas.atoms = shape.prop_names();
        formulas.actions = shape.action_names();
        for _ in 0..5 {
            let formula = case.formula(&formulas);
            let before = branching_values(&coarse, &formula, Deadlocks::Mu);
            let after = branching_values(&fine.structure, &formula, Deadlocks::Mu);
            for (a, c) in relation.pairs() {
                assert!(before[a.index()].info_le(after[c.index()]), "{a:?} {c:?}");
            }
        }
    });
}

#[test]
fn the_relation_is_the_one_that_is_defined() {
    for_random_cases(300, |case| {
        let shape = shape(case);
        let left = case.structure(&shape);
        let right = if case.rng.chance(60) { case.refinement(&left).structure } else { case.structure(&shape) };
        let (found, defined) =
            (refines(&left, &right, &Budget::unlimited()).unwrap(), refinement_relation(&left, &right));
        for (a, c) in left.states().flat_map(|a| right.states().map(move |c| (a, c))) {
            assert_eq!(found.contains(a, c), defined[a.index()][c.index()], "left: found, right: defined, {a:?} {c:?}");
        }
    });
}

/// Where there is always a next state, the only possible one is certain: it answers for a step that must be there.
#[test]
fn totality_answers_for_a_certain_step() {
    let one = |must: bool| {
        let mut builder = tertium_model::KmtsBuilder::new();
        let state = builder.add_state("s");
        builder.add_edge(state, state, true, must, None);
        builder.set_total(true);
        builder.finish().unwrap()
    };
    let (certain, possible, state) = (one(true), one(false), StateId::new(0));
    assert!(refines(&certain, &possible, &Budget::unlimited()).unwrap().contains(state, state));
    assert!(refinement_relation(&certain, &possible)[0][0]);
}

#[test]
fn what_does_not_refine_is_told_apart_by_a_formula() {
    let told = std::cell::Cell::new(0);
    for_random_cases(400, |case| {
        let shape = shape(case);
        let left = case.structure(&shape);
        let right = if case.rng.chance(50) { case.refinement(&left).structure } else { case.structure(&shape) };
        let relation = refines(&left, &right, &Budget::unlimited()).unwrap();
        for a in left.states() {
            for c in right.states() {
                let why = relation.distinction(&left, &right, (a, c), &Budget::unlimited()).unwrap();
                let Some(why) = why else { continue };
                assert_eq!((why.trail[0].abstracted, why.trail[0].concrete), (a, c));
                let Some(formula) = why.formula else { panic!("no formula for {a:?} {c:?}") };
                let text = formula.display(&left).to_string();
                let (mine, theirs) = (value(&left, &text, a), value(&right, &text, c));
                assert!(mine.for_true() && !theirs.for_true(), "{text}: {mine} at {a:?}, {theirs} at {c:?}");
                if !left.is_mixed() {
                    assert_eq!(mine, Belnap::True, "{text}");
                }
                told.set(told.get() + 1);
            }
        }
    });
    assert!(told.get() > 1000, "only {} pairs told apart", told.get());
}

#[test]
fn minimisation_keeps_every_value() {
    let merged = std::cell::Cell::new(0);
    for_random_cases(200, |case| {
        let shape = StructureShape { states: 1..=7, props: 1, fairness: case.rng.below(2), ..shape(case) };
        let original = case.structure(&shape);
        let small = minimise(&original, &Budget::unlimited()).unwrap();
        merged.set(merged.get() + original.state_count() - small.structure.state_count());
        let (down, up) = equivalence(&original, &small.structure, &Budget::unlimited()).unwrap();
        for state in original.states() {
            let new = small.new_of[state.index()].unwrap();
            assert!(down.contains(state, new) && up.contains(new, state), "{state:?} {new:?}");
        }
        let mut formulas = FormulaShape::new(Logic::Mu);
        formulas.atoms = shape.prop_names();
        formulas.actions = shape.action_names();
        for _ in 0..5 {
            let formula = case.formula(&formulas);
            let before = branching_values(&original, &formula, Deadlocks::Mu);
            let after = branching_values(&small.structure, &formula, Deadlocks::Mu);
            for state in original.states() {
                assert_eq!(before[state.index()], after[small.new_of[state.index()].unwrap().index()]);
            }
        }
        let again = minimise(&small.structure, &Budget::unlimited()).unwrap();
        assert_eq!(again.structure.state_count(), small.structure.state_count(), "minimal after one run");
    });
    assert!(merged.get() > 20, "only {} states were merged", merged.get());
}
