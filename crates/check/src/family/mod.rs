//! What is the value of a formula under every assignment of a structure's parameters?
//!
//! Instances are not enumerated. The structure is first evaluated with everything parameterised left
//! unknown: a definite value holds for all instances. Otherwise one parameter is fixed both ways, one that
//! occurs in what leaves the answer open, and so on; a part of the family is settled when its value
//! is definite or when nothing that can be reached depends on a parameter any more. The answer is
//! the common value, or unknown together with the conditions under which the formula holds, fails and stays open.
//!
//! A parameter stands for a value that is fixed along a whole run. [`family_warnings`] says what an answer
//! assumes where that is not sure.
//!
//! Not here: evaluating one structure; any engine does that.

mod assumptions;
mod condition;
mod partial;

use tertium_base::{BitSet, Budget};
use tertium_evidence::{Deadlock, LinearReading, Reading, Reason};
use tertium_lattice::Belnap;
use tertium_logic::Formula;
use tertium_model::{Kmts, ModelTooLarge, ParamModel, ParamValue, StateId};

pub use assumptions::{deadlocked_instances, family_warnings, is_positional};
pub use condition::{Condition, Cube};

use crate::{Ask, BindError, Engine, EngineError, Task};
use partial::{PartialValues, open_params, partial_structure, reachable_values};

/// One question about a family of structures.
#[derive(Clone, Copy, Debug)]
pub struct FamilyTask<'a> {
    /// The family.
    pub model: &'a ParamModel,
    /// The formula.
    pub formula: &'a Formula,
    /// The semantics of each instance.
    pub reading: Reading,
    /// The state asked about.
    pub state: StateId,
    /// The limits.
    pub budget: &'a Budget,
}

/// Why a family got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FamilyError {
    /// Names that the structure does not know.
    Bind(Vec<BindError>),
    /// The engine gave no value.
    Engine(EngineError),
    /// An instance has more than ids can count.
    TooLarge(ModelTooLarge),
}

impl From<EngineError> for FamilyError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<tertium_base::Stopped> for FamilyError {
    fn from(stopped: tertium_base::Stopped) -> Self {
        Self::Engine(stopped.into())
    }
}

/// The value of a formula over a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyAnswer {
    /// True if all instances are true, false if all are false, else unknown.
    pub value: Belnap,
    /// The instances where the formula is true.
    pub holds: Condition,
    /// The instances where it is false.
    pub fails: Condition,
    /// The instances where it is neither.
    pub open: Condition,
    /// How many structures were evaluated, out of two to the number of parameters.
    pub evaluated: usize,
}

