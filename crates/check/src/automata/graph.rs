//! The infinite paths of a structure under a deadlock convention.
//!
//! Where finite maximal paths count, a state that may have no successor gets a dead copy with the same
//! labels and a loop; a path that ends stays there for ever. The copies are numbered behind the
//! structure's states and never stored. Staying in a dead copy counts for no fairness constraint: a
//! fair path takes steps of every constraint for ever.

use tertium_base::BitSet;
use tertium_base::narrow::to_u32;
use tertium_evidence::{Deadlock, Reading};
use tertium_model::{EdgeId, Kmts, StateId};

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathStep {
    /// Where it leads: a state of the structure, or a dead copy.
    pub target: usize,
    /// Whether it is possible.
    pub may: bool,
    /// Whether it is certain.
    pub must: bool,
    /// The structure's edge; none for steps into and inside dead copies.
    pub edge: Option<EdgeId>,
}

/// A certain set: some step into it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CertainSet {
    /// Ascending.
    pub members: Vec<usize>,
    /// The fairness constraints that the step surely counts for, one bit each.
    pub fair: u64,
}

/// A structure with the dead copies that the deadlock convention asks for.
#[derive(Debug)]
pub(crate) struct PathGraph<'m> {
    /// The structure.
    pub model: &'m Kmts,
    /// Whether the possible successors together are a certain set.
    pub total: bool,
    /// The states with a dead copy, ascending, and as a set; empty unless finite paths count.
    ending: Vec<u32>,
    may_end: BitSet,
}

impl<'m> PathGraph<'m> {
    /// The paths of `model` under a reading.
    pub(crate) fn new(model: &'m Kmts, reading: Reading) -> Self {
        let total = model.total() || reading.deadlock == Deadlock::Total;
        let mut graph = Self { model, total, ending: Vec::new(), may_end: BitSet::empty(0) };
        if reading.deadlock == Deadlock::Maximal {
            graph.may_end = BitSet::from_fn(model.state_count(), |at| graph.can_end(StateId::new(at)));
            graph.ending = graph.may_end.iter().map(|at| to_u32(at)).collect();
        }
        graph
    }

    /// Without possible successors, or with nothing certain to go on with.
    fn can_end(&self, state: StateId) -> bool {
        let dead = self.model.is_dead(state);
        let pushed = self.total
            || !self.model.hyper_range(state).is_empty()
            || self.model.edges_from(state).any(|edge| edge.must);
        dead || !pushed
    }

    /// How many states there are, dead copies included.
    pub(crate) fn len(&self) -> usize {
        self.model.state_count() + self.ending.len()
    }

    /// The structure's state whose labels a state carries: itself, or what it is a copy of.
    #[inline]
    pub(crate) fn origin(&self, state: usize) -> usize {
        match state.checked_sub(self.model.state_count()) {
            None => state,
            Some(copy) => self.ending[copy] as usize,
        }
    }

    /// Whether a state is a dead copy.
    pub(crate) fn is_copy(&self, state: usize) -> bool {
        state >= self.model.state_count()
    }

    fn copy_of(&self, state: usize) -> Option<usize> {
        if self.ending.is_empty() || !self.may_end.contains(state) {
            return None;
        }
        let at = self.ending.binary_search(&to_u32(state)).ok()?;
        Some(self.model.state_count() + at)
    }

    /// The step with this number from a state; numbers run from 0 up to the first without a step.
    #[inline]
    pub(crate) fn step(&self, state: usize, number: usize) -> Option<PathStep> {
        if self.is_copy(state) {
            return (number == 0).then_some(PathStep { target: state, may: true, must: true, edge: None });
        }
        let range = self.model.edge_range(StateId::new(state));
        if number < range.len() {
            let edge = self.model.edge(EdgeId::new(range.start + number));
            return Some(PathStep { target: edge.target.index(), may: edge.may, must: edge.must, edge: Some(edge.id) });
        }
        if self.ending.is_empty() || number > range.len() {
            return None;
        }
        let target = self.copy_of(state)?;
        Some(PathStep { target, may: true, must: self.model.is_dead(StateId::new(state)), edge: None })
    }

    /// The steps from a state.
    pub(crate) fn steps(&self, state: usize) -> impl Iterator<Item = PathStep> + '_ {
        (0..).map_while(move |number| self.step(state, number))
    }

    /// The fairness constraints that a step counts for, one bit each: surely, or possibly.
    #[inline]
    pub(crate) fn fair(&self, step: PathStep, certain: bool) -> u64 {
        let constraints = self.model.fairness();
        let Some(edge) = step.edge else { return 0 };
        let mut marks = 0;
        for (bit, constraint) in constraints.iter().enumerate() {
            let set = if certain { &constraint.certain } else { &constraint.possible };
            marks |= u64::from(set.contains(edge.index())) << bit;
        }
        marks
    }

    /// Everything certain at a state: must steps, hyper edges, and what totality or a possible end implies.
    pub(crate) fn certain_sets(&self, state: usize) -> Vec<CertainSet> {
        let mut sets: Vec<CertainSet> = self
            .steps(state)
            .filter(|step| step.must)
            .map(|step| CertainSet { members: vec![step.target], fair: self.fair(step, true) })
            .collect();
        if self.is_copy(state) {
            return sets;
        }
        for hyper in self.model.hyper_from(StateId::new(state)) {
            let fits = |edge: &tertium_model::Edge| hyper.action.is_none() || edge.action == hyper.action;
            let fair = hyper.members.iter().fold(u64::MAX, |fair, &member| {
                let mut found = false;
                let mut all = u64::MAX;
                for edge in
                    self.model.edges_from(StateId::new(state)).filter(|edge| edge.target == member && fits(edge))
                {
                    found = true;
                    all &= self.fair(step_of(edge), true);
                }
                if found { fair & all } else { 0 }
            });
            sets.push(CertainSet { members: hyper.members.iter().map(|member| member.index()).collect(), fair });
        }
        let opens_end = self.copy_of(state).is_some() && !self.model.is_dead(StateId::new(state));
        if self.total || opens_end {
            sets.extend(self.all_possible(state));
        }
        sets
    }

    fn all_possible(&self, state: usize) -> Option<CertainSet> {
        let mut members = Vec::new();
        let mut fair = u64::MAX;
        for step in self.steps(state).filter(|step| step.may) {
            members.push(step.target);
            fair &= self.fair(step, true);
        }
        members.sort_unstable();
        members.dedup();
        (!members.is_empty()).then_some(CertainSet { members, fair })
    }
}

fn step_of(edge: tertium_model::Edge) -> PathStep {
    PathStep { target: edge.target.index(), may: edge.may, must: edge.must, edge: Some(edge.id) }
}

/// The lowest `count` bits, at most 64.
#[inline]
pub(crate) fn low_bits(count: usize) -> u64 {
    match count {
        0 => 0,
        1..64 => (1 << count) - 1,
        _ => u64::MAX,
    }
}
