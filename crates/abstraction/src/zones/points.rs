//! Between what are distances measured?
//!
//! Between zero and the variables that conditions are about. Where conditions add a value that never changes to a variable, as
//! `now <= x + delay` does, there is also a point for every variable plus that value; the distance of two variables and the distance of both with the
//! same value added are one.

use std::collections::{BTreeSet, HashMap};

use tertium_smt::{Sort, Term, TermId, Terms};

use super::zone::{Bound, NONE, Zone};
use crate::system::System;
use crate::translate::Cells;

/// More points than this are not looked at.
const MOST_POINTS: usize = 48;

/// The points of a program.
#[derive(Clone, Debug)]
pub(super) struct Points {
    /// Zero first, then variables and inputs.
    pub bases: Vec<Option<TermId>>,
    /// Nothing first, then values that never change.
    pub offsets: Vec<Option<TermId>>,
    /// Which bases are inputs of steps.
    pub inputs: BTreeSet<usize>,
    base_of: HashMap<TermId, usize>,
    offset_of: HashMap<TermId, usize>,
}

impl Points {
    /// The points of a system, given all that is asked about it; none if there are too many.
    pub(super) fn of(system: &System, asked: &[TermId]) -> Option<Self> {
        let relevant = relevant(system, asked);
        let mut inputs: Vec<TermId> = system
            .operations
            .iter()
            .flat_map(|operation| operation.inputs.iter().map(|choice| choice.symbol))
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        let conditions: Vec<TermId> =
            system.operations.iter().map(|op| op.relation).chain(asked.iter().copied()).collect();
        let fixed = fixed(system, &relevant, &conditions);
        let mut points = Self {
            bases: vec![None],
            offsets: vec![None],
            inputs: BTreeSet::new(),
            base_of: HashMap::new(),
            offset_of: HashMap::new(),
        };
        for symbol in cells(system).into_iter().filter(|symbol| relevant.contains(symbol)) {
            if fixed.contains(&symbol) {
                points.offset_of.insert(symbol, points.offsets.len());
                points.offsets.push(Some(symbol));
            } else {
                points.base_of.insert(symbol, points.bases.len());
                points.bases.push(Some(symbol));
            }
        }
        for input in inputs {
            if system.terms.sort(input) == Sort::Int && !points.base_of.contains_key(&input) {
                points.inputs.insert(points.bases.len());
                points.base_of.insert(input, points.bases.len());
                points.bases.push(Some(input));
            }
        }
        (points.count() <= MOST_POINTS && points.bases.len() > 1).then_some(points)
    }

    /// How many points there are.
    pub(super) fn count(&self) -> usize {
        self.bases.len() * self.offsets.len()
    }

    /// The point of a base and an offset.
    pub(super) fn point(&self, base: usize, offset: usize) -> usize {
        base * self.offsets.len() + offset
    }

    /// The base and the offset of a point.
    pub(super) fn parts(&self, point: usize) -> (usize, usize) {
        (point / self.offsets.len(), point % self.offsets.len())
    }

    /// The base and the offset whose sum these terms are.
    pub(super) fn of_terms(&self, terms: &[TermId]) -> Option<(usize, usize)> {
        let (mut base, mut offset) = (0, 0);
        for term in terms {
            match (self.base_of.get(term), self.offset_of.get(term)) {
                (Some(&found), _) if base == 0 => base = found,
                (_, Some(&found)) if offset == 0 => offset = found,
                _ => return None,
            }
        }
        Some((base, offset))
    }

