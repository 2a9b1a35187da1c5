//! What can be typed after `tertium view`?

use std::path::PathBuf;

use clap::Args;

use super::CheckArgs;

const VIEW_EXAMPLES: &str = "\
Examples:
  tertium view protocol.gcl                        check it, then show the page
  tertium view protocol.gcl --only mutex --out mutex.html
  tertium check protocol.gcl --evidence runs       the same page as runs/index.html
  tertium view runs
  tertium view protocol.gcl --live                 walk through the program in the browser

Exit codes: 0 the page was shown or written, 2 bad input.";

/// Options of `view`.
#[derive(Args, Debug)]
#[command(after_long_help = VIEW_EXAMPLES)]
pub struct ViewArgs {
    /// The model, with the options of `check`; or a report, or the directory of one.
    #[command(flatten)]
    pub check: Box<CheckArgs>,
    /// Write the page to this file instead of serving it
    #[arg(short = 'o', long, alias = "output", value_name = "FILE", help_heading = "The page", conflicts_with_all = ["port", "no_open"])]
    pub out: Option<PathBuf>,
    /// Serve it on this port of the loopback address [default: any that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true, help_heading = "The page")]
    pub port: u16,
    /// Simulate the program on the page: pick steps, go back, along a counterexample and off it
    #[arg(long, help_heading = "The page", conflicts_with = "out")]
    pub live: bool,
    /// Do not open a browser
    #[arg(long, help_heading = "The page")]
    pub no_open: bool,
}
