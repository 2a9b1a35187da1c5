//! Partial evaluation (Jones, Gomard, Sestoft 1993): what is left of an expression where a part of what it reads is known?
//!
//! What is known is called static, the rest dynamic. [`evaluate`] gives the value, if static parts decide it; [`rewrite`] gives
//! the residual expression: parts are put in for others, and operators over constants are folded ([`fold`]). Both keep faults
//! where they are: an operator without a value is never folded away, and what the semantics does not look at is not looked at.

use std::collections::HashMap;

use crate::build::{NoValue, apply_binary, apply_unary};
use crate::expr::{Binary, Expr, ExprId, Exprs, ListId, Sort};

/// Why an expression has no static value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoStaticValue {
    /// It depends on what is not known, or is a number that is too large.
    Dynamic,
    /// It goes wrong: a division by zero.
    Undefined,
}

impl From<NoValue> for NoStaticValue {
    fn from(reason: NoValue) -> Self {
        match reason {
            NoValue::DivisionByZero => Self::Undefined,
            NoValue::TooLarge => Self::Dynamic,
        }
    }
}

/// Expressions with more operators are evaluated operator by operator, so that neither depth nor what is shared matters.
const SMALL: u32 = 64;

/// The value of an expression, if it is static.
pub type StaticValue = Result<i64, NoStaticValue>;

/// What is known of whatever is no operator; the second argument gives the values of operands, such as indices.
pub type Leaf<'l> = &'l dyn Fn(Expr, &dyn Fn(ExprId) -> StaticValue) -> Option<i64>;

/// The value of an expression of which some leaves are known.
///
/// # Errors
/// If no static value is left.
pub fn evaluate(exprs: &Exprs, root: ExprId, leaf: Leaf<'_>) -> StaticValue {
    if exprs.size(root) <= SMALL {
        return operator(exprs, root, &|operand| evaluate(exprs, operand, leaf), leaf);
    }
    let mut known: HashMap<ExprId, StaticValue> = HashMap::new();
    for id in exprs.reachable(&[root]) {
        let value = operator(exprs, id, &|operand| known[&operand], leaf);
        known.insert(id, value);
    }
    known[&root]
}

fn operator(exprs: &Exprs, id: ExprId, of: &dyn Fn(ExprId) -> StaticValue, leaf: Leaf<'_>) -> StaticValue {
    match exprs.get(id) {
        Expr::Unary(op, a) => Ok(apply_unary(op, of(a)?)?),
        Expr::Wrap(width, a) => Ok(width.wrap(of(a)?)),
        Expr::If(c, a, b) => of(if of(c)? != 0 { a } else { b }),
        Expr::Binary(op, a, b) => match (op, of(a)?) {
            (Binary::And, 0) => Ok(0),
            (Binary::Implies, 0) => Ok(1),
            (Binary::Or, left) if left != 0 => Ok(1),
            (_, left) => Ok(apply_binary(op, left, of(b)?)?),
        },
        expr => exprs.constant(id).or_else(|| leaf(expr, of)).ok_or(NoStaticValue::Dynamic),
    }
}

/// The residual of `root`, built from below. `map` gets every operator with its new operands and the sort it has; what is neither known
/// nor replaced is left to [`fold`].
pub fn rewrite(exprs: &mut Exprs, root: ExprId, map: &mut dyn FnMut(&mut Exprs, Expr, Sort) -> ExprId) -> ExprId {
    let mut new: HashMap<ExprId, ExprId> = HashMap::new();
    for id in exprs.reachable(&[root]) {
        let sort = exprs.sort(id);
        let rebuilt = with_operands(exprs, id, &new);
        let mapped = map(exprs, rebuilt, sort);
        new.insert(id, mapped);
    }
    new[&root]
}

/// Adds an operator, folded if its operands are constants, with the obvious simplifications.
pub fn fold(exprs: &mut Exprs, expr: Expr, sort: Sort) -> ExprId {
    match expr {
        Expr::Unary(op, a) => exprs.unary(op, a),
        Expr::Binary(op, a, b) => exprs.binary(op, a, b),
        Expr::If(c, a, b) => exprs.ite(c, a, b),
        Expr::Wrap(width, a) => exprs.wrap(width, a),
        _ => exprs.add_sorted(expr, sort),
    }
}

