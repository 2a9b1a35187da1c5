//! What would decide a property that stays open?
//!
//! Advice is tried before it is given, within a quota of effort: more rounds of refinement, running the program, or a fair scheduler are only named if the property
//! is then decided. Nothing that was found out is changed by it.

use tertium_base::Budget;
use tertium_cegar::answer::ProgramAnswer;
use tertium_lattice::Belnap;
use tertium_load::ProgramFile;
use tertium_load::questions::Question;
use tertium_logic::Logic;
use tertium_program::{Fairness, ProcessId};

use super::limits::Limits;
use super::vacuity::quick;
use super::wishes::{Approach, Wishes};
use super::{ProgramQuery, decide_aside};
use crate::failure::Failure;
use crate::{Aside, Observer};

/// Something that decides a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// So many rounds of refinement.
    Refinements(u32),
    /// Running the program, without abstraction.
    Run,
    /// With these processes scheduled fairly it holds.
    Fairness(Vec<String>),
}

/// What decides a property that is open: each was tried.
///
/// # Errors
/// If two parts of this program disagree. Limits are no errors.
pub fn advice(
    query: &ProgramQuery<'_>,
    question: &Question,
    answer: &ProgramAnswer,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Vec<Advice>, Failure> {
    let is_open = answer.value() == Belnap::Unknown && answer.stopped().is_none() && answer.condition.is_empty();
    if !is_open || answer.sizes.is_some() || query.file.open.is_some() {
        return Ok(Vec::new());
    }
    observer.phase(&format!("looking for what would decide {}", answer.name));
    let trial = Trial { query, question, budget: Limits::of(query.file.language).for_a_remark(budget), observer };
    let mut found = Vec::new();
    if !answer.rounds.is_empty() && answer.cost.refinements >= query.wishes.usual_rounds() as usize {
        let rounds = query.wishes.usual_rounds().max(1).saturating_mul(2);
        let wishes = Wishes { refinements: Some(rounds), approach: Approach::Abstract, ..quick(query.wishes) };
        found.extend(trial.decides(query.file, &wishes)?.map(|_| Advice::Refinements(rounds)));
    }
    if query.wishes.approach == Approach::Abstract {
        let wishes = Wishes { approach: Approach::NoAbstraction, ..Wishes::default() };
        let wishes = Wishes { options: quick(query.wishes).options, ..wishes };
        found.extend(trial.decides(query.file, &wishes)?.map(|_| Advice::Run));
    }
    if matches!(question, Question::Property(asked) if matches!(asked.formula.logic(), Logic::Ltl | Logic::Ctl)) {
        found.extend(trial.fairness()?.map(Advice::Fairness));
    }
    Ok(found)
}

/// One question, asked in other ways.
struct Trial<'a> {
    query: &'a ProgramQuery<'a>,
    question: &'a Question,
    budget: Budget,
    observer: &'a dyn Observer,
}

impl Trial<'_> {
    /// The value, if the question is decided.
    fn decides(&self, file: &ProgramFile, wishes: &Wishes) -> Result<Option<Belnap>, Failure> {
        if self.budget.glance().is_err() {
            return Ok(None);
        }
        let asked = ProgramQuery { file, questions: std::slice::from_ref(self.question), wishes };
        match decide_aside(&asked, &self.budget, &Aside(self.observer)) {
            Ok(outcome) => Ok(outcome.answers.first().map(ProgramAnswer::value).filter(|value| value.is_definite())),
            Err(Failure::Input(_) | Failure::Stopped(_)) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The processes to which the scheduler must be fair for the property to hold: one if one is enough, else all.
    fn fairness(&self) -> Result<Option<Vec<String>>, Failure> {
        let program = &self.query.file.program;
        let unfair: Vec<ProcessId> =
            program.process_ids().filter(|&id| program.process(id).fairness == Fairness::None).collect();
        let mut choices: Vec<Vec<ProcessId>> = unfair.iter().map(|&id| vec![id]).collect();
        if unfair.len() > 1 {
            choices.push(unfair);
        }
        let wishes = quick(self.query.wishes);
        for choice in choices {
            let mut file = self.query.file.clone();
            for &id in &choice {
                file.program.processes[id.index()].fairness = Fairness::Weak;
            }
            if self.decides(&file, &wishes)? == Some(Belnap::True) {
                return Ok(Some(choice.iter().map(|&id| program.process(id).name.clone()).collect()));
            }
        }
        Ok(None)
    }
}
