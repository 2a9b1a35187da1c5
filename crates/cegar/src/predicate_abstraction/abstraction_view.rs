//! The abstraction that a property was decided on, for people who look at it.
//!
//! The program is abstracted again over given predicates, and the property is asked of the structure: the values of its parts
//! at all abstract states, the path or the open question, and program states that tell apart what the abstraction does not.
//! No answer rests on it.

use crate::limits;
use tertium_abstraction::samples::Sample;
use tertium_abstraction::{AbstractState, Explored, System};
use tertium_base::{Budget, Stopped};
use tertium_evidence::Reason as Open;
use tertium_model::{Kmts, Model};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{ExprId, LocationId, Semantics};

use super::concretise::{Follow, with_values};
use super::{AbstractionOptions, Prepared, failed, prepare, shape};
use tertium_load::Loaded;
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_structures::answer::Answer;
use tertium_structures::check::{CheckOptions, Session};
use tertium_structures::picture::{self, Valued};
use tertium_trace::wording::indices;

/// Names of variables with their values.
pub type Named = Vec<(String, String)>;

/// An abstraction with what the property makes of it.
#[derive(Debug)]
pub struct AbstractionView {
    /// The structure; states have names of people's words.
    pub structure: Kmts,
    /// For each state its name in full: places, values, and what the predicates say.
    pub names: Vec<String>,
    /// The predicates.
    pub predicates: Vec<String>,
    /// The values of the property and its parts.
    pub values: Vec<Valued>,
    /// What an engine says of it.
    pub answer: Answer,
    /// Program states for some of the abstract ones.
    pub samples: Vec<(usize, Named)>,
    /// What is open first, in words, with a program state for each side.
    pub sides: Vec<SampleState>,
    /// The abstract state that stands for both sides, by its name in full.
    pub undecided: Option<String>,
    /// Conditions that would tell the sides apart.
    pub missing: Vec<String>,
}

/// A program state on one side of what is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleState {
    /// What it does, in words.
    pub title: String,
    /// Whether it does what is open, or does not.
    pub does: bool,
    /// Its values.
    pub values: Named,
}

/// Abstracts the program over the predicates in its file and on the command line and asks the property. `None` if the
/// abstraction is too large to look at.
///
/// # Errors
/// If the program cannot be abstracted, or a limit is reached.
pub fn picture(
    file: &ProgramFile,
    asked: &PropertyQuery,
    options: &crate::options::CheckOptions,
    abstraction: &AbstractionOptions,
    budget: &Budget,
) -> Result<Option<AbstractionView>, Failure> {
    let most = abstraction
        .max_states
        .unwrap_or(limits::ABSTRACTION_VIEW_MOST_STATES)
        .min(limits::ABSTRACTION_VIEW_MOST_STATES);
    let small = AbstractionOptions { max_states: Some(most), ..abstraction.clone() };
    let mut prepared = prepare(file, &asked.atoms, &small, budget)?;
    pictured(file, &mut prepared, asked, options, budget)
}

/// The same for a program that is ready to be abstracted.
pub(crate) fn pictured(
    file: &ProgramFile,
    prepared: &mut Prepared,
    asked: &PropertyQuery,
    options: &crate::options::CheckOptions,
    budget: &Budget,
) -> Result<Option<AbstractionView>, Failure> {
    let explored = match Explored::visit(&mut prepared.system, budget, &mut |_, _| {}) {
        Err(tertium_abstraction::Failed::Stopped(Stopped(tertium_base::StopReason::Count))) => return Ok(None),
        explored => explored.map_err(|why| failed(file, prepared.system.program(), why))?,
    };
    let atoms = prepared.atoms(asked);
    let system = &mut prepared.system;
    let shape = shape(system.program(), asked.formula.logic(), options);
    let structure = explored.structure(system, &atoms, &shape, budget);
    let structure = structure.map_err(|why| failed(file, system.program(), why))?;
    let loaded = Loaded::of_model("", Model::Kmts(structure.clone()));
    let check = CheckOptions {
        deadlock: options.deadlock,
        linear: options.linear,
        engine: options.engine,
        parameters: true,
        ..CheckOptions::default()
    };
    let parsed = asked.on_structure()?;
    let answer = Session::new(&loaded, check.clone(), budget)?.check(&parsed, budget, &())?;
    let values = picture::values(&structure, &parsed, &check, budget)?;
    let sides = sides(system, &explored, &structure, &atoms, &answer)?;
    let missing = missing(system, &explored, &answer, &atoms)?;
    let samples = samples(system, &explored, &answer)?;
    let shown = |predicate: &tertium_abstraction::Predicate| system.program().show(predicate.expr);
    let predicates = system.predicates().iter().map(shown).collect();
    let names = (0..structure.state_count()).map(|at| full_name(system, explored.states.get(at))).collect();
    let open = answer.open().and_then(|(open, _)| open.reasons.first()).map(|reason| match reason {
        Open::Label { state, .. } => *state,
        Open::Edge { from, .. } | Open::Hyper { from, .. } => *from,
    });
    let undecided =
        open.and_then(|state| explored.states.get(state.index())).map(|state| full_name(system, Some(state)));
    Ok(Some(AbstractionView { structure, names, predicates, values, answer, samples, sides, undecided, missing }))
}

