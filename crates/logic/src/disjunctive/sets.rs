//! Which sets of terms come up when a formula is taken apart, and how does one lead to another?
//!
//! A set goes with what a monitor remembers of it, and every step with a priority: what is asked for is put off for ever on a path iff
//! the greatest priority met infinitely often is odd. What a set *means* does not depend on what is remembered, so a step may as
//! well lead to another memory of the same set if no step leads back from there: the fewer memories, the shorter the formula.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};

use tertium_base::graph::components;
use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};

use crate::alternating::{AlternatingBranch, Knowledge, Monitor, Term, TermId, Terms, Thread, ways};
use crate::formula::{ActionId, AtomId};

/// After so many attempts at ways the form is too large to be of use.
const MOST_ATTEMPTS: usize = 1 << 18;
/// More ways of one set are too many to be of use.
const MOST_WAYS: usize = 512;
/// More sets than this are too many to be of use.
const MOST_SETS: usize = 5000;

/// Why there are no sets.
#[derive(Debug)]
pub(super) enum Fault {
    /// Steps with and without this action would have to be told apart.
    Action(ActionId),
    /// There are several threads where one was hoped for.
    Several,
    /// A limit.
    Stopped(Stopped),
}

impl From<Stopped> for Fault {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// What some successor has to meet, or all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Move {
    /// Whether all successors have to.
    pub all: bool,
    /// The steps that are meant; all if none.
    pub action: Option<ActionId>,
    /// The set that is to be met there.
    pub to: usize,
    /// The priority of the step.
    pub event: u32,
}

/// A way to meet a set.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Choice {
    /// The labels it asks for.
    pub labels: Vec<(AtomId, bool)>,
    /// What it leaves to successors.
    pub moves: Vec<Move>,
}

/// The sets that come up.
#[derive(Debug)]
pub(super) struct Sets {
    /// For each set its terms.
    asked: Vec<Vec<TermId>>,
    /// For each set the ways to meet it.
    pub choices: Vec<Vec<Choice>>,
    /// The set of the whole formula.
    pub root: usize,
    /// For each set whether it is known to be met everywhere, or nowhere.
    pub constant: Vec<Option<bool>>,
}

/// Nothing is known, and literals have their price.
struct Unknown<'w> {
    terms: &'w Terms<AtomId, Option<ActionId>>,
    plain: &'w [(TermId, u32)],
    attempts: &'w Cell<usize>,
}

impl Knowledge<AtomId> for Unknown<'_> {
    fn label(&self, _: AtomId) -> Option<bool> {
        None
    }

    fn decided(&self, _: TermId) -> Option<bool> {
        None
    }

    fn labels_are_free(&self) -> bool {
        false
    }

    fn goes_on(&self) -> bool {
        self.attempts.update(|attempts| attempts + 1);
        self.attempts.get() <= MOST_ATTEMPTS
    }

    /// A bad thread stays in one component in the end.
    fn matters(&self, from: TermId, to: TermId) -> bool {
        let (terms, from, to) = (self.terms, from as usize, self.plain[to as usize].0 as usize);
        terms.component[from] == terms.component[to] && !(terms.weak && terms.priority[from] == 0)
    }
}

struct SubsetConstruction<'w> {
    terms: &'w Terms<AtomId, Option<ActionId>>,
    /// For each term the one that stands for it, and the greatest priority between.
    plain: Vec<(TermId, u32)>,
    /// None while every set has one term at most: its one thread needs no monitor.
    monitor: Option<Monitor>,
    states: Vec<(Vec<TermId>, u32)>,
    index: HashMap<(Vec<TermId>, u32), usize>,
}

impl Sets {
    /// All sets that come up from a term.
    pub fn new(terms: &Terms<AtomId, Option<ActionId>>, root: TermId, budget: &Budget) -> Result<Self, Fault> {
        match Self::with_monitor(terms, root, false, budget) {
            Err(Fault::Several) => Self::with_monitor(terms, root, true, budget),
            other => other,
        }
    }

