//! `tertium formula`: what is this formula?

use tertium_base::Budget;
use tertium_driver::Failure;
use tertium_driver::formula::{FormulaOptions, describe};
use tertium_report::formula::{AutomatonView, MinimisedView, SelfMinimising};
use tertium_report::view::SCHEMA_VERSION;
use tertium_report::{FormulaReport, Style, json, text};

use crate::command::args::{FormulaArgs, PlainFormat};
use crate::command::exit;
use crate::command::terminal::{self, Stream};

/// Runs the command.
pub fn run(args: &FormulaArgs) -> u8 {
    let budget = super::budget(args.limits);
    match formula(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.look.color),
    }
}

fn formula(args: &FormulaArgs, budget: &Budget) -> Result<u8, Failure> {
    let options = FormulaOptions {
        logic: args.logic.map(|logic| logic.0),
        pnf: args.pnf,
        automaton: args.automaton || args.hoa,
        hoa: args.hoa,
        minimise: args.minimise,
    };
    let described = describe(&args.text, options, budget)?;
    super::show(&described.warnings, args.look.color);
    let report = FormulaReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        formula: described.formula.text(),
        logic: described.formula.logic().name(),
        size: described.formula.nodes().len(),
        atoms: described.formula.atoms().iter().map(|atom| atom.text.clone()).collect(),
        self_minimising: SelfMinimising {
            decided_steps: described.precise_with_decided_steps,
            open_steps: described.precise,
            obstacle: described.obstacle,
        },
        pnf: described.pnf,
        minimised: described.minimised.map(|found| MinimisedView {
            formula: found.formula.text(),
            logic: found.formula.logic().name(),
            exact: found.exact,
            exceptions: found.exceptions(),
            refuting: found.refuting.map(|formula| formula.text()),
        }),
        tell_test: args.self_minimising,
        automaton: described.automaton.map(|automaton| AutomatonView {
            states: automaton.states,
            transitions: automaton.transitions,
            acceptance_sets: automaton.acceptance_sets,
            deterministic_kind: automaton.deterministic.0,
            deterministic_states: automaton.deterministic.1,
            hoa: automaton.hoa,
        }),
    };
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    terminal::write(
        Stream::Out,
        &match args.format {
            PlainFormat::Text => text::formula(&report, style),
            PlainFormat::Json => json::document(&report),
        },
    );
    Ok(exit::ALL_HOLD)
}
