//! The thorough semantics against plain enumeration of completions.
//!
//! "Some completion satisfies it" is proved by the completion, which is checked by the definitions; "none does" is
//! compared with every complete structure of up to three states.

#[path = "../common/mod.rs"]
mod common;
mod fair;
mod formulas;
mod minimised;

use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_check::automata::AutomataEngine;
use tertium_check::explicit::Explicit;
use tertium_check::thorough::{
    Completion, How, Method, Thorough, Wanted, by_tableau, decide, estimate, proof_by_moves, search, thorough_proof,
};
use tertium_check::{Ask, Engine, Task, Values};
use tertium_evidence::{Certificate, CertificatePlace, Deadlock, Proof, Stand, read_document, write_document};
use tertium_kernel::check_certificate;
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, StateId};
use tertium_testkit::completions::{complete_structures, completions_among, partial_structures, truths};
use tertium_testkit::reference::{Deadlocks, refinement_relation};
use tertium_testkit::{Case, FormulaShape, StructureShape, for_random_cases, show_structure};

use self::formulas::{FORMULAS, formula};

/// Checks a completion by the definitions.
#[track_caller]
fn assert_completion(
    partial: &Kmts,
    state: StateId,
    found: &Completion,
    formula: &Formula,
    wanted: bool,
    deadlocks: Deadlocks,
) {
    let show = || format!("{}\n{}\n{}", show_structure(partial), show_structure(&found.structure), formula.text());
    assert!(found.structure.is_complete(), "{}", show());
    let related = refinement_relation(partial, &found.structure);
    assert!(related[state.index()][0], "not a completion: {}", show());
    for (at, refined) in found.refines.iter().enumerate() {
        assert!(!refined.is_empty() && refined.iter().all(|a| related[a.index()][at]), "{}", show());
    }
    assert_eq!(truths(&found.structure, formula, deadlocks)[0], wanted, "{}", show());
}

/// The independent checker accepts the proofs, also after they were written down and read back, and does not take them for
/// proofs of the opposite.
#[track_caller]
fn assert_proved(task: &Task<'_>, value: Belnap) -> Vec<Certificate> {
    let state = StateId::new(0);
    let show = || format!("{}{} {value}", show_structure(task.model), task.formula.text());
    let mut accepted = Vec::new();
    for prove in [thorough_proof, proof_by_moves] {
        let proof = prove(task, state, value).unwrap().unwrap_or_else(|| panic!("no proof: {}", show()));
        let (formula, logic, reading) = (task.formula.text(), task.formula.logic(), task.reading);
        let certificate = Certificate { formula, logic, reading, state, value, proof };
        if let Err(why) = check_certificate(task.model, &certificate, task.budget) {
            panic!("{why}\n{}\n{:?}", show(), certificate.proof);
        }
        if value.is_definite() {
            let opposite = Certificate { value: value.not(), ..certificate.clone() };
            assert!(check_certificate(task.model, &opposite, task.budget).is_err(), "also the opposite: {}", show());
        }
        let mut text = Vec::new();
        write_document(&mut text, &[(CertificatePlace::Whole, task.model, &certificate)]).unwrap();
        let text = String::from_utf8(text).unwrap();
        let document = read_document(&text).unwrap();
        assert_eq!(document.parts[0].certificate_for(task.model, &text).unwrap(), certificate);
        accepted.push(certificate);
    }
    accepted
}

/// Tableaux of larger linear formulas, where paths end, take too long.
const MOST_NODES: usize = 5;
/// On one in so many structures tableaux are asked where paths end.
const ENDS_ONE_IN: usize = 25;
/// Of one in so many structures linear answers are proved.
const PROVED_ONE_IN: usize = 60;
/// So many proofs about other structures are tried where they prove nothing.
const MOST_PROOFS: usize = 8;

/// The bound told beforehand is one.
#[track_caller]
fn assert_within_estimate(task: &Task<'_>, method: Method) {
    let (Method::Tableau { positions, .. } | Method::PathGame { positions, .. }) = method else { return };
    let size = estimate(task).unwrap();
    let most = (size.states as f64).log2() + size.bits;
    assert!((positions as f64).log2() <= most, "{positions} positions, at most {size}: {}", task.formula.text());
}

