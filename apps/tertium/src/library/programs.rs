//! Properties of programs, by the strategy.

use tertium_base::Budget;
use tertium_driver::program::answer::{ProgramAnswer, ProgramEvidence};
use tertium_driver::program::proof::{self, Written};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::sizes::asked_of;
use tertium_driver::program::{self, ProgramFile, wording};
use tertium_driver::strategy::{self, ProgramQuery};
use tertium_driver::{Failure, Observer};

use super::Options;
use super::report::{Evidence, PropertyReport, Report, Run, RunStep};

pub(super) fn check(
    file: &ProgramFile,
    options: &Options,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Report, Failure> {
    let asked = questions(file, &options.only, false)?;
    let mut wishes = options.wishes.clone();
    wishes.options.keep_basis |= options.certificates;
    let query = ProgramQuery { file, questions: &asked, wishes: &wishes };
    let mut outcome = strategy::decide(&query, budget, observer)?;
    for (question, answer) in asked.iter().zip(&mut outcome.answers) {
        strategy::look_for_vacuity(&query, question, answer, budget, observer)?;
    }
    let mut results = Vec::new();
    for (question, answer) in asked.iter().zip(&outcome.answers) {
        // A run of one size is read by the question as it is asked of that size.
        let of_size = answer.system().and_then(|system| asked_of(system, &answer.name));
        let question = of_size.as_ref().unwrap_or(question);
        program::run_confirmation::must_show(answer.system().unwrap_or(file), question, answer)?;
        let certificate = if options.certificates { certificate(&query, question, answer, budget)? } else { None };
        results.push(told(file, answer, certificate));
    }
    let warnings = file.warnings.iter().chain(&outcome.remarks).cloned().collect();
    Ok(Report { results, warnings })
}

/// The certificate of a definite answer, if it has one.
fn certificate(
    query: &ProgramQuery<'_>,
    question: &Question,
    answer: &ProgramAnswer,
    budget: &Budget,
) -> Result<Option<String>, Failure> {
    if !answer.verdict.is_definite() {
        return Ok(None);
    }
    let file = answer.system().unwrap_or(query.file);
    match proof::certificate_of(file, question, answer, &query.wishes.options, budget) {
        Ok(Written::Certificate(text) | Written::WithObligations { text, .. }) => Ok(Some(text)),
        Ok(Written::None(_)) | Err(Failure::Stopped(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

fn told(file: &ProgramFile, answer: &ProgramAnswer, certificate: Option<String>) -> PropertyReport {
    let evidence = |shown: &ProgramEvidence| Evidence {
        run: shown.run.as_ref().map(|run| told_run(shown.system.as_deref().unwrap_or(file), run)),
        certificate,
    };
    PropertyReport {
        name: answer.name.clone(),
        formula: answer.formula.clone(),
        logic: answer.logic,
        verdict: answer.verdict.told(evidence, |reason| vec![reason.what.clone()]),
        value: answer.value().to_string(),
        provenance: answer.provenance,
        vacuous: answer.is_vacuous(),
        states: answer.cost.states,
        warnings: answer.warnings.iter().map(|warning| warning.message.clone()).collect(),
        elapsed: answer.cost.elapsed,
    }
}

fn told_run(file: &ProgramFile, run: &program::Run) -> Run {
    let semantics = program::semantics(file);
    let steps = run.states().enumerate().map(|(at, state)| {
        let taken = at.checked_sub(1).and_then(|before| wording::tell(file, &run.steps[before].moves));
        RunStep {
            state: at.to_string(),
            values: wording::values(&semantics, state),
            process: taken.as_ref().map(|taken| taken.process.clone()),
            line: taken.as_ref().map(|taken| taken.line),
            statement: taken.map(|taken| taken.statement),
        }
    });
    let fault = run.fault.as_ref().map(|(_, fault)| wording::tell_fault(&file.program, fault));
    let end = fault.or_else(|| run.deadlock.then(|| "deadlock".to_owned()));
    Run { steps: steps.collect(), loop_start: run.loop_start, end }
}
