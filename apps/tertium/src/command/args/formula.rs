//! What can be typed after `tertium formula`?

use clap::Args;

use super::limits::Limits;
use super::names::LogicName;
use super::output::{Look, PlainFormat};

const FORMULA_EXAMPLES: &str = "\
Examples:
  tertium formula 'AG (request -> AF grant)'
  tertium formula '!(p U q)' --logic ltl --pnf
  tertium formula 'G F p -> G F q' --logic ltl --hoa
  tertium formula 'p & q | !p & r' --logic pml --minimise --self-minimising
  tertium formula 'nu X. mu Y. <>(p & X | Y)' --logic mu --format json";

/// Options of `formula`.
#[derive(Args, Debug)]
#[command(after_long_help = FORMULA_EXAMPLES)]
pub struct FormulaArgs {
    /// The formula
    pub text: String,
    /// Its logic [default: seen from the operators, where only one fits]
    #[arg(long, value_enum)]
    pub logic: Option<LogicName>,
    /// Show the positive normal form
    #[arg(long)]
    pub pnf: bool,
    /// Show for which structures the compositional value is the strongest one, and why
    #[arg(long)]
    pub self_minimising: bool,
    /// Show a form whose parts, valued one by one, give the value that all completions agree on (semantic minimisation)
    #[arg(long)]
    pub minimise: bool,
    /// Show the size of the automaton (linear formulas)
    #[arg(long)]
    pub automaton: bool,
    /// Show the automaton in the Hanoi omega-automata format (linear formulas)
    #[arg(long)]
    pub hoa: bool,
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
