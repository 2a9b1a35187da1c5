//! Sets over small ranges: which truth values stand for a set, and for what is asked of it?
//!
//! A set variable is an array of truth values, one for each element that it may have. `+`, `-`, `*` are union, difference and intersection.

use tertium_base::narrow::to_i64;
use tertium_base::{Diagnostic, Span};

use super::places::Place;
use super::types::{Structure, int};
use super::{Expansion, MOST_ELEMENTS};
use crate::ast::sugar::{ExprSugar, SetPart};
use crate::ast::{Comparison, Expr, ExprKind, Factor, TypeKind};

/// A set.
#[derive(Clone, Debug)]
pub(super) enum SetValue {
    /// A variable with the elements that it may have.
    Variable(Place, i64, i64),
    /// Elements written out; those in ranges and known numbers first.
    Listed(Vec<i64>, Vec<Expr>),
    Union(Box<SetValue>, Box<SetValue>),
    Intersection(Box<SetValue>, Box<SetValue>),
    Difference(Box<SetValue>, Box<SetValue>),
    If(Expr, Box<SetValue>, Box<SetValue>),
}

pub(super) fn truth(value: bool, span: Span) -> Expr {
    Expr { kind: ExprKind::Bool(value), span }
}

pub(super) fn not(inner: Expr) -> Expr {
    let span = inner.span;
    match inner.kind {
        ExprKind::Bool(value) => truth(!value, span),
        _ => Expr { kind: ExprKind::Not(Box::new(inner)), span },
    }
}

/// All of these; what is known is left out.
pub(super) fn all(parts: Vec<Expr>, span: Span) -> Expr {
    if parts.iter().any(|part| part.kind == ExprKind::Bool(false)) {
        return truth(false, span);
    }
    let mut parts: Vec<Expr> = parts.into_iter().filter(|part| part.kind != ExprKind::Bool(true)).collect();
    match parts.len() {
        0 => truth(true, span),
        1 => parts.remove(0),
        _ => Expr { kind: ExprKind::And(parts), span },
    }
}

/// One of these; what is known is left out.
pub(super) fn any(parts: Vec<Expr>, span: Span) -> Expr {
    if parts.iter().any(|part| part.kind == ExprKind::Bool(true)) {
        return truth(true, span);
    }
    let mut parts: Vec<Expr> = parts.into_iter().filter(|part| part.kind != ExprKind::Bool(false)).collect();
    match parts.len() {
        0 => truth(false, span),
        1 => parts.remove(0),
        _ => Expr { kind: ExprKind::Or(parts), span },
    }
}

pub(super) fn compare(op: Comparison, left: Expr, right: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Compare(op, Box::new(left), Box::new(right)), span }
}

fn conditional(condition: Expr, yes: Expr, no: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no)), span }
}

impl SetValue {
    /// The numbers that may be elements, besides those of `others`.
    fn numbers(&self, found: &mut std::collections::BTreeSet<i64>) {
        match self {
            Self::Variable(_, lo, hi) => found.extend(*lo..=*hi),
            Self::Listed(known, _) => found.extend(known),
            Self::Union(a, b) | Self::Intersection(a, b) | Self::Difference(a, b) | Self::If(_, a, b) => {
                a.numbers(found);
                b.numbers(found);
            }
        }
    }

