//! Which integers may be ranking functions?
//!
//! The distances of what predicates compare, and their sums: where a loop goes on as long as `i < n`, `n - i` may decrease. Each candidate is a term of the abstraction, and a text for a certificate.

use crate::predicate_abstraction::basis;
use tertium_abstraction::System;
use tertium_abstraction::linear_rank::{LinearFunction, Piece, PlacedFunction};
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
enum LinearCombination {
    Difference(ExprId, ExprId),
    Sum(ExprId, ExprId),
}

/// The candidates that the present predicates suggest; none where they have no words.
pub(super) fn candidates(system: &mut System) -> Vec<Candidate> {
    let mut shapes: Vec<(TermId, LinearCombination)> = Vec::new();
    for (a, b) in compared(system) {
        for shape in
            [LinearCombination::Difference(b, a), LinearCombination::Difference(a, b), LinearCombination::Sum(a, b)]
        {
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
    let told = |(term, shape): (TermId, LinearCombination)| {
        let (text, shown) = told(&program.exprs, &mut words, shape)?;
        Some(Candidate { term, text, shown })
    };
    shapes.into_iter().filter_map(told).collect()
}

impl Candidate {
    /// A linear function of cells, or one for each combination of locations; none where it has no words.
    pub(super) fn placed(system: &mut System, function: &PlacedFunction) -> Option<Self> {
        let (text, shown) = match function.everywhere() {
            Some(same) => linear_told(&mut Vocabulary::new(system.program()).ok()?, same)?,
            None => placed_told(system, function)?,
        };
        let term = match function.everywhere() {
            Some(same) => system.linear_term(same),
            None => system.placed_term(function),
        };
        Some(Self { term, text, shown })
    }
}

/// A linear function in SMT-LIB, and for people.
fn linear_told(words: &mut Vocabulary<'_>, function: &LinearFunction) -> Option<(String, String)> {
    let (mut texts, mut shown) = (Vec::new(), String::new());
    for &(var, cell, factor) in &function.parts {
        let name = words.cell(var, cell)?;
        let plain = name.replace('|', "");
        let size = if factor.abs() == 1 { plain } else { format!("{} * {plain}", factor.abs()) };
        shown.push_str(match (shown.is_empty(), factor < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        shown.push_str(&size);
        texts.push(if factor == 1 { name } else { format!("(* {} {name})", number(factor)) });
    }
    if texts.is_empty() {
        return Some((number(function.constant), function.constant.to_string()));
    }
    if function.constant != 0 {
        let sign = if function.constant < 0 { "-" } else { "+" };
        shown.push_str(&format!(" {sign} {}", function.constant.abs()));
        texts.push(number(function.constant));
    }
    let text = if texts.len() == 1 { texts.concat() } else { format!("(+ {})", texts.join(" ")) };
    Some((text, shown))
}

/// A function by pieces in SMT-LIB, and for people, who are told it once for all pieces on which it is the same.
fn placed_told(system: &System, function: &PlacedFunction) -> Option<(String, String)> {
    let program = system.program();
    let mut words = Vocabulary::new(program).ok()?;
    let mut text = "0".to_owned();
    let mut shown: Vec<(String, Vec<String>)> = Vec::new();
    for (piece, linear) in function.at.iter().rev() {
        let (value, told) = linear_told(&mut words, linear)?;
        let (here, name) = piece_told(system, &mut words, piece)?;
        text = format!("(ite {here} {value} {text})");
        match shown.iter_mut().find(|(known, _)| *known == told) {
            Some((_, places)) => places.push(name),
            None => shown.push((told, vec![name])),
        }
    }
    shown.reverse();
    let told = shown.iter().map(|(value, places)| {
        let places: Vec<&str> = places.iter().rev().map(String::as_str).collect();
        format!("{value} at {}", places.join(", "))
    });
    Some((text, told.collect::<Vec<_>>().join("; ")))
}

/// That a program state is in a piece, in SMT-LIB and for people.
fn piece_told(system: &System, words: &mut Vocabulary<'_>, piece: &Piece) -> Option<(String, String)> {
    let program = system.program();
    let pids = basis::pids(program);
    let (mut here, mut names) = (Vec::new(), Vec::new());
    for (process, &at) in program.process_ids().zip(&piece.locations) {
        let pid = usize::try_from(*pids.get(&process)?).ok()?;
        here.push(format!("(= {} {})", words.location(pid), at.index()));
        let name = program.location_name(process, at);
        names.push(format!("{}@{name}", program.process(process).name));
    }
    let kept: Vec<_> = system.kept().iter().zip(piece.kept.iter().flatten()).collect();
    let mut cells = Vec::new();
    for (kept, &value) in kept {
        cells.push((kept.var, kept.cell, i64::try_from(value).ok()?));
        names.push(format!("{}={value}", program.show_variable(kept.var)));
    }
    if !cells.is_empty() {
        here.push(words.holds_with(&[], &cells).ok()?);
    }
    for &(at, holds) in &piece.predicates {
        let predicate = system.predicates().get(at)?;
        let text = words.holds(predicate.expr).ok()?;
        here.push(if holds { text } else { format!("(not {text})") });
        names.push(if holds { predicate.name.clone() } else { format!("!({})", predicate.name) });
    }
    Some((if here.len() == 1 { here.concat() } else { format!("(and {})", here.join(" ")) }, names.join(" && ")))
}

/// A number in SMT-LIB.
fn number(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

fn term(system: &mut System, shape: LinearCombination) -> Option<TermId> {
    let (LinearCombination::Difference(a, b) | LinearCombination::Sum(a, b)) = shape;
    let (a, b) = (system.number(a).ok()?, system.number(b).ok()?);
    let terms = system.asking().0;
    Some(if matches!(shape, LinearCombination::Sum(..)) { terms.add(a, b) } else { terms.sub(a, b) })
}

/// The text of a candidate, and how people read it.
fn told(exprs: &Exprs, words: &mut Vocabulary<'_>, shape: LinearCombination) -> Option<(String, String)> {
    let (LinearCombination::Difference(a, b) | LinearCombination::Sum(a, b)) = shape;
    let (left, right) = (words.number(a).ok()?.replace('|', ""), words.number(b).ok()?.replace('|', ""));
    Some(match shape {
        LinearCombination::Difference(a, b) if exprs.constant(b) == Some(0) => (words.difference(a, b).ok()?, left),
        LinearCombination::Difference(a, b) => (words.difference(a, b).ok()?, format!("{left} - {right}")),
        LinearCombination::Sum(a, b) => (words.sum(a, b).ok()?, format!("{left} + {right}")),
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
