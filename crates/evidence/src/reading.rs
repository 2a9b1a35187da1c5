//! Under which semantics is a formula read? Part of every answer and every certificate.

/// What a state without successors means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Deadlock {
    /// `AX` is vacuously true and `EX` false; linear formulas speak of infinite paths only.
    #[default]
    Mu,
    /// A deadlock ends a finite maximal path; linear formulas stutter there. Under fairness
    /// constraints such a path is not fair: it takes no step again and again.
    Maximal,
    /// The concrete system has none: the possible successors together are certain.
    Total,
    /// A reachable state without possible successors is an error in the model.
    Forbid,
}

impl Deadlock {
    /// Every convention.
    pub const ALL: [Self; 4] = [Self::Mu, Self::Maximal, Self::Total, Self::Forbid];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mu => "mu",
            Self::Maximal => "maximal",
            Self::Total => "total",
            Self::Forbid => "forbid",
        }
    }
}

/// How open steps weaken a linear formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LinearReading {
    /// Guarded: true on all possible paths, false on a certain path.
    Bg,
    /// Guarded, and the concrete system is total: also false by a certain prefix or by all possible paths.
    BgTotal,
    /// Guarded, and false also by a strategy over hyper-must edges.
    Hyper,
    /// Edge values multiplied into the operators, literally; its `false` is unsound.
    Tg,
    /// Edge values multiplied into the negation's positive normal form.
    TgPnf,
}

impl LinearReading {
    /// Every reading.
    pub const ALL: [Self; 5] = [Self::Bg, Self::BgTotal, Self::Hyper, Self::Tg, Self::TgPnf];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bg => "bg",
            Self::BgTotal => "bg-total",
            Self::Hyper => "hyper",
            Self::Tg => "tg",
            Self::TgPnf => "tg-pnf",
        }
    }
}

/// The semantics of one answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reading {
    /// What deadlocks mean.
    pub deadlock: Deadlock,
    /// How linear formulas are read; without effect on branching ones.
    pub linear: LinearReading,
}

impl Default for Reading {
    fn default() -> Self {
        Self { deadlock: Deadlock::Mu, linear: LinearReading::Hyper }
    }
}
