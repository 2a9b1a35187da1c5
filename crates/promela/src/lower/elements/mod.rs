//! How are the statements of a process arranged?
//!
//! One [`Element`] per statement, joined as Spin joins them, because which control points are states of their own depends on
//! that arrangement: compound statements have a state besides that of their first statement, jumps have one only
//! where they begin an option or leave an atomic block, and the last statement of an atomic block is outside it.
//!
//! Not here: which of the elements are reached, and what they do.

mod draft;

use tertium_base::Span;

pub(super) use self::draft::{Basic, Draft, ElementId, ElementKind};
use crate::ast::{self, ExprKind, ForLoop, ForRange, Stmt, StmtKind, VarRef};
use crate::lower::Lowering;
use crate::symbols::{Meaning, UnitId};

/// Constant ranges up to this wide are chosen from directly.
const WIDEST_CHOICE: i64 = 32;

impl<'a> Lowering<'a> {
    /// Arranges the statements of a unit.
    pub(super) fn arrange(&mut self, unit: UnitId) -> Draft<'a> {
        let (body, end) = self.body(unit);
        let kind = self.symbols.unit(unit).kind;
        let mut draft = Draft { claim: kind == crate::symbols::UnitKind::Never, ..Draft::default() };
        let last = draft.add(ElementKind::End, 0, end);
        draft.elements[last].end = true;
        self.current = Some(unit);
        draft.first = self.sequence(&mut draft, body, last, false);
        self.current = None;
        draft.end_blocks_at_jumps();
        draft
    }

    /// The first element of a sequence that goes on at `next`. The elements of the sequence itself are collected as
    /// [`Sequence`] needs them for marking atomic blocks.
    fn sequence(&mut self, draft: &mut Draft<'a>, body: &'a [Stmt], next: ElementId, option: bool) -> ElementId {
        let kept = without_idle_skips(body, option && !draft.claim);
        let mut first = next;
        for stmt in kept.into_iter().rev() {
            first = self.statement(draft, stmt, first);
        }
        first
    }

    /// The element with which a statement begins.
    fn statement(&mut self, draft: &mut Draft<'a>, stmt: &'a Stmt, next: ElementId) -> ElementId {
        let start = draft.elements.len();
        let (first, labelled) = self.arranged(draft, stmt, next, start);
        if stmt.labels.is_empty() {
            return first;
        }
        let mut first = first;
        let mut labelled = labelled;
        // A jump has no state of its own that a label could mark.
        let marks = stmt.labels.iter().any(|label| marked(&label.name.name) || self.remote_labels.contains(&label.id));
        if marks && matches!(draft.elements[labelled].kind, ElementKind::Goto(_) | ElementKind::Break(_)) {
            let skip = draft.add(ElementKind::Basic(Basic::Skip), labelled, stmt.span);
            if first == labelled {
                first = skip;
            }
            labelled = skip;
        }
        for label in &stmt.labels {
            draft.labels.insert(label.id, labelled);
            let element = &mut draft.elements[labelled];
            element.end |= label.name.name.starts_with("end");
            element.progress |= label.name.name.starts_with("progress");
            element.accept |= label.name.name.starts_with("accept");
            element.names.push(label.name.name.clone());
        }
        first
    }

    /// The element with which a statement begins, and the one that its labels mark.
    fn arranged(
        &mut self,
        draft: &mut Draft<'a>,
        stmt: &'a Stmt,
        next: ElementId,
        start: usize,
    ) -> (ElementId, ElementId) {
        let span = stmt.span;
        let only = |id| (id, id);
        match &stmt.kind {
            StmtKind::Decl { step: false, .. } | StmtKind::Exclusive(..) | StmtKind::Pred(_) => only(next),
            StmtKind::Decl { vars, step: true } => {
                let resets = vars.vars.iter().rev();
                only(resets.fold(next, |next, var| draft.add(ElementKind::Basic(Basic::Reset(var)), next, var.span)))
            }
            StmtKind::Else => only(draft.add(ElementKind::Else, next, span)),
            StmtKind::Goto(label) => match self.symbols.meaning(label.id) {
                Some(Meaning::Label(id)) => only(draft.add(ElementKind::Goto(*id), next, span)),
                _ => only(next),
            },
            StmtKind::Break => {
                let to = draft.loops.last().copied().unwrap_or(next);
                only(draft.add(ElementKind::Break(to), next, span))
            }
            StmtKind::Block(body) => only(self.block(draft, body, next, span)),
            StmtKind::Inline(inlined) => only(self.block(draft, &inlined.body, next, span)),
            StmtKind::Atomic(body) => {
                let id = draft.add(ElementKind::Atomic(next), next, span);
                let first = self.sequence(draft, body, next, false);
                draft.elements[id].kind = ElementKind::Atomic(first);
                draft.make_atomic(start, id, next);
                only(id)
            }
            StmtKind::DStep(body) => {
                let id = draft.add(ElementKind::DStep(next), next, span);
                let first = self.sequence(draft, body, next, false);
                draft.elements[id].kind = ElementKind::DStep(first);
                draft.make_deterministic(start, id, next);
                only(id)
            }
            StmtKind::If(branches) => {
                let bodies: Vec<&'a [Stmt]> = branches.iter().map(|branch| branch.body.as_slice()).collect();
                let join = draft.add(ElementKind::Join, next, span);
                let options = bodies.into_iter().map(|body| self.sequence(draft, body, join, true)).collect();
                only(draft.choice(options, join, span))
            }
            StmtKind::Do(branches) => {
                let leave = draft.add(ElementKind::Join, next, span);
                let head = draft.add(ElementKind::Choice(Vec::new()), leave, span);
                draft.loops.push(leave);
                let options: Vec<ElementId> =
                    branches.iter().map(|branch| self.sequence(draft, &branch.body, head, true)).collect();
                draft.loops.pop();
                draft.set_options(head, options);
                only(head)
            }
            StmtKind::For(looped) => self.for_loop(draft, looped, next, span),
            StmtKind::Select(var, lo, hi) => self.select(draft, var, lo, hi, next, span),
            StmtKind::Unless(body, escape) => only(self.unless(draft, body, escape, next, span)),
            _ => only(draft.add(ElementKind::Basic(Basic::Plain(stmt)), next, span)),
        }
    }

    fn block(&mut self, draft: &mut Draft<'a>, body: &'a [Stmt], next: ElementId, span: Span) -> ElementId {
        let first = self.sequence(draft, body, next, false);
        // A block of declarations alone is nothing.
        if first == next { next } else { draft.add(ElementKind::Block(first), next, span) }
    }

    fn unless(
        &mut self,
        draft: &mut Draft<'a>,
        body: &'a Stmt,
        escape: &'a Stmt,
        next: ElementId,
        span: Span,
    ) -> ElementId {
        let join = draft.add(ElementKind::Join, next, span);
        let escape_first = self.unwrapped(draft, escape, join);
        let start = draft.elements.len();
        let first = self.unwrapped(draft, body, join);
        draft.attach_escape(start, escape_first);
        draft.add(ElementKind::Unless(first), join, span)
    }

    /// A statement of `unless`: the braces around it are no block.
    fn unwrapped(&mut self, draft: &mut Draft<'a>, stmt: &'a Stmt, next: ElementId) -> ElementId {
        match &stmt.kind {
            StmtKind::Block(body) if stmt.labels.is_empty() => self.sequence(draft, body, next, false),
            StmtKind::Inline(inlined) if stmt.labels.is_empty() => self.sequence(draft, &inlined.body, next, false),
            _ => self.statement(draft, stmt, next),
        }
    }

    fn for_loop(
        &mut self,
        draft: &mut Draft<'a>,
        looped: &'a ForLoop,
        next: ElementId,
        span: Span,
    ) -> (ElementId, ElementId) {
        let (start, test, step, extra) = match &looped.over {
            ForRange::Range(from, to) => (
                Basic::Set(&looped.var, from),
                Basic::Compare(ast::Binary::Le, &looped.var, to),
                Basic::Next(&looped.var),
                None,
            ),
            ForRange::In(collection) => match self.array_size(collection) {
                Some(size) => (
                    Basic::SetTo(&looped.var, 0),
                    Basic::AtMost(&looped.var, i64::from(size) - 1),
                    Basic::Next(&looped.var),
                    None,
                ),
                None => {
                    let capacity = self.capacity(collection);
                    (
                        Basic::CounterStart(collection.id, capacity),
                        Basic::CounterLess(collection.id, capacity, collection),
                        Basic::CounterNext(collection.id, capacity),
                        Some(collection),
                    )
                }
            },
        };
        let leave = draft.add(ElementKind::Join, next, span);
        let head = draft.add(ElementKind::Choice(Vec::new()), leave, span);
        draft.loops.push(leave);
        let step = draft.add(ElementKind::Basic(step), head, span);
        let mut first = self.sequence(draft, &looped.body, step, false);
        if let Some(channel) = extra {
            let back = draft.add(ElementKind::Basic(Basic::PutBack(channel, &looped.var)), first, span);
            first = draft.add(ElementKind::Basic(Basic::Take(channel, &looped.var)), back, span);
        }
        let test = draft.add(ElementKind::Basic(test), first, span);
        draft.loops.pop();
        let out = draft.add(ElementKind::Break(leave), head, span);
        let otherwise = draft.add(ElementKind::Else, out, span);
        draft.set_options(head, vec![test, otherwise]);
        (draft.add(ElementKind::Basic(start), head, span), head)
    }

    fn select(
        &mut self,
        draft: &mut Draft<'a>,
        var: &'a VarRef,
        lo: &'a ast::Expr,
        hi: &'a ast::Expr,
        next: ElementId,
        span: Span,
    ) -> (ElementId, ElementId) {
        if let (Some(from), Some(to)) = (literal(lo), literal(hi))
            && to - from <= WIDEST_CHOICE
        {
            if to < from {
                return (next, next);
            }
            let join = draft.add(ElementKind::Join, next, span);
            let options =
                (from..=to).map(|value| draft.add(ElementKind::Basic(Basic::SetTo(var, value)), join, span)).collect();
            let id = draft.choice(options, join, span);
            return (id, id);
        }
        let leave = draft.add(ElementKind::Join, next, span);
        let head = draft.add(ElementKind::Choice(Vec::new()), leave, span);
        let grow = draft.add(ElementKind::Basic(Basic::Next(var)), head, span);
        let test = draft.add(ElementKind::Basic(Basic::Compare(ast::Binary::Lt, var, hi)), grow, span);
        let out = draft.add(ElementKind::Break(leave), head, span);
        draft.set_options(head, vec![test, out]);
        (draft.add(ElementKind::Basic(Basic::Set(var, lo)), head, span), head)
    }

    /// The size of the array that is named as a whole.
    fn array_size(&self, reference: &VarRef) -> Option<u32> {
        let Some(Meaning::Variable { symbol, fields, ty, whole_array }) = self.symbols.meaning(reference.id) else {
            return None;
        };
        let mut declared = self.symbols.variable(*symbol);
        for &field in fields {
            let crate::symbols::DataType::Struct(id) = declared.ty else { break };
            declared = &self.symbols.structure(id).fields[field as usize];
        }
        let channel = *ty == crate::symbols::DataType::Chan && declared.size.is_none();
        if channel || !*whole_array { None } else { declared.size }
    }

    fn capacity(&self, reference: &VarRef) -> u32 {
        let Some(Meaning::Variable { symbol, .. }) = self.symbols.meaning(reference.id) else { return 0 };
        self.symbols.variable(*symbol).channel.as_ref().map_or(0, |shape| shape.capacity)
    }
}

/// Labels that say something about a state.
fn marked(name: &str) -> bool {
    ["end", "progress", "accept"].iter().any(|prefix| name.starts_with(prefix))
}

/// A number as written.
fn literal(expr: &ast::Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        _ => None,
    }
}

/// Inside an option, of several `skip`s in a row those that are neither first nor last of the option go.
fn without_idle_skips(body: &[Stmt], option: bool) -> Vec<&Stmt> {
    let mut kept: Vec<&Stmt> = Vec::new();
    let mut before_is_skip = false;
    for (at, stmt) in body.iter().enumerate() {
        let idle = is_skip(stmt);
        let inner = at > 0 && at + 1 < body.len();
        if option && idle && before_is_skip && inner && stmt.labels.is_empty() {
            continue;
        }
        before_is_skip = idle || matches!(stmt.kind, StmtKind::Printf(..) | StmtKind::Printm(_));
        kept.push(stmt);
    }
    kept
}

fn is_skip(stmt: &Stmt) -> bool {
    let StmtKind::Expr(expr) = &stmt.kind else { return false };
    matches!(expr.kind, ExprKind::Skip | ExprKind::Bool(true) | ExprKind::Int(1))
}
