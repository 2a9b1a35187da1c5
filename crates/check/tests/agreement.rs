//! All engines give one value, and more knowledge never takes a definite value back.
//!
//! With `make test-long` this runs over ten thousand structures.

mod common;

use tertium_base::Budget;
use tertium_check::automata::AutomataEngine;
use tertium_check::explicit::Explicit;
use tertium_check::game::ParityGame;
use tertium_check::reduction::{ActionBit, Reduction};
use tertium_check::symbolic::{Symbolic, ternary_values};
use tertium_check::{Ask, Engine, Task, Values};
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, KmtsBuilder};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

const ENGINES: [&dyn Engine; 6] = [&Explicit, &ParityGame, &Reduction, &ActionBit, &AutomataEngine, &Symbolic];

/// The values of every engine that supports the question.
fn values(model: &Kmts, formula: &Formula, reading: Reading) -> Vec<(&'static str, Values)> {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, reading, Ask::All, &budget).expect("generated names are known");
    ENGINES
        .iter()
        .filter(|engine| engine.supports(&task).is_ok())
        .map(|engine| (engine.name(), engine.values(&task).expect("a supported task has values")))
        .collect()
}

fn agreed(model: &Kmts, formula: &Formula, reading: Reading) -> (usize, Values) {
    let all = values(model, formula, reading);
    let (first, expected) = &all[0];
    for (other, found) in &all[1..] {
        for state in model.states() {
            let name = model.state_name(state);
            assert_eq!(found.at(state), expected.at(state), "{other} against {first} at {name} under {reading:?}");
        }
    }
    (all.len(), expected.clone())
}

#[test]
fn engines_agree_on_branching_formulas() {
    let most = std::cell::Cell::new(0);
    for_random_cases(200, |case| {
        let shape = common::random_shape(case);
        let model = case.structure(&shape);
        for logic in [Logic::Pml, Logic::Ctl, Logic::Mu] {
            let formula = common::random_formula(case, logic, &model, &shape);
            for (deadlock, _) in common::CONVENTIONS {
                let (engines, _) = agreed(&model, &formula, common::reading(deadlock));
                assert!(engines >= 4, "explicit, game, reduction and sets evaluate all branching formulas");
                most.set(most.get().max(engines));
            }
        }
    });
    assert_eq!(most.get(), 5, "the form with the action bit takes part");
}

/// Fixpoints that depend on each other: when the outer one moves, the inner one begins again. Few random formulas are of this kind.
#[test]
fn engines_agree_on_alternating_fixpoints() {
    let texts = [
        "mu X. nu Y. (p & [] Y) | [] X",
        "nu X. mu Y. (p | <> Y) & <> X",
        "mu X. nu Y. (p | <> X) & <> Y",
        "nu X. mu Y. (p & [] X) | (!p & [] Y)",
        "nu Z. mu X. nu Y. (p & <> X) | (q & <> Y) | (!q & <> Z)",
        "mu Z. nu X. mu Y. (p | [] X) & (q | [] Y) & (!q | [] Z)",
    ];
    for_random_cases(150, |case| {
        let hyper = case.rng.chance(30);
        let model = case.structure(&StructureShape { hyper, ..StructureShape::default() });
        for text in texts {
            let parsed = parse(text, &ParseOptions::in_logic(Logic::Mu));
            agreed(&model, &parsed.formula.expect("a formula"), common::reading(Deadlock::Mu));
        }
    });
}

/// Always `p` from some time on, on every path: a state that may stay where `p` holds, or leave to where it comes back for ever.
#[test]
fn an_inner_fixpoint_begins_again_when_the_outer_one_moves() {
    let mut builder = KmtsBuilder::new();
    let p = builder.add_prop("p");
    let states: Vec<_> = ["stays", "leaves", "back"].iter().map(|name| builder.add_state(name)).collect();
    for (&state, holds) in states.iter().zip([Belnap::True, Belnap::False, Belnap::True]) {
        builder.set_label(state, p, holds);
    }
    for (from, to) in [(0, 0), (0, 1), (1, 2), (2, 2)] {
        builder.add_edge(states[from], states[to], true, true, None);
    }
    builder.add_init(states[0]);
    let model = builder.finish().expect("it is small");
    for (text, value) in
        [("mu X. nu Y. (p & [] Y) | [] X", Belnap::True), ("nu X. mu Y. (!p | <> Y) & <> X", Belnap::False)]
    {
        let formula = parse(text, &ParseOptions::in_logic(Logic::Mu)).formula.expect("a formula");
        for (engine, values) in values(&model, &formula, common::reading(Deadlock::Mu)) {
            assert_eq!(values.at(states[0]), value, "{engine}: {text}");
        }
    }
}

