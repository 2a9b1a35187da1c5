//! All states that a spotlight leads to, with labels that depend on parameters.
//!
//! What follows is worked out for each assignment of the parameters that occur in a state, and put together: a step has
//! one target, whose labels are functions of the parameters again. A label that is unknown under one assignment is unknown.
//! No label is ever changed in a state that is already there, so states with different labels are different states.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use tertium_base::Budget;
use tertium_lattice::Kleene;
use tertium_program::search::{Limits, nearest_first};
use tertium_program::{LocationId, ProcessId, Successors};
use tertium_smt::{Purpose, Reply, TermId};

use super::label::{Label, projected};
use super::plain::{Lit, Plain, ShadeModel};
use super::{MOST_PARAMETERS, Parameter, SpotState, Spotlight};
use crate::expand::Failed;
use crate::system::{OperationId, System};

/// Who takes a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mover {
    /// A process of the spotlight, by this operation.
    Spot(OperationId),
    /// A process of the shade, by whatever it can do.
    Shade(ProcessId),
}

/// A step between states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpotStep {
    /// Who takes it.
    pub mover: Mover,
    /// Where it leads.
    pub target: usize,
    /// The assignments under which some program state can take it.
    pub may: u64,
    /// The assignments under which every program state can.
    pub must: u64,
    /// The parameters, as bits, that get a new meaning by entering the target.
    pub introduces: u8,
}

/// Everything that can be reached.
#[derive(Debug)]
pub struct SpotExplored {
    /// The spotlight.
    pub spotlight: Spotlight,
    /// The states; the first one is initial and stands for all initial states of the program.
    pub states: Vec<SpotState>,
    /// The states as they were entered first, before parameters took the place of unknown labels.
    pub entered: Vec<SpotState>,
    /// What follows from each.
    pub steps: Vec<Vec<SpotStep>>,
    /// For each state but the first, from where and by which step it was found.
    pub parents: Vec<Option<(usize, usize)>>,
    /// Whether the program surely has an initial state.
    pub certain: bool,
    pub(crate) lit: Lit,
}

/// What follows in a spotlight, kept as it is found.
struct Lighted<'s> {
    system: &'s mut System,
    spotlight: &'s Spotlight,
    lit: Lit,
    /// The initial state as it is entered.
    first: Option<SpotState>,
    steps: Vec<Vec<SpotStep>>,
}

impl Successors for Lighted<'_> {
    type State = SpotState;
    /// The number of the step among those that leave the same state, and its target before parameters took the place of unknown
    /// labels.
    type Step = (usize, SpotState);
    type Failure = Failed;

    fn initial(&mut self) -> Result<Vec<SpotState>, Failed> {
        let raw = initial(self.system, self.spotlight)?;
        let (first, _) = self.spotlight.entered(&raw);
        self.first = Some(raw);
        Ok(vec![first])
    }

    fn after(
        &mut self,
        state: &SpotState,
        arrive: &mut dyn FnMut((usize, SpotState), SpotState) -> usize,
    ) -> Result<(), Failed> {
        let live = state.labels.iter().fold(0, |live, label| live | label.support());
        let mut views: Vec<(usize, Rc<Plain>)> = Vec::new();
        for assignment in 0..1 << MOST_PARAMETERS {
            if projected(assignment, live) == assignment {
                let cube = cube(state, assignment);
                views.push((assignment, self.lit.expand(self.system, &state.locations, &cube)?));
            }
        }
        let mut steps = Vec::new();
        for (mover, raw, may, must) in combined(self.system, self.spotlight, state, live, &views) {
            let (target, introduces) = self.spotlight.entered(&raw);
            let target = arrive((steps.len(), raw), target);
            steps.push(SpotStep { mover, target, may, must, introduces });
        }
        self.steps.push(steps);
        Ok(())
    }
}

impl Spotlight {
    /// A state that is entered, and the parameters that its entering introduces.
    fn entered(&self, raw: &SpotState) -> (SpotState, u8) {
        let mut state = raw.clone();
        let mut introduced = 0;
        for (at, parameter) in self.parameters.iter().enumerate() {
            if let Parameter::Site(key, predicate) = parameter
                && *key == *raw
            {
                state.labels[*predicate] = Label::parameter(at);
                introduced |= 1 << at;
            }
        }
        (state, introduced)
    }
}

