//! What can be said about a finite program without visiting its states one by one?
//!
//! The program's state is a row of bits (`cells`), its steps are executed once for all states (`steps`, `offers`, `actions`,
//! `expressions`, `numbers`), and what can be reached is a fixpoint of sets. Properties are decided by the engine over sets
//! (`decide`), `never` claims and labels with what watches them (`watch`, `pages`); whatever is false comes with a run (`follow`) that is repeated by the definition of a step (`evidence`).
//!
//! Channels and processes that come and go are fixed places first (`subject`), and numbers with few values are known by them (`values`). Only programs with boundedly many of them and
//! finite types are encoded; others are refused with the reason.

mod actions;
mod cells;
mod choice;
mod decide;
mod encoding;
mod evidence;
mod expressions;
mod follow;
mod inductive;
mod numbers;
mod offers;
mod pages;
mod steps;
mod subject;
mod told;
mod values;
mod watch;

use tertium_base::Stopped;

pub(crate) use cells::range as bounds_of;
pub use choice::{after_spotlight, instead_of_search};
pub use decide::check;
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
