//! Which obligation does each part of a drawn structure become?

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::narrow::to_u32;
use tertium_evidence::abstraction::AbstractState;
use tertium_program::ExprId;

use super::machine::NoTerm;
use super::proof_obligations::{Expected, Obligation, ProofObligations};
use super::steps::StepPath;
use super::terms::TermId;

impl ProofObligations<'_, '_> {
    /// That an initial state of the program is among those of an abstract one.
    ///
    /// # Errors
    /// If that depends on functions of which nothing is known.
    pub fn starts_in(&mut self, state: usize) -> Result<Option<Obligation>, NoTerm> {
        let (start, inside) = (self.initial()?, self.whole(state));
        if self.machine.terms.has_functions(&[start, inside]) {
            return Err(NoTerm::new("whether the program begins there depends on functions"));
        }
        let about = format!("the abstract state {state} contains an initial state of the program");
        Ok(self.obligation("starts", about, &[start, inside], Expected::Sat))
    }

    /// A state's name, for people.
    pub(super) fn called(&self, number: usize) -> String {
        let state = &self.abstraction.states[number];
        let mark = |value: &Option<bool>| match value {
            Some(true) => 'T',
            Some(false) => 'F',
            None => '?',
        };
        let cube: String = state.cube.iter().map(mark).collect();
        format!("state {number} ({} {cube})", self.placed(&state.at))
    }

    /// Asks whether something is so in a state; `about` says what, and its name is added.
    pub(super) fn asked_in(
        &mut self,
        number: usize,
        kind: &'static str,
        about: &str,
        parts: &[TermId],
        found: &mut Vec<Obligation>,
    ) {
        let all = self.seen_in(number, parts);
        let about = format!("{about}, in {}", self.called(number));
        found.extend(self.obligation(kind, about, &all, Expected::Unsat));
    }

    /// What is said of the program states of an abstract one, with what is known there put in.
    pub(super) fn seen_in(&mut self, number: usize, parts: &[TermId]) -> Vec<TermId> {
        let AbstractState { at, values, .. } = self.abstraction.states[number].clone();
        let known = self.known_with(&at, &values);
        let inside = self.inside(number);
        let mut all = vec![inside];
        all.extend_from_slice(parts);
        let mut all: Vec<TermId> = all.iter().map(|&part| self.machine.terms.substitute(part, &known)).collect();
        all.extend(self.held_in_arrays(&values, &all));
        all.extend(self.facts_at(&known, &all));
        all
    }

    /// Every step of the program from a state is one of its possible steps.
    pub(super) fn steps_are_possible(
        &mut self,
        number: usize,
        targets: &BTreeMap<(u32, u32), BTreeSet<u32>>,
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        let at = self.abstraction.states[number].at.clone();
        let none = BTreeSet::new();
        for (pid, &place) in at.iter().enumerate() {
            let to = targets.get(&(to_u32(number), to_u32(pid))).unwrap_or(&none);
            for source in self.places(pid, place) {
                for way in &self.moves(pid, source)?.ways {
                    if place.is_none() && self.is_unnoticed(way) && to.contains(&to_u32(number)) {
                        continue;
                    }
                    let arrives = self.arrives(way, to)?;
                    let outside = self.machine.terms.not(arrives);
                    let here = self.from(way);
                    let about = format!("{} is one of the possible steps that are listed", self.told(way));
                    self.asked_in(number, "step", &about, &[here, way.taken, outside], found);
                }
            }
        }
        Ok(())
    }

    /// Being where a way begins.
    pub(super) fn from(&mut self, way: &StepPath) -> TermId {
        let source = self.machine.terms.number(way.source as i128);
        self.machine.terms.eq(self.machine.at[way.pid], source)
    }

    /// A way leads into one of these states.
    pub(super) fn arrives(&mut self, way: &StepPath, into: &BTreeSet<u32>) -> Result<TermId, NoTerm> {
        let targets = self.targets(way)?;
        let mut parts = Vec::new();
        for &member in into {
            // Those at another location are not what it leads to.
            let at = &self.abstraction.states[member as usize].at;
            if targets.iter().any(|&(slot, target)| at[slot].is_some_and(|there| there != target)) {
                continue;
            }
            parts.push(self.whole(member as usize));
        }
        let inside = self.machine.terms.any(&parts);
        Ok(self.machine.terms.substitute(inside, &way.after))
    }

    /// An atom has this value in a state.
    pub(super) fn label_holds(
        &mut self,
        number: usize,
        (atom, value): (ExprId, bool),
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        let at = self.abstraction.states[number].at.clone();
        let (yes, no) = self.machine.observed(atom)?;
        let not = self.machine.terms.not(if value { yes } else { no });
        let mut parts = vec![not];
        parts.extend(self.about_deadlock(&at, not)?);
        let about = format!("`{}` is {value}", self.machine.program.show(atom));
        self.asked_in(number, "label", &about, &parts, found);
        Ok(())
    }

    /// Every program state of an abstract one can step into a member of the set.
    pub(super) fn is_certain(
        &mut self,
        number: usize,
        by: Option<usize>,
        members: &BTreeSet<u32>,
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        let at = self.abstraction.states[number].at.clone();
        let mut none = Vec::new();
        for pid in (0..self.machine.processes()).filter(|&pid| by.is_none_or(|by| by == pid)) {
            for source in self.places(pid, at[pid]) {
                for way in self.moves(pid, source)?.ways.iter().filter(|way| way.sure) {
                    let (here, arrives) = (self.from(way), self.arrives(way, members)?);
                    let whole = self.machine.terms.all(&[here, way.taken, arrives]);
                    none.push(self.machine.never(&way.inputs, whole));
                }
            }
        }
        let who = by.map_or("some process".to_owned(), |by| self.machine.name(by).to_owned());
        let members: Vec<String> = members.iter().map(u32::to_string).collect();
        let about = format!("{who} can surely step into one of the states {}", members.join(", "));
        self.asked_in(number, "certain", &about, &none, found);
        Ok(())
    }

    /// A process, or some process, can step from every program state of an abstract one.
    pub(super) fn is_able(
        &mut self,
        number: usize,
        who: Option<usize>,
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        let at = self.abstraction.states[number].at.clone();
        let stuck = self.stuck(&at, who, false)?;
        let name = who.map_or("some process".to_owned(), |pid| self.machine.name(pid).to_owned());
        self.asked_in(number, "able", &format!("{name} can surely step"), &[stuck], found);
        Ok(())
    }
}
