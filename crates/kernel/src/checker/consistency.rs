//! Does anything real refine a state of a mixed structure?
//!
//! What refines a state refines, with each step that is certain there, a member of the certain set and a possible successor of whatever
//! else it refines. So sets of states are followed that one concrete state refines together: a set is struck out if its labels contradict each
//! other, or if a certain step of one of its members can lead to no set that is left. Something refines the state if its own set stays.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Budget, StopReason, Stopped};
use tertium_model::StateId;

use crate::completion_game::{CompletionGame, Terms};

/// More sets are not followed, and none with more members: then it is not known whether something refines the state.
const MOST_SETS: usize = 2_000;
const MOST_TOGETHER: usize = 6;

/// Whether something refines the state.
pub(super) fn is_consistent(game: &CompletionGame<'_>, state: StateId, budget: &Budget) -> Result<bool, Stopped> {
    let mut numbers: BTreeMap<Vec<StateId>, usize> = BTreeMap::from([(vec![state], 0)]);
    let mut sets = vec![vec![state]];
    // For each set its demands, and for each of them the sets that it may lead to.
    let mut demands: Vec<Vec<Vec<usize>>> = Vec::new();
    while demands.len() < sets.len() {
        budget.check()?;
        let set = sets[demands.len()].clone();
        if sets.len() > MOST_SETS || set.len() > MOST_TOGETHER {
            return Err(Stopped(StopReason::Count));
        }
        let mut found = Vec::new();
        if game.contradictory(&set) {
            found.push(Vec::new());
        } else {
            for demand in game.certain(&set) {
                let mut outcomes = Vec::new();
                for outcome in game.outcomes(&Terms::default(), &set, &demand, budget)? {
                    let next = *numbers.entry(outcome.states.clone()).or_insert(sets.len());
                    if next == sets.len() {
                        sets.push(outcome.states);
                    }
                    outcomes.push(next);
                }
                found.push(outcomes);
            }
        }
        demands.push(found);
    }
    let mut out: BTreeSet<usize> = BTreeSet::new();
    loop {
        budget.check()?;
        let fails = |at: &usize| demands[*at].iter().any(|outcomes| outcomes.iter().all(|to| out.contains(to)));
        let lost: Vec<usize> = (0..sets.len()).filter(|at| !out.contains(at)).filter(fails).collect();
        if lost.is_empty() {
            return Ok(!out.contains(&0));
        }
        out.extend(lost);
    }
}
