//! Are the labels of quantified sub-formulas right, from the inside out?

use std::collections::HashMap;

use tertium_base::{BitSet, Diagnostic};
use tertium_lattice::Belnap;
use tertium_logic::{Node, NodeId};
use tertium_model::StateId;

use super::linear::{Linear, Op, Sight, Steps, translate};
use super::paths::StatePaths;
use super::{Case, Rejection, misfit};

type Labelled = (NodeId, Vec<StateId>, Vec<StateId>);

pub(super) fn check(case: &Case<'_>, labels: &[Labelled]) -> Result<(), Rejection> {
    let claimed = index(case, labels)?;
    let mut computed: HashMap<NodeId, (BitSet, BitSet)> = HashMap::new();
    for id in case.formula.node_ids() {
        let (path, exists) = match case.formula.node(id) {
            Node::Exists(path) => (path, true),
            Node::All(path) => (path, false),
            _ => continue,
        };
        let (yes, no): (&[StateId], &[StateId]) =
            claimed.get(&id).map_or((&[], &[]), |labelled| (&labelled.1, &labelled.2));
        // What witnesses `E psi` (or refutes `A psi`) is a certain path; what excludes it, no possible one.
        let (witnessed, excluded) = if exists { (yes, no) } else { (no, yes) };
        let linear = translate(case.formula, &case.names, path, exists, Steps::Ignored, &computed)
            .ok_or_else(|| misfit("the formula has an operator that is not one of CTL*"))?;
        check_witnessed(case, id, exists, &linear, witnessed)?;
        check_excluded(case, id, !exists, &linear, excluded)?;
        computed.insert(id, (set(case, yes), set(case, no)));
    }
    root(case, &computed)
}

fn index<'a>(case: &Case<'_>, labels: &'a [Labelled]) -> Result<HashMap<NodeId, &'a Labelled>, Rejection> {
    let mut claimed = HashMap::new();
    for labelled in labels {
        let node = labelled.0;
        let quantified = node.index() < case.formula.nodes().len()
            && matches!(case.formula.node(node), Node::All(_) | Node::Exists(_));
        if !quantified {
            return Err(broken(format!("node {} is labelled, and it is no quantified sub-formula", node.index())));
        }
        for &state in labelled.1.iter().chain(&labelled.2) {
            case.known_state(state, "a labelled state")?;
        }
        if claimed.insert(node, labelled).is_some() {
            return Err(broken(format!("{} is labelled twice", case.node(node))));
        }
    }
    Ok(claimed)
}

fn set(case: &Case<'_>, states: &[StateId]) -> BitSet {
    let mut set = BitSet::empty(case.structure.model.state_count());
    for state in states {
        set.insert(state.index());
    }
    set
}

fn check_witnessed(
    case: &Case<'_>,
    node: NodeId,
    positive: bool,
    linear: &Linear,
    states: &[StateId],
) -> Result<(), Rejection> {
    let starts: Vec<u32> = states.iter().map(|state| state.index() as u32).collect();
    let found = case.search(linear, Sight::Pessimistic).run(&StatePaths::certain(case.structure), &starts)?;
    match states.iter().zip(found.from).find(|(_, found)| !found) {
        None => Ok(()),
        Some((&state, _)) => Err(broken(format!("no certain path shows that {}", case.says((state, node, positive))))),
    }
}

fn check_excluded(
    case: &Case<'_>,
    node: NodeId,
    positive: bool,
    linear: &Linear,
    states: &[StateId],
) -> Result<(), Rejection> {
    let starts: Vec<u32> = states.iter().map(|state| state.index() as u32).collect();
    let found = case.search(linear, Sight::Optimistic).run(&StatePaths::possible(case.structure), &starts)?;
    match states.iter().zip(found.from).find(|(_, found)| *found) {
        None => Ok(()),
        Some((&state, _)) => Err(broken(format!("a possible path denies that {}", case.says((state, node, positive))))),
    }
}

/// The asked value follows from the labels at the asked state.
fn root(case: &Case<'_>, computed: &HashMap<NodeId, (BitSet, BitSet)>) -> Result<(), Rejection> {
    let root = case.formula.root();
    let positive = case.certificate.value == Belnap::True;
    let linear = translate(case.formula, &case.names, root, positive, Steps::Ignored, computed)
        .ok_or_else(|| misfit("the formula has an operator that is not one of CTL*"))?;
    let mut holds: Vec<bool> = Vec::with_capacity(linear.ops.len());
    for &op in &linear.ops {
        let value = match op {
            Op::And(a, b) => holds[a as usize] && holds[b as usize],
            Op::Or(a, b) => holds[a as usize] || holds[b as usize],
            literal => linear
                .holds(literal, Some(case.certificate.state), true, Sight::Pessimistic, case.structure.model)
                .ok_or_else(|| misfit("the formula speaks of a path, and no quantifier says of which"))?,
        };
        holds.push(value);
    }
    if holds[linear.root as usize] {
        return Ok(());
    }
    Err(broken(format!("the labels do not show that {}", case.says((case.certificate.state, root, positive)))))
}

fn broken(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0619", message).into()
}
