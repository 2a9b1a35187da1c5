//! Functions of the language: conversions between types, sizes, counts.

use tertium_base::Span;
use tertium_program::{Binary as Op, ExprId, Unary, Width};

use super::{Lowered, Lowering, Moment};
use crate::ast::Expr;
use crate::flatten::InstanceId;
use crate::values::{Choice, Ty, Typed};
use crate::words;

impl<'m> Lowering<'m> {
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &'m [Expr],
        scope: InstanceId,
        moment: Moment,
        span: Span,
    ) -> Lowered<Choice> {
        let constant = |this: &Self, at: usize| arguments.get(at).and_then(|of| this.flat.number(of, scope, 0));
        if matches!(name, "uwconst" | "swconst") {
            let (Some(value), Some(bits)) = (constant(self, 0), constant(self, 1)) else {
                return self.wrong("E0714", "a value and a width, both constant numbers, should stand here", span);
            };
            let width = self.width_of(bits, name == "swconst", span)?;
            let value = self.program.exprs.int(value);
            return Ok(Choice::One(words::word(&mut self.program, width, value)));
        }
        let values = self.arguments(arguments, scope, moment)?;
        let one = match (name, values.as_slice()) {
            ("count", all) => {
                let all = all.to_vec();
                self.counted(&all, span)?
            }
            ("word1", &[a]) => {
                let truth = self.as_truth(a, span)?;
                Typed { ty: Ty::Word(Width { bits: 1, signed: false }), expr: self.as_number(truth) }
            }
            ("bool", &[a]) => {
                let zero = self.program.exprs.int(0);
                match a.ty {
                    Ty::Bool => a,
                    Ty::Int | Ty::Word(_) => {
                        Typed { ty: Ty::Bool, expr: self.program.exprs.binary(Op::Ne, a.expr, zero) }
                    }
                    Ty::Symbol(_) => return self.mismatch("a number", a.ty, span),
                }
            }
            ("toint", &[a]) => match a.ty {
                Ty::Bool => Typed { ty: Ty::Int, expr: self.as_number(a.expr) },
                Ty::Int | Ty::Word(_) => Typed { ty: Ty::Int, expr: a.expr },
                Ty::Symbol(_) => return self.mismatch("a number", a.ty, span),
            },
            ("signed" | "unsigned", &[a]) => {
                let width = self.word_width(a, span)?;
                words::word(&mut self.program, Width { signed: name == "signed", ..width }, a.expr)
            }
            ("sizeof" | "wsizeof", &[a]) => {
                let bits = self.word_width(a, span)?.bits;
                Typed { ty: Ty::Int, expr: self.program.exprs.int(i64::from(bits)) }
            }
            ("extend" | "resize", &[a, _]) => {
                let width = self.word_width(a, span)?;
                let Some(bits) = constant(self, 1) else {
                    return self.wrong("E0714", "a width that is a constant number should stand here", span);
                };
                let bits = if name == "extend" { bits.saturating_add(i64::from(width.bits)) } else { bits };
                let to = self.width_of(bits, width.signed, span)?;
                words::resized(&mut self.program, width, a.expr, to.bits)
            }
            ("abs", &[a]) => {
                let a = self.whole(a, span)?;
                let (zero, negated) = (self.program.exprs.int(0), self.program.exprs.unary(Unary::Negate, a));
                let negative = self.program.exprs.binary(Op::Lt, a, zero);
                Typed { ty: Ty::Int, expr: self.program.exprs.ite(negative, negated, a) }
            }
            ("max" | "min", &[a, b]) => {
                let (a, b) = (self.whole(a, span)?, self.whole(b, span)?);
                let op = if name == "max" { Op::Ge } else { Op::Le };
                let first = self.program.exprs.binary(op, a, b);
                Typed { ty: Ty::Int, expr: self.program.exprs.ite(first, a, b) }
            }
            ("floor", &[a]) => Typed { ty: Ty::Int, expr: self.whole(a, span)? },
            _ => {
                let message = format!("`{name}` takes another number of arguments than {}", arguments.len());
                return self.wrong("E0713", &message, span);
            }
        };
        Ok(Choice::One(one))
    }

    fn arguments(&mut self, arguments: &'m [Expr], scope: InstanceId, moment: Moment) -> Lowered<Vec<Typed>> {
        let mut values = Vec::new();
        for argument in arguments {
            match self.value(argument, scope, moment)? {
                Choice::One(typed) => values.push(typed),
                Choice::Many(_) => return self.wrong("E0718", "a set cannot be an argument", argument.span),
            }
        }
        Ok(values)
    }

    /// How many of these hold.
    fn counted(&mut self, values: &[Typed], span: Span) -> Lowered<Typed> {
        let mut sum = self.program.exprs.int(0);
        for &value in values {
            let truth = self.as_truth(value, span)?;
            let number = self.as_number(truth);
            sum = self.program.exprs.binary(Op::Add, sum, number);
        }
        Ok(Typed { ty: Ty::Int, expr: sum })
    }

    /// A truth value as 0 or 1.
    pub(super) fn as_number(&mut self, truth: ExprId) -> ExprId {
        let (one, zero) = (self.program.exprs.int(1), self.program.exprs.int(0));
        self.program.exprs.ite(truth, one, zero)
    }

    fn whole(&mut self, value: Typed, span: Span) -> Lowered<ExprId> {
        if value.ty == Ty::Int { Ok(value.expr) } else { self.mismatch("a number", value.ty, span) }
    }

    fn word_width(&mut self, value: Typed, span: Span) -> Lowered<Width> {
        match value.ty {
            Ty::Word(width) => Ok(width),
            other => self.mismatch("a word", other, span),
        }
    }
}
