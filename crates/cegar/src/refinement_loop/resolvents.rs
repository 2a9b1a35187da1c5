//! Which comparisons follow from two others by leaving a variable out?
//!
//! One step of Fourier–Motzkin elimination: from `x < y` and `x < 10` together come comparisons of `y` with 10. Whoever chooses `y` before a loop that compares it with `x` must know how it compares with what `x` shall become, and no path
//! through the loop says so at once. The comparisons are candidates for predicates; nothing rests on them.

use std::collections::BTreeMap;

use tertium_abstraction::{Predicate, System};
use tertium_program::{Binary, Expr, ExprId};
use tertium_smt::{TermId, Terms};

use crate::limits;
use crate::predicate_abstraction::Prepared;
use crate::refine::atoms::{Comparison, atoms, comparison};

/// Adds such comparisons as predicates, those of one variable first; whether any is new.
pub(super) fn add_resolvents(prepared: &mut Prepared) -> bool {
    let system = &mut prepared.system;
    let predicates: Vec<_> = system.predicates().iter().map(|predicate| predicate.expr).collect();
    let conditions: Vec<TermId> = predicates.iter().filter_map(|&expr| system.condition(expr, true).ok()).collect();
    let terms = system.asking().0;
    let compared: Vec<Comparison> =
        atoms(terms, &conditions).into_iter().filter_map(|atom| comparison(terms, atom)).collect();
    let mut forms: Vec<LinearForm> = Vec::new();
    for (at, first) in compared.iter().enumerate() {
        for second in &compared[at + 1..] {
            forms.extend(resolvents(first, second).into_iter().filter(|form| is_new(form, &compared)));
        }
    }
    learn(system, forms)
}

/// Adds what follows from a comparison and an inequality that holds at some location: where `r <= s` always holds, `s <= 5` is why `r` never is more than 5. Whether any is new.
pub(super) fn add_invariant_resolvents(prepared: &mut Prepared) -> bool {
    let system = &mut prepared.system;
    let predicates: Vec<_> = system.predicates().iter().map(|predicate| predicate.expr).collect();
    let invariants: Vec<ExprId> = system.location_invariants().iter().filter_map(|one| one.condition).collect();
    let [compared, invariants] = [predicates, invariants].map(|exprs| {
        let conditions: Vec<TermId> = exprs.iter().filter_map(|&expr| system.condition(expr, true).ok()).collect();
        let terms = system.asking().0;
        atoms(terms, &conditions).into_iter().filter_map(|atom| comparison(terms, atom)).collect::<Vec<Comparison>>()
    });
    let mut forms: Vec<LinearForm> = Vec::new();
    for first in &compared {
        for second in invariants.iter().filter(|one| one.parts.len() > 1) {
            forms.extend(resolvents(first, second).into_iter().filter(|form| is_new(form, &compared)));
        }
    }
    let terms = system.asking().0;
    let fewer: Vec<LinearForm> = forms.iter().flat_map(|form| without_bounded(terms, form)).collect();
    forms.extend(fewer.into_iter().filter(|form| is_new(form, &compared)));
    learn(system, forms)
}

/// What a comparison of two terms says of each of them where the other one is as small, or as large, as it can be.
fn without_bounded(terms: &Terms, (parts, constant): &LinearForm) -> Vec<LinearForm> {
    let mut found = Vec::new();
    for (&term, &factor) in parts.iter().filter(|_| parts.len() > 1) {
        let (low, high) = terms.bounds(term);
        for bound in [low, high].into_iter().flatten() {
            let mut rest = parts.clone();
            rest.remove(&term);
            let shift = factor.checked_mul(bound).and_then(|by| constant.checked_sub(by));
            found.extend(shift.map(|constant| normal(rest, constant)));
        }
    }
    found
}

/// Adds comparisons as predicates, those of one variable first; whether any is new.
fn learn(system: &mut System, mut forms: Vec<LinearForm>) -> bool {
    forms.sort_by_key(|(parts, _)| parts.len());
    forms.dedup();
    let mut added = 0;
    for (parts, constant) in forms {
        let parts: Vec<(TermId, i128)> = parts.into_iter().collect();
        for constant in [constant, constant.saturating_sub(1)] {
            if added == limits::RESOLVENTS_MOST {
                return true;
            }
            let terms = system.asking().0;
            let (form, constant) = (terms.weighted(&parts, 0), terms.int(constant));
            let below = terms.le(form, constant);
            added += usize::from(system.learn_predicate(below));
        }
    }
    added > 0
}

