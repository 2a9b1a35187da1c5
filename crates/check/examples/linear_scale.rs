//! How time and memory of an LTL check grow with a random structure, three-valued against two-valued.
//!
//! `cargo run --release -p tertium-check --example linear_scale [FORMULA]`
#![allow(clippy::print_stdout, reason = "a measuring program")]

use std::time::{Duration, Instant};

use tertium_base::Budget;
use tertium_base::memory::{CountingAllocator, peak};
use tertium_check::automata::AutomataEngine;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::Reading;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, KmtsBuilder};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 33) as u128 * bound as u128) >> 31) as usize
    }
}

/// Five edges a state; `q` holds at `goals` percent of the states.
fn random(states: usize, open: usize, goals: usize) -> Kmts {
    let mut numbers = Numbers(7);
    let mut builder = KmtsBuilder::new();
    let ids: Vec<_> = (0..states).map(|at| builder.add_state(&at.to_string())).collect();
    let (p, q) = (builder.add_prop("p"), builder.add_prop("q"));
    for &state in &ids {
        for (prop, percent) in [(p, 50), (q, goals)] {
            let value = Belnap::from(numbers.below(100) < percent);
            let unknown = numbers.below(100) < open;
            builder.set_label(state, prop, if unknown { Belnap::Unknown } else { value });
        }
        for _ in 0..5 {
            let target = ids[numbers.below(states)];
            let must = numbers.below(100) >= open;
            builder.add_edge(state, target, true, must, None);
        }
    }
    builder.add_init(ids[0]);
    builder.finish().expect("fits")
}

fn best(model: &Kmts, formula: &Formula, ask: Ask<'_>) -> (Duration, String) {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, Reading::default(), ask, &budget).expect("bound");
    let mut times = Vec::new();
    let mut shown = String::new();
    for _ in 0..3 {
        let start = Instant::now();
        let values = AutomataEngine.values(&task).expect("supported");
        times.push(start.elapsed());
        shown = match ask {
            Ask::All => format!("{} true, {} not refuted", values.for_true.count(), values.not_refuted.count()),
            Ask::At(states) => values.at(states[0]).to_string(),
        };
    }
    (times.into_iter().min().unwrap_or_default(), shown)
}

fn main() {
    let text = std::env::args().nth(1).unwrap_or_else(|| "G (p -> F q)".to_owned());
    let formula = parse(&text, &ParseOptions::in_logic(Logic::Ltl)).formula.expect("a formula");
    for goals in [50, 90, 99] {
        for states in [10_000, 100_000, 1_000_000] {
            for open in [0, 20, 50] {
                let model = random(states, open, goals);
                let init = model.init().to_vec();
                let (all, all_shown) = best(&model, &formula, Ask::All);
                let (one, one_shown) = best(&model, &formula, Ask::At(&init));
                println!(
                    "{states:>8} states, q {goals}%, open {open:>2}%: all {all:>10.2?} ({all_shown}), initial {one:>10.2?} ({one_shown}), peak {} bytes an edge",
                    peak() / model.edge_count()
                );
            }
        }
    }
}
