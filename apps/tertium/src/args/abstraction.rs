//! What can be typed after `tertium abstract`? And how does one say, there and for `check`, how programs are abstracted?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::output::{ExportFormat, Look, PlainFormat};
use super::values::definition;
use crate::units::{Duration, Size};

/// How the states of a program are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Abstraction {
    /// Whatever decides most
    Auto,
    /// Not at all: every state is one state
    None,
    /// Possible steps exactly, certain ones to single states
    Boolean,
    /// Each predicate for itself: cheap, less precise
    Cartesian,
    /// One state per step, in which predicates may be unknown: cheapest, least precise
    Cubes,
    /// Certain steps lead to merged states
    Four,
    /// Certain steps lead to sets of states: the most precise
    Hyper,
}

/// How programs are abstracted.
#[derive(Args, Debug, Clone)]
pub struct AbstractionArgs {
    /// How precise it is; `auto` runs the program as it is unless predicates are given
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Abstraction of programs")]
    pub abstraction: Option<Abstraction>,
    /// A predicate; may be repeated [default: those of the file, of guards, of assertions and of the properties]
    #[arg(long = "predicate", value_name = "EXPR", help_heading = "Abstraction of programs")]
    pub predicates: Vec<String>,
    /// Variables that stay concrete, with commas between them; may be repeated
    #[arg(long, value_name = "VAR", help_heading = "Abstraction of programs")]
    pub keep: Vec<String>,
    /// A second solver that every reply is compared with, for example `cvc5`
    #[arg(long, value_name = "COMMAND", help_heading = "Abstraction of programs")]
    pub cross_check: Option<String>,
    /// Give up a question to the solver after this time; what it would have settled stays open
    #[arg(long, value_name = "TIME", help_heading = "Abstraction of programs")]
    pub solver_timeout: Option<Duration>,
}

impl AbstractionArgs {
    /// Whether anything here was asked for.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.given().iter().any(|(_, given)| *given) || self.is_named()
    }

    /// Whether a kind was named.
    #[must_use]
    pub fn is_named(&self) -> bool {
        !matches!(self.abstraction, None | Some(Abstraction::Auto | Abstraction::None))
    }

    /// The options that mean something only where a program is abstracted, and whether each was given.
    #[must_use]
    pub fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("--predicate", !self.predicates.is_empty()),
            ("--keep", !self.keep.is_empty()),
            ("--cross-check", self.cross_check.is_some()),
            ("--solver-timeout", self.solver_timeout.is_some()),
        ]
    }
}

const ABSTRACT_EXAMPLES: &str = "\
Examples:
  tertium abstract bakery.gcl
  tertium abstract bakery.gcl --predicate 'y1 = 0' --predicate 'y1 <= y2' --abstraction cartesian
  tertium abstract bakery.gcl --to dot | dot -Tsvg > bakery.svg

Exit codes: 0 abstracted, 5 stopped early, 2 bad input.";

/// Options of `abstract`.
#[derive(Args, Debug)]
#[command(after_long_help = ABSTRACT_EXAMPLES)]
pub struct AbstractArgs {
    /// The program, in `.gcl` or `.pml`
    pub file: PathBuf,
    /// Promela: a macro, as for a C preprocessor; guarded commands: a value for `const N >= 1`; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub defines: Vec<(String, String)>,
    /// Promela: a folder whose files may be included, besides the model's own; may be repeated
    #[arg(long = "include-dir", value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// How it is abstracted.
    #[command(flatten)]
    pub how: AbstractionArgs,
    /// Stop after this many abstract states [default: 1000000]
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,
    /// Write the structure in this format
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<ExportFormat>,
    /// Where to write the structure [default: standard output, instead of the report]
    #[arg(short, long, value_name = "FILE", requires = "to")]
    pub output: Option<PathBuf>,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this [default: 80 % of what the machine or its control group has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// How to write the report
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}
