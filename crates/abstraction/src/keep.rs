//! Partial abstraction (Vijzelaar et al. 2014): which variables stay concrete?
//!
//! Those that the user names, and by themselves those with few values, channels, and indices of abstract arrays, that depend on nothing
//! abstract: a taint analysis, since nothing concrete comes from abstract values. What an index is computed from stays concrete with it.
//! Whatever is kept because it was asked for may still be assigned from abstract variables: then each possible value is one case.

use std::collections::{BTreeMap, BTreeSet};

use tertium_program::{Action, Expr, ExprId, Place, Program, Type, VarId};
use tertium_smt::Bounds;

use crate::options::Options;

/// A variable with at most this many values is kept without being asked for.
const FEW_VALUES: i128 = 4;
/// All such variables together have at most this many combinations.
const FEW_COMBINATIONS: i128 = 4096;

/// An index with more values than this is not kept without being asked for.
pub const MOST_INDEX_VALUES: i128 = 1 << 16;

/// Why a variable stays concrete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The user says so.
    Asked,
    /// It has this many values, and only concrete ones come in.
    Few(i128),
    /// It is part of a channel, and only concrete values come in.
    Channel,
    /// It is an index of this array, which is abstract, and only concrete values come in.
    Index(VarId),
    /// This variable, which stays concrete, is computed from it.
    Feeds(VarId),
}

/// Why an index does not stay concrete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taint {
    /// A value comes in that is computed from this abstract variable.
    From(VarId),
    /// A value comes in that the step chooses.
    Chosen,
    /// No bounds are known, or they are far apart.
    Range,
}

/// The variables that stay concrete.
#[must_use]
pub fn kept(program: &Program, bounds: &[Bounds], options: &Options) -> Vec<(VarId, Reason)> {
    let asked: BTreeSet<VarId> = options.keep.iter().copied().collect();
    let channels: BTreeSet<VarId> = options.channels.iter().copied().collect();
    let mut chosen = channels.clone();
    if options.keep_small {
        // What a slice leaves out does not matter here, and has other values in the program that it is a slice of.
        let few = |var: &VarId| values(program, bounds, *var).is_some() && !program.left_out.contains(var);
        chosen.extend(program.variable_ids().filter(few));
        close(program, &asked, &mut chosen);
        let combinations = chosen.difference(&channels).try_fold(1i128, |all, &var| {
            let cells = u32::try_from(program.variable(var).cells()).ok()?;
            all.checked_mul(values(program, bounds, var)?.checked_pow(cells)?)
        });
        if combinations.is_none_or(|combinations| combinations > FEW_COMBINATIONS) {
            chosen.clone_from(&channels);
        }
    }
    close(program, &asked, &mut chosen);
    let indices = if options.keep_small { kept_indices(program, bounds, &asked, &chosen) } else { BTreeMap::new() };
    program
        .variable_ids()
        .filter_map(|var| {
            if asked.contains(&var) {
                return Some((var, Reason::Asked));
            }
            if let (Some(&reason), false) = (indices.get(&var), chosen.contains(&var)) {
                return Some((var, reason));
            }
            let reason = if channels.contains(&var) {
                Reason::Channel
            } else {
                Reason::Few(values(program, bounds, var).unwrap_or(0))
            };
            chosen.contains(&var).then_some((var, reason))
        })
        .collect()
}

/// The indices of abstract arrays that do not stay concrete, with the array, and why.
#[must_use]
pub fn tainted(program: &Program, bounds: &[Bounds], kept: &[(VarId, Reason)]) -> Vec<(VarId, VarId, Taint)> {
    let concrete: BTreeSet<VarId> = kept.iter().map(|(var, _)| *var).collect();
    let incoming = incoming(program);
    let mut found = Vec::new();
    for (index, array) in indices(program, &concrete) {
        if concrete.contains(&index) {
            continue;
        }
        let from =
            (incoming.get(&index).into_iter().flatten()).find(|&read| *read != index && !concrete.contains(read));
        let taint = match from {
            _ if !is_small_index(program, bounds, index) => Taint::Range,
            Some(&from) => Taint::From(from),
            None => Taint::Chosen,
        };
        found.push((index, array, taint));
    }
    found
}

