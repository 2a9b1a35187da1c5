//! Which value does a property have?

use std::fmt;

use serde::{Serialize, Serializer};
use tertium_lattice::Belnap;

/// The value of a property, written as its word.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ValueView {
    /// `true`, `false`, `unknown` or `both`.
    Belnap(Belnap),
    /// An element of a lattice, by its name.
    Element(String),
}

impl ValueView {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self::Belnap(Belnap::Unknown);

    /// The word for it.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Belnap(value) => crate::build::value_word(*value),
            Self::Element(name) => name,
        }
    }

    /// Whether it is this value.
    #[must_use]
    pub fn is(&self, value: Belnap) -> bool {
        *self == Self::Belnap(value)
    }

    /// Whether it is true or false.
    #[must_use]
    pub fn is_definite(&self) -> bool {
        self.is(Belnap::True) || self.is(Belnap::False)
    }
}

impl From<Belnap> for ValueView {
    fn from(value: Belnap) -> Self {
        Self::Belnap(value)
    }
}

impl fmt::Display for ValueView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Serialize for ValueView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}
