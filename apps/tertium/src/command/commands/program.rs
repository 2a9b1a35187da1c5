//! `tertium check` on programs.

use std::sync::Arc;
use std::time::Instant;

use tertium_base::Budget;
use tertium_base::narrow::millis;
use tertium_driver::program;
use tertium_driver::program::questions::Question;
use tertium_driver::strategy::{self, ProgramQuery};
use tertium_driver::{Belnap, Failure, Located, Observer};
use tertium_report::page::view::SourceView;
use tertium_report::view::{CheckReport, ResultView, SCHEMA_VERSION, Tally};

use super::check::{Done, Wanted, finish, folder, heading, phase_for, refuse};
use super::expectations::{BELNAP, Expectations};
use super::known::SharedFindings;
use super::telling::{ReportSoFar, Telling};
use super::{abstraction, checkpoints, pages, views, wishes};
use crate::command::args::CheckArgs;
use crate::command::exit;
use crate::command::progress::{Phase, Progress};

/// Decides the properties of a program.
pub fn decide(args: &CheckArgs, budget: &Budget, wanted: &Wanted) -> Result<Done, Failure> {
    let mut wishes = wishes::of(args, wanted.page)?;
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
    if file.language != program::Language::Promela {
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
    wishes.options.checkpoints = checkpoints::of_check(args, &file)?.map(Arc::new);
    let request = ProgramQuery { file: &file, questions: &questions, wishes: &wishes };
    let telling =
        Telling { args, request: &request, expectations: &expectations, phase: &phase, known: &known, budget };
    let (outcome, mut told) = telling.decide(folder(args)?);
    drop(progress);
    let outcome = told.failed.take().map_or(outcome, Err)?;
    let printer = told.printer.take().unwrap_or_else(|| telling.opened());
    let mut remarks = file.warnings.clone();
    let unwritten =
        wishes.options.checkpoints.as_deref().and_then(program::checkpoints::not_written).map(Located::nowhere);
    let said: Vec<Located> = outcome.remarks.iter().cloned().chain(unwritten).collect();
    remarks.extend(said.iter().cloned());
    if !args.look.quiet {
        super::show(&said, args.look.color);
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
    let itf = |answer: &program::ProgramAnswer| {
        // A run of one size is no run of the program as it stands.
        let run = answer.run().filter(|_| answer.system().is_none())?;
        Some(program::itf::document(&file, run, None, answer.repeats()))
    };
    let runs = if wanted.runs { outcome.answers.iter().map(itf).collect() } else { Vec::new() };
    Ok(Done { code, tally, page, folder, runs })
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
