//! Formulas and what they tell apart: paths, the completeness preorder, lattices, families.

use serde_json::Value;
use tertium_base::Budget;
use tertium_check::automata::{AutomataEngine, linear_open_question};
use tertium_check::family::{FamilyTask, family_answer};
use tertium_check::lattice_valued::{LatticeTask, direct_values};
use tertium_check::reduction::lattice_values;
use tertium_check::symbolic::{self, Symbolic, family_sets};
use tertium_check::{Ask, Engine, Task};
use tertium_driver::Belnap;
use tertium_evidence::{Deadlock, LinearReading, Reading};
use tertium_lattice::{DeMorganLattice, TruthValue};
use tertium_logic::{Formula, Logic, ParseOptions, parse, positive_normal_form, simplify};
use tertium_model::{Format, Kmts, KmtsBuilder, LatticeModel, Model, StateId, minimise, read_bytes, refines};
use tertium_testkit::families::{random_family, random_lattice_structure};
use tertium_testkit::reference::{
    self, Deadlocks, Lasso, Steps, branching_values, lassos as all_lassos, linear_values, refinement_relation,
    star_values, value_on_lasso,
};
use tertium_testkit::{Case, FormulaShape, StructureShape};

use super::sample::Tally;

/// A structure that is one infinite path, with labels of all values, and that path.
fn random_lasso(case: &mut Case) -> (Kmts, Lasso) {
    let values = [Belnap::True, Belnap::False, Belnap::True, Belnap::False, Belnap::Unknown, Belnap::Both];
    let kinds = *case.rng.pick(&[2, 5, 6]);
    let length = case.rng.between(&(1..=6));
    let entry = case.rng.below(length);
    let mut builder = KmtsBuilder::new();
    let props = ["p", "q"].map(|name| builder.add_prop(name));
    let states: Vec<StateId> = (0..length).map(|at| builder.add_state(&format!("s{at}"))).collect();
    for (at, &state) in states.iter().enumerate() {
        props.iter().for_each(|&prop| builder.set_label(state, prop, values[case.rng.below(kinds)]));
        let next = states.get(at + 1).copied().unwrap_or(states[entry]);
        builder.add_edge(state, next, true, true, None);
    }
    builder.add_init(states[0]);
    let model = builder.finish().expect("a small structure");
    case.keep("structure.kmts", tertium_testkit::show_structure(&model));
    let lasso = all_lassos(&model, states[0], Steps::Certain, length)
        .into_iter()
        .find(|lasso| lasso.states.len() == length)
        .expect("the structure is one path");
    (model, lasso)
}

/// One path with several formulas: normal forms keep the value, and automata and sets find it.
pub fn lassos(case: &mut Case, tally: &mut Tally) {
    let (model, lasso) = random_lasso(case);
    let budget = Budget::unlimited();
    for _ in 0..8 {
        let size = *case.rng.pick(&[3, 6, 10]);
        let formula = case.formula(&FormulaShape { size, ..FormulaShape::new(Logic::Ltl) });
        let expected = value_on_lasso(&model, &lasso, &formula);
        let same = |name: &str, other: &Formula, expected: Belnap| {
            assert_eq!(value_on_lasso(&model, &lasso, other), expected, "{name}: {}", other.text());
        };
        same("positive normal form", &positive_normal_form(&formula, false), expected);
        same("positive normal form of the negation", &positive_normal_form(&formula, true), expected.not());
        same("simplified", &simplify(&formula), expected);
        let read = parse(&formula.text(), &ParseOptions::in_logic(Logic::Ltl)).formula.expect("its own text");
        same("read back", &read, expected);
        let reading = Reading { deadlock: Deadlock::Mu, linear: LinearReading::Bg };
        let task = Task::new(&model, &formula, reading, Ask::All, &budget).expect("names are known");
        for engine in [&AutomataEngine as &dyn Engine, &Symbolic] {
            let found = engine.values(&task).expect("supported").at(lasso.states[0]);
            assert_eq!(found, expected, "left: {}, right: along the path", engine.name());
        }
        tally.value(expected);
    }
}

