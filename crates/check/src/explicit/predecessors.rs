//! Edges seen from their targets, for walks against the direction of steps.

use tertium_base::{Budget, Stopped};
use tertium_model::{EdgeId, HyperId, Kmts, StateId};

const MAY: u32 = 1 << 30;
const MUST: u32 = 1 << 31;
const SOURCE: u32 = MAY - 1;

/// An edge into a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Incoming(u32);

impl Incoming {
    #[inline]
    pub fn source(self) -> usize {
        (self.0 & SOURCE) as usize
    }

    /// Must (high bit) and may (low bit).
    #[inline]
    pub fn kind(self) -> u32 {
        self.0 >> 30
    }
}

/// All plain edges by target, and all hyper edges by member.
#[derive(Debug)]
pub(super) struct Predecessors {
    offsets: Vec<u32>,
    edges: Vec<Incoming>,
    hyper_offsets: Vec<u32>,
    hyper: Vec<HyperId>,
    hyper_source: Vec<StateId>,
}

impl Predecessors {
    pub fn of(model: &Kmts, budget: &Budget) -> Result<Self, Stopped> {
        budget.reserve(4 * (model.edge_count() + 2 * model.state_count()))?;
        let mut offsets = vec![0u32; model.state_count() + 2];
        for at in 0..model.edge_count() {
            offsets[model.edge(EdgeId::new(at)).target.index() + 2] += 1;
        }
        for at in 2..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        // Filling through the entry one to the right leaves each offset where its state begins.
        let mut edges = vec![Incoming(0); model.edge_count()];
        for state in model.states() {
            for edge in model.edges_from(state) {
                let place = &mut offsets[edge.target.index() + 1];
                let kind = if edge.may { MAY } else { 0 } | if edge.must { MUST } else { 0 };
                edges[*place as usize] = Incoming(state.number() | kind);
                *place += 1;
            }
        }
        offsets.pop();
        budget.check()?;
        let mut result =
            Self { offsets, edges, hyper_offsets: Vec::new(), hyper: Vec::new(), hyper_source: Vec::new() };
        if model.hyper_count() > 0 {
            result.add_hyper(model);
        }
        Ok(result)
    }

    fn add_hyper(&mut self, model: &Kmts) {
        let mut by_member: Vec<(StateId, HyperId)> = Vec::new();
        for state in model.states() {
            for edge in model.hyper_from(state) {
                self.hyper_source.push(state);
                by_member.extend(edge.members.iter().map(|&member| (member, edge.id)));
            }
        }
        by_member.sort_unstable();
        self.hyper_offsets = vec![0; model.state_count() + 1];
        for &(member, _) in &by_member {
            self.hyper_offsets[member.index() + 1] += 1;
        }
        for at in 0..model.state_count() {
            self.hyper_offsets[at + 1] += self.hyper_offsets[at];
        }
        self.hyper = by_member.into_iter().map(|(_, id)| id).collect();
    }

    /// The plain edges into a state.
    #[inline]
    pub fn edges_into(&self, state: usize) -> &[Incoming] {
        &self.edges[self.offsets[state] as usize..self.offsets[state + 1] as usize]
    }

    /// The hyper edges that a state is a member of, with their sources.
    #[inline]
    pub fn hyper_into(&self, state: usize) -> impl Iterator<Item = (HyperId, usize)> + '_ {
        let range = if self.hyper_offsets.is_empty() {
            0..0
        } else {
            self.hyper_offsets[state] as usize..self.hyper_offsets[state + 1] as usize
        };
        self.hyper[range].iter().map(|&id| (id, self.hyper_source[id.index()].index()))
    }
}
