//! How are the answers about a program told as they come?
//!
//! Whoever listens to the engines tells violations at once; what holds is confirmed, certified and told by a thread beside, since certificates may take long.

use std::ops::ControlFlow;
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tertium_base::Budget;
use tertium_driver::program::answer::ProgramAnswer;
use tertium_driver::program::check::CheckOutcome;
use tertium_driver::program::failing_case::failing_case;
use tertium_driver::program::predicate_abstraction::abstraction_view;
use tertium_driver::program::questions::{Question, QuestionId};
use tertium_driver::program::{self, proof};
use tertium_driver::strategy::{self, Approach, ProgramQuery};
use tertium_driver::{Belnap, Failure, Observer};
use tertium_report::page::Page;
use tertium_report::view::{EvidenceView, ResultView, Verdict};

use super::check::Printer;
use super::expectations::{Expectations, judge};
use super::known::SharedFindings;
use super::wishes::options;
use super::{abstraction, pages, program_views, views};
use crate::command::args::{Certificates, CheckArgs, FailOn};
use crate::command::evidence::{EvidenceFile, EvidenceFolder};
use crate::command::progress::{Phase, Progress};

/// What a certificate may take besides four times what its answer took; in looks at the budget where nothing may depend on the clock.
const CERTIFICATE_TIME: Duration = Duration::from_secs(10);
const CERTIFICATE_LOOKS: u64 = 2_000_000;

/// The stack of the thread that makes certificates: as large as that of a program's first thread, and more.
const STACK: usize = 32 << 20;

fn lock(told: &Mutex<ReportSoFar>) -> MutexGuard<'_, ReportSoFar> {
    told.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was told so far.
pub(super) struct ReportSoFar {
    pub(super) printer: Option<Printer>,
    pub(super) folder: Option<EvidenceFolder>,
    /// By question, the answer as it was told, and how many obligations its certificate has.
    pub(super) results: Vec<Option<(ResultView, usize)>>,
    pub(super) failed: Option<Failure>,
}

/// Tells answers as they come.
pub(super) struct Telling<'a> {
    pub(super) args: &'a CheckArgs,
    pub(super) request: &'a ProgramQuery<'a>,
    pub(super) expectations: &'a Expectations,
    pub(super) phase: &'a Phase,
    pub(super) known: &'a SharedFindings,
    pub(super) budget: &'a Budget,
}

