//! Does an abstraction of a structure decide a property, and if not, how is it refined?
//!
//! [`abstract_by`] takes the states of a block for one. [`refine`] is the loop of abstraction and refinement for structures: check the abstraction; while the value is unknown, split a block by what the open play stops at
//! (an open label: by that label; an open step: by which members have it), and check again. A definite value is one of the structure, so that no counterexample need be confirmed. It ends, for each split makes one block more; if nothing can be split, the blocks are
//! classes of bisimilar states and the value is that of the structure.
//!
//! Not here: the abstract structure (`tertium_model::abstract_structure`), programs (`cegar`).

use std::collections::BTreeMap;

use tertium_base::{Budget, Diagnostic};
use tertium_evidence::observer::Observer;
use tertium_evidence::{OpenQuestion, Reason};
use tertium_load::Loaded;
use tertium_load::cuts::too_large;
use tertium_load::failure::Failure;
use tertium_load::property::Parsed;
pub use tertium_model::{AbstractMust, Block};
use tertium_model::{Kmts, Model, PropId, StateId, abstract_structure};

use crate::answer::Answer;
use crate::check::{CheckOptions, Session};
use crate::compare::structure;
use crate::translate::{formulas, with_kmts_constants};

/// One round of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitRound {
    /// How many blocks there were.
    pub blocks: usize,
    /// The value on the abstraction.
    pub value: String,
    /// The abstract counterexample or witness that the value was left open at: the blocks along it.
    pub path: Vec<String>,
    /// What was split, and by what; none in the last round.
    pub split: Option<String>,
}

/// What the loop found.
#[derive(Debug)]
pub struct RefinedStructure {
    /// The rounds, first to last.
    pub rounds: Vec<SplitRound>,
    /// The answer on the last abstraction.
    pub answer: Answer,
    /// The last abstraction.
    pub abstraction: Loaded,
    /// Its blocks.
    pub blocks: Vec<(String, Vec<String>)>,
}

/// States with the same labels are one block.
///
/// # Errors
/// If it is no structure with may and must.
pub fn blocks_by_labels(loaded: &Loaded) -> Result<Vec<Block>, Failure> {
    let kmts = structure(loaded)?;
    let labels = |state: StateId| -> Vec<u8> {
        (0..kmts.props().len()).map(|prop| kmts.label(state, PropId::new(prop)) as u8).collect()
    };
    Ok(named(&kmts, grouped(kmts.states(), labels)))
}

/// The blocks that a text lists: lines `name: state, state`; `#` begins a comment.
///
/// # Errors
/// If a line cannot be read, names a state that there is not, or if a state is in no block.
pub fn blocks_from_text(loaded: &Loaded, file: &str, text: &str) -> Result<Vec<Block>, Failure> {
    let kmts = structure(loaded)?;
    let refused =
        |message: String, help: &str| Failure::from(Diagnostic::error("E0340", message).help(help.to_owned()));
    let shape = "a line is `block: state, state`; every state belongs to at least one block";
    let mut blocks: Vec<Block> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let place = format!("`{file}`, line {}", at + 1);
        let Some((name, states)) = line.split_once(':') else {
            return Err(refused(format!("{place}: there is no colon"), shape));
        };
        let mut members = Vec::new();
        for state in states.split(',').map(str::trim).filter(|state| !state.is_empty()) {
            let Some(found) = kmts.state_by_name(state) else {
                return Err(refused(format!("{place}: `{}` has no state `{state}`", loaded.file), shape));
            };
            members.push(found);
        }
        members.sort_unstable();
        members.dedup();
        let name = name.trim().to_owned();
        if members.is_empty() || name.is_empty() || blocks.iter().any(|block| block.name == name) {
            return Err(refused(
                format!("{place}: a block without name or states, or with the name of another"),
                shape,
            ));
        }
        blocks.push(Block { name, members });
    }
    match kmts.states().find(|state| !blocks.iter().any(|block| block.members.contains(state))) {
        Some(state) => Err(refused(format!("`{}` is in no block of `{file}`", kmts.state_name(state)), shape)),
        None => Ok(blocks),
    }
}

/// The structure whose states are blocks, with its properties.
///
/// # Errors
/// If the structure has fairness constraints, or a limit is reached.
pub fn abstract_by(loaded: &Loaded, blocks: &[Block], must: AbstractMust, budget: &Budget) -> Result<Loaded, Failure> {
    let kmts = structure(loaded)?;
    if !kmts.fairness().is_empty() {
        let message =
            format!("`{}` has fairness constraints, which an abstraction of a structure does not keep", loaded.file);
        return Err(Diagnostic::error("E0341", message)
            .help("leave them out, or reduce by bisimulation, which keeps them")
            .into());
    }
    for block in blocks {
        let owner = |&state: &StateId| kmts.owner(state);
        let first = block.members.first().map(owner);
        if let Some(other) = block.members.iter().find(|state| Some(owner(state)) != first) {
            let message = format!(
                "the states `{}` and `{}` of the block `{}` belong to different players",
                kmts.state_name(block.members[0]),
                kmts.state_name(*other),
                block.name
            );
            return Err(Diagnostic::error("E0357", message)
                .help("a player chooses the steps of a whole block; give each player's states blocks of their own")
                .into());
        }
    }
    let properties: Vec<_> =
        formulas(loaded)?.into_iter().map(|(name, formula)| (name, with_kmts_constants(loaded, &formula))).collect();
    let abstracted = abstract_structure(&kmts, blocks, must, budget)?.map_err(too_large)?;
    Ok(Loaded::of_model(&loaded.file, Model::Kmts(abstracted)).with_properties(&properties))
}

