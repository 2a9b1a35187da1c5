//! Values over lattices: engines agree, every value is proved and told, linear formulas agree with their CTL* form, refinement is that of
//! the structure with may and must.

use serde_json::Value as Json;
use tertium_base::Budget;
use tertium_evidence::observer::Observer;
use tertium_lattice::DeMorganLattice;
use tertium_load::{Failure, Loaded};
use tertium_logic::Logic;
use tertium_model::{Format, LatticeModel, Model, kmts_to_lattice, lattice_to_kmts, read_bytes};
use tertium_structures::answer::Answer;
use tertium_structures::check::{CheckOptions, Session};
use tertium_structures::compare::{CompareOptions, compare};
use tertium_structures::engines::EngineChoice;
use tertium_testkit::families::random_lattice_structure;
use tertium_testkit::{Case, FormulaShape, StructureShape, for_random_cases};

const LATTICES: [&str; 7] = ["B2", "K3", "Belnap4", "chain4", "K3xK3", "B2xB2", "K3xB2"];

/// Nobody looks on.
struct Silent;

impl Observer for Silent {
    fn phase(&self, _: &str) {}
}

fn read(text: &str) -> Loaded {
    let read = read_bytes("model", Format::Json, text.as_bytes(), &Budget::unlimited()).unwrap();
    Loaded::of_model("model", read.model.unwrap_or_else(|| panic!("{:?}", read.diagnostics)))
}

fn random(case: &mut Case) -> Loaded {
    let name = *case.rng.pick(&LATTICES);
    let described: Json = random_lattice_structure(&mut case.rng, name, &DeMorganLattice::built_in(name).unwrap());
    case.keep("model.json", described.to_string());
    read(&described.to_string())
}

fn lattice_model(loaded: &Loaded) -> &LatticeModel {
    match &loaded.model {
        Model::Lattice(model) => model,
        _ => panic!("not over a lattice"),
    }
}

fn check(loaded: &Loaded, text: &str, logic: Logic, engine: EngineChoice) -> Result<Answer, Failure> {
    let options = CheckOptions {
        logic: Some(logic),
        engine,
        all_states: true,
        always_recheck: true,
        look_for_vacuity: true,
        ..CheckOptions::default()
    };
    let budget = Budget::unlimited();
    let session = Session::new(loaded, options, &budget)?;
    let parsed = session.properties(&[text.to_owned()], &[])?;
    session.check(&parsed[0], &budget, &Silent)
}

#[test]
fn linear_formulas_have_the_same_value_by_every_way() {
    for_random_cases(250, |case| {
        let loaded = random(case);
        let text = case.formula(&FormulaShape::new(Logic::Ltl)).text();
        let auto = check(&loaded, &text, Logic::Ltl, EngineChoice::Auto).unwrap();
        assert!(auto.checked, "every value is proved");
        for engine in [EngineChoice::Automata, EngineChoice::Reduction, EngineChoice::Symbolic] {
            let other = check(&loaded, &text, Logic::Ltl, engine).unwrap();
            assert_eq!(auto.per_state, other.per_state, "{engine:?}");
        }
        let star = check(&loaded, &format!("A ({text})"), Logic::CtlStar, EngineChoice::Auto).unwrap();
        assert_eq!(auto.per_state, star.per_state, "the same formula of CTL*");
        assert!(star.checked);
    });
}

#[test]
fn games_on_cuts_agree_with_computing_in_the_lattice() {
    for_random_cases(250, |case| {
        let loaded = random(case);
        let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Mu]);
        let text = case.formula(&FormulaShape { guarded: false, ..FormulaShape::new(logic) }).text();
        let direct = check(&loaded, &text, logic, EngineChoice::Auto).unwrap();
        let game = check(&loaded, &text, logic, EngineChoice::Game).unwrap();
        assert_eq!(direct.per_state, game.per_state);
        assert!(direct.checked && game.checked);
    });
}

/// From the elements that are told the value follows, and each run goes along edges of the lattice-valued structure.
#[test]
fn what_is_told_determines_the_value() {
    for_random_cases(250, |case| {
        let loaded = random(case);
        let logic = *case.rng.pick(&[Logic::Ctl, Logic::Ltl]);
        let text = case.formula(&FormulaShape::new(logic)).text();
        let answer = check(&loaded, &text, logic, EngineChoice::Auto).unwrap();
        let (model, lattice) = (lattice_model(&loaded), lattice_model(&loaded).lattice());
        let told = |above: bool| answer.cuts.iter().filter(move |cut| cut.above == above).map(|cut| cut.element);
        let lower = told(true).fold(lattice.bottom(), |sum, element| lattice.join(sum, element));
        let refuted = |element| told(false).any(|least| lattice.leq(least, element));
        let upper = lattice.from_cuts(|element| !refuted(element));
        assert_eq!(lattice.name(lower), answer.value().word());
        assert_eq!(lattice.name(upper), answer.value().word());
        for cut in &answer.cuts {
            let Some(run) = &cut.run else { continue };
            assert_eq!(run.states.first(), Some(&cut.state));
            for pair in run.states.windows(2) {
                assert!(model.edges_from(pair[0]).iter().any(|edge| edge.target == pair[1]), "{cut:?}");
            }
        }
    });
}

#[test]
fn refinement_over_a_lattice_is_that_of_the_structure_it_means() {
    for_random_cases(150, |case| {
        let abstracted = case.structure(&StructureShape::default());
        let refined = case.refinement(&abstracted).structure;
        let (Ok(a), Ok(c)) = (kmts_to_lattice(&abstracted), kmts_to_lattice(&refined)) else { return };
        let budget = Budget::unlimited();
        let of = |model: LatticeModel| Loaded::of_model("lattice", Model::Lattice(model));
        let plain = |model: &LatticeModel| Loaded::of_model("plain", Model::Kmts(lattice_to_kmts(model).unwrap()));
        let (plain_a, plain_c) = (plain(&a), plain(&c));
        let (a, c) = (of(a), of(c));
        let whole = CompareOptions { relation: true, game: false };
        let over = compare(&a, &c, None, whole, &budget).unwrap();
        let expected = compare(&plain_a, &plain_c, None, whole, &budget).unwrap();
        assert_eq!((over.refines, over.refined_by), (expected.refines, expected.refined_by));
        assert_eq!(over.relation, expected.relation);
        assert!(over.refined_by, "a refinement was made");
    });
}

#[test]
fn vacuity_is_told_of_any_value_but_false() {
    let text = r#"{"lattice": "K3", "props": ["p", "q"], "states": {"a": {"p": "f", "q": "u"}}, "edges": [["a", "u", "a"]], "init": "a"}"#;
    let answer = check(&read(text), "AG (p -> q)", Logic::Ctl, EngineChoice::Auto).unwrap();
    assert_eq!((answer.value().word(), answer.vacuous), ("t", true));
    let answer = check(&read(text), "q & AG (p -> q)", Logic::Ctl, EngineChoice::Auto).unwrap();
    assert_eq!((answer.value().word(), answer.vacuous), ("u", true));
    let answer = check(&read(text), "q & AG (q -> p)", Logic::Ctl, EngineChoice::Auto).unwrap();
    assert_eq!((answer.value().word(), answer.vacuous), ("u", true), "its value is that of !q");
    let ended = text.replace(r#""u", "a"]]"#, r#""f", "a"]]"#);
    let answer = check(&read(&ended), "G q", Logic::Ltl, EngineChoice::Auto).unwrap();
    assert_eq!((answer.value().word(), answer.vacuous), ("t", true));
}
