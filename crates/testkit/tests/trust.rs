//! Can the tools that test everything else be trusted themselves?

use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, Logic, Node, NodeId};
use tertium_model::{ActionId, Kmts, KmtsBuilder, PropId, StateId};
use tertium_testkit::reference::{
    Deadlocks, LinearReading, branching_values, linear_bounds, linear_values, refinement_relation, star_values,
};
use tertium_testkit::{FormulaShape, Refinement, StructureShape, for_random_cases};

fn rich() -> StructureShape {
    StructureShape { hyper: true, fairness: 2, actions: 2, ..StructureShape::default() }
}

/// Everything certain at a state, with actions, the implicit set of a total structure included.
fn certain(structure: &Kmts, state: StateId) -> Vec<(Option<ActionId>, Vec<StateId>)> {
    let mut sets: Vec<_> =
        structure.edges_from(state).filter(|edge| edge.must).map(|edge| (edge.action, vec![edge.target])).collect();
    sets.extend(structure.hyper_from(state).map(|edge| (edge.action, edge.members.to_vec())));
    sets
}

/// Whether "is a copy of" is a refinement relation, checked clause by clause.
fn assert_refines(coarse: &Kmts, fine: &Refinement) {
    let below = |state: StateId| fine.refines[state.index()];
    for c in fine.structure.states() {
        let a = below(c);
        for prop in (0..coarse.props().len()).map(PropId::new) {
            assert!(coarse.label(a, prop).info_le(fine.structure.label(c, prop)));
        }
        for (action, members) in certain(coarse, a) {
            let answers = |(other, set): &(Option<ActionId>, Vec<StateId>)| {
                *other == action && set.iter().all(|&member| members.contains(&below(member)))
            };
            assert!(certain(&fine.structure, c).iter().any(answers), "a certain set of {a:?} has no answer at {c:?}");
        }
        if coarse.total() && !coarse.is_dead(a) {
            assert!(!fine.structure.is_dead(c));
        }
        for step in fine.structure.edges_from(c).filter(|edge| edge.may) {
            let covers = |edge: &tertium_model::Edge| {
                edge.may && edge.action == step.action && edge.target == below(step.target)
            };
            assert!(coarse.edges_from(a).any(|edge| covers(&edge)), "a step of {c:?} is not possible at {a:?}");
        }
    }
}

#[test]
fn refinements_refine_and_completions_complete() {
    for_random_cases(300, |case| {
        let total = case.rng.chance(30);
        let mixed = case.structure(&StructureShape { mixed: true, both_labels: true, total, ..rich() });
        let refinement = case.refinement(&mixed);
        assert_refines(&mixed, &refinement);
        let plain = case.structure(&StructureShape { total, ..rich() });
        let completion = case.completion(&plain);
        assert_refines(&plain, &completion);
        assert!(completion.structure.is_complete());
        assert!(!completion.structure.init().is_empty());
    });
}

/// The theorem behind every answer: refinement never takes back evidence.
fn refinement_keeps_evidence(logic: Logic, deadlocks: Deadlocks, mixed: bool) {
    for_random_cases(300, |case| {
        let shape = StructureShape { mixed, total: deadlocks == Deadlocks::Total, states: 1..=4, ..rich() };
        let coarse = case.structure(&shape);
        let fine = case.refinement(&coarse);
        let formula = case.formula(&FormulaShape { actions: shape.action_names(), ..FormulaShape::new(logic) });
        let below = branching_values(&coarse, &formula, deadlocks);
        let above = branching_values(&fine.structure, &formula, deadlocks);
        for (at, value) in above.iter().enumerate() {
            let was = below[fine.refines[at].index()];
            assert!(was.info_le(*value), "{was} became {value} at {}", fine.structure.state_name(StateId::new(at)));
        }
    });
}

#[test]
fn evidence_is_kept_in_pml() {
    refinement_keeps_evidence(Logic::Pml, Deadlocks::Mu, true);
}

#[test]
fn evidence_is_kept_in_ctl() {
    refinement_keeps_evidence(Logic::Ctl, Deadlocks::Mu, true);
    refinement_keeps_evidence(Logic::Ctl, Deadlocks::Maximal, false);
    refinement_keeps_evidence(Logic::Ctl, Deadlocks::Total, false);
}

#[test]
fn evidence_is_kept_in_the_mu_calculus() {
    refinement_keeps_evidence(Logic::Mu, Deadlocks::Mu, true);
    refinement_keeps_evidence(Logic::Mu, Deadlocks::Total, false);
}

#[test]
fn copies_are_related_by_the_preorder() {
    for_random_cases(200, |case| {
        let total = case.rng.chance(30);
        let coarse = case.structure(&StructureShape { mixed: true, both_labels: true, total, ..rich() });
        let fine = case.refinement(&coarse);
        let related = refinement_relation(&coarse, &fine.structure);
        for (at, below) in fine.refines.iter().enumerate() {
            assert!(related[below.index()][at], "{below:?} and its copy {at}");
        }
    });
}

