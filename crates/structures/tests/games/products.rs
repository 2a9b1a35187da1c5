//! Coalitions by products with automata against their forms in the mu-calculus; strategies with memory are certificates, and forged ones prove nothing that is not so.

use std::cell::Cell;

use tertium_base::Budget;
use tertium_check::game::ParityGame;
use tertium_check::synthesis::{CoalitionTask, coalition_strategy, coalition_values};
use tertium_evidence::{Certificate, Proof};
use tertium_kernel::check_certificate;
use tertium_lattice::{Belnap, TruthValue};
use tertium_load::Loaded;
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, KmtsBuilder, Model, StateId};
use tertium_structures::check::{CheckOptions, Session};
use tertium_structures::coalitions::evaluated;
use tertium_testkit::{Case, FormulaShape, for_random_cases};

use super::{READING, formula, partial_game, values};

fn task<'a>(model: &'a Kmts, formula: &'a Formula, budget: &'a Budget) -> CoalitionTask<'a> {
    CoalitionTask { model, formula, total: model.total(), budget }
}

/// As partial games, but some states may have no successor.
fn with_ends(case: &mut Case) -> Kmts {
    let model = partial_game(case);
    let mut builder = KmtsBuilder::new();
    for state in model.states() {
        builder.add_state(model.state_name(state));
    }
    for name in ["p", "q"] {
        let (from, to) = (model.prop_by_name(name).unwrap(), builder.add_prop(name));
        model.states().for_each(|state| builder.set_label(state, to, model.label(state, from)));
    }
    for state in model.states() {
        builder.set_owner(state, model.owner_name(state));
        if case.rng.chance(70) {
            for edge in model.edges_from(state) {
                builder.add_edge(state, edge.target, edge.may, edge.must, None);
            }
            for set in model.hyper_from(state) {
                builder.add_hyper(state, set.members, None);
            }
        }
    }
    builder.add_init(StateId::new(0));
    builder.finish().expect("it is small")
}

#[test]
fn products_and_forms_in_the_mu_calculus_agree() {
    let (compared, open) = (Cell::new(0usize), Cell::new(0usize));
    for_random_cases(400, |case| {
        let model = if case.number.is_multiple_of(3) { with_ends(case) } else { partial_game(case) };
        let logic = if case.number.is_multiple_of(4) { Logic::Atl } else { Logic::AtlStar };
        let asked = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(logic) });
        if evaluated(&model, &asked).is_none() {
            return;
        }
        let expected = values(&model, &asked, &ParityGame);
        let budget = Budget::unlimited();
        let Ok(found) = coalition_values(&task(&model, &asked, &budget)) else {
            assert!(model.states().any(|state| model.is_dead(state)), "{asked}");
            return;
        };
        // Where a play may end before it is decided, operators of ATL may know more.
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                if model.total() { found == expected } else { found.info_le(*expected) },
                "{asked}: {found} {expected}"
            );
        }
        compared.set(compared.get() + 1);
        open.set(open.get() + expected.iter().filter(|value| **value == Belnap::Unknown).count());
    });
    assert!(compared.get() > 200 && open.get() > 50, "{} {}", compared.get(), open.get());
}

fn certificate(asked: &Formula, value: Belnap, proof: Proof) -> Certificate {
    let (formula, logic) = (asked.text(), asked.logic());
    Certificate { formula, logic, reading: READING, state: StateId::new(0), value, proof }
}

const PATHS: [&str; 8] = [
    "G F p & G F q",
    "F p & F q",
    "G (p -> F q)",
    "G F p -> G F q",
    "F G p",
    "p U (q & X p)",
    "G p | F (q & X q)",
    "X X p",
];

#[test]
fn strategies_with_memory_are_certificates() {
    let (shown, refused) = (Cell::new(0usize), Cell::new(0usize));
    for_random_cases(400, |case| {
        let model = partial_game(case);
        let who = ["<<P>>", "[[P]]", "<<P, Q>>", "![[Q]]", "<<>>", "<<all>>"][case.rng.below(6)];
        let asked = formula(&format!("{who} ({})", PATHS[case.rng.below(PATHS.len())]), Logic::AtlStar);
        // A player that owns no state is not known.
        if asked.coalitions().iter().flat_map(|all| all.names()).any(|name| model.player_by_name(name).is_none()) {
            return;
        }
        let budget = Budget::unlimited();
        let value = coalition_values(&task(&model, &asked, &budget)).unwrap()[0];
        for claimed in [Belnap::True, Belnap::False] {
            let found = coalition_strategy(&task(&model, &asked, &budget), StateId::new(0), claimed).unwrap();
            assert_eq!(found.is_some(), value == claimed, "{asked}: {value}");
            let Some(proof) = found else { continue };
            let honest = certificate(&asked, claimed, proof.clone());
            let accepted = check_certificate(&model, &honest, &budget);
            assert!(accepted.is_ok(), "{asked} is {claimed}: {}", accepted.unwrap_err());
            shown.set(shown.get() + 1);
            let contrary = if claimed == Belnap::True { Belnap::False } else { Belnap::True };
            assert!(check_certificate(&model, &certificate(&asked, contrary, proof.clone()), &budget).is_err());
            // Before another structure, or with other owners, it proves only what is so there.
            let turned = model.clone().with_owners(|state| if model.owner_name(state) == "P" { "Q" } else { "P" });
            for other in [turned, partial_game(case)] {
                if check_certificate(&other, &honest, &budget).is_ok() {
                    assert_eq!(coalition_values(&task(&other, &asked, &budget)).unwrap()[0], claimed, "{asked}");
                } else {
                    refused.set(refused.get() + 1);
                }
            }
        }
    });
    assert!(shown.get() > 100 && refused.get() > 50, "{} {}", shown.get(), refused.get());
}