impl Telling<'_> {
    /// Writes what comes before all results.
    pub(super) fn opened(&self) -> Printer {
        let file = self.request.file;
        let printer = Printer::start(self.args, file.language.name(), &file.description(), self.phase);
        self.known.opened();
        printer
    }

    /// Decides everything, and tells each answer when it is there. A violation waits for no certificate of something else: what holds is told beside.
    pub(super) fn decide(&self, folder: Option<EvidenceFolder>) -> (Result<CheckOutcome, Failure>, ReportSoFar) {
        let count = self.request.questions.len();
        let told = Mutex::new(ReportSoFar { printer: None, folder, results: vec![None; count], failed: None });
        let outcome = std::thread::scope(|scope| {
            let (later, waiting) = channel::<(QuestionId, Box<ProgramAnswer>)>();
            let told = &told;
            let beside = move || {
                for (question, answer) in waiting {
                    let _ = self.tell(question, &answer, told);
                }
            };
            let thread = std::thread::Builder::new().name("telling".to_owned()).stack_size(STACK);
            let later = (self.tells_beside() && thread.spawn_scoped(scope, beside).is_ok()).then_some(later);
            strategy::decide_telling(self.request, self.budget, self.phase, &mut |question, answer| {
                let holds = later.as_ref().filter(|_| answer.value() == Belnap::True);
                match holds.map(|later| later.send((question, Box::new(answer.clone())))) {
                    Some(Ok(())) if lock(told).failed.is_some() => ControlFlow::Break(()),
                    Some(Ok(())) => ControlFlow::Continue(()),
                    Some(Err(_)) | None => self.tell(question, answer, told),
                }
            })
        });
        if let Ok(outcome) = &outcome {
            for (question, answer) in QuestionId::all(self.request.questions).zip(&outcome.answers) {
                let is_told = { lock(&told).results[question.index()].is_some() };
                if !is_told && lock(&told).failed.is_none() {
                    // Whether to go on is nobody's question any more.
                    let _ = self.tell(question, answer, &told);
                }
            }
        }
        (outcome, told.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether what holds is told by a thread of its own: not where the order must be the same each time, nor where it may be what ends the run.
    fn tells_beside(&self) -> bool {
        let may_end = self.args.fail_fast && !(self.args.expect.is_empty() && self.args.fail_on.is_empty());
        !self.request.wishes.deterministic && !may_end
    }

    /// Tells one answer: confirms it, writes its evidence, prints it. Breaks off if nobody wants to know more.
    fn tell(&self, question: QuestionId, answer: &ProgramAnswer, told: &Mutex<ReportSoFar>) -> ControlFlow<()> {
        let found = self.view(question, answer, told);
        let mut told = lock(told);
        let (view, obligations) = match found {
            Ok(view) => view,
            Err(failure) => {
                told.failed.get_or_insert(failure);
                return ControlFlow::Break(());
            }
        };
        Progress::clear();
        told.printer.get_or_insert_with(|| self.opened()).result(&view);
        self.known.told(&view);
        let fails = view.verdict == Verdict::Failure;
        told.results[question.index()] = Some((view, obligations));
        if fails && self.args.fail_fast { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The question as it is asked of the system that an answer is about: a run of one size is read by the question of that size.
    fn of_size(&self, question: &Question, answer: &ProgramAnswer) -> Result<Question, Failure> {
        let Some(file) = answer.system() else { return Ok(question.clone()) };
        let asked = program::questions::questions(file, &self.args.only, self.args.progress)?;
        let same = asked.into_iter().find(|asked| asked.name() == question.name());
        Ok(same.unwrap_or_else(|| question.clone()))
    }

    fn view(
        &self,
        question: QuestionId,
        answer: &ProgramAnswer,
        told: &Mutex<ReportSoFar>,
    ) -> Result<(ResultView, usize), Failure> {
        let (args, question) = (self.args, self.request.question(question));
        let file = answer.system().unwrap_or(self.request.file);
        let of_size = self.of_size(question, answer)?;
        program::run_confirmation::must_show(file, &of_size, answer)?;
        let answer = &with_remarks(self.request, (question, &of_size), answer, args, self.budget, self.phase)?;
        let mut view = program_views::result(file, answer, self.request.questions.len(), args);
        if !args.look.quiet {
            let advice = strategy::advice(self.request, question, answer, self.budget, self.phase)?;
            program_views::add_advice(&mut view, &advice, args);
            let found = strategy::two_states(self.request, question, answer, self.budget, self.phase)?;
            program_views::add_two_states(&mut view, found);
        }
        judge(&mut view, self.expectations, &args.fail_on, args.allow_empty);
        // If the run is ended while a certificate is made, the answer is there.
        self.known.found(&view);
        let mut obligations = 0;
        let stem = lock(told).folder.as_mut().map(|folder| folder.stem_for(question.name()));
        if let Some(stem) = stem {
            let mut files = program_views::run_files(&stem, file, answer, args.fair);
            let place = |name: &str| lock(told).folder.as_ref().map(|folder| folder.path(name));
            view.evidence.file = files.first().and_then(|file| place(&file.name));
            let proved_by_run = proof::is_shown_by_its_run(&of_size, answer);
            if answer.verdict.is_definite() && !proved_by_run {
                let asked = (if answer.run().is_some() { &of_size } else { question }, answer);
                let run = answer.run().is_some().then(|| view.evidence.clone());
                let proof = self.proof_files(&stem, file, asked, &mut view)?;
                obligations = proof.len().saturating_sub(1);
                // The run is told; the certificate beside it proves what the run alone does not.
                view.evidence = match run {
                    Some(run) => run,
                    None => EvidenceView { file: proof.first().and_then(|file| place(&file.name)), ..view.evidence },
                };
                files.extend(proof);
            }
            // What an earlier run has found stays beside an answer that was stopped.
            if let Some(folder) = &mut lock(told).folder
                && (answer.stopped().is_none() || !files.is_empty())
            {
                folder.replace(&stem, question.name(), view.value.word(), &files)?;
            }
        }
        Ok((view, obligations))
    }

    /// The certificate and its obligations, unless that takes too long for what it is.
    fn proof_files(
        &self,
        stem: &str,
        file: &program::ProgramFile,
        asked: (&Question, &ProgramAnswer),
        view: &mut ResultView,
    ) -> Result<Vec<EvidenceFile>, Failure> {
        if self.args.certificates == Certificates::Never {
            return Ok(Vec::new());
        }
        self.phase.search(&format!("certificate of {}", asked.0.name()));
        let (own, most) = self.for_certificate(asked.1);
        let found = program_views::proof_files(stem, file, asked, &options(self.args), view, &own);
        match found {
            Err(Failure::Stopped(_)) if self.budget.glance().is_ok() => {
                program_views::has_no_certificate(view, program_views::dear(&most));
                Ok(Vec::new())
            }
            Err(Failure::Stopped(stopped)) => {
                program_views::has_no_certificate(view, program_views::no_certificate(&stopped.to_string()));
                Ok(Vec::new())
            }
            found => found,
        }
    }

    /// What making a certificate may take, and how that is told.
    fn for_certificate(&self, answer: &ProgramAnswer) -> (Budget, String) {
        if self.args.certificates == Certificates::Always {
            return (self.budget.clone(), String::new());
        }
        if self.request.wishes.deterministic {
            return (self.budget.with_further_effort(CERTIFICATE_LOOKS), format!("{CERTIFICATE_LOOKS} units of work"));
        }
        let most = CERTIFICATE_TIME + answer.cost.elapsed.saturating_mul(4);
        (self.budget.with_further_time(most), format!("{} s", most.as_secs()))
    }

    /// Fills the page.
    pub(super) fn draw(&self, outcome: &CheckOutcome, told: &mut ReportSoFar, page: &mut Page) -> Result<(), Failure> {
        let (args, budget, whole) = (self.args, self.budget, self.request.file);
        let abstracted = self.request.wishes.approach == Approach::Abstract;
        let is_whole = whole.open.is_none() && outcome.answers.iter().all(|answer| answer.spotlight.is_none());
        let explored = !abstracted && is_whole && outcome.answers.iter().any(|answer| answer.value() == Belnap::True);
        let invariant = if explored { pages::invariant(whole, budget) } else { Vec::new() };
        for ((answer, question), result) in outcome.answers.iter().zip(self.request.questions).zip(&mut told.results) {
            let Some((view, obligations)) = result else { continue };
            let file = answer.system().unwrap_or(whole);
            let of_size = self.of_size(question, answer)?;
            let mut detail = pages::of_program(file, &of_size, (answer, view), &invariant, args.fair);
            pages::add_basis(file, answer, *obligations, &mut detail);
            let drawn = pages::rounds(file, (question, answer), &options(args), args, budget)?;
            if !drawn.is_empty() {
                pages::add_rounds(&drawn, answer, view, &mut detail, page);
            } else if let (Question::Property(asked), true, None) = (question, abstracted && is_whole, answer.stopped())
            {
                let how = abstraction::options(&args.how, args.max_states);
                match abstraction_view::picture(file, asked, &options(args), &how, budget) {
                    Ok(Some(found)) => {
                        view.next.extend(pages::with_predicate(&found, view, &views::typed_model(args)));
                        pages::add_abstraction(&found, view, &mut detail, page);
                    }
                    // A page without the picture is better than none.
                    Ok(None) | Err(Failure::Stopped(_)) => {}
                    Err(failure) => return Err(failure),
                }
            }
            pages::add_structure(file, answer, &mut detail, page);
            page.details.push(detail);
        }
        Ok(())
    }
}

/// The answer with what is looked for beside it: whoever reads it, or fails on it, is told.
fn with_remarks(
    request: &ProgramQuery<'_>,
    (question, of_size): (&Question, &Question),
    answer: &program::ProgramAnswer,
    args: &CheckArgs,
    budget: &Budget,
    phase: &Phase,
) -> Result<program::ProgramAnswer, Failure> {
    let mut answer = answer.clone();
    answer.failing_case = failing_case(answer.system().unwrap_or(request.file), of_size, &answer);
    if !args.look.quiet || args.fail_on.contains(&FailOn::Vacuous) {
        strategy::look_for_vacuity(request, question, &mut answer, budget, phase)?;
    }
    if !args.look.quiet {
        strategy::name_failing_start(request, question, &mut answer, budget, phase)?;
    }
    Ok(answer)
}
