//! All abstract states that can be reached, and the structure they make.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use tertium_base::{Budget, StopReason, Stopped};
use tertium_lattice::{Belnap, Kleene};
use tertium_model::{ActionId, Kmts, KmtsBuilder, StateId};
use tertium_program::search::{Limits, Reached, nearest_first};
use tertium_program::{ExprId, LocationId, ProcessId, Successors};

use crate::expand::{AbstractStep, Expansion, Failed};
use crate::state::AbstractState;
use crate::system::System;

/// The reachable part of an abstraction.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// The states, initial ones first, then in the order they were met.
    pub states: Vec<AbstractState>,
    /// What follows from each.
    pub expansions: Vec<Expansion>,
    /// The initial states, and whether each surely stands for one of the program.
    pub initial: Vec<(usize, bool)>,
    numbers: HashMap<AbstractState, usize>,
}

/// What becomes part of a structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructureOptions {
    /// Processes that are treated fairly: a run on which one can step from some moment on, but never does, does not count.
    pub fair: Vec<ProcessId>,
    /// Processes of which a label of this name says where they are able to step.
    pub able: Vec<(ProcessId, String)>,
    /// Whether runs that end stay where they are for ever.
    pub stutter: bool,
    /// Whether steps are named by their statements, and not by their process.
    pub by_statement: bool,
}

/// How many edges of which kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeCounts {
    /// Possible and certain.
    pub both: usize,
    /// Possible only.
    pub may: usize,
    /// Certain only: into merged states.
    pub must: usize,
    /// Certain sets with two or more members.
    pub hyper: usize,
}

impl Explored {
    /// All states that can be reached by possible or certain steps.
    ///
    /// # Errors
    /// If a limit is reached, or the program cannot be abstracted.
    pub fn visit(system: &mut System, budget: &Budget, progress: &mut dyn FnMut(usize, usize)) -> Result<Self, Failed> {
        let limits = Limits { most: system.options.most_states, budget };
        let last_call = system.queries.calls().saturating_add(system.options.most_calls);
        let mut followed = Followed { system, initial: Vec::new(), expansions: Vec::new() };
        let reached = nearest_first(&mut followed, limits, &mut |followed, reached, number| {
            if followed.system.queries.calls() > last_call {
                return Err(Stopped(StopReason::Count).into());
            }
            progress(number, reached.states.len());
            Ok(ControlFlow::Continue(()))
        })?;
        let Followed { initial, expansions, .. } = followed;
        Ok(Self::of(reached, &initial, expansions))
    }

    fn of<T>(
        reached: Reached<AbstractState, T>,
        initial: &[(AbstractState, bool)],
        expansions: Vec<Expansion>,
    ) -> Self {
        let (states, numbers) = reached.into_numbered();
        let initial = initial.iter().map(|(state, certain)| (numbers[state], *certain)).collect();
        Self { states, expansions, initial, numbers }
    }

    /// The states that can be reached from these initial ones (each with whether it surely stands for one of the program), given what
    /// follows from each; none if that is missing for one.
    pub(crate) fn completed(
        initial: Vec<(AbstractState, bool)>,
        known: HashMap<AbstractState, Expansion>,
    ) -> Option<Self> {
        let budget = Budget::unlimited();
        let limits = Limits { most: usize::MAX, budget: &budget };
        let mut told = KnownExpansions { initial, known, expansions: Vec::new(), part_of: None };
        let reached = nearest_first(&mut told, limits, &mut |_, _, _| Ok(ControlFlow::Continue(()))).ok()?;
        Some(Self::of(reached, &told.initial, told.expansions))
    }

    /// The states that can be reached from these initial ones through those of which it is known what follows. Where that is missing,
    /// nobody asked; `processes` is how many the program has.
    #[must_use]
    pub fn part(
        initial: Vec<(AbstractState, bool)>,
        known: HashMap<AbstractState, Expansion>,
        processes: usize,
    ) -> Self {
        let budget = Budget::unlimited();
        let limits = Limits { most: usize::MAX, budget: &budget };
        let mut told = KnownExpansions { initial, known, expansions: Vec::new(), part_of: Some(processes) };
        match nearest_first(&mut told, limits, &mut |_, _, _| Ok(ControlFlow::Continue(()))) {
            Ok(reached) => Self::of(reached, &told.initial, told.expansions),
            Err(Missing) => Self::default(),
        }
    }

    /// States of which it is told what follows.
    #[must_use]
    pub fn told(&self) -> usize {
        self.expansions.iter().filter(|expansion| !expansion.untold).count()
    }

