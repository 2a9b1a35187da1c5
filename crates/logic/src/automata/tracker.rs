//! Which single run decides whether *some* run of a nondeterministic Büchi automaton accepts, where the automaton
//! is not written down but asked for its moves?
//!
//! Safra's trees over states that the caller numbers, for constructions other than LTL: the threads of a
//! tableau, for example.

use std::collections::HashMap;

use super::safra::{self, Tree};

/// Follows all runs at once; states of the deterministic automaton are numbered as they are met.
#[derive(Clone, Debug)]
pub struct Tracker {
    most: usize,
    trees: Vec<Tree>,
    index: HashMap<Tree, usize>,
}

impl Tracker {
    /// Starts in one state of an automaton with `states` states; the tracker's first state is 0.
    #[must_use]
    pub fn new(initial: u32, states: usize) -> Self {
        let root = safra::root(initial);
        Self { most: states, index: HashMap::from([(root.clone(), 0)]), trees: vec![root] }
    }

    /// How many states were met.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.trees.len()
    }

    /// The nodes of a state's tree, each with its runs and with those of them that have met an accepting transition since all
    /// last had.
    #[must_use]
    pub fn nodes(&self, state: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
        safra::nodes(&self.trees[state])
    }

    /// No step has a greater priority.
    #[must_use]
    pub fn greatest_priority(&self) -> u32 {
        safra::Event::Good(0).priority(self.most)
    }

    /// The next state and the priority of the step: some run accepts iff the greatest priority met infinitely often
    /// is even. `moves` gives, for a state of the automaton, the targets and whether the transition is accepting.
    pub fn step(&mut self, state: usize, moves: impl FnMut(u32) -> Vec<(u32, bool)>) -> (usize, u32) {
        let (tree, event) = safra::step(&self.trees[state], moves);
        let priority = if tree.is_empty() { 1 } else { event.priority(self.most) };
        let next = self.trees.len();
        let found = *self.index.entry(tree.clone()).or_insert(next);
        if found == next {
            self.trees.push(tree);
        }
        (found, priority)
    }
}
