//! What does a structure look like if some of its states are taken for one?
//!
//! Abstraction of a structure by a relation between its states and abstract ones (Godefroid, Huth and Jagadeesan 2001; Definition 15 of Godefroid's survey). An abstract state is a *block* of states; blocks may overlap, and together they
//! have every state. A step between blocks is possible iff some step between members is; it is certain iff every member has a certain step into the target block (for all, exists), or, as a *hyper-must* step, into
//! the union of several blocks. A label has a value iff all members have it. The result is refined by the structure, whatever the blocks are.
//!
//! Not here: which blocks to choose (`structures`).

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Budget, Stopped};
use tertium_lattice::Belnap;

use crate::builder::{KmtsBuilder, ModelTooLarge};
use crate::kmts::{ActionId, Kmts, PropId, StateId};

/// States that are taken for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The name of the abstract state.
    pub name: String,
    /// Its members, at least one.
    pub members: Vec<StateId>,
}

/// Which steps of an abstract state are certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbstractMust {
    /// None: a simulation, for universal properties.
    None,
    /// Into a block, if every member has a certain step into it.
    ForAllExists,
    /// Into a set of blocks, if every member has a certain step into one of them.
    Hyper,
}

/// More minimal sets than this of one state are not looked for: fewer certain steps are sound.
const MOST_SETS: usize = 32;

/// A set of blocks.
type Blocks = BTreeSet<usize>;

/// The abstract structure. Every state must be in some block, the members of a block must have one owner; fairness is left out.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached, or if the result would be too large.
pub fn abstract_structure(
    kmts: &Kmts,
    blocks: &[Block],
    must: AbstractMust,
    budget: &Budget,
) -> Result<Result<Kmts, ModelTooLarge>, Stopped> {
    let mut blocks_of: Vec<Vec<usize>> = vec![Vec::new(); kmts.state_count()];
    let mut builder = KmtsBuilder::new();
    for (at, block) in blocks.iter().enumerate() {
        builder.add_state(&block.name);
        block.members.iter().for_each(|member| blocks_of[member.index()].push(at));
    }
    for name in kmts.actions() {
        builder.add_action(name);
    }
    for (at, name) in kmts.props().iter().enumerate() {
        let prop = builder.add_prop(name);
        for (block, source) in blocks.iter().enumerate() {
            let values = source.members.iter().map(|&member| kmts.label(member, PropId::new(at)));
            let value = values.reduce(Belnap::consensus).unwrap_or(Belnap::Unknown);
            builder.set_label(StateId::new(block), prop, value);
        }
    }
    let mut ticks = 0;
    for (at, block) in blocks.iter().enumerate() {
        let from = StateId::new(at);
        for &member in &block.members {
            budget.tick(&mut ticks)?;
            for edge in kmts.edges_from(member).filter(|edge| edge.may) {
                for &target in &blocks_of[edge.target.index()] {
                    builder.add_edge(from, StateId::new(target), true, false, edge.action);
                }
            }
        }
        for (action, sets) in certain(kmts, block, &blocks_of, must, budget)? {
            for set in sets {
                let members: Vec<StateId> = set.into_iter().map(StateId::new).collect();
                builder.add_hyper(from, &members, action);
            }
        }
        if block.members.iter().any(|member| kmts.init().contains(member)) {
            builder.add_init(from);
        }
    }
    builder.copy_owners(kmts, blocks.iter().enumerate().map(|(at, block)| (StateId::new(at), block.members[0])));
    builder.set_total(kmts.total());
    Ok(builder.finish())
}

/// The certain sets of a block, for each action.
fn certain(
    kmts: &Kmts,
    block: &Block,
    blocks_of: &[Vec<usize>],
    must: AbstractMust,
    budget: &Budget,
) -> Result<BTreeMap<Option<ActionId>, Vec<Blocks>>, Stopped> {
    let mut found: BTreeMap<Option<ActionId>, Vec<Blocks>> = BTreeMap::new();
    if must == AbstractMust::None {
        return Ok(found);
    }
    for (at, &member) in block.members.iter().enumerate() {
        budget.check()?;
        let mut own: BTreeMap<Option<ActionId>, Vec<Blocks>> = BTreeMap::new();
        for (action, set) in certain_sets(kmts, member) {
            let images = own.entry(action).or_default();
            // Blocks with the whole set: a step into each of them is certain.
            let whole = set.iter().map(|state| blocks_of[state.index()].iter().copied().collect::<Blocks>());
            let whole = whole.reduce(|a, b| a.intersection(&b).copied().collect()).unwrap_or_default();
            images.extend(whole.into_iter().map(|block| Blocks::from([block])));
            if must == AbstractMust::Hyper {
                images.push(set.iter().filter_map(|state| blocks_of[state.index()].first().copied()).collect());
            }
        }
        if at == 0 {
            found = own;
        } else {
            let mut both: BTreeMap<Option<ActionId>, Vec<Blocks>> = BTreeMap::new();
            for (action, sets) in found {
                let Some(images) = own.get(&action) else { continue };
                both.insert(action, combined(&sets, images, must));
            }
            found = both;
        }
        found.values_mut().for_each(keep_minimal);
    }
    Ok(found)
}

/// What is certain at a state, with the action that it carries; the set that `total` makes certain stays implicit.
fn certain_sets(kmts: &Kmts, state: StateId) -> Vec<(Option<ActionId>, Vec<StateId>)> {
    let plain = kmts.edges_from(state).filter(|edge| edge.must).map(|edge| (edge.action, vec![edge.target]));
    plain.chain(kmts.hyper_from(state).map(|edge| (edge.action, edge.members.to_vec()))).collect()
}

/// Sets that are certain for what was looked at so far and for one more member.
fn combined(sets: &[Blocks], images: &[Blocks], must: AbstractMust) -> Vec<Blocks> {
    if must == AbstractMust::ForAllExists {
        return sets.iter().filter(|set| images.contains(set)).cloned().collect();
    }
    sets.iter().flat_map(|set| images.iter().map(|image| set.union(image).copied().collect())).collect()
}

/// Smallest sets first, without those that contain another.
fn keep_minimal(sets: &mut Vec<Blocks>) {
    sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    sets.dedup();
    let mut kept: Vec<Blocks> = Vec::new();
    for set in std::mem::take(sets) {
        if kept.len() < MOST_SETS && !kept.iter().any(|smaller| smaller.is_subset(&set)) {
            kept.push(set);
        }
    }
    *sets = kept;
}
