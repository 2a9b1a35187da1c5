//! Can a run go on with what another one has reached?

use tertium_base::Stopped;
use tertium_dd::Set;

use crate::encoding::Encoding;
use crate::news::EncodingNews;
use crate::variable_order::VariableOrder;

/// Who keeps what was reached, so that another run begins with it. The bits of a set mean the same to an encoding of the same program with the same cells in the same
/// variable order; both are named.
pub trait ReachedSets {
    /// What was kept for this order.
    fn kept(&self, order: &str) -> Option<Vec<u32>>;

    /// Everything that is reached from there is reached: it may be kept. `is_all` if there is no more.
    fn reached(&self, order: &str, set: &Set, is_all: bool);
}

impl Encoding<'_> {
    /// Everything that is reached from the initial states, and from what another run has reached from there.
    pub(crate) fn all_reached(&self, order: &VariableOrder, news: &EncodingNews<'_>) -> Result<Set, Stopped> {
        let Some(sets) = news.sets else { return self.relation().reachable(&self.init, None) };
        // Which bits stand for what.
        let order = format!("{order:?} {:?}", self.cells());
        let known = match sets.kept(&order) {
            Some(words) => self.diagrams().from_words(&words)?,
            None => None,
        };
        let start = known.map_or_else(|| Ok(self.init.clone()), |known| known.or(&self.init))?;
        let all = self.relation().reachable_in_stages(&start, &mut |reached| sets.reached(&order, reached, false))?;
        sets.reached(&order, &all, true);
        Ok(all)
    }
}
