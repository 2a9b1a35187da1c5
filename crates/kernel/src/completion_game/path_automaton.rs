//! Quantifiers over paths as terms: the Büchi automaton of a path formula, read off its expansion laws.
//!
//! An automaton's state is a set of claims, each a node about paths that has to be true, or false, from here on. `a U b` is
//! `b | (a & X (a U b))`, `a R b` is `b & (a | X (a R b))`, and negation swaps the two: so every claim has a disjunctive normal form whose parts say what the
//! state has to be, what is left to the next one, and which eventualities are put off. A path is accepted if no eventuality is put off from
//! some time on; they are waited for one after the other (Gerth, Peled, Vardi, Wolper 1995).
//!
//! "Some path is accepted" and "no path is" are dual. Where paths may end, the last state is read again and again.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Budget, Stopped};
use tertium_logic::{Node, NodeId};

use super::terms::{Claim, Term, TermId, TermTable, alternatives, term_of};

/// One part of a disjunctive normal form.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Part {
    /// What the state has to be.
    now: BTreeSet<Claim>,
    /// What is left to the next state.
    next: BTreeSet<Claim>,
    /// The eventualities among it that are put off.
    postponed: BTreeSet<Claim>,
}

impl Part {
    /// Both together; none if the state would have to be something and its contrary.
    fn and(&self, other: &Self) -> Option<Self> {
        let joined = Self {
            now: &self.now | &other.now,
            next: &self.next | &other.next,
            postponed: &self.postponed | &other.postponed,
        };
        let contrary = |&(node, positive): &Claim| joined.now.contains(&(node, !positive));
        if joined.now.iter().any(contrary) { None } else { Some(joined) }
    }
}

type NormalForm = BTreeSet<Part>;

/// A state of the automaton.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct AutomatonState {
    claims: BTreeSet<Claim>,
    /// The eventuality that is waited for.
    awaited: usize,
    /// Whether all of them were met in turn just now.
    round: bool,
    /// Whether the path has ended.
    ended: bool,
}

/// Lays out the terms of "some path is accepted", or "none is".
pub(super) struct PathAutomaton<'m, 'a> {
    table: &'m mut TermTable<'a>,
    none: bool,
    forms: BTreeMap<Claim, NormalForm>,
    eventualities: Vec<Claim>,
    numbers: BTreeMap<AutomatonState, TermId>,
    /// States whose rule is missing; the one met last comes first.
    todo: Vec<AutomatonState>,
}

impl<'m, 'a> PathAutomaton<'m, 'a> {
    /// The term that says that some path meets a claim, or (`none`) that no path does.
    pub(super) fn term(
        table: &'m mut TermTable<'a>,
        none: bool,
        start: Claim,
        budget: &Budget,
    ) -> Result<TermId, Stopped> {
        let (forms, eventualities) = (normal_forms(table, start, budget)?, eventualities(table, start));
        let mut automaton = Self { table, none, forms, eventualities, numbers: BTreeMap::new(), todo: Vec::new() };
        let claims = BTreeSet::from([start]);
        let first = automaton.number(AutomatonState { claims, awaited: 0, round: false, ended: false });
        while let Some(state) = automaton.todo.pop() {
            let form = conjunction(state.claims.iter().map(|claim| &automaton.forms[claim]), budget)?;
            budget.reserve(form.len() * 64)?;
            let parts: Vec<TermId> = form.iter().map(|part| automaton.part(&state, part)).collect();
            let (at, rule) = (automaton.numbers[&state], automaton.one_of(parts));
            automaton.table.rules[at as usize] = rule;
        }
        Ok(first)
    }

    /// That one of these happens on a path; if no path is accepted, that none does.
    fn one_of(&self, parts: Vec<TermId>) -> Term {
        if self.none { Term::All(parts) } else { Term::Any(parts) }
    }

    /// That all of these happen on a path; if no path is accepted, that one of them does not.
    fn all_of(&self, parts: Vec<TermId>) -> Term {
        if self.none { Term::Any(parts) } else { Term::All(parts) }
    }

    fn number(&mut self, state: AutomatonState) -> TermId {
        if let Some(&known) = self.numbers.get(&state) {
            return known;
        }
        // Rounds without end are good for whoever looks for a path, and bad for whoever says that there is none.
        let priority = 1 + u32::from(state.round) + u32::from(self.none);
        let number = self.table.add(Term::Any(Vec::new()), priority);
        self.numbers.insert(state.clone(), number);
        self.todo.push(state);
        number
    }

    /// The term of one part of a state's normal form.
    fn part(&mut self, state: &AutomatonState, part: &Part) -> TermId {
        let waits = |claim: &Claim| part.postponed.contains(claim);
        let later = (state.awaited..self.eventualities.len()).find(|&at| waits(&self.eventualities[at]));
        let (awaited, round) = (later.unwrap_or(0), later.is_none());
        let next = |ended| AutomatonState { claims: part.next.clone(), awaited, round, ended };
        let onward = if state.ended { self.number(next(true)) } else { self.step(next(false), next(true)) };
        let now = part.now.iter().map(|&(node, positive)| term_of(node, positive != self.none));
        let rule = self.all_of(now.chain([onward]).collect());
        self.table.add(rule, 0)
    }

