//! Makes terms over integers: linear forms, comparisons, quotients, bits, machine words.
//!
//! A comparison becomes `form <= constant` or `form = constant`, where the form has no constant, a positive first factor
//! and no common divisor. Bounds decide it where they can; `x = 0` for `x >= 0` becomes `x <= 0`. Constants that
//! do not fit 128 bits are never computed: such a term stays as it is written.

use crate::term::{BitOp, Bounds, Sort, Sum, Term, TermId, Terms};

impl Terms {
    /// A term as a linear form.
    fn linear(&self, id: TermId) -> Sum {
        match self.get(id) {
            Term::Int(constant) => Sum { parts: Vec::new(), constant },
            Term::Sum(sum) => self.sum(sum).clone(),
            _ => Sum { parts: vec![(id, 1)], constant: 0 },
        }
    }

    /// A linear form as a term; `None` if a bound or factor does not fit.
    fn of_sum(&mut self, sum: Sum) -> TermId {
        match sum.parts[..] {
            [] => self.int(sum.constant),
            [(only, 1)] if sum.constant == 0 => only,
            _ => {
                let bounds = self.sum_bounds(&sum);
                let id = self.intern_sum(sum);
                self.intern(Term::Sum(id), Sort::Int, bounds)
            }
        }
    }

    fn sum_bounds(&self, sum: &Sum) -> Bounds {
        let mut bounds = (Some(sum.constant), Some(sum.constant));
        for &(part, factor) in &sum.parts {
            let (lo, hi) = scaled(self.bounds(part), factor);
            bounds = (added(bounds.0, lo), added(bounds.1, hi));
        }
        bounds
    }

    /// `Σ factor · term + constant`.
    pub fn weighted(&mut self, parts: &[(TermId, i128)], constant: i128) -> TermId {
        let forms: Vec<(Sum, i128)> = parts.iter().map(|&(part, factor)| (self.linear(part), factor)).collect();
        if let Some(sum) = combine(&forms, constant) {
            return self.of_sum(sum);
        }
        // Something does not fit: keep the parts as they are.
        let mut opaque: Vec<(TermId, i128)> = parts.to_vec();
        opaque.sort_unstable();
        let mut merged: Vec<(TermId, i128)> = Vec::new();
        for (part, factor) in opaque {
            match merged.last_mut() {
                Some((known, total)) if *known == part && total.checked_add(factor).is_some() => *total += factor,
                _ => merged.push((part, factor)),
            }
        }
        merged.retain(|&(_, factor)| factor != 0);
        self.of_sum(Sum { parts: merged, constant })
    }

