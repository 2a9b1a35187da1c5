//! Which vertices of a directed graph lie on common cycles? Plain Tarjan, without recursion.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};

/// A directed graph with the successors of each vertex side by side.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    offsets: Vec<usize>,
    targets: Vec<u32>,
}

impl Graph {
    /// A graph without vertices.
    pub(crate) fn new() -> Self {
        Self { offsets: vec![0], targets: Vec::new() }
    }

    /// Adds the next vertex with its successors, which may be vertices still to come.
    pub(crate) fn push(&mut self, successors: impl IntoIterator<Item = u32>) {
        self.targets.extend(successors);
        self.offsets.push(self.targets.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(crate) fn successors(&self, vertex: u32) -> &[u32] {
        &self.targets[self.offsets[vertex as usize]..self.offsets[vertex as usize + 1]]
    }

    /// For each vertex the number of its strongly connected component. A component's number is smaller
    /// than that of every other component that leads to it.
    pub(crate) fn components(&self, budget: &Budget) -> Result<Vec<u32>, Stopped> {
        let mut search = ComponentSearch::new(self.len());
        let mut ticks = 0;
        for root in 0..to_u32(self.len()) {
            if search.order[root as usize] == UNSEEN {
                search.run(self, root, budget, &mut ticks)?;
            }
        }
        Ok(search.component)
    }

    /// For each vertex, whether it lies on a cycle; `component` as from [`Graph::components`].
    pub(crate) fn on_cycle(&self, component: &[u32]) -> Vec<bool> {
        let mut sizes = vec![0u32; self.len()];
        for &number in component {
            sizes[number as usize] += 1;
        }
        (0..to_u32(self.len()))
            .map(|vertex| sizes[component[vertex as usize] as usize] > 1 || self.successors(vertex).contains(&vertex))
            .collect()
    }
}

const UNSEEN: u32 = u32::MAX;

struct ComponentSearch {
    order: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    stack: Vec<u32>,
    seen: u32,
    components: u32,
}

impl ComponentSearch {
    fn new(vertices: usize) -> Self {
        Self {
            order: vec![UNSEEN; vertices],
            low: vec![UNSEEN; vertices],
            component: vec![UNSEEN; vertices],
            stack: Vec::new(),
            seen: 0,
            components: 0,
        }
    }

    fn run(&mut self, graph: &Graph, root: u32, budget: &Budget, ticks: &mut u32) -> Result<(), Stopped> {
        let mut calls: Vec<(u32, usize)> = Vec::new();
        self.enter(root);
        calls.push((root, 0));
        while let Some((vertex, next)) = calls.last_mut() {
            budget.tick(ticks)?;
            let vertex = *vertex;
            if let Some(&target) = graph.successors(vertex).get(*next) {
                *next += 1;
                if self.order[target as usize] == UNSEEN {
                    self.enter(target);
                    calls.push((target, 0));
                } else if self.component[target as usize] == UNSEEN {
                    self.lower(vertex, self.order[target as usize]);
                }
            } else {
                calls.pop();
                self.leave(vertex);
                if let Some(&(parent, _)) = calls.last() {
                    self.lower(parent, self.low[vertex as usize]);
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, vertex: u32) {
        self.order[vertex as usize] = self.seen;
        self.low[vertex as usize] = self.seen;
        self.seen += 1;
        self.stack.push(vertex);
    }

    fn lower(&mut self, vertex: u32, to: u32) {
        let low = &mut self.low[vertex as usize];
        *low = (*low).min(to);
    }

    fn leave(&mut self, vertex: u32) {
        if self.low[vertex as usize] != self.order[vertex as usize] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.component[member as usize] = self.components;
            if member == vertex {
                break;
            }
        }
        self.components += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_is_on_a_cycle_iff_it_can_come_back() {
        let mut graph = Graph::new();
        for successors in [vec![1], vec![2, 3], vec![1], vec![4], vec![4], vec![0]] {
            graph.push(successors);
        }
        let component = graph.components(&Budget::unlimited()).unwrap();
        assert_eq!(graph.on_cycle(&component), [false, true, true, false, true, false]);
        assert!(component[4] < component[3] && component[3] < component[1] && component[1] < component[0]);
    }
}
