//! State-space reduction: which states and steps need not be looked at?
//!
//! - Partial-order reduction with ample sets (Peled 1993), found statically as safe statements (Holzmann, Peled 1994). The steps of a process at
//!   a location are an ample set if they are independent of all others and invisible: no other process reads or writes
//!   what they write, none writes what they read, and the question at hand sees none of it (`ample_by_slot`,
//!   `ample_by_variable`; channels: `exclusive_channels`). Such a location is called private. Where a process at one can step, its
//!   steps alone are enough: every other order of the same steps leads to the same states. A search must see to it that no
//!   step is put off for ever (the cycle proviso); how depends on the order of the search.
//! - Statement merging (Holzmann 1999): at most private locations a process need not even stop, and the states there are not
//!   stored (`statement_merging`).
//! - Dead variables: values that are never read again are reset ([`dead_variables`]).
//!
//! The first two are sound for deadlocks, faults, invariants and linear formulas without `X`, not for branching ones or for
//! fair schedulers; the third for everything.

mod ample_by_slot;
mod ample_by_variable;
pub mod dead_variables;
mod exclusive_channels;
pub mod promises;
mod statement_merging;
mod step_accesses;

use tertium_base::BitSet;
use tertium_program::{ExprId, Process, Semantics};

pub use self::dead_variables::DeadVariables;

/// The kinds of reduction that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionKinds {
    /// Partial-order reduction: orders of independent steps.
    pub partial_order: bool,
    /// Statement merging: states between private steps.
    pub statement_merging: bool,
    /// Dead variables: values that are never read again.
    pub dead_variables: bool,
    /// Whether the program's promises about channels count; somebody must watch them.
    pub promises: bool,
}

impl ReductionKinds {
    /// Everything that needs no watching.
    pub const ALL: Self = Self { partial_order: true, statement_merging: true, dead_variables: true, promises: false };
    /// What is sound for every logic and every scheduler.
    pub const VALUES: Self =
        Self { partial_order: false, statement_merging: false, dead_variables: true, promises: false };
    /// Nothing.
    pub const NONE: Self =
        Self { partial_order: false, statement_merging: false, dead_variables: false, promises: false };
}

/// What a search need not look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSpaceReduction {
    ample: Vec<BitSet>,
    merged: Vec<BitSet>,
    dead: Option<DeadVariables>,
    /// The promises about channels that it relies on, by position in the program.
    relied_on: Vec<usize>,
}

impl StateSpaceReduction {
    /// Everything that needs no watching and that a question which looks at these expressions allows.
    #[must_use]
    pub fn of(semantics: &Semantics<'_>, seen: &[ExprId]) -> Self {
        Self::with(semantics, seen, ReductionKinds::ALL)
    }

    /// The same for some kinds only.
    #[must_use]
    pub fn with(semantics: &Semantics<'_>, seen: &[ExprId], kinds: ReductionKinds) -> Self {
        let program = semantics.program();
        let none = || -> Vec<BitSet> {
            program.processes.iter().map(|process: &Process| BitSet::empty(process.locations.len())).collect()
        };
        let (private, relied_on) = match kinds.partial_order || kinds.statement_merging {
            false => (none(), Vec::new()),
            true if semantics.layout().is_fixed() => {
                (ample_by_slot::ample_locations(semantics, seen).unwrap_or_else(none), Vec::new())
            }
            true => match ample_by_variable::ample_locations(program, seen, kinds.promises) {
                Some(private) => (private.locations, private.relied_on.into_iter().collect()),
                None => (none(), Vec::new()),
            },
        };
        let merged = if kinds.statement_merging { statement_merging::merged(program, &private) } else { none() };
        let dead = Some(DeadVariables::of(semantics, seen)).filter(|dead| kinds.dead_variables && !dead.is_empty());
        Self { ample: if kinds.partial_order { private } else { none() }, merged, dead, relied_on }
    }

    /// Whether the steps of an instance of this process at this location are an ample set.
    #[inline]
    #[must_use]
    pub fn is_ample(&self, process: usize, location: usize) -> bool {
        self.ample[process].contains(location)
    }

    /// Whether states in which a process that has just arrived here can step are not stored.
    #[inline]
    #[must_use]
    pub fn is_merged(&self, process: usize, location: usize) -> bool {
        self.merged[process].contains(location)
    }

    /// What is never read again, by location.
    #[must_use]
    pub fn dead(&self) -> Option<&DeadVariables> {
        self.dead.as_ref()
    }

    /// The promises about channels that it relies on, by position in the program.
    #[must_use]
    pub fn relied_on(&self) -> &[usize] {
        &self.relied_on
    }

    /// How many locations are private or merged.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ample.iter().chain(&self.merged).map(BitSet::count).sum()
    }

    /// The kinds of reduction that leave out something here.
    #[must_use]
    pub fn effective(&self) -> ReductionKinds {
        ReductionKinds {
            partial_order: self.ample.iter().any(|steps| !steps.is_empty()),
            statement_merging: self.merged.iter().any(|steps| !steps.is_empty()),
            dead_variables: self.dead.is_some(),
            promises: !self.relied_on.is_empty(),
        }
    }

    /// Whether it leaves out nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0 && self.dead.is_none()
    }
}