    /// The elements that are known only during a run.
    fn others<'s>(&'s self, found: &mut Vec<&'s Expr>) {
        match self {
            Self::Variable(..) => {}
            Self::Listed(_, others) => found.extend(others),
            Self::Union(a, b) | Self::Intersection(a, b) | Self::Difference(a, b) | Self::If(_, a, b) => {
                a.others(found);
                b.others(found);
            }
        }
    }

    /// The elements that may be in the result and are known only during a run.
    fn added<'s>(&'s self, found: &mut Vec<&'s Expr>) {
        match self {
            Self::Variable(..) => {}
            Self::Listed(_, others) => found.extend(others),
            Self::Union(a, b) | Self::If(_, a, b) => {
                a.added(found);
                b.added(found);
            }
            Self::Difference(a, _) => a.added(found),
            Self::Intersection(..) => {}
        }
    }

    /// Whether a number is an element.
    pub(super) fn has(&self, element: i64, span: Span) -> Expr {
        match self {
            Self::Variable(place, lo, hi) if (*lo..=*hi).contains(&element) => place.at(int(element, span)),
            Self::Variable(..) => truth(false, span),
            Self::Listed(known, others) => {
                let known = truth(known.contains(&element), span);
                let others =
                    others.iter().map(|other| compare(Comparison::Eq, other.clone(), int(element, span), span));
                any([known].into_iter().chain(others).collect(), span)
            }
            Self::Union(a, b) => any(vec![a.has(element, span), b.has(element, span)], span),
            Self::Intersection(a, b) => all(vec![a.has(element, span), b.has(element, span)], span),
            Self::Difference(a, b) => all(vec![a.has(element, span), not(b.has(element, span))], span),
            Self::If(condition, a, b) => {
                conditional(condition.clone(), a.has(element, span), b.has(element, span), span)
            }
        }
    }

    /// Whether the value of an expression is an element; `within` are values that it surely lies between.
    pub(super) fn contains(&self, element: &Expr, within: Option<(i64, i64)>, span: Span) -> Expr {
        if let ExprKind::Int(number) = element.kind {
            return self.has(number, span);
        }
        let both = |a: &Self, b: &Self| [a.contains(element, within, span), b.contains(element, within, span)];
        match self {
            Self::Variable(place, lo, hi) => {
                let inside = within.is_some_and(|(least, most)| least >= *lo && most <= *hi);
                let mut parts = Vec::new();
                if !inside {
                    parts.push(compare(Comparison::Ge, element.clone(), int(*lo, span), span));
                    parts.push(compare(Comparison::Le, element.clone(), int(*hi, span), span));
                }
                parts.push(place.at(element.clone()));
                all(parts, span)
            }
            Self::Listed(known, others) => {
                let known = known.iter().map(|&known| compare(Comparison::Eq, element.clone(), int(known, span), span));
                let others = others.iter().map(|other| compare(Comparison::Eq, element.clone(), other.clone(), span));
                any(known.chain(others).collect(), span)
            }
            Self::Union(a, b) => any(both(a, b).into(), span),
            Self::Intersection(a, b) => all(both(a, b).into(), span),
            Self::Difference(a, b) => {
                let [a, b] = both(a, b);
                all(vec![a, not(b)], span)
            }
            Self::If(condition, a, b) => {
                let [a, b] = both(a, b);
                conditional(condition.clone(), a, b, span)
            }
        }
    }
}