    fn with_monitor(
        terms: &Terms<AtomId, Option<ActionId>>,
        root: TermId,
        watched: bool,
        budget: &Budget,
    ) -> Result<Self, Fault> {
        let plain = plain_terms(terms);
        let asked = vec![plain[root as usize].0];
        let mut monitor = watched.then(|| Monitor::new(terms.weak, &terms.priority, &terms.component, asked[0]));
        let memory = monitor.as_mut().map_or(0, |monitor| monitor.initial(&terms.component, &asked));
        let mut work = SubsetConstruction { terms, plain, monitor, states: Vec::new(), index: HashMap::new() };
        let root = work.state(asked, memory)?;
        let mut choices: Vec<Vec<Choice>> = Vec::new();
        let mut ticks = 0;
        let attempts = Cell::new(0);
        while choices.len() < work.states.len() {
            budget.check()?;
            let at = choices.len();
            let mut found = Vec::new();
            let unknown = Unknown { terms, plain: &work.plain, attempts: &attempts };
            let all = ways(terms, &work.states[at].0, &unknown, budget, &mut ticks)?;
            if all.len() > MOST_WAYS {
                return Err(Stopped(StopReason::Count).into());
            }
            for way in all {
                budget.tick(&mut ticks)?;
                found.push(work.choice(at, &way)?);
            }
            // Short ones first.
            found.sort_by_cached_key(|choice| (choice.moves.len(), choice.clone()));
            found.dedup();
            choices.push(found);
        }
        let asked: Vec<_> = work.states.into_iter().map(|(asked, _)| asked).collect();
        Ok(Self { constant: vec![None; asked.len()], asked, choices, root })
    }
}

/// The priority of a step that carries one thread on, or none.
fn only_event(asked: &[TermId], threads: &[Thread]) -> Result<u32, Fault> {
    let event = threads.first().map_or(0, |&(.., most)| most);
    let one = asked.len() <= 1 && threads.iter().all(|&(.., most)| most == event);
    if one { Ok(event) } else { Err(Fault::Several) }
}

/// For each term one that asks for the same, the same for as many terms as is easily seen, and the greatest priority that is met when it
/// is put in its place.
fn plain_terms(terms: &Terms<AtomId, Option<ActionId>>) -> Vec<(TermId, u32)> {
    // Terms of one component only, so that cycles of terms stay where they are.
    let mut first: HashMap<(u32, &Term<AtomId, Option<ActionId>>), TermId> = HashMap::new();
    for (at, term) in terms.terms.iter().enumerate() {
        let entry = first.entry((terms.component[at], term)).or_insert(to_u32(at));
        if terms.priority[at] < terms.priority[*entry as usize] {
            *entry = to_u32(at);
        }
    }
    let plain = |at: usize| {
        let (mut term, mut most) = (at, terms.priority[at]);
        // Whoever only leads to another one asks for that; some do so in a circle.
        for _ in 0..terms.terms.len() {
            let Term::All(parts) = &terms.terms[term] else { break };
            let [only] = parts[..] else { break };
            term = only as usize;
            most = most.max(terms.priority[term]);
        }
        (first[&(terms.component[term], &terms.terms[term])], most)
    };
    (0..terms.terms.len()).map(plain).collect()
}

impl SubsetConstruction<'_> {
    fn state(&mut self, asked: Vec<TermId>, memory: u32) -> Result<usize, Stopped> {
        let state = (asked, memory);
        if let Some(&known) = self.index.get(&state) {
            return Ok(known);
        }
        let at = self.states.len();
        if at >= MOST_SETS {
            return Err(Stopped(StopReason::Count));
        }
        self.index.insert(state.clone(), at);
        self.states.push(state);
        Ok(at)
    }

    /// What a way leaves to successors: one step for each diamond, which all boxes of its kind join, and the boxes alone.
    fn choice(&mut self, at: usize, way: &AlternatingBranch<AtomId>) -> Result<Choice, Fault> {
        let terms = self.terms;
        let (mut diamonds, mut boxes) = (Vec::new(), Vec::new());
        for &step in &way.steps {
            match terms.terms[step as usize] {
                Term::Diamond(action, _) => diamonds.push((action, step)),
                Term::Box(action, to) if !self.is_trivial(to) => boxes.push((action, step)),
                _ => {}
            }
        }
        let named = boxes.iter().find_map(|&(action, _)| action);
        if let (Some(action), true) = (named, diamonds.iter().any(|(action, _)| action.is_none())) {
            return Err(Fault::Action(action));
        }
        let joining = |action: Option<ActionId>| {
            boxes.iter().filter(move |(own, _)| own.is_none() || *own == action).map(|&(_, step)| step)
        };
        let mut moves = Vec::new();
        for (action, step) in diamonds {
            let carried: Vec<TermId> = joining(action).chain([step]).collect();
            moves.push(self.step(at, way, &carried, false, action)?);
        }
        let kinds: BTreeSet<Option<ActionId>> = boxes.iter().map(|&(action, _)| action).collect();
        for action in kinds {
            let carried: Vec<TermId> = joining(action).collect();
            moves.push(self.step(at, way, &carried, true, action)?);
        }
        Ok(Choice { labels: way.labels.clone(), moves })
    }

    /// Whether a term is met by whatever there is.
    fn is_trivial(&self, term: TermId) -> bool {
        matches!(&self.terms.terms[term as usize], Term::All(parts) if parts.is_empty())
    }

    fn step(
        &mut self,
        at: usize,
        way: &AlternatingBranch<AtomId>,
        carried: &[TermId],
        all: bool,
        action: Option<ActionId>,
    ) -> Result<Move, Fault> {
        let terms = self.terms;
        let behind = |step: TermId| terms.terms[step as usize].behind_step().map(|to| self.plain[to as usize]);
        let mut asked: Vec<TermId> = carried.iter().filter_map(|&step| Some(behind(step)?.0)).collect();
        asked.sort_unstable();
        asked.dedup();
        let goes_on = |&(from, step, most): &(TermId, TermId, u32)| {
            let (to, between) = behind(step).filter(|_| carried.contains(&step))?;
            Some((from, to, most.max(between)))
        };
        let threads: Vec<Thread> = way.threads.iter().filter_map(goes_on).collect();
        let memory = self.states[at].1;
        let (memory, event) = match &mut self.monitor {
            Some(monitor) => monitor.step(&terms.component, memory, &threads, &asked),
            None => (0, only_event(&asked, &threads)?),
        };
        Ok(Move { all, action, to: self.state(asked, memory)?, event })
    }
}

