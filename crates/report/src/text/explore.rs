//! Counts as a small table.

use super::check::heading;
use crate::build;
use crate::explore::ExploreReport;
use crate::style::{Role, Style, safe};

/// The counts, and why they are not all. `description` stands above them, and what they cost below; without it they
/// stand alone.
#[must_use]
pub fn explore(report: &ExploreReport, description: Option<&str>, style: Style) -> String {
    let mut text = String::new();
    if let Some(description) = description {
        text.push_str(&heading(&report.input.file, description, style));
    }
    let complete = if report.complete { "yes" } else { "no" };
    let rows = [
        ("states", report.states.to_string(), Role::Strong),
        ("transitions", report.transitions.to_string(), Role::Strong),
        ("depth", report.depth.to_string(), Role::Strong),
        ("deadlocks", report.deadlocks.to_string(), if report.deadlocks > 0 { Role::Bad } else { Role::Strong }),
        ("errors", report.errors.to_string(), if report.errors > 0 { Role::Bad } else { Role::Strong }),
        ("complete", complete.to_owned(), if report.complete { Role::Strong } else { Role::Open }),
    ];
    for (name, value, role) in rows {
        text.push_str(&format!("  {name:<13}{}\n", style.paint(role, &value)));
    }
    for reason in &report.reasons {
        text.push_str(&format!("  {:<13}{}\n", "because", safe(&build::explanation(reason))));
        text.push_str(&format!("  {:<13}{}\n", "to do", safe(&build::advice(reason))));
    }
    if let Some(stopped) = report.stopped {
        text.push_str(&format!("  {:<13}{stopped}\n", "stopped"));
    }
    if description.is_none() {
        return text;
    }
    let preparation = report.preparation_ms.map_or(String::new(), |ms| format!(" after {ms} ms to prepare the device"));
    let cost = format!(
        "{} ms{preparation}, {} states/s, {} kB stored, {} bytes a state before that",
        report.time_ms - report.preparation_ms.unwrap_or(0).min(report.time_ms),
        report.states_per_second,
        report.memory_bytes >> 10,
        report.state_bytes
    );
    text.push_str(&format!("\n  {}\n", style.paint(Role::Faint, &cost)));
    text
}
