//! Can the program follow a path of abstract steps?
//!
//! The conditions of all steps, and what is wanted at the end, are pulled back to the beginning by substitution. Together with
//! the initial values they are one question to the solver. If it has a model, the model is a run. If it has none, only the
//! conditions of an unsatisfiable core are kept, and the last position at which these contradict each other by
//! themselves: what they say at the positions after that is what the abstraction did not know.

use std::collections::{BTreeSet, HashMap};

use tertium_abstraction::{OperationId, System};
use tertium_base::Stopped;
use tertium_program::LocationId;
use tertium_smt::{Purpose, Reply, Term, TermId, Value};

use crate::refine::atoms::conjuncts;
use crate::refine::lift::Lifting;

/// A path that nobody knows to be real.
#[derive(Clone, Debug)]
pub struct OpenPath {
    /// Where all processes are, at every position.
    pub locations: Vec<Vec<LocationId>>,
    /// The operations between the positions.
    pub operations: Vec<OperationId>,
    /// What the predicates of the abstract states say at each position.
    pub known: Vec<Vec<TermId>>,
    /// The kept values of the abstract states at each position.
    pub kept: Vec<Vec<i128>>,
    /// Whether a run must pass through these abstract states, or may follow the operations in any way.
    pub through: bool,
    /// What is wanted at the last position.
    pub goal: TermId,
    /// The operation whose inputs the goal speaks of, if it does.
    pub goal_operation: Option<OperationId>,
}

/// Values with which the program follows a path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// Of all cells at the beginning, by variable.
    pub cells: Vec<Vec<i64>>,
    /// Of the inputs of every operation, and of the goal's at the end.
    pub inputs: Vec<Vec<i64>>,
}

/// What contradicts itself along a path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contradiction {
    /// Conditions that contradict each other, as they read at each position; none where they do not matter yet.
    pub conditions: Vec<Vec<TermId>>,
    /// Symbols among them that stand for large constants.
    pub constants: HashMap<TermId, TermId>,
}

/// What came of following a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Followed {
    /// The program can, with these values.
    Real(Values),
    /// It cannot, for these reasons.
    Spurious(Contradiction),
    /// It can for some functions of which nothing is known.
    Functions,
    /// The solver gave up, or a value is too large.
    GaveUp,
}

/// Follows a path.
///
/// # Errors
/// If a limit is reached.
pub fn follow(system: &mut System, path: &OpenPath) -> Result<Followed, Stopped> {
    let pulled = Pulled::back(system, path, path.through)?;
    if let Some(at) = pulled.impossible {
        return explained(system, path, &pulled, at, None);
    }
    let mut all = system.initial_conditions().to_vec();
    all.extend(&pulled.levels[0]);
    let (terms, queries) = system.asking();
    let (reply, core) = queries.with_core(terms, Purpose::Path, &all)?;
    match reply {
        Reply::GaveUp => Ok(Followed::GaveUp),
        Reply::Sat if terms.mentions_functions(&all) => Ok(Followed::Functions),
        Reply::Sat => model(system, &pulled, &all),
        Reply::Unsat => explained(system, path, &pulled, 0, Some(&core)),
    }
}

/// What contradicts itself along a path that no run follows: first without looking at large constants. Conditions with many
/// cases are told as they are in the abstract states of the path: one case each.
fn explained(
    system: &mut System,
    path: &OpenPath,
    pulled: &Pulled,
    at: usize,
    core: Option<&[TermId]>,
) -> Result<Followed, Stopped> {
    let through = path.through || pulled.has_cases(system) || path.kept.iter().any(|kept| !kept.is_empty());
    let lifted = Pulled::back_with(system, path, through, Some(Lifting::default()))?;
    if lifted.lifting.as_ref().is_some_and(|lifting| !lifting.is_empty())
        && let Some(found) = contradicted(system, &lifted)?
    {
        return Ok(found);
    }
    if through == path.through {
        return spurious(system, pulled, at, core);
    }
    // Cases that the abstract states decide may be what the contradiction is about.
    let path = OpenPath { through: true, ..path.clone() };
    let pulled = Pulled::back(system, &path, true)?;
    Ok(contradicted(system, &pulled)?.unwrap_or(Followed::GaveUp))
}

/// What contradicts itself, if anything does.
fn contradicted(system: &mut System, pulled: &Pulled) -> Result<Option<Followed>, Stopped> {
    if let Some(at) = pulled.impossible {
        return spurious(system, pulled, at, None).map(Some);
    }
    let mut all = system.initial_conditions().to_vec();
    all.extend(&pulled.levels[0]);
    let (terms, queries) = system.asking();
    match queries.with_core(terms, Purpose::Path, &all)? {
        (Reply::Unsat, core) => spurious(system, pulled, 0, Some(&core)).map(Some),
        _ => Ok(None),
    }
}

