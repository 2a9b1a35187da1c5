//! What does a step do to distances?
//!
//! A condition is taken apart into cases, each a list of bounds; what is not about distances is left out, which only lets more happen. Values that
//! distinguish cases are taken apart in the same way.

use std::collections::{BTreeSet, HashMap};

use tertium_smt::{Term, TermId};

use super::points::Points;
use super::zone::{Bound, Source, Zone};
use crate::system::{OperationId, System};

/// More cases of one condition than this are not looked at.
const MOST_CASES: usize = 512;
/// A kept cell that gets an unknown value gets at most this many.
const MOST_VALUES: i128 = 64;

/// One case of a step.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// What holds before it.
    pub before: Vec<Bound>,
    /// What every point is afterwards.
    sources: Vec<Source>,
    /// What holds afterwards.
    after: Vec<Bound>,
    /// The kept values afterwards.
    pub kept: Vec<i128>,
}

impl Case {
    /// The zone after the step, if the case can occur in a zone that is closed.
    pub(super) fn apply(&self, points: &Points, zone: &Zone) -> Option<Zone> {
        let mut here = zone.clone();
        if !self.before.iter().all(|&bound| here.add(bound)) || (points.offsets.len() > 1 && !points.close(&mut here)) {
            return None;
        }
        let mut there = here.assign(&self.sources);
        (self.after.iter().all(|&bound| there.add(bound)) && points.close(&mut there)).then_some(there)
    }
}

/// A case that is being worked out.
#[derive(Clone, Debug)]
struct PartialCase {
    /// Conditions that are not yet bounds, each with whether it holds; those that distinguish cases last.
    open: Vec<(TermId, bool)>,
    later: Vec<(TermId, bool)>,
    bounds: Vec<Bound>,
    /// What the bounds say together.
    zone: Zone,
    /// Values afterwards.
    values: Vec<TermId>,
}

impl PartialCase {
    fn with(&self, more: &[(TermId, bool)]) -> Self {
        let mut work = self.clone();
        work.open.extend(more);
        work
    }

    /// Adds bounds; whether any values are left.
    fn bound(&mut self, bounds: impl IntoIterator<Item = Bound>) -> bool {
        for bound in bounds {
            if !self.zone.holds(bound) {
                self.bounds.push(bound);
                if !self.zone.add(bound) {
                    return false;
                }
            }
        }
        true
    }
}

/// Takes conditions and values apart, where these bounds hold anyway; none if there are too many cases.
fn cases(
    system: &mut System,
    points: &Points,
    known: &[Bound],
    open: Vec<(TermId, bool)>,
    values: Vec<TermId>,
) -> Option<Vec<PartialCase>> {
    let mut found = Vec::new();
    let mut zone = Zone::all(points.count());
    if !known.iter().all(|&bound| zone.add(bound)) {
        return Some(found);
    }
    let mut stack = vec![PartialCase { open, later: Vec::new(), bounds: Vec::new(), zone, values }];
    while let Some(mut work) = stack.pop() {
        if stack.len() + found.len() > MOST_CASES {
            return None;
        }
        if let Some((term, holds)) = work.open.pop() {
            if gather(system, points, &mut work, term, holds) {
                stack.push(work);
            }
            continue;
        }
        match work.later.pop() {
            Some((term, holds)) => stack.extend(split(system, points, work, term, holds)),
            None => match choice(system, &work.values) {
                Some(chosen) => stack.extend(chosen_values(system, &work, chosen)),
                None => found.push(work),
            },
        }
    }
    Some(found)
}

/// Takes in what a condition says if it distinguishes no cases; whether any values are left.
fn gather(system: &mut System, points: &Points, work: &mut PartialCase, term: TermId, holds: bool) -> bool {
    match system.terms.get(term) {
        Term::Bool(value) => return value == holds,
        Term::Not(inner) => work.open.push((inner, !holds)),
        Term::And(list) if holds => {
            let parts = system.terms.list(list).to_vec();
            work.open.extend(parts.into_iter().map(|part| (part, true)));
        }
        Term::AtMost(form, _) | Term::Equals(form, _) if choice(system, &[form]).is_some() => {
            work.later.push((term, holds));
        }
        Term::AtMost(..) | Term::Equals(..) => {
            let mut alternatives = alternatives(system, points, term, holds);
            if alternatives.len() > 1 {
                work.later.push((term, holds));
            } else {
                return work.bound(alternatives.pop().unwrap_or_default());
            }
        }
        Term::And(_) | Term::Same(..) | Term::Ite(..) => work.later.push((term, holds)),
        // Nothing is known about anything else.
        _ => {}
    }
    true
}

