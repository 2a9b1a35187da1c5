//! In which ways can one concrete state meet a set of terms?
//!
//! A *way* settles every disjunction it comes across, once, until only labels and steps are left. It is no way if
//! it asks for a label that is ruled out, for two labels at once, or if it comes back to a term without
//! a step and the round is a bad one. A way remembers along which priorities the terms asked for led to the
//! terms behind steps: these are the threads that decide who has put something off forever.
//!
//! Ways that ask for more than another way does are dropped.

use std::collections::BTreeMap;

use tertium_base::{Budget, StopReason, Stopped};

use super::{Term, TermId, Terms};

/// One way to meet a set of terms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AlternatingBranch<Label> {
    /// The labels it asks for.
    pub labels: Vec<(Label, bool)>,
    /// The terms behind steps that it leaves to successors; ascending.
    pub steps: Vec<TermId>,
    /// How terms led there: the term asked for, the step term, the greatest priority met on the way, both included.
    pub threads: Vec<(TermId, TermId, u32)>,
}

/// What is known of a place where a set of terms is to be met.
pub trait Knowledge<Label> {
    /// The label, if it is certain.
    fn label(&self, label: Label) -> Option<bool>;
    /// Whether every concrete state there meets the term, or none does, if that is known.
    fn decided(&self, term: TermId) -> Option<bool>;
    /// Whether a label that is not certain can be chosen at will, so that it costs nothing to ask for it.
    fn labels_are_free(&self) -> bool;
    /// Whether a thread between these terms, the latter behind a step, can be part of a bad one.
    fn matters(&self, _from: TermId, _to: TermId) -> bool {
        true
    }
    /// Whether one more attempt at a way may be made.
    fn goes_on(&self) -> bool {
        true
    }
}

