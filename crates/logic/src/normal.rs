//! What does a formula say when negation stands at atoms only?
//!
//! Positive normal form pushes negation down with the dual pairs of operators, which keeps the value in
//! every De Morgan lattice. Every node is met in at most two polarities, so the result has at most a
//! constant times as many nodes; equal parts stay shared.
//!
//! Not here: laws that drop or merge operators ([`crate::simplify`](mod@crate::simplify)).

use crate::formula::{Formula, FormulaBuilder, Node, NodeId, VarId};

/// `formula`, or its negation if `negated`, with negation at atoms and lattice constants only and without
/// `->`, `<->`, `xor`, `W` and `M`.
///
/// A fixpoint that is needed in both polarities gets a second variable of the same name.
#[must_use]
pub fn positive_normal_form(formula: &Formula, negated: bool) -> Formula {
    let needed = needed_polarities(formula, negated);
    let mut pusher = Pusher::new(formula, &needed);
    for id in formula.node_ids() {
        let [plain, flipped] = needed[id.index()];
        if plain {
            pusher.plain[id.index()] = pusher.make(formula.node(id), false);
        }
        if flipped {
            pusher.flipped[id.index()] = pusher.make(formula.node(id), true);
        }
    }
    let root = pusher.of(formula.root(), negated);
    pusher.builder.finish(root, formula.logic())
}

/// For each node whether it is needed as it is, and negated.
fn needed_polarities(formula: &Formula, negated: bool) -> Vec<[bool; 2]> {
    let mut needed = vec![[false; 2]; formula.nodes().len()];
    needed[formula.root().index()][usize::from(negated)] = true;
    for id in formula.node_ids().rev() {
        let here = needed[id.index()];
        let swapped = [here[1], here[0]];
        let mut require = |operand: NodeId, polarities: [bool; 2]| {
            let entry = &mut needed[operand.index()];
            *entry = [entry[0] | polarities[0], entry[1] | polarities[1]];
        };
        match formula.node(id) {
            Node::Not(operand) => require(operand, swapped),
            Node::Implies(left, right) => {
                require(left, swapped);
                require(right, here);
            }
            Node::Iff(left, right) | Node::Xor(left, right) => {
                let both = [here[0] | here[1]; 2];
                require(left, both);
                require(right, both);
            }
            other => other.children().for_each(|operand| require(operand, here)),
        }
    }
    needed
}

struct Pusher {
    builder: FormulaBuilder,
    plain: Vec<NodeId>,
    flipped: Vec<NodeId>,
    /// The variable that stands for a negated one; none if it has no binder.
    dual: Vec<Option<VarId>>,
}

impl Pusher {
    fn new(formula: &Formula, needed: &[[bool; 2]]) -> Self {
        let mut builder = formula.to_builder();
        let mut dual = vec![None; formula.variables().len()];
        for id in formula.node_ids() {
            if let Node::Mu(variable, _) | Node::Nu(variable, _) = formula.node(id) {
                let both = needed[id.index()] == [true, true];
                let name = &formula.variables()[variable.index()];
                let of_negation = if both { builder.fresh_variable(name) } else { variable };
                dual[variable.index()] = Some(of_negation);
            }
        }
        let nowhere = vec![NodeId::new(0); formula.nodes().len()];
        Self { builder, plain: nowhere.clone(), flipped: nowhere, dual }
    }

    fn of(&self, operand: NodeId, flip: bool) -> NodeId {
        if flip { self.flipped[operand.index()] } else { self.plain[operand.index()] }
    }

    /// The node, negated if `flip`, over operands made before.
    fn make(&mut self, node: Node, flip: bool) -> NodeId {
        let made = match node {
            Node::True | Node::False | Node::Element(_) | Node::Atom(_) | Node::Var(_) => return self.leaf(node, flip),
            Node::Not(operand) => return self.of(operand, !flip),
            Node::Implies(left, right) => {
                let (left, right) = (self.of(left, !flip), self.of(right, flip));
                if flip { Node::And(left, right) } else { Node::Or(left, right) }
            }
            Node::Iff(left, right) => return self.equivalence(left, right, flip),
            Node::Xor(left, right) => return self.equivalence(left, right, !flip),
            Node::WeakUntil(left, right) => {
                let (left, right) = (self.of(left, flip), self.of(right, flip));
                let held = if flip { Node::And(left, right) } else { Node::Or(left, right) };
                let held = self.builder.add(held);
                if flip { Node::Until(right, held) } else { Node::Release(right, held) }
            }
            Node::StrongRelease(left, right) => {
                let (left, right) = (self.of(left, flip), self.of(right, flip));
                let held = if flip { Node::Or(left, right) } else { Node::And(left, right) };
                let held = self.builder.add(held);
                if flip { Node::Release(right, held) } else { Node::Until(right, held) }
            }
            Node::Coalition(coalition, path) if flip => {
                let dual = self.builder.coalition_of(coalition).dual();
                Node::Coalition(self.builder.coalition(dual), self.of(path, true))
            }
            other => {
                let over = other.map_children(|operand| self.of(operand, flip));
                if flip { self.dual_operator(over) } else { over }
            }
        };
        self.builder.add(made)
    }

    fn leaf(&mut self, node: Node, flip: bool) -> NodeId {
        let node = match (node, flip) {
            (Node::True, true) => Node::False,
            (Node::False, true) => Node::True,
            (Node::Var(variable), true) if self.dual[variable.index()].is_some() => {
                Node::Var(self.dual[variable.index()].unwrap_or(variable))
            }
            (leaf, true) => Node::Not(self.builder.add(leaf)),
            (leaf, false) => leaf,
        };
        self.builder.add(node)
    }

    /// `a <-> b` is `(a & b) | (!a & !b)`; its negation is the dual of that.
    fn equivalence(&mut self, left: NodeId, right: NodeId, flip: bool) -> NodeId {
        let (plain, flipped) =
            ((self.of(left, false), self.of(right, false)), (self.of(left, true), self.of(right, true)));
        let (first, second) = if flip {
            (Node::Or(flipped.0, flipped.1), Node::Or(plain.0, plain.1))
        } else {
            (Node::And(plain.0, plain.1), Node::And(flipped.0, flipped.1))
        };
        let (first, second) = (self.builder.add(first), self.builder.add(second));
        self.builder.add(if flip { Node::And(first, second) } else { Node::Or(first, second) })
    }

    fn dual_operator(&self, node: Node) -> Node {
        let dual = |variable: VarId| self.dual[variable.index()].unwrap_or(variable);
        match node {
            Node::And(a, b) => Node::Or(a, b),
            Node::Or(a, b) => Node::And(a, b),
            Node::Finally(a) => Node::Globally(a),
            Node::Globally(a) => Node::Finally(a),
            Node::Until(a, b) => Node::Release(a, b),
            Node::Release(a, b) => Node::Until(a, b),
            Node::All(a) => Node::Exists(a),
            Node::Exists(a) => Node::All(a),
            Node::Diamond(action, a) => Node::Box(action, a),
            Node::Box(action, a) => Node::Diamond(action, a),
            Node::Mu(variable, a) => Node::Nu(dual(variable), a),
            Node::Nu(variable, a) => Node::Mu(dual(variable), a),
            // `X` is its own dual.
            other => other,
        }
    }
}