    /// A comparison of a form, or of its negative, with a constant as a bound, if it is one.
    pub(super) fn bound(&self, terms: &Terms, form: TermId, most: i128, turned: bool) -> Option<Bound> {
        let parts = match terms.get(form) {
            Term::Sum(sum) => terms.sum(sum).parts.clone(),
            _ => vec![(form, 1)],
        };
        let sign = if turned { -1 } else { 1 };
        let side = |wanted: i128| -> Vec<TermId> {
            parts.iter().filter(|&&(_, factor)| factor * sign == wanted).map(|&(part, _)| part).collect()
        };
        let (left, right) = (side(1), side(-1));
        if left.len() + right.len() != parts.len() {
            return None;
        }
        let (left, right) = (self.of_terms(&left)?, self.of_terms(&right)?);
        Bound::new(self.point(left.0, left.1), self.point(right.0, right.1), most)
    }

    /// Makes distances that are one have one bound, and closes; whether any values are left.
    pub(super) fn close(&self, zone: &mut Zone) -> bool {
        loop {
            if !zone.close() {
                return false;
            }
            if self.offsets.len() == 1 || !self.tie(zone) {
                return true;
            }
        }
    }

    fn tie(&self, zone: &mut Zone) -> bool {
        let (bases, offsets) = (self.bases.len(), self.offsets.len());
        let mut changed = false;
        for a in 0..bases {
            for b in 0..bases {
                let pairs = (0..offsets).map(|offset| (self.point(a, offset), self.point(b, offset)));
                changed |= level(zone, pairs);
            }
        }
        for a in 0..offsets {
            for b in 0..offsets {
                let pairs = (0..bases).map(|base| (self.point(base, a), self.point(base, b)));
                changed |= level(zone, pairs);
            }
        }
        changed
    }
}

/// Gives all pairs the least of their bounds.
fn level(zone: &mut Zone, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> bool {
    let least = pairs.clone().map(|(left, right)| zone.get(left, right)).min().unwrap_or(NONE);
    let mut changed = false;
    for (left, right) in pairs.filter(|(left, right)| left != right) {
        changed |= zone.lower(left, right, least);
    }
    changed
}

/// The integer cells that are not kept, in the order of the program.
fn cells(system: &System) -> Vec<TermId> {
    let kept = system.kept_symbols();
    let mut found = Vec::new();
    for var in system.program.variable_ids() {
        if let Cells::Each(cells) = system.translator.cells(var) {
            let usable = |cell: &&TermId| {
                matches!(system.terms.get(**cell), Term::Symbol(_))
                    && system.terms.sort(**cell) == Sort::Int
                    && !kept.contains(cell)
            };
            found.extend(cells.iter().filter(usable));
        }
    }
    found
}

/// The terms that conditions depend on, also through assignments.
fn relevant(system: &System, asked: &[TermId]) -> BTreeSet<TermId> {
    let mut open: Vec<TermId> = asked.to_vec();
    open.extend(system.operations.iter().map(|operation| operation.relation));
    let mut found: BTreeSet<TermId> = BTreeSet::new();
    while let Some(term) = open.pop() {
        for id in system.terms.reachable(&[term]) {
            if matches!(system.terms.get(id), Term::Symbol(_)) && found.insert(id) {
                open.extend(system.operations.iter().filter_map(|operation| operation.after.get(&id)));
            }
        }
    }
    found
}

/// Relevant cells that no step changes, and that are added to others in conditions.
fn fixed(system: &System, relevant: &BTreeSet<TermId>, conditions: &[TermId]) -> BTreeSet<TermId> {
    let changes = |symbol: &TermId| {
        system.operations.iter().any(|operation| operation.after.get(symbol).is_some_and(|value| value != symbol))
    };
    let mut added = BTreeSet::new();
    for id in system.terms.reachable(conditions) {
        if let Term::AtMost(form, _) | Term::Equals(form, _) = system.terms.get(id)
            && let Term::Sum(sum) = system.terms.get(form)
            && system.terms.sum(sum).parts.len() > 2
        {
            added.extend(system.terms.sum(sum).parts.iter().map(|&(part, _)| part));
        }
    }
    added.into_iter().filter(|symbol| relevant.contains(symbol) && !changes(symbol)).collect()
}
