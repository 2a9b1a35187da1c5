//! Which fixpoints are known? All properties under the same fairness ask where it can be kept, and a counterexample asks once more what the
//! value asked for.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tertium_base::Stopped;
use tertium_dd::Set;

use super::Automata;

/// Which fixpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FixpointKind {
    /// Where an accepted fair path stays.
    Core,
    /// Where one starts.
    Winning,
}

/// Everything that a fixpoint depends on besides the structure's steps. Sets are the same if their diagrams are.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FixpointKey {
    kind: FixpointKind,
    certain: bool,
    states: Set,
    marks: u32,
    /// From where, to where, with which marks, under which guard.
    transitions: Vec<(usize, u32, u64, Set)>,
    justice: Vec<Set>,
    compassion: Vec<(Set, Set)>,
    constraints: usize,
}

/// Keys with what was found, the oldest first.
type FoundFixpoints = VecDeque<(FixpointKey, Vec<Set>)>;

/// The fixpoints that were found last in one structure. Clones share them, so whoever changes the steps of a clone begins with none.
#[derive(Clone, Debug, Default)]
pub struct KnownFixpoints(Arc<Mutex<FoundFixpoints>>);

/// Older ones are forgotten: each holds nodes.
const MOST_KNOWN: usize = 16;

impl KnownFixpoints {
    fn get(&self, key: &FixpointKey) -> Option<Vec<Set>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(found, _)| found == key).map(|(_, sets)| sets.clone())
    }

    fn note(&self, key: FixpointKey, sets: &[Set]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.pop_front();
        }
        known.push_back((key, sets.to_vec()));
    }
}

impl Automata<'_> {
    /// A fixpoint, computed unless it is known.
    pub(super) fn known_or(
        &self,
        kind: FixpointKind,
        certain: bool,
        compute: impl FnOnce() -> Result<Vec<Set>, Stopped>,
    ) -> Result<Vec<Set>, Stopped> {
        let Some(key) = self.key(kind, certain) else { return compute() };
        if let Some(sets) = self.structure.known.get(&key) {
            return Ok(sets);
        }
        let sets = compute()?;
        self.structure.known.note(key, &sets);
        Ok(sets)
    }

    /// None where the values of steps count, or strong fairness of processes.
    fn key(&self, kind: FixpointKind, certain: bool) -> Option<FixpointKey> {
        if self.values.is_some() || !self.needs.is_empty() || !self.fairness.strong.is_empty() {
            return None;
        }
        let mut transitions = Vec::new();
        for (from, row) in self.automaton.transitions.iter().enumerate() {
            for (number, step) in row.iter().enumerate() {
                transitions.push((from, step.target, step.marks, self.guard(certain, from, number).clone()));
            }
        }
        let side = |pair: &crate::symbolic::values::Pair| if certain { pair.yes.clone() } else { pair.open.clone() };
        let compassion = self.promised.compassion.iter();
        Some(FixpointKey {
            kind,
            certain,
            states: self.structure.states.clone(),
            marks: self.automaton.marks,
            transitions,
            justice: self.promised.justice.iter().map(side).collect(),
            compassion: compassion.map(|(often, then)| (often.open.clone(), side(then))).collect(),
            constraints: self.fairness.constraints,
        })
    }
}
