//! Answers beside counts, as text.

use crate::build;
use crate::questions::{AnswersReport, QuestionResult};
use crate::style::{Role, Style, safe};

/// A line for each answer, with its run, and the names of the questions that were not asked.
pub(super) fn questions(results: &[QuestionResult], not_asked: &[String], style: Style) -> String {
    let mut text = String::new();
    for result in results {
        let role = match result.value {
            "true" => Role::Strong,
            "false" => Role::Bad,
            _ => Role::Open,
        };
        let steps = result.steps.map_or(String::new(), |steps| format!("  after {steps} steps"));
        text.push_str(&format!("  {:<7} {}{steps}\n", style.paint(role, result.value), safe(&result.name)));
        if let Some(run) = &result.run {
            super::run(run, style).lines().for_each(|line| text.push_str(&format!("    {line}\n")));
        }
        for reason in &result.reasons {
            text.push_str(&format!("    because {}\n", safe(&build::explanation(reason))));
        }
    }
    if !not_asked.is_empty() {
        let names: Vec<String> = not_asked.iter().map(|name| safe(name)).collect();
        text.push_str(&format!("  not asked here: {} (`tertium check` decides them)\n", names.join(", ")));
    }
    text
}

/// The counts of a search on disk, and the answers. `description` stands above them; without it they stand alone.
#[must_use]
pub fn answers(report: &AnswersReport, description: Option<&str>, style: Style) -> String {
    let mut text = super::explore(&report.counts, description, style);
    text.push_str(&questions(&report.results, &report.not_asked, style));
    if let (Some(_), Some(bytes)) = (description, report.disk_bytes) {
        let cost = format!("{bytes} bytes on disk");
        text.push_str(&format!("  {}\n", style.paint(Role::Faint, &cost)));
    }
    text
}
