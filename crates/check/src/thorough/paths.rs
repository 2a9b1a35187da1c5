//! Does some completion have a path that satisfies a linear formula?
//!
//! Every possible path, with every consistent choice of the labels that are open on it, is a path of some completion. So
//! this is a product of the possible steps with a nondeterministic automaton, and costs what LTL costs on a complete
//! structure. On mixed structures the steps are those between cells that have a completion.
//!
//! If paths that end count, too, a path may end at a cell that demands nothing; its last labels are then read for ever.

use std::collections::HashMap;

use tertium_base::graph::{Components, components_within};
use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};
use tertium_logic::AtomId;
use tertium_logic::automata::{Marks, Tgba, Transition};
use tertium_model::{ActionId, PropId};

use super::cells::Cells;
use super::completion::{Completion, Draft};
use super::endings::Endings;

/// The nodes of each component together, those of smaller numbers first.
fn by_component(component: &[u32], count: usize) -> Vec<u32> {
    let mut next = vec![0u32; count + 1];
    component.iter().for_each(|&class| next[class as usize + 1] += 1);
    (0..count).for_each(|class| next[class + 1] += next[class]);
    let mut order = vec![0; component.len()];
    for (node, &class) in component.iter().enumerate() {
        order[next[class as usize] as usize] = to_u32(node);
        next[class as usize] += 1;
    }
    order
}

/// One step of the product.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    /// The automaton's transition, counted in its state.
    transition: u32,
    action: Option<ActionId>,
}

/// The product, and from where it accepts.
#[derive(Debug)]
pub(crate) struct Product<'t> {
    cells: &'t Cells<'t>,
    automaton: &'t Tgba,
    props: &'t [PropId],
    /// For each cell and automaton state its node plus one; zero if it was not met.
    index: Vec<u32>,
    nodes: Vec<(u32, u32)>,
    first: Vec<u32>,
    edges: Vec<Edge>,
    /// The nodes where a path may end, with labels that are accepted if it does.
    endings: HashMap<u32, Vec<(PropId, bool)>>,
    component: Vec<u32>,
    /// For each component whether it holds an accepting cycle, and whether it leads to one.
    accepting: Vec<bool>,
    hopeful: Vec<bool>,
}

