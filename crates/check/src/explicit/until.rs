//! `E[a U b]`: least fixpoint by one backward walk over both sets.
//!
//! The states that are surely in come first; walking back from one of them, its edges are looked at
//! once for both sets. In a structure whose must edges are may edges every state is walked back from
//! at most once, so three values cost no more edge visits than two.

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Stopped};
use tertium_model::{HyperId, StateId};

use super::pair::{POSSIBLE, Pair, SURE};
use super::pending::Pending;
use super::structure::Structure;

/// The sets of `E[a U b]`.
pub(super) fn exists_until(structure: &Structure<'_>, a: &Pair, b: &Pair) -> Result<Pair, Stopped> {
    let mut walk = Walk::new(structure, a, b)?;
    walk.surely()?;
    walk.possibly()?;
    Ok(walk.reached)
}

/// If one state in this many is possible and not walked back from yet, possible steps are looked for from their sources.
const PULLED: usize = 16;

struct Walk<'w, 'a> {
    structure: &'w Structure<'a>,
    a: &'w Pair,
    reached: Pair,
    /// States from which the walk over possible edges has been made.
    possibly_done: BitSet,
    sure: Pending,
    /// Members of each hyper edge that are not surely in yet.
    hyper_missing: Vec<u32>,
    /// Under totality: possible successors of each state that are not surely in yet.
    successors_missing: Vec<u32>,
    ticks: u32,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(structure: &'w Structure<'a>, a: &'w Pair, b: &Pair) -> Result<Self, Stopped> {
        let model = structure.model();
        let states = structure.states();
        structure.budget().reserve(states * if structure.total() { 5 } else { 1 })?;
        let hyper_missing =
            (0..model.hyper_count()).map(|at| to_u32(model.hyper(HyperId::new(at)).members.len())).collect();
        let successors_missing =
            if structure.total() { (0..states).map(|state| structure.may_degree(state)).collect() } else { Vec::new() };
        let mut walk = Self {
            structure,
            a,
            reached: b.clone(),
            possibly_done: BitSet::empty(states),
            sure: Pending::new(states),
            hyper_missing,
            successors_missing,
            ticks: 0,
        };
        for word in 0..b.word_count() {
            for state in b.states_with(SURE, word) {
                walk.sure.push(state);
            }
        }
        Ok(walk)
    }

    fn surely(&mut self) -> Result<(), Stopped> {
        let predecessors = self.structure.predecessors()?;
        while let Some(state) = self.sure.pop() {
            self.structure.budget().tick(&mut self.ticks)?;
            let bits = self.reached.get(state);
            if bits & POSSIBLE != 0 {
                self.possibly_done.insert(state);
            }
            for edge in predecessors.edges_into(state) {
                self.add(edge.source(), edge.kind() & bits);
            }
            if !self.successors_missing.is_empty() {
                for edge in predecessors.edges_into(state).iter().filter(|edge| edge.kind() & POSSIBLE != 0) {
                    self.one_successor_less(edge.source());
                }
            }
            for (hyper, source) in predecessors.hyper_into(state) {
                self.hyper_missing[hyper.index()] -= 1;
                if self.hyper_missing[hyper.index()] == 0 {
                    self.add(source, SURE);
                }
            }
        }
        Ok(())
    }

    /// What is possible but not sure, once all that is sure is in.
    fn possibly(&mut self) -> Result<(), Stopped> {
        let states = self.structure.states();
        let mut possible = Pending::new(states);
        for word in 0..self.reached.word_count() {
            for state in self.reached.states_with(POSSIBLE, word) {
                if !self.possibly_done.contains(state) {
                    possible.push(state);
                }
            }
        }
        if possible.len() * PULLED >= states && self.pull(&mut possible)? {
            return Ok(());
        }
        let predecessors = self.structure.predecessors()?;
        while let Some(state) = possible.pop() {
            self.structure.budget().tick(&mut self.ticks)?;
            for edge in predecessors.edges_into(state) {
                let new = edge.kind() & POSSIBLE & self.a.get(edge.source()) & !self.reached.get(edge.source());
                if new != 0 {
                    self.reached.set(edge.source(), new);
                    possible.push(edge.source());
                }
            }
        }
        Ok(())
    }

    /// Passes over the states that are still out, looking for one possible step in. Many states to walk back from
    /// means that such a step is soon found. Says whether that was all.
    fn pull(&mut self, possible: &mut Pending) -> Result<bool, Stopped> {
        let model = self.structure.model();
        let mut looks = 0;
        while looks <= 2 * model.edge_count() {
            let mut changed = false;
            for word in 0..self.reached.word_count() {
                for state in self.a.states_only_here(&self.reached, POSSIBLE, word) {
                    let edges = model.packed_edges(StateId::new(state));
                    looks += edges.len();
                    if edges.iter().any(|edge| edge.kind() & self.reached.get(edge.target()) & POSSIBLE != 0) {
                        self.reached.set(state, POSSIBLE);
                        possible.push(state);
                        changed = true;
                    }
                }
            }
            if !changed {
                return Ok(true);
            }
            self.structure.budget().check()?;
        }
        Ok(false)
    }

    fn one_successor_less(&mut self, source: usize) {
        self.successors_missing[source] -= 1;
        if self.successors_missing[source] == 0 {
            self.add(source, SURE);
        }
    }

    #[inline]
    fn add(&mut self, state: usize, bits: u32) {
        let new = bits & self.a.get(state) & !self.reached.get(state);
        if new != 0 {
            self.reached.set(state, new);
            if new & SURE != 0 {
                self.sure.push(state);
            }
        }
    }
}
