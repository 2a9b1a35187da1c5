//! Which numbers are known before processes are made?

use tertium_base::Diagnostic;

use super::Expansion;
use crate::ast::{Expr, ExprKind, Factor, Range};

impl Expansion<'_> {
    /// The value of an expression over numbers and constants; none if it is something else, or too large.
    pub(super) fn number(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Name(name) if !self.is_local(&name.name) => self.tables.constants.get(&name.name).copied(),
            ExprKind::Negate(inner) => self.number(inner)?.checked_neg(),
            ExprKind::Sum(first, rest) => rest.iter().try_fold(self.number(first)?, |sum, (minus, part)| {
                let part = self.number(part)?;
                if *minus { sum.checked_sub(part) } else { sum.checked_add(part) }
            }),
            ExprKind::Product(first, rest) => rest.iter().try_fold(self.number(first)?, |product, (factor, part)| {
                let part = self.number(part)?;
                match factor {
                    Factor::Times => product.checked_mul(part),
                    Factor::Div => product.checked_div_euclid(part),
                    Factor::Mod => product.checked_rem_euclid(part),
                }
            }),
            ExprKind::Call(name, parts) if !self.tables.functions.contains(&name.name) => {
                let values: Option<Vec<i64>> = parts.iter().map(|part| self.number(part)).collect();
                match name.name.as_str() {
                    "min" => values?.into_iter().min(),
                    "max" => values?.into_iter().max(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a name means something of the process at hand, or of a quantifier.
    fn is_local(&self, name: &str) -> bool {
        let locals = self.process.as_ref().and_then(|process| self.tables.locals.get(process));
        self.bound.iter().any(|bound| bound == name) || locals.is_some_and(|locals| locals.contains_key(name))
    }

    /// A number that must be known; `what` needs it.
    pub(super) fn known_number(&mut self, expr: &Expr, what: &str) -> Option<i64> {
        if let Some(value) = self.number(expr) {
            return Some(value);
        }
        let mut open = None;
        crate::rewrite::visit(expr, &mut |part| {
            if let ExprKind::Name(name) = &part.kind
                && self.tables.open.contains(&name.name)
            {
                open = Some(name.name.clone());
            }
        });
        if let Some(size) = open {
            let message = format!("{what} depends on the size `{size}`");
            return self.fail(Diagnostic::error("E0422", message).at(expr.span, "looked at size by size only"));
        }
        let diagnostic = Diagnostic::error("E0408", format!("{what} is not the same everywhere"))
            .at(expr.span, "no number that is known when the file is read")
            .note("it may consist of numbers, constants, `+`, `-`, `*`, `div`, `mod`, `min` and `max`");
        self.fail(diagnostic)
    }

    /// Both ends of a range that must be known; the second may be smaller.
    pub(super) fn known_range(&mut self, range: &Range, what: &str) -> Option<(i64, i64)> {
        let lo = self.known_number(&range.lo, what);
        let hi = self.known_number(&range.hi, what);
        Some((lo?, hi?))
    }
}
