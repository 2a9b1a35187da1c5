//! The same expression or block with other parts.
//!
//! Trees are as deep as the parser lets brackets be nested, so walking them is safe.

use tertium_base::Span;

use crate::ast::sugar::{Accessor, Binding, BindingDomain, Communication, ExprSugar, Quantifier, SetPart, StmtSugar};
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
    if let ExprKind::Sugar(sugar) = &whole.kind
        && let ExprSugar::Quantified(quantifier, binding, body) = sugar.as_ref()
    {
        return Expr { kind: quantified(*quantifier, binding, body, replace), span: whole.span };
    }
    map(whole, &mut |part| expr(part, replace))
}

/// A quantifier; inside of it, its names are its own.
fn quantified(quantifier: Quantifier, binding: &Binding, body: &Expr, replace: &Replace<'_>) -> ExprKind {
    let domain = match &binding.domain {
        BindingDomain::Range(both) => BindingDomain::Range(Box::new(range(both, replace))),
        BindingDomain::Named(named) => BindingDomain::Named(expr(named, replace)),
    };
    let own = |name: &Ident| binding.names.iter().any(|known| known.name == name.name);
    let inside = |part: &Expr| match &part.kind {
        ExprKind::Name(name) if own(name) => Some(part.clone()),
        _ => replace(part),
    };
    let body = expr(body, &inside);
    let binding = Binding { names: binding.names.clone(), domain };
    ExprKind::Sugar(Box::new(ExprSugar::Quantified(quantifier, binding, body)))
}

/// An expression of whose parts something is made; the parts alone, not what they consist of.
pub(crate) fn map(whole: &Expr, make: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
    fn one(part: &Expr, make: &mut dyn FnMut(&Expr) -> Expr) -> Box<Expr> {
        Box::new(make(part))
    }
    fn many(parts: &[Expr], make: &mut dyn FnMut(&Expr) -> Expr) -> Vec<Expr> {
        parts.iter().map(make).collect()
    }
    fn process(who: &ProcessRef, make: &mut dyn FnMut(&Expr) -> Expr) -> ProcessRef {
        ProcessRef { name: who.name.clone(), index: who.index.as_ref().map(|index| Box::new(make(index))) }
    }
    let kind = match &whole.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Deadlock | ExprKind::Name(_) => whole.kind.clone(),
        ExprKind::Index(name, parts) => ExprKind::Index(name.clone(), many(parts, make)),
        ExprKind::Call(name, parts) => ExprKind::Call(name.clone(), many(parts, make)),
        ExprKind::At(who, label) => ExprKind::At(process(who, make), label.clone()),
        ExprKind::Field(who, name, parts) => ExprKind::Field(process(who, make), name.clone(), many(parts, make)),
        ExprKind::Not(a) => ExprKind::Not(one(a, make)),
        ExprKind::Negate(a) => ExprKind::Negate(one(a, make)),
        ExprKind::And(parts) => ExprKind::And(many(parts, make)),
        ExprKind::Or(parts) => ExprKind::Or(many(parts, make)),
        ExprKind::Implies(a, b) => ExprKind::Implies(one(a, make), one(b, make)),
        ExprKind::Iff(a, b) => ExprKind::Iff(one(a, make), one(b, make)),
        ExprKind::Bitwise(op, a, b) => ExprKind::Bitwise(*op, one(a, make), one(b, make)),
        ExprKind::Compare(op, a, b) => ExprKind::Compare(*op, one(a, make), one(b, make)),
        ExprKind::Sum(first, rest) => {
            ExprKind::Sum(one(first, make), rest.iter().map(|(minus, part)| (*minus, make(part))).collect())
        }
        ExprKind::Product(first, rest) => {
            ExprKind::Product(one(first, make), rest.iter().map(|(op, part)| (*op, make(part))).collect())
        }
        ExprKind::If(a, b, c) => ExprKind::If(one(a, make), one(b, make), one(c, make)),
        ExprKind::Sugar(sugar) => ExprKind::Sugar(Box::new(match sugar.as_ref() {
            ExprSugar::Quantified(quantifier, binding, body) => {
                let domain = match &binding.domain {
                    BindingDomain::Range(both) => {
                        BindingDomain::Range(Box::new(Range { lo: make(&both.lo), hi: make(&both.hi) }))
                    }
                    BindingDomain::Named(named) => BindingDomain::Named(make(named)),
                };
                ExprSugar::Quantified(*quantifier, Binding { names: binding.names.clone(), domain }, make(body))
            }
            ExprSugar::Path(name, path) => ExprSugar::Path(name.clone(), accessors(path, make)),
            ExprSugar::In(element, set) => ExprSugar::In(make(element), make(set)),
            ExprSugar::Set(parts) => ExprSugar::Set(
                parts
                    .iter()
                    .map(|part| match part {
                        SetPart::Element(element) => SetPart::Element(make(element)),
                        SetPart::Range(both) => SetPart::Range(Range { lo: make(&both.lo), hi: make(&both.hi) }),
                    })
                    .collect(),
            ),
        })),
    };
    Expr { kind, span: whole.span }
}

