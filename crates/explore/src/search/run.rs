//! How does one get to a state with the fewest steps?
//!
//! The store keeps no parents. Going back from a state, the states of the level before are expanded again, and of
//! those that lead to it the least by content is taken; so there is one answer, whatever order they were found in.

use tertium_base::{Budget, Stopped};

use super::breadth::Levelled;
use crate::successors::{Expansion, RowSuccessors};

/// The rows of a shortest run from an initial state to `row`, which lies on this level. Both ends included.
///
/// # Errors
/// If the budget is spent on the way.
pub fn shortest_run<S: RowSuccessors>(
    successors: &S,
    explored: Levelled<'_>,
    row: &[u32],
    depth: usize,
    budget: &Budget,
) -> Result<Vec<Vec<u32>>, Stopped> {
    let mut run = vec![row.to_vec()];
    for level in (0..depth).rev() {
        let Some(before) = least_predecessor(successors, explored, level, &run[run.len() - 1], budget)? else { break };
        run.push(before);
    }
    run.reverse();
    Ok(run)
}

fn least_predecessor<S: RowSuccessors>(
    successors: &S,
    explored: Levelled<'_>,
    level: usize,
    row: &[u32],
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Stopped> {
    let end = explored.levels.get(level + 1).copied().unwrap_or(explored.end);
    let mut scratch = successors.scratch();
    let mut found = Expansion::default();
    let mut branches = explored.store.branches();
    let mut next = Vec::new();
    let mut least: Option<Vec<u32>> = None;
    let mut ticks = 0;
    for state in explored.levels[level]..end {
        budget.tick(&mut ticks)?;
        explored.store.read(state, &mut branches);
        if least.as_deref().is_some_and(|least| least <= branches.words()) {
            continue;
        }
        successors.expand(branches.words(), &mut scratch, &mut found);
        let arrives = (0..found.steps()).any(|at| {
            found.copy_row(at, &mut next);
            next == row
        });
        if arrives {
            least = Some(branches.words().to_vec());
        }
    }
    Ok(least)
}
