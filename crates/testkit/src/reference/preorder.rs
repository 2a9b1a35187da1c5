//! The completeness preorder, by its three clauses and nothing else.

use tertium_lattice::TruthValue;
use tertium_model::{ActionId, Kmts, StateId};

/// Something certain: the action it carries and where it may lead.
type Certain = (Option<ActionId>, Vec<StateId>);

/// For each state `a` of `coarse` and `c` of `fine`, whether `c` refines `a`. Propositions and actions are
/// matched by name. A proposition that `fine` lacks is unknown there. Fairness plays no part.
#[must_use]
pub fn refinement_relation(coarse: &Kmts, fine: &Kmts) -> Vec<Vec<bool>> {
    let mut related: Vec<Vec<bool>> =
        coarse.states().map(|a| fine.states().map(|c| labels_agree(coarse, a, fine, c)).collect()).collect();
    loop {
        let mut next = related.clone();
        for a in coarse.states() {
            for c in fine.states() {
                next[a.index()][c.index()] &=
                    steps_are_kept(coarse, a, fine, c, &related) && steps_are_covered(coarse, a, fine, c, &related);
            }
        }
        if next == related {
            return related;
        }
        related = next;
    }
}

fn labels_agree(coarse: &Kmts, a: StateId, fine: &Kmts, c: StateId) -> bool {
    coarse.props().iter().all(|name| {
        let at = |structure: &Kmts, state| {
            let prop = structure.prop_by_name(name);
            prop.map_or(tertium_lattice::Belnap::Unknown, |prop| structure.label(state, prop))
        };
        at(coarse, a).info_le(at(fine, c))
    })
}

fn same_action(coarse: &Kmts, one: Option<ActionId>, fine: &Kmts, other: Option<ActionId>) -> bool {
    one.map(|action| &coarse.actions()[action.index()]) == other.map(|action| &fine.actions()[action.index()])
}

/// Everything certain is matched by something certain that leads to refining states only.
fn steps_are_kept(coarse: &Kmts, a: StateId, fine: &Kmts, c: StateId, related: &[Vec<bool>]) -> bool {
    let inside = |small: &[StateId], large: &[StateId]| {
        small.iter().all(|to| large.iter().any(|from| related[from.index()][to.index()]))
    };
    let mut answers = certain(fine, c);
    let whole = all_possible(fine, c);
    if !whole.is_empty() {
        answers.push((None, whole));
    }
    let kept = |(action, members): &Certain| {
        answers.iter().any(|(other, chosen)| same_action(coarse, *action, fine, *other) && inside(chosen, members))
    };
    let implicit = all_possible(coarse, a);
    let implicit_kept = || answers.iter().any(|(_, chosen)| inside(chosen, &implicit));
    certain(coarse, a).iter().all(kept) && (implicit.is_empty() || implicit_kept())
}

fn certain(structure: &Kmts, state: StateId) -> Vec<Certain> {
    let musts = structure.edges_from(state).filter(|edge| edge.must).map(|edge| (edge.action, vec![edge.target]));
    musts.chain(structure.hyper_from(state).map(|edge| (edge.action, edge.members.to_vec()))).collect()
}

/// The implicit certain set of a total structure; empty for others.
fn all_possible(structure: &Kmts, state: StateId) -> Vec<StateId> {
    if structure.total() { structure.may_successors(state).collect() } else { Vec::new() }
}

/// Every possible step of `c` is a possible step of `a`.
fn steps_are_covered(coarse: &Kmts, a: StateId, fine: &Kmts, c: StateId, related: &[Vec<bool>]) -> bool {
    fine.edges_from(c).filter(|step| step.may).all(|step| {
        coarse.edges_from(a).any(|edge| {
            edge.may
                && same_action(coarse, edge.action, fine, step.action)
                && related[edge.target.index()][step.target.index()]
        })
    })
}