/// A value as an expression of a sort.
pub fn constant(exprs: &mut Exprs, value: i64, sort: Sort) -> ExprId {
    if sort == Sort::Bool { exprs.bool(value != 0) } else { exprs.int(value) }
}

fn with_operands(exprs: &mut Exprs, id: ExprId, new: &HashMap<ExprId, ExprId>) -> Expr {
    let expr = exprs.get(id);
    let list = |exprs: &mut Exprs, list: ListId| {
        let members: Vec<ExprId> = exprs.list(list).iter().map(|member| new[member]).collect();
        exprs.add_list(&members)
    };
    match expr {
        Expr::Unary(op, a) => Expr::Unary(op, new[&a]),
        Expr::Wrap(width, a) => Expr::Wrap(width, new[&a]),
        Expr::Binary(op, a, b) => Expr::Binary(op, new[&a], new[&b]),
        Expr::If(c, a, b) => Expr::If(new[&c], new[&a], new[&b]),
        Expr::Element(var, indices) => Expr::Element(var, list(exprs, indices)),
        Expr::OldElement(var, indices) => Expr::OldElement(var, list(exprs, indices)),
        Expr::Apply(function, arguments) => Expr::Apply(function, list(exprs, arguments)),
        Expr::Remote(pid, var) => Expr::Remote(new[&pid], var),
        Expr::RemoteElement(pid, var, indices) => Expr::RemoteElement(new[&pid], var, list(exprs, indices)),
        Expr::RemoteAt(pid, process, location) => Expr::RemoteAt(new[&pid], process, location),
        Expr::Length(a) => Expr::Length(new[&a]),
        Expr::Capacity(a) => Expr::Capacity(new[&a]),
        Expr::Enabled(a) => Expr::Enabled(new[&a]),
        Expr::LocationOf(a) => Expr::LocationOf(new[&a]),
        Expr::PriorityOf(a) => Expr::PriorityOf(new[&a]),
        _ => expr,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::VarId;

    fn x(exprs: &mut Exprs) -> ExprId {
        exprs.var(VarId::new(0), Sort::Int)
    }

    fn value(exprs: &Exprs, root: ExprId, x: Option<i64>) -> StaticValue {
        evaluate(exprs, root, &|leaf, _| if leaf == Expr::Var(VarId::new(0)) { x } else { None })
    }

    #[test]
    fn what_is_not_looked_at_may_be_dynamic_or_undefined() {
        let mut exprs = Exprs::new();
        let (zero, one) = (exprs.int(0), exprs.int(1));
        let x = x(&mut exprs);
        let quotient = exprs.binary(Binary::Div, one, x);
        let bad = exprs.binary(Binary::Gt, quotient, zero);
        let guarded = exprs.binary(Binary::Ne, x, zero);
        let guarded = exprs.binary(Binary::And, guarded, bad);
        assert_eq!(value(&exprs, guarded, Some(0)), Ok(0));
        assert_eq!(value(&exprs, guarded, Some(1)), Ok(1));
        assert_eq!(value(&exprs, bad, Some(0)), Err(NoStaticValue::Undefined));
        assert_eq!(value(&exprs, guarded, None), Err(NoStaticValue::Dynamic));
    }

    #[test]
    fn large_expressions_have_the_values_of_small_ones() {
        let mut exprs = Exprs::new();
        let (mut sum, one) = (x(&mut exprs), exprs.int(1));
        for expected in 8..8 + 100_000 {
            sum = exprs.binary(Binary::Add, sum, one);
            if expected % 9999 == 0 || expected < 200 {
                assert_eq!(value(&exprs, sum, Some(7)), Ok(expected));
            }
        }
    }

    #[test]
    fn residuals_have_the_values_of_what_they_come_from() {
        let mut exprs = Exprs::new();
        let (two, x) = (exprs.int(2), x(&mut exprs));
        let double = exprs.binary(Binary::Mul, two, x);
        let small = exprs.binary(Binary::Lt, double, x);
        let root = exprs.ite(small, two, double);
        for known in -3..=3 {
            let residual = rewrite(&mut exprs, root, &mut |exprs, expr, sort| match expr {
                Expr::Var(_) => constant(exprs, known, sort),
                _ => fold(exprs, expr, sort),
            });
            assert_eq!(exprs.constant(residual), value(&exprs, root, Some(known)).ok());
        }
    }
}
