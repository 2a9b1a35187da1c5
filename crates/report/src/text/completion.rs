//! How a partial model was completed, as a diff of decisions, or why it cannot be.

use super::counted;
use crate::completion::{CompleteReport, CompletedView, ConflictView, UndoneView};
use crate::style::{Role, Style, safe};

/// Free decisions that are shown if nobody asks for more; JSON has all of them.
const MOST_SHOWN: usize = 12;

/// The report of `complete` as text.
#[must_use]
pub fn complete(report: &CompleteReport, style: Style) -> String {
    let [states, edges] = report.size;
    let size = format!("{}, {}", counted(states, "state"), counted(edges, "transition"));
    let mut text = format!("{}  {size}; {} open\n", safe(&report.input.file), counted(report.open, "decision"));
    for property in &report.properties {
        text.push_str(&format!("  {:<8} {}: {}\n", "wanted", safe(&property.name), safe(&property.formula)));
    }
    for pin in &report.pinned {
        text.push_str(&format!("  {:<8} {}\n", "pinned", safe(pin)));
    }
    for (at, one) in report.completions.iter().enumerate() {
        completion(&mut text, report, (one, at), style);
    }
    if let Some(all) = report.all.filter(|_| report.completions.len() > 1) {
        let rest = if all { "no other decisions do" } else { "there may be others" };
        text.push_str(&format!("\n{}; {rest}\n", counted(report.completions.len(), "completion")));
    }
    if let Some(found) = &report.conflict {
        conflict(&mut text, report, found, style);
    }
    if let Some(why) = &report.undecided {
        text.push_str(&format!("\n{} {}\n", style.paint(Role::Open, "not known:"), safe(why)));
    }
    text
}

fn completion(text: &mut String, report: &CompleteReport, (one, at): (&CompletedView, usize), style: Style) {
    let number = if report.completions.len() > 1 { format!(" {}", at + 1) } else { String::new() };
    let how = if !one.copies.is_empty() {
        "with copies of states".to_owned()
    } else if one.needed.is_empty() {
        "whatever is decided".to_owned()
    } else {
        let fewest = report.smallest == Some(true) && at == 0;
        format!("by {}{}", counted(one.needed.len(), "decision"), if fewest { ", the fewest" } else { "" })
    };
    text.push_str(&format!(
        "\n{} {how}; all properties hold, re-checked\n",
        style.paint(Role::Good, &format!("completed{number}"))
    ));
    for decision in &one.needed {
        text.push_str(&format!("  {} {}\n", style.paint(Role::Good, "+ decide"), safe(&told(decision))));
    }
    let most = if style.verbose { one.free.len() } else { MOST_SHOWN };
    for decision in one.free.iter().take(most) {
        text.push_str(&format!("  {:<8} {}\n", "  free", safe(&told(decision))));
    }
    if one.free.len() > most {
        text.push_str(&format!("  ({} more are free; `-v` and `--format json` have all)\n", one.free.len() - most));
    }
    for copy in one.copies.iter().filter(|copy| copy.of.len() != 1 || copy.of[0] != copy.name) {
        text.push_str(&format!("  {:<8} {} for {}\n", "+ state", safe(&copy.name), safe(&copy.of.join(", "))));
    }
    if let Some(output) = &one.output {
        let [states, edges] = one.size;
        let size = format!("{}, {}", counted(states, "state"), counted(edges, "edge"));
        text.push_str(&format!("  {:<8} {}: {size}\n", "written", safe(output)));
    } else if let Some(structure) = &one.structure {
        text.push('\n');
        structure.lines().for_each(|line| text.push_str(&format!("{}\n", safe(line))));
    }
}

/// A decision in words: `opened.lamp=f` is "lamp is false at opened".
fn told(decision: &str) -> String {
    let Some((what, value)) = decision.rsplit_once('=') else { return decision.to_owned() };
    let yes = value == "t";
    if what.contains("->") {
        return format!("{decision:<24} {}", if yes { "the step is there" } else { "no such step" });
    }
    format!("{decision:<24} {}", if yes { "true there" } else { "false there" })
}

fn conflict(text: &mut String, report: &CompleteReport, found: &ConflictView, style: Style) {
    let alone = found.properties.len() == 1;
    let what = if alone { "no completion satisfies" } else { "no completion satisfies together" };
    text.push_str(&format!("\n{} {what}:\n", style.paint(Role::Bad, "conflict")));
    for name in &found.properties {
        let formula = report.properties.iter().find(|property| property.name == *name);
        let formula = formula.map_or_else(String::new, |property| format!(": {}", property.formula));
        text.push_str(&format!("  {}{}\n", safe(name), safe(&formula)));
    }
    if !alone {
        let rest = if found.smallest {
            "no fewer contradict each other"
        } else {
            "without any one of them there is a completion"
        };
        text.push_str(&format!("  ({rest})\n"));
    }
    let helping: Vec<&UndoneView> = found.undone.iter().filter(|undo| undo.helps == Some(true)).collect();
    for undo in &helping {
        text.push_str(&format!("  {} {}\n", style.paint(Role::Good, "- undo"), safe(&undo.decision)));
    }
    let tried = counted(found.undone.len(), "decision");
    let open = found.undone.iter().filter(|undo| undo.helps.is_none()).count();
    let mut end = if helping.is_empty() {
        format!("undoing any one of {tried} of the model does not help")
    } else {
        format!("of {tried} of the model, undoing any one of the above would help")
    };
    if open > 0 {
        end.push_str(&format!("; of {open} it is not known"));
    }
    if !found.complete {
        end.push_str("; others were not tried");
    }
    text.push_str(&format!("  {end}\n"));
}
