//! The two structures as the solver needs them: what must be matched, and who is concerned when a pair falls.

use std::collections::BTreeMap;

use tertium_base::narrow::to_u32;

use crate::kmts::{ActionId, Kmts, StateId};

/// An action under a numbering that both structures share. [`ANY`] stands for no action.
pub(super) type Code = u32;

/// No action: as a demand, any step will do.
pub(super) const ANY: Code = u32::MAX;

/// Whether something with action `found` matches a demand for `wanted`.
#[inline]
pub(super) fn fits(wanted: Code, found: Code) -> bool {
    wanted == ANY || wanted == found
}

/// The code of each action of the two structures: equal names, equal codes.
pub(super) struct Codes {
    left: usize,
    right: Vec<Code>,
}

impl Codes {
    pub fn new(left: &Kmts, right: &Kmts) -> Self {
        let known: BTreeMap<&str, Code> = left.actions().iter().map(String::as_str).zip(0..).collect();
        let fresh = to_u32(left.actions().len());
        let code = |(at, name): (usize, &String)| known.get(name.as_str()).copied().unwrap_or(fresh + to_u32(at));
        Self { left: left.actions().len(), right: right.actions().iter().enumerate().map(code).collect() }
    }

    /// How many codes there are at most.
    pub fn count(&self) -> usize {
        self.left + self.right.len()
    }

    pub fn left(&self, action: Option<ActionId>) -> Code {
        action.map_or(ANY, |action| action.number())
    }

    pub fn right(&self, action: Option<ActionId>) -> Code {
        action.map_or(ANY, |action| self.right[action.index()])
    }
}

/// Lists of numbers, one for each index, in one piece of memory.
#[derive(Debug, Default)]
pub(super) struct Lists<T> {
    offsets: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// From pairs (index, item); the order within a list is that of the pairs.
    pub fn new(len: usize, pairs: &[(usize, T)]) -> Self {
        let mut offsets = vec![0u32; len + 1];
        pairs.iter().for_each(|(at, _)| offsets[at + 1] += 1);
        (0..len).for_each(|at| offsets[at + 1] += offsets[at]);
        let mut next = offsets.clone();
        let Some(&(_, filler)) = pairs.first() else { return Self { offsets, items: Vec::new() } };
        let mut items = vec![filler; pairs.len()];
        for &(at, item) in pairs {
            items[next[at] as usize] = item;
            next[at] += 1;
        }
        Self { offsets, items }
    }

