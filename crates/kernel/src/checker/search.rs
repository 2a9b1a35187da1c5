//! Is there a fair infinite path that satisfies a formula? Product with the tableau, components, marks.

use std::collections::HashMap;

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Budget, Stopped};
use tertium_model::{Kmts, StateId};

use super::graph::Graph;
use super::linear::{Linear, Op, Sight};
use super::tableau::Tableau;

/// One step of a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct FairStep {
    pub(crate) target: u32,
    pub(crate) certain: bool,
    /// The fairness constraints that it counts for.
    pub(crate) fair: Vec<u32>,
}

/// A set of infinite paths, given step by step.
pub(crate) trait Paths {
    /// The state whose labels are read at a vertex; none if nothing is known there.
    fn state(&self, vertex: u32) -> Option<StateId>;
    /// The steps from a vertex.
    fn steps(&self, vertex: u32) -> Vec<FairStep>;
    /// How many fairness constraints a path must meet.
    fn constraints(&self) -> usize;
}

/// What is looked for.
#[derive(Clone, Copy)]
pub(crate) struct PathSearch<'a> {
    pub(crate) linear: &'a Linear,
    pub(crate) sight: Sight,
    pub(crate) model: &'a Kmts,
    pub(crate) budget: &'a Budget,
}

/// Where fair paths that satisfy the formula begin.
pub(crate) struct Found {
    /// For each start asked about, whether one begins there.
    pub(crate) from: Vec<bool>,
    /// The states of such a path, up to where it begins to repeat itself.
    pub(crate) example: Option<Vec<StateId>>,
}

impl PathSearch<'_> {
    /// Looks for fair infinite paths from each of `starts` that satisfy the formula.
    pub(crate) fn run(&self, paths: &impl Paths, starts: &[u32]) -> Result<Found, Stopped> {
        let mut product = Product::default();
        let initial = product.obligations(vec![self.linear.root]);
        let places: Vec<u32> = starts.iter().map(|&start| product.vertex(start, initial, NOBODY)).collect();
        self.explore(paths, &mut product)?;
        let component = product.graph.components(self.budget)?;
        let accepting = self.accepting(&product, &component, paths.constraints());
        let good = reaching(&product.graph, &component, &accepting);
        let from = places.iter().map(|&place| good[component[place as usize] as usize]).collect();
        let end = (0..product.vertices.len()).find(|&at| accepting[component[at] as usize]);
        Ok(Found { from, example: end.map(|end| product.path_to(to_u32(end), paths)) })
    }

    fn explore(&self, paths: &impl Paths, product: &mut Product) -> Result<(), Stopped> {
        let Self { linear, sight, model, budget } = *self;
        let tableau = Tableau { linear, sight, model, budget };
        let mut ticks = 0;
        let mut at = 0;
        while at < product.vertices.len() {
            let (vertex, set) = product.vertices[at];
            let obligations = product.sets[set as usize].clone();
            let ways = tableau.ways(&obligations, paths.state(vertex))?;
            let mut targets = Vec::new();
            for step in if ways.is_empty() { Vec::new() } else { paths.steps(vertex) } {
                let fair = product.marks(step.fair);
                for way in ways.iter().filter(|way| way.step.is_none_or(|wanted| wanted == step.certain)) {
                    self.budget.tick(&mut ticks)?;
                    let next = product.obligations(way.next.clone());
                    let postponed = product.marks(way.postponed.clone());
                    targets.push(product.vertex(step.target, next, to_u32(at)));
                    product.edge_marks.push((postponed, fair));
                }
            }
            product.graph.push(targets);
            at += 1;
        }
        Ok(())
    }

    /// For each component, whether going round in it meets all fairness constraints and every `U`'s goal.
    fn accepting(&self, product: &Product, component: &[u32], constraints: usize) -> Vec<bool> {
        let untils: Vec<u32> = (0..to_u32(self.linear.ops.len()))
            .filter(|&at| matches!(self.linear.ops[at as usize], Op::Until(..)))
            .collect();
        let mut met: HashMap<u32, BitSet> = HashMap::new();
        let mut edge = 0;
        for vertex in 0..to_u32(product.vertices.len()) {
            let own = component[vertex as usize];
            for &target in product.graph.successors(vertex) {
                let (postponed, fair) = product.edge_marks[edge];
                edge += 1;
                if component[target as usize] != own {
                    continue;
                }
                let marks = met.entry(own).or_insert_with(|| BitSet::empty(untils.len() + constraints));
                for (at, until) in untils.iter().enumerate() {
                    if product.mark_sets[postponed as usize].binary_search(until).is_err() {
                        marks.insert(at);
                    }
                }
                for &constraint in &product.mark_sets[fair as usize] {
                    marks.insert(untils.len() + constraint as usize);
                }
            }
        }
        let components = component.iter().max().map_or(0, |&last| last as usize + 1);
        (0..to_u32(components)).map(|at| met.get(&at).is_some_and(|marks| marks.count() == marks.len())).collect()
    }
}

