//! Quantifiers over paths as terms: the automaton of a path formula, by its definition.
//!
//! An automaton's state is a set of obligations, each a node about paths that has to be true, or false, from here on. They are
//! met in one of several ways: by what the state has to be, and what is left to the next one. A way that leaves an until where it
//! is puts it off; a path is accepted if no until is put off from some time on, which is watched for one after the other.
//!
//! "Some path is accepted" and "no path is" are dual. Where paths may end, the last state is read again and again.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Budget, Stopped};
use tertium_logic::{Node, NodeId};

use super::terms::{Maker, Term, TermId, term};

/// A node that has to be true, or false, of a path.
type Obligation = (NodeId, bool);

/// A state of the automaton: obligations, the until that is awaited, whether a round of them was just completed, and whether
/// the path has ended.
type State = (Vec<Obligation>, usize, bool, bool);

/// A way to meet obligations.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Expansion {
    /// What the state has to be.
    now: BTreeSet<Obligation>,
    /// What is left to the next state.
    next: BTreeSet<Obligation>,
    /// What is put off.
    postponed: BTreeSet<Obligation>,
    todo: Vec<Obligation>,
}

/// How a temporal node goes on: what it needs to stop, what to go on, and whether it may not go on for ever.
struct Unfolding {
    stop: Option<Vec<Obligation>>,
    go_on: Vec<Obligation>,
    least: bool,
}

/// Makes the terms for "some path is accepted", or "none is".
pub(super) struct Automata<'m, 'a> {
    maker: &'m mut Maker<'a>,
    none: bool,
    start: Obligation,
    /// What must not be put off for ever.
    untils: Vec<Obligation>,
    known: BTreeMap<State, TermId>,
    todo: Vec<State>,
}

impl<'m, 'a> Automata<'m, 'a> {
    /// For paths that meet an obligation: some path does, or (`none`) no path does.
    pub(super) fn new(maker: &'m mut Maker<'a>, none: bool, start: Obligation) -> Self {
        Self { maker, none, start, untils: Vec::new(), known: BTreeMap::new(), todo: Vec::new() }
    }

    /// The term.
    pub(super) fn build(mut self, budget: &Budget) -> Result<TermId, Stopped> {
        self.untils = self.all_untils();
        let first = self.state((vec![self.start], 0, false, false));
        let mut ticks = 0;
        while let Some(state) = self.todo.pop() {
            let ways = self.expansions(&state.0, budget, &mut ticks)?;
            budget.reserve(ways.len() * 64)?;
            let terms: Vec<TermId> = ways.iter().map(|way| self.way(&state, way)).collect();
            let at = self.known[&state] as usize;
            self.maker.rules[at] = if self.none { Term::All(terms) } else { Term::Any(terms) };
        }
        Ok(first)
    }

    fn state(&mut self, state: State) -> TermId {
        if let Some(&known) = self.known.get(&state) {
            return known;
        }
        // Whoever looks for a path wants rounds without end; whoever denies one fears them.
        let priority = 1 + u32::from(state.2) + u32::from(self.none);
        let term = self.maker.add(Term::Any(Vec::new()), priority);
        self.known.insert(state.clone(), term);
        self.todo.push(state);
        term
    }

    /// The term of one way; of "none", that it is barred.
    fn way(&mut self, (_, level, _, ended): &State, way: &Expansion) -> TermId {
        let (level, round) = self.advance(*level, &way.postponed);
        let next: Vec<Obligation> = way.next.iter().copied().collect();
        let mut parts: Vec<TermId> =
            way.now.iter().map(|&(node, positive)| term(node, positive != self.none)).collect();
        let none = self.none;
        let later = |automata: &mut Self, ended| automata.state((next.clone(), level, round, ended));
        let onward = if *ended {
            later(self, true)
        } else {
            let target = later(self, false);
            let step = if none { Term::Every(None, target) } else { Term::Some(None, target) };
            let step = self.maker.add(step, 0);
            if self.maker.ends {
                let last = later(self, true);
                self.or_ends(step, last)
            } else {
                step
            }
        };
        parts.push(onward);
        self.maker.add(if none { Term::Any(parts) } else { Term::All(parts) }, 0)
    }

    /// A step, or the path ends here and the last state is read on and on; for "none", neither.
    fn or_ends(&mut self, step: TermId, last: TermId) -> TermId {
        let parts = vec![self.maker.goes_on(self.none), last];
        let ending = self.maker.add(if self.none { Term::Any(parts) } else { Term::All(parts) }, 0);
        let both = vec![step, ending];
        self.maker.add(if self.none { Term::All(both) } else { Term::Any(both) }, 0)
    }

    /// The until that is awaited next, and whether all were met in turn.
    fn advance(&self, level: usize, postponed: &BTreeSet<Obligation>) -> (usize, bool) {
        let met = self.untils[level..].iter().take_while(|until| !postponed.contains(until)).count();
        if level + met == self.untils.len() { (0, true) } else { (level + met, false) }
    }

