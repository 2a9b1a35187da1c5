//! What can be typed after `tertium simulate`?

use std::path::PathBuf;

use clap::Args;

use super::limits::Limits;
use super::names::LogicName;
use super::output::{Look, PlainFormat};
use super::text::TextArgs;

const SIMULATE_EXAMPLES: &str = "\
Examples:
  tertium simulate protocol.gcl --steps 50 --seed 7
  tertium simulate protocol.gcl --interactive
  tertium check protocol.gcl --evidence runs
  tertium simulate protocol.gcl --replay runs/mutex.itf.json
  tertium simulate protocol.gcl --replay runs/mutex.itf.json --interactive

Exit codes: 0 the run goes on or all processes end, 10 it ends in a fault or a deadlock, 5 stopped early,
2 bad input. With a stored run that is about a property: 10 it shows that the property is false, 0 that it
is true, 5 it shows neither.";

/// Options of `simulate`.
#[derive(Args, Debug)]
#[command(after_long_help = SIMULATE_EXAMPLES)]
pub struct SimulateArgs {
    /// The program, in `.gcl` or `.pml`; `-` for standard input
    pub file: PathBuf,
    /// What its text is.
    #[command(flatten)]
    pub text: TextArgs,
    /// How many steps chance takes [default: 20]
    #[arg(long, value_name = "N")]
    pub steps: Option<usize>,
    /// Where chance begins; the same seed takes the same steps [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Follow a run that was stored in the ITF format, and check each of its steps
    #[arg(long, value_name = "RUN", conflicts_with_all = ["steps", "seed"])]
    pub replay: Option<PathBuf>,
    /// With `--replay`: what does the run show of this property of the file? [default: the one that the run names]
    #[arg(long, value_name = "NAME", requires = "replay", conflicts_with = "property")]
    pub only: Option<String>,
    /// With `--replay`: what does the run show of this property, written as `FORMULA` or `NAME: FORMULA`?
    #[arg(short, long, value_name = "FORMULA", requires = "replay")]
    pub property: Option<String>,
    /// The logic of the property [default: seen from the operators, where only one fits]
    #[arg(long, value_enum, requires = "property")]
    pub logic: Option<LogicName>,
    /// With `--replay`, Promela: only runs count in which no process could always step and never does
    #[arg(long, requires = "replay")]
    pub fair: bool,
    /// Ask before every step [default on a terminal, if neither steps nor a seed are given]; with `--replay`, go along the run, leave it, come back
    #[arg(short, long)]
    pub interactive: bool,
    /// Show this expression after every step; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub watch: Vec<String>,
    /// Store the run in the ITF format
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How long, and with how much memory.
    #[command(flatten)]
    pub limits: Limits,
    /// How to write the run
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}
