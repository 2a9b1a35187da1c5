//! Every proof that an engine gives is accepted by the independent checker, and whatever the checker accepts,
//! tampered with or made for another structure, is so by the definitions.

use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_check::automata::{AutomataEngine, linear_certificate, linear_open_question};
use tertium_check::game::ParityGame;
use tertium_check::witness::{branching_certificate, open_question};
use tertium_check::{Ask, Engine, Task, Values};
use tertium_evidence::{
    Certificate, CertificatePlace, Choice, Claim, Deadlock, LinearReading, Proof, Reading, read_document,
    write_document,
};
use tertium_kernel::{Rejection, check_certificate, check_open_question};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, NodeId, ParseOptions, fair_ctl, parse};
use tertium_model::{Kmts, StateId};
use tertium_testkit::reference::{self, Deadlocks, branching_values, linear_values, star_values};
use tertium_testkit::{Case, FormulaShape, Rng, StructureShape, for_random_cases};

/// A random formula as its printed text is read: proofs speak of these nodes.
fn as_read(case: &mut Case, shape: &FormulaShape) -> (String, Formula) {
    let text = case.formula(shape).to_string();
    let parsed = parse(&text, &ParseOptions::in_logic(shape.logic));
    let formula = parsed.formula.unwrap_or_else(|| panic!("`{text}`: {:?}", parsed.diagnostics));
    (text, formula)
}

fn checked(model: &Kmts, certificate: &Certificate) -> Result<(), Rejection> {
    check_certificate(model, certificate, &Budget::unlimited()).map(|_| ())
}

fn has_evidence(found: Belnap, claimed: Belnap) -> bool {
    if claimed == Belnap::True { found.for_true() } else { found.for_false() }
}

/// The answers that a value is evidence for.
fn answers(value: Belnap) -> impl Iterator<Item = Belnap> {
    [Belnap::True, Belnap::False].into_iter().filter(move |&claimed| has_evidence(value, claimed))
}

/// Changes a certificate a little, at random.
fn tamper(rng: &mut Rng, certificate: &mut Certificate, model: &Kmts, nodes: usize) {
    let any = |rng: &mut Rng| StateId::new(rng.below(model.state_count()));
    match rng.below(8) {
        0 => certificate.state = any(rng),
        1 => certificate.value = if certificate.value == Belnap::True { Belnap::False } else { Belnap::True },
        2 => certificate.reading.deadlock = *rng.pick(&Deadlock::ALL),
        3 => certificate.reading.linear = *rng.pick(&LinearReading::ALL),
        _ => match &mut certificate.proof {
            Proof::Claims(claims) => tamper_claims(rng, claims, model, nodes),
            Proof::Lasso { stem, cycle } => {
                let part = if rng.chance(50) { stem } else { cycle };
                tamper_states(rng, part, model);
            }
            Proof::NoPath => certificate.state = any(rng),
            Proof::Plays { positions, moves } => {
                let count = positions.len();
                match rng.below(3) {
                    0 => positions[rng.below(count)].0 = any(rng),
                    1 => drop(moves[rng.below(count)].pop()),
                    _ => moves[rng.below(count)].push(to_u32(rng.below(count))),
                }
            }
            Proof::Labels(labels) if !labels.is_empty() => {
                let at = rng.below(labels.len());
                let part = if rng.chance(50) { &mut labels[at].1 } else { &mut labels[at].2 };
                tamper_states(rng, part, model);
            }
            // These are of the thorough semantics, whose tests tamper with them.
            Proof::Labels(_)
            | Proof::NoWord
            | Proof::Settled { .. }
            | Proof::Refuted(_)
            | Proof::Outplayed(_)
            | Proof::Completions(_) => {}
        },
    }
}

fn tamper_states(rng: &mut Rng, states: &mut Vec<StateId>, model: &Kmts) {
    let state = StateId::new(rng.below(model.state_count()));
    let at = rng.below(states.len() + 1);
    match rng.below(3) {
        0 => states.insert(at, state),
        1 if at < states.len() => states[at] = state,
        _ if at < states.len() => drop(states.remove(at)),
        _ => {}
    }
}

fn tamper_claims(rng: &mut Rng, claims: &mut Vec<Claim>, model: &Kmts, nodes: usize) {
    let state = StateId::new(rng.below(model.state_count()));
    if claims.is_empty() {
        return;
    }
    let at = rng.below(claims.len());
    match rng.below(7) {
        0 => drop(claims.remove(at)),
        1 => claims[at].positive ^= true,
        2 => claims[at].state = state,
        3 => claims[at].node = NodeId::new(rng.below(nodes)),
        4 => claims[at].choice = Choice::Operand(u8::try_from(rng.below(4)).unwrap()),
        5 => claims[at].choice = Choice::Onward,
        _ => match &mut claims[at].choice {
            Choice::Into(members) => tamper_states(rng, members, model),
            choice => *choice = Choice::Into(vec![state]),
        },
    }
}