/// Somebody surely steps by `a`, nobody knows where to: that says nothing of steps by `b`.
#[test]
fn a_certain_set_of_one_action_says_nothing_of_another() {
    let mut builder = KmtsBuilder::new();
    let states: Vec<_> = ["0", "1", "2"].iter().map(|name| builder.add_state(name)).collect();
    let (a, b) = (builder.add_action("a"), builder.add_action("b"));
    for action in [a, b] {
        builder.add_edge(states[0], states[1], true, false, Some(action));
        builder.add_edge(states[0], states[2], true, false, Some(action));
    }
    builder.add_hyper(states[0], &[states[1], states[2]], Some(a));
    builder.add_init(states[0]);
    let model = builder.finish().expect("it is small");
    for (text, value) in [("<a> true", Belnap::True), ("<b> true", Belnap::Unknown), ("[b] false", Belnap::Unknown)] {
        let formula = parse(text, &ParseOptions::in_logic(Logic::Mu)).formula.expect("a formula");
        for (engine, values) in values(&model, &formula, common::reading(Deadlock::Mu)) {
            assert_eq!(values.at(states[0]), value, "{engine}: {text}");
        }
    }
}

#[test]
fn refinement_never_takes_a_definite_value_back() {
    for_random_cases(200, |case| {
        let shape =
            StructureShape { hyper: case.rng.chance(50), total: case.rng.chance(20), ..StructureShape::default() };
        let model = case.structure(&shape);
        let finer = case.refinement(&model);
        for logic in Logic::WITHOUT_PLAYERS {
            // A quantifier of CTL* asks for a path of must edges. Splitting a state may turn a must edge into a
            // hyper edge, and then its truth is lost, as docs/soundness.md says.
            if logic == Logic::CtlStar && finer.structure.hyper_count() > 0 {
                continue;
            }
            let formula = case.formula(&FormulaShape::new(logic));
            let reading = Reading { deadlock: Deadlock::Mu, linear: LinearReading::Hyper };
            let (_, coarse) = agreed(&model, &formula, reading);
            let (_, fine) = agreed(&finer.structure, &formula, reading);
            for state in finer.structure.states() {
                let (before, after) = (coarse.at(finer.refines[state.index()]), fine.at(state));
                let name = finer.structure.state_name(state);
                assert!(before.info_le(after), "{} at {name}: {before} became {after}", logic.name());
            }
        }
    });
}

#[test]
fn a_state_has_the_same_value_asked_alone_and_with_all() {
    for_random_cases(300, |case| {
        let shape = common::random_shape(case);
        let model = case.structure(&shape);
        let budget = Budget::unlimited();
        for logic in Logic::WITHOUT_PLAYERS {
            let formula = case.formula(&FormulaShape::new(logic));
            let linear = *case.rng.pick(&LinearReading::ALL);
            let deadlock = *case.rng.pick(&[Deadlock::Mu, Deadlock::Maximal, Deadlock::Total]);
            let reading = Reading { deadlock, linear };
            for (name, all) in values(&model, &formula, reading) {
                let engine = ENGINES.iter().find(|engine| engine.name() == name).expect("it has answered");
                for state in model.states() {
                    let ask = [state];
                    let task = Task::new(&model, &formula, reading, Ask::At(&ask), &budget).expect("names are known");
                    let alone = engine.values(&task).expect("it has answered").at(state);
                    assert_eq!(alone, all.at(state), "{name} at {} under {reading:?}", model.state_name(state));
                }
            }
        }
    });
}

fn constants() -> Vec<String> {
    ["t", "f", "u", "b"].map(str::to_owned).to_vec()
}

/// Formulas about paths under every reading: the engine over sets finds what the automata do.
#[test]
fn sets_agree_with_automata_on_paths() {
    for_random_cases(300, |case| {
        let mut shape = common::random_shape(case);
        if case.rng.chance(50) {
            (shape.hyper, shape.total) = (false, false);
        }
        let model = case.structure(&shape);
        for (logic, linear) in
            [Logic::Ltl, Logic::CtlStar].into_iter().flat_map(|logic| LinearReading::ALL.map(|linear| (logic, linear)))
        {
            let elements = if case.rng.chance(20) { constants() } else { Vec::new() };
            let formula = case.formula(&FormulaShape { elements, ..FormulaShape::new(logic) });
            for (deadlock, _) in common::CONVENTIONS {
                let (engines, _) = agreed(&model, &formula, Reading { deadlock, linear });
                assert_eq!(engines, 2, "automata and sets decide every formula about paths under {linear:?}");
            }
        }
    });
}

