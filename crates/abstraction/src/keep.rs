//! Which variables stay concrete?
//!
//! Those that the user names, and by themselves those with few values, and channels, that depend on nothing abstract.
//! Whatever is kept may still be assigned from abstract variables: then each possible value is one case.

use std::collections::{BTreeMap, BTreeSet};

use tertium_program::{Action, Place, Program, Type, VarId};
use tertium_smt::Bounds;

use crate::options::Options;

/// A variable with at most this many values is kept without being asked for.
const FEW_VALUES: i128 = 4;
/// All such variables together have at most this many combinations.
const FEW_COMBINATIONS: i128 = 4096;

/// Why a variable stays concrete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The user says so.
    Asked,
    /// It has this many values, and only concrete ones come in.
    Few(i128),
    /// It is part of a channel, and only concrete values come in.
    Channel,
}

/// The variables that stay concrete.
#[must_use]
pub fn kept(program: &Program, bounds: &[Bounds], options: &Options) -> Vec<(VarId, Reason)> {
    let asked: BTreeSet<VarId> = options.keep.iter().copied().collect();
    let channels: BTreeSet<VarId> = options.channels.iter().copied().collect();
    let mut chosen = channels.clone();
    if options.keep_small {
        chosen.extend(program.variable_ids().filter(|&var| values(program, bounds, var).is_some()));
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
    program
        .variable_ids()
        .filter_map(|var| {
            if asked.contains(&var) {
                return Some((var, Reason::Asked));
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
