//! Arithmetic of machine words in whole numbers: products and shifts whose values on the way fit 64 bits.

use crate::expr::{Binary, ExprId, Exprs};
use crate::types::Width;

/// Half of the widest word.
const HALF: Width = Width { bits: 16, signed: false };

impl Exprs {
    /// What remains of `a * b` in a word; both are words of this width.
    pub fn word_product(&mut self, width: Width, a: ExprId, b: ExprId) -> ExprId {
        if width.signed || width.bits < 32 {
            let product = self.binary(Binary::Mul, a, b);
            return self.wrap(width, product);
        }
        // Two words of 32 bits have a product of 64, which no signed number of 64 bits is: the halves of `a` are multiplied one by one.
        let (half, low) = (self.int(16), self.wrap(HALF, a));
        let high = self.binary(Binary::Shr, a, half);
        let low = self.binary(Binary::Mul, low, b);
        let high = self.binary(Binary::Mul, high, b);
        let high = self.wrap(HALF, high);
        let high = self.binary(Binary::Shl, high, half);
        let sum = self.binary(Binary::Add, low, high);
        self.wrap(width, sum)
    }

    /// What remains of `a << by` in a word; all bits are gone when `by` is the width or more.
    pub fn word_shift_left(&mut self, width: Width, a: ExprId, by: ExprId) -> ExprId {
        let all = self.int(i64::from(width.bits));
        let gone = self.binary(Binary::Ge, by, all);
        let zero = self.int(0);
        // What is shifted out of the word is not needed on the way either.
        let low = self.wrap(Width { signed: false, ..width }, a);
        let moved = self.binary(Binary::Shl, low, by);
        let moved = self.wrap(width, moved);
        self.ite(gone, zero, moved)
    }
}
