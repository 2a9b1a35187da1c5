//! Temporal-logic queries against every formula there is: the strongest ones with which the query holds, by both ways of solving them.

use tertium_base::Budget;
use tertium_check::explicit::Explicit;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::observer::Observer;
use tertium_evidence::{Deadlock, Reading};
use tertium_lattice::Belnap;
use tertium_load::{Failure, Loaded};
use tertium_logic::query::{RowSet, filled, placeholder, prime_implicants, terms_formula};
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, Model};
use tertium_structures::answer::{Answer, Value};
use tertium_structures::check::{CheckOptions, Session};
use tertium_structures::engines::EngineChoice;
use tertium_structures::prove::evaluated_formula;
use tertium_testkit::{Case, FormulaShape, StructureShape, for_random_cases};

struct Silent;

impl Observer for Silent {
    fn phase(&self, _: &str) {}
}

fn check(
    loaded: &Loaded,
    text: &str,
    logic: Logic,
    deadlock: Deadlock,
    engine: EngineChoice,
) -> Result<Answer, Failure> {
    let options = CheckOptions {
        logic: Some(logic),
        deadlock: Some(deadlock),
        engine,
        always_recheck: true,
        ..CheckOptions::default()
    };
    let budget = Budget::unlimited();
    let session = Session::new(loaded, options, &budget)?;
    let parsed = session.properties(&[text.to_owned()], &[])?;
    session.check(&parsed[0], &budget, &Silent)
}

fn names() -> Vec<String> {
    vec!["p".to_owned(), "q".to_owned()]
}

/// A random query over `p` and `q`, with `p`, `q` and `r` beside the placeholder; none if its placeholder is not there, or in no place for one.
fn random_query(case: &mut Case, logic: Logic) -> Option<String> {
    let props = ["p", "q", "r", "hole"].map(str::to_owned).to_vec();
    let text = case.formula(&FormulaShape { atoms: props, guarded: false, ..FormulaShape::new(logic) }).text();
    let text = text.replace("hole", "?{p, q}");
    let options = tertium_logic::ParseOptions::in_logic(logic);
    let formula = tertium_logic::parse(&text, &options).formula?;
    case.keep("query.txt", text.clone());
    placeholder(&formula).ok().flatten().map(|_| text)
}

/// The strongest of all sixteen formulas with which the query has a value that counts.
fn by_trying(model: &Kmts, query: &Formula, reading: Reading, counts: impl Fn(Belnap) -> bool) -> Vec<RowSet> {
    let atom = placeholder(query).unwrap().unwrap().atom;
    let holds = |rows: RowSet| {
        let formula = filled(query, atom, &prime_implicants(rows, 2), &names());
        let formula = evaluated_formula(model, &formula);
        let budget = Budget::unlimited();
        let task = Task::new(model, &formula, reading, Ask::All, &budget).unwrap();
        let engine = EngineChoice::Auto.engine(formula.logic());
        let values = engine.values(&task).unwrap();
        let init: Vec<_> = if model.init().is_empty() { model.states().collect() } else { model.init().to_vec() };
        init.into_iter().all(|state| counts(values.at(state)))
    };
    let all: Vec<RowSet> = (0usize..16).map(|bits| RowSet::of((0..4).filter(|row| bits >> row & 1 != 0))).collect();
    let good: Vec<RowSet> = all.into_iter().filter(|&rows| holds(rows)).collect();
    good.iter().copied().filter(|&rows| !good.iter().any(|&other| other != rows && other.is_subset(rows))).collect()
}

fn compare(case: &mut Case, shape: &StructureShape, logic: Logic, deadlock: Deadlock) -> bool {
    let model = case.structure(&StructureShape { props: 3, states: 1..=4, ..shape.clone() });
    let Some(text) = random_query(case, logic) else { return false };
    let query = tertium_logic::parse(&text, &tertium_logic::ParseOptions::in_logic(logic)).formula.unwrap();
    let reading = Reading { deadlock, ..Reading::default() };
    let (for_true, not_refuted) = (
        by_trying(&model, &query, reading, Belnap::for_true),
        by_trying(&model, &query, reading, |value| !value.for_false()),
    );
    let loaded = Loaded::of_model("model", Model::Kmts(model.clone()));
    let answer = check(&loaded, &text, logic, deadlock, EngineChoice::Auto).unwrap();
    assert_eq!(answer.value(), Value::Belnap(weakest(&model, &query, reading)));
    let found = answer.query.unwrap();
    let expected = |sets: &[RowSet]| {
        // What is written may leave out redundant terms, so formulas are compared by their rows.
        let mut rows: Vec<RowSet> = sets.to_vec();
        rows.sort_unstable();
        rows
    };
    assert_eq!(rows_of(&found.strongest), expected(&for_true), "true: {:?}", found.strongest);
    let open = found.not_refuted.unwrap_or(found.strongest);
    assert_eq!(rows_of(&open), expected(&not_refuted), "not refuted: {open:?}");
    !for_true.is_empty()
}

