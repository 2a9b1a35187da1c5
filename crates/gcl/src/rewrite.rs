//! The same expression or block with other parts.
//!
//! Trees are as deep as the parser lets brackets be nested, so walking them is safe.

use crate::ast::{
    Assignment, Block, Expr, ExprKind, Ident, Initial, ProcessRef, Range, Source, Stmt, StmtKind, Target, VarDecl,
};

/// What replaces a part, if something does.
pub(crate) type Replace<'r> = dyn Fn(&Expr) -> Option<Expr> + 'r;

/// An expression of which every part is replaced that has something else, from the outside in.
pub(crate) fn expr(whole: &Expr, replace: &Replace<'_>) -> Expr {
    if let Some(other) = replace(whole) {
        return other;
    }
    let one = |part: &Expr| Box::new(expr(part, replace));
    let many = |parts: &[Expr]| parts.iter().map(|part| expr(part, replace)).collect::<Vec<_>>();
    let process = |process: &ProcessRef| process_ref(process, replace);
    let kind = match &whole.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Deadlock | ExprKind::Name(_) => whole.kind.clone(),
        ExprKind::Index(name, parts) => ExprKind::Index(name.clone(), many(parts)),
        ExprKind::Call(name, parts) => ExprKind::Call(name.clone(), many(parts)),
        ExprKind::At(who, label) => ExprKind::At(process(who), label.clone()),
        ExprKind::Field(who, name, parts) => ExprKind::Field(process(who), name.clone(), many(parts)),
        ExprKind::Not(a) => ExprKind::Not(one(a)),
        ExprKind::Negate(a) => ExprKind::Negate(one(a)),
        ExprKind::And(parts) => ExprKind::And(many(parts)),
        ExprKind::Or(parts) => ExprKind::Or(many(parts)),
        ExprKind::Implies(a, b) => ExprKind::Implies(one(a), one(b)),
        ExprKind::Iff(a, b) => ExprKind::Iff(one(a), one(b)),
        ExprKind::Compare(op, a, b) => ExprKind::Compare(*op, one(a), one(b)),
        ExprKind::Sum(first, rest) => {
            ExprKind::Sum(one(first), rest.iter().map(|(minus, part)| (*minus, expr(part, replace))).collect())
        }
        ExprKind::Product(first, rest) => {
            ExprKind::Product(one(first), rest.iter().map(|(op, part)| (*op, expr(part, replace))).collect())
        }
        ExprKind::If(a, b, c) => ExprKind::If(one(a), one(b), one(c)),
    };
    Expr { kind, span: whole.span }
}

fn process_ref(process: &ProcessRef, replace: &Replace<'_>) -> ProcessRef {
    let index = process.index.as_ref().map(|index| Box::new(expr(index, replace)));
    ProcessRef { name: process.name.clone(), index }
}

/// Both ends of a range.
pub(crate) fn range(both: &Range, replace: &Replace<'_>) -> Range {
    Range { lo: expr(&both.lo, replace), hi: expr(&both.hi, replace) }
}

/// A block; `target` says where its assignments write.
pub(crate) fn block(statements: &Block, replace: &Replace<'_>, target: &dyn Fn(&Target) -> Target) -> Block {
    let inner = |statements: &Block| block(statements, replace, target);
    let one = |part: &Expr| expr(part, replace);
    let assigned = |assignment: &Assignment| Assignment {
        targets: assignment.targets.iter().map(target).collect(),
        sources: assignment.sources.iter().map(|from| source(from, replace)).collect(),
    };
    let kind = |kind: &StmtKind| match kind {
        StmtKind::Skip | StmtKind::Goto(_) | StmtKind::Stop => kind.clone(),
        StmtKind::Assign(assignment) => StmtKind::Assign(assigned(assignment)),
        StmtKind::Await(condition) => StmtKind::Await(one(condition)),
        StmtKind::Assert(condition) => StmtKind::Assert(one(condition)),
        StmtKind::When(condition, assignment) => StmtKind::When(one(condition), assignment.as_ref().map(assigned)),
        StmtKind::If(branches, otherwise) => StmtKind::If(
            branches.iter().map(|(condition, body)| (one(condition), inner(body))).collect(),
            otherwise.as_ref().map(inner),
        ),
        StmtKind::While(condition, body) => StmtKind::While(one(condition), inner(body)),
        StmtKind::Loop(body) => StmtKind::Loop(inner(body)),
        StmtKind::Choose(branches) => StmtKind::Choose(branches.iter().map(inner).collect()),
        StmtKind::Atomic(body) => StmtKind::Atomic(inner(body)),
    };
    let statement = |known: &Stmt| Stmt { labels: known.labels.clone(), kind: kind(&known.kind), span: known.span };
    statements.iter().map(statement).collect()
}

