//! Which two states of a program does an abstraction take for one, although what it leaves open depends on it?
//!
//! For people who are told `unknown`: of the abstract state at which the property is open, one program state that takes the open step, or has the open value, and one that does not. A solver picks
//! them, and the definitions of expressions and steps confirm both; whether a run reaches them is not said. They are looked for within a quota of effort, on the abstraction of the last
//! round. Nothing that was found out is changed by it.

use tertium_base::Budget;
use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::predicate_abstraction::abstraction_view::{AbstractionView, SampleState, picture};
use tertium_lattice::Belnap;
use tertium_load::questions::Question;

use super::ProgramQuery;
use super::limits::Limits;
use super::wishes::Approach;
use crate::Observer;
use crate::failure::Failure;

/// Two program states that one abstract state stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoStates {
    /// The abstract state: places, values, and what the predicates say.
    pub of: String,
    /// Both of them, with what they do.
    pub states: [SampleState; 2],
    /// Conditions that would tell them apart, if some are known.
    pub missing: Vec<String>,
}

/// The two states of an answer that is open; none if there are none that are confirmed.
///
/// # Errors
/// If two parts of this program disagree. Limits are no errors.
pub fn two_states(
    query: &ProgramQuery<'_>,
    question: &Question,
    answer: &ProgramAnswer,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Option<TwoStates>, Failure> {
    let is_open = answer.value() == Belnap::Unknown && answer.stopped().is_none() && answer.condition.is_empty();
    let whole = answer.spotlight.is_none() && answer.sizes.is_none() && query.file.open.is_none();
    let (Question::Property(asked), true) = (question, is_open && whole) else { return Ok(None) };
    let (options, how) = (&query.wishes.options, &query.wishes.abstraction);
    let budget = Limits::of(query.file.language).for_a_remark(budget);
    let given = query.wishes.approach == Approach::Abstract && answer.rounds.is_empty();
    if answer.round_history.is_none() && !given {
        return Ok(None);
    }
    observer.phase(&format!("looking for states that {} depends on", answer.name));
    let found = match &answer.round_history {
        Some(history) => history.draw_last(query.file, asked, options, how, &budget),
        None => picture(query.file, asked, options, how, &budget),
    };
    match found {
        Ok(found) => Ok(found.and_then(|found| confirmed(query, answer, found))),
        Err(Failure::Stopped(_) | Failure::Input(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Both states, without what cannot matter.
fn confirmed(query: &ProgramQuery<'_>, answer: &ProgramAnswer, found: AbstractionView) -> Option<TwoStates> {
    let left_out: Vec<String> = answer.left_out.iter().map(|&var| query.file.program.show_variable(var)).collect();
    let mut states: [SampleState; 2] = found.sides.try_into().ok()?;
    for state in &mut states {
        let of = |name: &str| name.split('[').next().unwrap_or(name).to_owned();
        state.values.retain(|(name, _)| !left_out.contains(&of(name)));
    }
    Some(TwoStates { of: found.undecided?, states, missing: found.missing })
}
