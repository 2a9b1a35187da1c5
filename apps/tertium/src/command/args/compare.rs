//! What can be typed after `tertium compare`?

use std::path::PathBuf;

use clap::Args;

use super::limits::Limits;
use super::output::{Look, PlainFormat};

const COMPARE_EXAMPLES: &str = "\
Examples:
  tertium compare old.kmts new.kmts
  tertium compare old.kmts new.kmts --relation
  tertium compare old.kmts new.kmts --bisimilar
  tertium compare spec.kmts impl.kmts --game
  tertium compare spec.json impl.json --from s0 --to t3 --format json

Exit codes: 0 the first is refined by the second (or they are bisimilar, if that is asked), 10 it is not, 5 stopped early, 2 bad input.";

/// Options of `compare`.
#[derive(Args, Debug)]
#[command(after_long_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    /// The structure with less detail
    pub left: PathBuf,
    /// The structure with more detail
    pub right: PathBuf,
    /// Compare from this state of the first structure [default: its initial states]
    #[arg(long, value_name = "STATE", requires = "to")]
    pub from: Option<String>,
    /// Compare with this state of the second structure [default: its initial states]
    #[arg(long, value_name = "STATE", requires = "from")]
    pub to: Option<String>,
    /// Ask whether the two are bisimilar: equal labels, possible and certain steps matched both ways
    #[arg(long, conflicts_with = "relation")]
    pub bisimilar: bool,
    /// Alternating refinement: match states with states of the same player, so that values of atl and atl* are kept
    #[arg(long, conflicts_with = "bisimilar")]
    pub game: bool,
    /// List the pairs of the whole refinement relation
    #[arg(long)]
    pub relation: bool,
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