    /// The same states by their numbers: from the initial ones along certain steps if only what is certain counts, else along possible
    /// ones.
    #[must_use]
    pub fn along(&self, certain: bool) -> Along<'_> {
        Along { explored: self, certain }
    }

    /// The number of a state.
    #[must_use]
    pub fn find(&self, state: &AbstractState) -> Option<usize> {
        self.numbers.get(state).copied()
    }

    /// The edges by kind.
    #[must_use]
    pub fn edges(&self) -> EdgeCounts {
        let mut counts = EdgeCounts::default();
        for expansion in &self.expansions {
            counts.hyper += expansion.hyper.len();
            for step in &expansion.steps {
                match (step.may, step.must) {
                    (true, true) => counts.both += 1,
                    (true, false) => counts.may += 1,
                    (false, _) => counts.must += 1,
                }
            }
        }
        counts
    }

    /// The structure: `atoms` are its propositions, processes its actions.
    ///
    /// # Errors
    /// If a limit is reached, or an atom has no term.
    pub fn structure(
        &self,
        system: &mut System,
        atoms: &[(String, ExprId)],
        shape: &StructureOptions,
        budget: &Budget,
    ) -> Result<Kmts, Failed> {
        let mut drafting = Drafting::new(self, system, atoms, shape);
        for (number, (state, expansion)) in self.states.iter().zip(&self.expansions).enumerate() {
            budget.check()?;
            let from = StateId::new(number);
            for (at, &(_, atom)) in atoms.iter().enumerate() {
                let value = system.label(state, atom, expansion.deadlock)?;
                drafting.label(from, at, value);
            }
            drafting.steps(self, from, expansion);
        }
        drafting.abilities(self);
        drafting.finish(self)
    }
}

/// What may and what must follow, kept as it is found.
struct Followed<'s> {
    system: &'s mut System,
    initial: Vec<(AbstractState, bool)>,
    expansions: Vec<Expansion>,
}

impl Successors for Followed<'_> {
    type State = AbstractState;
    type Step = ();
    type Failure = Failed;

    fn initial(&mut self) -> Result<Vec<AbstractState>, Failed> {
        self.initial = self.system.initial_states()?.into_iter().map(|found| (found.state, found.certain)).collect();
        Ok(self.initial.iter().map(|(state, _)| state.clone()).collect())
    }

    fn after(
        &mut self,
        state: &AbstractState,
        arrive: &mut dyn FnMut((), AbstractState) -> usize,
    ) -> Result<(), Failed> {
        let expansion = self.system.expand(state)?;
        for target in expansion.targets() {
            arrive((), target.clone());
        }
        self.expansions.push(expansion);
        Ok(())
    }
}

/// What follows where that is known already.
struct KnownExpansions {
    initial: Vec<(AbstractState, bool)>,
    known: HashMap<AbstractState, Expansion>,
    expansions: Vec<Expansion>,
    /// How many processes the program has, if something may be missing.
    part_of: Option<usize>,
}

/// What follows from some state is not known.
struct Missing;

impl From<Stopped> for Missing {
    fn from(_: Stopped) -> Self {
        Self
    }
}

impl Successors for KnownExpansions {
    type State = AbstractState;
    type Step = ();
    type Failure = Missing;

    fn initial(&mut self) -> Result<Vec<AbstractState>, Missing> {
        Ok(self.initial.iter().map(|(state, _)| state.clone()).collect())
    }

    fn after(
        &mut self,
        state: &AbstractState,
        arrive: &mut dyn FnMut((), AbstractState) -> usize,
    ) -> Result<(), Missing> {
        let untold = self.part_of.map(Expansion::untold);
        let expansion = self.known.remove(state).or(untold).ok_or(Missing)?;
        for target in expansion.targets() {
            arrive((), target.clone());
        }
        self.expansions.push(expansion);
        Ok(())
    }
}

/// States that were visited, by their numbers, as far as they are reached by steps of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Along<'e> {
    explored: &'e Explored,
    certain: bool,
}

impl Successors for Along<'_> {
    type State = usize;
    type Step = ();
    type Failure = Stopped;

    fn initial(&mut self) -> Result<Vec<usize>, Stopped> {
        let counts = |&&(_, sure): &&(usize, bool)| sure || !self.certain;
        Ok(self.explored.initial.iter().filter(counts).map(|&(number, _)| number).collect())
    }

    fn after(&mut self, &number: &usize, arrive: &mut dyn FnMut((), usize) -> usize) -> Result<(), Stopped> {
        let counts = |step: &&AbstractStep| if self.certain { step.must } else { step.may };
        let steps = self.explored.expansions[number].steps.iter().filter(counts);
        for next in steps.filter_map(|step| self.explored.find(&step.target)) {
            arrive((), next);
        }
        Ok(())
    }
}

