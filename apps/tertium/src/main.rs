//! Tertium on the command line: arguments, progress, exit codes.
//!
//! Nothing is decided here; `driver` decides and `report` words it.

mod args;
mod commands;
mod evidence;
mod exit;
mod failing;
mod faults;
mod files;
mod lsp;
mod progress;
mod signals;
mod system;
mod terminal;
mod units;
mod watchdog;

use std::process::ExitCode;

use tertium_base::memory::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    let code = faults::catch(commands::from_command_line);
    watchdog::over();
    terminal::code_with_losses(code).into()
}
