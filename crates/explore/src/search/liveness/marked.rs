//! What a search for accepted runs asks of the states that it searches.

use tertium_base::{Budget, Stopped};

use super::marks::Marks;

/// A step between states that carry marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub target: u32,
    /// The monitor's marks, then one per fairness constraint.
    pub marks: Marks,
    /// Who steps; [`NOBODY`] for stuttering, or where it does not matter.
    pub mover: u32,
}

pub(super) const NOBODY: u32 = u32::MAX;

/// States by their numbers, and the steps between them, with their marks.
pub(super) trait Marked {
    /// Why there is no answer.
    type Failure: From<Stopped>;

    /// The marks that a run must collect infinitely often.
    fn all_marks(&self) -> Marks;

    fn budget(&self) -> &Budget;

    /// How many states have numbers, and how many bytes they take.
    fn size(&self) -> (usize, usize);

    /// The steps from a state.
    fn edges(&mut self, number: u32, out: &mut Vec<Edge>) -> Result<(), Self::Failure>;

    /// Some of the steps, if they are enough; `order` is zero for states that were not met yet.
    fn enough_edges(&mut self, _: u32, _: &[u32], _: &mut Vec<Edge>) -> Result<bool, Self::Failure> {
        Ok(false)
    }

    /// The part of a component, which carries all marks, that a run can stay in without starving anybody.
    fn strongly_fair(&mut self, component: Vec<u32>) -> Result<Option<Vec<u32>>, Self::Failure> {
        Ok(Some(component))
    }

    /// Who must step on a cycle through a component, besides what marks say.
    fn movers_inside(&mut self, _: &[u32]) -> Result<Vec<u32>, Self::Failure> {
        Ok(Vec::new())
    }
}
