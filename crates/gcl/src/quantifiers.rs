//! What do quantifiers over numbers, `min` and `max` mean?
//!
//! Bounds are known where processes are made, so every case is written out: `forall` is a conjunction, `exists` a disjunction, `sum` and `count` are sums. The
//! smallest of several values is the first that is not larger than any later one; that takes a square number of comparisons, but copies no value twice.

use tertium_base::{Diagnostic, Span};
use tertium_program::{Binary, ExprId};

use crate::ast::sugar::{Binding, BindingDomain, Quantifier};
use crate::ast::{Expr, Ident};
use crate::names::{Elaborator, Entity, ExprContext, Ty, Typed};
use crate::rewrite;

/// More cases than this of one quantifier are not written out.
const MOST_CASES: usize = 4096;
/// More values than this are not compared with each other.
const MOST_COMPARED: usize = 256;

/// All ways to give pairwise different numbers of a range to so many names; none if they are too many.
pub(crate) fn different(lo: i64, hi: i64, names: usize) -> Option<Vec<Vec<i64>>> {
    let count = usize::try_from(hi.saturating_sub(lo).saturating_add(1).max(0)).ok()?;
    let many = (0..names).try_fold(1usize, |cases, at| cases.checked_mul(count.saturating_sub(at)));
    if many.is_none_or(|many| many > MOST_CASES) {
        return None;
    }
    let mut cases: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..names {
        let longer = |case: &Vec<i64>| {
            let free: Vec<i64> = (lo..=hi).filter(|number| !case.contains(number)).collect();
            free.into_iter().map(|number| [case.as_slice(), &[number]].concat()).collect::<Vec<_>>()
        };
        cases = cases.iter().flat_map(longer).collect();
    }
    Some(cases)
}

/// The message for a quantifier with too many cases.
pub(crate) fn too_many(word: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0415", format!("`{word}` has more than {MOST_CASES} cases here")).at(span, "too many numbers")
}

impl Elaborator<'_> {
    /// The numbers that a quantifier goes through; an empty range has none.
    pub(crate) fn numbers_of(&mut self, binding: &Binding, place: &ExprContext<'_>) -> Option<(i64, i64)> {
        match &binding.domain {
            BindingDomain::Range(range) => {
                let lo = self.bound_of(&range.lo, place);
                let hi = self.bound_of(&range.hi, place);
                Some((lo?, hi?))
            }
            // Reported where names of other things are put in.
            BindingDomain::Named(_) => None,
        }
    }

    fn bound_of(&mut self, bound: &Expr, place: &ExprContext<'_>) -> Option<i64> {
        let before = self.diagnostics.len();
        let value = self.constant(bound, Ty::Int, place);
        // What is wrong is nearly always a variable as a bound, and the way out is the same.
        if let Some(added) = self.diagnostics.get_mut(before)
            && added.code == "E0408"
        {
            let help = "go through a fixed range and put the condition into the body: `forall i in 0..9 : i < n -> …`";
            *added = added.clone().help(help);
        }
        value
    }

    pub(crate) fn quantified(
        &mut self,
        quantifier: Quantifier,
        binding: &Binding,
        body: &Expr,
        (span, place): (Span, &ExprContext<'_>),
    ) -> Option<Typed> {
        let (lo, hi) = self.numbers_of(binding, place)?;
        let Some(cases) = different(lo, hi, binding.names.len()) else {
            return self.fail(too_many(quantifier.word(), span));
        };
        let wanted = if quantifier.is_logical() || quantifier == Quantifier::Count { Ty::Bool } else { Ty::Int };
        let (mut values, mut size) = (Vec::new(), 0u32);
        for case in cases {
            let numbers: Vec<(String, i64)> =
                binding.names.iter().map(|name| name.name.clone()).zip(case.iter().copied()).collect();
            // What is wrong with one case is nearly always wrong with all.
            let value = self.of_type(&rewrite::with_numbers(body, &numbers), wanted, place)?;
            size = size.saturating_add(self.program.exprs.size(value));
            if size > tertium_program::expr::LARGEST {
                let message = "this expression is too large once all cases are written out";
                return self.fail(Diagnostic::error("E0421", message).at(span, "too large"));
            }
            values.push(value);
        }
        let exprs = &mut self.program.exprs;
        let id = match quantifier {
            Quantifier::Forall => exprs.all(&values),
            Quantifier::Exists => exprs.any(&values),
            Quantifier::Sum => self.added_up(&values),
            Quantifier::Count => {
                let (one, zero) = (exprs.int(1), exprs.int(0));
                let ones: Vec<ExprId> = values.iter().map(|&value| exprs.ite(value, one, zero)).collect();
                self.added_up(&ones)
            }
            Quantifier::Min | Quantifier::Max => {
                let what = quantifier.word();
                return self.extremum(quantifier == Quantifier::Max, &values, what, span);
            }
        };
        let ty = if quantifier.is_logical() { Ty::Bool } else { Ty::Int };
        Some(Typed { id, ty })
    }

    /// `min(a, b)` and `max(a, b, c)`, unless the text declares a function with that name.
    pub(crate) fn built_in(
        &mut self,
        name: &Ident,
        arguments: &[Expr],
        span: Span,
        place: &ExprContext<'_>,
    ) -> Option<Option<Typed>> {
        let declared = matches!(self.globals.get(name.name.as_str()), Some((Entity::Function(_), _)));
        if declared || !["min", "max", "bits"].contains(&name.name.as_str()) {
            return None;
        }
        if name.name == "bits" {
            return Some(self.remaining_bits(arguments, span, place));
        }
        let values: Vec<Option<ExprId>> = arguments.iter().map(|part| self.of_type(part, Ty::Int, place)).collect();
        let Some(values) = values.into_iter().collect::<Option<Vec<_>>>() else { return Some(None) };
        Some(self.extremum(name.name == "max", &values, &name.name, span))
    }

    /// The smallest or largest of some values.
    fn extremum(&mut self, largest: bool, values: &[ExprId], word: &str, span: Span) -> Option<Typed> {
        let Some((&last, before)) = values.split_last() else {
            let diagnostic = Diagnostic::error("E0409", format!("`{word}` of nothing"));
            return self.fail(diagnostic.at(span, "needs at least one value"));
        };
        if values.len() > MOST_COMPARED {
            let message = format!("`{word}` of more than {MOST_COMPARED} values");
            return self.fail(Diagnostic::error("E0415", message).at(span, "too many"));
        }
        let exprs = &mut self.program.exprs;
        let op = if largest { Binary::Ge } else { Binary::Le };
        let mut found = last;
        for (at, &value) in before.iter().enumerate().rev() {
            let beats: Vec<ExprId> = values[at + 1..].iter().map(|&later| exprs.binary(op, value, later)).collect();
            let beats = exprs.all(&beats);
            found = exprs.ite(beats, value, found);
        }
        Some(Typed { id: found, ty: Ty::Int })
    }

    pub(crate) fn added_up(&mut self, terms: &[ExprId]) -> ExprId {
        let exprs = &mut self.program.exprs;
        let mut row = terms.to_vec();
        while row.len() > 1 {
            let join = |pair: &[ExprId]| match *pair {
                [a, b] => exprs.binary(Binary::Add, a, b),
                _ => pair[0],
            };
            row = row.chunks(2).map(join).collect();
        }
        row.pop().unwrap_or_else(|| exprs.int(0))
    }
}