/// What leaves an answer open, for choosing the parameter to fix next. An empty list is always right.
pub type ReasonsOf<'f> = &'f dyn Fn(&Task<'_>, StateId) -> Result<Vec<Reason>, EngineError>;

/// The value over all instances, with the conditions under which they have which value.
///
/// # Errors
/// If a name is unknown, the engine declines, or the budget ends.
pub fn family_answer(
    task: &FamilyTask<'_>,
    engine: &dyn Engine,
    reasons: ReasonsOf<'_>,
) -> Result<FamilyAnswer, FamilyError> {
    let parameters = task.model.params().len();
    let trust = Trust::new(task)?;
    let mut settled: [Vec<Cube>; 3] = Default::default();
    let mut todo: Vec<Cube> = vec![vec![None; parameters]];
    let mut evaluated = 0;
    while let Some(cube) = todo.pop() {
        task.budget.check().map_err(EngineError::from)?;
        let values = PartialValues::new(task.model, &cube);
        let structure = partial_structure(task.model, &values).map_err(FamilyError::TooLarge)?;
        evaluated += 1;
        let (value, reasons) = evaluate(task, &structure, engine, reasons)?;
        let split = if trust.holds_for_all(value, &cube) { None } else { next_split(task, &cube, &values, &reasons) };
        match split {
            Some(parameter) => todo.extend([true, false].map(|fixed| {
                let mut part = cube.clone();
                part[parameter] = Some(fixed);
                part
            })),
            None => settled[class(value)].push(cube),
        }
    }
    Ok(answer(settled, evaluated))
}

/// Where an answer is filed: holds, fails, open.
fn class(value: Belnap) -> usize {
    match value {
        Belnap::True => 0,
        Belnap::False => 1,
        Belnap::Unknown | Belnap::Both => 2,
    }
}

fn answer(settled: [Vec<Cube>; 3], evaluated: usize) -> FamilyAnswer {
    let [holds, fails, open] = [0, 1, 2].map(|at| {
        let off: Vec<Cube> = (0..3).filter(|&other| other != at).flat_map(|other| settled[other].clone()).collect();
        Condition::minimal(&settled[at], &off)
    });
    let value = Belnap::from_evidence(holds.is_always(), fails.is_always());
    FamilyAnswer { value, holds, fails, open, evaluated }
}

fn evaluate(
    task: &FamilyTask<'_>,
    structure: &Kmts,
    engine: &dyn Engine,
    reasons: ReasonsOf<'_>,
) -> Result<(Belnap, Vec<Reason>), FamilyError> {
    let at = [task.state];
    let single =
        Task::new(structure, task.formula, task.reading, Ask::At(&at), task.budget).map_err(FamilyError::Bind)?;
    engine.supports(&single).map_err(EngineError::from)?;
    let value = engine.values(&single)?.at(task.state);
    let reasons = if value == Belnap::Unknown { reasons(&single, task.state)? } else { Vec::new() };
    Ok((value, reasons))
}

/// The parameter to fix next: one that a reason depends on, else one that something reachable depends on.
fn next_split(task: &FamilyTask<'_>, cube: &Cube, values: &PartialValues, reasons: &[Reason]) -> Option<usize> {
    let by_reason = reasons.iter().flat_map(|reason| reason_values(task.model, reason));
    let reachable = || reachable_values(task.model, values, task.state);
    let first_open =
        |mut found: Box<dyn Iterator<Item = ParamValue> + '_>| {
            found.find_map(|value| {
                if values.is_open(value) { open_params(task.model, cube, value).first().copied() } else { None }
            })
        };
    first_open(Box::new(by_reason)).or_else(|| first_open(Box::new(reachable().into_iter())))
}

/// The values behind an open element.
fn reason_values(model: &ParamModel, reason: &Reason) -> Vec<ParamValue> {
    let between = |from: StateId, wanted: &dyn Fn(StateId) -> bool| -> Vec<ParamValue> {
        model.edges_from(from).iter().filter(|edge| wanted(edge.to)).map(|edge| edge.value).collect()
    };
    match reason {
        Reason::Label { state, prop } => vec![model.label(*state, *prop)],
        Reason::Edge { from, to, .. } => between(*from, &|target| target == *to),
        Reason::Hyper { from, members, .. } => between(*from, &|target| members.contains(&target)),
    }
}

/// When a definite value of a partial structure is that of all its instances.
///
/// It is for every reading that respects refinement. The readings with edge values inside the operators do so for
/// truth only. Those that assume totality do so where no instance has a deadlock.
struct Trust {
    truth_only: bool,
    /// The assignments with a deadlock, numbered with the first parameter as the lowest bit; none if it does not matter.
    deadlocked: Option<BitSet>,
    /// Whether even the deadlocked ones are too many to know.
    only_single: bool,
}

impl Trust {
    fn new(task: &FamilyTask<'_>) -> Result<Self, FamilyError> {
        let linear = task.reading.linear;
        let truth_only = matches!(linear, LinearReading::Tg | LinearReading::TgPnf);
        let total = task.model.total() || task.reading.deadlock == Deadlock::Total || linear == LinearReading::BgTotal;
        let mut trust = Self { truth_only, deadlocked: None, only_single: false };
        if total {
            trust.deadlocked = assumptions::deadlocked(task)?;
            trust.only_single = trust.deadlocked.is_none();
        }
        Ok(trust)
    }

    fn holds_for_all(&self, value: Belnap, cube: &Cube) -> bool {
        if cube.iter().all(Option::is_some) {
            return true;
        }
        let definite = value == Belnap::True || (value == Belnap::False && !self.truth_only);
        let meets = |bits: usize| {
            cube.iter().enumerate().all(|(at, want)| want.is_none_or(|want| want == (bits >> at & 1 != 0)))
        };
        definite && !self.only_single && !self.deadlocked.as_ref().is_some_and(|set| set.iter().any(meets))
    }
}