fn branching_shape(number: usize) -> StructureShape {
    let mixed = number % 5 == 4;
    StructureShape {
        states: 1..=5,
        density: 25 + number % 3 * 15,
        hyper: number % 2 == 1,
        mixed,
        both_labels: mixed,
        actions: number % 3,
        total: number % 7 == 6,
        ..StructureShape::default()
    }
}

fn branching_formula(number: usize, shape: &StructureShape) -> FormulaShape {
    let logic = [Logic::Ctl, Logic::Mu, Logic::Pml][number % 3];
    let actions = if logic == Logic::Ctl { Vec::new() } else { shape.action_names() };
    FormulaShape { size: 3 + number % 9, atoms: shape.prop_names(), actions, ..FormulaShape::new(logic) }
}

/// The convention of the plain evaluator; none for one that it does not know.
fn plain(deadlock: Deadlock) -> Option<Deadlocks> {
    match deadlock {
        Deadlock::Mu => Some(Deadlocks::Mu),
        Deadlock::Maximal => Some(Deadlocks::Maximal),
        Deadlock::Total => Some(Deadlocks::Total),
        Deadlock::Forbid => None,
    }
}

#[test]
fn claims_of_the_game_are_accepted_and_nothing_false_is() {
    for_random_cases(1500, |case| {
        let shape = branching_shape(case.number);
        let model = case.structure(&shape);
        let (text, formula) = as_read(case, &branching_formula(case.number, &shape));
        let deadlock = [Deadlock::Mu, Deadlock::Maximal, Deadlock::Total][case.number / 3 % 3];
        let reading = Reading { deadlock, ..Reading::default() };
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        let values = ParityGame.values(&task).expect("supported");
        let logic = formula.logic();
        for state in model.states() {
            for value in answers(values.at(state)) {
                let proof = branching_certificate(&task, state, value).expect("supported").expect("a definite value");
                let mut certificate = Certificate { formula: text.clone(), logic, reading, state, value, proof };
                checked(&model, &certificate).unwrap_or_else(|rejection| panic!("{certificate:#?}\n{rejection}"));
                for _ in 0..12 {
                    tamper(&mut case.rng, &mut certificate, &model, formula.nodes().len());
                    assert_true_if_accepted(&model, &formula, &certificate);
                }
            }
        }
    });
}

fn assert_true_if_accepted(model: &Kmts, formula: &Formula, certificate: &Certificate) {
    let Some(deadlocks) = plain(certificate.reading.deadlock) else { return };
    if checked(model, certificate).is_err() {
        return;
    }
    let found = branching_values(model, formula, deadlocks)[certificate.state.index()];
    assert!(has_evidence(found, certificate.value), "accepted, but the value is {found}: {certificate:#?}");
}

#[test]
fn claims_about_another_structure_are_accepted_only_if_true_of_it() {
    for_random_cases(1500, |case| {
        let shape = StructureShape { states: 3..=4, ..branching_shape(case.number) };
        let first = case.structure(&shape);
        // A few states and open values: the two structures often agree on what matters.
        let second = if case.number % 2 == 0 { case.refinement(&first).structure } else { case.structure(&shape) };
        let (text, formula) = as_read(case, &branching_formula(case.number, &shape));
        let reading = Reading { deadlock: Deadlock::Mu, ..Reading::default() };
        let budget = Budget::unlimited();
        let task = Task::new(&first, &formula, reading, Ask::All, &budget).expect("names are known");
        let values = ParityGame.values(&task).expect("supported");
        let logic = formula.logic();
        for state in first.states().filter(|state| state.index() < second.state_count()) {
            for value in answers(values.at(state)) {
                let proof = branching_certificate(&task, state, value).expect("supported").expect("a definite value");
                let certificate = Certificate { formula: text.clone(), logic, reading, state, value, proof };
                let names_known = formula.actions().iter().all(|name| second.actions().contains(name));
                if names_known {
                    assert_true_if_accepted(&second, &formula, &certificate);
                }
            }
        }
    });
}

