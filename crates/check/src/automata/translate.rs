//! From a question to the automaton that the searches run.

use tertium_base::{Budget, Stopped};

use super::automaton::Automaton;
use super::question::Question;
use super::tableau::plain_automaton;

/// An automaton that accepts the words that satisfy the question's formula.
///
/// # Errors
/// If the budget ends.
pub(crate) fn automaton(question: &Question<'_>, budget: &Budget) -> Result<Automaton, Stopped> {
    let mut automaton = plain_automaton(&question.formula, budget)?;
    automaton.hopeful_first();
    Ok(automaton)
}
