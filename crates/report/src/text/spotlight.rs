//! A spotlight abstraction as text: its processes, its parameters, its states with their steps.

use super::check::heading;
use super::counted;
use crate::spotlight::{SpotStateView, SpotStepView, SpotlightReport};
use crate::style::{Role, Style, safe};

/// With more states than this they are listed only if asked for.
const MOST_LISTED: usize = 60;

/// The report as text; `description` is left out for `-q`.
#[must_use]
pub fn spotlight(report: &SpotlightReport, description: Option<&str>, style: Style) -> String {
    let mut text = String::new();
    let row = |name: &str, value: String| format!("  {name:<14}{}\n", style.paint(Role::Strong, &safe(&value)));
    if let Some(description) = description {
        text.push_str(&heading(&report.input.file, description, style));
    }
    text.push_str(&row("spotlight", report.spotlight.join(", ")));
    text.push_str(&row("shade", some(&report.shade)));
    if !report.predicates.is_empty() {
        text.push_str(&row("predicates", report.predicates.join(", ")));
    }
    for (at, meaning) in report.parameters.iter().enumerate() {
        let name = if at == 0 { "parameters" } else { "" };
        text.push_str(&row(name, format!("x{} = {meaning}", at + 1)));
    }
    text.push('\n');
    if description.is_some() {
        list(report, style, &mut text);
    }
    let certain = steps(report).filter(|step| step.value == "t").count();
    let open = steps(report).filter(|step| step.value == "u").count();
    let depend = steps(report).count() - certain - open;
    let mut kinds = vec![format!("{certain} certain"), format!("{open} possible")];
    kinds.extend((depend > 0).then(|| format!("{depend} that parameters decide")));
    kinds.extend(Some(report.certain_sets.len()).filter(|sets| *sets > 0).map(|sets| counted(sets, "certain set")));
    text.push_str(&row("states", report.states.len().to_string()));
    text.push_str(&row("steps", kinds.join(", ")));
    text.push_str(&row("solver calls", report.solver_calls.to_string()));
    if report.gave_up > 0 {
        text.push_str(&row("gave up", counted(usize::try_from(report.gave_up).unwrap_or(usize::MAX), "time")));
    }
    if description.is_some() {
        let cost = format!("{}, {} ms", report.solver, report.time_ms);
        text.push_str(&format!("\n  {}\n", style.paint(Role::Faint, &cost)));
    }
    text
}

fn steps(report: &SpotlightReport) -> impl Iterator<Item = &SpotStepView> {
    report.states.iter().flat_map(|state| &state.steps)
}

/// At most three names, and how many there are.
fn some(names: &[String]) -> String {
    match names {
        [] => "nobody".to_owned(),
        [first, second, _, _, ..] => format!("{first}, {second}, … ({} processes)", names.len()),
        names => names.join(", "),
    }
}

fn list(report: &SpotlightReport, style: Style, text: &mut String) {
    if report.states.len() > MOST_LISTED && !style.verbose {
        text.push_str(&format!("  {} states; -v lists them\n\n", report.states.len()));
        return;
    }
    for (number, state) in report.states.iter().enumerate() {
        let name = style.paint(Role::Strong, &format!("{:<5}", format!("s{number}")));
        text.push_str(&format!("  {name}{}\n", safe(&named(report, state))));
        for step in &state.steps {
            let who = match (&step.statement, step.by.as_slice()) {
                (Some(statement), by) => format!("{}: {statement}", by.join(", ")),
                (None, []) => "(nobody can step)".to_owned(),
                (None, by) if by.len() == report.shade.len() => "(shade)".to_owned(),
                (None, by) => format!("(shade) {}", some(by)),
            };
            text.push_str(&format!("       {:<4} -> s{:<4}{}\n", step.value, step.target, safe(&who)));
        }
        for set in report.certain_sets.iter().filter(|set| set.from == number) {
            let members: Vec<String> = set.members.iter().map(|member| format!("s{member}")).collect();
            text.push_str(&format!("       t    => {{{}}}\n", members.join(", ")));
        }
    }
    text.push('\n');
}

fn named(report: &SpotlightReport, state: &SpotStateView) -> String {
    let bracketed = |name: &String| match name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true => name.clone(),
        false => format!("({name})"),
    };
    let labels = report.predicates.iter().zip(&state.labels).map(|(name, value)| match value.as_str() {
        "t" => name.clone(),
        "f" => format!("!{}", bracketed(name)),
        value => format!("{}={value}", bracketed(name)),
    });
    let parts: Vec<String> = state.places.iter().cloned().chain(labels).collect();
    parts.join("  ")
}
