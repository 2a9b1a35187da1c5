//! The command line: arguments, progress, exit codes.
//!
//! Nothing is decided here; `driver` decides and `report` words it. It is part of the library so that other programs can have the command, too:
//! [`main`] is all of it, [`documents`] answers as it does without writing anywhere.

mod args;
mod commands;
pub mod documents;
mod evidence;
mod exit;
mod failing;
mod faults;
mod files;
mod line_editor;
mod lsp;
mod mcp;
mod progress;
mod signals;
mod system;
mod terminal;
mod units;
mod watchdog;

use std::ffi::OsString;

pub use mcp::started_by;

/// Does what was typed, the program's name first, and returns the exit code.
#[must_use]
pub fn main(words: Vec<OsString>) -> u8 {
    let code = faults::catch(|| commands::from_command_line(words));
    watchdog::over();
    terminal::code_with_losses(code)
}
