//! What does the model ask? Specifications as formulas of the logics, conditions on states as their atoms.
//!
//! Fairness is part of the formula: a linear one counts for runs that keep the promises; in a branching one every quantifier goes over such paths
//! (fair CTL, as a formula of CTL*). Invariants are about all states that are reached, whatever is promised.

use std::collections::BTreeMap;

use tertium_base::Span;
use tertium_program::{Distance, Expr as Node, ExprId, Named, Property};

use super::{Lowered, Lowering, Moment, Wrong};
use crate::ast::{Binary, Expr, ExprKind, SpecDecl, SpecKind, Temporal, TemporalPair, Unary};
use crate::flatten::InstanceId;

/// A formula one step later, as text.
type NextOperator<'a> = Box<dyn Fn(&str) -> String + 'a>;

/// What is promised of runs, with the text of each condition.
#[derive(Clone, Debug)]
pub(super) enum FairnessCondition {
    /// It holds again and again.
    Justice(String, ExprId),
    /// If the first holds again and again, so does the second.
    Compassion((String, ExprId), (String, ExprId)),
}

/// A formula while it is written.
pub(super) struct Writing {
    linear: bool,
    /// What paths must keep to, for quantifiers of fair CTL.
    fair: Option<String>,
    atoms: BTreeMap<String, ExprId>,
    /// That what is guessed of the future is right.
    pub guesses: Vec<String>,
}

impl Writing {
    const fn new(linear: bool) -> Self {
        Self { linear, fair: None, atoms: BTreeMap::new(), guesses: Vec::new() }
    }
}

/// Texts of formulas beyond this are not written.
const LONGEST_TEXT: usize = 1 << 20;

