//! Translations keep values: the translated formula on the translated structure says the same.

use tertium_base::Budget;
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Logic, ParseOptions, parse};
use tertium_model::{
    Kmts, StateId, consistent_at, kmts_to_lattice, lattice_to_kmts, merge_hyper, refines, to_mts, to_pks,
};
use tertium_testkit::reference::{Deadlocks, branching_values};
use tertium_testkit::{Rng, StructureShape, for_random_cases};

fn values(structure: &Kmts, text: &str) -> Vec<Belnap> {
    let options = ParseOptions { logic: Some(Logic::Pml), ..ParseOptions::default() };
    let parsed = parse(text, &options);
    let formula = parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
    branching_values(structure, &formula, Deadlocks::Mu)
}

/// A formula as it is, for the structure without open edges, and for the one without propositions.
fn formula(rng: &mut Rng, depth: usize) -> [String; 3] {
    if depth == 0 || rng.chance(15) {
        let atom = *rng.pick(&["p", "q"]);
        return [atom.to_owned(), atom.to_owned(), format!("<{atom}> true")];
    }
    let choice = rng.below(5);
    let [a, pks, mts] = formula(rng, depth - 1);
    match choice {
        0 => [format!("!({a})"), format!("!({pks})"), format!("!({mts})")],
        1 => [format!("<> ({a})"), format!("<> (ex & ({pks}))"), format!("<step> ({mts})")],
        2 => [format!("[] ({a})"), format!("[] (!ex | ({pks}))"), format!("[step] ({mts})")],
        _ => {
            let sign = if choice == 3 { "&" } else { "|" };
            let [b, pks_b, mts_b] = formula(rng, depth - 1);
            [format!("({a}) {sign} ({b})"), format!("({pks}) {sign} ({pks_b})"), format!("({mts}) {sign} ({mts_b})")]
        }
    }
}

#[test]
fn open_edges_become_open_labels_and_labels_become_steps() {
    for_random_cases(200, |case| {
        let original = case.structure(&StructureShape::default());
        let pks = to_pks(&original).unwrap();
        let mts = to_mts(&original).unwrap();
        assert!(mts.structure.props().is_empty());
        assert!(pks.structure.states().all(|s| pks.structure.edges_from(s).all(|edge| edge.may && edge.must)));
        for _ in 0..5 {
            let [plain, for_pks, for_mts] = formula(&mut case.rng, 4);
            let expected = values(&original, &plain);
            let (on_pks, on_mts) = (values(&pks.structure, &for_pks), values(&mts.structure, &for_mts));
            for state in original.states() {
                assert_eq!(on_pks[state.index() * 2], expected[state.index()], "{plain} as {for_pks}");
                assert_eq!(on_mts[state.index()], expected[state.index()], "{plain} as {for_mts}");
            }
        }
    });
}

#[test]
fn merged_states_claim_no_more_than_hyper_edges() {
    for_random_cases(200, |case| {
        let original = case.structure(&StructureShape { hyper: true, ..StructureShape::default() });
        let merged = merge_hyper(&original).unwrap();
        assert_eq!(merged.structure.hyper_count(), 0);
        let relation = refines(&merged.structure, &original, &Budget::unlimited()).unwrap();
        for state in original.states() {
            assert!(relation.contains(state, state), "{state:?}");
        }
        for _ in 0..5 {
            let [text, ..] = formula(&mut case.rng, 4);
            let (before, after) = (values(&original, &text), values(&merged.structure, &text));
            for state in original.states() {
                assert!(after[state.index()].info_le(before[state.index()]), "{text} at {state:?}");
            }
        }
    });
}

#[test]
fn lattices_and_back() {
    for_random_cases(100, |case| {
        let shape = StructureShape {
            mixed: case.rng.chance(50),
            both_labels: case.rng.chance(50),
            ..StructureShape::default()
        };
        let original = case.structure(&shape);
        let valued = kmts_to_lattice(&original).unwrap();
        assert_eq!(lattice_to_kmts(&valued).unwrap(), original);
    });
}

/// Whether `state` has a refinement among all complete structures of a size, by trying them.
fn has_small_completion(kmts: &Kmts, state: StateId, candidates: &[Kmts]) -> bool {
    candidates.iter().any(|complete| {
        let relation = refines(kmts, complete, &Budget::unlimited()).unwrap();
        !relation.refining(state).is_empty()
    })
}

#[test]
fn consistency_agrees_with_completions() {
    let mut rng = Rng::new(7);
    // Complete structures over one proposition with up to two states, all of them, and some larger ones.
    let mut candidates = Vec::new();
    for states in 1..=2usize {
        for labels in 0..1u32 << states {
            for edges in 0..1u32 << (states * states) {
                candidates.push(complete(states, |s| labels >> s & 1 != 0, |a, b| edges >> (a * states + b) & 1 != 0));
            }
        }
    }
    for _ in 0..300 {
        let (labels, edges) = (rng.next_u64(), rng.next_u64());
        candidates.push(complete(4, |s| labels >> s & 1 != 0, |a, b| edges >> (a * 4 + b) & 1 != 0));
    }
    let (yes, no) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(100, |case| {
        let shape = StructureShape {
            states: 1..=3,
            props: 1,
            hyper: true,
            mixed: true,
            both_labels: case.rng.chance(20),
            ..StructureShape::default()
        };
        let mixed = case.structure(&shape);
        for state in mixed.states() {
            let consistent = consistent_at(&mixed, state, &Budget::unlimited()).unwrap();
            let completed = has_small_completion(&mixed, state, &candidates);
            assert!(consistent || !completed, "{state:?} has a completion but is said to be inconsistent");
            // Completions may be larger than the candidates, so the other direction is counted only.
            let count = if consistent { &yes } else { &no };
            count.set(count.get() + 1);
        }
    });
    assert!(yes.get() > 20 && no.get() > 20, "{} {}", yes.get(), no.get());
}

fn complete(states: usize, label: impl Fn(usize) -> bool, edge: impl Fn(usize, usize) -> bool) -> Kmts {
    let mut builder = tertium_model::KmtsBuilder::new();
    let prop = builder.add_prop("p");
    let ids: Vec<StateId> = (0..states).map(|at| builder.add_state(&format!("s{at}"))).collect();
    for (a, &from) in ids.iter().enumerate() {
        builder.set_label(from, prop, Belnap::from(label(a)));
        for (b, &to) in ids.iter().enumerate().filter(|(b, _)| edge(a, *b)) {
            let _ = b;
            builder.add_edge(from, to, true, true, None);
        }
    }
    builder.finish().unwrap()
}