/// For each component, whether it leads to one of the `wanted` (or is one).
fn reaching(graph: &Graph, component: &[u32], wanted: &[bool]) -> Vec<bool> {
    let mut good = wanted.to_vec();
    let mut order: Vec<u32> = (0..to_u32(graph.len())).collect();
    order.sort_by_key(|&vertex| component[vertex as usize]);
    for vertex in order {
        let own = component[vertex as usize] as usize;
        good[own] = good[own] || graph.successors(vertex).iter().any(|&next| good[component[next as usize] as usize]);
    }
    good
}

const NOBODY: u32 = u32::MAX;

/// Pairs of a path's vertex and a set of obligations, as far as they were reached.
struct Product {
    vertices: Vec<(u32, u32)>,
    /// Who reached a vertex first.
    parents: Vec<u32>,
    known: HashMap<(u32, u32), u32>,
    sets: Vec<Vec<u32>>,
    known_sets: HashMap<Vec<u32>, u32>,
    mark_sets: Vec<Vec<u32>>,
    known_marks: HashMap<Vec<u32>, u32>,
    graph: Graph,
    /// For each edge of the graph, in order: what it postpones and what it counts for.
    edge_marks: Vec<(u32, u32)>,
}

impl Default for Product {
    fn default() -> Self {
        Self {
            vertices: Vec::new(),
            parents: Vec::new(),
            known: HashMap::new(),
            sets: Vec::new(),
            known_sets: HashMap::new(),
            mark_sets: Vec::new(),
            known_marks: HashMap::new(),
            graph: Graph::new(),
            edge_marks: Vec::new(),
        }
    }
}

impl Product {
    fn vertex(&mut self, vertex: u32, set: u32, parent: u32) -> u32 {
        let (vertices, parents) = (&mut self.vertices, &mut self.parents);
        *self.known.entry((vertex, set)).or_insert_with(|| {
            vertices.push((vertex, set));
            parents.push(parent);
            to_u32(vertices.len() - 1)
        })
    }

    fn obligations(&mut self, set: Vec<u32>) -> u32 {
        intern(&mut self.sets, &mut self.known_sets, set)
    }

    fn marks(&mut self, set: Vec<u32>) -> u32 {
        intern(&mut self.mark_sets, &mut self.known_marks, set)
    }

    fn path_to(&self, end: u32, paths: &impl Paths) -> Vec<StateId> {
        let mut at = end;
        let mut states = Vec::new();
        while at != NOBODY {
            states.extend(paths.state(self.vertices[at as usize].0));
            at = self.parents[at as usize];
        }
        states.reverse();
        states
    }
}

fn intern(table: &mut Vec<Vec<u32>>, known: &mut HashMap<Vec<u32>, u32>, set: Vec<u32>) -> u32 {
    if let Some(&at) = known.get(&set) {
        return at;
    }
    table.push(set.clone());
    let at = to_u32(table.len() - 1);
    known.insert(set, at);
    at
}
