//! What does each operator's rule ask of a claim? The table of `certificate`, as code.

use tertium_logic::{Formula, Logic, Node, NodeId};

/// A node and whether it is claimed true or false, at a state that the context gives.
pub(crate) type SubClaim = (NodeId, bool);

/// How a claim about a node is to be proved, once falsity has been turned into truth of the dual operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// A constant or label that must carry the evidence.
    Literal,
    /// These sub-claims, all of them.
    Both([SubClaim; 2]),
    /// One sub-claim.
    One(NodeId, bool),
    /// Either sub-claim.
    Either([SubClaim; 2]),
    /// One of these pairs of sub-claims.
    Pairs(Vec<[SubClaim; 2]>),
    /// A step into a certain set, or along all possible edges; then this sub-claim.
    Step { exists: bool, action: Option<tertium_logic::ActionId>, then: SubClaim },
    /// A fixpoint of CTL.
    Temporal(Temporal),
    /// Not an operator that claims can speak of.
    Foreign,
}

/// A fixpoint operator of CTL: `now` unfolds to "stop, or hold and go on".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Temporal {
    /// Whether some path is meant, or all.
    pub(crate) exists: bool,
    /// Whether going on forever proves nothing (until) or suffices (release).
    pub(crate) least: bool,
    /// The operand number that stops, and the claims it then needs; none for `G`.
    pub(crate) stop: Option<(u8, [Option<SubClaim>; 2])>,
    /// What must hold while going on; none for `F`.
    pub(crate) hold: Option<SubClaim>,
}

/// The rules of all claims about one formula.
pub(crate) struct Rules {
    rules: Vec<[Rule; 2]>,
}

impl Rules {
    pub(crate) fn of(formula: &Formula) -> Self {
        let mut binders = vec![None; formula.variables().len()];
        for id in formula.node_ids() {
            if let Node::Mu(var, _) | Node::Nu(var, _) = formula.node(id) {
                binders[var.index()] = Some(id);
            }
        }
        let both = |id| [rule(formula, &binders, id, false), rule(formula, &binders, id, true)];
        Self { rules: formula.node_ids().map(both).collect() }
    }

    /// Whether a claim about this node unfolds a fixpoint.
    pub(crate) fn is_fixpoint(&self, formula: &Formula, node: NodeId, positive: bool) -> bool {
        matches!(formula.node(node), Node::Mu(..) | Node::Nu(..))
            || matches!(self.get(node, positive), Rule::Temporal(_))
    }

    /// The rule for a claim that `node` is true (`positive`) or false.
    pub(crate) fn get(&self, node: NodeId, positive: bool) -> &Rule {
        &self.rules[node.index()][usize::from(positive)]
    }
}

fn rule(formula: &Formula, binders: &[Option<NodeId>], node: NodeId, positive: bool) -> Rule {
    let same = |a: NodeId| (a, positive);
    let flipped = |a: NodeId| (a, !positive);
    match formula.node(node) {
        Node::True | Node::False | Node::Element(_) | Node::Atom(_) => Rule::Literal,
        Node::Not(a) => Rule::One(a, !positive),
        Node::And(a, b) => conjunction(positive, same(a), same(b)),
        Node::Or(a, b) => conjunction(!positive, same(a), same(b)),
        Node::Implies(a, b) => conjunction(!positive, flipped(a), same(b)),
        Node::Iff(a, b) => equivalence(positive, a, b),
        Node::Xor(a, b) => equivalence(!positive, a, b),
        Node::Diamond(action, a) => Rule::Step { exists: positive, action, then: same(a) },
        Node::Box(action, a) => Rule::Step { exists: !positive, action, then: same(a) },
        Node::Mu(_, body) | Node::Nu(_, body) => Rule::One(body, positive),
        Node::Var(var) => binders[var.index()].map_or(Rule::Foreign, |binder| Rule::One(binder, positive)),
        Node::All(path) => quantified(formula, !positive, positive, path),
        Node::Exists(path) => quantified(formula, positive, positive, path),
        Node::Next(_)
        | Node::Finally(_)
        | Node::Globally(_)
        | Node::Until(..)
        | Node::Release(..)
        | Node::WeakUntil(..)
        | Node::StrongRelease(..)
        | Node::Coalition(..) => Rule::Foreign,
    }
}

fn conjunction(both: bool, a: SubClaim, b: SubClaim) -> Rule {
    if both { Rule::Both([a, b]) } else { Rule::Either([a, b]) }
}

fn equivalence(equal: bool, a: NodeId, b: NodeId) -> Rule {
    let (a_true, a_false, b_true, b_false) = ((a, true), (a, false), (b, true), (b, false));
    if equal {
        Rule::Pairs(vec![[a_true, b_true], [a_false, b_false]])
    } else {
        Rule::Pairs(vec![[a_true, b_false], [a_false, b_true], [a_true, a_false], [b_true, b_false]])
    }
}

fn quantified(formula: &Formula, exists: bool, positive: bool, path: NodeId) -> Rule {
    if formula.logic() != Logic::Ctl {
        return Rule::Foreign;
    }
    let claim = |a: NodeId| (a, positive);
    let temporal = |least: bool, stop, hold| Rule::Temporal(Temporal { exists, least: least == positive, stop, hold });
    let one = |operand: u8, a: NodeId| Some((operand, [Some(claim(a)), None]));
    let both = |a: NodeId, b: NodeId| Some((0, [Some(claim(a)), Some(claim(b))]));
    match formula.node(path) {
        Node::Next(a) => Rule::Step { exists, action: None, then: claim(a) },
        Node::Finally(a) if positive => temporal(true, one(0, a), None),
        Node::Finally(a) => temporal(true, None, Some(claim(a))),
        Node::Globally(a) if positive => temporal(false, None, Some(claim(a))),
        Node::Globally(a) => temporal(false, one(0, a), None),
        Node::Until(a, b) if positive => temporal(true, one(1, b), Some(claim(a))),
        Node::Until(a, b) => temporal(true, both(a, b), Some(claim(b))),
        Node::Release(a, b) if positive => temporal(false, both(a, b), Some(claim(b))),
        Node::Release(a, b) => temporal(false, one(1, b), Some(claim(a))),
        Node::WeakUntil(a, b) if positive => temporal(false, one(1, b), Some(claim(a))),
        Node::WeakUntil(a, b) => temporal(false, both(a, b), Some(claim(b))),
        Node::StrongRelease(a, b) if positive => temporal(true, both(a, b), Some(claim(b))),
        Node::StrongRelease(a, b) => temporal(true, one(1, b), Some(claim(a))),
        _ => Rule::Foreign,
    }
}