/// Compares both sides of one formula at the first state. `proofs` are of other structures and must not be taken for proofs here.
#[track_caller]
fn compare(
    partial: &Kmts,
    formula: &Formula,
    deadlock: Deadlock,
    seen: [bool; 2],
    proofs: Option<&mut Vec<Certificate>>,
) -> Belnap {
    let budget = Budget::unlimited();
    let partial = &partial.clone().with_total(deadlock == Deadlock::Total);
    let start = [StateId::new(0)];
    let task = Task::new(partial, formula, common::reading(deadlock), Ask::At(&start), &budget).unwrap();
    let deadlocks = if deadlock == Deadlock::Maximal { Deadlocks::Maximal } else { Deadlocks::Mu };
    let mut exists = [false; 2];
    for (side, wanted) in [(0, true), (1, false)] {
        let wanted_here = Wanted { satisfying: wanted, states: &start, build: true };
        let mut found = search(&task, wanted_here).unwrap();
        assert_within_estimate(&task, found.method);
        let found = found.completions.remove(0);
        // Where paths end, tableaux are large; some are enough to try.
        if formula.logic() == Logic::Ltl && (deadlock != Deadlock::Maximal || proofs.is_some()) {
            let second = by_tableau(&task, wanted_here).unwrap().completions.remove(0);
            assert_eq!(found.is_some(), second.is_some(), "{wanted}:\n{}{}", show_structure(partial), formula.text());
        }
        match &found {
            Some(found) => assert_completion(partial, start[0], found, formula, wanted, deadlocks),
            None => assert!(!seen[side], "a completion is {wanted}:\n{}{}", show_structure(partial), formula.text()),
        }
        exists[side] = found.is_some();
    }
    let value = Belnap::from_evidence(!exists[1], !exists[0]);
    let whole = Thorough.values(&task).unwrap().at(start[0]);
    assert_eq!(whole, value, "cheap answers differ:\n{}{}", show_structure(partial), formula.text());
    let Some(proofs) = proofs else { return value };
    if value.is_definite() {
        proofs.extend(assert_proved(&task, value));
    }
    for certificate in proofs.iter().filter(|certificate| certificate.value != value) {
        let accepted = check_certificate(partial, certificate, &budget).is_ok();
        assert!(!accepted, "{value}, and yet accepted:\n{}{certificate:?}", show_structure(partial));
    }
    proofs.truncate(MOST_PROOFS);
    value
}

fn exhaustive(logics: &[Logic], deadlock: Deadlock) {
    let deadlocks = if deadlock == Deadlock::Maximal { Deadlocks::Maximal } else { Deadlocks::Mu };
    let mut complete = complete_structures(&["p"], 3);
    if deadlock == Deadlock::Total {
        complete.retain(|one| one.states().all(|state| !one.is_dead(state)));
    }
    let mut partial = partial_structures(1, true);
    partial.extend(partial_structures(2, true));
    let ends_of_paths = deadlock == Deadlock::Maximal && !logics.contains(&Logic::Ctl);
    if ends_of_paths && logics.contains(&Logic::CtlStar) {
        // Automata that may stop anywhere are large, and all these questions are asked of tableaux.
        partial = partial.into_iter().step_by(ENDS_ONE_IN).collect();
    }
    partial.retain(|one| deadlock != Deadlock::Total || one.states().all(|state| !one.is_dead(state)));
    let formulas: Vec<Formula> = FORMULAS
        .iter()
        .filter(|(logic, _)| logics.contains(logic))
        .flat_map(|(logic, texts)| texts.iter().map(|text| formula(*logic, text)))
        .collect();
    let truth: Vec<Vec<bool>> = formulas
        .iter()
        .map(|formula| complete.iter().map(|one| truths(one, formula, deadlocks)[0]).collect())
        .collect();
    let mut confirmed = [0, 0];
    let mut proofs: Vec<Vec<Certificate>> = vec![Vec::new(); formulas.len()];
    for (number, one) in partial.iter().enumerate() {
        let one = &one.clone().with_total(deadlock == Deadlock::Total);
        let among = completions_among(&complete, one, StateId::new(0));
        for ((formula, truth), proofs) in formulas.iter().zip(&truth).zip(&mut proofs) {
            let seen = [true, false].map(|wanted| among.iter().any(|&at| truth[at] == wanted));
            // Automata make proofs large; one in some is enough to try.
            let linear = matches!(formula.logic(), Logic::Ltl | Logic::CtlStar);
            let proved = match formula.logic() {
                Logic::Ltl if ends_of_paths => number % ENDS_ONE_IN == 0 && formula.nodes().len() <= MOST_NODES,
                _ => !linear || ends_of_paths || number % PROVED_ONE_IN == 0,
            };
            let value = compare(one, formula, deadlock, seen, proved.then_some(proofs));
            confirmed[0] += 1;
            confirmed[1] += usize::from(value == Belnap::from_evidence(!seen[1], !seen[0]));
        }
    }
    assert!(confirmed[1] * 100 >= confirmed[0] * 98, "{} of {} confirmed by enumeration", confirmed[1], confirmed[0]);
}

