//! The structure of a spotlight abstraction under one assignment of its parameters.
//!
//! Runs that end stay where they are: a state in which nothing may be able to step has a possible step to itself. Every
//! program state then has a successor, which the structure says.

use tertium_base::{Budget, StopReason, Stopped};
use tertium_lattice::Belnap;
use tertium_model::{ActionId, Kmts, KmtsBuilder, StateId};
use tertium_program::{ExprId, ProcessId};

use super::SpotState;
use super::explore::{Mover, SpotExplored, cube};
use super::plain::Plain;
use crate::expand::Failed;
use crate::system::{OperationId, System};

/// What becomes part of a structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpotShape {
    /// Processes of the spotlight that are treated fairly.
    pub fair: Vec<ProcessId>,
    /// Whether fairness is promised of which nothing is known here: to a process of the shade, or more than weak
    /// fairness. Then no run is known to be fair, and nothing that only fair runs break is false.
    pub unsure: bool,
    /// Whether runs that end stay where they are for ever.
    pub stutter: bool,
    /// Whether no set of several targets is made certain.
    pub single: bool,
    /// Whether each step has an action of its own, named by the statement, and not that of its process.
    pub by_statement: bool,
    /// Whether a step of the shade may lead anywhere: to one more state of which nothing is known. For what was visited without the shade.
    pub anything: bool,
    /// States at which one of two branches is fixed: the first one, or the other.
    pub branches: Vec<(usize, bool)>,
}

/// The name of the action by which the shade steps.
pub const SHADE: &str = "(shade)";

type Edge = (StateId, StateId, Option<ActionId>);

/// A structure in the making.
struct Drafting<'a> {
    builder: KmtsBuilder,
    shape: &'a SpotShape,
    /// Actions of the processes in the spotlight, by position.
    spot: Vec<ActionId>,
    /// The action of the shade: who of it steps makes no difference.
    shade: ActionId,
    possible: Vec<Vec<Edge>>,
    certain: Vec<Vec<Edge>>,
    all: Vec<Edge>,
    /// The state that stands for every program state, if there is one.
    anything: Option<StateId>,
}

impl SpotExplored {
    /// The structure under an assignment; `atoms` are its propositions, processes of the spotlight and the shade as a
    /// whole its actions. State numbers are those of [`Self::states`].
    ///
    /// # Errors
    /// If a limit is reached, or an atom has no term.
    pub fn structure(
        &mut self,
        system: &mut System,
        assignment: usize,
        atoms: &[(String, ExprId)],
        shape: &SpotShape,
        budget: &Budget,
    ) -> Result<Kmts, Failed> {
        let mut drafting = Drafting::new(self, system, shape);
        let props: Vec<_> = atoms.iter().map(|(name, _)| drafting.builder.add_prop(name)).collect();
        for number in 0..self.states.len() {
            budget.check()?;
            let plain = self.plain(system, number, assignment)?;
            let (locations, cube) = (self.states[number].locations.clone(), cube(&self.states[number], assignment));
            for (&(_, atom), &prop) in atoms.iter().zip(&props) {
                let value = self.lit.label(system, &locations, &cube, (atom, plain.may_stop))?;
                drafting.builder.set_label(StateId::new(number), prop, Belnap::from(value));
            }
            drafting.steps(self, system, number, assignment, &plain);
        }
        drafting.finish()
    }
}

impl<'a> Drafting<'a> {
    fn new(explored: &SpotExplored, system: &System, shape: &'a SpotShape) -> Self {
        let mut builder = KmtsBuilder::new();
        for state in &explored.states {
            builder.add_state(&system.spot_name(&explored.spotlight.processes, state));
        }
        let program = system.program();
        let named = explored.spotlight.processes.iter().filter(|_| !shape.by_statement);
        let spot: Vec<ActionId> = named.map(|&process| builder.add_action(&program.process(process).name)).collect();
        let shade = builder.add_action(SHADE);
        let none = vec![Vec::new(); shape.fair.len()];
        let anything = shape.anything.then(|| builder.add_state("(anything)"));
        Self { builder, shape, spot, shade, possible: none.clone(), certain: none, all: Vec::new(), anything }
    }

