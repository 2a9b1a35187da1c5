//! Which steps of a process are enabled at a location, in which states?
//!
//! A step is enabled (offered) where its guard holds and nothing that goes before it is offered: escapes, what `else` yields to, and, in a
//! deterministic block, whatever stands before it. Its inputs are bits of their own.

use tertium_base::Stopped;
use tertium_dd::Set;
use tertium_program::{Domain, Expr, Hold, Input, Step, StepId, Type};

use crate::EncodingError;
use crate::bit_vector::BitVector;
use crate::cells::{range, width_of};
use crate::evaluation::{Evaluation, SymbolicState, SymbolicValue, Undefined};
use crate::relation::{BlockPath, StepEncoder};

/// A step with the states in which it is enabled, at one point of a symbolic execution.
pub(crate) struct EnabledStep {
    pub step: StepId,
    /// Where it is taken; may depend on its inputs.
    pub taken: Set,
    /// Where finding out goes wrong.
    pub wrong: Undefined,
    /// Where it is offered at all, whatever its inputs.
    pub offered: Set,
    /// The inputs' values.
    pub values: Vec<SymbolicValue>,
    /// How many input bits are in use after it.
    pub used: usize,
}

impl StepEncoder<'_, '_> {
    /// The steps of a location by rank; each where no rival that comes before it is offered.
    pub(crate) fn offers(&self, here: &BlockPath) -> Result<Vec<EnabledStep>, EncodingError> {
        let program = self.semantics.program();
        let location = program.location(self.process_of(here.pid), here.at);
        let first_only = location.hold == Hold::Deterministic;
        let mut steps: Vec<StepId> = location.steps.clone();
        steps.sort_by_key(|&step| program.step(step).rank);
        let mut offers: Vec<EnabledStep> = Vec::new();
        for id in steps {
            let step = program.step(id);
            if first_only && !step.inputs.is_empty() {
                return Err(EncodingError::unfit("a `d_step` chooses values"));
            }
            let mut offer = self.offer(id, here)?;
            for rival in &offers {
                let before = program.step(rival.step).rank < step.rank || step.yields_to.contains(&rival.step);
                if first_only || before {
                    offer.taken = offer.taken.minus(&rival.offered)?;
                    offer.offered = offer.offered.minus(&rival.offered)?;
                    offer.wrong.division = offer.wrong.division.minus(&rival.offered)?;
                    offer.wrong.index = offer.wrong.index.minus(&rival.offered)?;
                }
            }
            offers.push(offer);
        }
        Ok(offers)
    }

    fn offer(&self, id: StepId, here: &BlockPath) -> Result<EnabledStep, EncodingError> {
        let program = self.semantics.program();
        let step = program.step(id);
        let exprs = &program.exprs;
        let (values, used) = self.input_values(step, here.used)?;
        let moment = SymbolicState { inputs: values.clone(), ..here.moment.clone() };
        let mut evaluation = Evaluation::new(self.semantics, self.diagrams, &moment);
        let (mut looks, mut wrong) = (self.diagrams.full(), Undefined::nowhere(self.diagrams));
        // Nothing interrupts a deterministic block.
        let within = program.location(step.process, step.source).hold == Hold::Deterministic;
        if let Some(provided) = program.process(step.process).provided.filter(|_| !within) {
            let (holds, faulty) = evaluation.truth(provided)?;
            wrong = wrong.then(&looks, &faulty)?;
            looks = looks.and(&holds)?;
        }
        let reads_inputs =
            exprs.reachable(&[step.guard]).iter().any(|&part| matches!(exprs.get(part), Expr::Input(..)));
        let guard = evaluation.truth(step.guard)?;
        if !reads_inputs {
            wrong = wrong.then(&looks, &guard.1)?;
            looks = looks.and(&guard.0)?;
        }
        for (input, value) in step.inputs.iter().zip(&values) {
            let (inside, faulty) = self.domain(input, value, &mut evaluation)?;
            wrong = wrong.then(&looks, &faulty)?;
            looks = looks.and(&inside)?;
        }
        if reads_inputs {
            wrong = wrong.then(&looks, &guard.1)?;
            looks = looks.and(&guard.0)?;
        }
        let taken = looks.minus(&wrong.any()?)?;
        let mut offered = taken.or(&wrong.any()?)?;
        if used > here.used {
            offered = offered.exists(&self.diagrams.quantified(self.cells.inputs[here.used..used].iter().copied())?)?;
        }
        Ok(EnabledStep { step: id, taken, wrong, offered, values, used })
    }

