//! Which steps are certain: can they be taken from every program state that an abstract one stands for?

use std::collections::BTreeMap;
use std::rc::Rc;

use tertium_lattice::Kleene;
use tertium_program::ProcessId;

use super::{AbstractStep, Case, Expansion, Failed, OperationFault, Ways, flatten, merge};
use crate::choices::Closed;
use crate::options::AbstractionKind;
use crate::state::AbstractState;
use crate::system::System;
use crate::view::View;

/// One way from a state into a target.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    pub(super) target: AbstractState,
    pub(super) closed: Closed,
}

impl System {
    /// When a case leads into a target.
    pub(super) fn reach(&mut self, view: &View, case: &Case, target: &AbstractState) -> Closed {
        let mut parts = vec![case.relation];
        for (&term, &value) in case.after.iter().zip(&target.cube) {
            match value {
                Kleene::True => parts.push(term),
                Kleene::False => parts.push(self.terms.not(term)),
                Kleene::Unknown => {}
            }
        }
        let term = self.terms.all(&parts);
        let term = self.simplify(view, term);
        let inputs = self.operations[case.operation].inputs.clone();
        self.close(term, &inputs)
    }

    /// The certain steps of the kinds that look at one operation at a time.
    pub(super) fn certain_of_case(
        &mut self,
        view: &View,
        case: &Case,
        able: Closed,
        targets: &[AbstractState],
        found: &mut Expansion,
    ) -> Result<(), Failed> {
        let process = self.operations[case.operation].process;
        if !matches!(self.options.kind, AbstractionKind::Cartesian | AbstractionKind::Cubes | AbstractionKind::Four)
            || !self.surely(view, &[able])?
        {
            return Ok(());
        }
        match (self.options.kind, targets) {
            (_, [only]) => found.steps.push(AbstractStep { target: only.clone(), process, may: true, must: true }),
            (AbstractionKind::Four, _) => {
                let merged = flatten(targets);
                found.steps.push(AbstractStep { target: merged, process, may: false, must: true });
            }
            _ => found.hyper.push((targets.to_vec(), Some(process))),
        }
        Ok(())
    }

    /// Possible steps of a process, and the certain ones of the kinds that look at all its operations together. Returns the
    /// targets that are not certain by themselves.
    pub(super) fn certain(
        &mut self,
        view: &View,
        process: ProcessId,
        reaches: &[Reach],
        found: &mut Expansion,
    ) -> Result<BTreeMap<AbstractState, Vec<Closed>>, Failed> {
        let mut open: BTreeMap<AbstractState, Vec<Closed>> = BTreeMap::new();
        for reach in reaches {
            open.entry(reach.target.clone()).or_default().push(reach.closed);
        }
        let exact = matches!(self.options.kind, AbstractionKind::Boolean | AbstractionKind::Hyper);
        let mut sure: Vec<AbstractState> = Vec::new();
        for (target, ways) in &open {
            let must = exact && self.surely(view, ways)?;
            found.steps.push(AbstractStep { target: target.clone(), process, may: true, must });
            if must {
                sure.push(target.clone());
            }
        }
        merge(&mut found.steps);
        sure.iter().for_each(|target| {
            open.remove(target);
        });
        if self.options.kind == AbstractionKind::Hyper {
            let sets = self.hitting(view, &open)?;
            found.hyper.extend(sets.into_iter().map(|set| (set, Some(process))));
        }
        Ok(open)
    }

    /// Whether no process can step although not all are at their ends; a step that goes wrong can be taken.
    pub(super) fn deadlock_of(
        &mut self,
        state: &AbstractState,
        view: &mut Option<View>,
        all: &[Rc<Ways>],
        found: &Expansion,
    ) -> Result<Option<Kleene>, Failed> {
        let at_end = self
            .program
            .process_ids()
            .zip(&state.locations)
            .all(|(process, &location)| self.program.location(process, location).end);
        if at_end || !found.may_stop {
            return Ok(Some(Kleene::False));
        }
        if found.steps.is_empty() && found.faults.is_empty() {
            return Ok(Some(Kleene::True));
        }
        let view = self.viewed(state, view);
        let mut ways: Vec<Closed> = all.iter().flat_map(|ways| ways.able.iter().copied()).collect();
        for &OperationFault { operation, .. } in &found.faults {
            let fault = self.simplify(view, self.operations[operation].fault);
            let inputs = self.operations[operation].inputs.clone();
            ways.push(self.close(fault, &inputs));
        }
        let free = !found.faults.is_empty() && self.surely(view, &ways)?;
        Ok(Some(if free { Kleene::False } else { Kleene::Unknown }))
    }
}
