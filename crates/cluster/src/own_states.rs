//! One process's part of the states: what it keeps, what it has seen, and how it agrees with the others.

use std::sync::PoisonError;

use serde::{Deserialize, Serialize};
use tertium_base::narrow::to_u32;
use tertium_base::{StopReason, Stopped};
use tertium_explore::search::pool::Leading;
use tertium_explore::search::{Finding, Observer, Progress, Summary};
use tertium_explore::store::{Branches, StateStore};
use tertium_explore::successors::{Expansion, RowSuccessors};

use crate::checkpoints::PartFile;
use crate::failure::ClusterFailure;
use crate::leader::{Leader, help};
use crate::masks::Masks;
use crate::rounds::Rounds;
use crate::search::{Question, number_of, reason_of};
use crate::threads::SharedPart;

/// What a process tells after each round.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RoundReport {
    /// States of the next level.
    pub fresh: usize,
    /// States of this level that are not expanded yet.
    pub rest: usize,
    pub states: usize,
    pub stopped: Option<u8>,
    /// Whether everybody is to write its part down now; that of the first process counts.
    is_due: bool,
    /// Rows that have no key.
    pub aside: usize,
    /// How rows are masked.
    pub mask: u64,
    /// Where something was found, or found nearer: depth and row.
    places: Vec<(usize, Vec<u32>)>,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The search has ended.
    End,
    /// Some states of the level are not expanded yet.
    SameLevel,
    /// The next level; whether to write down what there is before.
    NextLevel { is_due: bool },
}

/// One process's part of the states.
pub(crate) struct OwnStates<'q, S: RowSuccessors, O: Observer> {
    pub question: &'q Question<'q, S, O>,
    /// Empty while threads share the states.
    pub store: StateStore,
    /// The number of the first state of each level that was expanded, and where the last of them ends.
    pub levels: Vec<u32>,
    pub end: usize,
    pub base: Branches,
    pub branches: Branches,
    pub scratch: S::Scratch,
    pub eyes: O::Scratch,
    pub summary: Summary,
    /// The findings that all others know of, with their places.
    pub told: Summary,
    pub stopped: Option<Stopped>,
    pub errors: usize,
    /// Where this part is written down.
    pub part: Option<PartFile>,
    /// Why somebody could not write.
    pub unwritten: Option<String>,
    pub rows_sent: usize,
    pub masks: Masks,
    pub me: usize,
    pub threads: usize,
}

/// Room for states of a process that is one of so many. One that is alone need not agree with anybody how rows are masked.
pub(crate) fn store_for(words: usize, processes: usize) -> StateStore {
    if processes == 1 { StateStore::new(words) } else { StateStore::masked_by_agreement(words) }
}

impl<'q, S: RowSuccessors, O: Observer> OwnStates<'q, S, O> {
    pub fn new(question: &'q Question<'q, S, O>, rounds: &Rounds<'_>) -> Self {
        let store = store_for(question.successors.words(), rounds.peers());
        Self {
            question,
            base: store.branches(),
            branches: store.branches(),
            store,
            levels: vec![0],
            end: 0,
            scratch: question.successors.scratch(),
            eyes: question.observer.scratch(),
            summary: Summary::default(),
            told: Summary::default(),
            stopped: None,
            errors: 0,
            part: None,
            unwritten: None,
            rows_sent: 0,
            masks: Masks::default(),
            me: rounds.index(),
            threads: rounds.threads(),
        }
    }

