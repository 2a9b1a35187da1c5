//! Is an answer about paths about anything at all?

use tertium_base::{Budget, Stopped};
use tertium_evidence::Reading;
use tertium_lattice::Belnap;
use tertium_logic::{Logic, Node, NodeId};
use tertium_model::{Kmts, StateId};

use super::automaton::{Automaton, MAX_MARKS, Transition};
use super::graph::PathGraph;
use super::product::{Product, Side};
use super::search::ComponentSearch;
use crate::Task;

/// Whether some possible path from a state is infinite (or, where finite paths count, maximal) and fair.
/// Without one, every linear formula is vacuously true there.
///
/// # Errors
/// If the budget ends, or there are more fairness constraints than a search can carry.
pub fn starts_fair_path(model: &Kmts, reading: Reading, state: StateId, budget: &Budget) -> Result<bool, Stopped> {
    if model.fairness().len() > MAX_MARKS as usize {
        return Err(Stopped(tertium_base::StopReason::Count));
    }
    let graph = PathGraph::new(model, reading);
    let anything = Transition { cube: Vec::new(), target: 0, marks: 0 };
    let automaton = Automaton { initial: vec![0], transitions: vec![vec![anything]], marks: 0 };
    let product = Product::new(&graph, &[], &automaton, Side::Possible);
    ComponentSearch::new(&product, budget)?.wins(&product, state.index(), |_| None, budget)
}

/// For a formula of the form `G (a -> b)`, or `AG (a -> b)` in CTL*, with a propositional `a`: the node of `a`,
/// if `a` is definitely false at every state that can be reached from `state`.
///
/// # Errors
/// If the budget ends.
pub fn antecedent_never_true(task: &Task<'_>, state: StateId) -> Result<Option<NodeId>, Stopped> {
    let Some(antecedent) = antecedent(task) else { return Ok(None) };
    let mut seen = tertium_base::BitSet::empty(task.model.state_count());
    seen.insert(state.index());
    let mut todo = vec![state];
    let mut ticks = 0;
    while let Some(state) = todo.pop() {
        task.budget.tick(&mut ticks)?;
        if propositional_value(task, antecedent, state) != Some(Belnap::False) {
            return Ok(None);
        }
        todo.extend(task.model.may_successors(state).filter(|target| seen.insert(target.index())));
    }
    Ok(Some(antecedent))
}

fn antecedent(task: &Task<'_>) -> Option<NodeId> {
    let formula = task.formula;
    let mut root = formula.node(formula.root());
    if let (Logic::CtlStar | Logic::Ctl, Node::All(inner)) = (formula.logic(), root) {
        root = formula.node(inner);
    }
    let Node::Globally(inner) = root else { return None };
    match formula.node(inner) {
        Node::Implies(a, _) => Some(a),
        _ => None,
    }
}

/// The value of a formula without temporal operators; none if it has some.
fn propositional_value(task: &Task<'_>, root: NodeId, state: StateId) -> Option<Belnap> {
    use tertium_lattice::TruthValue;
    let equal = |a: Belnap, b: Belnap| a.and(b).or(a.not().and(b.not()));
    let mut values: Vec<Option<Belnap>> = Vec::with_capacity(root.index() + 1);
    for &node in &task.formula.nodes()[..=root.index()] {
        let of = |child: NodeId| values[child.index()];
        let both = |a: NodeId, b: NodeId| Some((of(a)?, of(b)?));
        let value = match node {
            Node::True => Some(Belnap::True),
            Node::False => Some(Belnap::False),
            Node::Element(element) => Some(task.elements[element.index()]),
            Node::Atom(atom) => Some(task.model.label(state, task.props[atom.index()])),
            Node::Not(a) => of(a).map(TruthValue::not),
            Node::And(a, b) => both(a, b).map(|(a, b)| a.and(b)),
            Node::Or(a, b) => both(a, b).map(|(a, b)| a.or(b)),
            Node::Implies(a, b) => both(a, b).map(|(a, b)| a.not().or(b)),
            Node::Iff(a, b) => both(a, b).map(|(a, b)| equal(a, b)),
            Node::Xor(a, b) => both(a, b).map(|(a, b)| equal(a, b).not()),
            _ => None,
        };
        values.push(value);
    }
    values[root.index()]
}
