//! What do the structures for all assignments of the parameters say together?
//!
//! A parameter that stands for a value no step changes is the same in the whole run: all assignments together are all
//! programs, whatever the logic. A parameter that stands for a value at one place of the program is chosen anew each time the
//! place is met. Then only this is sound (see `docs/soundness.md`): *true*, for an invariant, or for any linear formula if no
//! run meets a site twice; *false*, for linear formulas whose truth and falsity need no memory, without fairness.

use tertium_abstraction::System;
use tertium_abstraction::spotlight::{Parameter, SpotExplored, SpotShape, SpotState};
use tertium_check::family::{Condition, Cube, is_positional};
use tertium_check::{Ask, Task};
use tertium_evidence::{LinearReading, OpenQuestion, Reading};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_model::{Kmts, StateId};
use tertium_program::ExprId;

use super::SpotlightCheck;
use crate::predicate_abstraction::failed;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_structures::check::{SMALL, bound};
use tertium_structures::{engines, prove};

/// What all assignments say.
#[derive(Debug)]
pub enum Judgement {
    /// The same, and it holds of the program.
    Definite(Belnap),
    /// True for some and false for others, and all parameters are the same in the whole run: when each.
    Conditional(Vec<(Belnap, String)>),
    /// A definite value that the parameters do not support: the answer would need them to be the same in the whole run.
    Unsupported,
    /// True for some and false for others.
    Mixed,
    /// Under this assignment it is open, and why.
    Open(usize, Option<OpenQuestion>),
}

/// A branch that is fixed by a parameter of its own: the state. Numbers of states differ with and without the shade.
pub type Branch = SpotState;

/// The question, ready to be asked of structures.
pub struct Judge<'a> {
    pub work: &'a SpotlightCheck<'a>,
    pub asked: &'a PropertyQuery,
    pub shape: SpotShape,
    pub reading: Reading,
}

