//! Which linear formula says what a branching one says?
//!
//! CTL^det of Maidl, "The common fragment of CTL and LTL" (2000): where every disjunction and every `until` is decided by a
//! condition on the present state, the quantifiers over all paths can be dropped. `AG (p -> AF q)` is `G (p -> F q)`; `AF AG p` is
//! no linear formula.
//!
//! Not here: structures in which paths may end. There the two logics may be read differently.

use crate::formula::{Formula, FormulaBuilder, Logic, Node, NodeId};

/// What is known of a subformula.
#[derive(Clone, Copy)]
struct LinearPart {
    /// The same formula without quantifiers.
    node: NodeId,
    /// Whether it is about the present state alone.
    is_of_state: bool,
}

/// The linear formula that means the same on all structures without ends, if the formula is one of the common fragment.
#[must_use]
pub fn linear_form(formula: &Formula) -> Option<Formula> {
    if formula.logic() != Logic::Ctl {
        return None;
    }
    let mut builder = formula.to_builder();
    let mut parts: Vec<Option<LinearPart>> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let part = linear_part(formula, node, &parts, &mut builder);
        parts.push(part);
    }
    let root = parts[formula.root().index()]?;
    Some(builder.finish(root.node, Logic::Ltl))
}

fn linear_part(
    formula: &Formula,
    node: Node,
    parts: &[Option<LinearPart>],
    builder: &mut FormulaBuilder,
) -> Option<LinearPart> {
    let part = |id: NodeId| parts[id.index()];
    let state = |id: NodeId| part(id).filter(|part| part.is_of_state);
    let either = |a: NodeId, b: NodeId| state(a).or(state(b));
    let (made, is_of_state) = match node {
        Node::True | Node::False | Node::Atom(_) | Node::Element(_) => (node, true),
        Node::Not(a) => (Node::Not(state(a)?.node), true),
        Node::And(a, b) => (Node::And(part(a)?.node, part(b)?.node), state(a).and(state(b)).is_some()),
        Node::Or(a, b) => {
            either(a, b)?;
            (Node::Or(part(a)?.node, part(b)?.node), state(a).and(state(b)).is_some())
        }
        Node::Implies(a, b) => (Node::Implies(state(a)?.node, part(b)?.node), state(b).is_some()),
        Node::Iff(a, b) => (Node::Iff(state(a)?.node, state(b)?.node), true),
        Node::Xor(a, b) => (Node::Xor(state(a)?.node, state(b)?.node), true),
        Node::All(path) => {
            let path = match formula.node(path) {
                Node::Next(a) => Node::Next(part(a)?.node),
                Node::Globally(a) => Node::Globally(part(a)?.node),
                Node::Finally(a) => Node::Finally(state(a)?.node),
                Node::Until(a, b) => Node::Until(part(a)?.node, state(b)?.node),
                Node::WeakUntil(a, b) => Node::WeakUntil(part(a)?.node, state(b)?.node),
                Node::Release(a, b) => Node::Release(state(a)?.node, part(b)?.node),
                _ => return None,
            };
            (path, false)
        }
        _ => return None,
    };
    Some(LinearPart { node: builder.add(made), is_of_state })
}
