//! What is the value of a term? By the definition of the operators; the oracle for simplifier and solvers.

use std::collections::{BTreeMap, HashMap};

use crate::arith::apply_bits;
use crate::term::{FunctionId, SymbolId, Term, TermId, Terms};

/// A value. Truth values of array cells count as 0 and 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// Cells by index, and what all others hold.
    Array(BTreeMap<i128, i128>, i128),
}

impl Value {
    /// The truth value, if it is one.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if it is one.
    #[must_use]
    pub const fn as_int(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }
}

/// Values of symbols and functions.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    /// By symbol.
    pub symbols: BTreeMap<SymbolId, Value>,
    /// By function and arguments.
    pub functions: BTreeMap<(FunctionId, Vec<Value>), Value>,
}

impl Terms {
    /// The value of a term; `None` if a symbol or function has none, a divisor is 0, a number does not fit 128 bits, or a
    /// quantifier ranges over more than a few values.
    #[must_use]
    pub fn eval(&self, root: TermId, given: &Assignment) -> Option<Value> {
        let mut values: HashMap<TermId, Option<Value>> = HashMap::new();
        let mut open = vec![root];
        while let Some(&id) = open.last() {
            if values.contains_key(&id) {
                open.pop();
                continue;
            }
            if let Term::Forall(list, body) = self.get(id) {
                let value = self.for_all(self.list(list), body, given);
                values.insert(id, value.map(Value::Bool));
                continue;
            }
            let missing: Vec<TermId> =
                self.children(id).into_iter().filter(|child| !values.contains_key(child)).collect();
            if missing.is_empty() {
                let value = self.value_of(id, &values, given);
                values.insert(id, value);
            } else {
                open.extend(missing);
            }
        }
        values.remove(&root)?
    }

    fn for_all(&self, symbols: &[TermId], body: TermId, given: &Assignment) -> Option<bool> {
        let Some((&first, rest)) = symbols.split_first() else { return self.eval(body, given)?.as_bool() };
        let Term::Symbol(symbol) = self.get(first) else { return None };
        let candidates: Vec<Value> = match (self.sort(first), self.bounds(first)) {
            (crate::Sort::Bool, _) => vec![Value::Bool(false), Value::Bool(true)],
            (crate::Sort::Int, (Some(lo), Some(hi))) if hi.checked_sub(lo)? <= 1000 => {
                (lo..=hi).map(Value::Int).collect()
            }
            _ => return None,
        };
        let mut all = true;
        for candidate in candidates {
            let mut given = given.clone();
            given.symbols.insert(symbol, candidate);
            all &= self.for_all(rest, body, &given)?;
        }
        Some(all)
    }

    fn value_of(&self, id: TermId, values: &HashMap<TermId, Option<Value>>, given: &Assignment) -> Option<Value> {
        let of = |id: TermId| values[&id].clone();
        let int = |id: TermId| of(id)?.as_int();
        let bool = |id: TermId| of(id)?.as_bool();
        Some(match self.get(id) {
            Term::Bool(value) => Value::Bool(value),
            Term::Int(value) => Value::Int(value),
            Term::Symbol(symbol) => given.symbols.get(&symbol)?.clone(),
            Term::Not(a) => Value::Bool(!bool(a)?),
            Term::And(list) => {
                let parts: Option<Vec<bool>> = self.list(list).iter().map(|&part| bool(part)).collect();
                Value::Bool(parts?.into_iter().all(|holds| holds))
            }
            Term::Same(a, b) => Value::Bool(of(a)? == of(b)?),
            Term::Ite(c, a, b) => of(if bool(c)? { a } else { b })?,
            Term::Sum(sum) => {
                let sum = self.sum(sum);
                let mut total = sum.constant;
                for &(part, factor) in &sum.parts {
                    total = total.checked_add(int(part)?.checked_mul(factor)?)?;
                }
                Value::Int(total)
            }
            Term::Mul(a, b) => Value::Int(int(a)?.checked_mul(int(b)?)?),
            Term::Div(a, b) => Value::Int(int(a)?.checked_div_euclid(int(b)?)?),
            Term::Mod(a, b) => Value::Int(int(a)?.checked_rem_euclid(int(b)?)?),
            Term::Bits(op, _, a, b) => Value::Int(apply_bits(op, int(a)?, int(b)?)),
            Term::AtMost(a, most) => Value::Bool(int(a)? <= most),
            Term::Equals(a, value) => Value::Bool(int(a)? == value),
            Term::Apply(function, list) => {
                let arguments: Option<Vec<Value>> = self.list(list).iter().map(|&argument| of(argument)).collect();
                given.functions.get(&(function, arguments?))?.clone()
            }
            Term::Select(a, index) => {
                let Value::Array(cells, default) = of(a)? else { return None };
                let cell = cells.get(&int(index)?).copied().unwrap_or(default);
                if self.sort(id) == crate::Sort::Bool { Value::Bool(cell != 0) } else { Value::Int(cell) }
            }
            Term::Store(a, index, value) => {
                let Value::Array(mut cells, default) = of(a)? else { return None };
                let cell = match of(value)? {
                    Value::Bool(value) => i128::from(value),
                    Value::Int(value) => value,
                    Value::Array(..) => return None,
                };
                cells.insert(int(index)?, cell);
                Value::Array(cells, default)
            }
            Term::Forall(..) => return None,
        })
    }
}
