//! Which decision does the user mean by `closed.lamp=t` or `jammed->opening=f`?
//!
//! A pin names a label or a step of the model and what it shall be. What is open is decided so; what is decided so already stays so, and is not offered to be undone.

use tertium_base::Diagnostic;
use tertium_base::diagnostic::closest_name;
use tertium_lattice::Belnap;
use tertium_load::failure::{Failure, Located};
use tertium_model::{ActionId, Kmts, PropId, StateId};

use super::decisions::{Decisions, Design, OpenItem};

/// A decision that stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pinned {
    /// A label.
    Label(StateId, PropId),
    /// A step, of one action or of any.
    Step(StateId, StateId, Option<ActionId>),
}

/// All pins: the decisions that they make, and what they are about.
pub(super) fn read(design: &Design<'_>, texts: &[String]) -> Result<(Decisions, Vec<Pinned>), Failure> {
    let (mut decisions, mut pinned, mut mistakes) = (Decisions::new(), Vec::new(), Vec::new());
    for text in texts {
        match pin(design, text) {
            Ok((about, made)) => {
                pinned.push(about);
                for one in made {
                    match decisions.iter().find(|&&(known, _)| known == one.0) {
                        None => decisions.push(one),
                        Some(&(_, value)) if value == one.1 => {}
                        Some(_) => mistakes.push(mistake(text, "another pin says the opposite")),
                    }
                }
            }
            Err(why) => mistakes.push(*why),
        }
    }
    decisions.sort_unstable();
    if mistakes.is_empty() {
        Ok((decisions, pinned))
    } else {
        Err(Failure::Input(mistakes.into_iter().map(Located::nowhere).collect()))
    }
}

fn mistake(text: &str, why: &str) -> Diagnostic {
    Diagnostic::error("E0395", format!("`--pin {text}`: {why}"))
        .help("a label is pinned as `STATE.PROPOSITION=t`, a step as `STATE->STATE=t` or `STATE-[ACTION]->STATE=t`; `=f` for the opposite")
}

fn pin(design: &Design<'_>, text: &str) -> Result<(Pinned, Decisions), Box<Diagnostic>> {
    let model = design.model;
    let Some((what, value)) = text.rsplit_once('=') else {
        return Err(mistake(text, "it does not say `=t` or `=f`").into());
    };
    let value = match value.trim() {
        "t" | "true" => true,
        "f" | "false" => false,
        _ => return Err(mistake(text, "it does not say `=t` or `=f`").into()),
    };
    if let Some((from, to)) = what.split_once("->") {
        return step(design, text, (from, to), value);
    }
    for (at, _) in what.match_indices('.') {
        let (state, prop) = (what[..at].trim(), what[at + 1..].trim());
        if let (Some(state), Some(prop)) = (model.state_by_name(state), model.prop_by_name(prop)) {
            return label(design, text, (state, prop), value);
        }
    }
    let (state, prop) = what.split_once('.').unwrap_or((what, ""));
    if model.state_by_name(state.trim()).is_none() {
        return Err(no_state(model, text, state.trim()).into());
    }
    Err(unknown(text, "proposition", prop.trim(), model.props().iter().map(String::as_str)).into())
}

fn no_state(model: &Kmts, text: &str, name: &str) -> Diagnostic {
    unknown(text, "state", name, model.state_names().iter())
}

fn unknown<'a>(text: &str, what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Diagnostic {
    let told = mistake(text, &format!("the model has no {what} named `{name}`"));
    match closest_name(name, names) {
        Some(close) => told.help(format!("did you mean `{close}`?")),
        None => told,
    }
}

fn label(
    design: &Design<'_>,
    text: &str,
    (state, prop): (StateId, PropId),
    value: bool,
) -> Result<(Pinned, Decisions), Box<Diagnostic>> {
    let about = Pinned::Label(state, prop);
    match design.model.label(state, prop) {
        Belnap::Unknown => {
            let number = design.number(OpenItem::Label(state, prop));
            Ok((about, number.into_iter().map(|number| (number, value)).collect()))
        }
        known if known.for_true() == value => Ok((about, Decisions::new())),
        _ => Err(mistake(text, "the model has decided the opposite").into()),
    }
}

fn step(
    design: &Design<'_>,
    text: &str,
    (from, to): (&str, &str),
    value: bool,
) -> Result<(Pinned, Decisions), Box<Diagnostic>> {
    let model = design.model;
    let (from, action) = match from.trim().strip_suffix(']').and_then(|rest| rest.rsplit_once("-[")) {
        Some((from, action)) => (from.trim(), Some(action.trim())),
        None => (from.trim(), None),
    };
    let to = to.trim();
    let source = model.state_by_name(from).ok_or_else(|| no_state(model, text, from))?;
    let target = model.state_by_name(to).ok_or_else(|| no_state(model, text, to))?;
    let action = match action {
        None => None,
        Some(name) => {
            let names = || model.actions().iter().map(String::as_str);
            let at = names().position(|known| known == name);
            Some(ActionId::new(at.ok_or_else(|| unknown(text, "action", name, names()))?))
        }
    };
    let fits = |edge: &tertium_model::Edge| edge.target == target && (action.is_none() || edge.action == action);
    let edges: Vec<_> = model.edges_from(source).filter(|edge| edge.may && fits(edge)).collect();
    let about = Pinned::Step(source, target, action);
    if edges.is_empty() {
        return if value {
            Err(mistake(text, "the model has no such step").into())
        } else {
            Ok((about, Decisions::new()))
        };
    }
    if !value && edges.iter().any(|edge| edge.must) {
        return Err(mistake(text, "the model has decided the opposite").into());
    }
    let open = edges.iter().filter(|edge| !edge.must).filter_map(|edge| design.number(OpenItem::Step(edge.id)));
    Ok((about, open.map(|number| (number, value)).collect()))
}
