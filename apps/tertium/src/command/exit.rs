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

/// How bad a code is beside others: the worst of several is told.
#[must_use]
pub const fn severity(code: u8) -> u8 {
    match code {
        ALL_HOLD => 0,
        SOME_OPEN => 1,
        SOME_FALSE => 2,
        INTERRUPTED => 3,
        BAD_INPUT => 4,
        _ => 5,
    }
}

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
