//! What is the value of a property in every instance of a parameterised structure?
//!
//! The engine for families answers for each state asked about; here the states are combined, instances
//! listed where they are few, and proofs made for each of them.

use std::sync::Arc;

use tertium_base::{Budget, StopReason, Stopped};
use tertium_check::family::{
    Condition as Cubes, Cube, FamilyAnswer, FamilyError, FamilyTask, family_answer, family_warnings,
};
use tertium_check::symbolic::family_sets;
use tertium_check::thorough::Thorough;
use tertium_check::{Ask, Engine, EngineError, Task};
use tertium_evidence::provenance::{Provenance, Technique};
use tertium_evidence::{CertificatePlace, Reason};
use tertium_kernel::Subject;
use tertium_lattice::{Belnap, Kleene};
use tertium_logic::Formula;
use tertium_model::{Kmts, KmtsBuilder, ModelTooLarge, ParamModel, ParamValue, PropId, StateId};

use crate::answer::{Answer, Condition, Instance, Proved};
use crate::check::{SMALL, Session, bound, meet_at};
use crate::engines::EngineChoice;
use crate::{engines, prove};
use tertium_load::cuts::too_large;
use tertium_load::failure::Failure;

/// Several initial states are combined instance by instance, up to this many parameters.
const MOST_PARAMETERS: usize = 16;
/// Proofs are made, and instances listed, up to this many parameters.
const LISTED: usize = 6;

/// The structure in which everything that depends on a parameter is unknown.
pub(crate) fn without_parameters(model: &ParamModel) -> Result<Kmts, ModelTooLarge> {
    let value = |value: ParamValue| match value {
        ParamValue::Constant(value) => value,
        ParamValue::Expr(_) => Kleene::Unknown,
    };
    let mut builder = KmtsBuilder::new();
    for state in model.states() {
        builder.add_state(model.state_name(state));
    }
    let props: Vec<PropId> = model.props().iter().map(|name| builder.add_prop(name)).collect();
    for state in model.states() {
        for &prop in &props {
            builder.set_label(state, prop, Belnap::from(value(model.label(state, prop))));
        }
    }
    for edge in model.edges() {
        match value(edge.value) {
            Kleene::True => builder.add_edge(edge.from, edge.to, true, true, None),
            Kleene::Unknown => builder.add_edge(edge.from, edge.to, true, false, None),
            Kleene::False => {}
        }
    }
    for constraint in model.fair() {
        builder.add_fairness(constraint.iter().map(|&(from, to)| (from, to, None)).collect());
    }
    model.init().iter().for_each(|&state| builder.add_init(state));
    builder.set_total(model.total());
    builder.finish()
}

/// The instances with each value.
struct Split {
    holds: Cubes,
    fails: Cubes,
    open: Cubes,
}

impl Split {
    fn value(&self) -> Belnap {
        Belnap::from_evidence(self.holds.is_always(), self.fails.is_always())
    }

    fn value_of(&self, assignment: &[bool]) -> Belnap {
        Belnap::from_evidence(self.holds.holds(assignment), self.fails.holds(assignment))
    }
}

