//! Dynamic reordering, between two encodings: where the orders that are known beforehand need too many nodes, the states near the initial ones are computed in the first of them,
//! sifting (Rudell 1993) finds a better order for their diagrams and those of the steps, and the program is encoded anew in it.
//!
//! A cell stays together with its values afterwards, and bits that alternate stay as they are. Of synchronous systems whose set of states is large, two orders
//! known beforehand are compared.

use tertium_base::{Budget, StopReason, Stopped};
use tertium_dd::{Bit, Limits, sifted};
use tertium_program::Program;

use crate::EncodingError;
use crate::encoding::{Encoding, ROUNDS};
use crate::instantiated::InstanceFacts;
use crate::news::EncodingNews;
use crate::variable_order::{VariableOrder, is_synchronous};

/// So often an order that sifting found is the first order for sifting again, each time from the states that it lets one see.
const TIMES: usize = 4;
/// Sifting looks at so many nodes for each node that an encoding may have.
const VISITED_FOR_NODE: usize = 32;
/// A set of states with fewer nodes is not worth a second variable order.
const WORTH_COMPARING: usize = 500;

impl<'p> Encoding<'p> {
    /// Looks for a better order than the first one, which it becomes, and encodes the program in it; none if it does not suffice either.
    ///
    /// # Errors
    /// As [`Encoding::new`].
    pub(crate) fn reordered(
        subject: (&'p Program, InstanceFacts<'p>),
        orders: &mut Vec<VariableOrder>,
        limits: Limits,
        budget: &Budget,
        news: &mut EncodingNews<'_>,
    ) -> Result<Option<Self>, EncodingError> {
        for _ in 0..TIMES {
            let found = match Self::near_states(subject, &orders[0], usize::MAX, limits, budget, news) {
                Ok((near, _)) => near.better_order(limits, budget, news)?,
                Err(EncodingError::Stopped(Stopped(StopReason::Memory))) => None,
                Err(why) => return Err(why),
            };
            budget.check()?;
            let Some(order) = found else { break };
            match Self::with_order(subject, &order, limits, budget, news) {
                Err(EncodingError::Stopped(Stopped(StopReason::Memory))) => budget.check()?,
                made => return made.map(Some),
            }
            orders.retain(|known| !matches!(known, VariableOrder::Sifted(_)));
            orders.insert(0, order);
        }
        Ok(None)
    }

    /// This encoding, or the one in the order after this one if that is clearly smaller: formulas are decided in it, which takes longer than to find what is reached.
    pub(crate) fn or_in_next_order(
        self,
        subject: (&'p Program, InstanceFacts<'p>),
        (limits, orders): (Limits, &[VariableOrder]),
        budget: &Budget,
        news: &mut EncodingNews<'_>,
    ) -> Result<Self, EncodingError> {
        let nodes = self.reached.nodes();
        let is_first = orders.first() == Some(&self.order) && limits.nodes == ROUNDS[0];
        let Some(next) = orders.get(1).filter(|_| is_first && is_synchronous(subject.0) && nodes > WORTH_COMPARING)
        else {
            return Ok(self);
        };
        // Another order may take as many nodes as this one did.
        let most = self.diagrams().peak().next_power_of_two().min(limits.nodes);
        match Self::with_order(subject, next, Limits::trial(most, limits.cache.min(2 * most)), budget, news) {
            Ok(other) if other.reached.nodes() * 4 <= nodes * 3 => Ok(other),
            Ok(_) => Ok(self),
            Err(EncodingError::Stopped(Stopped(StopReason::Memory))) => {
                budget.check()?;
                Ok(self)
            }
            Err(why) => Err(why),
        }
    }

    /// What sifting makes of the diagrams; none if it saves less than a tenth of the nodes.
    fn better_order(
        &self,
        limits: Limits,
        budget: &Budget,
        news: &mut EncodingNews<'_>,
    ) -> Result<Option<VariableOrder>, EncodingError> {
        let groups = self.cells().groups();
        let blocks: Vec<Vec<Bit>> = groups.iter().map(|(_, bits)| bits.clone()).collect();
        let mut sets = self.relation().sets();
        sets.push(self.reached.clone());
        let Some(found) = sifted(&sets, &blocks, limits.nodes * VISITED_FOR_NODE, budget)? else { return Ok(None) };
        (news.phase)(format!("sifting: an order with {} nodes where {} were", found.after, found.before));
        let is_better = found.after * 10 <= found.before * 9;
        let order = found.blocks.iter().map(|&block| groups[block].0.clone()).collect();
        Ok(is_better.then_some(VariableOrder::Sifted(order)))
    }
}

#[cfg(test)]
mod tests {
    use tertium_load::program::from_text;

    use super::*;

    /// Twins that are declared far from each other and change together.
    fn twins(pairs: usize) -> String {
        let names = |letter: char| (0..pairs).map(|at| format!("{letter}{at}")).collect::<Vec<_>>().join(", ");
        let init: String = (0..pairs).map(|at| format!("init a{at} = b{at}\n")).collect();
        let toggles: String =
            (0..pairs).map(|at| format!("process P{at} {{ loop {{ a{at}, b{at} := !a{at}, !b{at}; }} }}\n")).collect();
        format!("system twins\nvar {} : bool\nvar {} : bool\n{init}{toggles}", names('a'), names('b'))
    }

    #[test]
    fn a_bad_order_is_mended_and_nothing_else_changes() {
        let pairs = 9;
        let file = from_text("twins.gcl", twins(pairs), &[], None).expect("no mistakes");
        let (budget, limits) = (Budget::unlimited(), Limits::new(1 << 17, 1 << 14));
        let subject = (&file.program, InstanceFacts::default());
        let mut orders = vec![VariableOrder::Declared];
        let (mut quiet, declared) = (|_| {}, VariableOrder::Declared);
        let news = &mut EncodingNews::phases(&mut quiet);
        let before = Encoding::with_order(subject, &declared, limits, &budget, news).expect("no limit is reached");
        let after = Encoding::reordered(subject, &mut orders, limits, &budget, news);
        let after = after.expect("no limit is reached").expect("there is a better order");
        let states = f64::from(1u32 << pairs);
        assert_eq!((before.figures().states, after.figures().states), (states, states));
        assert!(after.figures().reached_nodes * 10 < before.figures().reached_nodes, "{:?}", after.figures());
    }
}
