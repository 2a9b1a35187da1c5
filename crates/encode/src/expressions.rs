//! What is the value of an expression in every state at once?
//!
//! The rules are those of the definition of a step: which operand is looked at when, and what goes wrong first. A value comes
//! with the states in which there is none.

use std::collections::HashMap;

use tertium_base::Stopped;
use tertium_base::narrow::to_i64;
use tertium_dd::{Diagrams, Set};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{Binary, Expr, ExprId, ListId, Location, Semantics, Unary, VarId};

use crate::NoSets;
use crate::cells::Cells;
use crate::numbers::Number;

/// A value in every state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A truth value: the states where it is true.
    Truth(Set),
    /// An integer.
    Number(Number),
}

/// Where evaluating goes wrong, by what goes wrong first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Division by zero.
    pub division: Set,
    /// An index outside its array.
    pub index: Set,
}

impl Wrong {
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

/// A value with the states where there is none.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub value: Value,
    pub wrong: Wrong,
}

/// The values of all slots and inputs at some moment, as functions of the state before the step.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// One entry per slot.
    pub slots: Vec<Value>,
    /// The inputs of the step at hand.
    pub inputs: Vec<Value>,
    /// Who steps.
    pub me: Option<u32>,
    /// Where nothing can be done but what waits for a time-out.
    pub timeout: Set,
}

/// Evaluates expressions at one moment, each once.
pub(crate) struct Evaluation<'e, 'p> {
    pub semantics: &'e Semantics<'p>,
    pub diagrams: &'e Diagrams,
    pub moment: &'e Moment,
    /// The states without a step; known only when all steps are.
    pub deadlock: Option<&'e Set>,
    known: HashMap<ExprId, Seen>,
}

/// The slots at the beginning of a step: what their bits say.
pub(crate) fn beginning(cells: &Cells, diagrams: &Diagrams) -> Result<Moment, NoSets> {
    let mut slots = Vec::new();
    for (slot, cell) in cells.of_slot.iter().enumerate() {
        let Some(cell) = cell.map(|at| &cells.cells[at]) else {
            slots.push(Value::Number(Number::constant(diagrams, cells.first[slot])));
            continue;
        };
        if cell.truth {
            let value = match cell.bits.first() {
                Some(&(now, _)) => diagrams.bit(now)?,
                None => diagrams.constant(cell.lo != 0),
            };
            slots.push(Value::Truth(value));
            continue;
        }
        let mut bits = Vec::new();
        for &(now, _) in cell.bits.iter().rev() {
            bits.push(diagrams.bit(now)?);
        }
        let number = Number::unsigned(diagrams, bits)?;
        let offset = Number::constant(diagrams, cell.offset);
        slots.push(Value::Number(if cell.offset == 0 { number } else { number.add(&offset, &diagrams.empty())? }));
    }
    Ok(Moment { slots, inputs: Vec::new(), me: None, timeout: diagrams.empty() })
}

impl<'e, 'p> Evaluation<'e, 'p> {
    pub fn new(semantics: &'e Semantics<'p>, diagrams: &'e Diagrams, moment: &'e Moment) -> Self {
        Self { semantics, diagrams, moment, deadlock: None, known: HashMap::new() }
    }

    /// The value of an expression.
    pub fn seen(&mut self, root: ExprId) -> Result<Seen, NoSets> {
        let exprs = &self.semantics.program().exprs;
        for id in exprs.reachable(&[root]) {
            if !self.known.contains_key(&id) {
                let seen = self.operator(id)?;
                self.known.insert(id, seen);
            }
        }
        Ok(self.known[&root].clone())
    }

    /// The value of a condition.
    pub fn truth(&mut self, root: ExprId) -> Result<(Set, Wrong), NoSets> {
        let seen = self.seen(root)?;
        Ok((self.as_truth(&seen.value)?, seen.wrong))
    }

    /// The value of an integer; truth values count as 0 and 1.
    pub fn number(&mut self, root: ExprId) -> Result<(Number, Wrong), NoSets> {
        let seen = self.seen(root)?;
        Ok((self.as_number(&seen.value)?, seen.wrong))
    }

    pub fn as_truth(&self, value: &Value) -> Result<Set, NoSets> {
        match value {
            Value::Truth(set) => Ok(set.clone()),
            Value::Number(number) => Ok(number.equals(&Number::constant(self.diagrams, 0), self.diagrams)?.not()),
        }
    }

    pub fn as_number(&self, value: &Value) -> Result<Number, NoSets> {
        match value {
            Value::Number(number) => Ok(number.clone()),
            Value::Truth(set) => Number::unsigned(self.diagrams, vec![set.clone()]),
        }
    }

    fn constant(&self, value: i64) -> Seen {
        let value = Value::Number(Number::constant(self.diagrams, value));
        Seen { value, wrong: Wrong::nowhere(self.diagrams) }
    }

    fn sure(&self, value: Value) -> Seen {
        Seen { value, wrong: Wrong::nowhere(self.diagrams) }
    }

