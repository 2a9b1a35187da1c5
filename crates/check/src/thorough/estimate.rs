//! How large can the search for completions get?
//!
//! A bound that costs nothing to compute and that no search exceeds: the states that count, times the sets of terms that
//! a state may have to meet, or times the states that a deterministic automaton may have. Most searches stay far below
//! it; one that is asked of a large formula can be told beforehand.

use std::fmt;

use tertium_logic::Logic;

use super::terms::{Term, Terms, terms_of_task};
use crate::{EngineError, Task};

/// A bound on the positions of a search: states times two to the power of something.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// States of the structure.
    pub states: usize,
    /// The logarithm, to base two, of the positions at each state.
    pub bits: f64,
}

impl Estimate {
    /// Whether a machine may run out of time or memory over it.
    #[must_use]
    pub fn is_large(&self) -> bool {
        (self.states.max(1) as f64).log2() + self.bits > LARGE
    }

    /// Whether it is not worth thinking about.
    #[must_use]
    pub fn is_small(&self) -> bool {
        (self.states.max(1) as f64).log2() + self.bits <= SMALL
    }
}

/// About a thousand million positions.
const LARGE: f64 = 30.0;
/// About sixteen thousand.
const SMALL: f64 = 14.0;

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bits < 1024.0 {
            write!(f, "{} states x 2^{:.0} positions", self.states, self.bits.ceil())
        } else {
            write!(f, "{} states x 2^(2^{:.0}) positions", self.states, self.bits.log2().ceil())
        }
    }
}

/// The bound for a task.
///
/// # Errors
/// If the task is not supported or a limit is reached.
pub fn estimate(task: &Task<'_>) -> Result<Estimate, EngineError> {
    let states = task.model.state_count();
    let bits = match task.formula.logic() {
        Logic::Ltl => automaton_bits(task),
        _ => tableau_bits(&terms_of_task(task, true)?.0),
    };
    Ok(Estimate { states, bits })
}

/// A set of terms is one of those behind step terms; threads that alternate are watched by trees over them.
fn tableau_bits(terms: &Terms) -> f64 {
    let behind: std::collections::BTreeSet<_> = terms.terms.iter().filter_map(Term::behind_step).collect();
    let count = behind.len() as f64;
    let trees = if terms.weak { count } else { 2.0 * count * (count + 1.0).log2() };
    let priorities = terms.priority.iter().max().map_or(0, |&most| most) as f64;
    // Each set is met in ways, one for each choice of alternatives, and each way is followed up.
    let ways = terms.terms.iter().filter(|term| matches!(term, Term::Any(_))).count() as f64;
    count + trees + ways + (priorities + 2.0).log2() + 2.0
}

/// Sets of promises are the states of an automaton with choices, and its determinisation orders sets of these.
fn automaton_bits(task: &Task<'_>) -> f64 {
    let operators = task.formula.nodes().iter().filter(|node| node.is_path_operator()).count() as f64;
    let with_choices = operators.exp2();
    with_choices * (with_choices + 1.0).log2() + 2.0
}
