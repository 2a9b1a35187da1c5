//! Does a program keep what it promises about its channels?
//!
//! A process may promise that only it sends to a channel, or only it receives from it. A reduction that relies on that is
//! sound only if it is so. It is watched in the states that the reduced search stores: two processes must not promise the
//! same, and no process may stand where it would do what another one claims for itself. Up to the first step that breaks a promise
//! all promises hold, so the reduced search meets a state before it.

use std::collections::BTreeMap;

use tertium_base::narrow::to_usize;
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{Action, Context, Direction, LocationId, ProcessId, Scope, Semantics, State, StepId, VarId};

/// A promise that is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenPromise {
    /// Which, by position in the program.
    pub promise: usize,
    /// The step that another process is about to take; none if two processes promise the same.
    pub step: Option<StepId>,
}

/// Who claims which channel in which direction: the pid, and the promise by position.
type PromisedChannels = BTreeMap<(Direction, i64), (usize, usize)>;

/// The first promise that a state shows not to be kept.
#[must_use]
pub fn broken(semantics: &Semantics<'_>, state: &State) -> Option<BrokenPromise> {
    let frames = semantics.layout().frames(&state.slots);
    match claims(semantics, state, &frames) {
        Ok(claims) if claims.is_empty() => None,
        Ok(claims) => (0..frames.len()).find_map(|pid| stands_in_the_way(semantics, state, &frames, &claims, pid)),
        Err(broken) => Some(broken),
    }
}

fn claims(semantics: &Semantics<'_>, state: &State, frames: &[usize]) -> Result<PromisedChannels, BrokenPromise> {
    let program = semantics.program();
    let mut claims = PromisedChannels::new();
    for (pid, &frame) in frames.iter().enumerate() {
        let process = to_usize(state.slots[frame + FRAME_PROCESS]);
        for (at, promise) in program.promises.iter().enumerate().filter(|(_, p)| p.process.index() == process) {
            let channel = slot_of(semantics, promise.channel, frame).map_or(0, |slot| state.slots[slot]);
            if channel == 0 {
                continue;
            }
            let known = claims.insert((promise.direction, channel), (pid, at));
            if known.is_some_and(|(other, _)| other != pid) {
                return Err(BrokenPromise { promise: at, step: None });
            }
        }
    }
    Ok(claims)
}

/// Whether a process stands where it would use a channel that another one claims.
fn stands_in_the_way(
    semantics: &Semantics<'_>,
    state: &State,
    frames: &[usize],
    claims: &PromisedChannels,
    pid: usize,
) -> Option<BrokenPromise> {
    let program = semantics.program();
    let process = ProcessId::new(to_usize(state.slots[frames[pid] + FRAME_PROCESS]));
    let location = LocationId::new(to_usize(state.slots[frames[pid] + FRAME_LOCATION]));
    let context = Context { slots: &state.slots, frames, me: Some(pid), inputs: &[], timeout: false, asking: 0 };
    program.location(process, location).steps.iter().find_map(|&step| {
        let (channel, direction) = match &program.step(step).action {
            Action::Send { channel, .. } => (*channel, Direction::Send),
            Action::Receive { pattern, .. } => (pattern.channel, Direction::Receive),
            _ => return None,
        };
        let number = semantics.value(channel, &context).ok();
        // If it cannot be told which channel is meant, it may be any.
        let meant =
            |&(other, claimed): &(Direction, i64)| other == direction && number.is_none_or(|number| number == claimed);
        let mut others = claims.iter().filter(|(claim, (owner, _))| meant(claim) && *owner != pid);
        others.next().map(|(_, &(_, promise))| BrokenPromise { promise, step: Some(step) })
    })
}

fn slot_of(semantics: &Semantics<'_>, var: VarId, frame: usize) -> Option<usize> {
    let variable = semantics.program().variable(var);
    let first = semantics.layout().variable(var);
    variable.dimensions.is_empty().then_some(match variable.scope {
        Scope::Global => first,
        Scope::Local(_) => frame + first,
    })
}
