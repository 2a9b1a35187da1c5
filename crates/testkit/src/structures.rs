//! Random structures of a wanted shape.

use std::ops::RangeInclusive;

use tertium_lattice::Belnap;
use tertium_model::{ActionId, Kmts, KmtsBuilder, PropId, StateId};

use crate::Rng;

/// What a random structure looks like. Everything else about it is drawn.
#[derive(Clone, Debug)]
pub struct StructureShape {
    /// How many states.
    pub states: RangeInclusive<usize>,
    /// How many propositions: `p`, `q`, `r`, …
    pub props: usize,
    /// In how many of a hundred pairs of states (and actions) there is an edge.
    pub density: usize,
    /// Whether hyper-must edges occur.
    pub hyper: bool,
    /// Whether something certain may lie outside what is possible.
    pub mixed: bool,
    /// Whether labels may have the value `both`.
    pub both_labels: bool,
    /// How many fairness constraints at most.
    pub fairness: usize,
    /// How many actions (`x`, `y`, …) the edges carry; none of them does if zero.
    pub actions: usize,
    /// Whether the structure is asserted to be total; then every state has a may-successor.
    pub total: bool,
    /// Whether nothing is open: must is may, no label unknown, no hyper edge.
    pub complete: bool,
}

impl Default for StructureShape {
    fn default() -> Self {
        Self {
            states: 1..=5,
            props: 2,
            density: 30,
            hyper: false,
            mixed: false,
            both_labels: false,
            fairness: 0,
            actions: 0,
            total: false,
            complete: false,
        }
    }
}

/// Names of propositions, in order.
const PROPS: [&str; 6] = ["p", "q", "r", "s", "v", "w"];
/// Names of actions, in order.
const ACTIONS: [&str; 3] = ["x", "y", "z"];

impl StructureShape {
    /// The names of the propositions, for [`crate::FormulaShape`].
    #[must_use]
    pub fn prop_names(&self) -> Vec<String> {
        PROPS[..self.props].iter().map(|&name| name.to_owned()).collect()
    }

    /// The names of the actions, for [`crate::FormulaShape`].
    #[must_use]
    pub fn action_names(&self) -> Vec<String> {
        ACTIONS[..self.actions].iter().map(|&name| name.to_owned()).collect()
    }
}

/// A structure of this shape. The first state is initial, sometimes others too.
pub fn random_structure(rng: &mut Rng, shape: &StructureShape) -> Kmts {
    let mut builder = KmtsBuilder::new();
    let count = rng.between(&shape.states);
    let states: Vec<StateId> = (0..count).map(|at| builder.add_state(&format!("s{at}"))).collect();
    let props: Vec<PropId> = shape.prop_names().iter().map(|name| builder.add_prop(name)).collect();
    let mut actions: Vec<Option<ActionId>> =
        shape.action_names().iter().map(|name| Some(builder.add_action(name))).collect();
    if actions.is_empty() {
        actions.push(None);
    }
    for &state in &states {
        for &prop in &props {
            builder.set_label(state, prop, random_label(rng, shape));
        }
        add_steps(rng, shape, &mut builder, state, &states, &actions);
    }
    add_fairness(rng, shape, &mut builder, &states, &actions);
    for &state in &states {
        if state.index() == 0 || rng.chance(10) {
            builder.add_init(state);
        }
    }
    builder.set_total(shape.total);
    builder.finish().expect("random structures are small")
}

fn random_label(rng: &mut Rng, shape: &StructureShape) -> Belnap {
    if !shape.complete && rng.chance(35) {
        return if shape.both_labels && rng.chance(20) { Belnap::Both } else { Belnap::Unknown };
    }
    if rng.chance(50) { Belnap::True } else { Belnap::False }
}

/// Adds one state's edges.
fn add_steps(
    rng: &mut Rng,
    shape: &StructureShape,
    builder: &mut KmtsBuilder,
    from: StateId,
    states: &[StateId],
    actions: &[Option<ActionId>],
) {
    let mut has_may = false;
    for &action in actions {
        let mut possible = Vec::new();
        for &to in states {
            if !rng.chance(shape.density) {
                continue;
            }
            let must = shape.complete || rng.chance(50);
            let may = !(shape.mixed && must && rng.chance(25));
            builder.add_edge(from, to, may, must, action);
            if may {
                possible.push(to);
            }
        }
        has_may |= !possible.is_empty();
        if shape.hyper && !shape.complete {
            add_hyper(rng, shape, builder, from, states, &possible, action);
        }
    }
    if shape.total && !has_may {
        let must = shape.complete || rng.chance(50);
        builder.add_edge(from, *rng.pick(states), true, must, *rng.pick(actions));
    }
}

fn add_hyper(
    rng: &mut Rng,
    shape: &StructureShape,
    builder: &mut KmtsBuilder,
    from: StateId,
    states: &[StateId],
    possible: &[StateId],
    action: Option<ActionId>,
) {
    while rng.chance(40) {
        let pool = if shape.mixed && rng.chance(25) { states } else { possible };
        if pool.is_empty() {
            return;
        }
        let members = rng.some_of(pool);
        builder.add_hyper(from, &members, action);
    }
}

fn add_fairness(
    rng: &mut Rng,
    shape: &StructureShape,
    builder: &mut KmtsBuilder,
    states: &[StateId],
    actions: &[Option<ActionId>],
) {
    if shape.fairness == 0 {
        return;
    }
    for _ in 0..rng.between(&(0..=shape.fairness)) {
        let percent = *rng.pick(&[20, 50, 80]);
        let mut edges = Vec::new();
        for &from in states {
            for &to in states {
                for &action in actions {
                    if rng.chance(percent) {
                        edges.push((from, to, action));
                    }
                }
            }
        }
        builder.add_fairness(edges);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::for_random_cases;

    fn rich() -> StructureShape {
        StructureShape { hyper: true, fairness: 2, actions: 2, ..StructureShape::default() }
    }

    #[test]
    fn shapes_are_kept() {
        for_random_cases(300, |case| {
            let complete = case.structure(&StructureShape { complete: true, ..rich() });
            assert!(complete.is_complete());
            let plain = case.structure(&rich());
            assert!(!plain.is_mixed());
            let total = case.structure(&StructureShape { total: true, density: 5, ..rich() });
            assert!(total.total() && total.states().all(|state| !total.is_dead(state)));
        });
    }

    #[test]
    fn every_feature_occurs() {
        let mut rng = Rng::new(7);
        let shape = StructureShape { mixed: true, both_labels: true, ..rich() };
        let drawn: Vec<Kmts> = (0..100).map(|_| random_structure(&mut rng, &shape)).collect();
        assert!(drawn.iter().any(|one| one.hyper_count() > 0));
        assert!(drawn.iter().any(Kmts::is_mixed));
        assert!(drawn.iter().any(|one| one.fairness().len() == 2));
        assert!(drawn.iter().any(|one| one.state_count() > 1 && one.init().len() > 1));
        assert!(drawn.iter().any(|one| one.states().any(|state| one.label(state, PropId::new(0)) == Belnap::Both)));
    }
}