/// The conditions of a path, as they read at every position. A condition keeps its place: what comes in on the way back is
/// added at the end.
struct Pulled {
    levels: Vec<Vec<TermId>>,
    /// By operation, and at the end for the goal.
    inputs: Vec<Vec<TermId>>,
    /// A position at which some condition is false by its form.
    impossible: Option<usize>,
    /// Symbols for large constants, if these are left open.
    lifting: Option<Lifting>,
}

impl Pulled {
    fn back(system: &mut System, path: &OpenPath, through: bool) -> Result<Self, Stopped> {
        Self::back_with(system, path, through, None)
    }

    fn back_with(
        system: &mut System,
        path: &OpenPath,
        through: bool,
        mut lifting: Option<Lifting>,
    ) -> Result<Self, Stopped> {
        let count = path.operations.len();
        let mut inputs: Vec<Vec<TermId>> = Vec::new();
        for &operation in path.operations.iter().chain(&path.goal_operation) {
            inputs.push(fresh_inputs(system, operation));
        }
        let mut here: Vec<TermId> = Vec::new();
        let mut goal = path.goal;
        if let Some(operation) = path.goal_operation {
            goal = with_inputs(system, operation, &inputs[count], goal);
        }
        let facts = |at: usize| path.known.get(at).filter(|_| through).map_or(&[][..], Vec::as_slice);
        add(system, &mut here, goal, lifting.as_mut());
        let kept = |at: usize| path.kept.get(at).filter(|_| through).map_or(&[][..], Vec::as_slice);
        locate(system, &mut here, &path.locations[count], kept(count));
        if path.through {
            here.extend(lifted(system, facts(count), lifting.as_mut()));
        }
        here.extend(system.kept_conditions(kept(count)));
        let mut levels = vec![here.clone()];
        let mut impossible = is_impossible(system, &here).then_some(count);
        for at in (0..count).rev() {
            if impossible.is_some() {
                break;
            }
            system.queries().check_budget()?;
            let operation = path.operations[at];
            let relation = system.operations()[operation].relation;
            let after = after(system, operation, facts(at), lifting.as_mut());
            let known = [lifted(system, facts(at), lifting.as_mut()), lifted(system, &[relation], lifting.as_mut())];
            for part in &mut here {
                let (terms, _) = system.asking();
                *part = terms.substitute(*part, &after);
                *part = system.under(&known[1], *part);
                *part = with_inputs(system, operation, &inputs[at], *part);
            }
            let relation = with_inputs(system, operation, &inputs[at], relation);
            add(system, &mut here, relation, lifting.as_mut());
            locate(system, &mut here, &path.locations[at], kept(at));
            if path.through {
                here.extend(&known[0]);
            }
            here.extend(system.kept_conditions(kept(at)));
            levels.push(here.clone());
            impossible = is_impossible(system, &here).then_some(at);
        }
        // Positions that were not reached hold nothing.
        while levels.len() <= count {
            levels.push(Vec::new());
        }
        levels.reverse();
        Ok(Self { levels, inputs, impossible, lifting })
    }

    /// Whether some condition distinguishes cases inside of numbers.
    fn has_cases(&self, system: &mut System) -> bool {
        let (terms, _) = system.asking();
        let all: Vec<TermId> = self.levels.iter().flatten().copied().collect();
        terms.reachable(&all).iter().any(|&id| matches!(terms.get(id), Term::Ite(..)))
    }

    /// What the conditions at these places say at a position.
    fn terms_at(&self, position: usize, chosen: &BTreeSet<usize>) -> Vec<TermId> {
        let level = &self.levels[position];
        chosen.iter().filter_map(|&place| level.get(place).copied()).collect()
    }
}

/// Adds the parts of a condition.
fn add(system: &mut System, parts: &mut Vec<TermId>, condition: TermId, lifting: Option<&mut Lifting>) {
    let condition = lifted(system, &[condition], lifting)[0];
    let (terms, _) = system.asking();
    parts.extend(conjuncts(terms, condition));
}

fn lifted(system: &mut System, all: &[TermId], lifting: Option<&mut Lifting>) -> Vec<TermId> {
    let Some(lifting) = lifting else { return all.to_vec() };
    let (terms, _) = system.asking();
    all.iter().map(|&term| lifting.lift(terms, term)).collect()
}

/// The values after an operation, as far as what is known where it is taken does not decide their cases.
fn after(
    system: &mut System,
    operation: OperationId,
    facts: &[TermId],
    mut lifting: Option<&mut Lifting>,
) -> HashMap<TermId, TermId> {
    let relation = system.operations()[operation].relation;
    let mut known = facts.to_vec();
    known.push(relation);
    let mut after: Vec<(TermId, TermId)> =
        system.operations()[operation].after.iter().map(|(&symbol, &value)| (symbol, value)).collect();
    after.sort_unstable();
    for (_, value) in &mut after {
        *value = system.under(&known, *value);
        *value = lifted(system, &[*value], lifting.as_deref_mut())[0];
    }
    after.into_iter().collect()
}

