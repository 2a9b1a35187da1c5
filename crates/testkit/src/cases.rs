//! Runs a check on many random cases; a failure names its seed and keeps its inputs.
//!
//! The seed is fixed unless the environment sets `TERTIUM_SEED`; `TERTIUM_CASES` multiplies the number
//! of cases. The first case of a run has the run's seed as its own, so the seed that a failure prints
//! brings that failure back as the first case.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

use tertium_logic::Formula;
use tertium_model::Kmts;

use crate::refinements::{self, Refinement};
use crate::{FormulaShape, Rng, StructureShape, formulas, show_formula, show_structure, structures};

const DEFAULT_SEED: u64 = 20_261_115;
/// Distance of the seeds of two consecutive cases; odd, so that they differ for very long.
const SEED_STEP: u64 = 0xd134_2543_de82_ef95;

/// One random case: its source of randomness and the inputs worth keeping.
#[derive(Debug)]
pub struct Case {
    /// Where all choices of this case come from.
    pub rng: Rng,
    /// The number of the case in this run, from zero.
    pub number: usize,
    kept: Vec<(String, String)>,
}

impl Case {
    /// The case that this seed stands for.
    #[must_use]
    pub fn new(seed: u64, number: usize) -> Self {
        Self { rng: Rng::new(seed), number, kept: Vec::new() }
    }

    /// Keeps an input: if the check fails, it is shown and written to a file of this name.
    pub fn keep(&mut self, name: &str, text: impl Into<String>) {
        self.kept.push((name.to_owned(), text.into()));
    }

    /// The inputs that were kept, each with the name of its file.
    #[must_use]
    pub fn kept(&self) -> &[(String, String)] {
        &self.kept
    }

    /// A random structure, kept as `structure.kmts`.
    pub fn structure(&mut self, shape: &StructureShape) -> Kmts {
        let structure = structures::random_structure(&mut self.rng, shape);
        self.keep("structure.kmts", show_structure(&structure));
        structure
    }

    /// A random refinement, kept as `refinement.kmts`.
    pub fn refinement(&mut self, of: &Kmts) -> Refinement {
        let refinement = refinements::random_refinement(&mut self.rng, of);
        self.keep("refinement.kmts", show_structure(&refinement.structure));
        refinement
    }

    /// A random completion, kept as `completion.kmts`.
    pub fn completion(&mut self, of: &Kmts) -> Refinement {
        let completion = refinements::random_completion(&mut self.rng, of);
        self.keep("completion.kmts", show_structure(&completion.structure));
        completion
    }

    /// A random formula, kept as `formula.txt`.
    pub fn formula(&mut self, shape: &FormulaShape) -> Formula {
        let formula = formulas::random_formula(&mut self.rng, shape);
        self.keep("formula.txt", show_formula(&formula));
        formula
    }
}

/// Runs `check` on `count` random cases (times `TERTIUM_CASES`).
///
/// # Panics
/// With the panic of the first case that fails, after showing its seed and inputs and writing them to
/// `target/failed-cases/<test>/`.
pub fn for_random_cases(count: usize, check: impl Fn(&mut Case)) {
    let seed = from_environment("TERTIUM_SEED").unwrap_or(DEFAULT_SEED);
    let factor = from_environment("TERTIUM_CASES").unwrap_or(1);
    let total = count.saturating_mul(usize::try_from(factor).unwrap_or(usize::MAX));
    for number in 0..total {
        let case_seed = seed.wrapping_add((number as u64).wrapping_mul(SEED_STEP));
        let mut case = Case::new(case_seed, number);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&mut case))) {
            tell_failure(&case, case_seed, total);
            resume_unwind(panic);
        }
    }
}

fn from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.trim().parse().unwrap_or_else(|_| panic!("{name} must be a number, not `{text}`")))
}

#[allow(clippy::print_stderr, reason = "the test harness captures it and shows it for failing tests only")]
fn tell_failure(case: &Case, seed: u64, total: usize) {
    eprintln!("case {} of {total} failed; TERTIUM_SEED={seed} makes it the first one", case.number + 1);
    let folder = failure_folder();
    for (name, text) in &case.kept {
        eprintln!("--- {name}\n{}", text.trim_end());
    }
    match write_kept(&folder, seed, &case.kept) {
        Ok(()) => eprintln!("--- kept in {}", folder.display()),
        Err(error) => eprintln!("--- not kept in {}: {error}", folder.display()),
    }
}

fn write_kept(folder: &std::path::Path, seed: u64, kept: &[(String, String)]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("seed.txt"), format!("{seed}\n"))?;
    kept.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
}

fn failure_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let thread = std::thread::current();
    target.join("failed-cases").join(thread.name().unwrap_or("unnamed").replace("::", "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_case_is_kept_and_its_seed_brings_it_back() {
        let failing = catch_unwind(|| {
            for_random_cases(50, |case| {
                let drawn = case.rng.below(1000);
                case.keep("drawn.txt", drawn.to_string());
                assert!(drawn < 900);
            });
        });
        assert!(failing.is_err());
        let folder = failure_folder();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap().trim().parse::<u64>().unwrap();
        assert!(read("drawn.txt") >= 900);
        assert_eq!(Case::new(read("seed.txt"), 0).rng.below(1000) as u64, read("drawn.txt"));
    }
}
