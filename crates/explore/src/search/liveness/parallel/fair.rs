//! Strong fairness: can a run stay in a component without starving a process?
//!
//! A part of the component is wanted in which every condition that binds one of its states is fulfilled by one of its steps. States that a condition binds which nobody
//! fulfils are left out, and what remains falls into components again.

use std::collections::HashMap;

use tertium_base::Stopped;
use tertium_base::graph::components;

/// What comes after a state, each with the conditions that the step fulfils; the conditions that bind the state are given back.
type After<'a> = dyn FnMut(u32, &mut Vec<(u32, u64)>) -> Result<u64, Stopped> + 'a;

/// The steps between some states, by their places among them.
struct Inside {
    states: Vec<u32>,
    binds: Vec<u64>,
    steps: Vec<Vec<(usize, u64)>>,
}

/// The states of a part of a component that a fair run can stay in.
///
/// # Errors
/// What keeps `after` from telling.
pub(super) fn fair_part(component: Vec<u32>, always: u64, after: &mut After<'_>) -> Result<Option<Vec<u32>>, Stopped> {
    let inside = inside(component, after)?;
    let mut candidates: Vec<Vec<usize>> = vec![(0..inside.states.len()).collect()];
    while let Some(candidate) = candidates.pop() {
        for part in parts(&candidate, &inside) {
            let (fulfilled, binding) = conditions(&part, &inside);
            // Nobody can avoid what binds every state, and a part without steps fulfils nothing.
            if fulfilled & always != always {
                continue;
            }
            let starved = binding & !fulfilled;
            if starved == 0 {
                return Ok(Some(part.into_iter().map(|at| inside.states[at]).collect()));
            }
            candidates.push(part.into_iter().filter(|&at| inside.binds[at] & starved == 0).collect());
        }
    }
    Ok(None)
}

fn inside(states: Vec<u32>, after: &mut After<'_>) -> Result<Inside, Stopped> {
    let places: HashMap<u32, usize> = states.iter().enumerate().map(|(at, &state)| (state, at)).collect();
    let (mut binds, mut steps, mut found) =
        (Vec::with_capacity(states.len()), Vec::with_capacity(states.len()), Vec::new());
    for &state in &states {
        binds.push(after(state, &mut found)?);
        steps.push(found.iter().filter_map(|(target, fulfils)| Some((*places.get(target)?, *fulfils))).collect());
    }
    Ok(Inside { states, binds, steps })
}

/// The strongly connected parts of some of the states.
fn parts(candidate: &[usize], inside: &Inside) -> Vec<Vec<usize>> {
    let places: HashMap<usize, usize> = candidate.iter().enumerate().map(|(place, &at)| (at, place)).collect();
    let successors =
        |place: usize| inside.steps[candidate[place]].iter().filter_map(|(target, _)| places.get(target).copied());
    let members = components(candidate.len(), successors).members();
    members.into_iter().map(|part| part.into_iter().map(|place| candidate[place]).collect()).collect()
}

/// The conditions that steps inside a part fulfil, and those that bind its states.
fn conditions(part: &[usize], inside: &Inside) -> (u64, u64) {
    let members: std::collections::HashSet<usize> = part.iter().copied().collect();
    part.iter().fold((0, 0), |(fulfilled, binding), &at| {
        let within = inside.steps[at].iter().filter(|(target, _)| members.contains(target));
        (within.fold(fulfilled, |sum, (_, fulfils)| sum | fulfils), binding | inside.binds[at])
    })
}
