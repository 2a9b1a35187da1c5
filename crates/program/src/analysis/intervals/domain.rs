//! What is an interval of integers, and what do operators make of intervals?
//!
//! Every operation returns at least the values that the operator has on values of its operands, computed in 128 bits; a bound
//! that does not fit them is dropped. Operands on which an operator has no value (division by zero) add nothing.

use crate::expr::{Binary, Unary};
use crate::graph::Program;
use crate::types::{Type, Width};

/// The integers from `lo` to `hi`, both among them; `None` where there is no such bound. Never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    /// Smallest value.
    pub lo: Option<i128>,
    /// Largest value.
    pub hi: Option<i128>,
}

impl Interval {
    /// All integers.
    pub const ALL: Self = Self { lo: None, hi: None };
    /// Truth values.
    pub const TRUTH: Self = Self { lo: Some(0), hi: Some(1) };

    /// One value.
    #[must_use]
    pub fn exactly(value: impl Into<i128>) -> Self {
        let value = value.into();
        Self::between(value, value)
    }

    /// The integers from `lo` to `hi`, which is not smaller.
    #[must_use]
    pub const fn between(lo: i128, hi: i128) -> Self {
        Self { lo: Some(lo), hi: Some(hi) }
    }

    /// The integers from `lo` on.
    #[must_use]
    pub const fn at_least(lo: i128) -> Self {
        Self { lo: Some(lo), hi: None }
    }

    /// The values of a type.
    #[must_use]
    pub fn of_type(program: &Program, ty: Type) -> Self {
        let (lo, hi) = program.bounds(ty);
        Self { lo: lo.map(i128::from), hi: hi.map(i128::from) }
    }

    /// The values of a machine word.
    #[must_use]
    pub fn of_width(width: Width) -> Self {
        Self::between(i128::from(width.lowest()), i128::from(width.highest()))
    }

    /// The bounds as values of programs; a bound that is none of these is no bound.
    #[must_use]
    pub fn bounds(self) -> (Option<i64>, Option<i64>) {
        let number = |bound: Option<i128>| bound.and_then(|bound| i64::try_from(bound).ok());
        (number(self.lo), number(self.hi))
    }

    /// The only value, if there is one only.
    #[must_use]
    pub fn value(self) -> Option<i128> {
        self.lo.filter(|_| self.lo == self.hi)
    }

    /// Whether a value lies within.
    #[must_use]
    pub fn contains(self, value: impl Into<i128>) -> bool {
        Self::exactly(value).is_within(self)
    }

    /// Whether all values are values of another interval.
    #[must_use]
    pub fn is_within(self, other: Self) -> bool {
        other.lo.is_none_or(|bound| self.lo.is_some_and(|lo| bound <= lo))
            && other.hi.is_none_or(|bound| self.hi.is_some_and(|hi| hi <= bound))
    }

