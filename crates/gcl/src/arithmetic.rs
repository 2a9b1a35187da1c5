//! What do operators on numbers, bit-vectors and truth values compute?
//!
//! A bit-vector is a number from 0 to `2^n - 1`; every operation on whole numbers is followed by what remains of it in `n` bits, so that engines and the
//! independent checker know plain numbers alone. A constant number beside a bit-vector is one of its width; a bit-vector is a number wherever one is asked for.

use tertium_base::{Diagnostic, Span};
use tertium_program::{Binary, ExprId, Unary, Width};

use crate::ast::{Bitwise, Expr, Factor};
use crate::names::{Elaborator, ExprContext, Ty, Typed, Use};

/// Sums with more terms than this are regrouped into a shallow tree.
const LONG_SUM: usize = 64;
/// Bit-vectors have at most so many bits.
pub(crate) const WIDEST: u8 = 32;

const fn width(bits: u8) -> Width {
    Width { bits, signed: false }
}

impl Elaborator<'_> {
    /// A value where a certain type is asked for.
    pub(crate) fn as_type(&mut self, typed: Typed, expr: &Expr, wanted: Ty) -> Option<ExprId> {
        let constant = self.program.exprs.constant(typed.id);
        match (typed.ty, wanted) {
            (found, wanted) if found == wanted => return Some(typed.id),
            (Ty::Bits(_), Ty::Int) => return Some(typed.id),
            (Ty::Int, Ty::Bits(bits)) if constant.is_some_and(|value| value >> bits == 0) => return Some(typed.id),
            _ => {}
        }
        let (found, name) = (self.type_name(typed.ty), self.type_name(wanted));
        let mut diagnostic = Diagnostic::error("E0407", format!("expected `{name}`, found `{found}`"))
            .at(expr.span, format!("this is `{found}`"));
        diagnostic = match (typed.ty, wanted) {
            (Ty::Bits(bits), Ty::Bool) => {
                diagnostic.help(format!("compare it with a number; `… ^ {}` flips its bits", (1u64 << bits) - 1))
            }
            (Ty::Int, Ty::Bool) => diagnostic.help("compare it with a number, for example `… != 0`"),
            (Ty::Int | Ty::Bits(_), Ty::Bits(bits)) => {
                diagnostic.help(format!("`bits(…, {bits})` is what remains of it in {bits} bits"))
            }
            (Ty::Bool, Ty::Bits(_)) => {
                diagnostic.help("comparisons bind more tightly than `&` and `|`: put brackets around these")
            }
            _ => diagnostic,
        };
        self.fail(diagnostic)
    }

    /// Values of one type: that of the first bit-vector among them, or else the one that is given.
    fn alike(&mut self, parts: &[&Expr], otherwise: Ty, place: &ExprContext<'_>) -> Option<(Vec<ExprId>, Ty)> {
        let typed: Vec<Option<Typed>> = parts.iter().map(|part| self.expr(part, place)).collect();
        let bits = typed.iter().flatten().map(|typed| typed.ty).find(|ty| matches!(ty, Ty::Bits(_)));
        let wanted = bits.unwrap_or(otherwise);
        let ids: Vec<Option<ExprId>> =
            typed.into_iter().zip(parts).map(|(typed, part)| self.as_type(typed?, part, wanted)).collect();
        Some((ids.into_iter().collect::<Option<_>>()?, wanted))
    }

    /// What remains of a number in a type: all of it, unless it is a bit-vector.
    fn within(&mut self, id: ExprId, ty: Ty) -> ExprId {
        match ty {
            Ty::Bits(bits) => self.program.exprs.wrap(width(bits), id),
            _ => id,
        }
    }

    pub(crate) fn negated(&mut self, inner: &Expr, place: &ExprContext<'_>) -> Option<Typed> {
        let (ids, ty) = self.alike(&[inner], Ty::Int, place)?;
        let id = self.program.exprs.unary(Unary::Negate, ids[0]);
        Some(Typed { id: self.within(id, ty), ty })
    }

    pub(crate) fn connective(&mut self, parts: &[Expr], and: bool, place: &ExprContext<'_>) -> Option<Typed> {
        let (ids, ty) = self.alike(&parts.iter().collect::<Vec<_>>(), Ty::Bool, place)?;
        let exprs = &mut self.program.exprs;
        let id = match ty {
            Ty::Bits(_) => {
                let op = if and { Binary::BitAnd } else { Binary::BitOr };
                ids[1..].iter().fold(ids[0], |all, &part| exprs.binary(op, all, part))
            }
            _ if and => exprs.all(&ids),
            _ => exprs.any(&ids),
        };
        Some(Typed { id, ty })
    }

    /// `a ^ b`, `a << n`, `a >> n`: of bit-vectors; how far to shift is any number.
    pub(crate) fn bitwise(&mut self, op: Bitwise, left: &Expr, right: &Expr, place: &ExprContext<'_>) -> Option<Typed> {
        if op == Bitwise::Xor {
            let (ids, ty) = self.alike(&[left, right], Ty::Int, place)?;
            self.must_be_bits(ty, left.span.to(right.span))?;
            return Some(Typed { id: self.program.exprs.binary(Binary::BitXor, ids[0], ids[1]), ty });
        }
        let (a, by) = (self.expr(left, place), self.of_type(right, Ty::Int, place));
        let (a, by) = (a?, by?);
        let bits = self.must_be_bits(a.ty, left.span)?;
        let exprs = &mut self.program.exprs;
        let id = match op {
            Bitwise::ShiftLeft => exprs.word_shift_left(width(bits), a.id, by),
            _ => exprs.binary(Binary::Shr, a.id, by),
        };
        Some(Typed { id, ty: a.ty })
    }

    fn must_be_bits(&mut self, ty: Ty, span: Span) -> Option<u8> {
        let Ty::Bits(bits) = ty else {
            let found = self.type_name(ty);
            let diagnostic = Diagnostic::error("E0407", format!("expected bits, found `{found}`"));
            let help = "only variables of type `bits[n]` have bits; `bits(…, 8)` is what remains of a number in 8 bits";
            return self.fail(diagnostic.at(span, format!("this is `{found}`")).help(help));
        };
        Some(bits)
    }

    /// `bits(e, n)`: what remains of a number in so many bits.
    pub(crate) fn remaining_bits(&mut self, arguments: &[Expr], span: Span, place: &ExprContext<'_>) -> Option<Typed> {
        let [value, bits] = arguments else {
            let diagnostic = Diagnostic::error("E0412", "`bits` takes a number and a width");
            return self.fail(diagnostic.at(span, format!("{} given", arguments.len())));
        };
        let value = self.of_type(value, Ty::Int, place);
        let place = ExprContext { uses: Use::Constant, ..*place };
        let wide = self.constant(bits, Ty::Int, &place)?;
        let Some(wide) = u8::try_from(wide).ok().filter(|wide| (1..=WIDEST).contains(wide)) else {
            let diagnostic = Diagnostic::error("E0415", "bit-vectors of this width cannot be read");
            return self.fail(diagnostic.at(bits.span, format!("1 to {WIDEST} bits")));
        };
        let ty = Ty::Bits(wide);
        Some(Typed { id: self.within(value?, ty), ty })
    }

    pub(crate) fn sum(&mut self, first: &Expr, rest: &[(bool, Expr)], place: &ExprContext<'_>) -> Option<Typed> {
        let parts: Vec<&Expr> = [first].into_iter().chain(rest.iter().map(|(_, term)| term)).collect();
        let (ids, ty) = self.alike(&parts, Ty::Int, place)?;
        let terms: Vec<(bool, ExprId)> = rest.iter().map(|&(minus, _)| minus).zip(ids[1..].iter().copied()).collect();
        if terms.len() > LONG_SUM {
            let id = self.long_sum(ids[0], &terms);
            return Some(Typed { id: self.within(id, ty), ty });
        }
        let mut sum = ids[0];
        for (minus, term) in terms {
            sum = self.program.exprs.binary(if minus { Binary::Sub } else { Binary::Add }, sum, term);
        }
        Some(Typed { id: self.within(sum, ty), ty })
    }

    fn long_sum(&mut self, first: ExprId, rest: &[(bool, ExprId)]) -> ExprId {
        let exprs = &mut self.program.exprs;
        let mut row = vec![first];
        row.extend(rest.iter().map(|&(minus, term)| if minus { exprs.unary(Unary::Negate, term) } else { term }));
        self.added_up(&row)
    }

    pub(crate) fn product(&mut self, first: &Expr, rest: &[(Factor, Expr)], place: &ExprContext<'_>) -> Option<Typed> {
        let parts: Vec<&Expr> = [first].into_iter().chain(rest.iter().map(|(_, operand)| operand)).collect();
        let (ids, ty) = self.alike(&parts, Ty::Int, place)?;
        let mut product = ids[0];
        for ((factor, operand), &id) in rest.iter().zip(&ids[1..]) {
            if *factor != Factor::Times && self.program.exprs.constant(id) == Some(0) {
                return self.fail(Diagnostic::error("E0410", "division by zero").at(operand.span, "this is 0"));
            }
            let exprs = &mut self.program.exprs;
            product = match (factor, ty) {
                (Factor::Times, Ty::Bits(bits)) => exprs.word_product(width(bits), product, id),
                (Factor::Times, _) => exprs.binary(Binary::Mul, product, id),
                (Factor::Div, _) => exprs.binary(Binary::Div, product, id),
                (Factor::Mod, _) => exprs.binary(Binary::Mod, product, id),
            };
        }
        Some(Typed { id: product, ty })
    }

    pub(crate) fn conditional(
        &mut self,
        condition: &Expr,
        yes: &Expr,
        no: &Expr,
        place: &ExprContext<'_>,
    ) -> Option<Typed> {
        let condition = self.of_type(condition, Ty::Bool, place);
        let (first, second) = (self.expr(yes, place)?, self.expr(no, place)?);
        let ty = match (first.ty, second.ty) {
            (Ty::Int, bits @ Ty::Bits(_)) if self.program.exprs.constant(first.id).is_some() => bits,
            (Ty::Bits(_), Ty::Int) if self.program.exprs.constant(second.id).is_none() => Ty::Int,
            (Ty::Bits(a), Ty::Bits(b)) if a != b => Ty::Int,
            (Ty::Int, Ty::Bits(_)) => Ty::Int,
            (ty, _) => ty,
        };
        let (yes, no) = (self.as_type(first, yes, ty)?, self.as_type(second, no, ty)?);
        Some(Typed { id: self.program.exprs.ite(condition?, yes, no), ty })
    }
}