#[test]
fn pml_and_ctl_on_all_small_structures() {
    exhaustive(&[Logic::Pml, Logic::Ctl], Deadlock::Mu);
}

#[test]
fn mu_calculus_on_all_small_structures() {
    exhaustive(&[Logic::Mu], Deadlock::Mu);
}

#[test]
fn full_branching_time_on_all_small_structures() {
    exhaustive(&[Logic::CtlStar], Deadlock::Mu);
}

#[test]
fn linear_time_on_all_small_structures() {
    exhaustive(&[Logic::Ltl], Deadlock::Mu);
}

#[test]
fn linear_time_without_deadlocks_on_all_small_structures() {
    exhaustive(&[Logic::Ltl], Deadlock::Total);
}

#[test]
fn total_completions_on_all_small_structures() {
    exhaustive(&[Logic::Pml, Logic::Ctl, Logic::Mu, Logic::CtlStar], Deadlock::Total);
}

#[test]
fn paths_that_end_on_all_small_structures() {
    exhaustive(&[Logic::Ctl], Deadlock::Maximal);
}

#[test]
fn linear_time_where_paths_end_on_many_small_structures() {
    exhaustive(&[Logic::Ltl], Deadlock::Maximal);
}

#[test]
fn full_branching_time_where_paths_end_on_many_small_structures() {
    exhaustive(&[Logic::CtlStar], Deadlock::Maximal);
}

/// A random structure of three states or fewer, and a random formula.
fn random_question(case: &mut Case, mixed: bool) -> (Kmts, Formula, Deadlock) {
    let total = case.rng.chance(30);
    let shape = StructureShape {
        states: 2..=3,
        props: 2,
        density: *case.rng.pick(&[30, 50]),
        hyper: case.rng.chance(50),
        actions: *case.rng.pick(&[0, 0, 0, 2]),
        mixed,
        both_labels: mixed,
        total,
        ..StructureShape::default()
    };
    let model = case.structure(&shape);
    let logic =
        *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Ctl, Logic::Mu, Logic::Ltl, Logic::Ltl, Logic::CtlStar]);
    let size = *case.rng.pick(&[3, 5, 7]);
    let drawn = case.formula(&FormulaShape { size, actions: shape.action_names(), ..FormulaShape::new(logic) });
    // Proofs speak of the nodes of the formula's text.
    let formula = self::formula(logic, &drawn.text());
    (model, formula, if total { Deadlock::Total } else { Deadlock::Mu })
}

