//! `tertium compare`: does the second structure refine the first?

use tertium_base::{Budget, StopReason};
use tertium_driver::{Failure, Observer};
use tertium_report::compare::DifferenceView;
use tertium_report::view::SCHEMA_VERSION;
use tertium_report::{CompareReport, Style, build, json, text};

use super::check::shown_path;
use crate::command::args::{CompareArgs, PlainFormat};
use crate::command::exit;
use crate::command::progress::{Phase, Progress};
use crate::command::terminal::{self, Stream};
use crate::command::watchdog::{self, LastWords};

/// Runs the command.
pub fn run(args: &CompareArgs) -> u8 {
    let budget = super::budget(args.limits);
    match compare(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

/// What is said if the comparison does not end by itself.
fn say_when_stopped(args: &CompareArgs) {
    let (left, right, format) = (shown_path(&args.left), shown_path(&args.right), args.format);
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    watchdog::last_words(move |stopped| {
        let report = CompareReport {
            schema_version: SCHEMA_VERSION,
            tool: super::tool(),
            left: left.clone(),
            right: right.clone(),
            refines: false,
            refined_by: false,
            equivalent: false,
            bisimilar: None,
            pair: None,
            difference: None,
            relation: None,
            stopped: Some(stopped.0.word()),
            warnings: Vec::new(),
        };
        let out = match format {
            PlainFormat::Text => text::compare(&report, style),
            PlainFormat::Json => json::document(&report),
        };
        LastWords { out, ..LastWords::of(stopped) }
    });
}

fn compare(args: &CompareArgs, budget: &Budget) -> Result<u8, Failure> {
    let phase = Phase::default();
    say_when_stopped(args);
    let progress = Progress::start(phase.clone(), args.look.quiet);
    phase.phase("reading the structures");
    let left = tertium_driver::input::load(&args.left, budget)?;
    let right = tertium_driver::input::load(&args.right, budget)?;
    phase.phase("comparing");
    let pair = args.from.as_deref().zip(args.to.as_deref());
    let outcome = if args.bisimilar {
        tertium_driver::reduce::bisimilar(&left, &right, pair, budget)
    } else {
        let options = tertium_driver::compare::CompareOptions { relation: args.relation, game: args.game };
        tertium_driver::compare::compare(&left, &right, pair, options, budget)
    };
    drop(progress);
    let outcome = outcome?;
    let colour = terminal::coloured(args.look.color, Stream::Out);
    let report = CompareReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        left: shown_path(&args.left),
        right: shown_path(&args.right),
        refines: outcome.refines,
        refined_by: outcome.refined_by,
        equivalent: outcome.refines && outcome.refined_by,
        bisimilar: args.bisimilar.then_some(outcome.refined_by),
        pair: outcome.pair,
        difference: outcome.difference.map(|difference| DifferenceView {
            pair: difference.pair,
            clauses: difference.clauses,
            formula: difference.formula,
            values: difference.values.map(|values| values.map(|value| build::value_word(value).to_owned())),
        }),
        relation: outcome.relation,
        stopped: outcome.stopped.map(StopReason::word),
        warnings: outcome.warnings.iter().map(super::views::message).collect(),
    };
    let style = Style { colour, verbose: args.look.verbose };
    terminal::write(
        Stream::Out,
        &match args.format {
            PlainFormat::Text => text::compare(&report, style),
            PlainFormat::Json => json::document(&report),
        },
    );
    Ok(match outcome.stopped {
        Some(StopReason::Interrupted) => exit::INTERRUPTED,
        Some(_) => exit::SOME_OPEN,
        None if report.refined_by => exit::ALL_HOLD,
        None => exit::SOME_FALSE,
    })
}
