//! Symbolic evaluation: what is the value of an expression in every state at once?
//!
//! The rules are those of the definition of a step: which operand is looked at when, and what goes wrong first. A value comes
//! with the states in which there is none.

use std::collections::HashMap;

use tertium_base::Stopped;
use tertium_base::narrow::to_i64;
use tertium_dd::{Diagrams, Set};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Binary, Expr, ExprId, ListId, Location, Semantics, Unary, VarId};

use crate::EncodingError;
use crate::bit_vector::BitVector;
use crate::cells::Cells;

/// A value in every state, as sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SymbolicValue {
    /// A truth value: the states where it is true.
    Truth(Set),
    /// An integer.
    Number(BitVector),
}

/// The states in which an expression is undefined, by what goes wrong first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undefined {
    /// Division by zero.
    pub division: Set,
    /// An index outside its array.
    pub index: Set,
}

impl Undefined {
    pub fn nowhere(diagrams: &Diagrams) -> Self {
        Self { division: diagrams.empty(), index: diagrams.empty() }
    }

    /// Where anything goes wrong.
    pub fn any(&self) -> Result<Set, Stopped> {
        self.division.or(&self.index)
    }

    /// First this, then, in the states of `looks`, the other.
    pub fn then(&self, looks: &Set, other: &Self) -> Result<Self, Stopped> {
        let fine = looks.minus(&self.any()?)?;
        Ok(Self {
            division: self.division.or(&other.division.and(&fine)?)?,
            index: self.index.or(&other.index.and(&fine)?)?,
        })
    }
}

/// A value with the states in which it is undefined.
#[derive(Clone, Debug)]
pub(crate) struct Evaluated {
    pub value: SymbolicValue,
    pub wrong: Undefined,
}

/// A symbolic state: the values of all slots and inputs as functions of the state before the step.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicState {
    /// One entry per slot.
    pub slots: Vec<SymbolicValue>,
    /// The inputs of the step at hand.
    pub inputs: Vec<SymbolicValue>,
    /// Who steps.
    pub me: Option<u32>,
    /// Where nothing can be done but what waits for a time-out.
    pub timeout: Set,
}

/// Evaluates expressions in one symbolic state, each once.
pub(crate) struct Evaluation<'e, 'p> {
    pub semantics: &'e Semantics<'p>,
    pub diagrams: &'e Diagrams,
    pub moment: &'e SymbolicState,
    /// The states without a step; known only when all steps are.
    pub deadlock: Option<&'e Set>,
    known: HashMap<ExprId, Evaluated>,
    /// What stands for expressions inside others.
    names: HashMap<ExprId, SymbolicValue>,
}

/// The slots at the beginning of a step: what their bits say.
pub(crate) fn beginning(cells: &Cells, diagrams: &Diagrams) -> Result<SymbolicState, EncodingError> {
    let mut slots = Vec::new();
    for (slot, cell) in cells.of_slot.iter().enumerate() {
        let Some(cell) = cell.map(|at| &cells.cells[at]) else {
            slots.push(SymbolicValue::Number(BitVector::constant(diagrams, cells.first[slot])));
            continue;
        };
        if cell.truth {
            let value = match cell.bits.first() {
                Some(&(now, _)) => diagrams.bit(now)?,
                None => diagrams.constant(cell.lo != 0),
            };
            slots.push(SymbolicValue::Truth(value));
            continue;
        }
        let mut bits = Vec::new();
        for &(now, _) in cell.bits.iter().rev() {
            bits.push(diagrams.bit(now)?);
        }
        let number = BitVector::unsigned(diagrams, bits)?;
        let offset = BitVector::constant(diagrams, cell.offset);
        slots.push(SymbolicValue::Number(if cell.offset == 0 {
            number
        } else {
            number.add(&offset, &diagrams.empty())?
        }));
    }
    Ok(SymbolicState { slots, inputs: Vec::new(), me: None, timeout: diagrams.empty() })
}

impl<'e, 'p> Evaluation<'e, 'p> {
    pub fn new(semantics: &'e Semantics<'p>, diagrams: &'e Diagrams, moment: &'e SymbolicState) -> Self {
        Self { semantics, diagrams, moment, deadlock: None, known: HashMap::new(), names: HashMap::new() }
    }

    /// Reads these expressions as these values where they are parts of others.
    pub fn with_names(self, names: HashMap<ExprId, SymbolicValue>) -> Self {
        Self { names, ..self }
    }

