//! Expressions made with the obvious simplifications.
//!
//! Only simplifications that keep faults where they are: `false && x` is `false` because `x` is never
//! looked at, but `x && false` stays, because looking at `x` may divide by zero.

use crate::analysis::partial_evaluation::constant;
use crate::expr::{Binary, Expr, ExprId, Exprs, Sort, Unary};
use crate::types::{VarId, Width};

impl Exprs {
    /// A plain variable of the given sort.
    pub fn var(&mut self, var: VarId, sort: Sort) -> ExprId {
        self.add_sorted(Expr::Var(var), sort)
    }

    /// A cell of an array whose cells have the given sort.
    pub fn element(&mut self, var: VarId, indices: &[ExprId], sort: Sort) -> ExprId {
        let list = self.add_list(indices);
        self.add_sorted(Expr::Element(var, list), sort)
    }

    /// `!a`.
    #[allow(clippy::should_implement_trait)]
    pub fn not(&mut self, a: ExprId) -> ExprId {
        match self.get(a) {
            Expr::Bool(value) => self.bool(!value),
            Expr::Unary(Unary::Not, inner) => inner,
            Expr::Binary(Binary::Eq, x, y) => self.add(Expr::Binary(Binary::Ne, x, y)),
            Expr::Binary(Binary::Ne, x, y) => self.add(Expr::Binary(Binary::Eq, x, y)),
            Expr::Binary(Binary::Lt, x, y) => self.add(Expr::Binary(Binary::Ge, x, y)),
            Expr::Binary(Binary::Le, x, y) => self.add(Expr::Binary(Binary::Gt, x, y)),
            Expr::Binary(Binary::Gt, x, y) => self.add(Expr::Binary(Binary::Le, x, y)),
            Expr::Binary(Binary::Ge, x, y) => self.add(Expr::Binary(Binary::Lt, x, y)),
            _ => self.add(Expr::Unary(Unary::Not, a)),
        }
    }

    /// One operand, folded if it is a constant.
    pub fn unary(&mut self, op: Unary, a: ExprId) -> ExprId {
        if op == Unary::Not {
            return self.not(a);
        }
        match self.constant(a).map(|value| apply_unary(op, value)) {
            Some(Ok(value)) => self.int(value),
            _ => self.add(Expr::Unary(op, a)),
        }
    }

    /// `a && b`.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.get(a), self.get(b)) {
            (Expr::Bool(true), _) => b,
            (_, Expr::Bool(true)) => a,
            (Expr::Bool(false), _) => a,
            _ if a == b => a,
            _ => self.add(Expr::Binary(Binary::And, a, b)),
        }
    }

    /// `a || b`.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.get(a), self.get(b)) {
            (Expr::Bool(false), _) => b,
            (_, Expr::Bool(false)) => a,
            (Expr::Bool(true), _) => a,
            _ if a == b => a,
            _ => self.add(Expr::Binary(Binary::Or, a, b)),
        }
    }

    /// `a -> b`.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.get(a), self.get(b)) {
            (Expr::Bool(true), _) => b,
            (Expr::Bool(false), _) => self.bool(true),
            (_, Expr::Bool(false)) => self.not(a),
            _ => self.add(Expr::Binary(Binary::Implies, a, b)),
        }
    }

    /// The conjunction of all, left first; a balanced tree, so a long row stays shallow.
    pub fn all(&mut self, parts: &[ExprId]) -> ExprId {
        self.balanced(parts, true, Self::and)
    }

    /// The disjunction of all, left first; a balanced tree, so a long row stays shallow.
    pub fn any(&mut self, parts: &[ExprId]) -> ExprId {
        self.balanced(parts, false, Self::or)
    }

    fn balanced(&mut self, parts: &[ExprId], unit: bool, join: fn(&mut Self, ExprId, ExprId) -> ExprId) -> ExprId {
        if parts.is_empty() {
            return self.bool(unit);
        }
        let mut row = parts.to_vec();
        while row.len() > 1 {
            row = row
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => join(self, a, b),
                    _ => pair[0],
                })
                .collect();
        }
        row[0]
    }

    /// Two operands, folded if both are constants and the result is one.
    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        match op {
            Binary::And => return self.and(a, b),
            Binary::Or => return self.or(a, b),
            Binary::Implies => return self.implies(a, b),
            _ => {}
        }
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b))
            && let Ok(value) = apply_binary(op, x, y)
        {
            return constant(self, value, op.sort());
        }
        self.undo_truth_as_number(op, a, b).unwrap_or_else(|| self.add(Expr::Binary(op, a, b)))
    }

    /// `(if c then 1 else 0) != 0` is `c`: front ends whose truth values are numbers write it everywhere.
    fn undo_truth_as_number(&mut self, op: Binary, a: ExprId, b: ExprId) -> Option<ExprId> {
        let Expr::If(condition, one, zero) = self.get(a) else { return None };
        if (self.get(one), self.get(zero), self.get(b)) != (Expr::Int(1), Expr::Int(0), Expr::Int(0)) {
            return None;
        }
        match op {
            Binary::Ne | Binary::Gt => Some(condition),
            Binary::Eq | Binary::Le => Some(self.not(condition)),
            _ => None,
        }
    }

    /// `a = b`.
    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Binary::Eq, a, b)
    }

    /// `if c then a else b`.
    pub fn ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        match self.get(c) {
            Expr::Bool(true) => a,
            Expr::Bool(false) => b,
            _ => self.add(Expr::If(c, a, b)),
        }
    }

    /// What remains of `a` in a machine word.
    pub fn wrap(&mut self, width: Width, a: ExprId) -> ExprId {
        match self.constant(a) {
            Some(value) => self.int(width.wrap(value)),
            None => self.add(Expr::Wrap(width, a)),
        }
    }
}

