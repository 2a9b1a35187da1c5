//! `tertium synthesise`: a controller for one player of a game, or what the others do against every one.

use std::path::Path;

use tertium_base::{Budget, Diagnostic};
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::export::guarded_commands::structure_program;
use tertium_driver::export::structure_text;
use tertium_driver::input::{Loaded, Model};
use tertium_driver::program::Extras;
use tertium_driver::program::game::{ProgramGame, program_game};
use tertium_driver::program::questions::{PropertyQuery, Question, questions};
use tertium_driver::synthesis::{
    Contest, SynthesisAnswer, SynthesisVerdict, decide, named, negated, objective, states_of_player,
};
use tertium_driver::{Failure, Formula, Kmts, Located, Logic, ModelSource};
use tertium_report::synthesis::{CertificateView, StrategyView, SynthesisReport};
use tertium_report::view::{Input, SCHEMA_VERSION};
use tertium_report::{Style, json, text};

use super::check::shown_path;
use super::reduce::write_structure;
use super::strategy_certificate::{self, StrategyCertificate};
use super::structure_pages::{self, MadeStructure};
use crate::command::args::{PlainFormat, SynthesiseArgs};
use crate::command::terminal::{self, Stream};
use crate::command::{exit, files};

/// Runs the command.
pub fn run(args: &SynthesiseArgs) -> u8 {
    let budget = super::budget(args.limits);
    match answer(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

/// What was played, and who won.
struct Played {
    answer: SynthesisAnswer,
    properties: Vec<(String, Formula)>,
    kind: &'static str,
    states: usize,
    /// What shows who wins, if that was asked for.
    certificate: Option<StrategyCertificate>,
    /// The structure that was played on.
    game: Kmts,
}

fn answer(args: &SynthesiseArgs, budget: &Budget) -> Result<u8, Failure> {
    let source = super::source(&args.file, &args.text)?;
    super::allow_includes(&source, &args.text.include_dirs)?;
    let played =
        if source.is_program() { on_program(args, &source, budget) } else { on_structure(args, &source, budget) }?;
    let (winner, strategy) = match &played.answer.verdict {
        SynthesisVerdict::Realisable(strategy) => ("player", Some((strategy, played.properties.clone()))),
        SynthesisVerdict::Unrealisable(strategy) => {
            let spoiled = [("spoiled".to_owned(), negated(&played.answer.objective))].to_vec();
            ("others", Some((strategy, spoiled)))
        }
        SynthesisVerdict::Open => ("open", None),
    };
    let drawn = strategy.clone();
    let strategy = match strategy {
        Some((structure, properties)) => Some(written(args, structure, &properties)?),
        None => None,
    };
    let certificate = match (&args.certificate, &played.certificate) {
        (Some(path), Some(certificate)) => {
            files::write(path, certificate.text.as_bytes())?;
            Some(CertificateView { file: shown_path(path), question: certificate.question.clone() })
        }
        _ => None,
    };
    let report = SynthesisReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: Input { file: shown_path(&args.file), kind: played.kind },
        states: played.states,
        player: args.player.clone(),
        objective: played.answer.objective.text(),
        winner,
        method: played.answer.method.name(),
        positions: played.answer.game[0],
        moves: played.answer.game[1],
        automaton: played.answer.automaton,
        strategy,
        certificate,
    };
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let shown = match args.format {
        PlainFormat::Text => text::synthesis(&report, style),
        PlainFormat::Json => json::document(&report),
    };
    terminal::write(Stream::Out, &shown);
    if let Some(out) = &args.page {
        let drawn = drawn.as_ref().map(|(structure, properties)| (*structure, properties.as_slice()));
        write_page(args, &played, drawn, out, budget)?;
    }
    Ok(match played.answer.verdict {
        SynthesisVerdict::Realisable(_) => exit::ALL_HOLD,
        SynthesisVerdict::Unrealisable(_) => exit::SOME_FALSE,
        SynthesisVerdict::Open => exit::SOME_OPEN,
    })
}

/// The page about the closed loop of the strategy that wins.
fn write_page(
    args: &SynthesiseArgs,
    played: &Played,
    closed_loop: Option<(&Kmts, &[(String, Formula)])>,
    out: &Path,
    budget: &Budget,
) -> Result<(), Failure> {
    let Some((structure, properties)) = closed_loop else {
        let warning = Diagnostic::warning("W0321", "no page is written: it is open who wins")
            .help("decide the steps that are only possible; `tertium complete` shows which");
        super::show(&[Located::nowhere(warning)], args.look.color);
        return Ok(());
    };
    let player = &args.player;
    let who = match played.answer.verdict {
        SynthesisVerdict::Realisable(_) => {
            format!("{player} wins: whatever the others do, the objectives hold in this closed loop.")
        }
        _ => format!(
            "The others win: whatever {player} does, they spoil the objective `{}`.",
            played.answer.objective.text()
        ),
    };
    let made = MadeStructure {
        file: &args.file,
        before: Some((&played.game, "the game")),
        after: (structure, "the closed loop of the strategy"),
        properties,
        headline: vec![who],
        options: CheckOptions { logic: Some(Logic::Ltl), ..CheckOptions::default() },
    };
    structure_pages::write(&made, out, args.look.quiet || args.format == PlainFormat::Json, budget)
}

fn on_structure(args: &SynthesiseArgs, source: &ModelSource, budget: &Budget) -> Result<Played, Failure> {
    let loaded = source.structure(budget)?;
    super::show(loaded.warnings(), args.look.color);
    let options = CheckOptions { logic: Some(Logic::Ltl), ..CheckOptions::default() };
    let session = Session::new(&loaded, options, budget)?;
    let properties = named(session.properties(&args.properties, &args.only)?);
    let wanted = objective(&properties)?;
    let Some(model) = loaded.kmts() else {
        return Err(Diagnostic::error("E0393", "games are played on structures with may and must").into());
    };
    let mine = states_of_player(model, &args.player)?;
    let states = loaded.initial_states();
    let contest = Contest { model, mine: &mine, silent: &[], states: &states };
    let answer = decide(contest, &wanted, budget)?;
    let certificate = match (&args.certificate, wins(&answer)) {
        (Some(_), Some(wins)) => Some(strategy_certificate::of_structure(args, source, (&wanted, wins), budget)?),
        _ => None,
    };
    let (kind, states, game) = (loaded.kind(), model.state_count(), model.clone());
    Ok(Played { answer, properties, kind, states, certificate, game })
}

fn on_program(args: &SynthesiseArgs, source: &ModelSource, budget: &Budget) -> Result<Played, Failure> {
    let language = source.must_be_program()?;
    let file = source.program(&args.properties, Some(Logic::Ltl), &args.text.defines, &Extras::default())?;
    super::show(&file.warnings, args.look.color);
    let all = questions(&file, &args.only, false)?;
    let asked = objectives(&source.name(), &all)?;
    let ProgramGame { model, silent, mine, objective, properties, states } =
        program_game(&file, &asked, &args.player, budget)?;
    let starts: Vec<_> = model.init().to_vec();
    let contest = Contest { model: &model, mine: &mine, silent: &silent, states: &starts };
    let answer = decide(contest, &objective, budget)?;
    let certificate = match (&args.certificate, wins(&answer)) {
        (Some(_), Some(wins)) => Some(strategy_certificate::of_program(args, source, (&asked, wins), budget)?),
        _ => None,
    };
    Ok(Played { answer, properties, kind: language.name(), states, certificate, game: model })
}

/// Whether the player wins; none if that is open.
const fn wins(answer: &SynthesisAnswer) -> Option<bool> {
    match answer.verdict {
        SynthesisVerdict::Realisable(_) => Some(true),
        SynthesisVerdict::Unrealisable(_) => Some(false),
        SynthesisVerdict::Open => None,
    }
}

/// The properties among the questions: those that were given, or those of the file.
fn objectives<'q>(file: &str, all: &'q [Question]) -> Result<Vec<&'q PropertyQuery>, Failure> {
    let of_property = |question: &'q Question| match question {
        Question::Property(query) => Some(&**query),
        Question::Never(_) | Question::Watched(_) => None,
    };
    let named: Vec<&PropertyQuery> = all.iter().filter_map(of_property).collect();
    if named.is_empty() {
        return Err(Diagnostic::error(
            "E0393",
            format!("`{file}` has no property that could be an objective, and none was given"),
        )
        .help("give one, for example `-p 'G !crash'`")
        .into());
    }
    Ok(named)
}

/// Writes a strategy's closed loop, and tells what it is.
fn written(args: &SynthesiseArgs, structure: &Kmts, properties: &[(String, Formula)]) -> Result<StrategyView, Failure> {
    let size = [structure.state_count(), structure.edge_count()];
    let Some(path) = args.output.as_deref() else {
        return Ok(StrategyView { size, structure: Some(structure_text(structure)), output: None });
    };
    if path.extension().is_some_and(|ending| ending == "gcl") {
        let program = structure_program(structure, &program_name(path), properties)?;
        files::write(path, program.as_bytes())?;
    } else {
        let loaded = Loaded::of_model("closed loop", Model::Kmts(structure.clone()));
        write_structure(path, &loaded.with_properties(properties))?;
    }
    Ok(StrategyView { size, structure: None, output: Some(shown_path(path)) })
}

fn program_name(path: &Path) -> String {
    path.file_stem().map_or_else(|| "controlled".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
