//! The value of every sub-formula at every state, as a set of formulas for the placeholder.

use tertium_base::Stopped;
use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_logic::{ActionId, Formula, Node, NodeId};
use tertium_model::{Edge, HyperEdge, StateId};

use super::sets::Upset;
use super::{QueryTask, rows_at};
use crate::Filter;

/// Which of the two sets of a value is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// Evidence for true.
    ForTrue,
    /// What is not refuted.
    NotRefuted,
}

type Column = Vec<Upset>;

/// Evaluates a formula in positive normal form by the definition, fixpoints by iteration.
pub(super) struct Evaluator<'e> {
    query: &'e QueryTask<'e, 'e>,
    formula: &'e Formula,
    side: Side,
    columns: Vec<Option<Column>>,
    variables: Vec<Option<Column>>,
    ticks: u32,
}

impl<'e> Evaluator<'e> {
    pub(super) fn new(query: &'e QueryTask<'e, 'e>, formula: &'e Formula, side: Side) -> Self {
        let (columns, variables) = (vec![None; formula.nodes().len()], vec![None; formula.variables().len()]);
        Self { query, formula, side, columns, variables, ticks: 0 }
    }

    /// The formula's value at every state.
    pub(super) fn root(&mut self) -> Result<Column, Stopped> {
        let nodes = self.inside(self.formula.root());
        self.evaluate(&nodes)?;
        Ok(self.column(self.formula.root()).to_vec())
    }

