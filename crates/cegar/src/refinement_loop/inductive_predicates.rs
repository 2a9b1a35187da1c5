//! Which condition on initial states keeps something from ever happening?
//!
//! `EF q` may fail from some initial states only: from `r + c <= 5` there is no way to `r = 6` where `r` grows as `c` falls. No path through a loop says so. Comparisons that others suggest are tried one by one, as the candidates of
//! Houdini are (Flanagan and Leino 2001): those that every step keeps, and those that, taken to hold at the start, make abstract interpretation exclude what is bad. They and the relations that were found become predicates; nothing
//! rests on them.

use tertium_abstraction::{Failed, System};
use tertium_base::Budget;
use tertium_load::questions::PropertyQuery;
use tertium_logic::{Formula, Node, NodeId};
use tertium_program::analysis::LocationInvariants;
use tertium_program::analysis::location_invariants::LinearConstraint;
use tertium_program::{Binary, Expr, ExprId, LocationId, ProcessId, VarId};
use tertium_smt::{Reply, TermId};

use super::conserved_sums::add_conserved_sums;
use super::k_induction::ControlFlow;
use super::partitioned_invariants::{Kinds, add, at_all_locations, condition_of, hypothesis, is_of_states, restricted};
use super::resolvents::{add_invariant_resolvents, add_resolvents};
use crate::limits;
use crate::predicate_abstraction::Prepared;

/// Adds comparisons that every step keeps and that imply what a property wants of all reachable states; whether any is new.
///
/// # Errors
/// If a limit is reached.
pub(super) fn add_inductive(prepared: &mut Prepared, asked: &PropertyQuery, budget: &Budget) -> Result<bool, Failed> {
    let wanted = wanted(prepared, asked);
    if wanted.is_empty() {
        return Ok(false);
    }
    let candidates = candidates(prepared);
    let Some(flow) = ControlFlow::of(&prepared.system) else { return Ok(false) };
    let mut any = false;
    for goal in wanted {
        let mut found = 0;
        for &candidate in &candidates {
            budget.check()?;
            if found == limits::INDUCTIVE_MOST_FOR_GOAL {
                break;
            }
            let system = &mut prepared.system;
            if implies(system, &flow, candidate, goal)? && is_inductive(system, &flow, candidate)? {
                found += 1;
                any |= system.learn_predicate(candidate);
            } else if let Some(relations) = excluding(prepared, (&flow, asked), candidate, goal)? {
                found += 1;
                any |= prepared.system.learn_predicate(candidate);
                any |= add(prepared, &[], relations, Kinds::All);
            }
        }
    }
    Ok(any)
}

/// What is to hold for ever somewhere: `q` of `AG q`, and what is not of `EF q`.
fn wanted(prepared: &mut Prepared, asked: &PropertyQuery) -> Vec<TermId> {
    let mut found = Vec::new();
    for node in asked.formula.node_ids() {
        let Some((inner, holds)) = invariant_of(&asked.formula, node) else { continue };
        if let Some(expr) = condition_of(prepared, asked, inner)
            && let Ok(term) = prepared.system.condition(expr, holds)
            && !found.contains(&term)
        {
            found.push(term);
        }
    }
    found
}

/// The condition on states that a part of a formula is about, and whether it is to hold.
fn invariant_of(formula: &Formula, node: NodeId) -> Option<(NodeId, bool)> {
    let (inner, holds) = match formula.node(node) {
        Node::All(path) => match formula.node(path) {
            Node::Globally(inner) => (inner, true),
            _ => return None,
        },
        Node::Exists(path) => match formula.node(path) {
            Node::Finally(inner) => (inner, false),
            _ => return None,
        },
        _ => return None,
    };
    is_of_states(formula, inner).then_some((inner, holds))
}

