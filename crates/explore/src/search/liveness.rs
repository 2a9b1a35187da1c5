//! Is there an infinite run that a monitor accepts?
//!
//! Searches the product of a program and a generalised Büchi monitor on the fly, depth first, merging strongly
//! connected components as they close (Couvreur). It ends at the first component that carries every mark. A state
//! without successors stutters. Weak fairness of a process is one more mark; strong fairness is looked at inside
//! the components that carry all marks.

use std::collections::{HashMap, VecDeque};

use tertium_base::{Budget, StopReason, Stopped};

use super::Progress;
use crate::store::{Branches, StateStore};
use crate::successors::{Expansion, Successors};

/// Watches a run and says what it has seen: a generalised Büchi automaton over what states show.
pub trait Monitor: Sync {
    /// What one search needs to look at states.
    type Scratch: Send;

    /// Room for one search.
    fn scratch(&self) -> Self::Scratch;

    /// Where it starts.
    fn initial(&self) -> Vec<u32>;

    /// How many marks a run must collect infinitely often; at most 32.
    fn marks(&self) -> u32;

    /// Where it can go from `state` when it sees `row`, each with the marks it collects.
    fn next(&self, state: u32, row: &[u32], scratch: &mut Self::Scratch, out: &mut Vec<(u32, u64)>);
}

/// What the scheduler promises, by pid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduling {
    /// Processes that step infinitely often or are disabled infinitely often; at most 32.
    pub weak: Vec<u32>,
    /// Processes that step infinitely often if they are enabled infinitely often.
    pub strong: Vec<u32>,
}

/// A run that goes on for ever: `stem`, then `cycle` again and again. Rows of the program alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// From an initial state to the entry of the cycle, exclusive.
    pub stem: Vec<Vec<u32>>,
    /// From the entry on; the step after the last state leads back to the first.
    pub cycle: Vec<Vec<u32>>,
}

/// What a search for a run found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// An accepted fair run, if there is one.
    pub lasso: Option<Lasso>,
    /// States of the product that were visited.
    pub states: usize,
    /// Steps of the product that were looked at.
    pub transitions: usize,
    /// What went wrong in a step; runs through it are not known.
    pub faults: Vec<tertium_program::Fault>,
}

/// Looks for an accepted fair run.
///
/// # Errors
/// If the budget is spent first.
pub fn accepted_run<S: Successors, M: Monitor>(
    successors: &S,
    monitor: &M,
    scheduling: &Scheduling,
    initial: &[Vec<u32>],
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, Stopped> {
    let mut product = Product::new(successors, monitor, scheduling, budget);
    let mut search = Components::default();
    let lasso = search.run(&mut product, initial, progress)?;
    Ok(Outcome { lasso, states: product.store.len(), transitions: product.transitions, faults: product.faults })
}

/// The product, numbered as it is met.
struct Product<'s, S: Successors, M: Monitor> {
    successors: &'s S,
    monitor: &'s M,
    scheduling: &'s Scheduling,
    budget: &'s Budget,
    store: StateStore,
    base: Branches,
    branches: Branches,
    scratch: S::Scratch,
    eyes: M::Scratch,
    found: Expansion,
    moves: Vec<(u32, u64)>,
    row: Vec<u32>,
    transitions: usize,
    faults: Vec<tertium_program::Fault>,
}

/// A step of the product.
#[derive(Clone, Copy, Debug)]
struct Edge {
    target: u32,
    /// The monitor's marks, then one bit per weakly fair process.
    marks: u64,
    /// Who steps; `u32::MAX` for stuttering.
    mover: u32,
}

const NOBODY: u32 = u32::MAX;

impl<'s, S: Successors, M: Monitor> Product<'s, S, M> {
    fn new(successors: &'s S, monitor: &'s M, scheduling: &'s Scheduling, budget: &'s Budget) -> Self {
        let store = StateStore::new(successors.words() + 1);
        Self {
            base: store.branches(),
            branches: store.branches(),
            store,
            successors,
            monitor,
            scheduling,
            budget,
            scratch: successors.scratch(),
            eyes: monitor.scratch(),
            found: Expansion::default(),
            moves: Vec::new(),
            row: Vec::new(),
            transitions: 0,
            faults: Vec::new(),
        }
    }

    fn all_marks(&self) -> u64 {
        let count = self.monitor.marks() as usize + self.scheduling.weak.len();
        if count == 0 { 0 } else { u64::MAX >> (64 - count) }
    }

    fn number(&mut self, row: &[u32], state: u32, fresh: bool) -> Result<u32, Stopped> {
        self.row.clear();
        self.row.extend_from_slice(row);
        self.row.push(state);
        loop {
            let inserted = if fresh {
                self.store.insert_afresh(&self.row, &mut self.branches)
            } else {
                self.store.insert(&self.base, &self.row, &mut self.branches)
            };
            match inserted {
                Ok((number, _)) => return Ok(number),
                Err(_) => {
                    self.budget.reserve(self.store.growth_bytes())?;
                    self.store.grow();
                }
            }
        }
    }

