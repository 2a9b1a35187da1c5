//! Kleene's strong three values.

use crate::{Belnap, TruthValue};

/// True, false, or not known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kleene {
    /// Definitely false.
    False,
    /// Open.
    Unknown,
    /// Definitely true.
    True,
}

impl TruthValue for Kleene {
    const ALL: &'static [Self] = &[Self::False, Self::Unknown, Self::True];
    const FALSE: Self = Self::False;
    const TRUE: Self = Self::True;

    fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }

    fn and(self, other: Self) -> Self {
        self.min(other)
    }

    fn or(self, other: Self) -> Self {
        self.max(other)
    }

    fn info_le(self, other: Self) -> bool {
        self == Self::Unknown || self == other
    }
}

impl From<bool> for Kleene {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl From<Kleene> for Belnap {
    fn from(value: Kleene) -> Self {
        match value {
            Kleene::False => Self::False,
            Kleene::Unknown => Self::Unknown,
            Kleene::True => Self::True,
        }
    }
}

impl std::fmt::Display for Kleene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Belnap::from(*self).fmt(f)
    }
}
