//! Which node does an operator make?

use super::token::{Binder, Infix, PathOp, Quantifier};
use crate::formula::{Node, NodeId, VarId};

pub(super) fn path_node(op: PathOp, operand: NodeId) -> Node {
    match op {
        PathOp::Next => Node::Next(operand),
        PathOp::Finally => Node::Finally(operand),
        PathOp::Globally => Node::Globally(operand),
    }
}

pub(super) fn quantifier_node(quantifier: Quantifier, operand: NodeId) -> Node {
    match quantifier {
        Quantifier::All => Node::All(operand),
        Quantifier::Exists => Node::Exists(operand),
    }
}

pub(super) fn binder_node(binder: Binder, variable: VarId, body: NodeId) -> Node {
    match binder {
        Binder::Mu => Node::Mu(variable, body),
        Binder::Nu => Node::Nu(variable, body),
    }
}

pub(super) fn infix_node(infix: Infix, left: usize, right: usize) -> Node {
    let (left, right) = (NodeId::new(left), NodeId::new(right));
    match infix {
        Infix::Iff => Node::Iff(left, right),
        Infix::Implies => Node::Implies(left, right),
        Infix::Or => Node::Or(left, right),
        Infix::Xor => Node::Xor(left, right),
        Infix::And => Node::And(left, right),
        Infix::Until => Node::Until(left, right),
        Infix::Release => Node::Release(left, right),
        Infix::WeakUntil => Node::WeakUntil(left, right),
        Infix::StrongRelease => Node::StrongRelease(left, right),
    }
}
