//! What may follow, if nobody asks what must?
//!
//! That no reachable state breaks a condition is a matter of possible steps alone. Asking for these only costs a fraction of
//! [`crate::expand`], which works out what is certain as well. A [`System`] is searched by them like any program
//! ([`tertium_program::search`]).

use std::collections::HashMap;

use tertium_program::{LocationId, ProcessId, Successors};
use tertium_smt::{Purpose, Reply, TermId};

use crate::diagram::Post;
use crate::expand::Failed;
use crate::state::AbstractState;
use crate::system::{OperationId, System};
use crate::view::View;

/// An operation and what it makes of a state.
pub(crate) type PossiblePost = (OperationId, Post);

/// A step that some program state may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PossibleStep {
    /// The way of stepping.
    pub operation: OperationId,
    /// Where it leads.
    pub target: AbstractState,
}

/// Where the program may begin, and what may follow. A step is told by its operation.
impl Successors for System {
    type State = AbstractState;
    type Step = OperationId;
    type Failure = Failed;

    fn initial(&mut self) -> Result<Vec<AbstractState>, Failed> {
        Ok(self.initial_states()?.into_iter().map(|initial| initial.state).collect())
    }

    fn after(
        &mut self,
        state: &AbstractState,
        arrive: &mut dyn FnMut(OperationId, AbstractState) -> usize,
    ) -> Result<(), Failed> {
        for step in self.possible_steps(state)? {
            arrive(step.operation, step.target);
        }
        Ok(())
    }
}

impl System {
    /// The possible steps from a state, by operation.
    ///
    /// # Errors
    /// If a limit is reached, or a kept variable gets too many values.
    pub fn possible_steps(&mut self, state: &AbstractState) -> Result<Vec<PossibleStep>, Failed> {
        let mut found = Vec::new();
        if state.stopped {
            return Ok(found);
        }
        let mut view = None;
        for process in self.program.process_ids() {
            let steps = self.possible_of(state, process, |system| system.possible_posts(state, &mut view, process))?;
            found.extend(
                steps.iter().map(|(operation, post)| PossibleStep { operation: *operation, target: post.apply(state) }),
            );
        }
        Ok(found)
    }

    fn possible_posts(
        &mut self,
        state: &AbstractState,
        view: &mut Option<View>,
        process: ProcessId,
    ) -> Result<Vec<PossiblePost>, Failed> {
        let view = view.get_or_insert_with(|| self.view(state));
        let mut found = Vec::new();
        let at = state.locations[process.index()].index();
        for operation in self.leaving[process.index()][at].clone() {
            for case in self.cases(state, view, operation)? {
                let targets = self.targets(state, view, &case)?;
                found.extend(targets.iter().map(|target| (operation, Post::between(state, target))));
            }
        }
        Ok(found)
    }

    /// Whether a condition can hold in some program state that an abstract state stands for.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn may_hold(&mut self, state: &AbstractState, condition: TermId) -> Result<Reply, Failed> {
        let view = self.view(state);
        let condition = self.simplify(&view, condition);
        Ok(self.possible(&view, Purpose::Label, &[condition])?)
    }

    /// Whether a condition may hold in a reachable state in which these processes are at these locations and the others anywhere, by what abstract interpretation knows of
    /// variables and of these locations alone.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn may_hold_at(&mut self, places: &[(ProcessId, LocationId)], condition: TermId) -> Result<Reply, Failed> {
        let mut at = HashMap::new();
        for &(process, location) in places {
            at.insert(self.translator.counter(process), self.terms.int(i128::from(location.number())));
        }
        let mut view = self.facts(at, &[]);
        for &(process, location) in places {
            let facts = self.location_facts(process, location);
            self.note_all(facts, &mut view);
        }
        let condition = self.simplify(&view, condition);
        Ok(self.possible(&view, Purpose::Label, &[condition])?)
    }

    /// In which program states of these locations no process can step although not all are at their ends. Where inputs
    /// are only tried, some states more.
    pub fn stuck(&mut self, locations: &[LocationId]) -> TermId {
        let at_end = self
            .program
            .process_ids()
            .zip(locations)
            .all(|(process, &location)| self.program.location(process, location).end);
        if at_end {
            return self.terms.bool(false);
        }
        let places: Vec<_> = self.program.process_ids().zip(locations.iter().copied()).collect();
        let parts: Vec<TermId> =
            places.into_iter().map(|(process, location)| self.unable(process, location, true)).collect();
        self.terms.all(&parts)
    }

    /// In which program states a process cannot step from a location; whether a step that goes wrong is one is up to the caller. Where inputs
    /// are only tried, some states more.
    pub fn unable(&mut self, process: tertium_program::ProcessId, location: LocationId, faults: bool) -> TermId {
        let mut parts = Vec::new();
        for operation in self.leaving[process.index()][location.index()].clone() {
            let Operands { relation, fault, inputs } = self.operands(operation);
            let able = if faults { self.terms.or(relation, fault) } else { relation };
            let able = self.close(able, &inputs).below;
            parts.push(self.terms.not(able));
        }
        self.terms.all(&parts)
    }

    /// In which program states an operation can go wrong, with its inputs free.
    #[must_use]
    pub fn fault(&self, operation: OperationId) -> TermId {
        self.operations[operation].fault
    }

    /// The operations that leave a location.
    #[must_use]
    pub fn leaving(&self, process: tertium_program::ProcessId, location: LocationId) -> &[OperationId] {
        &self.leaving[process.index()][location.index()]
    }

    fn operands(&self, operation: OperationId) -> Operands {
        let operation = &self.operations[operation];
        Operands { relation: operation.relation, fault: operation.fault, inputs: operation.inputs.clone() }
    }
}

struct Operands {
    relation: TermId,
    fault: TermId,
    inputs: Vec<crate::system::Choice>,
}
