//! Which states and marks of an automaton matter?
//!
//! Only components with a cycle that meets every mark can end an accepting run. States that reach none go,
//! marks that are implied inside a component go, and the rest are numbered anew per component, so that
//! components share numbers.

use std::collections::BTreeMap;

use tertium_base::graph::{Components, components};
use tertium_base::narrow::to_u32;

use super::tgba::{Guard, Marks, Tgba, Transition};

/// A transition and the eventualities that it puts off: all others are met.
#[derive(Clone, Debug)]
pub(crate) struct OpenTransition {
    pub(crate) guard: Guard,
    pub(crate) target: usize,
    pub(crate) postponed: Vec<u32>,
}

/// Transitions by state.
pub(crate) type OpenStates = Vec<Vec<OpenTransition>>;

/// The automaton with what matters only; `None` if more marks are needed than fit.
pub(crate) fn close(states: &OpenStates, initial: usize, atoms: Vec<String>) -> Option<Tgba> {
    if states.is_empty() {
        return Some(Tgba::empty(atoms));
    }
    let component = components(states.len(), |state| states[state].iter().map(|transition| transition.target));
    let needed = needed_marks(states, &component);
    let live = live_states(states, &component, &needed);
    if !live[initial] {
        return Some(Tgba::empty(atoms));
    }
    let count = needed.iter().map(|needs| needs.as_ref().map_or(0, Vec::len)).max().unwrap_or(0);
    let cycles_in_vain = (0..states.len()).any(|state| {
        needed[component.at(state)].is_none()
            && live[state]
            && states[state].iter().any(|transition| component.of[transition.target] == component.of[state])
    });
    let count = count.max(usize::from(cycles_in_vain));
    if count > Marks::MOST {
        return None;
    }
    let marks = |state: usize, transition: &OpenTransition| match &needed[component.at(state)] {
        Some(needs) if component.of[transition.target] == component.of[state] => {
            let missed = needs.iter().enumerate().filter(|(_, need)| transition.postponed.binary_search(need).is_ok());
            Marks(missed.fold(Marks::all(count).0, |marks, (mark, _)| marks & !(1 << mark)))
        }
        _ => Marks::default(),
    };
    Some(renumbered(states, initial, atoms, count, &live, marks))
}

/// For each component the marks that its cycles must meet; `None` if no cycle in it meets all.
fn needed_marks(states: &OpenStates, component: &Components) -> Vec<Option<Vec<u32>>> {
    // Inner edges of each component as (from, transition number).
    let mut inner: Vec<Vec<(usize, usize)>> = vec![Vec::new(); component.count];
    for (state, transitions) in states.iter().enumerate() {
        for (at, transition) in transitions.iter().enumerate() {
            if component.of[transition.target] == component.of[state] {
                inner[component.at(state)].push((state, at));
            }
        }
    }
    inner.iter().map(|edges| component_marks(states, edges)).collect()
}

fn component_marks(states: &OpenStates, edges: &[(usize, usize)]) -> Option<Vec<u32>> {
    if edges.is_empty() {
        return None;
    }
    let mut missing: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, &(state, at)) in edges.iter().enumerate() {
        for &mark in &states[state][at].postponed {
            missing.entry(mark).or_default().push(number);
        }
    }
    if missing.values().any(|missed| missed.len() == edges.len()) {
        return None;
    }
    // A mark that no cycle can miss need not be asked for.
    missing.retain(|_, missed| has_cycle(states, edges, missed));
    let all: Vec<(u32, Vec<usize>)> = missing.into_iter().collect();
    let implied = |at: usize| {
        (0..all.len()).any(|other| {
            let (mine, theirs) = (&all[at].1, &all[other].1);
            other != at && super::tgba::is_subset(mine, theirs) && (mine.len() < theirs.len() || other < at)
        })
    };
    Some((0..all.len()).filter(|&at| !implied(at)).map(|at| all[at].0).collect())
}

fn has_cycle(states: &OpenStates, edges: &[(usize, usize)], chosen: &[usize]) -> bool {
    let mut place: BTreeMap<usize, usize> = BTreeMap::new();
    for &number in chosen {
        let (state, at) = edges[number];
        for node in [state, states[state][at].target] {
            let next = place.len();
            place.entry(node).or_insert(next);
        }
    }
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); place.len()];
    for &number in chosen {
        let (state, at) = edges[number];
        successors[place[&state]].push(place[&states[state][at].target]);
    }
    let component = components(place.len(), |node| successors[node].iter().copied());
    successors
        .iter()
        .enumerate()
        .any(|(node, targets)| targets.iter().any(|&to| component.of[to] == component.of[node]))
}

/// The states from which a good component is reached.
fn live_states(states: &OpenStates, component: &Components, needed: &[Option<Vec<u32>>]) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
    for (state, transitions) in states.iter().enumerate() {
        for transition in transitions {
            before[transition.target].push(state);
        }
    }
    let mut live: Vec<bool> = component.of.iter().map(|&class| needed[class as usize].is_some()).collect();
    let mut todo: Vec<usize> = (0..states.len()).filter(|&state| live[state]).collect();
    while let Some(state) = todo.pop() {
        for &earlier in &before[state] {
            if !std::mem::replace(&mut live[earlier], true) {
                todo.push(earlier);
            }
        }
    }
    live
}

/// Live states that the initial one reaches, numbered in the order they are met.
fn renumbered(
    states: &OpenStates,
    initial: usize,
    atoms: Vec<String>,
    marks: usize,
    live: &[bool],
    marks_of: impl Fn(usize, &OpenTransition) -> Marks,
) -> Tgba {
    let mut number = vec![usize::MAX; states.len()];
    let mut order = vec![initial];
    number[initial] = 0;
    let mut at = 0;
    while at < order.len() {
        for transition in &states[order[at]] {
            if live[transition.target] && number[transition.target] == usize::MAX {
                number[transition.target] = order.len();
                order.push(transition.target);
            }
        }
        at += 1;
    }
    let keep = |state: usize| {
        let mut kept: Vec<Transition> = states[state]
            .iter()
            .filter(|transition| live[transition.target])
            .map(|transition| Transition {
                guard: transition.guard.clone(),
                target: number[transition.target],
                marks: marks_of(state, transition),
            })
            .collect();
        kept.sort_unstable();
        kept.dedup();
        kept
    };
    Tgba { atoms, states: order.iter().map(|&state| keep(state)).collect(), initial: 0, marks }
}

impl Tgba {
    /// An equivalent automaton without dead states, unreachable ones and marks that do not matter.
    #[must_use]
    pub fn cleaned(&self) -> Self {
        let open = |transition: &Transition| OpenTransition {
            guard: transition.guard.clone(),
            target: transition.target,
            postponed: (0..self.marks)
                .filter(|&mark| !transition.marks.contains(mark))
                .map(|mark| to_u32(mark))
                .collect(),
        };
        let states: OpenStates = self.states.iter().map(|transitions| transitions.iter().map(open).collect()).collect();
        // An automaton that fits has fewer marks afterwards, never more.
        close(&states, self.initial, self.atoms.clone()).unwrap_or_else(|| self.clone())
    }
}
