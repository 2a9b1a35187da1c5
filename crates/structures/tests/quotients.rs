//! Quotients keep what they promise, bisimilarity is what its definition says, and abstractions by blocks are refined by what they abstract.

use tertium_base::Budget;
use tertium_lattice::{Belnap, TruthValue};
use tertium_load::Loaded;
use tertium_logic::classify::universal_only;
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, KmtsBuilder, Model, PropId, StateId, abstract_structure, minimise, refines};
use tertium_structures::answer::Value;
use tertium_structures::check::{CheckOptions, Session};
use tertium_structures::reduce::{Quotient, bisimilar, reduce};
use tertium_structures::structure_abstraction::{AbstractMust, Block, blocks_by_labels, refine};
use tertium_testkit::{Case, FormulaShape, StructureShape, for_random_cases};

fn values(loaded: &Loaded, formula: &Formula) -> Vec<Value> {
    let budget = Budget::unlimited();
    let options = CheckOptions { all_states: true, logic: Some(formula.logic()), ..CheckOptions::default() };
    let session = Session::new(loaded, options, &budget).unwrap_or_else(|error| panic!("{error:?}"));
    let parsed = session.properties(&[formula.text()], &[]).unwrap_or_else(|error| panic!("{formula}: {error:?}"));
    session.check(&parsed[0], &budget, &()).unwrap().per_state.unwrap()
}

fn loaded(kmts: &Kmts) -> Loaded {
    Loaded::of_model("model", Model::Kmts(kmts.clone()))
}

/// The class of every state, by the names that `reduce` gives.
fn classes(original: &Kmts, reduced: &[Vec<String>]) -> Vec<usize> {
    let class =
        |state: StateId| reduced.iter().position(|class| class.iter().any(|name| name == original.state_name(state)));
    original.states().map(|state| class(state).expect("every state has a class")).collect()
}

/// Structures with twins, so that there is something to merge.
fn with_twins(case: &mut Case, shape: &StructureShape) -> Kmts {
    let small = case.structure(shape);
    let copies = 2;
    let mut builder = KmtsBuilder::new();
    for state in small.states() {
        (0..copies).for_each(|copy| {
            builder.add_state(&format!("{}_{copy}", small.state_name(state)));
        });
    }
    for name in small.actions() {
        builder.add_action(name);
    }
    for (at, name) in small.props().iter().enumerate() {
        let prop = builder.add_prop(name);
        for state in small.states() {
            (0..copies).for_each(|copy| {
                builder.set_label(
                    StateId::new(state.index() * copies + copy),
                    prop,
                    small.label(state, PropId::new(at)),
                )
            });
        }
    }
    for state in small.states() {
        for copy in 0..copies {
            let from = StateId::new(state.index() * copies + copy);
            for edge in small.edges_from(state) {
                let target = StateId::new(edge.target.index() * copies + case.rng.below(copies));
                builder.add_edge(from, target, edge.may, edge.must, edge.action);
            }
        }
    }
    builder.add_init(StateId::new(0));
    builder.set_total(small.total());
    let grown = builder.finish().unwrap();
    case.keep("grown.kmts", tertium_testkit::show_structure(&grown));
    grown
}

const BRANCHING: [Logic; 3] = [Logic::Pml, Logic::Ctl, Logic::Mu];

#[test]
fn quotients_keep_every_value_at_every_state() {
    let merged = std::cell::Cell::new([0usize; 2]);
    for_random_cases(300, |case| {
        let (mixed, total) = (case.rng.chance(20), case.rng.chance(20));
        let actions = *case.rng.pick(&[0, 0, 2]);
        let original =
            with_twins(case, &StructureShape { states: 1..=4, mixed, total, actions, ..StructureShape::default() });
        let logic = if mixed { *case.rng.pick(&BRANCHING) } else { *case.rng.pick(&Logic::WITHOUT_PLAYERS) };
        let formula = case.formula(&FormulaShape::new(logic));
        let before = values(&loaded(&original), &formula);
        for (at, by) in [Quotient::Bisimulation, Quotient::Refinement].into_iter().enumerate() {
            let small = reduce(&loaded(&original), by, &Budget::unlimited()).unwrap();
            let after = values(&small.loaded, &formula);
            let class = classes(&original, &small.classes);
            for state in original.states() {
                assert_eq!(
                    after[class[state.index()]],
                    before[state.index()],
                    "{by:?} at {}",
                    original.state_name(state)
                );
            }
            let mut count = merged.get();
            count[at] += original.state_count() - small.classes.len();
            merged.set(count);
        }
    });
    let [bisimilar, refining] = merged.get();
    assert!(bisimilar > 200 && refining > 200, "{bisimilar} {refining}");
}

