//! Operators over values of which one is chosen: all combinations of alternatives, each with its condition.

use tertium_base::Span;
use tertium_program::ExprId;

use super::{Lowered, Lowering};
use crate::ast::Expr;
use crate::flatten::InstanceId;
use crate::values::{Choice, Ty, Typed};

/// More alternatives than this are not chosen from.
const MOST_ALTERNATIVES: usize = 4096;

impl<'m> Lowering<'m> {
    pub(super) fn map1(&mut self, a: &Choice, map: impl Fn(&mut Self, Typed) -> Lowered<Typed>) -> Lowered<Choice> {
        match a {
            Choice::One(a) => Ok(Choice::One(map(self, *a)?)),
            Choice::Many(all) => {
                let all: Lowered<Vec<_>> = all.iter().map(|(when, a)| Ok((*when, map(self, *a)?))).collect();
                Ok(Choice::Many(all?))
            }
        }
    }

    pub(super) fn map2(
        &mut self,
        a: &Choice,
        b: &Choice,
        span: Span,
        map: impl Fn(&mut Self, Typed, Typed) -> Lowered<Typed>,
    ) -> Lowered<Choice> {
        if let (Choice::One(a), Choice::One(b)) = (a, b) {
            return Ok(Choice::One(map(self, *a, *b)?));
        }
        let (a, b) = (a.alternatives(&mut self.program), b.alternatives(&mut self.program));
        if a.len() * b.len() > MOST_ALTERNATIVES {
            return self.wrong("E0718", "too many alternatives", span);
        }
        let mut all = Vec::new();
        for (when, x) in &a {
            for (may, y) in &b {
                let both = self.program.exprs.and(*when, *may);
                all.push((both, map(self, *x, *y)?));
            }
        }
        Ok(Choice::Many(all))
    }

    /// `if c then a else b`.
    pub(super) fn either(&mut self, c: ExprId, a: &Choice, b: &Choice, span: Span) -> Lowered<Choice> {
        match self.program.exprs.constant(c) {
            Some(0) => return Ok(b.clone()),
            Some(_) => return Ok(a.clone()),
            None => {}
        }
        if let (Choice::One(a), Choice::One(b)) = (a, b) {
            let (a, b) = self.alike(*a, *b, span)?;
            return Ok(Choice::One(Typed { ty: a.ty, expr: self.program.exprs.ite(c, a.expr, b.expr) }));
        }
        let not = self.program.exprs.not(c);
        let mut all = Vec::new();
        for (condition, choice) in [(c, a), (not, b)] {
            for (when, value) in choice.alternatives(&mut self.program) {
                all.push((self.program.exprs.and(condition, when), value));
            }
        }
        if all.len() > MOST_ALTERNATIVES {
            return self.wrong("E0718", "too many alternatives", span);
        }
        Ok(Choice::Many(all))
    }

    pub(super) fn range(&mut self, lo: &'m Expr, hi: &'m Expr, scope: InstanceId, span: Span) -> Lowered<Choice> {
        let (Some(low), Some(high)) = (self.flat.number(lo, scope, 0), self.flat.number(hi, scope, 0)) else {
            return self.wrong("E0714", "the ends of a range must be constant numbers", span);
        };
        let count = high.checked_sub(low).and_then(|width| usize::try_from(width).ok());
        if count.is_none_or(|count| count >= MOST_ALTERNATIVES) {
            return self.wrong("E0718", "a range that is empty, or has too many numbers", span);
        }
        let always = self.program.exprs.bool(true);
        let one = |this: &mut Self, value| (always, Typed { ty: Ty::Int, expr: this.program.exprs.int(value) });
        Ok(Choice::Many((low..=high).map(|value| one(self, value)).collect()))
    }
}
