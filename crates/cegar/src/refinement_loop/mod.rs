//! The CEGAR loop (Clarke, Grumberg, Jha, Lu and Veith 2000): abstract, check, explain, refine, until every question is answered, or nothing new can be learnt.
//!
//! With may and must, what is false needs no replay to be believed, and refinement is for what is unknown (Shoham and Grumberg 2003).
//!
//! What abstract interpretation knows excludes some questions at once where processes are many (`static_invariants`).
//! The distances of variables decide much, and cost little, so they are looked at first (`zones`). Other questions about single states share one search over possible steps (`search`, `targets`): a path to a state that may be bad is
//! followed in the program; either it is real and becomes a run (`replay`), or what contradicts it becomes predicates. Runs without end that
//! break a linear property are looked for next (`recurrent_sets`), then numbers because of which there is none (`ranking`). All other questions are checked on the structure of possible and certain
//! steps (`structure`), one after the other.
//!
//! Predicates are only ever added, and a question that is answered is not asked again, so an answer is never lost.

mod augmented;
mod blocked_runs;
mod chosen_predicates;
mod chosen_ranks;
mod conserved_sums;
mod end_reading;
mod every_start;
mod game_attempts;
mod horn_predicates;
mod inductive_predicates;
mod input_preconditions;
mod k_induction;
mod kept_predicates;
mod lasso_structure;
mod open_cycles;
mod partitioned_invariants;
mod paths;
mod rank_selection;
mod ranked_games;
mod ranking;
mod ranking_candidates;
mod ranking_levels;
mod ranking_synthesis;
mod reasons;
mod recurrent_sets;
mod recurrent_steps;
mod replay;
mod resolvents;
mod rounds;
mod search;
mod state_games;
mod static_invariants;
mod structure;
mod targets;
mod zones;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

pub use self::horn_predicates::horn_verdict;
pub(crate) use self::structure::learn;
use crate::limits;
pub use crate::limits::DEFAULT_REFINEMENTS;
use crate::refine::split::literals;
use crate::refine::{Chooser, Contradiction, Followed, OpenPath, Values, follow};
use tertium_abstraction::Failed;
use tertium_base::Budget;
use tertium_lattice::Belnap;
use tertium_program::ExprId;
use tertium_program::search::Limits;

use self::every_start::starts_once;
use self::game_attempts::PlayedGame;
use self::kept_predicates::{OF_STATES, PredicateRecords};
use self::reasons::{functions, gave_up, no_progress, no_start, no_value, not_repeated, several_starts};
use self::search::{TargetHit, Tree};
use self::state_games::OtherTechniques;
use self::targets::Target;
use crate::answer::{ProgramAnswer, Reason, Round, Vacuity};
use crate::observer::ProgramObserver;
use crate::options::{CheckOptions, CheckOutcome};
use crate::predicate_abstraction::basis::Basis;
use crate::predicate_abstraction::round_history::RoundHistory;
use crate::predicate_abstraction::{
    AbstractionCheck, AbstractionOptions, Prepared, about_reading, atoms_of, blank, disagreements, failed, prepare,
};
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::{Question, QuestionId};

