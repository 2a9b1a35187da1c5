//! What can be typed after `tertium export`?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::limits::Limits;
use super::output::Colour;

const EXPORT_EXAMPLES: &str = "\
Examples:
  tertium export design.kmts --to dot | dot -Tsvg > design.svg
  tertium export design.json --to kmts -o design.kmts
  tertium export design.kmts --to aut
  tertium export design.kmts --to pks -o steps_decided.kmts
  tertium export design.kmts --to completions -o runs && tertium export runs/pessimistic.kmts --to smv

Translations (pks, mts, mixed, completions) write `.kmts`, or `.json` if the name of the output ends so, with the properties translated along.";

/// Options of `export`.
#[derive(Args, Debug)]
#[command(after_long_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// The model
    pub file: PathBuf,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ExportTarget,
    /// Where to write [default: standard output]; a folder for `completions`
    #[arg(short, long, value_name = "FILE", required_if_eq("to", "completions"))]
    pub output: Option<PathBuf>,
    /// How long, and with how much memory.
    #[command(flatten)]
    pub limits: Limits,
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
    /// Partial Kripke structure: open steps become open labels
    Pks,
    /// Modal transition system: labels become steps
    Mts,
    /// Mixed transition system: hyper edges become steps to merged states, which says less
    Mixed,
    /// Classical structures that decide its properties: optimistic and pessimistic, or one per cut of a lattice
    Completions,
    /// Finite programs and complete structures with their properties for NuSMV and nuXmv
    Smv,
    /// Programs with their invariants for tools that read VMT-LIB
    Vmt,
}
