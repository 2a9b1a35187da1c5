//! What of an abstraction goes into a certificate?
//!
//! Predicates, kept cells and bounds become SMT-LIB text over the cells that the independent checker names, and abstract states
//! lists of locations and truth values. Whatever cannot be said that way has no certificate, and the reason is told.

use crate::limits;
use std::collections::BTreeMap;
use std::sync::Arc;

use tertium_abstraction::{AbstractState, Explored, System};
use tertium_base::narrow::to_u32;
use tertium_evidence::abstraction::{self as proof, Abstraction, Later, Structure};
use tertium_instantiate::Instantiated;
use tertium_kernel::vocabulary::{NoTerm, Vocabulary};
use tertium_lattice::{Belnap, Kleene};
use tertium_logic::is_ability;
use tertium_model::{Kmts, PropId, StateId};
use tertium_program::{Instance, LocationId, ProcessId, Program, VarId};
use tertium_smt::Bounds;

use super::infix::infix;

/// What the answer to a question rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Basis {
    /// These abstract states contain everything that can be reached, and none of them is bad.
    States(Abstraction),
    /// This structure over abstract states is an abstraction of the program.
    Structure(Abstraction, Box<Structure>),
    /// Programs in which members of families are counted, the first of which is about the question.
    Counted(Counted),
    /// Nothing that can be written down, for this reason.
    Untold(String),
}

/// What an answer rests on that was found by counting members of families.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// The constant that the text leaves open; none if every family has the size that the text says.
    pub constant: Option<String>,
    /// What was shown: the question, and whatever else it takes to hold.
    pub shown: Vec<CountedProof>,
}

/// Something that was shown of a program in which members are counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedProof {
    /// The name of the question.
    pub name: String,
    /// The names of properties that counted members were taken to keep to.
    pub lemmas: Vec<String>,
    /// What the answer about that program rests on.
    pub basis: Option<Arc<Basis>>,
}

impl Basis {
    /// The abstract states, for people: the predicates, and what holds at which places. Nothing if there are more than `most`.
    #[must_use]
    pub fn told(&self, program: &Program, most: usize) -> (Vec<String>, Vec<(String, String)>) {
        let (Self::States(over) | Self::Structure(over, _)) = self else { return (Vec::new(), Vec::new()) };
        // A set that is put together from shared parts is nothing to read.
        if !over.shared.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let one = |state: &proof::AbstractState| (places(program, over, state), literals(over, state));
        let states = if over.states.len() > most { Vec::new() } else { over.states.iter().map(one).collect() };
        (over.predicates.iter().map(|predicate| infix(predicate)).collect(), states)
    }
}

/// A step of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PictureEdge {
    /// From which state.
    pub from: usize,
    /// To which state.
    pub to: usize,
    /// Whether it is possible.
    pub may: bool,
    /// Whether it is certain.
    pub must: bool,
}

/// A structure over abstract states, as far as a picture needs it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picture {
    /// What each state says.
    pub states: Vec<String>,
    /// Where it begins.
    pub initial: Vec<usize>,
    /// Steps between single states.
    pub edges: Vec<PictureEdge>,
    /// From, and several states into one of which a step is certain.
    pub hyper: Vec<(usize, Vec<usize>)>,
}

impl Basis {
    /// The structure as a picture; nothing if the answer rests on none, or on one with more than `most` states.
    #[must_use]
    pub fn picture(&self, program: &Program, most: usize) -> Option<Picture> {
        let Self::Structure(over, structure) = self else { return None };
        if over.states.len() > most {
            return None;
        }
        let mut edges: BTreeMap<(usize, usize), (bool, bool)> = BTreeMap::new();
        for (from, _, targets) in &structure.steps {
            targets.iter().for_each(|&to| edges.entry((*from as usize, to as usize)).or_default().0 = true);
        }
        let mut hyper = Vec::new();
        for (from, _, members) in &structure.certain {
            match members.as_slice() {
                [to] => edges.entry((*from as usize, *to as usize)).or_default().1 = true,
                _ => hyper.push((*from as usize, members.iter().map(|&to| to as usize).collect())),
            }
        }
        let one = |state: &proof::AbstractState| format!("{}: {}", places(program, over, state), literals(over, state));
        Some(Picture {
            states: over.states.iter().map(one).collect(),
            initial: structure.initial.iter().map(|&at| at as usize).collect(),
            edges: edges.into_iter().map(|((from, to), (may, must))| PictureEdge { from, to, may, must }).collect(),
            hyper,
        })
    }
}

