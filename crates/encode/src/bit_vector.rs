//! Bit vectors: integers whose bits are sets, one number per state.
//!
//! Arithmetic is that of circuits (ripple-carry addition, shift-and-add multiplication, comparison from the lowest bit up), each wire a
//! decision diagram. Two's complement, the lowest bit first, as many bits as the value needs, so that nothing overflows. Operations on numbers
//! of more than [`WIDEST`] bits are refused: the definition of a step has 64.

use std::sync::Arc;

use tertium_base::Stopped;
use tertium_base::narrow::to_u32;
use tertium_dd::{Diagrams, Set};

use crate::EncodingError;

/// Numbers have at most this many bits, the sign included.
const WIDEST: usize = 63;

/// A number in every state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BitVector {
    /// The lowest bit first; the last is the sign. Never empty.
    bits: Arc<[Set]>,
}

impl BitVector {
    fn new(mut bits: Vec<Set>) -> Result<Self, EncodingError> {
        while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
            bits.pop();
        }
        if bits.len() > WIDEST {
            return Err(EncodingError::unfit("a value may need more than 63 bits"));
        }
        Ok(Self { bits: bits.into() })
    }

    /// The same number everywhere.
    pub fn constant(diagrams: &Diagrams, value: i64) -> Self {
        let needed = 65 - if value < 0 { value.leading_ones() } else { value.leading_zeros() } as usize;
        Self { bits: (0..needed).map(|bit| diagrams.constant(value >> bit.min(63) & 1 == 1)).collect() }
    }

    /// Its value, if it is the same everywhere.
    pub fn known(&self) -> Option<i64> {
        let mut value = if self.sign().is_full() { -1 } else { 0 };
        for (at, bit) in self.bits.iter().enumerate() {
            match (bit.is_empty(), bit.is_full()) {
                (true, _) => value &= !(1 << at),
                (_, true) => value |= 1 << at,
                _ => return None,
            }
        }
        Some(value)
    }

    /// A number that is not negative, by its bits.
    pub fn unsigned(diagrams: &Diagrams, mut bits: Vec<Set>) -> Result<Self, EncodingError> {
        bits.push(diagrams.empty());
        Self::new(bits)
    }

    /// A number by its bits, the lowest first, the last the sign.
    pub fn signed(bits: Vec<Set>) -> Result<Self, EncodingError> {
        Self::new(bits)
    }

    /// How many bits it has, the sign included.
    pub fn width(&self) -> usize {
        self.bits.len()
    }

    /// A bit, beyond the last one the sign.
    pub fn bit(&self, at: usize) -> &Set {
        &self.bits[at.min(self.bits.len() - 1)]
    }

    fn sign(&self) -> &Set {
        self.bit(usize::MAX)
    }

    pub fn add(&self, other: &Self, carry: &Set) -> Result<Self, EncodingError> {
        let width = self.bits.len().max(other.bits.len()) + 1;
        let (mut bits, mut carry) = (Vec::new(), carry.clone());
        for at in 0..width {
            let (a, b) = (self.bit(at), other.bit(at));
            let odd = a.iff(b)?.not();
            bits.push(odd.iff(&carry)?.not());
            carry = odd.ite(&carry, a)?;
        }
        Self::new(bits)
    }

    fn inverted(&self) -> Self {
        Self { bits: self.bits.iter().map(Set::not).collect() }
    }

    /// All bits flipped: `-x - 1`.
    pub fn complement(&self) -> Self {
        self.inverted()
    }

    pub fn sub(&self, other: &Self, diagrams: &Diagrams) -> Result<Self, EncodingError> {
        self.add(&other.inverted(), &diagrams.full())
    }

    pub fn negate(&self, diagrams: &Diagrams) -> Result<Self, EncodingError> {
        Self::constant(diagrams, 0).sub(self, diagrams)
    }

    pub fn mul(&self, other: &Self, diagrams: &Diagrams) -> Result<Self, EncodingError> {
        if self.bits.len() + other.bits.len() > WIDEST + 1 {
            return Err(EncodingError::unfit("a product may need more than 63 bits"));
        }
        let mut sum = Self::constant(diagrams, 0);
        for (at, bit) in other.bits.iter().enumerate() {
            let mut shifted = vec![diagrams.empty(); at];
            for own in self.bits.iter() {
                shifted.push(own.and(bit)?);
            }
            let shifted = Self::new(shifted)?;
            // The sign bit counts negatively.
            sum = if at + 1 == other.bits.len() {
                sum.sub(&shifted, diagrams)?
            } else {
                sum.add(&shifted, &diagrams.empty())?
            };
        }
        Ok(sum)
    }

    /// `yes` where the condition holds, else `no`.
    pub fn ite(condition: &Set, yes: &Self, no: &Self) -> Result<Self, EncodingError> {
        let width = yes.bits.len().max(no.bits.len());
        let bits: Result<Vec<Set>, Stopped> = (0..width).map(|at| condition.ite(yes.bit(at), no.bit(at))).collect();
        Self::new(bits?)
    }

    /// Where two numbers are equal.
    pub fn equals(&self, other: &Self, diagrams: &Diagrams) -> Result<Set, EncodingError> {
        let width = self.bits.len().max(other.bits.len());
        let mut all = diagrams.full();
        for at in (0..width).rev() {
            all = all.and(&self.bit(at).iff(other.bit(at))?)?;
        }
        Ok(all)
    }

    /// Where this number is less.
    pub fn less(&self, other: &Self, diagrams: &Diagrams) -> Result<Set, EncodingError> {
        let width = self.bits.len().max(other.bits.len());
        let mut less = diagrams.empty();
        for at in 0..width {
            let (mut a, mut b) = (self.bit(at), other.bit(at));
            if at + 1 == width {
                (a, b) = (b, a);
            }
            // The higher bit decides, unless it is the same in both.
            less = a.iff(b)?.ite(&less, b)?;
        }
        Ok(less)
    }

    fn magnitude(&self, diagrams: &Diagrams) -> Result<Self, EncodingError> {
        Self::ite(self.sign(), &self.negate(diagrams)?, self)
    }

    /// Quotient rounded towards zero and the remainder that goes with it; anything where the divisor is 0.
    pub fn divide(&self, by: &Self, diagrams: &Diagrams) -> Result<(Self, Self), EncodingError> {
        let (a, b) = (self.magnitude(diagrams)?, by.magnitude(diagrams)?);
        let mut rest = Self::constant(diagrams, 0);
        let mut quotient = vec![diagrams.empty(); a.bits.len()];
        for at in (0..a.bits.len()).rev() {
            let mut shifted = vec![a.bits[at].clone()];
            shifted.extend(rest.bits.iter().cloned());
            let shifted = Self::new(shifted)?;
            let fits = shifted.less(&b, diagrams)?.not();
            rest = Self::ite(&fits, &shifted.sub(&b, diagrams)?, &shifted)?;
            quotient[at] = fits;
        }
        let quotient = Self::unsigned(diagrams, quotient)?;
        let differ = self.sign().iff(by.sign())?.not();
        let quotient = Self::ite(&differ, &quotient.negate(diagrams)?, &quotient)?;
        let rest = Self::ite(self.sign(), &rest.negate(diagrams)?, &rest)?;
        Ok((quotient, rest))
    }

    /// Quotient and remainder such that the remainder is never negative.
    pub fn divide_euclidean(&self, by: &Self, diagrams: &Diagrams) -> Result<(Self, Self), EncodingError> {
        let (quotient, rest) = self.divide(by, diagrams)?;
        let one = Self::constant(diagrams, 1);
        let negative = rest.sign().clone();
        let lifted = rest.add(&by.magnitude(diagrams)?, &diagrams.empty())?;
        let up = quotient.add(&one, &diagrams.empty())?;
        let down = quotient.sub(&one, diagrams)?;
        let moved = Self::ite(by.sign(), &up, &down)?;
        Ok((Self::ite(&negative, &moved, &quotient)?, Self::ite(&negative, &lifted, &rest)?))
    }

    /// Bit by bit.
    pub fn bitwise(
        &self,
        other: &Self,
        map: impl Fn(&Set, &Set) -> Result<Set, Stopped>,
    ) -> Result<Self, EncodingError> {
        let width = self.bits.len().max(other.bits.len());
        let bits: Result<Vec<Set>, Stopped> = (0..width).map(|at| map(self.bit(at), other.bit(at))).collect();
        Self::new(bits?)
    }

    /// The number times, or divided by, a power of two; the exponent must not be negative anywhere.
    pub fn shifted(&self, by: &Self, left: bool, diagrams: &Diagrams) -> Result<Self, EncodingError> {
        if !by.sign().is_empty() {
            return Err(EncodingError::unfit("a number may be shifted by a negative number of bits"));
        }
        let mut value = self.clone();
        for (at, bit) in by.bits.iter().enumerate().take(by.bits.len() - 1) {
            let places = 1usize.checked_shl(to_u32(at)).unwrap_or(usize::MAX).min(WIDEST);
            let moved = if left {
                let mut bits = vec![diagrams.empty(); places];
                bits.extend(value.bits.iter().cloned());
                Self::new(bits)?
            } else {
                let bits = value.bits.len();
                Self::new(value.bits[places.min(bits - 1)..].to_vec())?
            };
            value = Self::ite(bit, &moved, &value)?;
        }
        Ok(value)
    }

    /// What remains in a machine word.
    pub fn wrapped(&self, bits: usize, signed: bool, diagrams: &Diagrams) -> Result<Self, EncodingError> {
        let mut kept: Vec<Set> = (0..bits).map(|at| self.bit(at).clone()).collect();
        if !signed {
            kept.push(diagrams.empty());
        }
        Self::new(kept)
    }

    /// Where the number lies in `lo..=hi`.
    pub fn within(&self, lo: i64, hi: i64, diagrams: &Diagrams) -> Result<Set, EncodingError> {
        let below = self.less(&Self::constant(diagrams, lo), diagrams)?;
        let above = Self::constant(diagrams, hi).less(self, diagrams)?;
        Ok(below.or(&above)?.not())
    }
}

