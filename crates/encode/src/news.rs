//! What is whoever waits for an encoding told on the way?

use tertium_dd::Gauge;

use crate::kept_sets::ReachedSets;
use crate::{Encoding, EncodingError};

/// Who is told of the states within some depth, if the set of all states is not found at once.
pub type NearStates<'n, 'p> = dyn FnMut(&Encoding<'p>, usize) -> Result<(), EncodingError> + 'n;

/// What whoever waits for an encoding is told on the way.
pub struct EncodingNews<'n> {
    /// What is being done.
    pub phase: &'n mut dyn FnMut(String),
    /// How far operations on sets have come.
    pub gauge: Gauge,
    /// Who keeps what was reached.
    pub sets: Option<&'n dyn ReachedSets>,
}

impl<'n> EncodingNews<'n> {
    pub(crate) fn phases(phase: &'n mut dyn FnMut(String)) -> Self {
        Self { phase, gauge: Gauge::default(), sets: None }
    }
}

impl std::fmt::Debug for EncodingNews<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "news, {:?}", self.gauge)
    }
}
