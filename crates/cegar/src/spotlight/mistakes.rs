//! Can a step go wrong, or the program get stuck?
//!
//! Each process whose steps may go wrong is looked at alone: if no state that it can come to allows the mistake, it never
//! happens. The program is never stuck if one process can always step, or if what holds at locations excludes that all wait at the same time. Nothing more is tried: what is open stays open.

use std::collections::BTreeSet;
use std::sync::Arc;

use tertium_abstraction::System;
use tertium_abstraction::spotlight::{SpotExplored, Spotlight, family};
use tertium_lattice::Belnap;
use tertium_program::{LocationId, ProcessId};

use super::{SpotlightCheck, certificate_basis};
use crate::answer::{ProgramAnswer, Reason};
use crate::predicate_abstraction::basis::Basis;
use crate::predicate_abstraction::{failed, solver_work};
use tertium_load::failure::Failure;
use tertium_load::questions::Mistake;

/// What an answer rests on, or what is open.
type Shown = Result<Arc<Basis>, String>;

impl SpotlightCheck<'_> {
    /// Whether a mistake never happens.
    pub(super) fn never(&self, mistake: Mistake, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        let mut system = self.system()?;
        let found = match mistake {
            Mistake::Deadlock | Mistake::EndState => self.always_steps(&mut system, answer)?,
            Mistake::EndlessAtomic => Ok(certificate_basis::anywhere(&system)),
            _ => self.goes_wrong(&mut system, answer)?,
        };
        answer.cost.solver = Some(solver_work(&system));
        match found {
            Ok(basis) => {
                answer.verdict.settle(Belnap::True);
                answer.show(|evidence| evidence.basis = Some(basis));
            }
            Err(what) => answer.verdict.leave_open(Reason {
                what,
                about: None,
                span: None,
                help: "`--abstraction hyper` looks at all processes together".to_owned(),
            }),
        }
        Ok(())
    }

    fn alone(&self, system: &mut System, process: ProcessId) -> Result<SpotExplored, Failure> {
        let spotlight = Spotlight::of(vec![process]);
        let explored = SpotExplored::visit(system, &spotlight, self.budget, &mut |_, _| {});
        explored.map_err(|why| failed(self.file, system.program(), why))
    }

    /// What shows that some process can step wherever it is; or what is open.
    fn always_steps(&self, system: &mut System, answer: &mut ProgramAnswer) -> Result<Shown, Failure> {
        let mut families: Vec<String> = Vec::new();
        for process in system.program().process_ids() {
            let name = family(system.program(), process).to_owned();
            if families.contains(&name) {
                continue;
            }
            families.push(name);
            let mut explored = self.alone(system, process)?;
            let mut stops = false;
            for number in 0..explored.states.len() {
                let plain = explored.plain(system, number, 0);
                stops |= plain.map_err(|why| failed(self.file, system.program(), why))?.may_stop;
            }
            if !stops {
                answer.cost.states = explored.states.len();
                answer.spotlight = Some(vec![system.program().process(process).name.clone()]);
                return Ok(Ok(certificate_basis::states(system, &explored)));
            }
        }
        if !system.may_be_stuck().map_err(|why| failed(self.file, system.program(), why))? {
            return Ok(Ok(certificate_basis::anywhere(system)));
        }
        Ok(Err("all processes may wait at the same time, as far as what holds at their locations tells".to_owned()))
    }

    /// What shows that no step of any process goes wrong; or which one may.
    fn goes_wrong(&self, system: &mut System, answer: &mut ProgramAnswer) -> Result<Shown, Failure> {
        let mut needed = Vec::new();
        for process in system.program().process_ids() {
            if !system.may_fail(process) {
                continue;
            }
            let explored = self.alone(system, process)?;
            answer.cost.states += explored.states.len();
            let visited: BTreeSet<LocationId> = explored.states.iter().map(|state| state.locations[0]).collect();
            if self.fails_at_one_of(system, process, visited.iter().copied())? {
                let name = &system.program().process(process).name;
                return Ok(Err(format!("a step of `{name}` may go wrong, as far as looking at it alone tells")));
            }
            let all = (0..system.program().process(process).locations.len()).map(LocationId::new);
            if self.fails_at_one_of(system, process, all.filter(|location| !visited.contains(location)))? {
                needed.push(explored);
            }
        }
        Ok(Ok(certificate_basis::together(system, &needed)))
    }

    fn fails_at_one_of(
        &self,
        system: &mut System,
        process: ProcessId,
        mut locations: impl Iterator<Item = LocationId>,
    ) -> Result<bool, Failure> {
        let found = locations.try_fold(false, |fails, at| Ok(fails || system.fails_at(process, at)?));
        found.map_err(|why| failed(self.file, system.program(), why))
    }
}
