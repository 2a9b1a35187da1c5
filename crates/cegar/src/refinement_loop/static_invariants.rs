//! What do the invariants of locations exclude by themselves?
//!
//! Abstract interpretation (Cousot and Cousot 1977) has found bounds of variables and what holds at each location of each process, whatever the others do. Where that excludes what a
//! question looks for, the question is answered without any search: the price is one call of the solver for each step or location, however many combinations of
//! locations there are. Tried only where these are many; else zones say more and cost as little.

use std::collections::BTreeSet;
use std::sync::Arc;

use tertium_abstraction::{AbstractState, Failed, System};
use tertium_evidence::Technique;
use tertium_program::{LocationId, ProcessId};
use tertium_smt::Reply;

use super::Loop;
use super::search::Tree;
use super::targets::{BadStates, Target};
use crate::limits;
use crate::predicate_abstraction::{Prepared, failed};
use tertium_load::failure::Failure;

impl Loop<'_> {
    /// Answers the questions whose bad states the invariants exclude.
    pub(super) fn excluded_by_invariants(
        &mut self,
        prepared: &mut Prepared,
        open: &mut Vec<Target>,
    ) -> Result<(), Failure> {
        // That only listed processes are started takes more than what is known of locations.
        let all_there = matches!(&prepared.later, Ok(later) if later.is_empty());
        if !all_there || combinations(&prepared.system) < limits::STATIC_LEAST_COMBINATIONS {
            return Ok(());
        }
        // Without an initial state everything holds, which others say.
        let starts = prepared.system.surely_starts();
        if !starts.map_err(|why| failed(self.work.file, prepared.system.program(), why))? {
            return Ok(());
        }
        let mut excluded = Vec::new();
        for (at, target) in open.iter().enumerate() {
            let met = may_be_met(&mut prepared.system, target);
            if !met.map_err(|why| failed(self.work.file, prepared.system.program(), why))? {
                excluded.push(at);
            }
        }
        let anywhere = AbstractState { locations: Vec::new(), kept: Vec::new(), cube: Vec::new(), stopped: false };
        let tree = Tree::closed(vec![anywhere], 0);
        let basis = Arc::new(prepared.told_invariants());
        for at in excluded.into_iter().rev() {
            let target = open.remove(at);
            self.excluded(prepared, (&tree, true), &target, &basis);
            self.answers[target.question.index()].provenance.technique = Technique::AbstractInterpretation;
        }
        Ok(())
    }
}

/// How many combinations of locations there are, up to a limit.
fn combinations(system: &System) -> usize {
    let program = system.program();
    let count = |process: ProcessId| program.process(process).locations.len().max(1);
    program.process_ids().map(count).fold(1, usize::saturating_mul)
}

/// Whether a reachable state may be bad, by what is known of every variable and location.
fn may_be_met(system: &mut System, target: &Target) -> Result<bool, Failed> {
    match &target.bad {
        BadStates::Condition { may, .. } => {
            Ok(system.speaks_of_deadlock(*may) || system.may_hold_at(&[], *may)? != Reply::Unsat)
        }
        BadStates::Fault(operations) => {
            for &operation in operations {
                let (process, source) = (system.operations()[operation].process, system.operations()[operation].source);
                let fault = system.fault(operation);
                if system.may_hold_at(&[(process, source)], fault)? != Reply::Unsat {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        BadStates::Stuck => may_be_stuck(system),
    }
}

/// Whether no process can surely always step: one that can, wherever it is, is enough.
fn may_be_stuck(system: &mut System) -> Result<bool, Failed> {
    let none = |one: &&tertium_abstraction::invariants::LocationInvariant| one.condition.is_none();
    let never: BTreeSet<(ProcessId, LocationId)> =
        system.location_invariants().iter().filter(none).map(|one| (one.process, one.location)).collect();
    let processes: Vec<ProcessId> = system.program().process_ids().collect();
    'processes: for process in processes {
        let count = system.program().process(process).locations.len();
        for location in (0..count).map(LocationId::new).filter(|&location| !never.contains(&(process, location))) {
            // A step that goes wrong would do, too, but not every proof about such steps can be written down.
            let unable = system.unable(process, location, false);
            if system.may_hold_at(&[(process, location)], unable)? != Reply::Unsat {
                continue 'processes;
            }
        }
        return Ok(false);
    }
    Ok(true)
}