#[test]
fn sampled_structures_of_three_states() {
    let seen = std::cell::RefCell::new([0; 4]);
    for_random_cases(600, |case| {
        let (model, formula, deadlock) = random_question(case, false);
        // Random completions: whatever "none" claims must not be refuted by any of them.
        let mut found = [false; 2];
        for _ in 0..12 {
            let completion = case.completion(&model);
            let at = completion.refines.iter().position(|state| state.index() == 0).unwrap();
            found[usize::from(!truths(&completion.structure, &formula, Deadlocks::Mu)[at])] = true;
        }
        let value = compare(&model, &formula, deadlock, found, Some(&mut Vec::new()));
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, common::reading(deadlock), Ask::All, &budget).unwrap();
        let compositional: Values = match formula.logic() {
            Logic::Ltl | Logic::CtlStar => AutomataEngine.values(&task).unwrap(),
            _ => Explicit.values(&task).unwrap(),
        };
        let compositional = compositional.at(StateId::new(0));
        assert!(compositional.info_le(value), "{compositional} became {value}");
        let kind = usize::from(compositional != value) * 2 + usize::from(value.is_definite());
        seen.borrow_mut()[kind] += 1;
    });
    let [open, known, _, gained] = seen.into_inner();
    assert!(open > 50 && known > 50 && gained > 3, "{open} open, {known} known, {gained} gained");
}

/// One state asked by itself, by the cheapest means, and all states at once.
#[test]
fn one_state_has_the_value_that_it_has_among_all() {
    let found = std::cell::RefCell::new(std::collections::BTreeSet::new());
    for_random_cases(150, |case| {
        let mixed = case.rng.chance(20);
        let (model, formula, deadlock) = random_question(case, mixed);
        let budget = Budget::unlimited();
        let Ok(task) = Task::new(&model, &formula, common::reading(deadlock), Ask::All, &budget) else { return };
        let Ok(all) = Thorough.values(&task) else { return };
        for state in model.states() {
            let ask = [state];
            let alone = Task { ask: Ask::At(&ask), ..task.clone() };
            let outcome = decide(&alone, state).expect("what can be asked of all can be asked of one");
            assert_eq!(outcome.value, all.at(state), "{}: {:?}", model.state_name(state), outcome.how);
            let searched = matches!(outcome.how, How::Searched { .. });
            found.borrow_mut().insert((outcome.value.to_string(), searched));
        }
    });
    for value in ["true", "false", "unknown"] {
        assert!(found.borrow().contains(&(value.to_owned(), true)), "no {value} was searched for: {found:?}");
    }
}

#[test]
fn mixed_structures_have_completions_where_they_are_consistent() {
    let seen = std::cell::RefCell::new([0; 3]);
    for_random_cases(400, |case| {
        let (model, formula, deadlock) = random_question(case, true);
        let budget = Budget::unlimited();
        let start = [StateId::new(0)];
        let model = model.with_total(deadlock == Deadlock::Total);
        let task = Task::new(&model, &formula, common::reading(deadlock), Ask::At(&start), &budget).unwrap();
        let sides = [true, false].map(|satisfying| {
            search(&task, Wanted { satisfying, states: &start, build: true }).unwrap().completions.remove(0)
        });
        for (found, wanted) in sides.iter().zip([true, false]) {
            if let Some(found) = found {
                assert_completion(&model, start[0], found, &formula, wanted, Deadlocks::Mu);
            }
        }
        let consistent = sides.iter().any(Option::is_some);
        // The model's own search takes a step without an action for one of any action.
        if model.actions().is_empty() {
            assert_eq!(consistent, tertium_model::consistent_at(&model, start[0], &budget).unwrap());
        }
        let value = Thorough.values(&task).unwrap().at(start[0]);
        let expected = Belnap::from_evidence(sides[1].is_none(), sides[0].is_none());
        assert_eq!(value, expected);
        if value != Belnap::Unknown {
            assert_proved(&task, value);
        }
        seen.borrow_mut()[usize::from(consistent) + usize::from(consistent && value == Belnap::Unknown)] += 1;
    });
    assert!(seen.borrow().iter().all(|&count| count > 5), "{:?}", seen.borrow());
}

/// Changes moves a little, at random.
fn tamper(rng: &mut tertium_testkit::Rng, stands: &mut [Stand], states: usize) {
    let count = stands.len();
    let stand = &mut stands[rng.below(count)];
    match rng.below(8) {
        0 => stand.states = vec![StateId::new(rng.below(states))],
        1 => drop(stand.terms.pop()),
        2 => drop(stand.watched.pop()),
        3 if !stand.moves.is_empty() => {
            let at = rng.below(stand.moves.len());
            stand.moves[at].0 = to_u32(rng.below(4));
        }
        4 => stand.moves.iter_mut().for_each(|(_, targets)| targets.iter_mut().for_each(|to| *to = 0)),
        5 => stand.watched.iter_mut().for_each(|watch| watch.met.clear()),
        6 => stand.watched.iter_mut().for_each(|watch| watch.name = to_u32(rng.below(2))),
        _ => stand.moves.iter_mut().for_each(|(_, targets)| {
            targets.iter_mut().for_each(|to| *to = to_u32(rng.below(count)));
        }),
    }
}

