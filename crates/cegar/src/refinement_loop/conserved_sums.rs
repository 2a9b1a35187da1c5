//! Which sums of compared variables does a loop leave as they are?
//!
//! If each round of a loop changes its variables by constants, the sums whose factors are orthogonal to these changes are the same after every round (affine relations, Karr 1976). `x + b` is, where `x` grows by one as `b` falls by one: whoever chooses
//! `b` so that both end together must know how the sum compares with what both are compared with. No path through the loop says so at once. The comparisons are candidates for predicates; nothing rests on them.

use std::collections::{BTreeMap, BTreeSet};

use tertium_abstraction::{OperationId, System};
use tertium_program::LocationId;
use tertium_smt::{Term, TermId};

use crate::limits;
use crate::predicate_abstraction::Prepared;
use crate::refine::atoms::{atoms, comparison};

/// By variable, what one round of a loop adds to it.
type Round = BTreeMap<TermId, i128>;

/// Adds comparisons of such sums as predicates; whether any is new.
pub(super) fn add_conserved_sums(prepared: &mut Prepared) -> bool {
    let system = &mut prepared.system;
    let compared = constants(system);
    let variables: Vec<TermId> = compared.keys().copied().take(limits::CONSERVED_MOST_VARIABLES).collect();
    let rounds = rounds(system, &variables);
    let mut sums: Vec<Vec<i128>> = Vec::new();
    let each = rounds.iter().map(std::slice::from_ref);
    for group in std::iter::once(rounds.as_slice()).filter(|all| !all.is_empty()).chain(each) {
        for factors in orthogonal(group, &variables) {
            if !sums.contains(&factors) {
                sums.push(factors);
            }
        }
    }
    let before = system.predicates().len();
    for less in [0, 1] {
        for factors in &sums {
            let parts: Vec<(TermId, i128)> =
                variables.iter().copied().zip(factors.iter().copied()).filter(|(_, factor)| *factor != 0).collect();
            for constant in bounds(&parts, &compared) {
                if system.predicates().len() >= before + limits::CONSERVED_MOST_PREDICATES {
                    return true;
                }
                let terms = system.asking().0;
                let (form, constant) = (terms.weighted(&parts, 0), terms.int(constant.saturating_sub(less)));
                let below = terms.le(form, constant);
                system.learn_predicate(below);
            }
        }
    }
    system.predicates().len() > before
}

/// By variable, the constants that it is compared with alone.
fn constants(system: &mut System) -> BTreeMap<TermId, BTreeSet<i128>> {
    let predicates: Vec<_> = system.predicates().iter().map(|predicate| predicate.expr).collect();
    let conditions: Vec<TermId> = predicates.iter().filter_map(|&expr| system.condition(expr, true).ok()).collect();
    let terms = system.asking().0;
    let mut found: BTreeMap<TermId, BTreeSet<i128>> = BTreeMap::new();
    for atom in atoms(terms, &conditions) {
        let Some(compared) = comparison(terms, atom) else { continue };
        if let [(variable, 1 | -1)] = compared.parts[..] {
            let constant = compared.constant.saturating_mul(compared.parts[0].1);
            found.entry(variable).or_default().insert(constant);
        }
    }
    found
}

/// What rounds of loops add to some variables; those that do more than to add constants are left out.
fn rounds(system: &mut System, variables: &[TermId]) -> Vec<Round> {
    let mut leaving: BTreeMap<(usize, LocationId), Vec<OperationId>> = BTreeMap::new();
    for (id, operation) in system.operations().with_ids() {
        leaving.entry((operation.process.index(), operation.source)).or_default().push(id);
    }
    let mut search = LoopSearch { leaving, found: Vec::new(), left: limits::CONSERVED_MOST_STEPS };
    let heads: Vec<(usize, LocationId)> = search.leaving.keys().copied().collect();
    for head in heads {
        search.from(system, head, head.1, &mut Vec::new());
    }
    let mut rounds: Vec<Round> = Vec::new();
    for cycle in search.found {
        let round: Option<Round> =
            variables.iter().map(|&variable| Some((variable, added(system, &cycle, variable)?))).collect();
        let several = |round: &Round| round.values().filter(|&&by| by != 0).count() > 1;
        rounds.extend(round.filter(|round| several(round) && !rounds.contains(round)));
    }
    rounds
}

