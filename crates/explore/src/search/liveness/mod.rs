//! Is there an infinite run that a monitor accepts?
//!
//! Searches the product of a program and a generalised Büchi monitor on the fly, depth first, merging strongly
//! connected components as they close (Couvreur 1999). It ends at the first component that carries every mark. A state
//! without successors stutters. Weak fairness of a process is one more mark; strong fairness is looked at inside
//! the components that carry all marks. `nearest` asks the same of anything that says what comes after a state, and makes
//! the nearest states first.

mod backwards;
mod components;
mod lasso;
mod marked;
mod marks;
mod nearest;
mod nested;
mod parallel;
mod product;
mod product_rows;
mod strong;

use tertium_base::{Budget, Stopped};

pub use self::backwards::{Origin, cycle_backwards};
use self::components::Components;
pub use self::marks::MOST_MARKS;
pub use self::nearest::{Nearest, Watch, nearest_accepted_run};
pub use self::nested::{Nested, accepted_run_compact};
pub use self::parallel::accepted_run_together;
use self::product::Product;
pub use self::product_rows::{MOST_CONDITIONS, ProductRows, ProductScratch};
use super::Progress;
use crate::successors::RowSuccessors;

/// Watches a run and says what it has seen: a generalised Büchi automaton over what states show.
pub trait Monitor: Sync {
    /// What one search needs to look at states.
    type Scratch: Send;

    /// Room for one search.
    fn scratch(&self) -> Self::Scratch;

    /// Where it starts.
    fn initial(&self) -> Vec<u32>;

    /// How many marks a run must collect infinitely often; at most 64, and at most [`MOST_MARKS`] with the processes that the scheduler
    /// is weakly fair to.
    fn marks(&self) -> u32;

    /// Whether a run that cannot go on counts as resting in its last state for ever; otherwise it is no infinite run.
    fn stutters(&self) -> bool {
        true
    }

    /// Where it can go from `state` when it sees `row`, each with the marks it collects.
    fn next(&self, state: u32, row: &[u32], scratch: &mut Self::Scratch, out: &mut Vec<(u32, u64)>);

    /// What it has noted besides, as words, for a monitor of the same run in another process.
    fn remarks(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Notes what another process has noted.
    fn absorb(&self, _remarks: &[u64]) {}
}

/// What the scheduler promises, by pid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduling {
    /// Processes that step infinitely often or are disabled infinitely often.
    pub weak: Vec<u32>,
    /// Processes that step infinitely often if they are enabled infinitely often.
    pub strong: Vec<u32>,
}

/// A run that goes on for ever: `stem`, then `cycle` again and again. Rows of the program alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// From an initial state to the entry of the cycle, exclusive.
    pub stem: Vec<Vec<u32>>,
    /// From the entry on; the step after the last state leads back to the first.
    pub cycle: Vec<Vec<u32>>,
}

/// What a search for a run found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LivenessOutcome {
    /// An accepted fair run, if there is one.
    pub lasso: Option<Lasso>,
    /// States of the product that were visited.
    pub states: usize,
    /// Steps of the product that were looked at.
    pub transitions: usize,
    /// What went wrong in a step; runs through it are not known.
    pub faults: Vec<tertium_program::Fault>,
}

/// Looks for an accepted fair run.
///
/// # Errors
/// If the budget is spent first.
pub fn accepted_run<S: RowSuccessors, M: Monitor>(
    successors: &S,
    monitor: &M,
    scheduling: &Scheduling,
    initial: &[Vec<u32>],
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<LivenessOutcome, Stopped> {
    let mut product = Product::new(successors, monitor, scheduling, budget);
    let mut starts = Vec::new();
    for row in initial {
        for state in monitor.initial() {
            starts.push(product.number(row, state, true)?);
        }
    }
    let lasso = match Components::default().run(&mut product, &starts, progress)? {
        None => None,
        Some(component) => {
            let (stem, cycle) = lasso::lasso(&mut product, &starts, &component)?;
            let mut rows = |numbers: &[u32]| numbers.iter().map(|&number| product.program_row(number)).collect();
            Some(Lasso { stem: rows(&stem), cycle: rows(&cycle) })
        }
    };
    Ok(LivenessOutcome { lasso, states: product.store.len(), transitions: product.transitions, faults: product.faults })
}
