//! Which states and steps need not be looked at?
//!
//! - A location of a process is *private* if no other process reads or writes what its steps write, none writes what
//!   they read, and the question at hand sees none of it (`private`, `fixed`; channels: `exclusive`). Where a
//!   process at a private location can step, its steps alone are enough: every other order of the same steps leads
//!   to the same states. A search must see to it that no step is put off for ever; how depends on the order of the search.
//! - At most private locations a process need not even stop: the states there are not stored (`merge`).
//! - Values that are never read again are forgotten ([`dead`]).
//!
//! The first two are sound for deadlocks, faults, invariants and linear formulas without `X`, not for branching ones or for
//! fair schedulers; the third for everything.

pub mod dead;
mod exclusive;
mod fixed;
mod merge;
mod private;
pub mod promises;
mod touched;

use tertium_base::BitSet;
use tertium_program::{ExprId, Process, Semantics};

pub use self::dead::Dead;

/// What may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Orders of steps that do not disturb each other.
    pub orders: bool,
    /// States between private steps.
    pub merging: bool,
    /// Values that are never read again.
    pub dead: bool,
    /// Whether the program's promises about channels count; somebody must watch them.
    pub promises: bool,
}

impl Kinds {
    /// Everything that needs no watching.
    pub const ALL: Self = Self { orders: true, merging: true, dead: true, promises: false };
    /// What is sound for every logic and every scheduler.
    pub const VALUES: Self = Self { orders: false, merging: false, dead: true, promises: false };
    /// Nothing.
    pub const NONE: Self = Self { orders: false, merging: false, dead: false, promises: false };
}

/// What a search need not look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    private: Vec<BitSet>,
    merged: Vec<BitSet>,
    dead: Option<Dead>,
    /// The promises about channels that it relies on, by position in the program.
    relied_on: Vec<usize>,
}

impl Reduction {
    /// Everything that needs no watching and that a question which looks at these expressions allows.
    #[must_use]
    pub fn of(semantics: &Semantics<'_>, seen: &[ExprId]) -> Self {
        Self::with(semantics, seen, Kinds::ALL)
    }

    /// The same for some kinds only.
    #[must_use]
    pub fn with(semantics: &Semantics<'_>, seen: &[ExprId], kinds: Kinds) -> Self {
        let program = semantics.program();
        let none = || -> Vec<BitSet> {
            program.processes.iter().map(|process: &Process| BitSet::empty(process.locations.len())).collect()
        };
        let (private, relied_on) = match kinds.orders || kinds.merging {
            false => (none(), Vec::new()),
            true if semantics.layout().is_fixed() => {
                (fixed::private_locations(semantics, seen).unwrap_or_else(none), Vec::new())
            }
            true => match private::private_locations(program, seen, kinds.promises) {
                Some(private) => (private.locations, private.relied_on.into_iter().collect()),
                None => (none(), Vec::new()),
            },
        };
        let merged = if kinds.merging { merge::merged(program, &private) } else { none() };
        let dead = Some(Dead::of(semantics, seen)).filter(|dead| kinds.dead && !dead.is_empty());
        Self { private: if kinds.orders { private } else { none() }, merged, dead, relied_on }
    }

    /// Whether the steps of an instance of this process at this location are enough.
    #[inline]
    #[must_use]
    pub fn is_private(&self, process: usize, location: usize) -> bool {
        self.private[process].contains(location)
    }

    /// Whether states in which a process that has just arrived here can step are not stored.
    #[inline]
    #[must_use]
    pub fn is_merged(&self, process: usize, location: usize) -> bool {
        self.merged[process].contains(location)
    }

    /// What is never read again, by location.
    #[must_use]
    pub fn dead(&self) -> Option<&Dead> {
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
        self.private.iter().chain(&self.merged).map(BitSet::count).sum()
    }

    /// Whether it leaves out nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0 && self.dead.is_none()
    }
}
