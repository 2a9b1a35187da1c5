//! `tertium check` on programs.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tertium_base::Budget;
use tertium_base::narrow::millis;
use tertium_driver::program::answer::ProgramAnswer;
use tertium_driver::program::check::CheckOutcome;
use tertium_driver::program::failing_case::failing_case;
use tertium_driver::program::predicate_abstraction::abstraction_view;
use tertium_driver::program::questions::{Question, QuestionId};
use tertium_driver::program::{self, proof};
use tertium_driver::strategy::{self, Approach, ProgramQuery};
use tertium_driver::{Belnap, Failure, Located, Observer};
use tertium_report::page::Page;
use tertium_report::page::view::SourceView;
use tertium_report::view::{CheckReport, EvidenceView, ResultView, SCHEMA_VERSION, Tally, Verdict};

use super::check::{Done, Printer, Wanted, finish, folder, heading, phase_for, refuse};
use super::expectations::{BELNAP, Expectations, judge};
use super::known::SharedFindings;
use super::wishes::{self, options};
use super::{abstraction, pages, program_views, views};
use crate::command::args::{Certificates, CheckArgs, FailOn};
use crate::command::evidence::{EvidenceFile, EvidenceFolder};
use crate::command::exit;
use crate::command::progress::{Phase, Progress};

/// Decides the properties of a program.
pub fn decide(args: &CheckArgs, budget: &Budget, wanted: &Wanted) -> Result<Done, Failure> {
    let wishes = wishes::of(args, wanted.page)?;
    refuse(args, "structures", "programs", &[("--at", args.at.is_some()), ("--all-states", args.all_states)])?;
    let start = Instant::now();
    let expectations = Expectations::parse(&args.expect)?;
    let model = args.model()?;
    let language = model.language.kind();
    let phase = phase_for(args, language, budget).with_listener(wanted.listener.clone());
    let known = SharedFindings::begin(args, language, &phase);
    let phase = phase.with_known(known.clone());
    phase.phase("reading the program");
    let progress = Progress::start(phase.clone(), args.look.quiet);
    let (logic, mut extras) = (args.logic.map(|logic| logic.0), abstraction::extras(&args.how));
    extras.spotlight.clone_from(&args.spotlight);
    extras.every = true;
    let file = model.program(&args.properties, logic, &args.text.defines, &extras)?;
    if file.language == program::Language::Gcl {
        let given = [("--progress", args.progress), ("--fair", args.fair)];
        refuse(args, "Promela models", "guarded commands", &given)?;
    }
    let questions = program::questions::questions(&file, &args.only, args.progress)?;
    expectations.fit(questions.iter().map(Question::name), &BELNAP)?;
    let asked = questions.iter().map(|question| {
        let answer = program::ProgramAnswer::about(question);
        ResultView { show_name: answer.named, ..ResultView::not_begun(&answer.name, &answer.formula, answer.logic, "") }
    });
    known.asked(asked.collect(), heading(args, &file.description()));
    if !args.look.quiet {
        super::show(&file.warnings, args.look.color);
    }
    let request = ProgramQuery { file: &file, questions: &questions, wishes: &wishes };
    let telling =
        Telling { args, request: &request, expectations: &expectations, phase: &phase, known: &known, budget };
    let mut told =
        ReportSoFar { printer: None, folder: folder(args)?, results: vec![None; questions.len()], failed: None };
    let outcome = strategy::decide_telling(&request, budget, &phase, &mut |question, answer| {
        telling.tell(question, answer, &mut told)
    });
    drop(progress);
    let outcome = told.failed.take().map_or(outcome, Err)?;
    for (question, answer) in QuestionId::all(&questions).zip(&outcome.answers) {
        if told.results[question.index()].is_none() {
            // Whether to go on is nobody's question any more.
            let _ = telling.tell(question, answer, &mut told);
        }
    }
    told.failed.take().map_or(Ok(()), Err)?;
    let printer = told.printer.take().unwrap_or_else(|| telling.opened());
    let mut remarks = file.warnings.clone();
    remarks.extend(outcome.remarks.iter().cloned());
    if !args.look.quiet {
        super::show(&outcome.remarks, args.look.color);
    }
    let mut page = wanted.page.then(|| printer.empty_page(&file.description()));
    if let Some(page) = &mut page {
        telling.draw(&outcome, &mut told, page)?;
    }
    let ReportSoFar { mut folder, results, .. } = told;
    finish(&mut folder, args)?;
    let mut results: Vec<ResultView> = results.into_iter().flatten().map(|(view, _)| view).collect();
    say_what_ends_runs(&request, &outcome.answers, &mut results, args, budget, &phase)?;
    let remark = Located::nowhere(program::check::no_initial_state());
    if results.iter().any(|view| view.empty) && !remarks.contains(&remark) {
        if !args.look.quiet {
            super::show(std::slice::from_ref(&remark), args.look.color);
        }
        remarks.push(remark);
    }
    let report = CheckReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: printer.input.clone(),
        results,
        lattice: None,
        warnings: views::messages(&remarks),
    };
    let (code, tally) = (exit::of_check(&report), Tally::of(&report.results));
    printer.finish(&report, code, millis(start.elapsed()));
    if let Some(page) = &mut page {
        page.report = report;
        page.sources = file.texts().into_iter().map(|(file, text)| SourceView { file, text }).collect();
        page.coverage = pages::coverage(&file, outcome.coverage.as_deref());
    }
    Ok(Done { code, tally, page, folder })
}