/// Why an operator has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// Division or remainder by 0.
    DivisionByZero,
    /// The value is an integer, but no `i64`.
    TooLarge,
}

/// The one definition of what binary operators compute. Truth values are 0 and 1; And, Or and Implies are
/// given both operands here, so callers that must not look at the second one decide that before.
///
/// # Errors
/// Division by zero, or a value that `i64` cannot hold.
pub fn apply_binary(op: Binary, a: i64, b: i64) -> Result<i64, NoValue> {
    let divides = matches!(op, Binary::Div | Binary::Mod | Binary::Quotient | Binary::Remainder);
    if divides && b == 0 {
        return Err(NoValue::DivisionByZero);
    }
    let integer = match op {
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Mul => a.checked_mul(b),
        Binary::Div => a.checked_div_euclid(b),
        // The remainder by -1 is 0 even where the quotient does not fit.
        Binary::Mod => Some(a.checked_rem_euclid(b).unwrap_or(0)),
        Binary::Quotient => a.checked_div(b),
        Binary::Remainder => Some(a.checked_rem(b).unwrap_or(0)),
        Binary::Eq => Some(i64::from(a == b)),
        Binary::Ne => Some(i64::from(a != b)),
        Binary::Lt => Some(i64::from(a < b)),
        Binary::Le => Some(i64::from(a <= b)),
        Binary::Gt => Some(i64::from(a > b)),
        Binary::Ge => Some(i64::from(a >= b)),
        Binary::And => Some(i64::from(a != 0 && b != 0)),
        Binary::Or => Some(i64::from(a != 0 || b != 0)),
        Binary::Implies => Some(i64::from(a == 0 || b != 0)),
        Binary::BitAnd => Some(a & b),
        Binary::BitOr => Some(a | b),
        Binary::BitXor => Some(a ^ b),
        Binary::Shl => shift_left(a, b),
        // What x86 does with a 32-bit shift count, as Spin's verifiers inherit it, is for the front end to
        // write out; here a shift beyond the word leaves the sign.
        Binary::Shr => Some(if b < 0 { return Err(NoValue::TooLarge) } else { a >> b.min(63) }),
    };
    integer.ok_or(NoValue::TooLarge)
}

fn shift_left(a: i64, by: i64) -> Option<i64> {
    if a == 0 {
        return Some(0);
    }
    let by = u32::try_from(by).ok().filter(|&by| by < 63)?;
    a.checked_mul(1i64 << by)
}

/// The one definition of what unary operators compute.
///
/// # Errors
/// A value that `i64` cannot hold.
pub fn apply_unary(op: Unary, a: i64) -> Result<i64, NoValue> {
    match op {
        Unary::Not => Ok(i64::from(a == 0)),
        Unary::Negate => a.checked_neg().ok_or(NoValue::TooLarge),
        Unary::Complement => Ok(!a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_follow_their_quotients() {
        for a in -9i64..=9 {
            for b in (-4i64..=4).filter(|&b| b != 0) {
                let value = |op| apply_binary(op, a, b).unwrap();
                assert_eq!(value(Binary::Div) * b + value(Binary::Mod), a);
                assert_eq!(value(Binary::Quotient) * b + value(Binary::Remainder), a);
                assert!((0..b.abs()).contains(&value(Binary::Mod)), "{a} mod {b}");
                assert_eq!(value(Binary::Quotient), a / b);
            }
        }
        assert_eq!(apply_binary(Binary::Mod, i64::MIN, -1), Ok(0));
        assert_eq!(apply_binary(Binary::Div, i64::MIN, -1), Err(NoValue::TooLarge));
        assert_eq!(apply_binary(Binary::Mod, 1, 0), Err(NoValue::DivisionByZero));
    }

    #[test]
    fn folding_never_hides_a_fault() {
        let mut exprs = Exprs::new();
        let (zero, one) = (exprs.int(0), exprs.int(1));
        let bad = exprs.binary(Binary::Div, one, zero);
        let bad = exprs.eq(bad, one);
        let no = exprs.bool(false);
        let hidden = exprs.and(no, bad);
        let looked_at = exprs.and(bad, no);
        assert_eq!(exprs.get(hidden), Expr::Bool(false));
        assert_ne!(exprs.get(looked_at), Expr::Bool(false));
        let most = exprs.int(i64::MAX);
        let sum = exprs.binary(Binary::Add, most, one);
        assert_eq!(exprs.constant(sum), None);
    }
}
