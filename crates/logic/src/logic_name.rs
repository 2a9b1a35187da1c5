//! Which logics are there, and what are they called?

/// The logic a formula is written in. It decides how `[]` and `<>` read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Logic {
    /// Propositional modal logic: `EX`, `AX`, `<a>`, `[a]`.
    Pml,
    /// Computation tree logic.
    Ctl,
    /// Full branching time logic.
    CtlStar,
    /// Linear time: the value over all paths.
    Ltl,
    /// Modal mu-calculus.
    Mu,
    /// Alternating-time temporal logic.
    Atl,
    /// Alternating-time temporal logic over any path formula.
    AtlStar,
}

impl Logic {
    /// Every logic, least expressive first among the branching ones.
    pub const ALL: [Self; 7] = [Self::Pml, Self::Ctl, Self::Ltl, Self::CtlStar, Self::Mu, Self::Atl, Self::AtlStar];

    /// Those whose formulas speak of no players.
    pub const WITHOUT_PLAYERS: [Self; 5] = [Self::Pml, Self::Ctl, Self::Ltl, Self::CtlStar, Self::Mu];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pml => "pml",
            Self::Ctl => "ctl",
            Self::CtlStar => "ctl*",
            Self::Ltl => "ltl",
            Self::Mu => "mu",
            Self::Atl => "atl",
            Self::AtlStar => "atl*",
        }
    }

    /// Whether formulas speak of coalitions of players.
    #[must_use]
    pub const fn is_strategic(self) -> bool {
        matches!(self, Self::Atl | Self::AtlStar)
    }

    /// The logic with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|logic| logic.name().eq_ignore_ascii_case(name))
    }
}
