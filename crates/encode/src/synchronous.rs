//! Steps that write many variables at once, as a conjunction: one conjunct for each variable, and one for each part of the guard.
//!
//! A value that is chosen and only put into a variable needs no bits of its own: it is what the variable holds afterwards. So a relation between now
//! and next, as synchronous languages write it, is encoded as it stands.

use std::collections::HashMap;

use tertium_dd::{Bit, CLUSTER_NODES, RelationPart, Set};
use tertium_program::{Action, Assign, Binary, Domain, Expr, ExprId, Mistake, Place, Sort, Step, Type};

use crate::EncodingError;
use crate::bit_vector::BitVector;
use crate::cells::{Cell, Cells};
use crate::evaluation::{Evaluation, SymbolicState, SymbolicValue};
use crate::relation::{BlockPath, StepEncoder};

/// A step that writes no more bits than this is one relation: it has few conjuncts.
const FEW_BITS: usize = 8;
/// What becomes of a variable is a name inside other values from this size on.
const SMALLEST_NAMED: u32 = 4;

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
        if bits.len() <= FEW_BITS {
            return Ok(false);
        }
        let Some((values, aliases)) = self.chosen(step, &written)? else { return Ok(false) };
        let moment = SymbolicState { inputs: values, ..here.moment.clone() };
        let names = self.names(&written, &aliases)?;
        let named = !names.is_empty();
        let mut exact = Evaluation::new(self.semantics, self.diagrams, &moment);
        let mut evaluation = Evaluation::new(self.semantics, self.diagrams, &moment).with_names(names);
        let guards = match self.guards(step, &here.reached, &mut evaluation)? {
            None if named => self.guards(step, &here.reached, &mut exact)?,
            guards => guards,
        };
        let Some(mut conjuncts) = guards else { return Ok(false) };
        let typed = self.typed(&written)?;
        let mut misfits = Vec::new();
        for target in &written {
            let cell = &self.cells.cells[target.cell];
            let alias = aliases.contains(&target.cell);
            let seen = evaluation.seen(target.assign.value)?;
            if !seen.wrong.any()?.is_empty() && (!named || !exact.seen(target.assign.value)?.wrong.any()?.is_empty()) {
                return Ok(false);
            }
            let Some(misfit) = self.updated(target, &seen.value, alias, cell, &mut conjuncts)? else {
                return Ok(false);
            };
            // What is chosen for a variable has the type of it.
            if !alias && !misfit.and(&typed)?.is_empty() {
                misfits.push(target);
            }
        }
        if !misfits.is_empty() {
            // What does not fit is said without names, which stand for values that do.
            let Some(guards) = self.guards(step, &here.reached, &mut exact)? else { return Ok(false) };
            for target in misfits {
                let value = exact.seen(target.assign.value)?.value;
                let Some(misfit) = self.misfit(target, &value)? else { return Ok(false) };
                self.fail(Mistake::RangeOverflow, &self.somewhere(misfit.and(&typed)?, &guards, &bits)?)?;
            }
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

    /// That what is written has values of its types now and afterwards. Now it has, and what has not afterwards is told of that variable.
    fn typed(&self, written: &[Written<'_>]) -> Result<Set, EncodingError> {
        let program = self.semantics.program();
        let mut all = self.diagrams.full();
        for target in written.iter().rev() {
            let cell = &self.cells.cells[target.cell];
            let ty = program.variable(target.assign.place.variable()).ty;
            let (Some(lo), Some(hi)) = self.special.of_type(program, ty) else { continue };
            for value in [&self.start.slots[cell.slot], &self.afterwards(cell)?] {
                if let SymbolicValue::Number(number) = value {
                    all = all.and(&number.within(lo, hi, self.diagrams)?)?;
                }
            }
        }
        Ok(all)
    }

    /// The states in which a step that these guards admit is one of these.
    fn somewhere(&self, steps: Set, guards: &[Set], bits: &[(Bit, Bit)]) -> Result<Set, EncodingError> {
        for guard in guards {
            if steps.and(guard)?.is_empty() {
                return Ok(self.diagrams.empty());
            }
        }
        let conjuncts = std::iter::once(steps).chain(guards.iter().cloned()).collect();
        let part = RelationPart::conjunctive(self.diagrams, conjuncts, bits, &self.cells.inputs, CLUSTER_NODES)?;
        Ok(part.sources()?)
    }

    /// What becomes of a variable may be a part of what becomes of others (`next(y) := next(x) = 1`): there it is what the variable holds afterwards, so that
    /// the conjunct relates values after the step and is no larger than it was written.
    fn names(
        &self,
        written: &[Written<'_>],
        aliases: &[usize],
    ) -> Result<HashMap<ExprId, SymbolicValue>, EncodingError> {
        let program = self.semantics.program();
        let mut names = HashMap::new();
        for target in written.iter().filter(|target| !aliases.contains(&target.cell)) {
            let (value, cell) = (target.assign.value, &self.cells.cells[target.cell]);
            let same_sort = cell.truth == (program.exprs.sort(value) == Sort::Bool);
            if same_sort && program.exprs.size(value) >= SMALLEST_NAMED {
                names.insert(value, self.afterwards(cell)?);
            }
        }
        Ok(names)
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

    /// Where a value does not fit the type of its variable; none if the bounds of that are not known.
    fn misfit(&self, target: &Written<'_>, value: &SymbolicValue) -> Result<Option<Set>, EncodingError> {
        let program = self.semantics.program();
        let ty = program.variable(target.assign.place.variable()).ty;
        if ty == Type::Bool {
            return Ok(Some(self.diagrams.empty()));
        }
        let (Some(lo), Some(hi)) = self.special.of_type(program, ty) else { return Ok(None) };
        let evaluation = Evaluation::new(self.semantics, self.diagrams, self.start);
        Ok(Some(evaluation.as_number(value)?.within(lo, hi, self.diagrams)?.not()))
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
        let Some(misfit) = self.misfit(target, value)? else { return Ok(None) };
        let codes = if program.variable(var).ty == Type::Bool {
            vec![evaluation.as_truth(value)?]
        } else {
            let number = evaluation.as_number(value)?;
            let declared = self.special.of_type(program, program.variable(var).ty);
            let (Some((least, most)), (Some(lo), Some(hi))) = (self.special.limits(program, var), declared) else {
                return Ok(None);
            };
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
