//! Whether a certificate was accepted.

use crate::certify::{CertifyReport, PartView};
use crate::style::{Role, Style, role_of, safe};

/// The report as text.
#[must_use]
pub fn certify(report: &CertifyReport, style: Style) -> String {
    report.parts.iter().map(|view| part(view, style)).collect()
}

fn part(view: &PartView, style: Style) -> String {
    let (role, word) = if view.accepted { (Role::Good, "accepted") } else { (Role::Bad, "rejected") };
    let place = view.place.as_ref().map_or_else(String::new, |place| format!(" for {}", safe(place)));
    let at = if view.state.is_empty() { String::new() } else { format!(" at {}", safe(&view.state)) };
    let mut text = format!(
        "{}  {} is {}{at}{place}  {}\n",
        style.paint(role, word),
        safe(&view.formula),
        style.paint(role_of(&view.value), &view.value),
        style.paint(Role::Faint, &format!("({}, {})", view.logic, view.proof)),
    );
    if let Some(reason) = &view.reason {
        text.push_str(&format!("  because {}\n", safe(reason)));
    }
    for caveat in &view.caveats {
        text.push_str(&format!("  {} {caveat}\n", style.paint(Role::Warning, "note:")));
    }
    text
}