/// A structure in the making.
struct Drafting<'a> {
    builder: KmtsBuilder,
    props: Vec<tertium_model::PropId>,
    actions: Vec<ActionId>,
    /// Actions by process and the locations between which it steps, where steps are named by statements.
    statements: HashMap<(ProcessId, LocationId, LocationId), ActionId>,
    shape: &'a StructureOptions,
    /// For each fair process the edges that may count and those that surely do.
    possible: Vec<Vec<(StateId, StateId, Option<ActionId>)>>,
    certain: Vec<Vec<(StateId, StateId, Option<ActionId>)>>,
    /// The state in which a run that ended stays, by the state it ended in.
    ends: HashMap<StateId, StateId>,
    /// What stands for everything that may follow where nobody asked.
    anything: Option<StateId>,
}

/// An action for all steps of a process from one location to another, by their statements.
fn named_steps(system: &System, builder: &mut KmtsBuilder) -> HashMap<(ProcessId, LocationId, LocationId), ActionId> {
    let mut names: BTreeMap<(ProcessId, LocationId, LocationId), Vec<String>> = BTreeMap::new();
    for operation in system.in_order() {
        let found = &system.operations()[operation];
        let between = (found.process, found.source, found.target);
        names.entry(between).or_default().push(system.operation_name(operation));
    }
    names.into_iter().map(|(between, names)| (between, builder.add_action(&names.join(" or ")))).collect()
}

impl<'a> Drafting<'a> {
    fn new(explored: &Explored, system: &System, atoms: &[(String, ExprId)], shape: &'a StructureOptions) -> Self {
        let mut builder = KmtsBuilder::new();
        for state in &explored.states {
            builder.add_state(&system.name(state));
        }
        let mut ends = HashMap::new();
        if shape.stutter {
            for (number, expansion) in explored.expansions.iter().enumerate() {
                if expansion.may_stop && !expansion.steps.is_empty() {
                    let name = format!("{} (stopped)", system.name(&explored.states[number]));
                    ends.insert(StateId::new(number), builder.add_state(&name));
                }
            }
        }
        let untold = explored.expansions.iter().any(|expansion| expansion.untold);
        let anything = untold.then(|| builder.add_state("(anything)"));
        let props = atoms.iter().map(|(name, _)| builder.add_prop(name)).collect();
        let statements = if shape.by_statement { named_steps(system, &mut builder) } else { HashMap::new() };
        let actions = system.program().processes.iter().map(|process| builder.add_action(&process.name)).collect();
        let none = vec![Vec::new(); shape.fair.len()];
        Self { builder, props, actions, statements, shape, possible: none.clone(), certain: none, ends, anything }
    }

    fn label(&mut self, state: StateId, prop: usize, value: Kleene) {
        let value = match value {
            Kleene::True => Belnap::True,
            Kleene::False => Belnap::False,
            Kleene::Unknown => Belnap::Unknown,
        };
        self.builder.set_label(state, self.props[prop], value);
        if let Some(&end) = self.ends.get(&state) {
            self.builder.set_label(end, self.props[prop], value);
        }
    }

    fn steps(&mut self, explored: &Explored, from: StateId, expansion: &Expansion) {
        if expansion.untold {
            self.anything_after(from);
            return;
        }
        let number = |state: &AbstractState| StateId::new(explored.numbers[state]);
        for step in &expansion.steps {
            let (to, at) = (number(&step.target), step.process.index());
            let between = (step.process, explored.states[from.index()].locations[at], step.target.locations[at]);
            let action = Some(self.statements.get(&between).copied().unwrap_or(self.actions[at]));
            self.builder.add_edge(from, to, step.may, step.must, action);
            self.count_fair((from, to, action), step.process, expansion);
        }
        for (set, process) in &expansion.hyper {
            let members: Vec<StateId> = set.iter().map(number).collect();
            let process = process.filter(|_| !self.shape.by_statement);
            self.builder.add_hyper(from, &members, process.map(|process| self.actions[process.index()]));
        }
        if self.shape.stutter {
            self.stutter(explored, from, expansion);
        }
    }

    fn count_fair(&mut self, edge: (StateId, StateId, Option<ActionId>), process: ProcessId, expansion: &Expansion) {
        for (at, fair) in self.shape.fair.iter().enumerate() {
            let steps_itself = *fair == process;
            // A step of another process counts where the fair one cannot step.
            if steps_itself || expansion.may_rest[fair.index()] {
                self.possible[at].push(edge);
            }
            let never = !expansion.steps.iter().any(|step| step.may && step.process == *fair);
            if steps_itself || never {
                self.certain[at].push(edge);
            }
        }
    }