#[test]
fn claims_about_fair_paths_are_accepted() {
    for_random_cases(500, |case| {
        let shape = StructureShape {
            states: 1..=4,
            fairness: 2,
            hyper: case.number % 3 == 1,
            actions: case.number % 2,
            ..StructureShape::default()
        };
        let model = case.structure(&shape);
        let (text, plain_formula) = as_read(case, &FormulaShape { size: 4, ..FormulaShape::new(Logic::Ctl) });
        let formula = fair_ctl(&plain_formula, model.fairness().len()).expect("a formula of CTL");
        let deadlock = [Deadlock::Mu, Deadlock::Maximal, Deadlock::Total][case.number % 3];
        let reading = Reading { deadlock, ..Reading::default() };
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        let values = ParityGame.values(&task).expect("supported");
        for state in model.states() {
            for value in answers(values.at(state)) {
                let proof = branching_certificate(&task, state, value).expect("supported").expect("a definite value");
                let logic = Logic::Ctl;
                let mut certificate = Certificate { formula: text.clone(), logic, reading, state, value, proof };
                checked(&model, &certificate).unwrap_or_else(|rejection| panic!("{certificate:#?}\n{rejection}"));
                for _ in 0..6 {
                    tamper(&mut case.rng, &mut certificate, &model, formula.nodes().len());
                    assert_true_if_accepted(&model, &formula, &certificate);
                }
            }
        }
    });
}

fn linear_shape(number: usize) -> StructureShape {
    StructureShape {
        states: 1..=4,
        density: 30 + number % 2 * 20,
        hyper: number % 3 == 1,
        fairness: number / 5 % 3,
        actions: number / 7 % 2,
        total: number % 4 == 3,
        ..StructureShape::default()
    }
}

fn engine_values(model: &Kmts, formula: &Formula, reading: Reading) -> Values {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, reading, Ask::All, &budget).expect("names are known");
    AutomataEngine.values(&task).expect("supported")
}

/// The value by the definitions where the test kit has them, else by the engine.
fn linear_value(model: &Kmts, formula: &Formula, reading: Reading, state: StateId) -> Belnap {
    let kit = match reading.linear {
        LinearReading::Bg => Some(reference::LinearReading::Bg),
        LinearReading::BgTotal => Some(reference::LinearReading::BgTotal),
        LinearReading::Tg => Some(reference::LinearReading::Tg),
        LinearReading::TgPnf => Some(reference::LinearReading::TgPnf),
        LinearReading::Hyper => None,
    };
    match kit {
        Some(kit) if reading.deadlock == Deadlock::Mu => linear_values(model, formula, kit)[state.index()],
        _ => engine_values(model, formula, reading).at(state),
    }
}

#[test]
fn linear_proofs_are_accepted_and_nothing_false_is() {
    for_random_cases(1200, |case| {
        let model = case.structure(&linear_shape(case.number));
        let (text, formula) =
            as_read(case, &FormulaShape { size: 2 + case.number % 4, ..FormulaShape::new(Logic::Ltl) });
        let linear = LinearReading::ALL[case.number % 5];
        let deadlock = [Deadlock::Mu, Deadlock::Maximal, Deadlock::Total][case.number / 2 % 3];
        let reading = Reading { deadlock, linear };
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        let values = AutomataEngine.values(&task).expect("supported");
        for state in model.states() {
            for value in answers(values.at(state)) {
                let proof = linear_certificate(&task, state, value).expect("supported").expect("a definite value");
                let logic = Logic::Ltl;
                let mut certificate = Certificate { formula: text.clone(), logic, reading, state, value, proof };
                checked(&model, &certificate).unwrap_or_else(|rejection| panic!("{certificate:#?}\n{rejection}"));
                for _ in 0..6 {
                    tamper(&mut case.rng, &mut certificate, &model, formula.nodes().len());
                    if certificate.reading.deadlock != Deadlock::Forbid && checked(&model, &certificate).is_ok() {
                        let found = linear_value(&model, &formula, certificate.reading, certificate.state);
                        let fine = has_evidence(found, certificate.value);
                        assert!(fine, "accepted, but the value is {found}: {certificate:#?}");
                    }
                }
            }
        }
    });
}

#[test]
fn the_absence_of_a_path_is_accepted_exactly_where_the_formula_is_true() {
    for_random_cases(1500, |case| {
        let model = case.structure(&linear_shape(case.number));
        let (text, formula) =
            as_read(case, &FormulaShape { size: 2 + case.number % 4, ..FormulaShape::new(Logic::Ltl) });
        for (linear, kit) in [
            (LinearReading::Bg, reference::LinearReading::Bg),
            (LinearReading::Tg, reference::LinearReading::Tg),
            (LinearReading::TgPnf, reference::LinearReading::TgPnf),
        ] {
            let reading = Reading { deadlock: Deadlock::Mu, linear };
            let values = linear_values(&model, &formula, kit);
            for state in model.states() {
                let (logic, value) = (Logic::Ltl, Belnap::True);
                let certificate =
                    Certificate { formula: text.clone(), logic, reading, state, value, proof: Proof::NoPath };
                let found = values[state.index()];
                let accepted = checked(&model, &certificate).is_ok();
                assert_eq!(accepted, found.for_true(), "{} at {state:?} is {found}", linear.name());
            }
        }
    });
}

