//! Slicing: which questions are asked of which part of the program?
//!
//! A variable that cannot matter to a question (outside of its [cone of influence](tertium_program::analysis::cone_of_influence)) is left out for it: a counter that nobody reads makes no state space
//! infinite. One slice serves many questions, which are then decided together: two questions are asked of different ones only where a variable without a small range
//! matters to one of them and not to the other (in synchronous systems 16 values are many), or processes that take a part of the states. Whatever is found on a slice is told of the whole program ([`Slice`]).
//!
//! Slices take turns: while questions of another one wait, each has a quota, and begins again with twice as much when the others have had theirs. So one
//! that never ends costs the others no more than their own effort, and beginning again at most doubles what it takes.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tertium_base::{Budget, StopReason, Stopped};
use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::options::CheckOptions;
use tertium_load::questions::{Question, QuestionId};
use tertium_program::analysis::cone_of_influence::{Dependencies, Part, read_by};
use tertium_program::analysis::copy_propagation::Propagation;
use tertium_program::{ProcessId, Program, VarId};

use super::facts::{is_synchronous, large_variables};
use super::limits::Limits;
use super::{ProgramQuery, Wishes, decide_whole};
use crate::Observer;
use crate::failure::Failure;
use crate::program::check::CheckOutcome;
use crate::program::slice::Slice;

/// Questions are asked of at most so many slices.
const MOST_SLICES: usize = 4;

/// Processes that have fewer combinations of places are left out only where nobody else asks for them.
const FEWEST_PLACES: usize = 8;

/// What a slice may take at first while others wait: in seconds, or where nothing may depend on the clock in looks at the budget. Twice as
/// much each time.
const FIRST_QUOTA: Duration = Duration::from_secs(1);
const FIRST_QUOTA_LOOKS: u64 = 4_000;

/// Questions that are asked of one slice; none: of the program itself.
pub(super) struct SliceQuery<'a> {
    pub(super) questions: Vec<QuestionId>,
    pub(super) slice: Option<Slice<'a>>,
}

/// Which questions are asked of which slice, smaller ones first.
pub(super) fn slices<'a>(request: &ProgramQuery<'a>) -> Vec<SliceQuery<'a>> {
    let whole = || vec![SliceQuery { questions: QuestionId::all(request.questions).collect(), slice: None }];
    // A file that leaves a size open is read again for each size.
    if !request.wishes.options.reduction || request.file.open.is_some() {
        return whole();
    }
    let copies = copies(request);
    let program = copies.as_ref().map_or(&request.file.program, |copies| &copies.program);
    let dependencies = Dependencies::of(program);
    // What a step of a synchronous system carries along is in all its diagrams.
    let limits = Limits::of(request.file.language);
    let most = if is_synchronous(program) { limits.large_synchronous_domain } else { limits.large_domain };
    let large: BTreeSet<VarId> = large_variables(program, most).into_iter().collect();
    let mut groups: BTreeMap<Part, (Vec<QuestionId>, Part)> = BTreeMap::new();
    for question in QuestionId::all(request.questions) {
        let part = part(request, (program, &dependencies), question);
        let key = Part {
            variables: part.variables.intersection(&large).copied().collect(),
            idle: Some(part.idle.clone()).filter(|idle| is_worth_a_slice(program, idle)).unwrap_or_default(),
        };
        match groups.entry(key) {
            Entry::Vacant(entry) => _ = entry.insert((vec![question], part)),
            Entry::Occupied(mut entry) => {
                entry.get_mut().0.push(question);
                entry.get_mut().1.extend(&part);
            }
        }
    }
    let mut groups: Vec<(Vec<QuestionId>, Part)> = groups.into_values().collect();
    groups
        .sort_by_key(|(questions, part)| (Reverse(part.idle.len()), part.variables.len(), questions.first().copied()));
    while groups.len() > MOST_SLICES {
        let Some((questions, part)) = groups.pop() else { break };
        if let Some(last) = groups.last_mut() {
            last.0.extend(questions);
            last.1.extend(&part);
        }
    }
    let asked = |(mut questions, part): (Vec<QuestionId>, Part)| {
        questions.sort_unstable();
        SliceQuery { questions, slice: Slice::with_copies(request.file, copies.as_ref(), &part) }
    };
    let found: Vec<SliceQuery<'a>> = groups.into_iter().map(asked).collect();
    if found.iter().all(|asked| asked.slice.is_none()) { whole() } else { found }
}

