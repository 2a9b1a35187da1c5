//! What every fixed truth domain offers.

use std::fmt::{Debug, Display};
use std::hash::Hash;

/// A finite set of truth values under its two orders.
///
/// `and` and `or` are meet and join of the *truth* order (false lowest, true highest);
/// `info_le` is the *information* order (unknown lowest). Every type must pass [`crate::laws`].
pub trait TruthValue: Copy + Eq + Hash + Debug + Display + 'static {
    /// Every value exactly once.
    const ALL: &'static [Self];
    /// Bottom of the truth order.
    const FALSE: Self;
    /// Top of the truth order.
    const TRUE: Self;
    /// Negation: turns the truth order round and keeps the information order.
    #[must_use]
    fn not(self) -> Self;
    /// Meet in the truth order.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Whether `other` carries at least the information of `self`.
    fn info_le(self, other: Self) -> bool;
    /// Join in the truth order.
    #[must_use]
    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
    /// Whether `other` is at least as true as `self`.
    fn truth_le(self, other: Self) -> bool {
        self.and(other) == self
    }
}

impl TruthValue for bool {
    const ALL: &'static [Self] = &[false, true];
    const FALSE: Self = false;
    const TRUE: Self = true;

    fn not(self) -> Self {
        !self
    }

    fn and(self, other: Self) -> Self {
        self && other
    }

    fn info_le(self, other: Self) -> bool {
        self == other
    }
}
