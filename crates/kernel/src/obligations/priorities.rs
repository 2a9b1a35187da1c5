//! Who may step, where processes have priorities?
//!
//! Of the processes that can step those of the highest priority may (Promela; Spin 6.5). So a step of a process can be taken only if nobody of higher priority can step. That somebody can is
//! said from below here, by the ways and slips that surely are there, so that a step counts as possible wherever it is: for what has to hold after every step that is right.
//! Where it is said exactly, a step that can surely be taken still can; elsewhere it counts for nothing that has to be certain. Where nobody can step, priorities change nothing.
//!
//! Known are priorities that never change, of processes that run from the beginning, without blocks that are interrupted by whoever has a higher one.

use std::rc::Rc;

use tertium_program::{Action, Hold, Program};

use super::machine::{Machine, NoTerm};
use super::proof_obligations::ProofObligations;
use super::steps::Moves;
use super::terms::TermId;

/// Whether the priorities of a program are of the kind that is known here.
///
/// # Errors
/// Why not.
pub(super) fn are_understood(program: &Program, anybody_later: bool) -> Result<(), NoTerm> {
    if !program.priorities {
        return Ok(());
    }
    let changes = |action: &Action| matches!(action, Action::Run { .. } | Action::SetPriority { .. });
    if anybody_later || program.steps.iter().any(|step| changes(&step.action)) {
        return Err(NoTerm::new(
            "priorities that are set, or of processes that are started, cannot be written as terms",
        ));
    }
    let interrupted = |hold: Hold| matches!(hold, Hold::WhileEnabled | Hold::Indivisible);
    let mut locations = program.processes.iter().flat_map(|process| &process.locations);
    if locations.any(|location| interrupted(location.hold)) {
        return Err(NoTerm::new("a block that a higher priority interrupts cannot be written as terms"));
    }
    Ok(())
}

impl Machine<'_> {
    /// Everything that a process can do from one of its locations, where nobody of higher priority keeps it from that.
    ///
    /// # Errors
    /// If some of it has no term.
    pub fn moves(&mut self, pid: usize, source: usize) -> Result<Moves, NoTerm> {
        let offered = self.offered(pid, source)?;
        self.outranked(pid, offered)
    }

    /// What a process can do of this where nobody of higher priority can step.
    ///
    /// # Errors
    /// If somebody's steps have no terms.
    pub(super) fn outranked(&mut self, pid: usize, mut moves: Moves) -> Result<Moves, NoTerm> {
        if !self.program.priorities {
            return Ok(moves);
        }
        let (alone, exact) = match self.alone.get(&pid) {
            Some(&known) => known,
            None => {
                let found = self.nobody_higher(pid)?;
                self.alone.insert(pid, found);
                found
            }
        };
        for way in &mut moves.ways {
            way.taken = self.terms.and(alone, way.taken);
            way.sure &= exact;
        }
        for slip in &mut moves.slips {
            slip.when = self.terms.and(alone, slip.when);
            slip.exact &= exact;
        }
        Ok(moves)
    }

    /// That nobody of higher priority than a process surely can step, and whether that says exactly where nobody can.
    fn nobody_higher(&mut self, pid: usize) -> Result<(TermId, bool), NoTerm> {
        let program = self.program;
        let priority = |pid: usize| program.instances[pid].priority;
        let (mut parts, mut exact) = (Vec::new(), true);
        for other in (0..self.processes()).filter(|&other| priority(other) > priority(pid)) {
            let locations = &program.process(self.code[other]).locations;
            // Nobody rests inside of a block.
            for source in (0..self.gone(other)).filter(|&at| locations[at].hold == Hold::Free) {
                let there = self.terms.number(source as i128);
                let here = self.terms.eq(self.at[other], there);
                let offered = self.offered(other, source)?;
                exact &= offered.ways.iter().all(|way| way.sure) && offered.slips.iter().all(|slip| slip.exact);
                let ways = offered.ways.iter().filter(|way| way.sure).map(|way| (&way.inputs, way.taken));
                let slips = offered.slips.iter().filter(|slip| slip.exact).map(|slip| (&slip.inputs, slip.when));
                for (inputs, when) in ways.chain(slips) {
                    let none = self.never(inputs, when);
                    parts.push(self.terms.implies(here, none));
                }
            }
        }
        Ok((self.terms.all(&parts), exact))
    }
}

impl ProofObligations<'_, '_> {
    /// What a process can do from a location, where nobody of higher priority keeps it from that.
    pub(super) fn moves(&mut self, pid: usize, at: usize) -> Result<Rc<Moves>, NoTerm> {
        let offered = self.offered(pid, at)?;
        if !self.machine.program.priorities {
            return Ok(offered);
        }
        if let Some(known) = self.unranked.get(&(pid, at)) {
            return Ok(Rc::clone(known));
        }
        let moves = Rc::new(self.machine.outranked(pid, (*offered).clone())?);
        self.unranked.insert((pid, at), Rc::clone(&moves));
        Ok(moves)
    }
}
