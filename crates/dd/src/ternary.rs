//! Ternary decision diagrams (Sasao 1997): one of three values per row, in one diagram.
//!
//! A function from rows to true, unknown and false, with the connectives of Kleene. The library's diagrams branch three
//! ways, for a bit that may itself be unknown; rows of states have no such bits, so the middle branch is never taken here. It
//! is what sets of rows in pairs are compared with: one product instead of two, on diagrams that share nothing
//! between the values.

#![allow(clippy::mutable_key_type, reason = "a diagram is its node's number; what can change is the store behind it")]

use std::collections::HashMap;
use std::sync::Arc;

use oxidd::tdd::{TDDFunction, TDDManagerRef};
use oxidd::util::AllocResult;
use oxidd::{Function, HasLevel, Manager, ManagerRef, Node, TVLFunction};
use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Budget, StopReason, Stopped, panics};

use crate::stack::worker_fits;
use crate::store::{Bit, Limits, MOST_BITS};

/// A store of ternary diagrams. Cloning shares it.
#[derive(Clone)]
pub struct TernaryStore {
    manager: TDDManagerRef,
    budget: Budget,
    bits: Arc<[Ternary]>,
    unknown: Ternary,
}

impl std::fmt::Debug for TernaryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "store of {} bits", self.bits.len())
    }
}

/// A function from rows to three values.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Ternary(TDDFunction);

impl std::fmt::Debug for Ternary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "function of {} nodes", self.0.node_count())
    }
}

/// Steps with three values: certain, possible, none. Bit `2 k` stands for now, `2 k + 1` for later.
#[derive(Clone, Debug)]
pub struct TernaryRelation {
    /// Over both kinds of bits.
    pub steps: Ternary,
}

fn within(result: AllocResult<TDDFunction>) -> Result<Ternary, Stopped> {
    result.map(Ternary).map_err(|_| Stopped(StopReason::Memory))
}

impl TernaryStore {
    /// A store for rows of this many bits.
    ///
    /// # Errors
    /// `Stopped` if it would not fit the budget, or there are too many bits.
    pub fn new(bits: usize, limits: Limits, budget: &Budget) -> Result<Self, Stopped> {
        if bits > MOST_BITS {
            return Err(Stopped(StopReason::Count));
        }
        budget.check()?;
        worker_fits()?;
        let nodes = limits.nodes.max(4 * bits + 64);
        // The library starts a thread, and panics where the address space has no room for its stack.
        let manager = panics::quietly(|| oxidd::tdd::new_manager(nodes, limits.cache.max(1), 1))
            .ok_or(Stopped(StopReason::Memory))?;
        manager.with_manager_exclusive(|manager| {
            // One bit at least, to get the value unknown from.
            manager.add_vars(to_u32(bits.max(1)));
        });
        // The library's own constant for unknown is true by mistake; the middle branch of a bit is what it should be.
        let first = within(manager.with_manager_shared(|manager| TDDFunction::var(manager, 0)))?;
        let Some(unknown) = first.0.cofactor_unknown() else { return Err(Stopped(StopReason::Memory)) };
        let bits: Result<Arc<[Ternary]>, Stopped> = (0..to_u32(bits))
            .map(|bit| within(manager.with_manager_shared(|manager| TDDFunction::var(manager, bit))))
            .collect();
        Ok(Self { bits: bits?, unknown: Ternary(unknown), manager, budget: budget.clone() })
    }

    /// The same value in every row; none stands for unknown.
    #[must_use]
    pub fn constant(&self, value: Option<bool>) -> Ternary {
        match value {
            Some(true) => Ternary(self.manager.with_manager_shared(|manager| TDDFunction::t(manager))),
            Some(false) => Ternary(self.manager.with_manager_shared(|manager| TDDFunction::f(manager))),
            None => self.unknown.clone(),
        }
    }

    /// `yes` in rows with this bit, `no` in the others.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn branch(&self, bit: Bit, yes: &Ternary, no: &Ternary) -> Result<Ternary, Stopped> {
        if yes == no {
            return Ok(yes.clone());
        }
        within(self.bits[bit.index()].0.ite(&yes.0, &no.0))
    }

    /// How many nodes there are now.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.num_inner_nodes())
    }

    /// `EX`: the truest value that some step leads to, never truer than the step.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn exists_next(&self, relation: &TernaryRelation, value: &Ternary) -> Result<Ternary, Stopped> {
        self.budget.check()?;
        let mut later = HashMap::new();
        let value = self.shifted(value, &mut later)?;
        let quantified = BitSet::from_fn(self.bits.len(), |bit| bit % 2 == 1);
        self.product(&relation.steps, &value, &quantified, &mut HashMap::new())
    }

    /// The same function of the bits for later.
    fn shifted(&self, value: &Ternary, known: &mut HashMap<Ternary, Ternary>) -> Result<Ternary, Stopped> {
        let Some(level) = value.level() else { return Ok(value.clone()) };
        if let Some(found) = known.get(value) {
            return Ok(found.clone());
        }
        let (yes, no) = value.at(level);
        let (yes, no) = (self.shifted(&yes, known)?, self.shifted(&no, known)?);
        let result = self.branch(Bit::new(level + 1), &yes, &no)?;
        known.insert(value.clone(), result.clone());
        Ok(result)
    }

    fn product(
        &self,
        a: &Ternary,
        b: &Ternary,
        quantified: &BitSet,
        known: &mut HashMap<(Ternary, Ternary), Ternary>,
    ) -> Result<Ternary, Stopped> {
        let Some(level) = [a.level(), b.level()].into_iter().flatten().min() else { return a.and(b) };
        let key = (a.clone(), b.clone());
        if let Some(found) = known.get(&key) {
            return Ok(found.clone());
        }
        let ((a_yes, a_no), (b_yes, b_no)) = (a.at(level), b.at(level));
        let yes = self.product(&a_yes, &b_yes, quantified, known)?;
        let no = self.product(&a_no, &b_no, quantified, known)?;
        let result = if quantified.contains(level) { yes.or(&no)? } else { self.branch(Bit::new(level), &yes, &no)? };
        known.insert(key, result.clone());
        Ok(result)
    }
}

impl Ternary {
    /// Meet of the truth order.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn and(&self, other: &Self) -> Result<Self, Stopped> {
        within(self.0.and(&other.0))
    }

    /// Join of the truth order.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn or(&self, other: &Self) -> Result<Self, Stopped> {
        within(self.0.or(&other.0))
    }

    /// True and false exchanged.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn not(&self) -> Result<Self, Stopped> {
        within(self.0.not())
    }

    /// The value in the row with these set bits; none is unknown.
    #[must_use]
    pub fn value(&self, bits: usize, set: impl Fn(Bit) -> bool) -> Option<bool> {
        self.0.eval((0..bits).map(|bit| (to_u32(bit), Some(set(Bit::new(bit))))))
    }

    fn level(&self) -> Option<usize> {
        self.0.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            Node::Inner(node) => Some(node.level() as usize),
            Node::Terminal(_) => None,
        })
    }

    /// The functions of the rows with and without the bit of this level.
    fn at(&self, level: usize) -> (Self, Self) {
        if self.level() != Some(level) {
            return (self.clone(), self.clone());
        }
        match self.0.cofactors() {
            Some((yes, _, no)) => (Self(yes), Self(no)),
            None => (self.clone(), self.clone()),
        }
    }
}
