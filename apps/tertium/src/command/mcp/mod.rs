//! `tertium mcp`: checking models on behalf of an assistant, over the Model Context Protocol.
//!
//! Messages are JSON-RPC 2.0, one to a line of standard input and output ([`server`]). Every tool ([`tools`]) is a command of this program, and every call of
//! one a process of its own ([`call`]): it has its own limits on time and memory, what goes wrong in it ends nothing else, and what it answers is
//! what the command line answers. Calls run side by side; a call that is cancelled is ended.
//!
//! Nothing is decided here, and no file is written.

mod call;
mod server;
mod tools;

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::sync::{Mutex, PoisonError};

use crate::command::exit;

/// How this program is started, if not by its own file: within another program, that program and its arguments.
static STARTED_BY: Mutex<Option<Vec<OsString>>> = Mutex::new(None);

/// Says how this program is started again.
pub fn started_by(words: Vec<OsString>) {
    *STARTED_BY.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
}

/// The words that start this program.
fn own_command() -> io::Result<Vec<OsString>> {
    let said = STARTED_BY.lock().unwrap_or_else(PoisonError::into_inner).clone();
    said.map_or_else(|| Ok(vec![std::env::current_exe()?.into_os_string()]), Ok)
}

/// Serves an assistant on standard input and output until its input ends.
pub fn run() -> u8 {
    match server::serve(BufReader::new(io::stdin().lock()), io::stdout()) {
        Ok(()) => exit::ALL_HOLD,
        // Nobody listens any more.
        Err(_) => exit::BAD_INPUT,
    }
}