/// Answers all questions, finding predicates by itself in at most `refinements` rounds.
///
/// # Errors
/// If the program cannot be abstracted, or two parts of this program disagree.
pub fn check(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    abstraction: &AbstractionOptions,
    refinements: u32,
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<CheckOutcome, Failure> {
    let asked: Vec<ExprId> = questions.iter().flat_map(atoms_of).collect();
    let mut prepared = match prepare(file, &asked, abstraction, budget) {
        Err(Failure::Stopped(stopped)) => return Ok(CheckOutcome::stopped(questions, stopped)),
        prepared => prepared?,
    };
    let work = AbstractionCheck { file, options, thorough: abstraction.thorough, completions: true, budget, observer };
    let mut learning = Loop {
        work,
        questions,
        answers: questions.iter().map(blank).collect(),
        left: refinements,
        refinements,
        rounds: Vec::new(),
        most: abstraction.max_states.unwrap_or(limits::REFINEMENT_MOST_STATES),
        zones: abstraction.zones,
        demanding: abstraction.on_demand,
        known: Vec::new(),
        told: vec![false; questions.len()],
        how: for_structures(abstraction),
        open_cycle: None,
        played: BTreeSet::new(),
        clock: Instant::now(),
        records: PredicateRecords::of(options.checkpoints.as_deref(), &file.program),
    };
    learning.take_up_predicates(&mut prepared, OF_STATES);
    let rest = match learning.states(&mut prepared) {
        Err(Failure::Stopped(stopped)) => {
            learning.stop_all(&prepared, stopped.0);
            Vec::new()
        }
        rest => rest?,
    };
    learning.tell(&prepared);
    if let Some(first) = learning.answers.first_mut() {
        first.cost.elapsed += learning.clock.elapsed();
    }
    let open =
        |&(number, _): &(QuestionId, &mut ProgramAnswer)| !rest.contains(&number) && !learning.told[number.index()];
    for (_, answer) in QuestionId::all(questions).zip(&mut learning.answers).filter(open) {
        answer.round_history = RoundHistory::of(&prepared, &answer.rounds, 0).map(Arc::new);
    }
    let mut remarks = disagreements(&prepared);
    remarks.extend(about_reading(questions, options));
    let calls = usize::try_from(prepared.system.queries().calls()).unwrap_or(usize::MAX);
    for number in rest {
        if observer.is_decided(questions[number.index()].name()) {
            continue;
        }
        let start = Instant::now();
        match learning.paths(number, calls) {
            Err(Failure::Stopped(stopped)) => learning.stop_one(&prepared, number, stopped.0),
            found => remarks.extend(found?),
        }
        learning.answers[number.index()].cost.elapsed += start.elapsed();
        learning.answers[number.index()].tell(observer);
    }
    learning.tell_what_is_established(&mut prepared);
    Ok(CheckOutcome { answers: learning.answers, remarks, coverage: None })
}

struct Loop<'a> {
    work: AbstractionCheck<'a>,
    questions: &'a [Question],
    answers: Vec<ProgramAnswer>,
    /// Rounds that may still follow.
    left: u32,
    refinements: u32,
    rounds: Vec<Round>,
    most: usize,
    /// Whether distances are looked at.
    zones: bool,
    /// Whether states are made on demand where that may be enough.
    demanding: bool,
    /// What is known of all states, as far as it was found out already.
    known: Vec<String>,
    /// Whether each answer was told.
    told: Vec<bool>,
    /// How structures of possible and certain steps are made.
    how: AbstractionOptions,
    /// The cycle that the last ranked game left open, for people.
    open_cycle: Option<Reason>,
    /// The ranked games that decided nothing.
    played: BTreeSet<PlayedGame>,
    /// Since when work is not counted for any answer.
    clock: Instant,
    /// When predicates were written down, if that is wanted.
    records: Option<PredicateRecords>,
}

/// What became of a path to a state that may be bad.
enum PathVerdict {
    /// It is real.
    Answered,
    /// These predicates exclude it.
    Learnt(Vec<String>),
    /// Nothing can be said about it this way.
    Stuck(Reason),
}

