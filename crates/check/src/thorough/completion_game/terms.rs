//! A formula as terms that a concrete state meets or not.
//!
//! A term is met by a label, by all or one of other terms at the same state, or by a term at some or every successor. Node
//! `n` of the formula has the terms `2n` (it is true) and `2n + 1` (it is false); others follow. Priorities tell fixpoints
//! that may be unfolded for ever (even) from those that may not (odd); an outer fixpoint has the greater one.
//!
//! CTL is first unfolded to the mu-calculus; quantifiers over paths become the automata of `paths`.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped, graph};
use tertium_evidence::Reading;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, Node, NodeId, ctl_to_mu, ending_ctl};
use tertium_model::{ActionId, Kmts, PropId};

use super::paths::Automata;
use crate::{Ask, Filter, Task};

/// A term's number.
pub type TermId = u32;

/// How a term is met at a concrete state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// The label is this.
    Label(PropId, bool),
    /// All of these are met; always, if there are none.
    All(Vec<TermId>),
    /// One of these is met; never, if there are none.
    Any(Vec<TermId>),
    /// Some step, with this action if one is given, leads to a state that meets the term.
    Some(Option<ActionId>, TermId),
    /// Every step, of those with this action if one is given, leads to a state that meets the term.
    Every(Option<ActionId>, TermId),
}

impl Term {
    /// The terms at the same state.
    #[must_use]
    pub fn here(&self) -> &[TermId] {
        match self {
            Self::All(terms) | Self::Any(terms) => terms,
            _ => &[],
        }
    }

    /// The term at successors.
    #[must_use]
    pub fn behind(&self) -> Option<TermId> {
        match self {
            Self::Some(_, term) | Self::Every(_, term) => Some(*term),
            _ => None,
        }
    }

    /// The terms that it leads to, here and behind a step.
    fn leads_to(&self) -> impl Iterator<Item = TermId> + '_ {
        self.here().iter().copied().chain(self.behind())
    }
}

/// Whether a term asks for a step and for nothing behind it.
pub(super) fn is_bare_step(rules: &[Term], term: TermId) -> bool {
    let behind = rules[term as usize].behind();
    behind.is_some_and(|to| matches!(&rules[to as usize], Term::All(terms) if terms.is_empty()))
}

/// The terms of a formula.
#[derive(Clone, Debug)]
pub struct Terms {
    /// How each is met.
    pub rules: Vec<Term>,
    /// For each term what counts when it is met again and again.
    pub priority: Vec<u32>,
    /// Terms that lead to each other have one number.
    pub component: Vec<u32>,
    /// The term that says that the formula is true (or false, if that was asked for).
    pub root: TermId,
}

impl Terms {
    /// The terms of a formula as parsed, and among them the one for its truth or falsity. `ends` tells whether paths may end
    /// where there is no step. None if the formula has operators or names that terms do not know.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn new(
        formula: &Formula,
        model: &Kmts,
        ends: bool,
        positive: bool,
        budget: &Budget,
    ) -> Result<Option<Self>, Stopped> {
        let unfolded = match formula.logic() {
            Logic::Ctl if ends => ending_ctl(formula),
            Logic::Ctl => ctl_to_mu(formula),
            _ => Some(formula.clone()),
        };
        let Some(formula) = unfolded.filter(is_known) else { return Ok(None) };
        let bound = Task::new(model, &formula, Reading::default(), Ask::All, budget);
        let Ok(names) = bound else { return Ok(None) };
        let mut maker = Maker::new(&formula, &names, ends);
        let Some(root) = maker.all(positive, budget)? else { return Ok(None) };
        let mut terms = Self { rules: maker.rules, priority: maker.priority, component: Vec::new(), root };
        terms.component = components(&terms.rules, |_| true, budget)?;
        terms.simplify_priorities(budget)?;
        Ok(Some(terms))
    }

    /// Where everything that comes back is bad, all terms may count as bad; where nothing is, none does.
    fn simplify_priorities(&mut self, budget: &Budget) -> Result<(), Stopped> {
        let count = self.rules.len();
        let (mut even, mut odd) = (vec![false; count], vec![false; count]);
        for (&priority, &class) in self.priority.iter().zip(&self.component) {
            even[class as usize] |= priority > 0 && priority.is_multiple_of(2);
            odd[class as usize] |= priority % 2 == 1;
        }
        let cyclic = |component: &[u32], kept: &dyn Fn(usize) -> bool| {
            let mut cyclic = vec![false; count];
            for (at, rule) in self.rules.iter().enumerate().filter(|(at, _)| kept(*at)) {
                let mut back = rule.leads_to().filter(|&to| kept(to as usize));
                cyclic[at] = back.any(|to| component[to as usize] == component[at]);
            }
            cyclic
        };
        // Cycles that avoid everything odd.
        let rest = |at: usize| self.priority[at].is_multiple_of(2);
        let avoiding = cyclic(&components(&self.rules, rest, budget)?, &rest);
        let mut good = even.clone();
        for (at, &avoids) in avoiding.iter().enumerate() {
            good[self.component[at] as usize] |= avoids;
        }
        let on_cycle = cyclic(&self.component, &|_| true);
        for ((priority, &class), on_cycle) in self.priority.iter_mut().zip(&self.component).zip(on_cycle) {
            if !on_cycle || !odd[class as usize] {
                *priority = 0;
            } else if !good[class as usize] {
                *priority = 1;
            }
        }
        Ok(())
    }
}

