//! What do runs that are blocked, or end, mean to a property, and can that be said by staying where they are?
//!
//! By default LTL and CTL*, and CTL over fair paths, let such a run stay; the other logics see a state without successors. `--deadlock mu` lets nobody stay, so that linear formulas leave such runs out; `--deadlock maximal` counts them as paths, which for
//! formulas without "next" is to stay.

use tertium_evidence::Deadlock;
use tertium_logic::{Logic, Node};
use tertium_program::Program;

use crate::options::CheckOptions;
use crate::predicate_abstraction::shape;
use tertium_load::questions::PropertyQuery;

/// Whether runs stay where they end; none if that does not say what the options want.
pub(super) fn stays(program: &Program, asked: &PropertyQuery, options: &CheckOptions) -> Option<bool> {
    let logic = asked.formula.logic();
    let shape = shape(program, logic, options);
    let formula = &asked.formula;
    let next = || formula.node_ids().any(|id| matches!(formula.node(id), Node::Next(_)));
    match (options.deadlock, logic) {
        (None, _) => Some(shape.stutter),
        (Some(Deadlock::Mu), _) | (Some(Deadlock::Maximal), Logic::Mu | Logic::Pml) => Some(false),
        (Some(Deadlock::Maximal), Logic::Ltl) if shape.fair.is_empty() => Some(true),
        (Some(Deadlock::Maximal), Logic::Ctl | Logic::CtlStar) if shape.fair.is_empty() && !next() => Some(true),
        (Some(Deadlock::Maximal), Logic::Atl | Logic::AtlStar) => None,
        (Some(Deadlock::Maximal | Deadlock::Total | Deadlock::Forbid), _) => None,
    }
}
