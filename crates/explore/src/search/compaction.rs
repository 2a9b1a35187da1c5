//! Depth-first search with bitstate hashing (Holzmann 1987) or hash compaction (Wolper and Leroy 1993).
//!
//! Visits what a [`CompactStore`] takes for new. It may overlook states, never invents any: what it finds comes with the run that led
//! there, so a finding can be repeated. What it does not find may be there all the same.

use std::collections::BTreeMap;

use tertium_base::{Budget, Stopped};

use super::breadth::Options;
use super::depth::{DepthFirst, VisitedSet};
use super::{Finding, Observer, Progress, Summary};
use crate::store::{CompactStore, Keeping};
use crate::successors::RowSuccessors;

/// A search that has ended.
#[derive(Debug)]
pub struct CompactSearch {
    /// What was seen; depths are positions on the run at hand.
    pub summary: Summary,
    /// The run that led to each finding, as rows from an initial one on.
    pub runs: BTreeMap<Finding, Vec<Vec<u32>>>,
    /// The part of the states that was probably seen.
    pub coverage: f64,
    /// Bytes of the store.
    pub bytes: usize,
}

/// Visits states that are reachable from `initial`, with one thread.
pub fn compact_search<S: RowSuccessors, O: Observer>(
    successors: &S,
    observer: &O,
    initial: &[Vec<u32>],
    keeping: Keeping,
    options: &Options<'_>,
    progress: &mut dyn FnMut(Progress),
) -> CompactSearch {
    match CompactStore::new(keeping, options.budget) {
        Ok(store) => {
            let (store, summary, runs) = DepthFirst::run(successors, observer, store, initial, options, progress);
            CompactSearch { summary, runs, coverage: store.coverage(), bytes: store.bytes() }
        }
        Err(stopped) => {
            let summary = Summary { stopped: Some(stopped), ..Summary::default() };
            CompactSearch { summary, runs: BTreeMap::new(), coverage: 0.0, bytes: 0 }
        }
    }
}

impl VisitedSet for CompactStore {
    type Entry = Vec<u32>;

    const KEEPS_RUNS: bool = true;

    fn enter_initial(&mut self, row: &[u32], budget: &Budget) -> Result<Option<Vec<u32>>, Stopped> {
        self.enter(row, budget)
    }

    fn enter(&mut self, row: &[u32], budget: &Budget) -> Result<Option<Vec<u32>>, Stopped> {
        Ok(self.insert(row, 0, budget)?.then(|| row.to_vec()))
    }

    /// Which of the states taken for known it is, and whether that one has been expanded, is not kept.
    fn is_waiting(&self, _: &[u32]) -> bool {
        false
    }

    fn visit(&mut self, row: &Vec<u32>) -> Vec<u32> {
        row.clone()
    }

    fn row(&self, row: &Vec<u32>) -> Vec<u32> {
        row.clone()
    }

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn bytes(&self) -> usize {
        Self::bytes(self)
    }
}
