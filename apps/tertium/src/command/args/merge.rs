//! What can be typed after `tertium merge`?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::limits::Limits;
use super::output::{Colour, PlainFormat};

const MERGE_EXAMPLES: &str = "\
Examples:
  tertium merge client.kmts server.kmts -o both.kmts
  tertium merge client.kmts server.kmts --over product -o pairs.kmts

States and propositions of the same name are the same; a viewpoint that lacks one says nothing about it.

Exit codes: 0 merged, the two agree, 10 merged, they disagree, 5 stopped early, 2 bad input.";

/// Options of `merge`.
#[derive(Args, Debug)]
#[command(after_long_help = MERGE_EXAMPLES)]
pub struct MergeArgs {
    /// The first viewpoint, a structure in `.kmts` or `.json`
    pub left: PathBuf,
    /// The second viewpoint
    pub right: PathBuf,
    /// In which lattice they meet
    #[arg(long, value_enum, default_value_t = OverName::Belnap)]
    pub over: OverName,
    /// Where to write the merged structure, as `.kmts` or, if the name ends so, `.json`
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// How long, and with how much memory.
    #[command(flatten)]
    pub limits: Limits,
    /// How to write the report
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// When to use colours in messages
    #[arg(long, value_enum, default_value_t = Colour::Auto, help_heading = "Output")]
    pub color: Colour,
}

/// In which lattice two viewpoints meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OverName {
    /// True, false, unknown, both: what is known is added up
    Belnap,
    /// Pairs of what each says
    Product,
}
