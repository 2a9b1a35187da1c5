//! What can be typed after `tertium abstract`? And how does one say, there and for `check`, how programs are abstracted?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::limits::Limits;
use super::names::Parameters;
use super::output::{Look, PlainFormat};
use super::text::TextArgs;
use crate::command::units::Duration;

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

/// Which steps between blocks of states are certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MustName {
    /// None: every step is only possible, as in classical abstraction
    None,
    /// A step into a block, if every member has a certain step into it
    ForallExists,
    /// A step into a set of blocks, if every member has a certain step into one of them
    Hyper,
}

/// What an abstraction can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AbstractTarget {
    /// Graphviz: may dashed, must solid
    Dot,
    /// Aldebaran
    Aut,
    /// The structure format for people
    Kmts,
    /// The structure format for scripts
    Json,
    /// A program in guarded commands
    Gcl,
    /// A program in Promela
    Pml,
}

/// Which of the two programs that an abstraction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApproximationSide {
    /// What may happen: what is true of it is true of the program
    Over,
    /// What surely can happen: what is false of it is false of the program
    Under,
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
  tertium abstract bakery.gcl --to pml --approximation under > under.pml
  tertium abstract flags.gcl --spotlight P1,P2 --parameters on --to kmts
  tertium abstract design.kmts --by label --to kmts
  tertium abstract design.kmts --by blocks.txt --must hyper --check

Blocks are listed in lines `name: state, state`; every state is in at least one.

Exit codes: 0 abstracted, 5 stopped early, 2 bad input; with `--check` as for `check`.";

/// Options of `abstract`.
#[derive(Args, Debug)]
#[command(after_long_help = ABSTRACT_EXAMPLES)]
pub struct AbstractArgs {
    /// The program, in `.gcl` or `.pml`, `-` for standard input; or a structure, with `--by`
    pub file: PathBuf,
    /// Structures: which states are one: those with the same labels (`label`), or those that a file lists
    #[arg(long, value_name = "label|FILE", help_heading = "Abstraction of structures")]
    pub by: Option<String>,
    /// Structures: which steps of a block are certain
    #[arg(long, value_enum, default_value_t = MustName::Hyper, help_heading = "Abstraction of structures", requires = "by")]
    pub must: MustName,
    /// Structures: check the properties of the file, splitting blocks until they are decided
    #[arg(long, help_heading = "Abstraction of structures", requires = "by")]
    pub check: bool,
    /// Structures: check this property so; may be repeated
    #[arg(
        short = 'p',
        long = "property",
        value_name = "FORMULA",
        help_heading = "Abstraction of structures",
        requires = "by"
    )]
    pub properties: Vec<String>,
    /// Structures: split at most this many times for a property [default: 999]
    #[arg(long, value_name = "N", help_heading = "Abstraction of structures", requires = "by")]
    pub refinements: Option<u32>,
    /// What its text is.
    #[command(flatten)]
    pub text: TextArgs,
    /// How it is abstracted.
    #[command(flatten)]
    pub how: AbstractionArgs,
    /// Show the nearest abstract path to a state that may break a property, with the branches beside it
    #[arg(long, help_heading = "Abstraction of programs", conflicts_with_all = ["spotlight", "by", "to"])]
    pub error_trace: bool,
    /// Guarded commands: processes to look at closely, with commas between them; the others are shade
    #[arg(long, value_name = "P,Q", help_heading = "Abstraction of programs", conflicts_with = "by")]
    pub spotlight: Vec<String>,
    /// With a spotlight: `on` gives unknown values of the properties' predicates parameters, `literal` branches, too [default: off]
    #[arg(long, value_enum, requires = "spotlight", help_heading = "Abstraction of programs")]
    pub parameters: Option<Parameters>,
    /// Stop after this many abstract states [default: 1000000]
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,
    /// Write the structure in this format, or the abstract program in `gcl` or `pml`
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<AbstractTarget>,
    /// With `--to gcl|pml`: what may happen, or what surely can [default: over]
    #[arg(long, value_enum, value_name = "SIDE", requires = "to", help_heading = "Abstraction of programs")]
    pub approximation: Option<ApproximationSide>,
    /// Where to write it [default: standard output, instead of the report]
    #[arg(short, long, value_name = "FILE", requires = "to")]
    pub output: Option<PathBuf>,
    /// How long, and with how much memory.
    #[command(flatten)]
    pub limits: Limits,
    /// How to write the report
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}