/// The strongly connected components of the terms that are kept.
fn components(rules: &[Term], kept: impl Fn(usize) -> bool, budget: &Budget) -> Result<Vec<u32>, Stopped> {
    let leads: Vec<Vec<usize>> = (rules.iter().enumerate())
        .map(|(at, rule)| {
            let stays = kept(at);
            rule.leads_to().map(|to| to as usize).filter(|&to| stays && kept(to)).collect()
        })
        .collect();
    Ok(graph::components_within(rules.len(), |at| leads[at].iter().copied(), budget)?.of)
}

/// Makes terms.
pub(super) struct Maker<'a> {
    pub(super) formula: &'a Formula,
    names: &'a Task<'a>,
    /// Whether paths may end where there is no step.
    pub(super) ends: bool,
    pub(super) rules: Vec<Term>,
    pub(super) priority: Vec<u32>,
    /// Whether a node speaks of a state, not of a path.
    state_formula: Vec<bool>,
    /// That there is a step, and that there is none.
    steps_at_all: Option<[TermId; 2]>,
}

/// The term of a node's truth or falsity.
pub(super) fn term(node: NodeId, positive: bool) -> TermId {
    to_u32(node.index() * 2 + usize::from(!positive))
}

impl<'a> Maker<'a> {
    fn new(formula: &'a Formula, names: &'a Task<'a>, ends: bool) -> Self {
        let count = formula.nodes().len() * 2;
        let rules = vec![Term::Any(Vec::new()); count];
        Self { formula, names, ends, rules, priority: vec![0; count], state_formula: Vec::new(), steps_at_all: None }
    }

    pub(super) fn is_state_formula(&self, node: NodeId) -> bool {
        self.state_formula[node.index()]
    }

    pub(super) fn add(&mut self, rule: Term, priority: u32) -> TermId {
        self.rules.push(rule);
        self.priority.push(priority);
        to_u32(self.rules.len() - 1)
    }

    /// That there is a step, or that there is none.
    pub(super) fn goes_on(&mut self, yes: bool) -> TermId {
        let both = match self.steps_at_all {
            Some(both) => both,
            None => {
                let (always, never) = (self.add(Term::All(Vec::new()), 0), self.add(Term::Any(Vec::new()), 0));
                [self.add(Term::Every(None, never), 0), self.add(Term::Some(None, always), 0)]
            }
        };
        self.steps_at_all = Some(both);
        both[usize::from(yes)]
    }

    /// All terms; the one for the formula's truth or falsity.
    fn all(&mut self, positive: bool, budget: &Budget) -> Result<Option<TermId>, Stopped> {
        let mut binders = vec![NodeId::new(0); self.formula.variables().len()];
        let mut height = Vec::with_capacity(self.formula.nodes().len());
        for id in self.formula.node_ids() {
            let node = self.formula.node(id);
            let below = node.children().map(|child| height[child.index()]).max().unwrap_or(0u32);
            let binds = matches!(node, Node::Mu(..) | Node::Nu(..));
            if let Node::Mu(variable, _) | Node::Nu(variable, _) = node {
                binders[variable.index()] = id;
            }
            height.push(below + u32::from(binds));
            let about_state = !is_temporal(node) && node.children().all(|child| self.state_formula[child.index()]);
            self.state_formula.push(about_state || matches!(node, Node::All(_) | Node::Exists(_)));
        }
        for id in self.formula.node_ids() {
            for positive in [true, false] {
                let Some(rule) = self.rule(id, positive, &binders, budget)? else { return Ok(None) };
                self.rules[term(id, positive) as usize] = rule;
                self.priority[term(id, positive) as usize] = match self.formula.node(id) {
                    Node::Mu(..) => 2 * height[id.index()] + u32::from(positive),
                    Node::Nu(..) => 2 * height[id.index()] + u32::from(!positive),
                    _ => 0,
                };
            }
        }
        let root = self.formula.root();
        if self.formula.logic() == Logic::Ltl {
            // All paths satisfy it: none satisfies its negation.
            return Automata::new(self, positive, (root, false)).build(budget).map(Some);
        }
        Ok(self.is_state_formula(root).then(|| term(root, positive)))
    }

