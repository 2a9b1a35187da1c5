//! Arithmetic of machine words: every operation on whole numbers, and what remains of it in so many bits.

use tertium_program::{Binary, ExprId, Program, Unary, Width};

use crate::ast;
use crate::values::{Ty, Typed};

/// A word of a width.
pub(crate) fn word(program: &mut Program, width: Width, expr: ExprId) -> Typed {
    Typed { ty: Ty::Word(width), expr: program.exprs.wrap(width, expr) }
}

/// `!w`, `-w`.
pub(crate) fn unary(program: &mut Program, op: ast::Unary, width: Width, a: ExprId) -> Typed {
    let op = match op {
        ast::Unary::Not => Unary::Complement,
        ast::Unary::Negate => Unary::Negate,
    };
    let value = program.exprs.unary(op, a);
    word(program, width, value)
}

/// Two words of one width; none if the operator is none of words.
pub(crate) fn binary(program: &mut Program, op: ast::Binary, width: Width, a: ExprId, b: ExprId) -> Option<Typed> {
    let exprs = &mut program.exprs;
    let value = match op {
        ast::Binary::And => exprs.binary(Binary::BitAnd, a, b),
        ast::Binary::Or => exprs.binary(Binary::BitOr, a, b),
        ast::Binary::Xor => exprs.binary(Binary::BitXor, a, b),
        ast::Binary::Xnor | ast::Binary::Iff => {
            let differ = exprs.binary(Binary::BitXor, a, b);
            exprs.unary(Unary::Complement, differ)
        }
        ast::Binary::Implies => {
            let not = exprs.unary(Unary::Complement, a);
            exprs.binary(Binary::BitOr, not, b)
        }
        ast::Binary::Add => exprs.binary(Binary::Add, a, b),
        ast::Binary::Sub => exprs.binary(Binary::Sub, a, b),
        ast::Binary::Mul => exprs.word_product(width, a, b),
        ast::Binary::Div => exprs.binary(Binary::Quotient, a, b),
        ast::Binary::Mod => exprs.binary(Binary::Remainder, a, b),
        _ => return None,
    };
    Some(word(program, width, value))
}

/// `w << n`, `w >> n`; all bits are gone when `n` is the width or more.
pub(crate) fn shift(program: &mut Program, left: bool, width: Width, a: ExprId, by: ExprId) -> Typed {
    if !left {
        let value = program.exprs.binary(Binary::Shr, a, by);
        return word(program, width, value);
    }
    let value = program.exprs.word_shift_left(width, a, by);
    Typed { ty: Ty::Word(width), expr: value }
}

/// `a :: b`, unsigned; none if it is too wide.
pub(crate) fn concat(program: &mut Program, a: (Width, ExprId), b: (Width, ExprId)) -> Option<Typed> {
    let bits = a.0.bits.checked_add(b.0.bits).filter(|&bits| bits <= 32)?;
    let high = program.exprs.wrap(Width { signed: false, ..a.0 }, a.1);
    let low = program.exprs.wrap(Width { signed: false, ..b.0 }, b.1);
    let by = program.exprs.int(i64::from(b.0.bits));
    let high = program.exprs.binary(Binary::Shl, high, by);
    let value = program.exprs.binary(Binary::BitOr, high, low);
    Some(word(program, Width { bits, signed: false }, value))
}

/// `w[high:low]`, unsigned.
pub(crate) fn bits(program: &mut Program, a: ExprId, high: u8, low: u8) -> Typed {
    let by = program.exprs.int(i64::from(low));
    let value = program.exprs.binary(Binary::Shr, a, by);
    word(program, Width { bits: high - low + 1, signed: false }, value)
}

/// `resize(w, n)`: of a signed word that becomes narrower, sign and lowest bits stay.
pub(crate) fn resized(program: &mut Program, width: Width, a: ExprId, bits: u8) -> Typed {
    let to = Width { bits, signed: width.signed };
    if bits >= width.bits || !width.signed {
        return word(program, to, a);
    }
    if bits == 1 {
        let zero = program.exprs.int(0);
        let negative = program.exprs.binary(Binary::Lt, a, zero);
        let all = program.exprs.int(-1);
        return Typed { ty: Ty::Word(to), expr: program.exprs.ite(negative, all, zero) };
    }
    let low = program.exprs.wrap(Width { bits: bits - 1, signed: false }, a);
    let zero = program.exprs.int(0);
    let negative = program.exprs.binary(Binary::Lt, a, zero);
    let sign = program.exprs.int(-(1i64 << (bits - 1)));
    let with_sign = program.exprs.binary(Binary::Add, low, sign);
    Typed { ty: Ty::Word(to), expr: program.exprs.ite(negative, with_sign, low) }
}
