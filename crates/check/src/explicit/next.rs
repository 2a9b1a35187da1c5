//! `EX`: one step, read off the outgoing edges.

use tertium_base::Stopped;
use tertium_model::{Edge, HyperEdge, Kmts, StateId};

use super::pair::{POSSIBLE, Pair, SURE};
use super::structure::Structure;
use crate::Filter;

/// The sets of `EX a` along the steps that `filter` selects: true if some certain set lies inside the
/// truth of `a`, not refuted if some possible successor does not refute `a`.
pub(super) fn exists_next(structure: &Structure<'_>, filter: Filter, a: &Pair) -> Result<Pair, Stopped> {
    let model = structure.model();
    let plain = filter == Filter::Any && !structure.total() && model.hyper_count() == 0;
    let mut result = Pair::empty(structure.states());
    let mut ticks = 0;
    for state in model.states() {
        structure.budget().tick(&mut ticks)?;
        let bits = if plain { along_edges(model, state, a) } else { one_state(structure, filter, state, a) };
        result.set(state.index(), bits);
    }
    Ok(result)
}

#[inline]
fn along_edges(model: &Kmts, state: StateId, a: &Pair) -> u32 {
    let mut bits = 0;
    for &edge in model.packed_edges(state) {
        bits |= edge.kind() & a.get(edge.target());
    }
    bits
}

fn one_state(structure: &Structure<'_>, filter: Filter, state: StateId, a: &Pair) -> u32 {
    let model = structure.model();
    let mut bits = 0;
    let (mut successors, mut all_inside) = (false, true);
    for edge in model.edges_from(state) {
        let target = a.get(edge.target.index());
        let surely = target & SURE != 0 && surely_selected(model, filter, edge);
        if edge.must && surely {
            bits |= SURE;
        }
        if edge.may {
            successors = true;
            all_inside &= surely;
            if target & POSSIBLE != 0 && maybe_selected(model, filter, edge) {
                bits |= POSSIBLE;
            }
        }
    }
    // Totality speaks of some step, not of one with a given action.
    let by_totality = structure.total() && !matches!(filter, Filter::Action(_)) && successors && all_inside;
    if by_totality || model.hyper_from(state).any(|edge| hyper_inside(model, filter, state, edge, a)) {
        bits |= SURE;
    }
    bits
}

fn surely_selected(model: &Kmts, filter: Filter, edge: Edge) -> bool {
    match filter {
        Filter::Any => true,
        Filter::Action(action) => edge.action == Some(action),
        Filter::Fair(constraint) => model.fairness()[constraint].certain.contains(edge.id.index()),
    }
}

fn maybe_selected(model: &Kmts, filter: Filter, edge: Edge) -> bool {
    match filter {
        Filter::Any => true,
        Filter::Action(action) => edge.action == Some(action),
        Filter::Fair(constraint) => model.fairness()[constraint].possible.contains(edge.id.index()),
    }
}

fn hyper_inside(model: &Kmts, filter: Filter, state: StateId, edge: HyperEdge<'_>, a: &Pair) -> bool {
    let selected = match filter {
        Filter::Any => true,
        Filter::Action(action) => edge.action == Some(action),
        Filter::Fair(constraint) => edge.members.iter().all(|&member| {
            let mut steps =
                model.edges_from(state).filter(|step| step.target == member && step.action == edge.action).peekable();
            steps.peek().is_some() && steps.all(|step| model.fairness()[constraint].certain.contains(step.id.index()))
        }),
    };
    selected && edge.members.iter().all(|member| a.get(member.index()) & SURE != 0)
}
