//! The automata engine against lassos, refinements, and the plain evaluators of the test kit.

use tertium_base::Budget;
use tertium_check::automata::{AutomataEngine, linear_certificate, linear_open_question};
use tertium_check::{Ask, Engine, Task, Values};
use tertium_evidence::{Deadlock, LinearReading, OpenQuestion, Proof, Reading};
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, StateId};
use tertium_testkit::reference::{Lasso, Steps, lassos, value_on_lasso};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

fn reading(linear: LinearReading) -> Reading {
    Reading { deadlock: Deadlock::Mu, linear }
}

fn with_task<T>(model: &Kmts, formula: &Formula, reading: Reading, use_it: impl FnOnce(&Task<'_>) -> T) -> T {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, reading, Ask::All, &budget).expect("names are known");
    use_it(&task)
}

fn values(model: &Kmts, formula: &Formula, reading: Reading) -> Values {
    with_task(model, formula, reading, |task| AutomataEngine.values(task).expect("supported"))
}

fn ltl(size: usize) -> FormulaShape {
    FormulaShape { size, ..FormulaShape::new(Logic::Ltl) }
}

/// A lasso through these states by edges that `fits` and, where it matters, that count for fairness.
fn through(model: &Kmts, stem: &[StateId], cycle: &[StateId], steps: Steps) -> Vec<Lasso> {
    let states: Vec<StateId> = stem.iter().chain(cycle).copied().collect();
    let wanted = |lasso: &Lasso| lasso.states == states && lasso.entry == stem.len();
    lassos(model, states[0], steps, states.len()).into_iter().filter(wanted).collect()
}

#[test]
fn guarded_values_agree_with_lassos() {
    for_random_cases(400, |case| {
        let mixed = case.number % 4 == 3;
        let shape = StructureShape {
            states: 1..=4,
            fairness: case.number % 3,
            mixed,
            both_labels: mixed,
            ..StructureShape::default()
        };
        let model = case.structure(&shape);
        let formula = case.formula(&ltl(5));
        let values = values(&model, &formula, reading(LinearReading::Bg));
        for state in model.states() {
            let value = values.at(state);
            let seen = |steps, shows: fn(Belnap) -> bool| {
                lassos(&model, state, steps, 5).iter().any(|lasso| shows(value_on_lasso(&model, lasso, &formula)))
            };
            let refuted = seen(Steps::Certain, Belnap::for_false);
            let open = seen(Steps::Possible, |value| !value.for_true());
            assert!(!refuted || value.for_false(), "a certain lasso refutes it at {state:?}, but it is {value}");
            assert!(!open || !value.for_true(), "a possible lasso leaves it open at {state:?}, but it is {value}");
        }
    });
}

#[test]
fn refutations_and_open_paths_are_what_they_claim() {
    for_random_cases(400, |case| {
        let shape =
            StructureShape { states: 1..=4, density: 40, fairness: case.number % 2, ..StructureShape::default() };
        let model = case.structure(&shape);
        let formula = case.formula(&ltl(5));
        with_task(&model, &formula, reading(LinearReading::Bg), |task| {
            let values = AutomataEngine.values(task).expect("supported");
            for state in model.states() {
                let value = values.at(state);
                let proof = linear_certificate(task, state, value).expect("supported");
                match (value, proof) {
                    (Belnap::False, Some(Proof::Lasso { stem, cycle })) if stem.len() + cycle.len() <= 9 => {
                        let found = through(&model, &stem, &cycle, Steps::Certain);
                        let refutes = |lasso: &Lasso| value_on_lasso(&model, lasso, &formula) == Belnap::False;
                        assert!(found.iter().any(refutes), "no refutation: {stem:?} {cycle:?}");
                    }
                    (Belnap::False, Some(Proof::Lasso { .. })) | (Belnap::True, Some(Proof::NoPath)) => {}
                    (Belnap::Unknown, None) => check_open(task, state),
                    other => panic!("at {state:?}: {other:?}"),
                }
            }
        });
    });
}

fn check_open(task: &Task<'_>, state: StateId) {
    let open = linear_open_question(task, state).expect("supported").expect("unknown has an open path");
    let OpenQuestion { play, loop_start, reasons } = open;
    assert!(!reasons.is_empty(), "nothing is open at {state:?}");
    let states: Vec<StateId> = play.iter().map(|step| step.state).collect();
    let (stem, cycle) = states.split_at(loop_start.expect("only infinite paths count"));
    if states.len() <= 9 {
        let found = through(task.model, stem, cycle, Steps::Possible);
        let open = |lasso: &Lasso| value_on_lasso(task.model, lasso, task.formula) != Belnap::True;
        assert!(found.iter().any(open), "the path is true: {stem:?} {cycle:?}");
    }
}

#[test]
fn readings_add_information_in_their_order() {
    let mut more = [0, 0];
    let counts = std::cell::RefCell::new(&mut more);
    for_random_cases(400, |case| {
        let shape = StructureShape {
            states: 1..=4,
            density: 40,
            total: true,
            hyper: case.number % 2 == 0,
            ..StructureShape::default()
        };
        let model = case.structure(&shape);
        let formula = case.formula(&ltl(6));
        let [bg, total, hyper, tg, tg_pnf] = LinearReading::ALL.map(|linear| values(&model, &formula, reading(linear)));
        for state in model.states() {
            let [bg, total, hyper] = [&bg, &total, &hyper].map(|values| values.at(state));
            let [tg, tg_pnf] = [&tg, &tg_pnf].map(|values| values.at(state));
            assert!(bg.info_le(total) && total.info_le(hyper), "at {state:?}: {bg}, {total}, {hyper}");
            assert!(bg != Belnap::False || tg == Belnap::False, "bg false, tg {tg}");
            assert!(tg != Belnap::True || bg == Belnap::True, "tg true, bg {bg}");
            assert_eq!(tg_pnf == Belnap::True, bg == Belnap::True, "tg-pnf true iff bg true");
            assert!(bg.info_le(tg_pnf) && tg_pnf.info_le(total), "at {state:?}: {bg}, {tg_pnf}, {total}");
            let mut counts = counts.borrow_mut();
            counts[0] += usize::from(bg != total);
            counts[1] += usize::from(total != hyper);
        }
    });
    assert!(more.iter().all(|&gained| gained > 0), "no case shows a gain: {more:?}");
}

#[test]
fn refinement_never_loses_a_definite_answer() {
    for_random_cases(300, |case| {
        let total = case.number % 2 == 0;
        let shape = StructureShape { states: 1..=4, density: 40, total, hyper: true, ..StructureShape::default() };
        let model = case.structure(&shape);
        let formula = case.formula(&ltl(6));
        let refinement = if case.number % 3 == 0 { case.completion(&model) } else { case.refinement(&model) };
        let mut readings = vec![LinearReading::Bg, LinearReading::Hyper];
        if total {
            readings.extend([LinearReading::BgTotal, LinearReading::TgPnf]);
        }
        // A refinement may split a must edge into a hyper edge, so the fine side is read with hyper edges.
        let fine = values(&refinement.structure, &formula, reading(LinearReading::Hyper));
        for linear in readings {
            let coarse = values(&model, &formula, reading(linear));
            for state in refinement.structure.states() {
                let (less, more) = (coarse.at(refinement.refines[state.index()]), fine.at(state));
                let kept = less == Belnap::Unknown || less == more;
                assert!(kept, "{}: {less} became {more} at {state:?}", linear.name());
            }
        }
    });
}
