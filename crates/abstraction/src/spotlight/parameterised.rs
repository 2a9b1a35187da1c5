//! The parameterised structure of a spotlight abstraction: K(x) (Timm and Gruner 2014, Definition 5).
//!
//! Labels and steps are true, unknown, or boolean expressions over the parameters `x1`, `x2`, …: first those that stand for
//! unknown values of predicates (Rule II), then one for each branch of which nothing is known (Rule I): its two steps are `x` and `!x`. A value
//! that is unknown under one assignment and known under another is told as unknown, which is sound and less precise than the
//! structures of the assignments one by one.

use tertium_base::{Budget, StopReason, Stopped};
use tertium_lattice::Kleene;
use tertium_model::{ParamBuilder, ParamModel, ParamValue, StateId};
use tertium_program::ExprId;

use super::explore::{Mover, SpotExplored, cube};
use super::label::MOST_PARAMETERS;
use crate::expand::Failed;
use crate::system::System;

/// Two steps of one process, exactly one of which can be taken: a branch, as the state and the operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComplementaryBranch {
    /// Where the process branches.
    pub state: usize,
    /// The step that is taken if the parameter is true.
    pub first: Mover,
    /// The step that is taken otherwise.
    pub second: Mover,
}

impl SpotExplored {
    /// Branches of which nothing is known under any assignment, in the order of states: at most as many as there are
    /// parameters left.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn complementary_branches(&mut self, system: &mut System) -> Result<Vec<ComplementaryBranch>, Failed> {
        let left = MOST_PARAMETERS.saturating_sub(self.spotlight.parameters.len());
        let mut found = Vec::new();
        for number in 0..self.states.len() {
            if found.len() == left {
                break;
            }
            found.extend(self.branch_at(system, number)?);
        }
        Ok(found)
    }

    /// The branch at a state, if there is exactly one and it is the same under all assignments.
    fn branch_at(&mut self, system: &mut System, number: usize) -> Result<Option<ComplementaryBranch>, Failed> {
        let mut branch = None;
        for assignment in 0..self.assignments() {
            let plain = self.plain(system, number, assignment)?;
            let [(_, members)] = plain.joint.as_slice() else { return Ok(None) };
            let &[first, second] = members.as_slice() else { return Ok(None) };
            let [first, second] = [first, second].map(|at| Mover::Spot(plain.steps[at].operation));
            let here = ComplementaryBranch { state: number, first, second };
            if branch.is_some_and(|known| known != here) {
                return Ok(None);
            }
            branch = Some(here);
        }
        Ok(branch.filter(|branch| self.target(branch.state, branch.first) != self.target(branch.state, branch.second)))
    }

    fn target(&self, state: usize, mover: Mover) -> Option<usize> {
        self.steps[state].iter().find(|step| step.mover == mover).map(|step| step.target)
    }

    /// The parameterised structure; `atoms` are its propositions. State numbers are those of [`Self::states`]. Runs that end stay
    /// where they are.
    ///
    /// # Errors
    /// If a limit is reached, or an atom has no term.
    pub fn parameterised(
        &mut self,
        system: &mut System,
        atoms: &[(String, ExprId)],
        branches: &[ComplementaryBranch],
        budget: &Budget,
    ) -> Result<ParamModel, Failed> {
        let count = self.spotlight.parameters.len() + branches.len();
        let params = (1..=count).map(|number| format!("x{number}")).collect();
        let mut builder = ParamBuilder::new(params, atoms.iter().map(|(name, _)| name.clone()).collect());
        for number in 0..self.states.len() {
            budget.check()?;
            let name = system.spot_name(&self.spotlight.processes, &self.states[number]);
            let mut labels = Vec::new();
            for &(_, atom) in atoms {
                let values = self.values(system, number, atom)?;
                labels.push(told(&mut builder, &values));
            }
            builder.add_state(&name, &labels);
        }
        for number in 0..self.states.len() {
            self.add_edges(&mut builder, number, branches);
            let mut may_stop = false;
            for assignment in 0..self.assignments() {
                may_stop |= self.plain(system, number, assignment)?.may_stop;
            }
            if may_stop {
                let state = StateId::new(number);
                builder.add_edge(state, state, ParamValue::Constant(Kleene::Unknown));
            }
        }
        builder.add_init(StateId::new(0));
        builder.set_total(true);
        builder.finish().map_err(|_| Stopped(StopReason::Count).into())
    }

    /// The value of an atom at a state under each assignment.
    fn values(&mut self, system: &mut System, number: usize, atom: ExprId) -> Result<Vec<Kleene>, Failed> {
        let locations = self.states[number].locations.clone();
        let mut values = Vec::new();
        for assignment in 0..self.assignments() {
            let plain = self.plain(system, number, assignment)?;
            let cube = cube(&self.states[number], assignment);
            values.push(self.lit.label(system, &locations, &cube, (atom, plain.may_stop))?);
        }
        Ok(values)
    }

    fn add_edges(&self, builder: &mut ParamBuilder, number: usize, branches: &[ComplementaryBranch]) {
        let (names, assignments) = (self.spotlight.parameters.len(), self.assignments());
        let branch = branches.iter().position(|branch| branch.state == number);
        let from = StateId::new(number);
        for step in &self.steps[number] {
            let to = StateId::new(step.target);
            if let Some(at) = branch
                && [branches[at].first, branches[at].second].contains(&step.mover)
            {
                let when = branches[at].first == step.mover;
                let value = builder.function(&|all| (all >> (names + at) & 1 != 0) == when);
                builder.add_edge(from, to, value);
                continue;
            }
            let at = |mask: u64| move |all: usize| mask >> (all & (assignments - 1)) & 1 != 0;
            let (may, must) = (at(step.may), at(step.must));
            let certain = builder.function(&must);
            builder.add_edge(from, to, certain);
            if (0..assignments).any(|all| may(all) && !must(all)) {
                builder.add_edge(from, to, ParamValue::Constant(Kleene::Unknown));
            }
        }
    }
}

/// A value per assignment of the names as one value.
fn told(builder: &mut ParamBuilder, values: &[Kleene]) -> ParamValue {
    if values.contains(&Kleene::Unknown) {
        return ParamValue::Constant(Kleene::Unknown);
    }
    builder.function(&|all| values[all & (values.len() - 1)] == Kleene::True)
}
