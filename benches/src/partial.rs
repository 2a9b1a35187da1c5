//! How fast are three-valued checks of explicit structures, compared with two-valued ones?
//!
//! Prints, for sizes from 10^4 to 10^6 states with five edges a state: the time of each formula on the
//! complete structure, the ratio of the partial structure of the same shape to it, and the exponent of
//! growth. Exits with 1 if a figure is beyond its bound.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use tertium_base::Budget;
use tertium_bench::{Openness, best_of, exponent, random_kmts};
use tertium_check::explicit::Explicit;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::Reading;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::Kmts;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const RUNS: usize = 5;
const SEED: u64 = 20_261;

/// A three-valued check may cost this much of the two-valued one.
const RATIO_BOUND: f64 = 1.3;
/// Linear, with room for caches that a small structure fits and a large one does not.
const EXPONENT_BOUND: f64 = 1.35;

const FORMULAS: [(&str, Logic); 4] =
    [("AG EF q", Logic::Ctl), ("A[p U q]", Logic::Ctl), ("AG (p -> AF q)", Logic::Ctl), ("EG (p | EX q)", Logic::Ctl)];

fn main() -> ExitCode {
    say("three-valued against two-valued checks, best of 5 runs; five edges a state");
    say("formula              states   two-valued    three-valued  ratio  growth");
    let models: Vec<(Kmts, Kmts)> = SIZES
        .iter()
        .map(|&size| (random_kmts(size, Openness::Complete, SEED), random_kmts(size, Openness::Partial, SEED)))
        .collect();
    let beyond: usize = FORMULAS.iter().map(|&(text, logic)| measure(text, logic, &models)).sum();
    if beyond > 0 {
        say(&format!("{beyond} figures are beyond their bounds (ratio {RATIO_BOUND}, growth {EXPONENT_BOUND})"));
        return ExitCode::from(1);
    }
    ExitCode::SUCCESS
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// One formula on all sizes; returns how many figures are beyond their bounds.
fn measure(text: &str, logic: Logic, models: &[(Kmts, Kmts)]) -> usize {
    let formula = parse(text, &ParseOptions::in_logic(logic)).formula.expect("the formulas measured parse");
    let mut beyond = 0;
    let mut smallest: Option<(f64, Duration)> = None;
    for (complete, partial) in models {
        let size = complete.state_count() as f64;
        let (two, _) = best_of(RUNS, || check(complete, &formula));
        let (three, _) = best_of(RUNS, || check(partial, &formula));
        let ratio = three.as_secs_f64() / two.as_secs_f64();
        let growth = smallest.map(|small| exponent(small, (size, three)));
        smallest.get_or_insert((size, three));
        beyond += usize::from(ratio > RATIO_BOUND) + usize::from(growth.is_some_and(|growth| growth > EXPONENT_BOUND));
        let growth = growth.map_or(String::new(), |growth| format!("{growth:.2}"));
        say(&format!("{text:<18} {size:>8} {two:>12.3?} {three:>14.3?} {ratio:>6.2}  {growth:>6}"));
    }
    beyond
}

fn check(model: &Kmts, formula: &Formula) -> bool {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, Reading::default(), Ask::At(model.init()), &budget).expect("names are known");
    Explicit.values(&task).is_ok()
}
