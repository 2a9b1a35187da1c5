//! Properties of programs that never stop: what a formula says about deadlocks is decided, so it can go.
//!
//! Front ends whose paths never end write `G !deadlock` before what they ask. Where no state that is reached is one, what is left is often an invariant or
//! a formula of CTL.

use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_logic::classify::is_ctl;
use tertium_logic::{Formula, FormulaBuilder, Logic, Node, NodeId};
use tertium_program::Expr;

use super::decide::SymbolicCheck;

impl SymbolicCheck<'_, '_> {
    /// The property without its atoms that mean a deadlock, if it has some and there is none.
    pub(super) fn without_deadlocks(&self, asked: &PropertyQuery) -> Result<Option<PropertyQuery>, Failure> {
        let program = self.encoding.program();
        let is_deadlock = |node: &Node| match node {
            Node::Atom(id) => program.exprs.get(self.subject.expr(asked.atoms[id.index()])) == Expr::Deadlock,
            _ => false,
        };
        if !asked.formula.nodes().iter().any(is_deadlock) || !self.encoding.dead()?.is_empty() {
            return Ok(None);
        }
        let formula = resolved(&asked.formula, is_deadlock);
        Ok(Some(asked.with_formula(&asked.name, formula)))
    }
}

/// A formula in which some atoms are false at every state.
fn resolved(formula: &Formula, is_false: impl Fn(&Node) -> bool) -> Formula {
    let mut builder = formula.to_builder();
    let mut images: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let image = if is_false(node) {
            builder.add(Node::False)
        } else {
            simplified(&mut builder, node.map_children(|child| images[child.index()]))
        };
        images.push(image);
    }
    let root = images[formula.root().index()];
    let logic = formula.logic();
    let found = builder.finish(root, logic);
    if logic == Logic::CtlStar && is_ctl(&found) { builder.finish(root, Logic::Ctl) } else { found }
}

/// A node over operands that may be constants now; paths never end.
fn simplified(builder: &mut FormulaBuilder, node: Node) -> NodeId {
    let constant = |id: NodeId| match builder.node(id) {
        Node::True => Some(true),
        Node::False => Some(false),
        _ => None,
    };
    match node {
        Node::Not(a) => match constant(a) {
            Some(value) => builder.add(if value { Node::False } else { Node::True }),
            None => builder.add(node),
        },
        Node::Globally(a) | Node::Finally(a) | Node::Next(a) if constant(a).is_some() => a,
        Node::And(a, b) => match (constant(a), constant(b)) {
            (Some(true), _) | (_, Some(false)) => b,
            (_, Some(true)) | (Some(false), _) => a,
            _ => builder.add(node),
        },
        Node::Implies(a, b) if constant(a) == Some(true) => b,
        _ => builder.add(node),
    }
}