    /// How a node's truth or falsity is met; nothing can be asked of a node about paths by itself.
    fn rule(
        &mut self,
        id: NodeId,
        positive: bool,
        binders: &[NodeId],
        budget: &Budget,
    ) -> Result<Option<Term>, Stopped> {
        let of = |node: NodeId| term(node, positive);
        let not = |node: NodeId| term(node, !positive);
        let always = |value: bool| if value { Term::All(Vec::new()) } else { Term::Any(Vec::new()) };
        let both = |conjunction: bool, terms: Vec<TermId>| {
            if conjunction == positive { Term::All(terms) } else { Term::Any(terms) }
        };
        Ok(Some(match self.formula.node(id) {
            Node::True => always(positive),
            Node::False => always(!positive),
            Node::Element(element) => match self.names.elements[element.index()] {
                Belnap::True => always(positive),
                Belnap::False => always(!positive),
                _ => return Ok(None),
            },
            Node::Atom(atom) => Term::Label(self.names.props[atom.index()], positive),
            Node::Not(a) => Term::All(vec![not(a)]),
            Node::And(a, b) => both(true, vec![of(a), of(b)]),
            Node::Or(a, b) => both(false, vec![of(a), of(b)]),
            Node::Implies(a, b) => both(false, vec![not(a), of(b)]),
            Node::Iff(a, b) => self.alike(a, b, positive),
            Node::Xor(a, b) => self.alike(a, b, !positive),
            Node::Diamond(action, a) | Node::Box(action, a) => {
                let action = match action.map_or(Filter::Any, |action| self.names.filters[action.index()]) {
                    Filter::Any => None,
                    Filter::Action(action) => Some(action),
                    Filter::Fair(_) => return Ok(None),
                };
                let some = matches!(self.formula.node(id), Node::Diamond(..)) == positive;
                if some { Term::Some(action, of(a)) } else { Term::Every(action, of(a)) }
            }
            Node::Var(variable) => Term::All(vec![of(binders[variable.index()])]),
            Node::Mu(_, body) | Node::Nu(_, body) => Term::All(vec![of(body)]),
            Node::Exists(path) => Term::All(vec![Automata::new(self, !positive, (path, true)).build(budget)?]),
            Node::All(path) => Term::All(vec![Automata::new(self, positive, (path, false)).build(budget)?]),
            _ => Term::Any(Vec::new()),
        }))
    }

    /// That two nodes have the same truth, or (unless `same`) that they do not.
    fn alike(&mut self, a: NodeId, b: NodeId, same: bool) -> Term {
        let first = self.add(Term::All(vec![term(a, true), term(b, same)]), 0);
        let second = self.add(Term::All(vec![term(a, false), term(b, !same)]), 0);
        Term::Any(vec![first, second])
    }
}

/// Linear formulas have no modalities, and formulas of LTL no quantifiers.
fn is_known(formula: &Formula) -> bool {
    let linear = matches!(formula.logic(), Logic::Ltl | Logic::CtlStar);
    let foreign = |node: &Node| match node {
        Node::Diamond(..) | Node::Box(..) | Node::Var(_) | Node::Mu(..) | Node::Nu(..) => linear,
        Node::All(_) | Node::Exists(_) => formula.logic() != Logic::CtlStar,
        node => is_temporal(*node) && !linear,
    };
    !formula.nodes().iter().any(foreign)
}

/// Whether a node speaks of what comes later on one path.
fn is_temporal(node: Node) -> bool {
    use Node::{Finally, Globally, Next, Release, StrongRelease, Until, WeakUntil};
    matches!(node, Next(_) | Finally(_) | Globally(_) | Until(..) | Release(..) | WeakUntil(..) | StrongRelease(..))
}