/// Of completions only: a must edge may be refined into a hyper edge, which these readings do not count.
#[test]
fn definite_linear_values_hold_in_completions() {
    for_random_cases(200, |case| {
        let coarse = case.structure(&StructureShape { states: 1..=3, total: case.number % 2 == 0, ..rich() });
        let fine = case.completion(&coarse);
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Ltl) });
        let mut readings = vec![LinearReading::Bg];
        if coarse.total() && coarse.fairness().is_empty() {
            readings.push(LinearReading::BgTotal);
        }
        for reading in readings {
            let below = linear_values(&coarse, &formula, reading);
            let above = linear_values(&fine.structure, &formula, reading);
            for (at, value) in above.iter().enumerate() {
                let was = below[fine.refines[at].index()];
                assert!(was.info_le(*value), "{was} became {value} at copy {at} under {reading:?}");
            }
        }
    });
}

#[test]
fn lassos_never_contradict_the_exact_value() {
    for_random_cases(200, |case| {
        let structure = case.structure(&StructureShape { states: 1..=3, ..rich() });
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Ltl) });
        let values = linear_values(&structure, &formula, LinearReading::Bg);
        for state in structure.states() {
            let bounds = linear_bounds(&structure, state, &formula, 5);
            let value = values[state.index()];
            assert!(!bounds.refuted || value == Belnap::False, "{value} at {state:?}: {bounds:?}");
            assert!(!bounds.not_true || value != Belnap::True, "{value} at {state:?}: {bounds:?}");
        }
    });
}

#[test]
fn linear_readings_are_ordered_as_they_should_be() {
    for_random_cases(200, |case| {
        let shape = StructureShape { states: 1..=3, fairness: 0, total: true, ..rich() };
        let structure = case.structure(&shape);
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Ltl) });
        let values = |reading| linear_values(&structure, &formula, reading);
        let (bg, total, tg, pnf) = (
            values(LinearReading::Bg),
            values(LinearReading::BgTotal),
            values(LinearReading::Tg),
            values(LinearReading::TgPnf),
        );
        for at in 0..bg.len() {
            assert!(bg[at].info_le(total[at]), "bg {} but bg-total {}", bg[at], total[at]);
            assert!(tg[at] != Belnap::True || bg[at] == Belnap::True, "tg true but bg {}", bg[at]);
            assert!(bg[at] != Belnap::False || tg[at] == Belnap::False, "bg false but tg {}", tg[at]);
            assert_eq!(pnf[at] == Belnap::True, bg[at] == Belnap::True);
            assert!(bg[at] != Belnap::False || pnf[at] == Belnap::False, "bg false but tg-pnf {}", pnf[at]);
            assert!(pnf[at] != Belnap::False || total[at] == Belnap::False, "tg-pnf false but bg-total {}", total[at]);
        }
    });
}

#[test]
fn ctl_means_the_same_in_ctl_star_where_nothing_is_open() {
    for_random_cases(200, |case| {
        let shape = StructureShape { complete: true, total: true, states: 1..=4, fairness: 0, ..rich() };
        let structure = case.structure(&shape);
        let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(Logic::Ctl) });
        let as_star = formula.to_builder().finish(formula.root(), Logic::CtlStar);
        assert_eq!(star_values(&structure, &as_star), branching_values(&structure, &formula, Deadlocks::Mu));
    });
}

#[test]
fn nothing_is_open_on_complete_structures() {
    for_random_cases(300, |case| {
        let structure = case.structure(&StructureShape { complete: true, ..rich() });
        let formula = case.formula(&FormulaShape::new(Logic::Ctl));
        for deadlocks in [Deadlocks::Mu, Deadlocks::Maximal] {
            assert!(branching_values(&structure, &formula, deadlocks).iter().all(|value| value.is_definite()));
        }
    });
}

/// `A` before a linear formula and before its branching twin agree where paths decide.
#[test]
fn lassos_and_unfoldings_agree_on_simple_formulas() {
    let p = Node::Atom(tertium_logic::AtomId::new(0));
    let operators: [fn(NodeId) -> Node; 3] = [Node::Globally, Node::Finally, Node::Next];
    for_random_cases(200, |case| {
        let structure = case.structure(&StructureShape { complete: true, total: true, states: 1..=4, ..rich() });
        let structure = without_fairness(&structure);
        for operator in operators {
            let linear = formula_over_p(&[p, operator(NodeId::new(0))], Logic::Ltl);
            let branching = formula_over_p(&[p, operator(NodeId::new(0)), Node::All(NodeId::new(1))], Logic::Ctl);
            let values = branching_values(&structure, &branching, Deadlocks::Mu);
            for state in structure.states() {
                let bounds = linear_bounds(&structure, state, &linear, structure.state_count() + 1);
                let expected = values[state.index()] == Belnap::False;
                assert_eq!((bounds.refuted, bounds.not_true), (expected, expected), "{operator:?} at {state:?}");
            }
        }
    });
}

fn formula_over_p(nodes: &[Node], logic: Logic) -> Formula {
    let mut builder = tertium_logic::FormulaBuilder::new();
    let mut last = builder.atom(tertium_logic::Atom { text: "p".into(), quoted: false });
    for &node in &nodes[1..] {
        last = builder.add(node);
    }
    builder.finish(last, logic)
}

