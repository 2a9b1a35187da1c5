//! A run through a component that an accepted fair run can stay in.

use std::collections::{HashMap, HashSet, VecDeque};

use tertium_base::{StopReason, Stopped};

use super::product::{Edge, NOBODY, Product};
use super::strong::inside;
use super::{Lasso, Monitor};
use crate::successors::RowSuccessors;

/// So many states that the search has not met are looked at for a shorter way.
const MOST_NEW: u32 = 20_000;

/// A run that reaches the component by the fewest steps and goes round in it, collecting every mark.
pub(super) fn lasso<S: RowSuccessors, M: Monitor>(
    product: &mut Product<'_, S, M>,
    starts: &[u32],
    component: &[u32],
) -> Result<Lasso, Stopped> {
    let members: HashSet<u32> = component.iter().copied().collect();
    // The search has seen a way in. One that is shorter may need other states, of which an endless program has too many.
    let most = (product.store.len() as u32).saturating_add(MOST_NEW);
    let stem = path(product, starts, &|state| state < most, &mut |_, state| members.contains(&state))?;
    let entry = *stem.last().unwrap_or(&component[0]);
    let mut cycle = vec![entry];
    let mut missing = product.all_marks();
    // Strongly fair processes that can step somewhere in the component must do so on the cycle too.
    let mut movers = movers_inside(product, component)?;
    loop {
        let at = cycle[cycle.len() - 1];
        let mut last = (0, NOBODY);
        let leg = path(product, &[at], &|state| members.contains(&state), &mut |edge, _| {
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

fn movers_inside<S: RowSuccessors, M: Monitor>(
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
/// or no step for a start. Only states that are `allowed` are passed.
fn path<S: RowSuccessors, M: Monitor>(
    product: &mut Product<'_, S, M>,
    starts: &[u32],
    allowed: &dyn Fn(u32) -> bool,
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
            if !allowed(edge.target) {
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
