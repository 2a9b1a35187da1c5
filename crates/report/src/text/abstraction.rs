//! An abstraction as text: predicates, the program over truth values, counts.

use super::check::heading;
use super::counted;
use crate::abstraction::{AbstractReport, ErrorTraceView};
use crate::style::{Role, Style, safe};

/// The abstraction. `description` stands above it; without one only the counts are told.
#[must_use]
pub fn abstraction(report: &AbstractReport, description: Option<&str>, style: Style) -> String {
    let mut text = String::new();
    if let Some(description) = description {
        text.push_str(&heading(&report.input.file, description, style));
        predicates(report, style, &mut text);
        steps(report, style, &mut text);
        report.error_traces.iter().for_each(|trace| error_trace(trace, style, &mut text));
    }
    let edges = report.edges;
    let mut kinds = vec![format!("{} certain", edges.must)];
    for (number, what) in [(edges.may, "possible"), (edges.merged, "into merged states"), (edges.hyper, "certain sets")]
    {
        if number > 0 {
            kinds.push(format!("{number} {what}"));
        }
    }
    let rows = [
        ("kind", report.kind.to_owned()),
        ("predicates", report.predicates.len().to_string()),
        ("states", format!("{} ({} initial)", report.states, report.initial)),
        ("edges", kinds.join(", ")),
        ("solver calls", calls(report)),
    ];
    for (name, value) in rows {
        text.push_str(&format!("  {name:<14}{}\n", style.paint(Role::Strong, &value)));
    }
    if report.gave_up > 0 {
        text.push_str(&format!(
            "  {:<14}{}\n",
            "gave up",
            counted(usize::try_from(report.gave_up).unwrap_or(usize::MAX), "time")
        ));
    }
    if description.is_some() {
        let cost = format!("{}, {} ms", report.solver, report.time_ms);
        text.push_str(&format!("\n  {}\n", style.paint(Role::Faint, &cost)));
    }
    text
}

fn calls(report: &AbstractReport) -> String {
    let parts: Vec<String> = report.calls.0.iter().map(|(purpose, number)| format!("{purpose} {number}")).collect();
    if parts.is_empty() {
        return report.solver_calls.to_string();
    }
    format!("{} ({})", report.solver_calls, parts.join(", "))
}

fn predicates(report: &AbstractReport, style: Style, text: &mut String) {
    for (at, predicate) in report.predicates.iter().enumerate() {
        let name = format!("B{}", at + 1);
        text.push_str(&format!("  {}  {}\n", style.paint(Role::Strong, &format!("{name:<4}")), safe(predicate)));
    }
    for (variable, why) in &report.kept.0 {
        text.push_str(&format!("  {variable} stays concrete: {why}\n"));
    }
    for (variable, why) in &report.tainted.0 {
        text.push_str(&format!("  {} is abstract: {}\n", safe(variable), safe(why)));
    }
    if !report.invariants.is_empty() {
        text.push_str(&format!("  always: {}\n", safe(&report.invariants.join(", "))));
    }
    text.push('\n');
}

fn steps(report: &AbstractReport, style: Style, text: &mut String) {
    let mut process = "";
    text.push_str(&format!("  {}  {}\n\n", style.paint(Role::Strong, "initially"), safe(&report.initially)));
    for step in &report.steps {
        if step.process != process {
            process = &step.process;
            text.push_str(&format!("  {}\n", style.paint(Role::Strong, &safe(process))));
        }
        text.push_str(&format!("    {:<10} {}\n", format!("{}:", safe(&step.at)), safe(&step.statement)));
        let guard = match (step.guard.as_str(), step.exact) {
            ("T", true) => String::new(),
            (guard, true) => format!("when {guard}"),
            (guard, false) => format!("at most when {guard}"),
        };
        let mut parts: Vec<String> = Vec::new();
        parts.extend((!guard.is_empty()).then_some(guard));
        parts.extend(step.assignments.iter().cloned());
        if parts.is_empty() {
            parts.push("skip".to_owned());
        }
        parts.push(format!("goto {}", step.to));
        for part in parts {
            text.push_str(&format!("               {}\n", safe(&part)));
        }
    }
    if !report.steps.is_empty() {
        text.push('\n');
    }
}

/// The path, and beside it where else its steps may lead.
fn error_trace(trace: &ErrorTraceView, style: Style, text: &mut String) {
    let title = format!("error trace  {}: {}", safe(&trace.property), safe(&trace.formula));
    text.push_str(&format!("  {}\n", style.paint(Role::Strong, &title)));
    for (number, step) in trace.steps.iter().enumerate() {
        let statement = step.statement.as_deref().unwrap_or("start");
        text.push_str(&format!("  {number:>4}  {}\n", safe(statement)));
        let sure = if step.certain { "" } else { "   (not certain)" };
        text.push_str(&format!("        {}  {}{sure}\n", safe(&step.places), safe(&step.values)));
        for other in &step.others {
            text.push_str(&format!("        |- or {}\n", safe(other)));
        }
        for (predicate, before) in &step.open.0 {
            text.push_str(&format!("        |  {} := ?   true after it if {}\n", safe(predicate), safe(before)));
        }
    }
    text.push_str(match trace.deterministic {
        true => "        every step is certain: it is a run of the program\n\n",
        false => "        it may be no run of the program\n\n",
    });
}