    /// The value of an expression.
    pub fn seen(&mut self, root: ExprId) -> Result<Evaluated, EncodingError> {
        let exprs = &self.semantics.program().exprs;
        let mut open = vec![(root, false)];
        while let Some((id, ready)) = open.pop() {
            if self.known.contains_key(&id) && (id != root || !self.names.contains_key(&id)) {
                continue;
            }
            match self.names.get(&id) {
                Some(value) if id != root => _ = self.known.insert(id, self.sure(value.clone())),
                _ if ready => _ = self.known.insert(id, self.operator(id)?),
                _ => {
                    open.push((id, true));
                    open.extend(exprs.children(id).into_iter().rev().map(|child| (child, false)));
                }
            }
        }
        let seen = self.known[&root].clone();
        if let Some(value) = self.names.get(&root) {
            self.known.insert(root, self.sure(value.clone()));
        }
        Ok(seen)
    }

    /// The value of a condition.
    pub fn truth(&mut self, root: ExprId) -> Result<(Set, Undefined), EncodingError> {
        let seen = self.seen(root)?;
        Ok((self.as_truth(&seen.value)?, seen.wrong))
    }

    /// The value of an integer; truth values count as 0 and 1.
    pub fn number(&mut self, root: ExprId) -> Result<(BitVector, Undefined), EncodingError> {
        let seen = self.seen(root)?;
        Ok((self.as_number(&seen.value)?, seen.wrong))
    }

    pub fn as_truth(&self, value: &SymbolicValue) -> Result<Set, EncodingError> {
        match value {
            SymbolicValue::Truth(set) => Ok(set.clone()),
            SymbolicValue::Number(number) => {
                Ok(number.equals(&BitVector::constant(self.diagrams, 0), self.diagrams)?.not())
            }
        }
    }

    pub fn as_number(&self, value: &SymbolicValue) -> Result<BitVector, EncodingError> {
        match value {
            SymbolicValue::Number(number) => Ok(number.clone()),
            SymbolicValue::Truth(set) => BitVector::unsigned(self.diagrams, vec![set.clone()]),
        }
    }

    fn constant(&self, value: i64) -> Evaluated {
        let value = SymbolicValue::Number(BitVector::constant(self.diagrams, value));
        Evaluated { value, wrong: Undefined::nowhere(self.diagrams) }
    }

    fn sure(&self, value: SymbolicValue) -> Evaluated {
        Evaluated { value, wrong: Undefined::nowhere(self.diagrams) }
    }

    fn operator(&self, id: ExprId) -> Result<Evaluated, EncodingError> {
        let program = self.semantics.program();
        let known = |id: ExprId| &self.known[&id];
        Ok(match program.exprs.get(id) {
            Expr::Bool(value) => self.sure(SymbolicValue::Truth(self.diagrams.constant(value))),
            Expr::Int(value) => self.constant(value),
            Expr::Member(_, position) => self.constant(i64::from(position)),
            Expr::Var(var) => self.sure(self.moment.slots[self.base(var)?].clone()),
            Expr::Element(var, indices) => self.element(var, indices)?,
            Expr::Input(position, _) => match self.moment.inputs.get(position as usize) {
                Some(value) => self.sure(value.clone()),
                None => return Err(EncodingError::unfit("an input is read where there is none")),
            },
            Expr::Unary(op, a) => self.unary(op, known(a))?,
            Expr::Binary(op, a, b) => self.binary(op, known(a), known(b))?,
            Expr::If(c, a, b) => self.conditional(known(c), known(a), known(b))?,
            Expr::Wrap(width, a) => {
                let number = self.as_number(&known(a).value)?;
                let wrapped = number.wrapped(usize::from(width.bits), width.signed, self.diagrams)?;
                Evaluated { value: SymbolicValue::Number(wrapped), wrong: known(a).wrong.clone() }
            }
            Expr::At(process, location) => {
                let Some(pid) = self.semantics.layout().only_instance(process) else {
                    return Err(EncodingError::unfit("a process has several instances"));
                };
                self.sure(SymbolicValue::Truth(self.is_at(pid as usize, location.index())?))
            }
            Expr::OwnPid => match self.moment.me {
                Some(pid) => self.constant(i64::from(pid)),
                None => return Err(EncodingError::unfit("`_pid` is read outside a process")),
            },
            Expr::Deadlock => match self.deadlock {
                Some(set) => self.sure(SymbolicValue::Truth(set.clone())),
                None => return Err(EncodingError::unfit("a step depends on whether there is a deadlock")),
            },
            Expr::Timeout => self.sure(SymbolicValue::Truth(self.moment.timeout.clone())),
            Expr::NonProgress => self.sure(SymbolicValue::Truth(self.somebody(|location| location.progress)?.not())),
            Expr::Accepting => self.sure(SymbolicValue::Truth(self.somebody(|location| location.accept)?)),
            Expr::Apply(function, _) => {
                let name = &program.function(function).name;
                return Err(EncodingError::unfit(format!("nothing is known about the function `{name}`")));
            }
            _ => return Err(EncodingError::unfit("an expression speaks of channels, instances or what is enabled")),
        })
    }

