//! By the definition: `EX g` is the join over all edges of edge meet `g`, `AX g` the meet of negated edge
//! join `g`, everything else pointwise or by iteration.

use tertium_base::Stopped;
use tertium_lattice::Element;
use tertium_logic::{Node, NodeId};
use tertium_model::StateId;

use super::{LatticeTask, lattice_supports};
use crate::EngineError;

/// A value at every state.
type Column = Vec<Element>;

/// The formula's value at every state.
///
/// # Errors
/// If the formula is not one of PML, CTL or mu-calculus, or a limit is reached.
pub fn direct_values(task: &LatticeTask<'_>) -> Result<Column, EngineError> {
    lattice_supports(task.formula)?;
    let formula = task.formula;
    let mut evaluator = Evaluator {
        task,
        columns: vec![None; formula.nodes().len()],
        variables: vec![None; formula.variables().len()],
    };
    let nodes = evaluator.inside(formula.root());
    evaluator.evaluate(&nodes)?;
    Ok(evaluator.column(formula.root()).to_vec())
}

struct Evaluator<'e> {
    task: &'e LatticeTask<'e>,
    columns: Vec<Option<Column>>,
    variables: Vec<Option<Column>>,
}

impl Evaluator<'_> {
    /// A node and what is below it, operands first, without what is below an inner fixpoint.
    fn inside(&self, top: NodeId) -> Vec<NodeId> {
        let mut found = vec![top];
        let mut seen = vec![false; top.index() + 1];
        let mut done = 0;
        while done < found.len() {
            let node = self.task.formula.node(found[done]);
            done += 1;
            if matches!(node, Node::Mu(..) | Node::Nu(..)) {
                continue;
            }
            for child in node.children() {
                if !std::mem::replace(&mut seen[child.index()], true) {
                    found.push(child);
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn column(&self, id: NodeId) -> &[Element] {
        self.columns[id.index()].as_deref().unwrap_or_default()
    }

    fn constant(&self, value: Element) -> Column {
        vec![value; self.task.model.state_count()]
    }

    fn evaluate(&mut self, nodes: &[NodeId]) -> Result<(), Stopped> {
        for &id in nodes {
            self.task.budget.check()?;
            self.columns[id.index()] = Some(self.value(id)?);
        }
        Ok(())
    }

    fn value(&mut self, id: NodeId) -> Result<Column, Stopped> {
        let (model, formula) = (self.task.model, self.task.formula);
        let lattice = model.lattice();
        let join = |a: Element, b: Element| lattice.join(a, b);
        let meet = |a: Element, b: Element| lattice.meet(a, b);
        let equal = |a: Element, b: Element| join(meet(a, b), meet(lattice.neg(a), lattice.neg(b)));
        Ok(match formula.node(id) {
            Node::True => self.constant(lattice.top()),
            Node::False => self.constant(lattice.bottom()),
            Node::Element(element) => self.constant(self.task.elements[element.index()]),
            Node::Atom(atom) => model.states().map(|state| model.label(state, self.task.props[atom.index()])).collect(),
            Node::Var(var) => self.variables[var.index()].clone().unwrap_or_default(),
            Node::Not(a) => self.column(a).iter().map(|&a| lattice.neg(a)).collect(),
            Node::And(a, b) => pointwise(self.column(a), self.column(b), meet),
            Node::Or(a, b) => pointwise(self.column(a), self.column(b), join),
            Node::Implies(a, b) => pointwise(self.column(a), self.column(b), |a, b| join(lattice.neg(a), b)),
            Node::Iff(a, b) => pointwise(self.column(a), self.column(b), equal),
            Node::Xor(a, b) => pointwise(self.column(a), self.column(b), |a, b| lattice.neg(equal(a, b))),
            Node::Diamond(_, a) => self.next(false, self.column(a)),
            Node::Box(_, a) => self.next(true, self.column(a)),
            Node::Mu(var, body) => self.fixpoint(var.index(), body, lattice.bottom())?,
            Node::Nu(var, body) => self.fixpoint(var.index(), body, lattice.top())?,
            Node::Exists(path) => self.quantified(formula.node(path), false)?,
            Node::All(path) => self.quantified(formula.node(path), true)?,
            Node::Next(_)
            | Node::Finally(_)
            | Node::Globally(_)
            | Node::Until(..)
            | Node::Release(..)
            | Node::WeakUntil(..)
            | Node::StrongRelease(..)
            | Node::Coalition(..) => Column::new(),
        })
    }

    fn next(&self, all: bool, inner: &[Element]) -> Column {
        let lattice = self.task.model.lattice();
        let at = |state: StateId| {
            let edges = self.task.model.edges_from(state).iter();
            if all {
                let terms = edges.map(|edge| lattice.join(lattice.neg(edge.value), inner[edge.target.index()]));
                terms.fold(lattice.top(), |sum, term| lattice.meet(sum, term))
            } else {
                let terms = edges.map(|edge| lattice.meet(edge.value, inner[edge.target.index()]));
                terms.fold(lattice.bottom(), |sum, term| lattice.join(sum, term))
            }
        };
        self.task.model.states().map(at).collect()
    }

    fn fixpoint(&mut self, var: usize, body: NodeId, start: Element) -> Result<Column, Stopped> {
        let nodes = self.inside(body);
        let mut current = self.constant(start);
        loop {
            self.variables[var] = Some(current.clone());
            self.evaluate(&nodes)?;
            let next = self.column(body);
            if next == current {
                return Ok(current);
            }
            current = next.to_vec();
        }
    }

    fn quantified(&self, path: Node, all: bool) -> Result<Column, Stopped> {
        let lattice = self.task.model.lattice();
        let (top, bottom) = (self.constant(lattice.top()), self.constant(lattice.bottom()));
        let join = |a, b| lattice.join(a, b);
        let meet = |a, b| lattice.meet(a, b);
        match path {
            Node::Next(a) => Ok(self.next(all, self.column(a))),
            Node::Finally(b) => self.until(all, &top, self.column(b)),
            Node::Globally(b) => self.release(all, &bottom, self.column(b)),
            Node::Until(a, b) => self.until(all, self.column(a), self.column(b)),
            Node::Release(a, b) => self.release(all, self.column(a), self.column(b)),
            Node::WeakUntil(a, b) => {
                self.release(all, self.column(b), &pointwise(self.column(a), self.column(b), join))
            }
            Node::StrongRelease(a, b) => {
                self.until(all, self.column(b), &pointwise(self.column(a), self.column(b), meet))
            }
            _ => Ok(Column::new()),
        }
    }

    /// Least solution of `Z = b | (a & next Z)`.
    fn until(&self, all: bool, a: &[Element], b: &[Element]) -> Result<Column, Stopped> {
        let lattice = self.task.model.lattice();
        self.iterate(lattice.bottom(), |z| {
            let on = pointwise(a, &self.next(all, z), |a, z| lattice.meet(a, z));
            pointwise(b, &on, |b, on| lattice.join(b, on))
        })
    }

    /// Greatest solution of `Z = b & (a | next Z)`.
    fn release(&self, all: bool, a: &[Element], b: &[Element]) -> Result<Column, Stopped> {
        let lattice = self.task.model.lattice();
        self.iterate(lattice.top(), |z| {
            let on = pointwise(a, &self.next(all, z), |a, z| lattice.join(a, z));
            pointwise(b, &on, |b, on| lattice.meet(b, on))
        })
    }

    fn iterate(&self, start: Element, step: impl Fn(&[Element]) -> Column) -> Result<Column, Stopped> {
        let mut current = self.constant(start);
        loop {
            self.task.budget.check()?;
            let next = step(&current);
            if next == current {
                return Ok(current);
            }
            current = next;
        }
    }
}

fn pointwise(a: &[Element], b: &[Element], combine: impl Fn(Element, Element) -> Element) -> Column {
    a.iter().zip(b).map(|(&a, &b)| combine(a, b)).collect()
}
