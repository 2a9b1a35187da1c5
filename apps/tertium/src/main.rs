//! Tertium on the command line: arguments, progress, exit codes.
//!
//! Nothing is decided here; `driver` decides and `report` words it.

mod args;
mod commands;
mod exit;
mod faults;
mod lsp;
mod progress;
mod terminal;
mod units;

use std::process::ExitCode;

use clap::Parser;
use tertium_base::memory::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    faults::catch(|| commands::run(args::Cli::parse())).into()
}
