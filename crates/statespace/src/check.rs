//! All questions to a program, answered in the order asked.

use std::time::Instant;

use tertium_base::narrow::{to_u32, whole};
use tertium_base::{Budget, Diagnostic, StopReason, Stopped};
use tertium_cegar::answer::{ProgramAnswer, Vacuity};
use tertium_cegar::observer::ProgramObserver;
use tertium_evidence::Deadlock;
use tertium_evidence::observer::{Counts, Observer};
use tertium_explore::pack::RowLayouts;
use tertium_explore::reduction::promises::BrokenPromise;
use tertium_explore::search::Progress;
use tertium_explore::store::Keeping;
use tertium_lattice::Belnap;
use tertium_load::failure::{Failure, Located};
use tertium_load::program::ProgramFile;
use tertium_load::questions::{MonitorQuery, PropertyQuery, Question};
use tertium_logic::Logic;
use tertium_program::{Direction, Fairness};
use tertium_structures::check;
use tertium_structures::engines::EngineChoice;
use tertium_trace::reorder;

use super::branching::{self, Collected};
use super::coverage::{self, Covered};
use super::on_disk::{self, DiskRun};
use super::safety::{self, Effort, Goal, GoalObserver};
use super::space::{Space, stop_word};
use super::{bitstate, claims, games, linear};

pub use tertium_cegar::options::{CheckOptions, CheckOutcome};

/// Tells an observer how a search is going, now and then; with a limit on states also when it is reached at the latest.
pub fn report_to<'o>(observer: &'o dyn Observer, what: &'o str, limit: Option<usize>) -> impl FnMut(Progress) + 'o {
    let start = Instant::now();
    let mut calls = 0u32;
    move |now: Progress| {
        calls = calls.wrapping_add(1);
        if calls % 64 != 1 {
            return;
        }
        let seconds = start.elapsed().as_secs_f64().max(0.001);
        let rate = now.states as f64 / seconds;
        let latest = limit.map_or(String::new(), |limit| {
            let left = limit.saturating_sub(now.states) as f64 / rate.max(1.0);
            format!(", at most {} s more", whole(left.ceil()))
        });
        observer.counts(Counts { states: now.states, rate: whole(rate) as u64, waiting: now.queue, depth: now.depth });
        observer.phase(&format!(
            "{what}: {} states, {}/s, {} waiting, depth {}, {} MB stored{latest}",
            now.states,
            whole(rate),
            now.queue,
            now.depth,
            now.bytes >> 20
        ));
    }
}

