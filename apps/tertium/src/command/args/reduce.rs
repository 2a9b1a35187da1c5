//! What can be typed after `tertium reduce` and after `tertium sat`?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::limits::Limits;
use super::names::{DeadlockName, LogicName};
use super::output::{Look, PlainFormat};

const REDUCE_EXAMPLES: &str = "\
Examples:
  tertium reduce design.kmts -o small.kmts
  tertium reduce design.kmts --by refinement
  tertium explore protocol.gcl --graph states.kmts && tertium reduce states.kmts -o small.kmts

Exit codes: 0 reduced, 5 stopped early, 2 bad input.";

/// Options of `reduce`.
#[derive(Args, Debug)]
#[command(after_long_help = REDUCE_EXAMPLES)]
pub struct ReduceArgs {
    /// The structure, in `.kmts`, `.json` or `.aut`
    pub file: PathBuf,
    /// Which states are merged
    #[arg(long, visible_alias = "relation", value_enum, default_value_t = QuotientName::Bisimulation)]
    pub by: QuotientName,
    /// Where to write the structure, as `.kmts` or, if the name ends so, `.json` [default: standard output, instead of the report]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How long, and with how much memory.
    #[command(flatten)]
    pub limits: Limits,
    /// How to write the report
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output", requires = "output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}

/// A quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QuotientName {
    /// Bisimilar states: every value at every state is kept, with fairness
    Bisimulation,
    /// States that refine each other (`three-valued`): every value without fairness is kept; merges more where something is open
    #[value(alias = "three-valued")]
    Refinement,
    /// Complete structures: states that simulate each other; universal properties are kept
    Simulation,
}

const SAT_EXAMPLES: &str = "\
Examples:
  tertium sat 'AG (p -> AF q) & EF (p & !q)'
  tertium sat 'G F p & F G !p' --logic ltl
  tertium sat 'nu X. <> X & mu Y. p | [] Y' --logic mu -o model.kmts

Exit codes: 0 there is a model, 10 there is none, 5 stopped early, 2 bad input.";

/// Options of `sat`.
#[derive(Args, Debug)]
#[command(after_long_help = SAT_EXAMPLES)]
pub struct SatArgs {
    /// The formula
    pub text: String,
    /// Its logic [default: seen from the operators, where only one fits]
    #[arg(long, value_enum)]
    pub logic: Option<LogicName>,
    /// What deadlocks mean; `total` allows none in the model [default: `mu` for PML and the mu-calculus, `total` for CTL, CTL* and LTL]
    #[arg(long, value_enum, value_name = "CONVENTION")]
    pub deadlock: Option<DeadlockName>,
    /// Where to write the model, as `.kmts` or, if the name ends so, `.json` [default: after the answer]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How long, and with how much memory.
    #[command(flatten)]
    pub limits: Limits,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}
