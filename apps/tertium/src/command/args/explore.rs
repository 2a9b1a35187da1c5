//! What can be typed after `tertium explore`?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::limits::Limits;
use super::names::StoreName;
use super::output::{Look, PlainFormat};
use super::text::TextArgs;
use super::values::at_least_one;

const EXPLORE_EXAMPLES: &str = "\
Examples:
  tertium explore protocol.gcl
  tertium explore protocol.gcl --max-states 100000 --format json
  tertium explore protocol.gcl --graph protocol.dot
  tertium explore protocol.gcl --checkpoint states:5m
  tertium explore protocol.gcl --resume states
  tertium explore protocol.gcl --disk /scratch --memory 8G

Exit codes: 0 every state was visited, 5 not all of them, 2 bad input; with --disk 10 if something is false.";

/// Orders of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SearchName {
    /// Level by level, with all threads
    Breadth,
    /// One run to its end before the next, with one thread
    Depth,
}

/// How steps are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StepsName {
    /// By code for this processor, made while the search runs
    Native,
    /// By an interpreter
    Interpreted,
}

/// Where a search runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DeviceName {
    /// On the processors, with threads
    Cpu,
    /// On the first graphics processor, by CUDA
    Gpu,
}

/// Options of `explore`.
#[derive(Args, Debug)]
#[command(after_long_help = EXPLORE_EXAMPLES)]
pub struct ExploreArgs {
    /// The program, in `.gcl` or `.pml`; `-` for standard input
    pub file: PathBuf,
    /// What its text is.
    #[command(flatten)]
    pub text: TextArgs,
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
    /// Write down in this folder how far the search is, so that `--resume` goes on with it; `DIR:EVERY` says how often, for
    /// example `states:5m` [default: every minute]
    #[arg(long, value_name = "DIR[:EVERY]", conflicts_with = "resume")]
    pub checkpoint: Option<String>,
    /// Go on with the search that is written down in this folder, and write there; the answer is that of an unbroken run
    #[arg(long, value_name = "DIR[:EVERY]")]
    pub resume: Option<String>,
    /// Keep states in files in this folder when half of the memory is used (`--memory`), and decide what single states break
    #[arg(long, value_name = "DIR")]
    pub disk: Option<PathBuf>,
    /// Write the graph; the format is that of the name: `.dot`, `.aut`, `.json` or `.kmts`
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// How many threads [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,
    /// How the steps of large searches are computed; all ways find the same
    #[arg(long, value_enum, value_name = "KIND", default_value_t = StepsName::Interpreted)]
    pub steps: StepsName,
    /// Where the search runs; a graphics processor also decides what single states break
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub device: DeviceName,
    /// How long, and with how much memory.
    #[command(flatten)]
    pub limits: Limits,
    /// How to write the counts
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}
