//! The whole state space of a program by brute force.

use std::collections::{BTreeMap, HashMap};

use tertium_gcl::ast::{ExprKind, File, Item};

use super::expressions::{Machine, View};
use super::statements::Head;

type State = (Vec<i64>, Vec<Head>);

/// A state space, states in order of discovery (breadth first).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// How many initial states.
    pub initial: usize,
    /// For every state its successors, one entry per way to step; parallel ways are repeated.
    pub edges: Vec<Vec<usize>>,
    /// How far every state is from an initial one.
    pub depth: Vec<usize>,
    /// The states in which no process can step although not all are at their end.
    pub deadlocks: Vec<usize>,
    /// How many steps fail, by the kind of fault. A step that fails leads nowhere.
    pub faults: BTreeMap<&'static str, usize>,
    /// The length of the shortest run that ends in a fault, the failing step included.
    pub shortest_fault: Option<usize>,
    /// For every named predicate of the file, where it holds.
    pub predicates: BTreeMap<String, Vec<bool>>,
}

impl Space {
    /// How many states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// How many ways to step, all states together, faults not counted.
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }
}

/// The state space of a program with bounded domains; `None` if it has more than `limit` states.
///
/// # Panics
/// On programs that the front end refuses, or that use lists of initial values or arrays of arrays.
#[must_use]
pub fn state_space(file: &File, limit: usize) -> Option<Space> {
    let machine = Machine::new(file);
    let mut space = Space::default();
    let mut known: HashMap<State, usize> = HashMap::new();
    let mut queue: Vec<State> = Vec::new();
    for values in initial_values(&machine) {
        let control: Vec<Head> = machine.processes.iter().map(|process| process.code.initial()).collect();
        let state = (values, control);
        known.insert(state.clone(), queue.len());
        queue.push(state);
    }
    space.initial = queue.len();
    space.depth = vec![0; queue.len()];
    let mut at = 0;
    while at < queue.len() {
        if queue.len() > limit {
            return None;
        }
        let state = queue[at].clone();
        let successors = expand(&machine, &state, at, &mut space);
        let depth = space.depth[at] + 1;
        let mut row = Vec::new();
        for successor in successors {
            let next = *known.entry(successor.clone()).or_insert_with(|| {
                queue.push(successor);
                space.depth.push(depth);
                queue.len() - 1
            });
            row.push(next);
        }
        space.edges.push(row);
        at += 1;
    }
    label(&machine, &queue, &mut space);
    Some(space)
}

fn initial_values(machine: &Machine<'_>) -> Vec<Vec<i64>> {
    let mut rows = vec![Vec::new()];
    for variable in &machine.variables {
        let (lo, hi) = variable.initial.map_or(variable.domain, |value| (value, value));
        for _ in 0..variable.cells() {
            let longer =
                |row: &Vec<i64>| (lo..=hi).map(|value| [row.as_slice(), &[value]].concat()).collect::<Vec<_>>();
            // A single initial value fills all cells; without one every cell is free.
            rows = rows.iter().flat_map(longer).collect();
        }
    }
    let control: Vec<Head> = machine.processes.iter().map(|process| process.code.initial()).collect();
    rows.retain(|values| {
        machine.file.items.iter().all(|item| match item {
            Item::Init(condition) => {
                machine.holds(condition, &View { values, control: &control, me: None }) == Ok(true)
            }
            _ => true,
        })
    });
    rows
}

fn expand(machine: &Machine<'_>, state: &State, at: usize, space: &mut Space) -> Vec<State> {
    let (values, control) = state;
    let mut successors = Vec::new();
    let mut failing = 0;
    for process in 0..machine.processes.len() {
        let view = View { values, control, me: Some(process) };
        for result in machine.steps(process, &control[process], &view) {
            match result {
                Ok((values, work)) => {
                    let mut control = control.clone();
                    control[process] = machine.processes[process].code.rest_at(work);
                    successors.push((values, control));
                }
                Err(fault) => {
                    *space.faults.entry(fault).or_default() += 1;
                    failing += 1;
                    let length = space.depth[at] + 1;
                    space.shortest_fault = Some(space.shortest_fault.map_or(length, |known| known.min(length)));
                }
            }
        }
    }
    let ended = machine.processes.iter().zip(control).all(|(process, at)| process.code.is_at_end(at));
    if successors.is_empty() && failing == 0 && !ended {
        space.deadlocks.push(at);
    }
    successors
}

/// Where the named predicates hold; a predicate that cannot be evaluated does not.
fn label(machine: &Machine<'_>, states: &[State], space: &mut Space) {
    for item in &machine.file.items {
        let Item::Predicate(Some(name), expr) = item else { continue };
        let row = states.iter().enumerate().map(|(at, (values, control))| match expr.kind {
            ExprKind::Deadlock => space.deadlocks.contains(&at),
            _ => machine.holds(expr, &View { values, control, me: None }) == Ok(true),
        });
        let row: Vec<bool> = row.collect();
        space.predicates.insert(name.name.clone(), row);
    }
}