#[test]
fn simulation_keeps_universal_formulas() {
    let merged = std::cell::Cell::new(0usize);
    for_random_cases(400, |case| {
        let density = *case.rng.pick(&[20, 40]);
        let original = case.structure(&StructureShape {
            states: 2..=6,
            props: 1,
            complete: true,
            density,
            ..StructureShape::default()
        });
        let shape =
            FormulaShape { atoms: vec!["p".to_owned()], ..FormulaShape::new(*case.rng.pick(&Logic::WITHOUT_PLAYERS)) };
        let formula = case.formula(&shape);
        if formula.logic() != Logic::Ltl && !universal_only(&formula) {
            return;
        }
        let small = reduce(&loaded(&original), Quotient::Simulation, &Budget::unlimited()).unwrap();
        let (before, after) = (values(&loaded(&original), &formula), values(&small.loaded, &formula));
        let class = classes(&original, &small.classes);
        for state in original.states() {
            assert_eq!(after[class[state.index()]], before[state.index()], "{}", original.state_name(state));
        }
        merged.set(merged.get() + original.state_count() - small.classes.len());
    });
    assert!(merged.get() > 20, "{}", merged.get());
}

/// The greatest bisimulation, by the definition: pairs are dropped until nothing changes.
fn bisimulation(kmts: &Kmts) -> Vec<Vec<bool>> {
    let states: Vec<StateId> = kmts.states().collect();
    let labels = |s: StateId| (0..kmts.props().len()).map(|p| kmts.label(s, PropId::new(p))).collect::<Vec<Belnap>>();
    let mut same: Vec<Vec<bool>> =
        states.iter().map(|&a| states.iter().map(|&b| labels(a) == labels(b)).collect()).collect();
    loop {
        let matched = |a: StateId, b: StateId, same: &[Vec<bool>]| {
            let may = kmts.edges_from(a).filter(|x| x.may).all(|x| {
                kmts.edges_from(b).any(|y| y.may && y.action == x.action && same[x.target.index()][y.target.index()])
            });
            let must = kmts.edges_from(a).filter(|x| x.must).all(|x| {
                kmts.edges_from(b).any(|y| y.must && y.action == x.action && same[x.target.index()][y.target.index()])
            });
            may && must
        };
        let next: Vec<Vec<bool>> = states
            .iter()
            .map(|&a| {
                states
                    .iter()
                    .map(|&b| same[a.index()][b.index()] && matched(a, b, &same) && matched(b, a, &same))
                    .collect()
            })
            .collect();
        if next == same {
            return same;
        }
        same = next;
    }
}

#[test]
fn classes_are_those_of_the_definition() {
    let some = std::cell::Cell::new(0);
    for_random_cases(300, |case| {
        let mixed = case.rng.chance(30);
        let kmts = with_twins(case, &StructureShape { states: 1..=4, mixed, ..StructureShape::default() });
        let expected = bisimulation(&kmts);
        let small = minimise(&kmts, &Budget::unlimited()).unwrap();
        for a in kmts.states() {
            for b in kmts.states() {
                let together = small.new_of[a.index()] == small.new_of[b.index()];
                assert_eq!(together, expected[a.index()][b.index()], "{a:?} {b:?}");
                let (x, y) = (kmts.state_name(a), kmts.state_name(b));
                let asked = bisimilar(&loaded(&kmts), &loaded(&kmts), Some((x, y)), &Budget::unlimited()).unwrap();
                assert_eq!(asked.refined_by, together, "{x} and {y}");
                assert_eq!(asked.difference.is_some(), !together);
                some.set(some.get() + usize::from(!together));
                if let Some(difference) = asked.difference {
                    assert!(!difference.clauses.is_empty());
                    // A formula was evaluated at both before it is told; without one they refine each other.
                    let both = refines(&kmts, &kmts, &Budget::unlimited()).unwrap();
                    assert_eq!(difference.formula.is_none(), both.contains(a, b) && both.contains(b, a));
                }
            }
        }
    });
    assert!(some.get() > 100);
}

#[test]
fn splitting_is_quasilinear() {
    // A binary tree whose leaves differ pairwise in their labels' paths: every level is split once.
    let work = |depth: usize| {
        let mut builder = KmtsBuilder::new();
        let count = (1usize << (depth + 1)) - 1;
        let prop = builder.add_prop("p");
        for at in 0..count {
            let state = builder.add_state(&format!("s{at}"));
            builder.set_label(state, prop, Belnap::from(at.is_multiple_of(3)));
        }
        for at in (0..count / 2).flat_map(|at| [(at, 2 * at + 1), (at, 2 * at + 2)]) {
            builder.add_edge(StateId::new(at.0), StateId::new(at.1), true, true, None);
        }
        let tree = builder.finish().unwrap();
        let budget = Budget::unlimited();
        minimise(&tree, &budget).unwrap();
        (count, budget.work())
    };
    let ((small, little), (large, much)) = (work(13), work(17));
    let bound = |count: usize| count as f64 * (count as f64).log2();
    assert!(much > 0, "the work is counted");
    let growth = much as f64 / little.max(1) as f64;
    let allowed = 2.0 * bound(large) / bound(small);
    assert!(growth <= allowed, "{small} states: {little}, {large} states: {much}");
}

