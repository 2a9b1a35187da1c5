//! Which abstract states can be reached, and is a bad one among them?

use crate::limits;
use std::collections::HashMap;

use tertium_abstraction::{AbstractState, Failed, OperationId, System};
use tertium_program::LocationId;
use tertium_program::search::{Limits, Nearby, Reached, nearest_first};
use tertium_smt::TermId;

use super::targets::{PossibleFault, Target};

/// States by the order in which they were met, and the operations that led to them.
pub(crate) type Tree = Reached<AbstractState, OperationId>;

/// A state that may be bad.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetHit {
    /// Which target it breaks, by position.
    pub target: usize,
    /// The state.
    pub state: usize,
    /// The operation that goes wrong there, if one does.
    pub operation: Option<OperationId>,
}

/// Visits what can be reached, nearest first, until some bad states are met: one, and those that are not much farther.
pub(crate) fn visit(
    system: &mut System,
    targets: &[&Target],
    limits: Limits<'_>,
    progress: &mut dyn FnMut(usize),
) -> Result<(Tree, Vec<TargetHit>), Failed> {
    let mut stuck: HashMap<Vec<LocationId>, TermId> = HashMap::new();
    let mut bad = Nearby::at_most(limits::SEARCH_MOST_BAD);
    let tree = nearest_first(system, limits, &mut |system, tree, number| {
        progress(tree.states.len());
        for (at, target) in targets.iter().enumerate() {
            if let Some(PossibleFault { operation }) = target.may_be_met(system, &tree.states[number], &mut stuck)? {
                bad.add(number, TargetHit { target: at, state: number, operation });
            }
        }
        Ok(bad.after(number))
    })?;
    Ok((tree, bad.found))
}