impl Sets {
    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.choices.len()
    }

    /// Everything that a set leaves to successors, way by way.
    pub fn moves(&self, set: usize) -> impl Iterator<Item = Move> + '_ {
        self.choices[set].iter().flat_map(|choice| choice.moves.iter().copied())
    }

    /// Which sets lead to each other; what a set leads to has no greater number.
    pub fn components(&self) -> Vec<usize> {
        let found = components(self.len(), |set| self.moves(set).map(|step| step.to));
        (0..self.len()).map(|set| found.at(set)).collect()
    }

    /// Leads steps to one memory of a set wherever it makes no difference.
    pub fn share(&mut self) {
        loop {
            let component = self.components();
            let mut lowest: HashMap<&Vec<TermId>, usize> = HashMap::new();
            for (set, asked) in self.asked.iter().enumerate() {
                let entry = lowest.entry(asked).or_insert(set);
                if component[set] < component[*entry] {
                    *entry = set;
                }
            }
            let lowest: Vec<usize> = self.asked.iter().map(|asked| lowest[asked]).collect();
            let mut changed = self.root != lowest[self.root];
            self.root = lowest[self.root];
            for (set, choices) in self.choices.iter_mut().enumerate() {
                for step in choices.iter_mut().flat_map(|choice| choice.moves.iter_mut()) {
                    let (old, new) = (step.to, lowest[step.to]);
                    // Inside a component memories count.
                    let stays = component[new] == component[old] && component[set] == component[old];
                    if new != old && !stays {
                        step.to = new;
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Finds sets that are met by whatever there is, and such that nothing meets, and drops what asks for the latter.
    ///
    /// Of terms that are not `weak` not all are found.
    pub fn settle(&mut self, weak: bool) {
        let nothing_asked = |choice: &Choice| choice.labels.is_empty() && choice.moves.iter().all(|step| step.all);
        let good = |step: &Move| weak && step.event.is_multiple_of(2);
        let always = self.winning(nothing_asked, |step| step.all, good);
        let somewhere = self.winning(|_| true, |step| !step.all, |step| !weak || good(step));
        for set in 0..self.len() {
            self.constant[set] = match (always[set], somewhere[set]) {
                (true, _) => Some(true),
                (_, false) => Some(false),
                _ => None,
            };
        }
        for choices in &mut self.choices {
            choices.retain(|choice| choice.moves.iter().all(|step| step.all || self.constant[step.to] != Some(false)));
            for choice in choices.iter_mut() {
                choice.moves.retain(|step| !step.all || self.constant[step.to] != Some(true));
            }
        }
    }

    /// The sets from which choices of a kind can be made for ever, whichever of the steps that count is followed, with good steps
    /// again and again.
    fn winning(
        &self,
        kind: impl Fn(&Choice) -> bool,
        counts: impl Fn(&Move) -> bool,
        good: impl Fn(&Move) -> bool,
    ) -> Vec<bool> {
        let mut kept = vec![true; self.len()];
        loop {
            let mut next = vec![false; self.len()];
            loop {
                let follows = |step: &Move| if good(step) { kept[step.to] } else { next[step.to] };
                let is_won =
                    |choice: &Choice| kind(choice) && choice.moves.iter().filter(|step| counts(step)).all(&follows);
                let new: Vec<usize> =
                    (0..self.len()).filter(|&set| !next[set] && self.choices[set].iter().any(is_won)).collect();
                if new.is_empty() {
                    break;
                }
                new.into_iter().for_each(|set| next[set] = true);
            }
            if next == kept {
                return kept;
            }
            kept = next;
        }
    }
}
