//! Which decisions about the model's own states make all properties true, and what are the fewest?
//!
//! Branch and bound with three values. A set of decisions leaves a partial model; if a property is false there, no further decision helps; if all are true, nothing more has to be
//! decided. Otherwise some further decision must be about something that the first open property can see. Sets are tried in order of their size, so that the first one found is a smallest one, and
//! none contains another one found. Where there are too many, one is found depth-first, guided by the reasons that leave the property open, and what it can do without is taken back.

use std::collections::HashSet;

use tertium_base::Budget;
use tertium_check::{Ask, Task};
use tertium_evidence::{Reading, Reason, StepDirection};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_logic::{Formula, Node};
use tertium_model::{Kmts, PropId, StateId};

use super::decisions::{Decisions, Design, OpenItem};
use crate::check::{bound, meet_at};
use crate::engines::{self, EngineChoice};
use crate::prove;

/// The question: these properties, at these states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish<'a> {
    pub properties: &'a [&'a Formula],
    pub states: &'a [StateId],
    pub reading: Reading,
    pub budget: &'a Budget,
}

/// What the properties make of some decisions.
enum Judgement {
    Satisfied,
    Violated,
    /// The number of a property that is open, and the model that leaves it so.
    Open(usize, Box<Kmts>),
}

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Sets of decisions after which everything is true, smallest first.
    pub sets: Vec<Decisions>,
    /// Whether every set was tried: there are no others, and none is smaller.
    pub exhausted: bool,
}

/// Looks for sets of decisions in order of their size, and tries at most so many.
pub(super) fn smallest_sets(design: &Design<'_>, wish: Wish<'_>, wanted: usize, most: usize) -> Result<Found, Failure> {
    let mut found = Found::default();
    let mut seen: HashSet<Decisions> = HashSet::new();
    let mut level: Vec<Decisions> = vec![Vec::new()];
    let mut tried = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for decisions in level {
            if found.sets.iter().any(|known| known.iter().all(|one| decisions.contains(one))) {
                continue;
            }
            tried += 1;
            if tried > most {
                return Ok(found);
            }
            match judge(design, wish, &decisions)? {
                Judgement::Violated => {}
                Judgement::Satisfied => {
                    found.sets.push(decisions);
                    if found.sets.len() >= wanted {
                        return Ok(found);
                    }
                }
                Judgement::Open(property, partial) => {
                    let props = props_of(&partial, wish.properties[property]);
                    for item in design.relevant(&partial, wish.states, &props) {
                        for value in [true, false] {
                            let more = with(&decisions, item, value);
                            if seen.insert(more.clone()) {
                                next.push(more);
                            }
                        }
                    }
                }
            }
        }
        level = next;
    }
    found.exhausted = true;
    Ok(found)
}

/// Looks for one set of decisions depth-first, and takes back what it can do without. The second part of the answer says whether everything was tried.
pub(super) fn some_set(design: &Design<'_>, wish: Wish<'_>, most: usize) -> Result<(Option<Decisions>, bool), Failure> {
    let mut stack: Vec<Decisions> = vec![Vec::new()];
    let mut tried = 0;
    while let Some(decisions) = stack.pop() {
        tried += 1;
        if tried > most {
            return Ok((None, false));
        }
        match judge(design, wish, &decisions)? {
            Judgement::Violated => {}
            Judgement::Satisfied => return shrink(design, wish, decisions).map(|least| (Some(least), true)),
            Judgement::Open(property, partial) => {
                let Some((item, first)) = open_item(design, wish, wish.properties[property], &partial)? else {
                    return Err(Failure::Internal("a property is open, and nothing is left to decide".to_owned()));
                };
                stack.push(with(&decisions, item, !first));
                stack.push(with(&decisions, item, first));
            }
        }
    }
    Ok((None, true))
}

/// Takes back one decision after the other while everything stays true.
fn shrink(design: &Design<'_>, wish: Wish<'_>, mut decisions: Decisions) -> Result<Decisions, Failure> {
    let mut at = 0;
    while at < decisions.len() {
        let mut fewer = decisions.clone();
        fewer.remove(at);
        if let Judgement::Satisfied = judge(design, wish, &fewer)? {
            decisions = fewer;
        } else {
            at += 1;
        }
    }
    Ok(decisions)
}

