//! Where does text go, and in which colours?
//!
//! Results go to standard output, everything else to standard error. A reader that has gone away (a
//! closed pipe) ends the run quietly instead of with a fault.

use std::io::{IsTerminal, Write};

use crate::args::Colour;

/// Which stream a text is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Results.
    Out,
    /// Messages and progress.
    Err,
}

/// Whether to colour what goes to a stream.
///
/// `--color` decides; else `NO_COLOR` and `CLICOLOR_FORCE`; else whether the stream is a terminal that
/// is not `dumb`.
#[must_use]
pub fn coloured(choice: Colour, stream: Stream) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_on = |name: &str| is_set(name) && std::env::var_os(name).is_some_and(|value| value != "0");
    match choice {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if is_set("NO_COLOR") => false,
        Colour::Auto if is_on("CLICOLOR_FORCE") => true,
        Colour::Auto if std::env::var_os("CLICOLOR").is_some_and(|value| value == "0") => false,
        Colour::Auto => is_terminal(stream) && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// Whether a person sees the stream as it is written.
#[must_use]
pub fn is_terminal(stream: Stream) -> bool {
    match stream {
        Stream::Out => std::io::stdout().is_terminal(),
        Stream::Err => std::io::stderr().is_terminal(),
    }
}

/// Writes text; a stream that cannot be written to any more is nobody's fault.
pub fn write(stream: Stream, text: &str) {
    let _ = match stream {
        Stream::Out => write_all(anstream::AutoStream::always(std::io::stdout()), text),
        Stream::Err => write_all(anstream::AutoStream::always(std::io::stderr()), text),
    };
}

fn write_all(mut to: impl Write, text: &str) -> std::io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}