    fn steps(&mut self, explored: &SpotExplored, system: &System, number: usize, assignment: usize, plain: &Plain) {
        let from = StateId::new(number);
        let processes = &explored.spotlight.processes;
        let (taken, left) = self.fixed(number, plain);
        let possible = |step: &&super::SpotStep| step.may >> assignment & 1 != 0 && Some(step.mover) != left;
        for step in explored.steps[number].iter().filter(possible) {
            let by = match step.mover {
                Mover::Spot(operation) => Some(system.operations()[operation].process),
                Mover::Shade(_) => None,
            };
            let action = match step.mover {
                Mover::Spot(operation) if self.shape.by_statement => {
                    Some(self.builder.add_action(&system.operation_name(operation)))
                }
                Mover::Spot(_) => {
                    processes.iter().position(|&process| Some(process) == by).map(|position| self.spot[position])
                }
                Mover::Shade(_) => Some(self.shade),
            };
            let to = StateId::new(step.target);
            let must = step.must >> assignment & 1 != 0 || Some(step.mover) == taken;
            self.builder.add_edge(from, to, true, must, action);
            self.count_fair(processes, (from, to, action), by, plain);
        }
        for (process, members) in plain.joint.iter().filter(|_| !self.shape.single) {
            let targets: Vec<StateId> = members
                .iter()
                .filter_map(|&at| {
                    let mover = Mover::Spot(plain.steps[at].operation);
                    explored.steps[number].iter().find(|step| step.mover == mover)
                })
                .map(|step| StateId::new(step.target))
                .collect();
            let position = processes.iter().position(|known| known == process && !self.shape.by_statement);
            if targets.len() == members.len() && !targets.is_empty() {
                self.builder.add_hyper(from, &targets, position.map(|position| self.spot[position]));
            }
        }
        if let Some(anything) = self.anything {
            let edge = (from, anything, Some(self.shade));
            self.builder.add_edge(from, anything, true, false, Some(self.shade));
            self.count_fair(processes, edge, None, plain);
        }
        if self.shape.stutter && plain.may_stop {
            self.builder.add_edge(from, from, true, false, None);
            self.all.push((from, from, None));
            self.possible.iter_mut().for_each(|edges| edges.push((from, from, None)));
        }
    }

    /// The branch that is fixed at a state, and the one that is left out.
    fn fixed(&self, number: usize, plain: &Plain) -> (Option<Mover>, Option<Mover>) {
        let Some(&(_, first)) = self.shape.branches.iter().find(|(state, _)| *state == number) else {
            return (None, None);
        };
        let Some((_, members)) = plain.joint.iter().find(|(_, members)| members.len() == 2) else {
            return (None, None);
        };
        let mover = |at: usize| Some(Mover::Spot(plain.steps[members[at]].operation));
        if first { (mover(0), mover(1)) } else { (mover(1), mover(0)) }
    }

    fn count_fair(&mut self, processes: &[ProcessId], edge: Edge, by: Option<ProcessId>, plain: &Plain) {
        self.all.push(edge);
        for (at, fair) in self.shape.fair.iter().enumerate() {
            let Some(position) = processes.iter().position(|process| process == fair) else { continue };
            let steps_itself = by == Some(*fair);
            // A step of another process counts where the fair one cannot step.
            if steps_itself || plain.may_rest[position] {
                self.possible[at].push(edge);
            }
            if steps_itself || plain.rests[position] {
                self.certain[at].push(edge);
            }
        }
    }

    fn finish(mut self) -> Result<Kmts, Failed> {
        if let Some(anything) = self.anything {
            let actions = self.spot.iter().copied().chain([self.shade]).map(Some).chain([None]);
            for edge in actions.map(|action| (anything, anything, action)).collect::<Vec<Edge>>() {
                self.builder.add_edge(anything, anything, true, false, edge.2);
                self.all.push(edge);
                self.possible.iter_mut().for_each(|edges| edges.push(edge));
            }
        }
        for (possible, certain) in self.possible.into_iter().zip(self.certain) {
            self.builder.add_split_fairness(possible, certain);
        }
        if self.shape.unsure {
            self.builder.add_split_fairness(self.all, Vec::new());
        }
        self.builder.add_init(StateId::new(0));
        self.builder.set_total(self.shape.stutter);
        self.builder.finish().map_err(|_| Stopped(StopReason::Count).into())
    }
}

impl System {
    /// What an operation is called: `P1.try: y1 := y2 + 1`.
    #[must_use]
    pub fn operation_name(&self, operation: OperationId) -> String {
        let operation = &self.operations[operation];
        let (process, place) = (
            &self.program.process(operation.process).name,
            self.program.location_name(operation.process, operation.source),
        );
        let texts: Vec<&str> = operation.steps.iter().map(|&step| self.program.step(step).text.as_str()).collect();
        format!("{process}.{place}: {}", texts.join("; "))
    }

    /// A state's name: locations of the spotlight and what is known of the predicates.
    #[must_use]
    pub fn spot_name(&self, processes: &[ProcessId], state: &SpotState) -> String {
        let places: Vec<String> = processes
            .iter()
            .zip(&state.locations)
            .map(|(&process, &at)| self.program.location_name(process, at))
            .collect();
        let mut parts = Vec::new();
        if !places.is_empty() {
            parts.push(places.join(","));
        }
        let labels: Vec<String> = state.labels.iter().map(|label| label.text()).collect();
        let separator = if labels.iter().any(|label| label.len() > 1) { "," } else { "" };
        if !labels.is_empty() {
            parts.push(labels.join(separator));
        }
        if parts.is_empty() { "-".to_owned() } else { parts.join(" ") }
    }
}