    fn program_row(&mut self, number: u32) -> Vec<u32> {
        self.store.read(number, &mut self.base);
        let words = self.base.words();
        words[..words.len() - 1].to_vec()
    }

    /// Private steps alone, if they are enough: none of them leads to a state met before, so that nothing is put off
    /// all the way round a cycle. `order` says which were. Fairness to a process looks at every state where it
    /// can step, so it forbids this.
    fn private_edges(&mut self, number: u32, order: &[u32], out: &mut Vec<Edge>) -> Result<bool, Stopped> {
        if !self.scheduling.weak.is_empty() || !self.scheduling.strong.is_empty() {
            return Ok(false);
        }
        let row = self.program_row(number);
        if !self.successors.expand_private(&row, &mut self.scratch, &mut self.found) {
            return Ok(false);
        }
        self.join(&row, out)?;
        Ok(out.iter().all(|edge| order.get(edge.target as usize).is_none_or(|&order| order == 0)))
    }

    /// The steps from a state of the product; the enabled pids are left in `found.movers`.
    fn edges(&mut self, number: u32, out: &mut Vec<Edge>) -> Result<(), Stopped> {
        let row = self.program_row(number);
        self.successors.expand(&row, &mut self.scratch, &mut self.found);
        self.faults.append(&mut self.found.faults);
        self.join(&row, out)
    }

    /// Pairs what was found after `row`, the program's part of the state last read, with the monitor's moves.
    fn join(&mut self, row: &[u32], out: &mut Vec<Edge>) -> Result<(), Stopped> {
        out.clear();
        let state = self.base.words()[row.len()];
        self.moves.clear();
        self.monitor.next(state, row, &mut self.eyes, &mut self.moves);
        let rows = std::mem::take(&mut self.found.rows);
        let moves = std::mem::take(&mut self.moves);
        let words = row.len();
        for at in 0..self.found.steps.max(1) {
            let stutters = self.found.steps == 0;
            let next = if stutters { row } else { &rows[at * words..(at + 1) * words] };
            let mover = if stutters { NOBODY } else { self.found.movers[at] };
            let fair = self.fair_marks(mover);
            for &(state, marks) in &moves {
                let target = self.number(next, state, false)?;
                out.push(Edge { target, marks: marks | fair, mover });
            }
        }
        self.transitions += out.len();
        self.found.rows = rows;
        self.moves = moves;
        Ok(())
    }

    /// A step is fair to a process if it is the process's own or the process cannot step.
    fn fair_marks(&self, mover: u32) -> u64 {
        let first = self.monitor.marks();
        let mut marks = 0;
        for (at, pid) in self.scheduling.weak.iter().enumerate() {
            if *pid == mover || !self.found.movers.contains(pid) {
                marks |= 1 << (first as usize + at);
            }
        }
        marks
    }
}

/// A state being visited.
struct Frame {
    number: u32,
    /// Its unvisited steps in the common list begin here.
    edges_from: usize,
}

/// A component under construction: its oldest state and the marks inside it.
struct Root {
    order: u32,
    marks: u64,
    /// The marks of the step by which the search entered it.
    entered_by: u64,
}

/// The depth-first search.
#[derive(Default)]
struct Components {
    /// When a state was met, counted from 1; 0 for not yet, [`CLOSED`] when its component is done.
    order: Vec<u32>,
    frames: Vec<Frame>,
    edges: Vec<Edge>,
    roots: Vec<Root>,
    /// States of unfinished components, oldest first.
    open: Vec<u32>,
}

const CLOSED: u32 = u32::MAX;