    /// Visits level after level, until there are no more states or everybody knows a reason to end. The name is that of the search among those of a run.
    pub fn explore(
        &mut self,
        name: &str,
        rounds: &mut Rounds<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ClusterFailure> {
        let resumed = self.begin_part(name, rounds)?;
        let (question, threads) = (self.question, self.threads);
        let store = std::mem::replace(&mut self.store, StateStore::new(1));
        let shared = SharedPart::new(store, (self.me, rounds.peers()), threads, question.options);
        let outcome = std::thread::scope(|scope| {
            // However this ends, the helpers are told.
            let _leading = Leading(&shared.pool);
            let helper = |number: &usize| {
                let (shared, number) = (&shared, *number);
                let work = move || help(shared, question, number);
                std::thread::Builder::new().spawn_scoped(scope, work).is_ok()
            };
            // Where the system gives no more threads, those that there are do the work.
            let threads = 1 + (1..threads).take_while(helper).count();
            Leader::new(self, &shared, rounds, threads, progress).run(resumed)
        });
        self.store = shared.store.into_inner().unwrap_or_else(PoisonError::into_inner);
        (self.base, self.branches) = (self.store.branches(), self.store.branches());
        outcome
    }

    /// What is told after a round: new states begin at this one, so many are in the store, and so many of the level are left.
    pub fn report(&self, (new, states): (usize, usize), rest: usize, aside: usize) -> RoundReport {
        let is_news = |(finding, place): &(&Finding, _)| self.told.findings.get(*finding) != Some(*place);
        let news = self.summary.findings.iter().filter(is_news);
        let mut places: Vec<(usize, Vec<u32>)> = news.map(|(_, place)| (place.depth, place.row.clone())).collect();
        places.sort();
        places.dedup();
        let stopped = self.stopped.map(number_of);
        let is_due = self.part.as_ref().is_some_and(PartFile::is_due);
        let mask = self.masks.digest();
        RoundReport { fresh: states - new, rest, states, stopped, is_due, aside, mask, places }
    }

    /// Hears what all processes tell; what comes next.
    pub fn hear(&mut self, reports: &[RoundReport]) -> Turn {
        self.told.states = reports.iter().map(|report| report.states).sum();
        for (depth, row) in reports.iter().flat_map(|report| &report.places) {
            self.tell(*depth, row);
        }
        // What stays of a finding that everybody knows nearer is not told again.
        for (finding, place) in &self.told.findings {
            self.summary.findings.insert(finding.clone(), place.clone());
        }
        let stopped = reports.iter().find_map(|report| report.stopped.map(reason_of));
        let sum = |count: fn(&RoundReport) -> usize| reports.iter().map(count).sum::<usize>();
        let (fresh, rest) = (sum(|report| report.fresh), sum(|report| report.rest));
        let full = self.question.options.max_states.is_some_and(|most| self.told.states > most);
        self.told.stopped = match stopped {
            Some(reason) => Some(Stopped(reason)),
            None if rest > 0 => return Turn::SameLevel,
            None if fresh == 0 => None,
            None if full || self.question.observer.is_enough(&self.told) => Some(Stopped(StopReason::Count)),
            None => None,
        };
        if self.told.stopped.is_none() && fresh > 0 {
            return Turn::NextLevel { is_due: reports.first().is_some_and(|first| first.is_due) };
        }
        // The depth is that of the last level that was expanded.
        self.told.depth = self.told.depth.saturating_sub(1);
        Turn::End
    }

    /// Notes all that there is to be found at a state that somebody else may have found.
    fn tell(&mut self, depth: usize, row: &[u32]) {
        let mut found = Expansion::default();
        self.question.successors.expand(row, &mut self.scratch, &mut found);
        if found.deadlock {
            self.told.note(Finding::Deadlock, depth, row);
        }
        for fault in found.faults.drain(..) {
            self.told.note(Finding::Fault(fault), depth, row);
        }
        let told = &mut self.told;
        let note = &mut |number| told.note(Finding::Broken(number), depth, row);
        self.question.observer.look(row, &mut self.eyes, note);
    }

    /// A shortest run to a state of this depth, found backwards: of all states of the level before that lead there, whoever has them, the least.
    /// None if the budget of somebody is spent on the way.
    pub fn shortest_run(
        &mut self,
        rounds: &mut Rounds<'_>,
        depth: usize,
        row: Vec<u32>,
    ) -> Result<Option<Vec<Vec<u32>>>, ClusterFailure> {
        let mut run = vec![row];
        for level in (0..depth).rev() {
            let ours = self.least_predecessor(level, &run[run.len() - 1]);
            let told = rounds.gather((ours.is_err(), ours.unwrap_or_default()))?;
            if told.iter().any(|(is_stopped, _)| *is_stopped) {
                return Ok(None);
            }
            let Some(before) = told.into_iter().filter_map(|(_, before)| before).min() else { return Ok(None) };
            run.push(before);
        }
        run.reverse();
        Ok(Some(run))
    }

    /// The least state of a level that leads to this one. Several threads look, each at a part of the level.
    fn least_predecessor(&self, level: usize, row: &[u32]) -> Result<Option<Vec<u32>>, Stopped> {
        let first = self.levels.get(level).map_or(self.end, |&first| first as usize);
        let end = self.levels.get(level + 1).map_or(self.end, |&end| end as usize);
        let parts = self.threads.min((end - first) / WORTH_A_THREAD).max(1);
        let start_of = |part: usize| first + (end - first) * part / parts;
        let (question, store) = (self.question, &self.store);
        std::thread::scope(|scope| {
            let look = |part: usize| {
                let range = start_of(part)..start_of(part + 1);
                move || least_predecessor_among(question, store, range, row)
            };
            let helper = |part: usize| {
                // Where the system gives no more threads, this one does the work.
                let looking = std::thread::Builder::new().spawn_scoped(scope, look(part));
                looking.map_err(|_| part)
            };
            let helpers: Vec<_> = (1..parts).map(helper).collect();
            let mut least = look(0)()?;
            for helper in helpers {
                let found = match helper {
                    Ok(helper) => helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                    Err(part) => look(part)()?,
                };
                least = least.into_iter().chain(found).min();
            }
            Ok(least)
        })
    }
}

/// A part of a level of so many states is worth a thread.
const WORTH_A_THREAD: usize = 1 << 12;

fn least_predecessor_among<S: RowSuccessors, O>(
    question: &Question<'_, S, O>,
    store: &StateStore,
    states: std::ops::Range<usize>,
    row: &[u32],
) -> Result<Option<Vec<u32>>, Stopped> {
    let (mut base, mut scratch) = (store.branches(), question.successors.scratch());
    let (mut found, mut next) = (Expansion::default(), Vec::new());
    let (mut least, mut ticks) = (None::<Vec<u32>>, 0);
    for state in states {
        question.options.budget.tick(&mut ticks)?;
        store.read(to_u32(state), &mut base);
        if least.as_deref().is_some_and(|least| least <= base.words()) {
            continue;
        }
        question.successors.expand(base.words(), &mut scratch, &mut found);
        let arrives = (0..found.steps()).any(|step| {
            found.copy_row(step, &mut next);
            next == row
        });
        if arrives {
            least = Some(base.words().to_vec());
        }
    }
    Ok(least)
}
