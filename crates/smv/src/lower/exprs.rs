//! Expressions of the model as expressions of the program, with their types.

use tertium_base::narrow::to_u32;
use tertium_base::{Diagnostic, Span, diagnostic::closest_name};
use tertium_program::analysis::intervals::{ExprIntervals, Interval};
use tertium_program::{Binary as Op, ExprId, Unary as UnaryOp, Width};

use super::{Lowered, Lowering, Moment, Wrong};
use crate::ast::{Binary, Expr, ExprKind, Unary};
use crate::flatten::{InstanceId, Meaning};
use crate::values::{Choice, Ty, Typed, moved};
use crate::words;

impl<'m> Lowering<'m> {
    /// The value of an expression, or those from which one is chosen.
    pub(crate) fn value(&mut self, expr: &'m Expr, scope: InstanceId, moment: Moment) -> Lowered<Choice> {
        self.deeper(expr.span)?;
        let found = self.value_of(expr, scope, moment);
        self.depth -= 1;
        let found = found?;
        if let Choice::One(typed) = &found
            && (self.program.exprs.depth(typed.expr) > tertium_program::expr::DEEPEST
                || self.program.exprs.size(typed.expr) > tertium_program::expr::LARGEST)
        {
            let error = Diagnostic::error("E0717", "an expression is too large once its definitions are written out");
            return self.fail(
                error.at(expr.span, "too large").help("make a part of it a variable: `VAR x : T; ASSIGN x := e;`"),
            );
        }
        Ok(found)
    }