/// What a sequence of operations adds to a variable, if it is a constant.
fn added(system: &mut System, cycle: &[OperationId], variable: TermId) -> Option<i128> {
    let mut sum: i128 = 0;
    for &operation in cycle {
        let Some(&after) = system.operations()[operation].after.get(&variable) else { continue };
        let terms = system.asking().0;
        sum = match terms.get(after) {
            _ if after == variable => sum,
            Term::Sum(id) if terms.sum(id).parts == [(variable, 1)] => sum.checked_add(terms.sum(id).constant)?,
            _ => return None,
        };
    }
    Some(sum)
}

/// Looks for simple cycles of one process each, from their least location.
struct LoopSearch {
    leaving: BTreeMap<(usize, LocationId), Vec<OperationId>>,
    found: Vec<Vec<OperationId>>,
    /// Steps that may still be looked at.
    left: usize,
}

impl LoopSearch {
    fn from(&mut self, system: &System, head: (usize, LocationId), at: LocationId, path: &mut Vec<OperationId>) {
        for operation in self.leaving.get(&(head.0, at)).cloned().unwrap_or_default() {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            let target = system.operations()[operation].target;
            path.push(operation);
            let passed = path.iter().any(|&one| system.operations()[one].source == target);
            if target == head.1 {
                self.found.push(path.clone());
            } else if target > head.1 && !passed {
                self.from(system, head, target, path);
            }
            path.pop();
        }
    }
}

/// Small factors with which all these rounds leave the sum as it is; the first that is not 0 is positive.
fn orthogonal(rounds: &[Round], variables: &[TermId]) -> Vec<Vec<i128>> {
    let mut all: Vec<Vec<i128>> = vec![Vec::new()];
    for _ in variables {
        let longer = |factors: Vec<i128>| [0, 1, -1, 2, -2].map(|factor| [factors.as_slice(), &[factor]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    let keeps = |factors: &[i128], round: &Round| {
        let by = variables.iter().zip(factors).map(|(variable, factor)| factor.saturating_mul(round[variable]));
        by.fold(0, i128::saturating_add) == 0
    };
    // Every variable has its part in some round.
    let moves = |factors: &[i128]| {
        let moved =
            |(variable, &factor): (&TermId, &i128)| factor == 0 || rounds.iter().any(|round| round[variable] != 0);
        variables.iter().zip(factors).all(moved)
    };
    all.retain(|factors| {
        let used: Vec<i128> = factors.iter().copied().filter(|factor| *factor != 0).collect();
        let reduced = used.iter().any(|factor| factor % 2 != 0);
        used.len() > 1 && used[0] > 0 && reduced && moves(factors) && rounds.iter().all(|round| keeps(factors, round))
    });
    all.sort_by_key(|factors| factors.iter().map(|factor| factor.abs()).sum::<i128>());
    all
}

/// What the sum is where each variable is what it is compared with, for a few combinations.
fn bounds(parts: &[(TermId, i128)], compared: &BTreeMap<TermId, BTreeSet<i128>>) -> Vec<i128> {
    let mut sums = BTreeSet::from([0i128]);
    for (variable, factor) in parts {
        let of = |sum: i128| {
            compared[variable].iter().map(move |constant| sum.saturating_add(factor.saturating_mul(*constant)))
        };
        sums = sums.into_iter().flat_map(of).take(limits::CONSERVED_MOST_BOUNDS).collect();
    }
    sums.into_iter().collect()
}