impl<'m> Lowering<'m> {
    /// All specifications of the text.
    pub fn specifications(&mut self) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for &(declared, spec, scope) in &self.flat.specs {
            let kind = match spec.kind {
                SpecKind::Ctl => "ctl",
                SpecKind::Ltl => "ltl",
                SpecKind::Invariant => "invariant",
                SpecKind::Least | SpecKind::Most => "compute",
            };
            let count = counts.entry(kind).or_default();
            *count += 1;
            let name = match &spec.name {
                Some(name) => format!("{}{}", self.flat.instances[declared.index()].prefix, name.name),
                None => format!("{kind}_{count}"),
            };
            let distances = self.program.distances.iter().map(|known| &known.name);
            if self.program.properties.iter().map(|known| &known.name).chain(distances).any(|known| *known == name) {
                let _: Lowered<()> = self.wrong("E0706", &format!("two specifications are named `{name}`"), spec.span);
                continue;
            }
            // What is wrong is noted.
            let _ = self.specification(name, spec, scope);
        }
    }

    fn specification(&mut self, name: String, spec: &'m SpecDecl, scope: InstanceId) -> Lowered<()> {
        if let Some(goal) = &spec.goal {
            return self.distance(name, spec, goal, scope);
        }
        let property = self.property(name, &spec.formula, spec.kind, scope, spec.span)?;
        let property = if spec.kind == SpecKind::Ctl { self.where_fair(property, &spec.formula) } else { property };
        self.program.properties.push(property);
        Ok(())
    }

    /// `COMPUTE MIN [p, q]`, `COMPUTE MAX [p, q]`.
    fn distance(&mut self, name: String, spec: &'m SpecDecl, goal: &'m Expr, scope: InstanceId) -> Lowered<()> {
        let from = self.property(format!("{name} from"), &spec.formula, SpecKind::Ctl, scope, spec.span)?;
        let to = self.property(format!("{name} to"), goal, SpecKind::Ctl, scope, spec.span)?;
        let mut writing = Writing::new(true);
        let formula = match self.promises(&mut writing) {
            none if none.is_empty() => "true".to_owned(),
            promises => promises,
        };
        let promise = Property {
            name: format!("{name} paths"),
            logic: "ltl".to_owned(),
            source: formula.clone(),
            formula,
            atoms: writing.atoms,
            span: spec.span,
        };
        let (least, word) = if spec.kind == SpecKind::Least { (true, "MIN") } else { (false, "MAX") };
        let source = format!("{word} [{}, {}]", from.source, to.source);
        self.program.distances.push(Distance { name, source, least, from, to, promise });
        Ok(())
    }

    /// A formula as a property.
    pub fn property(
        &mut self,
        name: String,
        formula: &'m Expr,
        kind: SpecKind,
        scope: InstanceId,
        span: Span,
    ) -> Lowered<Property> {
        let mut writing = Writing::new(kind != SpecKind::Ctl);
        let source = self.text[formula.span.start..formula.span.end].to_owned();
        let (logic, text) = match kind {
            SpecKind::Invariant => {
                if formula.has_time() {
                    return self.wrong("E0730", "an invariant has no operators of time", formula.span);
                }
                let condition = if self.speaks_of_next(formula, scope) {
                    self.of_step(formula, scope)
                } else {
                    self.truth(formula, scope, Moment::State)?
                };
                let text = self.atom_text(formula, scope);
                ("ltl", format!("G ({})", self.named_atom(&text, condition, &mut writing)))
            }
            SpecKind::Ctl => {
                if !self.justice.is_empty() || self.may_stop {
                    let promises = self.promises(&mut writing);
                    writing.fair = Some(promises);
                }
                let text = self.written(formula, scope, &mut writing)?;
                (if writing.fair.is_some() { "ctl*" } else { "ctl" }, text)
            }
            SpecKind::Ltl | SpecKind::Least | SpecKind::Most => {
                let text = self.written(formula, scope, &mut writing)?;
                let promises = self.promises(&mut writing);
                let promised = Some(promises).filter(|promises| !promises.is_empty());
                let promised: Vec<String> = promised.into_iter().chain(writing.guesses.drain(..)).collect();
                match promised.join(" && ") {
                    none if none.is_empty() => ("ltl", text),
                    promised => ("ltl", format!("({promised}) -> ({text})")),
                }
            }
        };
        Ok(Property { name, logic: logic.to_owned(), source, formula: text, atoms: writing.atoms, span })
    }

    /// Of initial states, those count at which a fair path begins.
    fn where_fair(&mut self, mut property: Property, formula: &Expr) -> Property {
        if property.logic == "ctl*" && !holds_without_paths(formula) {
            let mut writing = Writing { atoms: std::mem::take(&mut property.atoms), ..Writing::new(false) };
            property.formula = format!("(E ({})) -> ({})", self.promises(&mut writing), property.formula);
            property.atoms = writing.atoms;
        }
        property
    }

    /// What paths keep to: fairness, and that they do not end.
    fn promises(&mut self, writing: &mut Writing) -> String {
        let mut parts = Vec::new();
        for condition in self.justice.clone() {
            match condition {
                FairnessCondition::Justice(text, expr) => {
                    parts.push(format!("G F {}", self.named_atom(&text, expr, writing)));
                }
                FairnessCondition::Compassion((p, often), (q, then)) => {
                    let (p, q) = (self.named_atom(&p, often, writing), self.named_atom(&q, then, writing));
                    parts.push(format!("((G F {p}) -> (G F {q}))"));
                }
            }
        }
        if self.may_stop {
            let dead = self.program.exprs.add(Node::Deadlock);
            parts.push(format!("G !{}", self.named_atom("deadlock", dead, writing)));
        }
        parts.join(" && ")
    }

    /// How a condition reads.
    pub(super) fn atom_text(&self, expr: &Expr, scope: InstanceId) -> String {
        let text = self.text[expr.span.start..expr.span.end].split_whitespace().collect::<Vec<_>>().join(" ");
        match self.flat.instances[scope.index()].prefix.trim_end_matches('.') {
            "" => text,
            prefix => format!("{text} in {prefix}"),
        }
    }

    pub(super) fn named_atom(&self, text: &str, expr: ExprId, writing: &mut Writing) -> String {
        if let Some(value) = self.program.exprs.constant(expr) {
            return (value != 0).to_string();
        }
        let (mut name, mut number) = (text.to_owned(), 1);
        while writing.atoms.get(&name).is_some_and(|&known| known != expr) {
            number += 1;
            name = format!("{text} #{number}");
        }
        writing.atoms.insert(name.clone(), expr);
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    }

    fn atom(&mut self, expr: &'m Expr, scope: InstanceId, writing: &mut Writing) -> Lowered<String> {
        let text = self.atom_text(expr, scope);
        if writing.linear && !expr.has_time() && self.speaks_of_next(expr, scope) {
            let condition = self.of_step(expr, scope);
            return Ok(format!("X {}", self.named_atom(&text, condition, writing)));
        }
        let condition =
            if expr.has_time() { self.past(expr, scope, writing)? } else { self.truth(expr, scope, Moment::State)? };
        Ok(self.named_atom(&text, condition, writing))
    }

    pub(super) fn written(&mut self, expr: &'m Expr, scope: InstanceId, writing: &mut Writing) -> Lowered<String> {
        if !expr.has_time() {
            return self.atom(expr, scope, writing);
        }
        let span = expr.span;
        let text = match &expr.kind {
            ExprKind::Unary(Unary::Not, a) => format!("!({})", self.written(a, scope, writing)?),
            ExprKind::Binary(op, a, b) => {
                let op = match op {
                    Binary::And => "&&",
                    Binary::Or => "||",
                    Binary::Implies => "->",
                    Binary::Iff | Binary::Xnor | Binary::Eq => "<->",
                    Binary::Xor | Binary::Ne => "xor",
                    _ => return self.wrong("E0720", "an operator of time cannot stand inside an expression", span),
                };
                let (a, b) = (self.written(a, scope, writing)?, self.written(b, scope, writing)?);
                if op == "xor" { format!("!(({a}) <-> ({b}))") } else { format!("({a}) {op} ({b})") }
            }
            ExprKind::If(c, a, b) => {
                let (c, a) = (self.written(c, scope, writing)?, self.written(a, scope, writing)?);
                let b = self.written(b, scope, writing)?;
                format!("(({c}) && ({a})) || (!({c}) && ({b}))")
            }
            ExprKind::Temporal(op, bounds, a) => {
                use Temporal as T;
                if op.is_past() {
                    self.is_linear(writing, true, span)?;
                    return self.atom(expr, scope, writing);
                }
                let linear = matches!(op, T::Next | T::Finally | T::Globally);
                self.is_linear(writing, linear, span)?;
                let bounds = bounds.as_ref().map(|bounds| self.bounds(bounds, scope, span)).transpose()?;
                let a = self.written(a, scope, writing)?;
                self.fits_when_written_out(bounds, a.len(), writing, span)?;
                unary(*op, bounds, &a, writing)
            }
            ExprKind::TemporalPair(op, bounds, a, b) => {
                use TemporalPair as T;
                let linear = !matches!(op, T::ExistsUntil | T::AllUntil);
                self.is_linear(writing, linear, span)?;
                if matches!(op, T::Since | T::Triggered) {
                    return self.atom(expr, scope, writing);
                }
                let bounds = bounds.as_ref().map(|bounds| self.bounds(bounds, scope, span)).transpose()?;
                let (a, b) = (self.written(a, scope, writing)?, self.written(b, scope, writing)?);
                self.fits_when_written_out(bounds, a.len() + b.len(), writing, span)?;
                pair(*op, bounds, &a, &b, writing)
            }
            _ => return self.wrong("E0720", "an operator of time cannot stand inside an expression", span),
        };
        if text.len() > LONGEST_TEXT {
            return self.wrong("E0717", "the formula is too long once its bounds are written out", span);
        }
        Ok(text)
    }

    /// Bounds are written out step by step: is there room?
    fn fits_when_written_out(
        &mut self,
        bounds: Option<(i64, Option<i64>)>,
        operands: usize,
        writing: &Writing,
        span: Span,
    ) -> Lowered<()> {
        let steps = bounds.map_or(0, |(lo, hi)| hi.unwrap_or(lo));
        let each = operands + writing.fair.as_ref().map_or(0, String::len) + 32;
        let whole = usize::try_from(steps).unwrap_or(usize::MAX).saturating_mul(each);
        if whole <= LONGEST_TEXT {
            return Ok(());
        }
        self.wrong("E0717", "the formula is too long once its bounds are written out", span)
    }

    fn is_linear(&mut self, writing: &Writing, linear: bool, span: Span) -> Lowered<()> {
        if writing.linear == linear {
            return Ok(());
        }
        let (has, is) = if linear { ("LTL", "CTL") } else { ("CTL", "LTL") };
        self.wrong("E0730", &format!("an operator of {has} in a formula of {is}"), span)
    }

    /// A predicate for abstraction.
    pub fn predicate(&mut self, expr: &'m Expr, scope: InstanceId, text: &str) -> Lowered<()> {
        let condition = self.truth(expr, scope, Moment::State)?;
        if super::reads_inputs(&self.program, condition) {
            return Err(Wrong);
        }
        self.program.predicates.push(Named { name: text.to_owned(), expr: condition, span: Span::default() });
        Ok(())
    }
}

