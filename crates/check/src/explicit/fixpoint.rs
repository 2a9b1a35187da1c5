//! Nested fixpoints of the mu-calculus, by iteration.
//!
//! Works on the positive normal form. Every node with free variables belongs to the innermost of
//! their binders and is evaluated again in each round of that binder. A binder continues from its
//! last value unless a change around it has made that value unsafe to start from; then it is reset.
//! Bodies that have the shape of a CTL operator are labelled by its linear walk instead.

use tertium_base::Stopped;
use tertium_logic::{Formula, Node, NodeId, positive_normal_form};

use super::pair::Pair;
use super::structure::Structure;
use super::{operator, release, until};
use crate::Task;

/// Fixpoints nested deeper are declined: the evaluation of one inside the other is a recursion.
pub(super) const DEEPEST: usize = 1000;

/// How deep fixpoint binders nest.
pub(super) fn nesting(formula: &Formula) -> usize {
    let mut depth = vec![0usize; formula.nodes().len()];
    for id in formula.node_ids() {
        let node = formula.node(id);
        let below = node.children().map(|child| depth[child.index()]).max().unwrap_or(0);
        depth[id.index()] = below + usize::from(matches!(node, Node::Mu(..) | Node::Nu(..)));
    }
    depth[formula.root().index()]
}

/// The sets of a formula with fixpoint variables.
pub(super) fn evaluate(structure: &Structure<'_>, task: &Task<'_>) -> Result<Pair, Stopped> {
    let formula = positive_normal_form(task.formula, false);
    let task = Task { formula: &formula, ..task.clone() };
    let mut iteration = Iteration::new(structure, &task);
    iteration.run(iteration.plan.outermost.clone().as_slice())?;
    let root = iteration.pairs[formula.root().index()].take();
    Ok(root.unwrap_or_else(|| Pair::empty(structure.states())))
}

/// Who evaluates which node, and when a binder must start afresh.
struct Plan {
    /// Nodes without free variables, in table order.
    outermost: Vec<NodeId>,
    /// For each binder (by node) the nodes it evaluates in each round, in table order.
    rounds: Vec<Vec<NodeId>>,
    /// For each binder the binders whose value depends directly on its variable.
    dependents: Vec<Vec<NodeId>>,
    /// For each variable its binder.
    binder: Vec<Option<NodeId>>,
}

impl Plan {
    fn of(formula: &Formula) -> Self {
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

struct Iteration<'i, 'a> {
    structure: &'i Structure<'a>,
    task: &'i Task<'i>,
    plan: Plan,
    pairs: Vec<Option<Pair>>,
    /// Binders whose last value is a safe start.
    settled: Vec<bool>,
}

impl<'i, 'a> Iteration<'i, 'a> {
    fn new(structure: &'i Structure<'a>, task: &'i Task<'i>) -> Self {
        let count = task.formula.nodes().len();
        Self { structure, task, plan: Plan::of(task.formula), pairs: vec![None; count], settled: vec![false; count] }
    }

    fn run(&mut self, nodes: &[NodeId]) -> Result<(), Stopped> {
        for &id in nodes {
            match self.task.formula.node(id) {
                Node::Mu(..) | Node::Nu(..) => self.settle(id)?,
                // A variable carries the running value of its binder, put there by `settle`.
                Node::Var(_) => {}
                node => {
                    let pairs = &self.pairs;
                    let get = |operand: NodeId| pairs[operand.index()].as_ref();
                    let pair = operator(self.structure, self.task, node, &get)?;
                    self.pairs[id.index()] = pair;
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self, binder: NodeId) -> Result<(), Stopped> {
        let (least, var, body) = match self.task.formula.node(binder) {
            Node::Mu(var, body) => (true, var, body),
            Node::Nu(var, body) => (false, var, body),
            _ => return Ok(()),
        };
        if let Some(shape) = Shape::of(self.task.formula, least, var, body) {
            self.pairs[binder.index()] = Some(self.walk(&shape)?);
            return Ok(());
        }
        let states = self.structure.states();
        let mut value = match self.pairs[binder.index()].take() {
            Some(last) if self.settled[binder.index()] => last,
            _ if least => Pair::empty(states),
            _ => Pair::full(states),
        };
        self.settled[binder.index()] = true;
        let round = std::mem::take(&mut self.plan.rounds[binder.index()]);
        let variable = round.iter().copied().find(|&id| self.task.formula.node(id) == Node::Var(var));
        loop {
            if let Some(variable) = variable {
                self.pairs[variable.index()] = Some(value.clone());
            }
            self.run(&round)?;
            let next = self.pairs[body.index()].clone().unwrap_or_else(|| value.clone());
            if next == value {
                break;
            }
            value = next;
            self.value_moved(binder, least);
        }
        self.plan.rounds[binder.index()] = round;
        self.pairs[binder.index()] = Some(value);
        Ok(())
    }

    /// A least fixpoint has grown (or a greatest has shrunk): a greatest fixpoint inside it must not
    /// start from its last, smaller value; nor must those greatest ones that depend on it in turn.
    fn value_moved(&mut self, binder: NodeId, least: bool) {
        let mut stack: Vec<NodeId> = self.plan.dependents[binder.index()].clone();
        while let Some(inner) = stack.pop() {
            let inner_least = matches!(self.task.formula.node(inner), Node::Mu(..));
            if inner_least != least && std::mem::replace(&mut self.settled[inner.index()], false) {
                stack.extend(&self.plan.dependents[inner.index()]);
            }
        }
    }

    fn walk(&self, shape: &Shape) -> Result<Pair, Stopped> {
        let states = self.structure.states();
        let fetch = |operand: Option<NodeId>, otherwise: fn(usize) -> Pair| {
            operand.and_then(|id| self.pairs[id.index()].clone()).unwrap_or_else(|| otherwise(states))
        };
        match (shape.least, shape.universal) {
            (true, false) => {
                let (a, b) = (fetch(shape.side, Pair::full), fetch(shape.goal, Pair::empty));
                until::exists_until(self.structure, &a, &b)
            }
            (false, false) => {
                let (a, b) = (fetch(shape.side, Pair::empty), fetch(shape.goal, Pair::full));
                release::exists_release(self.structure, &a, &b)
            }
            (true, true) => {
                let (a, b) = (fetch(shape.side, Pair::full).not(), fetch(shape.goal, Pair::empty).not());
                Ok(release::exists_release(self.structure, &a, &b)?.not())
            }
            (false, true) => {
                let (a, b) = (fetch(shape.side, Pair::empty).not(), fetch(shape.goal, Pair::full).not());
                Ok(until::exists_until(self.structure, &a, &b)?.not())
            }
        }
    }
}

/// A body `goal | (side & step Z)` of a least fixpoint, or `goal & (side | step Z)` of a greatest one,
/// where `step` is `<>` or `[]` and neither `goal` nor `side` contains `Z`.
struct Shape {
    least: bool,
    universal: bool,
    goal: Option<NodeId>,
    side: Option<NodeId>,
}

impl Shape {
    fn of(formula: &Formula, least: bool, var: tertium_logic::VarId, body: NodeId) -> Option<Self> {
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