/// The bounds that a comparison stands for: one list per case. What is not about distances says nothing.
fn alternatives(system: &System, points: &Points, term: TermId, holds: bool) -> Vec<Vec<Bound>> {
    let (form, constant, exact) = match system.terms.get(term) {
        Term::AtMost(form, most) => (form, most, false),
        Term::Equals(form, value) => (form, value, true),
        _ => return vec![Vec::new()],
    };
    let at_most = |most: i128| points.bound(&system.terms, form, most, false);
    let at_least = |least: i128| points.bound(&system.terms, form, -least, true);
    let lists = match (exact, holds) {
        (false, true) => vec![vec![at_most(constant)]],
        (false, false) => vec![vec![at_least(constant + 1)]],
        (true, true) => vec![vec![at_most(constant), at_least(constant)]],
        (true, false) => vec![vec![at_most(constant - 1)], vec![at_least(constant + 1)]],
    };
    if lists.iter().any(|list| list.iter().all(Option::is_none)) {
        return vec![Vec::new()];
    }
    lists.into_iter().map(|list| list.into_iter().flatten().collect()).collect()
}

/// Whether bounds decide a comparison: it holds, or cannot.
fn decided(system: &System, points: &Points, zone: &Zone, term: TermId, holds: bool) -> Option<bool> {
    let (term, holds) = match system.terms.get(term) {
        Term::Not(inner) => (inner, !holds),
        _ => (term, holds),
    };
    if !matches!(system.terms.get(term), Term::AtMost(..) | Term::Equals(..)) {
        return system.terms.as_bool(term).map(|value| value == holds);
    }
    let (yes, no) = (alternatives(system, points, term, holds), alternatives(system, points, term, !holds));
    let refuted = |lists: &[Vec<Bound>]| lists.iter().all(|list| list.iter().any(|&bound| zone.refutes(bound)));
    match (refuted(&yes), refuted(&no)) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    }
}

/// The cases of a condition that distinguishes some.
fn split(system: &mut System, points: &Points, work: PartialCase, term: TermId, holds: bool) -> Vec<PartialCase> {
    match system.terms.get(term) {
        Term::And(list) => {
            let parts = system.terms.list(list).to_vec();
            let mut left = Vec::new();
            for part in parts {
                match decided(system, points, &work.zone, part, false) {
                    Some(true) => return vec![work],
                    Some(false) => {}
                    None => left.push(part),
                }
            }
            left.into_iter().rev().map(|part| work.with(&[(part, false)])).collect()
        }
        Term::Same(a, b) if system.terms.sort(a) == tertium_smt::Sort::Bool => {
            vec![work.with(&[(a, true), (b, holds)]), work.with(&[(a, false), (b, !holds)])]
        }
        Term::Ite(c, a, b) => vec![work.with(&[(c, true), (a, holds)]), work.with(&[(c, false), (b, holds)])],
        Term::AtMost(form, _) | Term::Equals(form, _) => {
            if let Some((condition, then, otherwise, whole)) = choice(system, &[form]) {
                let mut found = Vec::new();
                for (part, value) in [(then, true), (otherwise, false)] {
                    let atom = system.terms.substitute(term, &HashMap::from([(whole, part)]));
                    found.push(work.with(&[(condition, value), (atom, holds)]));
                }
                return found;
            }
            let lists = alternatives(system, points, term, holds);
            let bounded = |list: Vec<Bound>| {
                let mut case = work.clone();
                case.bound(list).then_some(case)
            };
            lists.into_iter().filter_map(bounded).collect()
        }
        _ => vec![work],
    }
}

/// A choice inside of values, an outermost one: its condition, both parts, and itself. What is said of all values of something is not
/// looked into: there a choice is not one.
fn choice(system: &System, values: &[TermId]) -> Option<(TermId, TermId, TermId, TermId)> {
    let (mut open, mut seen) = (values.to_vec(), BTreeSet::new());
    while let Some(id) = open.pop() {
        match system.terms.get(id) {
            Term::Ite(condition, then, otherwise) => return Some((condition, then, otherwise, id)),
            Term::Forall(..) => {}
            _ if seen.insert(id) => open.extend(system.terms.children(id)),
            _ => {}
        }
    }
    None
}

fn chosen_values(
    system: &mut System,
    work: &PartialCase,
    (condition, then, otherwise, whole): (TermId, TermId, TermId, TermId),
) -> Vec<PartialCase> {
    let mut found = Vec::new();
    for (part, value) in [(then, true), (otherwise, false)] {
        let map = HashMap::from([(whole, part)]);
        let mut work = work.with(&[(condition, value)]);
        work.values = work.values.iter().map(|&value| system.terms.substitute(value, &map)).collect();
        found.push(work);
    }
    found
}

/// The cases in which a condition, with locations and kept values filled in, may hold.
pub(super) fn of_condition(
    system: &mut System,
    points: &Points,
    known: &[Bound],
    conditions: &[TermId],
) -> Option<Vec<Vec<Bound>>> {
    let open = conditions.iter().map(|&condition| (condition, true)).collect();
    Some(cases(system, points, known, open, Vec::new())?.into_iter().map(|work| work.bounds).collect())
}

