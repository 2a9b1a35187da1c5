//! Is there a run that a `never` claim, an acceptance label or missing progress forbids, over sets?
//!
//! The automaton is that of a search; what it asks of a state is a set. A run that it accepts is found in the product and given
//! to it once more, state by state.

use tertium_cegar::answer::ProgramAnswer;
use tertium_check::symbolic::{Automata, GuardedTransition, Pair};
use tertium_encode::never_claim::{ClaimAutomaton, ClaimStep};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::questions::{MonitorQuery, Question, WatchKind};
use tertium_program::{ProcessId, Program, Semantics};
use tertium_structures::engines;

use super::decide::{SymbolicCheck, failure};
use super::evidence;
use super::structure::{label, structure};
use crate::claims::{self, Automaton, ClaimEdge};
use crate::notes::Notes;
use crate::safety::cannot_evaluate;

/// The claim that a question is about, if it takes notes.
pub(super) fn noting(program: &Program, question: &Question) -> Result<Option<ProcessId>, Failure> {
    let Question::Watched(MonitorQuery { kind: WatchKind::Claim(claim), .. }) = question else { return Ok(None) };
    Ok(Notes::of(&Semantics::new(program), *claim)?.map(|_| *claim))
}

impl SymbolicCheck<'_, '_> {
    pub(super) fn watched(&self, watched: &MonitorQuery, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        let semantics = Semantics::new(self.subject.original());
        if let WatchKind::Claim(claim) = watched.kind
            && let Some(notes) = Notes::of(&semantics, claim)?
        {
            return self.noted(&notes, claim, answer);
        }
        let automaton = claims::automaton(self.subject.original(), watched.kind)?;
        let fair = self.fair_if(true);
        let structure = structure(self.encoding, &fair.weak, !fair.fairness.strong.is_empty(), automaton.stutters)?;
        let mut atoms = Vec::new();
        for &atom in &automaton.atoms {
            atoms.push(label(self.encoding, self.subject.expr(atom)).map_err(failure)?);
        }
        let mut ways = Vec::new();
        for state in 0..automaton.states.len() {
            ways.push(readings(&automaton, state, &atoms, &structure.states)?);
        }
        let automata = Automata::watching(&structure, automaton.initial, ways, &fair.fairness);
        let automata = automata.map_err(engines::failure)?;
        let init = &self.encoding.init;
        let forbidden = init.and(&automata.starts(true)?)?;
        let possible = init.and(&automata.starts(false)?)?;
        answer.verdict.settle(Belnap::from_evidence(possible.is_empty(), !forbidden.is_empty()));
        if answer.value() == Belnap::Unknown {
            answer.verdict.leave_open(cannot_evaluate());
        }
        if answer.value() == Belnap::False {
            let run = self.run_of_original(evidence::lasso_run(self.encoding, &automata, &forbidden, &fair.all)?)?;
            answer.show_run(run.map(|run| claims::judged(&semantics, &automaton, run)).transpose()?);
        }
        Ok(())
    }

    /// Decides about a claim that takes notes.
    fn noted(&self, notes: &Notes<'_, '_>, claim: ProcessId, answer: &mut ProgramAnswer) -> Result<(), Failure> {
        let fair = self.fair_if(true);
        let structure = structure(self.encoding, &fair.weak, !fair.fairness.strong.is_empty(), true)?;
        let ClaimAutomaton { initial, steps, blurred } =
            ClaimAutomaton::of(self.encoding, self.subject, claim).map_err(failure)?;
        if blurred {
            answer.verdict.leave_open(cannot_evaluate());
            return Ok(());
        }
        let reading = |ClaimStep { guard, target, accepting }| GuardedTransition {
            guard: Pair::decided(guard),
            target,
            accepting,
        };
        let ways = steps.into_iter().map(|steps| steps.into_iter().map(reading).collect()).collect();
        let automata = Automata::watching(&structure, initial, ways, &fair.fairness).map_err(engines::failure)?;
        let forbidden = self.encoding.init.and(&automata.starts(true)?)?;
        answer.verdict.settle(Belnap::from_evidence(forbidden.is_empty(), !forbidden.is_empty()));
        if answer.value() == Belnap::False {
            let run = self.run_of_original(evidence::lasso_run(self.encoding, &automata, &forbidden, &fair.all)?)?;
            answer.show_run(run.map(|run| notes.judged(run)).transpose()?);
        }
        Ok(())
    }
}

/// What an automaton can do in one of its states.
fn readings(
    automaton: &Automaton,
    state: usize,
    atoms: &[Pair],
    all: &tertium_dd::Set,
) -> Result<Vec<GuardedTransition>, Failure> {
    if state == automaton.done {
        return Ok(vec![GuardedTransition { guard: Pair::decided(all.clone()), target: state, accepting: true }]);
    }
    let mut found = Vec::new();
    for ClaimEdge { needs, asserts, target } in &automaton.states[state] {
        let mut guard = Pair::decided(all.clone());
        for &(atom, wanted) in needs {
            guard = both(&guard, &if wanted { atoms[atom].clone() } else { atoms[atom].not() })?;
        }
        for &asserted in asserts {
            let failed = both(&guard, &atoms[asserted].not())?;
            mark(automaton, state, (failed, automaton.done), atoms, &mut found)?;
            guard = both(&guard, &atoms[asserted])?;
        }
        mark(automaton, state, (guard, *target), atoms, &mut found)?;
    }
    Ok(found)
}

/// Adds a way: marked where the automaton, or some process, is at an acceptance label.
fn mark(
    automaton: &Automaton,
    state: usize,
    (guard, target): (Pair, usize),
    atoms: &[Pair],
    found: &mut Vec<GuardedTransition>,
) -> Result<(), Failure> {
    match automaton.accept_atom.filter(|_| !automaton.accepting[state]) {
        None => found.push(GuardedTransition { guard, target, accepting: automaton.accepting[state] }),
        Some(atom) => {
            found.push(GuardedTransition { guard: both(&guard, &atoms[atom])?, target, accepting: true });
            found.push(GuardedTransition { guard: both(&guard, &atoms[atom].not())?, target, accepting: false });
        }
    }
    Ok(())
}

fn both(a: &Pair, b: &Pair) -> Result<Pair, Failure> {
    Ok(Pair { yes: a.yes.and(&b.yes)?, open: a.open.and(&b.open)? })
}
