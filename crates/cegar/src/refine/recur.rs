//! Can a cycle of steps be taken for ever although no state repeats?
//!
//! What the cycle needs, at all its positions, is pulled back to its beginning. If these conditions hold again after the cycle
//! whenever they hold before it, they describe a set that the cycle never leaves. If not, what is missing is added a few times.
//! Inputs get fixed values, or keep their distance from some variable.

use std::collections::HashMap;

use tertium_abstraction::{OperationId, System};
use tertium_base::Stopped;
use tertium_program::LocationId;
use tertium_smt::{Purpose, Reply, Sort, Term, TermId, Terms};

use crate::limits;
use crate::refine::atoms::conjuncts;

/// A cycle of operations, as it was taken once.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// Where all processes are before each operation.
    pub locations: Vec<Vec<LocationId>>,
    /// The operations.
    pub operations: Vec<OperationId>,
    /// The values of their inputs.
    pub inputs: Vec<Vec<i64>>,
    /// What must hold before each operation, besides that it can be taken.
    pub wanted: Vec<Vec<TermId>>,
    /// The cells, by variable, before each operation.
    pub cells: Vec<Vec<Vec<i64>>>,
}

/// What an input is when a cycle is taken again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// The same value.
    Fixed,
    /// As far from this cell (by variable, and cell of it) as the first time.
    Beside(usize, usize),
}

/// A set that a cycle never leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recurrent {
    /// The conditions that describe it, at the beginning of the cycle.
    pub conditions: Vec<TermId>,
    /// How inputs are chosen.
    pub chosen: Chosen,
}

/// Looks for a set that contains the state in which the cycle was taken, and that the cycle never leaves.
///
/// # Errors
/// If a limit is reached.
pub fn recurrent(system: &mut System, cycle: &Cycle) -> Result<Option<Recurrent>, Stopped> {
    let mut ways = vec![Chosen::Fixed];
    if cycle.inputs.iter().any(|inputs| !inputs.is_empty()) {
        for (var, cells) in system.cell_terms().iter().enumerate() {
            let (terms, _) = system.asking();
            let whole =
                |(at, &cell): (usize, &TermId)| (terms.sort(cell) == Sort::Int).then_some(Chosen::Beside(var, at));
            ways.extend(cells.iter().enumerate().filter_map(whole));
        }
    }
    for chosen in ways {
        for sharp in [true, false] {
            if let Some(conditions) = closed(system, cycle, chosen, sharp)? {
                return Ok(Some(Recurrent { conditions, chosen }));
            }
        }
    }
    Ok(None)
}