fn preorder_shape(case: &mut Case) -> StructureShape {
    StructureShape {
        states: 1..=5,
        hyper: case.rng.chance(50),
        mixed: case.rng.chance(25),
        both_labels: case.rng.chance(20),
        actions: case.rng.below(3),
        total: case.rng.chance(30),
        ..StructureShape::default()
    }
}

/// Two structures: the preorder is what its definition says, values are kept along it, and minimisation keeps all of them.
pub fn preorder(case: &mut Case, tally: &mut Tally) {
    let (shape, budget) = (preorder_shape(case), Budget::unlimited());
    let left = case.structure(&shape);
    let right = if case.rng.chance(60) { case.refinement(&left).structure } else { case.structure(&shape) };
    let relation = refines(&left, &right, &budget).expect("no limit");
    let expected = refinement_relation(&left, &right);
    for (a, c) in left.states().flat_map(|a| right.states().map(move |c| (a, c))) {
        assert_eq!(relation.contains(a, c), expected[a.index()][c.index()], "left: found, right: defined, {a:?} {c:?}");
    }
    distinguished(&left, &right, &relation);
    let small = minimise(&left, &budget).expect("no limit");
    for _ in 0..6 {
        let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Mu]);
        let actions = if logic == Logic::Ctl { Vec::new() } else { shape.action_names() };
        let formula = case.formula(&FormulaShape { atoms: shape.prop_names(), actions, ..FormulaShape::new(logic) });
        let before = branching_values(&left, &formula, Deadlocks::Mu);
        let after = branching_values(&right, &formula, Deadlocks::Mu);
        for (a, c) in relation.pairs() {
            assert!(before[a.index()].info_le(after[c.index()]), "{} became {}", before[a.index()], after[c.index()]);
        }
        let minimal = branching_values(&small.structure, &formula, Deadlocks::Mu);
        for state in left.states() {
            let new = small.new_of[state.index()].expect("every state is kept");
            assert_eq!(before[state.index()], minimal[new.index()], "minimised at {state:?}");
        }
        tally.value(before[0]);
    }
}

/// What does not refine has a formula that says why.
fn distinguished(left: &Kmts, right: &Kmts, relation: &tertium_model::Relation) {
    let value = |structure: &Kmts, text: &str, state: StateId| {
        let parsed = parse(text, &ParseOptions::in_logic(Logic::Pml));
        let formula = parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
        branching_values(structure, &formula, Deadlocks::Mu)[state.index()]
    };
    for (a, c) in left.states().flat_map(|a| right.states().map(move |c| (a, c))) {
        let why = relation.distinction(left, right, (a, c), &Budget::unlimited()).expect("no limit");
        let Some(formula) = why.and_then(|why| why.formula) else { continue };
        let text = formula.display(left).to_string();
        let (mine, theirs) = (value(left, &text, a), value(right, &text, c));
        assert!(mine.for_true() && !theirs.for_true(), "{text}: {mine} at {a:?}, {theirs} at {c:?}");
    }
}

