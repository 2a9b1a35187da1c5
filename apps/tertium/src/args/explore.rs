//! What can be typed after `tertium explore`?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::names::StoreName;
use super::output::{Look, PlainFormat};
use super::values::{at_least_one, definition};
use crate::units::{Duration, Size};

const EXPLORE_EXAMPLES: &str = "\
Examples:
  tertium explore protocol.gcl
  tertium explore protocol.gcl --max-states 100000 --format json
  tertium explore protocol.gcl --graph protocol.dot

Exit codes: 0 every state was visited, 5 not all of them, 2 bad input.";

/// Orders of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SearchName {
    /// Level by level, with all threads
    Breadth,
    /// One run to its end before the next, with one thread
    Depth,
}

/// Options of `explore`.
#[derive(Args, Debug)]
#[command(after_long_help = EXPLORE_EXAMPLES)]
pub struct ExploreArgs {
    /// The program, in `.gcl` or `.pml`
    pub file: PathBuf,
    /// Promela: a macro, as for a C preprocessor; guarded commands: a value for `const N >= 1`; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub defines: Vec<(String, String)>,
    /// Promela: a folder whose files may be included, besides the model's own; may be repeated
    #[arg(long = "include-dir", value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// No partial-order reduction, statement merging or resetting of dead variables (the default)
    #[arg(long, overrides_with = "reduction")]
    pub no_reduction: bool,
    /// Partial-order reduction, statement merging and resetting of dead variables: the same deadlocks and faults
    #[arg(long, overrides_with = "no_reduction")]
    pub reduction: bool,
    /// In which order to visit states
    #[arg(long, value_enum, default_value_t = SearchName::Breadth)]
    pub search: SearchName,
    /// How much is kept of each state; anything but `exact` goes depth first and counts what it takes for different
    #[arg(long, value_enum, value_name = "KIND", default_value_t = StoreName::Exact)]
    pub store: StoreName,
    /// Stop after this many states [default: 1000000 if a variable has no bounds, else none]
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,
    /// Write the graph; the format is that of the name: `.dot`, `.aut`, `.json` or `.kmts`
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// How many threads [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this [default: 80 % of what the machine or its control group has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// How to write the counts
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}
