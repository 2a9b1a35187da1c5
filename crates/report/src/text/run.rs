//! A run as a compact table: one line a step, changed labels or values only.

use super::lanes;
use crate::style::{Role, Style, safe};
use crate::view::{RepeatsView, RunView, StepView, TakenView};

/// Longer runs are shown in part unless the user asks for all of it.
const LONGEST_SHOWN: usize = 24;
/// More labels than this on one line are cut.
const MOST_LABELS: usize = 10;

/// The table; lines end in newlines and are not indented.
#[must_use]
pub fn table(run: &RunView, style: Style) -> String {
    if run.steps.iter().any(|step| step.values.is_some()) {
        return program_table(run, style);
    }
    let width = run.steps.iter().map(|step| safe(&step.state).chars().count()).max().unwrap_or(0).min(30);
    let digits = run.steps.len().saturating_sub(1).to_string().len();
    let mut text = String::new();
    let mut previous: Option<&StepView> = None;
    for (at, step) in run.steps.iter().enumerate() {
        if hidden(at, run, style) {
            if !hidden(at - 1, run, style) {
                let count = (at..run.steps.len()).take_while(|&at| hidden(at, run, style)).count();
                let line = format!("{:>digits$}  ({count} more steps; -v shows them)", "..");
                text.push_str(&format!("{}\n", style.paint(Role::Faint, &line)));
            }
            previous = Some(step);
            continue;
        }
        let changes = changes(previous, step, style);
        let entry = if run.loop_start == Some(at) { " <- loop" } else { "" };
        let state = safe(&step.state);
        let line = format!("{at:>digits$}  {state:<width$}  {changes}");
        text.push_str(line.trim_end());
        text.push_str(&style.paint(Role::Strong, entry));
        text.push('\n');
        previous = Some(step);
    }
    if let Some(start) = run.loop_start {
        text.push_str(&style.paint(Role::Faint, &format!("{:>digits$}  back to step {start}, forever", "")));
        text.push('\n');
    }
    text
}

/// The run of a program: who does what in which line, and the values that change.
fn program_table(run: &RunView, style: Style) -> String {
    if let Some(ended) = without_rest(run) {
        return program_table(&ended, style);
    }
    let digits = run.steps.len().to_string().len();
    let told: Vec<String> = run.steps.iter().map(|step| step.step.as_ref().map_or_else(String::new, taken)).collect();
    let width = told.iter().map(|text| text.chars().count()).max().unwrap_or(0).min(WIDEST_STEP);
    let mut text = String::new();
    let mut previous: Option<&StepView> = None;
    for (at, step) in run.steps.iter().enumerate() {
        if hidden(at, run, style) {
            if !hidden(at - 1, run, style) {
                let count = (at..run.steps.len()).take_while(|&at| hidden(at, run, style)).count();
                let line = format!("{:>digits$}  ({count} more steps; -v shows them)", "..");
                text.push_str(&format!("{}\n", style.paint(Role::Faint, &line)));
            }
            previous = Some(step);
            continue;
        }
        let entry = if entered(run) == Some(at) { "  <- loop" } else { "" };
        let head = match told[at].as_str() {
            _ if at == 0 => "start",
            "" => "nothing can step",
            step => step,
        };
        let line = format!("{at:>digits$}  {head:<width$}  {}", changed_values(previous, step, style));
        text.push_str(line.trim_end());
        text.push_str(&style.paint(Role::Strong, entry));
        text.push('\n');
        for output in step.step.iter().filter_map(|step| step.output.as_deref()).flat_map(str::lines) {
            text.push_str(&format!("{:>digits$}  prints: {}\n", "", safe(output)));
        }
        previous = Some(step);
    }
    if let Some(start) = run.loop_start {
        let line = format!("{:>digits$}  as after step {start}, and so on forever", "");
        text.push_str(&format!("{}\n", style.paint(Role::Faint, &line)));
    }
    if let Some(repeats) = &run.repeats {
        for line in repeated(repeats) {
            text.push_str(&format!("{:>digits$}  {}\n", "", style.paint(Role::Faint, &line)));
        }
    }
    if style.verbose {
        text.push_str(&lanes::chart(run));
    }
    if let Some(end) = &run.end {
        let step = end.step.as_ref().map_or_else(String::new, |step| format!("{}  ", taken(step)));
        let number = if end.step.is_some() { run.steps.len().to_string() } else { String::new() };
        text.push_str(&format!("{number:>digits$}  {step}{}\n", style.paint(Role::Bad, &safe(&end.message))));
    }
    text
}

