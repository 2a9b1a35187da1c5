//! How do scripts learn that there is no result?
//!
//! What the command line asks for is kept here once, before anything can go wrong. A command that fails then writes a document
//! in the shape that was asked for, besides the message for people on standard error.

use std::sync::{Mutex, PoisonError};

use tertium_driver::Located;
use tertium_report::failure::{self, DiagnosticView, ErrorView, FailureReport};
use tertium_report::json;
use tertium_report::view::Input;

use crate::command::args::Format;
use crate::command::terminal::{self, Stream};

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct RequestedOutput {
    /// How results are to be written.
    pub format: Format,
    /// The file that they are about.
    pub file: Option<Input>,
}

static ASKED: Mutex<Option<RequestedOutput>> = Mutex::new(None);

/// Keeps what the command line asks for.
pub fn remember(asked: RequestedOutput) {
    *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(asked);
}

/// From now on failures are about this file.
pub fn about(file: Input) {
    if let Some(asked) = ASKED.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        asked.file = Some(file);
    }
}

/// Messages as documents have them.
#[must_use]
pub fn diagnostics(messages: &[Located]) -> Vec<DiagnosticView> {
    messages.iter().map(|message| failure::diagnostic(&message.diagnostic, message.source.as_deref())).collect()
}

/// Writes the document about a failure, if one was asked for.
pub fn write_document(error: ErrorView) {
    let asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(asked) = &asked else { return };
    let file = asked.file.as_ref().map(|input| input.file.clone());
    let report = FailureReport::new(env!("CARGO_PKG_VERSION"), file, error);
    let text = match asked.format {
        Format::Text => return,
        Format::Json => json::document(&report),
        Format::Ndjson => format!("{}{}", header(asked, &report), failure::line(&report)),
        Format::Sarif => failure::sarif(&report),
        Format::Junit => failure::junit(&report),
    };
    terminal::write(Stream::Out, &text);
}

/// The first line, unless the run has come to write it.
fn header(asked: &RequestedOutput, report: &FailureReport) -> String {
    match &asked.file {
        Some(input) if !terminal::has_written() => json::header_line(&report.tool, input),
        _ => String::new(),
    }
}

/// The format that arguments ask for which could not be understood as a whole.
#[must_use]
pub fn format_in(arguments: &[String]) -> Format {
    let named = |word: &str| match word {
        "json" => Some(Format::Json),
        "ndjson" => Some(Format::Ndjson),
        "sarif" => Some(Format::Sarif),
        "junit" => Some(Format::Junit),
        _ => None,
    };
    let value = arguments.iter().enumerate().rev().find_map(|(at, word)| match word.strip_prefix("--format") {
        Some("") => arguments.get(at + 1).map(String::as_str),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    });
    value.and_then(named).unwrap_or(Format::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_found_in_any_arguments() {
        let found = |text: &str| format_in(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(found("check x --nonsense --format json"), Format::Json);
        assert_eq!(found("check x --format=sarif -z"), Format::Sarif);
        assert_eq!(found("check x --format nonsense"), Format::Text);
        assert_eq!(found("check x --format"), Format::Text);
    }
}