fn with(decisions: &[(u32, bool)], item: u32, value: bool) -> Decisions {
    let mut more = decisions.to_vec();
    let at = more.partition_point(|&(known, _)| known < item);
    more.insert(at, (item, value));
    more
}

/// The propositions that a formula speaks of.
pub(super) fn props_of(model: &Kmts, formula: &Formula) -> Vec<PropId> {
    let atoms = formula.nodes().iter().filter_map(|node| match node {
        Node::Atom(atom) => model.prop_by_name(&formula.atoms()[atom.index()].text),
        _ => None,
    });
    let mut props: Vec<PropId> = atoms.collect();
    props.sort_unstable();
    props.dedup();
    props
}

fn judge(design: &Design<'_>, wish: Wish<'_>, decisions: &[(u32, bool)]) -> Result<Judgement, Failure> {
    wish.budget.check()?;
    let Some(partial) = design.decided(decisions)? else { return Ok(Judgement::Violated) };
    let mut open = None;
    for (at, property) in wish.properties.iter().enumerate() {
        match value(&partial, property, wish)? {
            Belnap::True => {}
            Belnap::False | Belnap::Both => return Ok(Judgement::Violated),
            Belnap::Unknown => open = open.or(Some(at)),
        }
    }
    Ok(open.map_or(Judgement::Satisfied, |at| Judgement::Open(at, Box::new(partial))))
}

/// The compositional value of a property at all the states that are asked about.
fn value(partial: &Kmts, property: &Formula, wish: Wish<'_>) -> Result<Belnap, Failure> {
    let formula = prove::evaluated_formula(partial, property);
    let task = bound(Task::new(partial, &formula, wish.reading, Ask::At(wish.states), wish.budget))?;
    let (_, values) = engines::evaluate(&task, EngineChoice::Auto)?;
    Ok(meet_at(wish.states, |state| values.at(state)).0)
}

/// An open item that the reasons of an unknown name, and the value that the property would like it to have.
fn open_item(
    design: &Design<'_>,
    wish: Wish<'_>,
    property: &Formula,
    partial: &Kmts,
) -> Result<Option<(u32, bool)>, Failure> {
    let formula = prove::evaluated_formula(partial, property);
    let task = bound(Task::new(partial, &formula, wish.reading, Ask::At(wish.states), wish.budget))?;
    let relevant = design.relevant(partial, wish.states, &props_of(partial, property));
    let (_, values) = engines::evaluate(&task, EngineChoice::Auto)?;
    let open = wish.states.iter().copied().find(|&state| values.at(state) == Belnap::Unknown);
    let question = match open {
        Some(state) => prove::open_question(&task, state)?,
        None => None,
    };
    for reason in question.iter().flat_map(|(question, _)| &question.reasons) {
        if let Some(item) = named_item(design, reason, &relevant) {
            return Ok(Some(item));
        }
    }
    Ok(relevant.first().map(|&item| (item, true)))
}

fn named_item(design: &Design<'_>, reason: &Reason, relevant: &[u32]) -> Option<(u32, bool)> {
    let step = |from: StateId, to: StateId| {
        relevant.iter().copied().find(|&number| match design.items[number as usize] {
            OpenItem::Step(id) => design.source(id) == from && design.model.edge(id).target == to,
            OpenItem::Label(..) => false,
        })
    };
    match reason {
        Reason::Label { state, prop } => {
            let number = design.number(OpenItem::Label(*state, *prop))?;
            relevant.contains(&number).then_some((number, true))
        }
        Reason::Edge { from, to, direction } => step(*from, *to).map(|at| (at, *direction == StepDirection::Exists)),
        Reason::Hyper { from, members, direction } => {
            let number = members.iter().find_map(|&to| step(*from, to))?;
            Some((number, *direction == StepDirection::Exists))
        }
    }
}
