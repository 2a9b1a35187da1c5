//! `tertium abstract` of a structure: states of one block are one, and blocks are split until a property is decided.

use tertium_base::{Budget, Diagnostic};
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::export::{Target, export, fits};
use tertium_driver::input::{Loaded, text_beside};
use tertium_driver::structure_abstraction::{
    AbstractMust, RefinedStructure, abstract_by, blocks_by_labels, blocks_from_text, refine,
};
use tertium_driver::{Failure, Observer};
use tertium_report::reduce::{BlockResultView, BlockRoundView, BlockView, StructureAbstractionReport};
use tertium_report::view::{Input, SCHEMA_VERSION};
use tertium_report::{Style, json, text};

use crate::command::args::{AbstractArgs, MustName, PlainFormat};
use crate::command::exit;
use crate::command::files;
use crate::command::progress::Phase;
use crate::command::terminal::{self, Stream};

/// Most rounds of refinement, if nobody says how many.
const ROUNDS: usize = 1000;

/// What says how programs are abstracted says nothing here.
fn refuse_options_of_programs(args: &AbstractArgs) -> Result<(), Failure> {
    let kind = ("--abstraction", args.how.abstraction.is_some());
    match args.how.given().into_iter().chain([kind]).find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            let message = format!("`{option}` is for programs, and `--by` abstracts a structure");
            Err(Diagnostic::error("E0308", message).help("`--must` says which of its steps are certain").into())
        }
    }
}

/// Abstracts a structure, and checks properties if some are given.
pub fn tell(args: &AbstractArgs, by: &str, budget: &Budget) -> Result<u8, Failure> {
    refuse_options_of_programs(args)?;
    let loaded = super::source(&args.file, &args.text)?.structure(budget)?;
    let blocks = match by {
        "label" | "labels" => blocks_by_labels(&loaded)?,
        file => blocks_from_text(&loaded, file, &text_beside(std::path::Path::new(file))?)?,
    };
    let must = match args.must {
        MustName::None => AbstractMust::None,
        MustName::ForallExists => AbstractMust::ForAllExists,
        MustName::Hyper => AbstractMust::Hyper,
    };
    let phase = Phase::default();
    phase.phase("abstracting the structure");
    let mut abstraction = abstract_by(&loaded, &blocks, must, budget)?;
    let mut views: Vec<BlockView> = Vec::new();
    let name = |state: &tertium_driver::StateId| loaded.state_name(*state).to_owned();
    for block in &blocks {
        views.push(BlockView { name: block.name.clone(), states: block.members.iter().map(name).collect() });
    }
    let mut results = Vec::new();
    let mut code = exit::ALL_HOLD;
    if args.check || !args.properties.is_empty() {
        // Properties are read and bound before anything is checked.
        let session = Session::new(&loaded, CheckOptions::default(), budget)?;
        for parsed in session.properties(&args.properties, &[])? {
            let rounds = args.refinements.map_or(ROUNDS, |most| most as usize + 1);
            let refined = refine(&loaded, blocks.clone(), (must, rounds), &parsed, budget, &phase)?;
            code = worse(code, &refined);
            results.push(result(&parsed.property.name, &refined));
            views = refined.blocks.into_iter().map(|(name, states)| BlockView { name, states }).collect();
            abstraction = refined.abstraction;
        }
    }
    if let Some(format) = args.to {
        let target = super::abstraction::target(args, format)?;
        fits(&abstraction, target)?;
        match &args.output {
            Some(path) => files::write_with(path, |out| export(&abstraction, target, &mut &mut *out))?,
            None => {
                print_structure(&abstraction, target);
                return Ok(code);
            }
        }
    }
    let (states, transitions) = loaded.size();
    let report = StructureAbstractionReport {
        schema_version: SCHEMA_VERSION,
        tool: super::tool(),
        input: Input { file: loaded.file.clone(), kind: loaded.kind() },
        must: match must {
            AbstractMust::None => "none",
            AbstractMust::ForAllExists => "forall-exists",
            AbstractMust::Hyper => "hyper",
        },
        before: [states, transitions],
        blocks: views,
        transitions: abstraction.size().1,
        results,
    };
    let style = Style { colour: terminal::coloured(args.look.color, Stream::Out), verbose: args.look.verbose };
    let written = match args.format {
        PlainFormat::Text => text::structure_abstraction(&report, style),
        PlainFormat::Json => json::document(&report),
    };
    terminal::write(Stream::Out, &written);
    Ok(code)
}

fn print_structure(abstraction: &Loaded, target: Target) {
    let mut text = Vec::new();
    // Writing into memory does not fail.
    export(abstraction, target, &mut text).unwrap_or_default();
    terminal::write(Stream::Out, &String::from_utf8_lossy(&text));
}

fn worse(code: u8, refined: &RefinedStructure) -> u8 {
    let value = refined.answer.value();
    match code {
        _ if value.is_false() => exit::SOME_FALSE,
        exit::ALL_HOLD if !value.is_true() => exit::SOME_OPEN,
        code => code,
    }
}

fn result(name: &str, refined: &RefinedStructure) -> BlockResultView {
    let round = |round: &tertium_driver::structure_abstraction::SplitRound| BlockRoundView {
        blocks: round.blocks,
        value: round.value.clone(),
        path: round.path.clone(),
        split: round.split.clone(),
    };
    BlockResultView {
        name: name.to_owned(),
        formula: refined.answer.formula.text(),
        value: refined.answer.value().word().to_owned(),
        rounds: refined.rounds.iter().map(round).collect(),
    }
}