    /// Anyone may step anywhere, or nobody any more; it may count for every constraint, and surely does for none.
    fn anything_after(&mut self, from: StateId) {
        let Some(to) = self.anything else { return };
        for action in self.actions.clone().into_iter().map(Some).chain([None]) {
            self.builder.add_edge(from, to, true, false, action);
            self.possible.iter_mut().for_each(|edges| edges.push((from, to, action)));
        }
    }

    fn stutter(&mut self, explored: &Explored, from: StateId, expansion: &Expansion) {
        if !expansion.may_stop {
            return;
        }
        let end = self.ends.get(&from).copied().unwrap_or(from);
        let surely = expansion.steps.is_empty();
        if end != from {
            self.builder.add_edge(from, end, true, false, None);
            let targets = expansion.steps.iter().filter(|step| step.may);
            let mut members: Vec<StateId> = targets.map(|step| StateId::new(explored.numbers[&step.target])).collect();
            members.push(end);
            self.builder.add_hyper(from, &members, None);
        }
        self.builder.add_edge(end, end, true, true, None);
        let edges = [(from, end, None), (end, end, None)];
        let edges = if surely { &edges[1..] } else { &edges[..] };
        for counting in self.possible.iter_mut().chain(&mut self.certain) {
            counting.extend(edges);
        }
    }

    /// Where some processes are able to step. Where a run ended nobody is.
    fn abilities(&mut self, explored: &Explored) {
        for (process, name) in &self.shape.able {
            let prop = self.builder.add_prop(name);
            for (at, expansion) in explored.expansions.iter().enumerate() {
                let able = expansion.steps.iter().any(|step| step.may && step.process == *process);
                if !expansion.untold && (!able || !expansion.may_rest[process.index()]) {
                    self.builder.set_label(StateId::new(at), prop, able.into());
                }
            }
            self.ends.values().for_each(|&end| self.builder.set_label(end, prop, Belnap::False));
        }
    }

    fn finish(mut self, explored: &Explored) -> Result<Kmts, Failed> {
        if let Some(anything) = self.anything {
            self.anything_after(anything);
        }
        for (possible, certain) in self.possible.into_iter().zip(self.certain) {
            self.builder.add_split_fairness(possible, certain);
        }
        for &(number, _) in &explored.initial {
            self.builder.add_init(StateId::new(number));
        }
        self.builder.set_total(self.shape.stutter);
        self.builder.finish().map_err(|_| Stopped(StopReason::Count).into())
    }
}

impl System {
    /// Where the processes are, as properties say it.
    #[must_use]
    pub fn locations_in_words(&self, locations: &[LocationId]) -> String {
        let place = |(process, &at): (ProcessId, &LocationId)| {
            let name = self.program.location_name(process, at);
            format!("{}@{name}", self.program.process(process).name)
        };
        self.program.process_ids().zip(locations).map(place).collect::<Vec<_>>().join(" ")
    }

    /// The kept values of a state and its predicates, in one line of source terms.
    #[must_use]
    pub fn values_in_words(&self, state: &AbstractState) -> String {
        let mut parts: Vec<String> =
            self.kept_in_words(state).into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
        for (predicate, &value) in self.predicates.iter().zip(&state.cube) {
            match value {
                Kleene::True => parts.push(predicate.name.clone()),
                Kleene::False => parts.push(format!("!({})", predicate.name)),
                Kleene::Unknown => {}
            }
        }
        parts.join(" && ")
    }

    fn kept_in_words(&self, state: &AbstractState) -> Vec<(String, String)> {
        let told = |(kept, &value): (&crate::system::Kept, &i128)| {
            let variable = self.program.variable(kept.var);
            let cell = if variable.dimensions.is_empty() { String::new() } else { format!("[{}]", kept.cell) };
            let value = i64::try_from(value)
                .map_or_else(|_| value.to_string(), |value| self.program.show_value(variable.ty, value));
            (format!("{}{cell}", self.program.show_variable(kept.var)), value)
        };
        self.kept.iter().zip(&state.kept).map(told).collect()
    }

    /// A state's name: locations, kept values, predicates.
    #[must_use]
    pub fn name(&self, state: &AbstractState) -> String {
        let program = &self.program;
        let places: Vec<String> = program
            .process_ids()
            .zip(&state.locations)
            .map(|(process, &at)| program.location_name(process, at))
            .collect();
        let mut parts = vec![places.join(",")];
        let kept: Vec<String> =
            self.kept_in_words(state).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !kept.is_empty() {
            parts.push(kept.join(","));
        }
        if !state.cube.is_empty() {
            let mark = |value: &Kleene| match value {
                Kleene::True => 'T',
                Kleene::False => 'F',
                Kleene::Unknown => '?',
            };
            parts.push(state.cube.iter().map(mark).collect());
        }
        parts.join(" ")
    }
}