/// The values of steps inside the operators: over sets what they are by automata, on structures of all kinds.
#[test]
fn sets_agree_with_automata_on_values_of_steps() {
    let unlike = std::cell::Cell::new([0usize; 2]);
    for_random_cases(300, |case| {
        let shape = StructureShape {
            states: 1..=*case.rng.pick(&[3, 5, 9]),
            actions: *case.rng.pick(&[0, 0, 2]),
            hyper: case.rng.chance(40),
            mixed: case.rng.chance(30),
            both_labels: case.rng.chance(20),
            fairness: *case.rng.pick(&[0, 0, 1, 3]),
            total: case.rng.chance(20),
            complete: case.rng.chance(10),
            ..StructureShape::default()
        };
        let model = case.structure(&shape);
        let elements = if case.rng.chance(20) { constants() } else { Vec::new() };
        for (at, linear) in [LinearReading::Tg, LinearReading::TgPnf].into_iter().enumerate() {
            let formula =
                case.formula(&FormulaShape { size: 7, elements: elements.clone(), ..FormulaShape::new(Logic::Ltl) });
            for (deadlock, _) in common::CONVENTIONS {
                let (engines, found) = agreed(&model, &formula, Reading { deadlock, linear });
                assert_eq!(engines, 2, "sets decide it");
                let (_, plain) = agreed(&model, &formula, Reading { deadlock, linear: LinearReading::Bg });
                let mut counts = unlike.get();
                counts[at] += usize::from(model.states().any(|state| found.at(state) != plain.at(state)));
                unlike.set(counts);
            }
        }
    });
    assert!(unlike.get().iter().all(|&count| count > 0), "values of steps never matter: {:?}", unlike.get());
}

/// Strategies that are fair to more constraints than there could be combinations of.
#[test]
fn sets_agree_with_automata_on_many_constraints() {
    let most = std::cell::Cell::new(0);
    for_random_cases(40, |case| {
        let shape = StructureShape {
            states: 1..=4,
            hyper: true,
            fairness: *case.rng.pick(&[3, 5, 7, 8]),
            total: case.rng.chance(50),
            ..StructureShape::default()
        };
        let model = case.structure(&shape);
        most.set(most.get().max(model.fairness().len()));
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Ltl) });
        for (deadlock, _) in common::CONVENTIONS {
            let (engines, _) = agreed(&model, &formula, Reading { deadlock, linear: LinearReading::Hyper });
            assert_eq!(engines, 2, "sets decide it");
        }
    });
    assert!(most.get() >= 7, "at most {} constraints", most.get());
}

/// One diagram with three values says what two sets say.
#[test]
fn three_values_in_one_diagram_are_two_sets() {
    let answered = std::cell::Cell::new(0usize);
    for_random_cases(200, |case| {
        let shape = StructureShape { states: 1..=6, ..StructureShape::default() };
        let model = case.structure(&shape);
        let budget = Budget::unlimited();
        for logic in [Logic::Pml, Logic::Ctl, Logic::Mu] {
            let formula = case.formula(&FormulaShape::new(logic));
            let task = Task::new(&model, &formula, Reading::default(), Ask::All, &budget).expect("names are known");
            let Ok(found) = ternary_values(&task) else { continue };
            assert_eq!(found, Explicit.values(&task).expect("supported"), "{}", logic.name());
            answered.set(answered.get() + 1);
        }
    });
    assert!(answered.get() > 100, "only {} answered", answered.get());
}

/// Where the quantifiers over all paths can be dropped, both formulas have one value on structures without open parts or ends.
#[test]
fn the_common_fragment_means_the_same_in_both_logics() {
    let compared = std::cell::Cell::new(0);
    for_random_cases(200, |case| {
        let shape = StructureShape { total: true, complete: true, states: 1..=4, ..StructureShape::default() };
        let model = case.structure(&shape);
        for _ in 0..10 {
            let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(Logic::Ctl) });
            let Some(linear) = tertium_logic::linear_form(&formula) else { continue };
            let (_, branching) = agreed(&model, &formula, Reading::default());
            let (_, paths) = agreed(&model, &linear, Reading::default());
            for state in model.states() {
                assert_eq!(branching.at(state), paths.at(state), "{} against {}", formula.text(), linear.text());
            }
            compared.set(compared.get() + 1);
        }
    });
    assert!(compared.get() > 100, "only {} formulas are of the fragment", compared.get());
}
