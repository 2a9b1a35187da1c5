//! The value of a formula at every state, as two sets.

use tertium_base::BitSet;
use tertium_lattice::Belnap;
use tertium_model::StateId;

/// Truth evidence and non-refutation of one formula, state by state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// States whose value carries evidence for true (the set `T`).
    pub for_true: BitSet,
    /// States whose value is not refuted (the set `P`).
    pub not_refuted: BitSet,
}

impl Values {
    /// The value at a state.
    #[must_use]
    pub fn at(&self, state: StateId) -> Belnap {
        Belnap::from_evidence(self.for_true.contains(state.index()), !self.not_refuted.contains(state.index()))
    }
}
