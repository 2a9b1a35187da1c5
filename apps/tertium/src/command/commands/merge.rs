//! `tertium merge`: two viewpoints in one structure.

use tertium_base::Budget;
use tertium_driver::Failure;
use tertium_driver::export::{Target, export};
use tertium_driver::input::{Loaded, load};
use tertium_driver::merge::{Disagreement, Over, merge};
use tertium_report::merge::{DisagreementView, MergeReport};
use tertium_report::view::SCHEMA_VERSION;
use tertium_report::{Style, json, text};

use super::check::shown_path;
use crate::command::args::{MergeArgs, OverName, PlainFormat};
use crate::command::terminal::{self, Stream};
use crate::command::{exit, files};

/// Runs the command.
pub fn run(args: &MergeArgs) -> u8 {
    let budget = super::budget(args.limits);
    match write(args, &budget) {
        Ok(code) => code,
        Err(failure) => super::fail(&failure, args.color),
    }
}

fn write(args: &MergeArgs, budget: &Budget) -> Result<u8, Failure> {
    let (left, right) = (load(&args.left, budget)?, load(&args.right, budget)?);
    let over = match args.over {
        OverName::Belnap => Over::Belnap,
        OverName::Product => Over::Product,
    };
    let merged = merge(&left, &right, over)?;
    let lattice = merged.model.lattice_name().unwrap_or_default().to_owned();
    let (states, transitions) = (merged.model.state_count(), merged.model.edge_count());
    let result = Loaded::of_lattice(&shown_path(&args.output), merged.model);
    let json = args.output.extension().is_some_and(|ending| ending == "json");
    let target = if json { Target::Json } else { Target::Kmts };
    files::write_with(&args.output, |out| export(&result, target, &mut &mut *out))?;
    let report = MergeReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        left: shown_path(&args.left),
        right: shown_path(&args.right),
        output: shown_path(&args.output),
        lattice,
        states,
        transitions,
        agree: merged.disagreements.is_empty(),
        disagreements: merged.disagreements.into_iter().map(view).collect(),
        states_of_one: merged.states_of_one,
        props_of_one: merged.props_of_one,
    };
    let style = Style { colour: terminal::coloured(args.color, Stream::Out), verbose: false };
    terminal::write(
        Stream::Out,
        &match args.format {
            PlainFormat::Text => text::merge(&report, style),
            PlainFormat::Json => json::document(&report),
        },
    );
    Ok(if report.agree { exit::ALL_HOLD } else { exit::SOME_FALSE })
}

fn view(disagreement: Disagreement) -> DisagreementView {
    match disagreement {
        Disagreement::Label { state, prop, values } => DisagreementView::Label { state, prop, values },
        Disagreement::Edge { from, to, values } => DisagreementView::Edge { from, to, values },
        Disagreement::Initial { state, first } => DisagreementView::Initial { state, first },
    }
}
