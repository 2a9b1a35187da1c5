//! What is known of a check so far, for the report of a run that does not end by itself.
//!
//! The pipeline tells which answers it has as soon as it has them; whatever is not known when the watchdog ends the run is stopped.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tertium_base::Stopped;
use tertium_base::narrow::millis;
use tertium_driver::Belnap;
use tertium_driver::property::Property;
use tertium_report::view::{CheckReport, Input, Message, ResultView, SCHEMA_VERSION, Verdict};
use tertium_report::{Style, json, junit, sarif, text};

use super::check::shown_path;
use super::expectations::{Expectations, judge};
use crate::command::args::{CheckArgs, FailOn, Format};
use crate::command::exit;
use crate::command::progress::Phase;
use crate::command::terminal::{self, Stream};
use crate::command::watchdog::{self, LastWords};

/// What is known so far; all copies know the same.
#[derive(Clone, Debug, Default)]
pub struct SharedFindings(Arc<Mutex<Findings>>);

#[derive(Debug, Default)]
struct Findings {
    /// All questions in the order asked, each as far as it is known; what is not is stopped by nothing yet.
    results: Vec<ResultView>,
    /// Which of them the user has been told.
    told: Vec<bool>,
    /// Whether the model was read: its questions are then known.
    is_read: bool,
    /// What was written before all results, or will have to be.
    opening: Opening,
    warnings: Vec<Message>,
}

#[derive(Debug, Default)]
enum Opening {
    /// Nothing yet; this would be first.
    Due(String),
    /// It was written.
    #[default]
    StepNarration,
}

/// How the report is made.
struct Manner {
    format: Format,
    style: Style,
    quiet: bool,
    input: Input,
    expectations: Option<Expectations>,
    fail_on: Vec<FailOn>,
    start: Instant,
    phase: Phase,
}

impl SharedFindings {
    /// Nothing is known yet but the properties on the command line; from now on the watchdog asks here.
    pub fn begin(args: &CheckArgs, kind: &'static str, phase: &Phase) -> Self {
        let given = args.properties.iter().enumerate().filter_map(|(at, text)| {
            let parsed = Property::from_argument(text, at + 1).parse(args.logic.map(|logic| logic.0), &[]).ok()?;
            let (name, logic) = (&parsed.property.name, parsed.formula.logic().name());
            Some(ResultView::not_begun(name, &parsed.formula.text(), logic, ""))
        });
        let input = Input { file: shown_path(args.file()), kind };
        let findings =
            Findings { results: given.collect(), opening: Opening::Due(String::new()), ..Findings::default() };
        let known = Self(Arc::new(Mutex::new(findings)));
        let manner = Manner {
            format: args.format,
            style: Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose },
            quiet: args.look.quiet,
            input,
            expectations: Expectations::parse(&args.expect).ok(),
            fail_on: args.fail_on.clone(),
            start: Instant::now(),
            phase: phase.clone(),
        };
        let asked = known.clone();
        watchdog::last_words(move |stopped| asked.words(&manner, stopped));
        known
    }

    fn findings(&self) -> MutexGuard<'_, Findings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model was read, and these are its questions. `opening` comes before all results.
    pub fn asked(&self, questions: Vec<ResultView>, opening: String) {
        let mut findings = self.findings();
        findings.told = vec![false; questions.len()];
        findings.results = questions;
        findings.is_read = true;
        findings.opening = Opening::Due(opening);
    }

    /// The user has been told what comes before all results.
    pub fn opened(&self) {
        self.findings().opening = Opening::StepNarration;
    }

    /// A question has this value; how it was found is not told yet.
    pub fn answered(&self, name: &str, value: Belnap) {
        let mut findings = self.findings();
        if let Some(view) = findings.untold().find(|view| view.name == name) {
            view.value = value.into();
            view.verdict = match value {
                Belnap::True => Verdict::Success,
                Belnap::False => Verdict::Failure,
                Belnap::Unknown | Belnap::Both => return,
            };
            view.stopped = None;
        }
    }

    /// This is an answer with all that is known of it but its certificate; the user has not been told yet.
    pub fn found(&self, view: &ResultView) {
        if let Some(known) = self.findings().untold().find(|known| known.name == view.name) {
            known.clone_from(view);
        }
    }

    /// The user has been told this, or will be with all others.
    pub fn told(&self, view: &ResultView) {
        let mut findings = self.findings();
        let at = findings.results.iter().position(|known| known.name == view.name);
        if let Some(at) = at {
            findings.results[at].clone_from(view);
            findings.told[at] = true;
        }
    }

    /// What is to be said if the run ends now.
    fn words(&self, manner: &Manner, stopped: Stopped) -> LastWords {
        let mut findings = self.findings();
        for view in findings.untold() {
            if view.stopped.is_some() {
                view.stopped = Some(stopped.0.word());
            }
            if let Some(expectations) = &manner.expectations {
                judge(view, expectations, &manner.fail_on, false);
            }
        }
        let (code, message) = if findings.is_read {
            ("W0315", format!("the run was ended from outside: {stopped}"))
        } else {
            ("W0307", format!("stopped while the model was read: {stopped}"))
        };
        findings.warnings.push(Message { code: code.to_owned(), message });
        let report = CheckReport {
            schema_version: SCHEMA_VERSION,
            tool: super::tool(),
            input: manner.input.clone(),
            results: findings.results.clone(),
            lattice: None,
            warnings: findings.warnings.clone(),
        };
        let code = match exit::of_check(&report) {
            // Whatever was to come, evidence for example, is missing.
            exit::ALL_HOLD => LastWords::of(stopped).code,
            code => code,
        };
        let out = findings.document(manner, &report, code);
        let err = if manner.format == Format::Text { format!("stopped: {stopped}\n") } else { String::new() };
        LastWords { out, err, code }
    }
}

