//! What a certificate proves, as text.

use crate::certify::{CertifyReport, ResultView};
use crate::style::{Role, Style, role_of, safe};

/// The report as text.
#[must_use]
pub fn certify(report: &CertifyReport, style: Style) -> String {
    report.results.iter().map(|view| result(view, style)).collect()
}

fn result(view: &ResultView, style: Style) -> String {
    let role = match view.verdict {
        "proved" => Role::Good,
        "refused" => Role::Bad,
        _ => Role::Warning,
    };
    let value = if view.value.is_empty() {
        String::new()
    } else {
        format!(" is {}", style.paint(role_of(&view.value), &safe(&view.value)))
    };
    let mut text = format!(
        "{}  {}: {}{value}  {}\n",
        style.paint(role, view.verdict),
        safe(&view.name),
        safe(&view.formula),
        style.paint(Role::Faint, &format!("({}, {})", view.logic, view.proof)),
    );
    let mut about = view.about.clone();
    if view.obligations > 0 {
        about.push(format!("{} obligations decided", view.obligations));
    }
    if !about.is_empty() {
        text.push_str(&format!("  {}\n", safe(&about.join("; "))));
    }
    for assumption in &view.assumptions {
        text.push_str(&format!("  {} {assumption}\n", style.paint(Role::Warning, "only under the assumption")));
    }
    if let Some(reason) = &view.reason {
        text.push_str(&format!("  because {}\n", safe(reason)));
    }
    text
}
