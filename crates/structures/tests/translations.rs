//! Translations keep values: a property has the same value after its structure became another kind, both completions decide it together, and so do the cuts of a lattice.

use tertium_base::Budget;
use tertium_lattice::{Belnap, DeMorganLattice, TruthValue};
use tertium_load::Loaded;
use tertium_logic::{Formula, Logic};
use tertium_model::{Format, Kmts, Model, StateId, read_bytes, refines, write_kmts};
use tertium_structures::answer::Value;
use tertium_structures::check::{CheckOptions, Session};
use tertium_structures::translate::{StructureKind, TranslatedStructure, classical_runs, translate};
use tertium_testkit::families::random_lattice_structure;
use tertium_testkit::{Case, FormulaShape, StructureShape, for_random_cases};

/// The values of the only property at every state.
fn values(loaded: &Loaded) -> Vec<Value> {
    let budget = Budget::unlimited();
    let options = CheckOptions { all_states: true, ..CheckOptions::default() };
    let session = Session::new(loaded, options, &budget).unwrap_or_else(|error| panic!("{error:?}"));
    let parsed = session.properties(&[], &[]).unwrap_or_else(|error| panic!("{error:?}"));
    session.check(&parsed[0], &budget, &()).unwrap().per_state.unwrap()
}

fn truths(loaded: &Loaded) -> Vec<bool> {
    values(loaded)
        .into_iter()
        .map(|value| match value {
            Value::Belnap(Belnap::True) => true,
            Value::Belnap(Belnap::False) => false,
            other => panic!("{other:?} of a classical structure"),
        })
        .collect()
}

fn with_formula(model: Model, formula: Formula) -> Loaded {
    Loaded::of_model("model", model).with_properties(&[("f".to_owned(), formula)])
}

