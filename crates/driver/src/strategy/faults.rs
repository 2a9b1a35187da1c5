//! Which faults end runs of a program?
//!
//! A run ends where a step is a fault: an assertion that fails, a value outside its range, a division by zero. What holds of all runs then holds
//! up to that fault, and says nothing about what would come after it. Faults that are asked about have their answers; the others are looked for within a quota
//! of effort, since nobody asked. No answer is changed by it.

use tertium_base::Budget;
use tertium_cegar::answer::ProgramAnswer;
use tertium_lattice::Belnap;
use tertium_load::questions::{Mistake, Question, possible};

use super::limits::Limits;
use super::vacuity::quick;
use super::{ProgramQuery, decide_aside};
use crate::failure::Failure;
use crate::{Aside, Observer};

/// The faults that end some run, as far as that is known or found within a quota; none if nothing is true.
///
/// # Errors
/// If two parts of this program disagree. Limits are no errors.
pub fn faults_of_runs(
    query: &ProgramQuery<'_>,
    answers: &[ProgramAnswer],
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Vec<Mistake>, Failure> {
    let asked = || query.questions.iter().zip(answers);
    if !answers.iter().any(|answer| answer.value() == Belnap::True) {
        return Ok(Vec::new());
    }
    let broken = |(question, answer): (&Question, &ProgramAnswer)| match question {
        Question::Never(never) if answer.value() == Belnap::False => Some(never.mistake),
        _ => None,
    };
    let mut found: Vec<Mistake> = asked().filter_map(broken).filter(|&mistake| ends_a_run(mistake)).collect();
    let is_about = |one: &Question, mistake| matches!(one, Question::Never(never) if never.mistake == mistake);
    let is_asked = |mistake: &Mistake| query.questions.iter().any(|one| is_about(one, *mistake));
    let unasked: Vec<Mistake> = possible(query.file)
        .into_iter()
        .filter(|&mistake| ends_a_run(mistake))
        .filter(|mistake| !is_asked(mistake))
        .collect();
    if !unasked.is_empty() && query.file.open.is_none() {
        found.extend(looked_for(query, &unasked, budget, observer)?);
    }
    Ok(Mistake::ALL.into_iter().filter(|mistake| found.contains(mistake)).collect())
}

/// A deadlock is no fault: the run is whole.
const fn ends_a_run(mistake: Mistake) -> bool {
    !matches!(mistake, Mistake::Deadlock | Mistake::EndState)
}

fn looked_for(
    query: &ProgramQuery<'_>,
    unasked: &[Mistake],
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Vec<Mistake>, Failure> {
    observer.phase("looking for faults that end runs");
    let questions: Vec<Question> = unasked.iter().map(|&mistake| Question::Never(mistake.into())).collect();
    let wishes = quick(query.wishes);
    let aside = ProgramQuery { questions: &questions, wishes: &wishes, ..*query };
    let share = Limits::of(query.file.language).for_a_remark(budget);
    match decide_aside(&aside, &share, &Aside(observer)) {
        Ok(outcome) => {
            let broken = outcome.answers.iter().map(|answer| answer.value() == Belnap::False);
            Ok(unasked.iter().zip(broken).filter(|(_, broken)| *broken).map(|(&mistake, _)| mistake).collect())
        }
        Err(Failure::Input(_) | Failure::Stopped(_)) => Ok(Vec::new()),
        Err(failure) => Err(failure),
    }
}
