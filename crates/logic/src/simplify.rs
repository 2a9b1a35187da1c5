//! Which parts of a formula can go without changing its value anywhere?
//!
//! Only laws of De Morgan lattices are used: units, idempotence, absorption, double negation. `p | !p` is
//! never taken for true. For LTL the laws of the operators along one path are added; for branching logics
//! only those that hold with every reading of deadlocks, with hyper edges, and with fairness (so
//! `EF true` stays: without a fair path it is not true).
//!
//! Not for the compatibility semantics that multiplies step values into operators: there `G true` is not
//! true. Not here: normal forms ([`crate::normal`]).

use crate::formula::{Formula, FormulaBuilder, Logic, Node, NodeId};

/// An equivalent formula that is not larger.
#[must_use]
pub fn simplify(formula: &Formula) -> Formula {
    let simpler = rebuild(formula);
    // What went may have held the last occurrence of a variable, and then its fixpoint can go too.
    if has_idle_fixpoint(&simpler) { rebuild(&simpler) } else { simpler }
}

fn rebuild(formula: &Formula) -> Formula {
    let occurring = occurring_variables(formula);
    let mut simplifier = Simplifier { builder: formula.to_builder(), linear: formula.logic() == Logic::Ltl };
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for id in formula.node_ids() {
        let node = formula.node(id).map_children(|operand| made[operand.index()]);
        let simple = match node {
            Node::Mu(variable, body) | Node::Nu(variable, body) => {
                simplifier.fixpoint(node, body, occurring[variable.index()])
            }
            other => simplifier.add(other),
        };
        made.push(simple);
    }
    simplifier.builder.finish(made[formula.root().index()], formula.logic())
}

/// For each variable whether it occurs. Binders do not share variables, so it then occurs below its own.
fn occurring_variables(formula: &Formula) -> Vec<bool> {
    let mut occurring = vec![false; formula.variables().len()];
    for node in formula.nodes() {
        if let Node::Var(variable) = node {
            occurring[variable.index()] = true;
        }
    }
    occurring
}

fn has_idle_fixpoint(formula: &Formula) -> bool {
    let occurring = occurring_variables(formula);
    formula.nodes().iter().any(|node| match node {
        Node::Mu(variable, _) | Node::Nu(variable, _) => !occurring[variable.index()],
        _ => false,
    })
}

/// Builds nodes and applies the laws at their root.
pub(crate) struct Simplifier {
    pub(crate) builder: FormulaBuilder,
    /// Whether temporal operators speak of one infinite path, on which more laws hold.
    pub(crate) linear: bool,
}

