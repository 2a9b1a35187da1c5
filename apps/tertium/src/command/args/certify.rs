//! What can be typed after `tertium certify`?

use std::path::PathBuf;

use clap::Args;

use super::limits::Limits;
use super::names::{DeadlockName, LogicName, LtlReading};
use super::output::{Look, PlainFormat};
use super::values::definition;

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
