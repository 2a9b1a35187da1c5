//! Differential testing in one long run: everything that gives a value against everything else that does.
//!
//! A *case* is one model with one question, answered in at least two ways that share nothing that decides. The kinds of cases, and
//! what each is compared with, are listed in [`CATEGORIES`]. A case is *wrong* if two definite values differ, if a value differs
//! from the oracle's, if the kernel refuses the certificate of an answer or accepts it for the opposite, or if anything panics.
//!
//! Samples are numbered and independent: the seed of a sample follows from the seed of the run, the category and the number. What was
//! done is written to a file after every batch, and a run with the same seed goes on from there. `make test-million` is the long run;
//! a few hundred cases belong to the usual tests.

#![allow(clippy::cast_possible_truncation, reason = "counts of this test")]

#[allow(dead_code, reason = "shared with tests that use the rest")]
#[path = "../certified/mod.rs"]
mod certified;
mod formulas;
mod graph;
mod programs;
mod promela;
mod run;
mod sample;
mod structures;
mod thorough;

use std::path::PathBuf;
use std::time::Duration;

use self::run::{Category, Plan, Run};

/// All kinds of cases. The shares are chosen by how long a case takes, so that a million of them take an hour or two on two cores.
const CATEGORIES: [Category; 12] = [
    Category {
        name: "branching",
        what: "structure, PML/CTL/mu formula, deadlock convention, at every state: five engines, definitions, kernel",
        per_mille: 250,
        draw: structures::branching,
    },
    Category {
        name: "linear",
        what: "structure, LTL formula, reading, at every state: automata, sets, definitions, kernel",
        per_mille: 180,
        draw: structures::linear,
    },
    Category {
        name: "star",
        what: "structure, CTL* formula, at every state: automata, sets, definitions, kernel",
        per_mille: 55,
        draw: structures::star,
    },
    Category {
        name: "thorough",
        what: "structure, formula of any logic: completions, their values by the definitions, kernel",
        per_mille: 60,
        draw: thorough::thorough,
    },
    Category {
        name: "lassos",
        what: "one infinite path, LTL formula: normal forms, automata, sets, direct evaluation",
        per_mille: 100,
        draw: formulas::lassos,
    },
    Category {
        name: "preorder",
        what: "two structures, formula: completeness preorder, its definition, values kept and formulas that distinguish",
        per_mille: 90,
        draw: formulas::preorder,
    },
    Category {
        name: "lattices",
        what: "structure over a lattice, formula, at every state: cuts, sets, computing in the lattice, definitions",
        per_mille: 50,
        draw: formulas::lattices,
    },
    Category {
        name: "families",
        what: "family of structures, formula, every instance: splitting, sets, instances by the definitions",
        per_mille: 50,
        draw: formulas::families,
    },
    Category {
        name: "programs",
        what: "guarded commands, formula: explicit, sets, running the text by the definitions, kernel",
        per_mille: 100,
        draw: programs::programs,
    },
    Category {
        name: "abstraction",
        what: "guarded commands, formula: predicate abstraction with refinement, running the text by the definitions, kernel",
        per_mille: 15,
        draw: programs::abstraction,
    },
    Category {
        name: "promela",
        what: "Promela model, LTL formula: explicit, sets, the graph of steps by the definitions, kernel",
        per_mille: 30,
        draw: promela::promela,
    },
    Category {
        name: "spin",
        what: "Promela model, LTL formula: explicit, and Spin's verifier where there is one",
        per_mille: 20,
        draw: promela::against_spin,
    },
];

/// A number from the environment.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.trim().is_empty())?;
    Some(text.trim().parse().unwrap_or_else(|_| panic!("{name} must be a number, not `{text}`")))
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from)
}

#[test]
fn a_few_hundred_cases_agree() {
    let plan = Plan { seed: 20_261_115, cases: 300, seconds: None, threads: 1, smallest: 2 };
    let run = Run::new(plan, target().join("million-sample"));
    if let Err(wrong) = run.finish(&CATEGORIES, &mut |_| {}) {
        panic!("{wrong}");
    }
}

/// The long run, which `make test-million` starts: `TERTIUM_CASES` in all, `TERTIUM_SEED`, `TERTIUM_SECONDS` at most,
/// `TERTIUM_THREADS`; `TERTIUM_ONLY=programs:17` repeats one sample.
#[test]
#[ignore = "takes an hour or two: make test-million"]
#[allow(clippy::print_stdout, reason = "the table is what the run is for")]
#[allow(clippy::exit, reason = "the table says what is wrong; a panic would add nothing")]
fn a_million_cases_agree() {
    let folder = target().join("million");
    if let Some(only) = std::env::var("TERTIUM_ONLY").ok().filter(|only| !only.is_empty()) {
        return run::repeat(&CATEGORIES, &only, number("TERTIUM_SEED").unwrap_or(1), &folder);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Plan {
        seed: number("TERTIUM_SEED").unwrap_or(1),
        cases: number("TERTIUM_CASES").unwrap_or(1_000_000) as usize,
        seconds: number("TERTIUM_SECONDS").map(Duration::from_secs),
        threads: number("TERTIUM_THREADS").map_or(cores, |threads| threads as usize),
        smallest: 1,
    };
    let run = Run::resumed(plan, folder, &CATEGORIES);
    match run.finish(&CATEGORIES, &mut |text| println!("{text}")) {
        Ok(table) => println!("{table}"),
        Err(wrong) => {
            println!("{wrong}");
            std::process::exit(1);
        }
    }
}

#[test]
fn shares_make_a_whole() {
    assert_eq!(CATEGORIES.iter().map(|category| category.per_mille).sum::<u64>(), 1000);
}
