//! Do the claims of a proof rest on each other for ever where something must be reached?
//!
//! A least fixpoint that is claimed true, or a greatest one that is claimed false, must be left after
//! finitely many unfoldings. On an infinite chain of claims the outermost fixpoint that is unfolded again
//! and again decides. Operands stand before what uses them in a formula's table, and a chain comes back to
//! a fixpoint from inside it only, so the outermost fixpoint of a cycle is the node with the greatest number.
//! Hence: for each such fixpoint, no cycle through it may stay among nodes up to its own.

use std::collections::BTreeSet;

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_logic::{Node, NodeId};

use super::claims::key;
use super::graph::Graph;
use super::rules::{Rule, Rules};
use super::{Case, Rejection};
use tertium_evidence::Claim;

pub(super) fn check(case: &Case<'_>, claims: &[Claim], rules: &Rules, needs: &Graph) -> Result<(), Rejection> {
    let finite: BTreeSet<(NodeId, bool)> = claims
        .iter()
        .map(|claim| (claim.node, claim.positive))
        .filter(|&(node, positive)| must_end(case, rules, node, positive))
        .collect();
    for (node, positive) in finite {
        // A fixpoint of CTL has no variable: a chain that leaves it for an operand never comes back.
        let alone = matches!(rules.get(node, positive), Rule::Temporal(_));
        let kept = |claim: &Claim| if alone { claim.node == node } else { claim.node <= node };
        if let Some(at) = on_cycle(case, claims, needs, kept, |claim| claim.node == node && claim.positive == positive)?
        {
            return Err(Diagnostic::error(
                "E0614",
                format!(
                    "the claim that {} rests on itself: it must be reached in finitely many steps",
                    case.says(key(&claims[at]))
                ),
            )
            .into());
        }
    }
    Ok(())
}

/// Whether a claim about this node may be unfolded finitely often only.
pub(super) fn must_end(case: &Case<'_>, rules: &Rules, node: NodeId, positive: bool) -> bool {
    match case.formula.node(node) {
        Node::Mu(..) => positive,
        Node::Nu(..) => !positive,
        _ => matches!(rules.get(node, positive), Rule::Temporal(temporal) if temporal.least),
    }
}

/// A claim among the `wanted` that lies on a cycle of claims that are all `kept`.
fn on_cycle(
    case: &Case<'_>,
    claims: &[Claim],
    needs: &Graph,
    kept: impl Fn(&Claim) -> bool,
    wanted: impl Fn(&Claim) -> bool,
) -> Result<Option<usize>, Rejection> {
    let mut place = vec![u32::MAX; claims.len()];
    let mut members = Vec::new();
    for (at, claim) in claims.iter().enumerate() {
        if kept(claim) {
            place[at] = to_u32(members.len());
            members.push(at);
        }
    }
    let mut graph = Graph::new();
    for &at in &members {
        let targets = needs.successors(to_u32(at)).iter().map(|&target| place[target as usize]);
        graph.push(targets.filter(|&target| target != u32::MAX));
    }
    let component = graph.components(case.budget)?;
    let cyclic = graph.on_cycle(&component);
    Ok(members.into_iter().zip(cyclic).find(|&(at, cyclic)| cyclic && wanted(&claims[at])).map(|(at, _)| at))
}