/// All ways to meet `asked`, without those that others outdo.
///
/// # Errors
/// If the budget ends, or no more attempts may be made.
pub fn ways<Label: Copy + Ord, Kind>(
    terms: &Terms<Label, Kind>,
    asked: &[TermId],
    knowledge: &dyn Knowledge<Label>,
    budget: &Budget,
    ticks: &mut u32,
) -> Result<Vec<AlternatingBranch<Label>>, Stopped> {
    let mut open = vec![Partial::new(asked)];
    let mut found: Vec<AlternatingBranch<Label>> = Vec::new();
    let matters = |&(from, step, _): &(TermId, TermId, u32)| {
        terms.terms[step as usize].behind_step().is_some_and(|to| knowledge.matters(from, to))
    };
    let free = knowledge.labels_are_free();
    let asks_no_more = |less: &AlternatingBranch<Label>, more: &AlternatingBranch<Label>| {
        (free || less.labels.iter().all(|label| more.labels.binary_search(label).is_ok()))
            && less.steps.iter().all(|step| more.steps.binary_search(step).is_ok())
            && less.threads.iter().all(|thread| more.threads.binary_search(thread).is_ok() || !matters(thread))
    };
    while let Some(mut partial) = open.pop() {
        budget.tick(ticks)?;
        if !knowledge.goes_on() {
            return Err(Stopped(StopReason::Count));
        }
        match partial.settle(terms, knowledge) {
            Settled::Failed => {}
            Settled::Done => {
                if let Some(way) = partial.finish(terms, asked, knowledge) {
                    keep_best(&mut found, way, asks_no_more);
                }
            }
            Settled::Choice(term) => {
                if let Term::Any(choices) = &terms.terms[term as usize] {
                    for &choice in choices.iter().rev() {
                        let mut next = partial.clone();
                        next.choose(term, choice);
                        open.push(next);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Adds a way unless another one asks for no more; drops those that it outdoes.
fn keep_best<Label>(
    found: &mut Vec<AlternatingBranch<Label>>,
    way: AlternatingBranch<Label>,
    asks_no_more: impl Fn(&AlternatingBranch<Label>, &AlternatingBranch<Label>) -> bool,
) {
    if found.iter().any(|other| asks_no_more(other, &way)) {
        return;
    }
    found.retain(|other| !asks_no_more(&way, other));
    found.push(way);
}

enum Settled {
    Failed,
    Done,
    Choice(TermId),
}

#[derive(Clone)]
struct Partial<Label> {
    todo: Vec<TermId>,
    /// Disjunctions that are postponed until nothing else is left to do.
    choices: Vec<TermId>,
    /// Where each term that was met leads at the same state.
    led: BTreeMap<TermId, Vec<TermId>>,
    labels: BTreeMap<Label, bool>,
    steps: Vec<TermId>,
}

impl<Label: Copy + Ord> Partial<Label> {
    fn new(asked: &[TermId]) -> Self {
        let todo = asked.iter().rev().copied().collect();
        Self { todo, choices: Vec::new(), led: BTreeMap::new(), labels: BTreeMap::new(), steps: Vec::new() }
    }

    fn choose(&mut self, term: TermId, choice: TermId) {
        self.led.insert(term, vec![choice]);
        self.todo.push(choice);
    }

    /// Meets what leaves no choice; then hands over a disjunction.
    fn settle<Kind>(&mut self, terms: &Terms<Label, Kind>, knowledge: &dyn Knowledge<Label>) -> Settled {
        loop {
            while let Some(term) = self.todo.pop() {
                if self.led.contains_key(&term) || self.choices.contains(&term) {
                    continue;
                }
                match knowledge.decided(term) {
                    Some(true) => {
                        self.led.insert(term, Vec::new());
                        continue;
                    }
                    Some(false) => return Settled::Failed,
                    None => {}
                }
                match &terms.terms[term as usize] {
                    Term::Label(prop, value) => {
                        let known = knowledge.label(*prop).or_else(|| self.labels.get(prop).copied());
                        if known.is_some_and(|known| known != *value) {
                            return Settled::Failed;
                        }
                        if knowledge.label(*prop).is_none() {
                            self.labels.insert(*prop, *value);
                        }
                        self.led.insert(term, Vec::new());
                    }
                    Term::All(all) => {
                        self.todo.extend(all.iter().rev());
                        self.led.insert(term, all.clone());
                    }
                    Term::Any(_) => self.choices.push(term),
                    Term::Diamond(..) | Term::Box(..) => {
                        self.steps.push(term);
                        self.led.insert(term, Vec::new());
                    }
                }
            }
            let Some(term) = self.choices.pop() else { return Settled::Done };
            match self.only_choice(terms, knowledge, term) {
                Choices::None => return Settled::Failed,
                Choices::Free => {
                    self.led.insert(term, Vec::new());
                }
                Choices::One(choice) => self.choose(term, choice),
                Choices::Several => return Settled::Choice(term),
            }
        }
    }

    /// What is left of a disjunction once labels and known values are used.
    fn only_choice<Kind>(&self, terms: &Terms<Label, Kind>, knowledge: &dyn Knowledge<Label>, term: TermId) -> Choices {
        let mut left = None;
        for &choice in terms.terms[term as usize].local() {
            let value = knowledge.decided(choice).or_else(|| match &terms.terms[choice as usize] {
                Term::Label(prop, wanted) => {
                    let known = knowledge.label(*prop).or_else(|| self.labels.get(prop).copied());
                    known.map(|known| known == *wanted)
                }
                _ => None,
            });
            match value {
                Some(true) => return Choices::Free,
                Some(false) => {}
                None if left.is_some() => return Choices::Several,
                None => left = Some(choice),
            }
        }
        left.map_or(Choices::None, Choices::One)
    }

    /// The way, unless it goes round in a bad circle without a step.
    fn finish<Kind>(
        mut self,
        terms: &Terms<Label, Kind>,
        asked: &[TermId],
        knowledge: &dyn Knowledge<Label>,
    ) -> Option<AlternatingBranch<Label>> {
        let mut threads = Vec::new();
        for &start in asked.iter().filter(|&&term| knowledge.decided(term).is_none()) {
            threads.extend(self.threads_from(terms, start)?);
        }
        threads.sort_unstable();
        self.steps.sort_unstable();
        self.steps.dedup();
        Some(AlternatingBranch { labels: self.labels.into_iter().collect(), steps: self.steps, threads })
    }

    /// The step terms that a term led to, with the greatest priorities met; `None` if a bad circle was found.
    fn threads_from<Kind>(&self, terms: &Terms<Label, Kind>, start: TermId) -> Option<Vec<(TermId, TermId, u32)>> {
        let priority = |term: TermId| terms.priority[term as usize];
        let mut seen: Vec<(TermId, u32)> = vec![(start, priority(start))];
        let mut done = 0;
        let mut threads = Vec::new();
        while done < seen.len() {
            let (term, most) = seen[done];
            done += 1;
            if matches!(terms.terms[term as usize], Term::Diamond(..) | Term::Box(..)) {
                threads.push((start, term, most));
            }
            if self.on_bad_circle(terms, term) {
                return None;
            }
            for &to in self.led.get(&term).into_iter().flatten() {
                let next = (to, most.max(priority(to)));
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
        }
        Some(threads)
    }

    /// Whether a term comes back to itself without a step, and its own odd priority is the greatest on the way.
    fn on_bad_circle<Kind>(&self, terms: &Terms<Label, Kind>, term: TermId) -> bool {
        let own = terms.priority[term as usize];
        if own.is_multiple_of(2) {
            return false;
        }
        let mut seen = vec![term];
        let mut done = 0;
        while done < seen.len() {
            for &to in self.led.get(&seen[done]).into_iter().flatten() {
                if to == term {
                    return true;
                }
                if terms.priority[to as usize] <= own && !seen.contains(&to) {
                    seen.push(to);
                }
            }
            done += 1;
        }
        false
    }
}

enum Choices {
    None,
    Free,
    One(TermId),
    Several,
}
