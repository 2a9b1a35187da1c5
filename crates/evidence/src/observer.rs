//! Who is told what a run is doing, while it does it?

use tertium_lattice::Belnap;

/// Someone who wants to know what a run is doing.
pub trait Observer: Sync {
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
pub struct Aside<'o>(pub &'o dyn Observer);

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