/// What a certificate may take besides four times what its answer took; in looks at the budget where nothing may depend on the clock.
const CERTIFICATE_TIME: Duration = Duration::from_secs(10);
const CERTIFICATE_LOOKS: u64 = 2_000_000;

/// What was told so far.
struct ReportSoFar {
    printer: Option<Printer>,
    folder: Option<EvidenceFolder>,
    /// By question, the answer as it was told, and how many obligations its certificate has.
    results: Vec<Option<(ResultView, usize)>>,
    failed: Option<Failure>,
}

/// Tells answers as they come.
struct Telling<'a> {
    args: &'a CheckArgs,
    request: &'a ProgramQuery<'a>,
    expectations: &'a Expectations,
    phase: &'a Phase,
    known: &'a SharedFindings,
    budget: &'a Budget,
}

impl Telling<'_> {
    /// Writes what comes before all results.
    fn opened(&self) -> Printer {
        let file = self.request.file;
        let printer = Printer::start(self.args, file.language.name(), &file.description(), self.phase);
        self.known.opened();
        printer
    }

    /// Tells one answer: confirms it, writes its evidence, prints it. Breaks off if nobody wants to know more.
    fn tell(&self, question: QuestionId, answer: &ProgramAnswer, told: &mut ReportSoFar) -> ControlFlow<()> {
        let (view, obligations) = match self.view(question, answer, told) {
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
        told: &mut ReportSoFar,
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
        let mut obligations = 0;
        if let Some(folder) = &mut told.folder {
            let stem = folder.stem_for(question.name());
            let mut files = program_views::run_files(&stem, file, answer, args.fair);
            view.evidence.file = files.first().map(|file| folder.path(&file.name));
            let proved_by_run = proof::is_shown_by_its_run(&of_size, answer);
            if answer.verdict.is_definite() && !proved_by_run {
                let asked = (if answer.run().is_some() { &of_size } else { question }, answer);
                let run = answer.run().is_some().then(|| view.evidence.clone());
                let proof = self.proof_files(&stem, file, asked, &mut view)?;
                obligations = proof.len().saturating_sub(1);
                // The run is told; the certificate beside it proves what the run alone does not.
                view.evidence = match run {
                    Some(run) => run,
                    None => EvidenceView { file: proof.first().map(|file| folder.path(&file.name)), ..view.evidence },
                };
                files.extend(proof);
            }
            // What an earlier run has found stays beside an answer that was stopped.
            if answer.stopped().is_none() || !files.is_empty() {
                folder.replace(&stem, question.name(), view.value.word(), &files)?;
            }
        }
        judge(&mut view, self.expectations, &args.fail_on, args.allow_empty);
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
    fn draw(&self, outcome: &CheckOutcome, told: &mut ReportSoFar, page: &mut Page) -> Result<(), Failure> {
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

/// What is true of runs that end in a fault is true up to that fault.
fn say_what_ends_runs(
    request: &ProgramQuery<'_>,
    answers: &[program::ProgramAnswer],
    results: &mut [ResultView],
    args: &CheckArgs,
    budget: &Budget,
    phase: &Phase,
) -> Result<(), Failure> {
    if args.look.quiet {
        return Ok(());
    }
    let faults = strategy::faults_of_runs(request, answers, budget, phase)?;
    let names: Vec<String> = faults.iter().map(|mistake| mistake.name().to_owned()).collect();
    for view in results.iter_mut().filter(|view| view.value.is(Belnap::True)) {
        view.up_to.clone_from(&names);
    }
    Ok(())
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
