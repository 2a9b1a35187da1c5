//! What are logics, semantics, engines and stores called on the command line?

use clap::ValueEnum;
use clap::builder::PossibleValue;

/// A logic's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogicName(pub tertium_driver::Logic);

impl ValueEnum for LogicName {
    fn value_variants<'a>() -> &'a [Self] {
        use tertium_driver::Logic::{Atl, AtlStar, Ctl, CtlStar, Ltl, Mu, Pml};
        &[Self(Pml), Self(Ctl), Self(CtlStar), Self(Ltl), Self(Mu), Self(Atl), Self(AtlStar)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

/// How values are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Semantics {
    /// From the values of the parts
    Compositional,
    /// From all completions of the structure, or of the abstraction of a program: true or false where all of them agree
    Thorough,
}

/// How linear formulas are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LtlReading(pub tertium_driver::LinearReading);

impl ValueEnum for LtlReading {
    fn value_variants<'a>() -> &'a [Self] {
        use tertium_driver::LinearReading::{Bg, BgTotal, Hyper, Tg, TgPnf};
        &[Self(Bg), Self(BgTotal), Self(Hyper), Self(Tg), Self(TgPnf)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        use tertium_driver::LinearReading::{Bg, BgTotal, Hyper, Tg, TgPnf};
        let help = match self.0 {
            Bg => "false only by a path of certain steps",
            BgTotal => "the same, and every concrete state has a successor",
            Hyper => "false also by a strategy over hyper-must edges",
            Tg => "step values multiplied into the operators; its false is unsound",
            TgPnf => "step values multiplied into the negation's normal form",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// What deadlocks mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlockName(pub tertium_driver::Deadlock);

impl ValueEnum for DeadlockName {
    fn value_variants<'a>() -> &'a [Self] {
        use tertium_driver::Deadlock::{Forbid, Maximal, Mu, Total};
        &[Self(Mu), Self(Maximal), Self(Total), Self(Forbid)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        use tertium_driver::Deadlock::{Forbid, Maximal, Mu, Total};
        let help = match self.0 {
            Mu => "AX holds there, EX does not; paths are infinite",
            Maximal => "it ends a finite maximal path",
            Total => "the concrete system has none",
            Forbid => "an error in the model",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// What happens to parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Parameters {
    /// All instances at once
    On,
    /// What depends on a parameter is unknown
    Off,
    /// Programs: a parameter for each branch whose direction is not known, where that is sound
    Literal,
}

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// The fastest one that fits
    Auto,
    /// Labels states with sub-formulas
    Explicit,
    /// Two-valued runs, one per join-irreducible truth value
    Reduction,
    /// Products with automata, for linear formulas
    Automata,
    /// Parity games
    Game,
    /// Sets of states as decision diagrams
    Symbolic,
}

/// How much is kept of each state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StoreName {
    /// All of it: answers are definite
    Exact,
    /// 64 bits: what is found false is false, but true is never proved
    Compact,
    /// Three bits in a field of half the memory given, or 128 MiB: the same, for more states
    Bitstate,
}
