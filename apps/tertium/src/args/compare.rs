//! What can be typed after `tertium compare`?

use std::path::PathBuf;

use clap::Args;

use super::output::{Look, PlainFormat};
use crate::units::{Duration, Size};

const COMPARE_EXAMPLES: &str = "\
Examples:
  tertium compare old.kmts new.kmts
  tertium compare old.kmts new.kmts --relation
  tertium compare spec.json impl.json --from s0 --to t3 --format json

Exit codes: 0 the first is refined by the second, 10 it is not, 5 stopped early, 2 bad input.";

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
    /// List the pairs of the whole refinement relation
    #[arg(long)]
    pub relation: bool,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this [default: 80 % of what the machine or its control group has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}
