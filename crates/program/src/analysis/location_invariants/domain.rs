//! Abstract domains (Cousot and Cousot 1977): what can be known of integer variables, and what do tests and assignments make of it?

use super::constraint::LinearConstraint;
use super::linear::LinearForm;
use crate::analysis::intervals::Interval;

/// A variable, given by its number, that gets a new value.
#[derive(Clone, Debug)]
pub struct Assigned {
    /// Which.
    pub dimension: usize,
    /// The value, over the variables before.
    pub value: LinearForm,
    /// Between which values it lies, by all that is known.
    pub range: Interval,
}

/// A set of values of numbered integer variables, described by constraints of some kind. Never empty.
///
/// Every operation may describe more values than it should, never fewer.
pub trait AbstractDomain: Clone + PartialEq {
    /// All values of so many variables.
    fn top(dimensions: usize) -> Self;
    /// Keeps those for which a constraint holds; says whether there may be any.
    #[must_use]
    fn assume(&mut self, constraint: &LinearConstraint<usize>) -> bool;
    /// All of these get their values at once.
    fn assign(&mut self, assigned: &[Assigned]);
    /// The values of either.
    fn join(&mut self, other: &Self);
    /// The values of either and more, so that no sequence of widenings grows for ever.
    fn widen(&mut self, next: &Self);
    /// Whether all values of another are values of this one.
    fn includes(&self, other: &Self) -> bool;
    /// What describes it.
    fn constraints(&self) -> Vec<LinearConstraint<usize>>;
}