    fn value_of(&mut self, expr: &'m Expr, scope: InstanceId, moment: Moment) -> Lowered<Choice> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Bool(value) => Ok(self.truth_value(*value)),
            ExprKind::Number(value) => Ok(Choice::One(Typed { ty: Ty::Int, expr: self.program.exprs.int(*value) })),
            ExprKind::Word { bits, signed, value } => self.word_constant(*bits, *signed, *value, span),
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Itself => self.named(expr, scope, moment),
            ExprKind::Index(of, index) => self.indexed(expr, of, index, scope, moment),
            ExprKind::Bits(of, high, low) => self.bits(of, (high, low), scope, moment, span),
            ExprKind::Unary(op, a) => {
                let a = self.value(a, scope, moment)?;
                self.map1(&a, |this, a| this.unary(*op, a, span))
            }
            ExprKind::Binary(Binary::In, a, b) if matches!(b.kind, ExprKind::Range(..)) => {
                let a = self.value(a, scope, moment)?;
                self.within(&a, b, scope, span)
            }
            ExprKind::Binary(Binary::In, a, b) => {
                let (a, b) = (self.value(a, scope, moment)?, self.value(b, scope, moment)?);
                self.member_of(&a, &b, span)
            }
            ExprKind::Binary(Binary::Union, a, b) => {
                let (a, b) = (self.value(a, scope, moment)?, self.value(b, scope, moment)?);
                let mut all = a.alternatives(&mut self.program);
                all.extend(b.alternatives(&mut self.program));
                Ok(Choice::Many(all))
            }
            ExprKind::Binary(op @ (Binary::And | Binary::Or), a, _) if is_binary(a, *op) => {
                self.chain(*op, expr, scope, moment)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a, scope, moment)?, self.value(b, scope, moment)?);
                self.map2(&a, &b, span, |this, a, b| this.binary(*op, a, b, span))
            }
            ExprKind::If(c, a, b) => {
                let c = self.truth(c, scope, moment)?;
                let (a, b) = (self.value(a, scope, moment)?, self.value(b, scope, moment)?);
                self.either(c, &a, &b, span)
            }
            ExprKind::Case(branches) => self.case(branches, scope, moment, span),
            ExprKind::Set(members) => {
                let mut all = Vec::new();
                for member in members {
                    let member = self.value(member, scope, moment)?;
                    all.extend(member.alternatives(&mut self.program));
                }
                match all.as_slice() {
                    [] => self.wrong("E0718", "a set without members has no value", span),
                    [(_, only)] => Ok(Choice::One(*only)),
                    _ => Ok(Choice::Many(all)),
                }
            }
            ExprKind::Range(lo, hi) => self.range(lo, hi, scope, span),
            ExprKind::Next(inner) => match moment {
                Moment::Step { process, next: false } => self.value(inner, scope, Moment::Step { process, next: true }),
                Moment::Step { .. } => self.wrong("E0719", "`next` inside `next`", span),
                Moment::State => self.wrong("E0719", "`next` can stand where steps are spoken of only", span),
            },
            ExprKind::Call(name, arguments) => self.call(&name.name, arguments, scope, moment, span),
            ExprKind::Array(_) => self.wrong("E0718", "a whole array has no value here", span),
            ExprKind::Temporal(..) | ExprKind::TemporalPair(..) => {
                self.wrong("E0720", "an operator of time cannot stand inside an expression", span)
            }
        }
    }

    /// `a & b & c …`, as long as one likes: a balanced tree if all are truth values.
    fn chain(&mut self, op: Binary, expr: &'m Expr, scope: InstanceId, moment: Moment) -> Lowered<Choice> {
        let mut operands = Vec::new();
        let mut rest = expr;
        while let ExprKind::Binary(found, a, b) = &rest.kind
            && *found == op
        {
            operands.push(self.value(b, scope, moment)?);
            rest = a;
        }
        operands.push(self.value(rest, scope, moment)?);
        operands.reverse();
        let mut truths = Vec::new();
        for operand in &operands {
            match operand {
                Choice::One(typed) if !matches!(typed.ty, Ty::Word(_)) => {
                    truths.push(self.as_truth(*typed, expr.span)?)
                }
                _ => break,
            }
        }
        if truths.len() == operands.len() {
            let exprs = &mut self.program.exprs;
            let all = if op == Binary::And { exprs.all(&truths) } else { exprs.any(&truths) };
            return Ok(Choice::One(Typed { ty: Ty::Bool, expr: all }));
        }
        let mut operands = operands.into_iter();
        let Some(first) = operands.next() else { return Err(Wrong) };
        let span = expr.span;
        operands.try_fold(first, |a, b| self.map2(&a, &b, span, |this, a, b| this.binary(op, a, b, span)))
    }

    fn truth_value(&mut self, value: bool) -> Choice {
        Choice::One(Typed { ty: Ty::Bool, expr: self.program.exprs.bool(value) })
    }

    /// A condition.
    pub(crate) fn truth(&mut self, expr: &'m Expr, scope: InstanceId, moment: Moment) -> Lowered<ExprId> {
        match self.value(expr, scope, moment)? {
            Choice::One(typed) => self.as_truth(typed, expr.span),
            Choice::Many(_) => self.wrong("E0718", "a set has no truth value", expr.span),
        }
    }

    /// A truth value; a number that is surely 0 or 1 is taken for one, as older models have it.
    pub(crate) fn as_truth(&mut self, typed: Typed, span: Span) -> Lowered<ExprId> {
        match (typed.ty, self.program.exprs.constant(typed.expr)) {
            (Ty::Bool, _) => Ok(typed.expr),
            (Ty::Int, Some(value @ (0 | 1))) => Ok(self.program.exprs.bool(value == 1)),
            (Ty::Int, None)
                if ExprIntervals::by_types(&self.program).at(typed.expr).is_within(Interval::between(0, 1)) =>
            {
                let zero = self.program.exprs.int(0);
                Ok(self.program.exprs.binary(Op::Ne, typed.expr, zero))
            }
            _ => self.mismatch("a truth value", typed.ty, span),
        }
    }

    /// A number; a truth value is 0 or 1, as older models have it.
    fn counted_as_number(&mut self, typed: Typed, span: Span) -> Lowered<Typed> {
        match typed.ty {
            Ty::Int => Ok(typed),
            Ty::Bool => Ok(Typed { ty: Ty::Int, expr: self.as_number(typed.expr) }),
            other => self.mismatch("a number", other, span),
        }
    }

    pub(crate) fn mismatch<T>(&mut self, wanted: &str, found: Ty, span: Span) -> Lowered<T> {
        let error = Diagnostic::error("E0721", format!("{wanted} should stand here"));
        self.fail(error.at(span, format!("is {}", found.word())))
    }

    fn word_constant(&mut self, bits: u32, signed: bool, value: i128, span: Span) -> Lowered<Choice> {
        let Some(width) = u8::try_from(bits).ok().filter(|bits| (1..=32).contains(bits)) else {
            let error = Diagnostic::error("E0704", format!("words of {bits} bits cannot be read"));
            return self.fail(error.at(span, "not supported").help("words have 1 to 32 bits"));
        };
        let width = Width { bits: width, signed };
        let fits = i64::try_from(value).ok().filter(|&value| (width.lowest()..=width.highest()).contains(&value));
        let Some(value) = fits else {
            return self.wrong("E0722", &format!("{value} needs more than {bits} bits"), span);
        };
        Ok(Choice::One(Typed { ty: Ty::Word(width), expr: self.program.exprs.int(value) }))
    }

    fn named(&mut self, expr: &'m Expr, scope: InstanceId, moment: Moment) -> Lowered<Choice> {
        match self.flat.meaning(expr, scope) {
            Some(meaning) => self.meant(&meaning, expr.span, moment),
            None => self.unknown(expr, scope),
        }
    }

    fn unknown<T>(&mut self, expr: &Expr, scope: InstanceId) -> Lowered<T> {
        let text = self.text[expr.span.start..expr.span.end].to_owned();
        let mut error = Diagnostic::error("E0723", format!("nothing is named `{text}`")).at(expr.span, "not known");
        let close = closest_name(&text, self.flat.names(scope)).map(str::to_owned);
        if text.contains('-') {
            error = error.help("`-` may be part of a name: put spaces around it to subtract");
        } else if let Some(close) = close {
            error = error.help(format!("did you mean `{close}`?"));
        }
        self.fail(error)
    }

    pub(super) fn meant(&mut self, meaning: &Meaning<'m>, span: Span, moment: Moment) -> Lowered<Choice> {
        match meaning {
            Meaning::Variable(id) => self.read(*id, moment, span),
            Meaning::Define(id) => self.defined(*id, moment, span),
            Meaning::Argument(value, of) => self.value(value, *of, moment),
            Meaning::Running(process) => {
                let expr = self.running(*process, moment);
                Ok(Choice::One(Typed { ty: Ty::Bool, expr }))
            }
            Meaning::Symbol(name) => Ok(Choice::One(self.enums.symbol(&mut self.program, name))),
            Meaning::Elements(..) => self.wrong("E0718", "a whole array has no value here", span),
            Meaning::Instance(_) => self.wrong("E0718", "an instance has no value", span),
        }
    }

    fn unary(&mut self, op: Unary, a: Typed, span: Span) -> Lowered<Typed> {
        match (op, a.ty) {
            (_, Ty::Word(width)) => Ok(words::unary(&mut self.program, op, width, a.expr)),
            (Unary::Negate, Ty::Int) => {
                Ok(Typed { ty: Ty::Int, expr: self.program.exprs.unary(UnaryOp::Negate, a.expr) })
            }
            (Unary::Not, _) => {
                let a = self.as_truth(a, span)?;
                Ok(Typed { ty: Ty::Bool, expr: self.program.exprs.not(a) })
            }
            (Unary::Negate, ty) => self.mismatch("a number", ty, span),
        }
    }

    fn binary(&mut self, op: Binary, a: Typed, b: Typed, span: Span) -> Lowered<Typed> {
        match op {
            Binary::Eq | Binary::Ne => {
                let equal = self.equal(a, b, span)?;
                let expr = if op == Binary::Eq { equal } else { self.program.exprs.not(equal) };
                Ok(Typed { ty: Ty::Bool, expr })
            }
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => self.order(op, a, b, span),
            Binary::Shl | Binary::Shr => {
                let Ty::Word(width) = a.ty else { return self.mismatch("a word", a.ty, span) };
                if !matches!(b.ty, Ty::Int | Ty::Word(_)) {
                    return self.mismatch("a number", b.ty, span);
                }
                Ok(words::shift(&mut self.program, op == Binary::Shl, width, a.expr, b.expr))
            }
            Binary::Concat => match (a.ty, b.ty) {
                (Ty::Word(x), Ty::Word(y)) => match words::concat(&mut self.program, (x, a.expr), (y, b.expr)) {
                    Some(both) => Ok(both),
                    None => self.wrong("E0704", "words of more than 32 bits cannot be read", span),
                },
                (Ty::Word(_), other) | (other, _) => self.mismatch("a word", other, span),
            },
            _ => match (a.ty, b.ty) {
                (Ty::Word(x), Ty::Word(y)) if x == y => match words::binary(&mut self.program, op, x, a.expr, b.expr) {
                    Some(found) => Ok(found),
                    None => self.wrong("E0721", "this operator is none of words", span),
                },
                (Ty::Word(_), other) | (other, Ty::Word(_)) => self.mismatch("a word of the same kind", other, span),
                _ => self.plain(op, a, b, span),
            },
        }
    }

    /// Operators of truth values and numbers.
    fn plain(&mut self, op: Binary, a: Typed, b: Typed, span: Span) -> Lowered<Typed> {
        let arithmetic = match op {
            Binary::Add => Some(Op::Add),
            Binary::Sub => Some(Op::Sub),
            Binary::Mul => Some(Op::Mul),
            Binary::Div => Some(Op::Quotient),
            Binary::Mod => Some(Op::Remainder),
            _ => None,
        };
        if let Some(op) = arithmetic {
            let (a, b) = (self.counted_as_number(a, span)?, self.counted_as_number(b, span)?);
            return Ok(Typed { ty: Ty::Int, expr: self.program.exprs.binary(op, a.expr, b.expr) });
        }
        let (a, b) = (self.as_truth(a, span)?, self.as_truth(b, span)?);
        let exprs = &mut self.program.exprs;
        let expr = match op {
            Binary::And => exprs.and(a, b),
            Binary::Or => exprs.or(a, b),
            Binary::Implies => exprs.implies(a, b),
            Binary::Iff | Binary::Xnor => exprs.eq(a, b),
            _ => exprs.binary(Op::Ne, a, b),
        };
        Ok(Typed { ty: Ty::Bool, expr })
    }

    fn order(&mut self, op: Binary, a: Typed, b: Typed, span: Span) -> Lowered<Typed> {
        let (a, b) = match (a.ty, b.ty) {
            (Ty::Bool, Ty::Int) | (Ty::Int, Ty::Bool) => {
                (self.counted_as_number(a, span)?, self.counted_as_number(b, span)?)
            }
            _ => (a, b),
        };
        let fits = match (a.ty, b.ty) {
            (Ty::Int, Ty::Int) => true,
            (Ty::Word(x), Ty::Word(y)) => x == y,
            _ => false,
        };
        if !fits {
            let other = if a.ty == Ty::Int { b.ty } else { a.ty };
            return self.mismatch("two numbers, or two words of one kind,", other, span);
        }
        let op = match op {
            Binary::Lt => Op::Lt,
            Binary::Le => Op::Le,
            Binary::Gt => Op::Gt,
            _ => Op::Ge,
        };
        Ok(Typed { ty: Ty::Bool, expr: self.program.exprs.binary(op, a.expr, b.expr) })
    }

    /// Whether two values are the same.
    pub(crate) fn equal(&mut self, a: Typed, b: Typed, span: Span) -> Lowered<ExprId> {
        let (a, b) = self.alike(a, b, span)?;
        Ok(self.program.exprs.eq(a.expr, b.expr))
    }

    /// Two values as ones of one type.
    pub(super) fn alike(&mut self, a: Typed, b: Typed, span: Span) -> Lowered<(Typed, Typed)> {
        match (a.ty, b.ty) {
            (x, y) if x == y => Ok((a, b)),
            (Ty::Bool, Ty::Int) if self.program.exprs.constant(b.expr).is_some() => {
                Ok((a, Typed { ty: Ty::Bool, expr: self.as_truth(b, span)? }))
            }
            (Ty::Int, Ty::Bool) if self.program.exprs.constant(a.expr).is_some() => {
                Ok((Typed { ty: Ty::Bool, expr: self.as_truth(a, span)? }, b))
            }
            (Ty::Bool, Ty::Int) | (Ty::Int, Ty::Bool) => {
                Ok((self.counted_as_number(a, span)?, self.counted_as_number(b, span)?))
            }
            (Ty::Symbol(x), Ty::Symbol(y)) => {
                let both = self.enums.joined(&mut self.program, x, y);
                let moved_to = |this: &mut Self, from, expr| Typed {
                    ty: Ty::Symbol(both),
                    expr: moved(&mut this.program, expr, from, both),
                };
                Ok((moved_to(self, x, a.expr), moved_to(self, y, b.expr)))
            }
            // A number among symbols.
            (Ty::Symbol(_), Ty::Int) | (Ty::Int, Ty::Symbol(_)) => {
                let (a, b) = (self.as_symbol(a, span)?, self.as_symbol(b, span)?);
                self.alike(a, b, span)
            }
            (x, y) => {
                let error = Diagnostic::error("E0721", "values of two types are compared or chosen from");
                self.fail(error.at(span, format!("one is {}, one is {}", x.word(), y.word())))
            }
        }
    }

    /// A symbol; a number is one, too, among symbols.
    pub(super) fn as_symbol(&mut self, value: Typed, span: Span) -> Lowered<Typed> {
        match value.ty {
            Ty::Int => match self.enums.numeral(&mut self.program, value.expr) {
                Some(symbol) => Ok(symbol),
                None => self.mismatch("a symbol, or a number of few", value.ty, span),
            },
            _ => Ok(value),
        }
    }

    fn member_of(&mut self, a: &Choice, b: &Choice, span: Span) -> Lowered<Choice> {
        let (a, b) = (a.alternatives(&mut self.program), b.alternatives(&mut self.program));
        let mut found = Vec::new();
        for (when, value) in &a {
            for (may, member) in &b {
                let equal = self.equal(*value, *member, span)?;
                let both = self.program.exprs.and(*when, *may);
                found.push(self.program.exprs.and(both, equal));
            }
        }
        let expr = self.program.exprs.any(&found);
        Ok(Choice::One(Typed { ty: Ty::Bool, expr }))
    }

    /// `x in lo..hi`, however many numbers that are.
    fn within(&mut self, a: &Choice, range: &'m Expr, scope: InstanceId, span: Span) -> Lowered<Choice> {
        let ExprKind::Range(lo, hi) = &range.kind else { return Err(Wrong) };
        let (Some(lo), Some(hi)) = (self.flat.number(lo, scope, 0), self.flat.number(hi, scope, 0)) else {
            return self.wrong("E0714", "the ends of a range must be constant numbers", range.span);
        };
        let mut found = Vec::new();
        for (when, value) in a.alternatives(&mut self.program) {
            if value.ty != Ty::Int {
                return self.mismatch("a number", value.ty, span);
            }
            let (low, high) = (self.program.exprs.int(lo), self.program.exprs.int(hi));
            let above = self.program.exprs.binary(Op::Ge, value.expr, low);
            let below = self.program.exprs.binary(Op::Le, value.expr, high);
            found.push(self.program.exprs.all(&[when, above, below]));
        }
        let expr = self.program.exprs.any(&found);
        Ok(Choice::One(Typed { ty: Ty::Bool, expr }))
    }

    /// The first branch whose condition holds; that there is one is a question of its own where it cannot be seen.
    fn case(&mut self, branches: &'m [(Expr, Expr)], scope: InstanceId, moment: Moment, span: Span) -> Lowered<Choice> {
        let mut read = Vec::new();
        let known = self.path.len();
        for (condition, value) in branches {
            let condition = self.truth(condition, scope, moment)?;
            self.path.push(condition);
            let value = self.value(value, scope, moment);
            self.path.pop();
            read.push((condition, value?));
            if self.program.exprs.constant(condition) == Some(1) {
                break;
            }
            let not = self.program.exprs.not(condition);
            self.path.push(not);
        }
        self.path.truncate(known);
        let conditions: Vec<ExprId> = read.iter().map(|(condition, _)| *condition).collect();
        let ends = conditions.last().is_some_and(|&last| self.program.exprs.constant(last) == Some(1));
        if !ends {
            let some = self.program.exprs.any(&conditions);
            self.must_hold(some, span, "some branch of a `case` is taken")?;
        }
        let Some((_, last)) = read.pop() else { return Err(Wrong) };
        read.iter().rev().try_fold(last, |others, (condition, value)| self.either(*condition, value, &others, span))
    }

    pub(super) fn width_of(&mut self, bits: i64, signed: bool, span: Span) -> Lowered<Width> {
        match u8::try_from(bits).ok().filter(|bits| (1..=32).contains(bits)) {
            Some(bits) => Ok(Width { bits, signed }),
            None => self.wrong("E0704", &format!("words of {bits} bits cannot be read: they have 1 to 32"), span),
        }
    }

    /// How deep expressions and what they name lead.
    fn deeper(&mut self, span: Span) -> Lowered<()> {
        self.depth += 1;
        if self.depth <= super::DEEPEST {
            return Ok(());
        }
        self.depth -= 1;
        let message = format!("names lead to names more than {} deep", to_u32(super::DEEPEST));
        let error = Diagnostic::error("E0716", message).at(span, "depends on itself, or nearly so");
        self.fail(error)
    }
}

/// Whether an expression has this operator at its top.
fn is_binary(expr: &Expr, op: Binary) -> bool {
    matches!(&expr.kind, ExprKind::Binary(found, ..) if *found == op)
}
