//! Which integers may be ranking functions?
//!
//! The distances of what predicates compare, and their sums: where a loop goes on as long as `i < n`, `n - i` may decrease. Each candidate is a term of the abstraction, and a text for a certificate.

use crate::limits;
use tertium_abstraction::System;
use tertium_kernel::vocabulary::Vocabulary;
use tertium_program::{Binary, Expr, ExprId, Exprs, Sort, Unary};
use tertium_smt::TermId;

/// An integer that may be a ranking function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    /// As the abstraction has it.
    pub(super) term: TermId,
    /// As a certificate has it.
    pub(super) text: String,
    /// For people.
    pub(super) shown: String,
}

/// An integer made from two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Difference(ExprId, ExprId),
    Sum(ExprId, ExprId),
}

/// The candidates that the present predicates suggest; none where they have no words.
pub(super) fn candidates(system: &mut System) -> Vec<Candidate> {
    let mut shapes: Vec<(TermId, Shape)> = Vec::new();
    for (a, b) in compared(system) {
        for shape in [Shape::Difference(b, a), Shape::Difference(a, b), Shape::Sum(a, b)] {
            let Some(term) = term(system, shape) else { continue };
            let known = shapes.iter().any(|(other, _)| *other == term);
            let constant = system.asking().0.as_int(term).is_some();
            if !known && !constant && !system.has_functions(term) {
                shapes.push((term, shape));
            }
        }
    }
    let program = system.program();
    let Ok(mut words) = Vocabulary::new(program) else { return Vec::new() };
    let told = |(term, shape): (TermId, Shape)| {
        let (text, shown) = told(&program.exprs, &mut words, shape)?;
        Some(Candidate { term, text, shown })
    };
    shapes.into_iter().filter_map(told).take(limits::RANKING_CANDIDATES_MOST_CANDIDATES).collect()
}

fn term(system: &mut System, shape: Shape) -> Option<TermId> {
    let (Shape::Difference(a, b) | Shape::Sum(a, b)) = shape;
    let (a, b) = (system.number(a).ok()?, system.number(b).ok()?);
    let terms = system.asking().0;
    Some(if matches!(shape, Shape::Sum(..)) { terms.add(a, b) } else { terms.sub(a, b) })
}

/// The text of a candidate, and how people read it.
fn told(exprs: &Exprs, words: &mut Vocabulary<'_>, shape: Shape) -> Option<(String, String)> {
    let (Shape::Difference(a, b) | Shape::Sum(a, b)) = shape;
    let (left, right) = (words.number(a).ok()?.replace('|', ""), words.number(b).ok()?.replace('|', ""));
    Some(match shape {
        Shape::Difference(a, b) if exprs.constant(b) == Some(0) => (words.difference(a, b).ok()?, left),
        Shape::Difference(a, b) => (words.difference(a, b).ok()?, format!("{left} - {right}")),
        Shape::Sum(a, b) => (words.sum(a, b).ok()?, format!("{left} + {right}")),
    })
}

/// The pairs of integers that predicates compare.
fn compared(system: &mut System) -> Vec<(ExprId, ExprId)> {
    let predicates: Vec<ExprId> = system.predicates().iter().map(|predicate| predicate.expr).collect();
    let program = system.program_mut();
    let zero = program.exprs.int(0);
    let mut found = Vec::new();
    for predicate in predicates {
        // Where an expression has a value is a matter of comparisons, too.
        let defined = program.defined(predicate);
        for id in program.exprs.reachable(&[defined, predicate]) {
            found.extend(comparison(&program.exprs, id));
            let parts = conditions(&program.exprs, id).into_iter().chain((id == predicate).then_some(id));
            found.extend(parts.filter(|&part| program.exprs.sort(part) == Sort::Int).map(|part| (part, zero)));
        }
    }
    found
}

fn comparison(exprs: &Exprs, id: ExprId) -> Option<(ExprId, ExprId)> {
    let (low, high) = match exprs.get(id) {
        Expr::Binary(Binary::Le | Binary::Gt | Binary::Eq | Binary::Ne, a, b) => (a, b),
        Expr::Binary(Binary::Lt | Binary::Ge, a, b) => (b, a),
        _ => return None,
    };
    (exprs.sort(low) == Sort::Int && exprs.sort(high) == Sort::Int).then_some((low, high))
}

/// What is taken for true or false; an integer is true if it is not 0.
fn conditions(exprs: &Exprs, id: ExprId) -> Vec<ExprId> {
    match exprs.get(id) {
        Expr::Unary(Unary::Not, a) | Expr::If(a, ..) => vec![a],
        Expr::Binary(Binary::And | Binary::Or | Binary::Implies, a, b) => vec![a, b],
        _ => Vec::new(),
    }
}
