//! What can be typed after `tertium cluster`?

use std::path::PathBuf;

use clap::Args;

use super::limits::Limits;
use super::output::{Look, PlainFormat};
use super::text::TextArgs;
use super::values::at_least_one;
use crate::command::units::Duration;

const CLUSTER_EXAMPLES: &str = "\
Examples:
  tertium cluster protocol.pml -n 4                                    four processes on this machine
  tertium cluster protocol.pml --hosts hosts.txt --process 0           on the machine of the first line
  tertium cluster --hosts hosts.txt --process 1                        on the machine of the second line
  tertium cluster protocol.pml -n 4 --checkpoint states:5m             (and after a reboot: --resume states)

The hosts are `host:port`, one a line. Every process gets the program from process 0. The network is trusted: nothing is
encrypted, and nobody proves who he is.

Exit codes: 0 all hold, 10 some false, 5 some open or not asked, 2 bad input or a process was lost.";

/// Options of `cluster`.
#[derive(Args, Debug)]
#[command(after_long_help = CLUSTER_EXAMPLES)]
pub struct ClusterArgs {
    /// The program, in `.gcl` or `.pml`; for process 0 only, the others get it from there
    pub file: Option<PathBuf>,
    /// What its text is.
    #[command(flatten)]
    pub text: TextArgs,
    /// Start so many processes on this machine
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_one, conflicts_with = "hosts")]
    pub processes: Option<usize>,
    /// A file with the addresses of all processes, `host:port`, one a line
    #[arg(long, value_name = "FILE", requires = "process")]
    pub hosts: Option<PathBuf>,
    /// Which line of the hosts is this process, from 0
    #[arg(long, value_name = "I", requires = "hosts")]
    pub process: Option<usize>,
    /// How many threads work in each process
    #[arg(long, value_name = "N", value_parser = at_least_one, default_value = "1")]
    pub workers: usize,
    /// How long to wait for the other processes
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub patience: Duration,
    /// Treat every process weakly fairly
    #[arg(long)]
    pub fair: bool,
    /// Stop after a level with this many states [default: 1000000 if a variable has no bounds, else none]
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,
    /// Write down in this folder how far the search is, every process its own part, so that `--resume` goes on with it; every process needs this
    /// option. `DIR:EVERY` says how often, for example `states:5m` [default: every minute]
    #[arg(long, value_name = "DIR[:EVERY]", conflicts_with = "resume")]
    pub checkpoint: Option<String>,
    /// Go on with the search that as many processes have written down in this folder, and write there
    #[arg(long, value_name = "DIR[:EVERY]")]
    pub resume: Option<String>,
    /// How long, and with how much memory in each process.
    #[command(flatten)]
    pub limits: Limits,
    /// How to write the result
    #[arg(long, value_enum, default_value_t = PlainFormat::Text, help_heading = "Output")]
    pub format: PlainFormat,
    /// How text looks.
    #[command(flatten)]
    pub look: Look,
}
