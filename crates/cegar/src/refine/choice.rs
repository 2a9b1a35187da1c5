//! Which conditions become predicates?
//!
//! The atoms of what contradicts itself along a path; those nearest to its end first. A loop that counts would ask for `x = 1`,
//! `x = 2`, … for ever: a linear form is compared with few constants only. Instead, relations are tried that no longer
//! speak of how often the loop was taken: the order of the two sides, and what follows for variables that occur together
//! once the counter between them is left out.

use std::collections::{BTreeMap, BTreeSet};

use tertium_abstraction::System;
use tertium_base::Stopped;
use tertium_smt::{Purpose, Reply, Term, TermId, Terms};

use crate::limits;
use crate::refine::atoms::{Comparison, atoms, comparison, conjuncts};
use crate::refine::path::Contradiction;

/// Chooses predicates round by round.
#[derive(Clone, Debug, Default)]
pub struct Chooser {
    /// Forms that were compared with too many constants.
    counted: BTreeSet<TermId>,
}

impl Chooser {
    /// Adds predicates that tell the conditions, by position, apart; their texts. None if all are known already.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn choose(&mut self, system: &mut System, found: &Contradiction) -> Result<Vec<String>, Stopped> {
        let before = system.predicates().len();
        let mut conditions = found.conditions.clone();
        if !found.constants.is_empty() {
            // What does not depend on the constants comes first.
            for position in conditions.iter().rev() {
                self.combined(system, position)?;
            }
            let (terms, _) = system.asking();
            for condition in conditions.iter_mut().flatten() {
                *condition = terms.substitute(*condition, &found.constants);
            }
        }
        let mut held_back = Vec::new();
        for position in conditions.iter().rev() {
            Self::linked(system, position)?;
            for atom in usable(system, position) {
                if self.is_counting(system, atom) {
                    held_back.push(atom);
                } else {
                    add(system, atom)?;
                }
            }
        }
        if !held_back.is_empty() {
            for position in conditions.iter().rev() {
                self.combined(system, position)?;
            }
        }
        if system.predicates().len() == before {
            for &atom in &held_back {
                Self::orders(system, atom)?;
            }
        }
        if system.predicates().len() == before {
            for atom in held_back {
                add(system, atom)?;
            }
        }
        Ok(system.predicates()[before..].iter().map(|predicate| predicate.name.clone()).collect())
    }

    /// Whether an atom compares a form with one more constant after several.
    fn is_counting(&mut self, system: &mut System, atom: TermId) -> bool {
        let known = system.predicate_terms().to_vec();
        let (terms, _) = system.asking();
        let Some(own) = comparison(terms, atom) else { return false };
        let constants: BTreeSet<i128> = known
            .iter()
            .filter_map(|&predicate| comparison(terms, predicate))
            .filter(|other| other.form == own.form)
            .map(|other| other.constant)
            .collect();
        let counting = constants.len() >= limits::CHOICE_FEW_CONSTANTS && !known.contains(&atom);
        if counting {
            self.counted.insert(own.form);
        }
        counting
    }

    /// The order of the two sides of a comparison.
    fn orders(system: &mut System, atom: TermId) -> Result<(), Stopped> {
        let (terms, _) = system.asking();
        let Some(own) = comparison(terms, atom) else { return Ok(()) };
        for most in [0, -1] {
            let (terms, _) = system.asking();
            let most = terms.int(most);
            let order = terms.le(own.form, most);
            add(system, order)?;
        }
        Ok(())
    }

    /// Variables that are both equal to a third one are equal to each other.
    fn linked(system: &mut System, position: &[TermId]) -> Result<(), Stopped> {
        let (terms, _) = system.asking();
        let equal = |&part: &TermId| comparison(terms, part).filter(|own| own.exact && own.parts.len() == 2);
        let equations: Vec<Comparison> = position.iter().filter_map(equal).collect();
        let mut found = Vec::new();
        for (at, a) in equations.iter().enumerate() {
            for b in &equations[at + 1..] {
                let turned: Vec<(TermId, i128)> = b.parts.iter().map(|&(part, factor)| (part, -factor)).collect();
                for (other, sign) in [(&b.parts, 1), (&turned, -1)] {
                    let parts = summed(&a.parts, other);
                    if parts.len() == 2 {
                        let (form, right) = (terms.weighted(&parts, 0), terms.int(a.constant + sign * b.constant));
                        found.push(terms.eq(form, right));
                    }
                }
            }
        }
        found.into_iter().try_for_each(|relation| add(system, relation))
    }

    /// What follows from two comparisons if something that both speak of, or how far a counter got, is left out.
    fn combined(&mut self, system: &mut System, position: &[TermId]) -> Result<(), Stopped> {
        let (terms, _) = system.asking();
        let mut all: Vec<Bound> = Vec::new();
        for &part in position {
            for member in conjuncts(terms, part) {
                all.extend(bounds(terms, member));
            }
        }
        let mut found = Vec::new();
        for (at, a) in all.iter().enumerate() {
            for b in &all[at + 1..] {
                let parts = summed(&a.parts, &b.parts);
                let opposite = |a: &Bound, b: &Bound| a.parts[0].1.signum() != b.parts[0].1.signum();
                let counters = a.parts.len() == 1 && b.parts.len() == 1 && opposite(a, b);
                let fewer = parts.len() < a.parts.len() + b.parts.len();
                if parts.len() < 2 || parts.len() > limits::CHOICE_FEW_VARIABLES || !(fewer || counters) {
                    continue;
                }
                let Some(most) = a.most.checked_add(b.most) else { continue };
                let (form, most) = (terms.weighted(&parts, 0), terms.int(most));
                found.push(terms.le(form, most));
            }
        }
        for relation in found {
            if !self.is_counting(system, relation) {
                add(system, relation)?;
            }
        }
        Ok(())
    }
}

