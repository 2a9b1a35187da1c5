//! What a formula is.

use super::counted;
use crate::formula::{FormulaReport, MinimisedView};
use crate::style::{Role, Style, safe};

/// The report as text.
#[must_use]
pub fn formula(report: &FormulaReport, style: Style) -> String {
    let mut lines = vec![("formula", report.formula.clone()), ("logic", report.logic.to_owned())];
    lines.push(("size", counted(report.size, "distinct sub-formula")));
    let atoms = if report.atoms.is_empty() { "none".to_owned() } else { report.atoms.join(", ") };
    lines.push(("atoms", atoms));
    if let Some(pnf) = &report.pnf {
        lines.push(("pnf", pnf.clone()));
    }
    lines.push(("precise", precision(report)));
    if report.tell_test {
        lines.extend(told_test(report));
    }
    if let Some(minimised) = &report.minimised {
        lines.extend(minimised_lines(report.logic, minimised));
    }
    if let Some(automaton) = &report.automaton {
        let size = format!(
            "{}, {}, {}",
            counted(automaton.states, "state"),
            counted(automaton.transitions, "transition"),
            counted(automaton.acceptance_sets, "acceptance set")
        );
        lines.push(("automaton", size));
        let states = automaton.deterministic_states.map_or_else(|| "many states".to_owned(), |n| counted(n, "state"));
        lines.push(("determin.", format!("{}, {states}", automaton.deterministic_kind)));
    }
    let mut text = String::new();
    for (head, body) in lines {
        text.push_str(&format!("{} {}\n", style.paint(Role::Faint, &format!("{head:<10}")), safe(&body)));
    }
    if let Some(hoa) = report.automaton.as_ref().and_then(|automaton| automaton.hoa.as_ref()) {
        text.push('\n');
        text.push_str(hoa);
    }
    text
}

/// What became of the formula, and what that is good for.
fn minimised_lines(logic: &str, minimised: &MinimisedView) -> Vec<(&'static str, String)> {
    let mut lines = vec![("minimised", minimised.formula.clone())];
    let exact = match (minimised.exact, &minimised.refuting) {
        (true, None) => "its value is the strongest on every structure",
        (true, Some(_)) => "true wherever the formula is true in all completions",
        (false, _) => "propositional parts only: never less precise, not always the strongest",
    };
    lines.push(("", exact.to_owned()));
    if let Some(refuting) = &minimised.refuting {
        lines.push(("", refuting.clone()));
        lines.push(("", "false wherever the formula is false in all completions".to_owned()));
    }
    if minimised.logic != logic {
        lines.push(("", format!("to be read with `--logic {}`, deadlocks as by default", minimised.logic)));
    }
    if minimised.exact && !minimised.exceptions.is_empty() {
        lines.push(("", format!("structures that are {} excepted", minimised.exceptions.join(" or "))));
    }
    lines
}

/// The test for each kind of structure, and what it looks at.
fn told_test(report: &FormulaReport) -> Vec<(&'static str, String)> {
    let test = &report.self_minimising;
    let word = |yes: bool| if yes { "yes" } else { "not shown" };
    vec![
        (
            "",
            format!(
                "steps all decided: {} (no atom may occur both positively and negatively)",
                word(test.decided_steps)
            ),
        ),
        ("", format!("open steps: {} (also all quantifiers universal, or all existential)", word(test.open_steps))),
        ("", "hyper edges, totality, mixed structures: the test says nothing".to_owned()),
    ]
}

fn precision(report: &FormulaReport) -> String {
    let test = &report.self_minimising;
    let head = match (test.decided_steps, test.open_steps) {
        (_, true) => {
            return "yes: the compositional value is the strongest one, but for hyper edges and totality".to_owned();
        }
        (true, false) => "on structures without open steps only",
        (false, false) => "not shown",
    };
    match &test.obstacle {
        Some(obstacle) => format!("{head}: {obstacle}"),
        None => head.to_owned(),
    }
}
