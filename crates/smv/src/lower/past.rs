//! Operators of the past: one bit of memory each.
//!
//! `Y p` is what `p` was in the state before, `p S q` is `q` or `p` with what it was before, and so on (Manna and Pnueli 1992, section 4.4): a variable
//! that every step sets to the value now. So formulas with past operators become formulas about a program that remembers.
//!
//! A formula of the future inside one of the past is guessed: a *prophecy variable* (Abadi and Lamport 1991) whose value every step chooses, and the formula is asked
//! of the paths on which it was always guessed right. Every path has exactly one such guess. What is said of a step, as in `next(x) = x`, is remembered by the state after it.

use std::collections::HashMap;

use tertium_base::Span;
use tertium_program::{Assign, ExprId, InitialValue, Place, Type, VarId};

use super::specs::Writing;
use super::{Lowered, Lowering, Moment};
use crate::ast::{Binary, Bounds, Expr, ExprKind, Temporal, TemporalPair, Unary};
use crate::flatten::InstanceId;

/// Bounds reach at most so far.
pub(super) const LONGEST: i64 = 1000;

/// What is remembered.
#[derive(Default)]
pub(super) struct Memory<'m> {
    /// What holds of it in the beginning.
    pub initial: Vec<ExprId>,
    /// How every step changes it.
    pub steps: Vec<Assign>,
    /// What is said of the step before, and in which instance.
    pub of_steps: Vec<(VarId, &'m Expr, InstanceId)>,
    /// What is guessed of the future: every step chooses it.
    pub prophecies: Vec<VarId>,
    known: HashMap<(bool, ExprId), ExprId>,
    count: usize,
}

