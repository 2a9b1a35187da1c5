//! A parameterised structure of which some parameters are fixed: what depends on the others is unknown.
//!
//! Such a structure is refined by every instance that agrees with what is fixed, so a definite
//! answer on it holds for all of them.

use tertium_lattice::{Belnap, Kleene, TruthValue};
use tertium_model::{ExprNode, Kmts, KmtsBuilder, ModelTooLarge, ParamModel, ParamValue, PropId, StateId};

use super::condition::Cube;

/// The values of all expressions of a structure under a partial assignment.
#[derive(Clone, Debug)]
pub(super) struct PartialValues {
    exprs: Vec<Kleene>,
}

impl PartialValues {
    pub(super) fn new(model: &ParamModel, fixed: &Cube) -> Self {
        let mut exprs: Vec<Kleene> = Vec::with_capacity(model.exprs().nodes().len());
        for node in model.exprs().nodes() {
            let value = match node {
                ExprNode::Constant(value) => Kleene::from(*value),
                ExprNode::Param(param) => fixed[param.index()].map_or(Kleene::Unknown, Kleene::from),
                ExprNode::Not(part) => exprs[part.index()].not(),
                ExprNode::And(parts) => parts.iter().fold(Kleene::True, |all, part| all.and(exprs[part.index()])),
                ExprNode::Or(parts) => parts.iter().fold(Kleene::False, |some, part| some.or(exprs[part.index()])),
            };
            exprs.push(value);
        }
        Self { exprs }
    }

    pub(super) fn of(&self, value: ParamValue) -> Kleene {
        match value {
            ParamValue::Constant(value) => value,
            ParamValue::Expr(expr) => self.exprs[expr.index()],
        }
    }

    /// Whether an element still depends on parameters that are not fixed.
    pub(super) fn is_open(&self, value: ParamValue) -> bool {
        matches!(value, ParamValue::Expr(expr) if self.exprs[expr.index()] == Kleene::Unknown)
    }
}

/// The structure with what is not fixed left unknown.
pub(super) fn partial_structure(model: &ParamModel, values: &PartialValues) -> Result<Kmts, ModelTooLarge> {
    let mut builder = KmtsBuilder::with_names(model.state_names().clone());
    let props: Vec<PropId> = model.props().iter().map(|name| builder.add_prop(name)).collect();
    for state in model.states() {
        for &prop in &props {
            builder.set_label(state, prop, Belnap::from(values.of(model.label(state, prop))));
        }
    }
    for edge in model.edges() {
        let value = values.of(edge.value);
        if value != Kleene::False {
            builder.add_edge(edge.from, edge.to, true, value == Kleene::True, None);
        }
    }
    for constraint in model.fair() {
        builder.add_fairness(constraint.iter().map(|&(from, to)| (from, to, None)).collect());
    }
    model.init().iter().for_each(|&state| builder.add_init(state));
    builder.set_total(model.total());
    builder.finish()
}

/// The parameters that are not fixed and that an element's value mentions, first ones first.
pub(super) fn open_params(model: &ParamModel, fixed: &Cube, value: ParamValue) -> Vec<usize> {
    let ParamValue::Expr(root) = value else { return Vec::new() };
    let mut found = Vec::new();
    let mut seen = vec![false; root.index() + 1];
    let mut todo = vec![root];
    while let Some(expr) = todo.pop() {
        if std::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        match model.exprs().node(expr) {
            ExprNode::Constant(_) => {}
            ExprNode::Param(param) if fixed[param.index()].is_none() => found.push(param.index()),
            ExprNode::Param(_) => {}
            ExprNode::Not(part) => todo.push(*part),
            ExprNode::And(parts) | ExprNode::Or(parts) => todo.extend(parts),
        }
    }
    found.sort_unstable();
    found
}

/// The values that can matter at a state: labels and edges of everything that can be reached, nearest first.
pub(super) fn reachable_values(model: &ParamModel, values: &PartialValues, from: StateId) -> Vec<ParamValue> {
    let mut order = vec![from];
    let mut seen = vec![false; model.state_count()];
    seen[from.index()] = true;
    let mut found = Vec::new();
    let mut at = 0;
    while at < order.len() {
        let state = order[at];
        found.extend((0..model.props().len()).map(|prop| model.label(state, PropId::new(prop))));
        for edge in model.edges_from(state).iter().filter(|edge| values.of(edge.value) != Kleene::False) {
            found.push(edge.value);
            if !std::mem::replace(&mut seen[edge.to.index()], true) {
                order.push(edge.to);
            }
        }
        at += 1;
    }
    found
}
