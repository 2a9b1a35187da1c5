//! Elements of arrays at any index, and bits of words.

use tertium_base::Span;
use tertium_base::narrow::to_i64;
use tertium_program::{Binary as Op, ExprId};

use super::{Lowered, Lowering, Moment, Wrong};
use crate::ast::{Expr, ExprKind};
use crate::flatten::{InstanceId, Meaning};
use crate::values::{Choice, Ty, Typed};
use crate::words;

impl<'m> Lowering<'m> {
    /// `a[i]`, the index any expression.
    pub(super) fn indexed(
        &mut self,
        whole: &'m Expr,
        of: &'m Expr,
        index: &'m Expr,
        scope: InstanceId,
        moment: Moment,
    ) -> Lowered<Choice> {
        if let Some(meaning) = self.flat.meaning(whole, scope) {
            return self.meant(&meaning, whole.span, moment);
        }
        let span = whole.span;
        let arrays = self.arrays(of, scope, moment)?;
        let Choice::One(at) = self.value(index, scope, moment)? else {
            return self.wrong("E0718", "an index that is a set", index.span);
        };
        if !matches!(at.ty, Ty::Int | Ty::Word(_)) {
            return self.mismatch("a number", at.ty, index.span);
        }
        let mut found: Option<Choice> = None;
        for (when, array) in arrays.into_iter().rev() {
            let value = self.element(&array, at, (span, index.span), moment)?;
            found = Some(match found {
                None => value,
                Some(others) => self.either(when, &value, &others, span)?,
            });
        }
        found.ok_or(Wrong)
    }

    /// The arrays that an expression may mean, each with the condition under which it does: `a[i]` is a row that depends on `i`.
    fn arrays(&mut self, of: &'m Expr, scope: InstanceId, moment: Moment) -> Lowered<Vec<(ExprId, Meaning<'m>)>> {
        let always = self.program.exprs.bool(true);
        if let Some(meaning) = self.flat.meaning(of, scope) {
            return Ok(vec![(always, meaning)]);
        }
        let ExprKind::Index(rows, index) = &of.kind else {
            return self.wrong("E0718", "this has no elements", of.span);
        };
        let Choice::One(at) = self.value(index, scope, moment)? else {
            return self.wrong("E0718", "an index that is a set", index.span);
        };
        let mut found = Vec::new();
        for (when, row) in self.arrays(rows, scope, moment)? {
            let Some((lo, elements)) = self.flat.elements(&row) else {
                return self.wrong("E0718", "this has no elements", rows.span);
            };
            self.inside(at, lo, elements.len(), index.span)?;
            for (position, element) in elements.into_iter().enumerate() {
                let here = self.program.exprs.int(lo.saturating_add(to_i64(position)));
                let is = self.program.exprs.eq(at.expr, here);
                let both = self.program.exprs.and(when, is);
                if self.program.exprs.constant(both) != Some(0) {
                    found.push((both, element));
                }
            }
        }
        Ok(found)
    }

    /// Asks that an index lies in its array.
    fn inside(&mut self, at: Typed, lo: i64, count: usize, span: Span) -> Lowered<()> {
        let last = lo.saturating_add(to_i64(count) - 1);
        if let Some(value) = self.program.exprs.constant(at.expr) {
            if (lo..=last).contains(&value) {
                return Ok(());
            }
            return self.wrong("E0724", &format!("the index {value} is not in {lo}..{last}"), span);
        }
        let (low, high) = (self.program.exprs.int(lo), self.program.exprs.int(last));
        let above = self.program.exprs.binary(Op::Ge, at.expr, low);
        let below = self.program.exprs.binary(Op::Le, at.expr, high);
        let inside = self.program.exprs.and(above, below);
        self.must_hold(inside, span, "an index lies in its array")
    }

    /// The element of an array at an index.
    fn element(
        &mut self,
        array: &Meaning<'m>,
        at: Typed,
        (span, index): (Span, Span),
        moment: Moment,
    ) -> Lowered<Choice> {
        let Some((lo, elements)) = self.flat.elements(array) else {
            return self.wrong("E0718", "this has no elements", span);
        };
        self.inside(at, lo, elements.len(), index)?;
        if let Some(value) = self.program.exprs.constant(at.expr) {
            let element = usize::try_from(value.saturating_sub(lo)).ok().and_then(|at| elements.get(at)).cloned();
            return element.map_or(Err(Wrong), |element| self.meant(&element, span, moment));
        }
        let mut found: Option<Choice> = None;
        for (position, element) in elements.iter().enumerate().rev() {
            let value = self.meant(element, span, moment)?;
            let here = self.program.exprs.int(lo.saturating_add(to_i64(position)));
            let is = self.program.exprs.eq(at.expr, here);
            found = Some(match found {
                None => value,
                Some(others) => self.either(is, &value, &others, span)?,
            });
        }
        found.ok_or(Wrong)
    }

    pub(super) fn bits(
        &mut self,
        of: &'m Expr,
        ends: (&'m Expr, &'m Expr),
        scope: InstanceId,
        moment: Moment,
        span: Span,
    ) -> Lowered<Choice> {
        let of = self.value(of, scope, moment)?;
        let ends = (self.flat.number(ends.0, scope, 0), self.flat.number(ends.1, scope, 0));
        self.map1(&of, |this, a| {
            let Ty::Word(width) = a.ty else { return this.mismatch("a word", a.ty, span) };
            let ends =
                ends.0.zip(ends.1).and_then(|(high, low)| Some((u8::try_from(high).ok()?, u8::try_from(low).ok()?)));
            match ends.filter(|(high, low)| low <= high && *high < width.bits) {
                Some((high, low)) => Ok(words::bits(&mut this.program, a.expr, high, low)),
                None => this.wrong("E0724", &format!("these are no bits of a word of {}", width.bits), span),
            }
        })
    }
}