    fn is_at(&self, pid: usize, location: usize) -> Result<Set, EncodingError> {
        let slot = self.semantics.layout().initial_frames()[pid] + FRAME_LOCATION;
        let at = self.as_number(&self.moment.slots[slot])?;
        at.equals(&BitVector::constant(self.diagrams, to_i64(location)), self.diagrams)
    }

    /// Where some process is at a location of this kind.
    fn somebody(&self, is: impl Fn(&Location) -> bool) -> Result<Set, EncodingError> {
        let program = self.semantics.program();
        let mut found = self.diagrams.empty();
        for (pid, instance) in program.instances.iter().enumerate() {
            for (at, location) in program.process(instance.process).locations.iter().enumerate() {
                if is(location) {
                    found = found.or(&self.is_at(pid, at)?)?;
                }
            }
        }
        Ok(found)
    }

    fn base(&self, var: VarId) -> Result<usize, EncodingError> {
        let slot = self.semantics.layout().fixed_slot(self.semantics.program(), var);
        slot.ok_or_else(|| EncodingError::unfit("a variable has no fixed place"))
    }

    /// For each cell of an array the states in which these indices mean it, and where they mean none.
    pub fn cells(&self, var: VarId, indices: ListId) -> Result<(Vec<Set>, Undefined), EncodingError> {
        let program = self.semantics.program();
        let mut chosen = vec![self.diagrams.full()];
        let mut wrong = Undefined::nowhere(self.diagrams);
        for (&index, dimension) in program.exprs.list(indices).iter().zip(&program.variable(var).dimensions) {
            let Some(seen) = self.known.get(&index) else {
                return Err(EncodingError::unfit("an index was not evaluated"));
            };
            wrong = wrong.then(&self.diagrams.full(), &seen.wrong)?;
            let number = self.as_number(&seen.value)?;
            let inside = number.within(dimension.lo, dimension.hi(), self.diagrams)?;
            let outside = Undefined { index: inside.not(), ..Undefined::nowhere(self.diagrams) };
            wrong = wrong.then(&self.diagrams.full(), &outside)?;
            let (known, mut next) = (number.known(), Vec::new());
            for before in &chosen {
                for position in 0..i64::from(dimension.len) {
                    let here = dimension.lo + position;
                    next.push(match known {
                        Some(known) if known == here => before.clone(),
                        Some(_) => self.diagrams.empty(),
                        None => {
                            before.and(&number.equals(&BitVector::constant(self.diagrams, here), self.diagrams)?)?
                        }
                    });
                }
            }
            chosen = next;
        }
        Ok((chosen, wrong))
    }

    fn element(&self, var: VarId, indices: ListId) -> Result<Evaluated, EncodingError> {
        let (chosen, wrong) = self.cells(var, indices)?;
        let base = self.base(var)?;
        let mut value = self.moment.slots[base].clone();
        for (at, here) in chosen.iter().enumerate().skip(1).filter(|(_, here)| !here.is_empty()) {
            value = self.ite(here, &self.moment.slots[base + at], &value)?;
        }
        Ok(Evaluated { value, wrong })
    }

    pub fn ite(
        &self,
        condition: &Set,
        yes: &SymbolicValue,
        no: &SymbolicValue,
    ) -> Result<SymbolicValue, EncodingError> {
        Ok(match (yes, no) {
            (SymbolicValue::Truth(yes), SymbolicValue::Truth(no)) => SymbolicValue::Truth(condition.ite(yes, no)?),
            _ => SymbolicValue::Number(BitVector::ite(condition, &self.as_number(yes)?, &self.as_number(no)?)?),
        })
    }