impl Expansion<'_> {
    /// The set that an expression is; none if it is something else. `Err`: a mistake has been reported.
    pub(super) fn set_of(&mut self, expr: &Expr) -> Result<Option<SetValue>, ()> {
        // Looked at without expanding anything first: what is inside is expanded once only.
        if !self.is_set(expr) {
            return Ok(None);
        }
        match &expr.kind {
            ExprKind::Sugar(sugar) if matches!(**sugar, ExprSugar::Set(_)) => {
                let ExprSugar::Set(parts) = sugar.as_ref() else { return Ok(None) };
                self.listed(parts).map(Some).ok_or(())
            }
            ExprKind::Sum(first, rest) => {
                let Some(mut set) = self.set_of(first)? else { return Ok(None) };
                for (minus, part) in rest {
                    let part = self.operand(part)?;
                    let pair = (Box::new(set), Box::new(part));
                    set = if *minus { SetValue::Difference(pair.0, pair.1) } else { SetValue::Union(pair.0, pair.1) };
                }
                Ok(Some(set))
            }
            ExprKind::Product(first, rest) => {
                let Some(mut set) = self.set_of(first)? else { return Ok(None) };
                for (factor, part) in rest {
                    if *factor != Factor::Times {
                        let message = "sets have no `div` and `mod`";
                        self.report(Diagnostic::error("E0407", message).at(part.span, "not for sets"));
                        return Err(());
                    }
                    set = SetValue::Intersection(Box::new(set), Box::new(self.operand(part)?));
                }
                Ok(Some(set))
            }
            ExprKind::If(condition, yes, no) => {
                let Some(yes) = self.set_of(yes)? else { return Ok(None) };
                let no = self.operand(no)?;
                Ok(Some(SetValue::If(self.expr(condition), Box::new(yes), Box::new(no))))
            }
            _ => {
                let Some(place) = self.place_of(expr)? else { return Ok(None) };
                let Structure::Set(range) = self.structure(&place.ty) else { return Ok(None) };
                let (lo, hi) = self.elements(&range).ok_or(())?;
                Ok(Some(SetValue::Variable(place, lo, hi)))
            }
        }
    }

    /// Whether an expression is a set.
    pub(super) fn is_set(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Sum(first, _) => self.is_set(first),
            ExprKind::Product(first, _) => self.is_set(first),
            ExprKind::If(_, yes, _) => self.is_set(yes),
            ExprKind::Sugar(sugar) if matches!(**sugar, ExprSugar::Set(_)) => true,
            _ => matches!(self.structure_of(expr), Some(Structure::Set(_))),
        }
    }

    /// A set that must be one.
    pub(super) fn operand(&mut self, expr: &Expr) -> Result<SetValue, ()> {
        if let Some(set) = self.set_of(expr)? {
            return Ok(set);
        }
        let diagnostic = Diagnostic::error("E0407", "expected a set").at(expr.span, "this is none");
        self.report(diagnostic.help("a set with one element is written `{e}`"));
        Err(())
    }

    fn listed(&mut self, parts: &[SetPart]) -> Option<SetValue> {
        let (mut known, mut others) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                SetPart::Element(element) => match self.number(element) {
                    Some(number) => known.push(number),
                    None => others.push(self.expr(element)),
                },
                SetPart::Range(range) => {
                    let (lo, hi) = self.known_range(range, "a range in a set")?;
                    if hi.saturating_sub(lo) >= to_i64(MOST_ELEMENTS) {
                        let span = range.lo.span.to(range.hi.span);
                        let message = format!("a set may have at most {MOST_ELEMENTS} elements");
                        return self.fail(Diagnostic::error("E0415", message).at(span, "too many"));
                    }
                    known.extend(lo..=hi);
                }
            }
        }
        Some(SetValue::Listed(known, others))
    }

    /// Between which values an expression surely lies: a variable with a range, or a number.
    pub(super) fn between(&self, element: &Expr) -> Option<(i64, i64)> {
        if let Some(number) = self.number(element) {
            return Some((number, number));
        }
        let ExprKind::Name(name) = &element.kind else { return None };
        let TypeKind::Range(range) = self.resolved(self.visible(&name.name)?).kind else { return None };
        Some((self.number(&range.lo)?, self.number(&range.hi)?))
    }

    /// A comparison of sets: `=`, `!=`, and `<=`, `>=` for subsets.
    pub(super) fn compared_sets(&mut self, op: Comparison, sets: (&SetValue, &SetValue), span: Span) -> Option<Expr> {
        let (left, right) = sets;
        let same = |a: Expr, b: Expr| Expr { kind: ExprKind::Iff(Box::new(a), Box::new(b)), span };
        let one = |a: Expr, b: Expr| match op {
            Comparison::Eq | Comparison::Ne => same(a, b),
            Comparison::Ge => any(vec![not(b), a], span),
            _ => any(vec![not(a), b], span),
        };
        if matches!(op, Comparison::Lt | Comparison::Gt) {
            let message = "sets are compared with `=`, `!=`, `<=` and `>=`";
            return self.fail(Diagnostic::error("E0407", message).at(span, "not for sets"));
        }
        let mut numbers = std::collections::BTreeSet::new();
        let mut others = Vec::new();
        for set in [left, right] {
            set.numbers(&mut numbers);
            set.others(&mut others);
        }
        let mut parts: Vec<Expr> =
            numbers.into_iter().map(|number| one(left.has(number, span), right.has(number, span))).collect();
        // An element that is known only during a run may be none of these numbers.
        parts.extend(
            others.into_iter().map(|other| one(left.contains(other, None, span), right.contains(other, None, span))),
        );
        let holds = all(parts, span);
        Some(if op == Comparison::Ne { not(holds) } else { holds })
    }

    /// How many elements a set has.
    pub(super) fn cardinality(&mut self, set: &SetValue, span: Span) -> Option<Expr> {
        let mut others = Vec::new();
        set.others(&mut others);
        if let Some(other) = others.first() {
            let diagnostic = Diagnostic::error("E0407", "the elements of this set are not known")
                .at(other.span, "its value changes")
                .help("keep the set in a variable");
            return self.fail(diagnostic);
        }
        let mut numbers = std::collections::BTreeSet::new();
        set.numbers(&mut numbers);
        let one = |number: i64| conditional(set.has(number, span), int(1, span), int(0, span), span);
        let terms: Vec<(bool, Expr)> = numbers.into_iter().map(|number| (false, one(number))).collect();
        Some(Expr { kind: ExprKind::Sum(Box::new(int(0, span)), terms), span })
    }

    /// One truth value for each element that the variable may have. An element outside of it is a mistake, or a fault if it is known only
    /// during a run: then the cell outside of the array is asked.
    pub(super) fn members(
        &mut self,
        set: &SetValue,
        to: &Place,
        (lo, hi): (i64, i64),
        span: Span,
    ) -> Option<Vec<Expr>> {
        let mut numbers = std::collections::BTreeSet::new();
        set.numbers(&mut numbers);
        for number in numbers.into_iter().filter(|number| !(lo..=hi).contains(number)) {
            if set.has(number, span).kind != ExprKind::Bool(false) {
                let message = format!("{number} is not a value of type `{lo}..{hi}`");
                let diagnostic = Diagnostic::error("E0410", message)
                    .at(span, format!("may have {number} as an element"))
                    .help(format!("leave out what does not fit: `… * {{{lo}..{hi}}}`"));
                return self.fail(diagnostic);
            }
        }
        let mut values: Vec<Expr> = (lo..=hi).map(|element| set.has(element, span)).collect();
        let mut added = Vec::new();
        set.added(&mut added);
        for element in added {
            if self.between(element).is_some_and(|(least, most)| least >= lo && most <= hi) {
                continue;
            }
            let inside = all(
                vec![
                    compare(Comparison::Ge, element.clone(), int(lo, span), span),
                    compare(Comparison::Le, element.clone(), int(hi, span), span),
                ],
                span,
            );
            let listed = set.contains(element, None, span);
            let kept = any(vec![not(listed), inside], span);
            values[0] = conditional(kept, values[0].clone(), to.at(element.clone()), span);
        }
        Some(values)
    }
}
