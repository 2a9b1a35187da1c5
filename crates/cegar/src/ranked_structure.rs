//! What do the steps of a structure over abstract states do to ranking functions, as a game needs it?

use std::collections::{BTreeMap, BTreeSet};

use tertium_check::ranked_game::{RankedStructure, RankedSuccessors, StepChanges};
use tertium_evidence::abstraction::{Structure, Taken};
use tertium_logic::{FairPaths, Formula, Logic, branching_form, fair_fixpoint_form};
use tertium_model::{ActionId, Kmts, StateId};

/// What the lists of a structure say, about a model of it in which the process of each pid has a name.
#[must_use]
pub(crate) fn ranked_structure(structure: &Structure, model: &Kmts, names: &BTreeMap<u32, String>) -> RankedStructure {
    let mut found = RankedStructure { ranks: structure.ranks.len(), ..RankedStructure::default() };
    let lists: Vec<[BTreeSet<Taken>; 2]> = structure
        .ranks
        .iter()
        .map(|rank| [&rank.decreasing, &rank.non_increasing].map(|list| list.iter().copied().collect()))
        .collect();
    let action = |pid: u32| {
        let name = names.get(&pid)?;
        model.actions().iter().position(|action| action == name).map(ActionId::new)
    };
    for (from, by, targets) in &structure.steps {
        let Some(action) = action(*by) else { continue };
        for &to in targets {
            let taken = (*from, *by, to);
            let mut changes = StepChanges::default();
            for (rank, [decreasing, non_increasing]) in lists.iter().enumerate() {
                if decreasing.contains(&taken) {
                    changes.decreased |= 1 << rank;
                } else if !non_increasing.contains(&taken) {
                    changes.free |= 1 << rank;
                }
            }
            let known = found.steps.entry((id(*from), id(to), action)).or_insert(changes);
            *known = known.or(changes);
        }
    }
    let all = u64::MAX.checked_shr(u32::try_from(64 - structure.ranks.len().min(64)).unwrap_or(0)).unwrap_or(0);
    for set in &structure.ranked {
        let member = |(to, conditions): &(u32, Vec<(u32, bool)>)| {
            let mut changes = StepChanges { decreased: 0, free: all };
            for &(rank, decreases) in conditions {
                changes.free &= !(1 << rank);
                changes.decreased |= u64::from(decreases) << rank;
            }
            (id(*to), changes)
        };
        let into = set.into.iter().map(member).collect();
        found.sets.push(RankedSuccessors { from: id(set.from), action: set.by.and_then(action), into });
    }
    found
}

fn id(number: u32) -> StateId {
    StateId::new(number as usize)
}

/// The formula that claims over abstract states speak of: one of pml, ctl or mu-calculus, or the form of one about paths, where runs that end stay where they are: in CTL, or in the mu-calculus.
#[must_use]
pub(crate) fn claimed_formula(formula: &Formula, fair: &FairPaths) -> Option<Formula> {
    let branching = || branching_form(formula);
    match formula.logic() {
        Logic::Pml | Logic::Mu => Some(formula.clone()),
        // Whose turn it is, is not known of abstract states.
        Logic::Atl | Logic::AtlStar => None,
        _ if !fair.strong.is_empty() => fair_fixpoint_form(branching().as_ref().unwrap_or(formula), fair),
        Logic::Ctl => Some(formula.clone()),
        Logic::CtlStar | Logic::Ltl => branching().or_else(|| fair_fixpoint_form(formula, fair)),
    }
}

/// What a structure says of fair paths.
#[must_use]
pub(crate) fn fair_paths(model: &Kmts) -> FairPaths {
    FairPaths::of(model.fairness().len(), model.props().iter().map(String::as_str))
}
