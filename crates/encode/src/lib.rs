//! How does a finite program become bits, sets of states and a transition relation over decision diagrams?
//!
//! The program's state is a row of bits ([`cells`]); which bits stand where is the variable order. Its steps are executed once for
//! all states (`steps`, `offers`, `actions`, `expressions`, `numbers`) and become a relation that is partitioned by process, and an
//! [`Encoding`] has the set of states that it reaches. `never` claims with variables of their own become automata over sets
//! ([`claim`]).
//!
//! Channels and processes that come and go are fixed places first ([`subject`]), and numbers with few values are known by them
//! (`values`). Only programs with boundedly many of them and finite types are encoded; others are refused with the reason.
//!
//! Not here: what properties say, and whether they hold.

mod actions;
pub mod cells;
pub mod claim;
pub mod encoding;
mod expressions;
mod numbers;
mod offers;
mod steps;
pub mod subject;
mod values;

use tertium_base::Stopped;

pub use cells::range;
pub use encoding::{Encoding, Estimate, Figures, estimate};
pub use subject::Subject;

/// Why a program, or a question, has no sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSets {
    /// It has something that is not encoded, in words.
    Unfit(String),
    /// A limit was reached.
    Stopped(Stopped),
}

impl NoSets {
    pub(crate) fn unfit(reason: impl Into<String>) -> Self {
        Self::Unfit(reason.into())
    }
}

impl From<Stopped> for NoSets {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}
