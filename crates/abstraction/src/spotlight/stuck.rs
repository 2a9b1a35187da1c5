//! Can all processes be unable to step at the same time?
//!
//! One question: every process is at one of its locations, what holds there does, and none of its steps from there can be taken. Locations from which a step can always be
//! taken are left out at once, so that it is about those alone where processes wait. It is as precise as what is known at locations: where processes take what they need in
//! an order, and each location tells what is held there, whoever waits for the last of it waits for someone who does not wait (Havender 1968).

use std::collections::HashMap;

use tertium_program::{LocationId, ProcessId};
use tertium_smt::{Purpose, Reply, TermId};

use crate::expand::Failed;
use crate::system::System;

impl System {
    /// Whether, as far as locations tell, all processes may be unable to step without all of them being at an end.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn may_be_stuck(&mut self) -> Result<bool, Failed> {
        let (mut parts, mut unfinished) = (Vec::new(), Vec::new());
        for process in self.program.process_ids() {
            let mut waiting = Vec::new();
            for location in (0..self.program.process(process).locations.len()).map(LocationId::new) {
                let Some(here) = self.waits_at(process, location) else { continue };
                waiting.push(here);
                if !self.program.location(process, location).end {
                    unfinished.push(here);
                }
            }
            // A process that can always step.
            if waiting.is_empty() {
                return Ok(false);
            }
            parts.push(self.terms.any(&waiting));
        }
        parts.push(self.terms.any(&unfinished));
        Ok(self.queries.satisfiable(&mut self.terms, Purpose::Must, &parts)? != Reply::Unsat)
    }

    /// That a process is at a location, and can take no step from there; none if it surely can, or is never there.
    fn waits_at(&mut self, process: ProcessId, location: LocationId) -> Option<TermId> {
        let unreached = |system: &Self| {
            let mut known = system.location_invariants.iter();
            known.any(|one| (one.process, one.location) == (process, location) && one.condition.is_none())
        };
        if unreached(self) {
            return None;
        }
        let counter = self.translator.counter(process);
        let here = self.terms.int(i128::from(location.number()));
        let place = HashMap::from([(counter, here)]);
        let mut parts = vec![self.terms.eq(counter, here)];
        for fact in self.location_facts(process, location) {
            parts.push(self.terms.substitute(fact, &place));
        }
        for operation in self.leaving[process.index()][location.index()].clone() {
            let relation = self.operations[operation].relation;
            let relation = self.terms.substitute(relation, &place);
            let inputs = self.operations[operation].inputs.clone();
            let closed = self.close(relation, &inputs);
            parts.push(self.terms.not(closed.below));
        }
        let waits = self.terms.all(&parts);
        (self.terms.as_bool(waits) != Some(false)).then_some(waits)
    }
}
