//! Does a property of a program hold for a reason that says little?
//!
//! Vacuity detection (Beer, Ben-David, Eisner, Rodeh 1997 and 2001; Kupferman and Vardi 2003): a property that is true is asked again with what an
//! implication demands replaced by `false`, which is the strongest mutation of a positive subformula. If the *witness formula* is true as well, the
//! consequent plays no part. The question is put to the whole strategy, so that whichever engine decided the property can decide the witness formula,
//! too, and linear formulas, sets and abstractions are all covered. It gets a quota of effort; what the quota leaves open is told (W0308). The
//! property's own value is never touched.
//!
//! Not here: engines that have every state at hand look for vacuity on the way (`program::safety`, `tertium_structures::vacuity`).

use tertium_base::{Budget, StopReason};
use tertium_cegar::answer::{ProgramAnswer, Vacuity};
use tertium_lattice::Belnap;
use tertium_load::questions::{PropertyQuery, Question};
use tertium_load::sizes::{Open, asked_of, system};
use tertium_structures::vacuity::{Strengthened, never_matters, not_looked_for, strengthened};

use super::limits::Limits;
use super::{ProgramQuery, Wishes, decide_aside};
use crate::failure::Failure;
use crate::{Aside, Observer};

/// So many sizes are looked at where one is left open.
const SIZES: i64 = 3;

/// Looks for vacuity of a property that is true, unless whoever decided it has done so.
///
/// # Errors
/// If two parts of this program disagree. Limits are no errors: a remark says what was not found out.
pub fn look_for_vacuity(
    query: &ProgramQuery<'_>,
    question: &Question,
    answer: &mut ProgramAnswer,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(), Failure> {
    let Question::Property(asked) = question else { return Ok(()) };
    if answer.value() != Belnap::True || answer.vacuity != Vacuity::NotSought {
        return Ok(());
    }
    let stronger = strengthened(&asked.formula);
    if stronger.is_empty() {
        answer.vacuity = Vacuity::NotFound;
        return Ok(());
    }
    if let Some(open) = &query.file.open {
        return look_in_small_sizes(query, open, asked, answer, budget, observer);
    }
    observer.phase(&format!("looking for vacuity of {}", asked.name));
    let witnesses: Vec<Question> =
        stronger.iter().enumerate().map(|(at, one)| witness(query, asked, at, one)).collect();
    let wishes = quick(query.wishes);
    let asked_again = ProgramQuery { questions: &witnesses, wishes: &wishes, ..*query };
    let share = Limits::of(query.file.language).for_a_remark(budget);
    match decide_aside(&asked_again, &share, &Aside(observer)) {
        Ok(outcome) => tell(&stronger, &outcome.answers, budget, answer),
        // What was wished for may not fit the witness formula.
        Err(Failure::Input(_)) => {
            answer.warnings.push(not_looked_for("the witness formula cannot be asked in this way"))
        }
        Err(Failure::Stopped(stopped)) => answer.warnings.push(not_looked_for(&stopped.to_string())),
        Err(failure) => return Err(failure),
    }
    Ok(())
}

/// A property of every size is not vacuous if it is not in one size. What small sizes leave open is told.
fn look_in_small_sizes(
    query: &ProgramQuery<'_>,
    open: &Open,
    asked: &PropertyQuery,
    answer: &mut ProgramAnswer,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(), Failure> {
    let [constant] = open.constants.as_slice() else {
        answer.warnings.push(not_looked_for("more than one size is left open"));
        return Ok(());
    };
    let mut vacuous = Vec::new();
    for size in constant.least..constant.least.saturating_add(SIZES) {
        let Some(system) = system(query.file, open, constant, size)? else { continue };
        let Some(question) = asked_of(&system, &asked.name) else { continue };
        let mut of_one = ProgramAnswer::about(&question);
        of_one.verdict.settle(Belnap::True);
        let one = ProgramQuery { file: &system, questions: std::slice::from_ref(&question), ..*query };
        look_for_vacuity(&one, &question, &mut of_one, budget, observer)?;
        match of_one.vacuity {
            Vacuity::NotFound if of_one.warnings.is_empty() => {
                answer.vacuity = Vacuity::NotFound;
                return Ok(());
            }
            Vacuity::Vacuous => vacuous.push(size.to_string()),
            _ => {}
        }
    }
    let name = &constant.name;
    answer.warnings.push(not_looked_for(&match vacuous.as_slice() {
        [] => format!("small values of `{name}` do not tell, and others were not tried"),
        sizes => format!("it does for {name} = {}, and other values were not tried", sizes.join(", ")),
    }));
    Ok(())
}

/// The question for the witness formula, by a name that no other question has.
fn witness(query: &ProgramQuery<'_>, asked: &PropertyQuery, at: usize, stronger: &Strengthened) -> Question {
    let mut name = format!("witness {at} of {}", asked.name);
    while query.file.program.properties.iter().any(|property| property.name == name) {
        name.push('\'');
    }
    Question::Property(Box::new(asked.with_formula(&name, stronger.formula.clone())))
}

/// The same wishes, without what only evidence and reports need.
pub(super) fn quick(wishes: &Wishes) -> Wishes {
    let mut wishes = wishes.clone();
    wishes.options.keep_basis = false;
    wishes.options.look_for_idle = false;
    wishes
}

fn tell(stronger: &[Strengthened], witnesses: &[ProgramAnswer], budget: &Budget, answer: &mut ProgramAnswer) {
    let mut found = Vacuity::NotFound;
    let mut open = None;
    for (stronger, witness) in stronger.iter().zip(witnesses) {
        match witness.value() {
            Belnap::True => {
                found = Vacuity::Vacuous;
                answer.warnings.push(never_matters(&stronger.antecedent));
            }
            Belnap::False => {}
            Belnap::Unknown | Belnap::Both => open = open.or_else(|| Some(why_open(witness, budget))),
        }
    }
    answer.vacuity = found;
    if let Some(why) = open.filter(|_| found != Vacuity::Vacuous) {
        answer.warnings.push(not_looked_for(&why));
    }
}

fn why_open(witness: &ProgramAnswer, budget: &Budget) -> String {
    match (witness.stopped(), budget.glance()) {
        (Some(_), Err(stopped)) => stopped.to_string(),
        (Some(StopReason::Time), Ok(())) => {
            format!("its share of the effort was used up by `{}`", witness.formula)
        }
        (Some(reason), Ok(())) => tertium_base::Stopped(reason).to_string(),
        (None, _) => format!("`{}` is neither shown nor refuted", witness.formula),
    }
}
