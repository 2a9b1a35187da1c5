//! How does one deterministic run follow all runs of a Büchi automaton at once?
//!
//! Trees of state sets (Safra), with nodes named by age so that the acceptance is a parity condition
//! (Piterman, Schewe), for automata with acceptance on transitions. A node holds runs that have met an
//! accepting transition since its parent last did; if all of a node's runs have, the node is good. The least
//! name that is good infinitely often, with no lesser one lost infinitely often, decides.

use tertium_base::narrow::to_u32;

/// A node: its parent's name (none for the root, which is named 0) and its states, sorted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TreeNode {
    parent: Option<u32>,
    states: Vec<u32>,
}

/// A tree; its nodes by name. Without nodes no run is left.
pub(crate) type Tree = Vec<TreeNode>;

/// The tree with one node.
pub(crate) fn root(initial: u32) -> Tree {
    vec![TreeNode { parent: None, states: vec![initial] }]
}

/// For each node its states, and those that its children hold.
pub(crate) fn nodes(tree: &Tree) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut nodes: Vec<(Vec<u32>, Vec<u32>)> = tree.iter().map(|node| (node.states.clone(), Vec::new())).collect();
    for node in tree {
        if let Some(parent) = node.parent {
            nodes[parent as usize].1.extend(&node.states);
        }
    }
    nodes
}

/// The next tree, and the event that counts: the least name that is good, or that is lost.
///
/// `moves` gives the transitions of a state on the letter read: target and whether it is accepting.
pub(crate) fn step(tree: &Tree, mut moves: impl FnMut(u32) -> Vec<(u32, bool)>) -> (Tree, Event) {
    let old = tree.len();
    let mut grown = grow(tree, &mut moves);
    keep_oldest(&mut grown);
    let good = fold_complete(&mut grown);
    let lost = (0..old).find(|&name| grown[name].states.is_empty());
    let good = good.into_iter().find(|&name| name < old);
    let event = match (good, lost) {
        (Some(good), Some(lost)) if good < lost => Event::Good(good),
        (_, Some(lost)) => Event::Lost(lost),
        (Some(good), None) => Event::Good(good),
        (None, None) => Event::Nothing,
    };
    (without_empty(&grown), event)
}

/// What a step of the tree means for acceptance; names count from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    Good(usize),
    Lost(usize),
    Nothing,
}

impl Event {
    /// The priority for "the greatest one that occurs infinitely often is even", for trees of at most `most` nodes.
    pub(crate) fn priority(self, most: usize) -> u32 {
        let least_even = match self {
            Self::Good(name) => 2 * name + 2,
            Self::Lost(name) => 2 * name + 1,
            Self::Nothing => 2 * most + 3,
        };
        to_u32(2 * most + 4 - least_even)
    }
}

/// Moves all sets on, and gives every node a youngest child with what moved over accepting transitions.
fn grow(tree: &Tree, moves: &mut impl FnMut(u32) -> Vec<(u32, bool)>) -> Tree {
    let mut grown = Vec::with_capacity(2 * tree.len());
    let mut children = Vec::with_capacity(tree.len());
    for (name, node) in tree.iter().enumerate() {
        let (mut all, mut accepted) = (Vec::new(), Vec::new());
        for &state in &node.states {
            for (target, accepting) in moves(state) {
                all.push(target);
                if accepting {
                    accepted.push(target);
                }
            }
        }
        sort_set(&mut all);
        sort_set(&mut accepted);
        grown.push(TreeNode { parent: node.parent, states: all });
        children.push(TreeNode { parent: Some(to_u32(name)), states: accepted });
    }
    grown.append(&mut children);
    grown
}

fn sort_set(states: &mut Vec<u32>) {
    states.sort_unstable();
    states.dedup();
}

/// Leaves every state only with the oldest of siblings, and nowhere below the others.
fn keep_oldest(tree: &mut Tree) {
    // Parents and older siblings have lesser names, so one pass by name sees them first. A state may stay in a
    // node if its parent kept it and no older sibling took it.
    let mut taken: Vec<Vec<u32>> = vec![Vec::new(); tree.len()];
    for name in 0..tree.len() {
        let Some(parent) = tree[name].parent.map(|parent| parent as usize) else { continue };
        let allowed = std::mem::take(&mut tree[parent].states);
        tree[name]
            .states
            .retain(|state| allowed.binary_search(state).is_ok() && taken[parent].binary_search(state).is_err());
        tree[parent].states = allowed;
        taken[parent] = super::tgba::union(&taken[parent], &tree[name].states);
    }
}

/// Empties everything below nodes whose children hold all their states; these nodes are good.
fn fold_complete(tree: &mut Tree) -> Vec<usize> {
    let mut below: Vec<usize> = vec![0; tree.len()];
    for node in tree.iter() {
        if let Some(parent) = node.parent {
            // Siblings are disjoint, so counting is enough.
            below[parent as usize] += node.states.len();
        }
    }
    let mut good = Vec::new();
    let mut folded = vec![false; tree.len()];
    for name in 0..tree.len() {
        let inside = tree[name].parent.is_some_and(|parent| folded[parent as usize]);
        if inside {
            tree[name].states.clear();
            folded[name] = true;
        } else if !tree[name].states.is_empty() && below[name] == tree[name].states.len() {
            good.push(name);
            folded[name] = true;
        }
    }
    good
}

/// The tree without empty nodes, names closed up in order of age.
fn without_empty(tree: &Tree) -> Tree {
    let mut name = vec![0; tree.len()];
    let mut kept: Tree = Vec::new();
    for (at, node) in tree.iter().enumerate().filter(|(_, node)| !node.states.is_empty()) {
        name[at] = to_u32(kept.len());
        kept.push(TreeNode { parent: node.parent.map(|parent| name[parent as usize]), states: node.states.clone() });
    }
    kept
}
