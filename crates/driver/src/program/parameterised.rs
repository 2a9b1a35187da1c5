//! What holds of a system of every size?
//!
//! The engine is [`tertium_cegar::parameterised`]; systems of one size are run here, by visiting their states.

use tertium_base::Budget;
use tertium_cegar::parameterised::{self, How};

use super::check::CheckOutcome;
use super::predicate_abstraction::AbstractionOptions;
use super::questions::Question;
use super::{CheckOptions, ProgramAnswer, ProgramFile};
use crate::ProgramObserver;
use crate::failure::Failure;

pub use tertium_cegar::parameterised::{AtLeast, Open, Sizes};

/// Answers all questions for every size; `rounds` are the refinements of the abstraction.
///
/// # Errors
/// If an engine cannot do what was asked, or two parts of this program disagree.
pub fn check(
    file: &ProgramFile,
    asked: &[Question],
    options: &CheckOptions,
    (abstraction, rounds): (&AbstractionOptions, u32),
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<CheckOutcome, Failure> {
    parameterised::check(file, asked, options, &How { abstraction, rounds, run_one: &super::check }, budget, observer)
}

/// What counting members says about questions to a program whose families have one size each; none for what it leaves open. Properties
/// with names in `broken` are known to be false, and cannot help.
///
/// # Errors
/// If an engine cannot do what was asked, or two parts of this program disagree.
pub fn count(
    file: &ProgramFile,
    asked: (&[Question], &[String]),
    options: &CheckOptions,
    (abstraction, rounds): (&AbstractionOptions, u32),
    budget: &Budget,
    observer: &dyn ProgramObserver,
) -> Result<Vec<Option<ProgramAnswer>>, Failure> {
    parameterised::count(file, asked, options, &How { abstraction, rounds, run_one: &super::check }, budget, observer)
}
