//! An accepting path of a product, told step by step.
//!
//! A stem to the nearest place where acceptance is sure, then the cycle: from mark to missing mark by
//! shortest ways, and back. Used once a search has said that there is such a path.

use std::collections::{HashMap, VecDeque};

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};

use super::graph::PathStep;
use super::product::{Cursor, Product, ProductStep};

/// One position of a path: a product node and how it goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    /// The product node.
    pub node: usize,
    /// The step taken from it.
    pub step: PathStep,
    /// The number of the automaton's transition.
    pub transition: u32,
}

/// An accepting path.
#[derive(Clone, Debug)]
pub(crate) struct AcceptingPath {
    /// Up to the cycle, or up to the end.
    pub stem: Vec<Position>,
    /// Repeated for ever; empty if the path runs into an open future.
    pub cycle: Vec<Position>,
    /// The last node of a path that runs into an open future.
    pub end: Option<usize>,
}

/// A shortest way to an accepting cycle or an open future from a state, and that cycle.
///
/// # Errors
/// If the budget ends.
pub(crate) fn accepting_path(
    product: &Product<'_, '_>,
    state: usize,
    budget: &Budget,
) -> Result<Option<AcceptingPath>, Stopped> {
    let starts: Vec<usize> = product.starts(state).collect();
    let components = Components::of(product, &starts, budget)?;
    let good = |node: usize| components.accepting(product, node) || product.accepts_prefix(node);
    let Some((target, stem)) = shortest_way(product, &starts, |_| true, good, budget)? else { return Ok(None) };
    if product.accepts_prefix(target) {
        return Ok(Some(AcceptingPath { stem, cycle: Vec::new(), end: Some(target) }));
    }
    let cycle = cycle_with_all_marks(product, &components, target, budget)?;
    Ok(Some(AcceptingPath { stem, cycle, end: None }))
}

fn cycle_with_all_marks(
    product: &Product<'_, '_>,
    components: &Components,
    home: usize,
    budget: &Budget,
) -> Result<Vec<Position>, Stopped> {
    let inside = |node: usize| components.number[node] == components.number[home];
    let mut cycle: Vec<Position> = Vec::new();
    let mut missing = product.full;
    let mut here = home;
    while missing != 0 || cycle.is_empty() {
        let wanted = |step: &ProductStep| missing == 0 || step.marks & missing != 0;
        let Some(way) = way_over(product, here, inside, wanted, budget)? else { break };
        for (position, step) in way {
            missing &= !step.marks;
            here = step.target;
            cycle.push(position);
        }
    }
    if let Some((_, back)) = shortest_way(product, &[here], inside, |node| node == home, budget)? {
        cycle.extend(back);
    }
    Ok(cycle)
}

type Parents = HashMap<usize, (usize, ProductStep)>;

fn told(parents: &Parents, mut node: usize) -> Vec<(Position, ProductStep)> {
    let mut way = Vec::new();
    while let Some(&(from, step)) = parents.get(&node) {
        way.push((Position { node: from, step: step.step, transition: step.transition }, step));
        node = from;
    }
    way.reverse();
    way
}

/// A shortest way from one of `starts` to a node that is `good`, inside the nodes that `inside` allows.
fn shortest_way(
    product: &Product<'_, '_>,
    starts: &[usize],
    inside: impl Fn(usize) -> bool,
    good: impl Fn(usize) -> bool,
    budget: &Budget,
) -> Result<Option<(usize, Vec<Position>)>, Stopped> {
    let mut parents = Parents::new();
    let mut queue: VecDeque<usize> = starts.iter().copied().collect();
    let mut ticks = 0;
    while let Some(node) = queue.pop_front() {
        budget.tick(&mut ticks)?;
        if good(node) {
            let way = told(&parents, node).into_iter().map(|(position, _)| position).collect();
            return Ok(Some((node, way)));
        }
        let mut cursor = Cursor::default();
        while let Some(step) = product.next(node, &mut cursor) {
            let new = inside(step.target) && !starts.contains(&step.target) && !parents.contains_key(&step.target);
            if new {
                parents.insert(step.target, (node, step));
                queue.push_back(step.target);
            }
        }
    }
    Ok(None)
}

