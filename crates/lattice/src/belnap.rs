//! Belnap's four values: evidence for truth and evidence for falsity, kept apart.

use crate::TruthValue;

/// A pair of bits: is there evidence for true, is there evidence for false?
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Belnap {
    /// Evidence for false only.
    False,
    /// No evidence.
    Unknown,
    /// Evidence for both: the sources contradict each other.
    Both,
    /// Evidence for true only.
    True,
}

impl Belnap {
    /// The value with this evidence.
    #[must_use]
    pub const fn from_evidence(for_true: bool, for_false: bool) -> Self {
        match (for_true, for_false) {
            (false, true) => Self::False,
            (false, false) => Self::Unknown,
            (true, true) => Self::Both,
            (true, false) => Self::True,
        }
    }

    /// Whether there is evidence for true (the set `T` of the engines).
    #[must_use]
    pub const fn for_true(self) -> bool {
        matches!(self, Self::True | Self::Both)
    }

    /// Whether there is evidence for false.
    #[must_use]
    pub const fn for_false(self) -> bool {
        matches!(self, Self::False | Self::Both)
    }

    /// Whether the value is not refuted (the set `P` of the engines).
    #[must_use]
    pub const fn not_refuted(self) -> bool {
        !self.for_false()
    }

    /// True or false.
    #[must_use]
    pub const fn is_definite(self) -> bool {
        matches!(self, Self::True | Self::False)
    }

    /// Consensus: what both sources say (meet of the information order).
    #[must_use]
    pub const fn consensus(self, other: Self) -> Self {
        Self::from_evidence(self.for_true() && other.for_true(), self.for_false() && other.for_false())
    }

    /// Accumulation: what at least one source says (join of the information order).
    #[must_use]
    pub const fn accumulate(self, other: Self) -> Self {
        Self::from_evidence(self.for_true() || other.for_true(), self.for_false() || other.for_false())
    }

    /// The letter used in files: `t`, `u`, `f` or `b`.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::False => "f",
            Self::Unknown => "u",
            Self::Both => "b",
            Self::True => "t",
        }
    }

    /// The word used in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::False => "false",
            Self::Unknown => "unknown",
            Self::Both => "both",
            Self::True => "true",
        }
    }
}

impl TruthValue for Belnap {
    const ALL: &'static [Self] = &[Self::False, Self::Unknown, Self::Both, Self::True];
    const FALSE: Self = Self::False;
    const TRUE: Self = Self::True;

    fn not(self) -> Self {
        Self::from_evidence(self.for_false(), self.for_true())
    }

    fn and(self, other: Self) -> Self {
        Self::from_evidence(self.for_true() && other.for_true(), self.for_false() || other.for_false())
    }

    fn info_le(self, other: Self) -> bool {
        self.accumulate(other) == other
    }
}

impl From<bool> for Belnap {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl std::fmt::Display for Belnap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}