/// An expression of which only the words count, wherever they stand.
pub(crate) fn without_places(whole: &Expr) -> Expr {
    placed(whole, &|_| Span::default())
}

/// An expression that stands elsewhere.
pub(crate) fn placed(whole: &Expr, place: &dyn Fn(Span) -> Span) -> Expr {
    let mut moved = map(whole, &mut |part| placed(part, place));
    moved.span = place(moved.span);
    let put = |name: &mut Ident| name.span = place(name.span);
    match &mut moved.kind {
        ExprKind::Name(name) | ExprKind::Index(name, _) | ExprKind::Call(name, _) => put(name),
        ExprKind::At(who, name) | ExprKind::Field(who, name, _) => {
            put(&mut who.name);
            put(name);
        }
        ExprKind::Sugar(sugar) => match sugar.as_mut() {
            ExprSugar::Quantified(_, binding, _) => binding.names.iter_mut().for_each(put),
            ExprSugar::Path(name, path) => {
                put(name);
                for accessor in path {
                    if let Accessor::Field(field) = accessor {
                        put(field);
                    }
                }
            }
            ExprSugar::In(..) | ExprSugar::Set(_) => {}
        },
        _ => {}
    }
    moved
}

/// A path with other indices.
pub(crate) fn accessors(path: &[Accessor], make: &mut dyn FnMut(&Expr) -> Expr) -> Vec<Accessor> {
    let one = |accessor: &Accessor| match accessor {
        Accessor::Index(index) => Accessor::Index(make(index)),
        Accessor::Field(field) => Accessor::Field(field.clone()),
    };
    path.iter().map(one).collect()
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
        StmtKind::Sugar(sugar) => StmtKind::Sugar(Box::new(match sugar.as_ref() {
            StmtSugar::For(name, both, body) => StmtSugar::For(name.clone(), range(both, replace), inner(body)),
            StmtSugar::Call(name, parts) => StmtSugar::Call(name.clone(), parts.iter().map(one).collect()),
            StmtSugar::Communicate(condition, communication) => StmtSugar::Communicate(
                condition.as_ref().map(one),
                match communication {
                    Communication::Send(channel, value) => Communication::Send(target(channel), source(value, replace)),
                    Communication::Receive(channel, to) => Communication::Receive(target(channel), target(to)),
                },
            ),
        })),
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
                visit_target(target, see);
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
            StmtKind::Sugar(sugar) => visit_sugar(sugar, see, write),
        }
    }
}

fn visit_target(target: &Target, see: &mut dyn FnMut(&Expr)) {
    target.indices.iter().for_each(|index| visit(index, see));
    for accessor in &target.accessors {
        if let Accessor::Index(index) = accessor {
            visit(index, see);
        }
    }
}

fn visit_sugar(sugar: &StmtSugar, see: &mut dyn FnMut(&Expr), write: &mut dyn FnMut(&Target)) {
    match sugar {
        StmtSugar::For(_, both, body) => {
            [&both.lo, &both.hi].into_iter().for_each(|end| visit(end, see));
            visit_block(body, see, write);
        }
        StmtSugar::Call(_, parts) => parts.iter().for_each(|part| visit(part, see)),
        StmtSugar::Communicate(condition, communication) => {
            condition.iter().for_each(|condition| visit(condition, see));
            match communication {
                Communication::Send(channel, value) => {
                    write(channel);
                    visit_target(channel, see);
                    if let Source::Value(value) = value {
                        visit(value, see);
                    }
                }
                Communication::Receive(channel, to) => {
                    for target in [channel, to] {
                        write(target);
                        visit_target(target, see);
                    }
                }
            }
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
            ExprKind::Implies(a, b) | ExprKind::Iff(a, b) | ExprKind::Compare(_, a, b) | ExprKind::Bitwise(_, a, b) => {
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
            ExprKind::Sugar(sugar) => open.extend(parts_of(sugar)),
        }
    }
}

/// The parts of what stands for another expression.
fn parts_of(sugar: &ExprSugar) -> Vec<&Expr> {
    match sugar {
        ExprSugar::Quantified(_, binding, body) => match &binding.domain {
            BindingDomain::Range(both) => vec![&both.lo, &both.hi, body],
            BindingDomain::Named(named) => vec![named, body],
        },
        ExprSugar::Path(_, path) => {
            let indices = path.iter().filter_map(|accessor| match accessor {
                Accessor::Index(index) => Some(index),
                Accessor::Field(_) => None,
            });
            indices.collect()
        }
        ExprSugar::In(element, set) => vec![element, set],
        ExprSugar::Set(parts) => parts
            .iter()
            .flat_map(|part| match part {
                SetPart::Element(element) => vec![element],
                SetPart::Range(both) => vec![&both.lo, &both.hi],
            })
            .collect(),
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
