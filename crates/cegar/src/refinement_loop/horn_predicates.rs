//! Predicates from an inductive invariant that another engine finds.
//!
//! Refinement along single paths may follow a loop for ever. An engine for Horn clauses generalises what it learns; the atoms of its solution become predicates, with which the next round usually has its proof. What that engine says is
//! believed nowhere: an answer rests on the abstraction, as any other.

use tertium_abstraction::BadTerm;
use tertium_base::Budget;
use tertium_program::{ExprId, InitialValue, Variable};
use tertium_smt::Limit;
use tertium_smt::horn::HornReply;

use super::Loop;
use super::targets::{BadStates, Target};
use crate::limits;
use crate::options::CheckOptions;
use crate::predicate_abstraction::{AbstractionOptions, Prepared, atoms_of, failed, prepare};
use crate::refine::atoms::atoms;
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::{Question, QuestionId};

impl Loop<'_> {
    /// What the other engine may do now for each of so many questions; `ends`: paths teach nothing more.
    pub(super) fn horn_work(&self, questions: usize, ends: bool) -> u32 {
        let few = questions <= limits::HORN_FEW_QUESTIONS;
        match self.rounds.len() {
            _ if self.refinements == 0 => 0,
            rounds if ends || rounds >= limits::HORN_AGAIN_AFTER_ROUNDS => limits::HORN_MOST_WORK,
            rounds if rounds >= limits::HORN_AFTER_ROUNDS && few => limits::HORN_MOST_WORK,
            rounds if rounds >= limits::HORN_AFTER_ROUNDS => limits::HORN_FIRST_WORK,
            _ => 0,
        }
    }

    /// New predicates for what is open, with so much work for each question; their texts.
    pub(super) fn horn_predicates(
        &self,
        prepared: &mut Prepared,
        open: &[Target],
        work: u32,
    ) -> Result<Vec<String>, Failure> {
        self.work.observer.phase("looking for an inductive invariant by Horn clauses");
        let before = prepared.system.predicates().len();
        for target in open {
            self.work.budget.check()?;
            let Some(bad) = bad_terms(prepared, target) else { continue };
            let limit = Limit { work: Some(work), time: None };
            let invariants = prepared.system.horn_invariants(&bad, limit, self.work.budget);
            let found = atoms(prepared.system.asking().0, &invariants);
            if found.len() <= limits::HORN_MOST_ATOMS {
                found.into_iter().for_each(|atom| {
                    prepared.system.learn_predicate(atom);
                });
            }
        }
        Ok(prepared.system.predicates()[before..].iter().map(|predicate| predicate.name.clone()).collect())
    }
}

/// What an engine for Horn clauses says by itself about a question that single states decide; none if it is no such question, or nothing is said. For comparison: the engine is not checked, and may take longer than the budget.
///
/// # Errors
/// If the program cannot be abstracted.
pub fn horn_verdict(file: &ProgramFile, question: &Question, budget: &Budget) -> Result<Option<bool>, Failure> {
    let asked: Vec<ExprId> = atoms_of(question).collect();
    let how = AbstractionOptions::default();
    let mut prepared = prepare(file, &asked, &how, budget)?;
    let Some(number) = QuestionId::all(std::slice::from_ref(question)).next() else { return Ok(None) };
    let target = Target::of(&mut prepared, number, question, &CheckOptions::default());
    let target = target.map_err(|why| failed(file, prepared.system.program(), why))?;
    let Some(bad) = target.and_then(|target| bad_terms(&prepared, &target)) else { return Ok(None) };
    let exists = matches!(question, Question::Property(asked) if asked.exists);
    let any = |variable: &Variable| matches!(variable.initial, InitialValue::Any);
    let starts_once = file.program.init.is_none() && !file.program.variables.iter().any(any);
    let limit = Limit { work: None, time: None };
    Ok(match prepared.system.horn_reply(&bad, limit, None, budget) {
        HornReply::Solved(_) => Some(!exists),
        // What can be reached from one initial state may be out of reach from another.
        HornReply::Refuted => (!exists || starts_once).then_some(exists),
        HornReply::GaveUp => None,
    })
}

/// What must not be, as terms; none if it is another matter at each combination of locations.
fn bad_terms(prepared: &Prepared, target: &Target) -> Option<Vec<BadTerm>> {
    let system = &prepared.system;
    match &target.bad {
        BadStates::Condition { may, .. } => Some(vec![(None, *may)]),
        BadStates::Fault(operations) => {
            let of = |&id: &tertium_abstraction::OperationId| {
                let operation = &system.operations()[id];
                (Some((operation.process, operation.source)), system.fault(id))
            };
            Some(operations.iter().map(of).collect())
        }
        BadStates::Stuck => None,
    }
}
