//! In which ways can one concrete state meet terms?
//!
//! A way settles labels and disjunctions until only steps are left. It is none if it asks for a label that is certainly
//! otherwise, or for both values of one, or if it comes round to a term without a step and the round is a bad one.
//!
//! A way that asks for every step and every thread of another one is left out: what is wrong with the other is wrong with it. Threads to steps
//! with nothing behind them end there and are not told. So whoever has such a step anyway meets by it whatever it meets; and
//! who did without it where it was enough, and takes it all the same, asks for more than is needed.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Budget, Stopped};
use tertium_model::PropId;

use super::terms::{Term, TermId, Terms, is_bare_step};

/// One way to meet terms. The order is that in which certificates count them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TermChoice {
    /// The terms about steps that are left; ascending.
    pub steps: Vec<TermId>,
    /// How terms led there: a term asked for, a term about steps, and the greatest priority between, both included.
    pub threads: Vec<(TermId, TermId, u32)>,
}

impl TermChoice {
    fn asks_no_more_than(&self, other: &Self) -> bool {
        self.steps.iter().all(|step| other.steps.binary_search(step).is_ok())
            && self.threads.iter().all(|thread| other.threads.binary_search(thread).is_ok())
    }
}

/// The ways to meet all of `asked` where `label` tells the labels that are certain.
///
/// # Errors
/// If the budget ends.
pub(super) fn ways(
    terms: &Terms,
    asked: &[TermId],
    label: impl Fn(PropId) -> Option<bool>,
    budget: &Budget,
) -> Result<Vec<TermChoice>, Stopped> {
    let mut ticks = 0;
    let mut found: Vec<TermChoice> = Vec::new();
    let mut open = vec![Attempt { todo: asked.to_vec(), ..Attempt::default() }];
    while let Some(mut attempt) = open.pop() {
        budget.tick(&mut ticks)?;
        if !attempt.settle(terms, &label) {
            continue;
        }
        if let Some(term) = attempt.choices.pop() {
            for choice in attempt.left_of(terms, &label, term) {
                let mut next = attempt.clone();
                next.led.insert(term, choice.into_iter().collect());
                next.todo.extend(choice);
                if choice.is_some_and(|choice| !is_bare_step(&terms.rules, choice)) {
                    let others = terms.rules[term as usize].here().iter().copied();
                    next.refused.extend(others.filter(|&other| is_bare_step(&terms.rules, other)));
                }
                open.push(next);
            }
        } else if let Some(way) = attempt.finish(terms, asked)
            && !found.iter().any(|other| other.asks_no_more_than(&way))
        {
            found.retain(|other| !way.asks_no_more_than(other));
            found.push(way);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// A way that is not yet at its end.
#[derive(Clone, Default)]
struct Attempt {
    todo: Vec<TermId>,
    /// Disjunctions, left until nothing else is to do.
    choices: Vec<TermId>,
    labels: BTreeMap<PropId, bool>,
    /// For each term that was met the terms at the same state that it was met by.
    led: BTreeMap<TermId, Vec<TermId>>,
    /// Steps with nothing behind them that would have met something that was met otherwise.
    refused: BTreeSet<TermId>,
}

impl Attempt {
    /// Meets what leaves no choice; false if something cannot be met.
    fn settle(&mut self, terms: &Terms, label: &impl Fn(PropId) -> Option<bool>) -> bool {
        while let Some(term) = self.todo.pop() {
            if self.led.contains_key(&term) || self.choices.contains(&term) {
                continue;
            }
            if self.refused.contains(&term) {
                return false;
            }
            match &terms.rules[term as usize] {
                Term::Any(_) => {
                    self.choices.push(term);
                    continue;
                }
                Term::Label(prop, value) => {
                    if label(*prop).is_some_and(|known| known != *value)
                        || *self.labels.entry(*prop).or_insert(*value) != *value
                    {
                        return false;
                    }
                }
                Term::All(all) => self.todo.extend(all),
                Term::Some(..) | Term::Every(..) => {}
            }
            let led = match &terms.rules[term as usize] {
                Term::All(all) => all.clone(),
                _ => Vec::new(),
            };
            self.led.insert(term, led);
        }
        true
    }

    /// The alternatives of a disjunction that labels leave; one of nothing if a label meets it already.
    fn left_of(&self, terms: &Terms, label: &impl Fn(PropId) -> Option<bool>, term: TermId) -> Vec<Option<TermId>> {
        let mut left = Vec::new();
        for &choice in terms.rules[term as usize].here() {
            if self.led.contains_key(&choice) && is_bare_step(&terms.rules, choice) {
                return vec![None];
            }
            if let Term::Label(prop, value) = terms.rules[choice as usize] {
                match label(prop).or_else(|| self.labels.get(&prop).copied()) {
                    Some(known) if known == value => return vec![None],
                    Some(_) => continue,
                    None => {}
                }
            }
            left.push(Some(choice));
        }
        left
    }

    fn finish(&self, terms: &Terms, asked: &[TermId]) -> Option<TermChoice> {
        if self.led.keys().any(|&term| self.comes_round_badly(terms, term)) {
            return None;
        }
        let is_step = |term: TermId| terms.rules[term as usize].behind().is_some();
        let steps = self.led.keys().copied().filter(|&term| is_step(term)).collect();
        let mut threads = Vec::new();
        for &start in asked {
            let mut todo = vec![(start, terms.priority[start as usize])];
            let mut seen: BTreeSet<(TermId, u32)> = todo.iter().copied().collect();
            while let Some((term, most)) = todo.pop() {
                if is_step(term) && !is_bare_step(&terms.rules, term) {
                    threads.push((start, term, most));
                }
                for &to in self.led.get(&term).into_iter().flatten() {
                    let next = (to, most.max(terms.priority[to as usize]));
                    if seen.insert(next) {
                        todo.push(next);
                    }
                }
            }
        }
        threads.sort_unstable();
        threads.dedup();
        Some(TermChoice { steps, threads })
    }

    /// Whether a term comes back to itself without a step, and its own odd priority is the greatest on the round.
    fn comes_round_badly(&self, terms: &Terms, term: TermId) -> bool {
        let own = terms.priority[term as usize];
        if own.is_multiple_of(2) {
            return false;
        }
        let mut todo = vec![term];
        let mut seen = BTreeSet::new();
        while let Some(at) = todo.pop() {
            for &to in self.led.get(&at).into_iter().flatten() {
                if to == term {
                    return true;
                }
                if terms.priority[to as usize] <= own && seen.insert(to) {
                    todo.push(to);
                }
            }
        }
        false
    }
}
