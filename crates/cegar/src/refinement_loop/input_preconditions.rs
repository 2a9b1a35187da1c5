//! Which preconditions of comparisons speak of a value that was chosen before?
//!
//! Where `y := y + k` follows `k := *`, whoever wants `y > 1000` must know while `k` is chosen how `y + k` compares with 1000: the weakest precondition of what predicates say, where it speaks of a variable that some step sets to an input. Further copies of the
//! value are followed as well. The comparisons are candidates for predicates; nothing rests on them.

use std::collections::BTreeSet;

use tertium_abstraction::System;
use tertium_smt::TermId;

use crate::limits;
use crate::predicate_abstraction::Prepared;
use crate::refine::atoms::{atoms, comparison};

/// Adds such preconditions of the present predicates, the last of which come first; whether any is new.
pub(super) fn add_input_preconditions(prepared: &mut Prepared) -> bool {
    let system = &mut prepared.system;
    let chosen = chosen_variables(system);
    let predicates: Vec<_> = system.predicates().iter().map(|predicate| predicate.expr).collect();
    let conditions: Vec<TermId> = predicates.iter().filter_map(|&expr| system.condition(expr, true).ok()).collect();
    let terms = system.asking().0;
    let compared = |atom: &TermId| comparison(terms, *atom).is_some();
    let mut level: Vec<TermId> =
        conditions.iter().rev().flat_map(|&one| atoms(terms, &[one])).filter(compared).collect();
    let before = system.predicates().len();
    for _ in 0..limits::INPUT_PRECONDITIONS_MOST_COPIES {
        let mut next = Vec::new();
        for atom in std::mem::take(&mut level) {
            for precondition in preconditions(system, atom, &chosen) {
                if system.predicates().len() >= before + limits::INPUT_PRECONDITIONS_MOST {
                    return true;
                }
                if system.learn_predicate(precondition) {
                    next.push(precondition);
                }
            }
        }
        level = next;
    }
    system.predicates().len() > before
}

/// The variables that some step sets to an input, or to what depends on one.
fn chosen_variables(system: &mut System) -> BTreeSet<TermId> {
    let operations: Vec<_> = system.operations().ids().collect();
    let mut found = BTreeSet::new();
    for id in operations {
        let operation = &system.operations()[id];
        let inputs: Vec<TermId> = operation.inputs.iter().map(|choice| choice.symbol).collect();
        let after: Vec<(TermId, TermId)> =
            operation.after.iter().map(|(&variable, &value)| (variable, value)).collect();
        let terms = system.asking().0;
        let depends = |value: TermId| terms.reachable(&[value]).iter().any(|part| inputs.contains(part));
        found.extend(after.into_iter().filter(|&(_, value)| depends(value)).map(|(variable, _)| variable));
    }
    found
}

/// What operations make of a comparison where that newly speaks of a chosen variable.
fn preconditions(system: &mut System, atom: TermId, chosen: &BTreeSet<TermId>) -> Vec<TermId> {
    let operations: Vec<_> = system.operations().ids().collect();
    let mut found: Vec<TermId> = Vec::new();
    for id in operations {
        let after = system.operations()[id].after.clone();
        let terms = system.asking().0;
        let pulled = terms.substitute(atom, &after);
        let speaks = |term: TermId| -> BTreeSet<TermId> {
            terms.reachable(&[term]).into_iter().filter(|part| chosen.contains(part)).collect()
        };
        let (old, new) = (speaks(atom), speaks(pulled));
        if comparison(terms, pulled).is_some() && !new.is_subset(&old) && !found.contains(&pulled) {
            found.push(pulled);
        }
    }
    found
}
