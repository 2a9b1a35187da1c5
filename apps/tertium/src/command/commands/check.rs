//! `tertium check`: decide properties.

use std::path::Path;
use std::time::Instant;

use tertium_base::narrow::millis;
use tertium_base::visible::visible;
use tertium_base::{Budget, Diagnostic, StopReason, Stopped};
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::engines::EngineChoice;
use tertium_driver::property::Property;
use tertium_driver::{Failure, Located, Observer};
use tertium_report::page::Page;
use tertium_report::page::view::Detail;
use tertium_report::view::{CheckReport, Input, Message, ResultView, SCHEMA_VERSION, Tally};
use tertium_report::{Style, json, junit, sarif, text};

use super::expectations::{Expectations, judge};
use super::known::SharedFindings;
use super::{listing, many, pages, views};
use crate::command::args::{Certificates, CheckArgs, DeviceName, EngineName, FailOn, Format, Parameters, Semantics};
use crate::command::evidence::EvidenceFolder;
use crate::command::exit;
use crate::command::progress::{Listener, Phase, Progress};
use crate::command::terminal::{self, Stream};

/// Runs the command.
pub fn run(args: &CheckArgs) -> u8 {
    let budget = super::budget(args.limits);
    if many::are_several(args) {
        return many::run(args, &budget);
    }
    let model = args.files.first().ok_or_else(|| Failure::Internal("no model is named".to_owned()));
    match model.and_then(|file| super::source(file, &args.text)) {
        Ok(model) => one(&args.for_model(model), &budget).0,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

/// Checks one model; the exit code, and how many properties have which value.
pub fn one(args: &CheckArgs, budget: &Budget) -> (u8, Tally) {
    if args.list {
        return match listing::list(args, budget) {
            Ok(()) => (exit::ALL_HOLD, Tally::default()),
            Err(failure) => (super::fail(&failure, args.look.color), Tally::default()),
        };
    }
    match decide(args, budget, &Wanted::page(args.evidence.is_some())).and_then(|done| keep(args, done)) {
        Ok(done) => done,
        Err(Failure::Stopped(stopped)) if args.format != Format::Text => {
            let report = stopped_early(args, stopped);
            (report.0, Tally::of(&report.1.results))
        }
        Err(failure) => (super::fail(&failure, args.look.color), Tally::default()),
    }
}

/// A finished check: what it says as an exit code, and the page about it if one was wanted.
pub struct Done {
    /// The exit code.
    pub code: u8,
    /// How many properties have which value.
    pub tally: Tally,
    /// The page.
    pub page: Option<Page>,
    /// Where evidence goes.
    pub folder: Option<EvidenceFolder>,
    /// Of each answer about a program its run in the ITF format, if runs were wanted.
    pub runs: Vec<Option<String>>,
}

/// The directory for evidence, if it is wanted.
pub fn folder(args: &CheckArgs) -> Result<Option<EvidenceFolder>, Failure> {
    let arguments = args.properties.iter().enumerate();
    let given = arguments.map(|(at, text)| Property::from_argument(text, at + 1).name).collect();
    args.evidence.as_ref().map(|dir| EvidenceFolder::open(dir, &shown_path(args.file()), given)).transpose()
}

/// Ends with a directory for evidence: whatever the model has no question for any more is removed.
pub fn finish(folder: &mut Option<EvidenceFolder>, args: &CheckArgs) -> Result<(), Failure> {
    let asked_all = args.only.is_empty() && args.properties.is_empty();
    folder.as_mut().map_or(Ok(()), |folder| folder.finish(asked_all))
}

/// Writes the page into the directory for evidence, and says where.
pub fn keep(args: &CheckArgs, done: Done) -> Result<(u8, Tally), Failure> {
    if let (Some(mut folder), Some(page)) = (done.folder, &done.page) {
        let path = pages::write(&mut folder, page)?;
        if args.format == Format::Text && !args.look.quiet {
            terminal::write(Stream::Out, &format!("page: {}\n", visible(&path)));
        }
    }
    Ok((done.code, done.tally))
}

/// What is wanted of a check besides its answers.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The page.
    pub page: bool,
    /// The runs of a program.
    pub runs: bool,
    /// That somebody is told what goes on.
    pub listener: Option<Listener>,
}

impl Wanted {
    /// Only the page, or not even that.
    #[must_use]
    pub const fn page(page: bool) -> Self {
        Self { page, runs: false, listener: None }
    }
}

/// Decides what was asked and tells it as it goes; the page is made if it is wanted.
pub fn decide(args: &CheckArgs, budget: &Budget, wanted: &Wanted) -> Result<Done, Failure> {
    let model = args.model()?;
    super::allow_includes(model, &args.text.include_dirs)?;
    if model.is_program() {
        refuse_queries(args)?;
        return super::program::decide(args, budget, wanted);
    }
    refuse(
        args,
        "programs",
        "structures",
        &[
            ("--abstraction", args.how.abstraction.is_some()),
            ("--refinements", args.refinements.is_some()),
            ("--spotlight", !args.spotlight.is_empty()),
            ("--parameters literal", args.parameters == Parameters::Literal),
            ("--no-reduction", args.no_reduction),
            ("--store", args.store.is_some()),
            ("--max-states", args.max_states.is_some()),
            ("--threads", args.threads.is_some()),
            ("--checkpoint", args.checkpoint.is_some()),
            ("--resume", args.resume.is_some()),
            ("--disk", args.disk.is_some()),
            ("--device", args.device == DeviceName::Gpu),
            ("-D", !args.text.defines.is_empty()),
            ("--progress", args.progress),
            ("--fair", args.fair),
            ("--allow-empty", args.allow_empty),
            ("--certificates", args.certificates != Certificates::Auto),
        ],
    )?;
    refuse(args, "programs", "structures", &args.how.given())?;
    let start = Instant::now();
    let expectations = Expectations::parse(&args.expect)?;
    let options = options(args);
    let phase = phase_for(args, "kmts", budget).with_listener(wanted.listener.clone());
    let known = SharedFindings::begin(args, "kmts", &phase);
    let phase = phase.with_known(known.clone());
    let progress = Progress::start(phase.clone(), args.look.quiet);
    phase.phase("reading the model");
    let loaded = model.structure(budget)?;
    let session = Session::new(&loaded, options, budget)?;
    let properties = session.properties(&args.properties, &args.only)?;
    let names = properties.iter().map(|parsed| parsed.property.name.as_str());
    expectations.fit(names, &loaded.truth_values())?;
    drop(progress);
    let asked = properties.iter().map(|parsed| {
        let (name, logic) = (&parsed.property.name, parsed.formula.logic().name());
        ResultView::not_begun(name, &parsed.formula.text(), logic, "")
    });
    known.asked(asked.collect(), heading(args, &session.description()));

    if !args.look.quiet {
        super::show(session.warnings(), args.look.color);
    }
    let mut printer = Printer::start(args, session.kind(), &session.description(), &phase);
    known.opened();
    let mut results: Vec<ResultView> = Vec::new();
    let mut page = None;
    let mut folder = folder(args)?;
    for parsed in &properties {
        phase.phase(&format!("checking {}", parsed.property.name));
        let progress = Progress::start(phase.clone(), args.look.quiet);
        let answer = session.check(parsed, budget, &phase);
        drop(progress);
        let answer = answer?;
        let mut view = views::result(&session, &answer, properties.len(), args);
        if let Some(folder) = &mut folder {
            view.evidence.file = views::write_evidence(folder, &session, &answer, &mut view)?;
        }
        if view.evidence.file.is_some() && view.evidence.kind != "none" && view.stopped.is_none() {
            view.next.retain(|command| !command.contains("--evidence"));
        }
        judge(&mut view, &expectations, &args.fail_on, false);
        printer.result(&view);
        known.told(&view);
        if wanted.page {
            let page: &mut Page = page.get_or_insert_with(|| printer.empty_page(&session.description()));
            let detail = pages::of_structure(&session, parsed, (&answer, &view), &self::options(args), page, budget);
            page.details.push(match detail {
                Err(Failure::Stopped(_)) => Detail::default(),
                detail => detail?,
            });
        }
        results.push(view);
    }
    finish(&mut folder, args)?;
    let report = CheckReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: printer.input.clone(),
        results,
        lattice: views::lattice(&session),
        warnings: views::messages(session.warnings()),
    };
    let (code, tally) = (exit::of_check(&report), Tally::of(&report.results));
    printer.finish(&report, code, millis(start.elapsed()));
    if let Some(page) = &mut page {
        page.report = report;
        page.sources.extend(pages::source(model));
    }
    Ok(Done { code, tally, page, folder, runs: Vec::new() })
}

