//! What can be typed after `tertium fmt`?

use std::path::PathBuf;

use clap::Args;

use super::output::Colour;

/// Options of `fmt`.
#[derive(Args, Debug)]
#[command(after_long_help = "Exit codes: 0 laid out, 10 with `--check` if some file is not, 2 bad input.")]
pub struct FmtArgs {
    /// The programs, in `.gcl`; `-` lays out standard input to standard output
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing; name the files that are not laid out
    #[arg(long)]
    pub check: bool,
    /// Write to standard output instead
    #[arg(long, conflicts_with = "check")]
    pub stdout: bool,
    /// When to use colours in messages
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
}