    /// A node and what is below it, operands first, without what is below an inner fixpoint.
    fn inside(&self, top: NodeId) -> Vec<NodeId> {
        let mut found = vec![top];
        let mut seen = vec![false; top.index() + 1];
        let mut done = 0;
        while done < found.len() {
            let node = self.formula.node(found[done]);
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

    fn evaluate(&mut self, nodes: &[NodeId]) -> Result<(), Stopped> {
        for &id in nodes {
            self.query.task.budget.check()?;
            self.columns[id.index()] = Some(self.value(id)?);
        }
        Ok(())
    }

    fn column(&self, id: NodeId) -> &[Upset] {
        self.columns[id.index()].as_deref().unwrap_or_default()
    }

    fn constant(&self, value: bool) -> Column {
        vec![Upset::constant(value); self.query.task.model.state_count()]
    }

    fn each(&self, value: impl Fn(StateId) -> Upset) -> Column {
        self.query.task.model.states().map(value).collect()
    }

    fn value(&mut self, id: NodeId) -> Result<Column, Stopped> {
        let task = self.query.task;
        Ok(match self.formula.node(id) {
            Node::True => self.constant(true),
            Node::Element(element) => self.constant(self.holds(task.elements[element.index()], true)),
            Node::Atom(atom) if atom == self.query.placeholder => {
                self.each(|state| Upset::above(rows_at(self.query, state, self.side)))
            }
            Node::Atom(_) => self.literal(id, true),
            Node::Not(a) => self.literal(a, false),
            Node::Var(var) => self.variables[var.index()].clone().unwrap_or_default(),
            Node::And(a, b) => self.both(a, b)?,
            Node::Or(a, b) => self.column(a).iter().zip(self.column(b)).map(|(a, b)| a.union(b)).collect(),
            Node::Diamond(action, a) => self.next(action, a, false)?,
            Node::Box(action, a) => self.next(action, a, true)?,
            Node::Mu(var, body) => self.fixpoint(var.index(), body, false)?,
            Node::Nu(var, body) => self.fixpoint(var.index(), body, true)?,
            _ => self.constant(false),
        })
    }

    fn both(&mut self, a: NodeId, b: NodeId) -> Result<Column, Stopped> {
        let mut ticks = self.ticks;
        let budget = self.query.task.budget;
        let pairs = self.column(a).iter().zip(self.column(b));
        let found = pairs.map(|(a, b)| a.intersection(b, budget, &mut ticks)).collect();
        self.ticks = ticks;
        found
    }

    /// Whether a value counts on this side, or with `false` its negation.
    fn holds(&self, value: Belnap, positive: bool) -> bool {
        match (self.side, positive) {
            (Side::ForTrue, true) => value.for_true(),
            (Side::ForTrue, false) => value.for_false(),
            (Side::NotRefuted, true) => !value.for_false(),
            (Side::NotRefuted, false) => !value.for_true(),
        }
    }

    /// An atom or a constant, or its negation.
    fn literal(&self, id: NodeId, positive: bool) -> Column {
        let task = self.query.task;
        match self.formula.node(id) {
            Node::Atom(atom) => {
                let prop = task.props[atom.index()];
                self.each(|state| Upset::constant(self.holds(task.model.label(state, prop), positive)))
            }
            Node::Element(element) => self.constant(self.holds(task.elements[element.index()], positive)),
            node => self.constant((node == Node::True) == positive),
        }
    }

    fn fixpoint(&mut self, var: usize, body: NodeId, start: bool) -> Result<Column, Stopped> {
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

    /// `EX` and `AX`: truth of the first and falsity of the second go along certain steps, the others along possible ones.
    fn next(&mut self, action: Option<ActionId>, inner: NodeId, all: bool) -> Result<Column, Stopped> {
        let filter = self.query.task.filter(action);
        let inner = self.column(inner).to_vec();
        let certain = (self.side == Side::ForTrue) != all;
        let mut column = Vec::with_capacity(inner.len());
        for state in self.query.task.model.states() {
            let steps = if certain { self.certain_sets(state, filter) } else { self.possible_steps(state, filter) };
            let mut value = Upset::constant(all);
            for step in steps {
                // Whoever picks the step, the other one picks the member.
                let member = self.combined(&step, &inner, !all)?;
                value = self.combine(&value, &member, all)?;
            }
            column.push(value);
        }
        Ok(column)
    }

    fn combined(&mut self, members: &[StateId], inner: &[Upset], all: bool) -> Result<Upset, Stopped> {
        let mut value = Upset::constant(all);
        for member in members {
            value = self.combine(&value, &inner[member.index()], all)?;
        }
        Ok(value)
    }

    fn combine(&mut self, a: &Upset, b: &Upset, all: bool) -> Result<Upset, Stopped> {
        let budget = self.query.task.budget;
        if all { a.intersection(b, budget, &mut self.ticks) } else { Ok(a.union(b)) }
    }

    fn possible_steps(&self, state: StateId, filter: Filter) -> Vec<Vec<StateId>> {
        let edges = self.query.task.model.edges_from(state);
        edges.filter(|edge| edge.may && self.maybe_selected(filter, *edge)).map(|edge| vec![edge.target]).collect()
    }

    fn certain_sets(&self, state: StateId, filter: Filter) -> Vec<Vec<StateId>> {
        let task = self.query.task;
        let model = task.model;
        let surely = |edge: &Edge| self.surely_selected(filter, *edge);
        let mut sets: Vec<Vec<StateId>> =
            model.edges_from(state).filter(|edge| edge.must && surely(edge)).map(|edge| vec![edge.target]).collect();
        let hyper = model.hyper_from(state).filter(|edge| self.hyper_selected(filter, state, *edge));
        sets.extend(hyper.map(|edge| edge.members.to_vec()));
        // Totality speaks of some step, not of one with a given action.
        let total = model.total() || task.reading.deadlock == Deadlock::Total;
        let possible: Vec<Edge> = model.edges_from(state).filter(|edge| edge.may).collect();
        let counts = !matches!(filter, Filter::Action(_)) && !possible.is_empty() && possible.iter().all(surely);
        if total && counts {
            sets.push(possible.iter().map(|edge| edge.target).collect());
        }
        sets
    }

    fn surely_selected(&self, filter: Filter, edge: Edge) -> bool {
        match filter {
            Filter::Any => true,
            Filter::Action(action) => edge.action == Some(action),
            Filter::Fair(constraint) => self.query.task.model.fairness()[constraint].certain.contains(edge.id.index()),
        }
    }

    fn maybe_selected(&self, filter: Filter, edge: Edge) -> bool {
        match filter {
            Filter::Any => true,
            Filter::Action(action) => edge.action == Some(action),
            Filter::Fair(constraint) => self.query.task.model.fairness()[constraint].possible.contains(edge.id.index()),
        }
    }

    fn hyper_selected(&self, filter: Filter, state: StateId, edge: HyperEdge<'_>) -> bool {
        match filter {
            Filter::Any => true,
            Filter::Action(action) => edge.action == Some(action),
            Filter::Fair(_) => edge.members.iter().all(|&member| {
                let model = self.query.task.model;
                let mut steps = model
                    .edges_from(state)
                    .filter(|step| step.target == member && step.action == edge.action)
                    .peekable();
                steps.peek().is_some() && steps.all(|step| self.surely_selected(filter, step))
            }),
        }
    }
}
