//! Strongly connected components (Tarjan 1972, in the version of Pearce 2016): which nodes of a graph lead to each other?
//!
//! One search, with a stack of its own instead of recursion, for every graph that fits in memory. One number a node tells whether it was met, where
//! it stands among the nodes whose component is not complete, and which component it has: a large graph does not fit any cache, so every look
//! at a node that an edge leads to costs what many instructions cost, and here there is one an edge.
//!
//! Parity games, where blocks count, graphs that are searched while they
//! are found (`explore::search::liveness`), and those of the independent checker, have their own.

use std::convert::Infallible;

use crate::narrow::to_u32;
use crate::{Budget, Stopped};

/// The strongly connected components of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Components {
    /// The component of each node. They are in reverse topological order: an edge leads to the same or a lower number.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: usize,
}

impl Components {
    /// The component of a node.
    #[must_use]
    pub fn at(&self, node: usize) -> usize {
        self.of[node] as usize
    }

    /// The nodes of each component, ascending.
    #[must_use]
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        for (node, &component) in self.of.iter().enumerate() {
            members[component as usize].push(node);
        }
        members
    }
}

/// The components of the graph with nodes `0..count`.
///
/// # Panics
/// If there are 2^32 - 1 nodes or more.
#[must_use]
pub fn components<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> Components {
    let Ok(found) = search(count, successors, || Ok::<(), Infallible>(()));
    found
}

/// As [`components`], within a budget.
///
/// # Errors
/// If the budget is spent.
///
/// # Panics
/// If there are 2^32 - 1 nodes or more.
pub fn components_within<I: Iterator<Item = usize>>(
    count: usize,
    successors: impl Fn(usize) -> I,
    budget: &Budget,
) -> Result<Components, Stopped> {
    budget.reserve(count * size_of::<u32>())?;
    let mut ticks = 0;
    search(count, successors, || budget.tick(&mut ticks))
}

fn search<I: Iterator<Item = usize>, E>(
    count: usize,
    successors: impl Fn(usize) -> I,
    mut tick: impl FnMut() -> Result<(), E>,
) -> Result<Components, E> {
    assert!(count < u32::MAX as usize, "a graph of {count} nodes");
    let mut search =
        ComponentSearch { successors, mark: vec![UNSEEN; count], open: Vec::new(), path: Vec::new(), found: 0 };
    for root in 0..count {
        if search.mark[root] == UNSEEN {
            search.enter(root);
            while search.advance() {
                tick()?;
            }
        }
    }
    search.mark.iter_mut().for_each(|mark| *mark = u32::MAX - *mark);
    Ok(Components { of: search.mark, count: search.found as usize })
}

const UNSEEN: u32 = 0;

struct ComponentSearch<I, F> {
    successors: F,
    /// Of a node that is open the least place on `open`, counted from one, that it is known to lead to; of a finished one its
    /// component, counted down from the greatest number. There are no more of both together than nodes, so they do not meet.
    mark: Vec<u32>,
    /// Nodes whose component is not complete yet.
    open: Vec<usize>,
    /// The nodes being looked at: their place on `open`, counted from one, and their other successors.
    path: Vec<(u32, I)>,
    found: u32,
}

impl<I: Iterator<Item = usize>, F: Fn(usize) -> I> ComponentSearch<I, F> {
    fn enter(&mut self, node: usize) {
        self.open.push(node);
        let place = to_u32(self.open.len());
        self.mark[node] = place;
        self.path.push((place, (self.successors)(node)));
    }

    /// One edge of the search; false when it is back before its start.
    fn advance(&mut self) -> bool {
        let Some((place, rest)) = self.path.last_mut() else { return false };
        let (place, node) = (*place, self.open[*place as usize - 1]);
        match rest.next() {
            Some(target) if self.mark[target] == UNSEEN => self.enter(target),
            // A finished node has a greater number than any that is open.
            Some(target) => self.mark[node] = self.mark[node].min(self.mark[target]),
            None => self.leave(node, place),
        }
        true
    }

    fn leave(&mut self, node: usize, place: u32) {
        self.path.pop();
        let low = self.mark[node];
        if low == place {
            for member in self.open.drain(place as usize - 1..) {
                self.mark[member] = u32::MAX - self.found;
            }
            self.found += 1;
        } else if let Some((above, _)) = self.path.last() {
            let above = self.open[*above as usize - 1];
            self.mark[above] = self.mark[above].min(low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Edges = Vec<Vec<usize>>;

    /// Whether a path of any length, also of none, leads from one node to another: the definition, by closing a matrix.
    fn reachable(edges: &Edges) -> Vec<Vec<bool>> {
        let count = edges.len();
        let mut leads: Vec<Vec<bool>> =
            (0..count).map(|from| (0..count).map(|to| from == to || edges[from].contains(&to)).collect()).collect();
        for middle in 0..count {
            for from in 0..count {
                for to in 0..count {
                    leads[from][to] |= leads[from][middle] && leads[middle][to];
                }
            }
        }
        leads
    }

    fn agrees(edges: &Edges) {
        let found = components(edges.len(), |node| edges[node].iter().copied());
        let leads = reachable(edges);
        for (from, to) in (0..edges.len()).flat_map(|from| (0..edges.len()).map(move |to| (from, to))) {
            let mutual = leads[from][to] && leads[to][from];
            assert_eq!(found.of[from] == found.of[to], mutual, "{from} and {to} in {edges:?}");
            assert!(!leads[from][to] || found.of[to] <= found.of[from], "order of {from} and {to} in {edges:?}");
        }
        let used: std::collections::BTreeSet<u32> = found.of.iter().copied().collect();
        assert_eq!(used, (0..to_u32(found.count)).collect(), "numbers of {edges:?}");
        let members = found.members();
        assert_eq!(members.iter().map(Vec::len).sum::<usize>(), edges.len());
        assert!(members.iter().enumerate().all(|(at, nodes)| nodes.iter().all(|&node| found.at(node) == at)));
    }

    /// Every graph of three nodes.
    #[test]
    fn small_graphs_by_the_definition() {
        for graph in 0..1usize << 9 {
            let edge = |from: usize, to: usize| graph >> (3 * from + to) & 1 == 1;
            agrees(&(0..3).map(|from| (0..3).filter(|&to| edge(from, to)).collect()).collect());
        }
    }

    #[test]
    fn random_graphs_by_the_definition() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..2_000 {
            let count = 1 + random(14);
            let dense = 1 + random(4);
            agrees(&(0..count).map(|_| (0..random(dense + 1)).map(|_| random(count)).collect()).collect());
        }
    }

    /// Depth costs no stack.
    #[test]
    fn a_long_cycle_and_a_long_path() {
        let count = 300_000;
        let cycle = components(count, |node| std::iter::once((node + 1) % count));
        assert_eq!(cycle.count, 1);
        let path = components(count, |node| (node + 1 < count).then_some(node + 1).into_iter());
        assert_eq!((path.count, path.of[0], path.of[count - 1]), (count, to_u32(count) - 1, 0));
    }

    #[test]
    fn a_budget_binds() {
        let budget = Budget::unlimited().with_time(Some(std::time::Duration::ZERO));
        assert!(components_within(100_000, |node| std::iter::once(node / 2), &budget).is_err());
    }
}
