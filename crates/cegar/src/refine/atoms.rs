//! What is a condition made of?

use std::collections::BTreeSet;

use tertium_smt::{Sort, Term, TermId, Terms};

/// A comparison of a linear form with a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The terms with their factors.
    pub parts: Vec<(TermId, i128)>,
    /// The form as one term.
    pub form: TermId,
    /// The constant.
    pub constant: i128,
    /// Whether the form equals the constant, or is at most that.
    pub exact: bool,
}

/// The truth-valued terms that a condition is made of by connectives, without signs.
#[must_use]
pub fn atoms(terms: &Terms, roots: &[TermId]) -> BTreeSet<TermId> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut open = roots.to_vec();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match terms.get(id) {
            Term::Bool(_) => {}
            Term::Not(a) => open.push(a),
            Term::And(list) => open.extend(terms.list(list)),
            Term::Same(a, b) if terms.sort(a) == Sort::Bool => open.extend([a, b]),
            Term::Ite(c, a, b) if terms.sort(a) == Sort::Bool => open.extend([c, a, b]),
            Term::AtMost(..) | Term::Equals(..) => {
                found.insert(id);
                // What decides which value is compared matters as well.
                for below in terms.reachable(&[id]) {
                    if let Term::Ite(condition, ..) = terms.get(below) {
                        open.push(condition);
                    }
                }
            }
            _ => {
                found.insert(id);
            }
        }
    }
    found
}

/// The parts of a conjunction.
#[must_use]
pub fn conjuncts(terms: &Terms, root: TermId) -> Vec<TermId> {
    match terms.get(root) {
        Term::And(list) => terms.list(list).to_vec(),
        Term::Bool(true) => Vec::new(),
        _ => vec![root],
    }
}

/// A term as a comparison, if it is one.
#[must_use]
pub fn comparison(terms: &Terms, atom: TermId) -> Option<Comparison> {
    let (form, constant, exact) = match terms.get(atom) {
        Term::AtMost(form, most) => (form, most, false),
        Term::Equals(form, value) => (form, value, true),
        _ => return None,
    };
    let parts = match terms.get(form) {
        Term::Sum(sum) => terms.sum(sum).parts.clone(),
        _ => vec![(form, 1)],
    };
    Some(Comparison { parts, form, constant, exact })
}
