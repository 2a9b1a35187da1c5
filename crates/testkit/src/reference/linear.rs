//! What do all short lassos say about a linear formula?
//!
//! A lasso is a path of finitely many positions whose last edge leads back to one of them. On it every
//! operator is evaluated position by position with the four values of the labels, edge kinds ignored.
//! A longer lasso may exist that behaves differently, so the result is one-sided: what a short lasso
//! shows is so, what none shows is open.

use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, Node};
use tertium_model::{EdgeId, Kmts, PropId, StateId};

/// Which edges a path may take, and which of them count for fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// May edges; those that possibly count for a constraint.
    Possible,
    /// Plain must edges; those that certainly count for a constraint.
    Certain,
}

impl Steps {
    /// Whether such a path may take this edge.
    #[must_use]
    pub fn takes(self, edge: &tertium_model::Edge) -> bool {
        if self == Self::Possible { edge.may } else { edge.must }
    }
}

/// An infinite path that repeats its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The states, each once per visit.
    pub states: Vec<StateId>,
    /// The edge after each state; the last one leads back to `states[entry]`.
    pub edges: Vec<EdgeId>,
    /// Where the repeated part begins.
    pub entry: usize,
}

/// All fair lassos from `state` with at most `max_length` positions.
#[must_use]
pub fn lassos(structure: &Kmts, state: StateId, steps: Steps, max_length: usize) -> Vec<Lasso> {
    let mut found = Vec::new();
    let mut open = vec![(vec![state], Vec::new())];
    while let Some((states, edges)) = open.pop() {
        let last = states[states.len() - 1];
        for edge in structure.edges_from(last).filter(|edge| steps.takes(edge)) {
            let mut longer = edges.clone();
            longer.push(edge.id);
            for entry in (0..states.len()).filter(|&at| states[at] == edge.target) {
                let lasso = Lasso { states: states.clone(), edges: longer.clone(), entry };
                if is_fair(structure, &lasso, steps) {
                    found.push(lasso);
                }
            }
            if states.len() < max_length {
                let mut further = states.clone();
                further.push(edge.target);
                open.push((further, longer));
            }
        }
    }
    found
}

fn is_fair(structure: &Kmts, lasso: &Lasso, steps: Steps) -> bool {
    structure.fairness().iter().all(|constraint| {
        let counted = if steps == Steps::Possible { &constraint.possible } else { &constraint.certain };
        lasso.edges[lasso.entry..].iter().any(|edge| counted.contains(edge.index()))
    })
}

/// The value of a linear formula on a lasso, by its labels alone.
///
/// # Panics
/// If the formula is not linear or uses a proposition that the structure lacks.
#[must_use]
pub fn value_on_lasso(structure: &Kmts, lasso: &Lasso, formula: &Formula) -> Belnap {
    let length = lasso.states.len();
    let next = |at: usize| if at + 1 < length { at + 1 } else { lasso.entry };
    let mut columns: Vec<Vec<Belnap>> = Vec::new();
    for &node in formula.nodes() {
        let of = |id: tertium_logic::NodeId| &columns[id.index()];
        let pointwise = |value: &dyn Fn(usize) -> Belnap| (0..length).map(value).collect::<Vec<_>>();
        let column = match node {
            Node::True => vec![Belnap::True; length],
            Node::False => vec![Belnap::False; length],
            Node::Atom(atom) => {
                let prop = prop_of(structure, &formula.atoms()[atom.index()].text);
                pointwise(&|at| structure.label(lasso.states[at], prop))
            }
            Node::Not(a) => pointwise(&|at| of(a)[at].not()),
            Node::And(a, b) => pointwise(&|at| of(a)[at].and(of(b)[at])),
            Node::Or(a, b) => pointwise(&|at| of(a)[at].or(of(b)[at])),
            Node::Implies(a, b) => pointwise(&|at| of(a)[at].not().or(of(b)[at])),
            Node::Iff(a, b) => pointwise(&|at| equivalent(of(a)[at], of(b)[at])),
            Node::Xor(a, b) => pointwise(&|at| equivalent(of(a)[at], of(b)[at]).not()),
            Node::Next(a) => pointwise(&|at| of(a)[next(at)]),
            Node::Finally(b) => until(&vec![Belnap::True; length], of(b), next),
            Node::Globally(b) => release(&vec![Belnap::False; length], of(b), next),
            Node::Until(a, b) => until(of(a), of(b), next),
            Node::Release(a, b) => release(of(a), of(b), next),
            Node::WeakUntil(a, b) => release(of(b), &pointwise(&|at| of(a)[at].or(of(b)[at])), next),
            Node::StrongRelease(a, b) => until(of(b), &pointwise(&|at| of(a)[at].and(of(b)[at])), next),
            other => panic!("{other:?} is no operator of LTL"),
        };
        columns.push(column);
    }
    columns[formula.root().index()][0]
}

fn prop_of(structure: &Kmts, name: &str) -> PropId {
    structure.prop_by_name(name).unwrap_or_else(|| panic!("no proposition `{name}`"))
}

fn equivalent(a: Belnap, b: Belnap) -> Belnap {
    a.and(b).or(a.not().and(b.not()))
}

fn until(a: &[Belnap], b: &[Belnap], next: impl Fn(usize) -> usize) -> Vec<Belnap> {
    iterate(Belnap::False, a.len(), |at, now| b[at].or(a[at].and(now[next(at)])))
}

fn release(a: &[Belnap], b: &[Belnap], next: impl Fn(usize) -> usize) -> Vec<Belnap> {
    iterate(Belnap::True, a.len(), |at, now| b[at].and(a[at].or(now[next(at)])))
}

fn iterate(start: Belnap, length: usize, unfold: impl Fn(usize, &[Belnap]) -> Belnap) -> Vec<Belnap> {
    let mut current = vec![start; length];
    loop {
        let unfolded: Vec<Belnap> = (0..length).map(|at| unfold(at, &current)).collect();
        if unfolded == current {
            return current;
        }
        current = unfolded;
    }
}

/// What short lassos show about the guarded value of "on all paths, the formula".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearBounds {
    /// Some fair lasso of must edges makes it false: every sound reading that counts must-paths says false.
    pub refuted: bool,
    /// Some fair lasso of may edges does not make it true: the value is not true.
    pub not_true: bool,
    /// Some fair lasso of may edges does not make it false: it is not the case that all paths refute it.
    pub not_always_false: bool,
}

/// Looks at all fair lassos from `state` with at most `max_length` positions. Speaks of infinite paths
/// only: a state where all paths end has no lasso.
#[must_use]
pub fn linear_bounds(structure: &Kmts, state: StateId, formula: &Formula, max_length: usize) -> LinearBounds {
    let certain = lassos(structure, state, Steps::Certain, max_length);
    let possible = lassos(structure, state, Steps::Possible, max_length);
    let value = |lasso: &Lasso| value_on_lasso(structure, lasso, formula);
    LinearBounds {
        refuted: certain.iter().any(|lasso| value(lasso) == Belnap::False),
        not_true: possible.iter().any(|lasso| value(lasso) != Belnap::True),
        not_always_false: possible.iter().any(|lasso| value(lasso) != Belnap::False),
    }
}