#[test]
fn moves_that_were_changed_prove_nothing_that_is_not_so() {
    let seen = std::cell::Cell::new([0usize; 2]);
    for_random_cases(300, |case| {
        let (model, formula, deadlock) = random_question(case, case.number % 3 == 0);
        let budget = Budget::unlimited();
        let model = model.with_total(deadlock == Deadlock::Total);
        let task = Task::new(&model, &formula, common::reading(deadlock), Ask::All, &budget).unwrap();
        let values = Thorough.values(&task).unwrap();
        let (reading, logic) = (task.reading, formula.logic());
        for state in model.states().filter(|&state| values.at(state) != Belnap::Unknown) {
            let value = values.at(state);
            let Some(Proof::Outplayed(stands)) = proof_by_moves(&task, state, value).unwrap() else {
                panic!("no proof of {value} at {}", model.state_name(state))
            };
            for _ in 0..12 {
                let mut stands = stands.clone();
                tamper(&mut case.rng, &mut stands, model.state_count());
                let state = StateId::new(case.rng.below(model.state_count()));
                let value = *case.rng.pick(&[Belnap::True, Belnap::False, Belnap::Both]);
                let proof = Proof::Outplayed(stands);
                let certificate = Certificate { formula: formula.text(), logic, reading, state, value, proof };
                let accepted = check_certificate(&model, &certificate, &budget).is_ok();
                // Of what nothing refines everything may be said.
                let so = values.at(state) == value || values.at(state) == Belnap::Both;
                assert!(!accepted || so, "{}: {certificate:?}", values.at(state));
                let [mut all, mut taken] = seen.get();
                (all, taken) = (all + 1, taken + usize::from(accepted));
                seen.set([all, taken]);
            }
        }
    });
    let [all, taken] = seen.get();
    assert!(all > 2000 && taken > 10 && taken * 3 < all, "{taken} of {all} accepted");
}

/// Where paths may end, the game and the product agree with the tableau, on mixed structures, too.
#[test]
fn paths_that_end_are_found_as_the_tableau_finds_them() {
    let seen = std::cell::Cell::new([0usize; 4]);
    for_random_cases(300, |case| {
        let shape = StructureShape {
            states: 1..=4,
            density: 30,
            hyper: case.rng.chance(50),
            actions: *case.rng.pick(&[0, 0, 2]),
            mixed: case.rng.chance(30),
            total: case.rng.chance(20),
            ..StructureShape::default()
        };
        let model = case.structure(&shape);
        let formula = case.formula(&FormulaShape { size: 4, ..FormulaShape::new(Logic::Ltl) });
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, common::reading(Deadlock::Maximal), Ask::All, &budget).unwrap();
        let states: Vec<StateId> = model.states().collect();
        for satisfying in [true, false] {
            let wanted = Wanted { satisfying, states: &states, build: true };
            let found = search(&task, wanted).unwrap();
            assert!(!matches!(found.method, Method::Tableau { .. }));
            if formula.nodes().len() <= MOST_NODES {
                assert_eq!(found.exists, by_tableau(&task, wanted).unwrap().exists, "{satisfying}");
            }
            for (&state, completion) in states.iter().zip(&found.completions) {
                let mut counts = seen.get();
                counts[2 * usize::from(satisfying) + usize::from(completion.is_some())] += 1;
                seen.set(counts);
                if let Some(completion) = completion {
                    assert_completion(&model, state, completion, &formula, satisfying, Deadlocks::Maximal);
                }
            }
        }
    });
    let counts = seen.get();
    assert!(counts.iter().all(|&count| count > 60), "{counts:?}");
}
