//! A branching formula from its atoms up, whatever its values are held in.

use tertium_base::Stopped;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Node, NodeId, positive_normal_form};

use super::structure::Structure;
use super::values::{Pair, Pairs, Representation};
use crate::rounds::{FixpointBody, Plan};
use crate::{EngineError, Filter, Unsupported};

/// What the names of a formula mean.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    /// For each atom its labels; none for one that does not occur.
    pub labels: Vec<Option<Pair>>,
    /// For each constant its value.
    pub elements: Vec<Belnap>,
    /// For each action what it selects.
    pub filters: Vec<Filter>,
}

/// The values of a formula of PML, CTL or the mu-calculus. With `ending`, a path may end where there is no step: then `EG`,
/// `ER` and their duals count such paths.
///
/// # Errors
/// If the structure has no steps of the kinds asked for, or a limit is reached.
pub fn evaluate(structure: &Structure, formula: &Formula, atoms: &Atoms, ending: bool) -> Result<Pair, EngineError> {
    let missing = |filter: &&Filter| structure.steps(**filter).is_none();
    if let Some(filter) = [Filter::Any].iter().chain(&atoms.filters).find(missing) {
        return Err(
            Unsupported { engine: super::NAME, reason: format!("it was not given the steps {filter:?}") }.into()
        );
    }
    let Some(pairs) = Pairs::new(structure, atoms, ending) else {
        return Err(Unsupported { engine: super::NAME, reason: "the structure has no steps".to_owned() }.into());
    };
    Ok(value(&pairs, formula)?)
}

/// The values of a formula in any representation.
pub(super) fn value<R: Representation>(values: &R, formula: &Formula) -> Result<R::Value, Stopped> {
    let fixpoints = formula.nodes().iter().any(|node| matches!(node, Node::Mu(..) | Node::Nu(..)));
    let normal = if fixpoints { positive_normal_form(formula, false) } else { formula.clone() };
    let mut work = FormulaEvaluation::new(values, &normal);
    let outermost = std::mem::take(&mut work.plan.outermost);
    work.run(&outermost)?;
    Ok(work.take(normal.root()))
}

struct FormulaEvaluation<'w, R: Representation> {
    values: &'w R,
    formula: &'w Formula,
    plan: Plan,
    known: Vec<Option<R::Value>>,
    /// Binders whose last value is a safe start.
    settled: Vec<bool>,
}

impl<'w, R: Representation> FormulaEvaluation<'w, R> {
    fn new(values: &'w R, formula: &'w Formula) -> Self {
        let count = formula.nodes().len();
        Self { values, formula, plan: Plan::of(formula), known: vec![None; count], settled: vec![false; count] }
    }

    fn take(&mut self, id: NodeId) -> R::Value {
        self.known[id.index()].take().unwrap_or_else(|| self.values.constant(false))
    }

    fn get(&self, id: NodeId) -> R::Value {
        self.known[id.index()].clone().unwrap_or_else(|| self.values.constant(false))
    }

    fn run(&mut self, nodes: &[NodeId]) -> Result<(), Stopped> {
        for &id in nodes {
            match self.formula.node(id) {
                Node::Mu(..) | Node::Nu(..) => self.settle(id)?,
                // A variable carries the running value of its binder, put there by `settle`.
                Node::Var(_) => {}
                node => self.known[id.index()] = self.operator(node)?,
            }
        }
        Ok(())
    }

    fn operator(&self, node: Node) -> Result<Option<R::Value>, Stopped> {
        let (values, get) = (self.values, |id| self.get(id));
        Ok(Some(match node {
            Node::True => values.constant(true),
            Node::False => values.constant(false),
            Node::Element(element) => values.element(element),
            Node::Atom(atom) => values.atom(atom),
            Node::Not(a) => values.not(&get(a))?,
            Node::And(a, b) => values.and(&get(a), &get(b))?,
            Node::Or(a, b) => values.or(&get(a), &get(b))?,
            Node::Implies(a, b) => values.or(&values.not(&get(a))?, &get(b))?,
            Node::Iff(a, b) => self.iff(a, b)?,
            Node::Xor(a, b) => values.not(&self.iff(a, b)?)?,
            Node::Diamond(action, a) => values.exists_next(action, &get(a))?,
            Node::Box(action, a) => values.not(&values.exists_next(action, &values.not(&get(a))?)?)?,
            Node::Exists(path) => self.exists(self.formula.node(path), false)?,
            Node::All(path) => values.not(&self.exists(self.formula.node(path), true)?)?,
            _ => return Ok(None),
        }))
    }

