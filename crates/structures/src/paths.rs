//! Which states can be reached, and is one of them a deadlock?
//!
//! On the possible steps: a state that is found dead here is dead in every completion that reaches it.

use tertium_base::{BitSet, Budget, Stopped};
use tertium_model::{Kmts, StateId};

/// The states that can be reached from these along possible steps.
///
/// # Errors
/// If a limit is reached.
pub fn reachable(model: &Kmts, from: &[StateId], budget: &Budget) -> Result<BitSet, Stopped> {
    let mut seen = BitSet::empty(model.state_count());
    let mut todo: Vec<StateId> = Vec::new();
    let mut counter = 0;
    for &state in from {
        if !seen.contains(state.index()) {
            seen.insert(state.index());
            todo.push(state);
        }
    }
    while let Some(state) = todo.pop() {
        budget.tick(&mut counter)?;
        for target in model.may_successors(state) {
            if !seen.contains(target.index()) {
                seen.insert(target.index());
                todo.push(target);
            }
        }
    }
    Ok(seen)
}

/// The first state, in order of number, that is reachable and has no possible successor.
///
/// # Errors
/// If a limit is reached.
pub fn reachable_deadlock(model: &Kmts, from: &[StateId], budget: &Budget) -> Result<Option<StateId>, Stopped> {
    let seen = reachable(model, from, budget)?;
    Ok(model.states().find(|&state| seen.contains(state.index()) && model.is_dead(state)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_model::KmtsBuilder;

    fn chain_with_loop() -> Kmts {
        let mut builder = KmtsBuilder::new();
        let states: Vec<_> = ["a", "b", "c", "d"].map(|name| builder.add_state(name)).into();
        for (from, to) in [(0, 1), (1, 2), (2, 1), (2, 3)] {
            builder.add_edge(states[from], states[to], true, false, None);
        }
        builder.finish().unwrap()
    }

    #[test]
    fn deadlocks_are_found_where_they_can_be_reached() {
        let model = chain_with_loop();
        let budget = Budget::unlimited();
        assert_eq!(reachable_deadlock(&model, &[StateId::new(0)], &budget), Ok(Some(StateId::new(3))));
    }
}
