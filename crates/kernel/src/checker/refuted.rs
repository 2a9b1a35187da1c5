//! Can no completion meet the contrary of a branching answer?
//!
//! Every claim is looked at on its own: all ways to settle its disjunctions and open labels are tried here, and in each there must
//! be something to follow up whose every outcome is refuted by another claim. Claims of smaller rank may be used freely; those of
//! the same rank only if what they watch is what watched terms led to. Since watched terms belong to parts of the formula
//! with least fixpoints only, nobody can go round among claims of one rank forever.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_logic::{Node, NodeId};
use tertium_model::{ActionId, PropId, StateId};

use super::graph::Graph;
use super::rules::{Rule, Rules, SubClaim};
use super::structure::Filter;
use super::{Case, Rejection, misfit};
use tertium_evidence::{Deadlock, Refuted};

/// A step that a way asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct StepTerm {
    /// The term that asks for it.
    from: SubClaim,
    exists: bool,
    then: SubClaim,
}

/// One way to meet terms at a state.
#[derive(Clone, Default)]
struct TermBranch {
    todo: Vec<SubClaim>,
    /// Where each term led at the same state.
    led: BTreeMap<SubClaim, Vec<SubClaim>>,
    labels: BTreeMap<PropId, bool>,
    steps: BTreeSet<StepTerm>,
}

struct Checker<'a> {
    case: &'a Case<'a>,
    rules: Rules,
    claims: &'a [Refuted],
    by_state: HashMap<StateId, Vec<usize>>,
    component: Vec<u32>,
    /// For each component whether a thread that stays in it puts something off forever.
    least: Vec<bool>,
}

pub(super) fn check(case: &Case<'_>, claims: &[Refuted]) -> Result<(), Rejection> {
    if case.structure.constraints() > 0 {
        return Err(misfit("completions do not inherit fairness constraints"));
    }
    if case.structure.deadlock == Deadlock::Maximal {
        return Err(misfit("refutations do not speak of paths that end"));
    }
    let mut by_state: HashMap<StateId, Vec<usize>> = HashMap::new();
    for (at, claim) in claims.iter().enumerate() {
        case.known_state(claim.state, "the state of a refutation")?;
        let known = |(node, _): &SubClaim| node.index() < case.formula.nodes().len();
        if !claim.terms.iter().chain(&claim.watched).all(known) {
            return Err(broken(format!("refutation {at} speaks of a node that the formula does not have")));
        }
        by_state.entry(claim.state).or_default().push(at);
    }
    let rules = Rules::of(case.formula);
    let (component, least) = components(case, &rules)?;
    let checker = Checker { case, rules, claims, by_state, component, least };
    let contrary = (case.formula.root(), case.certificate.value == Belnap::False);
    let at_start = checker.by_state.get(&case.certificate.state).into_iter().flatten();
    if !at_start.clone().any(|&at| claims[at].terms.iter().all(|&term| term == contrary)) {
        return Err(broken(format!("nothing refutes the contrary at {}", case.state(case.certificate.state))));
    }
    let mut ticks = 0;
    for at in 0..claims.len() {
        checker.claim(at, &mut ticks)?;
    }
    Ok(())
}

fn number((node, positive): SubClaim) -> usize {
    node.index() * 2 + usize::from(positive)
}

/// The parts of the formula whose terms lead to each other, and whether only least fixpoints are unfolded there.
fn components(case: &Case<'_>, rules: &Rules) -> Result<(Vec<u32>, Vec<bool>), Rejection> {
    let count = case.formula.nodes().len() * 2;
    let mut graph = Graph::new();
    let mut greatest = vec![false; count];
    for (at, lasts) in greatest.iter_mut().enumerate() {
        let (node, positive) = (NodeId::new(at / 2), at % 2 == 1);
        let (leads, lasting) = match rules.get(node, positive) {
            Rule::Literal | Rule::Foreign => (Vec::new(), false),
            Rule::Both(both) | Rule::Either(both) => (both.to_vec(), false),
            Rule::One(next, positive_next) => {
                let lasting =
                    matches!((case.formula.node(node), positive), (Node::Nu(..), true) | (Node::Mu(..), false));
                (vec![(*next, *positive_next)], lasting)
            }
            Rule::Pairs(pairs) => (pairs.iter().flatten().copied().collect(), false),
            Rule::Step { then, .. } => (vec![*then], false),
            Rule::Temporal(temporal) => {
                let stop = temporal.stop.into_iter().flat_map(|(_, claims)| claims).flatten();
                (stop.chain(temporal.hold).chain([(node, positive)]).collect(), !temporal.least)
            }
        };
        *lasts = lasting;
        graph.push(leads.into_iter().map(|term| to_u32(number(term))));
    }
    let component = graph.components(case.budget)?;
    let mut least = vec![true; count];
    for at in 0..count {
        if greatest[at] {
            least[component[at] as usize] = false;
        }
    }
    Ok((component, least))
}

