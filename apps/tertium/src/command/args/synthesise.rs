//! What can be typed after `tertium synthesise`?

use std::path::PathBuf;

use clap::Args;

use super::limits::Limits;
use super::output::{Look, PlainFormat};
use super::text::TextArgs;

const EXAMPLES: &str = "\
Examples:
  tertium synthesise arbiter.gcl --for system -o controlled.gcl
  tertium synthesise game.kmts --for system --only safe -o controlled.kmts
  tertium synthesise game.kmts --certificate game.cert.json  and a proof of who wins
  tertium check controlled.gcl                              the closed loop is an ordinary input
  tertium simulate spoiler.gcl --interactive                play against the environment's strategy

Exit codes: 0 there is a controller, 10 the others can prevent it, 5 not known or stopped early, 2 bad input.";

/// Options of `synthesise`.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct SynthesiseArgs {
    /// The game: a structure whose states have owners (`.kmts`, `.json`), or a finite program (`.gcl`)
    pub file: PathBuf,
    /// What its text is.
    #[command(flatten)]
    pub text: TextArgs,
    /// For whom a strategy is sought: an owner of states, a process, `system` or `environment`
    #[arg(long = "for", value_name = "PLAYER", default_value = "system")]
    pub player: String,
    /// An objective, as `FORMULA` or `NAME: FORMULA` of LTL; may be repeated [default: all properties in the file]
    #[arg(short, long = "property", value_name = "FORMULA")]
    pub properties: Vec<String>,
    /// Only the property of the file with this name; may be repeated
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Where to write the closed loop of the strategy that wins: `.kmts`, `.json`, or `.gcl` with a process for each player [default: after the answer, as `.kmts`]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where to write a certificate of who wins, as an answer to `<<PLAYER>> (objectives)`, which `certify` accepts
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Where to write a page for a browser: the game and the closed loop of the strategy that wins
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
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
