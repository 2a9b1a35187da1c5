//! Which formulas say of every state that is reached that it is good?

use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, Node, NodeId};

/// The propositional part that must have a value in every reachable state so that a formula has the value that is claimed; none if the
/// formula is about more than single states.
#[must_use]
pub fn of_every_state(formula: &Formula, value: Belnap) -> Option<(NodeId, bool)> {
    let mut claim = match value {
        Belnap::True => true,
        // Some run breaks a linear formula: that is no matter of all states.
        Belnap::False if formula.logic() == Logic::Ctl => false,
        _ => return None,
    };
    let mut at = formula.root();
    while let Node::Not(inner) = formula.node(at) {
        (at, claim) = (inner, !claim);
    }
    let (inner, quantified) = match (formula.logic(), formula.node(at)) {
        (Logic::Ltl, _) => (at, None),
        (Logic::Ctl, Node::All(inner)) => (inner, Some(true)),
        (Logic::Ctl, Node::Exists(inner)) => (inner, Some(false)),
        _ => return None,
    };
    let part = match (formula.node(inner), quantified, claim) {
        (Node::Globally(part), None | Some(true), true) | (Node::Finally(part), None | Some(false), false) => part,
        _ => return None,
    };
    is_propositional(formula, part).then_some((part, claim))
}

fn is_propositional(formula: &Formula, root: NodeId) -> bool {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let node = formula.node(id);
        match node {
            Node::True | Node::False | Node::Atom(_) => {}
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => {
                open.extend(node.children());
            }
            _ => return false,
        }
    }
    true
}