/// A shortest way from `start` that ends with a `wanted` step, inside the nodes that `inside` allows.
fn way_over(
    product: &Product<'_, '_>,
    start: usize,
    inside: impl Fn(usize) -> bool,
    wanted: impl Fn(&ProductStep) -> bool,
    budget: &Budget,
) -> Result<Option<Vec<(Position, ProductStep)>>, Stopped> {
    let mut parents = Parents::new();
    let mut queue = VecDeque::from([start]);
    let mut ticks = 0;
    while let Some(node) = queue.pop_front() {
        budget.tick(&mut ticks)?;
        let mut cursor = Cursor::default();
        while let Some(step) = product.next(node, &mut cursor) {
            if !inside(step.target) {
                continue;
            }
            if wanted(&step) {
                let mut way = told(&parents, node);
                way.push((Position { node, step: step.step, transition: step.transition }, step));
                return Ok(Some(way));
            }
            if step.target != start && !parents.contains_key(&step.target) {
                parents.insert(step.target, (node, step));
                queue.push_back(step.target);
            }
        }
    }
    Ok(None)
}

/// The strongly connected components of the nodes that can be reached.
struct Components {
    /// Per node the number of its component plus one; zero if it was not reached.
    number: Vec<u32>,
    /// Per component the marks inside it, and a bit for "there is a step".
    marks: Vec<u64>,
}

const INNER: u64 = 1 << 63;

impl Components {
    fn accepting(&self, product: &Product<'_, '_>, node: usize) -> bool {
        let full = product.full | INNER;
        self.number[node] != 0 && self.marks[self.number[node] as usize - 1] & full == full
    }

    /// Depth first with a stack of component roots; numbers with the top bit are places on the stack.
    fn of(product: &Product<'_, '_>, starts: &[usize], budget: &Budget) -> Result<Self, Stopped> {
        const OPEN: u32 = 1 << 31;
        budget.reserve(product.len() * 4)?;
        let mut this = Self { number: vec![0; product.len()], marks: Vec::new() };
        let mut path: Vec<(usize, Cursor)> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        // Each: place of the root, marks inside, marks of the step into it.
        let mut roots: Vec<(u32, u64, u64)> = Vec::new();
        let mut ticks = 0;
        for &start in starts.iter() {
            if this.number[start] != 0 {
                continue;
            }
            let mut entering = Some((start, 0));
            loop {
                budget.tick(&mut ticks)?;
                if let Some((node, entry)) = entering.take() {
                    this.number[node] = OPEN | to_u32(open.len());
                    roots.push((to_u32(open.len()), 0, entry));
                    open.push(node);
                    path.push((node, Cursor::default()));
                }
                let Some((node, cursor)) = path.last_mut() else { break };
                if let Some(step) = product.next(*node, cursor) {
                    match this.number[step.target] {
                        0 => entering = Some((step.target, step.marks)),
                        number if number & OPEN != 0 => join(&mut roots, number & !OPEN, step.marks),
                        _ => {}
                    }
                    continue;
                }
                let place = this.number[*node] & !OPEN;
                path.pop();
                if let Some(&(root, marks, _)) = roots.last().filter(|root| root.0 == place) {
                    roots.pop();
                    this.marks.push(marks);
                    for node in open.drain(root as usize..) {
                        this.number[node] = to_u32(this.marks.len());
                    }
                }
            }
        }
        Ok(this)
    }
}

fn join(roots: &mut Vec<(u32, u64, u64)>, place: u32, marks: u64) {
    let mut sum = marks | INNER;
    while let Some(root) = roots.last_mut() {
        sum |= root.1;
        if root.0 <= place {
            root.1 = sum;
            break;
        }
        sum |= root.2;
        roots.pop();
    }
}
