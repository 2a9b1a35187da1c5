//! Which value does a propositional part of a formula have in one state?

use tertium_logic::{Formula, Node, NodeId};

/// The value of a propositional part of a formula. Children stand before parents, so one pass is enough.
pub fn value(formula: &Formula, root: NodeId, atoms: &[bool], nodes: &mut Vec<bool>) -> bool {
    value_without(formula, root, atoms, None, nodes)
}

/// The same with one implication replaced by the negation of its antecedent.
pub fn value_without(
    formula: &Formula,
    root: NodeId,
    atoms: &[bool],
    implication: Option<NodeId>,
    nodes: &mut Vec<bool>,
) -> bool {
    nodes.clear();
    for id in formula.node_ids().take(root.index() + 1) {
        let at = |node: NodeId| nodes[node.index()];
        let value = match formula.node(id) {
            Node::Implies(a, _) if implication == Some(id) => !at(a),
            Node::True => true,
            Node::Atom(atom) => atoms[atom.index()],
            Node::Not(a) => !at(a),
            Node::And(a, b) => at(a) && at(b),
            Node::Or(a, b) => at(a) || at(b),
            Node::Implies(a, b) => !at(a) || at(b),
            Node::Iff(a, b) => at(a) == at(b),
            Node::Xor(a, b) => at(a) != at(b),
            _ => false,
        };
        nodes.push(value);
    }
    nodes[root.index()]
}
