//! How does the game engine grow, and what do its proofs and reasons cost?
//!
//! Prints, for sizes from 10^4 to 10^6 states with five edges a state: the time of the game, of the proof or
//! the open question at the initial state, their sizes, and the exponent of growth of each. Exits with 1
//! if a figure of a formula without alternation grows faster than linearly, caches allowed for.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use tertium_base::{Budget, memory};
use tertium_bench::{Openness, best_of, exponent, random_kmts};
use tertium_check::game::ParityGame;
use tertium_check::witness::{branching_certificate, open_question};
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::{Proof, Reading};
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::Kmts;

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const RUNS: usize = 1;
const SEED: u64 = 20_261;
/// Linear, with room for caches that a small structure fits and a large one does not.
const EXPONENT_BOUND: f64 = 1.5;

const FORMULAS: [(&str, Logic); 6] = [
    ("AG EF q", Logic::Ctl),
    ("A[p U q]", Logic::Ctl),
    ("AG (p -> AF q)", Logic::Ctl),
    ("EG (p | EX q)", Logic::Ctl),
    ("EF (q & EG p)", Logic::Ctl),
    ("nu X. mu Y. (q & <> X) | <> Y", Logic::Mu),
];

fn main() -> ExitCode {
    say("the game on partial structures, five edges a state");
    say("formula                          states         game growth     evidence growth  size of evidence");
    let models: Vec<Kmts> = SIZES.iter().map(|&size| random_kmts(size, Openness::Partial, SEED)).collect();
    let beyond: usize = FORMULAS.iter().map(|&(text, logic)| measure(text, logic, &models)).sum();
    if beyond > 0 {
        say(&format!("{beyond} figures grow faster than with the exponent {EXPONENT_BOUND}"));
        return ExitCode::from(1);
    }
    ExitCode::SUCCESS
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// One formula on all sizes; returns how many figures are beyond their bounds.
fn measure(text: &str, logic: Logic, models: &[Kmts]) -> usize {
    let formula = parse(text, &ParseOptions::in_logic(logic)).formula.expect("the formulas measured parse");
    let mut beyond = 0;
    let mut smallest: Option<(f64, Duration, Duration)> = None;
    for model in models {
        let size = model.state_count() as f64;
        let (game, value) = best_of(RUNS, || value(model, &formula));
        let (evidence, what) = best_of(RUNS, || evidence(model, &formula, value));
        let growth = smallest.map(|(at, game_then, evidence_then)| {
            (exponent((at, game_then), (size, game)), exponent((at, evidence_then), (size, evidence)))
        });
        smallest.get_or_insert((size, game, evidence));
        beyond += usize::from(growth.is_some_and(|(game, evidence)| game.max(evidence) > EXPONENT_BOUND));
        let (game_growth, evidence_growth) =
            growth.map_or_else(Default::default, |(game, evidence)| (format!("{game:.2}"), format!("{evidence:.2}")));
        say(&format!(
            "{text:<30} {size:>8} {game:>12.3?} {game_growth:>6} {evidence:>12.3?} {evidence_growth:>6}  {value}, {what}"
        ));
    }
    beyond
}

fn value(model: &Kmts, formula: &Formula) -> tertium_lattice::Belnap {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, Reading::default(), Ask::At(model.init()), &budget).expect("names are known");
    ParityGame.values(&task).expect("the game is supported").at(model.init()[0])
}

fn evidence(model: &Kmts, formula: &Formula, value: tertium_lattice::Belnap) -> String {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, Reading::default(), Ask::At(model.init()), &budget).expect("names are known");
    let state = model.init()[0];
    match branching_certificate(&task, state, value).expect("the game is supported") {
        Some(Proof::Claims(claims)) => format!("{} claims", claims.len()),
        _ => {
            let question = open_question(&task, state, 5).expect("the game is supported").unwrap_or_default();
            format!("{} reasons after {} moves", question.reasons.len(), question.play.len())
        }
    }
}
