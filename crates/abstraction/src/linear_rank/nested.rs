//! Nested ranking functions: which phases of a loop follow one another?
//!
//! Multiphase ranking functions of the nested kind (Leike and Heizmann 2015; Ben-Amram and Genaim 2017): the first function decreases with every step, each other one where the one before is not positive, and the last is never negative. Farkas' lemma
//! makes one linear system of that, as it does for a single function.

use tertium_smt::rational::RationalConstraint;

use super::farkas::{FarkasSystem, Template, UnknownSum};
use super::{LinearStep, LinearSteps, PlacedFunction, Polyhedron};
use crate::expand::Failed;
use crate::system::System;

impl System {
    /// The functions of a nested ranking function, the outermost phase first; empty if there is none with so many phases. The first decreases with each step, each other one where the one before is not positive, and the last is never negative.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn nested_rank(
        &mut self,
        steps: &LinearSteps,
        template: Template,
        phases: usize,
    ) -> Result<Vec<PlacedFunction>, Failed> {
        let Some(mut system) = FarkasSystem::new(steps, template, phases) else { return Ok(Vec::new()) };
        let wanted = system.unknowns;
        if !steps.choices.is_empty() {
            return Ok(Vec::new());
        }
        for step in &steps.steps {
            for part in &step.parts {
                for phase in 0..phases {
                    let constraint = system.nested_change(step, part, phase);
                    system.constraints.push(constraint);
                }
            }
        }
        let Some(found) = self.solution(&system, wanted, &[])? else { return Ok(Vec::new()) };
        let functions: Option<Vec<_>> = (0..phases).map(|phase| system.function(phase, &found.values)).collect();
        Ok(functions.unwrap_or_default())
    }
}

impl FarkasSystem<'_> {
    /// On all of a polyhedron a phase decreases wherever the one before is not positive; the last one is not negative before.
    fn nested_change(&mut self, step: &LinearStep, part: &Polyhedron, phase: usize) -> RationalConstraint {
        let mut change = self.decrease(phase, step, part);
        if let Some(outer) = phase.checked_sub(1) {
            self.add_value(&mut change, outer, step.from);
        }
        let mut found = Vec::new();
        self.follows(&part.rows, &change, -1, &mut found);
        if phase + 1 == self.functions.len() {
            let mut before = UnknownSum::default();
            self.add_value(&mut before, phase, step.from);
            self.follows(&part.rows, &before, 0, &mut found);
        }
        RationalConstraint::All(found)
    }
}
