//! In which states can no process step?

use super::machine::NoTerm;
use super::proof_obligations::ProofObligations;
use super::terms::TermId;

impl ProofObligations<'_, '_> {
    /// No process can step, and not all are where they may rest; as far as locations are known.
    pub(super) fn deadlocked(&mut self, at: &[Option<u32>]) -> Result<TermId, NoTerm> {
        let stuck = self.stuck(at, None, true)?;
        Ok(self.not_at_rest(at, stuck))
    }

    /// The same, but nothing that is only not sure to be a step is left out: where this holds, there is a deadlock.
    pub(super) fn surely_deadlocked(&mut self, at: &[Option<u32>]) -> Result<TermId, NoTerm> {
        let mut none = Vec::new();
        for (pid, &place) in at.iter().enumerate() {
            for source in self.places(pid, place) {
                let moves = self.offered(pid, source)?;
                let there = self.machine.terms.number(source as i128);
                let here = self.machine.terms.eq(self.machine.at[pid], there);
                let ways = moves.ways.iter().map(|way| (&way.inputs, way.taken));
                for (inputs, when) in ways.chain(moves.slips.iter().map(|slip| (&slip.inputs, slip.when))) {
                    let never = self.machine.never(inputs, when);
                    none.push(self.machine.terms.implies(here, never));
                }
            }
        }
        let none = self.machine.terms.all(&none);
        Ok(self.not_at_rest(at, none))
    }

    /// All are stuck, and not all are where they may rest.
    fn not_at_rest(&mut self, at: &[Option<u32>], stuck: TermId) -> TermId {
        let mut parts = vec![stuck];
        let mut ends = Vec::new();
        for pid in 0..self.machine.processes() {
            let process = self.machine.program.process(self.machine.code[pid]);
            let mut rests = Vec::new();
            for location in
                (0..=self.machine.gone(pid)).filter(|&at| at == process.locations.len() || process.locations[at].end)
            {
                let there = self.machine.terms.number(location as i128);
                rests.push(self.machine.terms.eq(self.machine.at[pid], there));
            }
            ends.push(self.machine.terms.any(&rests));
        }
        let ended = self.machine.terms.all(&ends);
        parts.push(self.machine.terms.not(ended));
        let known = self.known(at);
        let deadlocked = self.machine.terms.all(&parts);
        self.machine.terms.substitute(deadlocked, &known)
    }

    /// Nobody, or not this process, has a step that ends well (or, if `any`, one at all).
    pub(super) fn stuck(&mut self, at: &[Option<u32>], only: Option<usize>, any: bool) -> Result<TermId, NoTerm> {
        // Whoever can step keeps from it those of lower priority only: nobody can if nobody could.
        let anyone = only.is_none();
        let pids: Vec<usize> = only.map_or_else(|| (0..self.machine.processes()).collect(), |only| vec![only]);
        self.idle(at, &pids, (any, anyone))
    }

    /// None of these has a step that ends well (or, if `any`, one at all); with `offered`, one that it could take if its priority let it.
    pub(super) fn idle(
        &mut self,
        at: &[Option<u32>],
        pids: &[usize],
        (any, offered): (bool, bool),
    ) -> Result<TermId, NoTerm> {
        let known = self.known(at);
        let mut parts = Vec::new();
        for &pid in pids {
            for source in self.places(pid, at[pid]) {
                let moves = if offered { self.offered(pid, source)? } else { self.moves(pid, source)? };
                let there = self.machine.terms.number(source as i128);
                let here = self.machine.terms.eq(self.machine.at[pid], there);
                for way in moves.ways.iter().filter(|way| way.sure) {
                    let none = self.machine.never(&way.inputs, way.taken);
                    parts.push(self.machine.terms.implies(here, none));
                }
                // What is not sure to go wrong is left out: then more seems to be stuck than is.
                for slip in moves.slips.iter().filter(|slip| any && slip.exact) {
                    let none = self.machine.never(&slip.inputs, slip.when);
                    parts.push(self.machine.terms.implies(here, none));
                }
            }
        }
        let parts: Vec<TermId> = parts.iter().map(|&part| self.machine.terms.substitute(part, &known)).collect();
        Ok(self.machine.terms.all(&parts))
    }
}
