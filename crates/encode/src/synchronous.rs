//! Steps that write many variables at once, as a conjunction: one conjunct for each variable, and one for each part of the guard.
//!
//! A value that is chosen and only put into a variable needs no bits of its own: it is what the variable holds afterwards. So a relation between now
//! and next, as synchronous languages write it, is encoded as it stands.

use tertium_dd::{Bit, CLUSTER_NODES, RelationPart, Set};
use tertium_program::{Action, Assign, Binary, Domain, Expr, ExprId, Mistake, Place, Step, Type};

use crate::EncodingError;
use crate::bit_vector::BitVector;
use crate::cells::{Cell, Cells};
use crate::evaluation::{Evaluation, SymbolicState, SymbolicValue};
use crate::relation::{BlockPath, MOST_WRITTEN, StepEncoder};

/// Values, and the cells that they are for.
type ValuesWithCells = (Vec<SymbolicValue>, Vec<usize>);

/// What a cell gets, where the cell is known.
struct Written<'p> {
    cell: usize,
    assign: &'p Assign,
}

impl StepEncoder<'_, '_> {
    /// Encodes the only step of a process with one location, if it writes many bits and nothing in it can go wrong but that numbers do not fit. Says whether it did.
    pub(crate) fn synchronous(&mut self, here: &BlockPath) -> Result<bool, EncodingError> {
        let program = self.semantics.program();
        let process = program.process(self.process_of(here.pid));
        let [only] = process.locations.as_slice() else { return Ok(false) };
        let [id] = only.steps.as_slice() else { return Ok(false) };
        let step = program.step(*id);
        let Action::Assign(assigns) = &step.action else { return Ok(false) };
        if process.provided.is_some() || program.last.is_some() || self.special.fails(*id).is_some() {
            return Ok(false);
        }
        let Some(written) = self.targets(assigns) else { return Ok(false) };
        let bits: Vec<(Bit, Bit)> =
            written.iter().flat_map(|target| self.cells.cells[target.cell].bits.iter().copied()).collect();
        if bits.len() <= MOST_WRITTEN {
            return Ok(false);
        }
        let Some((values, aliases)) = self.chosen(step, &written)? else { return Ok(false) };
        let moment = SymbolicState { inputs: values, ..here.moment.clone() };
        let mut evaluation = Evaluation::new(self.semantics, self.diagrams, &moment);
        let Some(mut conjuncts) = self.guards(step, &here.reached, &mut evaluation)? else { return Ok(false) };
        let guards = conjuncts.len();
        let mut misfits = Vec::new();
        for target in &written {
            let cell = &self.cells.cells[target.cell];
            let alias = aliases.contains(&target.cell);
            let seen = evaluation.seen(target.assign.value)?;
            if !seen.wrong.any()?.is_empty() {
                return Ok(false);
            }
            let Some(misfit) = self.updated(target, &seen.value, alias, cell, &mut conjuncts)? else {
                return Ok(false);
            };
            misfits.extend(Some(misfit).filter(|misfit| !misfit.is_empty()));
        }
        for misfit in misfits {
            let mut wrong = misfit;
            for guard in &conjuncts[..guards] {
                wrong = wrong.and(guard)?;
            }
            let later = self.diagrams.quantified(bits.iter().map(|&(_, later)| later))?;
            self.fail(Mistake::RangeOverflow, &wrong.exists(&later)?)?;
        }
        let inputs = &self.cells.inputs;
        let part = RelationPart::conjunctive(self.diagrams, conjuncts, &bits, inputs, CLUSTER_NODES)?;
        self.enabled = self.enabled.or(&part.sources()?)?;
        self.conjunctive.push(part);
        Ok(true)
    }

