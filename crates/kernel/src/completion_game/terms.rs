//! A formula as terms that a concrete state meets or not: an alternating tree automaton.
//!
//! A term is met by a label, by all or one of other terms at the same state, or by a term at some or every successor. Node
//! `n` of the formula has the terms `2n` (it is true) and `2n + 1` (it is false); others follow as they are laid out. Priorities tell fixpoints
//! that may be unfolded for ever (even) from those that may not (odd); an outer fixpoint has the greater one.
//!
//! CTL is first unfolded to the mu-calculus; quantifiers over paths become automata (`path_automaton`).

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, Node, NodeId, ctl_to_mu, ending_ctl};
use tertium_model::{ActionId, Kmts, PropId};

use super::path_automaton::PathAutomaton;
use super::priorities;
use crate::checker::{Filter, Names};

/// A term's number.
pub type TermId = u32;

/// That a node is true, or that it is false.
pub(super) type Claim = (NodeId, bool);

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
    /// Always, or never.
    const fn constant(value: bool) -> Self {
        if value { Self::All(Vec::new()) } else { Self::Any(Vec::new()) }
    }

    /// The terms at the same state.
    #[must_use]
    pub fn here(&self) -> &[TermId] {
        if let Self::All(terms) | Self::Any(terms) = self { terms } else { &[] }
    }

    /// The term at successors.
    #[must_use]
    pub const fn behind(&self) -> Option<TermId> {
        if let Self::Some(_, term) | Self::Every(_, term) = self { Some(*term) } else { None }
    }

    /// The action of the steps that it is about, if that is one.
    #[must_use]
    pub const fn action(&self) -> Option<ActionId> {
        if let Self::Some(action, _) | Self::Every(action, _) = self { *action } else { None }
    }
}

/// The terms of a formula.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// How each is met.
    pub rules: Vec<Term>,
    /// For each term what counts when it is met again and again.
    pub priority: Vec<u32>,
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
        let Some(formula) = unfolded.filter(has_known_operators) else { return Ok(None) };
        let names = Names::look_up(&formula, model, &[]);
        let mut table = TermTable::new(&formula, &names, ends);
        let Some(root) = table.lay_out(positive, budget)? else { return Ok(None) };
        let priority = priorities::that_matter(&table.rules, &table.priority, budget)?;
        Ok(Some(Self { rules: table.rules, priority, root }))
    }

    /// Whether a term asks for a step and for nothing behind it.
    #[must_use]
    pub fn is_bare_step(&self, term: TermId) -> bool {
        let behind = self.rules[term as usize].behind();
        behind.is_some_and(|to| self.rules[to as usize] == Term::constant(true))
    }
}

/// The term of a node's truth or falsity.
pub(super) fn term_of(node: NodeId, positive: bool) -> TermId {
    to_u32(node.index() * 2 + usize::from(!positive))
}

/// The terms as far as they are laid out. Their numbers are part of the format of certificates.
pub(super) struct TermTable<'a> {
    pub(super) formula: &'a Formula,
    names: &'a Names,
    /// Whether paths may end where there is no step.
    pub(super) ends: bool,
    pub(super) rules: Vec<Term>,
    priority: Vec<u32>,
    /// For each node whether it speaks of a state, not of a path.
    of_state: Vec<bool>,
    /// The fixpoint that binds each variable.
    binders: Vec<NodeId>,
    /// That there is no step, and that there is one.
    any_step: Option<[TermId; 2]>,
}

impl<'a> TermTable<'a> {
    fn new(formula: &'a Formula, names: &'a Names, ends: bool) -> Self {
        let count = formula.nodes().len() * 2;
        let mut table = Self {
            formula,
            names,
            ends,
            rules: vec![Term::constant(false); count],
            priority: vec![0; count],
            of_state: Vec::new(),
            binders: vec![NodeId::new(0); formula.variables().len()],
            any_step: None,
        };
        table.look_through();
        table
    }

    /// Finds out which nodes speak of states and what binds variables, and gives fixpoints their priorities.
    fn look_through(&mut self) {
        // How many fixpoints lie on one way down, this one included.
        let mut depth: Vec<u32> = Vec::new();
        for id in self.formula.node_ids() {
            let node = self.formula.node(id);
            let quantified = matches!(node, Node::All(_) | Node::Exists(_));
            let of_state = node.children().all(|child| self.of_state[child.index()]) && !is_temporal(node);
            self.of_state.push(quantified || of_state);
            let inner = node.children().map(|child| depth[child.index()]).max().unwrap_or(0);
            let (Node::Mu(variable, _) | Node::Nu(variable, _)) = node else {
                depth.push(inner);
                continue;
            };
            depth.push(inner + 1);
            self.binders[variable.index()] = id;
            for positive in [true, false] {
                let is_least = matches!(node, Node::Mu(..)) == positive;
                self.priority[term_of(id, positive) as usize] = 2 * (inner + 1) + u32::from(is_least);
            }
        }
    }

    pub(super) fn speaks_of_state(&self, node: NodeId) -> bool {
        self.of_state[node.index()]
    }

    pub(super) fn add(&mut self, rule: Term, priority: u32) -> TermId {
        self.rules.push(rule);
        self.priority.push(priority);
        to_u32(self.rules.len() - 1)
    }

    /// That there is a step, or that there is none.
    pub(super) fn has_step(&mut self, yes: bool) -> TermId {
        if self.any_step.is_none() {
            let [always, never] = [true, false].map(|value| self.add(Term::constant(value), 0));
            let none = self.add(Term::Every(None, never), 0);
            self.any_step = Some([none, self.add(Term::Some(None, always), 0)]);
        }
        self.any_step.map_or(0, |both| both[usize::from(yes)])
    }