/// For each predicate that says that two integers are equal, one that says which is smaller: nearer is a matter of sides.
pub(super) fn sides_of_equations(prepared: &mut Prepared) -> Vec<Predicate> {
    let known: Vec<Predicate> = prepared.system.predicates().to_vec();
    let program = prepared.system.program_mut();
    let mut found: Vec<Predicate> = Vec::new();
    for predicate in &known {
        let Expr::Binary(Binary::Eq | Binary::Ne, a, b) = program.exprs.get(predicate.expr) else { continue };
        if program.exprs.sort(a) != tertium_program::Sort::Int {
            continue;
        }
        let expr = program.exprs.add(Expr::Binary(Binary::Lt, a, b));
        if known.iter().chain(&found).all(|other| other.expr != expr) {
            found.push(Predicate { name: program.show(expr), expr });
        }
    }
    found
}

/// For each predicate about a remainder, one for every other remainder but the last: who takes one to three in turn must know how many are left over.
pub(super) fn other_remainders(prepared: &mut Prepared) -> Vec<Predicate> {
    let known: Vec<Predicate> = prepared.system.predicates().to_vec();
    let program = prepared.system.program_mut();
    let mut found: Vec<Predicate> = Vec::new();
    let exprs: Vec<ExprId> = known.iter().map(|predicate| predicate.expr).collect();
    for id in program.exprs.reachable(&exprs) {
        let Expr::Binary(Binary::Mod, _, modulus) = program.exprs.get(id) else { continue };
        let Some(modulus) = program.exprs.constant(modulus).filter(|modulus| *modulus <= limits::REMAINDERS_MOST)
        else {
            continue;
        };
        for remainder in 0..modulus - 1 {
            let value = program.exprs.int(remainder);
            let expr = program.exprs.add(Expr::Binary(Binary::Eq, id, value));
            let differs = program.exprs.add(Expr::Binary(Binary::Ne, id, value));
            if known.iter().chain(&found).all(|other| other.expr != expr && other.expr != differs) {
                found.push(Predicate { name: program.show(expr), expr });
            }
        }
    }
    found
}

/// For inequalities of several variables that hold wherever a process is somewhere, predicates that say when both sides are equal: a sum that some steps keep and others decrease is bounded by what it was.
pub(super) fn tight_invariants(prepared: &mut Prepared) -> Vec<Predicate> {
    let conditions: Vec<ExprId> =
        prepared.system.location_invariants().iter().filter_map(|one| one.condition).collect();
    let known: Vec<Predicate> = prepared.system.predicates().to_vec();
    let program = prepared.system.program_mut();
    let mut found: Vec<Predicate> = Vec::new();
    for condition in conditions {
        let Expr::Binary(Binary::Le, a, b) = program.exprs.get(condition) else { continue };
        let variables = program.exprs.reachable(&[a, b]).into_iter();
        let variables = variables.filter(|&id| matches!(program.exprs.get(id), Expr::Var(_))).count();
        let expr = program.exprs.add(Expr::Binary(Binary::Ge, a, b));
        if variables > 1 && known.iter().chain(&found).all(|other| other.expr != expr) {
            found.push(Predicate { name: program.show(expr), expr });
        }
    }
    found.truncate(limits::TIGHT_INVARIANTS_MOST);
    found
}

/// A sum of terms with factors, and what it is compared with.
type LinearForm = (BTreeMap<TermId, i128>, i128);

/// What two comparisons say together once a term that both have is left out.
fn resolvents(first: &Comparison, second: &Comparison) -> Vec<LinearForm> {
    let mut found = Vec::new();
    for &(term, factor) in &first.parts {
        let Some(&(_, other)) = second.parts.iter().find(|(part, _)| *part == term) else { continue };
        if factor.abs() != 1 || other.abs() != 1 {
            continue;
        }
        // Both sides of the second comparison may be meant: its sign does not matter.
        let sign = -factor * other;
        let mut parts: BTreeMap<TermId, i128> = first.parts.iter().copied().collect();
        for &(part, factor) in &second.parts {
            let own = parts.entry(part).or_default();
            *own = own.saturating_add(factor.saturating_mul(sign));
        }
        parts.retain(|_, factor| *factor != 0);
        let constant = second.constant.checked_mul(sign).and_then(|second| first.constant.checked_add(second));
        let small = !parts.is_empty() && parts.len() < limits::CHOICE_FEW_VARIABLES;
        found.extend(constant.filter(|_| small).map(|constant| normal(parts, constant)));
    }
    found
}

/// The same with a positive first factor: both sides of it become predicates anyway.
fn normal(parts: BTreeMap<TermId, i128>, constant: i128) -> LinearForm {
    if parts.values().next().is_some_and(|factor| *factor < 0) {
        (parts.into_iter().map(|(part, factor)| (part, factor.saturating_neg())).collect(), constant.saturating_neg())
    } else {
        (parts, constant)
    }
}

/// Whether nobody compares this already.
fn is_new((parts, constant): &LinearForm, compared: &[Comparison]) -> bool {
    let same = |other: &Comparison| {
        let own: BTreeMap<TermId, i128> = other.parts.iter().copied().collect();
        normal(own, other.constant) == (parts.clone(), *constant)
    };
    !compared.iter().any(same)
}
