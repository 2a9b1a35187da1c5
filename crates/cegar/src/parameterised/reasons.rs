//! Why does something stay open for every size?

use tertium_base::Diagnostic;
use tertium_logic::{Formula, linear_form};

use crate::answer::Reason;

fn reason(what: impl Into<String>, help: &str) -> Reason {
    Reason { what: what.into(), about: None, span: None, help: help.to_owned() }
}

pub(super) fn refused(why: &Diagnostic) -> Reason {
    let span = why.primary.as_ref().map(|label| label.span);
    let what = format!("not told for every size: {}", why.message);
    let help = why.primary.as_ref().map_or_else(|| why.helps.join("; "), |label| label.text.clone());
    Reason { what, about: None, span, help }
}

pub(super) fn not_universal(formula: &Formula) -> Reason {
    let what =
        "for every size only what all runs must satisfy is looked at: linear properties, and conditions on all states";
    let one_size = "ask for one size with `-D`";
    let linear =
        linear_form(formula).map(|linear| format!("{one_size}, or write the property as `ltl {}`", linear.text()));
    reason(what, linear.as_deref().unwrap_or(one_size))
}

pub(super) fn too_wide() -> Reason {
    reason(
        "the members that are counted may do more here than they can: their numbers or large variables are not remembered",
        "ask for one size with `-D`",
    )
}

pub(super) fn small_open() -> Reason {
    reason("for sizes with fewer members than it names it is open", "ask for these sizes with `-D`")
}

pub(super) fn broken_by_all() -> Reason {
    reason(
        "one program that can do whatever any of the systems can do breaks it, but no system that was run does",
        "ask for a larger size with `-D`, or say in another property `forall i in P : G …` what keeps the others away",
    )
}