fn locate(system: &mut System, parts: &mut [TermId], locations: &[LocationId], kept: &[i128]) {
    let map = system.located(locations, kept);
    let (terms, _) = system.asking();
    for part in parts {
        *part = terms.substitute(*part, &map);
    }
}

fn is_impossible(system: &mut System, parts: &[TermId]) -> bool {
    let (terms, _) = system.asking();
    parts.iter().any(|&part| terms.as_bool(part) == Some(false))
}

/// Symbols of their own for the inputs of one step.
fn fresh_inputs(system: &mut System, operation: OperationId) -> Vec<TermId> {
    let choices = system.operations()[operation].inputs.clone();
    let (terms, _) = system.asking();
    choices.iter().map(|choice| terms.fresh("?along", terms.sort(choice.symbol), (None, None))).collect()
}

fn with_inputs(system: &mut System, operation: OperationId, inputs: &[TermId], term: TermId) -> TermId {
    let symbols: Vec<TermId> = system.operations()[operation].inputs.iter().map(|choice| choice.symbol).collect();
    let map: HashMap<TermId, TermId> = symbols.into_iter().zip(inputs.iter().copied()).collect();
    let (terms, _) = system.asking();
    terms.substitute(term, &map)
}

/// The values of a model.
fn model(system: &mut System, pulled: &Pulled, all: &[TermId]) -> Result<Followed, Stopped> {
    let cells = system.cell_terms();
    let mut wanted: Vec<TermId> = cells.iter().flatten().copied().collect();
    wanted.extend(pulled.inputs.iter().flatten());
    let (terms, queries) = system.asking();
    let (reply, values) = queries.model(terms, Purpose::Path, all, &wanted)?;
    let (Reply::Sat, Some(values)) = (reply, values) else { return Ok(Followed::GaveUp) };
    let numbers: Option<Vec<i64>> = values.iter().map(number).collect();
    let Some(numbers) = numbers else { return Ok(Followed::GaveUp) };
    let mut numbers = numbers.into_iter();
    let mut take = |rows: &[Vec<TermId>]| -> Vec<Vec<i64>> {
        rows.iter().map(|row| numbers.by_ref().take(row.len()).collect()).collect()
    };
    let cells = take(&cells);
    let inputs = take(&pulled.inputs);
    Ok(Followed::Real(Values { cells, inputs }))
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Int(value) => i64::try_from(*value).ok(),
        Value::Array(..) => None,
    }
}

/// The conditions that contradict each other, at the positions where they matter. At position `at` they do: by
/// themselves, or, with a core, together with the initial values.
fn spurious(system: &mut System, pulled: &Pulled, at: usize, core: Option<&[TermId]>) -> Result<Followed, Stopped> {
    // The later they contradict each other, the fewer positions matter.
    let last_alone = match core {
        Some(_) => contradiction(system, pulled, at)?,
        None => None,
    };
    let (terms, _) = system.asking();
    let (low, matters): (usize, Vec<TermId>) = match (&last_alone, core) {
        (Some((position, core)), _) => (*position, core.clone()),
        (None, Some(core)) => (at, core.to_vec()),
        (None, None) => (at, vec![terms.bool(false)]),
    };
    let begin = if last_alone.is_some() || core.is_none() { low + 1 } else { low };
    let level = &pulled.levels[low];
    let chosen: BTreeSet<usize> = (0..level.len()).filter(|&place| matters.contains(&level[place])).collect();
    let last = pulled.levels.len() - 1;
    let mut conditions = vec![Vec::new(); begin];
    conditions.extend((begin..=last).map(|position| pulled.terms_at(position, &chosen)));
    let constants = pulled.lifting.as_ref().map(|lifting| lifting.constants(terms)).unwrap_or_default();
    Ok(Followed::Spurious(Contradiction { conditions, constants }))
}

/// The last position at which the conditions contradict each other without the initial values, if there is one, and
/// those that do.
fn contradiction(system: &mut System, pulled: &Pulled, at: usize) -> Result<Option<(usize, Vec<TermId>)>, Stopped> {
    let ask = |system: &mut System, position: usize| {
        let (terms, queries) = system.asking();
        queries.with_core(terms, Purpose::Path, &pulled.levels[position])
    };
    let (reply, core) = ask(system, at)?;
    if reply != Reply::Unsat {
        return Ok(None);
    }
    let (mut low, mut high, mut found) = (at, pulled.levels.len(), core);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        let (reply, core) = ask(system, middle)?;
        if reply == Reply::Unsat {
            (low, found) = (middle, core);
        } else {
            high = middle;
        }
    }
    Ok(Some((low, found)))
}