    /// All terms; the one for the formula's truth or falsity.
    fn lay_out(&mut self, positive: bool, budget: &Budget) -> Result<Option<TermId>, Stopped> {
        for node in self.formula.node_ids() {
            for positive in [true, false] {
                let Some(rule) = self.rule((node, positive), budget)? else { return Ok(None) };
                self.rules[term_of(node, positive) as usize] = rule;
            }
        }
        let root = self.formula.root();
        if self.formula.logic() == Logic::Ltl {
            // All paths satisfy it: none satisfies its negation.
            return PathAutomaton::term(self, positive, (root, false), budget).map(Some);
        }
        Ok(self.speaks_of_state(root).then(|| term_of(root, positive)))
    }

    /// How a claim is met at a state; none if it has a name or a value that terms do not know.
    fn rule(&mut self, (id, positive): Claim, budget: &Budget) -> Result<Option<Term>, Stopped> {
        let same = |node: NodeId| term_of(node, positive);
        let node = self.formula.node(id);
        if let Some(choices) = alternatives(node, positive) {
            return Ok(Some(self.connective(&choices)));
        }
        Ok(match node {
            Node::Element(element) => match self.names.elements[element.index()] {
                Some(Belnap::True) => Some(Term::constant(positive)),
                Some(Belnap::False) => Some(Term::constant(!positive)),
                _ => None,
            },
            Node::Atom(atom) => self.names.atoms[atom.index()].map(|prop| Term::Label(prop, positive)),
            Node::Diamond(action, behind) | Node::Box(action, behind) => {
                let exists = matches!(node, Node::Diamond(..)) == positive;
                let step = |action| {
                    if exists { Term::Some(action, same(behind)) } else { Term::Every(action, same(behind)) }
                };
                match self.names.filter(action) {
                    Some(Filter::Any) => Some(step(None)),
                    Some(Filter::Action(action)) => Some(step(Some(action))),
                    Some(Filter::Fair(_)) | None => None,
                }
            }
            Node::Var(variable) => Some(Term::All(vec![same(self.binders[variable.index()])])),
            Node::Mu(_, body) | Node::Nu(_, body) => Some(Term::All(vec![same(body)])),
            Node::Exists(path) => Some(Term::All(vec![PathAutomaton::term(self, !positive, (path, true), budget)?])),
            Node::All(path) => Some(Term::All(vec![PathAutomaton::term(self, positive, (path, false), budget)?])),
            // Nothing can be asked of a node about paths by itself.
            _ => Some(Term::constant(false)),
        })
    }

    /// One of several conjunctions; those of more than one claim have terms of their own where there are several.
    fn connective(&mut self, choices: &[Vec<Claim>]) -> Term {
        let terms = |claims: &[Claim]| claims.iter().map(|&(node, positive)| term_of(node, positive)).collect();
        if let [only] = choices {
            return Term::All(terms(only));
        }
        let one = |claims: &Vec<Claim>| match claims[..] {
            [(node, positive)] => term_of(node, positive),
            _ => self.add(Term::All(terms(claims)), 0),
        };
        Term::Any(choices.iter().map(one).collect())
    }
}

/// The claims about operands by which a connective is true, or false: all of one of these lists. None for other nodes.
pub(super) fn alternatives(node: Node, positive: bool) -> Option<Vec<Vec<Claim>>> {
    let both = |a: Claim, b: Claim| vec![vec![a, b]];
    let either = |a: Claim, b: Claim| vec![vec![a], vec![b]];
    let alike = |a, b, same| vec![vec![(a, true), (b, same)], vec![(a, false), (b, !same)]];
    let constant = |value| if value { vec![Vec::new()] } else { Vec::new() };
    Some(match (node, positive) {
        (Node::True, _) => constant(positive),
        (Node::False, _) => constant(!positive),
        (Node::Not(a), _) => vec![vec![(a, !positive)]],
        (Node::And(a, b), true) => both((a, true), (b, true)),
        (Node::And(a, b), false) => either((a, false), (b, false)),
        (Node::Or(a, b), true) => either((a, true), (b, true)),
        (Node::Or(a, b), false) => both((a, false), (b, false)),
        (Node::Implies(a, b), true) => either((a, false), (b, true)),
        (Node::Implies(a, b), false) => both((a, true), (b, false)),
        (Node::Iff(a, b), _) => alike(a, b, positive),
        (Node::Xor(a, b), _) => alike(a, b, !positive),
        _ => return None,
    })
}

/// Formulas about paths have no modalities and fixpoints; only CTL* has quantifiers, and temporal operators stand in formulas about paths.
fn has_known_operators(formula: &Formula) -> bool {
    let logic = formula.logic();
    let about_paths = matches!(logic, Logic::Ltl | Logic::CtlStar);
    formula.nodes().iter().all(|&node| match node {
        Node::Diamond(..) | Node::Box(..) | Node::Var(_) | Node::Mu(..) | Node::Nu(..) => !about_paths,
        Node::All(_) | Node::Exists(_) => logic == Logic::CtlStar,
        other => about_paths || !is_temporal(other),
    })
}

/// Whether a node speaks of what comes later on one path.
const fn is_temporal(node: Node) -> bool {
    use Node::{Finally, Globally, Next, Release, StrongRelease, Until, WeakUntil};
    matches!(node, Next(_) | Finally(_) | Globally(_) | Until(..) | Release(..) | WeakUntil(..) | StrongRelease(..))
}