    #[inline]
    pub fn of(&self, at: usize) -> &[T] {
        &self.items[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

/// Everything that is certain at a state, as sets with actions; a certain set that contains another of the
/// same action is left out where that is seen at once.
pub(super) fn certain_sets(
    kmts: &Kmts,
    state: StateId,
    code: impl Fn(Option<ActionId>) -> Code,
) -> Vec<(Code, Vec<usize>)> {
    let plain =
        kmts.edges_from(state).filter(|edge| edge.must).map(|edge| (code(edge.action), vec![edge.target.index()]));
    let mut sets: Vec<(Code, Vec<usize>)> = plain.collect();
    let members = |members: &[StateId]| members.iter().map(|member| member.index()).collect();
    sets.extend(kmts.hyper_from(state).map(|edge| (code(edge.action), members(edge.members))));
    if kmts.total() {
        let mut all: Vec<usize> = kmts.may_successors(state).map(|target| target.index()).collect();
        all.dedup();
        let implied = sets.iter().any(|(_, set)| set.iter().all(|member| all.binary_search(member).is_ok()));
        if !all.is_empty() && !implied {
            sets.push((ANY, all));
        }
    }
    sets
}

/// The refined structure: its demands, and the origins that it offers.
pub(super) struct Left {
    /// Possible steps of one state with one action, or of any: the state, the action, the targets.
    pub origins: Vec<(usize, Code)>,
    pub origin_targets: Lists<u32>,
    /// For each state the origins that contain it as a target.
    pub origins_into: Lists<u32>,
    /// For each state its origins.
    pub origins_of: Lists<u32>,
    /// Distinct certain sets: action and members.
    pub demands: Vec<(Code, Vec<usize>)>,
    /// For each state the demands that contain it.
    pub demands_with: Lists<u32>,
    /// For each state what it demands, and for each demand whose it is.
    pub demands_of: Lists<u32>,
    pub owners: Lists<u32>,
}

impl Left {
    pub fn new(kmts: &Kmts, codes: &Codes, any_needed: bool) -> Self {
        let states = kmts.state_count();
        let mut origins = Vec::new();
        let mut targets = Vec::new();
        let mut demands: Vec<(Code, Vec<usize>)> = Vec::new();
        let mut known: BTreeMap<(Code, Vec<usize>), u32> = BTreeMap::new();
        let mut owners = Vec::new();
        for state in kmts.states() {
            add_origins(kmts, state, codes, any_needed, &mut origins, &mut targets);
            for demand in certain_sets(kmts, state, |action| codes.left(action)) {
                let id = *known.entry(demand.clone()).or_insert_with(|| {
                    demands.push(demand);
                    to_u32(demands.len()) - 1
                });
                owners.push((id as usize, state.number()));
            }
        }
        let into: Vec<(usize, u32)> =
            targets.iter().map(|&(origin, target)| (target as usize, to_u32(origin))).collect();
        let with: Vec<(usize, u32)> = demands
            .iter()
            .zip(0..)
            .flat_map(|((_, members), id)| members.iter().map(move |&member| (member, id)))
            .collect();
        let demanded: Vec<(usize, u32)> =
            owners.iter().map(|&(demand, state)| (state as usize, to_u32(demand))).collect();
        let offered: Vec<(usize, u32)> = origins.iter().zip(0..).map(|(&(state, _), id)| (state, id)).collect();
        Self {
            origin_targets: Lists::new(origins.len(), &targets),
            origins_into: Lists::new(states, &into),
            origins_of: Lists::new(states, &offered),
            demands_with: Lists::new(states, &with),
            demands_of: Lists::new(states, &demanded),
            owners: Lists::new(demands.len(), &owners),
            origins,
            demands,
        }
    }
}

/// One origin for each action of a state's possible steps, and one for all of them if that can be asked for.
fn add_origins(
    kmts: &Kmts,
    state: StateId,
    codes: &Codes,
    any_needed: bool,
    origins: &mut Vec<(usize, Code)>,
    targets: &mut Vec<(usize, u32)>,
) {
    let mut steps: Vec<(Code, u32)> = kmts
        .edges_from(state)
        .filter(|edge| edge.may)
        .map(|edge| (codes.left(edge.action), edge.target.number()))
        .collect();
    steps.sort_unstable();
    for same in steps.chunk_by(|a, b| a.0 == b.0).filter(|same| same[0].0 != ANY) {
        targets.extend(same.iter().map(|&(_, target)| (origins.len(), target)));
        origins.push((state.index(), same[0].0));
    }
    if any_needed && !steps.is_empty() {
        let mut all: Vec<u32> = steps.iter().map(|&(_, target)| target).collect();
        all.sort_unstable();
        all.dedup();
        targets.extend(all.into_iter().map(|target| (origins.len(), target)));
        origins.push((state.index(), ANY));
    }
}

/// The refining structure: its possible steps, and the answers that it has.
pub(super) struct Right {
    /// For each state its possible steps, and for each state the possible steps into it.
    pub steps: Lists<(Code, u32)>,
    pub steps_into: Lists<(Code, u32)>,
    /// Certain sets with two or more members: owner, action, members.
    pub wide: Vec<(usize, Code, Vec<usize>)>,
    pub wide_with: Lists<u32>,
    /// Plain must steps: for each state those from it and those into it.
    pub must: Lists<(Code, u32)>,
    pub must_into: Lists<(Code, u32)>,
}

impl Right {
    pub fn new(kmts: &Kmts, codes: &Codes) -> Self {
        let states = kmts.state_count();
        let (mut steps, mut must, mut wide) = (Vec::new(), Vec::new(), Vec::new());
        for state in kmts.states() {
            let at = state.index();
            let may = kmts.edges_from(state).filter(|edge| edge.may);
            steps.extend(may.map(|edge| (at, (codes.right(edge.action), edge.target.number()))));
            for (code, members) in certain_sets(kmts, state, |action| codes.right(action)) {
                match members[..] {
                    [single] => must.push((at, (code, to_u32(single)))),
                    _ => wide.push((at, code, members)),
                }
            }
        }
        let turned = |list: &[(usize, (Code, u32))]| -> Vec<(usize, (Code, u32))> {
            list.iter().map(|&(from, (code, to))| (to as usize, (code, to_u32(from)))).collect()
        };
        let with: Vec<(usize, u32)> = wide
            .iter()
            .zip(0..)
            .flat_map(|((_, _, members), id)| members.iter().map(move |&member| (member, id)))
            .collect();
        Self {
            steps_into: Lists::new(states, &turned(&steps)),
            steps: Lists::new(states, &steps),
            must_into: Lists::new(states, &turned(&must)),
            must: Lists::new(states, &must),
            wide_with: Lists::new(states, &with),
            wide,
        }
    }

    /// Whether some possible step carries no action.
    pub fn has_plain_steps(kmts: &Kmts) -> bool {
        kmts.states().any(|state| kmts.edges_from(state).any(|edge| edge.may && edge.action.is_none()))
    }
}