/// The program with copies propagated, as far as that leaves out variables.
fn copies(request: &ProgramQuery<'_>) -> Option<Propagation> {
    let program = &request.file.program;
    let asked = request.questions.iter().flat_map(|question| match question {
        Question::Property(asked) => asked.atoms.clone(),
        Question::Never(_) | Question::Watched(_) => Vec::new(),
    });
    let seen = read_by(program, &asked.collect::<Vec<_>>());
    let allowed = program.variable_ids().filter(|var| !seen.contains(var)).collect();
    let all = Propagation::of(program, &allowed)?;
    // A copy whose assignment may go wrong stays.
    let cone = Dependencies::of(&all.program).cone(&all.program, &[]);
    Propagation::of(program, &all.unread.difference(&cone).copied().collect())
}

/// What can matter to a question. A process can be left out only where nothing but the states that are reached is asked for.
fn part(request: &ProgramQuery<'_>, (program, dependencies): (&Program, &Dependencies), question: QuestionId) -> Part {
    let options = &request.wishes.options;
    let as_usual = options.deadlock.is_none() && options.linear.is_none();
    match request.question(question) {
        Question::Property(asked) if asked.invariant.is_some() && as_usual => dependencies.part(program, &asked.atoms),
        Question::Property(asked) => Part { variables: dependencies.cone(program, &asked.atoms), ..Part::default() },
        Question::Never(_) | Question::Watched(_) => {
            Part { variables: dependencies.cone(program, &[]), ..Part::default() }
        }
    }
}

/// Whether a program without these processes has so much less to look at that it is looked at by itself.
fn is_worth_a_slice(program: &Program, idle: &BTreeSet<ProcessId>) -> bool {
    let places = |all: usize, &process: &ProcessId| all.saturating_mul(program.process(process).locations.len());
    idle.iter().fold(1, places) >= FEWEST_PLACES
}

/// Decides the questions of each slice, and tells what is found of the whole program.
///
/// # Errors
/// If an engine cannot do what was asked, or a run of a slice is none of the program, which is a fault of this one.
pub(super) fn decide_telling(
    request: &ProgramQuery<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    tell: &mut dyn FnMut(QuestionId, &ProgramAnswer) -> ControlFlow<()>,
) -> Result<CheckOutcome, Failure> {
    let slices = slices(request);
    if slices.iter().all(|asked| asked.slice.is_none()) {
        return decide_whole(request, budget, observer, tell);
    }
    let mut work = SlicedWork {
        request,
        observer,
        tell,
        is_enough: false,
        lifted: BTreeMap::new(),
        outcome: CheckOutcome::default(),
    };
    work.take_turns(slices.into(), budget)?;
    let mut answer = |question: QuestionId| {
        work.lifted.remove(&question).unwrap_or_else(|| ProgramAnswer::about(request.question(question)))
    };
    work.outcome.answers = QuestionId::all(request.questions).map(&mut answer).collect();
    Ok(work.outcome)
}

/// Who asks, who is told, and what was found.
struct SlicedWork<'a, 't> {
    request: &'a ProgramQuery<'a>,
    observer: &'a dyn Observer,
    tell: &'t mut dyn FnMut(QuestionId, &ProgramAnswer) -> ControlFlow<()>,
    /// Whether nobody wants to know more.
    is_enough: bool,
    /// What was found, told of the whole program, by question.
    lifted: BTreeMap<QuestionId, ProgramAnswer>,
    /// Everything else that was found.
    outcome: CheckOutcome,
}

impl SlicedWork<'_, '_> {
    /// Asks each slice in turn until all are done, or the budget is.
    fn take_turns(&mut self, mut waiting: VecDeque<SliceQuery<'_>>, budget: &Budget) -> Result<(), Failure> {
        let (mut quota, mut round) = (1, waiting.len());
        while let Some(mut asked) = waiting.pop_front() {
            if round == 0 {
                (quota, round) = (quota * 2, waiting.len() + 1);
            }
            round -= 1;
            let others_wait = !waiting.is_empty();
            let own = if others_wait { self.share(budget, quota) } else { budget.clone() };
            let unlifted = self.ask(&asked, &own)?;
            if self.is_enough {
                return Ok(());
            }
            if !unlifted.is_empty() {
                asked.questions.retain(|question| !unlifted.contains(question));
                waiting.push_back(SliceQuery { questions: unlifted, slice: None });
            }
            let is_over_quota = own.glance() == Err(Stopped(StopReason::Time)) && budget.glance().is_ok();
            // A search that is written down is about all questions of its slice.
            if self.request.wishes.options.checkpoints.is_none() {
                asked.questions.retain(|question| !self.is_decided(*question));
            }
            if is_over_quota && !asked.questions.iter().all(|question| self.is_decided(*question)) {
                waiting.push_back(asked);
            }
        }
        Ok(())
    }