impl<'t> Product<'t> {
    /// Builds what can be reached from these cells. `props` are the propositions of the automaton's atoms; paths that end count if
    /// `ends`.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn new(
        cells: &'t Cells<'t>,
        automaton: &'t Tgba,
        props: &'t [PropId],
        starts: &[u32],
        ends: bool,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let width = automaton.states.len();
        let size = cells.len().checked_mul(width).filter(|&size| size < u32::MAX as usize);
        let size = size.ok_or(Stopped(StopReason::Count))?;
        budget.reserve(size * 4)?;
        let mut product = Self {
            cells,
            automaton,
            props,
            index: vec![0; size],
            nodes: Vec::new(),
            first: vec![0],
            edges: Vec::new(),
            endings: HashMap::new(),
            component: Vec::new(),
            accepting: Vec::new(),
            hopeful: Vec::new(),
        };
        if width > 0 {
            for &cell in starts {
                product.node(cell, to_u32(automaton.initial));
            }
        }
        product.explore(budget)?;
        if ends {
            product.find_endings(budget)?;
        }
        product.judge(budget)?;
        Ok(product)
    }

    fn node(&mut self, cell: u32, state: u32) -> u32 {
        let place = cell as usize * self.automaton.states.len() + state as usize;
        if self.index[place] == 0 {
            self.nodes.push((cell, state));
            self.index[place] = to_u32(self.nodes.len());
        }
        self.index[place] - 1
    }

    fn explore(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let (cells, automaton) = (self.cells, self.automaton);
        let mut ticks = 0;
        let mut at = 0;
        while at < self.nodes.len() {
            budget.tick(&mut ticks)?;
            let (cell, state) = self.nodes[at];
            at += 1;
            for (number, transition) in automaton.states[state as usize].iter().enumerate() {
                if !self.is_enabled(cell, transition) {
                    continue;
                }
                for step in cells.possible(cell) {
                    let to = self.node(step.cell, to_u32(transition.target));
                    self.edges.push(Edge { to, transition: to_u32(number), action: step.action });
                }
            }
            let end = u32::try_from(self.edges.len()).map_err(|_| Stopped(StopReason::Count))?;
            self.first.push(end);
        }
        Ok(())
    }

    /// Whether some choice of the open labels lets the automaton take a transition.
    fn is_enabled(&self, cell: u32, transition: &Transition) -> bool {
        transition.guard.literals().iter().all(|literal| {
            let label = self.cells.label(cell, self.props[literal.atom().index()]);
            label.is_none_or(|value| value != literal.is_negative())
        })
    }

    /// Finds the nodes where a path may end and be accepted.
    fn find_endings(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let mut endings = Endings::new(self.automaton);
        let mut ticks = 0;
        for node in 0..self.nodes.len() {
            let (cell, state) = self.nodes[node];
            let mut demanded = false;
            self.cells.demands(cell, |_| demanded = true);
            if demanded {
                continue;
            }
            let label = |atom: AtomId| self.cells.label(cell, self.props[atom.index()]);
            if let Some(letter) = endings.accepted(state as usize, label, budget, &mut ticks)? {
                let labels = letter.iter().map(|&(atom, value)| (self.props[atom.index()], value)).collect();
                self.endings.insert(to_u32(node), labels);
            }
        }
        Ok(())
    }

    fn edges_of(&self, node: usize) -> &[Edge] {
        &self.edges[self.first[node] as usize..self.first[node + 1] as usize]
    }

    fn marks(&self, node: usize, edge: &Edge) -> Marks {
        self.automaton.states[self.nodes[node].1 as usize][edge.transition as usize].marks
    }

    /// Finds the components with accepting cycles, and those that lead there.
    fn judge(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let mut ticks = 0;
        let targets = |node: usize| self.edges_of(node).iter().map(|edge| edge.to as usize);
        let Components { of: component, count } = components_within(self.nodes.len(), targets, budget)?;
        let mut carried: Vec<Option<Marks>> = vec![None; count];
        for node in 0..self.nodes.len() {
            budget.tick(&mut ticks)?;
            for edge in self.edges_of(node).iter().filter(|edge| component[edge.to as usize] == component[node]) {
                let entry = &mut carried[component[node] as usize];
                *entry = Some(entry.unwrap_or_default().union(self.marks(node, edge)));
            }
        }
        let all = Marks::all(self.automaton.marks);
        self.accepting = carried.iter().map(|marks| marks.is_some_and(|marks| all.is_subset(marks))).collect();
        self.hopeful.clone_from(&self.accepting);
        self.endings.keys().for_each(|&node| self.hopeful[component[node as usize] as usize] = true);
        // What a component leads to has a smaller number.
        for node in by_component(&component, count) {
            budget.tick(&mut ticks)?;
            let class = component[node as usize] as usize;
            if !self.hopeful[class] {
                let leads_there = |edge: &Edge| self.hopeful[component[edge.to as usize] as usize];
                self.hopeful[class] = self.edges_of(node as usize).iter().any(leads_there);
            }
        }
        self.component = component;
        Ok(())
    }

    fn start(&self, cell: u32) -> Option<usize> {
        let width = self.automaton.states.len();
        let place = (width > 0).then(|| cell as usize * width + self.automaton.initial)?;
        let node = self.index[place].checked_sub(1)? as usize;
        self.hopeful[self.component[node] as usize].then_some(node)
    }

    /// Whether some completion of a cell has an accepted path.
    pub fn accepts(&self, cell: u32) -> bool {
        self.start(cell).is_some()
    }

    /// A completion of a cell with an accepted path.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn completion(&self, cell: u32, budget: &Budget) -> Result<Option<Completion>, Stopped> {
        let Some(start) = self.start(cell) else { return Ok(None) };
        let mut path = Vec::new();
        let mut at = start;
        let goal =
            |node: usize| self.accepting[self.component[node] as usize] || self.endings.contains_key(&to_u32(node));
        if !goal(at) {
            at = self.walk(&mut path, at, |node, _| goal(node), |_| true);
        }
        if let Some(labels) = self.endings.get(&to_u32(at)) {
            return self.ended_draft(&path, at, labels, budget).map(Some);
        }
        let (entry, cycle_start) = (at, path.len());
        let class = self.component[at];
        let inside = |node: usize| self.component[node] == class;
        let mut missing = Marks::all(self.automaton.marks);
        while missing != Marks::default() {
            at = self.walk(&mut path, at, |_, marks| marks.0 & missing.0 != 0, inside);
            let taken = path[cycle_start..].iter().fold(0, |sum, (node, edge)| sum | self.marks(*node, edge).0);
            missing = Marks(Marks::all(self.automaton.marks).0 & !taken);
        }
        if at != entry || path.len() == cycle_start {
            self.walk(&mut path, at, |node, _| node == entry, inside);
        }
        self.draft(&path, cycle_start, budget).map(Some)
    }

    /// Extends a path by a shortest one, at least one step long, to a node reached by an edge as wanted.
    fn walk(
        &self,
        path: &mut Vec<(usize, Edge)>,
        from: usize,
        wanted: impl Fn(usize, Marks) -> bool,
        allowed: impl Fn(usize) -> bool,
    ) -> usize {
        let mut came: std::collections::HashMap<usize, (usize, Edge)> = std::collections::HashMap::new();
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for &edge in self.edges_of(node) {
                let to = edge.to as usize;
                if !allowed(to) {
                    continue;
                }
                if wanted(to, self.marks(node, &edge)) {
                    let mut steps = vec![(node, edge)];
                    let mut back = node;
                    while back != from {
                        let step = came[&back];
                        steps.push(step);
                        back = step.0;
                    }
                    path.extend(steps.into_iter().rev());
                    return to;
                }
                if to != from && !came.contains_key(&to) {
                    came.insert(to, (node, edge));
                    queue.push_back(to);
                }
            }
        }
        from
    }

    /// The completion along a path that ends at a node with these labels.
    fn ended_draft(
        &self,
        path: &[(usize, Edge)],
        last: usize,
        labels: &[(PropId, bool)],
        budget: &Budget,
    ) -> Result<Completion, Stopped> {
        let mut draft = Draft::new(self.cells);
        for (node, _) in path {
            draft.add(self.nodes[*node].0);
        }
        let end = draft.add(self.nodes[last].0);
        draft.state(end).labels = labels.to_vec();
        self.follow(draft, path, end, budget)
    }

    /// The completion along a path that returns to its position `back`.
    fn draft(&self, path: &[(usize, Edge)], back: usize, budget: &Budget) -> Result<Completion, Stopped> {
        let mut draft = Draft::new(self.cells);
        for (node, _) in path {
            draft.add(self.nodes[*node].0);
        }
        self.follow(draft, path, back, budget)
    }

    /// Steps and labels along a path whose last step leads to the draft's state `then`.
    fn follow(
        &self,
        mut draft: Draft<'_>,
        path: &[(usize, Edge)],
        then: usize,
        budget: &Budget,
    ) -> Result<Completion, Stopped> {
        for (at, (node, edge)) in path.iter().enumerate() {
            let transition = &self.automaton.states[self.nodes[*node].1 as usize][edge.transition as usize];
            let labels = transition.guard.literals().iter();
            let labels = labels.map(|literal| (self.props[literal.atom().index()], !literal.is_negative())).collect();
            let state = draft.state(at);
            state.labels = labels;
            state.steps.push((edge.action, if at + 1 < path.len() { at + 1 } else { then }));
        }
        for at in 0..path.len() {
            draft.meet_demands(at);
        }
        draft.finish(budget)
    }
}
