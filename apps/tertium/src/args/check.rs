//! What can be typed after `tertium check`?

use std::path::PathBuf;

use clap::Args;

use super::AbstractionArgs;
use super::names::{DeadlockName, EngineName, LogicName, LtlReading, Parameters, Semantics, StoreName};
use super::output::{FailOn, Format, Look};
use super::values::{at_least_one, definition};
use crate::units::{Duration, Size};

const CHECK_EXAMPLES: &str = "\
Examples:
  tertium check design.kmts
  tertium check design.kmts -p 'AG EF ready' -p 'safe: AG !error'
  tertium check design.kmts -p 'G (request -> F grant)' --logic ltl
  tertium check design.kmts --at s3 --format json
  tertium check design.kmts -p 'AG ?{open, moving}'   (the strongest invariant over these two)
  tertium check design.kmts --semantics thorough --evidence completions
  tertium check protocol.gcl
  tertium check protocol.gcl -p 'G !(P@crit && Q@crit)' --threads 2
  tertium check model.pml -D N=4 --fair
  tertium check bakery.gcl --refinements 0 --predicate 'y1 = 0' --predicate 'y1 <= y2'
  tertium check design.kmts --timeout 60s --memory 4G --evidence proofs
  tertium check design.kmts --expect safe=true --expect live=unknown

Exit codes: 0 all hold, 10 some false, 5 none false but some unknown or stopped, 2 bad input.";

/// Options of `check`.
#[derive(Args, Debug)]
#[command(after_long_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// The model: a structure in `.kmts` or `.json`, or a program in `.gcl` or `.pml`
    pub file: PathBuf,

    /// A property, as `FORMULA` or `NAME: FORMULA`, or a query such as `AG ?{p, q}`; may be repeated [default: all in the file]
    #[arg(short, long = "property", value_name = "FORMULA", help_heading = "What to check")]
    pub properties: Vec<String>,
    /// Only the property of the file with this name; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "What to check")]
    pub only: Vec<String>,
    /// The logic of properties that do not name theirs [default: seen from the operators, where only one fits]
    #[arg(long, value_enum, help_heading = "What to check")]
    pub logic: Option<LogicName>,
    /// The state to ask about [default: the initial states]
    #[arg(long, value_name = "STATE", help_heading = "What to check")]
    pub at: Option<String>,
    /// Report the value at every state as well
    #[arg(long, help_heading = "What to check")]
    pub all_states: bool,

    /// How values are made from the parts of a formula
    #[arg(long, value_enum, default_value_t = Semantics::Compositional, help_heading = "Semantics")]
    pub semantics: Semantics,
    /// How open steps weaken a linear formula [default: hyper, the most precise sound reading]
    #[arg(long, value_enum, help_heading = "Semantics")]
    pub ltl: Option<LtlReading>,
    /// What a state without successors means [default: mu]
    #[arg(long, value_enum, help_heading = "Semantics")]
    pub deadlock: Option<DeadlockName>,
    /// Parameters, of a structure or for unknown values of a program: `on` decides all instances at once, `off` takes what
    /// depends on one for unknown, `literal` gives branches of a program parameters, too
    #[arg(long, value_enum, default_value_t = Parameters::On, help_heading = "Semantics")]
    pub parameters: Parameters,

    /// The algorithm; `auto` takes the fastest one that fits
    #[arg(long, value_enum, default_value_t = EngineName::Auto, help_heading = "Work")]
    pub engine: EngineName,
    /// How programs are abstracted.
    #[command(flatten)]
    pub how: AbstractionArgs,
    /// Guarded commands: processes to look at closely, with commas between them; the others are shade until needed
    #[arg(long, value_name = "P,Q", help_heading = "Abstraction of programs")]
    pub spotlight: Vec<String>,
    /// Programs: add predicates at most this many times [default: 20; 0 if predicates are given]
    #[arg(long, value_name = "N", help_heading = "Abstraction of programs")]
    pub refinements: Option<u32>,
    /// Programs: no partial-order reduction, statement merging or resetting of dead variables
    #[arg(long, help_heading = "Work")]
    pub no_reduction: bool,
    /// Programs: how much is kept of each state [default: exact]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Work")]
    pub store: Option<StoreName>,
    /// Programs: stop after this many states [default: 1000000 if a variable has no bounds, else none]
    #[arg(long, value_name = "N", help_heading = "Work")]
    pub max_states: Option<usize>,
    /// Promela: a macro, as for a C preprocessor; guarded commands: a value for `const N >= 1`; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition, help_heading = "What to check")]
    pub defines: Vec<(String, String)>,
    /// Promela: a folder whose files may be included, besides the model's own; may be repeated
    #[arg(long = "include-dir", value_name = "DIR", help_heading = "What to check")]
    pub include_dirs: Vec<PathBuf>,
    /// Promela: look for runs that pass no progress label from some point on
    #[arg(long, help_heading = "What to check")]
    pub progress: bool,
    /// Promela: runs in which a process could always step and never does are not counted
    #[arg(long, help_heading = "Semantics")]
    pub fair: bool,
    /// Programs: how many threads explore [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "Work")]
    pub threads: Option<usize>,
    /// Stop after this time, for example `60s`, `500ms`, `5m`
    #[arg(long, value_name = "TIME", help_heading = "Work")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this, for example `4G`, `200M` [default: 80 % of what the machine or its control
    /// group has]
    #[arg(long, value_name = "SIZE", help_heading = "Work")]
    pub memory: Option<Size>,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,
    /// Write a certificate of every definite answer, every run, and a page to walk through them, into this directory
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub evidence: Option<PathBuf>,
    /// The value that a property should have; another one counts as a failure; may be repeated
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Output")]
    pub expect: Vec<String>,
    /// What counts as a failure besides false; may be repeated
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Output")]
    pub fail_on: Vec<FailOn>,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}
