//! From structures and evidence to views: ids become names, and advice becomes sentences.

use tertium_evidence::{OpenQuestion, Reason, StepDirection};
use tertium_lattice::Belnap;
use tertium_model::{Kmts, PropId, StateId};

use crate::view::{OpenView, Ordered, PlayView, ReasonView, RunView, StepView};

/// The word for a value in reports.
#[must_use]
pub const fn value_word(value: Belnap) -> &'static str {
    match value {
        Belnap::True => "true",
        Belnap::False => "false",
        Belnap::Unknown => "unknown",
        Belnap::Both => "both",
    }
}

/// The letter for a label's value, as structures are written.
#[must_use]
pub const fn value_letter(value: Belnap) -> &'static str {
    match value {
        Belnap::True => "t",
        Belnap::False => "f",
        Belnap::Unknown => "u",
        Belnap::Both => "b",
    }
}

/// An undecided element in the model's names.
#[must_use]
pub fn reason(model: &Kmts, reason: &Reason) -> ReasonView {
    let name = |state: StateId| model.state_name(state).to_owned();
    let owner = |state: StateId| model.is_game().then(|| model.owner_name(state).to_owned());
    match reason {
        Reason::Label { state, prop } => {
            ReasonView::Label { state: name(*state), prop: model.props()[prop.index()].clone() }
        }
        Reason::Edge { from, to, direction } => ReasonView::Edge {
            from: name(*from),
            to: name(*to),
            direction: direction_word(*direction),
            owner: owner(*from),
        },
        Reason::Hyper { from, members, direction } => ReasonView::Hyper {
            from: name(*from),
            members: members.iter().map(|&member| name(member)).collect(),
            direction: direction_word(*direction),
            owner: owner(*from),
        },
    }
}

const fn direction_word(direction: StepDirection) -> &'static str {
    match direction {
        StepDirection::Exists => "exists",
        StepDirection::Forall => "forall",
    }
}

/// A path with all labels.
#[must_use]
pub fn run(model: &Kmts, states: &[StateId], loop_start: Option<usize>) -> RunView {
    let step = |&state: &StateId| StepView {
        state: model.state_name(state).to_owned(),
        labels: labels(model, state),
        step: None,
        values: None,
    };
    RunView { steps: states.iter().map(step).collect(), loop_start, end: None, repeats: None }
}

fn labels(model: &Kmts, state: StateId) -> Ordered<&'static str> {
    let label = |(at, prop): (usize, &String)| (prop.clone(), value_letter(model.label(state, PropId::new(at))));
    Ordered(model.props().iter().enumerate().map(label).collect())
}

/// A play to an open element. `text_of` prints a node of the formula that was checked.
#[must_use]
pub fn open(
    model: &Kmts,
    question: &OpenQuestion,
    mut text_of: impl FnMut(tertium_logic::NodeId) -> String,
) -> OpenView {
    let mut play: Vec<PlayView> = Vec::new();
    for step in &question.play {
        play.push(PlayView {
            state: model.state_name(step.state).to_owned(),
            formula: text_of(step.node),
            asks: step.positive,
        });
    }
    OpenView { play, loop_start: question.loop_start }
}

/// What to change in the model so that this element is no longer open.
#[must_use]
pub fn advice(reason: &ReasonView) -> String {
    match reason {
        ReasonView::Label { state, prop } => format!("decide label {prop} at {state}"),
        ReasonView::Edge { from, to, .. } => format!("make {from} -> {to} must, or remove it"),
        ReasonView::Hyper { from, members, .. } => {
            format!("decide which step {from} -> {{{}}} is taken", members.join(", "))
        }
        ReasonView::Limit { help, .. } => help.clone(),
    }
}

/// Whose step it is, where there are players.
fn chosen_by(owner: Option<&str>) -> String {
    owner.map_or_else(String::new, |player| format!(" (a step of {player})"))
}

/// What is open about this element, and why it matters.
#[must_use]
pub fn explanation(reason: &ReasonView) -> String {
    let role = |direction: &str| match direction {
        "exists" => "the property needs it",
        _ => "a counterexample could use it",
    };
    match reason {
        ReasonView::Label { state, prop } => format!("label {prop} at {state} is unknown"),
        ReasonView::Edge { from, to, direction, owner } => {
            format!(
                "the step {from} -> {to}{} is possible, not certain; {}",
                chosen_by(owner.as_deref()),
                role(direction)
            )
        }
        ReasonView::Hyper { from, members, direction, owner } => {
            let (set, whose) = (members.join(", "), chosen_by(owner.as_deref()));
            format!("some step {from} -> {{{set}}}{whose} is certain, but not which; {}", role(direction))
        }
        ReasonView::Limit { what, line: Some(line), .. } => format!("{what} (line {line})"),
        ReasonView::Limit { what, .. } => what.clone(),
    }
}
