//! What does the action of a step do in all states at once, and in which states is there a fault?

use tertium_dd::Set;
use tertium_program::{Action, Assign, Mistake, Place, StepId, Type, VarId};

use crate::EncodingError;
use crate::bit_vector::BitVector;
use crate::evaluation::{Evaluation, SymbolicState, SymbolicValue, Undefined};
use crate::relation::StepEncoder;

impl StepEncoder<'_, '_> {
    /// Does the action in the states of `taken`; what is left of them is where nothing goes wrong.
    pub(crate) fn act(
        &mut self,
        id: StepId,
        before: &SymbolicState,
        taken: Set,
    ) -> Result<(SymbolicState, Set), EncodingError> {
        if let Some(mistake) = self.special.fails(id) {
            self.fail(mistake, &taken)?;
            return Ok((before.clone(), self.diagrams.empty()));
        }
        let (semantics, diagrams, program) = (self.semantics, self.diagrams, self.semantics.program());
        match &program.step(id).action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => self.assign(assigns, before, taken),
            Action::Assert(condition) => {
                let (holds, wrong) = Evaluation::new(semantics, diagrams, before).truth(*condition)?;
                let fine = self.go_on(taken, &wrong)?;
                self.fail(Mistake::Assertion, &fine.minus(&holds)?)?;
                let goes_on = if semantics.is_persistent() { fine } else { fine.and(&holds)? };
                Ok((before.clone(), goes_on))
            }
            Action::Print { values, .. } => {
                let mut evaluation = Evaluation::new(semantics, diagrams, before);
                let mut fine = taken;
                for &value in values {
                    let wrong = evaluation.seen(value)?.wrong;
                    fine = self.go_on(fine, &wrong)?;
                }
                Ok((before.clone(), fine))
            }
            _ => Err(EncodingError::unfit("a step sends, receives or starts something")),
        }
    }

    /// Notes what goes wrong; what is left is where it does not.
    fn go_on(&mut self, taken: Set, wrong: &Undefined) -> Result<Set, EncodingError> {
        self.fail(Mistake::DivisionByZero, &taken.and(&wrong.division)?)?;
        self.fail(Mistake::ArrayBounds, &taken.and(&wrong.index)?)?;
        Ok(taken.minus(&wrong.any()?)?)
    }

    fn assign(
        &mut self,
        assigns: &[Assign],
        before: &SymbolicState,
        taken: Set,
    ) -> Result<(SymbolicState, Set), EncodingError> {
        let (semantics, diagrams, program) = (self.semantics, self.diagrams, self.semantics.program());
        let mut evaluation = Evaluation::new(semantics, diagrams, before);
        let (mut after, mut fine) = (before.clone(), taken);
        for assign in assigns {
            let var = assign.place.variable();
            let Some(base) = semantics.layout().fixed_slot(program, var) else {
                return Err(EncodingError::unfit("a variable has no fixed place"));
            };
            let chosen = match assign.place {
                Place::Var(_) => vec![diagrams.full()],
                Place::Element(_, indices) => {
                    for &index in program.exprs.list(indices) {
                        evaluation.seen(index)?;
                    }
                    let (chosen, wrong) = evaluation.cells(var, indices)?;
                    fine = self.go_on(fine, &wrong)?;
                    chosen
                }
            };
            let seen = evaluation.seen(assign.value)?;
            fine = self.go_on(fine, &seen.wrong)?;
            let value = if program.variable(var).ty == Type::Bool {
                SymbolicValue::Truth(evaluation.as_truth(&seen.value)?)
            } else {
                let number = evaluation.as_number(&seen.value)?;
                fine = self.fitting(var, &number, fine)?;
                SymbolicValue::Number(number)
            };
            for (at, here) in chosen.iter().enumerate().filter(|(_, here)| !here.is_empty()) {
                after.slots[base + at] = evaluation.ite(here, &value, &after.slots[base + at])?;
            }
        }
        Ok((after, fine))
    }

    /// Notes states in which a number that is no channel's would be taken for one, or bounds that were found would not hold.
    fn note_stray_value(&mut self, var: VarId, states: &Set) -> Result<(), EncodingError> {
        if !states.is_empty() {
            let states = states.exists(self.inputs)?;
            let known = self.foreign.entry(var).or_insert_with(|| self.diagrams.empty());
            *known = known.or(&states)?;
        }
        Ok(())
    }

    /// Where a number belongs to the type of its variable; elsewhere it is a mistake.
    fn fitting(&mut self, var: VarId, number: &BitVector, fine: Set) -> Result<Set, EncodingError> {
        let (diagrams, program) = (self.diagrams, self.semantics.program());
        let ty = program.variable(var).ty;
        let Some((least, most)) = self.special.limits(program, var) else {
            return Err(EncodingError::unfit(format!("`{}` has no bounds", program.show_variable(var))));
        };
        // A type without an end has no values beyond it.
        let declared = self.special.of_type(program, ty);
        let (lo, hi) = (declared.0.unwrap_or(i64::MIN >> 2), declared.1.unwrap_or(i64::MAX >> 2));
        let fits = number.within(lo, hi, diagrams)?;
        let wrong = fine.minus(&fits)?;
        let positive = number.within(0, i64::MAX >> 2, diagrams)?;
        if ty == Type::Channel {
            self.note_stray_value(var, &wrong.and(&positive)?)?;
            self.fail(Mistake::RangeOverflow, &wrong.minus(&positive)?)?;
        } else {
            self.fail(Mistake::RangeOverflow, &wrong)?;
        }
        let fine = fine.and(&fits)?;
        // Other values come only from states that cannot be reached.
        if (least, most) == (lo, hi) {
            return Ok(fine);
        }
        let inside = number.within(least, most, diagrams)?;
        if declared.0.is_none() || declared.1.is_none() {
            self.note_stray_value(var, &fine.minus(&inside)?)?;
        }
        Ok(fine.and(&inside)?)
    }
}
