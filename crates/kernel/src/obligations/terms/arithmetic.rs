//! Comparisons, sums, products and remainders, with the bounds of their values.

use super::{Bounds, Sort, TermId, Terms};

impl Terms {
    /// At most.
    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        let ((least, most), (low, high)) = (self.bounds(a), self.bounds(b));
        if a == b || matches!((most, low), (Some(most), Some(low)) if most <= low) {
            return self.truth(true);
        }
        if matches!((least, high), (Some(least), Some(high)) if least > high) {
            return self.truth(false);
        }
        self.op("<=", &[a, b], Sort::Bool, (None, None))
    }

    /// Less.
    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let more = self.le(b, a);
        self.not(more)
    }

    /// Sum.
    pub fn sum(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_number(a), self.as_number(b)) {
            (Some(0), _) => return b,
            (_, Some(0)) => return a,
            (Some(x), Some(y)) if x.checked_add(y).is_some() => return self.number(x + y),
            _ => {}
        }
        let ((a0, a1), (b0, b1)) = (self.bounds(a), self.bounds(b));
        let both = |x: Option<i128>, y: Option<i128>| x?.checked_add(y?);
        self.op("+", &[a, b], Sort::Int, (both(a0, b0), both(a1, b1)))
    }

    /// The number with the other sign.
    pub fn negative(&mut self, a: TermId) -> TermId {
        if let Some(value) = self.as_number(a).and_then(i128::checked_neg) {
            return self.number(value);
        }
        let (lo, hi) = self.bounds(a);
        let turned = |value: Option<i128>| value?.checked_neg();
        self.op("-", &[a], Sort::Int, (turned(hi), turned(lo)))
    }

    /// Difference.
    pub fn difference(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_number(a), self.as_number(b)) {
            (_, Some(0)) => return a,
            (Some(x), Some(y)) if x.checked_sub(y).is_some() => return self.number(x - y),
            _ => {}
        }
        let ((a0, a1), (b0, b1)) = (self.bounds(a), self.bounds(b));
        let both = |x: Option<i128>, y: Option<i128>| x?.checked_sub(y?);
        self.op("-", &[a, b], Sort::Int, (both(a0, b1), both(a1, b0)))
    }

    /// Product.
    pub fn product(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_number(a), self.as_number(b)) {
            (Some(1), _) => return b,
            (_, Some(1)) => return a,
            (Some(x), Some(y)) if x.checked_mul(y).is_some() => return self.number(x * y),
            _ => {}
        }
        let ((a0, a1), (b0, b1)) = (self.bounds(a), self.bounds(b));
        let corners = || -> Option<[i128; 4]> {
            let (a0, a1, b0, b1) = (a0?, a1?, b0?, b1?);
            Some([a0.checked_mul(b0)?, a0.checked_mul(b1)?, a1.checked_mul(b0)?, a1.checked_mul(b1)?])
        };
        let bounds = corners().map_or((None, None), |all| (all.iter().copied().min(), all.iter().copied().max()));
        self.op("*", &[a, b], Sort::Int, bounds)
    }

    /// Quotient whose remainder is not negative, as SMT-LIB has it.
    pub fn div(&mut self, a: TermId, b: TermId) -> TermId {
        if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b))
            && let Some(value) = x.checked_div_euclid(y)
        {
            return self.number(value);
        }
        self.op("div", &[a, b], Sort::Int, (None, None))
    }

    /// The remainder that is not negative.
    pub fn modulo(&mut self, a: TermId, b: TermId) -> TermId {
        let divisor = self.as_number(b);
        if let (Some(x), Some(y)) = (self.as_number(a), divisor)
            && let Some(value) = x.checked_rem_euclid(y)
        {
            return self.number(value);
        }
        let most = divisor.filter(|&divisor| divisor > 0).map(|divisor| divisor - 1);
        self.op("mod", &[a, b], Sort::Int, (most.map(|_| 0), most))
    }
}

pub(super) fn below(a: Bounds, b: Bounds) -> bool {
    matches!((a.1, b.0), (Some(most), Some(least)) if most < least)
}