    /// The cells that are written, if that is known beforehand and none is written twice.
    fn targets<'p>(&self, assigns: &'p [Assign]) -> Option<Vec<Written<'p>>> {
        let program = self.semantics.program();
        let mut found: Vec<Written<'p>> = Vec::new();
        for assign in assigns {
            let var = assign.place.variable();
            let mut slot = self.semantics.layout().fixed_slot(program, var)?;
            if let Place::Element(_, indices) = assign.place {
                let mut at = 0;
                for (&index, dimension) in program.exprs.list(indices).iter().zip(&program.variable(var).dimensions) {
                    let index = program.exprs.constant(index)?;
                    if index < dimension.lo || index > dimension.hi() {
                        return None;
                    }
                    at = at * dimension.len as usize + usize::try_from(index - dimension.lo).ok()?;
                }
                slot += at;
            }
            let cell = self.cells.of_slot[slot]?;
            if found.iter().any(|known| known.cell == cell) {
                return None;
            }
            found.push(Written { cell, assign });
        }
        Some(found)
    }

    /// The values of the inputs, and the cells that hold one of them afterwards; none if an input has another kind of domain than a finite type.
    fn chosen(&self, step: &Step, written: &[Written<'_>]) -> Result<Option<ValuesWithCells>, EncodingError> {
        let program = self.semantics.program();
        let (mut values, mut aliases, mut used) = (Vec::new(), Vec::new(), 0);
        for (position, input) in step.inputs.iter().enumerate() {
            let Domain::Type(ty) = input.domain else { return Ok(None) };
            let holds = |target: &&Written<'_>| {
                let same = program.variable(target.assign.place.variable()).ty == ty;
                same && matches!(program.exprs.get(target.assign.value), Expr::Input(at, _) if at as usize == position)
            };
            if let Some(target) = written.iter().find(holds) {
                aliases.push(target.cell);
                values.push(self.afterwards(&self.cells.cells[target.cell])?);
                continue;
            }
            let (value, next) = self.fresh(ty, used)?;
            used = next;
            values.push(value);
        }
        Ok(Some((values, aliases)))
    }

    /// What a cell holds after the step.
    fn afterwards(&self, cell: &Cell) -> Result<SymbolicValue, EncodingError> {
        if cell.truth {
            return Ok(SymbolicValue::Truth(match cell.bits.first() {
                Some(&(_, later)) => self.diagrams.bit(later)?,
                None => self.diagrams.constant(cell.lo != 0),
            }));
        }
        let mut bits = Vec::new();
        for &(_, later) in cell.bits.iter().rev() {
            bits.push(self.diagrams.bit(later)?);
        }
        let number = BitVector::unsigned(self.diagrams, bits)?;
        let offset = BitVector::constant(self.diagrams, cell.offset);
        Ok(SymbolicValue::Number(if cell.offset == 0 {
            number
        } else {
            number.add(&offset, &self.diagrams.empty())?
        }))
    }

    /// The conjuncts of the guard and of the inputs' domains; none if something may go wrong.
    fn guards(
        &self,
        step: &Step,
        reached: &Set,
        evaluation: &mut Evaluation<'_, '_>,
    ) -> Result<Option<Vec<Set>>, EncodingError> {
        let program = self.semantics.program();
        let (mut open, mut parts): (Vec<ExprId>, Vec<Set>) = (vec![step.guard], vec![reached.clone()]);
        while let Some(part) = open.pop() {
            if let Expr::Binary(Binary::And, a, b) = program.exprs.get(part) {
                open.extend([b, a]);
                continue;
            }
            let (holds, wrong) = evaluation.truth(part)?;
            if !wrong.any()?.is_empty() {
                return Ok(None);
            }
            parts.push(holds);
        }
        for (input, value) in step.inputs.iter().zip(&evaluation.moment.inputs) {
            let (SymbolicValue::Number(number), Domain::Type(ty)) = (value, input.domain) else { continue };
            if let (Some(lo), Some(hi)) = program.bounds(ty) {
                parts.push(number.within(lo, hi, self.diagrams)?);
            }
        }
        parts.retain(|part| !part.is_full());
        Ok(Some(parts))
    }

    /// Adds what becomes of a cell; returns where the value does not fit its type. None if its bounds are not known.
    fn updated(
        &self,
        target: &Written<'_>,
        value: &SymbolicValue,
        alias: bool,
        cell: &Cell,
        conjuncts: &mut Vec<Set>,
    ) -> Result<Option<Set>, EncodingError> {
        let program = self.semantics.program();
        let var = target.assign.place.variable();
        let evaluation = Evaluation::new(self.semantics, self.diagrams, self.start);
        let mut misfit = self.diagrams.empty();
        let codes = if program.variable(var).ty == Type::Bool {
            vec![evaluation.as_truth(value)?]
        } else {
            let number = evaluation.as_number(value)?;
            let declared = self.special.of_type(program, program.variable(var).ty);
            let (Some((least, most)), (Some(lo), Some(hi))) = (self.special.limits(program, var), declared) else {
                return Ok(None);
            };
            misfit = number.within(lo, hi, self.diagrams)?.not();
            // Other values than those that were found come only from states that cannot be reached.
            conjuncts.push(number.within(least.max(lo), most.min(hi), self.diagrams)?);
            if alias { Vec::new() } else { Cells::code(cell, &number, self.diagrams)? }
        };
        if !alias {
            for (&(_, later), code) in cell.bits.iter().zip(&codes) {
                conjuncts.push(self.diagrams.bit(later)?.iff(code)?);
            }
        }
        Ok(Some(misfit))
    }
}
