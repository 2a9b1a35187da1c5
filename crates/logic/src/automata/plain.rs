//! The textbook tableau, as the oracle for the optimised translation.
//!
//! No rewriting, no covering, no merging: obligations are split rule by rule into all their ways, and a state
//! is the set of obligations for the next position.

use std::collections::BTreeMap;

use tertium_base::{Budget, StopReason, Stopped};

use super::build::{TranslationError, linear_normal_form};
use super::tgba::{Guard, Literal, Marks, Tgba, Transition};
use crate::formula::{Formula, Node, NodeId};

/// The automaton of `formula`, or of its negation, by the plain tableau.
///
/// # Errors
/// If the formula is not of linear time, has more eventualities than marks fit, or the budget runs out.
pub fn plain_tableau(formula: &Formula, negated: bool, budget: &Budget) -> Result<Tgba, TranslationError> {
    let normal = linear_normal_form(formula, negated)?;
    let eventualities: Vec<NodeId> =
        normal.node_ids().filter(|&id| matches!(normal.node(id), Node::Until(..) | Node::Finally(_))).collect();
    if eventualities.len() > Marks::MOST {
        return Err(Stopped(StopReason::Count).into());
    }
    let mut number: BTreeMap<Vec<NodeId>, usize> = BTreeMap::from([(vec![normal.root()], 0)]);
    let mut order = vec![vec![normal.root()]];
    let mut states = Vec::new();
    while states.len() < order.len() {
        budget.check()?;
        let mut transitions = Vec::new();
        for branch in branches(&normal, &order[states.len()], budget)? {
            let fresh = order.len();
            let target = *number.entry(branch.next.clone()).or_insert(fresh);
            if target == fresh {
                order.push(branch.next.clone());
            }
            let met = eventualities.iter().enumerate().filter(|(_, id)| !branch.postponed.contains(id));
            let marks = Marks(met.fold(0, |marks, (mark, _)| marks | 1 << mark));
            transitions.push(Transition { guard: Guard::new(branch.literals), target, marks });
        }
        transitions.sort_unstable();
        transitions.dedup();
        states.push(transitions);
    }
    let atoms = normal.atoms().iter().map(|atom| atom.text.clone()).collect();
    Ok(Tgba { atoms, states, initial: 0, marks: eventualities.len() })
}

#[derive(Clone, Default)]
struct Branch {
    todo: Vec<NodeId>,
    literals: Vec<Literal>,
    next: Vec<NodeId>,
    postponed: Vec<NodeId>,
}

impl Branch {
    fn with(mut self, todo: &[NodeId], next: Option<NodeId>, postponed: Option<NodeId>) -> Self {
        self.todo.extend_from_slice(todo);
        self.next.extend(next);
        self.postponed.extend(postponed);
        self
    }
}

fn branches(normal: &Formula, obligations: &[NodeId], budget: &Budget) -> Result<Vec<Branch>, Stopped> {
    let mut open = vec![Branch { todo: obligations.to_vec(), ..Branch::default() }];
    let mut done = Vec::new();
    let mut counter = 0;
    while let Some(mut branch) = open.pop() {
        budget.tick(&mut counter)?;
        let Some(id) = branch.todo.pop() else {
            branch.next.sort_unstable();
            branch.next.dedup();
            done.push(branch);
            continue;
        };
        match normal.node(id) {
            Node::True => open.push(branch),
            Node::Atom(atom) => {
                branch.literals.push(Literal::new(atom, false));
                open.push(branch);
            }
            Node::Not(operand) => {
                if let Node::Atom(atom) = normal.node(operand) {
                    branch.literals.push(Literal::new(atom, true));
                    open.push(branch);
                }
            }
            Node::And(a, b) => open.push(branch.with(&[a, b], None, None)),
            Node::Or(a, b) => open.extend([branch.clone().with(&[a], None, None), branch.with(&[b], None, None)]),
            Node::Next(a) => open.push(branch.with(&[], Some(a), None)),
            Node::Finally(b) => {
                open.extend([branch.clone().with(&[b], None, None), branch.with(&[], Some(id), Some(id))]);
            }
            Node::Globally(b) => open.push(branch.with(&[b], Some(id), None)),
            Node::Until(a, b) => {
                open.extend([branch.clone().with(&[b], None, None), branch.with(&[a], Some(id), Some(id))]);
            }
            Node::Release(a, b) => {
                open.extend([branch.clone().with(&[a, b], None, None), branch.with(&[b], Some(id), None)]);
            }
            // `false`: this branch cannot be met.
            _ => {}
        }
    }
    Ok(done)
}
