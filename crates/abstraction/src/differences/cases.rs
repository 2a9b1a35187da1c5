//! What does a step do to distances?
//!
//! A condition is taken apart into cases, each a list of bounds; what is not about distances is left out, which only lets more happen. Values that
//! distinguish cases are taken apart in the same way.

use std::collections::{BTreeSet, HashMap};

use tertium_smt::{Term, TermId};

use super::points::Points;
use super::zone::{Bound, Source, Zone};
use crate::system::System;

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
struct Work {
    /// Conditions that are not yet bounds, each with whether it holds.
    open: Vec<(TermId, bool)>,
    bounds: Vec<Bound>,
    /// Values afterwards.
    values: Vec<TermId>,
}

/// Takes conditions and values apart; none if there are too many cases.
fn cases(system: &mut System, points: &Points, open: Vec<(TermId, bool)>, values: Vec<TermId>) -> Option<Vec<Work>> {
    let mut found = Vec::new();
    let mut stack = vec![Work { open, bounds: Vec::new(), values }];
    while let Some(mut work) = stack.pop() {
        if stack.len() + found.len() > MOST_CASES {
            return None;
        }
        let Some((term, holds)) = work.open.pop() else {
            match choice(system, &work.values) {
                Some(chosen) => stack.extend(chosen_values(system, &work, chosen)),
                None => found.push(work),
            }
            continue;
        };
        match system.terms.get(term) {
            Term::Bool(value) if value != holds => {}
            Term::Not(inner) => {
                work.open.push((inner, !holds));
                stack.push(work);
            }
            Term::And(list) => {
                let parts = system.terms.list(list).to_vec();
                if holds {
                    work.open.extend(parts.into_iter().map(|part| (part, true)));
                    stack.push(work);
                } else {
                    stack.extend(parts.into_iter().rev().map(|part| with(&work, &[(part, false)])));
                }
            }
            Term::Same(a, b) if system.terms.sort(a) == tertium_smt::Sort::Bool => {
                stack.push(with(&work, &[(a, true), (b, holds)]));
                stack.push(with(&work, &[(a, false), (b, !holds)]));
            }
            Term::Ite(c, a, b) => {
                stack.push(with(&work, &[(c, true), (a, holds)]));
                stack.push(with(&work, &[(c, false), (b, holds)]));
            }
            Term::AtMost(form, most) => stack.extend(compared(system, points, &work, (form, most, false), holds)),
            Term::Equals(form, value) => stack.extend(compared(system, points, &work, (form, value, true), holds)),
            // Nothing is known about anything else.
            _ => stack.push(work),
        }
    }
    Some(found)
}

fn with(work: &Work, more: &[(TermId, bool)]) -> Work {
    let mut work = work.clone();
    work.open.extend(more);
    work
}

/// The cases of a comparison.
fn compared(
    system: &mut System,
    points: &Points,
    work: &Work,
    (form, constant, exact): (TermId, i128, bool),
    holds: bool,
) -> Vec<Work> {
    if let Some((condition, then, otherwise, whole)) = choice(system, &[form]) {
        let mut found = Vec::new();
        for (part, value) in [(then, true), (otherwise, false)] {
            let form = system.terms.substitute(form, &HashMap::from([(whole, part)]));
            let right = system.terms.int(constant);
            let atom = if exact { system.terms.eq(form, right) } else { system.terms.le(form, right) };
            found.push(with(work, &[(condition, value), (atom, holds)]));
        }
        return found;
    }
    let at_most = |most: i128| points.bound(&system.terms, form, most, false);
    let at_least = |least: i128| points.bound(&system.terms, form, -least, true);
    let alternatives = match (exact, holds) {
        (false, true) => vec![vec![at_most(constant)]],
        (false, false) => vec![vec![at_least(constant + 1)]],
        (true, true) => vec![vec![at_most(constant), at_least(constant)]],
        (true, false) => vec![vec![at_most(constant - 1)], vec![at_least(constant + 1)]],
    };
    if alternatives.iter().flatten().all(Option::is_none) {
        return vec![work.clone()];
    }
    let bounded = |bounds: Vec<Option<Bound>>| {
        let mut work = work.clone();
        work.bounds.extend(bounds.into_iter().flatten());
        work
    };
    alternatives.into_iter().map(bounded).collect()
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
    work: &Work,
    (condition, then, otherwise, whole): (TermId, TermId, TermId, TermId),
) -> Vec<Work> {
    let mut found = Vec::new();
    for (part, value) in [(then, true), (otherwise, false)] {
        let map = HashMap::from([(whole, part)]);
        let mut work = with(work, &[(condition, value)]);
        work.values = work.values.iter().map(|&value| system.terms.substitute(value, &map)).collect();
        found.push(work);
    }
    found
}

/// The cases in which a condition, with locations and kept values filled in, may hold.
pub(super) fn of_condition(system: &mut System, points: &Points, conditions: &[TermId]) -> Option<Vec<Vec<Bound>>> {
    let open = conditions.iter().map(|&condition| (condition, true)).collect();
    Some(cases(system, points, open, Vec::new())?.into_iter().map(|work| work.bounds).collect())
}

/// The cases of an operation from these locations and kept values.
pub(super) fn of_operation(
    system: &mut System,
    points: &Points,
    operation: usize,
    map: &HashMap<TermId, TermId>,
) -> Option<Vec<Case>> {
    let relation = system.terms.substitute(system.operations[operation].relation, map);
    let symbols: Vec<TermId> = (system.kept.iter().map(|kept| kept.symbol))
        .chain(points.bases.iter().enumerate().filter(|(at, _)| !points.inputs.contains(at)).filter_map(|(_, base)| *base))
        .collect();
    let mut values = Vec::new();
    for symbol in symbols {
        let value = system.after(operation, symbol);
        values.push(system.terms.substitute(value, map));
    }
    let kept = system.kept.len();
    let mut found = Vec::new();
    let mut stack = cases(system, points, vec![(relation, true)], values)?;
    while let Some(work) = stack.pop() {
        let unknown = (0..kept).find(|&at| constant(system, work.values[at]).is_none());
        match unknown {
            Some(at) => {
                for (condition, value) in possible(system, operation, work.values[at])? {
                    let mut more = cases(system, points, vec![(condition, true)], work.values.clone())?;
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
fn possible(system: &mut System, operation: usize, term: TermId) -> Option<Vec<(TermId, TermId)>> {
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
fn finished(system: &System, points: &Points, work: Work, kept: usize) -> Case {
    let constants = work.values[..kept].iter().map(|&value| constant(system, value).unwrap_or(0)).collect();
    let mut sources: Vec<Source> = (0..points.count()).map(|point| Source::Point(point, 0)).collect();
    let mut after = Vec::new();
    let mut values = work.values[kept..].iter();
    for base in 1..points.bases.len() {
        let value = if points.inputs.contains(&base) { None } else { values.next().copied() };
        let source = value.and_then(|value| linear(system, points, value));
        for offset in 0..points.offsets.len() {
            sources[points.point(base, offset)] = match source {
                Some((from, own, add)) if own == 0 => Source::Point(points.point(from, offset), add),
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