/// Indices of abstract arrays, and what they are computed from, as far as nothing abstract comes in.
fn kept_indices(
    program: &Program,
    bounds: &[Bounds],
    asked: &BTreeSet<VarId>,
    chosen: &BTreeSet<VarId>,
) -> BTreeMap<VarId, Reason> {
    let concrete: BTreeSet<VarId> = asked.union(chosen).copied().collect();
    let indices = indices(program, &concrete);
    if indices.is_empty() {
        return BTreeMap::new();
    }
    // The largest set of small variables that nothing outside of it flows into.
    let picked = chosen_by_steps(program);
    let small = |var: &VarId| is_small_index(program, bounds, *var) && !picked.contains(var);
    let mut pure: BTreeSet<VarId> = program.variable_ids().filter(small).collect();
    close(program, &concrete, &mut pure);
    let incoming = incoming(program);
    let mut found: BTreeMap<VarId, Reason> = BTreeMap::new();
    let mut open: Vec<VarId> = Vec::new();
    for (index, array) in indices {
        if pure.contains(&index) && found.insert(index, Reason::Index(array)).is_none() {
            open.push(index);
        }
    }
    while let Some(var) = open.pop() {
        for &read in incoming.get(&var).into_iter().flatten() {
            if !concrete.contains(&read) && !found.contains_key(&read) {
                found.insert(read, Reason::Feeds(var));
                open.push(read);
            }
        }
    }
    found
}

/// Whether a variable is a plain one that can be followed value by value.
fn is_small_index(program: &Program, bounds: &[Bounds], var: VarId) -> bool {
    let (Some(lo), Some(hi)) = bounds[var.index()] else { return false };
    let plain = program.variable(var).dimensions.is_empty() && !program.left_out.contains(&var);
    plain && hi.checked_sub(lo).is_some_and(|width| width < MOST_INDEX_VALUES)
}

/// Variables that get values which steps choose.
fn chosen_by_steps(program: &Program) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for step in &program.steps {
        let (Action::Assign(assigns) | Action::Together { assigns, .. }) = &step.action else { continue };
        for assign in assigns {
            let parts = program.exprs.reachable(&[assign.value]);
            if parts.into_iter().any(|id| matches!(program.exprs.get(id), Expr::Input(..))) {
                found.insert(assign.place.variable());
            }
        }
    }
    found
}

/// Variables that indices of arrays are computed from, each with such an array; arrays that stay concrete do not count.
fn indices(program: &Program, concrete: &BTreeSet<VarId>) -> BTreeMap<VarId, VarId> {
    let mut found: BTreeMap<VarId, VarId> = BTreeMap::new();
    let mut add = |array: VarId, list: &[ExprId]| {
        if !concrete.contains(&array) {
            for var in list.iter().flat_map(|&index| program.footprint_of(index).reads) {
                found.entry(var).or_insert(array);
            }
        }
    };
    let mut roots: Vec<ExprId> = program.predicates.iter().map(|named| named.expr).collect();
    for step in &program.steps {
        roots.push(step.guard);
        match &step.action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => {
                for assign in assigns {
                    roots.push(assign.value);
                    if let Place::Element(array, list) = assign.place {
                        add(array, program.exprs.list(list));
                        roots.extend(program.exprs.list(list));
                    }
                }
            }
            Action::Assert(condition) => roots.push(*condition),
            _ => {}
        }
    }
    for id in program.exprs.reachable(&roots) {
        if let Expr::Element(array, list) = program.exprs.get(id) {
            add(array, program.exprs.list(list));
        }
    }
    found
}

/// How many values a variable has, if few.
fn values(program: &Program, bounds: &[Bounds], var: VarId) -> Option<i128> {
    let count = match (program.variable(var).ty, bounds[var.index()]) {
        (Type::Bool, _) => 2,
        (_, (Some(lo), Some(hi))) => hi.checked_sub(lo)?.checked_add(1)?,
        _ => return None,
    };
    (count <= FEW_VALUES).then_some(count)
}

/// Drops variables that are assigned from others that are not kept, until none is.
fn close(program: &Program, asked: &BTreeSet<VarId>, few: &mut BTreeSet<VarId>) {
    let incoming = incoming(program);
    loop {
        let before = few.len();
        for (var, reads) in &incoming {
            if reads.iter().any(|read| !few.contains(read) && !asked.contains(read)) {
                few.remove(var);
            }
        }
        if few.len() == before {
            return;
        }
    }
}

/// For each variable that is assigned what its new values are computed from.
fn incoming(program: &Program) -> BTreeMap<VarId, BTreeSet<VarId>> {
    let mut incoming: BTreeMap<VarId, BTreeSet<VarId>> = BTreeMap::new();
    for step in &program.steps {
        let (Action::Assign(assigns) | Action::Together { assigns, .. }) = &step.action else { continue };
        for assign in assigns {
            let reads = incoming.entry(assign.place.variable()).or_default();
            reads.extend(program.footprint_of(assign.value).reads);
            if let Place::Element(_, indices) = assign.place {
                for &index in program.exprs.list(indices) {
                    reads.extend(program.footprint_of(index).reads);
                }
            }
        }
    }
    incoming
}