#[test]
fn star_labels_are_accepted_and_nothing_false_is() {
    for_random_cases(600, |case| {
        let shape = StructureShape { states: 1..=3, ..linear_shape(case.number) };
        let model = case.structure(&shape);
        let (text, formula) =
            as_read(case, &FormulaShape { size: 3 + case.number % 3, ..FormulaShape::new(Logic::CtlStar) });
        let linear = [LinearReading::Bg, LinearReading::BgTotal, LinearReading::Hyper][case.number % 3];
        let deadlock = [Deadlock::Mu, Deadlock::Maximal][case.number / 3 % 2];
        let reading = Reading { deadlock, linear };
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        let values = AutomataEngine.values(&task).expect("supported");
        for state in model.states() {
            for value in answers(values.at(state)) {
                let proof = linear_certificate(&task, state, value).expect("supported").expect("a definite value");
                let logic = Logic::CtlStar;
                let mut certificate = Certificate { formula: text.clone(), logic, reading, state, value, proof };
                checked(&model, &certificate).unwrap_or_else(|rejection| panic!("{certificate:#?}\n{rejection}"));
                for _ in 0..4 {
                    tamper(&mut case.rng, &mut certificate, &model, formula.nodes().len());
                    let changed = certificate.reading;
                    // Where totality is asserted the checker knows witnesses of quantifiers that the engine, which
                    // asks for paths of must edges, does not; so the engine is no measure there.
                    let asserts_totality = model.total()
                        || changed.deadlock == Deadlock::Total
                        || changed.linear == LinearReading::BgTotal;
                    if asserts_totality
                        || changed.deadlock == Deadlock::Forbid
                        || checked(&model, &certificate).is_err()
                    {
                        continue;
                    }
                    let by_definition = changed == Reading { deadlock: Deadlock::Mu, linear: LinearReading::Bg };
                    let found = if by_definition {
                        star_values(&model, &formula)[certificate.state.index()]
                    } else {
                        engine_values(&model, &formula, changed).at(certificate.state)
                    };
                    let fine = has_evidence(found, certificate.value);
                    assert!(fine, "accepted, but the value is {found}: {certificate:#?}");
                }
            }
        }
    });
}

#[test]
fn proofs_survive_their_file() {
    for_random_cases(200, |case| {
        let shape = branching_shape(case.number);
        let model = case.structure(&shape);
        let (text, formula) = as_read(case, &branching_formula(case.number, &shape));
        let reading = Reading::default();
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        let values = ParityGame.values(&task).expect("supported");
        let Some((state, value)) = model.states().find_map(|state| Some((state, answers(values.at(state)).next()?)))
        else {
            return;
        };
        let proof = branching_certificate(&task, state, value).expect("supported").expect("a definite value");
        let certificate = Certificate { formula: text, logic: formula.logic(), reading, state, value, proof };
        let mut file = Vec::new();
        write_document(&mut file, &[(CertificatePlace::Whole, &model, &certificate)]).expect("memory can be written");
        let file = String::from_utf8(file).expect("JSON is text");
        let read = read_document(&file).expect("what was written").parts[0].certificate_for(&model, &file);
        assert_eq!(read.expect("the same model"), certificate);
    });
}

#[test]
fn open_questions_are_open() {
    for_random_cases(800, |case| {
        let linear = case.number % 3 == 2;
        let shape = StructureShape {
            mixed: false,
            both_labels: false,
            ..if linear { linear_shape(case.number) } else { branching_shape(case.number) }
        };
        let model = case.structure(&shape);
        let wanted = if linear {
            FormulaShape { size: 4, ..FormulaShape::new(Logic::Ltl) }
        } else {
            branching_formula(case.number, &shape)
        };
        let (_, formula) = as_read(case, &wanted);
        let deadlock = [Deadlock::Mu, Deadlock::Maximal][case.number % 2];
        let reading = Reading { deadlock, ..Reading::default() };
        let budget = Budget::unlimited();
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        let values = if linear { AutomataEngine.values(&task) } else { ParityGame.values(&task) }.expect("supported");
        for state in model.states().filter(|&state| values.at(state) == Belnap::Unknown) {
            let question = if linear { linear_open_question(&task, state) } else { open_question(&task, state, 5) }
                .expect("supported");
            let question = question.expect("an unknown has a question");
            check_open_question(&model, &formula, reading, state, &question)
                .unwrap_or_else(|rejection| panic!("{question:#?}\n{rejection}"));
        }
    });
}
