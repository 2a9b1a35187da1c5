//! Deciding properties while the conversation goes on.
//!
//! A check runs in a thread of its own under a budget of time and memory, and stops when the user asks for it. It is
//! the same work as `tertium check`, on the text as it stands in the editor.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Parser;
use serde_json::{Value, json};
use tertium_base::Budget;
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::editor::TextKind;
use tertium_driver::program::{self, Language};
use tertium_driver::strategy::{self, ProgramQuery};
use tertium_driver::{Failure, Observer};
use tertium_report::view::{ResultView, RunView, StepView, ValueView};
use tertium_report::{Style, text};

use super::server::Event;
use crate::command::args::{CheckArgs, Cli, Command};
use crate::command::commands::{program_views, views, wishes};

/// Progress is told this often at most.
const EVERY: Duration = Duration::from_millis(200);

/// How long and in how much memory a check may run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time.
    pub time: Duration,
    /// Memory in bytes.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), memory: 4 << 30 }
    }
}

impl Limits {
    /// The limits that an editor sets: `{"timeoutSeconds": 60, "memoryMegabytes": 4096}`.
    pub fn from_options(options: &Value) -> Self {
        let number = |name: &str| options.get(name).and_then(Value::as_u64).filter(|&number| number > 0);
        let usual = Self::default();
        Self {
            time: number("timeoutSeconds").map_or(usual.time, Duration::from_secs),
            memory: number("memoryMegabytes")
                .and_then(|megabytes| usize::try_from(megabytes).ok()?.checked_mul(1 << 20))
                .unwrap_or(usual.memory),
        }
    }
}

/// What is to be decided.
#[derive(Clone, Debug)]
pub struct Job {
    /// Which check it is.
    pub number: u64,
    /// The address of the document.
    pub uri: String,
    /// The version of the text.
    pub version: i64,
    /// The path that messages name.
    pub file: String,
    /// The language.
    pub kind: TextKind,
    /// The text.
    pub text: String,
    /// The property; all of the text without one.
    pub only: Option<String>,
    /// The limits.
    pub limits: Limits,
}

/// What was found out about one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// `true`, `false`, `unknown`, or what else values are called.
    pub value: ValueView,
    /// Which limit was reached.
    pub stopped: Option<String>,
    /// The answer as a text with its reasons.
    pub text: String,
    /// The steps of its run, the last ones of a long one.
    pub steps: Vec<ReportedStep>,
}

/// A step of a run, to be gone to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportedStep {
    /// Its statement.
    pub place: StepPlace,
    /// Who does what.
    pub what: String,
}

/// Where a step stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepPlace {
    /// In this line, counted from 1, of this file, or of the model's own.
    Line(usize, Option<String>),
    /// At the declaration of a state.
    State(String),
}

impl PropertyReport {
    fn of(view: &ResultView) -> Self {
        let style = Style { colour: false, verbose: false };
        Self {
            name: view.name.clone(),
            value: view.value.clone(),
            stopped: view.stopped.map(str::to_owned),
            text: outdented(&text::result(view, style)),
            steps: view.evidence.run.as_ref().map(reported).unwrap_or_default(),
        }
    }

    /// The value in a word or two.
    pub fn word(&self) -> String {
        match &self.stopped {
            Some(limit) => format!("{} (stopped: {limit})", self.value),
            None => self.value.to_string(),
        }
    }

    /// As the result of the command.
    pub fn json(&self) -> Value {
        json!({"name": self.name, "value": self.value.word(), "stopped": self.stopped, "text": self.text})
    }
}

/// The last steps of a run, with the step that goes wrong.
fn reported(run: &RunView) -> Vec<ReportedStep> {
    const MOST: usize = 60;
    let values = |step: &StepView| step.values.clone().map(|values| values.0).unwrap_or_default();
    let mut found = Vec::new();
    for (at, step) in run.steps.iter().enumerate().skip(run.steps.len().saturating_sub(MOST)) {
        let (place, mut what) = match &step.step {
            Some(taken) => (
                StepPlace::Line(taken.line, taken.file.clone()),
                format!("step {at}: {}: {}", taken.process, taken.statement),
            ),
            // A structure has states in place of statements; the first state of a program has no place.
            None if step.values.is_none() => {
                (StepPlace::State(step.state.clone()), format!("step {at}: {}", step.state))
            }
            None => continue,
        };
        let before = at.checked_sub(1).map(|before| values(&run.steps[before])).unwrap_or_default();
        let changed = values(step).into_iter().filter(|value| !before.contains(value));
        let changes: Vec<String> =
            changed.filter(|(name, _)| !name.ends_with('@')).map(|(name, value)| format!("{name}={value}")).collect();
        if !changes.is_empty() {
            what.push_str(&format!("   {}", changes.join(" ")));
        }
        if run.loop_start == Some(at) {
            what.push_str("   (from here on for ever)");
        }
        found.push(ReportedStep { place, what });
    }
    if let Some(end) = &run.end
        && let Some(taken) = &end.step
    {
        let what = format!("{}: {}: {}", taken.process, taken.statement, end.message);
        found.push(ReportedStep { place: StepPlace::Line(taken.line, taken.file.clone()), what });
    }
    found
}

