//! What two viewpoints say together.

use super::counted;
use crate::merge::{DisagreementView, MergeReport};
use crate::style::{Role, Style, safe};

/// Disagreements that are shown if nobody asks for more; JSON has all of them.
const MOST_SHOWN: usize = 40;

/// The report as text.
#[must_use]
pub fn merge(report: &MergeReport, style: Style) -> String {
    let (left, right) = (safe(&report.left), safe(&report.right));
    let (role, word) = if report.agree {
        (Role::Good, format!("{left} and {right} agree"))
    } else {
        let places = counted(report.disagreements.len(), "place");
        (Role::Bad, format!("{left} and {right} disagree in {places}"))
    };
    let mut text = format!("{}\n", style.paint(role, &word));
    let size = format!("{}, {}", counted(report.states, "state"), counted(report.transitions, "edge"));
    text.push_str(&format!("  {:<8} {} over {}: {size}\n", "merged", safe(&report.output), safe(&report.lattice)));
    for (file, [states, props]) in
        [left, right].iter().zip([0, 1].map(|at| [&report.states_of_one[at], &report.props_of_one[at]]))
    {
        for (what, names) in [("states", states), ("propositions", props)] {
            if !names.is_empty() {
                text.push_str(&format!("  {:<8} only {file} has the {what} {}\n", "note", safe(&names.join(", "))));
            }
        }
    }
    for disagreement in report.disagreements.iter().take(MOST_SHOWN) {
        text.push_str(&format!("  {:<8} {}\n", "differ", safe(&told(disagreement))));
    }
    if report.disagreements.len() > MOST_SHOWN {
        text.push_str(&format!("  ({} more; `--format json` has all)\n", report.disagreements.len() - MOST_SHOWN));
    }
    text
}

fn told(disagreement: &DisagreementView) -> String {
    match disagreement {
        DisagreementView::Label { state, prop, values: [a, b] } => format!("{prop} at {state}: {a}, and {b}"),
        DisagreementView::Edge { from, to, values: [a, b] } => format!("the edge {from} -> {to}: {a}, and {b}"),
        DisagreementView::Initial { state, first } => {
            let (yes, no) = if *first { ("first", "second") } else { ("second", "first") };
            format!("{state} is initial for the {yes}, and not for the {no}")
        }
    }
}
