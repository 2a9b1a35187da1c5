//! A run through a component that an accepted fair run can stay in.

use std::collections::{HashMap, HashSet, VecDeque};

use tertium_base::narrow::to_u32;
use tertium_base::{StopReason, Stopped};

use super::marked::{Edge, Marked, NOBODY};
use super::marks::Marks;

/// So many states that the search has not met are looked at for a shorter way.
const MOST_NEW: u32 = 20_000;

/// A run that reaches the component by the fewest steps and goes round in it, collecting every mark: the states before the cycle, and
/// those of the cycle.
pub(super) fn lasso<G: Marked>(
    graph: &mut G,
    starts: &[u32],
    component: &[u32],
) -> Result<(Vec<u32>, Vec<u32>), G::Failure> {
    let members: HashSet<u32> = component.iter().copied().collect();
    // The search has seen a way in. One that is shorter may need other states, of which an endless program has too many.
    let most = to_u32(graph.size().0).saturating_add(MOST_NEW);
    let stem = path(graph, starts, &|state| state < most, &mut |_, state| members.contains(&state))?;
    let entry = *stem.last().unwrap_or(&component[0]);
    let mut cycle = vec![entry];
    let mut missing = graph.all_marks();
    // Strongly fair processes that can step somewhere in the component must do so on the cycle too.
    let mut movers = graph.movers_inside(component)?;
    loop {
        let at = cycle[cycle.len() - 1];
        let mut last = (Marks::NONE, NOBODY);
        let leg = path(graph, &[at], &|state| members.contains(&state), &mut |edge, _| {
            edge.is_some_and(|edge| {
                last = (edge.marks, edge.mover);
                edge.marks.meets(missing)
                    || movers.contains(&edge.mover)
                    || (missing.is_empty() && movers.is_empty() && edge.target == entry)
            })
        })?;
        if leg.len() < 2 {
            return Err(Stopped(StopReason::Count).into());
        }
        let closing = missing.is_empty() && movers.is_empty();
        cycle.extend(&leg[1..]);
        missing = missing.minus(last.0);
        movers.retain(|&pid| pid != last.1);
        if cycle[cycle.len() - 1] == entry && (closing || (missing.is_empty() && movers.is_empty())) {
            cycle.pop();
            break;
        }
    }
    Ok((stem[..stem.len().saturating_sub(1)].to_vec(), cycle))
}

/// The states of a shortest path from one of `starts` to where `wanted` says so; it sees each step and its target,
/// or no step for a start. Only states that are `allowed` are passed.
fn path<G: Marked>(
    graph: &mut G,
    starts: &[u32],
    allowed: &dyn Fn(u32) -> bool,
    wanted: &mut dyn FnMut(Option<&Edge>, u32) -> bool,
) -> Result<Vec<u32>, G::Failure> {
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
        graph.budget().tick(&mut ticks)?;
        graph.edges(number, &mut found)?;
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
