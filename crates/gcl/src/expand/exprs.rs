//! Expressions without sugar, but for quantifiers over numbers.

use tertium_base::{Diagnostic, Span};

use super::places::{Place, read};
use super::sets::{SetValue, all, any, compare, not};
use super::types::{Structure, int};
use super::{Expansion, broken};
use crate::ast::sugar::{Binding, BindingDomain, ExprSugar, Quantifier};
use crate::ast::{Comparison, Expr, ExprKind, Ident, Range, TypeExpr, TypeKind};
use crate::rewrite;

impl Expansion<'_> {
    /// An expression without sugar; where a mistake is, some remains.
    pub(crate) fn expr(&mut self, expr: &Expr) -> Expr {
        self.single(expr).unwrap_or_else(|| broken(expr.span))
    }

    fn single(&mut self, expr: &Expr) -> Option<Expr> {
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..) => self.variable(expr),
            ExprKind::Compare(op, left, right) => self.comparison(*op, left, right, expr),
            ExprKind::Call(name, arguments) if !self.tables.functions.contains(&name.name) => {
                self.call(name, arguments, expr)
            }
            ExprKind::Sum(..) | ExprKind::Product(..) | ExprKind::If(..) if self.is_set(expr) => {
                self.not_single(expr.span, "a set")
            }
            ExprKind::Sugar(sugar) => match sugar.as_ref() {
                ExprSugar::Quantified(quantifier, binding, body) => {
                    self.quantified(*quantifier, binding, body, expr.span)
                }
                ExprSugar::Path(..) => self.variable(expr),
                ExprSugar::In(element, set) => {
                    let set = self.operand(set).ok()?;
                    let within = self.between(element);
                    let element = self.element(element);
                    Some(set.contains(&element, within, expr.span))
                }
                ExprSugar::Set(_) => self.not_single(expr.span, "a set"),
            },
            _ => Some(rewrite::map(expr, &mut |part| self.expr(part))),
        }
    }

    /// An element that may be in a set; a known one as a number.
    fn element(&mut self, element: &Expr) -> Expr {
        match self.number(element) {
            Some(number) => int(number, element.span),
            None => self.expr(element),
        }
    }

    fn not_single<T>(&mut self, span: Span, what: &str) -> Option<T> {
        let diagnostic = Diagnostic::error("E0407", format!("{what} is no single value"))
            .at(span, format!("this is {what}"))
            .help("sets are asked with `in`, `=`, `<=` and `card(…)`, records with `=` and by their fields");
        self.fail(diagnostic)
    }

    /// A variable, or a part of one.
    fn variable(&mut self, expr: &Expr) -> Option<Expr> {
        let Some(place) = self.place_of(expr).ok()? else {
            if let ExprKind::Sugar(sugar) = &expr.kind
                && let ExprSugar::Path(name, _) = sugar.as_ref()
            {
                let message = format!("`{}` is not a record", name.name);
                return self.fail(Diagnostic::error("E0407", message).at(name.span, "has no fields"));
            }
            return Some(rewrite::map(expr, &mut |part| self.expr(part)));
        };
        match self.structure(&place.ty) {
            Structure::Record(_) => self.not_single(expr.span, "a record"),
            Structure::Set(_) => self.not_single(expr.span, "a set"),
            // An array without an index is looked at where types are.
            Structure::Single | Structure::Array(..) => Some(read(place.owner, place.name, place.indices, place.span)),
        }
    }

    fn comparison(&mut self, op: Comparison, left: &Expr, right: &Expr, whole: &Expr) -> Option<Expr> {
        if let Some(set) = self.set_of(left).ok()? {
            let other = self.operand(right).ok()?;
            return self.compared_sets(op, (&set, &other), whole.span);
        }
        if let Some(other) = self.set_of(right).ok()? {
            let set = self.operand(left).ok()?;
            return self.compared_sets(op, (&set, &other), whole.span);
        }
        if matches!(self.structure_of(left), Some(Structure::Record(_))) {
            let place = self.place_of(left).ok()??;
            return self.compared_records(op, &place, right, whole.span);
        }
        Some(rewrite::map(whole, &mut |part| self.expr(part)))
    }

    /// Records are compared field by field.
    fn compared_records(&mut self, op: Comparison, left: &Place, right: &Expr, span: Span) -> Option<Expr> {
        if !matches!(op, Comparison::Eq | Comparison::Ne) {
            let message = "records are compared with `=` and `!=`";
            return self.fail(Diagnostic::error("E0407", message).at(span, "not for records"));
        }
        let values = self.values(&left.ty, right, left)?;
        let cells = self.cells(&left.ty)?;
        let equal = cells.iter().zip(values).map(|(cell, value)| {
            let (name, indices) = left.cell(cell);
            let own = read(left.owner.clone(), name, indices, left.span);
            compare(Comparison::Eq, own, value, span)
        });
        let holds = all(equal.collect(), span);
        Some(if op == Comparison::Ne { not(holds) } else { holds })
    }

    /// The values of all cells that an expression of a structured type gives to `to`.
    pub(super) fn values(&mut self, ty: &TypeExpr, value: &Expr, to: &Place) -> Option<Vec<Expr>> {
        match self.structure(ty) {
            Structure::Single => Some(vec![self.expr(value)]),
            Structure::Set(range) => {
                let set = self.operand(value).ok()?;
                let bounds = self.elements(&range)?;
                self.members(&set, to, bounds, value.span)
            }
            Structure::Record(fields) => match &value.kind {
                ExprKind::Call(name, arguments) if self.tables.types.contains_key(&name.name) => {
                    self.constructed(ty, &fields, name, arguments, (value.span, to))
                }
                _ => self.copied(ty, value),
            },
            Structure::Array(..) => self.copied(ty, value),
        }
    }

    /// `R(1, true)`.
    fn constructed(
        &mut self,
        ty: &TypeExpr,
        fields: &[(Ident, TypeExpr)],
        name: &Ident,
        arguments: &[Expr],
        (span, to): (Span, &Place),
    ) -> Option<Vec<Expr>> {
        let named = TypeExpr { kind: TypeKind::Name(name.name.clone()), span: name.span };
        if self.resolved(&named).kind != self.resolved(ty).kind {
            let message = format!("`{}` is another type", name.name);
            return self.fail(Diagnostic::error("E0407", message).at(span, "does not fit here"));
        }
        if fields.len() != arguments.len() {
            let (wanted, found) = (fields.len(), arguments.len());
            let message = format!("`{}` has {wanted} fields", name.name);
            return self.fail(Diagnostic::error("E0412", message).at(span, format!("{found} given")));
        }
        let mut values = Vec::new();
        for ((field, ty), argument) in fields.iter().zip(arguments) {
            let mut inner = to.clone();
            inner.name.name.push_str(&format!(".{}", field.name));
            inner.ty = ty.clone();
            values.push(self.values(ty, argument, &inner));
        }
        Some(values.into_iter().collect::<Option<Vec<_>>>()?.concat())
    }

    /// All cells of another variable.
    fn copied(&mut self, ty: &TypeExpr, value: &Expr) -> Option<Vec<Expr>> {
        let Some(place) = self.place_of(value).ok()? else {
            let diagnostic = Diagnostic::error("E0407", "expected a record, as a variable or as `R(…)`");
            return self.fail(diagnostic.at(value.span, "this is none"));
        };
        let (wanted, found) = (self.cells(ty)?, self.cells(&place.ty)?);
        if wanted != found {
            let diagnostic = Diagnostic::error("E0407", "the types differ");
            return self.fail(diagnostic.at(value.span, "has other fields or indices"));
        }
        let read = |cell| {
            let (name, indices) = place.cell(cell);
            read(place.owner.clone(), name, indices, value.span)
        };
        Some(found.iter().map(read).collect())
    }

    fn call(&mut self, name: &Ident, arguments: &[Expr], whole: &Expr) -> Option<Expr> {
        match (name.name.as_str(), arguments) {
            ("card", [set]) => {
                let set = self.operand(set).ok()?;
                self.cardinality(&set, whole.span)
            }
            ("len", [channel]) => self.length(channel),
            ("min" | "max", []) | ("card" | "len", _) => {
                let wanted = if matches!(name.name.as_str(), "min" | "max") { "at least one value" } else { "one" };
                let message = format!("`{}` takes {wanted}", name.name);
                self.fail(Diagnostic::error("E0412", message).at(whole.span, format!("{} given", arguments.len())))
            }
            _ if self.tables.types.contains_key(&name.name) => self.not_single(whole.span, "a record"),
            _ => Some(rewrite::map(whole, &mut |part| self.expr(part))),
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, binding: &Binding, body: &Expr, span: Span) -> Option<Expr> {
        for name in &binding.names {
            if self.bound.contains(&name.name) {
                let message = format!("`{}` stands for another number already", name.name);
                return self.fail(Diagnostic::error("E0406", message).at(name.span, "choose another name"));
            }
        }
        let (range, set) = self.domain(&binding.domain)?;
        self.bound.extend(binding.names.iter().map(|name| name.name.clone()));
        let body = self.expr(body);
        self.bound.truncate(self.bound.len() - binding.names.len());
        let body = match set {
            Some(set) => self.among(quantifier, binding, &set, body, span)?,
            None => body,
        };
        let domain = BindingDomain::Range(Box::new(range));
        let binding = Binding { names: binding.names.clone(), domain };
        Some(Expr { kind: ExprKind::Sugar(Box::new(ExprSugar::Quantified(quantifier, binding, body))), span })
    }

    /// The numbers that names range over, and the set that they must be in.
    fn domain(&mut self, domain: &BindingDomain) -> Option<(Range, Option<SetValue>)> {
        let named = match domain {
            BindingDomain::Range(range) => {
                return Some((Range { lo: self.expr(&range.lo), hi: self.expr(&range.hi) }, None));
            }
            BindingDomain::Named(named) => named,
        };
        if let Some(set) = self.set_of(named).ok()? {
            let SetValue::Variable(_, lo, hi) = set else {
                let diagnostic = Diagnostic::error("E0407", "a quantifier goes through a set variable or a range");
                return self.fail(diagnostic.at(named.span, "write the condition behind the colon"));
            };
            return Some((Range { lo: int(lo, named.span), hi: int(hi, named.span) }, Some(set)));
        }
        if let ExprKind::Name(name) = &named.kind {
            if let Some(range) = self.tables.families.get(&name.name) {
                return Some((range.clone(), None));
            }
            let ty = TypeExpr { kind: TypeKind::Name(name.name.clone()), span: name.span };
            if let TypeKind::Range(range) = self.resolved(&ty).kind {
                return Some((*range, None));
            }
        }
        let diagnostic = Diagnostic::error("E0416", "this is no range, family, set or type of numbers")
            .at(named.span, "what should the name go through?")
            .help("write `forall i in 1..3 : …`, or `forall i in P : …` for a family `process P[i : 1..3]`");
        self.fail(diagnostic)
    }

    /// The body of a quantifier through a set: only elements count.
    fn among(
        &mut self,
        quantifier: Quantifier,
        binding: &Binding,
        set: &SetValue,
        body: Expr,
        span: Span,
    ) -> Option<Expr> {
        let SetValue::Variable(place, ..) = set else { return Some(body) };
        let name = |name: &Ident| Expr { kind: ExprKind::Name(name.clone()), span: name.span };
        let inside = all(binding.names.iter().map(|bound| place.at(name(bound))).collect(), span);
        let kind = match quantifier {
            Quantifier::Forall => return Some(any(vec![not(inside), body], span)),
            Quantifier::Exists | Quantifier::Count => return Some(all(vec![inside, body], span)),
            Quantifier::Sum => ExprKind::If(Box::new(inside), Box::new(body), Box::new(int(0, span))),
            Quantifier::Min | Quantifier::Max => {
                let message = format!("`{}` of a set that may be empty", quantifier.word());
                let diagnostic = Diagnostic::error("E0407", message).at(span, "no value if it is");
                return self.fail(diagnostic.help("go through a range, with `if i in s then … else …`"));
            }
        };
        Some(Expr { kind, span })
    }
}