impl System {
    /// More abstract states than this are not visited.
    #[must_use]
    pub const fn most_states(&self) -> usize {
        self.options.most_states
    }
}

impl SpotExplored {
    /// Visits all states.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn visit(
        system: &mut System,
        spotlight: &Spotlight,
        budget: &Budget,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, Failed> {
        let most = system.options.most_states;
        Self::visit_with(system, (spotlight, ShadeModel::Effects), Limits { most, budget }, progress)
    }

    /// Visits all states, with the shade followed as closely as the model says.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn visit_with(
        system: &mut System,
        (spotlight, shade): (&Spotlight, ShadeModel),
        limits: Limits<'_>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, Failed> {
        let lit = Lit::new(system, spotlight, shade);
        let certain = system.surely_starts()?;
        let mut lighted = Lighted { system, spotlight, lit, first: None, steps: Vec::new() };
        let reached = nearest_first(&mut lighted, limits, &mut |_, reached, number| {
            progress(number, reached.states.len());
            Ok(ControlFlow::Continue(()))
        })?;
        let Lighted { lit, first, steps, .. } = lighted;
        let parents = (0..reached.states.len()).map(|number| reached.before(number));
        let entered = parents.clone().map(|parent| parent.map(|(_, (_, raw))| raw.clone()).or(first.clone()));
        let entered = entered.collect::<Option<_>>().unwrap_or_default();
        let parents = parents.map(|parent| parent.map(|(earlier, &(step, _))| (earlier, step))).collect();
        let states = reached.states;
        Ok(Self { spotlight: spotlight.clone(), states, entered, steps, parents, certain, lit })
    }

    /// The predicates of a state under an assignment: true, false or unknown.
    #[must_use]
    pub fn cube(&self, number: usize, assignment: usize) -> Vec<Kleene> {
        cube(&self.states[number], assignment)
    }

    /// What follows from a state under an assignment, predicates true, false or unknown.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn plain(&mut self, system: &mut System, number: usize, assignment: usize) -> Result<Rc<Plain>, Failed> {
        let state = &self.states[number];
        let cube = cube(state, assignment);
        self.lit.expand(system, &state.locations.clone(), &cube)
    }

    /// Whether a run can enter the site of this parameter more than once. If no site can be met again, every run of the
    /// program belongs to one assignment of the parameters.
    #[must_use]
    pub fn is_met_again(&self, parameter: usize) -> bool {
        let introduces = |step: &SpotStep| step.introduces >> parameter & 1 != 0;
        let mut open: Vec<usize> =
            self.steps.iter().flatten().filter(|step| introduces(step)).map(|s| s.target).collect();
        if let Some(Parameter::Site(key, _)) = self.spotlight.parameters.get(parameter)
            && *key == self.entered[0]
        {
            open.push(0);
        }
        let mut seen = vec![false; self.states.len()];
        while let Some(number) = open.pop() {
            if std::mem::replace(&mut seen[number], true) {
                continue;
            }
            for step in &self.steps[number] {
                if introduces(step) {
                    return true;
                }
                open.push(step.target);
            }
        }
        false
    }

    /// How many assignments of the parameters there are.
    #[must_use]
    pub fn assignments(&self) -> usize {
        1 << self.spotlight.parameters.len()
    }
}

/// The predicates under an assignment.
pub(crate) fn cube(state: &SpotState, assignment: usize) -> Vec<Kleene> {
    state.labels.iter().map(|label| label.at(assignment)).collect()
}

/// The one state that stands for all initial states.
fn initial(system: &mut System, spotlight: &Spotlight) -> Result<SpotState, Failed> {
    let program = &system.program;
    let locations: Vec<LocationId> =
        spotlight.processes.iter().map(|&process| program.process(process).entry).collect();
    let mut entries = HashMap::new();
    for process in program.process_ids() {
        let entry = system.terms.int(program.process(process).entry.index() as i128);
        entries.insert(system.translator.counter(process), entry);
    }
    let parts = system.initial.clone();
    let mut labels = Vec::new();
    for at in 0..system.predicate_terms.len() {
        let term = system.terms.substitute(system.predicate_terms[at], &entries);
        labels.push(Label::of(initial_value(system, &parts, term)?));
    }
    for (at, parameter) in spotlight.parameters.iter().enumerate() {
        if let Parameter::Rigid(predicate) = *parameter
            && labels[predicate] == Label::Unknown
        {
            labels[predicate] = Label::parameter(at);
        }
    }
    Ok(SpotState { locations, labels })
}