impl Simplifier {
    /// The node for this operator over simplified operands.
    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        match node {
            Node::Not(operand) => self.not(operand),
            Node::And(a, b) => self.and_or(a, b, true),
            Node::Or(a, b) => self.and_or(a, b, false),
            Node::Implies(a, b) => self.implies(a, b),
            Node::Iff(a, b) => self.equivalence(a, b, true),
            Node::Xor(a, b) => self.equivalence(a, b, false),
            Node::All(path) => self.quantified(node, path, true),
            Node::Exists(path) => self.quantified(node, path, false),
            Node::Box(_, operand) if self.is_true(operand) => operand,
            Node::Diamond(_, operand) if self.is_false(operand) => operand,
            other if self.linear => self.temporal(other),
            other => self.builder.add(other),
        }
    }

    fn node(&self, id: NodeId) -> Node {
        self.builder.node(id)
    }

    fn is_true(&self, id: NodeId) -> bool {
        self.node(id) == Node::True
    }

    fn is_false(&self, id: NodeId) -> bool {
        self.node(id) == Node::False
    }

    fn not(&mut self, operand: NodeId) -> NodeId {
        match self.node(operand) {
            Node::Not(inner) => inner,
            Node::True => self.builder.add(Node::False),
            Node::False => self.builder.add(Node::True),
            _ => self.builder.add(Node::Not(operand)),
        }
    }

    fn and_or(&mut self, a: NodeId, b: NodeId, and: bool) -> NodeId {
        let (unit, zero) = if and { (Node::True, Node::False) } else { (Node::False, Node::True) };
        let (left, right) = (self.node(a), self.node(b));
        if a == b || right == unit || left == zero {
            return a;
        }
        if left == unit || right == zero {
            return b;
        }
        // Absorption, and idempotence one level down: a & (a | c) = a, a & (a & c) = a & c.
        let holds = |whole: Node, part: NodeId| match whole {
            Node::And(c, d) if c == part || d == part => Some(true),
            Node::Or(c, d) if c == part || d == part => Some(false),
            _ => None,
        };
        match (holds(right, a), holds(left, b)) {
            (Some(conjunction), _) => return if conjunction == and { b } else { a },
            (_, Some(conjunction)) => return if conjunction == and { a } else { b },
            _ => {}
        }
        self.builder.add(if and { Node::And(a, b) } else { Node::Or(a, b) })
    }

    fn implies(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.is_true(a) || self.is_true(b) {
            return b;
        }
        if self.is_false(a) {
            return self.builder.add(Node::True);
        }
        if self.is_false(b) {
            return self.not(a);
        }
        self.builder.add(Node::Implies(a, b))
    }

    fn equivalence(&mut self, a: NodeId, b: NodeId, same: bool) -> NodeId {
        let (left, right) = (self.node(a), self.node(b));
        for (constant, other) in [(left, b), (right, a)] {
            match constant {
                Node::True if same => return other,
                Node::False if !same => return other,
                Node::True | Node::False => return self.not(other),
                _ => {}
            }
        }
        self.builder.add(if same { Node::Iff(a, b) } else { Node::Xor(a, b) })
    }

    /// Path quantifiers over one operator, by what holds under every reading.
    fn quantified(&mut self, node: Node, path: NodeId, all: bool) -> NodeId {
        let vacuous = match self.node(path) {
            Node::Next(a) | Node::Globally(a) if all => self.is_true(a),
            Node::Next(a) | Node::Finally(a) if !all => self.is_false(a),
            Node::Finally(a) if all => self.is_true(a),
            Node::Globally(a) => self.is_false(a) && !all,
            Node::Until(_, b) => self.node(b) == if all { Node::True } else { Node::False },
            Node::Release(_, b) => self.node(b) == if all { Node::True } else { Node::False },
            _ => false,
        };
        if vacuous {
            return self.builder.add(if all { Node::True } else { Node::False });
        }
        let plainer = match self.node(path) {
            Node::Until(a, b) if self.is_true(a) => Node::Finally(b),
            Node::Release(a, b) if self.is_false(a) => Node::Globally(b),
            _ => return self.builder.add(node),
        };
        let path = self.builder.add(plainer);
        self.builder.add(if all { Node::All(path) } else { Node::Exists(path) })
    }

    fn fixpoint(&mut self, node: Node, body: NodeId, occurs: bool) -> NodeId {
        match (node, self.node(body)) {
            (Node::Mu(variable, _), Node::Var(inner)) if variable == inner => self.builder.add(Node::False),
            (Node::Nu(variable, _), Node::Var(inner)) if variable == inner => self.builder.add(Node::True),
            _ if !occurs => body,
            _ => self.builder.add(node),
        }
    }

    /// Operators along one infinite path.
    fn temporal(&mut self, node: Node) -> NodeId {
        match node {
            Node::Next(a) if self.is_constant(a) => a,
            Node::Finally(a) if self.is_constant(a) || matches!(self.node(a), Node::Finally(_)) => a,
            Node::Globally(a) if self.is_constant(a) || matches!(self.node(a), Node::Globally(_)) => a,
            Node::Finally(a) => match self.node(a) {
                Node::Until(_, b) => self.temporal(Node::Finally(b)),
                // F G F b and G F b are the same on every path.
                Node::Globally(inner) if matches!(self.node(inner), Node::Finally(_)) => a,
                _ => self.builder.add(node),
            },
            Node::Globally(a) => match self.node(a) {
                Node::Release(_, b) => self.temporal(Node::Globally(b)),
                Node::Finally(inner) if matches!(self.node(inner), Node::Globally(_)) => a,
                _ => self.builder.add(node),
            },
            Node::Until(a, b) => self.until(a, b, true),
            Node::Release(a, b) => self.until(a, b, false),
            Node::WeakUntil(a, b) if self.is_constant(b) => {
                if self.is_true(b) {
                    b
                } else {
                    self.temporal(Node::Globally(a))
                }
            }
            Node::StrongRelease(a, b) if self.is_constant(b) => {
                if self.is_false(b) {
                    b
                } else {
                    self.temporal(Node::Finally(a))
                }
            }
            other => self.builder.add(other),
        }
    }

    fn is_constant(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::True | Node::False)
    }

    /// `a U b`, or `a R b` by duality.
    fn until(&mut self, a: NodeId, b: NodeId, until: bool) -> NodeId {
        let (keep, drop) = if until { (Node::True, Node::False) } else { (Node::False, Node::True) };
        if a == b || self.is_constant(b) || self.node(a) == drop {
            return b;
        }
        if self.node(a) == keep {
            return self.temporal(if until { Node::Finally(b) } else { Node::Globally(b) });
        }
        match self.node(b) {
            // a U F b = F b and a U (a U c) = a U c.
            Node::Finally(_) if until => b,
            Node::Globally(_) if !until => b,
            Node::Until(c, _) if until && c == a => b,
            Node::Release(c, _) if !until && c == a => b,
            _ => self.builder.add(if until { Node::Until(a, b) } else { Node::Release(a, b) }),
        }
    }
}
