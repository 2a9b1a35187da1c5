//! Steps of a two-valued structure, as families of sets.
//!
//! A plain relation is a family of singletons. A hyper-must relation has larger sets: `EX` holds if some
//! set lies inside, `AX` if every set is met.

use tertium_base::BitSet;
use tertium_base::narrow::to_u32;

/// For each state some non-empty sets of states.
#[derive(Clone, Debug, Default)]
pub(super) struct Relation {
    /// Where the sets of a state begin; one more entry than states.
    first_set: Vec<u32>,
    /// Where the members of a set begin; one more entry than sets.
    first_member: Vec<u32>,
    members: Vec<u32>,
}

impl Relation {
    /// The relation that `sets_of` writes down, state by state.
    pub fn from_states(states: usize, mut sets_of: impl FnMut(usize, &mut dyn FnMut(&[u32]))) -> Self {
        let mut relation = Self { first_set: vec![0], first_member: vec![0], members: Vec::new() };
        for state in 0..states {
            sets_of(state, &mut |set: &[u32]| {
                debug_assert!(!set.is_empty());
                relation.members.extend_from_slice(set);
                relation.first_member.push(to_u32(relation.members.len()));
            });
            relation.first_set.push(to_u32(relation.first_member.len()) - 1);
        }
        relation
    }

    fn sets(&self, state: usize) -> impl Iterator<Item = &[u32]> {
        (self.first_set[state] as usize..self.first_set[state + 1] as usize)
            .map(|set| &self.members[self.first_member[set] as usize..self.first_member[set + 1] as usize])
    }

    /// Whether a state has no set.
    pub fn is_empty_at(&self, state: usize) -> bool {
        self.first_set[state] == self.first_set[state + 1]
    }

    /// Whether some set lies inside.
    pub fn exists(&self, state: usize, inside: &BitSet) -> bool {
        self.sets(state).any(|set| set.iter().all(|&member| inside.contains(member as usize)))
    }

    /// Whether every set is met.
    pub fn all(&self, state: usize, met: &BitSet) -> bool {
        self.sets(state).all(|set| set.iter().any(|&member| met.contains(member as usize)))
    }

    /// All members of all sets of a state.
    pub fn successors(&self, state: usize) -> &[u32] {
        let (from, to) = (self.first_set[state] as usize, self.first_set[state + 1] as usize);
        &self.members[self.first_member[from] as usize..self.first_member[to] as usize]
    }
}

/// The states with a step to each state, by either of two relations.
pub(super) struct Predecessors {
    first: Vec<u32>,
    sources: Vec<u32>,
}

impl Predecessors {
    pub fn of(states: usize, relations: [&Relation; 2]) -> Self {
        let mut first = vec![0u32; states + 1];
        for_each_step(states, relations, |_, to| first[to + 1] += 1);
        for at in 0..states {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut sources = vec![0u32; first[states] as usize];
        for_each_step(states, relations, |from, to| {
            sources[next[to] as usize] = to_u32(from);
            next[to] += 1;
        });
        Self { first, sources }
    }

    pub fn of_state(&self, state: usize) -> &[u32] {
        &self.sources[self.first[state] as usize..self.first[state + 1] as usize]
    }
}

fn for_each_step(states: usize, relations: [&Relation; 2], mut visit: impl FnMut(usize, usize)) {
    for state in 0..states {
        for relation in relations {
            relation.successors(state).iter().for_each(|&to| visit(state, to as usize));
        }
    }
}