/// Who tells what the run is doing: for lines of JSON as events, unless they are not wanted.
pub fn phase_for(args: &CheckArgs, kind: &'static str, budget: &Budget) -> Phase {
    let phase = Phase::counting(budget);
    if args.format != Format::Ndjson {
        return phase;
    }
    let header = json::header_line(&super::tool(), &Input { file: shown_path(args.file()), kind });
    phase.with_events(header, !args.look.quiet)
}

/// A limit that is reached while the model is read still gives scripts a document: every property that was
/// given is stopped.
pub fn stopped_early(args: &CheckArgs, stopped: Stopped) -> (u8, CheckReport) {
    let results = args.properties.iter().enumerate().filter_map(|(at, text)| {
        let parsed = Property::from_argument(text, at + 1).parse(args.logic.map(|logic| logic.0), &[]).ok()?;
        let (name, logic) = (&parsed.property.name, parsed.formula.logic().name());
        Some(ResultView::not_begun(name, &parsed.formula.text(), logic, stopped.0.word()))
    });
    let message = format!("stopped while the model was read: {stopped}");
    let report = CheckReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: Input {
            file: shown_path(args.file()),
            kind: args.model.as_ref().map_or("kmts", |model| model.language.kind()),
        },
        results: results.collect(),
        lattice: None,
        warnings: vec![Message { code: "W0307".to_owned(), message }],
    };
    let code = if stopped.0 == StopReason::Interrupted { exit::INTERRUPTED } else { exit::SOME_OPEN };
    let style = Style { colour: false, verbose: false };
    let printer = Printer { format: args.format, style, quiet: args.look.quiet, input: report.input.clone() };
    if args.format == Format::Ndjson {
        // With events the first phase has brought the header.
        if args.look.quiet {
            printer.write(&json::header_line(&report.tool, &report.input));
        }
        report.results.iter().for_each(|view| printer.write(&json::result_line(view)));
    }
    printer.finish(&report, code, 0);
    (code, report)
}