/// A linear form, with its factors, is at most this.
struct Bound {
    parts: Vec<(TermId, i128)>,
    most: i128,
}

/// A literal as bounds of linear forms.
fn bounds(terms: &Terms, literal: TermId) -> Vec<Bound> {
    let turned = |parts: &[(TermId, i128)]| parts.iter().map(|&(part, factor)| (part, -factor)).collect::<Vec<_>>();
    if let Term::Not(inner) = terms.get(literal) {
        let own = comparison(terms, inner).filter(|own| !own.exact);
        return own.map(|own| Bound { parts: turned(&own.parts), most: -own.constant - 1 }).into_iter().collect();
    }
    let Some(own) = comparison(terms, literal) else { return Vec::new() };
    let mut found = Vec::new();
    if own.exact {
        found.push(Bound { parts: turned(&own.parts), most: -own.constant });
    }
    found.push(Bound { parts: own.parts, most: own.constant });
    found
}

/// The sum of two linear forms.
fn summed(a: &[(TermId, i128)], b: &[(TermId, i128)]) -> Vec<(TermId, i128)> {
    let mut sum: BTreeMap<TermId, i128> = a.iter().copied().collect();
    for &(part, factor) in b {
        *sum.entry(part).or_default() += factor;
    }
    sum.into_iter().filter(|&(_, factor)| factor != 0).collect()
}

/// The atoms of conditions that are about more than what is kept anyway.
fn usable(system: &mut System, conditions: &[TermId]) -> Vec<TermId> {
    let kept = system.kept_symbols();
    let (terms, _) = system.asking();
    let found = atoms(terms, conditions);
    let concrete = |atom: &TermId| {
        let reachable = terms.reachable(&[*atom]);
        let free = |id: &&TermId| matches!(terms.get(**id), Term::Symbol(_) | Term::Apply(..));
        reachable.iter().filter(free).all(|id| kept.contains(id))
    };
    found.into_iter().filter(|atom| !concrete(atom)).collect()
}

/// Adds a predicate unless the present ones say the same.
fn add(system: &mut System, atom: TermId) -> Result<(), Stopped> {
    if !is_redundant(system, atom)? {
        system.learn_predicate(atom);
    }
    Ok(())
}

/// Whether a predicate is equivalent to a present one. Equal linear forms are told apart by looking at them.
fn is_redundant(system: &mut System, atom: TermId) -> Result<bool, Stopped> {
    let known = system.predicate_terms().to_vec();
    let (terms, queries) = system.asking();
    let (own, symbols) = (comparison(terms, atom), terms.symbols_of(&[atom]));
    for predicate in known {
        let linear = own.is_some() && comparison(terms, predicate).is_some();
        if linear || terms.symbols_of(&[predicate]) != symbols {
            continue;
        }
        let (no_atom, no_predicate) = (terms.not(atom), terms.not(predicate));
        if queries.satisfiable(terms, Purpose::Other, &[atom, no_predicate])? == Reply::Unsat
            && queries.satisfiable(terms, Purpose::Other, &[no_atom, predicate])? == Reply::Unsat
        {
            return Ok(true);
        }
    }
    Ok(false)
}