impl Session<'_> {
    /// Decides a property of a parameterised structure.
    pub(crate) fn check_family(&self, model: &ParamModel, answer: &mut Answer, budget: &Budget) -> Result<(), Failure> {
        let mut answers: Vec<FamilyAnswer> = Vec::new();
        let asked = answer.formula.clone();
        let formula = match model.fair().len() {
            0 => asked.clone(),
            constraints => prove::fair_formula(&asked, constraints).into_owned(),
        };
        let engine = self.family_engine(&formula);
        answer.provenance = self.family_provenance(&formula);
        for &state in &self.ask {
            let task = FamilyTask { model, formula: &formula, reading: self.reading, state, budget };
            let found = match self.options.engine {
                EngineChoice::Symbolic => family_sets(&task),
                _ => family_answer(&task, &*engine, &reasons),
            };
            let found = found.map_err(failure)?;
            for warning in family_warnings(&task, &found).map_err(failure)? {
                if !answer.warnings.contains(&warning) {
                    answer.warnings.push(warning);
                }
            }
            answers.push(found);
        }
        let split = combined(model, answers)?;
        answer.verdict.settle(split.value());
        self.tell_conditions(model, &split, answer);
        self.explain_family(model, &split, answer, budget)
    }

    /// What decides each instance.
    fn family_engine(&self, formula: &Formula) -> Box<dyn Engine> {
        if self.options.thorough { Box::new(Thorough) } else { self.options.engine.engine(formula.logic()) }
    }

    fn family_provenance(&self, formula: &Formula) -> Provenance {
        if self.options.thorough {
            return Provenance::new(
                tertium_evidence::provenance::Engine::Thorough,
                Technique::GeneralisedModelChecking,
            );
        }
        self.options.engine.provenance(formula.logic())
    }

    /// The value of a formula for all instances together, without evidence.
    pub(crate) fn family_value(
        &self,
        model: &ParamModel,
        formula: &Formula,
        budget: &Budget,
    ) -> Result<Belnap, Failure> {
        let formula = prove::fair_formula(formula, model.fair().len());
        let engine = self.family_engine(&formula);
        let mut answers = Vec::new();
        for &state in &self.ask {
            let task = FamilyTask { model, formula: &formula, reading: self.reading, state, budget };
            let found = match self.options.engine {
                EngineChoice::Symbolic => family_sets(&task),
                _ => family_answer(&task, &*engine, &reasons),
            };
            answers.push(found.map_err(failure)?);
        }
        Ok(combined(model, answers)?.value())
    }

    fn tell_conditions(&self, model: &ParamModel, split: &Split, answer: &mut Answer) {
        let parts = [(Belnap::True, &split.holds), (Belnap::False, &split.fails), (Belnap::Unknown, &split.open)];
        let occurring: Vec<_> = parts.into_iter().filter(|(_, cubes)| !cubes.is_never()).collect();
        if occurring.len() > 1 {
            let part = |(value, cubes): (Belnap, &Cubes)| Condition { value, when: cubes.text(model.params()) };
            answer.conditions = Some(occurring.into_iter().map(part).collect());
        }
        if model.params().len() <= LISTED {
            let instance = |assignment: Vec<bool>| Instance {
                value: split.value_of(&assignment),
                parameters: model.params().iter().cloned().zip(assignment).collect(),
            };
            answer.instances = Some(assignments(model.params().len()).map(instance).collect());
        }
    }

    /// Proofs of all instances for a definite value; for an unknown one, an instance that is open.
    fn explain_family(
        &self,
        model: &ParamModel,
        split: &Split,
        answer: &mut Answer,
        budget: &Budget,
    ) -> Result<(), Failure> {
        let small = model.params().len() <= LISTED && model.edges().len() <= SMALL;
        if answer.value_is_unknown() {
            let open = split.open.cubes.first().map(|cube| cube.iter().map(|value| value.unwrap_or(false)).collect());
            return open
                .map_or(Ok(()), |assignment: Vec<bool>| self.explain_instance(model, &assignment, answer, budget));
        }
        if small && self.options.thorough {
            return self.prove_family_thoroughly(model, answer, budget);
        }
        if small {
            for assignment in assignments(model.params().len()) {
                self.explain_instance(model, &assignment, answer, budget)?;
            }
            answer.checked = true;
        }
        Ok(())
    }

    fn explain_instance(
        &self,
        model: &ParamModel,
        assignment: &[bool],
        answer: &mut Answer,
        budget: &Budget,
    ) -> Result<(), Failure> {
        let instance = Arc::new(model.instance(assignment).map_err(too_large)?);
        let asked = answer.formula.clone();
        let formula = prove::evaluated_formula(&instance, &asked);
        let task = bound(Task::new(&instance, &formula, self.reading, Ask::At(&self.ask), budget))?;
        let (_, values) = engines::evaluate(&task, self.options.engine)?;
        let (value, state) = meet_at(&self.ask, |state| values.at(state));
        let Some(state) = state else { return Ok(()) };
        let states: &[StateId] = match value {
            Belnap::True => &self.ask,
            Belnap::False => std::slice::from_ref(&state),
            Belnap::Unknown | Belnap::Both => {
                answer.leave_open(prove::open_question(&task, state)?);
                answer.structure = Some(Arc::clone(&instance));
                answer.state = Some(state);
                return Ok(());
            }
        };
        for &state in states {
            let certificate = prove::certificate(&task, &asked, state, value)?;
            prove::recheck((&instance, Subject::Instance), &certificate, &self.loaded.constants(), budget)?;
            if let Some(evidence) = answer.verdict.evidence_mut().filter(|evidence| evidence.run.is_none())
                && value == Belnap::False
            {
                evidence.run = prove::run_of(&task, &certificate);
                answer.structure = Some(Arc::clone(&instance));
                answer.state = Some(state);
            }
            let pairs = model.params().iter().cloned().zip(assignment.iter().copied());
            let place = CertificatePlace::Assignment(pairs.collect());
            answer.certificates.push(Proved { place, structure: Some(Arc::clone(&instance)), certificate });
        }
        Ok(())
    }
}

fn reasons(task: &Task<'_>, state: StateId) -> Result<Vec<Reason>, EngineError> {
    match prove::open_question(task, state) {
        Ok(question) => Ok(question.map_or_else(Vec::new, |(question, _)| question.reasons)),
        Err(Failure::Stopped(stopped)) => Err(stopped.into()),
        // Reasons only guide the search; without them it goes on.
        Err(_) => Ok(Vec::new()),
    }
}

fn failure(error: FamilyError) -> Failure {
    match error {
        FamilyError::Engine(error) => engines::failure(error),
        FamilyError::TooLarge(error) => too_large(error),
        FamilyError::Bind(errors) => match bound::<()>(Err(errors)) {
            Err(failure) => failure,
            Ok(()) => Failure::Internal("a name is not known".to_owned()),
        },
    }
}

/// All assignments, the first parameter changing slowest, true before false.
pub(crate) fn assignments(count: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1usize << count).map(move |bits| (0..count).map(|at| bits >> (count - 1 - at) & 1 == 0).collect())
}

/// The value over several states is the least of theirs, instance by instance.
fn combined(model: &ParamModel, mut answers: Vec<FamilyAnswer>) -> Result<Split, Failure> {
    let count = model.params().len();
    if answers.len() == 1
        && let Some(only) = answers.pop()
    {
        return Ok(Split { holds: only.holds, fails: only.fails, open: only.open });
    }
    if count > MOST_PARAMETERS {
        return Err(Stopped(StopReason::Count).into());
    }
    let mut parts: [Vec<Cube>; 3] = Default::default();
    for assignment in assignments(count) {
        let at = if answers.iter().any(|answer| answer.fails.holds(&assignment)) {
            1
        } else if answers.iter().all(|answer| answer.holds.holds(&assignment)) {
            0
        } else {
            2
        };
        parts[at].push(assignment.into_iter().map(Some).collect());
    }
    let condition = |at: usize| {
        let off: Vec<Cube> = (0..3).filter(|&other| other != at).flat_map(|other| parts[other].clone()).collect();
        Cubes::minimal(&parts[at], &off)
    };
    Ok(Split { holds: condition(0), fails: condition(1), open: condition(2) })
}