impl<'a> Judge<'a> {
    /// The same question of structures that are made otherwise.
    pub fn with_shape(&self, shape: SpotShape) -> Judge<'a> {
        Judge { work: self.work, asked: self.asked, shape, reading: self.reading }
    }

    fn atoms(&self) -> Vec<(String, ExprId)> {
        let texts = self.asked.formula.atoms().iter().map(|atom| atom.text.clone());
        texts.zip(self.asked.atoms.iter().copied()).collect()
    }

    /// Whether names for unknown values may help at all.
    pub fn may_name(&self) -> bool {
        self.asked.formula.logic() == Logic::Ltl && self.shape.fair.is_empty() && !self.shape.unsure
    }

    /// Whether the property is one of all runs, each of which is infinite: then runs break it, and a part of them may do.
    pub fn is_about_all_runs(&self) -> bool {
        self.asked.formula.logic() == Logic::Ltl && !self.asked.exists && self.shape.stutter
    }

    /// Whether truth and falsity need no memory, and no run is left out.
    pub fn is_memoryless(&self) -> bool {
        self.may_name() && is_positional(&self.asked.formula)
    }

    /// What all assignments of parameters and branches say.
    pub fn judge(
        &self,
        system: &mut System,
        explored: &mut SpotExplored,
        branches: &[Branch],
    ) -> Result<Judgement, Failure> {
        let mut values = Vec::new();
        for assignment in 0..explored.assignments() {
            for fixed in 0..1usize << branches.len() {
                let shape = self.fixed(explored, branches, fixed);
                let structure = self.structure(system, explored, assignment, &shape)?;
                let (value, open) = self.value(&structure)?;
                if !matches!(value, Belnap::True | Belnap::False) {
                    return Ok(Judgement::Open(assignment, open));
                }
                values.push((assignment, value));
            }
        }
        let first = values[0].1;
        let rigid = explored.spotlight.parameters.iter().all(|parameter| matches!(parameter, Parameter::Rigid(_)));
        if values.iter().all(|&(_, value)| value == first) {
            let supported = rigid || self.is_supported(explored, first);
            return Ok(if supported { Judgement::Definite(first) } else { Judgement::Unsupported });
        }
        if rigid && branches.is_empty() {
            return Ok(Judgement::Conditional(conditions(system, explored, &values)));
        }
        Ok(Judgement::Mixed)
    }

    fn fixed(&self, explored: &SpotExplored, branches: &[Branch], fixed: usize) -> SpotShape {
        let number = |branch: &Branch| explored.states.iter().position(|state| state == branch);
        let numbered =
            branches.iter().enumerate().filter_map(|(at, state)| Some((number(state)?, fixed >> at & 1 != 0)));
        SpotShape { branches: numbered.collect(), ..self.shape.clone() }
    }

    /// The structure under one assignment.
    pub fn structure(
        &self,
        system: &mut System,
        explored: &mut SpotExplored,
        assignment: usize,
        shape: &SpotShape,
    ) -> Result<Kmts, Failure> {
        let structure = explored.structure(system, assignment, &self.atoms(), shape, self.work.budget);
        structure.map_err(|why| failed(self.work.file, system.program(), why))
    }

    /// Whether a value that all assignments agree on holds of the program, where sites give values names.
    fn is_supported(&self, explored: &SpotExplored, value: Belnap) -> bool {
        if !self.may_name() {
            return false;
        }
        match value {
            Belnap::True => {
                let invariant = self.asked.invariant.is_some() && !self.asked.exists;
                let once = || (0..explored.spotlight.parameters.len()).all(|at| !explored.is_met_again(at));
                invariant || once()
            }
            _ => is_positional(&self.asked.formula),
        }
    }

    /// The value of the property on a structure, proved; or what leaves it open.
    fn value(&self, structure: &Kmts) -> Result<(Belnap, Option<OpenQuestion>), Failure> {
        let formula = prove::evaluated_formula(structure, &self.asked.formula);
        let ask = [StateId::new(0)];
        let task = bound(Task::new(structure, &formula, self.reading, Ask::At(&ask), self.work.budget))?;
        let (_, values) = engines::evaluate(&task, self.work.options.engine)?;
        let value = values.at(ask[0]);
        match value {
            Belnap::True | Belnap::False => {
                if structure.edge_count() <= SMALL {
                    let proof = prove::certificate(&task, &self.asked.formula, ask[0], value)?;
                    prove::recheck((structure, tertium_kernel::Subject::Abstraction), &proof, &[], self.work.budget)?;
                }
                Ok((value, None))
            }
            Belnap::Unknown => Ok((value, prove::open_question(&task, ask[0])?.map(|(question, _)| question))),
            Belnap::Both => Err(Failure::Internal(format!(
                "the abstraction says that `{}` is both true and false",
                self.asked.name
            ))),
        }
    }
}

/// The reading of linear formulas: with fixed branches, the plain guarded one.
pub fn reading(work: &SpotlightCheck<'_>, literal: bool) -> Reading {
    let linear = if literal { LinearReading::Bg } else { LinearReading::Hyper };
    Reading { deadlock: work.options.deadlock.unwrap_or_default(), linear: work.options.linear.unwrap_or(linear) }
}

/// When each value occurs, over the predicates that parameters stand for.
fn conditions(system: &System, explored: &SpotExplored, values: &[(usize, Belnap)]) -> Vec<(Belnap, String)> {
    let parameters = &explored.spotlight.parameters;
    let names: Vec<String> = parameters
        .iter()
        .map(|parameter| {
            let (Parameter::Rigid(at) | Parameter::Site(_, at)) = parameter;
            format!("({})", system.predicates()[*at].name)
        })
        .collect();
    let cube = |assignment: usize| -> Cube { (0..names.len()).map(|at| Some(assignment >> at & 1 != 0)).collect() };
    let mut found = Vec::new();
    for wanted in [Belnap::True, Belnap::False] {
        let (on, off): (Vec<_>, Vec<_>) = values.iter().partition(|(_, value)| *value == wanted);
        let [on, off] =
            [on, off].map(|part: Vec<&(usize, Belnap)>| part.iter().map(|(at, _)| cube(*at)).collect::<Vec<_>>());
        found.push((wanted, Condition::minimal(&on, &off).text(&names)));
    }
    found
}
