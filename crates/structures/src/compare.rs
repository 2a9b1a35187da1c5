//! Does one structure refine another, and if not, why not?
//!
//! The relation is computed both ways. On "no" the first violated clause is told in words, and a formula that
//! tells the two states apart is evaluated on both before it is shown.

use std::borrow::Cow;

use tertium_base::diagnostic::closest_name;
use tertium_base::{Budget, Diagnostic, StopReason};
use tertium_check::explicit::Explicit;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::Reading;
use tertium_lattice::Belnap;
use tertium_logic::{Logic, ParseOptions, parse};
use tertium_model::{
    CompareError, Kmts, Model, Reason, Relation, StateId, TrailStep, TranslateError, equivalence, lattice_to_kmts,
    refines_alternating,
};

use crate::{coalitions, engines};
use tertium_load::Loaded;
use tertium_load::cuts::too_large;
use tertium_load::failure::Failure;

/// What is asked of two structures.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompareOptions {
    /// List the pairs of the whole relation.
    pub relation: bool,
    /// Alternating refinement: states are matched with states of the same player.
    pub game: bool,
}

/// How two structures compare.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Whether the first refines the second.
    pub refines: bool,
    /// Whether the first is refined by the second.
    pub refined_by: bool,
    /// The two states compared, where it is a single pair.
    pub pair: Option<[String; 2]>,
    /// Why the first is not refined by the second.
    pub difference: Option<Difference>,
    /// The pairs of the relation "is refined by", if asked for.
    pub relation: Option<Vec<[String; 2]>>,
    /// The limit that was reached, if any; nothing else is then known.
    pub stopped: Option<StopReason>,
    /// Remarks.
    pub warnings: Vec<Diagnostic>,
}

/// Why one state is not refined by another.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The two states.
    pub pair: [String; 2],
    /// The violated clauses, each a cause of the one before.
    pub clauses: Vec<String>,
    /// A formula that is true at the first and not at the second.
    pub formula: Option<String>,
    /// Its values at the two.
    pub values: Option<[Belnap; 2]>,
}

/// Compares two structures, at their initial states or at a given pair.
///
/// # Errors
/// If one is no structure with may and must, a state is unknown, or their propositions differ.
pub fn compare(
    left: &Loaded,
    right: &Loaded,
    pair: Option<(&str, &str)>,
    options: CompareOptions,
    budget: &Budget,
) -> Result<Comparison, Failure> {
    let (a, c) = (structure(left)?, structure(right)?);
    let (a, c) = (&*a, &*c);
    let (from, to) = compared_states(left, right, pair)?;
    let both = if options.game {
        let forward = refines_alternating(a, c, budget);
        forward.and_then(|forward| Ok((forward, refines_alternating(c, a, budget)?)))
    } else {
        equivalence(a, c, budget)
    };
    let (forward, backward) = match both {
        Ok(both) => both,
        Err(CompareError::Stopped(stopped)) => {
            return Ok(Comparison { stopped: Some(stopped.0), ..Comparison::default() });
        }
        Err(CompareError::Props(mismatch)) => return Err(mismatch.diagnostic().into()),
    };
    let unmatched = unrefined(&forward, &from, &to);
    let mut comparison = Comparison {
        refined_by: unmatched.is_none(),
        refines: unrefined(&backward, &to, &from).is_none(),
        warnings: remarks(a, c),
        ..Comparison::default()
    };
    if !options.game && (a.is_game() || c.is_game()) {
        let text = "owners of states are not compared: refinement keeps no values of formulas about players";
        comparison.warnings.push(Diagnostic::warning("W0318", text).help("`--game` compares them"));
    }
    if let (&[a_state], &[c_state]) = (&from[..], &to[..]) {
        comparison.pair = Some([a.state_name(a_state).to_owned(), c.state_name(c_state).to_owned()]);
    }
    if let Some(c_state) = unmatched {
        comparison.difference =
            from.first().map(|&a_state| difference(&forward, a, c, (a_state, c_state), budget)).transpose()?;
    }
    if options.relation {
        let name = |(x, y): (StateId, StateId)| [a.state_name(x).to_owned(), c.state_name(y).to_owned()];
        comparison.relation = Some(forward.pairs().map(name).collect());
    }
    Ok(comparison)
}

/// The states of each that are compared: the initial ones, or a given pair.
pub(crate) fn compared_states(
    left: &Loaded,
    right: &Loaded,
    pair: Option<(&str, &str)>,
) -> Result<(Vec<StateId>, Vec<StateId>), Failure> {
    Ok(match pair {
        Some((from, to)) => (vec![state(left, "--from", from)?], vec![state(right, "--to", to)?]),
        None => (left.initial_states(), right.initial_states()),
    })
}

/// The first state of `to` that refines none of `from`.
fn unrefined(relation: &Relation, from: &[StateId], to: &[StateId]) -> Option<StateId> {
    to.iter().copied().find(|&c| !from.iter().any(|&a| relation.contains(a, c)))
}

