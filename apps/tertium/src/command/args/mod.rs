//! What can be typed after `tertium`?
//!
//! One file and one struct per command; help, completions and the manual page are made from their comments. What several
//! commands share is in `names` (logics, engines), `output` (formats, looks) and `values` (how a value is read).
//!
//! Not here: what the options do (`commands`), and units (`units`).

mod abstraction;
mod certify;
mod check;
mod cluster;
mod compare;
mod complete;
mod explore;
mod export;
mod fmt;
mod formula;
mod limits;
mod lsp;
mod merge;
mod names;
mod output;
mod reduce;
mod simulate;
mod synthesise;
mod text;
mod values;
mod view;

use clap::{Parser, Subcommand};

pub use self::abstraction::{AbstractArgs, AbstractTarget, Abstraction, AbstractionArgs, ApproximationSide, MustName};
pub use self::certify::CertifyArgs;
pub use self::check::CheckArgs;
pub use self::cluster::ClusterArgs;
pub use self::compare::CompareArgs;
pub use self::complete::CompleteArgs;
pub use self::explore::{DeviceName, ExploreArgs, SearchName, StepsName};
pub use self::export::{ExportArgs, ExportTarget};
pub use self::fmt::FmtArgs;
pub use self::formula::FormulaArgs;
pub use self::limits::Limits;
pub use self::lsp::LspArgs;
pub use self::merge::{MergeArgs, OverName};
pub use self::names::{EngineName, Parameters, Semantics, StoreName};
pub use self::output::{Certificates, Colour, FailOn, Format, PlainFormat};
pub use self::reduce::{QuotientName, ReduceArgs, SatArgs};
pub use self::simulate::SimulateArgs;
pub use self::synthesise::SynthesiseArgs;
pub use self::text::{LanguageName, STANDARD_INPUT, TextArgs};
pub use self::view::ViewArgs;

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
    /// Merge two viewpoints of one system, and list where they disagree
    Merge(MergeArgs),
    /// Merge the states of a structure that cannot be told apart
    Reduce(ReduceArgs),
    /// Decide what a partial model leaves open, so that its properties hold
    Complete(CompleteArgs),
    /// Find a controller for one player of a game, or what the others do against it
    Synthesise(SynthesiseArgs),
    /// Find a structure that satisfies a formula
    Sat(SatArgs),
    /// Count the states of a program, and write its graph
    Explore(ExploreArgs),
    /// Count the states of a program with several processes, and decide what single states break
    Cluster(ClusterArgs),
    /// Show what predicates make of a program, or blocks of states of a structure
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
    #[command(after_long_help = lsp::LSP_NOTE)]
    Lsp(LspArgs),
    /// Check models on behalf of an assistant over standard input and output (Model Context Protocol)
    #[command(after_long_help = MCP_NOTE)]
    Mcp,
    /// Tell what a message means and what to do about it
    #[command(after_long_help = "Examples:\n  tertium explain E0343")]
    Explain {
        /// The code of the message
        code: String,
    },
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

const MCP_NOTE: &str = "\
Assistants start this themselves; their settings name the command `tertium` with the argument `mcp`. Its tools are check,
explain, simulate, format and list_properties; no file is written. Each call is a process of its own, with a limit of 60 s
unless it names another.";

const COMPLETION_EXAMPLES: &str = "\
Examples:
  tertium completions bash > ~/.local/share/bash-completion/completions/tertium
  tertium completions zsh > ~/.zfunc/_tertium
  tertium completions fish > ~/.config/fish/completions/tertium.fish";