/// Whether a branching formula surely holds where no fair path begins.
fn holds_without_paths(formula: &Expr) -> bool {
    match &formula.kind {
        ExprKind::Temporal(Temporal::AllNext, ..)
        | ExprKind::Temporal(Temporal::AllFinally | Temporal::AllGlobally, None, _)
        | ExprKind::TemporalPair(TemporalPair::AllUntil, None, ..) => true,
        ExprKind::Binary(Binary::And, a, b) => holds_without_paths(a) && holds_without_paths(b),
        ExprKind::Binary(Binary::Or, a, b) => holds_without_paths(a) || holds_without_paths(b),
        ExprKind::Binary(Binary::Implies, _, b) => holds_without_paths(b),
        _ => false,
    }
}

/// A path that a quantifier goes over, kept to what is promised.
fn quantified(all: bool, path: &str, writing: &Writing) -> String {
    match (&writing.fair, all) {
        (None, true) => format!("A {path}"),
        (None, false) => format!("E {path}"),
        (Some(fair), true) => format!("A (({fair}) -> ({path}))"),
        (Some(fair), false) => format!("E (({fair}) && ({path}))"),
    }
}

/// `EX p` and the like.
fn branching(all: bool, op: &str, a: &str, writing: &Writing) -> String {
    if writing.fair.is_some() {
        return quantified(all, &format!("{op} ({a})"), writing);
    }
    format!("{}{op} ({a})", if all { "A" } else { "E" })
}