fn weakest(model: &Kmts, query: &Formula, reading: Reading) -> Belnap {
    let atom = placeholder(query).unwrap().unwrap().atom;
    let formula = filled(query, atom, &prime_implicants(RowSet::all(2), 2), &names());
    let formula = evaluated_formula(model, &formula);
    let budget = Budget::unlimited();
    let task = Task::new(model, &formula, reading, Ask::All, &budget).unwrap();
    let values = EngineChoice::Auto.engine(formula.logic()).values(&task).unwrap();
    let init: Vec<_> = if model.init().is_empty() { model.states().collect() } else { model.init().to_vec() };
    tertium_structures::check::meet_at(&init, |state| values.at(state)).0
}

/// The rows of formulas as they are written, by the labelling of a structure with one state a row.
fn rows_of(formulas: &[String]) -> Vec<RowSet> {
    let mut builder = tertium_model::KmtsBuilder::new();
    let props: Vec<_> = names().iter().map(|name| builder.add_prop(name)).collect();
    for row in 0usize..4 {
        let state = builder.add_state(&format!("s{row}"));
        for (at, &prop) in props.iter().enumerate() {
            builder.set_label(state, prop, if row >> at & 1 == 1 { Belnap::True } else { Belnap::False });
        }
    }
    let table = builder.finish().unwrap();
    let budget = Budget::unlimited();
    let rows = |text: &String| {
        let formula = tertium_logic::parse(text, &tertium_logic::ParseOptions::in_logic(Logic::Ctl)).formula.unwrap();
        let task = Task::new(&table, &formula, Reading::default(), Ask::All, &budget).unwrap();
        let values = Explicit.values(&task).unwrap();
        RowSet::of(table.states().filter(|&state| values.at(state) == Belnap::True).map(tertium_model::StateId::index))
    };
    let mut sets: Vec<RowSet> = formulas.iter().map(rows).collect();
    sets.sort_unstable();
    sets
}

#[test]
fn branching_queries_agree_with_trying_every_formula() {
    let shapes = [
        StructureShape { complete: true, ..StructureShape::default() },
        StructureShape { hyper: true, ..StructureShape::default() },
        StructureShape { mixed: true, both_labels: true, ..StructureShape::default() },
        StructureShape { total: true, hyper: true, ..StructureShape::default() },
        StructureShape { fairness: 2, ..StructureShape::default() },
    ];
    let solved = std::sync::atomic::AtomicUsize::new(0);
    for_random_cases(1200, |case| {
        let shape = case.rng.pick(&shapes).clone();
        let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Mu]);
        let deadlock = *case.rng.pick(&[Deadlock::Mu, Deadlock::Mu, Deadlock::Maximal]);
        if compare(case, &shape, logic, deadlock) {
            solved.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    assert!(solved.into_inner() > 50, "too few queries have an answer");
}

#[test]
fn linear_queries_agree_with_trying_every_formula() {
    let solved = std::sync::atomic::AtomicUsize::new(0);
    for_random_cases(500, |case| {
        let shape = StructureShape { complete: case.rng.chance(40), ..StructureShape::default() };
        if compare(case, &shape, Logic::Ltl, Deadlock::Mu) {
            solved.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    assert!(solved.into_inner() > 20, "too few queries have an answer");
}

/// The strongest invariant is the disjunction of what is reachable.
#[test]
fn the_strongest_invariant_is_what_is_reachable() {
    let text = "props p, q\nstate a p: t, q: f\nstate b p: f, q: t\nstate c p: t, q: t\ninit a\na -must-> b\nb -must-> a\nc -must-> a\n";
    let loaded = tertium_load::structure::from_text("model.kmts", text, &Budget::unlimited()).unwrap();
    let ask = |query: &str| {
        let answer = check(&loaded, query, Logic::Ctl, Deadlock::Mu, EngineChoice::Auto).unwrap();
        assert!(answer.checked, "{query}");
        let found = answer.query.unwrap();
        assert_eq!(found.not_refuted, None, "nothing is open");
        found.strongest
    };
    assert_eq!(ask("AG ?{p, q}"), ["p & !q | !p & q"]);
    assert_eq!(ask("EF ?{p, q}"), ["p & !q", "!p & q"]);
    assert_eq!(ask("AG ?{p}"), ["true"]);
    assert_eq!(ask("AX ?"), ["!p & q"]);
    assert_eq!(ask("AG (p -> AX ?{q})"), ["q"]);
    assert_eq!(terms_formula(&[], &[]).text(), "false");
}