fn random_blocks(case: &mut Case, kmts: &Kmts, overlap: bool) -> Vec<Block> {
    let count = case.rng.between(&(1..=kmts.state_count()));
    let mut members: Vec<Vec<StateId>> = vec![Vec::new(); count];
    for state in kmts.states() {
        let at = case.rng.below(count);
        members[at].push(state);
        if overlap && case.rng.chance(40) {
            let other = case.rng.below(count);
            if other != at {
                members[other].push(state);
            }
        }
    }
    let blocks = members.into_iter().filter(|members| !members.is_empty()).enumerate();
    blocks.map(|(at, members)| Block { name: format!("b{at}"), members }).collect()
}

const MUSTS: [AbstractMust; 3] = [AbstractMust::None, AbstractMust::ForAllExists, AbstractMust::Hyper];

#[test]
fn abstractions_are_refined_by_what_they_abstract() {
    let hyper = std::cell::Cell::new(0);
    for_random_cases(400, |case| {
        let shape = StructureShape {
            hyper: case.rng.chance(30),
            actions: *case.rng.pick(&[0, 2]),
            total: case.rng.chance(20),
            ..StructureShape::default()
        };
        let kmts = case.structure(&shape);
        let overlap = case.rng.chance(40);
        let blocks = random_blocks(case, &kmts, overlap);
        let mut definite = Vec::new();
        let logic = *case.rng.pick(&BRANCHING);
        let formula = case.formula(&FormulaShape::new(logic));
        let concrete = values(&loaded(&kmts), &formula);
        for must in MUSTS {
            let abstracted = abstract_structure(&kmts, &blocks, must, &Budget::unlimited()).unwrap().unwrap();
            hyper.set(hyper.get() + abstracted.hyper_count());
            let relation = refines(&abstracted, &kmts, &Budget::unlimited()).unwrap();
            let found = values(&loaded(&abstracted), &formula);
            let mut known = 0;
            for (at, block) in blocks.iter().enumerate() {
                for &member in &block.members {
                    assert!(relation.contains(StateId::new(at), member), "{must:?}: {} and {member:?}", block.name);
                    let (Value::Belnap(above), Value::Belnap(below)) = (&found[at], &concrete[member.index()]) else {
                        panic!("no lattice")
                    };
                    assert!(above.info_le(*below), "{must:?}: {above:?} and {below:?}");
                    known += usize::from(*above != Belnap::Unknown);
                }
            }
            definite.push(known);
        }
        assert!(definite.is_sorted(), "more certain steps, more definite values: {definite:?}");
    });
    assert!(hyper.get() > 20, "{}", hyper.get());
}

#[test]
fn refinement_ends_with_the_value_of_the_structure() {
    let split = std::cell::Cell::new(0);
    for_random_cases(300, |case| {
        let complete = case.rng.chance(60);
        let hyper = !complete && case.rng.chance(30);
        let kmts = case.structure(&StructureShape { states: 1..=7, complete, hyper, ..StructureShape::default() });
        let logic = *case.rng.pick(&Logic::WITHOUT_PLAYERS);
        let formula = case.formula(&FormulaShape::new(logic));
        let original = loaded(&kmts);
        let budget = Budget::unlimited();
        let options = CheckOptions { logic: Some(formula.logic()), ..CheckOptions::default() };
        let session = Session::new(&original, options, &budget).unwrap();
        let parsed = session.properties(&[formula.text()], &[]).unwrap().remove(0);
        let expected = session.check(&parsed, &budget, &()).unwrap().value();
        for must in MUSTS {
            let blocks = blocks_by_labels(&original).unwrap();
            let refined = refine(&original, blocks, (must, 100), &parsed, &budget, &()).unwrap();
            split.set(split.get() + refined.rounds.len() - 1);
            match must {
                // Without certain steps, or without hyper edges, even the structure itself leaves questions open.
                AbstractMust::None | AbstractMust::ForAllExists if must == AbstractMust::None || hyper => {
                    let (Value::Belnap(found), Value::Belnap(expected)) = (refined.answer.value(), &expected) else {
                        panic!("no lattice")
                    };
                    assert!(found.info_le(*expected));
                }
                _ => assert_eq!(refined.answer.value(), expected, "{must:?}: {:?}", refined.rounds),
            }
        }
    });
    assert!(split.get() > 100, "{}", split.get());
}
