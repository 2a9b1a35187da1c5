//! Of which sets of abstract states is a member certain?
//!
//! Every program state has a set of abstract states that it can step into. A set is certain if it meets all of those:
//! certain sets are hitting sets. The different sets are enumerated by the solver and the smallest hitting sets worked out, so
//! that what is found is exactly what there is. Members that are certain by themselves are left out first.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tertium_smt::{Purpose, TermId};

use crate::choices::Closed;
use crate::expand::{Expansion, Failed, Ways};
use crate::state::AbstractState;
use crate::system::System;
use crate::view::View;

/// At most this many combinations of targets are looked at, and this many certain sets kept, per state.
const MOST_ROWS: usize = 1024;
const MOST_SETS: usize = 256;

impl System {
    /// Adds the certain sets with two or more members that several processes reach together.
    pub(crate) fn joint(
        &mut self,
        state: &AbstractState,
        view: &mut Option<View>,
        all: &[Rc<Ways>],
        found: &mut Expansion,
    ) -> Result<(), Failed> {
        if all.iter().filter(|ways| !ways.open.is_empty()).count() < 2 {
            return Ok(());
        }
        let mut joint: BTreeMap<AbstractState, Vec<Closed>> = BTreeMap::new();
        for (post, ways) in all.iter().flat_map(|ways| &ways.open) {
            joint.entry(post.apply(state)).or_default().extend(ways);
        }
        let sure: BTreeSet<&AbstractState> =
            found.steps.iter().filter(|step| step.must).map(|step| &step.target).collect();
        joint.retain(|target, _| !sure.contains(target));
        let view = view.get_or_insert_with(|| self.view(state));
        for set in self.hitting(view, &joint)? {
            found.hyper.push((set, None));
        }
        Ok(())
    }

    /// The smallest certain sets among targets none of which is certain by itself.
    pub(crate) fn hitting(
        &mut self,
        view: &View,
        targets: &BTreeMap<AbstractState, Vec<Closed>>,
    ) -> Result<Vec<Vec<AbstractState>>, Failed> {
        let all: Vec<Closed> = targets.values().flatten().copied().collect();
        if targets.len() < 2 || !self.surely(view, &all)? {
            return Ok(Vec::new());
        }
        let states: Vec<&AbstractState> = targets.keys().collect();
        let whole = || vec![states.iter().map(|&state| state.clone()).collect::<Vec<_>>()];
        let mut terms: Vec<TermId> = Vec::new();
        for ways in targets.values() {
            let below: Vec<TermId> = ways.iter().map(|closed| closed.below).collect();
            let below = self.terms.any(&below);
            terms.push(self.simplify(view, below));
        }
        let parts = self.relevant(view, &terms);
        let models = self.queries.all_models(&mut self.terms, Purpose::Must, &parts, &terms, MOST_ROWS)?;
        // Where inputs are only tried, some program state may seem to lead nowhere; the whole set is certain all the same.
        if !models.complete || models.rows.iter().any(|row| row.iter().all(|&reached| !reached)) {
            return Ok(whole());
        }
        let rows: Vec<Vec<usize>> =
            models.rows.iter().map(|row| (0..row.len()).filter(|&at| row[at]).collect()).collect();
        let sets = smallest_hitting_sets(&rows, MOST_SETS);
        Ok(sets
            .into_iter()
            .filter(|set| set.len() > 1)
            .map(|set| set.into_iter().map(|at| states[at].clone()).collect())
            .collect())
    }
}

/// The inclusion-minimal sets that meet every row; at most `most`, in a fixed order. Rows are not empty.
#[must_use]
pub fn smallest_hitting_sets(rows: &[Vec<usize>], most: usize) -> Vec<Vec<usize>> {
    // A row that contains another one is met as soon as that one is.
    let contains = |large: &[usize], small: &[usize]| small.iter().all(|at| large.contains(at));
    let mut minimal: Vec<&Vec<usize>> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let beaten = rows.iter().enumerate().any(|(other, small)| {
            other != number && contains(row, small) && (small.len() < row.len() || other < number)
        });
        if !beaten {
            minimal.push(row);
        }
    }
    let mut sets: Vec<BTreeSet<usize>> = vec![BTreeSet::new()];
    for row in minimal {
        let mut next: Vec<BTreeSet<usize>> = Vec::new();
        for set in &sets {
            if row.iter().any(|at| set.contains(at)) {
                next.push(set.clone());
            } else {
                next.extend(row.iter().map(|&at| set.iter().copied().chain([at]).collect()));
            }
        }
        next.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        next.dedup();
        let mut kept: Vec<BTreeSet<usize>> = Vec::new();
        for set in next {
            if kept.len() < most && !kept.iter().any(|small| small.is_subset(&set)) {
                kept.push(set);
            }
        }
        sets = kept;
    }
    sets.into_iter().map(|set| set.into_iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hitting_sets_are_smallest_and_all() {
        let rows = [vec![0, 1], vec![1, 2], vec![0, 1, 2]];
        assert_eq!(smallest_hitting_sets(&rows, 100), [vec![1], vec![0, 2]]);
        assert_eq!(smallest_hitting_sets(&[vec![3]], 100), [vec![3]]);
        assert_eq!(smallest_hitting_sets(&[vec![0], vec![1]], 100), [vec![0, 1]]);
    }
}
