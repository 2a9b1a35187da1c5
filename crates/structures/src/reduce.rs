//! What is the smallest structure with the same values?
//!
//! [`reduce`] merges states that cannot be told apart: by bisimulation (every value at every state is kept, with fairness), by refinement both ways (the same, fairness refused; merges more), or, if nothing is open, by
//! simulation (universal properties are kept). [`bisimilar`] asks the same of two structures.
//!
//! Not here: the quotients themselves (`tertium_model`).

use tertium_base::{Budget, Diagnostic};
use tertium_load::Loaded;
use tertium_load::failure::Failure;
use tertium_logic::Logic;
use tertium_logic::classify::universal_only;
use tertium_model::{
    CompareError, Kmts, KmtsBuilder, Mapped, Model, PropId, StateId, equivalence, minimise, quotient_by_refinement,
    quotient_by_simulation,
};

use crate::compare::{Comparison, compared_states, difference, remarks, structure};
use crate::translate::formulas;

/// Which states are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quotient {
    /// Those that are bisimilar: equal labels, possible and certain steps matched.
    Bisimulation,
    /// Those that refine each other.
    Refinement,
    /// Those of a classical structure that simulate each other.
    Simulation,
}

impl Quotient {
    /// Its name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bisimulation => "bisimulation",
            Self::Refinement => "refinement",
            Self::Simulation => "simulation",
        }
    }
}

/// A structure without states that cannot be told apart.
#[derive(Debug)]
pub struct Reduced {
    /// The structure, with the properties whose values it keeps.
    pub loaded: Loaded,
    /// For each of its states the states of the original that it stands for; the first gives its name.
    pub classes: Vec<Vec<String>>,
    /// Properties that are left out.
    pub warnings: Vec<Diagnostic>,
}

/// Merges states.
///
/// # Errors
/// If the structure is not of the right kind, or a limit is reached.
pub fn reduce(loaded: &Loaded, by: Quotient, budget: &Budget) -> Result<Reduced, Failure> {
    let kmts = structure(loaded)?;
    let mapped = match by {
        Quotient::Bisimulation => minimise(&kmts, budget)?,
        _ if !kmts.fairness().is_empty() => {
            let message = format!("`{}` has fairness constraints, which `--by {}` would lose", loaded.file, by.name());
            return Err(Diagnostic::error("E0339", message).help("`--by bisimulation` keeps them").into());
        }
        Quotient::Refinement => quotient_by_refinement(&kmts, budget)?,
        Quotient::Simulation if !kmts.is_complete() => {
            let message =
                format!("`{}` leaves something open, and simulation is between classical structures", loaded.file);
            return Err(Diagnostic::error("E0339", message)
                .help("`--by refinement` is its three-valued counterpart")
                .into());
        }
        Quotient::Simulation => quotient_by_simulation(&kmts, budget)?,
    };
    let mut warnings = Vec::new();
    let mut kept = Vec::new();
    for (name, formula) in formulas(loaded)? {
        if by == Quotient::Simulation && formula.logic() != Logic::Ltl && !universal_only(&formula) {
            let message =
                format!("the property `{name}` is left out: it is not universal, so that simulation may change it");
            warnings.push(Diagnostic::warning("W0317", message));
        } else {
            kept.push((name, crate::translate::with_kmts_constants(loaded, &formula)));
        }
    }
    let classes = members(&kmts, &mapped);
    let loaded = Loaded::of_model(&loaded.file, Model::Kmts(mapped.structure)).with_properties(&kept);
    Ok(Reduced { loaded, classes, warnings })
}

fn members(kmts: &Kmts, mapped: &Mapped) -> Vec<Vec<String>> {
    let mut classes = vec![Vec::new(); mapped.old_of.len()];
    for state in kmts.states() {
        if let Some(class) = mapped.new_of[state.index()] {
            classes[class.index()].push(kmts.state_name(state).to_owned());
        }
    }
    classes
}