/// A report without the blanks that set it off in a terminal.
fn outdented(report: &str) -> String {
    report.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// Starts a check; its end is told to `events`. `cancel` stops it.
pub fn start(job: Job, cancel: Arc<AtomicBool>, events: Sender<Event>) {
    std::thread::spawn(move || {
        let teller = Teller { number: job.number, events: events.clone(), last: Mutex::new(None) };
        let budget = Budget::unlimited()
            .with_time(Some(job.limits.time))
            .with_memory(Some(job.limits.memory))
            .with_cancel(cancel);
        let work = std::panic::AssertUnwindSafe(|| decide(&job, &budget, &teller));
        let outcome = std::panic::catch_unwind(work)
            .unwrap_or_else(|_| Err("a fault of tertium, not of the model; see its messages".to_owned()));
        // If nobody listens any more, the editor is gone.
        let _ = events.send(Event::Checked { job, outcome });
    });
}

/// Tells what a check is doing, not too often.
struct Teller {
    number: u64,
    events: Sender<Event>,
    last: Mutex<Option<Instant>>,
}

impl Observer for Teller {
    fn phase(&self, what: &str) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        *last = Some(Instant::now());
        let _ = self.events.send(Event::Phase { number: self.number, what: what.to_owned() });
    }
}

fn decide(job: &Job, budget: &Budget, observer: &dyn Observer) -> Result<Vec<PropertyReport>, String> {
    let args = arguments(job)?;
    let answers = match job.kind {
        TextKind::Kmts => structure(job, &args, budget, observer),
        TextKind::Gcl | TextKind::Promela => program(job, &args, budget, observer),
    };
    answers.map_err(|failure| failure.to_string())
}

/// The options of a check that nobody has changed.
fn arguments(job: &Job) -> Result<Box<CheckArgs>, String> {
    let mut words = vec!["tertium".to_owned(), "check".to_owned(), "--".to_owned(), job.file.clone()];
    if let Some(only) = &job.only {
        words.insert(2, format!("--only={only}"));
    }
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Check(args)) => Ok(args),
        Ok(_) => Err("not a check".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn structure(
    job: &Job,
    args: &CheckArgs,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Vec<PropertyReport>, Failure> {
    let loaded = tertium_driver::input::from_text(&job.file, &job.text, budget)?;
    let options = CheckOptions { parameters: true, look_for_vacuity: true, ..CheckOptions::default() };
    let session = Session::new(&loaded, options, budget)?;
    let properties = session.properties(&[], &args.only)?;
    let mut told = Vec::new();
    for property in &properties {
        observer.phase(&format!("checking {}", property.property.name));
        let answer = session.check(property, budget, observer)?;
        told.push(PropertyReport::of(&views::result(&session, &answer, properties.len().max(2), args)));
    }
    Ok(told)
}

fn program(
    job: &Job,
    args: &CheckArgs,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Vec<PropertyReport>, Failure> {
    observer.phase("reading the program");
    let file = if job.kind == TextKind::Promela {
        program::promela::from_text(&job.file, &job.text, &[], None, &[], &[])?
    } else {
        let extras = program::Extras { every: true, ..program::Extras::default() };
        program::from_text_with(&job.file, job.text.clone(), &[], None, &extras)?
    };
    debug_assert_eq!(file.language == Language::Promela, job.kind == TextKind::Promela);
    let questions = program::questions::questions(&file, &args.only, false)?;
    let wishes = wishes::of(args, false)?;
    let request = ProgramQuery { file: &file, questions: &questions, wishes: &wishes };
    let mut outcome = strategy::decide(&request, budget, observer)?;
    for (question, answer) in questions.iter().zip(&mut outcome.answers) {
        strategy::look_for_vacuity(&request, question, answer, budget, observer)?;
    }
    let told = outcome.answers.iter().map(|answer| {
        let file = answer.system().unwrap_or(&file);
        PropertyReport::of(&program_views::result(file, answer, questions.len().max(2), args))
    });
    Ok(told.collect())
}