    fn operator(&self, id: ExprId) -> Result<Seen, NoSets> {
        let program = self.semantics.program();
        let known = |id: ExprId| &self.known[&id];
        Ok(match program.exprs.get(id) {
            Expr::Bool(value) => self.sure(Value::Truth(self.diagrams.constant(value))),
            Expr::Int(value) => self.constant(value),
            Expr::Member(_, position) => self.constant(i64::from(position)),
            Expr::Var(var) => self.sure(self.moment.slots[self.base(var)?].clone()),
            Expr::Element(var, indices) => self.element(var, indices)?,
            Expr::Input(position, _) => match self.moment.inputs.get(position as usize) {
                Some(value) => self.sure(value.clone()),
                None => return Err(NoSets::unfit("an input is read where there is none")),
            },
            Expr::Unary(op, a) => self.unary(op, known(a))?,
            Expr::Binary(op, a, b) => self.binary(op, known(a), known(b))?,
            Expr::If(c, a, b) => self.conditional(known(c), known(a), known(b))?,
            Expr::Wrap(width, a) => {
                let number = self.as_number(&known(a).value)?;
                let wrapped = number.wrapped(usize::from(width.bits), width.signed, self.diagrams)?;
                Seen { value: Value::Number(wrapped), wrong: known(a).wrong.clone() }
            }
            Expr::At(process, location) => {
                let Some(pid) = self.semantics.layout().only_instance(process) else {
                    return Err(NoSets::unfit("a process has several instances"));
                };
                self.sure(Value::Truth(self.is_at(pid as usize, location.index())?))
            }
            Expr::OwnPid => match self.moment.me {
                Some(pid) => self.constant(i64::from(pid)),
                None => return Err(NoSets::unfit("`_pid` is read outside a process")),
            },
            Expr::Deadlock => match self.deadlock {
                Some(set) => self.sure(Value::Truth(set.clone())),
                None => return Err(NoSets::unfit("a step depends on whether there is a deadlock")),
            },
            Expr::Timeout => self.sure(Value::Truth(self.moment.timeout.clone())),
            Expr::NonProgress => self.sure(Value::Truth(self.somebody(|location| location.progress)?.not())),
            Expr::Accepting => self.sure(Value::Truth(self.somebody(|location| location.accept)?)),
            Expr::Apply(function, _) => {
                let name = &program.function(function).name;
                return Err(NoSets::unfit(format!("nothing is known about the function `{name}`")));
            }
            _ => return Err(NoSets::unfit("an expression speaks of channels, instances or what is enabled")),
        })
    }

    fn is_at(&self, pid: usize, location: usize) -> Result<Set, NoSets> {
        let slot = self.semantics.layout().initial_frames()[pid] + FRAME_LOCATION;
        let at = self.as_number(&self.moment.slots[slot])?;
        at.equals(&Number::constant(self.diagrams, to_i64(location)), self.diagrams)
    }