impl Findings {
    fn untold(&mut self) -> impl Iterator<Item = &mut ResultView> {
        let told = self.told.iter().copied().chain(std::iter::repeat(false));
        self.results.iter_mut().zip(told).filter(|(_, told)| !told).map(|(view, _)| view)
    }

    /// The part of the report that has not been written yet.
    fn document(&mut self, manner: &Manner, report: &CheckReport, code: u8) -> String {
        let opening = match std::mem::replace(&mut self.opening, Opening::StepNarration) {
            Opening::Due(text) => text,
            Opening::StepNarration => String::new(),
        };
        let told = self.told.iter().copied().chain(std::iter::repeat(false));
        let rest = report.results.iter().zip(told).filter(|(_, told)| !told).map(|(view, _)| view);
        let time = millis(manner.start.elapsed());
        match manner.format {
            Format::Json => json::document(report),
            Format::Sarif => sarif::document(report),
            Format::Junit => junit::document(report),
            Format::Ndjson => {
                let header = manner.phase.header().unwrap_or_default();
                let lines: String = rest.map(json::result_line).collect();
                format!("{header}{lines}{}", json::summary_line(report, code))
            }
            Format::Text if manner.quiet => rest.map(|view| text::short_result(view, manner.style)).collect(),
            Format::Text => {
                let results: String = rest.map(|view| text::result(view, manner.style)).collect();
                format!("{opening}{results}{}", text::summary(report, time, manner.style))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tertium_base::StopReason;

    use super::*;

    #[test]
    fn a_run_that_is_ended_reports_what_was_answered_before() {
        let known = SharedFindings::default();
        let question = |name: &str| ResultView::not_begun(name, "G p", "ltl", "");
        known.asked(vec![question("late"), question("early"), question("broken")], String::new());
        known.answered("early", Belnap::True);
        known.answered("broken", Belnap::False);
        let manner = Manner {
            format: Format::Json,
            style: Style::default(),
            quiet: false,
            input: Input { file: "m.gcl".to_owned(), kind: "gcl" },
            expectations: None,
            fail_on: Vec::new(),
            start: Instant::now(),
            phase: Phase::default(),
        };
        let words = known.words(&manner, Stopped(StopReason::Time));
        let report: serde_json::Value = serde_json::from_str(&words.out).expect("a document");
        let told = |at: usize| (report["results"][at]["value"].as_str(), report["results"][at]["stopped"].as_str());
        assert_eq!(
            [told(0), told(1), told(2)],
            [(Some("unknown"), Some(StopReason::Time.word())), (Some("true"), None), (Some("false"), None)]
        );
        assert_eq!(words.code, exit::SOME_FALSE);
    }
}
