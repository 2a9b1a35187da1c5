//! Is the completion game that proofs are found with the one that the kernel checks them by?
//!
//! Both are made from the formula and the structure alone, by code that shares nothing: the terms with their priorities, the choices that meet
//! them, what can be followed up and where that leads must be the same, number by number, since certificates speak of these numbers.

use std::cell::Cell;

use tertium_base::Budget;
use tertium_check::thorough::completion_game as search;
use tertium_kernel::completion_game as kernel;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, StateId};
use tertium_testkit::{Case, FormulaShape, StructureShape, for_random_cases, show_structure};

/// How many sets of states and terms are compared in each case.
const STANDS: usize = 6;
/// More terms make choices too many to list in a test.
const MOST_TERMS: usize = 400;

/// The terms of both, if the formula has some.
fn terms(formula: &Formula, model: &Kmts, ends: bool, positive: bool) -> Option<(search::Terms, kernel::Terms)> {
    let budget = Budget::unlimited();
    let found = search::Terms::new(formula, model, ends, positive, &budget).unwrap();
    let checked = kernel::Terms::new(formula, model, ends, positive, &budget).unwrap();
    assert_eq!(found.is_some(), checked.is_some(), "{}", formula.text());
    let (found, checked) = (found?, checked?);
    assert_eq!(format!("{:?}", found.rules), format!("{:?}", checked.rules), "{}", formula.text());
    assert_eq!((&found.priority, found.root), (&checked.priority, checked.root), "{}", formula.text());
    Some((found, checked))
}

/// Compares choices, demands and outcomes at one stand; the stands that come next.
fn compare_stand(
    model: &Kmts,
    total: bool,
    (found, checked): &(search::Terms, kernel::Terms),
    (states, asked): (&[StateId], &[u32]),
) -> Vec<(Vec<StateId>, Vec<u32>)> {
    let budget = Budget::unlimited();
    let (ours, theirs) = (search::CompletionGame { model, total }, kernel::CompletionGame { model, total });
    let ways = ours.ways(found, states, asked, &budget).unwrap();
    let choices = theirs.choices(checked, states, asked, &budget).unwrap();
    let show = || format!("{} at {states:?}, asked {asked:?} of {:?}", show_structure(model), checked.rules);
    assert_eq!(format!("{ways:?}"), format!("{choices:?}"), "{}", show());
    let mut next = Vec::new();
    for (way, choice) in ways.iter().zip(&choices) {
        let (demands, same) = (ours.demands(found, states, way), theirs.demands(checked, states, choice));
        assert_eq!(format!("{demands:?}"), format!("{same:?}"), "{}", show());
        for (demand, same) in demands.iter().zip(&same) {
            let outcomes = ours.outcomes(found, states, demand, &budget).unwrap();
            let others = theirs.outcomes(checked, states, same, &budget).unwrap();
            assert_eq!(format!("{outcomes:?}"), format!("{others:?}"), "{demand:?}: {}", show());
            for outcome in others {
                let carried = kernel::CompletionGame::carried(checked, choice, same, outcome.action);
                let also = search::CompletionGame::carried(found, way, demand, outcome.action);
                assert_eq!(carried, also, "{}", show());
                let behind = kernel::CompletionGame::behind(checked, &carried);
                assert_eq!(behind, search::CompletionGame::behind(found, &also), "{}", show());
                next.push((outcome.states, behind));
            }
        }
    }
    next
}

/// Plays at random from an initial state; how many stands were compared.
fn compare(case: &mut Case, shape: &StructureShape, logic: Logic) -> usize {
    let model = case.structure(shape);
    let modal = matches!(logic, Logic::Pml | Logic::Mu);
    let actions = if modal { shape.action_names() } else { Vec::new() };
    let guarded = case.rng.chance(70);
    let formula = case.formula(&FormulaShape { size: 6, actions, guarded, ..FormulaShape::new(logic) });
    let (ends, positive, total) = (case.rng.chance(40), case.rng.chance(50), case.rng.chance(30));
    let Some(terms) = terms(&formula, &model, ends, positive) else { return 0 };
    if terms.1.rules.len() > MOST_TERMS {
        return 0;
    }
    let mut stand = (vec![StateId::new(0)], vec![terms.1.root]);
    for compared in 1..=STANDS {
        let mut next = compare_stand(&model, total, &terms, (&stand.0, &stand.1));
        if next.is_empty() {
            return compared;
        }
        stand = next.swap_remove(case.rng.below(next.len()));
        stand.1.truncate(4);
    }
    STANDS
}

#[test]
fn both_games_are_the_same_on_random_structures() {
    for logic in [Logic::Pml, Logic::Ctl, Logic::Mu, Logic::Ltl, Logic::CtlStar] {
        let (stands, later) = (Cell::new(0), Cell::new(0));
        for_random_cases(300, |case| {
            let (mixed, hyper) = (case.rng.chance(50), case.rng.chance(50));
            let (actions, density) = (case.rng.below(3), 20 + case.rng.below(50));
            let shape =
                StructureShape { mixed, hyper, actions, density, states: 1..=4, props: 2, ..StructureShape::default() };
            let compared = compare(case, &shape, logic);
            stands.set(stands.get() + compared);
            later.set(later.get() + usize::from(compared > 2));
        });
        assert!(stands.get() > 300 && later.get() > 40, "{logic:?}: {} stands, {} games", stands.get(), later.get());
    }
}

#[test]
fn temporal_operators_have_the_same_terms_both_ways() {
    let model = {
        let mut builder = tertium_model::KmtsBuilder::new();
        let state = builder.add_state("s");
        for name in ["p", "q"] {
            builder.add_prop(name);
        }
        builder.add_edge(state, state, true, false, None);
        builder.finish().unwrap()
    };
    let operators = ["X p", "F p", "G p", "p U q", "p R q", "p W q", "p M q", "F G p", "G F p", "(p U q) <-> X q"];
    for (operator, quantifier) in operators.into_iter().flat_map(|text| ["", "A ", "E "].map(|before| (text, before))) {
        let logic = if quantifier.is_empty() { Logic::Ltl } else { Logic::CtlStar };
        let text = format!("{quantifier}({operator})");
        let formula = parse(&text, &ParseOptions::in_logic(logic)).formula.unwrap();
        for (ends, positive) in [(false, false), (false, true), (true, false), (true, true)] {
            assert!(terms(&formula, &model, ends, positive).is_some(), "{text}");
        }
    }
}
