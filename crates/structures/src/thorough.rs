//! What do all completions of a structure agree on?
//!
//! The thorough value of a property, with evidence: for an unknown two completions, one that satisfies the property and one
//! that violates it. Each is decided two-valued, its proof re-checked, and compared with the structure before it is
//! shown.

use std::sync::Arc;

use tertium_base::{Budget, Diagnostic, Stopped};
use tertium_check::thorough::{
    Completion, Estimate, How, MarkedStructure, decide, estimate, small_proof, supported, thorough_proof,
    two_completions,
};
use tertium_check::{Ask, EngineError, Task, Unsupported};
use tertium_evidence::{Certificate, CertificatePlace, CompletionProof, Deadlock, LinearReading, Proof, Reading};
use tertium_kernel::Subject;
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, Model, StateId, refines};

use crate::answer::{Answer, Proved, Value};
use crate::check::{SMALL, Session, bound, meet_at};
use crate::engines::EngineChoice;
use crate::prove;
use tertium_evidence::observer::Observer;
use tertium_evidence::provenance::{Engine, Provenance, Technique};
use tertium_load::failure::{Failure, Located};

/// A proof that completions disagree, and one of either kind.
type CertifiedCompletions = (Certificate, Box<[Completion; 2]>);

impl Session<'_> {
    /// Why the thorough semantics cannot be asked for here, whatever the property.
    pub(crate) fn refuse_thorough(&self) -> Result<(), Failure> {
        if !self.options.thorough {
            return Ok(());
        }
        let refuse = |why: &str, help: &str| {
            let message = format!("the thorough semantics cannot do this: {why}");
            Err(Diagnostic::error("E0310", message).help(help.to_owned()).into())
        };
        if self.options.linear.is_some() {
            return refuse("a completion has no open steps, so there is nothing to read", "leave out `--ltl`");
        }
        if self.options.engine != EngineChoice::Auto {
            let name = self.options.engine.name();
            let message = format!("engine `{name}` cannot do this: it computes compositional values");
            return Err(Diagnostic::error("E0311", message).help("`--engine auto` chooses one that fits").into());
        }
        match self.checked_model() {
            Model::Kmts(_) => Ok(()),
            Model::Lattice(_) => refuse("completions are defined for structures with may and must", NO_THOROUGH),
            // Each instance has its completions.
            Model::Param(_) => Ok(()),
        }
    }

    /// Whether looking at all completions may decide what the compositional value leaves open.
    #[must_use]
    pub fn may_gain_from_completions(&self, formula: &Formula) -> bool {
        if !matches!(self.checked_model(), Model::Kmts(_)) || formula.logic().is_strategic() {
            return false;
        }
        let plain =
            !self.options.thorough && self.options.linear.is_none() && self.options.engine == EngineChoice::Auto;
        // With fairness, what completions agree on is no proof that the checker knows.
        let fair = self.kmts().is_some_and(|model| !model.fairness().is_empty());
        plain && !fair && !crate::precision::precision(formula).always && self.thorough_declined(formula).is_none()
    }

    /// Why a property has no thorough value.
    pub(crate) fn thorough_declined(&self, formula: &Formula) -> Option<Located> {
        let model = self.kmts()?;
        let budget = Budget::unlimited();
        let task = Task::new(model, formula, self.thorough_reading(), Ask::At(&self.ask), &budget).ok()?;
        supported(&task).err().map(|why| Located::nowhere(refusal(&why)))
    }

    pub(crate) fn thorough_reading(&self) -> Reading {
        Reading { linear: LinearReading::Hyper, ..self.reading }
    }

    /// The thorough value of a formula at all states that are asked about, without evidence; unknown if it has none.
    pub(crate) fn thorough_value(&self, model: &Kmts, formula: &Formula, budget: &Budget) -> Result<Belnap, Failure> {
        let Ok(task) = Task::new(model, formula, self.thorough_reading(), Ask::At(&self.ask), budget) else {
            return Ok(Belnap::Unknown);
        };
        if supported(&task).is_err() {
            return Ok(Belnap::Unknown);
        }
        let mut value = Belnap::True;
        for &state in &self.ask {
            value = value.and(decide(&task, state).map_err(failure)?.value);
        }
        Ok(value)
    }

    /// Decides one property for all completions.
    pub(crate) fn check_thorough(
        &self,
        model: &Kmts,
        answer: &mut Answer,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        if !model.fairness().is_empty() {
            return self.check_thorough_fair(model, answer, budget, observer);
        }
        let formula = answer.formula.clone();
        let task = bound(Task::new(model, &formula, self.thorough_reading(), Ask::At(&self.ask), budget))?;
        let size = estimate(&task).map_err(failure)?;
        observer.search(&format!("completing {}, at most {size}", answer.name));
        // Kept if the search is stopped, taken back if it is not.
        let warned = answer.warnings.len();
        answer.warnings.extend(size.is_large().then(|| too_large(&size)));
        let mut value = Belnap::True;
        let mut decided: Option<(StateId, How)> = None;
        for &state in &self.ask {
            let outcome = decide(&task, state).map_err(failure)?;
            let least = value.and(outcome.value);
            if decided.is_none() || least != value {
                decided = Some((state, outcome.how));
            }
            value = least;
        }
        answer.warnings.truncate(warned);
        answer.verdict.settle(value);
        let Some((state, how)) = decided else { return Ok(()) };
        answer.state = Some(state);
        answer.provenance = provenance(how, formula.logic());
        if self.options.all_states {
            let everywhere = Task { ask: Ask::All, ..task.clone() };
            let values = tertium_check::Engine::values(&tertium_check::thorough::Thorough, &everywhere);
            let values = values.map_err(failure)?;
            answer.per_state = Some(model.states().map(|state| Value::Belnap(values.at(state))).collect());
        }
        match (value, how) {
            (_, How::Inconsistent) => {
                answer.warnings.push(inconsistent(model.state_name(state)));
                self.prove_thorough(&task, answer, value, observer)?;
            }
            (Belnap::Unknown, _) => match self.show_completions(&task, answer, state, observer) {
                // The answer stands; what would show it may take more than the answer did.
                Err(Failure::Stopped(stopped)) => answer.warnings.push(not_shown(stopped)),
                shown => shown?,
            },
            (Belnap::True | Belnap::False, How::Compositional) if self.ask.len() == 1 => {
                self.explain(&task, &formula, answer, value, observer)?;
            }
            (Belnap::True | Belnap::False, _) => self.prove_thorough(&task, answer, value, observer)?,
            (Belnap::Both, _) => {}
        }
        Ok(())
    }

    /// The same under fairness constraints. What is compositional is explained as such; what only completions agree on is proved of the marked structure.
    fn check_thorough_fair(
        &self,
        model: &Kmts,
        answer: &mut Answer,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        observer.search(&format!("completing {}", answer.name));
        let formula = answer.formula.clone();
        let ask = if self.options.all_states { Ask::All } else { Ask::At(&self.ask) };
        let task = bound(Task::new(model, &formula, self.thorough_reading(), ask, budget))?;
        let values = tertium_check::Engine::values(&tertium_check::thorough::Thorough, &task).map_err(failure)?;
        let (value, state) = meet_at(&self.ask, |state| values.at(state));
        if self.options.all_states {
            answer.per_state = Some(model.states().map(|state| Value::Belnap(values.at(state))).collect());
        }
        answer.verdict.settle(value);
        answer.state = state;
        let fair = prove::evaluated_formula(model, &formula);
        let compositional_task = bound(Task::new(model, &fair, self.thorough_reading(), Ask::At(&self.ask), budget))?;
        let (provenance, compositional) = crate::engines::evaluate(&compositional_task, EngineChoice::Auto)?;
        if meet_at(&self.ask, |state| compositional.at(state)).0 == value {
            answer.provenance = provenance;
            self.explain(&compositional_task, &formula, answer, value, observer)?;
            // That completions of both kinds exist is more than that the compositional value is open.
            return if value == Belnap::Unknown { self.prove_marked(&task, answer, value, observer) } else { Ok(()) };
        }
        answer.provenance = Provenance::new(Engine::Thorough, Technique::GeneralisedModelChecking);
        self.prove_marked(&task, answer, value, observer)
    }

    /// Has it proved of the marked structure that all completions with fairness agree, or that they do not.
    fn prove_marked(
        &self,
        task: &Task<'_>,
        answer: &mut Answer,
        value: Belnap,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        let small = task.model.edge_count() <= SMALL || self.options.always_recheck;
        let marked = MarkedStructure::of(task).map_err(|why| Failure::from(refusal(&why)))?;
        let (true, Some(marked)) = (small, marked) else { return Ok(()) };
        observer.phase(&format!("proving {}", answer.name));
        let decisive = answer.state.as_slice();
        let states = if value == Belnap::False { decisive } else { &self.ask[..] };
        let structure = Arc::new(marked.model.clone());
        let mut proved = Vec::new();
        for &state in states {
            let begin = [marked.begin(state)];
            let here = marked.task(task, Ask::At(&begin)).map_err(failure)?;
            let found = match value {
                // Where some initial states have another value, there is no proof: all parts of one are about the same value.
                Belnap::Unknown if decide(&here, begin[0]).map_err(failure)?.value != value => return Ok(()),
                Belnap::Unknown => {
                    self.completions_certificate(&here, begin[0]).map(|found| found.map(|found| found.0))
                }
                _ => self.thorough_certificate(&here, begin[0], value),
            };
            // The answer stands without its proof, which may take more than the answer did.
            let mut certificate = match found {
                Ok(Some(certificate)) => certificate,
                Ok(None) | Err(Failure::Stopped(_)) => return Ok(()),
                Err(failure) => return Err(failure),
            };
            match prove::recheck((&marked.model, Subject::structure(&marked.model)), &certificate, &[], task.budget) {
                Err(Failure::Stopped(_)) => return Ok(()),
                checked => checked?,
            }
            // The question is the one that was asked; marks are how its proof is told.
            (certificate.formula, certificate.logic) = (task.formula.text(), task.formula.logic());
            certificate.reading = task.reading;
            let structure = Some(Arc::clone(&structure));
            proved.push(Proved { place: CertificatePlace::FairCompletions, structure, certificate });
        }
        answer.certificates = proved;
        answer.checked = true;
        Ok(())
    }

    /// Has it proved that all completions agree, where there is a kind of proof for it.
    fn prove_thorough(
        &self,
        task: &Task<'_>,
        answer: &mut Answer,
        value: Belnap,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        if task.model.edge_count() > SMALL && !self.options.always_recheck {
            return Ok(());
        }
        observer.phase(&format!("proving {}", answer.name));
        let decisive = answer.state.as_slice();
        let states = if value == Belnap::True { &self.ask[..] } else { decisive };
        let mut proved = Vec::new();
        for &state in states {
            // The answer stands without its proof, which may take more than the answer did.
            let certificate = match self.thorough_certificate(task, state, value) {
                Ok(Some(certificate)) => certificate,
                Ok(None) | Err(Failure::Stopped(_)) => return Ok(()),
                Err(failure) => return Err(failure),
            };
            match prove::recheck((task.model, Subject::structure(task.model)), &certificate, &[], task.budget) {
                Err(Failure::Stopped(_)) => return Ok(()),
                checked => checked?,
            }
            proved.push(Proved { place: CertificatePlace::Whole, structure: None, certificate });
        }
        answer.certificates = proved;
        answer.checked = true;
        Ok(())
    }

    /// The proof at one state: compositional where that is enough.
    pub(crate) fn thorough_certificate(
        &self,
        task: &Task<'_>,
        state: StateId,
        value: Belnap,
    ) -> Result<Option<Certificate>, Failure> {
        let one = [state];
        let here = Task { ask: Ask::At(&one), ..task.clone() };
        let (_, values) = crate::engines::evaluate(&here, EngineChoice::Auto)?;
        if values.at(state) == value && value != Belnap::Both {
            return prove::certificate(&here, task.formula, state, value).map(Some);
        }
        // Moves against all completions may take long to find; whoever wants the proof waits for it.
        let patient = self.options.always_recheck || estimate(&here).is_ok_and(|size| size.is_small());
        let prove = if patient { thorough_proof } else { small_proof };
        let proof = prove(&here, state, value).map_err(failure)?;
        Ok(proof.map(|proof| certificate(task, state, value, proof)))
    }

    /// An unknown: what is open, and a completion of either kind.
    fn show_completions(
        &self,
        task: &Task<'_>,
        answer: &mut Answer,
        state: StateId,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        observer.phase(&format!("explaining {}", answer.name));
        answer.leave_open(prove::open_question(task, state)?);
        if task.model.edge_count() > SMALL && !self.options.always_recheck {
            return Ok(());
        }
        observer.phase(&format!("completing {}", answer.name));
        let Some((certificate, completions)) = self.completions_certificate(task, state)? else {
            return Err(Failure::Internal(format!(
                "{} is unknown, and a completion of one kind is missing",
                task.formula
            )));
        };
        answer.completions = Some(completions);
        let mut certificates = vec![certificate];
        for &other in self.ask.iter().filter(|&&other| other != state) {
            let Some(certificate) = self.certificate_of_own_value(task, other)? else { return Ok(()) };
            certificates.push(certificate);
        }
        for certificate in &certificates {
            prove::recheck((task.model, Subject::structure(task.model)), certificate, &[], task.budget)?;
        }
        let proved = |certificate| Proved { place: CertificatePlace::Whole, structure: None, certificate };
        answer.certificates.extend(certificates.into_iter().map(proved));
        answer.checked = true;
        Ok(())
    }

    /// What shows that an initial state does not make an unknown answer false: its completions disagree, too, or all satisfy the formula.
    fn certificate_of_own_value(&self, task: &Task<'_>, state: StateId) -> Result<Option<Certificate>, Failure> {
        match decide(task, state).map_err(failure)?.value {
            Belnap::Unknown => Ok(self.completions_certificate(task, state)?.map(|(certificate, _)| certificate)),
            value => self.thorough_certificate(task, state, value),
        }
    }

    /// Two completions that disagree, as a proof and as structures.
    fn completions_certificate(
        &self,
        task: &Task<'_>,
        state: StateId,
    ) -> Result<Option<CertifiedCompletions>, Failure> {
        let [Some(satisfying), Some(violating)] = two_completions(task, state).map_err(failure)? else {
            return Ok(None);
        };
        let proof_of = |completion: &Completion, wanted: Belnap| -> Result<CompletionProof, Failure> {
            let (structure, refines) = (completion.structure.clone(), completion.refines.clone());
            let proof = verify(task, state, completion, wanted)?.proof;
            Ok(CompletionProof { structure, refines, proof })
        };
        let both = Box::new([proof_of(&satisfying, Belnap::True)?, proof_of(&violating, Belnap::False)?]);
        let certificate = certificate(task, state, Belnap::Unknown, Proof::Completions(both));
        Ok(Some((certificate, Box::new([satisfying, violating]))))
    }
}