/// Answers all questions.
///
/// # Errors
/// If an engine cannot do what was asked, or a run cannot be repeated. Limits are no errors: answers say that they were
/// stopped.
pub fn check(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<CheckOutcome, Failure> {
    // Without owners a coalition means nothing; such questions are for `games`.
    if questions.iter().any(|question| games::is_about_players(question, false)) {
        return Err(Failure::Internal("a question about players was asked of an engine that knows none".to_owned()));
    }
    if options.engine == EngineChoice::Symbolic {
        return super::symbolic::check(file, questions, options, budget, observer);
    }
    let mut space = match Space::new(&file.program, budget) {
        Err(Failure::Stopped(stopped)) => return Ok(CheckOutcome::stopped(questions, stopped)),
        space => space?.with_checkpoints(options.checkpoints.clone()),
    };
    let effort = Effort {
        threads: options.threads,
        max_states: options.max_states,
        // A search on disk takes all steps.
        reduction: options.reduction && options.disk.is_none(),
        store: options.store,
        budget,
    };
    let broken = if effort.reduction {
        space.watch_promises(&effort, &mut report_to(observer, "watching promises", effort.limit(&space)))
    } else {
        None
    };
    let mut uncounted = None;
    if options.fair {
        match most_processes(&space, &effort, observer) {
            Ok(count) => space = space.fair_to(count),
            Err(stopped) => uncounted = Some(stopped),
        }
    }
    let work = ExplicitCheck { file, space: &space, options, effort, observer, uncounted };
    let mut outcome = work.run(questions)?;
    for (question, answer) in questions.iter().zip(&mut outcome.answers) {
        if options.engine == EngineChoice::Auto && branches_under_strong_fairness(file, question) {
            over_sets(file, (question, answer), options, budget, observer)?;
        }
    }
    outcome.remarks.extend(broken.map(|broken| broken_promise(file, &broken)));
    Ok(outcome)
}

/// Whether a formula quantifies over paths that are strongly fair, which states visited one by one do not decide.
fn branches_under_strong_fairness(file: &ProgramFile, question: &Question) -> bool {
    let Question::Property(asked) = question else { return false };
    let strong = file.program.processes.iter().any(|process| process.fairness == Fairness::Strong);
    strong && matches!(asked.formula.logic(), Logic::Ctl | Logic::CtlStar)
}

/// Decides over sets what was left open, if the program can be encoded.
fn over_sets(
    file: &ProgramFile,
    (question, answer): (&Question, &mut ProgramAnswer),
    options: &CheckOptions,
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<(), Failure> {
    if answer.value() != Belnap::Unknown || answer.stopped().is_some() {
        return Ok(());
    }
    let options = CheckOptions { engine: EngineChoice::Symbolic, ..options.clone() };
    match super::symbolic::check(file, std::slice::from_ref(question), &options, budget, observer) {
        Ok(mut outcome) => {
            let decided = outcome.answers.pop().filter(|found| found.value() != Belnap::Unknown);
            if let Some(found) = decided {
                *answer = found;
            }
            Ok(())
        }
        // What has no encoding stays open, for the reason that was told.
        Err(Failure::Input(_) | Failure::Stopped(_)) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// A channel that more processes use than the program says.
fn broken_promise(file: &ProgramFile, broken: &BrokenPromise) -> Located {
    let program = &file.program;
    let promise = program.promises[broken.promise];
    let (name, owner) = (&program.variable(promise.channel).name, &program.process(promise.process).name);
    let (keyword, does) = match promise.direction {
        Direction::Send => ("xs", "sends to"),
        Direction::Receive => ("xr", "receives from"),
    };
    let other = broken.step.map_or_else(
        || "two processes say so of one channel".to_owned(),
        |step| {
            let step = program.step(step);
            format!("{} may do so too: `{}`", program.process(step.process).name, step.text)
        },
    );
    let message = format!("`{keyword} {name}` is not kept: only this process {does} it, says {owner}, but {other}");
    let warning = Diagnostic::warning("W0507", message)
        .at(promise.span, "said here")
        .help("no answer relies on it; leave it out or keep the channel to one process");
    Located::within(warning, &file.source_of(promise.span))
}

/// Nothing starts, so whatever is said of all initial states is true.
pub fn no_initial_state() -> Diagnostic {
    Diagnostic::warning("W0403", "the program has no initial state, so every property holds")
        .help("look at `init`: no values of the variables satisfy it; `--allow-empty` if that is meant")
}

/// States that are looked at between two looks at the clock.
const STATES_BETWEEN_LOOKS: usize = 4096;

/// How many processes there are at most in one state.
fn most_processes(space: &Space<'_>, effort: &Effort<'_>, observer: &dyn Observer) -> Result<usize, Stopped> {
    if let Some(count) = space.fixed_processes() {
        return Ok(count);
    }
    let collected =
        Collected::visit(space, effort, &mut report_to(observer, "counting processes", effort.limit(space)));
    let summary = &collected.explored().summary;
    if let Some(stopped) = summary.stopped {
        return Err(stopped);
    }
    // Behind a step that cannot be computed there may be more.
    if !summary.is_whole() {
        return Err(Stopped(StopReason::Count));
    }
    let store = &collected.explored().store;
    let (mut shapes, mut branches, mut most) = (RowLayouts::default(), store.branches(), 0);
    for number in 0..store.len() {
        if number.is_multiple_of(STATES_BETWEEN_LOOKS) {
            effort.budget.check()?;
        }
        store.read(to_u32(number), &mut branches);
        most = most.max(shapes.of_row(space.plain.packing(), branches.words()).1.frames.len());
    }
    Ok(most)
}

struct ExplicitCheck<'a, 'p> {
    file: &'a ProgramFile,
    space: &'a Space<'p>,
    options: &'a CheckOptions,
    effort: Effort<'a>,
    observer: &'a dyn ProgramObserver,
    /// Why it is not known to how many processes the scheduler is fair. What a run breaks in finitely many steps does not depend on it.
    uncounted: Option<Stopped>,
}

impl ExplicitCheck<'_, '_> {
    fn report<'o>(&'o self, what: &'o str) -> impl FnMut(Progress) + 'o {
        report_to(self.observer, what, self.effort.limit(self.space))
    }

    fn run(&self, questions: &[Question]) -> Result<CheckOutcome, Failure> {
        let goals: Vec<Option<Goal<'_>>> = questions.iter().map(|question| self.goal(question)).collect();
        let wanted: Vec<Goal<'_>> = goals.iter().flatten().copied().collect();
        let mut outcome = CheckOutcome::default();
        let (mut settled, mut collected) = (Vec::new().into_iter(), None);
        if !wanted.is_empty() {
            let asked: Vec<&Question> =
                questions.iter().zip(&goals).filter(|(_, goal)| goal.is_some()).map(|(question, _)| question).collect();
            let found = self.states(&wanted, &asked)?;
            settled = found.answers.into_iter();
            collected = found.whole.map(Collected::of);
        }
        for (question, goal) in questions.iter().zip(&goals) {
            let answer = match (question, goal) {
                (_, Some(_)) => {
                    outcome.answers.extend(settled.next());
                    continue;
                }
                _ if self.observer.is_decided(question.name()) => Some(ProgramAnswer::about(question)),
                _ if self.uncounted.is_some() => self.uncounted.map(|stopped| self.not_counted(question, stopped)),
                (Question::Property(asked), None) => Some(self.property(asked, &mut collected)?),
                (Question::Watched(watched), None) => Some(self.watched(watched)?),
                (Question::Never(_), None) => None,
            };
            let answer = answer.map(|answer| self.complete(question, answer));
            answer.iter().for_each(|answer| answer.tell(self.observer));
            outcome.answers.extend(answer);
        }
        // Where a limit has left a question open, not every state was visited.
        let limited = self.options.max_states.is_some();
        let open = |answer: &ProgramAnswer| answer.value() == Belnap::Unknown;
        if self.options.look_for_idle && !(limited && outcome.answers.iter().any(open)) {
            outcome.coverage = self.coverage(collected, &outcome.answers);
            outcome.remarks = self.remarks(outcome.coverage.as_deref());
        }
        Ok(outcome)
    }

    /// Answers what single states and steps can break.
    fn states(&self, goals: &[Goal<'_>], asked: &[&Question]) -> Result<safety::SafetyOutcome, Failure> {
        let start = Instant::now();
        let mut early: Vec<Option<ProgramAnswer>> = vec![None; goals.len()];
        let tell = &mut |at: usize, answer: &ProgramAnswer| {
            let mut answer = self.complete(asked[at], answer.clone());
            answer.cost.elapsed = start.elapsed();
            answer.tell(self.observer);
            early[at] = Some(answer);
        };
        let report = &mut self.report("exploring");
        let mut found = match &self.options.disk {
            None => safety::decide(self.space, goals, &self.effort, report, tell)?,
            Some(folder) => {
                let search = &mut |observer: &GoalObserver<'_, '_>, run: &mut DiskRun<'_, '_>| run.search(observer);
                let answers = on_disk::decide(self.space, goals, folder, &self.effort, report, search)?;
                safety::SafetyOutcome { answers, whole: None }
            }
        };
        if let Some(first) = found.answers.first_mut() {
            first.cost.elapsed = start.elapsed();
        }
        for ((answer, early), question) in found.answers.iter_mut().zip(early).zip(asked) {
            *answer = early.unwrap_or_else(|| self.complete(question, answer.clone()));
            answer.tell(self.observer);
        }
        Ok(found)
    }

    /// A question about fair runs where a limit was reached before all processes were counted.
    fn not_counted(&self, question: &Question, stopped: Stopped) -> ProgramAnswer {
        let mut answer = ProgramAnswer::about(question);
        answer.stop_if(stop_word(stopped));
        if answer.stopped().is_none() {
            let limit = self.effort.limit(self.space).unwrap_or_default();
            answer.cost.states = limit;
            answer.verdict.leave_open(self.space.limit_reason(limit));
        }
        answer
    }

    /// The answer as it is told: with a run that changes process less often, and vacuous where nothing ever starts.
    fn complete(&self, question: &Question, mut answer: ProgramAnswer) -> ProgramAnswer {
        if self.space.open.is_none() && self.space.initial.is_empty() {
            answer.vacuity = Vacuity::NoInitialState;
        }
        answer.show(|evidence| {
            let run = evidence.run.take();
            evidence.run = run.map(|run| reorder::calmer(&self.space.semantics, question, run));
        });
        answer
    }

    fn goal<'q>(&self, question: &'q Question) -> Option<Goal<'q>> {
        match question {
            Question::Never(never) => Some(Goal::Never(never)),
            Question::Property(asked) if asked.invariant.is_some() && !self.on_graph(asked) => {
                Some(Goal::Invariant(asked))
            }
            Question::Property(_) | Question::Watched(_) => None,
        }
    }

    fn watched(&self, watched: &MonitorQuery) -> Result<ProgramAnswer, Failure> {
        let start = Instant::now();
        let what = format!("checking {}", watched.name);
        let mut answer = match claims::decide(self.space, watched, &self.effort, &mut self.report(&what)) {
            Err(Failure::Stopped(stopped)) => {
                let open = ProgramAnswer::open(&watched.name, true, &watched.claim, watched.logic());
                open.stopped_by(stopped.0)
            }
            decided => decided.map_err(|failure| self.file.located(failure))?,
        };
        answer.cost.elapsed = start.elapsed();
        Ok(answer)
    }

    /// Whether a property is decided on the collected graph: branching ones that no single state decides, and all whose
    /// reading or engine the user chose.
    fn on_graph(&self, asked: &PropertyQuery) -> bool {
        // The search for linear properties lets runs that end stay where they are, which `maximal` asks for; it knows strong fairness, and the graph does not.
        let is_read_so = asked.formula.logic() == Logic::Ltl
            && self.options.deadlock == Some(Deadlock::Maximal)
            && !self.space.scheduling.strong.is_empty();
        let chosen = (self.options.deadlock.is_some() && !is_read_so)
            || self.options.linear.is_some()
            || self.options.engine != EngineChoice::Auto;
        chosen || (asked.formula.logic() != Logic::Ltl && !safety::decided_by_states(self.space, asked))
    }

    fn property(&self, asked: &PropertyQuery, collected: &mut Option<Collected>) -> Result<ProgramAnswer, Failure> {
        let start = Instant::now();
        if self.on_graph(asked) && self.options.store != Keeping::Exact {
            let logic = asked.formula.logic().name();
            let mut answer = ProgramAnswer::open(&asked.name, asked.named, &asked.source, logic);
            answer.verdict.leave_open(bitstate::needs_exact("a property of all states together"));
            return Ok(answer);
        }
        let decided = if self.on_graph(asked) {
            let whole = match collected.take() {
                Some(whole) => whole,
                None => Collected::visit_kept(self.space, &self.effort, &mut self.report("exploring"))?,
            };
            let answer =
                branching::decide(self.space, asked, &whole, &self.graph_options(), &self.effort, self.observer);
            *collected = Some(whole);
            answer
        } else {
            let what = format!("checking {}", asked.name);
            linear::decide(self.space, asked, &self.effort, &mut self.report(&what))
        };
        let mut answer = match decided {
            Err(Failure::Stopped(stopped)) => {
                let logic = asked.formula.logic().name();
                let open = ProgramAnswer::open(&asked.name, asked.named, &asked.source, logic);
                open.stopped_by(stopped.0)
            }
            decided => decided?,
        };
        answer.cost.elapsed = start.elapsed();
        Ok(answer)
    }

    fn graph_options(&self) -> check::CheckOptions {
        check::CheckOptions {
            deadlock: self.options.deadlock,
            linear: self.options.linear,
            engine: self.options.engine,
            parameters: true,
            look_for_vacuity: true,
            ..check::CheckOptions::default()
        }
    }

    /// What happens to each statement, if every state was visited.
    fn coverage(&self, collected: Option<Collected>, answers: &[ProgramAnswer]) -> Option<Vec<Covered>> {
        let interrupted = answers.iter().any(|answer| answer.stopped().is_some());
        let lossy = self.options.store != Keeping::Exact || self.options.disk.is_some();
        if interrupted || lossy || self.space.open.is_some() || self.space.initial.is_empty() {
            return None;
        }
        coverage::statements(self.space, collected, &self.effort, &mut self.report("coverage")).unwrap_or_default()
    }

    /// What is never done, and whether the program starts at all.
    fn remarks(&self, coverage: Option<&[Covered]>) -> Vec<Located> {
        if self.space.open.is_none() && self.space.initial.is_empty() {
            return vec![Located::nowhere(no_initial_state())];
        }
        let located = |remark: Diagnostic| {
            let span = remark.primary.as_ref().map_or_else(tertium_base::Span::default, |label| label.span);
            Located::within(remark, &self.file.source_of(span))
        };
        coverage::warnings(coverage.unwrap_or_default()).into_iter().map(located).collect()
    }
}