impl<'m> Lowering<'m> {
    /// The value of a formula about the past, as a condition on states that remember.
    pub(super) fn past(&mut self, expr: &'m Expr, scope: InstanceId, writing: &mut Writing) -> Lowered<ExprId> {
        if !expr.has_time() && !self.speaks_of_next(expr, scope) {
            return self.truth(expr, scope, Moment::State);
        }
        if !expr.has_time() {
            return self.guessed(expr, scope, writing);
        }
        let span = expr.span;
        match &expr.kind {
            ExprKind::Unary(Unary::Not, a) => {
                let a = self.past(a, scope, writing)?;
                Ok(self.program.exprs.not(a))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.past(a, scope, writing)?, self.past(b, scope, writing)?);
                let exprs = &mut self.program.exprs;
                match op {
                    Binary::And => Ok(exprs.and(a, b)),
                    Binary::Or => Ok(exprs.or(a, b)),
                    Binary::Implies => Ok(exprs.implies(a, b)),
                    Binary::Iff | Binary::Xnor | Binary::Eq => Ok(exprs.eq(a, b)),
                    Binary::Xor | Binary::Ne => {
                        let same = exprs.eq(a, b);
                        Ok(exprs.not(same))
                    }
                    _ => self.wrong("E0720", "an operator of time cannot stand inside an expression", span),
                }
            }
            ExprKind::Temporal(op, bounds, a) if op.is_past() => {
                let p = self.past(a, scope, writing)?;
                self.past_operator(*op, bounds.as_ref(), p, scope, span)
            }
            ExprKind::TemporalPair(op @ (TemporalPair::Since | TemporalPair::Triggered), _, a, b) => {
                let (p, q) = (self.past(a, scope, writing)?, self.past(b, scope, writing)?);
                Ok(self.since(*op == TemporalPair::Since, p, q, span))
            }
            _ => self.guessed(expr, scope, writing),
        }
    }

    /// A formula of the future as a condition on states that guess it.
    fn guessed(&mut self, expr: &'m Expr, scope: InstanceId, writing: &mut Writing) -> Lowered<ExprId> {
        let text = self.written(expr, scope, writing)?;
        let name = format!("_future_{}", self.memory.prophecies.len() + 1);
        let var = self.new_variable(name.clone(), Type::Bool, InitialValue::Any, expr.span);
        self.memory.prophecies.push(var);
        let read = self.program.read(var);
        let atom = self.named_atom(&name, read, writing);
        writing.guesses.push(format!("G ({atom} <-> ({text}))"));
        Ok(read)
    }

    /// What is said of a step, as a condition on the state after it; true in the beginning.
    pub(super) fn of_step(&mut self, expr: &'m Expr, scope: InstanceId) -> ExprId {
        let name = format!("_step_{}", self.memory.of_steps.len() + 1);
        let var = self.new_variable(name, Type::Bool, InitialValue::Same(1), expr.span);
        self.memory.of_steps.push((var, expr, scope));
        self.program.read(var)
    }

    /// What the steps of a process do to what is remembered and guessed.
    pub(super) fn memory_assigns(&mut self, process: usize) -> Lowered<Vec<Assign>> {
        let mut assigns = self.memory.steps.clone();
        for (var, expr, scope) in self.memory.of_steps.clone() {
            let value = self.truth(expr, scope, Moment::Step { process, next: false })?;
            assigns.push(Assign { place: Place::Var(var), value });
        }
        for var in self.memory.prophecies.clone() {
            let name = format!("next({})", self.program.variable(var).name);
            let value = self.new_input(name, Type::Bool, process);
            assigns.push(Assign { place: Place::Var(var), value });
        }
        Ok(assigns)
    }

    fn past_operator(
        &mut self,
        op: Temporal,
        bounds: Option<&'m Bounds>,
        p: ExprId,
        scope: InstanceId,
        span: Span,
    ) -> Lowered<ExprId> {
        let weak = matches!(op, Temporal::WeakYesterday | Temporal::Historically);
        match op {
            Temporal::Yesterday | Temporal::WeakYesterday => Ok(self.yesterday(weak, p, span)),
            // `O` and `H`: nothing else looks back.
            _ => {
                let Some(bounds) = bounds else {
                    // `true S p`, and `false T p`.
                    let other = self.program.exprs.bool(!weak);
                    return Ok(self.since(!weak, other, p, span));
                };
                let (lo, hi) = self.bounds(bounds, scope, span)?;
                let mut value = match hi {
                    Some(hi) => {
                        let mut value = p;
                        for _ in lo..hi {
                            let before = self.yesterday(weak, value, span);
                            let exprs = &mut self.program.exprs;
                            value = if weak { exprs.and(p, before) } else { exprs.or(p, before) };
                        }
                        value
                    }
                    None => self.past_operator(op, None, p, scope, span)?,
                };
                for _ in 0..lo {
                    value = self.yesterday(weak, value, span);
                }
                Ok(value)
            }
        }
    }

    /// The ends of bounds.
    pub(super) fn bounds(&mut self, bounds: &'m Bounds, scope: InstanceId, span: Span) -> Lowered<(i64, Option<i64>)> {
        let lo = self.flat.number(&bounds.lo, scope, 0);
        let hi = bounds.hi.as_ref().map(|hi| self.flat.number(hi, scope, 0));
        match (lo, hi) {
            (Some(lo), None) if (0..=LONGEST).contains(&lo) => Ok((lo, None)),
            (Some(lo), Some(Some(hi))) if 0 <= lo && lo <= hi && hi <= LONGEST => Ok((lo, Some(hi))),
            _ => self.wrong("E0714", &format!("bounds are constant numbers, in order, from 0 to {LONGEST}"), span),
        }
    }

    /// What a condition was in the state before; in the beginning false, or true if that is `weak`.
    fn yesterday(&mut self, weak: bool, p: ExprId, span: Span) -> ExprId {
        if let Some(&known) = self.memory.known.get(&(weak, p)) {
            return known;
        }
        let (var, read) = self.remembered(weak, span);
        self.memory.steps.push(Assign { place: Place::Var(var), value: p });
        self.memory.known.insert((weak, p), read);
        read
    }

    /// `q | (p & before)`; for `T`, `q & (p | before)`.
    fn since(&mut self, strong: bool, p: ExprId, q: ExprId, span: Span) -> ExprId {
        let (var, before) = self.remembered(!strong, span);
        let exprs = &mut self.program.exprs;
        let value = if strong {
            let still = exprs.and(p, before);
            exprs.or(q, still)
        } else {
            let still = exprs.or(p, before);
            exprs.and(q, still)
        };
        self.memory.steps.push(Assign { place: Place::Var(var), value });
        value
    }

    fn remembered(&mut self, initially: bool, span: Span) -> (VarId, ExprId) {
        self.memory.count += 1;
        let name = format!("_past_{}", self.memory.count);
        let var = self.new_variable(name, Type::Bool, InitialValue::Same(i64::from(initially)), span);
        (var, self.program.read(var))
    }
}
