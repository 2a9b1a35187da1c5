//! Strongly connected components of the product, merged as they close.

use tertium_base::narrow::to_u32;

use super::marked::{Edge, Marked};
use super::marks::Marks;
use crate::search::Progress;

/// A state being visited.
struct ComponentFrame {
    number: u32,
    /// Its unvisited steps in the common list begin here.
    edges_from: usize,
}

/// A component under construction: its oldest state and the marks inside it.
struct Root {
    order: u32,
    marks: Marks,
    /// The marks of the step by which the search entered it.
    entered_by: Marks,
}

/// The depth-first search.
#[derive(Default)]
pub(super) struct Components {
    /// When a state was met, counted from 1; 0 for not yet, [`CLOSED`] when its component is done.
    order: Vec<u32>,
    frames: Vec<ComponentFrame>,
    edges: Vec<Edge>,
    roots: Vec<Root>,
    /// States of unfinished components, oldest first.
    open: Vec<u32>,
}

const CLOSED: u32 = u32::MAX;

impl Components {
    /// The states of a component that an accepted fair run from one of `starts` can stay in.
    pub fn run<G: Marked>(
        &mut self,
        graph: &mut G,
        starts: &[u32],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<Vec<u32>>, G::Failure> {
        for &start in starts {
            if self.order_of(start) == 0
                && let Some(component) = self.visit(graph, start, progress)?
            {
                return Ok(Some(component));
            }
        }
        Ok(None)
    }

    fn order_of(&mut self, number: u32) -> u32 {
        let at = number as usize;
        if self.order.len() <= at {
            self.order.resize(at + 1 + at / 2, 0);
        }
        self.order[at]
    }

    /// Searches from a state; returns the states of a component that an accepted fair run can stay in.
    fn visit<G: Marked>(
        &mut self,
        graph: &mut G,
        start: u32,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<Vec<u32>>, G::Failure> {
        let all = graph.all_marks();
        let mut found = Vec::new();
        self.enter(graph, start, Marks::NONE, &mut found)?;
        let mut ticks: u32 = 0;
        while let Some(frame) = self.frames.last() {
            ticks = ticks.wrapping_add(1);
            if ticks & 1023 == 0 {
                graph.budget().check()?;
                let (states, bytes) = graph.size();
                progress(Progress { states, queue: self.open.len(), depth: self.frames.len(), bytes });
            }
            if self.edges.len() > frame.edges_from {
                let Some(edge) = self.edges.pop() else { break };
                match self.order_of(edge.target) {
                    0 => self.enter(graph, edge.target, edge.marks, &mut found)?,
                    CLOSED => {}
                    order => {
                        let marks = self.merge(order, edge.marks);
                        if marks == all
                            && let Some(component) = self.accepted(graph)?
                        {
                            return Ok(Some(component));
                        }
                    }
                }
                continue;
            }
            let number = frame.number;
            self.frames.pop();
            self.leave(number);
        }
        Ok(None)
    }

    fn enter<G: Marked>(
        &mut self,
        graph: &mut G,
        number: u32,
        entered_by: Marks,
        found: &mut Vec<Edge>,
    ) -> Result<(), G::Failure> {
        let order = to_u32(self.open.len()) + 1;
        self.order_of(number);
        self.order[number as usize] = order;
        self.open.push(number);
        self.roots.push(Root { order, marks: Marks::NONE, entered_by });
        if !graph.enough_edges(number, &self.order, found)? {
            graph.edges(number, found)?;
        }
        self.frames.push(ComponentFrame { number, edges_from: self.edges.len() });
        // The list is taken from its end, so that the first step is visited first.
        self.edges.extend(found.iter().rev());
        Ok(())
    }

    /// A step leads back to a state met at `order`: everything since then is one component.
    fn merge(&mut self, order: u32, marks: Marks) -> Marks {
        let mut collected = marks;
        while let Some(root) = self.roots.last() {
            collected = collected.union(root.marks);
            if root.order <= order {
                break;
            }
            collected = collected.union(root.entered_by);
            self.roots.pop();
        }
        if let Some(root) = self.roots.last_mut() {
            root.marks = collected;
        }
        collected
    }

    /// Closes the component whose oldest state is left.
    fn leave(&mut self, number: u32) {
        let order = self.order[number as usize];
        if self.roots.last().is_some_and(|root| root.order == order) {
            self.roots.pop();
            for state in self.open.drain(order as usize - 1..) {
                self.order[state as usize] = CLOSED;
            }
        }
    }

    /// The topmost component carries all marks. Unless strong fairness forbids it, a run can stay in it.
    fn accepted<G: Marked>(&self, graph: &mut G) -> Result<Option<Vec<u32>>, G::Failure> {
        let Some(root) = self.roots.last() else { return Ok(None) };
        graph.strongly_fair(self.open[root.order as usize - 1..].to_vec())
    }
}
