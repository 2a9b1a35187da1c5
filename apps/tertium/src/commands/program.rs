//! `tertium check` on programs.

use std::time::Instant;

use tertium_base::Budget;
use tertium_base::narrow::millis;
use tertium_driver::program::answer::Vacuity;
use tertium_driver::program::predicate_abstraction::abstraction_view;
use tertium_driver::program::questions::Question;
use tertium_driver::program::{self, proof};
use tertium_driver::strategy::{self, Approach, ProgramQuery};
use tertium_driver::{Belnap, Failure, Observer, vacuity};
use tertium_report::page::view::SourceView;
use tertium_report::view::{CheckReport, EvidenceView, Message, ResultView, SCHEMA_VERSION};

use super::check::{Done, Expectations, Printer, finish, folder, heading, judge, phase_for, refuse};
use super::known::Known;
use super::wishes::{self, options};
use super::{abstraction, pages, program_views, views};
use crate::args::{CheckArgs, FailOn, Semantics};
use crate::exit;
use crate::progress::Progress;

/// Decides the properties of a program.
pub fn decide(args: &CheckArgs, budget: &Budget, wants_page: bool) -> Result<Done, Failure> {
    let wishes = wishes::of(args, wants_page)?;
    let abstracted = wishes.approach == Approach::Abstract;
    refuse(
        args,
        "structures",
        "programs",
        &[
            ("--at", args.at.is_some()),
            ("--all-states", args.all_states),
            ("--semantics thorough", args.semantics == Semantics::Thorough && !abstracted),
        ],
    )?;
    let start = Instant::now();
    let expectations = Expectations::parse(&args.expect)?;
    let language = program::Language::of(&args.file).map_or("gcl", program::Language::name);
    let phase = phase_for(args, language, budget);
    let known = Known::begin(args, language, &phase);
    let phase = phase.with_known(known.clone());
    phase.phase("reading the program");
    let progress = Progress::start(phase.clone(), args.look.quiet);
    let (logic, mut extras) = (args.logic.map(|logic| logic.0), abstraction::extras(&args.how));
    extras.spotlight.clone_from(&args.spotlight);
    extras.every = true;
    let file = program::load_with(&args.file, &args.properties, logic, &args.defines, &extras)?;
    if file.language == program::Language::Gcl {
        let given = [("--progress", args.progress), ("--fair", args.fair)];
        refuse(args, "Promela models", "guarded commands", &given)?;
    }
    let questions = program::questions::questions(&file, &args.only, args.progress)?;
    expectations.all_name_something(questions.iter().map(program_views::name_of))?;
    let asked = questions.iter().map(|question| {
        let answer = program::ProgramAnswer::about(question);
        ResultView { show_name: answer.named, ..ResultView::not_begun(&answer.name, &answer.formula, answer.logic, "") }
    });
    known.asked(asked.collect(), heading(args, &file.description()));
    let request = ProgramQuery { file: &file, questions: &questions, wishes: &wishes };
    let outcome = strategy::decide(&request, budget, &phase);
    drop(progress);
    let outcome = outcome?;

    let mut remarks = file.warnings.clone();
    remarks.extend(outcome.remarks.iter().cloned());
    if !args.look.quiet {
        super::show(&remarks, args.look.color);
    }
    let mut printer = Printer::start(args, file.language.name(), &file.description(), &phase);
    known.opened();
    let mut results = Vec::new();
    let mut folder = folder(args)?;
    let mut page = wants_page.then(|| printer.empty_page(&file.description()));
    let is_whole = file.open.is_none() && outcome.answers.iter().all(|answer| answer.spotlight.is_none());
    let plain = !abstracted && is_whole;
    let explored = wants_page && plain && outcome.answers.iter().any(|answer| answer.value() == Belnap::True);
    let invariant = if explored { pages::invariant(&file, budget) } else { Vec::new() };
    for (answer, question) in outcome.answers.iter().zip(&questions) {
        let whole = &file;
        let file = answer.system().unwrap_or(whole);
        // A run of one size is read by the question as it is asked of that size.
        let mut asked = match answer.system() {
            Some(file) => program::questions::questions(file, &args.only, args.progress)?,
            None => Vec::new(),
        };
        let name = program_views::name_of(question);
        asked.retain(|asked| program_views::name_of(asked) == name);
        let of_size = asked.first().unwrap_or(question);
        program::run_confirmation::must_show(file, of_size, answer)?;
        let mut view = program_views::result(file, answer, outcome.answers.len(), args);
        let mut obligations = 0;
        if let Some(folder) = &mut folder {
            let stem = folder.stem_for(program_views::name_of(question));
            let mut files = program_views::run_files(&stem, file, answer, args.fair);
            view.evidence.file = files.first().map(|file| folder.path(&file.name));
            let proved_by_run = proof::is_shown_by_its_run(of_size, answer);
            if matches!(answer.value(), Belnap::True | Belnap::False) && !proved_by_run {
                let asked = (if answer.run().is_some() { of_size } else { question }, answer);
                let run = answer.run().is_some().then(|| view.evidence.clone());
                let proof = program_views::proof_files(&stem, file, asked, &options(args), &mut view, budget)?;
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
                folder.replace(&stem, program_views::name_of(question), view.value.word(), &files)?;
            }
        }
        view.warnings.extend(vacuity_remark(question, answer, args));
        judge(&mut view, &expectations, &args.fail_on);
        printer.result(&view);
        known.told(&view);
        if let Some(page) = &mut page {
            let mut detail = pages::of_program(file, of_size, (answer, &view), &invariant, args.fair);
            pages::add_basis(file, answer, obligations, &mut detail);
            let drawn = pages::rounds(file, (question, answer), &options(args), args, budget)?;
            if !drawn.is_empty() {
                pages::add_rounds(&drawn, answer, &view, &mut detail, page);
            } else if let (Question::Property(asked), true, None) = (question, abstracted && is_whole, answer.stopped())
            {
                let how = abstraction::options(&args.how, args.max_states);
                match abstraction_view::picture(file, asked, &options(args), &how, budget) {
                    Ok(Some(found)) => {
                        view.next.extend(pages::with_predicate(&found, &view, &printer.input.file));
                        pages::add_abstraction(&found, &view, &mut detail, page);
                    }
                    // A page without the picture is better than none.
                    Ok(None) | Err(Failure::Stopped(_)) => {}
                    Err(failure) => return Err(failure),
                }
            }
            pages::add_structure(file, answer, &mut detail, page);
            page.details.push(detail);
        }
        results.push(view);
    }
    finish(&mut folder, args)?;
    let report = CheckReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: printer.input.clone(),
        results,
        lattice: None,
        warnings: views::messages(&remarks),
    };
    let code = exit::of_check(&report);
    printer.finish(&report, code, millis(start.elapsed()));
    if let Some(page) = &mut page {
        page.report = report;
        page.sources = file.texts().into_iter().map(|(file, text)| SourceView { file, text }).collect();
        page.coverage = pages::coverage(&file, outcome.coverage.as_deref());
    }
    Ok(Done { code, page, folder })
}

/// Who wants to know of vacuous truth is told where it was not looked for.
fn vacuity_remark(question: &Question, answer: &program::ProgramAnswer, args: &CheckArgs) -> Option<Message> {
    let Question::Property(asked) = question else { return None };
    let wanted = args.fail_on.contains(&FailOn::Vacuous) && answer.value() == Belnap::True;
    let unsought = wanted && answer.vacuity == Vacuity::NotSought;
    (unsought && vacuity::has_implications(&asked.formula))
        .then(|| views::message(&vacuity::not_looked_for("it is not looked for in this way of deciding it")))
}
