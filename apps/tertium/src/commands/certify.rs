//! `tertium certify`: is a proof a proof?

use tertium_base::Budget;
use tertium_driver::Failure;
use tertium_driver::certify::PartOutcome;
use tertium_driver::program;
use tertium_driver::program::grounded::Decider;
use tertium_report::certify::PartView;
use tertium_report::view::SCHEMA_VERSION;
use tertium_report::{CertifyReport, Style, build, json, text};

use super::check::shown_path;
use crate::args::{CertifyArgs, PlainFormat};
use crate::exit;
use crate::terminal::{self, Stream};

/// Runs the command.
pub fn run(args: &CertifyArgs) -> u8 {
    let budget = super::budget(args.timeout, args.memory);
    match certify(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn certify(args: &CertifyArgs, budget: &Budget) -> Result<u8, Failure> {
    let outcomes = if program::is_program(&args.file) {
        program::proof::certify(&args.file, &args.certificate, &args.defines, &decider(args), budget)?
    } else {
        let loaded = tertium_driver::input::load(&args.file, budget)?;
        tertium_driver::certify::certify(&loaded, &args.certificate, budget)?
    };
    let report = CertifyReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        file: shown_path(&args.file),
        certificate: shown_path(&args.certificate),
        accepted: outcomes.iter().all(|outcome| outcome.rejected.is_none()),
        parts: outcomes.into_iter().map(part).collect(),
    };
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    terminal::write(
        Stream::Out,
        &match args.format {
            PlainFormat::Text => text::certify(&report, style),
            PlainFormat::Json => json::document(&report),
        },
    );
    Ok(if report.accepted { exit::ALL_HOLD } else { exit::SOME_FALSE })
}

fn decider(args: &CertifyArgs) -> Decider {
    let words = |command: &String| command.split_whitespace().map(str::to_owned).collect();
    Decider { command: args.solver.as_ref().map(words) }
}

fn part(outcome: PartOutcome) -> PartView {
    PartView {
        accepted: outcome.rejected.is_none(),
        formula: outcome.formula,
        logic: outcome.logic.name(),
        state: outcome.state,
        value: build::value_word(outcome.value).to_owned(),
        proof: outcome.proof,
        place: outcome.place,
        caveats: outcome.caveats,
        reason: outcome.rejected,
    }
}
