//! The thorough semantics against plain enumeration of completions.
//!
//! "Some completion satisfies it" is proved by the completion, which is checked by the definitions; "none does" is
//! compared with every complete structure of up to three states.

mod common;

use tertium_base::Budget;
use tertium_check::thorough::{Completion, Thorough, Wanted, by_tableau, search};
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, StateId};
use tertium_testkit::completions::{complete_structures, completions_among, partial_structures};
use tertium_testkit::reference::{
    Deadlocks, LinearReading, branching_values, linear_values, refinement_relation, star_values,
};
use tertium_testkit::show_structure;

const FORMULAS: [(Logic, &[&str]); 5] = [
    (
        Logic::Ltl,
        &[
            "G p",
            "F p",
            "G F p",
            "F G p",
            "X p",
            "p U !p",
            "G (p -> X !p)",
            "G F p & G F !p",
            "G (p -> F !p)",
            "F G p | G F p",
            "G (p -> X p) | F (p & X !p)",
            "(G F p -> G F X p) & F !p",
            "F (p & X !p) | G p",
            "X X (p | X !p)",
            "p R X p",
            "false",
            "F (p & X p & X X !p)",
        ],
    ),
    (Logic::Pml, &["p | !p", "p & EX !p", "EX p & AX !p", "EX p & EX !p", "AX (p & EX p) & EX EX !p", "AX AX false"]),
    (
        Logic::Ctl,
        &[
            "AG p",
            "AF p",
            "EF !p",
            "EG p",
            "AG EF p",
            "EF AG p",
            "A[p U !p]",
            "E[p U AX p]",
            "AG (p -> AF !p)",
            "AG EF p & AG EF !p",
            "AG (p -> EX p)",
            "EG EX p & AF !p",
            "A[EX p R p]",
            "AF AG p & EF !p",
            "AG (p -> (EX !p & AF p))",
            "EF (p & EX (p & EX !p))",
        ],
    ),
    (
        Logic::Mu,
        &[
            "mu X. p | <> X",
            "nu X. p & [] X",
            "nu X. mu Y. (p & <> X) | <> Y",
            "mu X. nu Y. (p & [] Y) | [] X",
            "nu X. mu Y. (p & [] X) | (!p & [] Y)",
            "mu X. nu Y. (p | <> X) & <> Y",
            "mu X. X | p",
            "nu X. <> X",
            "mu X. nu Y. <> (p & Y) | <> (!p & X)",
            "(nu X. mu Y. [] ((p & X) | (!p & Y))) & <> true",
        ],
    ),
    (
        Logic::CtlStar,
        &[
            "E G F p",
            "A F G p",
            "E (G F p & G F !p)",
            "A (F p -> G p)",
            "E F (p & X !p) & A G F p",
            "A (p U !p) | E X p",
            "A G E F p",
            "E X (p & A X !p)",
        ],
    ),
];

fn formula(logic: Logic, text: &str) -> Formula {
    let parsed = parse(text, &ParseOptions::in_logic(logic));
    parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics))
}

/// The two-valued truth at the states of a complete structure, by the definitions.
fn truths(complete: &Kmts, formula: &Formula, deadlocks: Deadlocks) -> Vec<bool> {
    let values = match formula.logic() {
        Logic::Ltl => linear_values(complete, formula, LinearReading::Bg),
        Logic::CtlStar => star_values(complete, formula),
        _ => branching_values(complete, formula, deadlocks),
    };
    values.into_iter().map(|value| value == Belnap::True).collect()
}

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

/// Compares both sides of one formula at the first state.
#[track_caller]
fn compare(partial: &Kmts, formula: &Formula, deadlock: Deadlock, seen: [bool; 2]) -> Belnap {
    let budget = Budget::unlimited();
    let partial = &partial.clone().with_total(deadlock == Deadlock::Total);
    let start = [StateId::new(0)];
    let task = Task::new(partial, formula, common::reading(deadlock), Ask::At(&start), &budget).unwrap();
    let deadlocks = if deadlock == Deadlock::Maximal { Deadlocks::Maximal } else { Deadlocks::Mu };
    let mut exists = [false; 2];
    for (side, wanted) in [(0, true), (1, false)] {
        let wanted_here = Wanted { satisfying: wanted, states: &start, build: true };
        let found = search(&task, wanted_here).unwrap().completions.remove(0);
        if formula.logic() == Logic::Ltl {
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
    for one in &partial {
        let one = &one.clone().with_total(deadlock == Deadlock::Total);
        let among = completions_among(&complete, one, StateId::new(0));
        for (formula, truth) in formulas.iter().zip(&truth) {
            let seen = [true, false].map(|wanted| among.iter().any(|&at| truth[at] == wanted));
            let value = compare(one, formula, deadlock, seen);
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