    fn unary(&self, op: Unary, a: &Evaluated) -> Result<Evaluated, EncodingError> {
        let value = match op {
            Unary::Not => SymbolicValue::Truth(self.as_truth(&a.value)?.not()),
            Unary::Negate => SymbolicValue::Number(self.as_number(&a.value)?.negate(self.diagrams)?),
            Unary::Complement => SymbolicValue::Number(self.as_number(&a.value)?.complement()),
        };
        Ok(Evaluated { value, wrong: a.wrong.clone() })
    }

    fn conditional(&self, c: &Evaluated, a: &Evaluated, b: &Evaluated) -> Result<Evaluated, EncodingError> {
        let condition = self.as_truth(&c.value)?;
        let wrong = c.wrong.then(&condition, &a.wrong)?;
        let wrong = wrong.then(&condition.not(), &b.wrong)?;
        Ok(Evaluated { value: self.ite(&condition, &a.value, &b.value)?, wrong })
    }

    fn binary(&self, op: Binary, a: &Evaluated, b: &Evaluated) -> Result<Evaluated, EncodingError> {
        if let Binary::And | Binary::Or | Binary::Implies = op {
            return self.connective(op, a, b);
        }
        let diagrams = self.diagrams;
        let mut wrong = a.wrong.then(&diagrams.full(), &b.wrong)?;
        if let (SymbolicValue::Truth(x), SymbolicValue::Truth(y), Binary::Eq | Binary::Ne) = (&a.value, &b.value, op) {
            let same = x.iff(y)?;
            return Ok(Evaluated {
                value: SymbolicValue::Truth(if op == Binary::Eq { same } else { same.not() }),
                wrong,
            });
        }
        let (x, y) = (self.as_number(&a.value)?, self.as_number(&b.value)?);
        if let Binary::Div | Binary::Mod | Binary::Quotient | Binary::Remainder = op {
            let zero = y.equals(&BitVector::constant(diagrams, 0), diagrams)?;
            wrong = wrong.then(&diagrams.full(), &Undefined { division: zero, ..Undefined::nowhere(diagrams) })?;
        }
        let value = match op {
            Binary::Add => SymbolicValue::Number(x.add(&y, &diagrams.empty())?),
            Binary::Sub => SymbolicValue::Number(x.sub(&y, diagrams)?),
            Binary::Mul => SymbolicValue::Number(x.mul(&y, diagrams)?),
            Binary::Div => SymbolicValue::Number(x.divide_euclidean(&y, diagrams)?.0),
            Binary::Mod => SymbolicValue::Number(x.divide_euclidean(&y, diagrams)?.1),
            Binary::Quotient => SymbolicValue::Number(x.divide(&y, diagrams)?.0),
            Binary::Remainder => SymbolicValue::Number(x.divide(&y, diagrams)?.1),
            Binary::Eq => SymbolicValue::Truth(x.equals(&y, diagrams)?),
            Binary::Ne => SymbolicValue::Truth(x.equals(&y, diagrams)?.not()),
            Binary::Lt => SymbolicValue::Truth(x.less(&y, diagrams)?),
            Binary::Le => SymbolicValue::Truth(y.less(&x, diagrams)?.not()),
            Binary::Gt => SymbolicValue::Truth(y.less(&x, diagrams)?),
            Binary::Ge => SymbolicValue::Truth(x.less(&y, diagrams)?.not()),
            Binary::BitAnd => SymbolicValue::Number(x.bitwise(&y, Set::and)?),
            Binary::BitOr => SymbolicValue::Number(x.bitwise(&y, Set::or)?),
            Binary::BitXor => SymbolicValue::Number(x.bitwise(&y, |a, b| Ok(a.iff(b)?.not()))?),
            Binary::Shl => SymbolicValue::Number(x.shifted(&y, true, diagrams)?),
            Binary::Shr => SymbolicValue::Number(x.shifted(&y, false, diagrams)?),
            Binary::And | Binary::Or | Binary::Implies => return self.connective(op, a, b),
        };
        Ok(Evaluated { value, wrong })
    }

    fn connective(&self, op: Binary, a: &Evaluated, b: &Evaluated) -> Result<Evaluated, EncodingError> {
        let (x, y) = (self.as_truth(&a.value)?, self.as_truth(&b.value)?);
        let (value, looks) = match op {
            Binary::Or => (x.or(&y)?, x.not()),
            Binary::Implies => (x.not().or(&y)?, x),
            _ => (x.and(&y)?, x),
        };
        Ok(Evaluated { value: SymbolicValue::Truth(value), wrong: a.wrong.then(&looks, &b.wrong)? })
    }
}