    /// Where some process is at a location of this kind.
    fn somebody(&self, is: impl Fn(&Location) -> bool) -> Result<Set, NoSets> {
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

    fn base(&self, var: VarId) -> Result<usize, NoSets> {
        let slot = self.semantics.layout().fixed_slot(self.semantics.program(), var);
        slot.ok_or_else(|| NoSets::unfit("a variable has no fixed place"))
    }

    /// For each cell of an array the states in which these indices mean it, and where they mean none.
    pub fn cells(&self, var: VarId, indices: ListId) -> Result<(Vec<Set>, Wrong), NoSets> {
        let program = self.semantics.program();
        let mut chosen = vec![self.diagrams.full()];
        let mut wrong = Wrong::nowhere(self.diagrams);
        for (&index, dimension) in program.exprs.list(indices).iter().zip(&program.variable(var).dimensions) {
            let Some(seen) = self.known.get(&index) else {
                return Err(NoSets::unfit("an index was not evaluated"));
            };
            wrong = wrong.then(&self.diagrams.full(), &seen.wrong)?;
            let number = self.as_number(&seen.value)?;
            let inside = number.within(dimension.lo, dimension.hi(), self.diagrams)?;
            let outside = Wrong { index: inside.not(), ..Wrong::nowhere(self.diagrams) };
            wrong = wrong.then(&self.diagrams.full(), &outside)?;
            let (known, mut next) = (number.known(), Vec::new());
            for before in &chosen {
                for position in 0..i64::from(dimension.len) {
                    let here = dimension.lo + position;
                    next.push(match known {
                        Some(known) if known == here => before.clone(),
                        Some(_) => self.diagrams.empty(),
                        None => before.and(&number.equals(&Number::constant(self.diagrams, here), self.diagrams)?)?,
                    });
                }
            }
            chosen = next;
        }
        Ok((chosen, wrong))
    }

    fn element(&self, var: VarId, indices: ListId) -> Result<Seen, NoSets> {
        let (chosen, wrong) = self.cells(var, indices)?;
        let base = self.base(var)?;
        let mut value = self.moment.slots[base].clone();
        for (at, here) in chosen.iter().enumerate().skip(1).filter(|(_, here)| !here.is_empty()) {
            value = self.choose(here, &self.moment.slots[base + at], &value)?;
        }
        Ok(Seen { value, wrong })
    }

    pub fn choose(&self, condition: &Set, yes: &Value, no: &Value) -> Result<Value, NoSets> {
        Ok(match (yes, no) {
            (Value::Truth(yes), Value::Truth(no)) => Value::Truth(condition.choose(yes, no)?),
            _ => Value::Number(Number::choose(condition, &self.as_number(yes)?, &self.as_number(no)?)?),
        })
    }

    fn unary(&self, op: Unary, a: &Seen) -> Result<Seen, NoSets> {
        let value = match op {
            Unary::Not => Value::Truth(self.as_truth(&a.value)?.not()),
            Unary::Negate => Value::Number(self.as_number(&a.value)?.negate(self.diagrams)?),
            Unary::Complement => Value::Number(self.as_number(&a.value)?.complement()),
        };
        Ok(Seen { value, wrong: a.wrong.clone() })
    }

    fn conditional(&self, c: &Seen, a: &Seen, b: &Seen) -> Result<Seen, NoSets> {
        let condition = self.as_truth(&c.value)?;
        let wrong = c.wrong.then(&condition, &a.wrong)?;
        let wrong = wrong.then(&condition.not(), &b.wrong)?;
        Ok(Seen { value: self.choose(&condition, &a.value, &b.value)?, wrong })
    }

    fn binary(&self, op: Binary, a: &Seen, b: &Seen) -> Result<Seen, NoSets> {
        if let Binary::And | Binary::Or | Binary::Implies = op {
            return self.connective(op, a, b);
        }
        let diagrams = self.diagrams;
        let mut wrong = a.wrong.then(&diagrams.full(), &b.wrong)?;
        if let (Value::Truth(x), Value::Truth(y), Binary::Eq | Binary::Ne) = (&a.value, &b.value, op) {
            let same = x.same(y)?;
            return Ok(Seen { value: Value::Truth(if op == Binary::Eq { same } else { same.not() }), wrong });
        }
        let (x, y) = (self.as_number(&a.value)?, self.as_number(&b.value)?);
        if let Binary::Div | Binary::Mod | Binary::Quotient | Binary::Remainder = op {
            let zero = y.equals(&Number::constant(diagrams, 0), diagrams)?;
            wrong = wrong.then(&diagrams.full(), &Wrong { division: zero, ..Wrong::nowhere(diagrams) })?;
        }
        let value = match op {
            Binary::Add => Value::Number(x.add(&y, &diagrams.empty())?),
            Binary::Sub => Value::Number(x.sub(&y, diagrams)?),
            Binary::Mul => Value::Number(x.mul(&y, diagrams)?),
            Binary::Div => Value::Number(x.divide_euclidean(&y, diagrams)?.0),
            Binary::Mod => Value::Number(x.divide_euclidean(&y, diagrams)?.1),
            Binary::Quotient => Value::Number(x.divide(&y, diagrams)?.0),
            Binary::Remainder => Value::Number(x.divide(&y, diagrams)?.1),
            Binary::Eq => Value::Truth(x.equals(&y, diagrams)?),
            Binary::Ne => Value::Truth(x.equals(&y, diagrams)?.not()),
            Binary::Lt => Value::Truth(x.less(&y, diagrams)?),
            Binary::Le => Value::Truth(y.less(&x, diagrams)?.not()),
            Binary::Gt => Value::Truth(y.less(&x, diagrams)?),
            Binary::Ge => Value::Truth(x.less(&y, diagrams)?.not()),
            Binary::BitAnd => Value::Number(x.bitwise(&y, Set::and)?),
            Binary::BitOr => Value::Number(x.bitwise(&y, Set::or)?),
            Binary::BitXor => Value::Number(x.bitwise(&y, |a, b| Ok(a.same(b)?.not()))?),
            Binary::Shl => Value::Number(x.shifted(&y, true, diagrams)?),
            Binary::Shr => Value::Number(x.shifted(&y, false, diagrams)?),
            Binary::And | Binary::Or | Binary::Implies => return self.connective(op, a, b),
        };
        Ok(Seen { value, wrong })
    }

    fn connective(&self, op: Binary, a: &Seen, b: &Seen) -> Result<Seen, NoSets> {
        let (x, y) = (self.as_truth(&a.value)?, self.as_truth(&b.value)?);
        let (value, looks) = match op {
            Binary::Or => (x.or(&y)?, x.not()),
            Binary::Implies => (x.not().or(&y)?, x),
            _ => (x.and(&y)?, x),
        };
        Ok(Seen { value: Value::Truth(value), wrong: a.wrong.then(&looks, &b.wrong)? })
    }
}
