//! In which order are states visited, and what is noted on the way?
//!
//! [`breadth`] visits level by level with any number of threads; its answers, shortest runs included, do not
//! depend on how many. [`depth`] follows one run after the other. [`run`] finds the way back to what was noted. [`liveness`] looks for infinite runs.
//! [`compaction`] visits what it can with bitstate hashing or hash compaction. [`checkpoint`] writes searches down and goes on with them, [`checkpoint_folder`] those of one run.
//! What several threads do together that visit the same states is in [`worker`] and [`pool`], for whoever leads them; states that are kept elsewhere leave by an [`outlet`].

mod arrivals;
pub mod breadth;
pub mod checkpoint;
pub mod checkpoint_folder;
pub mod compaction;
pub mod depth;
pub mod disk;
pub mod liveness;
pub mod outlet;
pub mod pool;
mod random_walks;
pub mod run;
pub mod worker;

use std::collections::BTreeMap;

use tertium_base::Stopped;
use tertium_program::Fault;

/// Something worth telling that a search met.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Finding {
    /// A step goes wrong.
    Fault(Fault),
    /// No process can step although not all are at their ends.
    Deadlock,
    /// A state breaks the condition with this number.
    Broken(usize),
}

/// Where something was met first: fewest steps from an initial state, then the smallest row.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FindingPlace {
    /// How many steps from an initial state.
    pub depth: usize,
    /// The state; for a fault, the one the step leaves.
    pub row: Vec<u32>,
}

/// What a search has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Different states.
    pub states: usize,
    /// Steps between them, counting every way.
    pub transitions: usize,
    /// The largest number of steps that a shortest way to a state needs.
    pub depth: usize,
    /// How many states are deadlocks.
    pub deadlocks: usize,
    /// How many steps go wrong.
    pub faults: usize,
    /// Each kind of finding where it was met first.
    pub findings: BTreeMap<Finding, FindingPlace>,
    /// Why the search ended before every state was visited.
    pub stopped: Option<Stopped>,
}

impl Summary {
    /// Whether every state was visited.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.stopped.is_none()
    }

    /// Whether every state was visited and every step could be computed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let open = |finding: &Finding| matches!(finding, Finding::Fault(fault) if !fault.kind.is_error());
        self.complete() && !self.findings.keys().any(open)
    }

    /// Notes a finding; of several places the least stays, whoever comes first.
    pub fn note(&mut self, finding: Finding, depth: usize, row: &[u32]) {
        let known = self.findings.get(&finding);
        if known.is_none_or(|place| (depth, row) < (place.depth, place.row.as_slice())) {
            self.findings.insert(finding, FindingPlace { depth, row: row.to_vec() });
        }
    }

    /// Adds what another thread has seen of the same search.
    pub fn absorb(&mut self, other: Self) {
        self.transitions += other.transitions;
        self.deadlocks += other.deadlocks;
        self.faults += other.faults;
        for (finding, place) in other.findings {
            self.note(finding, place.depth, &place.row);
        }
    }
}

/// Looks at every state once.
pub trait Observer: Sync {
    /// What one thread needs for its own.
    type Scratch: Send;

    /// Whether it looks at states at all.
    const LOOKS: bool = true;

    /// Room for one thread.
    fn scratch(&self) -> Self::Scratch;

    /// Tells `broken` the numbers of the conditions that the state breaks.
    fn look(&self, row: &[u32], scratch: &mut Self::Scratch, broken: &mut dyn FnMut(usize));

    /// What the observer has noticed besides, in words of its own: for observers of the same search on other machines.
    fn remarks(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Takes in what another observer of the same search has noticed.
    fn absorb(&self, _remarks: &[u64]) {}

    /// Whether what was found says all that the observer wants to know; asked after each level, it ends the search.
    fn is_enough(&self, _summary: &Summary) -> bool {
        false
    }
}

/// An observer that sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Observer for Blind {
    type Scratch = ();
    const LOOKS: bool = false;

    fn scratch(&self) {}

    fn look(&self, _: &[u32], (): &mut (), _: &mut dyn FnMut(usize)) {}
}

/// How a search is going.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// States seen so far.
    pub states: usize,
    /// States seen but not yet expanded.
    pub queue: usize,
    /// The level being expanded.
    pub depth: usize,
    /// Bytes in the state store.
    pub bytes: usize,
}