/// Whether two structures are bisimilar at their initial states, or at a given pair.
///
/// In the answer, `refines` and `refined_by` both say whether they are.
///
/// # Errors
/// If one is no structure with may and must, a state is unknown, or their propositions differ.
pub fn bisimilar(
    left: &Loaded,
    right: &Loaded,
    pair: Option<(&str, &str)>,
    budget: &Budget,
) -> Result<Comparison, Failure> {
    let (a, c) = (structure(left)?, structure(right)?);
    let (a, c) = (&*a, &*c);
    let (from, to) = compared_states(left, right, pair)?;
    let (forward, backward) = match equivalence(a, c, budget) {
        Ok(both) => both,
        Err(CompareError::Stopped(stopped)) => {
            return Ok(Comparison { stopped: Some(stopped.0), ..Comparison::default() });
        }
        Err(CompareError::Props(mismatch)) => return Err(mismatch.diagnostic().into()),
    };
    let classes = match joined(a, c).map(|both| minimise(&both, budget)) {
        Ok(Ok(mapped)) => mapped.new_of,
        Ok(Err(stopped)) => return Ok(Comparison { stopped: Some(stopped.0), ..Comparison::default() }),
        Err(error) => return Err(tertium_load::cuts::too_large(error)),
    };
    let of_c = |state: StateId| StateId::new(a.state_count() + state.index());
    let same = |x: StateId, y: StateId| classes[x.index()] == classes[of_c(y).index()];
    let lonely_a = from.iter().copied().find(|&x| !to.iter().any(|&y| same(x, y)));
    let lonely_c = to.iter().copied().find(|&y| !from.iter().any(|&x| same(x, y)));
    let same_everywhere = lonely_a.is_none() && lonely_c.is_none();
    let mut comparison = Comparison {
        refines: same_everywhere,
        refined_by: same_everywhere,
        warnings: remarks(a, c),
        ..Comparison::default()
    };
    if let (&[x], &[y]) = (&from[..], &to[..]) {
        comparison.pair = Some([a.state_name(x).to_owned(), c.state_name(y).to_owned()]);
    }
    if !same_everywhere && let (Some(&first), Some(&second)) = (from.first(), to.first()) {
        let (x, y) = (lonely_a.unwrap_or(first), lonely_c.unwrap_or(second));
        let mut found = difference(&forward, a, c, (x, y), budget)?;
        if found.clauses.is_empty() {
            // The other way round the formula is true at the second structure's state.
            found = difference(&backward, c, a, (y, x), budget)?;
        }
        if found.clauses.is_empty() {
            found.pair = [a.state_name(x).to_owned(), c.state_name(y).to_owned()];
            found.clauses = vec![unmatched(a, c, (x, y), &same), NO_FORMULA.to_owned()];
        }
        comparison.difference = Some(found);
    }
    Ok(comparison)
}

const NO_FORMULA: &str = "they refine each other, so that no formula has different values there";

/// The first step of one that the other does not match.
fn unmatched(a: &Kmts, c: &Kmts, (x, y): (StateId, StateId), same: &dyn Fn(StateId, StateId) -> bool) -> String {
    let (here, there) = (a.state_name(x), c.state_name(y));
    for step in a.edges_from(x) {
        let fits = |other: tertium_model::Edge| {
            same(step.target, other.target) && (other.may || !step.may) && (other.must || !step.must)
        };
        if !c.edges_from(y).any(fits) {
            return format!(
                "the step {here} -> {} has no counterpart of the same kind at {there}",
                a.state_name(step.target)
            );
        }
    }
    for step in c.edges_from(y) {
        let fits = |other: tertium_model::Edge| {
            same(other.target, step.target) && (other.may || !step.may) && (other.must || !step.must)
        };
        if !a.edges_from(x).any(fits) {
            return format!(
                "the step {there} -> {} has no counterpart of the same kind at {here}",
                c.state_name(step.target)
            );
        }
    }
    format!("a certain set of {here} or {there} has no counterpart at the other")
}

/// Both structures side by side, the first one's states first; what `total` makes certain is written out, fairness is left out.
fn joined(a: &Kmts, c: &Kmts) -> Result<Kmts, tertium_model::ModelTooLarge> {
    let mut builder = KmtsBuilder::new();
    for name in a.props() {
        builder.add_prop(name);
    }
    for (part, offset) in [(a, 0), (c, a.state_count())] {
        let moved = |state: StateId| StateId::new(offset + state.index());
        for state in part.states() {
            builder.add_state(part.state_name(state));
        }
        builder.copy_owners(part, part.states().map(|state| (moved(state), state)));
        for state in part.states() {
            for (at, name) in part.props().iter().enumerate() {
                let prop = builder.add_prop(name);
                builder.set_label(moved(state), prop, part.label(state, PropId::new(at)));
            }
            for edge in part.edges_from(state) {
                let action = edge.action.map(|action| builder.add_action(&part.actions()[action.index()]));
                builder.add_edge(moved(state), moved(edge.target), edge.may, edge.must, action);
            }
            for edge in part.hyper_from(state) {
                let action = edge.action.map(|action| builder.add_action(&part.actions()[action.index()]));
                let members: Vec<StateId> = edge.members.iter().map(|&member| moved(member)).collect();
                builder.add_hyper(moved(state), &members, action);
            }
            let all: Vec<StateId> = part.may_successors(state).map(moved).collect();
            if part.total() && !all.is_empty() {
                builder.add_hyper(moved(state), &all, None);
            }
        }
    }
    builder.finish()
}
