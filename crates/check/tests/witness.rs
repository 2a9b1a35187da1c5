//! Evidence of branching answers: proofs are accepted by the checker, tampered ones are not, and what an
//! unknown points at is open.

mod common;

use common::{CONVENTIONS, random_shape, reading};
use tertium_base::Budget;
use tertium_check::game::ParityGame;
use tertium_check::witness::{RunStep, branching_certificate, open_question, open_question_by_labels, readable_run};
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::{Certificate, Choice, Claim, Deadlock, Proof, Reason};
use tertium_kernel::{Subject, check_certificate_of, check_open_question};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, KmtsBuilder, StateId};
use tertium_testkit::{Case, FormulaShape, StructureShape, for_random_cases};

const CONSTANTS: [(&str, Belnap); 4] =
    [("t", Belnap::True), ("f", Belnap::False), ("u", Belnap::Unknown), ("b", Belnap::Both)];

fn constants() -> Vec<(String, Belnap)> {
    CONSTANTS.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
}

fn parsed(text: &str, logic: Logic) -> Formula {
    let elements = constants().into_iter().map(|(name, _)| name).collect();
    let parsed = parse(text, &ParseOptions { logic: Some(logic), elements });
    parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics))
}

/// A formula as the checker will parse it again.
fn random_formula(case: &mut Case, shape: &StructureShape, with_constants: bool) -> Formula {
    let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Ctl, Logic::Mu]);
    let elements = if with_constants && case.rng.chance(20) {
        ["t", "f", "u", "b"].map(str::to_owned).to_vec()
    } else {
        Vec::new()
    };
    let size = *case.rng.pick(&[4, 8, 14]);
    let guarded = case.rng.chance(70);
    let wanted = FormulaShape { size, actions: shape.action_names(), elements, guarded, ..FormulaShape::new(logic) };
    parsed(&case.formula(&wanted).text(), logic)
}

fn certificate(task: &Task<'_>, state: StateId, value: Belnap, proof: Proof) -> Certificate {
    let (formula, logic) = (task.formula.text(), task.formula.logic());
    Certificate { formula, logic, reading: task.reading, state, value, proof }
}

fn claims_of(task: &Task<'_>, state: StateId, value: Belnap) -> Vec<Claim> {
    match branching_certificate(task, state, value).unwrap() {
        Some(Proof::Claims(claims)) => claims,
        other => panic!("no claims but {other:?}"),
    }
}

#[test]
fn every_proof_is_accepted_and_no_wrong_value_has_one() {
    for_random_cases(1500, |case| {
        let shape = StructureShape { fairness: 0, ..random_shape(case) };
        let model = case.structure(&shape);
        let formula = random_formula(case, &shape, true);
        let budget = Budget::unlimited();
        for (deadlock, _) in CONVENTIONS {
            if deadlock == Deadlock::Total && model.states().any(|state| model.is_dead(state)) {
                continue;
            }
            let task = Task::new(&model, &formula, reading(deadlock), Ask::All, &budget).unwrap();
            let values = ParityGame.values(&task).unwrap();
            for state in model.states() {
                for (value, evident) in
                    [(Belnap::True, values.at(state).for_true()), (Belnap::False, values.at(state).for_false())]
                {
                    let proof = branching_certificate(&task, state, value).unwrap();
                    assert_eq!(proof.is_some(), evident, "{deadlock:?} {state:?} {value}");
                    let Some(proof) = proof else { continue };
                    let certificate = certificate(&task, state, value, proof);
                    let verdict =
                        check_certificate_of(&model, Subject::structure(&model), &certificate, &constants(), &budget);
                    assert!(verdict.is_ok(), "{deadlock:?} {state:?} {value}: {verdict:?}\n{:?}", certificate.proof);
                }
            }
        }
    });
}