fn initial_value(system: &mut System, parts: &[TermId], term: TermId) -> Result<Kleene, Failed> {
    let not = system.terms.not(term);
    for (excluded, value) in [(not, Kleene::True), (term, Kleene::False)] {
        let question = [parts, &[excluded]].concat();
        if system.queries.satisfiable(&mut system.terms, Purpose::Initial, &question)? == Reply::Unsat {
            return Ok(value);
        }
    }
    Ok(Kleene::Unknown)
}

type Combined = (Mover, SpotState, u64, u64);

/// The steps under all assignments, put together: mover, target as entered, possible and certain assignments.
fn combined(
    system: &System,
    spotlight: &Spotlight,
    state: &SpotState,
    live: u8,
    views: &[(usize, Rc<Plain>)],
) -> Vec<Combined> {
    let mut found = Vec::new();
    let mut operations: Vec<OperationId> =
        views.iter().flat_map(|(_, plain)| plain.steps.iter().map(|step| step.operation)).collect();
    operations.sort_unstable();
    operations.dedup();
    for operation in operations {
        let taken: Vec<_> = views
            .iter()
            .filter_map(|(at, plain)| Some((*at, plain.steps.iter().find(|step| step.operation == operation)?)))
            .collect();
        let (mut may, mut must) = (0u64, 0u64);
        for assignment in 0..1 << MOST_PARAMETERS {
            if let Some((_, step)) = taken.iter().find(|(at, _)| *at == projected(assignment, live)) {
                may |= 1 << assignment;
                must |= u64::from(step.must) << assignment;
            }
        }
        let labels = (0..state.labels.len())
            .map(|at| table(live, &taken.iter().map(|(view, step)| (*view, step.cube[at])).collect::<Vec<_>>()))
            .collect();
        let mut locations = state.locations.clone();
        let moved = &system.operations[operation];
        for (position, &process) in spotlight.processes.iter().enumerate() {
            if process == moved.process {
                locations[position] = moved.target;
            }
        }
        found.push((Mover::Spot(operation), SpotState { locations, labels }, may, must));
    }
    let shade = views.first().map_or(0, |(_, plain)| plain.shade.len());
    for at in 0..shade {
        found.extend(shade_step(state, live, views, at));
    }
    found
}

/// The step of one process of the shade.
fn shade_step(state: &SpotState, live: u8, views: &[(usize, Rc<Plain>)], at: usize) -> Option<Combined> {
    let process = views.first()?.1.shade[at].0;
    let able: Vec<(usize, &Vec<bool>)> =
        views.iter().filter_map(|(view, plain)| Some((*view, plain.shade[at].1.as_ref()?))).collect();
    let mut may = 0u64;
    for assignment in 0..1 << MOST_PARAMETERS {
        let possible = able.iter().any(|(view, _)| *view == projected(assignment, live));
        may |= u64::from(possible) << assignment;
    }
    if able.is_empty() {
        return None;
    }
    let mut target = state.clone();
    for (predicate, label) in target.labels.iter_mut().enumerate() {
        if able.iter().any(|(_, changed)| changed[predicate]) {
            *label = Label::Unknown;
        }
    }
    Some((Mover::Shade(process), target, may, 0))
}

/// A value per assignment as a label. Under assignments that are left out the step cannot be taken, so anything may stand
/// there: what makes the label simplest.
fn table(live: u8, values: &[(usize, Kleene)]) -> Label {
    if values.iter().any(|(_, value)| *value == Kleene::Unknown) {
        return Label::Unknown;
    }
    if values.iter().all(|(_, value)| *value == Kleene::True) {
        return Label::TRUE;
    }
    let mut table = 0u64;
    for assignment in 0..1 << MOST_PARAMETERS {
        let value = values.iter().find(|(view, _)| *view == projected(assignment, live));
        table |= u64::from(matches!(value, Some((_, Kleene::True)))) << assignment;
    }
    Label::Known(table)
}
