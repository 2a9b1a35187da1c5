//! Strong fairness: can a run stay in a component without starving a process?

use std::collections::HashMap;

use tertium_base::Stopped;
use tertium_base::graph::components;

use super::Monitor;
use super::marked::{Edge, Marked};
use super::marks::Marks;
use super::product::Product;
use crate::successors::RowSuccessors;

/// The steps between the states of a component, and who is enabled in each state.
pub(super) struct Inside {
    position: HashMap<u32, usize>,
    pub edges: Vec<Vec<Edge>>,
    enabled: Vec<Vec<u32>>,
}

pub(super) fn inside<S: RowSuccessors, M: Monitor>(
    product: &mut Product<'_, S, M>,
    component: &[u32],
) -> Result<Inside, Stopped> {
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
pub(super) fn strongly_fair<S: RowSuccessors, M: Monitor>(
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
            if steps.is_empty() || steps.iter().fold(Marks::NONE, |marks, edge| marks.union(edge.marks)) != all {
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

/// The strongly connected parts of a set of states, as positions; those that lead to others come first.
fn parts(component: &[u32], inside: &Inside) -> Vec<Vec<usize>> {
    let successors = |at: usize| inside.edges[at].iter().map(|edge| inside.position[&edge.target]);
    let mut parts = components(component.len(), successors).members();
    parts.reverse();
    parts
}