    /// Sum.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.weighted(&[(a, 1), (b, 1)], 0)
    }

    /// Difference.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.weighted(&[(a, 1), (b, -1)], 0)
    }

    /// The negative.
    pub fn neg(&mut self, a: TermId) -> TermId {
        self.weighted(&[(a, -1)], 0)
    }

    /// Product.
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_int(a), self.as_int(b)) {
            (Some(0), _) | (_, Some(0)) => return self.int(0),
            (Some(x), Some(y)) => {
                if let Some(product) = x.checked_mul(y) {
                    return self.int(product);
                }
            }
            (Some(factor), None) => return self.weighted(&[(b, factor)], 0),
            (None, Some(factor)) => return self.weighted(&[(a, factor)], 0),
            (None, None) => {}
        }
        let bounds = product_bounds(self.bounds(a), self.bounds(b));
        self.intern(Term::Mul(a.min(b), a.max(b)), Sort::Int, bounds)
    }

    /// The quotient such that the remainder is not negative.
    pub fn div(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_int(a), self.as_int(b)) {
            (_, Some(1)) => return a,
            (Some(x), Some(y)) if y != 0 && !(x == i128::MIN && y == -1) => return self.int(x.div_euclid(y)),
            _ => {}
        }
        let bounds = match (self.bounds(a), self.as_int(b)) {
            ((lo, hi), Some(divisor)) if divisor > 0 => {
                (lo.map(|lo| lo.div_euclid(divisor)), hi.map(|hi| hi.div_euclid(divisor)))
            }
            _ => (None, None),
        };
        self.intern(Term::Div(a, b), Sort::Int, bounds)
    }

    /// The remainder, never negative.
    pub fn modulo(&mut self, a: TermId, b: TermId) -> TermId {
        let Some(divisor) = self.as_int(b).filter(|&divisor| divisor > 0) else {
            if let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b))
                && let Some(rest) = x.checked_rem_euclid(y)
            {
                return self.int(rest);
            }
            return self.intern(Term::Mod(a, b), Sort::Int, (None, None));
        };
        if let Some(rest) = self.within_one_turn(a, divisor) {
            return rest;
        }
        // Multiples of the divisor do not matter.
        let mut sum = self.linear(a);
        sum.parts.iter_mut().for_each(|(_, factor)| *factor = factor.rem_euclid(divisor));
        sum.parts.retain(|&(_, factor)| factor != 0);
        sum.constant = sum.constant.rem_euclid(divisor);
        let a = self.of_sum(sum);
        if let Some(rest) = self.within_one_turn(a, divisor) {
            return rest;
        }
        self.intern(Term::Mod(a, b), Sort::Int, (Some(0), Some(divisor - 1)))
    }

    /// The remainder of a value whose bounds leave only one quotient.
    fn within_one_turn(&mut self, a: TermId, divisor: i128) -> Option<TermId> {
        let (lo, hi) = self.bounds(a);
        let quotient = lo?.div_euclid(divisor);
        if quotient != hi?.div_euclid(divisor) {
            return None;
        }
        let shift = quotient.checked_mul(divisor)?.checked_neg()?;
        Some(self.weighted(&[(a, 1)], shift))
    }

    /// The quotient rounded towards zero.
    pub fn quotient(&mut self, a: TermId, b: TermId) -> TermId {
        if let (Some(lo), _) = self.bounds(a)
            && lo >= 0
        {
            return self.div(a, b);
        }
        // Euclidean division rounds so that the remainder is not negative; on negative dividends it is one off.
        let zero = self.int(0);
        let negative = self.lt(a, zero);
        let (minus_a, there) = (self.neg(a), self.div(a, b));
        let mirrored = self.div(minus_a, b);
        let mirrored = self.neg(mirrored);
        self.ite(negative, mirrored, there)
    }

    /// The remainder that goes with [`Self::quotient`]: it has the sign of the dividend.
    pub fn remainder(&mut self, a: TermId, b: TermId) -> TermId {
        if let (Some(lo), _) = self.bounds(a)
            && lo >= 0
        {
            return self.modulo(a, b);
        }
        let zero = self.int(0);
        let negative = self.lt(a, zero);
        let (minus_a, there) = (self.neg(a), self.modulo(a, b));
        let mirrored = self.modulo(minus_a, b);
        let mirrored = self.neg(mirrored);
        self.ite(negative, mirrored, there)
    }

    /// At most.
    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        let forms = [(self.linear(a), 1), (self.linear(b), -1)];
        match combine(&forms, 0) {
            Some(difference) => self.at_most(difference),
            None => {
                let difference = self.weighted(&[(a, 1), (b, -1)], 0);
                self.intern(Term::AtMost(difference, 0), Sort::Bool, (None, None))
            }
        }
    }

    /// Less.
    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let le = self.le(b, a);
        self.not(le)
    }

    /// `sum <= 0`.
    fn at_most(&mut self, sum: Sum) -> TermId {
        let Some(form) = Form::of(&sum) else {
            let whole = self.of_sum(sum);
            if let Some(value) = self.as_int(whole) {
                return self.bool(value <= 0);
            }
            return self.intern(Term::AtMost(whole, 0), Sort::Bool, (None, None));
        };
        let left = self.of_sum(Sum { parts: form.parts, constant: 0 });
        // `g·left + constant <= 0`, or with the sign turned `-g·left + constant <= 0`.
        if form.turned {
            // left >= constant / g
            let least = -((-form.constant).div_euclid(form.divisor));
            let Some(below) = least.checked_sub(1) else { return self.bool(true) };
            let not = self.compare(left, below);
            return self.not(not);
        }
        let most = (-form.constant).div_euclid(form.divisor);
        self.compare(left, most)
    }

    /// `left <= most` for a form without constant.
    fn compare(&mut self, left: TermId, most: i128) -> TermId {
        let (lo, hi) = self.bounds(left);
        if hi.is_some_and(|hi| hi <= most) {
            return self.bool(true);
        }
        if lo.is_some_and(|lo| lo > most) {
            return self.bool(false);
        }
        if let Some(lifted) = self.lifted(left, &mut |terms, branch| terms.compare_whole(branch, most)) {
            return lifted;
        }
        self.intern(Term::AtMost(left, most), Sort::Bool, (None, None))
    }

    fn compare_whole(&mut self, left: TermId, most: i128) -> TermId {
        let most = self.int(most);
        self.le(left, most)
    }

    /// A comparison of `if c then a else b` by its branches, if one of them decides it.
    fn lifted(&mut self, left: TermId, compare: &mut dyn FnMut(&mut Self, TermId) -> TermId) -> Option<TermId> {
        let (rest, factor, condition, a, b) = self.choice_in(left)?;
        let mut branch = |terms: &mut Self, value: TermId| {
            let mut parts = rest.clone();
            parts.push((value, factor));
            let whole = terms.weighted(&parts, 0);
            compare(terms, whole)
        };
        let (then, other) = (branch(self, a), branch(self, b));
        let decided = self.as_bool(then).is_some() || self.as_bool(other).is_some();
        decided.then(|| self.ite(condition, then, other))
    }

    /// The only choice among the parts of a form: the other parts, its factor, condition and branches.
    #[allow(clippy::type_complexity, reason = "used once, right above")]
    fn choice_in(&self, left: TermId) -> Option<(Vec<(TermId, i128)>, i128, TermId, TermId, TermId)> {
        let sum = self.linear(left);
        let mut choices =
            sum.parts.iter().enumerate().filter(|(_, (part, _))| matches!(self.get(*part), Term::Ite(..)));
        let (at, &(part, factor)) = choices.next()?;
        if choices.next().is_some() || sum.parts.len() > 8 {
            return None;
        }
        let Term::Ite(condition, a, b) = self.get(part) else { return None };
        let mut rest = sum.parts.clone();
        rest.remove(at);
        Some((rest, factor, condition, a, b))
    }

    pub(crate) fn int_eq(&mut self, a: TermId, b: TermId) -> TermId {
        let forms = [(self.linear(a), 1), (self.linear(b), -1)];
        let Some(difference) = combine(&forms, 0) else {
            let difference = self.weighted(&[(a, 1), (b, -1)], 0);
            return self.intern(Term::Equals(difference, 0), Sort::Bool, (None, None));
        };
        let Some(form) = Form::of(&difference) else {
            let whole = self.of_sum(difference);
            return match self.as_int(whole) {
                Some(value) => self.bool(value == 0),
                None => self.intern(Term::Equals(whole, 0), Sort::Bool, (None, None)),
            };
        };
        if form.constant.rem_euclid(form.divisor) != 0 {
            return self.bool(false);
        }
        let quotient = form.constant.div_euclid(form.divisor);
        let value = if form.turned { quotient } else { -quotient };
        let left = self.of_sum(Sum { parts: form.parts, constant: 0 });
        self.exactly(left, value)
    }

    /// `left = value` for a form without constant.
    fn exactly(&mut self, left: TermId, value: i128) -> TermId {
        let (lo, hi) = self.bounds(left);
        if lo.is_some_and(|lo| lo > value) || hi.is_some_and(|hi| hi < value) {
            return self.bool(false);
        }
        if lo == Some(value) {
            return self.compare(left, value);
        }
        if hi == Some(value)
            && let Some(below) = value.checked_sub(1)
        {
            let not = self.compare(left, below);
            return self.not(not);
        }
        let lifted = self.lifted(left, &mut |terms, branch| {
            let value = terms.int(value);
            terms.int_eq(branch, value)
        });
        lifted.unwrap_or_else(|| self.intern(Term::Equals(left, value), Sort::Bool, (None, None)))
    }

    /// An operator on the bits of two integers, within the smallest width that holds both; `None` if their bounds are not
    /// known to fit 63 bits, or for a shift whose distance or result may not.
    pub fn bits(&mut self, op: BitOp, a: TermId, b: TermId) -> Option<TermId> {
        let (x, y) = (self.bounds(a), self.bounds(b));
        let width_of = |bounds: Bounds| {
            let (lo, hi) = (bounds.0?, bounds.1?);
            (1..=63).find(|&width| -(1i128 << (width - 1)) <= lo && hi < 1i128 << (width - 1))
        };
        let mut width = width_of(x)?.max(width_of(y)?);
        if matches!(op, BitOp::Shl | BitOp::Shr) {
            let (least, most) = (y.0?, y.1?);
            if least < 0 || most > 62 {
                return None;
            }
            // Room for every bit that is shifted out, and for the distance itself.
            width = width.max(7) + if op == BitOp::Shl { u32::try_from(most).ok()? } else { 0 };
            if width > 63 {
                return None;
            }
        }
        if let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b)) {
            return Some(self.int(apply_bits(op, x, y)));
        }
        if let Some(linear) = self.bits_by_arithmetic(op, a, b) {
            return Some(linear);
        }
        let half = 1i128 << (width - 1);
        let lo = if x.0 >= Some(0) && y.0 >= Some(0) { 0 } else { -half };
        Some(self.intern(Term::Bits(op, width, a, b), Sort::Int, (Some(lo), Some(half - 1))))
    }

    /// Masks of lowest bits and shifts by a constant as remainders, products and quotients: integers and vectors of bits in one question are hard for solvers.
    fn bits_by_arithmetic(&mut self, op: BitOp, a: TermId, b: TermId) -> Option<TermId> {
        let power =
            |exponent: i128| u32::try_from(exponent).ok().filter(|&exponent| exponent <= 62).map(|e| 1i128 << e);
        match op {
            BitOp::And => {
                let is_mask = |mask: i128| mask >= 0 && (mask + 1).count_ones() == 1;
                let (value, mask) = match (self.as_int(a), self.as_int(b)) {
                    (_, Some(mask)) if is_mask(mask) => (a, mask),
                    (Some(mask), _) if is_mask(mask) => (b, mask),
                    _ => return None,
                };
                let size = self.int(mask + 1);
                Some(self.modulo(value, size))
            }
            BitOp::Shl => {
                let factor = power(self.as_int(b)?)?;
                Some(self.weighted(&[(a, factor)], 0))
            }
            BitOp::Shr => {
                let divisor = power(self.as_int(b)?)?;
                let divisor = self.int(divisor);
                Some(self.div(a, divisor))
            }
            _ => None,
        }
    }

    /// What remains of an integer in a machine word of this many bits. Few wraps become a choice of differences, so that
    /// linear reasoning is enough.
    pub fn wrap(&mut self, bits: u32, signed: bool, a: TermId) -> TermId {
        const MOST_TURNS: i128 = 4;
        let size = 1i128 << bits;
        let low = if signed { -(size >> 1) } else { 0 };
        if let (Some(lo), Some(hi)) = self.bounds(a)
            && let (Some(first), Some(last)) = (lo.checked_sub(low), hi.checked_sub(low))
        {
            let (first, last) = (first.div_euclid(size), last.div_euclid(size));
            if last - first <= MOST_TURNS {
                let mut value = self.weighted(&[(a, 1)], -last * size);
                for turn in (first..last).rev() {
                    let end = self.int(low + (turn + 1) * size);
                    let before = self.lt(a, end);
                    let here = self.weighted(&[(a, 1)], -turn * size);
                    value = self.ite(before, here, value);
                }
                return self.narrowed(value, (low, low + size - 1));
            }
        }
        let moved = self.weighted(&[(a, 1)], -low);
        let size = self.int(size);
        let rest = self.modulo(moved, size);
        self.weighted(&[(rest, 1)], low)
    }

    /// Bounds that hold of a choice although those of its branches are wider.
    fn narrowed(&mut self, value: TermId, (lo, hi): (i128, i128)) -> TermId {
        if let Term::Ite(..) = self.get(value) {
            let (known_lo, known_hi) = self.bounds(value);
            self.set_bounds(
                value,
                (Some(known_lo.map_or(lo, |known| known.max(lo))), Some(known_hi.map_or(hi, |known| known.min(hi)))),
            );
        }
        value
    }
}

