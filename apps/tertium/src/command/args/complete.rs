//! What can be typed after `tertium complete`?

use std::path::PathBuf;

use clap::Args;

use super::limits::Limits;
use super::names::{DeadlockName, LogicName};
use super::output::{Look, PlainFormat};

const EXAMPLES: &str = "\
Examples:
  tertium complete design.kmts                            decide what is open so that all properties hold
  tertium complete design.kmts --only safe -o done.kmts   for one property; the structure goes to a file
  tertium complete design.kmts --pin 'idle.lamp=f' --pin 'busy->idle=t'
  tertium complete design.kmts --all 3 -o done.kmts       up to three ways: done.kmts, done-2.kmts, done-3.kmts

Exit codes: 0 completed, 10 no completion satisfies the properties, 5 not known or stopped early, 2 bad input.";

/// Options of `complete`.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct CompleteArgs {
    /// The partial model, in `.kmts` or `.json`
    pub file: PathBuf,
    /// A property, as `FORMULA` or `NAME: FORMULA`; may be repeated [default: all in the file]
    #[arg(short, long = "property", value_name = "FORMULA", help_heading = "What shall hold")]
    pub properties: Vec<String>,
    /// Only the property of the file with this name; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "What shall hold")]
    pub only: Vec<String>,
    /// The logic of properties that do not name theirs [default: seen from the operators, where only one fits]
    #[arg(long, value_enum, help_heading = "What shall hold")]
    pub logic: Option<LogicName>,
    /// What deadlocks mean; `total` allows none in a completion
    #[arg(long, value_enum, value_name = "CONVENTION", help_heading = "What shall hold")]
    pub deadlock: Option<DeadlockName>,
    /// A decision that stays: `STATE.PROPOSITION=t`, `STATE->STATE=f`, `STATE-[ACTION]->STATE=t`; may be repeated
    #[arg(long = "pin", value_name = "DECISION", help_heading = "Which completion")]
    pub pins: Vec<String>,
    /// Up to so many completions, which need different decisions
    #[arg(long = "all", value_name = "N", default_value_t = 1, hide_default_value = true, help_heading = "Which completion", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub wanted: u16,
    /// Where to write the completion, as `.kmts` or, if the name ends so, `.json` [default: after the answer]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where to write a page for a browser: the partial model, its first completion, and the decisions between them
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
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