#[cfg(test)]
mod tests {
    use tertium_base::Budget;
    use tertium_dd::{Bit, Limits};

    use super::*;

    /// All pairs of numbers from -8 to 7, as two numbers over eight bits.
    fn pairs() -> (Diagrams, BitVector, BitVector) {
        let limits = Limits::new(1 << 16, 1 << 12);
        let diagrams = Diagrams::new(8, limits, &Budget::unlimited()).expect("room");
        let number = |first: usize| {
            let bits = (0..4).map(|at| diagrams.bit(Bit::new(first + 2 * at)).expect("room")).collect();
            BitVector::signed(bits).expect("few bits")
        };
        let (a, b) = (number(0), number(1));
        (diagrams, a, b)
    }

    fn rows() -> impl Iterator<Item = (i64, i64)> {
        (-8..8).flat_map(|a| (-8..8).map(move |b| (a, b)))
    }

    fn holds(set: &Set, a: i64, b: i64) -> bool {
        set.contains(|bit| (if bit.index().is_multiple_of(2) { a } else { b }) >> (bit.index() / 2) & 1 == 1)
    }

    fn value(number: &BitVector, a: i64, b: i64) -> i64 {
        let bit = |at: usize| i64::from(holds(number.bit(at), a, b));
        let width = number.bits.len();
        (0..width - 1).map(|at| bit(at) << at).sum::<i64>() - (bit(width - 1) << (width - 1))
    }