/// Abstracts, checks and splits until a property is decided, or this many rounds are over.
///
/// # Errors
/// If blocks overlap, if the property cannot be checked, or a limit is reached.
pub fn refine(
    loaded: &Loaded,
    mut blocks: Vec<Block>,
    (must, rounds): (AbstractMust, usize),
    parsed: &Parsed,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<RefinedStructure, Failure> {
    let kmts = structure(loaded)?;
    if blocks.iter().map(|block| block.members.len()).sum::<usize>() != kmts.state_count() {
        return Err(Diagnostic::error("E0341", "blocks that overlap cannot be refined")
            .help("give a partition: every state in one block")
            .into());
    }
    let mut told = Vec::new();
    loop {
        let abstraction = abstract_by(loaded, &blocks, must, budget)?;
        let session = Session::new(&abstraction, CheckOptions::default(), budget)?;
        let answer = session.check(parsed, budget, observer)?;
        let open = answer.open().map(|(open, _)| open.clone());
        let mut round = SplitRound {
            blocks: blocks.len(),
            value: answer.value().word().to_owned(),
            path: open.as_ref().map_or_else(Vec::new, |open| path(&blocks, open)),
            split: None,
        };
        let next = match &open {
            Some(open) if answer.value_is_unknown() && told.len() + 1 < rounds => split(&kmts, &blocks, open),
            _ => None,
        };
        let Some((at, parts, why)) = next else {
            told.push(round);
            let blocks = blocks.iter().map(|block| (block.name.clone(), names(&kmts, block))).collect();
            return Ok(RefinedStructure { rounds: told, answer, abstraction, blocks });
        };
        round.split = Some(why);
        told.push(round);
        blocks.splice(at..=at, named(&kmts, parts));
    }
}

fn path(blocks: &[Block], open: &OpenQuestion) -> Vec<String> {
    let mut along: Vec<usize> = open.play.iter().map(|step| step.state.index()).collect();
    along.dedup();
    along.into_iter().filter_map(|at| blocks.get(at)).map(|block| block.name.clone()).collect()
}

fn names(kmts: &Kmts, block: &Block) -> Vec<String> {
    block.members.iter().map(|&member| kmts.state_name(member).to_owned()).collect()
}

/// The parts of a block that can be split: by what the play stops at, else by anything that members differ in.
fn split(kmts: &Kmts, blocks: &[Block], open: &OpenQuestion) -> Option<(usize, Vec<Vec<StateId>>, String)> {
    let steps = |member: StateId, target: &Block| {
        let inside = kmts.edges_from(member).filter(|edge| target.members.contains(&edge.target));
        inside.fold((false, false), |(may, must), edge| (may || edge.may, must || edge.must))
    };
    let by = |at: usize, key: &dyn Fn(StateId) -> Vec<(bool, bool)>| {
        let parts = grouped(blocks.get(at)?.members.iter().copied(), key);
        (parts.len() > 1).then_some(parts)
    };
    for reason in &open.reasons {
        let (at, targets, why) = match reason {
            Reason::Label { state, prop } => {
                let key = |member: StateId| {
                    let value = kmts.label(member, *prop);
                    vec![(value.for_true(), value.for_false())]
                };
                let name = &kmts.props()[prop.index()];
                if let Some(parts) = by(state.index(), &key) {
                    let why = format!("{} by the label {name}", blocks[state.index()].name);
                    return Some((state.index(), parts, why));
                }
                continue;
            }
            Reason::Edge { from, to, .. } => (from.index(), vec![to.index()], "the step to"),
            Reason::Hyper { from, members, .. } => {
                (from.index(), members.iter().map(|member| member.index()).collect(), "the steps to")
            }
        };
        let key = |member: StateId| targets.iter().map(|&target| steps(member, &blocks[target])).collect();
        if let Some(parts) = by(at, &key) {
            let targets: Vec<&str> = targets.iter().map(|&target| blocks[target].name.as_str()).collect();
            return Some((at, parts, format!("{} by {why} {}", blocks[at].name, targets.join(", "))));
        }
    }
    let key = |member: StateId| {
        let labels = (0..kmts.props().len()).map(|prop| kmts.label(member, PropId::new(prop)));
        let labels = labels.map(|value| (value.for_true(), value.for_false()));
        labels.chain(blocks.iter().map(|target| steps(member, target))).collect()
    };
    let found = (0..blocks.len()).find_map(|at| Some((at, by(at, &key)?)));
    if let Some((at, parts)) = found {
        return Some((at, parts, format!("{} by labels and steps", blocks[at].name)));
    }
    // Actions and hyper edges may tell members apart that plain steps do not: the first block falls apart.
    let at = blocks.iter().position(|block| block.members.len() > 1)?;
    let parts = blocks[at].members.iter().map(|&member| vec![member]).collect();
    Some((at, parts, format!("{} into its members", blocks[at].name)))
}

/// States with equal keys together, in the order of their first members.
fn grouped<K: Ord>(states: impl Iterator<Item = StateId>, key: impl Fn(StateId) -> K) -> Vec<Vec<StateId>> {
    let mut places: BTreeMap<K, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<StateId>> = Vec::new();
    for state in states {
        let at = *places.entry(key(state)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(state),
            None => groups.push(vec![state]),
        }
    }
    groups
}

/// Blocks named after their members: `s0`, `s0+s1`, or `s0+7` for eight.
fn named(kmts: &Kmts, groups: Vec<Vec<StateId>>) -> Vec<Block> {
    let name = |members: &[StateId]| match members {
        [] => String::new(),
        [first] => kmts.state_name(*first).to_owned(),
        [first, second] => format!("{}+{}", kmts.state_name(*first), kmts.state_name(*second)),
        [first, rest @ ..] => format!("{}+{}", kmts.state_name(*first), rest.len()),
    };
    groups.into_iter().map(|members| Block { name: name(&members), members }).collect()
}