/// A linear form divided by what its factors have in common, the first factor made positive.
struct Form {
    parts: Vec<(TermId, i128)>,
    constant: i128,
    divisor: i128,
    turned: bool,
}

impl Form {
    /// `None` if there is no part, or a sign cannot be turned.
    fn of(sum: &Sum) -> Option<Self> {
        let (_, first) = *sum.parts.first()?;
        let turned = first < 0;
        let mut divisor: i128 = 0;
        for &(_, factor) in &sum.parts {
            divisor = gcd(divisor, factor.checked_abs()?);
        }
        let sign = if turned { -1 } else { 1 };
        let parts = sum.parts.iter().map(|&(part, factor)| (part, factor / divisor * sign)).collect();
        sum.constant.checked_neg()?;
        Some(Self { parts, constant: sum.constant, divisor, turned })
    }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Adds linear forms; `None` if a factor does not fit.
fn combine(forms: &[(Sum, i128)], constant: i128) -> Option<Sum> {
    let mut parts: Vec<(TermId, i128)> = Vec::new();
    let mut total = constant;
    for (form, factor) in forms {
        total = total.checked_add(form.constant.checked_mul(*factor)?)?;
        for &(part, weight) in &form.parts {
            parts.push((part, weight.checked_mul(*factor)?));
        }
    }
    parts.sort_unstable_by_key(|&(part, _)| part);
    let mut merged: Vec<(TermId, i128)> = Vec::with_capacity(parts.len());
    for (part, factor) in parts {
        match merged.last_mut() {
            Some((known, sum)) if *known == part => *sum = sum.checked_add(factor)?,
            _ => merged.push((part, factor)),
        }
    }
    merged.retain(|&(_, factor)| factor != 0);
    Some(Sum { parts: merged, constant: total })
}

fn added(a: Option<i128>, b: Option<i128>) -> Option<i128> {
    a?.checked_add(b?)
}

fn scaled((lo, hi): Bounds, factor: i128) -> Bounds {
    let by = |bound: Option<i128>| bound.and_then(|bound| bound.checked_mul(factor));
    if factor < 0 { (by(hi), by(lo)) } else { (by(lo), by(hi)) }
}

fn product_bounds(a: Bounds, b: Bounds) -> Bounds {
    let corners = || -> Option<[i128; 4]> {
        let (a, b) = ((a.0?, a.1?), (b.0?, b.1?));
        Some([a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?])
    };
    match corners() {
        Some(corners) => (corners.iter().min().copied(), corners.iter().max().copied()),
        None if a.0 >= Some(0) && b.0 >= Some(0) => (Some(0), None),
        None => (None, None),
    }
}

/// The value of a bit operator; a shift by a negative or very large distance has none that matters.
#[must_use]
pub fn apply_bits(op: BitOp, a: i128, b: i128) -> i128 {
    let distance = u32::try_from(b).unwrap_or(u32::MAX);
    match op {
        BitOp::And => a & b,
        BitOp::Or => a | b,
        BitOp::Xor => a ^ b,
        BitOp::Shl => a.checked_shl(distance).unwrap_or(0),
        BitOp::Shr => a.checked_shr(distance).unwrap_or(if a < 0 { -1 } else { 0 }),
    }
}
