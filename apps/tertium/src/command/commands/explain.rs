//! `tertium explain`: what does a message mean, and what is to be done about it?
//!
//! The page of all messages is part of the program, so that it is there wherever the program is.

use tertium_base::Diagnostic;

use crate::command::args::Colour;
use crate::command::exit;
use crate::command::terminal::{self, Stream};

/// The page of all messages.
const PAGE: &str = include_str!("../../../../../docs/errors.md");

/// Runs the command.
pub fn run(code: &str) -> u8 {
    match entry(code) {
        Some(text) => {
            terminal::write(Stream::Out, &text);
            exit::ALL_HOLD
        }
        None => {
            let mistake = Diagnostic::error("E0356", format!("there is no message `{code}`"))
                .help("codes are such as `E0343` and `W0308`; docs/errors.md lists them all");
            super::fail(&mistake.into(), Colour::Auto)
        }
    }
}

/// The entry of a code, with its heading.
pub fn entry(code: &str) -> Option<String> {
    let code = code.trim().to_ascii_uppercase();
    let mut lines = PAGE.lines().skip_while(|line| {
        line.strip_prefix("### ").and_then(|heading| heading.split_once(':')).is_none_or(|(known, _)| known != code)
    });
    let heading = lines.next()?.trim_start_matches("### ");
    let body: Vec<&str> = lines.take_while(|line| !line.starts_with('#')).collect();
    Some(format!("{heading}\n\n{}\n", body.join("\n").trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_the_page_is_found() {
        let codes: Vec<&str> = (PAGE.lines().filter_map(|line| line.strip_prefix("### ")))
            .filter_map(|heading| Some(heading.split_once(':')?.0))
            .collect();
        assert!(codes.len() > 200, "{} codes", codes.len());
        for code in codes {
            let text = entry(&code.to_lowercase()).unwrap_or_else(|| panic!("{code} is not found"));
            assert!(text.starts_with(code) && text.lines().count() > 2, "{code}: {text}");
        }
        assert_eq!(entry("E9999"), None);
    }
}
