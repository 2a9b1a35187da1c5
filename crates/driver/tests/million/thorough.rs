//! The thorough semantics against completions.

use tertium_base::Budget;
use tertium_check::automata::AutomataEngine;
use tertium_check::explicit::Explicit;
use tertium_check::thorough::{Thorough, Wanted, search, thorough_proof};
use tertium_check::{Ask, Engine, Task};
use tertium_driver::Belnap;
use tertium_evidence::{Certificate, Deadlock, Reading};
use tertium_kernel::check_certificate;
use tertium_lattice::TruthValue;
use tertium_logic::Logic;
use tertium_model::StateId;
use tertium_testkit::completions::truths;
use tertium_testkit::reference::{Deadlocks, refinement_relation};
use tertium_testkit::{Case, FormulaShape, StructureShape};

use super::sample::Tally;
use super::structures::as_read;

/// So many random completions must not contradict "no completion does".
const COMPLETIONS: usize = 6;

/// One structure of few states with formulas of every logic. "Some completion does" is shown by the completion, whose value is found by the
/// definitions; "none does" is tried against random completions and must be accepted by the kernel.
pub fn thorough(case: &mut Case, tally: &mut Tally) {
    let total = case.rng.chance(30);
    let shape = StructureShape {
        states: 2..=3,
        density: *case.rng.pick(&[30, 50]),
        hyper: case.rng.chance(50),
        total,
        ..StructureShape::default()
    };
    let model = case.structure(&shape).with_total(total);
    let completions: Vec<_> = (0..COMPLETIONS).map(|_| case.completion(&model)).collect();
    let reading = Reading { deadlock: if total { Deadlock::Total } else { Deadlock::Mu }, ..Reading::default() };
    let (budget, start) = (Budget::unlimited(), [StateId::new(0)]);
    for logic in [Logic::Pml, Logic::Ctl, Logic::Mu, Logic::Ltl, Logic::CtlStar] {
        let size = *case.rng.pick(&[3, 5]);
        let formula = as_read(&case.formula(&FormulaShape { size, ..FormulaShape::new(logic) }));
        let task = Task::new(&model, &formula, reading, Ask::At(&start), &budget).expect("names are known");
        let mut exists = [false; 2];
        for (side, satisfying) in [(0, true), (1, false)] {
            let wanted = Wanted { satisfying, states: &start, build: true };
            let found = search(&task, wanted).expect("supported").completions.remove(0);
            if let Some(found) = &found {
                assert!(found.structure.is_complete(), "no completion: something is open in it");
                assert!(refinement_relation(&model, &found.structure)[0][0], "no completion of the first state");
                assert_eq!(truths(&found.structure, &formula, Deadlocks::Mu)[0], satisfying, "a completion's value");
            }
            exists[side] = found.is_some();
        }
        for completion in &completions {
            let at =
                completion.refines.iter().position(|state| state.index() == 0).expect("the first state is completed");
            let side = usize::from(!truths(&completion.structure, &formula, Deadlocks::Mu)[at]);
            assert!(exists[side], "a completion is {}, and none was found", side == 0);
        }
        let value = Thorough.values(&task).expect("supported").at(start[0]);
        assert_eq!(value, Belnap::from_evidence(!exists[1], !exists[0]), "left: the engine, right: by completions");
        let engine: &dyn Engine =
            if matches!(logic, Logic::Ltl | Logic::CtlStar) { &AutomataEngine } else { &Explicit };
        let compositional = engine.values(&task).expect("supported").at(start[0]);
        assert!(compositional.info_le(value), "{compositional} became {value}");
        if value.is_definite() {
            certify(&task, value);
            tally.certificates += 1;
        }
        tally.value(value);
    }
}

fn certify(task: &Task<'_>, value: Belnap) {
    let state = StateId::new(0);
    let proof = thorough_proof(task, state, value).expect("supported").expect("a definite value");
    let (formula, logic, reading) = (task.formula.text(), task.formula.logic(), task.reading);
    let certificate = Certificate { formula, logic, reading, state, value, proof };
    if let Err(rejection) = check_certificate(task.model, &certificate, task.budget) {
        panic!("the kernel refuses {certificate:#?}\n{rejection}");
    }
    let opposite = Certificate { value: value.not(), ..certificate };
    let accepted = check_certificate(task.model, &opposite, task.budget).is_ok();
    assert!(!accepted, "the kernel accepts the opposite: {opposite:#?}");
}