/// A run that ends in a fault, without the state in which it stays for ever then: the fault says why.
fn without_rest(run: &RunView) -> Option<RunView> {
    let start = run.loop_start?;
    let rests = run.end.is_some() && start + 2 == run.steps.len() && run.steps[start + 1].step.is_none();
    rests.then(|| RunView { steps: run.steps[..=start].to_vec(), loop_start: None, ..run.clone() })
}

/// Where the part of a run begins that goes on for ever.
fn entered(run: &RunView) -> Option<usize> {
    run.loop_start.or(run.repeats.as_ref().map(|repeats| repeats.from))
}

/// Why steps can be taken for ever although no state repeats.
pub(crate) fn repeated(repeats: &RepeatsView) -> Vec<String> {
    let (first, last) = (repeats.from + 1, repeats.from + repeats.steps);
    let which = if repeats.steps == 1 { format!("step {first}") } else { format!("steps {first} to {last}") };
    if repeats.whenever.is_empty() {
        return vec![format!("{which} can be taken again and again, whatever the values are")];
    }
    let conditions = safe(&repeats.whenever.join(" && "));
    vec![format!("repeats: whenever {conditions},"), format!("{which} can be taken, and it holds again")]
}

/// Statements wider than this do not push the values to the right.
const WIDEST_STEP: usize = 56;

fn taken(step: &TakenView) -> String {
    safe(&format!("{} line {}: {}", step.process, step.line, step.statement))
}

fn changed_values(previous: Option<&StepView>, step: &StepView, style: Style) -> String {
    let Some(values) = &step.values else { return String::new() };
    let before = previous.and_then(|step| step.values.as_ref());
    let changed = |(name, value): &&(String, String)| before.is_none_or(|before| before.get(name) != Some(value));
    let all: Vec<String> = values.0.iter().filter(changed).map(|(name, value)| assigned(name, value)).collect();
    if style.verbose || all.len() <= MOST_LABELS {
        return all.join(" ");
    }
    format!("{} (+{} values)", all[..MOST_LABELS].join(" "), all.len() - MOST_LABELS)
}

/// `x=3`; where a process is, `P@label`.
pub(super) fn assigned(name: &str, value: &str) -> String {
    if name.ends_with('@') { safe(&format!("{name}{value}")) } else { safe(&format!("{name}={value}")) }
}

fn hidden(at: usize, run: &RunView, style: Style) -> bool {
    let length = run.steps.len();
    !style.verbose
        && length > LONGEST_SHOWN
        && at >= LONGEST_SHOWN / 2
        && at < length - LONGEST_SHOWN / 2
        && entered(run) != Some(at)
}

fn changes(previous: Option<&StepView>, step: &StepView, style: Style) -> String {
    let changed =
        |(prop, value): &&(String, &'static str)| previous.is_none_or(|before| before.labels.get(prop) != Some(value));
    let all: Vec<String> = step.labels.0.iter().filter(changed).map(|(prop, value)| label(prop, value)).collect();
    if style.verbose || all.len() <= MOST_LABELS {
        return all.join(" ");
    }
    format!("{} (+{} labels)", all[..MOST_LABELS].join(" "), all.len() - MOST_LABELS)
}

fn label(prop: &str, value: &str) -> String {
    let prop = safe(prop);
    match value {
        "t" => prop,
        "f" => format!("!{prop}"),
        "u" => format!("{prop}=?"),
        _ => format!("{prop}=both"),
    }
}