/// Comparisons that other sources suggest, and their negations; none of these stays a predicate.
fn candidates(prepared: &mut Prepared) -> Vec<TermId> {
    let before = prepared.system.predicates().len();
    let sources: [fn(&mut Prepared) -> bool; 3] = [add_invariant_resolvents, add_conserved_sums, add_resolvents];
    let mut found: Vec<TermId> = Vec::new();
    for source in sources {
        if source(prepared) {
            let new: Vec<_> = prepared.system.predicates()[before..].iter().map(|predicate| predicate.expr).collect();
            for expr in new {
                let both = [true, false].map(|holds| prepared.system.condition(expr, holds));
                found.extend(both.into_iter().flatten().filter(|term| !found.contains(term)).collect::<Vec<_>>());
            }
            prepared.system.keep_predicates(before);
        }
    }
    found
}

/// Relations that hold in all runs which begin where a condition does, if they imply another one everywhere.
fn excluding(
    prepared: &mut Prepared,
    (flow, asked): (&ControlFlow, &PropertyQuery),
    start: TermId,
    goal: TermId,
) -> Result<Option<Vec<LinearConstraint<VarId>>>, Failed> {
    let Some(mut start) = prepared.system.expression(start) else { return Ok(None) };
    if let Some(hypothesis) = hypothesis(prepared, asked) {
        start = prepared.system.program_mut().exprs.add(Expr::Binary(Binary::And, start, hypothesis));
    }
    let system = &mut prepared.system;
    let found = LocationInvariants::of(&restricted(system.program(), start));
    let mut begins = false;
    for place in &flow.places {
        let known: Option<Vec<_>> =
            system.program().process_ids().zip(place).map(|(process, &at)| found.at(process, at)).collect();
        // No run gets there.
        let Some(known) = known else { continue };
        begins = true;
        let exprs: Vec<ExprId> = known.into_iter().flatten().filter_map(|one| one.expr(system.program_mut())).collect();
        let holds: Vec<TermId> = exprs.into_iter().filter_map(|expr| system.condition(expr, true).ok()).collect();
        let there = system.located(place, &[]);
        let (terms, _) = system.asking();
        let all = terms.all(&holds);
        let goal = terms.substitute(goal, &there);
        let not = terms.not(goal);
        let escapes = terms.and(all, not);
        if !is_excluded(system, place, escapes)? {
            return Ok(None);
        }
    }
    let known = at_all_locations(system.program(), &LocationInvariants::of(system.program()));
    let new = |one: &LinearConstraint<VarId>| one.terms.len() > 1 && !known.contains(one);
    Ok(begins.then(|| at_all_locations(system.program(), &found).into_iter().filter(new).collect()))
}

/// Whether a condition, with what holds at locations, implies another one everywhere.
fn implies(system: &mut System, flow: &ControlFlow, condition: TermId, goal: TermId) -> Result<bool, Failed> {
    for place in &flow.places {
        let there = system.located(place, &[]);
        let (terms, _) = system.asking();
        let goal = terms.substitute(goal, &there);
        let not = terms.not(goal);
        let escapes = terms.and(condition, not);
        if !is_excluded(system, place, escapes)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether every step keeps a condition, with what holds at locations.
fn is_inductive(system: &mut System, flow: &ControlFlow, condition: TermId) -> Result<bool, Failed> {
    for &(from, operation, _) in &flow.moves {
        let place = &flow.places[from];
        let Some(before) = system.weakest_precondition(operation, place, condition) else { return Ok(false) };
        let (terms, _) = system.asking();
        let not = terms.not(before);
        let escapes = terms.and(condition, not);
        if !is_excluded(system, place, escapes)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a condition never holds at a combination of locations.
fn is_excluded(system: &mut System, place: &[LocationId], condition: TermId) -> Result<bool, Failed> {
    let (terms, _) = system.asking();
    if terms.as_bool(condition) == Some(false) {
        return Ok(true);
    }
    let places: Vec<(ProcessId, LocationId)> = system.program().process_ids().zip(place.iter().copied()).collect();
    Ok(system.may_hold_at(&places, condition)? == Reply::Unsat)
}