/// `P1@wait P2@crit  y1 = 0, !(y1 <= y2)`.
fn full_name(system: &System, state: Option<&AbstractState>) -> String {
    let Some(state) = state else { return "the run has ended".to_owned() };
    let program = system.program();
    let place = |(process, &at): (tertium_program::ProcessId, &LocationId)| {
        let name = program.location_name(process, at);
        format!("{}@{name}", program.process(process).name)
    };
    let mut parts = vec![program.process_ids().zip(&state.locations).map(place).collect::<Vec<_>>().join(" ")];
    let kept = |(kept, &value): (&tertium_abstraction::system::Kept, &i128)| {
        let variable = program.variable(kept.var);
        let shown =
            i64::try_from(value).map_or_else(|_| value.to_string(), |value| program.show_value(variable.ty, value));
        format!("{}{}={shown}", program.show_variable(kept.var), indices(&variable.dimensions, kept.cell))
    };
    parts.extend(system.kept().iter().zip(&state.kept).map(kept));
    let literal = |(predicate, value): (&tertium_abstraction::Predicate, &tertium_lattice::Kleene)| match value {
        tertium_lattice::Kleene::True => Some(predicate.name.clone()),
        tertium_lattice::Kleene::False => Some(format!("!({})", predicate.name)),
        tertium_lattice::Kleene::Unknown => None,
    };
    let literals: Vec<String> = system.predicates().iter().zip(&state.cube).filter_map(literal).collect();
    if !literals.is_empty() {
        parts.push(literals.join(", "));
    }
    parts.join("  ")
}

fn told(system: &System, sample: Sample) -> Named {
    let program = system.program();
    let mut values = Vec::new();
    for (var, cells) in sample {
        let variable = program.variable(var);
        for (cell, value) in cells.into_iter().enumerate() {
            let name = format!("{}{}", program.show_variable(var), indices(&variable.dimensions, cell));
            values.push((name, program.show_value(variable.ty, value)));
        }
    }
    values
}

/// Two program states that the abstraction does not tell apart although the question depends on it.
fn sides(
    system: &mut System,
    explored: &Explored,
    structure: &Kmts,
    atoms: &[(String, ExprId)],
    answer: &Answer,
) -> Result<Vec<SampleState>, Failure> {
    let Some(reason) = answer.open().and_then(|(open, _)| open.reasons.first()) else { return Ok(Vec::new()) };
    let state = |state: &tertium_model::StateId| explored.states.get(state.index());
    let step = |to: &tertium_model::StateId| format!("takes the step to `{}`", structure.state_name(*to));
    let (from, found, [one, other]) = match reason {
        Open::Label { state: at, prop } => {
            let (Some(at), Some((name, expr))) = (state(at), atoms.get(prop.index())) else { return Ok(Vec::new()) };
            let found = system.label_samples(at, *expr).map_err(lost)?;
            let [holds, fails] = [true, false].map(|value| Side::Value(*expr, value));
            (at, found, [(format!("`{name}` holds"), holds), (format!("`{name}` does not hold"), fails)])
        }
        Open::Edge { from, to, .. } => {
            let (Some(start), Some(end)) = (state(from), state(to)) else { return Ok(Vec::new()) };
            let found = system.step_samples(start, end).map_err(lost)?;
            let cannot = format!("cannot take the step to `{}`", structure.state_name(*to));
            (start, found, [(step(to), Side::Step(end, true)), (cannot, Side::Step(end, false))])
        }
        Open::Hyper { from, members, .. } => {
            let (Some(start), [first, second, ..]) = (state(from), members.as_slice()) else { return Ok(Vec::new()) };
            let [Some(one), Some(other)] = [state(first), state(second)] else { return Ok(Vec::new()) };
            let [takes, _] = system.step_samples(start, one).map_err(lost)?;
            let [takes_other, _] = system.step_samples(start, other).map_err(lost)?;
            let sides = [(step(first), Side::Step(one, true)), (step(second), Side::Step(other, true))];
            (start, [takes, takes_other], sides)
        }
    };
    let mut sides = Vec::new();
    for ((sample, (title, side)), does) in found.into_iter().zip([one, other]).zip([true, false]) {
        let real = sample.filter(|sample| side.is_real(system, from, sample));
        sides.extend(real.map(|sample| SampleState { title, does, values: told(system, sample) }));
    }
    Ok(sides)
}

