//! Work on the project itself: `mutants`, do the tests notice soundness bugs; `site`, the documentation as a site; `vsix`, the extension for Visual Studio Code.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]

mod mutants;
mod site;
mod vsix;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    match words.next().as_deref() {
        Some("mutants") => mutants::command(words),
        Some("site") => site::command(words),
        Some("vsix") => vsix::command(words),
        _ => {
            eprintln!(
                "usage: xtask mutants [OPTION]… | xtask {} | xtask {}\n\n{}",
                site::HELP,
                vsix::HELP,
                mutants::HELP
            );
            ExitCode::from(2)
        }
    }
}