    fn all_untils(&self) -> Vec<Obligation> {
        let mut seen = BTreeSet::from([self.start]);
        let mut todo = vec![self.start];
        while let Some((node, _)) = todo.pop() {
            if self.maker.is_state_formula(node) {
                continue;
            }
            for child in self.maker.formula.node(node).children() {
                // Both, since an equivalence asks for both.
                todo.extend([(child, true), (child, false)].into_iter().filter(|&next| seen.insert(next)));
            }
        }
        let least = |&&(node, positive): &&Obligation| {
            !self.maker.is_state_formula(node)
                && unfold(self.maker.formula.node(node), positive).is_some_and(|unfolding| unfolding.least)
        };
        seen.iter().filter(least).copied().collect()
    }

    /// All ways to meet obligations.
    fn expansions(&self, asked: &[Obligation], budget: &Budget, ticks: &mut u32) -> Result<Vec<Expansion>, Stopped> {
        let mut open = vec![Expansion { todo: asked.to_vec(), ..Expansion::default() }];
        let mut found = BTreeSet::new();
        while let Some(mut way) = open.pop() {
            budget.tick(ticks)?;
            let Some(obligation) = way.todo.pop() else {
                found.insert(way);
                continue;
            };
            for alternative in self.alternatives(obligation) {
                let mut next = way.clone();
                next.todo.extend(alternative.todo);
                next.next.extend(alternative.next);
                next.postponed.extend(alternative.postponed);
                next.now.extend(alternative.now);
                if !next.now.iter().any(|&(node, positive)| positive && next.now.contains(&(node, false))) {
                    open.push(next);
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    fn alternatives(&self, (node, positive): Obligation) -> Vec<Expansion> {
        let asks = |todo: Vec<Obligation>| Expansion { todo, ..Expansion::default() };
        if self.maker.is_state_formula(node) {
            return vec![Expansion { now: BTreeSet::from([(node, positive)]), ..Expansion::default() }];
        }
        let either = |conjunction: bool, a: Obligation, b: Obligation| {
            if conjunction { vec![asks(vec![a, b])] } else { vec![asks(vec![a]), asks(vec![b])] }
        };
        let alike = |a: NodeId, b: NodeId, same: bool| {
            vec![asks(vec![(a, true), (b, same)]), asks(vec![(a, false), (b, !same)])]
        };
        match self.maker.formula.node(node) {
            Node::Not(a) => vec![asks(vec![(a, !positive)])],
            Node::And(a, b) => either(positive, (a, positive), (b, positive)),
            Node::Or(a, b) => either(!positive, (a, positive), (b, positive)),
            Node::Implies(a, b) => either(!positive, (a, !positive), (b, positive)),
            Node::Iff(a, b) => alike(a, b, positive),
            Node::Xor(a, b) => alike(a, b, !positive),
            Node::Next(a) => vec![Expansion { next: BTreeSet::from([(a, positive)]), ..Expansion::default() }],
            other => {
                let Some(unfolding) = unfold(other, positive) else { return Vec::new() };
                let again = BTreeSet::from([(node, positive)]);
                let postponed = if unfolding.least { again.clone() } else { BTreeSet::new() };
                let onward = Expansion { todo: unfolding.go_on, next: again, postponed, ..Expansion::default() };
                unfolding.stop.map(asks).into_iter().chain([onward]).collect()
            }
        }
    }
}

/// How a temporal operator, or its negation, goes on; none for other nodes.
fn unfold(node: Node, positive: bool) -> Option<Unfolding> {
    let is = |node: NodeId| (node, positive);
    let (stop, go_on, least) = match node {
        Node::Finally(a) if positive => (Some(vec![is(a)]), vec![], true),
        Node::Finally(a) => (None, vec![is(a)], false),
        Node::Globally(a) if positive => (None, vec![is(a)], false),
        Node::Globally(a) => (Some(vec![is(a)]), vec![], true),
        Node::Until(a, b) if positive => (Some(vec![is(b)]), vec![is(a)], true),
        Node::Until(a, b) => (Some(vec![is(a), is(b)]), vec![is(b)], false),
        Node::Release(a, b) if positive => (Some(vec![is(a), is(b)]), vec![is(b)], false),
        Node::Release(a, b) => (Some(vec![is(b)]), vec![is(a)], true),
        Node::WeakUntil(a, b) if positive => (Some(vec![is(b)]), vec![is(a)], false),
        Node::WeakUntil(a, b) => (Some(vec![is(a), is(b)]), vec![is(b)], true),
        Node::StrongRelease(a, b) if positive => (Some(vec![is(a), is(b)]), vec![is(b)], true),
        Node::StrongRelease(a, b) => (Some(vec![is(b)]), vec![is(a)], false),
        _ => return None,
    };
    Some(Unfolding { stop, go_on, least })
}
