//! What can be typed after `tertium`?
//!
//! One struct per command; help, completions and the manual page are made from these comments.
//!
//! Not here: what the options do (`commands`), and units (`units`).

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::units::{Duration, Size};

/// Checks temporal properties of unfinished and abstract systems; answers true, false or unknown.
#[derive(Parser, Debug)]
#[command(name = "tertium", version, arg_required_else_help = true, max_term_width = 100, after_long_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  tertium check design.kmts                        all properties in the file
  tertium check design.kmts -p 'AG EF ready'       one property, written here
  tertium compare old.kmts new.kmts                is the new design a refinement of the old one?
  tertium check protocol.gcl                       all properties of a program, and every mistake it can make
  tertium simulate protocol.gcl                    step through it
  tertium view protocol.gcl                        walk through the answers in a browser
  tertium check design.kmts --evidence proofs      keep proofs, then check one independently:
  tertium certify design.kmts proofs/safe.cert.json

Exit codes:
  0 all hold   10 some false   5 none false, some unknown or stopped
  2 bad usage or input   6 internal error   130 interrupted";

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide properties of a model
    Check(Box<CheckArgs>),
    /// Compare two structures: refinement and equivalence
    Compare(CompareArgs),
    /// Count the states of a program, and write its graph
    Explore(ExploreArgs),
    /// Show what predicates make of a program
    Abstract(AbstractArgs),
    /// Run a program: by chance, along a stored run, or step by step
    Simulate(SimulateArgs),
    /// Lay out programs
    Fmt(FmtArgs),
    /// Check a certificate with code that shares nothing with the engines
    Certify(CertifyArgs),
    /// Show what a formula is: normal form, automaton, precision
    Formula(FormulaArgs),
    /// Write a structure in another format
    Export(ExportArgs),
    /// Help an editor over standard input and output (language server protocol)
    #[command(after_long_help = LSP_NOTE)]
    Lsp(LspArgs),
    /// Walk through a result in a browser
    View(ViewArgs),
    /// Write a completion script for a shell to standard output
    #[command(after_long_help = COMPLETION_EXAMPLES)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page to standard output
    #[command(
        after_long_help = "Examples:\n  tertium man | man -l -\n  tertium man > ~/.local/share/man/man1/tertium.1"
    )]
    Man,
}

const LSP_NOTE: &str = "\
Editors start this themselves; editors/vscode holds an extension. For .gcl, .pml and .kmts it marks mistakes while you
type, shows types and values, finds and renames names, completes, lays out, and checks properties on request.";

/// Options of `lsp`.
#[derive(Args, Debug)]
pub struct LspArgs {
    /// Talk over standard input and output, which is the only way; some editors say so
    #[arg(long)]
    pub stdio: bool,
}

const COMPLETION_EXAMPLES: &str = "\
Examples:
  tertium completions bash > ~/.local/share/bash-completion/completions/tertium
  tertium completions zsh > ~/.zfunc/_tertium
  tertium completions fish > ~/.config/fish/completions/tertium.fish";

const CHECK_EXAMPLES: &str = "\
Examples:
  tertium check design.kmts
  tertium check design.kmts -p 'AG EF ready' -p 'safe: AG !error'
  tertium check design.kmts -p 'G (request -> F grant)' --logic ltl
  tertium check design.kmts --at s3 --format json
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

    /// A property, as `FORMULA` or `NAME: FORMULA`; may be repeated [default: all in the file]
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

const VIEW_EXAMPLES: &str = "\
Examples:
  tertium view protocol.gcl                        check it, then show the page
  tertium view protocol.gcl --only mutex --out mutex.html
  tertium check protocol.gcl --evidence runs       the same page as runs/index.html
  tertium view runs

Exit codes: 0 the page was shown or written, 2 bad input.";

