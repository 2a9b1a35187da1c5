//! Is there any completion, be it with copies of states, and what does one look like?
//!
//! The thorough semantics decides whether a completion satisfies all properties at once, and builds one.
//! Each initial state has a completion of its own; together they are one structure.

use std::collections::HashSet;

use tertium_check::thorough::{decide, search_conjunction, supported};
use tertium_check::{Ask, EngineError, Task};
use tertium_lattice::Belnap;
use tertium_load::cuts::too_large;
use tertium_load::failure::Failure;
use tertium_model::{Kmts, KmtsBuilder, StateId};

use super::own_states::Wish;
use crate::check::bound;

/// A completion whose states may be copies of the model's.
#[derive(Debug)]
pub(super) struct Unfolded {
    pub structure: Kmts,
    /// Each state's name, and the states of the model that it refines.
    pub copies: Vec<(String, Vec<String>)>,
}

/// The properties as questions about the model, if the search for completions supports all of them.
fn tasks<'a>(model: &'a Kmts, wish: Wish<'a>) -> Result<Option<Vec<Task<'a>>>, Failure> {
    let mut tasks = Vec::new();
    for property in wish.properties {
        let task = bound(Task::new(model, property, wish.reading, Ask::At(wish.states), wish.budget))?;
        if supported(&task).is_err() {
            return Ok(None);
        }
        tasks.push(task);
    }
    Ok(Some(tasks))
}

/// Whether some completion satisfies all properties; `None` if that cannot be decided.
pub(super) fn exists(model: &Kmts, wish: Wish<'_>) -> Result<Option<bool>, Failure> {
    let Some(tasks) = tasks(model, wish)? else { return Ok(None) };
    if !model.fairness().is_empty() {
        return exists_fair(&tasks, wish);
    }
    for state in wish.states {
        let found = search_conjunction(&tasks, std::slice::from_ref(state), false).map_err(failure)?;
        if !found.exists.first().copied().unwrap_or(false) {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

/// Under fairness each property can be asked about alone.
fn exists_fair(tasks: &[Task<'_>], wish: Wish<'_>) -> Result<Option<bool>, Failure> {
    for task in tasks {
        for &state in wish.states {
            let value = decide(task, state).map_err(failure)?.value;
            if matches!(value, Belnap::False | Belnap::Both) {
                return Ok(Some(false));
            }
        }
    }
    Ok(if tasks.len() == 1 { Some(true) } else { None })
}

/// A completion that satisfies all properties, if one can be built.
pub(super) fn build(model: &Kmts, wish: Wish<'_>) -> Result<Option<Unfolded>, Failure> {
    let Some(tasks) = tasks(model, wish)?.filter(|_| model.fairness().is_empty()) else { return Ok(None) };
    let mut parts = Vec::new();
    for state in wish.states {
        let found = search_conjunction(&tasks, std::slice::from_ref(state), true).map_err(failure)?;
        match found.completions.into_iter().next().flatten() {
            Some(part) => parts.push((part.structure, part.refines)),
            None => return Ok(None),
        }
    }
    joined(model, &parts).map(Some)
}

/// The structures side by side, with names that no two states share.
fn joined(model: &Kmts, parts: &[(Kmts, Vec<Vec<StateId>>)]) -> Result<Unfolded, Failure> {
    let mut builder = KmtsBuilder::new();
    let (mut used, mut copies) = (HashSet::new(), Vec::new());
    let mut offsets = Vec::new();
    for (part, refines) in parts {
        offsets.push(builder.state_count());
        for state in part.states() {
            let mut name = part.state_name(state).to_owned();
            let mut number = 1;
            while !used.insert(name.clone()) {
                number += 1;
                name = format!("{}#{number}", part.state_name(state));
            }
            builder.add_state(&name);
            let refined = refines[state.index()].iter().map(|&old| model.state_name(old).to_owned()).collect();
            copies.push((name, refined));
        }
    }
    for (at, name) in model.props().iter().enumerate() {
        let prop = builder.add_prop(name);
        for ((part, _), &offset) in parts.iter().zip(&offsets) {
            for state in part.states() {
                let label = part.label(state, tertium_model::PropId::new(at));
                builder.set_label(StateId::new(offset + state.index()), prop, label);
            }
        }
    }
    for name in model.actions() {
        builder.add_action(name);
    }
    for ((part, _), &offset) in parts.iter().zip(&offsets) {
        let moved = |state: StateId| StateId::new(offset + state.index());
        for state in part.states() {
            for edge in part.edges_from(state) {
                builder.add_edge(moved(state), moved(edge.target), true, true, edge.action);
            }
        }
        part.init().first().into_iter().for_each(|&first| builder.add_init(moved(first)));
    }
    builder.set_total(model.total());
    Ok(Unfolded { structure: builder.finish().map_err(too_large)?, copies })
}

fn failure(error: EngineError) -> Failure {
    match error {
        EngineError::Stopped(stopped) => Failure::Stopped(stopped),
        EngineError::Unsupported(why) => {
            Failure::Internal(format!("completions are not supported after all: {}", why.reason))
        }
    }
}
