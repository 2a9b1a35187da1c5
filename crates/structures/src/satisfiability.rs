//! Is there a structure that satisfies a formula?
//!
//! Satisfiability is generalised model checking of the structure that knows nothing (Bruns and Godefroid 2000): one state, every label unknown, every step possible. Each complete structure refines it, so that a formula has a model iff
//! the search for completions finds one. The model is reduced by bisimulation, and the kernel re-checks that it satisfies the formula; "none" comes with a proof that no completion does, where there is a kind of proof for it.
//!
//! Paths are infinite in CTL, CTL* and LTL, so that models are total there unless deadlocks are allowed by the reading; a formula of PML or of the mu-calculus may have a model with deadlocks.
//!
//! Not here: the search (`tertium_check::thorough`).

use tertium_base::{Budget, Diagnostic};
use tertium_check::thorough::{Wanted, search, small_proof, supported};
use tertium_check::{Ask, EngineError, Task};
use tertium_evidence::{Certificate, Deadlock, LinearReading, Reading};
use tertium_kernel::Subject;
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, KmtsBuilder, StateId, minimise};

use crate::check::bound;
use crate::prove;
use crate::query::is_query;
use crate::thorough::two_valued;

/// Whether a formula has a model.
#[derive(Clone, Debug)]
pub struct Satisfiability {
    /// A complete structure whose initial state satisfies the formula; none if there is none.
    pub model: Option<Kmts>,
    /// What deadlocks meant.
    pub deadlock: Deadlock,
    /// Whether the kernel accepted a proof of the answer in this run.
    pub checked: bool,
}

/// What deadlocks mean for formulas of a logic, if nobody says so.
#[must_use]
pub const fn usual_deadlock(logic: Logic) -> Deadlock {
    match logic {
        Logic::Pml | Logic::Mu => Deadlock::Mu,
        Logic::Ctl | Logic::CtlStar | Logic::Ltl | Logic::Atl | Logic::AtlStar => Deadlock::Total,
    }
}

/// Looks for a model.
///
/// # Errors
/// If the formula is a query or has constants, or a limit is reached.
pub fn satisfiable(formula: &Formula, deadlock: Option<Deadlock>, budget: &Budget) -> Result<Satisfiability, Failure> {
    if is_query(formula) || !formula.elements().is_empty() {
        return Err(Diagnostic::error(
            "E0342",
            "only a formula without placeholders and truth values can be satisfied",
        )
        .help("leave out `?{…}`, `unknown` and `both`")
        .into());
    }
    let deadlock = match deadlock.unwrap_or_else(|| usual_deadlock(formula.logic())) {
        Deadlock::Forbid => Deadlock::Total,
        other => other,
    };
    let unknown = knows_nothing(formula).map_err(tertium_load::cuts::too_large)?;
    let states = [StateId::new(0)];
    let reading = Reading { deadlock, linear: LinearReading::Hyper };
    let task = bound(Task::new(&unknown, formula, reading, Ask::At(&states), budget))?;
    supported(&task).map_err(|why| failure(EngineError::Unsupported(why)))?;
    let found = search(&task, Wanted { satisfying: true, states: &states, build: true }).map_err(failure)?;
    if !found.exists.first().copied().unwrap_or(false) {
        let checked = no_model_is_proved(&task, budget)?;
        return Ok(Satisfiability { model: None, deadlock, checked });
    }
    let Some(completion) = found.completions.into_iter().next().flatten() else {
        return Err(Failure::Internal(format!("{formula} has a model, and none was built")));
    };
    let model = minimise(&completion.structure, budget)?.structure;
    let certificate = satisfied(&model, formula, reading, budget)?;
    prove::recheck((&model, Subject::Instance), &certificate, &[], budget)?;
    Ok(Satisfiability { model: Some(model), deadlock, checked: true })
}

/// One state about which nothing is known, with possible steps of every action.
fn knows_nothing(formula: &Formula) -> Result<Kmts, tertium_model::ModelTooLarge> {
    let mut builder = KmtsBuilder::new();
    let state = builder.add_state("s");
    for atom in formula.atoms() {
        builder.add_prop(&atom.text);
    }
    builder.add_edge(state, state, true, false, None);
    for name in formula.actions() {
        let action = builder.add_action(name);
        builder.add_edge(state, state, true, false, Some(action));
    }
    builder.add_init(state);
    builder.finish()
}

/// The proof that a complete structure satisfies the formula at its initial state.
fn satisfied(model: &Kmts, formula: &Formula, reading: Reading, budget: &Budget) -> Result<Certificate, Failure> {
    let fault = |what: &str| Failure::Internal(format!("a model of {formula} {what}"));
    let Some(&first) = model.init().first() else { return Err(fault("has no initial state")) };
    if !model.is_complete() {
        return Err(fault("leaves something open"));
    }
    if reading.deadlock == Deadlock::Total && model.states().any(|state| model.is_dead(state)) {
        return Err(fault("has a deadlock"));
    }
    let states = [first];
    let task = bound(Task::new(model, formula, two_valued(reading), Ask::At(&states), budget))?;
    prove::certificate(&task, formula, first, Belnap::True)
}

/// Whether there is a proof that no completion satisfies the formula, and the kernel accepts it. The answer stands without one.
fn no_model_is_proved(task: &Task<'_>, budget: &Budget) -> Result<bool, Failure> {
    let state = StateId::new(0);
    let proof = match small_proof(task, state, Belnap::False) {
        Ok(Some(proof)) => proof,
        Ok(None) | Err(EngineError::Stopped(_)) => return Ok(false),
        Err(error) => return Err(failure(error)),
    };
    let (formula, logic) = (task.formula.text(), task.formula.logic());
    let certificate = Certificate { formula, logic, reading: task.reading, state, value: Belnap::False, proof };
    match prove::recheck((task.model, Subject::structure(task.model)), &certificate, &[], budget) {
        Ok(()) => Ok(true),
        Err(Failure::Stopped(_)) => Ok(false),
        Err(failure) => Err(failure),
    }
}

fn failure(error: EngineError) -> Failure {
    match error {
        EngineError::Stopped(stopped) => Failure::Stopped(stopped),
        EngineError::Unsupported(why) => {
            Diagnostic::error("E0342", format!("a model of this formula cannot be looked for: {}", why.reason)).into()
        }
    }
}