    /// A step to the next state; or, where paths may end, there is no step and the last state is read on.
    fn step(&mut self, next: AutomatonState, last: AutomatonState) -> TermId {
        let target = self.number(next);
        let step = self.table.add(if self.none { Term::Every(None, target) } else { Term::Some(None, target) }, 0);
        if !self.table.ends {
            return step;
        }
        let last = self.number(last);
        let stuck = self.table.has_step(self.none);
        let ending = self.all_of(vec![stuck, last]);
        let ending = self.table.add(ending, 0);
        let either = self.one_of(vec![step, ending]);
        self.table.add(either, 0)
    }
}

/// All claims that a claim about paths leads to by `onward`, itself included; ascending.
fn closure(table: &TermTable<'_>, start: Claim, onward: impl Fn(Claim) -> Vec<Claim>) -> BTreeSet<Claim> {
    let mut found = BTreeSet::from([start]);
    let mut todo = vec![start];
    while let Some(claim) = todo.pop() {
        if !table.speaks_of_state(claim.0) {
            todo.extend(onward(claim).into_iter().filter(|&next| found.insert(next)));
        }
    }
    found
}

/// The eventualities that a claim is made of, ascending. Every operand counts both ways, since an equivalence asks for both.
fn eventualities(table: &TermTable<'_>, start: Claim) -> Vec<Claim> {
    let node = |claim: Claim| table.formula.node(claim.0);
    let both = |claim| node(claim).children().flat_map(|child| [(child, true), (child, false)]).collect();
    let awaited = |claim: &Claim| !table.speaks_of_state(claim.0) && is_eventuality(node(*claim), claim.1);
    closure(table, start, both).into_iter().filter(awaited).collect()
}

/// The normal forms of a claim about paths and of the claims that it asks for.
fn normal_forms(table: &TermTable<'_>, start: Claim, budget: &Budget) -> Result<BTreeMap<Claim, NormalForm>, Stopped> {
    let asked = |(node, positive): Claim| {
        let node = table.formula.node(node);
        let lists = alternatives(node, positive);
        lists.map_or_else(|| node.children().map(|child| (child, positive)).collect(), |lists| lists.concat())
    };
    let mut forms = BTreeMap::new();
    // Operands have smaller numbers, so theirs are known.
    for claim in closure(table, start, asked) {
        let form = normal_form(table, claim, &forms, budget)?;
        forms.insert(claim, form);
    }
    Ok(forms)
}

/// The normal form of a claim, by those of its operands.
fn normal_form(
    table: &TermTable<'_>,
    claim: Claim,
    known: &BTreeMap<Claim, NormalForm>,
    budget: &Budget,
) -> Result<NormalForm, Stopped> {
    let (node, positive) = (table.formula.node(claim.0), claim.1);
    if table.speaks_of_state(claim.0) {
        return Ok(NormalForm::from([Part { now: BTreeSet::from([claim]), ..Part::default() }]));
    }
    if let Node::Next(operand) = node {
        return Ok(NormalForm::from([Part { next: BTreeSet::from([(operand, positive)]), ..Part::default() }]));
    }
    let Some((is_until, left, right)) = temporal(node) else {
        let mut form = NormalForm::new();
        for all in alternatives(node, positive).unwrap_or_default() {
            form.append(&mut conjunction(all.iter().map(|claim| &known[claim]), budget)?);
        }
        return Ok(form);
    };
    let next = BTreeSet::from([claim]);
    let postponed = if is_eventuality(node, positive) { next.clone() } else { BTreeSet::new() };
    let onward = NormalForm::from([Part { next, postponed, ..Part::default() }]);
    let of = |node: NodeId| &known[&(node, positive)];
    let (left, right) = (left.map(of), of(right));
    // Negation makes the one law the other.
    if is_until == positive {
        return Ok(right | &conjunction(left.into_iter().chain([&onward]), budget)?);
    }
    let stop = left.map(|left| conjunction([left, right], budget)).transpose()?.unwrap_or_default();
    Ok(&stop | &conjunction([right, &onward], budget)?)
}

/// The conjunction of normal forms, multiplied out.
fn conjunction<'f>(forms: impl IntoIterator<Item = &'f NormalForm>, budget: &Budget) -> Result<NormalForm, Stopped> {
    let mut product = NormalForm::from([Part::default()]);
    let mut ticks = 0;
    for form in forms {
        let mut larger = NormalForm::new();
        for part in &product {
            for other in form {
                budget.tick(&mut ticks)?;
                larger.extend(part.and(other));
            }
        }
        product = larger;
    }
    Ok(product)
}

/// The expansion law of a temporal operator: `right | (left & X ..)`, or else `right & (left | X ..)`. `F` is an until with a left operand that is always true, `G` a release
/// with one that never is.
fn temporal(node: Node) -> Option<(bool, Option<NodeId>, NodeId)> {
    match node {
        Node::Finally(right) => Some((true, None, right)),
        Node::Until(left, right) | Node::WeakUntil(left, right) => Some((true, Some(left), right)),
        Node::Globally(right) => Some((false, None, right)),
        Node::Release(left, right) | Node::StrongRelease(left, right) => Some((false, Some(left), right)),
        _ => None,
    }
}

/// Whether a claim promises that something happens, which must not be put off for ever.
const fn is_eventuality(node: Node, positive: bool) -> bool {
    match node {
        Node::Finally(_) | Node::Until(..) | Node::StrongRelease(..) => positive,
        Node::Globally(_) | Node::Release(..) | Node::WeakUntil(..) => !positive,
        _ => false,
    }
}
