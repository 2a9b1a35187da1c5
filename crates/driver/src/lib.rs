//! How do the parts work together to answer a user's question?
//!
//! The only place where stages meet: load a model ([`input`]), gather and bind properties
//! ([`property`]), choose an engine ([`engines`]), evaluate, explain and re-check ([`check`]), and the
//! smaller questions of [`compare`], [`formula`] and [`export`]. [`editor`] helps with texts that are being written. For people who
//! read a run, [`unfold`] values a formula along it, and [`picture`] tells what is to be seen in a structure.
//!
//! Not here: arguments, printing, exit codes. Results are values; long work watches a budget and
//! tells an [`Observer`] what it is doing.

pub mod answer;
pub mod bind;
pub mod check;
pub mod compare;
pub mod editor;
pub mod engines;
pub mod export;
mod family;
pub mod formula;
mod lattice;
pub mod paths;
pub mod picture;
pub mod precision;
pub mod program;
pub mod prove;
mod thorough;
pub mod vacuity;

pub use tertium_evidence::{Deadlock, LinearReading, Reading, Reason};
pub use tertium_lattice::Belnap;
pub use tertium_load::structure as input;
pub use tertium_load::{Failure, Located, failure, property};
pub use tertium_logic::{Formula, Logic};
pub use tertium_model::Kmts;
pub use tertium_trace::unfold;

/// Ends the solvers that run as processes of their own: for whoever ends this process without returning from what it does.
pub fn end_solvers() {
    tertium_smt::process::end_all();
}

/// Someone who wants to know what a run is doing.
pub trait Observer {
    /// The run begins this phase, told as "checking safe".
    fn phase(&self, what: &str);

    /// As [`Self::phase`], for a search that says no more until it ends: the budget counts its work.
    fn search(&self, what: &str) {
        self.phase(what);
    }

    /// How far the phase has come.
    fn counts(&self, _: Counts) {}

    /// The question with this name has this value, and nothing that comes will change it.
    fn answered(&self, _name: &str, _value: Belnap) {}
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// States that were found.
    pub states: usize,
    /// States a second.
    pub rate: u64,
    /// States that wait to be looked at.
    pub waiting: usize,
    /// Steps from the start.
    pub depth: usize,
}

/// One that is told of phases, but of no answers: what is asked is not what the user asked.
pub(crate) struct Aside<'o>(pub &'o dyn Observer);

impl Observer for Aside<'_> {
    fn phase(&self, what: &str) {
        self.0.phase(what);
    }

    fn search(&self, what: &str) {
        self.0.search(what);
    }

    fn counts(&self, counts: Counts) {
        self.0.counts(counts);
    }
}

/// Nobody wants to know.
impl Observer for () {
    fn phase(&self, _: &str) {}
}
