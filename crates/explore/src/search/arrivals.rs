//! States that were met somewhere else and are kept here: they are entered in groups, as those are that were met here.

use super::Observer;
use super::worker::Worker;
use crate::rows::RowList;
use crate::store::{Full, StateStore};
use crate::successors::RowSuccessors;

/// So many are entered together.
const GROUP: usize = 64;

impl<S: RowSuccessors, O: Observer> Worker<'_, S, O> {
    /// Enters these keys, as many as fit; how many, from the first on. If the store is empty nobody else may enter anything at the same time.
    pub fn enter_keys(&mut self, store: &StateStore, keys: &[u64]) -> usize {
        let Some(mask) = store.key_mask() else { return 0 };
        let mut entered = 0;
        if store.is_empty()
            && let Some(&first) = keys.first()
        {
            if store.enter(first).is_err() {
                return 0;
            }
            self.look_at_key(store, mask, first);
            entered = 1;
        }
        for group in keys[entered..].chunks(GROUP) {
            store.begin_batch(&mut self.batch);
            self.batch.keys.extend_from_slice(group);
            store.look_ahead(&mut self.batch);
            let fitted = store.enter_batch(&mut self.batch);
            self.look_at_fresh_keys(store, mask);
            entered += fitted;
            if fitted < group.len() {
                break;
            }
        }
        entered
    }

    /// Enters these rows from this one on, as many as fit; the first that does not. If the store is empty nobody else may enter anything at the same time.
    pub fn enter_rows(&mut self, store: &StateStore, rows: &RowList, from: usize) -> usize {
        let mut from = from;
        if store.is_empty() && from < rows.len() {
            if store.insert_afresh(rows.row(from), &mut self.branches).is_err() {
                return from;
            }
            self.look(rows.row(from));
            from += 1;
        }
        while from < rows.len() {
            let end = rows.len().min(from + GROUP);
            let fitted = self.enter_row_group(store, rows, from..end).unwrap_or(0);
            from += fitted;
            if from < end {
                break;
            }
        }
        from
    }

    fn enter_row_group(
        &mut self,
        store: &StateStore,
        rows: &RowList,
        group: std::ops::Range<usize>,
    ) -> Result<usize, Full> {
        let first = group.start;
        store.begin_batch(&mut self.batch);
        for at in group {
            store.add_row_to_batch(rows.row(at), &mut self.batch)?;
        }
        store.find_keys(&[store.branches()], &mut self.batch)?;
        store.look_ahead(&mut self.batch);
        let entered = store.enter_batch(&mut self.batch);
        for at in 0..self.batch.fresh.len() {
            self.look(rows.row(first + self.batch.fresh[at] as usize));
        }
        Ok(entered)
    }
}