/// `P1@wait P2@crit`; processes that may be anywhere are left out, and those that are not started.
fn places(program: &Program, over: &Abstraction, state: &proof::AbstractState) -> String {
    let place = |(instance, at): (&tertium_program::Instance, &Option<u32>)| {
        let (process, at) = (instance.process, (*at)? as usize);
        let ended = at >= program.process(process).locations.len();
        let name = if ended { "(ended)".to_owned() } else { program.location_name(process, LocationId::new(at)) };
        Some(format!("{}@{name}", program.process(process).name))
    };
    let mut places: Vec<String> = program.instances.iter().zip(&state.at).filter_map(place).collect();
    for (later, at) in over.later.iter().zip(state.at.iter().skip(program.instances.len())) {
        let process = program.process_ids().find(|&process| program.process(process).name == later.process);
        if let (Some(process), Some(at)) = (process, at)
            && (*at as usize) < program.process(process).locations.len()
        {
            let name = program.location_name(process, LocationId::new(*at as usize));
            places.push(format!("{}({})@{name}", later.process, later.pid));
        }
    }
    if places.is_empty() { "anywhere".to_owned() } else { places.join(" ") }
}

/// What a state says about cells and predicates.
fn literals(over: &Abstraction, state: &proof::AbstractState) -> String {
    let cells = over.cells.iter().zip(&state.values).map(|(cell, value)| format!("{} = {value}", infix(cell)));
    let literal = |(predicate, value): (&String, &Option<bool>)| match value {
        Some(true) => Some(infix(predicate)),
        Some(false) => Some(infix(&format!("(not {predicate})"))),
        None => None,
    };
    let all: Vec<String> = cells.chain(over.predicates.iter().zip(&state.cube).filter_map(literal)).collect();
    if all.is_empty() { "true".to_owned() } else { all.join(", ") }
}

/// The structure over all abstract states that were visited; `drawn` is the same with its labels.
#[must_use]
pub(crate) fn structure(
    system: &System,
    explored: &Explored,
    drawn: &Kmts,
    later: &Result<Vec<Later>, NoTerm>,
) -> Basis {
    let over = match told(system, &explored.states, later) {
        Ok(over) => over,
        Err(NoTerm(why)) => return Basis::Untold(why),
    };
    let mut found = Structure { initial: initial(explored), ..Structure::default() };
    let pids = pids(system.program());
    let number = |state: &AbstractState| explored.find(state).map(|number| to_u32(number));
    for (at, expansion) in explored.expansions.iter().enumerate() {
        let from = to_u32(at);
        found.labels.push(labels(drawn, at));
        if expansion.untold {
            found.untold.push(from);
            continue;
        }
        let mut possible: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for step in &expansion.steps {
            let (Some(to), Some(&by)) = (number(&step.target), pids.get(&step.process)) else { continue };
            if step.may {
                possible.entry(by).or_default().push(to);
            }
            if step.must {
                found.certain.push((from, Some(by), vec![to]));
            }
        }
        found.steps.extend(possible.into_iter().map(|(by, to)| (from, by, to)));
        for (set, by) in &expansion.hyper {
            let members: Vec<u32> = set.iter().filter_map(number).collect();
            let by = by.as_ref().map(|by| pids.get(by).copied());
            if members.len() == set.len() && by != Some(None) {
                found.certain.push((from, by.flatten(), members));
            }
        }
        let able = pids.iter().filter(|(process, _)| !expansion.may_rest[process.index()]).map(|(_, &pid)| pid);
        found.able.push((from, able.collect()));
        if expansion.may_stop {
            found.stops.push(from);
        }
    }
    Basis::Structure(over, Box::new(found))
}

fn initial(explored: &Explored) -> Vec<u32> {
    explored.initial.iter().map(|&(number, _)| to_u32(number)).collect()
}

/// What a drawn state is labelled with.
pub(crate) fn labels(drawn: &Kmts, at: usize) -> Vec<Option<bool>> {
    let value = |prop: usize| match drawn.label(StateId::new(at), PropId::new(prop)) {
        Belnap::True => Some(true),
        Belnap::False => Some(false),
        Belnap::Unknown | Belnap::Both => None,
    };
    // What says who is able to step is no label of the program's.
    let atoms = drawn.props().iter().take_while(|name| !is_ability(name)).count();
    (0..atoms).map(value).collect()
}

/// The pid of each process.
pub(crate) fn pids(program: &Program) -> BTreeMap<ProcessId, u32> {
    program.instances.iter().enumerate().map(|(pid, instance)| (instance.process, to_u32(pid))).collect()
}

/// Abstract states that contain everything that can be reached.
#[must_use]
pub(crate) fn states(system: &System, states: &[AbstractState], later: &Result<Vec<Later>, NoTerm>) -> Basis {
    match told(system, states, later) {
        Ok(told) => Basis::States(told),
        Err(NoTerm(why)) => Basis::Untold(why),
    }
}

/// All states of which what is always known holds, wherever processes are.
#[must_use]
pub(crate) fn invariants(system: &System, later: &Result<Vec<Later>, NoTerm>) -> Basis {
    let told = || {
        let mut told = over(system)?;
        told.later = later.clone()?;
        told.predicates.clear();
        told.cells.clear();
        let program = system.program();
        let mut words = Vocabulary::new(program)?;
        for (pid, instance) in program.instances.iter().enumerate() {
            let last = program.process(instance.process).locations.len().saturating_sub(1);
            let name = words.location(pid);
            told.always.extend(words.named_within(&name, (Some(0), Some(last as i128)))?);
        }
        let at = vec![None; program.instances.len()];
        told.states = vec![proof::AbstractState { at, values: Vec::new(), cube: Vec::new() }];
        Ok(told)
    };
    match told() {
        Ok(told) => Basis::States(told),
        Err(NoTerm(why)) => Basis::Untold(why),
    }
}

