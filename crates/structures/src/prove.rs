//! What proves a definite value, and what leaves an unknown open?
//!
//! Asks the engine of the formula's logic for evidence, and the independent checker for its opinion.
//! A proof that is not accepted is a fault of this program, never an answer.

use std::borrow::Cow;

use tertium_base::{Budget, Diagnostic};
use tertium_check::Task;
use tertium_check::automata::{linear_certificate, linear_open_question};
use tertium_check::synthesis::{CoalitionTask, coalition_strategy};
use tertium_check::witness::{branching_certificate, open_question as branching_question, readable_run};
use tertium_evidence::{Certificate, OpenQuestion, Proof, Reading};
use tertium_kernel::{Rejection, Subject, check_certificate_of};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, fair_ctl};
use tertium_model::{Kmts, StateId};

use crate::answer::Run;
use crate::engines::failure;
use tertium_load::failure::Failure;

/// At most this many open elements are listed.
const MOST_REASONS: usize = 8;

/// The formula that is evaluated: on a structure with fairness constraints, CTL quantifies over fair
/// paths, which is written in the mu-calculus.
#[must_use]
pub fn evaluated_formula<'f>(model: &Kmts, formula: &'f Formula) -> Cow<'f, Formula> {
    fair_formula(formula, model.fairness().len())
}

/// The formula that is evaluated where there are this many fairness constraints.
#[must_use]
pub fn fair_formula(formula: &Formula, constraints: usize) -> Cow<'_, Formula> {
    if formula.logic() != Logic::Ctl || constraints == 0 {
        return Cow::Borrowed(formula);
    }
    fair_ctl(formula, constraints).map_or(Cow::Borrowed(formula), Cow::Owned)
}

fn is_linear(formula: &Formula) -> bool {
    matches!(formula.logic(), Logic::Ltl | Logic::CtlStar)
}

/// The proof that `asked` has this definite value at a state. The task holds the evaluated formula.
///
/// # Errors
/// If a limit is reached, or no proof can be found for what an engine said.
pub fn certificate(task: &Task<'_>, asked: &Formula, state: StateId, value: Belnap) -> Result<Certificate, Failure> {
    let proof = if is_linear(task.formula) {
        linear_certificate(task, state, value).map_err(failure)?
    } else {
        branching_certificate(task, state, value).map_err(failure)?
    };
    let Some(proof) = proof else {
        let at = task.model.state_name(state);
        return Err(Failure::Internal(format!("an engine found {asked} to be {value} at {at}, and no proof exists")));
    };
    Ok(Certificate { formula: asked.text(), logic: asked.logic(), reading: task.reading, state, value, proof })
}

/// The proof by a strategy that a formula about players has this definite value at a state; none if it is about more than one coalition.
///
/// # Errors
/// If a limit is reached.
pub fn strategy(
    task: &CoalitionTask<'_>,
    reading: Reading,
    state: StateId,
    value: Belnap,
) -> Result<Option<Certificate>, Failure> {
    let proof = coalition_strategy(task, state, value).map_err(failure)?;
    let (formula, logic) = (task.formula.text(), task.formula.logic());
    Ok(proof.map(|proof| Certificate { formula, logic, reading, state, value, proof }))
}

/// What leaves the task's formula open at a state, and the formula whose nodes it names.
///
/// # Errors
/// If a limit is reached.
pub fn open_question(task: &Task<'_>, state: StateId) -> Result<Option<(OpenQuestion, Formula)>, Failure> {
    let question = if is_linear(task.formula) {
        linear_open_question(task, state).map_err(failure)?
    } else {
        branching_question(task, state, MOST_REASONS).map_err(failure)?
    };
    Ok(question.map(|question| (question, task.formula.clone())))
}

/// The run that tells a proof, if it takes a step at all.
#[must_use]
pub fn run_of(task: &Task<'_>, certificate: &Certificate) -> Option<Run> {
    let positive = certificate.value == Belnap::True;
    let run = match &certificate.proof {
        Proof::Claims(claims) => {
            let run = readable_run(task, claims)?;
            // What branches is told by a run only where the run breaks the property.
            if !run.complete && positive {
                return None;
            }
            Run { states: run.states.iter().map(|&(state, _)| state).collect(), loop_start: run.loop_start }
        }
        Proof::Lasso { stem, cycle } => Run {
            states: stem.iter().chain(cycle).copied().collect(),
            loop_start: (!cycle.is_empty()).then_some(stem.len()),
        },
        Proof::NoPath
        | Proof::NoWord
        | Proof::Plays { .. }
        | Proof::Settled { .. }
        | Proof::Refuted(_)
        | Proof::Outplayed(_)
        | Proof::Completions(_)
        | Proof::Labels(_) => return None,
    };
    (run.states.len() > 1 || run.loop_start.is_some()).then_some(run)
}

/// Has a proof checked by code that shares nothing with the engines.
///
/// # Errors
/// If it is not accepted, which is a fault of this program; or if a limit is reached.
pub fn recheck(
    (model, subject): (&Kmts, Subject),
    certificate: &Certificate,
    constants: &[(String, Belnap)],
    budget: &Budget,
) -> Result<(), Failure> {
    match check_certificate_of(model, subject, certificate, constants, budget) {
        Ok(_) => Ok(()),
        Err(Rejection::Stopped(stopped)) => Err(stopped.into()),
        Err(Rejection::Refused(why)) => Err(disagreement(certificate, &why)),
    }
}

fn disagreement(certificate: &Certificate, why: &Diagnostic) -> Failure {
    Failure::Internal(format!(
        "an engine found {} to be {}, and the independent checker rejects its proof: {}",
        certificate.formula, certificate.value, why.message
    ))
}
