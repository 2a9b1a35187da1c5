//! What has a concrete state to meet so that it satisfies a formula?
//!
//! *Terms*. A term is met at a state by its rule: a label, all or one of some terms at the same state, another term at
//! some or at every successor. Terms that are met over and over carry priorities: a thread of terms is good if
//! the greatest priority that it meets infinitely often is even. So PML, CTL, mu-calculus and CTL* are one kind of
//! thing (an alternating tree automaton), and nothing here is three-valued any more.
//!
//! From formulas to terms: fixpoints ([`fixpoint_terms`]), quantified paths ([`path_terms`]). What one state can do about a set of terms
//! ([`ways`](ways())), and what has to be remembered from state to state so that nothing is put off for ever ([`Monitor`]).
//!
//! Labels and kinds of steps are parameters: a formula's atoms and actions here, those of a structure for whoever plays on one.
//!
//! Not here: structures.

mod fixpoints;
mod monitor;
mod star;
mod ways;

pub use fixpoints::fixpoint_terms;
pub use monitor::{Focus, Monitor, Thread};
pub use star::path_terms;
pub use ways::{AlternatingBranch, Knowledge, ways};

use tertium_base::graph;

/// A term's number.
pub type TermId = u32;

/// How a term is met at a concrete state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term<Label, Kind> {
    /// The label is this.
    Label(Label, bool),
    /// All of these are met; always, if there are none.
    All(Vec<TermId>),
    /// One of these is met; never, if there are none.
    Any(Vec<TermId>),
    /// Some step of the kind leads to a state that meets the term.
    Diamond(Kind, TermId),
    /// Every step of the kind leads to a state that meets the term.
    Box(Kind, TermId),
}

impl<Label, Kind> Term<Label, Kind> {
    /// The terms that are asked for at the same state.
    #[must_use]
    pub fn local(&self) -> &[TermId] {
        match self {
            Self::All(terms) | Self::Any(terms) => terms,
            _ => &[],
        }
    }

    /// The term that is asked for at successors.
    #[must_use]
    pub fn behind_step(&self) -> Option<TermId> {
        match self {
            Self::Diamond(_, to) | Self::Box(_, to) => Some(*to),
            _ => None,
        }
    }

    fn successors(&self) -> impl Iterator<Item = TermId> + '_ {
        self.local().iter().copied().chain(self.behind_step())
    }

    /// The same term over other labels and kinds of steps.
    pub fn map<L, K>(self, label: impl FnOnce(Label) -> L, kind: impl FnOnce(Kind) -> K) -> Term<L, K> {
        match self {
            Self::Label(of, value) => Term::Label(label(of), value),
            Self::All(terms) => Term::All(terms),
            Self::Any(terms) => Term::Any(terms),
            Self::Diamond(of, to) => Term::Diamond(kind(of), to),
            Self::Box(of, to) => Term::Box(kind(of), to),
        }
    }
}

/// All terms of a formula.
#[derive(Clone, Debug)]
pub struct Terms<Label, Kind> {
    /// The rules.
    pub terms: Vec<Term<Label, Kind>>,
    /// What counts when it is met infinitely often; of weak terms, 1 in the components whose cycles are bad, else 0.
    pub priority: Vec<u32>,
    /// Terms that lead to each other have one number.
    pub component: Vec<u32>,
    /// Whether in every component all cycles are good or all are bad.
    pub weak: bool,
}

impl<Label, Kind> Terms<Label, Kind> {
    /// Terms with these priorities, which are changed where that makes no difference.
    #[must_use]
    pub fn new(terms: Vec<Term<Label, Kind>>, mut priority: Vec<u32>) -> Self {
        let edges: Vec<Vec<TermId>> = terms.iter().map(|term| term.successors().collect()).collect();
        let component = components(&edges);
        let mut seen = vec![(false, false); terms.len()];
        let cyclic = cyclic_components(&edges, &component);
        for (at, &class) in component.iter().enumerate() {
            if !cyclic[class as usize] {
                priority[at] = 0;
            }
            let (even, odd) = &mut seen[class as usize];
            *even |= priority[at] > 0 && priority[at].is_multiple_of(2);
            *odd |= !priority[at].is_multiple_of(2);
        }
        let weak = seen.iter().all(|&(even, odd)| !(even && odd)) && all_cycles_agree(&edges, &priority, &component);
        if weak {
            for (at, &class) in component.iter().enumerate() {
                priority[at] = u32::from(seen[class as usize].1);
            }
        }
        Self { terms, priority, component, weak }
    }

    /// The same terms over other labels and kinds of steps.
    pub fn map<L, K>(self, label: impl Fn(Label) -> L, kind: impl Fn(Kind) -> K) -> Terms<L, K> {
        let Self { terms, priority, component, weak } = self;
        let terms = terms.into_iter().map(|term| term.map(&label, &kind)).collect();
        Terms { terms, priority, component, weak }
    }
}

/// Whether no cycle avoids the odd priorities of a component that has some: then the component's terms can all be
/// given that parity.
fn all_cycles_agree(edges: &[Vec<TermId>], priority: &[u32], component: &[u32]) -> bool {
    let mut odd = vec![false; edges.len()];
    for (at, &class) in component.iter().enumerate() {
        odd[class as usize] |= !priority[at].is_multiple_of(2);
    }
    let inside = |at: usize| odd[component[at] as usize] && priority[at].is_multiple_of(2);
    let rest: Vec<Vec<TermId>> = (0..edges.len())
        .map(|at| {
            let keep = |to: &&TermId| inside(at) && inside(**to as usize) && component[at] == component[**to as usize];
            edges[at].iter().filter(keep).copied().collect()
        })
        .collect();
    let classes = components(&rest);
    !cyclic_components(&rest, &classes).iter().any(|&cyclic| cyclic)
}

fn cyclic_components(edges: &[Vec<TermId>], component: &[u32]) -> Vec<bool> {
    let mut cyclic = vec![false; edges.len()];
    for (at, targets) in edges.iter().enumerate() {
        if targets.iter().any(|&to| component[to as usize] == component[at]) {
            cyclic[component[at] as usize] = true;
        }
    }
    cyclic
}

/// The strongly connected component of each term.
fn components(edges: &[Vec<TermId>]) -> Vec<u32> {
    graph::components(edges.len(), |at| edges[at].iter().map(|&to| to as usize)).of
}
