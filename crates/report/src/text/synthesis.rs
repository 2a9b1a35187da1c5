//! Who wins a game, and by which strategy.

use super::counted;
use crate::style::{Role, Style, safe};
use crate::synthesis::SynthesisReport;

/// The report of `synthesise` as text.
#[must_use]
pub fn synthesis(report: &SynthesisReport, style: Style) -> String {
    let player = safe(&report.player);
    let mut text = format!("{}  {}\n", safe(&report.input.file), counted(report.states, "state"));
    text.push_str(&format!("  {:<8} {player}: {}\n", "wanted", safe(&report.objective)));
    let told = match report.winner {
        "player" => {
            let word = style.paint(Role::Good, "realisable");
            format!("{word}  {player} has a strategy; its closed loop satisfies the objective, re-checked\n")
        }
        "others" => {
            let word = style.paint(Role::Bad, "unrealisable");
            format!("{word}  the others have a strategy; on all plays with it the objective fails, re-checked\n")
        }
        _ => format!(
            "{}  neither side wins for certain: it depends on what is left open\n",
            style.paint(Role::Open, "open")
        ),
    };
    text.push_str(&format!("\n{told}"));
    let (positions, moves) = (counted(report.positions, "position"), counted(report.moves, "move"));
    let automaton = counted(report.automaton, "automaton state");
    text.push_str(&format!("  {:<8} {}: {positions}, {moves}, {automaton}\n", "game", safe(&report.method)));
    if let Some(certificate) = &report.certificate {
        let (file, input, question) = (safe(&certificate.file), safe(&report.input.file), safe(&certificate.question));
        text.push_str(&format!("  {:<8} {file}\n", "proof"));
        text.push_str(&format!("  {:<8} tertium certify {input} {file} --logic 'atl*' -p '{question}'\n", "try"));
    }
    if let Some(strategy) = &report.strategy {
        let [states, edges] = strategy.size;
        let size = format!("{}, {}", counted(states, "state"), counted(edges, "edge"));
        let whose = if report.winner == "player" { "loop" } else { "spoiler" };
        match (&strategy.output, &strategy.structure) {
            (Some(output), _) => text.push_str(&format!("  {whose:<8} {}: {size}\n", safe(output))),
            (None, Some(structure)) => {
                text.push_str(&format!("  {whose:<8} {size}\n\n"));
                structure.lines().for_each(|line| text.push_str(&format!("{}\n", safe(line))));
            }
            (None, None) => {}
        }
    }
    text
}