/// The cases of an operation from these locations and kept values.
pub(super) fn of_operation(
    system: &mut System,
    points: &Points,
    known: &[Bound],
    operation: OperationId,
    map: &HashMap<TermId, TermId>,
) -> Option<Vec<Case>> {
    let relation = system.terms.substitute(system.operations[operation].relation, map);
    let symbols: Vec<TermId> = (system.kept.iter().map(|kept| kept.symbol))
        .chain(
            points.bases.iter().enumerate().filter(|(at, _)| !points.inputs.contains(at)).filter_map(|(_, base)| *base),
        )
        .collect();
    let mut values = Vec::new();
    for symbol in symbols {
        let value = system.after(operation, symbol);
        values.push(system.terms.substitute(value, map));
    }
    let kept = system.kept.len();
    let mut found = Vec::new();
    let mut stack = cases(system, points, known, vec![(relation, true)], values)?;
    while let Some(work) = stack.pop() {
        let unknown = (0..kept).find(|&at| constant(system, work.values[at]).is_none());
        match unknown {
            Some(at) => {
                for (condition, value) in possible(system, operation, work.values[at])? {
                    let here: Vec<Bound> = known.iter().chain(&work.bounds).copied().collect();
                    let mut more = cases(system, points, &here, vec![(condition, true)], work.values.clone())?;
                    for case in &mut more {
                        case.bounds.extend(&work.bounds);
                        case.values[at] = value;
                    }
                    stack.extend(more);
                }
            }
            None => found.push(finished(system, points, work, kept)),
        }
        if stack.len() + found.len() > MOST_CASES {
            return None;
        }
    }
    Some(found)
}

fn constant(system: &System, term: TermId) -> Option<i128> {
    system.terms.as_int(term).or_else(|| system.terms.as_bool(term).map(i128::from))
}

/// The values that a term may have, each with when it has it.
fn possible(system: &mut System, operation: OperationId, term: TermId) -> Option<Vec<(TermId, TermId)>> {
    if system.terms.sort(term) == tertium_smt::Sort::Bool {
        let (yes, no, not) = (system.terms.bool(true), system.terms.bool(false), system.terms.not(term));
        return Some(vec![(term, yes), (not, no)]);
    }
    let chosen = system.operations[operation].inputs.iter().find(|choice| choice.symbol == term);
    let (lo, hi) = chosen.map_or_else(|| system.terms.bounds(term), |choice| choice.bounds);
    let (lo, hi) = (lo?, hi?);
    if hi.checked_sub(lo)? >= MOST_VALUES {
        return None;
    }
    let mut found = Vec::new();
    for value in lo..=hi {
        let value = system.terms.int(value);
        found.push((system.terms.eq(term, value), value));
    }
    Some(found)
}

/// A case whose conditions are all bounds.
fn finished(system: &System, points: &Points, work: PartialCase, kept: usize) -> Case {
    let constants = work.values[..kept].iter().map(|&value| constant(system, value).unwrap_or(0)).collect();
    let mut sources: Vec<Source> = (0..points.count()).map(|point| Source::Point(point, 0)).collect();
    let mut after = Vec::new();
    let mut values = work.values[kept..].iter();
    for base in 1..points.bases.len() {
        let value = if points.inputs.contains(&base) { None } else { values.next().copied() };
        let source = value.and_then(|value| linear(system, points, value));
        for offset in 0..points.offsets.len() {
            sources[points.point(base, offset)] = match source {
                Some((from, 0, add)) => Source::Point(points.point(from, offset), add),
                Some((from, own, add)) if offset == 0 => Source::Point(points.point(from, own), add),
                _ => Source::Anything,
            };
        }
        let bounds = match (value, points.bases[base]) {
            (Some(value), Some(symbol)) => [system.terms.bounds(value), system.terms.bounds(symbol)].to_vec(),
            _ => Vec::new(),
        };
        for (lo, hi) in bounds {
            let point = points.point(base, 0);
            after.extend(lo.and_then(|lo| Bound::new(0, point, -lo)));
            after.extend(hi.and_then(|hi| Bound::new(point, 0, hi)));
        }
    }
    Case { before: work.bounds, sources, after, kept: constants }
}

/// A value as base, offset and what is added.
fn linear(system: &System, points: &Points, value: TermId) -> Option<(usize, usize, i64)> {
    let (parts, constant) = match system.terms.get(value) {
        Term::Int(value) => (Vec::new(), value),
        Term::Sum(sum) => (system.terms.sum(sum).parts.clone(), system.terms.sum(sum).constant),
        _ => (vec![(value, 1)], 0),
    };
    if parts.iter().any(|&(_, factor)| factor != 1) {
        return None;
    }
    let symbols: Vec<TermId> = parts.iter().map(|&(part, _)| part).collect();
    let (base, offset) = points.of_terms(&symbols)?;
    // Beyond this, distances could leave the numbers that hold them.
    let constant = i64::try_from(constant).ok().filter(|constant| constant.abs() < 1 << 40)?;
    Some((base, offset, constant))
}