fn without_fairness(structure: &Kmts) -> Kmts {
    let mut builder = KmtsBuilder::new();
    for state in structure.states() {
        builder.add_state(structure.state_name(state));
    }
    for name in structure.props() {
        let prop = builder.add_prop(name);
        for state in structure.states() {
            builder.set_label(state, prop, structure.label(state, prop));
        }
    }
    for state in structure.states() {
        for edge in structure.edges_from(state) {
            builder.add_edge(state, edge.target, edge.may, edge.must, None);
        }
    }
    builder.finish().unwrap()
}

#[test]
fn a_possible_step_leaves_ex_open_and_a_certain_one_decides_it() {
    let mut builder = KmtsBuilder::new();
    let (a, b, c) = (builder.add_state("a"), builder.add_state("b"), builder.add_state("c"));
    let p = builder.add_prop("p");
    builder.set_label(a, p, Belnap::False);
    builder.set_label(b, p, Belnap::True);
    builder.set_label(c, p, Belnap::True);
    builder.add_edge(a, b, true, false, None);
    builder.add_edge(b, b, true, true, None);
    builder.add_edge(c, a, true, false, None);
    builder.add_edge(c, b, true, false, None);
    builder.add_hyper(c, &[a, b], None);
    let structure = builder.finish().unwrap();
    let p = Node::Atom(tertium_logic::AtomId::new(0));
    let exists = formula_over_p(&[p, Node::Next(NodeId::new(0)), Node::Exists(NodeId::new(1))], Logic::Ctl);
    let values = branching_values(&structure, &exists, Deadlocks::Mu);
    assert_eq!(values, [Belnap::Unknown, Belnap::True, Belnap::Unknown]);
    let all = formula_over_p(&[p, Node::Finally(NodeId::new(0)), Node::All(NodeId::new(1))], Logic::Ctl);
    // At `a` the only step may be missing: vacuously fine for `mu`, a path that ends too early for `maximal`.
    assert_eq!(branching_values(&structure, &all, Deadlocks::Mu)[a.index()], Belnap::True);
    assert_eq!(branching_values(&structure, &all, Deadlocks::Maximal)[a.index()], Belnap::Unknown);
    assert_eq!(branching_values(&structure, &all, Deadlocks::Total)[a.index()], Belnap::True);
}

/// Walks a formula and says whether each variable is below an even number of negations and, if asked,
/// below a modality.
fn assert_well_formed(formula: &Formula, guarded: bool) {
    type Scope = Vec<(tertium_logic::VarId, bool, bool)>;
    let mut open: Vec<(NodeId, bool, Scope)> = vec![(formula.root(), true, Vec::new())];
    while let Some((id, positive, scope)) = open.pop() {
        let node = formula.node(id);
        match node {
            Node::Var(var) => {
                let bound = scope.iter().rev().find(|bound| bound.0 == var).expect("the variable is bound");
                assert_eq!(bound.1, positive);
                assert!(bound.2 || !guarded);
            }
            Node::Not(a) => open.push((a, !positive, scope)),
            Node::Implies(a, b) => open.extend([(a, !positive, scope.clone()), (b, positive, scope)]),
            Node::Iff(..) | Node::Xor(..) => {
                open.extend(node.children().flat_map(|child| [(child, true, vec![]), (child, false, vec![])]));
            }
            Node::Mu(var, a) | Node::Nu(var, a) => {
                let mut inner = scope;
                inner.push((var, positive, false));
                open.push((a, positive, inner));
            }
            Node::Diamond(_, a) | Node::Box(_, a) => {
                open.push((a, positive, scope.into_iter().map(|(var, at, _)| (var, at, true)).collect()));
            }
            _ => open.extend(node.children().map(|child| (child, positive, scope.clone()))),
        }
    }
}

#[test]
fn fixpoint_variables_are_positive_and_guarded_when_asked() {
    for guarded in [true, false] {
        for_random_cases(500, |case| {
            let formula = case.formula(&FormulaShape { guarded, size: 15, ..FormulaShape::new(Logic::Mu) });
            assert_well_formed(&formula, guarded);
        });
    }
}

#[test]
fn every_logic_keeps_to_its_operators() {
    for_random_cases(500, |case| {
        let ctl = case.formula(&FormulaShape::new(Logic::Ctl));
        let is_temporal = |id: NodeId| {
            matches!(
                ctl.node(id),
                Node::Next(_)
                    | Node::Finally(_)
                    | Node::Globally(_)
                    | Node::Until(..)
                    | Node::Release(..)
                    | Node::WeakUntil(..)
            )
        };
        assert!(!is_temporal(ctl.root()));
        for &node in ctl.nodes() {
            let quantifier = matches!(node, Node::All(_) | Node::Exists(_));
            assert!(node.children().all(|child| is_temporal(child) == quantifier));
        }
        let ltl = case.formula(&FormulaShape::new(Logic::Ltl));
        assert!(!ltl.nodes().iter().any(|node| matches!(node, Node::All(_) | Node::Exists(_) | Node::Box(..))));
    });
}