fn unary(op: Temporal, bounds: Option<(i64, Option<i64>)>, a: &str, writing: &Writing) -> String {
    use Temporal as T;
    let (globally, next): (bool, NextOperator<'_>) = match op {
        T::Next => return format!("X ({a})"),
        T::Finally | T::Globally => (op == T::Globally, Box::new(|a: &str| format!("X ({a})"))),
        T::ExistsNext | T::AllNext => return branching(op == T::AllNext, "X", a, writing),
        _ => {
            let all = matches!(op, T::AllFinally | T::AllGlobally);
            let globally = matches!(op, T::ExistsGlobally | T::AllGlobally);
            if bounds.is_none() {
                return branching(all, if globally { "G" } else { "F" }, a, writing);
            }
            (globally, Box::new(move |a: &str| branching(all, "X", a, writing)))
        }
    };
    let letter = if globally { "G" } else { "F" };
    let Some((lo, hi)) = bounds else { return format!("{letter} ({a})") };
    let mut text = match hi {
        None => format!("{letter} ({a})"),
        Some(hi) => {
            let joined = if globally { "&&" } else { "||" };
            (lo..hi).fold(a.to_owned(), |later, _| format!("({a}) {joined} ({})", next(&later)))
        }
    };
    for _ in 0..lo {
        text = next(&text);
    }
    text
}

fn pair(op: TemporalPair, bounds: Option<(i64, Option<i64>)>, a: &str, b: &str, writing: &Writing) -> String {
    use TemporalPair as T;
    let all = op == T::AllUntil;
    match (op, bounds) {
        (T::Until, _) => format!("({a}) U ({b})"),
        (T::Releases, _) => format!("({a}) R ({b})"),
        (_, Some((lo, Some(hi)))) => {
            let next = |later: &str| branching(all, "X", later, writing);
            let soon = (lo..hi).fold(b.to_owned(), |later, _| format!("({b}) || (({a}) && ({}))", next(&later)));
            (0..lo).fold(soon, |later, _| format!("({a}) && ({})", next(&later)))
        }
        _ if writing.fair.is_some() => quantified(all, &format!("({a}) U ({b})"), writing),
        _ => format!("{}[({a}) U ({b})]", if all { "A" } else { "E" }),
    }
}