    fn share(&self, budget: &Budget, quota: u32) -> Budget {
        match self.request.wishes.deterministic {
            true => budget.with_further_effort(FIRST_QUOTA_LOOKS.saturating_mul(u64::from(quota))),
            false => budget.with_further_time(FIRST_QUOTA.saturating_mul(quota)),
        }
    }

    fn is_decided(&self, question: QuestionId) -> bool {
        self.lifted.get(&question).is_some_and(|answer| answer.verdict.is_definite())
            || self.request.wishes.decided.contains(self.request.question(question).name())
    }

    /// Asks one slice; the questions whose runs cannot be told of the whole program.
    fn ask(&mut self, asked: &SliceQuery<'_>, budget: &Budget) -> Result<Vec<QuestionId>, Failure> {
        let (questions, wishes) = (chosen(self.request, &asked.questions), self.wishes(asked));
        let file = asked.slice.as_ref().map_or(self.request.file, |slice| &slice.file);
        let (mut failure, mut unlifted) = (None, Vec::new());
        let found = decide_whole(
            &ProgramQuery { file, questions: &questions, wishes: &wishes },
            budget,
            self.observer,
            &mut |of_slice, answer| match asked.lift(&questions[of_slice.index()], answer.clone()) {
                Ok(Some(answer)) => {
                    let told = (self.tell)(asked.of_program(of_slice), &answer);
                    self.is_enough |= told.is_break();
                    self.lifted.insert(asked.of_program(of_slice), answer);
                    told
                }
                // It is asked again, and told then.
                Ok(None) => {
                    unlifted.push(asked.of_program(of_slice));
                    ControlFlow::Continue(())
                }
                Err(why) => {
                    failure = Some(why);
                    ControlFlow::Break(())
                }
            },
        )?;
        failure.map_or(Ok(()), Err)?;
        self.take_in(asked, &questions, found, &unlifted)?;
        Ok(unlifted)
    }

    /// Statements that are never reached are looked for once: every slice with all processes has the same.
    fn wishes(&self, asked: &SliceQuery<'_>) -> Wishes {
        let wishes = self.request.wishes;
        let has_all = asked.slice.as_ref().is_none_or(|slice| slice.idle.is_empty());
        let look_for_idle = wishes.options.look_for_idle && has_all && self.outcome.coverage.is_none();
        let decided = asked.questions.iter().filter(|question| self.is_decided(**question));
        let decided = decided.map(|question| self.request.question(*question).name().to_owned()).collect();
        let options = CheckOptions { look_for_idle, ..wishes.options.clone() };
        Wishes { options, decided: Arc::new(decided), ..wishes.clone() }
    }

    /// Keeps what was not told before: why questions are open, and remarks.
    fn take_in(
        &mut self,
        asked: &SliceQuery<'_>,
        questions: &[Question],
        found: CheckOutcome,
        unlifted: &[QuestionId],
    ) -> Result<(), Failure> {
        for ((&id, question), answer) in asked.questions.iter().zip(questions).zip(found.answers) {
            if self.is_decided(id) || unlifted.contains(&id) {
                continue;
            }
            if let Some(answer) = asked.lift(question, answer)? {
                self.lifted.insert(id, answer);
            }
        }
        for remark in found.remarks {
            if !self.outcome.remarks.contains(&remark) {
                self.outcome.remarks.push(remark);
            }
        }
        self.outcome.coverage = self.outcome.coverage.take().or(found.coverage);
        Ok(())
    }
}

impl SliceQuery<'_> {
    /// Which question of the whole program one of the slice's is.
    fn of_program(&self, of_slice: QuestionId) -> QuestionId {
        self.questions[of_slice.index()]
    }

    fn lift(&self, question: &Question, answer: ProgramAnswer) -> Result<Option<ProgramAnswer>, Failure> {
        match &self.slice {
            Some(slice) => slice.lift(question, answer),
            None => Ok(Some(answer)),
        }
    }
}

fn chosen(request: &ProgramQuery<'_>, questions: &[QuestionId]) -> Vec<Question> {
    questions.iter().map(|&question| request.question(question).clone()).collect()
}
