//! Which properties contradict each other, and which decision of the model is in their way?
//!
//! A smallest conflicting set: few properties are tried by their number; of many, one after the other is left out while there is still no completion (deletion, as for unsatisfiable cores), so that no
//! property of the rest can be spared. Then each decision that the model has made is undone alone: a label becomes unknown, a certain step possible, a step that is
//! not there possible; if there is a completion then, undoing it would help.

use tertium_lattice::Belnap;
use tertium_load::cuts::too_large;
use tertium_load::failure::Failure;
use tertium_logic::Formula;
use tertium_model::{Edge, HyperId, Kmts, KmtsBuilder, PropId, StateId};

use super::decisions::{Design, copy_fairness, copy_vocabulary, reached, step_text};
use super::own_states::{Wish, props_of, smallest_sets};
use super::pins::Pinned;
use super::unfolded;

/// So many properties are tried in all combinations.
const FEW_PROPERTIES: usize = 5;
/// So many decisions are undone, each alone.
const MOST_UNDONE: usize = 200;
/// In models with more states, steps that are not there are not proposed.
const MOST_STATES_FOR_STEPS: usize = 12;
/// Sets of decisions that are tried before the tableau is asked.
const TRIALS: usize = 200;

/// Why there is no completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Properties, by their numbers, that no completion satisfies together.
    pub properties: Vec<usize>,
    /// Whether no conflicting set has fewer members; otherwise only none of these can be spared.
    pub smallest: bool,
    /// Decisions of the model that were undone, each alone.
    pub undone: Vec<Undo>,
    /// Whether those are all that can matter.
    pub complete: bool,
}

/// A decision of the model, and whether undoing it would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    /// The decision.
    pub decision: String,
    /// Whether the properties of the conflict can be satisfied without it; none if that was not found out.
    pub helps: Option<bool>,
}

/// The search for a conflict.
pub(super) struct Conflicts<'a> {
    pub design: &'a Design<'a>,
    pub wish: Wish<'a>,
    pub pinned: &'a [Pinned],
}

/// What is undone.
#[derive(Clone, Copy)]
enum Undone {
    Label(StateId, PropId),
    Step(StateId, Edge),
    Hyper(StateId, HyperId),
    /// A step that is not there.
    Absent(StateId, StateId),
}

