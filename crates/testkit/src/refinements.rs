//! Random structures above a given one in the completeness preorder.
//!
//! Every state gets one or more copies; a copy settles some open labels, keeps or drops possible steps,
//! makes some certain, and answers every certain set with a certain set of copies of its members. So
//! "is a copy of" is a refinement relation by construction: labels agree where they were known, certain
//! sets are matched downwards, possible steps upwards. Fairness constraints and actions are inherited.

use tertium_lattice::Belnap;
use tertium_model::{ActionId, EdgeId, Kmts, KmtsBuilder, PropId, StateId};

use crate::Rng;

/// A structure and the relation that shows it refines another.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// The refining structure.
    pub structure: Kmts,
    /// For each of its states the state that it refines.
    pub refines: Vec<StateId>,
}

/// A structure in which every state refines one of `of`; initial states have initial copies.
pub fn random_refinement(rng: &mut Rng, of: &Kmts) -> Refinement {
    Refiner { rng, of, complete: false, copies: Vec::new() }.run()
}

/// A refinement with nothing open. Structures that are mixed need not have one, so `of` must not be.
///
/// # Panics
/// If `of` is mixed.
pub fn random_completion(rng: &mut Rng, of: &Kmts) -> Refinement {
    assert!(!of.is_mixed(), "a mixed structure may have no completion");
    Refiner { rng, of, complete: true, copies: Vec::new() }.run()
}

struct Refiner<'a> {
    rng: &'a mut Rng,
    of: &'a Kmts,
    complete: bool,
    /// For each state of `of` its copies.
    copies: Vec<Vec<StateId>>,
}

impl Refiner<'_> {
    fn run(mut self) -> Refinement {
        let mut builder = KmtsBuilder::new();
        let mut refines = Vec::new();
        for state in self.of.states() {
            let count = *self.rng.pick(&[1, 1, 2, 3]);
            let name = self.of.state_name(state);
            self.copies.push((0..count).map(|at| builder.add_state(&format!("{name}_{at}"))).collect());
            refines.extend(std::iter::repeat_n(state, count));
        }
        for name in self.of.props() {
            builder.add_prop(name);
        }
        for name in self.of.actions() {
            builder.add_action(name);
        }
        for (at, &state) in refines.iter().enumerate() {
            self.settle_labels(&mut builder, StateId::new(at), state);
            self.answer_certain_sets(&mut builder, StateId::new(at), state);
            self.keep_some_edges(&mut builder, StateId::new(at), state);
        }
        self.inherit_fairness(&mut builder);
        self.choose_init(&mut builder);
        builder.set_total(self.of.total());
        Refinement { structure: builder.finish().expect("refinements are small"), refines }
    }

    fn settle_labels(&mut self, builder: &mut KmtsBuilder, copy: StateId, state: StateId) {
        for prop in (0..self.of.props().len()).map(PropId::new) {
            let mut value = self.of.label(state, prop);
            if value == Belnap::Unknown && (self.complete || self.rng.chance(50)) {
                value = Belnap::from(self.rng.chance(50));
            }
            builder.set_label(copy, prop, value);
        }
    }

    /// Everything certain at `state` with the action it carries; the implicit set of a total structure too.
    fn certain(&self, state: StateId) -> Vec<(Option<ActionId>, Vec<StateId>)> {
        let musts = self.of.edges_from(state).filter(|edge| edge.must).map(|edge| (edge.action, vec![edge.target]));
        let hypers = self.of.hyper_from(state).map(|edge| (edge.action, edge.members.to_vec()));
        musts.chain(hypers).collect()
    }

    fn answer_certain_sets(&mut self, builder: &mut KmtsBuilder, copy: StateId, state: StateId) {
        for (mut action, mut members) in self.certain(state) {
            // By anyone: where only labelled steps lead there, one of them is taken.
            let anonymous = action.is_none() && !members.iter().any(|&member| self.may_step(state, member, None));
            if anonymous {
                let by: Vec<_> =
                    self.of.edges_from(state).filter(|edge| edge.may && members.contains(&edge.target)).collect();
                if !by.is_empty() {
                    let edge = *self.rng.pick(&by);
                    (action, members) = (edge.action, vec![edge.target]);
                }
            }
            let answers: Vec<StateId> = members.iter().flat_map(|member| self.copies[member.index()].clone()).collect();
            let chosen = if self.complete || self.rng.chance(50) {
                vec![*self.rng.pick(&answers)]
            } else {
                self.rng.some_of(&answers)
            };
            builder.add_hyper(copy, &chosen, action);
            for member in members.iter().filter(|&&member| self.may_step(state, member, action)) {
                for &target in chosen.iter().filter(|target| self.copies[member.index()].contains(target)) {
                    builder.add_edge(copy, target, true, false, action);
                }
            }
        }
        if self.of.total() {
            let possible: Vec<_> = self.of.edges_from(state).filter(|edge| edge.may).collect();
            if !possible.is_empty() {
                let edge = *self.rng.pick(&possible);
                let target = *self.rng.pick(&self.copies[edge.target.index()]);
                builder.add_edge(copy, target, true, self.complete, edge.action);
            }
        }
    }

    fn may_step(&self, from: StateId, to: StateId, action: Option<ActionId>) -> bool {
        self.of.edges_from(from).any(|edge| edge.may && edge.target == to && edge.action == action)
    }

    fn keep_some_edges(&mut self, builder: &mut KmtsBuilder, copy: StateId, state: StateId) {
        for edge in self.of.edges_from(state).filter(|edge| edge.may) {
            for &target in &self.copies[edge.target.index()] {
                if self.rng.chance(50) {
                    let must = self.complete || self.rng.chance(30);
                    builder.add_edge(copy, target, true, must, edge.action);
                }
            }
        }
    }

    fn inherit_fairness(&self, builder: &mut KmtsBuilder) {
        for constraint in self.of.fairness() {
            let mut edges = Vec::new();
            for from in self.of.states() {
                for edge in self.of.edge_range(from).filter(|&at| constraint.possible.contains(at)) {
                    let edge = self.of.edge(EdgeId::new(edge));
                    for &source in &self.copies[from.index()] {
                        edges.extend(self.copies[edge.target.index()].iter().map(|&to| (source, to, edge.action)));
                    }
                }
            }
            builder.add_fairness(edges);
        }
    }

    fn choose_init(&mut self, builder: &mut KmtsBuilder) {
        for state in self.of.init() {
            for copy in self.rng.some_of(&self.copies[state.index()]) {
                builder.add_init(copy);
            }
        }
    }
}
