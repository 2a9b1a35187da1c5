//! Nested fixpoints of the mu-calculus, by iteration.
//!
//! Works on the positive normal form. Every node with free variables belongs to the innermost of
//! their binders and is evaluated again in each round of that binder. A binder continues from its
//! last value unless a change around it has made that value unsafe to start from; then it is reset.
//! Bodies that have the shape of a CTL operator are labelled by its linear walk instead.

use tertium_base::Stopped;
use tertium_logic::{Node, NodeId, positive_normal_form};

use super::pair::Pair;
use super::structure::Structure;
use super::{operator, release, until};
use crate::Task;
use crate::rounds::{FixpointBody, Plan};

/// The sets of a formula with fixpoint variables.
pub(super) fn evaluate(structure: &Structure<'_>, task: &Task<'_>) -> Result<Pair, Stopped> {
    let formula = positive_normal_form(task.formula, false);
    let task = Task { formula: &formula, ..task.clone() };
    let mut iteration = Iteration::new(structure, &task);
    iteration.run(iteration.plan.outermost.clone().as_slice())?;
    let root = iteration.pairs[formula.root().index()].take();
    Ok(root.unwrap_or_else(|| Pair::empty(structure.states())))
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
        if let Some(shape) = FixpointBody::of(self.task.formula, least, var, body) {
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

    fn walk(&self, shape: &FixpointBody) -> Result<Pair, Stopped> {
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