/// Conditions that hold now, and again after the cycle whenever they hold; of alternatives only the present one, if they are to be sharp.
fn closed(system: &mut System, cycle: &Cycle, chosen: Chosen, sharp: bool) -> Result<Option<Vec<TermId>>, Stopped> {
    let now = values(system, cycle);
    let sharpened = |system: &mut System, parts: Vec<TermId>| match sharp {
        true => parts.into_iter().flat_map(|part| sharpened(system, &now, part)).collect(),
        false => parts,
    };
    let mut conditions = pulled(system, cycle, chosen, &[], true);
    conditions = sharpened(system, conditions);
    for _ in 0..limits::RECUR_PATIENCE {
        if !holds_now(system, cycle, &conditions)? {
            return Ok(None);
        }
        let again = pulled(system, cycle, chosen, &conditions, false);
        let mut missing = Vec::new();
        for part in again {
            let (terms, queries) = system.asking();
            let not = terms.not(part);
            let question: Vec<TermId> = conditions.iter().copied().chain([not]).collect();
            match queries.satisfiable(terms, Purpose::Path, &question)? {
                Reply::Unsat => {}
                Reply::Sat => missing.push(part),
                Reply::GaveUp => return Ok(None),
            }
        }
        if missing.is_empty() {
            return Ok(Some(told(system, conditions)?));
        }
        conditions.extend(sharpened(system, missing));
        if conditions.len() > limits::RECUR_MOST_CONDITIONS {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Whether the state in which the cycle was taken meets the conditions, whatever functions there are.
fn holds_now(system: &mut System, cycle: &Cycle, conditions: &[TermId]) -> Result<bool, Stopped> {
    let map = values(system, cycle);
    let (terms, queries) = system.asking();
    let here: Vec<TermId> = conditions.iter().map(|&condition| terms.substitute(condition, &map)).collect();
    let all = terms.all(&here);
    let not = terms.not(all);
    Ok(queries.satisfiable(terms, Purpose::Path, &[not])? == Reply::Unsat)
}

/// The values of the cells in the state in which the cycle was taken.
fn values(system: &mut System, cycle: &Cycle) -> HashMap<TermId, TermId> {
    let cells = system.cell_terms();
    let (terms, _) = system.asking();
    let mut map = HashMap::new();
    for (&cell, &value) in cells.iter().flatten().zip(cycle.cells.iter().take(1).flatten().flatten()) {
        let value = if terms.sort(cell) == Sort::Bool { terms.bool(value != 0) } else { terms.int(i128::from(value)) };
        map.insert(cell, value);
    }
    map
}

/// A condition that implies this one and holds now if it does: of alternatives the one that holds, of two sides the present one.
fn sharpened(system: &mut System, now: &HashMap<TermId, TermId>, condition: TermId) -> Vec<TermId> {
    let (terms, _) = system.asking();
    let (mut open, mut found) = (vec![condition], Vec::new());
    while let Some(part) = open.pop() {
        let Term::Not(inner) = terms.get(part) else {
            match terms.get(part) {
                Term::And(list) => open.extend(terms.list(list).to_vec()),
                _ => found.push(part),
            }
            continue;
        };
        match terms.get(inner) {
            Term::And(list) => {
                let members = terms.list(list).to_vec();
                let fails = |terms: &mut Terms, member: TermId| {
                    let here = terms.substitute(member, now);
                    terms.as_bool(here) == Some(false)
                };
                match members.into_iter().find(|&member| fails(terms, member)) {
                    Some(member) => open.push(terms.not(member)),
                    None => found.push(part),
                }
            }
            Term::Equals(form, value) => {
                let here = terms.substitute(form, now);
                let (below, above) = (terms.int(value - 1), terms.int(value + 1));
                found.push(match terms.as_int(here) {
                    Some(here) if here < value => terms.le(form, below),
                    Some(here) if here > value => terms.le(above, form),
                    _ => part,
                });
            }
            _ => found.push(part),
        }
    }
    found
}

/// The conditions that hold at each position of the cycle wherever it is taken from the set: weakest preconditions of what the rest of the cycle
/// needs, and of the set at its end.
pub fn at_positions(system: &mut System, cycle: &Cycle, set: &Recurrent) -> Vec<Vec<TermId>> {
    let mut positions = weakest_preconditions(system, cycle, set.chosen, &set.conditions, true);
    if let Some(first) = positions.first_mut() {
        // The set itself implies what the whole cycle needs.
        first.clone_from(&set.conditions);
    }
    positions
}

/// Conditions at the end of the cycle, as they read at its beginning; with what the cycle itself needs, if asked for.
fn pulled(system: &mut System, cycle: &Cycle, chosen: Chosen, end: &[TermId], own: bool) -> Vec<TermId> {
    weakest_preconditions(system, cycle, chosen, end, own).into_iter().next().unwrap_or_else(|| end.to_vec())
}

/// Conditions at the end of the cycle, as they read at each of its positions.
fn weakest_preconditions(
    system: &mut System,
    cycle: &Cycle,
    chosen: Chosen,
    end: &[TermId],
    own: bool,
) -> Vec<Vec<TermId>> {
    let mut here = end.to_vec();
    let mut positions = Vec::with_capacity(cycle.operations.len());
    for at in (0..cycle.operations.len()).rev() {
        let operation = &system.operations()[cycle.operations[at]];
        let (after, relation) = (operation.after.clone(), operation.relation);
        let symbols: Vec<TermId> = operation.inputs.iter().map(|choice| choice.symbol).collect();
        let inputs = inputs(system, cycle, chosen, at, &symbols);
        let places = system.located(&cycle.locations[at], &[]);
        let (terms, _) = system.asking();
        let mut parts: Vec<TermId> = here.iter().map(|&part| terms.substitute(part, &after)).collect();
        if own {
            parts.push(relation);
            parts.extend(&cycle.wanted[at]);
        }
        here.clear();
        for part in parts {
            let part = terms.substitute(part, &inputs);
            let part = terms.substitute(part, &places);
            here.extend(conjuncts(terms, part).into_iter().filter(|&one| terms.as_bool(one) != Some(true)));
        }
        here.sort_unstable();
        here.dedup();
        positions.push(here.clone());
    }
    positions.reverse();
    positions
}

/// What the inputs of an operation are, over the state before it.
fn inputs(
    system: &mut System,
    cycle: &Cycle,
    chosen: Chosen,
    at: usize,
    symbols: &[TermId],
) -> HashMap<TermId, TermId> {
    let beside = match chosen {
        Chosen::Fixed => None,
        Chosen::Beside(var, cell) => Some((system.cell_terms()[var][cell], cycle.cells[at][var][cell])),
    };
    let (terms, _) = system.asking();
    let mut map = HashMap::new();
    for (&symbol, &value) in symbols.iter().zip(&cycle.inputs[at]) {
        let value = match (terms.sort(symbol), beside) {
            (Sort::Bool, _) => terms.bool(value != 0),
            (_, Some((cell, then))) => terms.weighted(&[(cell, 1)], i128::from(value) - i128::from(then)),
            _ => terms.int(i128::from(value)),
        };
        map.insert(symbol, value);
    }
    map
}

/// The conditions without those that follow from others.
fn told(system: &mut System, conditions: Vec<TermId>) -> Result<Vec<TermId>, Stopped> {
    let mut kept = conditions.clone();
    for part in conditions {
        let rest: Vec<TermId> = kept.iter().copied().filter(|&other| other != part).collect();
        let (terms, queries) = system.asking();
        let not = terms.not(part);
        let question: Vec<TermId> = rest.iter().copied().chain([not]).collect();
        if queries.satisfiable(terms, Purpose::Path, &question)? == Reply::Unsat {
            kept = rest;
        }
    }
    Ok(kept)
}
