//! From where does a path start that an automaton accepts? Greatest fixpoints around least ones (Emerson, Lei 1986).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use tertium_base::Stopped;
use tertium_dd::Set;

use super::known::FixpointKind;
use super::{Automata, Recurring};
use crate::Filter;
use crate::automata::automaton::Component;

/// Sets, and the nodes in them from which some step leads into them.
type KnownPreimage = Option<(Vec<Set>, Vec<Set>)>;

impl Automata<'_> {
    /// One step back from `target`, one set per state of the automaton, by steps of one kind; for states of the automaton
    /// that have no room, if there is one, nothing.
    pub(in crate::symbolic) fn preimage(
        &self,
        target: &[Set],
        room: Option<&[Set]>,
        kind: Recurring,
        certain: bool,
    ) -> Result<Vec<Set>, Stopped> {
        let filter = self.filter(kind);
        let mut known: BTreeMap<(usize, usize), Set> = BTreeMap::new();
        let mut found = Vec::with_capacity(target.len());
        for (from, transitions) in self.automaton.transitions.iter().enumerate() {
            let mut all = self.structure.diagrams.empty();
            let transitions = if room.is_some_and(|room| room[from].is_empty()) { &[] } else { transitions.as_slice() };
            for (number, transition) in transitions.iter().enumerate() {
                let (to, guard) = (transition.target as usize, self.guard(certain, from, number));
                let unmarked = matches!(kind, Recurring::Mark(mark) if transition.marks >> mark & 1 == 0);
                if unmarked || target[to].is_empty() || guard.is_empty() {
                    continue;
                }
                for (at, steps) in self.along(filter, certain, self.need(from, number)).into_iter().enumerate() {
                    let Some(steps) = steps else { continue };
                    let before = match known.entry((to, at)) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(unknown) => unknown.insert(steps.preimage(&target[to])?),
                    };
                    all = all.or(&guard.and(before)?)?;
                }
            }
            if let Some(sources) = self.sources(kind, certain) {
                all = all.and(sources)?;
            }
            found.push(all);
        }
        Ok(found)
    }

    /// Everything in `room` with steps inside it to `goal`.
    pub(in crate::symbolic) fn backward_reachable(
        &self,
        goal: Vec<Set>,
        room: Option<&[Set]>,
        certain: bool,
    ) -> Result<Vec<Set>, Stopped> {
        let (mut reached, mut fresh) = (goal.clone(), goal);
        while fresh.iter().any(|set| !set.is_empty()) {
            let before = self.preimage(&fresh, room, Recurring::Step, certain)?;
            for (at, mut found) in before.into_iter().enumerate() {
                if let Some(room) = room {
                    found = found.and(&room[at])?;
                }
                fresh[at] = found.minus(&reached[at])?;
                reached[at] = reached[at].or(&fresh[at])?;
            }
        }
        Ok(reached)
    }

    /// Everything that possible steps inside `room` lead to, `from` itself included.
    pub(in crate::symbolic) fn reachable(&self, from: Vec<Set>, room: &[Set]) -> Result<Vec<Set>, Stopped> {
        let (mut reached, mut fresh) = (from.clone(), from);
        while fresh.iter().any(|set| !set.is_empty()) {
            let mut next = vec![self.structure.diagrams.empty(); fresh.len()];
            for (from, transitions) in self.automaton.transitions.iter().enumerate() {
                for (number, transition) in transitions.iter().enumerate() {
                    let (leaves, to) = (fresh[from].and(self.guard(false, from, number))?, transition.target as usize);
                    let steps = self.along(Filter::Any, false, self.need(from, number));
                    for steps in steps.into_iter().flatten().filter(|_| !leaves.is_empty()) {
                        next[to] = next[to].or(&steps.image(&leaves)?.and(&room[to])?)?;
                    }
                }
            }
            for (at, found) in next.into_iter().enumerate() {
                fresh[at] = found.minus(&reached[at])?;
                reached[at] = reached[at].or(&fresh[at])?;
            }
        }
        Ok(reached)
    }

    /// Where accepting fair paths start, one set per state of the automaton.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn winning(&self, certain: bool) -> Result<Vec<Set>, Stopped> {
        self.known_or(FixpointKind::Winning, certain, || {
            let core = self.core(certain)?;
            let room = vec![self.structure.states.clone(); core.len()];
            self.backward_reachable(core, Some(&room), certain)
        })
    }

    /// Where an accepted fair path stays from some time on: for each component of the automaton the largest set in which every
    /// node has a way, inside it, to everything that must recur, and to what strong fairness asks for where it asks.
    pub(in crate::symbolic) fn core(&self, certain: bool) -> Result<Vec<Set>, Stopped> {
        self.known_or(FixpointKind::Core, certain, || self.cores(certain))
    }

    /// The core of each component.
    fn cores(&self, certain: bool) -> Result<Vec<Set>, Stopped> {
        let mut all = vec![self.structure.diagrams.empty(); self.automaton.transitions.len()];
        for component in self.automaton.accepting_components() {
            let mut inside = vec![self.structure.diagrams.empty(); all.len()];
            for &member in &component.members {
                inside[member] = self.structure.states.clone();
            }
            let found = self.core_of(inside, &self.recurring_in(&component), certain)?;
            for &member in &component.members {
                all[member] = found[member].clone();
            }
        }
        Ok(all)
    }

    /// The core of what is inside: every condition takes out what cannot keep it, in turn, until none does.
    fn core_of(&self, mut inside: Vec<Set>, kinds: &[Recurring], certain: bool) -> Result<Vec<Set>, Stopped> {
        let strong = (0..self.fairness.strong.len()).map(Recurring::Strong);
        let compassion = (0..self.promised.compassion.len()).map(Recurring::Compassion);
        let conditions: Vec<Recurring> = kinds.iter().copied().chain(strong).chain(compassion).collect();
        let (mut kept, mut known) = (0, None);
        for &kind in conditions.iter().cycle() {
            let next = self.keeping(&inside, kind, certain, &mut known)?;
            kept = if next == inside { kept + 1 } else { 0 };
            inside = next;
            if kept == conditions.len() {
                break;
            }
        }
        Ok(inside)
    }

    /// The nodes inside from which a way inside keeps one condition.
    fn keeping(
        &self,
        inside: &[Set],
        kind: Recurring,
        certain: bool,
        known: &mut KnownPreimage,
    ) -> Result<Vec<Set>, Stopped> {
        let goal = self.taken_knowing(inside, kind, certain, known)?;
        let asking = match kind {
            Recurring::Step => return Ok(goal),
            Recurring::Strong(number) => Some(&self.fairness.strong[number].enabled),
            Recurring::Compassion(number) => Some(&self.promised.compassion[number].0.open),
            Recurring::Mark(_) | Recurring::Fair(_) | Recurring::Justice(_) => None,
        };
        let served = self.backward_reachable(goal, Some(inside), certain)?;
        let Some(asking) = asking else { return Ok(served) };
        inside.iter().zip(&served).map(|(inside, served)| inside.minus(asking)?.or(served)).collect()
    }

    /// As [`Self::taken`]. Where a kind only says from where steps are taken, those of any kind are known already if they were asked for before.
    fn taken_knowing(
        &self,
        inside: &[Set],
        kind: Recurring,
        certain: bool,
        known: &mut KnownPreimage,
    ) -> Result<Vec<Set>, Stopped> {
        let Some(sources) = self.sources(kind, certain) else { return self.taken(inside, kind, certain) };
        let any = match known {
            Some((of, any)) if of.as_slice() == inside => any.clone(),
            _ => {
                let any = self.taken(inside, Recurring::Step, certain)?;
                known.insert((inside.to_vec(), any)).1.clone()
            }
        };
        any.iter().map(|any| any.and(sources)).collect()
    }

    /// What must recur inside a component: marks that all its transitions carry recur by themselves.
    fn recurring_in(&self, component: &Component) -> Vec<Recurring> {
        let unsure = |kind: &Recurring| !matches!(kind, Recurring::Mark(mark) if component.marks >> mark & 1 == 1);
        let kinds: Vec<Recurring> = self.recurring().into_iter().filter(unsure).collect();
        if kinds.is_empty() { vec![Recurring::Step] } else { kinds }
    }

    /// The nodes inside from which a step of a kind leads inside.
    pub(in crate::symbolic) fn taken(
        &self,
        inside: &[Set],
        kind: Recurring,
        certain: bool,
    ) -> Result<Vec<Set>, Stopped> {
        let before = self.preimage(inside, Some(inside), kind, certain)?;
        before.iter().zip(inside).map(|(before, inside)| before.and(inside)).collect()
    }

    /// The same with prefixes after which the automaton accepts whatever comes.
    pub(super) fn with_prefixes(&self, mut won: Vec<Set>) -> Result<Vec<Set>, Stopped> {
        let open_future = self.automaton.accepts_unknown();
        for (from, transitions) in self.automaton.transitions.iter().enumerate() {
            for (number, transition) in transitions.iter().enumerate() {
                if open_future[transition.target as usize] {
                    won[from] = won[from].or(self.guard(true, from, number))?;
                }
            }
        }
        self.backward_reachable(won, None, true)
    }

    pub(in crate::symbolic) fn at_start(&self, won: &[Set]) -> Result<Set, Stopped> {
        let mut all = self.structure.diagrams.empty();
        for &start in &self.automaton.initial {
            all = all.or(&won[start as usize])?;
        }
        Ok(all)
    }

    /// The states of the structure at which an accepted fair path starts.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn starts(&self, certain: bool) -> Result<Set, Stopped> {
        self.at_start(&self.winning(certain)?)
    }
}
