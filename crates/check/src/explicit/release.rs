//! `E[a R b]`: greatest fixpoint by taking states out, both sets in one walk.
//!
//! A state stays as long as `b` holds and either `a` does or a step stays inside. Counters hold how
//! many possible successors, and how many certain sets, are still inside. Refuted states come first:
//! they leave both sets, so their incoming edges are looked at once.

use tertium_base::{BitSet, Stopped};
use tertium_model::StateId;

use super::pair::{POSSIBLE, Pair, SURE};
use super::pending::Pending;
use super::structure::Structure;

/// The sets of `E[a R b]`.
pub(super) fn exists_release(structure: &Structure<'_>, a: &Pair, b: &Pair) -> Result<Pair, Stopped> {
    let mut walk = Walk::new(structure, a, b)?;
    walk.refuted()?;
    walk.uncertain()?;
    Ok(walk.left)
}

/// What keeps a state in: possible successors and certain sets that are still inside.
#[derive(Clone, Copy)]
struct Support {
    possible: u32,
    certain: u32,
}

struct Walk<'w, 'a> {
    structure: &'w Structure<'a>,
    /// Where a state stays in without the support of a successor.
    at_rest: Pair,
    /// What is left of `b`.
    left: Pair,
    support: Vec<Support>,
    /// States from which the walk for the truth set has been made.
    certainly_done: BitSet,
    refuted: Pending,
    uncertain: Pending,
    hyper_broken: BitSet,
    /// The set of all possible successors counts as a certain set, and is broken for these.
    successors_broken: Option<BitSet>,
    ticks: u32,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(structure: &'w Structure<'a>, a: &Pair, b: &Pair) -> Result<Self, Stopped> {
        let states = structure.states();
        structure.budget().reserve(states * 9)?;
        let successors_count = structure.total() || structure.finite_paths();
        let mut walk = Self {
            structure,
            at_rest: a.clone(),
            left: b.clone(),
            support: Vec::with_capacity(states),
            certainly_done: BitSet::empty(states),
            refuted: Pending::new(states),
            uncertain: Pending::new(states),
            hyper_broken: BitSet::empty(structure.model().hyper_count()),
            successors_broken: successors_count.then(|| BitSet::empty(states)),
            ticks: 0,
        };
        for state in 0..states {
            structure.budget().tick(&mut walk.ticks)?;
            walk.enter(state);
        }
        Ok(walk)
    }

    /// Counts a state's support; what is out from the start becomes pending.
    fn enter(&mut self, state: usize) {
        let support = self.initial_support(state);
        self.support.push(support);
        let lacking = if support.possible == 0 { POSSIBLE } else { 0 } | if support.certain == 0 { SURE } else { 0 };
        self.left.clear(state, lacking & !self.at_rest.get(state));
        self.go_on_from(state, !self.left.get(state));
    }

    fn initial_support(&mut self, state: usize) -> Support {
        let mut support = Support { possible: 0, certain: 0 };
        let id = StateId::new(state);
        for edge in self.structure.model().packed_edges(id) {
            support.possible += edge.kind() & POSSIBLE;
            support.certain += edge.kind() >> 1;
        }
        support.certain += self.structure.model().hyper_range(id).len() as u32;
        let total = self.structure.total() && support.possible > 0;
        if self.structure.finite_paths() {
            // The path may end where a deadlock is possible, and staying inside is certain where every
            // possible successor is inside: then the path goes on there or ends here.
            if support.certain == 0 && !total {
                self.at_rest.set(state, POSSIBLE);
            }
            support.certain += 1;
        } else if total {
            support.certain += 1;
        }
        support
    }

    /// Notes that a state has just lost these bits. A refuted one is walked back from for both in its turn.
    #[inline]
    fn go_on_from(&mut self, state: usize, bits: u32) {
        if bits & POSSIBLE != 0 {
            self.refuted.push(state);
        } else if bits & SURE != 0 {
            self.uncertain.push(state);
        }
    }

    fn refuted(&mut self) -> Result<(), Stopped> {
        let predecessors = self.structure.predecessors()?;
        while let Some(state) = self.refuted.pop() {
            self.structure.budget().tick(&mut self.ticks)?;
            let lost = !self.left.get(state) & 3;
            if lost & SURE != 0 && self.certainly_done.insert(state) {
                for edge in predecessors.edges_into(state) {
                    self.support_less(edge.source(), edge.kind());
                }
                self.break_certain_sets(state)?;
            } else {
                for edge in predecessors.edges_into(state) {
                    self.support_less(edge.source(), edge.kind() & POSSIBLE);
                }
            }
        }
        Ok(())
    }

    fn uncertain(&mut self) -> Result<(), Stopped> {
        let predecessors = self.structure.predecessors()?;
        while let Some(state) = self.uncertain.pop() {
            if !self.certainly_done.insert(state) {
                continue;
            }
            self.structure.budget().tick(&mut self.ticks)?;
            for edge in predecessors.edges_into(state) {
                self.support_less(edge.source(), edge.kind() & SURE);
            }
            self.break_certain_sets(state)?;
        }
        Ok(())
    }

    /// Takes away one possible successor and one certain set, as the bits say.
    #[inline]
    fn support_less(&mut self, source: usize, bits: u32) {
        let support = &mut self.support[source];
        support.possible -= bits & POSSIBLE;
        support.certain -= bits >> 1;
        let lacking = u32::from(support.possible == 0) | u32::from(support.certain == 0) << 1;
        self.lose(source, lacking & bits);
    }

    #[inline]
    fn lose(&mut self, state: usize, bits: u32) {
        let lost = bits & self.left.get(state) & !self.at_rest.get(state);
        if lost != 0 {
            self.left.clear(state, lost);
            self.go_on_from(state, lost);
        }
    }

    /// Hyper edges with this member, and the sets of all possible successors that it is in, stay inside no more.
    fn break_certain_sets(&mut self, member: usize) -> Result<(), Stopped> {
        let predecessors = self.structure.predecessors()?;
        for (hyper, source) in predecessors.hyper_into(member) {
            if self.hyper_broken.insert(hyper.index()) {
                self.support_less(source, SURE);
            }
        }
        if self.successors_broken.is_some() {
            for edge in predecessors.edges_into(member).iter().filter(|edge| edge.kind() & POSSIBLE != 0) {
                if self.successors_broken.as_mut().is_some_and(|broken| broken.insert(edge.source())) {
                    self.support_less(edge.source(), SURE);
                }
            }
        }
        Ok(())
    }
}
