//! How can a claim about a node be defended?
//!
//! The falsity of an operator is the truth of its dual. Fixpoints of CTL unfold to "stop, or hold and go on".

use tertium_logic::{ActionId, Formula, Logic, Node, NodeId};

/// A node, and whether it is claimed to be true.
pub(super) type Sub = (NodeId, bool);

/// What a claim needs.
#[derive(Clone, Debug)]
pub(super) enum Defence {
    /// Evidence in a label or a constant.
    Label,
    /// All of these, at the same state.
    All(Vec<Sub>),
    /// All of one of these lists, at the same state.
    OneOf(Vec<Vec<Sub>>),
    /// This at the states that a step leads to.
    Step { exists: bool, action: Option<ActionId>, then: Sub },
    /// Stop by an operand, or hold something and claim the same at the next states.
    Unfold(Unfolding),
    /// Nothing: this is no formula about states.
    Foreign,
}

/// A fixpoint of CTL.
#[derive(Clone, Debug)]
pub(super) struct Unfolding {
    pub(super) exists: bool,
    pub(super) least: bool,
    /// The operand that stops, and what it needs.
    pub(super) stop: Option<(u8, Vec<Sub>)>,
    pub(super) hold: Option<Sub>,
}

/// The defences of all claims about a formula.
#[derive(Debug)]
pub(super) struct Rules {
    /// By node: of its falsity, of its truth.
    defences: Vec<[Defence; 2]>,
    /// Nodes that can come up.
    used: Vec<bool>,
}

impl Rules {
    pub(super) fn of(formula: &Formula) -> Self {
        let mut binders = vec![None; formula.variables().len()];
        for id in formula.node_ids() {
            if let Node::Mu(variable, _) | Node::Nu(variable, _) = formula.node(id) {
                binders[variable.index()] = Some(id);
            }
        }
        let binder = |variable: usize| binders[variable];
        let both = |id: NodeId| [false, true].map(|positive| defence(formula, &binder, id, positive));
        let defences: Vec<[Defence; 2]> = formula.node_ids().map(both).collect();
        let mut used = vec![false; defences.len()];
        let mut todo = vec![formula.root()];
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut used[node.index()], true) {
                todo.extend(defences[node.index()][1].operands());
            }
        }
        Self { defences, used }
    }

    pub(super) fn get(&self, node: NodeId, positive: bool) -> &Defence {
        &self.defences[node.index()][usize::from(positive)]
    }

    /// Whether claims about the formula would have to speak of something that is no formula about states.
    pub(super) fn any_foreign(&self) -> bool {
        let foreign = |both: &[Defence; 2]| matches!(both[1], Defence::Foreign);
        self.defences.iter().zip(&self.used).any(|(both, &used)| used && foreign(both))
    }

    /// Whether a claim unfolds a fixpoint; and whether it must come to an end.
    pub(super) fn least(&self, formula: &Formula, node: NodeId, positive: bool) -> Option<bool> {
        match (formula.node(node), self.get(node, positive)) {
            (Node::Mu(..), _) => Some(positive),
            (Node::Nu(..), _) => Some(!positive),
            (_, Defence::Unfold(unfolding)) => Some(unfolding.least),
            _ => None,
        }
    }
}

impl Defence {
    /// Whether it needs one step (or else all of them); none if it is not about steps.
    pub(super) const fn steps(&self) -> Option<bool> {
        match self {
            Self::Step { exists, .. } | Self::Unfold(Unfolding { exists, .. }) => Some(*exists),
            _ => None,
        }
    }

    fn operands(&self) -> Vec<NodeId> {
        let nodes = |list: &[Sub]| list.iter().map(|sub| sub.0).collect::<Vec<_>>();
        match self {
            Self::Label | Self::Foreign => Vec::new(),
            Self::All(list) => nodes(list),
            Self::OneOf(lists) => lists.iter().flat_map(|list| nodes(list)).collect(),
            Self::Step { then, .. } => vec![then.0],
            Self::Unfold(Unfolding { stop, hold, .. }) => {
                let stops = stop.iter().flat_map(|(_, list)| nodes(list));
                stops.chain(hold.iter().map(|sub| sub.0)).collect()
            }
        }
    }
}