/// The structure with may and must. One over `B2`, `K3` or `Belnap4` means one: those lattices have an information order, too.
///
/// # Errors
/// If it is parameterised, or over another lattice.
pub fn structure(loaded: &Loaded) -> Result<Cow<'_, Kmts>, Failure> {
    let refused = |note: String| {
        Diagnostic::error("E0315", format!("`{}` is no structure with may and must", loaded.file)).note(note)
    };
    match &loaded.model {
        Model::Kmts(model) => Ok(Cow::Borrowed(model)),
        Model::Lattice(model) => match lattice_to_kmts(model) {
            Ok(model) => Ok(Cow::Owned(model)),
            Err(TranslateError::TooLarge(error)) => Err(too_large(error)),
            Err(TranslateError::Unsupported(_)) => {
                let name = model.lattice_name().unwrap_or("a lattice of your own");
                let note = format!("its values are in {name}, for which refinement is not defined here");
                Err(refused(note).help("structures over B2, K3 and Belnap4 can be compared").into())
            }
        },
        Model::Param(_) => Err(refused("a parameterised structure has no refinement order here".to_owned())
            .help("compare instances: leave out `params`, and write what each parameter is")
            .into()),
    }
}

fn state(loaded: &Loaded, option: &str, name: &str) -> Result<StateId, Failure> {
    let all = || (0..loaded.size().0).map(|at| loaded.state_name(StateId::new(at)));
    if let Some(at) = all().position(|known| known == name) {
        return Ok(StateId::new(at));
    }
    let message = format!("`{option} {name}`: `{}` has no state of this name", loaded.file);
    let mut mistake = Diagnostic::error("E0306", message);
    if let Some(close) = closest_name(name, all()) {
        mistake = mistake.help(format!("did you mean `{close}`?"));
    }
    Err(mistake.into())
}

pub(crate) fn remarks(a: &Kmts, c: &Kmts) -> Vec<Diagnostic> {
    if a.fairness().is_empty() && c.fairness().is_empty() {
        return Vec::new();
    }
    let text = "fairness constraints are not compared: refinement says nothing about properties of fair paths";
    vec![Diagnostic::warning("W0310", text)]
}

/// Why a state of `c` does not refine one of `a`; without clauses if it does.
pub(crate) fn difference(
    relation: &Relation,
    a: &Kmts,
    c: &Kmts,
    pair: (StateId, StateId),
    budget: &Budget,
) -> Result<Difference, Failure> {
    let names = [a.state_name(pair.0).to_owned(), c.state_name(pair.1).to_owned()];
    let mut difference = Difference { pair: names, clauses: Vec::new(), formula: None, values: None };
    let Some(found) = relation.distinction(a, c, pair, budget)? else { return Ok(difference) };
    difference.clauses = found.trail.iter().map(|step| clause(a, c, step)).collect();
    if let Some(formula) = found.formula {
        let logic = if relation.is_alternating() { Logic::Atl } else { Logic::Pml };
        let text =
            if logic == Logic::Atl { formula.display_in_atl(a).to_string() } else { formula.display(a).to_string() };
        difference.values = values((&text, logic), a, c, pair, budget)?;
        if difference.values.is_some_and(|[first, second]| !first.for_true() || second.for_true()) {
            return Err(Failure::Internal(format!("`{text}` should tell two states apart and does not")));
        }
        difference.formula = Some(text);
    }
    Ok(difference)
}

/// The formula's values at the two states; none if the second structure lacks one of its actions.
fn values(
    (text, logic): (&str, Logic),
    a: &Kmts,
    c: &Kmts,
    pair: (StateId, StateId),
    budget: &Budget,
) -> Result<Option<[Belnap; 2]>, Failure> {
    let Some(formula) = parse(text, &ParseOptions::in_logic(logic)).formula else {
        return Err(Failure::Internal(format!("`{text}` should be a formula of {}", logic.name())));
    };
    let mut found = [Belnap::Unknown; 2];
    for (value, (model, state)) in found.iter_mut().zip([(a, pair.0), (c, pair.1)]) {
        let at = [state];
        let Some((model, formula)) = coalitions::evaluated(model, &formula) else { return Ok(None) };
        let Ok(task) = Task::new(&model, &formula, Reading::default(), Ask::At(&at), budget) else { return Ok(None) };
        *value = Explicit.values(&task).map_err(engines::failure)?.at(state);
    }
    Ok(Some(found))
}

fn clause(a: &Kmts, c: &Kmts, step: &TrailStep) -> String {
    let (x, y) = (a.state_name(step.abstracted), c.state_name(step.concrete));
    match &step.reason {
        Reason::Label { prop, abstracted, concrete } => {
            let name = &a.props()[prop.index()];
            format!("label {name} is {} at {x} and {} at {y}", word(*abstracted), word(*concrete))
        }
        Reason::Owner { abstracted, concrete } => format!("{x} belongs to {abstracted} and {y} to {concrete}"),
        Reason::Certain { action, members } => {
            let set: Vec<&str> = members.iter().map(|&member| a.state_name(member)).collect();
            let by = action.as_ref().map_or_else(String::new, |action| format!(" by {action}"));
            match set[..] {
                [single] => format!("the certain step {x} -> {single}{by} has no counterpart at {y}"),
                _ => format!("the certain step {x} -> {{{}}}{by} has no counterpart at {y}", set.join(", ")),
            }
        }
        Reason::Possible { target, .. } => {
            format!("the possible step {y} -> {} has no counterpart at {x}", c.state_name(*target))
        }
    }
}

const fn word(value: Belnap) -> &'static str {
    match value {
        Belnap::True => "true",
        Belnap::False => "false",
        Belnap::Unknown => "unknown",
        Belnap::Both => "both",
    }
}