impl Components {
    fn run<S: Successors, M: Monitor>(
        &mut self,
        product: &mut Product<'_, S, M>,
        initial: &[Vec<u32>],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<Lasso>, Stopped> {
        let mut starts = Vec::new();
        for row in initial {
            for state in product.monitor.initial() {
                starts.push(product.number(row, state, true)?);
            }
        }
        for &start in &starts {
            if self.order_of(start) == 0
                && let Some(component) = self.visit(product, start, progress)?
            {
                return lasso(product, &starts, &component).map(Some);
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
    fn visit<S: Successors, M: Monitor>(
        &mut self,
        product: &mut Product<'_, S, M>,
        start: u32,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<Vec<u32>>, Stopped> {
        let all = product.all_marks();
        let mut found = Vec::new();
        self.enter(product, start, 0, &mut found)?;
        let mut ticks: u32 = 0;
        while let Some(frame) = self.frames.last() {
            ticks = ticks.wrapping_add(1);
            if ticks & 1023 == 0 {
                product.budget.check()?;
                let (states, bytes) = (product.store.len(), product.store.bytes());
                progress(Progress { states, queue: self.open.len(), depth: self.frames.len(), bytes });
            }
            if self.edges.len() > frame.edges_from {
                let Some(edge) = self.edges.pop() else { break };
                match self.order_of(edge.target) {
                    0 => self.enter(product, edge.target, edge.marks, &mut found)?,
                    CLOSED => {}
                    order => {
                        let marks = self.merge(order, edge.marks);
                        if marks == all
                            && let Some(component) = self.accepted(product)?
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

    fn enter<S: Successors, M: Monitor>(
        &mut self,
        product: &mut Product<'_, S, M>,
        number: u32,
        entered_by: u64,
        found: &mut Vec<Edge>,
    ) -> Result<(), Stopped> {
        let order = self.open.len() as u32 + 1;
        self.order_of(number);
        self.order[number as usize] = order;
        self.open.push(number);
        self.roots.push(Root { order, marks: 0, entered_by });
        if !product.private_edges(number, &self.order, found)? {
            product.edges(number, found)?;
        }
        self.frames.push(Frame { number, edges_from: self.edges.len() });
        // The list is taken from its end, so that the first step is visited first.
        self.edges.extend(found.iter().rev());
        Ok(())
    }

    /// A step leads back to a state met at `order`: everything since then is one component.
    fn merge(&mut self, order: u32, marks: u64) -> u64 {
        let mut collected = marks;
        while let Some(root) = self.roots.last() {
            collected |= root.marks;
            if root.order <= order {
                break;
            }
            collected |= root.entered_by;
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
    fn accepted<S: Successors, M: Monitor>(
        &self,
        product: &mut Product<'_, S, M>,
    ) -> Result<Option<Vec<u32>>, Stopped> {
        let Some(root) = self.roots.last() else { return Ok(None) };
        let component = self.open[root.order as usize - 1..].to_vec();
        if product.scheduling.strong.is_empty() {
            return Ok(Some(component));
        }
        strongly_fair(product, component)
    }
}

/// The steps between the states of a component, and who is enabled in each state.
struct Inside {
    position: HashMap<u32, usize>,
    edges: Vec<Vec<Edge>>,
    enabled: Vec<Vec<u32>>,
}

fn inside<S: Successors, M: Monitor>(product: &mut Product<'_, S, M>, component: &[u32]) -> Result<Inside, Stopped> {
    let position: HashMap<u32, usize> = component.iter().enumerate().map(|(at, &number)| (number, at)).collect();
    let mut edges = Vec::with_capacity(component.len());
    let mut enabled = Vec::with_capacity(component.len());
    let mut found = Vec::new();
    for &number in component {
        product.edges(number, &mut found)?;
        edges.push(found.iter().copied().filter(|edge| position.contains_key(&edge.target)).collect());
        let mut pids = product.found.movers.clone();
        pids.sort_unstable();
        pids.dedup();
        enabled.push(pids);
        product.budget.check()?;
    }
    Ok(Inside { position, edges, enabled })
}

/// A part of a component in which all marks occur and every strongly fair process that is enabled steps.
fn strongly_fair<S: Successors, M: Monitor>(
    product: &mut Product<'_, S, M>,
    component: Vec<u32>,
) -> Result<Option<Vec<u32>>, Stopped> {
    let all = product.all_marks();
    let mut candidates = vec![component];
    while let Some(component) = candidates.pop() {
        let inside = inside(product, &component)?;
        for part in parts(&component, &inside) {
            let members: Vec<u32> = part.iter().map(|&at| component[at]).collect();
            let stays = |edge: &&Edge| members.contains(&edge.target);
            let steps: Vec<Edge> = part.iter().flat_map(|&at| inside.edges[at].iter().filter(stays).copied()).collect();
            if steps.is_empty() || steps.iter().fold(0, |marks, edge| marks | edge.marks) != all {
                continue;
            }
            let starved = product.scheduling.strong.iter().find(|&&pid| {
                part.iter().any(|&at| inside.enabled[at].contains(&pid)) && steps.iter().all(|edge| edge.mover != pid)
            });
            match starved {
                None => return Ok(Some(members)),
                // A fair run must avoid the states in which the starved process could step.
                Some(pid) => candidates.push(
                    part.iter().filter(|&&at| !inside.enabled[at].contains(pid)).map(|&at| component[at]).collect(),
                ),
            }
        }
    }
    Ok(None)
}

/// The strongly connected parts of a set of states, as positions (Kosaraju, two walks).
fn parts(component: &[u32], inside: &Inside) -> Vec<Vec<usize>> {
    let successors = |at: usize| inside.edges[at].iter().map(|edge| inside.position[&edge.target]);
    let mut backward: Vec<Vec<usize>> = vec![Vec::new(); component.len()];
    for at in 0..component.len() {
        for target in successors(at) {
            backward[target].push(at);
        }
    }
    let mut finished = Vec::new();
    let mut seen = vec![false; component.len()];
    for start in 0..component.len() {
        let mut stack = vec![(start, false)];
        while let Some((at, done)) = stack.pop() {
            if done {
                finished.push(at);
            } else if !std::mem::replace(&mut seen[at], true) {
                stack.push((at, true));
                stack.extend(successors(at).map(|target| (target, false)));
            }
        }
    }
    let mut parts = Vec::new();
    let mut placed = vec![false; component.len()];
    for &start in finished.iter().rev() {
        let mut part = Vec::new();
        let mut stack = vec![start];
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut placed[at], true) {
                part.push(at);
                stack.extend(&backward[at]);
            }
        }
        if !part.is_empty() {
            part.sort_unstable();
            parts.push(part);
        }
    }
    parts
}

/// A run that reaches the component by the fewest steps and goes round in it, collecting every mark.
fn lasso<S: Successors, M: Monitor>(
    product: &mut Product<'_, S, M>,
    starts: &[u32],
    component: &[u32],
) -> Result<Lasso, Stopped> {
    let members: std::collections::HashSet<u32> = component.iter().copied().collect();
    let stem = path(product, starts, None, &mut |_, state| members.contains(&state))?;
    let entry = *stem.last().unwrap_or(&component[0]);
    let mut cycle = vec![entry];
    let mut missing = product.all_marks();
    // Strongly fair processes that can step somewhere in the component must do so on the cycle too.
    let mut movers = movers_inside(product, component)?;
    loop {
        let at = cycle[cycle.len() - 1];
        let mut last = (0, NOBODY);
        let leg = path(product, &[at], Some(&members), &mut |edge, _| {
            edge.is_some_and(|edge| {
                last = (edge.marks, edge.mover);
                edge.marks & missing != 0
                    || movers.contains(&edge.mover)
                    || (missing == 0 && movers.is_empty() && edge.target == entry)
            })
        })?;
        if leg.len() < 2 {
            return Err(Stopped(StopReason::Count));
        }
        let closing = missing == 0 && movers.is_empty();
        cycle.extend(&leg[1..]);
        missing &= !last.0;
        movers.retain(|&pid| pid != last.1);
        if cycle[cycle.len() - 1] == entry && (closing || (missing == 0 && movers.is_empty())) {
            cycle.pop();
            break;
        }
    }
    let stem = stem[..stem.len().saturating_sub(1)].iter().map(|&number| product.program_row(number)).collect();
    let cycle = cycle.iter().map(|&number| product.program_row(number)).collect();
    Ok(Lasso { stem, cycle })
}

fn movers_inside<S: Successors, M: Monitor>(
    product: &mut Product<'_, S, M>,
    component: &[u32],
) -> Result<Vec<u32>, Stopped> {
    if product.scheduling.strong.is_empty() {
        return Ok(Vec::new());
    }
    let inside = inside(product, component)?;
    let moves = |pid: &u32| inside.edges.iter().flatten().any(|edge| edge.mover == *pid);
    Ok(product.scheduling.strong.iter().copied().filter(moves).collect())
}

/// The states of a shortest path from one of `starts` to where `wanted` says so; it sees each step and its target,
/// or no step for a start. Stays inside `members` if they are given.
fn path<S: Successors, M: Monitor>(
    product: &mut Product<'_, S, M>,
    starts: &[u32],
    members: Option<&std::collections::HashSet<u32>>,
    wanted: &mut dyn FnMut(Option<&Edge>, u32) -> bool,
) -> Result<Vec<u32>, Stopped> {
    let mut parent: HashMap<u32, u32> = HashMap::new();
    let mut queue = VecDeque::new();
    for &start in starts {
        if wanted(None, start) {
            return Ok(vec![start]);
        }
        parent.insert(start, start);
        queue.push_back(start);
    }
    let mut found = Vec::new();
    let mut ticks = 0;
    while let Some(number) = queue.pop_front() {
        product.budget.tick(&mut ticks)?;
        product.edges(number, &mut found)?;
        for edge in &found {
            if members.is_some_and(|members| !members.contains(&edge.target)) {
                continue;
            }
            if wanted(Some(edge), edge.target) {
                return Ok(trace_back(&parent, number, edge.target));
            }
            parent.entry(edge.target).or_insert_with(|| {
                queue.push_back(edge.target);
                number
            });
        }
    }
    Ok(Vec::new())
}

fn trace_back(parent: &HashMap<u32, u32>, mut from: u32, target: u32) -> Vec<u32> {
    let mut path = vec![target, from];
    while let Some(&before) = parent.get(&from) {
        if before == from {
            break;
        }
        path.push(before);
        from = before;
    }
    path.reverse();
    path
}