const NO_THOROUGH: &str =
    "`--semantics compositional` (the default) is sound: its true and false hold for every completion";

/// More pairs of states than this are not compared one by one.
const MOST_PAIRS: usize = 1 << 20;

fn provenance(how: How, logic: Logic) -> Provenance {
    match how {
        How::Compositional | How::SelfMinimising => EngineChoice::Auto.provenance(logic),
        How::Searched { .. } | How::Inconsistent => {
            Provenance::new(Engine::Thorough, Technique::GeneralisedModelChecking)
        }
    }
}

fn refusal(why: &Unsupported) -> Diagnostic {
    Diagnostic::error("E0310", format!("the thorough semantics cannot do this: {}", why.reason)).help(NO_THOROUGH)
}

fn failure(error: EngineError) -> Failure {
    match error {
        EngineError::Stopped(stopped) => Failure::Stopped(stopped),
        EngineError::Unsupported(why) => refusal(&why).into(),
    }
}

fn too_large(size: &Estimate) -> Diagnostic {
    Diagnostic::warning("W0312", format!("the search for completions may take {size} in the worst case")).help(
        "a formula with fewer temporal operators, or one property for each part of a conjunction, is a smaller search",
    )
}

fn not_shown(stopped: Stopped) -> Diagnostic {
    Diagnostic::warning("W0314", format!("no completions are shown: {stopped} while they were built"))
        .help("a greater `--timeout` or `--memory` shows them")
}

