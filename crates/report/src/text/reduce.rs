//! What became of a structure whose states were merged, and models of formulas.

use super::counted;
use crate::reduce::{ReduceReport, SatReport, StructureAbstractionReport};
use crate::style::{Role, Style, role_of, safe};

/// Classes that are shown if nobody asks for more; JSON has all of them.
const MOST_SHOWN: usize = 20;

fn size([states, edges]: [usize; 2]) -> String {
    format!("{}, {}", counted(states, "state"), counted(edges, "edge"))
}

fn members(text: &mut String, classes: &[(String, &[String])], verbose: bool) {
    let several: Vec<_> = classes.iter().filter(|(_, members)| members.len() > 1).collect();
    let most = if verbose { several.len() } else { MOST_SHOWN };
    for (name, members) in several.iter().take(most) {
        text.push_str(&format!("  {:<8} {} = {{{}}}\n", "merged", safe(name), safe(&members.join(", "))));
    }
    if several.len() > most {
        text.push_str(&format!("  ({} more; `-v` and `--format json` have all)\n", several.len() - most));
    }
}

/// The report of `reduce` as text.
#[must_use]
pub fn reduce(report: &ReduceReport, style: Style) -> String {
    let mut text = format!("{}  {}\n", safe(&report.input.file), size(report.before));
    text.push_str(&format!("  {:<8} {}: {}\n", "written", safe(&report.output), size(report.after)));
    text.push_str(&format!("  {:<8} {}\n", "by", report.by));
    let classes: Vec<(String, &[String])> =
        report.classes.iter().map(|class| (class.first().cloned().unwrap_or_default(), &class[..])).collect();
    members(&mut text, &classes, style.verbose);
    for warning in &report.warnings {
        text.push_str(&format!("  warning[{}]: {}\n", warning.code, safe(&warning.message)));
    }
    text
}

/// The report of `sat` as text.
#[must_use]
pub fn sat(report: &SatReport, style: Style) -> String {
    let (role, word) = if report.satisfiable { (Role::Good, "satisfiable") } else { (Role::Bad, "not satisfiable") };
    let mut text = format!("{}  {}\n", style.paint(role, word), safe(&report.formula));
    let checked = if report.checked { ", proof re-checked" } else { "" };
    text.push_str(&format!("  {:<8} {}, deadlock {}{checked}\n", "logic", report.logic, report.deadlock));
    if let (Some(found), Some(output)) = (report.size, &report.output) {
        text.push_str(&format!("  {:<8} {}: {}\n", "model", safe(output), size(found)));
    } else if let (Some(found), Some(model)) = (report.size, &report.model) {
        text.push_str(&format!("  {:<8} {}\n\n{}", "model", size(found), safe_lines(model)));
    }
    text
}

fn safe_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", safe(line))).collect()
}

/// The report of `abstract` about a structure as text.
#[must_use]
pub fn structure_abstraction(report: &StructureAbstractionReport, style: Style) -> String {
    let after = [report.blocks.len(), report.transitions];
    let mut text = format!("{}  {}\n", safe(&report.input.file), size(report.before));
    text.push_str(&format!("  {:<8} {}; certain steps: {}\n", "blocks", size(after), report.must));
    let blocks: Vec<(String, &[String])> =
        report.blocks.iter().map(|block| (block.name.clone(), &block.states[..])).collect();
    members(&mut text, &blocks, style.verbose);
    for result in &report.results {
        let value = style.paint(role_of(&result.value), &format!("{:<8}", result.value));
        text.push_str(&format!("\n  {value} {}: {}\n", safe(&result.name), safe(&result.formula)));
        for (at, round) in result.rounds.iter().enumerate() {
            text.push_str(&format!("    round {at}: {}, {}", counted(round.blocks, "block"), round.value));
            if !round.path.is_empty() {
                text.push_str(&format!(" along {}", safe(&round.path.join(" -> "))));
            }
            if let Some(split) = &round.split {
                text.push_str(&format!("; split {}", safe(split)));
            }
            text.push('\n');
        }
    }
    text
}
