//! What several processes found together, as text.

use crate::cluster::ClusterReport;
use crate::style::{Role, Style};

/// The answers, the counts, and what they cost. `description` stands above them; without it they stand alone.
#[must_use]
pub fn cluster(report: &ClusterReport, description: Option<&str>, style: Style) -> String {
    let mut text = super::explore(&report.counts, description, style);
    text.push_str(&super::questions(&report.results, &report.not_asked, style));
    if description.is_some() {
        let states = report.counts.states.max(1) as f64;
        let cost = format!(
            "{} threads in {} processes, {:.2} states and {:.1} bytes sent for each state",
            report.workers,
            report.processes,
            report.rows_sent as f64 / states,
            report.network_bytes as f64 / states
        );
        text.push_str(&format!("  {}\n", style.paint(Role::Faint, &cost)));
    }
    text
}
