//! Families against their instances, one by one.

use tertium_base::Budget;
use tertium_check::automata::{AutomataEngine, linear_open_question};
use tertium_check::explicit::Explicit;
use tertium_check::family::{FamilyTask, deadlocked_instances, family_answer};
use tertium_check::symbolic::family_sets;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_model::{Format, Model, ParamModel, StateId, read_bytes};
use tertium_testkit::families::random_family;
use tertium_testkit::{FormulaShape, for_random_cases};

fn read(text: &str) -> ParamModel {
    let loaded = read_bytes("case", Format::Json, text.as_bytes(), &Budget::unlimited()).expect("no limit");
    match loaded.model {
        Some(Model::Param(model)) => model,
        other => panic!("{other:?} {:?}", loaded.diagnostics),
    }
}

fn has_reachable_deadlock(model: &tertium_model::Kmts) -> bool {
    let mut seen = vec![StateId::new(0)];
    let mut at = 0;
    while at < seen.len() {
        for target in model.may_successors(seen[at]) {
            if !seen.contains(&target) {
                seen.push(target);
            }
        }
        at += 1;
    }
    seen.into_iter().any(|state| model.is_dead(state))
}

#[test]
fn families_agree_with_their_instances() {
    let mut counts = [0, 0];
    let saved = std::cell::RefCell::new(&mut counts);
    for_random_cases(300, |case| {
        let text = random_family(&mut case.rng);
        case.keep("family.json", text.clone());
        let model = read(&text);
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Ltl) });
        let linear = LinearReading::ALL[case.number % 5];
        let deadlock = [Deadlock::Mu, Deadlock::Total, Deadlock::Maximal][case.number % 3];
        let reading = Reading { deadlock, linear };
        let budget = Budget::unlimited();
        let task = FamilyTask { model: &model, formula: &formula, reading, state: StateId::new(0), budget: &budget };
        let reasons = |task: &Task<'_>, state| {
            Ok(linear_open_question(task, state)?.map(|question| question.reasons).unwrap_or_default())
        };
        let answer = family_answer(&task, &AutomataEngine, &reasons).expect("supported");
        let dead = deadlocked_instances(&task).expect("no limit").expect("few parameters");
        let mut all = Vec::new();
        for assignment in model.assignments().expect("few") {
            let instance = model.instance(&assignment).expect("small");
            let at = [StateId::new(0)];
            let single = Task::new(&instance, &formula, reading, Ask::At(&at), &budget).expect("names are known");
            let value = AutomataEngine.values(&single).expect("supported").at(at[0]);
            let told = Belnap::from_evidence(answer.holds.holds(&assignment), answer.fails.holds(&assignment));
            assert_eq!(told, value, "{} {deadlock:?} under {assignment:?}", linear.name());
            assert_eq!(answer.open.holds(&assignment), value == Belnap::Unknown);
            assert_eq!(dead.holds(&assignment), has_reachable_deadlock(&instance), "deadlock under {assignment:?}");
            all.push(value);
        }
        let same = all.iter().all(|value| *value == all[0]);
        assert_eq!(answer.value, if same { all[0] } else { Belnap::Unknown });
        let mut saved = saved.borrow_mut();
        saved[0] += answer.evaluated;
        saved[1] += all.len();
    });
    assert!(counts[0] < counts[1], "splitting costs more than enumerating: {counts:?}");
}

/// All instances at once, as sets over the parameters, against the instances one by one.
#[test]
fn sets_of_instances_agree_with_the_instances() {
    for_random_cases(300, |case| {
        let text = random_family(&mut case.rng);
        case.keep("family.json", text.clone());
        let model = read(&text);
        let logics = [Logic::Pml, Logic::Ctl, Logic::Mu, Logic::Ltl, Logic::CtlStar, Logic::Ltl];
        let logic = logics[case.number % logics.len()];
        let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(logic) });
        let deadlock = *case.rng.pick(&[Deadlock::Mu, Deadlock::Total, Deadlock::Maximal]);
        let reading = Reading { deadlock, linear: *case.rng.pick(&LinearReading::ALL) };
        let budget = Budget::unlimited();
        let task = FamilyTask { model: &model, formula: &formula, reading, state: StateId::new(0), budget: &budget };
        let answer = family_sets(&task).expect("supported");
        for assignment in model.assignments().expect("few") {
            let instance = model.instance(&assignment).expect("small");
            let at = [StateId::new(0)];
            let single = Task::new(&instance, &formula, reading, Ask::At(&at), &budget).expect("names are known");
            let paths = matches!(logic, Logic::Ltl | Logic::CtlStar);
            let engine: &dyn Engine = if paths { &AutomataEngine } else { &Explicit };
            let value = engine.values(&single).expect("supported").at(at[0]);
            let told = Belnap::from_evidence(answer.holds.holds(&assignment), answer.fails.holds(&assignment));
            assert_eq!(told, value, "{} {reading:?} under {assignment:?}", logic.name());
        }
    });
}