fn read(text: &str) -> Model {
    let loaded = read_bytes("case", Format::Json, text.as_bytes(), &Budget::unlimited()).expect("no limit");
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// The four-valued structure that one over `Belnap4` or `K3` is.
fn as_kmts(model: &LatticeModel) -> Kmts {
    let value = |element| match model.lattice().name(element) {
        "t" => Belnap::True,
        "f" => Belnap::False,
        "u" => Belnap::Unknown,
        _ => Belnap::Both,
    };
    let mut builder = KmtsBuilder::new();
    let props: Vec<_> = model.props().iter().map(|name| builder.add_prop(name)).collect();
    for state in model.states() {
        builder.add_state(model.state_name(state));
        props.iter().for_each(|&prop| builder.set_label(state, prop, value(model.label(state, prop))));
        for edge in model.edges_from(state) {
            let step = value(edge.value);
            builder.add_edge(state, edge.target, step.not_refuted(), step.for_true(), None);
        }
    }
    builder.finish().expect("a small structure")
}

/// Structures over lattices: join-irreducible cuts, sets, computing in the lattice; four values by the definitions.
pub fn lattices(case: &mut Case, tally: &mut Tally) {
    let name = *case.rng.pick(&["B2", "K3", "K3", "Belnap4", "Belnap4", "chain4", "K3xK3", "B2xB2", "K3xB2"]);
    let lattice = DeMorganLattice::built_in(name).expect("a built-in lattice");
    let described: Value = random_lattice_structure(&mut case.rng, name, &lattice);
    case.keep("model.json", described.to_string());
    let Model::Lattice(model) = read(&described.to_string()) else { panic!("a structure over a lattice") };
    let four = ["K3", "Belnap4"].contains(&name).then(|| as_kmts(&model));
    let budget = Budget::unlimited();
    for logic in [Logic::Pml, Logic::Ctl, Logic::Mu] {
        let elements = if case.rng.chance(40) && four.is_none() { lattice.names().to_vec() } else { Vec::new() };
        let formula = case.formula(&FormulaShape { elements, guarded: false, ..FormulaShape::new(logic) });
        let task = LatticeTask::new(&model, &formula, &budget).expect("names are known");
        let names = |values: Vec<_>| values.into_iter().map(|value| lattice.name(value).to_owned()).collect::<Vec<_>>();
        let direct = names(direct_values(&task).expect("supported"));
        assert_eq!(names(lattice_values(&task).expect("supported")), direct, "left: cuts, right: in the lattice");
        assert_eq!(names(symbolic::lattice_values(&task).expect("supported")), direct, "left: sets");
        if let Some(four) = &four {
            let defined = branching_values(four, &formula, Deadlocks::Mu);
            let letters: Vec<String> = defined.iter().map(|value| value.letter().to_string()).collect();
            assert_eq!(direct, letters, "left: in the lattice, right: four values by the definition");
        }
        let is_bound = [lattice.name(lattice.top()), lattice.name(lattice.bottom())].contains(&direct[0].as_str());
        tally.value(if is_bound { Belnap::True } else { Belnap::Unknown });
    }
}

/// Families: splitting by parameters and sets of instances against every instance by the definitions.
pub fn families(case: &mut Case, tally: &mut Tally) {
    let text = random_family(&mut case.rng);
    case.keep("family.json", text.clone());
    let Model::Param(model) = read(&text) else { panic!("a family") };
    let budget = Budget::unlimited();
    for logic in [Logic::Ctl, Logic::Mu, Logic::Ltl, Logic::CtlStar] {
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(logic) });
        let reading = Reading { deadlock: Deadlock::Mu, linear: LinearReading::Bg };
        let task = FamilyTask { model: &model, formula: &formula, reading, state: StateId::new(0), budget: &budget };
        let sets = family_sets(&task).expect("supported");
        let split = (logic == Logic::Ltl).then(|| {
            let reasons = |task: &Task<'_>, state| {
                Ok(linear_open_question(task, state)?.map(|question| question.reasons).unwrap_or_default())
            };
            family_answer(&task, &AutomataEngine, &reasons).expect("supported")
        });
        let mut all = Vec::new();
        for assignment in model.assignments().expect("few") {
            let instance = model.instance(&assignment).expect("small");
            let expected = match logic {
                Logic::Ltl => linear_values(&instance, &formula, reference::LinearReading::Bg),
                Logic::CtlStar => star_values(&instance, &formula),
                _ => branching_values(&instance, &formula, Deadlocks::Mu),
            }[0];
            let told = Belnap::from_evidence(sets.holds.holds(&assignment), sets.fails.holds(&assignment));
            assert_eq!(told, expected, "left: sets of instances, right: the instance {assignment:?} by the definition");
            if let Some(split) = &split {
                let told = Belnap::from_evidence(split.holds.holds(&assignment), split.fails.holds(&assignment));
                assert_eq!(told, expected, "left: splitting, right: the instance {assignment:?} by the definition");
            }
            all.push(expected);
        }
        let same = all.iter().all(|value| *value == all[0]);
        tally.value(if same { all[0] } else { Belnap::Unknown });
    }
}