fn defence(formula: &Formula, binder: &dyn Fn(usize) -> Option<NodeId>, id: NodeId, positive: bool) -> Defence {
    let is = |a: NodeId, value: bool| (a, value == positive);
    let both = |a: Sub, b: Sub| Defence::All(vec![a, b]);
    let either = |a: Sub, b: Sub| Defence::OneOf(vec![vec![a], vec![b]]);
    match formula.node(id) {
        Node::True | Node::False | Node::Element(_) | Node::Atom(_) => Defence::Label,
        Node::Not(a) => Defence::All(vec![is(a, false)]),
        Node::And(a, b) if positive => both(is(a, true), is(b, true)),
        Node::And(a, b) => either(is(a, true), is(b, true)),
        Node::Or(a, b) if positive => either(is(a, true), is(b, true)),
        Node::Or(a, b) => both(is(a, true), is(b, true)),
        Node::Implies(a, b) if positive => either(is(a, false), is(b, true)),
        Node::Implies(a, b) => both(is(a, false), is(b, true)),
        Node::Iff(a, b) => equal(a, b, positive),
        Node::Xor(a, b) => equal(a, b, !positive),
        Node::Diamond(action, a) => Defence::Step { exists: positive, action, then: is(a, true) },
        Node::Box(action, a) => Defence::Step { exists: !positive, action, then: is(a, true) },
        Node::Mu(_, body) | Node::Nu(_, body) => Defence::All(vec![is(body, true)]),
        Node::Var(variable) => match binder(variable.index()) {
            Some(at) => Defence::All(vec![is(at, true)]),
            None => Defence::Foreign,
        },
        Node::All(path) if formula.logic() == Logic::Ctl => along(formula, path, !positive, positive),
        Node::Exists(path) if formula.logic() == Logic::Ctl => along(formula, path, positive, positive),
        _ => Defence::Foreign,
    }
}

fn equal(a: NodeId, b: NodeId, same: bool) -> Defence {
    let pair = |first: bool, second: bool| vec![(a, first), (b, second)];
    Defence::OneOf(if same {
        vec![pair(true, true), pair(false, false)]
    } else {
        vec![pair(true, false), pair(false, true)]
    })
}

/// A path operator under a quantifier. What is false unfolds as its dual does: `F` as `G`, `U` as `R`, `W` as `M`.
fn along(formula: &Formula, path: NodeId, exists: bool, positive: bool) -> Defence {
    let is = |a: NodeId| (a, positive);
    let unfold = |least: bool, stop: Option<(u8, Vec<Sub>)>, hold: Option<Sub>| {
        Defence::Unfold(Unfolding { exists, least, stop, hold })
    };
    let until = |first: NodeId, goal: NodeId, least: bool| unfold(least, Some((1, vec![is(goal)])), Some(is(first)));
    let release =
        |first: NodeId, kept: NodeId, least: bool| unfold(least, Some((0, vec![is(first), is(kept)])), Some(is(kept)));
    let reach = |a: NodeId| unfold(true, Some((0, vec![is(a)])), None);
    let keep = |a: NodeId| unfold(false, None, Some(is(a)));
    match (formula.node(path), positive) {
        (Node::Next(a), _) => Defence::Step { exists, action: None, then: is(a) },
        (Node::Finally(a), true) | (Node::Globally(a), false) => reach(a),
        (Node::Globally(a), true) | (Node::Finally(a), false) => keep(a),
        (Node::Until(a, b), true) => until(a, b, true),
        (Node::Release(a, b), false) => until(a, b, true),
        (Node::WeakUntil(a, b), true) => until(a, b, false),
        (Node::StrongRelease(a, b), false) => until(a, b, false),
        (Node::Release(a, b), true) => release(a, b, false),
        (Node::Until(a, b), false) => release(a, b, false),
        (Node::StrongRelease(a, b), true) => release(a, b, true),
        (Node::WeakUntil(a, b), false) => release(a, b, true),
        _ => Defence::Foreign,
    }
}