#[test]
fn a_proof_without_one_of_its_claims_is_refused() {
    for_random_cases(300, |case| {
        let shape = StructureShape { fairness: 0, mixed: false, both_labels: false, ..random_shape(case) };
        let model = case.structure(&shape);
        let formula = random_formula(case, &shape, false);
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
        let values = ParityGame.values(&task).unwrap();
        for state in model.states().filter(|&state| values.at(state).is_definite()) {
            let mut claims = claims_of(&task, state, values.at(state));
            let dropped = case.rng.below(claims.len());
            claims.remove(dropped);
            let certificate = certificate(&task, state, values.at(state), Proof::Claims(claims));
            assert!(
                check_certificate_of(&model, Subject::structure(&model), &certificate, &[], &budget).is_err(),
                "claim {dropped} was not needed"
            );
        }
    });
}

#[test]
fn open_questions_are_legal_plays_that_stop_at_open_elements() {
    for_random_cases(2000, |case| {
        let shape = StructureShape { fairness: 0, actions: 0, ..random_shape(case) };
        let model = case.structure(&shape);
        let formula = random_formula(case, &shape, false);
        let budget = Budget::unlimited();
        for (deadlock, _) in CONVENTIONS {
            let task = Task::new(&model, &formula, reading(deadlock), Ask::All, &budget).unwrap();
            let values = ParityGame.values(&task).unwrap();
            for state in model.states() {
                let question = open_question(&task, state, 20).unwrap();
                assert_eq!(question.is_some(), values.at(state) == Belnap::Unknown);
                let Some(question) = question else { continue };
                let verdict = check_open_question(&model, &formula, task.reading, state, &question);
                assert!(verdict.is_ok(), "{deadlock:?} {state:?}: {verdict:?}\n{question:?}");
            }
        }
    });
}

#[test]
fn reasons_read_off_labels_are_legal_and_mostly_found() {
    let (unknown, found) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(1500, |case| {
        let shape = StructureShape { fairness: 0, actions: 0, ..random_shape(case) };
        let model = case.structure(&shape);
        let formula = case.formula(&FormulaShape::new(*case.rng.clone().pick(&[Logic::Pml, Logic::Ctl])));
        let budget = Budget::unlimited();
        for (deadlock, _) in CONVENTIONS {
            let task = Task::new(&model, &formula, reading(deadlock), Ask::All, &budget).unwrap();
            let values = ParityGame.values(&task).unwrap();
            for state in model.states() {
                let question = open_question_by_labels(&task, state).unwrap();
                if values.at(state) != Belnap::Unknown {
                    assert_eq!(question, None);
                    continue;
                }
                unknown.set(unknown.get() + 1);
                let Some(question) = question else { continue };
                found.set(found.get() + 1);
                let verdict = check_open_question(&model, &formula, task.reading, state, &question);
                assert!(verdict.is_ok(), "{deadlock:?} {state:?}: {verdict:?}\n{question:?}");
            }
        }
    });
    assert!(found.get() * 10 > unknown.get() * 8, "{} of {}", found.get(), unknown.get());
}

/// Opens exactly one label or edge of a complete structure; gives it with what was opened.
fn opened(case: &mut Case, complete: &Kmts) -> (Kmts, Reason) {
    let rng = &mut case.rng;
    let at_label = complete.edge_count() == 0 || rng.chance(50);
    let (state, prop) = (rng.below(complete.state_count()), rng.below(complete.props().len()));
    let edge = if at_label { usize::MAX } else { rng.below(complete.edge_count()) };
    let mut builder = KmtsBuilder::new();
    for from in complete.states() {
        builder.add_state(complete.state_name(from));
    }
    for (number, name) in complete.props().iter().enumerate() {
        let id = builder.add_prop(name);
        for at in complete.states() {
            let open = at_label && (at.index(), number) == (state, prop);
            builder.set_label(at, id, if open { Belnap::Unknown } else { complete.label(at, id) });
        }
    }
    let mut reason = Reason::Label { state: StateId::new(state), prop: tertium_model::PropId::new(prop) };
    for from in complete.states() {
        for step in complete.edges_from(from) {
            builder.add_edge(from, step.target, true, step.id.index() != edge, None);
            if step.id.index() == edge {
                let direction = tertium_evidence::StepDirection::Exists;
                reason = Reason::Edge { from, to: step.target, direction };
            }
        }
    }
    let model = builder.finish().unwrap();
    case.keep("opened.kmts", tertium_testkit::show_structure(&model));
    (model, reason)
}