fn source(from: &Source, replace: &Replace<'_>) -> Source {
    match from {
        Source::Value(value) => Source::Value(expr(value, replace)),
        Source::Any(span) => Source::Any(*span),
        Source::Within(both, span) => Source::Within(range(both, replace), *span),
    }
}

/// All expressions of a block with the names it writes to, from the outside in.
pub(crate) fn visit_block(statements: &Block, see: &mut dyn FnMut(&Expr), write: &mut dyn FnMut(&Target)) {
    for statement in statements {
        let mut assigned = |assignment: &Assignment, see: &mut dyn FnMut(&Expr)| {
            for target in &assignment.targets {
                write(target);
                target.indices.iter().for_each(|index| visit(index, see));
            }
            for source in &assignment.sources {
                match source {
                    Source::Value(value) => visit(value, see),
                    Source::Any(_) => {}
                    Source::Within(both, _) => [&both.lo, &both.hi].into_iter().for_each(|end| visit(end, see)),
                }
            }
        };
        match &statement.kind {
            StmtKind::Skip | StmtKind::Goto(_) | StmtKind::Stop => {}
            StmtKind::Assign(assignment) => assigned(assignment, see),
            StmtKind::Await(condition) | StmtKind::Assert(condition) => visit(condition, see),
            StmtKind::When(condition, assignment) => {
                visit(condition, see);
                if let Some(assignment) = assignment {
                    assigned(assignment, see);
                }
            }
            StmtKind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    visit(condition, see);
                    visit_block(body, see, write);
                }
                otherwise.iter().for_each(|body| visit_block(body, see, write));
            }
            StmtKind::While(condition, body) => {
                visit(condition, see);
                visit_block(body, see, write);
            }
            StmtKind::Loop(body) | StmtKind::Atomic(body) => visit_block(body, see, write),
            StmtKind::Choose(branches) => branches.iter().for_each(|body| visit_block(body, see, write)),
        }
    }
}

/// All parts of an expression, from the outside in.
pub(crate) fn visit(whole: &Expr, see: &mut dyn FnMut(&Expr)) {
    let mut open = vec![whole];
    while let Some(part) = open.pop() {
        see(part);
        match &part.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Deadlock | ExprKind::Name(_) => {}
            ExprKind::Index(_, parts) | ExprKind::Call(_, parts) => open.extend(parts),
            ExprKind::At(who, _) => open.extend(who.index.as_deref()),
            ExprKind::Field(who, _, parts) => open.extend(who.index.as_deref().into_iter().chain(parts)),
            ExprKind::Not(a) | ExprKind::Negate(a) => open.push(a),
            ExprKind::And(parts) | ExprKind::Or(parts) => open.extend(parts),
            ExprKind::Implies(a, b) | ExprKind::Iff(a, b) | ExprKind::Compare(_, a, b) => {
                open.extend([a.as_ref(), b.as_ref()]);
            }
            ExprKind::Sum(first, rest) => {
                open.push(first);
                open.extend(rest.iter().map(|(_, part)| part));
            }
            ExprKind::Product(first, rest) => {
                open.push(first);
                open.extend(rest.iter().map(|(_, part)| part));
            }
            ExprKind::If(a, b, c) => open.extend([a.as_ref(), b.as_ref(), c.as_ref()]),
        }
    }
}

/// The expressions of a declaration: ends of ranges, initial values.
pub(crate) fn visit_declaration(declaration: &VarDecl, see: &mut dyn FnMut(&Expr)) {
    let mut ty = Some(&declaration.ty);
    while let Some(known) = ty {
        ty = None;
        match &known.kind {
            crate::ast::TypeKind::Range(both) => [&both.lo, &both.hi].into_iter().for_each(|end| visit(end, see)),
            crate::ast::TypeKind::Array(both, inner) => {
                [&both.lo, &both.hi].into_iter().for_each(|end| visit(end, see));
                ty = Some(inner);
            }
            _ => {}
        }
    }
    match &declaration.initial {
        None => {}
        Some(Initial::Same(value)) => visit(value, see),
        Some(Initial::Each(values, _)) => values.iter().for_each(|value| visit(value, see)),
    }
}

/// An expression with numbers in place of some names.
pub(crate) fn with_numbers(whole: &Expr, numbers: &[(String, i64)]) -> Expr {
    let number = |name: &Ident| numbers.iter().find(|(known, _)| *known == name.name).map(|&(_, number)| number);
    expr(whole, &|part| match &part.kind {
        ExprKind::Name(name) => Some(Expr { kind: ExprKind::Int(number(name)?), span: part.span }),
        _ => None,
    })
}
