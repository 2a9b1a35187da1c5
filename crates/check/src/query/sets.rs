//! Upward closed sets of propositional formulas: the lattice in which queries have values.

use tertium_base::{Budget, StopReason, Stopped};
use tertium_logic::query::RowSet;

/// More least members than this are too many to go on with.
const MOST_MEMBERS: usize = 20_000;

/// A set of formulas that has, with each formula, every weaker one; by its strongest members, none of which is weaker than another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Upset(Vec<RowSet>);

impl Upset {
    /// No formula at all: false.
    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Every formula: true.
    pub(super) fn all() -> Self {
        Self(vec![RowSet::NONE])
    }

    /// All formulas, or none.
    pub(super) fn constant(value: bool) -> Self {
        if value { Self::all() } else { Self::none() }
    }

    /// What is weaker than one of these.
    pub(super) fn above(members: impl IntoIterator<Item = RowSet>) -> Self {
        let mut set = Self::none();
        members.into_iter().for_each(|member| set.add(member));
        set.0.sort_unstable();
        set
    }

    fn add(&mut self, member: RowSet) {
        if !self.0.iter().any(|known| known.is_subset(member)) {
            self.0.retain(|known| !member.is_subset(*known));
            self.0.push(member);
        }
    }

    /// The strongest members.
    pub(super) fn strongest(&self) -> &[RowSet] {
        &self.0
    }

    /// Disjunction.
    pub(super) fn union(&self, other: &Self) -> Self {
        if self == other { self.clone() } else { Self::above(self.0.iter().chain(&other.0).copied()) }
    }

    /// Conjunction: a formula is in both if it is weaker than a member of each.
    pub(super) fn intersection(&self, other: &Self, budget: &Budget, ticks: &mut u32) -> Result<Self, Stopped> {
        if self == other || *other == Self::all() {
            return Ok(self.clone());
        }
        let mut both = Self::none();
        for &a in &self.0 {
            for &b in &other.0 {
                budget.tick(ticks)?;
                both.add(a.union(b));
            }
            if both.0.len() > MOST_MEMBERS {
                return Err(Stopped(StopReason::Count));
            }
        }
        both.0.sort_unstable();
        Ok(both)
    }
}
