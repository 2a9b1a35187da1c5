//! What can players enforce together?
//!
//! The coalitions of ATL and ATL* (Alur, Henzinger and Kupferman 2002): `<<P, Q>>` says that P and Q have strategies such that every path on which they follow them is as said; `[[P, Q]]` is its dual: they cannot avoid
//! that a path is as said. `<<>>` is "on all paths", `<<all>>` "on some path".
//!
//! Not here: how coalitions become fixpoints (`coalition_form`).

use tertium_base::{Diagnostic, id_type};

use crate::syntax::token::name_length;

id_type! {
    /// A coalition of one formula.
    pub struct CoalitionId;
}

/// Who is meant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Players {
    /// Everybody.
    All,
    /// These, by name, in alphabetical order; nobody if there are none.
    Named(Vec<String>),
}

/// Some players, and whether they can enforce something or cannot avoid it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Coalition {
    /// Who.
    pub players: Players,
    /// `[[…]]`: they cannot avoid it.
    pub cannot_avoid: bool,
}

impl Coalition {
    /// The coalition of these players.
    #[must_use]
    pub fn new(mut names: Vec<String>, cannot_avoid: bool) -> Self {
        names.sort_unstable();
        names.dedup();
        Self { players: Players::Named(names), cannot_avoid }
    }

    /// Everybody.
    #[must_use]
    pub const fn all(cannot_avoid: bool) -> Self {
        Self { players: Players::All, cannot_avoid }
    }

    /// The coalition of the negated formula.
    #[must_use]
    pub fn dual(&self) -> Self {
        Self { players: self.players.clone(), cannot_avoid: !self.cannot_avoid }
    }

    /// Whether a player belongs to it.
    #[must_use]
    pub fn contains(&self, player: &str) -> bool {
        match &self.players {
            Players::All => true,
            Players::Named(names) => names.iter().any(|name| name == player),
        }
    }

    /// The names that it gives.
    #[must_use]
    pub fn names(&self) -> &[String] {
        match &self.players {
            Players::All => &[],
            Players::Named(names) => names,
        }
    }

    /// As it is written in a formula.
    #[must_use]
    pub fn text(&self) -> String {
        let inside = self.players.text();
        if self.cannot_avoid { format!("[[{inside}]]") } else { format!("<<{inside}>>") }
    }
}

impl Players {
    /// The names with commas between them.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Named(names) => names.iter().map(|name| player_text(name)).collect::<Vec<_>>().join(", "),
        }
    }
}

/// A player's name as it can be read back.
fn player_text(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name_length(name) == name.len();
    if plain && name != "all" { name.to_owned() } else { format!("\"{name}\"") }
}

/// The message for a player that a model does not have.
pub fn unknown_player(name: &str) -> Diagnostic {
    Diagnostic::error("E0136", format!("the model has no player named `{name}`"))
}