fn inconsistent(state: &str) -> Diagnostic {
    Diagnostic::warning(
        "W0311",
        format!("the structure contradicts itself at `{state}`: nothing real refines it, so every property is both"),
    )
}

/// The reading of a complete structure: nothing is open, and what must not end does not.
pub(crate) fn two_valued(reading: Reading) -> Reading {
    let deadlock = if reading.deadlock == Deadlock::Maximal { Deadlock::Maximal } else { Deadlock::Mu };
    Reading { deadlock, linear: LinearReading::Hyper }
}

fn certificate(task: &Task<'_>, state: StateId, value: Belnap, proof: Proof) -> Certificate {
    let (formula, logic) = (task.formula.text(), task.formula.logic());
    Certificate { formula, logic, reading: task.reading, state, value, proof }
}

/// The proof that a completion has the value that it is shown for, once it is seen to be one; by code that did not build it.
///
/// # Errors
/// If it is not, which is a fault of this program; or if a limit is reached.
pub(crate) fn verify(
    task: &Task<'_>,
    state: StateId,
    completion: &Completion,
    wanted: Belnap,
) -> Result<Certificate, Failure> {
    let fault = |what: &str| Failure::Internal(format!("a completion for {} {what}", task.formula));
    let structure = &completion.structure;
    if !structure.is_complete() {
        return Err(fault("leaves something open"));
    }
    let Some(&first) = structure.init().first() else { return Err(fault("has no initial state")) };
    // The relation that comes with the completion is checked with its proof; the greatest one needs room for all pairs.
    if task.model.state_count().saturating_mul(structure.state_count()) <= MOST_PAIRS {
        let total = task.model.total() || task.reading.deadlock == Deadlock::Total;
        let partial = task.model.clone().with_total(total);
        let relation = refines(&partial, structure, task.budget).map_err(|error| match error {
            tertium_model::CompareError::Stopped(stopped) => Failure::Stopped(stopped),
            tertium_model::CompareError::Props(_) => fault("has other propositions"),
        })?;
        if !relation.contains(state, first) {
            return Err(fault("does not refine the structure"));
        }
    }
    let states = [first];
    let reading = two_valued(task.reading);
    let inner = bound(Task::new(structure, task.formula, reading, Ask::At(&states), task.budget))?;
    let certificate = prove::certificate(&inner, task.formula, first, wanted)?;
    prove::recheck((structure, Subject::Instance), &certificate, &[], task.budget)?;
    Ok(certificate)
}