/// What is written is what is read, with its property.
fn read_back(translated: &TranslatedStructure) -> Loaded {
    let mut text = Vec::new();
    write_kmts(&mut text, &translated.loaded.model, translated.loaded.written_properties()).unwrap();
    let text = String::from_utf8(text).unwrap();
    tertium_load::structure::from_text("written", &text, &Budget::unlimited())
        .unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn kmts(loaded: &Loaded) -> &Kmts {
    loaded.kmts().expect("may and must")
}

/// A structure with one property, of any logic that has values on it.
fn random(case: &mut Case, shape: &StructureShape, logics: &[Logic]) -> Loaded {
    let structure = case.structure(shape);
    let logic = *case.rng.pick(logics);
    let actions = if matches!(logic, Logic::Pml | Logic::Mu) { shape.action_names() } else { Vec::new() };
    let formula = case.formula(&FormulaShape { actions, ..FormulaShape::new(logic) });
    with_formula(Model::Kmts(structure), formula)
}

const ALL: [Logic; 5] = Logic::WITHOUT_PLAYERS;

#[test]
fn open_steps_become_open_labels() {
    for_random_cases(400, |case| {
        let actions = *case.rng.pick(&[0, 2]);
        let original = random(case, &StructureShape { actions, ..StructureShape::default() }, &ALL);
        let translated = translate(&original, StructureKind::PartialKripke).unwrap();
        assert!(translated.warnings.is_empty());
        let pks = read_back(&translated);
        assert!(kmts(&pks).states().all(|state| kmts(&pks).edges_from(state).all(|edge| edge.may && edge.must)));
        let after = values(&pks);
        for (state, value) in values(&original).into_iter().enumerate() {
            assert_eq!(after[2 * state], value, "{}", kmts(&original).state_name(StateId::new(state)));
        }
    });
}

#[test]
fn labels_become_steps() {
    for_random_cases(400, |case| {
        let actions = *case.rng.pick(&[0, 2]);
        let shape = StructureShape { actions, mixed: case.rng.chance(30), ..StructureShape::default() };
        let original = random(case, &shape, &[Logic::Pml, Logic::Ctl, Logic::Mu]);
        let mts = read_back(&translate(&original, StructureKind::ModalTransition).unwrap());
        assert!(kmts(&mts).props().is_empty());
        let after = values(&mts);
        for (state, value) in values(&original).into_iter().enumerate() {
            assert_eq!(after[state], value, "{}", kmts(&original).state_name(StateId::new(state)));
        }
    });
}

#[test]
fn refinement_is_kept() {
    for_random_cases(150, |case| {
        let first = case.structure(&StructureShape::default());
        let second = if case.rng.chance(50) {
            case.refinement(&first).structure
        } else {
            case.structure(&StructureShape::default())
        };
        if second.hyper_count() > 0 {
            return;
        }
        let budget = Budget::unlimited();
        let before = refines(&first, &second, &budget).unwrap();
        let as_kind = |kind, structure: &Kmts| {
            let loaded = Loaded::of_model("model", Model::Kmts(structure.clone()));
            kmts(&translate(&loaded, kind).unwrap().loaded).clone()
        };
        for (kind, copies) in [(StructureKind::PartialKripke, 2), (StructureKind::ModalTransition, 1)] {
            let after = refines(&as_kind(kind, &first), &as_kind(kind, &second), &budget).unwrap();
            for a in first.states() {
                for c in second.states() {
                    let copy = |state: StateId| StateId::new(state.index() * copies);
                    let (before, after) = (before.contains(a, c), after.contains(copy(a), copy(c)));
                    // A step that is only possible need not be there in a refinement, but the step to its copy must: as for
                    // partial Kripke structures the preorder is finer, and only values of translated formulas are the same.
                    let fits = if kind == StructureKind::PartialKripke { before || !after } else { before == after };
                    assert!(fits, "{kind:?}: {a:?} and {c:?}: {before}, then {after}");
                }
            }
        }
    });
}

#[test]
fn merged_states_claim_no_more() {
    for_random_cases(200, |case| {
        let original = random(
            case,
            &StructureShape { hyper: true, ..StructureShape::default() },
            &[Logic::Pml, Logic::Ctl, Logic::Mu],
        );
        let mixed = read_back(&translate(&original, StructureKind::Mixed).unwrap());
        assert_eq!(kmts(&mixed).hyper_count(), 0);
        let (before, after) = (values(&original), values(&mixed));
        for (before, after) in before.iter().zip(&after) {
            let (Value::Belnap(before), Value::Belnap(after)) = (before, after) else { panic!("no lattice here") };
            assert!(after.info_le(*before), "{after:?} where it was {before:?}");
        }
    });
}

#[test]
fn two_completions_decide_together() {
    let doubled = std::cell::Cell::new(0);
    for_random_cases(500, |case| {
        let actions = *case.rng.pick(&[0, 2]);
        let (mixed, both_labels) = (case.rng.chance(30), case.rng.chance(30));
        let complete = case.rng.chance(20);
        let shape = StructureShape { actions, mixed, both_labels, complete, ..StructureShape::default() };
        // On mixed structures paths and games differ in what is both, so linear formulas are left to the others.
        let logics: &[Logic] = if mixed || both_labels { &[Logic::Pml, Logic::Ctl, Logic::Mu] } else { &ALL };
        let original = random(case, &shape, logics);
        let runs: Vec<Loaded> = classical_runs(&original).unwrap().iter().map(read_back).collect();
        assert!(runs.iter().all(|run| kmts(run).is_complete()));
        let copies = kmts(&runs[0]).state_count() / kmts(&original).state_count();
        doubled.set(doubled.get() + copies - 1);
        let (sure, possible) = (truths(&runs[0]), truths(&runs[1]));
        for (state, value) in values(&original).into_iter().enumerate() {
            let together = Belnap::from_evidence(sure[state * copies], !possible[state * copies]);
            assert_eq!(Value::Belnap(together), value, "{}", kmts(&original).state_name(StateId::new(state)));
        }
    });
    assert!(doubled.get() > 50, "the mark is used");
}

#[test]
fn cuts_decide_together() {
    for_random_cases(300, |case| {
        let name = *case.rng.pick(&["B2", "K3", "Belnap4", "chain4", "K3xK3"]);
        let lattice = DeMorganLattice::built_in(name).unwrap();
        let described = random_lattice_structure(&mut case.rng, name, &lattice);
        case.keep("model.json", described.to_string());
        let read = read_bytes("model", Format::Json, described.to_string().as_bytes(), &Budget::unlimited()).unwrap();
        let logic = *case.rng.pick(&ALL);
        let formula = case.formula(&FormulaShape::new(logic));
        let original = with_formula(read.model.unwrap(), formula);
        let runs: Vec<Loaded> = classical_runs(&original).unwrap().iter().map(read_back).collect();
        let states = original.size().0;
        let found: Vec<Vec<bool>> = runs.iter().map(truths).collect();
        for (state, value) in values(&original).into_iter().enumerate() {
            let holds = |at| {
                let cut = lattice.join_irreducibles().iter().position(|&j| j == at).unwrap();
                found[cut][state * (kmts(&runs[cut]).state_count() / states)]
            };
            let together = lattice.from_cuts(holds);
            assert_eq!(lattice.name(together), value.word(), "state {state}");
        }
    });
}

#[test]
fn what_cannot_be_said_is_refused_by_name() {
    let read = |text: &str| tertium_load::structure::from_text("m.kmts", text, &Budget::unlimited()).unwrap();
    let refused = |text: &str, kind| format!("{:?}", translate(&read(text), kind).expect_err("it is refused"));
    let hyper = "state a\nstate b\ninit a\na -hyper-> {a, b}\nb -must-> b\n";
    assert!(refused(hyper, StructureKind::PartialKripke).contains("hyper edges"));
    let total = "state a p: t\ninit a\na -may-> a\ntotal\n";
    assert!(refused(total, StructureKind::ModalTransition).contains("total"));
    assert!(format!("{:?}", classical_runs(&read(total)).expect_err("it is refused")).contains("total"));
    let fair = "state a p: t\ninit a\na -may-> a\nfair {a -> a}\n";
    assert!(format!("{:?}", classical_runs(&read(fair)).expect_err("it is refused")).contains("fairness"));
    // A linear property has no counterpart where labels are steps, and is left out.
    let linear = read("state a p: t\ninit a\na -must-> a\nproperty always : ltl G p\n");
    let translated = translate(&linear, StructureKind::ModalTransition).unwrap();
    assert_eq!((translated.warnings.len(), translated.loaded.properties().len()), (1, 0));
}
