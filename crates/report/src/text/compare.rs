//! How two structures compare.

use crate::compare::CompareReport;
use crate::style::{Role, Style, role_of, safe};

/// The report as text.
#[must_use]
pub fn compare(report: &CompareReport, style: Style) -> String {
    let (left, right) = (safe(&report.left), safe(&report.right));
    if let Some(stopped) = report.stopped {
        let word = style.paint(Role::Open, "stopped");
        return format!("{word}  {left} and {right} were not compared to the end ({stopped})\n");
    }
    let (role, word) = match (report.refined_by, report.refines) {
        _ if report.bisimilar == Some(true) => (Role::Good, format!("{left} and {right} are bisimilar")),
        _ if report.bisimilar == Some(false) => (Role::Bad, format!("{left} and {right} are not bisimilar")),
        (true, true) => (Role::Good, format!("{left} and {right} are equivalent")),
        (true, false) => (Role::Good, format!("{left} is refined by {right}")),
        (false, true) => (Role::Bad, format!("{left} is not refined by {right}, but refines it")),
        (false, false) => (Role::Bad, format!("{left} is not refined by {right}, nor the other way round")),
    };
    let mut text = format!("{}\n", style.paint(role, &word));
    if let Some([a, c]) = &report.pair {
        text.push_str(&format!("  {:<8} {} and {}\n", "states", safe(a), safe(c)));
    }
    if let Some(difference) = &report.difference {
        let [a, c] = &difference.pair;
        for (at, clause) in difference.clauses.iter().take(6).enumerate() {
            text.push_str(&format!("  {:<8} {}\n", if at == 0 { "because" } else { "since" }, safe(clause)));
        }
        if let (Some(formula), Some([at_a, at_c])) = (&difference.formula, &difference.values) {
            text.push_str(&format!(
                "  {:<8} {}   {} at {}, {} at {}\n",
                "formula",
                safe(formula),
                style.paint(role_of(at_a), at_a),
                safe(a),
                style.paint(role_of(at_c), at_c),
                safe(c),
            ));
        }
    }
    for warning in &report.warnings {
        text.push_str(&format!("  warning[{}]: {}\n", warning.code, safe(&warning.message)));
    }
    if let Some(relation) = &report.relation {
        text.push_str(&format!("  {:<8} {} pairs\n", "relation", relation.len()));
        for [a, c] in relation {
            text.push_str(&format!("    {}  {}\n", safe(a), safe(c)));
        }
    }
    text
}