    /// Fresh bits for the inputs of a step.
    fn input_values(&self, step: &Step, mut used: usize) -> Result<(Vec<SymbolicValue>, usize), EncodingError> {
        let program = self.semantics.program();
        let mut values = Vec::new();
        for input in &step.inputs {
            let bounds = match input.domain {
                Domain::Type(ty) => match program.bounds(ty) {
                    (Some(lo), Some(hi)) => Some((lo, hi)),
                    _ => None,
                },
                Domain::Range(lo, hi) => match (range(program, lo), range(program, hi)) {
                    (Some((lo, _)), Some((_, hi))) => Some((lo, hi)),
                    _ => None,
                },
            };
            let Some((lo, hi)) = bounds else {
                return Err(EncodingError::unfit("a value is chosen from a range without bounds"));
            };
            let truth = input.domain == Domain::Type(Type::Bool);
            let (value, next) = self.fresh_bits(truth, width_of(lo, hi), used)?;
            used = next;
            values.push(value);
        }
        Ok((values, used))
    }

    /// Fresh bits for a value of a finite type, after those that are in use.
    pub(crate) fn fresh(&self, ty: Type, used: usize) -> Result<(SymbolicValue, usize), EncodingError> {
        let (Some(lo), Some(hi)) = self.semantics.program().bounds(ty) else {
            return Err(EncodingError::unfit("a value is chosen from a range without bounds"));
        };
        self.fresh_bits(ty == Type::Bool, width_of(lo, hi), used)
    }

    fn fresh_bits(&self, truth: bool, width: usize, used: usize) -> Result<(SymbolicValue, usize), EncodingError> {
        let width = if truth { 1 } else { width };
        let Some(bits) = self.cells.inputs.get(used..used + width) else {
            return Err(EncodingError::unfit("the values that are chosen need more bits than were counted"));
        };
        let sets: Vec<Set> = bits.iter().map(|&bit| self.diagrams.bit(bit)).collect::<Result<_, Stopped>>()?;
        let value =
            if truth { SymbolicValue::Truth(sets[0].clone()) } else { SymbolicValue::Number(BitVector::signed(sets)?) };
        Ok((value, used + width))
    }

    /// Where an input's value belongs to its domain.
    fn domain(
        &self,
        input: &Input,
        value: &SymbolicValue,
        evaluation: &mut Evaluation<'_, '_>,
    ) -> Result<(Set, Undefined), EncodingError> {
        let nowhere = Undefined::nowhere(self.diagrams);
        let SymbolicValue::Number(number) = value else { return Ok((self.diagrams.full(), nowhere)) };
        match input.domain {
            Domain::Type(ty) => match self.semantics.program().bounds(ty) {
                (Some(lo), Some(hi)) => Ok((number.within(lo, hi, self.diagrams)?, nowhere)),
                _ => Err(EncodingError::unfit("a value is chosen from a range without bounds")),
            },
            Domain::Range(lo, hi) => {
                let (lo, wrong_lo) = evaluation.number(lo)?;
                let (hi, wrong_hi) = evaluation.number(hi)?;
                let below = number.less(&lo, self.diagrams)?;
                let above = hi.less(number, self.diagrams)?;
                let inside = below.or(&above)?.not();
                Ok((inside, wrong_lo.then(&self.diagrams.full(), &wrong_hi)?))
            }
        }
    }
}