impl Conflicts<'_> {
    pub fn find(&self) -> Result<Conflict, Failure> {
        let (properties, smallest) = self.core()?;
        let formulas: Vec<&Formula> = properties.iter().map(|&at| self.wish.properties[at]).collect();
        let wish = Wish { properties: &formulas, ..self.wish };
        let candidates = self.candidates(&formulas);
        let mut undone = Vec::new();
        for &one in candidates.iter().take(MOST_UNDONE) {
            let helps = match satisfiable(&self.without(one)?, wish) {
                Err(Failure::Stopped(_)) => break,
                helps => helps?,
            };
            undone.push(Undo { decision: self.text(one), helps });
        }
        let complete = undone.len() == candidates.len();
        Ok(Conflict { properties, smallest, undone, complete })
    }

    /// Properties that no completion satisfies together, and whether there are no fewer.
    fn core(&self) -> Result<(Vec<usize>, bool), Failure> {
        let count = self.wish.properties.len();
        if count <= FEW_PROPERTIES {
            let mut sets: Vec<u32> = (1..1u32 << count).collect();
            sets.sort_by_key(|set| (set.count_ones(), *set));
            for set in sets {
                let members: Vec<usize> = (0..count).filter(|at| set >> at & 1 == 1).collect();
                if self.conflicting(&members)? {
                    return Ok((members, true));
                }
            }
            return Ok(((0..count).collect(), true));
        }
        let mut core: Vec<usize> = (0..count).collect();
        let mut at = 0;
        while at < core.len() {
            let mut fewer = core.clone();
            fewer.remove(at);
            if self.conflicting(&fewer)? {
                core = fewer;
            } else {
                at += 1;
            }
        }
        Ok((core, false))
    }

    fn conflicting(&self, members: &[usize]) -> Result<bool, Failure> {
        if members.is_empty() {
            return Ok(false);
        }
        let formulas: Vec<&Formula> = members.iter().map(|&at| self.wish.properties[at]).collect();
        let wish = Wish { properties: &formulas, ..self.wish };
        Ok(satisfiable(self.design.model, wish)? == Some(false))
    }

    /// Decisions that can matter: on what can be reached, about what the properties speak of.
    fn candidates(&self, formulas: &[&Formula]) -> Vec<Undone> {
        let model = self.design.model;
        let reached = reached(model, self.wish.states);
        let mut props: Vec<PropId> = formulas.iter().flat_map(|formula| props_of(model, formula)).collect();
        props.sort_unstable();
        props.dedup();
        let states: Vec<StateId> = model.states().filter(|state| reached[state.index()]).collect();
        let mut all = Vec::new();
        for &state in &states {
            let decided = props.iter().filter(|&&prop| model.label(state, prop) != Belnap::Unknown);
            all.extend(decided.map(|&prop| Undone::Label(state, prop)));
        }
        for &state in &states {
            all.extend(model.edges_from(state).filter(|edge| edge.must).map(|edge| Undone::Step(state, edge)));
            all.extend(model.hyper_from(state).map(|set| Undone::Hyper(state, set.id)));
        }
        if model.actions().is_empty() && model.state_count() <= MOST_STATES_FOR_STEPS {
            for &from in &states {
                let absent = model.states().filter(|&to| !model.edges_from(from).any(|edge| edge.target == to));
                all.extend(absent.map(|to| Undone::Absent(from, to)));
            }
        }
        all.retain(|&one| !self.is_pinned(one));
        all
    }

    fn is_pinned(&self, one: Undone) -> bool {
        self.pinned.iter().any(|&pin| match (pin, one) {
            (Pinned::Label(state, prop), Undone::Label(at, which)) => (state, prop) == (at, which),
            (Pinned::Step(from, to, action), Undone::Step(at, edge)) => {
                (from, to) == (at, edge.target) && (action.is_none() || action == edge.action)
            }
            (Pinned::Step(from, to, _), Undone::Absent(at, target)) => (from, to) == (at, target),
            _ => false,
        })
    }

    fn text(&self, one: Undone) -> String {
        let model = self.design.model;
        match one {
            Undone::Label(state, prop) => {
                let letter = model.label(state, prop).letter();
                format!("{}.{}={letter}", model.state_name(state), model.props()[prop.index()])
            }
            Undone::Step(from, edge) => format!("{}=t", step_text(model, from, edge.target, edge.action)),
            Undone::Hyper(from, set) => {
                let members: Vec<&str> = model.hyper(set).members.iter().map(|&to| model.state_name(to)).collect();
                format!("{}->{{{}}}=t", model.state_name(from), members.join(", "))
            }
            Undone::Absent(from, to) => format!("{}=f", step_text(model, from, to, None)),
        }
    }

    /// The model without one of its decisions.
    fn without(&self, one: Undone) -> Result<Kmts, Failure> {
        let model = self.design.model;
        let mut builder = KmtsBuilder::with_names(model.state_names().clone());
        copy_vocabulary(model, &mut builder);
        if let Undone::Label(state, prop) = one {
            builder.set_label(state, prop, Belnap::Unknown);
        }
        let mut sources = vec![StateId::new(0); model.edge_count()];
        for state in model.states() {
            for edge in model.edges_from(state) {
                sources[edge.id.index()] = state;
                let undone = matches!(one, Undone::Step(_, step) if step.id == edge.id);
                builder.add_edge(state, edge.target, true, edge.must && !undone, edge.action);
            }
            for set in model.hyper_from(state) {
                if !matches!(one, Undone::Hyper(_, dropped) if dropped == set.id) {
                    builder.add_hyper(state, set.members, set.action);
                }
            }
        }
        if let Undone::Absent(from, to) = one {
            builder.add_edge(from, to, true, false, None);
        }
        copy_fairness(model, &mut builder, |_| true, &sources);
        builder.finish().map_err(too_large)
    }
}

/// Whether some completion satisfies the wish; `None` if that cannot be decided.
fn satisfiable(model: &Kmts, wish: Wish<'_>) -> Result<Option<bool>, Failure> {
    let design = Design::new(model, wish.reading.deadlock == tertium_evidence::Deadlock::Total);
    let own = smallest_sets(&design, wish, 1, TRIALS)?;
    if !own.sets.is_empty() {
        return Ok(Some(true));
    }
    unfolded::exists(model, wish)
}