#[test]
fn forged_strategies_prove_what_is_so() {
    let (accepted, refused) = (Cell::new(0usize), Cell::new(0usize));
    for_random_cases(600, |case| {
        let model = if case.number.is_multiple_of(3) { with_ends(case) } else { partial_game(case) };
        let who = ["<<P>>", "[[Q]]", "<<P, system>>", "<<>>"][case.rng.below(4)];
        let asked = formula(&format!("{who} ({})", PATHS[case.rng.below(PATHS.len())]), Logic::AtlStar);
        let budget = Budget::unlimited();
        let value = values(&model, &asked, &ParityGame)[0];
        let states = model.state_count();
        for _ in 0..20 {
            // Positions are the states, each twice, and moves are mostly along steps.
            let positions: Vec<(StateId, u32)> =
                (0..2 * states).map(|at| (StateId::new(at % states), u32::try_from(at / states).unwrap())).collect();
            let mut moves: Vec<Vec<u32>> = Vec::new();
            for &(state, _) in &positions {
                let mut to: Vec<u32> = Vec::new();
                for next in model.may_successors(state) {
                    if case.rng.chance(75) {
                        let copy = if case.rng.chance(50) { states } else { 0 };
                        to.push(u32::try_from(next.index() + copy).unwrap());
                    }
                }
                moves.push(to);
            }
            for claimed in [Belnap::True, Belnap::False] {
                let forged =
                    certificate(&asked, claimed, Proof::Plays { positions: positions.clone(), moves: moves.clone() });
                match check_certificate(&model, &forged, &budget) {
                    Ok(_) => {
                        assert_eq!(value, claimed, "{asked} is proved to be {claimed}: {moves:?}");
                        accepted.set(accepted.get() + 1);
                    }
                    Err(_) => refused.set(refused.get() + 1),
                }
            }
        }
    });
    assert!(accepted.get() > 50 && refused.get() > 1_000, "{} {}", accepted.get(), refused.get());
}

/// Nine things again and again: no form in the mu-calculus is small, and the product is.
#[test]
fn formulas_with_large_automata_are_decided_and_proved() {
    let mut builder = KmtsBuilder::new();
    let states: Vec<StateId> = (0..10).map(|at| builder.add_state(&format!("s{at}"))).collect();
    for (at, &state) in states.iter().enumerate() {
        let prop = builder.add_prop(&format!("p{at}"));
        states.iter().for_each(|&other| builder.set_label(other, prop, Belnap::from(other == state)));
        builder.set_owner(state, "P");
        let next = states[(at + 1) % states.len()];
        builder.add_edge(state, next, true, at != 4, None);
        builder.add_edge(state, state, true, true, None);
    }
    builder.set_owner(states[9], "Q");
    builder.add_init(states[0]);
    let model = builder.finish().unwrap();
    let loaded = Loaded::of_model("ring", Model::Kmts(model));
    let budget = Budget::unlimited();
    let options = CheckOptions { logic: Some(Logic::AtlStar), ..CheckOptions::default() };
    let session = Session::new(&loaded, options, &budget).unwrap();
    let often = |places: std::ops::Range<usize>| places.map(|at| format!("G F p{at}")).collect::<Vec<_>>().join(" & ");
    let asked = [
        (format!("<<all>> ({})", often(0..9)), Belnap::Unknown),
        (format!("<<P>> ({})", often(0..9)), Belnap::False),
        (format!("<<Q>> !({})", often(0..9)), Belnap::True),
    ];
    for (text, expected) in asked {
        let parsed = session.properties(std::slice::from_ref(&text), &[]).unwrap_or_else(|error| panic!("{error:?}"));
        assert!(evaluated(session.kmts().unwrap(), &parsed[0].formula).is_none(), "{text} is small");
        let answer = session.check(&parsed[0], &budget, &()).unwrap();
        assert_eq!(answer.verdict.value(), expected, "{text}");
        assert_eq!(answer.checked, expected != Belnap::Unknown, "{text}");
    }
}
