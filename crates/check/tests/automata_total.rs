//! Refutations that assume totality, CTL* against CTL, and paths that end.

use tertium_base::Budget;
use tertium_check::automata::{AutomataEngine, linear_certificate};
use tertium_check::{Ask, Engine, Task, Values};
use tertium_evidence::{Deadlock, LinearReading, Proof, Reading};
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, Logic, Node};
use tertium_model::{Kmts, KmtsBuilder, StateId};
use tertium_testkit::reference::{Deadlocks, branching_values};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

fn values(model: &Kmts, formula: &Formula, reading: Reading) -> Values {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, reading, Ask::All, &budget).expect("names are known");
    AutomataEngine.values(&task).expect("supported")
}

fn negated(formula: &Formula) -> Formula {
    let mut builder = formula.to_builder();
    let root = builder.add(Node::Not(formula.root()));
    builder.finish(root, formula.logic())
}

/// A structure with one state for each of `states`, labelled like it, and one in which nothing is known.
fn labelled_like(model: &Kmts, states: &[StateId]) -> (KmtsBuilder, Vec<StateId>) {
    let mut builder = KmtsBuilder::new();
    let mut copies = Vec::new();
    for &state in states {
        let copy = builder.add_state(&format!("{}_{}", copies.len(), model.state_name(state)));
        for (at, name) in model.props().iter().enumerate() {
            let prop = builder.add_prop(name);
            builder.set_label(copy, prop, model.label(state, tertium_model::PropId::new(at)));
        }
        copies.push(copy);
    }
    copies.push(builder.add_state("unknown"));
    (builder, copies)
}

fn check_refutation(task: &Task<'_>, proof: &Proof, counts: &mut [usize; 4]) {
    let bg = Reading { deadlock: Deadlock::Mu, linear: LinearReading::Bg };
    match proof {
        Proof::Lasso { cycle, .. } if !cycle.is_empty() => counts[0] += 1,
        Proof::Lasso { stem, .. } => {
            counts[1] += 1;
            let (mut builder, copies) = labelled_like(task.model, stem);
            for pair in copies.windows(2) {
                builder.add_edge(pair[0], pair[1], true, true, None);
            }
            let unknown = copies[copies.len() - 1];
            builder.add_edge(unknown, unknown, true, true, None);
            let chain = builder.finish().expect("small");
            assert_eq!(values(&chain, task.formula, bg).at(copies[0]), Belnap::False, "the prefix leaves it open");
            for pair in stem.windows(2) {
                assert!(task.model.must_successors(pair[0]).any(|target| target == pair[1]), "not certain: {pair:?}");
            }
        }
        Proof::NoPath => {
            counts[2] += 1;
            let contrary = negated(task.formula);
            assert_eq!(values(task.model, &contrary, bg).at(start(task)), Belnap::True, "some path satisfies it");
        }
        Proof::Plays { positions, moves } => {
            counts[3] += 1;
            let states: Vec<StateId> = positions.iter().map(|position| position.0).collect();
            let (mut builder, copies) = labelled_like(task.model, &states);
            for (from, targets) in moves.iter().enumerate() {
                let reached: Vec<StateId> = targets.iter().map(|&to| states[to as usize]).collect();
                let certain = task.model.certain_sets(states[from], None);
                assert!(
                    certain.iter().any(|set| set.iter().all(|member| reached.contains(member))),
                    "nothing is certain"
                );
                for &to in targets {
                    builder.add_edge(copies[from], copies[to as usize], true, true, None);
                }
            }
            let plays = builder.finish().expect("small");
            let refuted = values(&plays, &negated(task.formula), bg).at(copies[0]);
            assert_eq!(refuted, Belnap::True, "some play does not refute it");
        }
        other => panic!("no linear proof: {other:?}"),
    }
}

fn start(task: &Task<'_>) -> StateId {
    match task.ask {
        Ask::At(states) => states[0],
        Ask::All => StateId::new(0),
    }
}

#[test]
fn every_kind_of_refutation_is_what_it_claims() {
    let counts = std::cell::RefCell::new([0; 4]);
    for_random_cases(400, |case| {
        let shape =
            StructureShape { states: 2..=5, density: 40, total: true, hyper: true, ..StructureShape::default() };
        let model = case.structure(&shape);
        let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(Logic::Ltl) });
        let budget = Budget::unlimited();
        for linear in [LinearReading::BgTotal, LinearReading::Hyper] {
            let reading = Reading { deadlock: Deadlock::Mu, linear };
            let found = values(&model, &formula, reading);
            for state in model.states().filter(|&state| found.at(state) == Belnap::False) {
                let at = [state];
                let task = Task::new(&model, &formula, reading, Ask::At(&at), &budget).expect("names are known");
                let proof = linear_certificate(&task, state, Belnap::False).expect("supported").expect("it is false");
                check_refutation(&task, &proof, &mut counts.borrow_mut());
            }
        }
    });
    let counts = counts.into_inner();
    assert!(counts.iter().all(|&count| count > 0), "a kind of refutation never occurred: {counts:?}");
}

fn as_star(formula: &Formula) -> Formula {
    formula.to_builder().finish(formula.root(), Logic::CtlStar)
}

/// The same structure with every possible step made certain; labels stay open.
fn with_certain_steps(model: &Kmts) -> Kmts {
    let states: Vec<StateId> = model.states().collect();
    let (mut builder, copies) = labelled_like(model, &states);
    for &state in &states {
        for target in model.may_successors(state) {
            builder.add_edge(copies[state.index()], copies[target.index()], true, true, None);
        }
    }
    builder.add_edge(copies[states.len()], copies[states.len()], true, true, None);
    builder.finish().expect("small")
}

#[test]
fn ctl_formulas_have_their_ctl_values_where_steps_are_certain() {
    for_random_cases(400, |case| {
        let hyper = case.number % 2 == 0;
        let shape = StructureShape { states: 1..=5, density: 35, total: true, hyper, ..StructureShape::default() };
        let model = case.structure(&shape);
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Ctl) });
        let expected = branching_values(&model, &formula, Deadlocks::Total);
        let found = values(&model, &as_star(&formula), Reading::default());
        for state in model.states() {
            let (star, ctl) = (found.at(state), expected[state.index()]);
            assert!(star.info_le(ctl), "at {}: {star} in CTL*, {ctl} in CTL", model.state_name(state));
        }
        let model = with_certain_steps(&model);
        let expected = branching_values(&model, &formula, Deadlocks::Mu);
        let found = values(&model, &as_star(&formula), Reading::default());
        for state in model.states() {
            assert_eq!(found.at(state), expected[state.index()], "at {}", model.state_name(state));
        }
    });
}

#[test]
fn without_next_ended_paths_mean_the_same_as_in_ctl() {
    for_random_cases(600, |case| {
        let shape = StructureShape { states: 1..=5, density: 25, ..StructureShape::default() };
        let model = case.structure(&shape);
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Ctl) });
        if formula.nodes().iter().any(|node| matches!(node, Node::Next(_))) {
            return;
        }
        let reading = Reading { deadlock: Deadlock::Maximal, linear: LinearReading::Hyper };
        for (model, exact) in [(with_certain_steps(&model), true), (model, false)] {
            let expected = branching_values(&model, &formula, Deadlocks::Maximal);
            let found = values(&model, &as_star(&formula), reading);
            for state in model.states() {
                let (star, ctl) = (found.at(state), expected[state.index()]);
                let fits = if exact { star == ctl } else { star.info_le(ctl) };
                assert!(fits, "at {}: {star} in CTL*, {ctl} in CTL", model.state_name(state));
            }
        }
    });
}
