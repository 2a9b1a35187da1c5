//! The cycle of an accepted fair run, found backwards.
//!
//! Where only states are left at which every condition that binds them arrives, from states that are left, it can be said of each from where a condition arrived. Going back
//! along that leads to a step that fulfils the condition; doing this for every condition that binds a state on the way, again and again, cannot leave the states that are
//! left, and comes to a state for the second time. What lies between is the cycle. A condition that does not arrive binds no state that the walk can still come to, since it
//! would arrive from there: it is strong fairness to a process, and the walk has left the component in which that process can step.

use std::collections::BTreeMap;

use super::{Monitor, ProductRows, ProductScratch};
use crate::successors::{Expansion, RowSuccessors};

/// Says from which state a condition arrived at a state; none if it did not.
pub type Origin<'o, E> = dyn FnMut(&[u32], usize) -> Result<Option<Vec<u32>>, E> + 'o;

/// Where the walk is, and what it still looks for.
struct Walk<'q, S: RowSuccessors, M: Monitor> {
    product: &'q ProductRows<'q, S, M>,
    scratch: ProductScratch<S, M>,
    found: Expansion,
    /// The states passed, from the last to the first.
    path: Vec<Vec<u32>>,
    at: Vec<u32>,
    wanted: u64,
    fulfilled: u64,
}

/// A cycle through states that are left, of which `start` is one; none if `origin` tells of states that no step leads from.
///
/// # Errors
/// Those of `origin`.
pub fn cycle_backwards<S: RowSuccessors, M: Monitor, E>(
    product: &ProductRows<'_, S, M>,
    start: Vec<u32>,
    origin: &mut Origin<'_, E>,
) -> Result<Option<Vec<Vec<u32>>>, E> {
    let (scratch, found) = (product.scratch(), Expansion::default());
    let mut walk = Walk { product, scratch, found, path: Vec::new(), at: start, wanted: 0, fulfilled: 0 };
    let mut turns: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    loop {
        if let Some(&first) = turns.get(&walk.at) {
            let mut cycle = vec![walk.at.clone()];
            cycle.extend(walk.path.drain(first + 1..).rev());
            return Ok(Some(cycle));
        }
        turns.insert(walk.at.clone(), walk.path.len());
        if !walk.turn(origin)? {
            return Ok(None);
        }
    }
}

impl<S: RowSuccessors, M: Monitor> Walk<'_, S, M> {
    /// Goes back until every condition that binds a state on the way is fulfilled; says whether there were steps.
    fn turn<E>(&mut self, origin: &mut Origin<'_, E>) -> Result<bool, E> {
        self.product.expand(&self.at, &mut self.scratch, &mut self.found);
        (self.wanted, self.fulfilled) = (self.scratch.binds, 0);
        while self.wanted & !self.fulfilled != 0 {
            let condition = (self.wanted & !self.fulfilled).trailing_zeros();
            loop {
                let Some(before) = origin(&self.at, condition as usize)? else {
                    self.wanted &= !(1 << condition);
                    break;
                };
                let Some(fulfilled) = self.step_from(&before, condition) else { return Ok(false) };
                self.fulfilled |= fulfilled;
                self.wanted |= self.scratch.binds;
                self.path.push(std::mem::replace(&mut self.at, before));
                if fulfilled >> condition & 1 == 1 {
                    break;
                }
            }
        }
        Ok(true)
    }

    /// What a step to where the walk is fulfils: the condition if one does, and as much as possible.
    fn step_from(&mut self, before: &[u32], condition: u32) -> Option<u64> {
        self.product.expand(before, &mut self.scratch, &mut self.found);
        let steps = (0..self.found.steps()).filter(|&step| self.found.row(step) == self.at);
        let fulfilled = steps.map(|step| self.scratch.fulfils[step]);
        fulfilled.max_by_key(|fulfilled| (fulfilled >> condition & 1, fulfilled.count_ones(), *fulfilled))
    }
}