/// An option that means nothing here is an error: it would be ignored.
pub fn refuse(args: &CheckArgs, meant_for: &str, kind: &str, given: &[(&str, bool)]) -> Result<(), Failure> {
    let mistakes: Vec<Located> = given
        .iter()
        .filter(|(_, given)| *given)
        .map(|(option, _)| {
            let message = format!("`{option}` is for {meant_for}, and `{}` is not one of them", args.file().display());
            Located::nowhere(Diagnostic::error("E0308", message).help(format!("leave it out for {kind}")))
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(Failure::Input(mistakes)) }
}

/// Queries are for structures.
fn refuse_queries(args: &CheckArgs) -> Result<(), Failure> {
    let is_query = |(at, text): (usize, &String)| {
        let parsed = Property::from_argument(text, at + 1).parse(args.logic.map(|logic| logic.0), &[]);
        parsed.is_ok_and(|parsed| tertium_driver::query::is_query(&parsed.formula))
    };
    if !args.properties.iter().enumerate().any(is_query) {
        return Ok(());
    }
    Err(tertium_driver::query::not_for_programs(&shown_path(args.file())).into())
}

/// The engine with the name that was typed.
pub const fn engine_choice(name: EngineName) -> EngineChoice {
    match name {
        EngineName::Auto => EngineChoice::Auto,
        EngineName::Explicit => EngineChoice::Explicit,
        EngineName::Reduction => EngineChoice::Reduction,
        EngineName::Automata => EngineChoice::Automata,
        EngineName::Game => EngineChoice::Game,
        EngineName::Symbolic => EngineChoice::Symbolic,
    }
}

/// How structures are checked.
pub fn options(args: &CheckArgs) -> CheckOptions {
    CheckOptions {
        logic: args.logic.map(|logic| logic.0),
        deadlock: args.deadlock.map(|name| name.0),
        linear: args.ltl.map(|name| name.0),
        at: args.at.clone(),
        all_states: args.all_states,
        engine: engine_choice(args.engine),
        parameters: args.parameters == Parameters::On,
        always_recheck: args.evidence.is_some(),
        look_for_vacuity: !args.look.quiet || args.fail_on.contains(&FailOn::Vacuous),
        thorough: args.semantics == Semantics::Thorough,
        module: args.module,
    }
}

/// Writes results as they come or all at once, as the format wants it.
pub struct Printer {
    format: Format,
    style: Style,
    quiet: bool,
    /// What is looked at.
    pub input: Input,
}

impl Printer {
    pub fn start(args: &CheckArgs, kind: &'static str, description: &str, phase: &Phase) -> Self {
        let colour = terminal::coloured(args.look.color, Stream::Out);
        let input = Input { file: shown_path(args.file()), kind };
        let this = Self {
            format: args.format,
            style: Style { colour, verbose: args.look.verbose },
            quiet: args.look.quiet,
            input,
        };
        match this.format {
            Format::Text => this.write(&heading(args, description)),
            Format::Ndjson => this.write(&phase.header().unwrap_or_default()),
            _ => {}
        }
        this
    }

    fn write(&self, text: &str) {
        terminal::write(Stream::Out, text);
    }

    /// A page to be filled.
    pub fn empty_page(&self, description: &str) -> Page {
        let report = CheckReport {
            schema_version: SCHEMA_VERSION,
            tool: super::tool(),
            input: self.input.clone(),
            results: Vec::new(),
            lattice: None,
            warnings: Vec::new(),
        };
        Page::new(report, description)
    }

    /// Tells one result.
    pub fn result(&mut self, view: &ResultView) {
        match self.format {
            Format::Text if self.quiet => self.write(&text::short_result(view, self.style)),
            Format::Text => self.write(&text::result(view, self.style)),
            Format::Ndjson => self.write(&json::result_line(view)),
            Format::Json | Format::Sarif | Format::Junit => {}
        }
    }

    /// Tells the whole.
    pub fn finish(&self, report: &CheckReport, code: u8, time_ms: u64) {
        match self.format {
            Format::Text if self.quiet => {}
            Format::Text => self.write(&text::summary(report, time_ms, self.style)),
            Format::Json => self.write(&json::document(report)),
            Format::Ndjson => self.write(&json::summary_line(report, code)),
            Format::Sarif => self.write(&sarif::document(report)),
            Format::Junit => self.write(&junit::document(report)),
        }
    }
}

/// What comes before all results in text.
pub fn heading(args: &CheckArgs, description: &str) -> String {
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    if args.look.quiet { String::new() } else { text::heading(&shown_path(args.file()), description, style) }
}

/// A path as the user wrote it.
pub fn shown_path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
