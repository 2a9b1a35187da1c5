//! Structures: every engine against the definitions at every state, and the kernel on every definite value.

use tertium_base::Budget;
use tertium_check::automata::{AutomataEngine, linear_certificate};
use tertium_check::explicit::Explicit;
use tertium_check::game::ParityGame;
use tertium_check::reduction::{ActionBit, Reduction};
use tertium_check::symbolic::Symbolic;
use tertium_check::witness::branching_certificate;
use tertium_check::{Ask, Engine, Task};
use tertium_driver::Belnap;
use tertium_evidence::{Certificate, Deadlock, LinearReading, Proof, Reading};
use tertium_kernel::check_certificate;
use tertium_lattice::TruthValue;
use tertium_logic::{Formula, Logic, ParseOptions, fair_ctl, parse};
use tertium_model::{Kmts, StateId};
use tertium_testkit::reference::{self, Deadlocks, branching_values, linear_values, star_values};
use tertium_testkit::{Case, FormulaShape, StructureShape};

use super::sample::Tally;

const ENGINES: [&dyn Engine; 6] = [&Explicit, &ParityGame, &Reduction, &ActionBit, &AutomataEngine, &Symbolic];

/// Deadlock conventions with the names that the definitions have for them.
const CONVENTIONS: [(Deadlock, Deadlocks); 3] =
    [(Deadlock::Mu, Deadlocks::Mu), (Deadlock::Maximal, Deadlocks::Maximal), (Deadlock::Total, Deadlocks::Total)];

/// A formula as its printed text is read: proofs speak of these nodes.
pub fn as_read(formula: &Formula) -> Formula {
    let text = formula.text();
    let parsed = parse(&text, &ParseOptions::in_logic(formula.logic()));
    parsed.formula.unwrap_or_else(|| panic!("`{text}`: {:?}", parsed.diagnostics))
}

/// Every engine that supports the task gives these values; how many did.
fn agree(task: &Task<'_>, expected: &[Belnap]) -> usize {
    let mut count = 0;
    for engine in ENGINES.iter().filter(|engine| engine.supports(task).is_ok()) {
        let found = engine.values(task).unwrap_or_else(|error| panic!("{}: {error:?}", engine.name()));
        for state in task.model.states() {
            let (found, expected) = (found.at(state), expected[state.index()]);
            let name = task.model.state_name(state);
            assert_eq!(
                found,
                expected,
                "left: {}, right: the definition, at {name} under {:?}",
                engine.name(),
                task.reading
            );
        }
        count += 1;
    }
    count
}

/// The kernel accepts a proof of each value that there is evidence for, and not the same proof of the opposite.
fn certify(
    task: &Task<'_>,
    (text, logic): (&str, Logic),
    values: &[Belnap],
    prove: impl Fn(StateId, Belnap) -> Option<Proof>,
) -> u64 {
    let mut count = 0;
    for state in task.model.states() {
        let found = values[state.index()];
        let shown = [(Belnap::True, found.for_true()), (Belnap::False, found.for_false())];
        for (value, _) in shown.into_iter().filter(|(_, evident)| *evident) {
            let proof = prove(state, value).unwrap_or_else(|| panic!("no proof of {value} at {state:?}"));
            let certificate =
                Certificate { formula: text.to_owned(), logic, reading: task.reading, state, value, proof };
            if let Err(rejection) = check_certificate(task.model, &certificate, task.budget) {
                panic!("the kernel refuses {certificate:#?}\n{rejection}");
            }
            if found.is_definite() {
                let opposite = Certificate { value: value.not(), ..certificate };
                let accepted = check_certificate(task.model, &opposite, task.budget).is_ok();
                assert!(!accepted, "the kernel accepts the opposite: {opposite:#?}");
            }
            count += 1;
        }
    }
    count
}

fn branching_shape(case: &mut Case) -> StructureShape {
    let rng = &mut case.rng;
    StructureShape {
        states: 1..=*rng.pick(&[2, 4, 6]),
        density: *rng.pick(&[15, 30, 50]),
        hyper: rng.chance(60),
        mixed: rng.chance(30),
        both_labels: rng.chance(30),
        fairness: if rng.chance(30) { 2 } else { 0 },
        actions: *rng.pick(&[0, 0, 1, 2]),
        total: rng.chance(20),
        ..StructureShape::default()
    }
}