#[test]
fn the_only_open_element_is_the_only_reason() {
    let unknowns = std::cell::Cell::new(0);
    for_random_cases(3000, |case| {
        let shape = StructureShape { complete: true, density: 40, ..StructureShape::default() };
        let complete = case.structure(&shape);
        let (model, expected) = opened(case, &complete);
        let formula = random_formula(case, &shape, false);
        let budget = Budget::unlimited();
        for (deadlock, _) in CONVENTIONS {
            let task = Task::new(&model, &formula, reading(deadlock), Ask::All, &budget).unwrap();
            for state in model.states() {
                let Some(question) = open_question(&task, state, 20).unwrap() else { continue };
                unknowns.set(unknowns.get() + 1);
                // One edge can matter to several operators, in either direction.
                let fits = |reason: &Reason| match (reason, &expected) {
                    (Reason::Edge { from, to, .. }, Reason::Edge { from: a, to: b, .. }) => (from, to) == (a, b),
                    (reason, expected) => reason == expected,
                };
                let same = !question.reasons.is_empty() && question.reasons.iter().all(fits);
                assert!(same, "{deadlock:?} {state:?}: {question:?} instead of {expected:?}");
            }
        }
    });
    assert!(unknowns.get() > 300, "too few unknown values to mean anything");
}

/// A chain `s0 -> s1 -> … -> s4 -> s4` of certain steps with a detour, `p` at the end.
fn chain() -> Kmts {
    let mut builder = KmtsBuilder::new();
    let p = builder.add_prop("p");
    let states: Vec<_> = (0..5).map(|at| builder.add_state(&format!("s{at}"))).collect();
    for (at, &state) in states.iter().enumerate() {
        builder.set_label(state, p, Belnap::from(at == 4));
        builder.add_edge(state, states[(at + 1).min(4)], true, true, None);
    }
    builder.add_edge(states[2], states[0], true, true, None);
    builder.add_edge(states[1], states[3], true, true, None);
    builder.finish().unwrap()
}

fn run_of(text: &str, value: Belnap) -> (Vec<usize>, Option<usize>, bool) {
    let model = chain();
    let formula = parsed(text, Logic::Ctl);
    let budget = Budget::unlimited();
    let task = Task::new(&model, &formula, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
    let claims = claims_of(&task, StateId::new(0), value);
    let run = readable_run(&task, &claims).unwrap();
    assert_eq!(run.states[0].1, RunStep::Start);
    assert!(run.states[1..].iter().all(|&(_, how)| how == RunStep::Certain));
    (run.states.iter().map(|(state, _)| state.index()).collect(), run.loop_start, run.complete)
}

#[test]
fn runs_inside_proofs_are_shortest() {
    assert_eq!(run_of("EF p", Belnap::True), (vec![0, 1, 3, 4], None, true));
    assert_eq!(run_of("AG !p", Belnap::False), (vec![0, 1, 3, 4], None, true));
    assert_eq!(run_of("E[!p U p]", Belnap::True), (vec![0, 1, 3, 4], None, true));
    assert_eq!(run_of("EG !p", Belnap::True), (vec![0, 1, 2], Some(0), true));
    assert_eq!(run_of("AF p", Belnap::False), (vec![0, 1, 2], Some(0), true));
    assert_eq!(run_of("EX EX !p", Belnap::True), (vec![0, 1, 2], None, true));
    assert!(!run_of("AG EX !p", Belnap::False).2);
    assert_eq!(run_of("AF (p | EX true)", Belnap::True).0, [0, 1]);
}

#[test]
fn into_lists_are_ascending() {
    for_random_cases(300, |case| {
        let shape = StructureShape { fairness: 0, hyper: true, ..random_shape(case) };
        let model = case.structure(&shape);
        let formula = parsed("EF (p & EX q) & EG (q | EX p)", Logic::Ctl);
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading(Deadlock::Mu), Ask::All, &budget).unwrap();
        for state in model.states() {
            if let Some(Proof::Claims(claims)) = branching_certificate(&task, state, Belnap::True).unwrap() {
                for claim in claims {
                    if let Choice::Into(members) = claim.choice {
                        assert!(members.is_sorted_by(|a, b| a < b));
                    }
                }
            }
        }
    });
}