    #[test]
    fn arithmetic_is_that_of_integers() {
        let (diagrams, x, y) = pairs();
        let d = &diagrams;
        let made = |number: Result<BitVector, EncodingError>| number.unwrap_or_else(|_| panic!("no number"));
        let sum = made(x.add(&y, &d.empty()));
        let difference = made(x.sub(&y, d));
        let product = made(x.mul(&y, d));
        let (quotient, remainder) = x.divide(&y, d).unwrap_or_else(|_| panic!("no quotient"));
        let (div, rest) = x.divide_euclidean(&y, d).unwrap_or_else(|_| panic!("no quotient"));
        let less = x.less(&y, d).unwrap_or_else(|_| panic!("no order"));
        let equal = x.equals(&y, d).unwrap_or_else(|_| panic!("no order"));
        let wrapped = made(product.wrapped(3, true, d));
        let low = made(product.wrapped(3, false, d));
        let both = made(x.bitwise(&y, Set::and));
        let inside = sum.within(-3, 5, d).unwrap_or_else(|_| panic!("no range"));
        let few = made(y.wrapped(3, false, d));
        let (up, down) = (made(x.shifted(&few, true, d)), made(product.shifted(&few, false, d)));
        assert!(x.shifted(&y, true, d).is_err(), "an exponent may be negative");
        for (a, b) in rows() {
            assert_eq!(value(&sum, a, b), a + b, "{a} + {b}");
            assert_eq!(value(&difference, a, b), a - b, "{a} - {b}");
            assert_eq!(value(&product, a, b), a * b, "{a} * {b}");
            assert_eq!(holds(&less, a, b), a < b, "{a} < {b}");
            assert_eq!(holds(&equal, a, b), a == b, "{a} = {b}");
            assert_eq!(value(&both, a, b), a & b, "{a} & {b}");
            assert_eq!(value(&wrapped, a, b), ((a * b) << 61) >> 61, "signed bits of {a} * {b}");
            assert_eq!(value(&low, a, b), (a * b) & 7, "bits of {a} * {b}");
            assert_eq!(holds(&inside, a, b), (-3..=5).contains(&(a + b)), "{a} + {b} in -3..5");
            assert_eq!(value(&up, a, b), a << (b & 7), "{a} << {}", b & 7);
            assert_eq!(value(&down, a, b), (a * b) >> (b & 7), "{a} * {b} >> {}", b & 7);
            if b != 0 {
                assert_eq!((value(&quotient, a, b), value(&remainder, a, b)), (a / b, a % b), "{a} / {b}");
                let euclidean = (a.div_euclid(b), a.rem_euclid(b));
                assert_eq!((value(&div, a, b), value(&rest, a, b)), euclidean, "{a} div {b}");
            }
        }
    }

    #[test]
    fn constants_have_as_many_bits_as_they_need() {
        let (diagrams, other, _) = pairs();
        assert_eq!(other.known(), None);
        for number in [0, 1, -1, 5, -8, i64::from(i32::MIN), i64::MAX >> 2] {
            assert_eq!(value(&BitVector::constant(&diagrams, number), 0, 0), number);
            assert_eq!(BitVector::constant(&diagrams, number).known(), Some(number));
        }
    }
}