/// What a program state does that an abstract one leaves open.
enum Side<'a> {
    /// An expression has this value.
    Value(ExprId, bool),
    /// Whether it steps into this abstract state.
    Step(&'a AbstractState, bool),
}

impl Side<'_> {
    /// Whether values that a solver picked are a program state of the abstract one that does so, by the definitions of expressions and steps.
    fn is_real(&self, system: &System, from: &AbstractState, sample: &Sample) -> bool {
        let program = system.program();
        let semantics = Semantics::new(program);
        let cells: Vec<Vec<i64>> = sample.iter().map(|(_, cells)| cells.clone()).collect();
        let Some(mut state) = with_values(&semantics, &cells) else { return false };
        for (instance, frame) in program.instances.iter().zip(semantics.layout().frames(&state.slots)) {
            state.slots[frame + FRAME_LOCATION] = i64::from(from.locations[instance.process.index()].number());
        }
        let follow = Follow { semantics: &semantics, system };
        follow.belongs(&state, from)
            && match *self {
                Self::Value(expr, value) => {
                    semantics.observe(expr, &state).is_ok_and(|observed| (observed != 0) == value)
                }
                Self::Step(to, takes) => follow.step(&state, to).is_some() == takes,
            }
    }
}

fn lost(why: tertium_abstraction::Failed) -> Failure {
    match why {
        tertium_abstraction::Failed::Stopped(stopped) => Failure::Stopped(stopped),
        tertium_abstraction::Failed::Unsupported(_) => Failure::Internal("an atom has lost its term".to_owned()),
    }
}

/// Conditions that would decide what is open first.
fn missing(
    system: &mut System,
    explored: &Explored,
    answer: &Answer,
    atoms: &[(String, ExprId)],
) -> Result<Vec<String>, Failure> {
    let Some(reason) = answer.open().and_then(|(open, _)| open.reasons.first()) else { return Ok(Vec::new()) };
    let (from, targets) = match reason {
        Open::Label { prop, .. } => {
            return Ok(atoms.get(prop.index()).map(|(name, _)| name.clone()).into_iter().collect());
        }
        Open::Edge { from, to, .. } => (from, vec![*to]),
        Open::Hyper { from, members, .. } => (from, members.clone()),
    };
    let mut found: Vec<String> = Vec::new();
    for to in targets {
        let (Some(start), Some(end)) = (explored.states.get(from.index()), explored.states.get(to.index())) else {
            continue;
        };
        for expr in system.missing(start, end).map_err(lost)? {
            let text = system.program().show(expr);
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found.truncate(4);
    Ok(found)
}

/// Program states for the abstract states of the path or the open question, then for the first ones.
fn samples(system: &mut System, explored: &Explored, answer: &Answer) -> Result<Vec<(usize, Named)>, Failure> {
    let mut wanted: Vec<usize> = Vec::new();
    wanted.extend(answer.run().into_iter().flat_map(|run| &run.states).map(|state| state.index()));
    wanted.extend(answer.open().into_iter().flat_map(|(open, _)| &open.play).map(|step| step.state.index()));
    wanted.extend(0..explored.states.len());
    let mut found: Vec<(usize, Named)> = Vec::new();
    for number in wanted {
        if found.len() == limits::ABSTRACTION_VIEW_MOST_SAMPLED {
            break;
        }
        let known = found.iter().any(|(at, _)| *at == number);
        if let (Some(state), false) = (explored.states.get(number), known)
            && let Some(sample) = system.sample(state)?
        {
            found.push((number, told(system, sample)));
        }
    }
    Ok(found)
}
