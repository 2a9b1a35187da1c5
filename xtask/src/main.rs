//! Work on the project itself. One command so far: `mutants`, do the tests notice soundness bugs?
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]

mod mutants;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    match words.next().as_deref() {
        Some("mutants") => mutants::command(words),
        _ => {
            eprintln!("usage: xtask mutants [OPTION]…\n\n{}", mutants::HELP);
            ExitCode::from(2)
        }
    }
}
