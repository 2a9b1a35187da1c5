//! Which terms say what modalities and fixpoints say?

use super::{Term, TermId, Terms, components};
use crate::formula::{ActionId, AtomId, Formula, Node, NodeId};

/// The terms of a formula of PML or the mu-calculus in positive normal form, and the one for its truth; none if it has other
/// operators, constants of a lattice, or variables without a fixpoint.
///
/// A term has the number of its node. Fixpoints need not be guarded.
#[must_use]
pub fn fixpoint_terms(normal: &Formula) -> Option<(Terms<AtomId, Option<ActionId>>, TermId)> {
    let mut binder = vec![None; normal.variables().len()];
    for id in normal.node_ids() {
        if let Node::Mu(variable, _) | Node::Nu(variable, _) = normal.node(id) {
            // A variable with two binders would be two.
            if binder[variable.index()].replace(id).is_some() {
                return None;
            }
        }
    }
    let mut terms = Vec::with_capacity(normal.nodes().len());
    for &node in normal.nodes() {
        terms.push(match node {
            Node::Var(variable) => Term::All(vec![term(binder[variable.index()]?)]),
            other => rule(normal, other)?,
        });
    }
    let priority = priorities(normal, &terms);
    Some((Terms::new(terms, priority), term(normal.root())))
}

fn term(id: NodeId) -> TermId {
    id.number()
}

fn rule(normal: &Formula, node: Node) -> Option<Term<AtomId, Option<ActionId>>> {
    Some(match node {
        Node::True => Term::All(Vec::new()),
        Node::False => Term::Any(Vec::new()),
        Node::Atom(atom) => Term::Label(atom, true),
        Node::Not(a) => match normal.node(a) {
            Node::Atom(atom) => Term::Label(atom, false),
            _ => return None,
        },
        Node::And(a, b) => Term::All(vec![term(a), term(b)]),
        Node::Or(a, b) => Term::Any(vec![term(a), term(b)]),
        Node::Diamond(action, a) => Term::Diamond(action, term(a)),
        Node::Box(action, a) => Term::Box(action, term(a)),
        Node::Mu(_, a) | Node::Nu(_, a) => Term::All(vec![term(a)]),
        _ => return None,
    })
}

/// What a variable counts: odd for least fixpoints, even for greatest ones, and no less than those inside that lead back to it.
fn priorities(normal: &Formula, terms: &[Term<AtomId, Option<ActionId>>]) -> Vec<u32> {
    let edges: Vec<Vec<TermId>> = terms.iter().map(|term| term.successors().collect()).collect();
    let component = components(&edges);
    let mut of_variable = vec![0u32; normal.variables().len()];
    // The greatest priority of fixpoints at or below a node, as far as nodes lead back.
    let mut below = vec![0u32; terms.len()];
    for id in normal.node_ids() {
        let node = normal.node(id);
        let inside = node.children().filter(|child| component[child.index()] == component[id.index()]);
        let most = inside.map(|child| below[child.index()]).max().unwrap_or(0);
        below[id.index()] = match node {
            Node::Mu(..) => most | 1,
            Node::Nu(..) => (most.max(1) + 1) & !1,
            _ => most,
        };
        if let Node::Mu(variable, _) | Node::Nu(variable, _) = node {
            of_variable[variable.index()] = below[id.index()];
        }
    }
    let own = |node: &Node| match node {
        Node::Var(variable) => of_variable[variable.index()],
        _ => 0,
    };
    normal.nodes().iter().map(own).collect()
}