impl Checker<'_> {
    fn claim(&self, at: usize, ticks: &mut u32) -> Result<(), Rejection> {
        let claim = &self.claims[at];
        let class = self.watched_class(claim, at)?;
        let mut open = vec![TermBranch { todo: claim.terms.clone(), ..TermBranch::default() }];
        while let Some(way) = open.pop() {
            self.case.budget.tick(ticks)?;
            let Some(way) = self.settle(claim.state, way, &mut open)? else { continue };
            if !self.goes_round(&way)? && !self.is_refuted(claim, class, &way) {
                let message = format!(
                    "refutation {at} at {} overlooks a way to meet {}",
                    self.case.state(claim.state),
                    self.terms(&claim.terms)
                );
                return Err(broken(message));
            }
        }
        Ok(())
    }

    /// The part of the formula that a claim watches.
    fn watched_class(&self, claim: &Refuted, at: usize) -> Result<Option<u32>, Rejection> {
        let Some(&first) = claim.watched.first() else { return Ok(None) };
        let class = self.component[number(first)];
        let fits = |term: &SubClaim| self.component[number(*term)] == class && claim.terms.contains(term);
        if !self.least[class as usize] || !claim.watched.iter().all(fits) {
            return Err(broken(format!("refutation {at} watches what may last forever, or what it does not ask for")));
        }
        Ok(Some(class))
    }

    /// Follows one way to its end, leaving the others it meets in `open`; none if it contradicts itself.
    fn settle(
        &self,
        state: StateId,
        mut way: TermBranch,
        open: &mut Vec<TermBranch>,
    ) -> Result<Option<TermBranch>, Rejection> {
        while let Some(term) = way.todo.pop() {
            if way.led.contains_key(&term) {
                continue;
            }
            let (node, positive) = term;
            let alternatives: Vec<Vec<SubClaim>> = match self.rules.get(node, positive) {
                Rule::Literal => {
                    if !self.literal(state, term, &mut way) {
                        return Ok(None);
                    }
                    vec![Vec::new()]
                }
                Rule::Foreign => return Err(misfit("the formula has an operator that refutations do not know")),
                Rule::Both(both) => vec![both.to_vec()],
                Rule::One(next, positive) => vec![vec![(*next, *positive)]],
                Rule::Either([a, b]) => vec![vec![*a], vec![*b]],
                Rule::Pairs(pairs) => {
                    let sensible = |pair: &&[SubClaim; 2]| pair[0].0 != pair[1].0 || pair[0] == pair[1];
                    pairs.iter().filter(sensible).map(|pair| pair.to_vec()).collect()
                }
                Rule::Step { exists, then, .. } => {
                    way.steps.insert(StepTerm { from: term, exists: *exists, then: *then });
                    vec![Vec::new()]
                }
                Rule::Temporal(temporal) => {
                    // The way that goes on asks for the same term again behind a step.
                    let mut goes_on = way.clone();
                    goes_on.steps.insert(StepTerm { from: term, exists: temporal.exists, then: term });
                    let hold: Vec<SubClaim> = temporal.hold.into_iter().collect();
                    goes_on.todo.extend(&hold);
                    goes_on.led.insert(term, hold);
                    open.push(goes_on);
                    match temporal.stop {
                        Some((_, claims)) => vec![claims.into_iter().flatten().collect()],
                        None => Vec::new(),
                    }
                }
            };
            let Some((last, others)) = alternatives.split_last() else { return Ok(None) };
            for other in others {
                let mut next = way.clone();
                next.todo.extend(other);
                next.led.insert(term, other.clone());
                open.push(next);
            }
            way.todo.extend(last);
            way.led.insert(term, last.clone());
        }
        Ok(Some(way))
    }

    /// Whether a way comes back to a least fixpoint without a step, and so never meets it.
    fn goes_round(&self, way: &TermBranch) -> Result<bool, Rejection> {
        let place: BTreeMap<SubClaim, u32> = way.led.keys().copied().zip(0..).collect();
        let mut graph = Graph::new();
        for (&term, led) in &way.led {
            let class = self.component[number(term)];
            let inside = |to: &&SubClaim| self.least[class as usize] && self.component[number(**to)] == class;
            graph.push(led.iter().filter(inside).filter_map(|to| place.get(to).copied()));
        }
        let component = graph.components(self.case.budget)?;
        Ok(graph.on_cycle(&component).contains(&true))
    }

    /// Whether a constant or label can be as asked; remembers what is settled by it.
    fn literal(&self, state: StateId, (node, positive): SubClaim, way: &mut TermBranch) -> bool {
        match self.case.formula.node(node) {
            Node::True => positive,
            Node::False => !positive,
            Node::Element(element) => match self.case.names.elements[element.index()] {
                Some(Belnap::True) => positive,
                Some(Belnap::False) => !positive,
                _ => true,
            },
            Node::Atom(atom) => {
                let Some(prop) = self.case.names.atoms[atom.index()] else { return true };
                let label = self.case.structure.model.label(state, prop);
                if label.for_true() && !positive || label.for_false() && positive {
                    return false;
                }
                *way.labels.entry(prop).or_insert(positive) == positive
            }
            _ => true,
        }
    }

    /// Whether there is something to follow up in a way, all of whose outcomes are refuted.
    fn is_refuted(&self, claim: &Refuted, class: Option<u32>, way: &TermBranch) -> bool {
        let model = self.case.structure.model;
        let state = claim.state;
        let watched = class.map_or_else(BTreeSet::new, |class| self.reached(claim, class, way));
        let fails = |term: Option<&StepTerm>, action: Option<ActionId>, target: StateId| {
            self.outcome_is_refuted(claim, class, way, &watched, term, action, target)
        };
        let possible = || model.edges_from(state).filter(|edge| edge.may);
        // A certain step without an action is one of anyone, with whichever action a step there may have.
        let into = |action: Option<ActionId>, member: StateId| match action {
            Some(_) => fails(None, action, member),
            None => {
                let mut by = possible().filter(|edge| edge.target == member).peekable();
                if by.peek().is_none() {
                    fails(None, None, member)
                } else {
                    by.all(|edge| fails(None, edge.action, member))
                }
            }
        };
        let plain = model.edges_from(state).filter(|edge| edge.must).any(|edge| into(edge.action, edge.target));
        let hyper = || model.hyper_from(state).any(|edge| edge.members.iter().all(|&member| into(edge.action, member)));
        let total = || {
            self.case.structure.total
                && possible().next().is_some()
                && possible().all(|edge| fails(None, edge.action, edge.target))
        };
        let asked = || {
            way.steps.iter().filter(|term| term.exists).any(|term| {
                let counts = |edge: &tertium_model::Edge| self.counts(term, edge.action);
                possible().filter(counts).all(|edge| fails(Some(term), edge.action, edge.target))
            })
        };
        plain || hyper() || total() || asked()
    }

    /// Whether a step with this action is of the kind that a step term speaks of.
    fn counts(&self, term: &StepTerm, action: Option<ActionId>) -> bool {
        let Rule::Step { action: wanted, .. } = self.rules.get(term.from.0, term.from.1) else { return true };
        match self.case.names.filter(*wanted) {
            Some(Filter::Any) => true,
            Some(Filter::Action(wanted)) => action == Some(wanted),
            Some(Filter::Fair(_)) | None => false,
        }
    }

    /// The terms that watched terms led to without leaving their part of the formula.
    fn reached(&self, claim: &Refuted, class: u32, way: &TermBranch) -> BTreeSet<SubClaim> {
        let mut reached: BTreeSet<SubClaim> = claim.watched.iter().copied().collect();
        let mut todo = claim.watched.clone();
        while let Some(term) = todo.pop() {
            for &next in way.led.get(&term).into_iter().flatten() {
                if self.component[number(next)] == class && reached.insert(next) {
                    todo.push(next);
                }
            }
        }
        reached
    }

    #[allow(clippy::too_many_arguments, reason = "one outcome is told by all of these")]
    fn outcome_is_refuted(
        &self,
        claim: &Refuted,
        class: Option<u32>,
        way: &TermBranch,
        watched: &BTreeSet<SubClaim>,
        asked: Option<&StepTerm>,
        action: Option<ActionId>,
        target: StateId,
    ) -> bool {
        let carried = || {
            way.steps.iter().filter(
                move |term| {
                    if term.exists { Some(*term) == asked } else { self.counts(term, action) }
                },
            )
        };
        let needs: BTreeSet<SubClaim> = carried().map(|term| term.then).collect();
        let goes_on: BTreeSet<SubClaim> = carried()
            .filter(|term| watched.contains(&term.from))
            .map(|term| term.then)
            .filter(|&then| Some(self.component[number(then)]) == class)
            .collect();
        self.by_state.get(&target).into_iter().flatten().any(|&at| {
            let other = &self.claims[at];
            let rests = other.rank < claim.rank
                || other.rank == claim.rank
                    && !other.watched.is_empty()
                    && other.watched.iter().all(|term| goes_on.contains(term));
            rests && other.terms.iter().all(|term| needs.contains(term))
        })
    }

    fn terms(&self, terms: &[SubClaim]) -> String {
        let says = |&(node, positive): &SubClaim| {
            let text = self.case.node(node);
            if positive { text } else { format!("not {text}") }
        };
        terms.iter().map(says).collect::<Vec<_>>().join(", ")
    }
}

fn broken(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0623", message).into()
}