impl Loop<'_> {
    /// Answers the questions that single states decide; the others.
    fn states(&mut self, prepared: &mut Prepared) -> Result<Vec<QuestionId>, Failure> {
        let (mut open, mut rest) = (Vec::new(), Vec::new());
        for (number, question) in QuestionId::all(self.questions).zip(self.questions) {
            let target = Target::of(prepared, number, question, self.work.options);
            match target.map_err(|why| failed(self.work.file, prepared.system.program(), why))? {
                Some(target) => open.push(target),
                None => rest.push(number),
            }
        }
        if let Err(failure) = self.excluded_by_invariants(prepared, &mut open) {
            let Failure::Stopped(stopped) = failure else { return Err(failure) };
            self.stop(prepared, &open, stopped.0);
            return Ok(rest);
        }
        self.tell(prepared);
        if self.zones {
            match self.distances(prepared, &mut open) {
                Err(Failure::Stopped(stopped)) => {
                    self.stop(prepared, &open, stopped.0);
                    return Ok(rest);
                }
                done => done?,
            }
        }
        self.tell(prepared);
        if !open.is_empty() {
            // Told early, so that a limit which is reached later leaves it.
            self.known = if self.zones { self.establish(prepared) } else { Vec::new() };
        }
        let mut chooser = Chooser::default();
        let mut news: Vec<String> =
            prepared.system.predicates().iter().map(|predicate| predicate.name.clone()).collect();
        let mut stuck: Vec<(usize, Reason)> = Vec::new();
        // What another engine might do when it was asked for an invariant.
        let mut generalised = 0;
        let mut tried = OtherTechniques::default();
        loop {
            open.retain(|target| !self.work.observer.is_decided(self.questions[target.question.index()].name()));
            if open.is_empty() {
                break;
            }
            let wanted: Vec<&Target> = open.iter().collect();
            let (round, observer) = (self.rounds.len(), self.work.observer);
            let count = prepared.system.predicates().len();
            let calls = prepared.system.queries().calls();
            let open_before = self.rounds.last().and_then(|round| round.open.clone());
            let why = open_before.map_or_else(String::new, |open| format!("; open: {open}"));
            let mut progress = |states: usize| {
                if states % 64 == 1 {
                    observer.phase(&format!(
                        "round {round}: {count} predicates, {states} abstract states, {calls} solver calls{why}"
                    ));
                }
            };
            let limits = Limits { most: self.most, budget: self.work.budget };
            let visited = search::visit(&mut prepared.system, &wanted, limits, &mut progress);
            let (tree, found) = match visited {
                Ok(visited) => visited,
                Err(Failed::Stopped(stopped)) => {
                    self.stop(prepared, &open, stopped.0);
                    return Ok(rest);
                }
                Err(why) => return Err(failed(self.work.file, prepared.system.program(), why)),
            };
            if found.is_empty() {
                self.note(prepared, &tree, std::mem::take(&mut news), None);
                let basis = Arc::new(prepared.told_states(&tree.states));
                let starts = self.starts(prepared, &open)?;
                for target in &open {
                    self.excluded(prepared, (&tree, starts), target, &basis);
                }
                break;
            }
            let before = std::mem::take(&mut news);
            let mut done: Vec<usize> = Vec::new();
            let mut reason = None;
            for bad in found {
                if done.contains(&bad.target) {
                    continue;
                }
                let met = &open[bad.target];
                self.costs(prepared, &tree, met.question);
                if self.grows(&prepared.system, news.len()) {
                    continue;
                }
                match self.try_path(prepared, &tree, met, bad, &mut chooser) {
                    Ok(PathVerdict::Answered) => done.push(bad.target),
                    Ok(PathVerdict::Learnt(learnt)) => {
                        reason.get_or_insert_with(|| self.open_state(prepared, &tree, met, bad.state));
                        news.extend(learnt);
                    }
                    // Another path may have taught something already, or may do so.
                    Ok(PathVerdict::Stuck(why)) => stuck.push((bad.target, why)),
                    Err(Failure::Stopped(stopped)) => {
                        self.stop(prepared, &open, stopped.0);
                        return Ok(rest);
                    }
                    Err(failure) => return Err(failure),
                }
            }
            let multiply = self.grows(&prepared.system, news.len());
            let ends = multiply || (news.is_empty() && done.is_empty());
            match self.decided_otherwise(&open, &done, &mut tried, ends) {
                Ok(more) => done.extend(more),
                Err(Failure::Stopped(stopped)) => {
                    self.stop(prepared, &open, stopped.0);
                    return Ok(rest);
                }
                Err(failure) => return Err(failure),
            }
            let work = self.horn_work(open.len(), ends);
            if work > generalised && done.len() < open.len() {
                generalised = work;
                if multiply {
                    prepared.system.keep_predicates(count);
                    news.clear();
                }
                news.extend(self.horn_predicates(prepared, &open, work)?);
            }
            if self.grows(&prepared.system, news.len()) {
                self.note(prepared, &tree, before, reason);
                self.give_up(prepared, &open, &done);
                break;
            }
            if news.is_empty() && done.is_empty() {
                for (target, why) in std::mem::take(&mut stuck) {
                    if !done.contains(&target) {
                        reason.get_or_insert_with(|| why.what.clone());
                        self.answers[open[target].question.index()].verdict.leave_open(why);
                        rest.push(open[target].question);
                        done.push(target);
                    }
                }
            }
            stuck.clear();
            self.write_predicates(prepared, OF_STATES);
            self.left = self.left.saturating_sub(u32::from(!news.is_empty()));
            self.note(prepared, &tree, before, reason);
            for &target in &done {
                let question = open[target].question;
                self.tell_rounds(question);
                self.answers[question.index()].rounds.extend(tried.rounds.remove(&question.index()));
            }
            self.tell(prepared);
            let mut at = 0;
            open.retain(|_| {
                at += 1;
                !done.contains(&(at - 1))
            });
        }
        rest.sort_unstable();
        Ok(rest)
    }

    /// Tells what is definite and was not told yet.
    fn tell(&mut self, prepared: &Prepared) {
        for (answer, told) in self.answers.iter_mut().zip(&mut self.told) {
            if *told || !answer.verdict.is_definite() {
                continue;
            }
            *told = true;
            answer.round_history = RoundHistory::of(prepared, &answer.rounds, 0).map(Arc::new);
            answer.cost.elapsed = std::mem::replace(&mut self.clock, Instant::now()).elapsed();
            answer.tell(self.work.observer);
        }
    }

    /// Follows a path to a state that may be bad.
    fn try_path(
        &mut self,
        prepared: &mut Prepared,
        tree: &Tree,
        target: &Target,
        TargetHit { state, operation, .. }: TargetHit,
        chooser: &mut Chooser,
    ) -> Result<PathVerdict, Failure> {
        let (states, operations) = tree.path_to(state);
        let operations = operations.into_iter().copied().collect();
        let path = OpenPath {
            locations: states.iter().map(|&at| tree.states[at].locations.clone()).collect(),
            operations,
            known: states.iter().map(|&at| literals(&mut prepared.system, &tree.states[at])).collect(),
            kept: states.iter().map(|&at| tree.states[at].kept.clone()).collect(),
            through: false,
            goal: prepared.system.asking().0.bool(true),
            goal_operation: operation,
        };
        match self.follow(prepared, path, target)? {
            Ok(tried) => Ok(tried),
            Err(_) if self.left == 0 => Ok(PathVerdict::Stuck(self.used_up())),
            Err(conditions) => {
                let learnt = chooser.choose(&mut prepared.system, &conditions)?;
                Ok(if learnt.is_empty() { PathVerdict::Stuck(no_progress()) } else { PathVerdict::Learnt(learnt) })
            }
        }
    }

    /// Follows a path to where a target is broken: what came of it, or what contradicts it.
    fn follow(
        &mut self,
        prepared: &mut Prepared,
        mut path: OpenPath,
        target: &Target,
    ) -> Result<Result<PathVerdict, Contradiction>, Failure> {
        let last = path.locations.last().cloned().unwrap_or_default();
        let mut stuck = std::collections::HashMap::new();
        let (sure, may) = target.goals(&mut prepared.system, &last, path.goal_operation, &mut stuck);
        path.goal = sure;
        let mut followed = follow(&mut prepared.system, &path)?;
        if sure != may && matches!(followed, Followed::Spurious(_)) {
            path.goal = may;
            followed = match follow(&mut prepared.system, &path)? {
                spurious @ Followed::Spurious(_) => spurious,
                _ => return Ok(Ok(PathVerdict::Stuck(no_value()))),
            };
        }
        Ok(Ok(match followed {
            Followed::Real(values) => self.real(prepared, &path, &values, target.question)?,
            Followed::Functions => PathVerdict::Stuck(functions()),
            Followed::GaveUp => PathVerdict::Stuck(gave_up()),
            Followed::Spurious(conditions) => return Ok(Err(conditions)),
        }))
    }

    /// A path that the program can follow.
    fn real(
        &mut self,
        prepared: &mut Prepared,
        path: &OpenPath,
        values: &Values,
        question: QuestionId,
    ) -> Result<PathVerdict, Failure> {
        let asked = &self.questions[question.index()];
        let file = self.work.file;
        let run = replay::replay(file, prepared, &path.operations, values, asked, path.goal_operation)?;
        let Some(run) = run else { return Ok(PathVerdict::Stuck(not_repeated())) };
        let exists = matches!(asked, Question::Property(asked) if asked.exists);
        let several = exists && !starts_once(file);
        let basis = if several { self.holds_from_every_start(prepared, path, asked)? } else { None };
        if several && basis.is_none() {
            return Ok(PathVerdict::Stuck(several_starts()));
        }
        let answer = &mut self.answers[question.index()];
        answer.verdict.settle(if exists { Belnap::True } else { Belnap::False });
        if let Some(basis) = basis {
            answer.rest_on(basis);
        }
        answer.show_run(Some(run));
        Ok(PathVerdict::Answered)
    }

    /// No bad state can be reached. That none is there for anybody to reach is false only if somebody starts.
    fn excluded(&mut self, prepared: &Prepared, (tree, starts): (&Tree, bool), target: &Target, basis: &Arc<Basis>) {
        let exists = matches!(&self.questions[target.question.index()], Question::Property(asked) if asked.exists);
        self.costs(prepared, tree, target.question);
        let answer = &mut self.answers[target.question.index()];
        if exists && !tree.states.is_empty() && !starts {
            answer.verdict.leave_open(no_start());
        } else {
            answer.verdict.settle(if exists && !tree.states.is_empty() { Belnap::False } else { Belnap::True });
            if tree.states.is_empty() {
                answer.vacuity = Vacuity::NoInitialState;
            }
            answer.show(|evidence| evidence.basis = Some(Arc::clone(basis)));
        }
        self.tell_rounds(target.question);
    }

    /// Answers that stay open say at least what is known of all states.
    fn tell_what_is_established(&mut self, prepared: &mut Prepared) {
        let open = |answer: &ProgramAnswer| answer.value() == Belnap::Unknown && answer.stopped().is_none();
        if !self.zones || !self.answers.iter().any(open) {
            return;
        }
        let told = if self.known.is_empty() { self.establish(prepared) } else { self.known.clone() };
        for answer in self.answers.iter_mut().filter(|answer| open(answer)) {
            answer.established.clone_from(&told);
        }
    }
}

/// How structures are made: unless the user says how large they may be, their effort is limited.
fn for_structures(abstraction: &AbstractionOptions) -> AbstractionOptions {
    match abstraction.max_states {
        Some(_) => abstraction.clone(),
        None => AbstractionOptions {
            max_states: Some(limits::STRUCTURE_MOST_STATES),
            most_calls: Some(limits::STRUCTURE_MOST_VISIT_CALLS),
            ..abstraction.clone()
        },
    }
}
