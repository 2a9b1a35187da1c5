//! Which choices can one concrete state make that meet terms?
//!
//! A conjunction is met by all its members, a disjunction by one that is chosen, a label by being so; what is left are terms about steps. A choice counts if
//! its labels agree with each other and with what is certain, and if no term comes back to itself without a step on a round whose greatest
//! priority is odd. Of all choices only the least count: whoever asks for more steps, or has more threads, can be beaten as whoever
//! asks for fewer. Threads to steps with nothing behind them end there and are not told.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Budget, Stopped};
use tertium_model::PropId;

use super::terms::{Term, TermId, Terms};
use crate::checker::Graph;

/// One choice that meets terms. The order is that in which certificates count them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TermChoice {
    /// The terms about steps that are left; ascending.
    pub steps: Vec<TermId>,
    /// How terms led there: a term asked for, a term about steps, and the greatest priority between, both included.
    pub threads: Vec<(TermId, TermId, u32)>,
}

impl TermChoice {
    fn is_within(&self, other: &Self) -> bool {
        let steps = self.steps.iter().all(|step| other.steps.binary_search(step).is_ok());
        steps && self.threads.iter().all(|thread| other.threads.binary_search(thread).is_ok())
    }
}

/// The least choices that meet all of `asked`, in order; `certain` tells the labels that are.
pub(super) fn least_choices(
    terms: &Terms,
    asked: &[TermId],
    certain: impl Fn(PropId) -> Option<bool>,
    budget: &Budget,
) -> Result<Vec<TermChoice>, Stopped> {
    let mut least: BTreeSet<TermChoice> = BTreeSet::new();
    let mut open = vec![Partial { due: asked.iter().copied().collect(), ..Partial::default() }];
    let mut ticks = 0;
    while let Some(mut partial) = open.pop() {
        budget.tick(&mut ticks)?;
        match partial.advance(terms, &certain) {
            Advance::Contradiction => {}
            Advance::Choose(term) => {
                for &member in terms.rules[term as usize].here() {
                    let mut next = partial.clone();
                    next.met.insert(term, vec![member]);
                    next.due.insert(member);
                    open.push(next);
                }
            }
            Advance::Done => {
                let choice = partial.choice(terms, asked);
                if least.iter().any(|other| other.is_within(&choice)) || partial.has_bad_round(terms, budget)? {
                    continue;
                }
                least.retain(|other| !choice.is_within(other));
                least.insert(choice);
            }
        }
    }
    Ok(least.into_iter().collect())
}

enum Advance {
    /// A label would have to be true and false.
    Contradiction,
    /// A disjunction that nothing meets yet.
    Choose(TermId),
    /// Everything is met.
    Done,
}

/// A choice as far as it is made.
#[derive(Clone, Default)]
struct Partial {
    /// Terms that are asked for, the disjunctions among them in `choices`.
    due: BTreeSet<TermId>,
    choices: BTreeSet<TermId>,
    /// Each term that is met, with the terms at the same state by which it is.
    met: BTreeMap<TermId, Vec<TermId>>,
    labels: BTreeMap<PropId, bool>,
}

impl Partial {
    /// Meets what leaves no choice.
    fn advance(&mut self, terms: &Terms, certain: &impl Fn(PropId) -> Option<bool>) -> Advance {
        while let Some(term) = self.due.pop_first() {
            if self.met.contains_key(&term) {
                continue;
            }
            match &terms.rules[term as usize] {
                Term::Any(_) => {
                    self.choices.insert(term);
                }
                Term::All(members) => {
                    self.due.extend(members);
                    self.met.insert(term, members.clone());
                }
                Term::Label(prop, value) => {
                    if certain(*prop).or_else(|| self.labels.get(prop).copied()).is_some_and(|known| known != *value) {
                        return Advance::Contradiction;
                    }
                    self.labels.insert(*prop, *value);
                    self.met.insert(term, Vec::new());
                }
                Term::Some(..) | Term::Every(..) => {
                    self.met.insert(term, Vec::new());
                }
            }
        }
        while let Some(term) = self.choices.pop_first() {
            if self.met.contains_key(&term) {
                continue;
            }
            if !terms.rules[term as usize].here().iter().any(|&member| self.is_free(terms, certain, member)) {
                return Advance::Choose(term);
            }
            self.met.insert(term, Vec::new());
        }
        Advance::Done
    }

    /// Whether a term asks for nothing that is not so, or asked for, already. A disjunction with such a member is met by it: any other choice asks for more.
    fn is_free(&self, terms: &Terms, certain: &impl Fn(PropId) -> Option<bool>, term: TermId) -> bool {
        match terms.rules[term as usize] {
            Term::Label(prop, value) => {
                certain(prop).or_else(|| self.labels.get(&prop).copied()).is_some_and(|known| known == value)
            }
            _ => terms.is_bare_step(term) && self.met.contains_key(&term),
        }
    }

    fn choice(&self, terms: &Terms, asked: &[TermId]) -> TermChoice {
        let is_step = |term: &TermId| terms.rules[*term as usize].behind().is_some();
        let steps = self.met.keys().copied().filter(is_step).collect();
        let starts: BTreeSet<TermId> = asked.iter().copied().collect();
        let mut threads = Vec::new();
        for start in starts {
            let told = |&(term, _): &(TermId, u32)| is_step(&term) && !terms.is_bare_step(term);
            let reached = self.reached(terms, start);
            threads.extend(reached.into_iter().filter(told).map(|(term, most)| (start, term, most)));
        }
        TermChoice { steps, threads }
    }

    /// The terms that one leads to without a step, with every greatest priority on the way.
    fn reached(&self, terms: &Terms, start: TermId) -> BTreeSet<(TermId, u32)> {
        let mut reached = BTreeSet::new();
        let mut fresh = BTreeSet::from([(start, terms.priority[start as usize])]);
        while !fresh.is_empty() {
            let onward = |&(term, most): &(TermId, u32)| {
                let led = self.met.get(&term).into_iter().flatten();
                led.map(move |&to| (to, most.max(terms.priority[to as usize])))
            };
            let next: BTreeSet<(TermId, u32)> = fresh.iter().flat_map(onward).collect();
            reached.append(&mut fresh);
            fresh = next.difference(&reached).copied().collect();
        }
        reached
    }

    /// Whether terms come back to themselves without a step, and the greatest priority on the round is odd.
    fn has_bad_round(&self, terms: &Terms, budget: &Budget) -> Result<bool, Stopped> {
        let priority = |term: TermId| terms.priority[term as usize];
        let odd: BTreeSet<u32> = self.met.keys().map(|&term| priority(term)).filter(|most| most % 2 == 1).collect();
        for most in odd {
            // The terms of a round with at most this priority.
            let number: BTreeMap<TermId, u32> =
                self.met.keys().copied().filter(|&term| priority(term) <= most).zip(0..).collect();
            let mut graph = Graph::new();
            for term in number.keys() {
                graph.push(self.met[term].iter().filter_map(|to| number.get(to).copied()));
            }
            let component = graph.components(budget)?;
            let on_cycle = graph.on_cycle(&component);
            if number.iter().any(|(&term, &at)| priority(term) == most && on_cycle[at as usize]) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
