//! What can be typed after `tertium export`?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::output::Colour;
use crate::units::{Duration, Size};

const EXPORT_EXAMPLES: &str = "\
Examples:
  tertium export design.kmts --to dot | dot -Tsvg > design.svg
  tertium export design.json --to kmts -o design.kmts
  tertium export design.kmts --to aut";

/// Options of `export`.
#[derive(Args, Debug)]
#[command(after_long_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// The model
    pub file: PathBuf,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ExportTarget,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this [default: 80 % of what the machine or its control group has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// When to use colours in messages
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
}

/// What a model can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportTarget {
    /// Graphviz: may dashed, must solid
    Dot,
    /// Aldebaran
    Aut,
    /// The structure format for people
    Kmts,
    /// The structure format for scripts
    Json,
    /// Finite programs with their properties for NuSMV and nuXmv
    Smv,
    /// Programs with their invariants for tools that read VMT-LIB
    Vmt,
}
