//! The exit codes, which scripts rely on.

use tertium_report::view::{CheckReport, Verdict};

/// All properties hold.
pub const ALL_HOLD: u8 = 0;
/// Some property is false.
pub const SOME_FALSE: u8 = 10;
/// None is false; some are unknown, or the run was stopped.
pub const SOME_OPEN: u8 = 5;
/// Bad usage or input.
pub const BAD_INPUT: u8 = 2;
/// A fault of this program.
pub const INTERNAL: u8 = 6;
/// The user pressed Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// The code for a finished check.
#[must_use]
pub fn of_check(report: &CheckReport) -> u8 {
    if report.results.iter().any(|view| view.stopped == Some("interrupted")) {
        return INTERRUPTED;
    }
    match report.results.iter().map(|view| view.verdict).max() {
        None | Some(Verdict::Success) => ALL_HOLD,
        Some(Verdict::Open) => SOME_OPEN,
        Some(Verdict::Failure) => SOME_FALSE,
    }
}