fn told(system: &System, states: &[AbstractState], later: &Result<Vec<Later>, NoTerm>) -> Result<Abstraction, NoTerm> {
    let mut told = over(system)?;
    told.later = later.clone()?;
    let program = system.program();
    told.states = states.iter().map(|state| state_of(program, state)).collect();
    Ok(told)
}

/// The processes that may be started later, as the independent checker names them.
pub fn later(program: &Program, separated: &Instantiated) -> Result<Vec<Later>, NoTerm> {
    let copies = separated.later();
    let copies = copies.ok_or_else(|| NoTerm("a process that runs from the start may be started again".to_owned()))?;
    let named = |(pid, process, given): (usize, ProcessId, Vec<(VarId, i64)>)| Later {
        pid: to_u32(pid),
        process: program.process(process).name.clone(),
        given: given.into_iter().map(|(parameter, value)| (program.variable(parameter).name.clone(), value)).collect(),
    };
    Ok(copies.into_iter().map(named).collect())
}

/// The predicates, cells and bounds.
pub(crate) fn over(system: &System) -> Result<Abstraction, NoTerm> {
    let mut words = Vocabulary::new(system.program())?;
    let mut told = Abstraction::default();
    for predicate in system.predicates() {
        told.predicates.push(words.holds(predicate.expr)?);
    }
    for kept in system.kept() {
        told.cells.push(words.cell(kept.var, kept.cell).ok_or_else(|| no_cell(system.program(), kept.var))?);
    }
    let left_out = &system.program().left_out;
    for (var, bounds) in system.invariants() {
        // A slice knows nothing about the values of what it leaves out.
        if !left_out.contains(&var) {
            told.always.extend(bounded(&mut words, var, bounds));
        }
    }
    told.always.extend(constants(&mut words, system));
    told.always.extend(location_invariants(&mut words, system)?);
    Ok(told)
}

/// What variables hold at places, where that tells how often a loop in a block goes round.
fn constants(words: &mut Vocabulary<'_>, system: &System) -> Vec<String> {
    let pids = pids(system.program());
    let mut told = Vec::new();
    for (process, at, values) in system.constants() {
        let Some(&pid) = pids.get(&process) else { continue };
        let here = (pid as usize, at.index());
        let kept = values.iter().filter(|(var, _)| !system.program().left_out.contains(var));
        told.extend(kept.filter_map(|(&var, &value)| words.constant_at(here, var, value)));
    }
    told
}

/// What holds wherever processes are at locations. Each of these may rest on the others, so all are told.
fn location_invariants(words: &mut Vocabulary<'_>, system: &System) -> Result<Vec<String>, NoTerm> {
    let pids = pids(system.program());
    let mut told = Vec::new();
    for one in system.location_invariants() {
        let Some(&pid) = pids.get(&one.process) else { continue };
        told.extend(words.holds_at((pid as usize, one.location.index()), one.condition)?);
    }
    Ok(told)
}

/// That processes which run from the start to the end of time do: where they may be anywhere, a checker would take them for ended otherwise.
pub(crate) fn nobody_has_ended(system: &System) -> Result<Vec<String>, NoTerm> {
    let program = system.program();
    if !program.is_static() {
        return Ok(Vec::new());
    }
    let mut words = Vocabulary::new(program)?;
    let mut told = Vec::new();
    for (pid, instance) in program.instances.iter().enumerate() {
        let ended = program.process(instance.process).locations.len();
        told.extend(words.holds_at((pid, ended), None)?);
    }
    Ok(told)
}

fn no_cell(program: &Program, var: VarId) -> NoTerm {
    NoTerm(format!("`{}` has no cell of its own", program.show_variable(var)))
}

fn bounded(words: &mut Vocabulary<'_>, var: VarId, bounds: Bounds) -> Vec<String> {
    let cells = words.program().variable(var).cells();
    let told = if cells > limits::BASIS_MOST_CELLS { 0 } else { cells };
    (0..told).filter_map(|cell| words.bounded(var, cell, bounds)).collect()
}

fn state_of(program: &Program, state: &AbstractState) -> proof::AbstractState {
    let place = |instance: &Instance| state.locations.get(instance.process.index()).map(|at| at.number());
    let at = program.instances.iter().map(place).collect();
    let values = state.kept.iter().map(|&value| i64::try_from(value).unwrap_or(i64::MAX)).collect();
    proof::AbstractState { at, values, cube: state.cube.iter().map(|&value| definite(value)).collect() }
}

pub(crate) const fn definite(value: Kleene) -> Option<bool> {
    match value {
        Kleene::True => Some(true),
        Kleene::False => Some(false),
        Kleene::Unknown => None,
    }
}
