//! In which order are nested fixpoints evaluated, and which of them are operators of CTL in disguise?
//!
//! Works on formulas in positive normal form. What every engine that iterates fixpoints has to know about the
//! formula; the sets, and the iteration itself, are each engine's own.

use tertium_logic::{Formula, Node, NodeId};

/// Fixpoints nested deeper are declined: the evaluation of one inside the other is a recursion.
pub(crate) const DEEPEST: usize = 1000;

/// How deep fixpoint binders nest.
pub(crate) fn nesting(formula: &Formula) -> usize {
    let mut depth = vec![0usize; formula.nodes().len()];
    for id in formula.node_ids() {
        let node = formula.node(id);
        let below = node.children().map(|child| depth[child.index()]).max().unwrap_or(0);
        depth[id.index()] = below + usize::from(matches!(node, Node::Mu(..) | Node::Nu(..)));
    }
    depth[formula.root().index()]
}

/// Who evaluates which node, and when a binder must start afresh.
pub(crate) struct Plan {
    /// Nodes without free variables, in table order.
    pub outermost: Vec<NodeId>,
    /// For each binder (by node) the nodes it evaluates in each round, in table order.
    pub rounds: Vec<Vec<NodeId>>,
    /// For each binder the binders whose value depends directly on its variable.
    pub dependents: Vec<Vec<NodeId>>,
    /// For each variable its binder.
    pub binder: Vec<Option<NodeId>>,
}

impl Plan {
    pub fn of(formula: &Formula) -> Self {
        let count = formula.nodes().len();
        let mut plan = Self {
            outermost: Vec::new(),
            rounds: vec![Vec::new(); count],
            dependents: vec![Vec::new(); count],
            binder: vec![None; formula.variables().len()],
        };
        for id in formula.node_ids() {
            if let Node::Mu(var, _) | Node::Nu(var, _) = formula.node(id) {
                plan.binder[var.index()] = Some(id);
            }
        }
        let mut free: Vec<Vec<NodeId>> = vec![Vec::new(); count];
        for id in formula.node_ids() {
            let binders = plan.free_binders(formula, id, &free);
            match binders.first() {
                // Inner binders stand before outer ones, so the first is the innermost.
                Some(innermost) => plan.rounds[innermost.index()].push(id),
                None => plan.outermost.push(id),
            }
            if matches!(formula.node(id), Node::Mu(..) | Node::Nu(..)) {
                for outer in &binders {
                    plan.dependents[outer.index()].push(id);
                }
            }
            free[id.index()] = binders;
        }
        plan
    }

    /// The binders of a node's free variables, innermost first.
    fn free_binders(&self, formula: &Formula, id: NodeId, free: &[Vec<NodeId>]) -> Vec<NodeId> {
        let node = formula.node(id);
        if let Node::Var(var) = node {
            return self.binder[var.index()].into_iter().collect();
        }
        let mut binders: Vec<NodeId> = node.children().flat_map(|child| free[child.index()].iter().copied()).collect();
        binders.sort_unstable();
        binders.dedup();
        binders.retain(|&binder| binder != id);
        binders
    }
}

/// A body `goal | (side & step Z)` of a least fixpoint, or `goal & (side | step Z)` of a greatest one,
/// where `step` is `<>` or `[]` and neither `goal` nor `side` contains `Z`.
pub(crate) struct FixpointBody {
    /// Whether it is a least fixpoint.
    pub least: bool,
    /// Whether the step is `[]`.
    pub universal: bool,
    /// What ends the walk.
    pub goal: Option<NodeId>,
    /// What holds on the way.
    pub side: Option<NodeId>,
}

impl FixpointBody {
    pub fn of(formula: &Formula, least: bool, var: tertium_logic::VarId, body: NodeId) -> Option<Self> {
        let occurs = occurrences(formula, var, body);
        let step_kind = |id: NodeId| match formula.node(id) {
            Node::Diamond(None, z) if formula.node(z) == Node::Var(var) => Some(false),
            Node::Box(None, z) if formula.node(z) == Node::Var(var) => Some(true),
            _ => None,
        };
        // Splits `independent op rest` whichever way round it is written.
        let split = |id: NodeId, joining: bool| {
            let (a, b) = match formula.node(id) {
                Node::Or(a, b) if joining => (a, b),
                Node::And(a, b) if !joining => (a, b),
                _ => return None,
            };
            match (occurs[a.index()], occurs[b.index()]) {
                (false, true) => Some((a, b)),
                (true, false) => Some((b, a)),
                _ => None,
            }
        };
        let (goal, rest) = split(body, least).map_or((None, body), |(goal, rest)| (Some(goal), rest));
        let (side, step) = split(rest, !least).map_or((None, rest), |(side, step)| (Some(side), step));
        Some(Self { least, universal: step_kind(step)?, goal, side })
    }
}

/// Which nodes at or below `body` contain the variable.
fn occurrences(formula: &Formula, var: tertium_logic::VarId, body: NodeId) -> Vec<bool> {
    let mut occurs = vec![false; body.index() + 1];
    for at in 0..=body.index() {
        let node = formula.nodes()[at];
        occurs[at] = node == Node::Var(var) || node.children().any(|child| occurs[child.index()]);
    }
    occurs
}