    fn iff(&self, a: NodeId, b: NodeId) -> Result<R::Value, Stopped> {
        let (values, a, b) = (self.values, self.get(a), self.get(b));
        let neither = values.and(&values.not(&a)?, &values.not(&b)?)?;
        values.or(&values.and(&a, &b)?, &neither)
    }

    /// `E path`, or with `negated` the values of `E !path`, from which `A path` follows by negation.
    fn exists(&self, path: Node, negated: bool) -> Result<R::Value, Stopped> {
        let values = self.values;
        let take = |id: NodeId| if negated { values.not(&self.get(id)) } else { Ok(self.get(id)) };
        match (path, negated) {
            (Node::Next(a), _) => values.exists_next(None, &take(a)?),
            (Node::Finally(a), false) | (Node::Globally(a), true) => {
                values.exists_until(&values.constant(true), &take(a)?)
            }
            (Node::Globally(a), false) | (Node::Finally(a), true) => {
                values.exists_release(&values.constant(false), &take(a)?)
            }
            (Node::Until(a, b), false) | (Node::Release(a, b), true) => values.exists_until(&take(a)?, &take(b)?),
            (Node::Release(a, b), false) | (Node::Until(a, b), true) => values.exists_release(&take(a)?, &take(b)?),
            // a W b is b R (a | b), and a M b is b U (a & b); negation swaps the two.
            (Node::WeakUntil(a, b), false) | (Node::StrongRelease(a, b), true) => {
                let (a, b) = (take(a)?, take(b)?);
                values.exists_release(&b, &values.or(&a, &b)?)
            }
            (Node::WeakUntil(a, b), true) | (Node::StrongRelease(a, b), false) => {
                let (a, b) = (take(a)?, take(b)?);
                values.exists_until(&b, &values.and(&a, &b)?)
            }
            _ => Ok(values.constant(false)),
        }
    }

    /// Iterates one fixpoint. As deep as fixpoints nest, which engines bound.
    fn settle(&mut self, binder: NodeId) -> Result<(), Stopped> {
        let (least, var, body) = match self.formula.node(binder) {
            Node::Mu(var, body) => (true, var, body),
            Node::Nu(var, body) => (false, var, body),
            _ => return Ok(()),
        };
        if let Some(shape) = FixpointBody::of(self.formula, least, var, body) {
            self.known[binder.index()] = Some(self.walk(&shape)?);
            return Ok(());
        }
        let mut value = match self.known[binder.index()].take() {
            Some(last) if self.settled[binder.index()] => last,
            _ => self.values.constant(!least),
        };
        self.settled[binder.index()] = true;
        let round = std::mem::take(&mut self.plan.rounds[binder.index()]);
        let variable = round.iter().copied().find(|&id| self.formula.node(id) == Node::Var(var));
        loop {
            if let Some(variable) = variable {
                self.known[variable.index()] = Some(value.clone());
            }
            self.run(&round)?;
            let next = self.known[body.index()].clone().unwrap_or_else(|| value.clone());
            if next == value {
                break;
            }
            value = next;
            self.value_moved(binder, least);
        }
        self.plan.rounds[binder.index()] = round;
        self.known[binder.index()] = Some(value);
        Ok(())
    }

    /// A least fixpoint has grown (or a greatest has shrunk): a greatest fixpoint inside it must not start from its
    /// last, smaller value; nor must those greatest ones that depend on it in turn.
    fn value_moved(&mut self, binder: NodeId, least: bool) {
        let mut stack: Vec<NodeId> = self.plan.dependents[binder.index()].clone();
        while let Some(inner) = stack.pop() {
            let inner_least = matches!(self.formula.node(inner), Node::Mu(..));
            if inner_least != least && std::mem::replace(&mut self.settled[inner.index()], false) {
                stack.extend(&self.plan.dependents[inner.index()]);
            }
        }
    }

    /// A fixpoint that is an operator of CTL.
    fn walk(&self, shape: &FixpointBody) -> Result<R::Value, Stopped> {
        let values = self.values;
        let fetch =
            |operand: Option<NodeId>, otherwise| operand.map_or_else(|| values.constant(otherwise), |id| self.get(id));
        let (side, goal) = (fetch(shape.side, shape.least), fetch(shape.goal, !shape.least));
        match (shape.least, shape.universal) {
            (true, false) => values.exists_until(&side, &goal),
            (false, false) => values.exists_release(&side, &goal),
            (true, true) => values.not(&values.exists_release(&values.not(&side)?, &values.not(&goal)?)?),
            (false, true) => values.not(&values.exists_until(&values.not(&side)?, &values.not(&goal)?)?),
        }
    }
}
