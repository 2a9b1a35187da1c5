//! A structure as a view.

use tertium_model::{Kmts, PropId};

use super::view::GraphView;
use crate::build::value_letter;

/// The structure with its labels; formulas and samples are added by whoever knows them.
#[must_use]
pub fn graph(model: &Kmts) -> GraphView {
    let several = model.actions().len() > 1;
    let mut view = GraphView {
        states: model.states().map(|state| model.state_name(state).to_owned()).collect(),
        props: model.props().to_vec(),
        init: model.init().iter().map(|state| state.index()).collect(),
        ..GraphView::default()
    };
    for state in model.states() {
        let labels = (0..model.props().len()).map(|prop| value_letter(model.label(state, PropId::new(prop))));
        view.labels.push(labels.collect());
        for edge in model.edges_from(state) {
            let action = edge.action.filter(|_| several).map(|action| model.actions()[action.index()].clone());
            view.edges.push((state.index(), edge.target.index(), u8::from(edge.may), u8::from(edge.must), action));
        }
        for hyper in model.hyper_from(state) {
            view.hyper.push((state.index(), hyper.members.iter().map(|member| member.index()).collect()));
        }
    }
    view
}

/// The structure before decisions, with those that a later one with the same states shows; none if its states are others.
#[must_use]
pub fn decisions(before: &Kmts, after: &Kmts) -> Option<GraphView> {
    let names = |model: &Kmts| model.states().map(|state| model.state_name(state).to_owned()).collect::<Vec<_>>();
    if names(before) != names(after) || before.actions() != after.actions() {
        return None;
    }
    let mut view = graph(before);
    let mut number = 0;
    for state in before.states() {
        for edge in before.edges_from(state) {
            let stays = after.edges_from(state).any(|later| later.target == edge.target && later.action == edge.action);
            if edge.may && !edge.must {
                view.decided.push((number, u8::from(stays)));
            }
            number += 1;
        }
    }
    view.labels = graph(after).labels;
    Some(view)
}

/// A formula cut so that it fits a list.
#[must_use]
pub fn short_name(formula: &str) -> String {
    const LONGEST: usize = 120;
    if formula.chars().count() <= LONGEST {
        return formula.to_owned();
    }
    format!("{}…", formula.chars().take(LONGEST).collect::<String>())
}