    /// The smallest interval that holds both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self { lo: self.lo.zip(other.lo).map(|(a, b)| a.min(b)), hi: self.hi.zip(other.hi).map(|(a, b)| a.max(b)) }
    }

    /// The values of both; nothing if there are none.
    #[must_use]
    pub fn meet(self, other: Self) -> Option<Self> {
        let lo = self.lo.max(other.lo);
        let hi = match (self.hi, other.hi) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let empty = matches!((lo, hi), (Some(lo), Some(hi)) if lo > hi);
        (!empty).then_some(Self { lo, hi })
    }

    /// What remains of the values in a machine word.
    #[must_use]
    pub fn wrapped(self, width: Width) -> Self {
        let word = Self::of_width(width);
        let turned = || {
            let (lowest, size) = (word.lo?, 1i128 << width.bits);
            let turn = self.lo?.checked_sub(lowest)?.div_euclid(size);
            let here = self.hi?.checked_sub(lowest)?.div_euclid(size) == turn;
            let start = turn.checked_mul(size)?;
            here.then(|| self.sub(Self::exactly(start)))
        };
        turned().unwrap_or(word)
    }

    /// The values of an operator with one operand.
    #[must_use]
    pub fn unary(op: Unary, a: Self) -> Self {
        match op {
            Unary::Not => Self::TRUTH,
            Unary::Negate => a.negated(),
            Unary::Complement => a.negated().sub(Self::exactly(1)),
        }
    }

    /// The values of an operator with two operands.
    #[must_use]
    pub fn binary(op: Binary, a: Self, b: Self) -> Self {
        match op {
            Binary::Add => a.add(b),
            Binary::Sub => a.sub(b),
            Binary::Mul => a.mul(b),
            Binary::Div => a.by_parts(b, i128::div_euclid, -1),
            Binary::Quotient => a.by_parts(b, |a, b| a / b, 0),
            Binary::Mod => b.remainders(),
            Binary::Remainder => a.remainder(b),
            Binary::BitAnd => a.bit_and(b),
            Binary::BitOr | Binary::BitXor => a.bits(b),
            Binary::Shl => a.shifted_left(b),
            Binary::Shr => a.shifted_right(b),
            _ => Self::TRUTH,
        }
    }

    fn add(self, other: Self) -> Self {
        let sum = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Self { lo: sum(self.lo, other.lo), hi: sum(self.hi, other.hi) }
    }

    fn sub(self, other: Self) -> Self {
        self.add(other.negated())
    }

    fn negated(self) -> Self {
        let minus = |bound: Option<i128>| bound?.checked_neg();
        Self { lo: minus(self.hi), hi: minus(self.lo) }
    }

    fn is_natural(self) -> bool {
        self.lo >= Some(0)
    }

    /// The hull of a function's values at the ends of both operands, for functions that are largest and smallest there.
    fn corners(self, other: Self, value: impl Fn(i128, i128) -> Option<i128>) -> Option<Self> {
        let mut hull: Option<Self> = None;
        for a in [self.lo?, self.hi?] {
            for b in [other.lo?, other.hi?] {
                let corner = Self::exactly(value(a, b)?);
                hull = Some(hull.map_or(corner, |hull| hull.join(corner)));
            }
        }
        hull
    }

    fn mul(self, other: Self) -> Self {
        let natural = || {
            let least = self.lo?.checked_mul(other.lo?)?;
            (self.is_natural() && other.is_natural()).then_some(Self::at_least(least))
        };
        self.corners(other, i128::checked_mul).or_else(natural).unwrap_or(Self::ALL)
    }

    /// Quotients by positive and by negative divisors; `limit` is what those of negative numbers by ever larger ones tend to.
    fn by_parts(self, divisor: Self, quotient: fn(i128, i128) -> i128, limit: i128) -> Self {
        let positive = divisor.meet(Self::at_least(1)).map(|divisor| self.divided(divisor, quotient, limit));
        let negative = divisor.negated().meet(Self::at_least(1));
        let negative = negative.map(|divisor| self.divided(divisor, quotient, limit).negated());
        match (positive, negative) {
            (Some(a), Some(b)) => a.join(b),
            (a, b) => a.or(b).unwrap_or(Self::ALL),
        }
    }

    /// Quotients by positive divisors: at a divisor they grow with the dividend, and they come closer to zero with the divisor.
    fn divided(self, divisor: Self, quotient: fn(i128, i128) -> i128, limit: i128) -> Self {
        let least = divisor.lo.unwrap_or(1);
        let far = |bound: i128| match divisor.hi {
            Some(most) => quotient(bound, most),
            None if bound < 0 => limit,
            None => 0,
        };
        let lo = self.lo.map(|lo| quotient(lo, least).min(far(lo)));
        let hi = self.hi.map(|hi| quotient(hi, least).max(far(hi)));
        Self { lo, hi }
    }

    /// Remainders that are never negative, whatever is divided. Bounds of the dividend are not looked at: they grow step by step
    /// where a counter is taken modulo, and a bound that is widened on the way may never come back.
    fn remainders(self) -> Self {
        let most = |bound: Option<i128>| bound?.checked_abs()?.checked_sub(1);
        let largest = most(self.lo).zip(most(self.hi)).map(|(a, b)| a.max(b));
        Self { lo: Some(0), hi: largest.map(|largest| largest.max(0)) }
    }

    /// Remainders with the sign of the dividend.
    fn remainder(self, divisor: Self) -> Self {
        let rest = divisor.remainders();
        let (natural, negative) = (self.is_natural(), self.hi.is_some_and(|hi| hi <= 0));
        match (natural, negative) {
            (true, _) => rest,
            (_, true) => rest.negated(),
            _ => rest.join(rest.negated()),
        }
    }

    fn bit_and(self, other: Self) -> Self {
        let hi = match (self.is_natural(), other.is_natural()) {
            (true, true) => self.hi.into_iter().chain(other.hi).min(),
            (true, false) => self.hi,
            (false, true) => other.hi,
            (false, false) => return self.bits(other),
        };
        Self { lo: Some(0), hi }
    }

    /// Whatever has as many bits as the operands.
    fn bits(self, other: Self) -> Self {
        let both = self.join(other);
        let lo = both.is_natural().then_some(0);
        let (Some(least), Some(most)) = (both.lo, both.hi) else { return Self { lo, hi: None } };
        let width = 128 - most.max(!least).max(0).leading_zeros();
        let size = 1i128.checked_shl(width).filter(|&size| size > 0);
        Self { lo: lo.or(size.map(|size| -size)), hi: size.map(|size| size - 1) }
    }

    fn shifted_left(self, by: Self) -> Self {
        if self.value() == Some(0) {
            return self;
        }
        let distance = by.meet(Self::between(0, 62)).unwrap_or(Self::exactly(0));
        self.corners(distance, |a, b| a.checked_mul(1 << b)).unwrap_or(Self::ALL)
    }

    fn shifted_right(self, by: Self) -> Self {
        let (least, most) = (by.lo.unwrap_or(0).clamp(0, 127), by.hi.unwrap_or(127).clamp(0, 127));
        Self {
            lo: self.lo.map(|lo| (lo >> least).min(lo >> most)),
            hi: self.hi.map(|hi| (hi >> least).max(hi >> most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{apply_binary, apply_unary};

    const OPERATORS: [Binary; 21] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Mod,
        Binary::Quotient,
        Binary::Remainder,
        Binary::Eq,
        Binary::Ne,
        Binary::Lt,
        Binary::Le,
        Binary::Gt,
        Binary::Ge,
        Binary::And,
        Binary::Or,
        Binary::Implies,
        Binary::BitAnd,
        Binary::BitOr,
        Binary::BitXor,
        Binary::Shl,
        Binary::Shr,
    ];

    /// Intervals with ends in a small range, some of them open.
    fn intervals() -> Vec<Interval> {
        let mut all = vec![Interval::ALL];
        for lo in -6..=6i128 {
            all.push(Interval::at_least(lo));
            all.push(Interval { lo: None, hi: Some(lo) });
            all.extend((lo..=6).map(|hi| Interval::between(lo, hi)));
        }
        all
    }

    /// Values of an interval, beyond its ends where it has none.
    fn values(interval: Interval) -> Vec<i64> {
        let far = [i64::MIN, -70, 70, i64::MAX];
        (-9..=9).chain(far).filter(|&value| interval.contains(value)).collect()
    }

    #[test]
    fn operators_have_no_values_outside_their_intervals() {
        let all = intervals();
        for op in OPERATORS {
            for &a in &all {
                for &b in &all {
                    let found = Interval::binary(op, a, b);
                    for (x, y) in values(a).into_iter().flat_map(|x| values(b).into_iter().map(move |y| (x, y))) {
                        if let Ok(value) = apply_binary(op, x, y) {
                            assert!(found.contains(value), "{x} {op:?} {y} = {value}: {a:?} {b:?} {found:?}");
                        }
                    }
                }
            }
        }
        for op in [Unary::Not, Unary::Negate, Unary::Complement] {
            for a in intervals() {
                for value in values(a).into_iter().filter_map(|x| apply_unary(op, x).ok()) {
                    assert!(Interval::unary(op, a).contains(value), "{op:?} {a:?}");
                }
            }
        }
    }

    #[test]
    fn words_keep_what_fits_and_turn_what_lies_in_one_turn() {
        for (bits, signed) in [(1, false), (3, false), (3, true), (8, true)] {
            let width = Width { bits, signed };
            for a in intervals() {
                for x in values(a) {
                    assert!(a.wrapped(width).contains(width.wrap(x)), "{x} {width:?} {a:?}");
                }
                if a.is_within(Interval::of_width(width)) {
                    assert_eq!(a.wrapped(width), a);
                }
            }
        }
        let byte = Width { bits: 8, signed: false };
        assert_eq!(Interval::between(256, 258).wrapped(byte), Interval::between(0, 2));
        assert_eq!(Interval::between(255, 256).wrapped(byte), Interval::of_width(byte));
    }

    #[test]
    fn bounds_that_do_not_fit_are_dropped() {
        let most = Interval::between(i128::MIN, i128::MAX);
        for op in OPERATORS {
            for other in [most, Interval::exactly(-1), Interval::exactly(1), Interval::between(0, 200)] {
                assert!(Interval::binary(op, most, other).contains(0), "{op:?}");
            }
        }
        assert_eq!(Interval::binary(Binary::Add, most, Interval::exactly(1)).hi, None);
    }
}