/// Options of `view`.
#[derive(Args, Debug)]
#[command(after_long_help = VIEW_EXAMPLES)]
pub struct ViewArgs {
    /// The model, with the options of `check`; or a report, or the directory of one.
    #[command(flatten)]
    pub check: Box<CheckArgs>,
    /// Write the page to this file instead of serving it
    #[arg(long, value_name = "FILE", help_heading = "The page", conflicts_with_all = ["port", "no_open"])]
    pub out: Option<PathBuf>,
    /// Serve it on this port of the loopback address [default: any that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true, help_heading = "The page")]
    pub port: u16,
    /// Do not open a browser
    #[arg(long, help_heading = "The page")]
    pub no_open: bool,
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

/// How text looks; the same for every command.
#[derive(Args, Debug, Clone, Copy)]
pub struct Look {
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, help_heading = "Output")]
    pub color: Colour,
    /// Show more: whole runs, engine, cost
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,
    /// Show less: no warnings, no progress, one line per answer
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// `NAME` or `NAME=VALUE`.
fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if name.is_empty() || !plain || name.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Err(format!("`{name}` is no name for a macro"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  tertium compare old.kmts new.kmts
  tertium compare old.kmts new.kmts --relation
  tertium compare spec.json impl.json --from s0 --to t3 --format json

Exit codes: 0 the first is refined by the second, 10 it is not, 5 stopped early, 2 bad input.";

/// Options of `compare`.
#[derive(Args, Debug)]
#[command(after_long_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    /// The structure with less detail
    pub left: PathBuf,
    /// The structure with more detail
    pub right: PathBuf,
    /// Compare from this state of the first structure [default: its initial states]
    #[arg(long, value_name = "STATE", requires = "to")]
    pub from: Option<String>,
    /// Compare with this state of the second structure [default: its initial states]
    #[arg(long, value_name = "STATE", requires = "from")]
    pub to: Option<String>,
    /// List the pairs of the whole refinement relation
    #[arg(long)]
    pub relation: bool,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this [default: 80 % of what the machine or its control group has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}

const EXPLORE_EXAMPLES: &str = "\
Examples:
  tertium explore protocol.gcl
  tertium explore protocol.gcl --max-states 100000 --format json
  tertium explore protocol.gcl --graph protocol.dot

Exit codes: 0 every state was visited, 5 not all of them, 2 bad input.";

/// Orders of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SearchName {
    /// Level by level, with all threads
    Breadth,
    /// One run to its end before the next, with one thread
    Depth,
}

/// How much is kept of each state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StoreName {
    /// All of it: answers are definite
    Exact,
    /// 64 bits: what is found false is false, but true is never proved
    Compact,
    /// Three bits in a field of half the memory given, or 128 MiB: the same, for more states
    Bitstate,
}

/// Options of `explore`.
#[derive(Args, Debug)]
#[command(after_long_help = EXPLORE_EXAMPLES)]
pub struct ExploreArgs {
    /// The program, in `.gcl` or `.pml`
    pub file: PathBuf,
    /// Promela: a macro, as for a C preprocessor; guarded commands: a value for `const N >= 1`; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub defines: Vec<(String, String)>,
    /// Promela: a folder whose files may be included, besides the model's own; may be repeated
    #[arg(long = "include-dir", value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
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
    /// Write the graph; the format is that of the name: `.dot`, `.aut`, `.json` or `.kmts`
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// How many threads [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this [default: 80 % of what the machine or its control group has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// How to write the counts
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}

const SIMULATE_EXAMPLES: &str = "\
Examples:
  tertium simulate protocol.gcl --steps 50 --seed 7
  tertium simulate protocol.gcl --interactive
  tertium check protocol.gcl --evidence runs
  tertium simulate protocol.gcl --replay runs/mutex.itf.json

Exit codes: 0 the run goes on or all processes end, 10 it ends in a fault or a deadlock, 5 stopped early,
2 bad input. With a stored run that is about a property: 10 it shows that the property is false, 0 that it
is true, 5 it shows neither.";

