//! `tertium simulate`: a run of a program, led by chance, by a stored run, or by a person.

use std::io::IsTerminal;
use std::path::Path;

use tertium_base::{Budget, Diagnostic};
use tertium_driver::program::run::Run;
use tertium_driver::program::run_evidence::RunEvidence;
use tertium_driver::program::simulate::{Chance, Ending, Simulator};
use tertium_driver::program::trail::{self, Followed, Numbers, Trail};
use tertium_driver::program::{self, Extras, ProgramAnswer, ProgramFile, itf, questions};
use tertium_driver::{Belnap, Failure, ModelSource};
use tertium_report::simulate::{ShownView, SimulateReport};
use tertium_report::view::{Input, Ordered, SCHEMA_VERSION};
use tertium_report::{Style, json, text};

use super::dialogue::Dialogue;
use super::program_views::run_view;
use crate::command::args::{PlainFormat, STANDARD_INPUT, SimulateArgs};
use crate::command::terminal::{self, Stream};
use crate::command::{exit, files};

/// Steps that chance takes unless the user says otherwise.
const STEPS: usize = 20;

/// Runs the command.
pub fn run(args: &SimulateArgs) -> u8 {
    let budget = super::budget(args.limits);
    let done = super::source(&args.file, &args.text).and_then(|model| simulate(args, &model, &budget));
    match done {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

/// Takes the steps and tells the run.
pub fn simulate(args: &SimulateArgs, model: &ModelSource, budget: &Budget) -> Result<u8, Failure> {
    super::allow_includes(model, &args.text.include_dirs)?;
    let given: Vec<String> = args.property.iter().cloned().collect();
    let file = model.program(&given, args.logic.map(|logic| logic.0), &args.text.defines, &Extras::default())?;
    let stored = stored_run(args, &file)?;
    let mut simulator = match &stored {
        Some(Stored::Itf(stored)) => Simulator::along(&file, stored),
        _ => Simulator::new(&file, budget)?,
    };
    for expression in &args.watch {
        simulator.watch(expression)?;
    }
    let (mut seed, mut remark, mut shows) = (None, None, None);
    let interactive = is_interactive(args);
    if let Some(stored) = &stored {
        remark = Some(match stored {
            Stored::Trail(trail) => trail_remark(&simulator.follow(trail, budget)?),
            Stored::Itf(stored) => {
                simulator.replay(stored)?;
                "all of them possible".to_owned()
            }
        });
        shows = shown(args, &file, simulator.run(), stored.itf())?;
    }
    if interactive {
        if stored.is_some() {
            simulator.guide();
            shows = None;
        }
        let style = style(args);
        Dialogue { file: &file, simulator: &mut simulator, style, budget }.hold(args.seed.unwrap_or(0))?;
    } else if stored.is_none() {
        seed = Some(args.seed.unwrap_or(0));
        let mut chance = Chance::new(args.seed.unwrap_or(0));
        let start = chance.below(simulator.initial_count());
        simulator.start_at(start);
        simulator.walk(args.steps.unwrap_or(STEPS), &mut chance, budget)?;
    }
    if simulator.run().loop_start.is_none() {
        simulator.close();
    }
    let ending = if simulator.run().loop_start.is_some() { None } else { simulator.ending() };
    if !interactive {
        show(args, &file, &simulator, Origin { seed, remark, shows: shows.clone() }, ending.as_ref());
    }
    if let Some(path) = &args.output {
        store(path, &file, simulator.run())?;
    }
    Ok(match (shows, ending) {
        (Some(shows), _) if !shows.holds() => exit::SOME_OPEN,
        (Some(shows), _) if shows.value == Some(true) => exit::ALL_HOLD,
        (Some(_), _) => exit::SOME_FALSE,
        (None, Some(Ending::Fault(_) | Ending::Deadlock)) => exit::SOME_FALSE,
        (None, Some(Ending::Limit(_))) => exit::SOME_OPEN,
        (None, Some(Ending::Finished) | None) => exit::ALL_HOLD,
    })
}

/// What a stored run shows of the property that is asked about: one from the command line, or else the one that the file
/// names. Formula and reading are the model's, never the file's.
fn shown(
    args: &SimulateArgs,
    file: &ProgramFile,
    run: &Run,
    stored: Option<&itf::Stored>,
) -> Result<Option<ShownView>, Failure> {
    let claim = stored.and_then(|stored| stored.claim.as_ref());
    let from_user = args.property.is_some() || args.only.is_some();
    let name = args.only.clone().or_else(|| claim.filter(|_| !from_user).map(|claim| claim.property.clone()));
    if name.is_none() && args.property.is_none() {
        return Ok(None);
    }
    let only: Vec<String> = name.into_iter().collect();
    let asked = match questions::questions(file, &only, false) {
        Err(_) if !from_user => return Err(unknown_property(&only[0])),
        asked => asked?,
    };
    let question = asked.first().ok_or_else(|| Failure::Internal("a property was lost".to_owned()))?;
    let fair = args.fair || claim.is_some_and(|claim| claim.fair);
    let endless = stored.is_some_and(|stored| stored.repeats);
    let found = match program::run_evidence::shows(&program::semantics(file), question, run, fair)? {
        RunEvidence::Nothing(_) if endless => RunEvidence::Open(
            "that its last steps can be taken for ever is said in the file and not checked here".to_owned(),
        ),
        found => found,
    };
    let (value, reason) = match found {
        RunEvidence::Value(value) => (Some(value == Belnap::True), None),
        RunEvidence::Nothing(reason) | RunEvidence::Open(reason) => (None, Some(reason)),
    };
    let formula = ProgramAnswer::about(question).formula;
    Ok(Some(ShownView {
        property: question.name().to_owned(),
        claimed: claim.filter(|_| !from_user).map(|claim| claim.value),
        stored_for: claim.filter(|claim| !from_user && claim.formula != formula).map(|claim| claim.formula.clone()),
        value,
        reason,
        formula,
        fair,
    }))
}

fn unknown_property(name: &str) -> Failure {
    Diagnostic::error("E0329", format!("the run is said to show `{name}`, and the model has no property of this name"))
        .help(format!("if it was given on the command line, give it again: `-p '{name}: FORMULA'`"))
        .into()
}

/// A run from a file.
enum Stored {
    Trail(Trail),
    Itf(itf::Stored),
}

impl Stored {
    fn itf(&self) -> Option<&itf::Stored> {
        match self {
            Self::Itf(stored) => Some(stored),
            Self::Trail(_) => None,
        }
    }
}

/// The run that is to be followed, if one is.
fn stored_run(args: &SimulateArgs, file: &ProgramFile) -> Result<Option<Stored>, Failure> {
    let Some(path) = &args.replay else { return Ok(None) };
    let text = program::read_text(path)?;
    Ok(Some(if path.extension().is_some_and(|extension| extension == "trail") {
        Stored::Trail(trail::of(file, path, &text)?)
    } else {
        Stored::Itf(itf::read(file, &text)?)
    }))
}

/// How a run was found again.
fn trail_remark(followed: &Followed) -> String {
    let mut text = "matched by the order of the processes in the trail; the numbers of its transitions ".to_owned();
    text.push_str(match followed.numbers {
        Numbers::InOrder => "fit: they grow with the text",
        Numbers::Consistent => "fit: each stands for one statement",
        Numbers::Contradict => "contradict: no such run gives each number one statement",
        Numbers::NotCompared => "were not compared, there are too many such runs",
    });
    if followed.claim_steps > 0 {
        let steps = if followed.claim_steps == 1 { "step" } else { "steps" };
        text.push_str(&format!("; {} {steps} of the claim left out", followed.claim_steps));
    } else if !followed.ends_badly {
        text.push_str("; nothing goes wrong at its end");
    }
    text
}

fn is_interactive(args: &SimulateArgs) -> bool {
    let nothing_said = args.steps.is_none() && args.seed.is_none() && args.replay.is_none();
    let asks = args.file.as_os_str() != STANDARD_INPUT;
    args.interactive || (nothing_said && asks && std::io::stdin().is_terminal() && terminal::is_terminal(Stream::Out))
}

fn style(args: &SimulateArgs) -> Style {
    Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose }
}

fn store(path: &Path, file: &ProgramFile, run: &Run) -> Result<(), Failure> {
    files::write(path, itf::document(file, run, None, None).as_bytes())
}

/// Where a run comes from.
struct Origin {
    /// Chance, from this seed on.
    seed: Option<u64>,
    /// A file, and how it was followed.
    remark: Option<String>,
    /// What the stored run shows.
    shows: Option<ShownView>,
}

fn show(args: &SimulateArgs, file: &ProgramFile, simulator: &Simulator<'_>, origin: Origin, ending: Option<&Ending>) {
    let run = run_view(file, simulator.run());
    let watched = simulator.watched();
    if args.format == PlainFormat::Json {
        let report = SimulateReport {
            schema_version: SCHEMA_VERSION,
            tool: super::tool(),
            input: Input { file: file.file.clone(), kind: file.language.name() },
            seed: origin.seed,
            followed: origin.remark,
            ending: ending.map(|ending| match ending {
                Ending::Fault(_) => "fault",
                Ending::Limit(_) => "limit",
                Ending::Deadlock => "deadlock",
                Ending::Finished => "finished",
            }),
            shows: origin.shows,
            run,
            watched: (!watched.is_empty()).then_some(Ordered(watched)),
        };
        terminal::write(Stream::Out, &json::document(&report));
        return;
    }
    let mut written = text::run(&run, style(args));
    for (expression, value) in watched {
        written.push_str(&format!("{expression} = {value}\n"));
    }
    if ending == Some(&Ending::Finished) {
        written.push_str("all processes are at their ends\n");
    }
    match (origin.seed, origin.remark) {
        (Some(seed), _) => written.push_str(&format!("{} steps, seed {seed}\n", simulator.run().length())),
        (None, Some(remark)) => written.push_str(&format!("{} steps, {remark}\n", simulator.run().length())),
        (None, None) => {}
    }
    written.extend(origin.shows.map(|shows| shows.text()));
    terminal::write(Stream::Out, &written);
}