/// PML, CTL and the mu-calculus under every deadlock convention. CTL is about fair paths where there are constraints.
pub fn branching(case: &mut Case, tally: &mut Tally) {
    let shape = branching_shape(case);
    let model = case.structure(&shape);
    for logic in [Logic::Pml, Logic::Ctl, Logic::Mu] {
        let actions = if logic == Logic::Ctl { Vec::new() } else { shape.action_names() };
        let (size, guarded) = (*case.rng.pick(&[4, 8, 14]), case.rng.chance(70));
        let drawn = case.formula(&FormulaShape { size, actions, guarded, ..FormulaShape::new(logic) });
        let plain = as_read(&drawn);
        let constraints = model.fairness().len();
        let formula = if logic == Logic::Ctl && constraints > 0 {
            fair_ctl(&plain, constraints).expect("a formula of CTL")
        } else {
            plain.clone()
        };
        for (deadlock, convention) in CONVENTIONS {
            branching_case(&model, (&plain, &formula), (deadlock, convention), tally);
        }
    }
}

fn branching_case(
    model: &Kmts,
    (plain, formula): (&Formula, &Formula),
    (deadlock, convention): (Deadlock, Deadlocks),
    tally: &mut Tally,
) {
    let budget = Budget::unlimited();
    let reading = Reading { deadlock, ..Reading::default() };
    let task = Task::new(model, formula, reading, Ask::All, &budget).expect("names are known");
    let expected = branching_values(model, formula, convention);
    assert!(agree(&task, &expected) >= 4, "explicit, game, reduction and sets evaluate all branching formulas");
    let prove = |state, value| branching_certificate(&task, state, value).expect("supported");
    tally.certificates += certify(&task, (&plain.text(), plain.logic()), &expected, prove);
    tally.value(expected[0]);
}

fn path_shape(case: &mut Case, most_states: usize) -> StructureShape {
    let mixed = case.rng.chance(20);
    StructureShape {
        states: 1..=most_states,
        density: *case.rng.pick(&[30, 40, 50]),
        fairness: case.rng.below(3),
        mixed,
        both_labels: mixed,
        complete: !mixed && case.rng.chance(12),
        ..StructureShape::default()
    }
}

/// LTL under the readings that have a definition of their own.
pub fn linear(case: &mut Case, tally: &mut Tally) {
    let readings = [
        (LinearReading::Bg, reference::LinearReading::Bg),
        (LinearReading::BgTotal, reference::LinearReading::BgTotal),
        (LinearReading::Tg, reference::LinearReading::Tg),
        (LinearReading::TgPnf, reference::LinearReading::TgPnf),
    ];
    let shape = path_shape(case, 4);
    let model = case.structure(&shape);
    let size = *case.rng.pick(&[3, 5, 5, 7]);
    let formula = as_read(&case.formula(&FormulaShape { size, ..FormulaShape::new(Logic::Ltl) }));
    let budget = Budget::unlimited();
    for (linear, exact) in readings {
        // Where something certain is impossible there is no system that has a path from everywhere.
        if shape.mixed && linear == LinearReading::BgTotal {
            continue;
        }
        let reading = Reading { deadlock: Deadlock::Mu, linear };
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        let expected = linear_values(&model, &formula, exact);
        assert_eq!(agree(&task, &expected), 2, "automata and sets decide every formula about paths");
        let prove = |state, value| linear_certificate(&task, state, value).expect("supported");
        tally.certificates += certify(&task, (&formula.text(), Logic::Ltl), &expected, prove);
        tally.value(expected[0]);
    }
}

/// CTL*, whose quantifiers range over fair infinite paths.
pub fn star(case: &mut Case, tally: &mut Tally) {
    let shape = path_shape(case, 4);
    let model = case.structure(&shape);
    let budget = Budget::unlimited();
    for _ in 0..2 {
        let size = *case.rng.pick(&[3, 5, 6]);
        let formula = as_read(&case.formula(&FormulaShape { size, ..FormulaShape::new(Logic::CtlStar) }));
        let reading = Reading { deadlock: Deadlock::Mu, linear: LinearReading::Bg };
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        let expected = star_values(&model, &formula);
        assert_eq!(agree(&task, &expected), 2, "automata and sets decide every formula about paths");
        let prove = |state, value| linear_certificate(&task, state, value).expect("supported");
        tally.certificates += certify(&task, (&formula.text(), Logic::CtlStar), &expected, prove);
        tally.value(expected[0]);
    }
}