/// Options of `simulate`.
#[derive(Args, Debug)]
#[command(after_long_help = SIMULATE_EXAMPLES)]
pub struct SimulateArgs {
    /// The program, in `.gcl` or `.pml`
    pub file: PathBuf,
    /// Promela: a macro, as for a C preprocessor; guarded commands: a value for `const N >= 1`; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub defines: Vec<(String, String)>,
    /// Promela: a folder whose files may be included, besides the model's own; may be repeated
    #[arg(long = "include-dir", value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// How many steps chance takes [default: 20]
    #[arg(long, value_name = "N")]
    pub steps: Option<usize>,
    /// Where chance begins; the same seed takes the same steps [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Follow a run that was stored in the ITF format, and check each of its steps
    #[arg(long, value_name = "RUN", conflicts_with_all = ["steps", "seed", "interactive"])]
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
    /// Ask before every step [default on a terminal, if neither steps nor a seed are given]
    #[arg(short, long)]
    pub interactive: bool,
    /// Show this expression after every step; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub watch: Vec<String>,
    /// Store the run in the ITF format
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this [default: 80 % of what the machine or its control group has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// How to write the run
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}

/// Options of `fmt`.
#[derive(Args, Debug)]
#[command(after_long_help = "Exit codes: 0 laid out, 10 with `--check` if some file is not, 2 bad input.")]
pub struct FmtArgs {
    /// The programs, in `.gcl`
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

const CERTIFY_EXAMPLES: &str = "\
Examples:
  tertium check design.kmts --evidence proofs
  tertium certify design.kmts proofs/safe.cert.json
  tertium check protocol.gcl --evidence proofs
  tertium certify protocol.gcl proofs/mutex.cert.json --only mutex
  tertium certify protocol.gcl proofs/mutex.cert.json --solver cvc5

The question is the model's: formula, logic, reading, fairness and all initial states
come from its own property, or from `-p`. The certificate supplies proofs only. What is
read otherwise than by default (`--deadlock`, `--ltl`, `--fair`, `--at`) must be said again.

A proof over predicates rests on obligations that a solver decides; they are written
anew from the program, and `check --evidence` leaves them in proofs/obligations.
`tertium-certify` is the same check as a program of its own, without any engine.

Exit codes: 0 everything asked is proved, 10 something is refused, 5 stopped early or
proved only under an assumption, 2 unreadable.";

/// Options of `certify`.
#[derive(Args, Debug)]
#[command(after_long_help = CERTIFY_EXAMPLES)]
pub struct CertifyArgs {
    /// The model
    pub file: PathBuf,
    /// The certificate, as `check --evidence` writes it: it supplies proofs, the model asks
    pub certificate: PathBuf,
    /// The question of the model that must be proved; may be repeated [default: the one that the certificate speaks of]
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// A property that must be proved, as it was given to `check`; may be repeated
    #[arg(short, long = "property", value_name = "FORMULA")]
    pub properties: Vec<String>,
    /// The logic of properties that do not name theirs
    #[arg(long, value_enum)]
    pub logic: Option<LogicName>,
    /// Ask about this state of a structure [default: the initial ones, all of them]
    #[arg(long, value_name = "STATE")]
    pub at: Option<String>,
    /// What a state without successors means, as it was said to `check`
    #[arg(long, value_enum)]
    pub deadlock: Option<DeadlockName>,
    /// How open steps weaken a linear formula, as it was said to `check`
    #[arg(long, value_enum)]
    pub ltl: Option<LtlReading>,
    /// Treat every process of a program weakly fairly, as it was said to `check`
    #[arg(long)]
    pub fair: bool,
    /// A macro or a value, as it was given to `check`; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    pub defines: Vec<(String, String)>,
    /// Promela: a folder whose files may be included, besides the model's own; may be repeated
    #[arg(long = "include-dir", value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// The SMT-LIB solver that decides what a proof over predicates rests on, for example `cvc5` [default: Z3]
    #[arg(long, value_name = "COMMAND")]
    pub solver: Option<String>,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this [default: 80 % of what the machine or its control group has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}

const FORMULA_EXAMPLES: &str = "\
Examples:
  tertium formula 'AG (request -> AF grant)'
  tertium formula '!(p U q)' --logic ltl --pnf
  tertium formula 'G F p -> G F q' --logic ltl --hoa
  tertium formula 'p & q | !p & r' --logic pml --minimise --self-minimising
  tertium formula 'nu X. mu Y. <>(p & X | Y)' --logic mu --format json";

/// Options of `formula`.
#[derive(Args, Debug)]
#[command(after_long_help = FORMULA_EXAMPLES)]
pub struct FormulaArgs {
    /// The formula
    pub text: String,
    /// Its logic [default: seen from the operators, where only one fits]
    #[arg(long, value_enum)]
    pub logic: Option<LogicName>,
    /// Show the positive normal form
    #[arg(long)]
    pub pnf: bool,
    /// Show for which structures the compositional value is the strongest one, and why
    #[arg(long)]
    pub self_minimising: bool,
    /// Show a form whose parts, valued one by one, give the value that all completions agree on (semantic minimisation)
    #[arg(long)]
    pub minimise: bool,
    /// Show the size of the automaton (linear formulas)
    #[arg(long)]
    pub automaton: bool,
    /// Show the automaton in the Hanoi omega-automata format (linear formulas)
    #[arg(long)]
    pub hoa: bool,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this [default: 80 % of what the machine or its control group has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}

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

/// A logic's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogicName(pub tertium_driver::Logic);

impl ValueEnum for LogicName {
    fn value_variants<'a>() -> &'a [Self] {
        use tertium_driver::Logic::{Ctl, CtlStar, Ltl, Mu, Pml};
        &[Self(Pml), Self(Ctl), Self(CtlStar), Self(Ltl), Self(Mu)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

/// How values are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Semantics {
    /// From the values of the parts
    Compositional,
    /// From all completions of the structure: true or false where all of them agree
    Thorough,
}

/// How linear formulas are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LtlReading(pub tertium_driver::LinearReading);

impl ValueEnum for LtlReading {
    fn value_variants<'a>() -> &'a [Self] {
        use tertium_driver::LinearReading::{Bg, BgTotal, Hyper, Tg, TgPnf};
        &[Self(Bg), Self(BgTotal), Self(Hyper), Self(Tg), Self(TgPnf)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        use tertium_driver::LinearReading::{Bg, BgTotal, Hyper, Tg, TgPnf};
        let help = match self.0 {
            Bg => "false only by a path of certain steps",
            BgTotal => "the same, and every concrete state has a successor",
            Hyper => "false also by a strategy over hyper-must edges",
            Tg => "step values multiplied into the operators; its false is unsound",
            TgPnf => "step values multiplied into the negation's normal form",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// What deadlocks mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlockName(pub tertium_driver::Deadlock);

impl ValueEnum for DeadlockName {
    fn value_variants<'a>() -> &'a [Self] {
        use tertium_driver::Deadlock::{Forbid, Maximal, Mu, Total};
        &[Self(Mu), Self(Maximal), Self(Total), Self(Forbid)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        use tertium_driver::Deadlock::{Forbid, Maximal, Mu, Total};
        let help = match self.0 {
            Mu => "AX holds there, EX does not; paths are infinite",
            Maximal => "it ends a finite maximal path",
            Total => "the concrete system has none",
            Forbid => "an error in the model",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// What happens to parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Parameters {
    /// All instances at once
    On,
    /// What depends on a parameter is unknown
    Off,
    /// Programs: a parameter for each branch whose direction is not known, where that is sound
    Literal,
}

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// The fastest one that fits
    Auto,
    /// Labels states with sub-formulas
    Explicit,
    /// Two-valued runs, one per join-irreducible truth value
    Reduction,
    /// Products with automata, for linear formulas
    Automata,
    /// Parity games
    Game,
    /// Sets of states as decision diagrams
    Symbolic,
}

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

/// A number of threads.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(number) if (1..=256).contains(&number) => Ok(number),
        _ => Err("a number from 1 to 256 is wanted".to_owned()),
    }
}

/// How to write results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One document
    Json,
    /// One line per result, as soon as it is known
    Ndjson,
    /// For code scanning services
    Sarif,
    /// For build servers
    Junit,
}

/// How to write what is not a list of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlainFormat {
    /// For people
    Text,
    /// One document
    Json,
}

impl From<PlainFormat> for Format {
    fn from(format: PlainFormat) -> Self {
        match format {
            PlainFormat::Text => Self::Text,
            PlainFormat::Json => Self::Json,
        }
    }
}

/// What counts as a failure besides false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// An unknown or a stopped run
    Unknown,
    /// A property that holds for a reason that says little
    Vacuous,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal that can
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What a structure can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Graphviz: may dashed, must solid
    Dot,
    /// Aldebaran
    Aut,
    /// The structure format for people
    Kmts,
    /// The structure format for scripts
    Json,
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
