//! Single states and paths out of sets, so that what was found can be shown.
//!
//! A state here is the values of the structure's bits, in their order. Of several states always the same one is taken.

use tertium_base::{StopReason, Stopped};
use tertium_dd::{Bit, Set};

use super::linear::{Automata, Recurring};
use super::structure::Structure;
use crate::Filter;

/// A path that goes round for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The states before the loop.
    pub prefix: Vec<Vec<bool>>,
    /// The states of the loop; a step leads from the last to the first.
    pub cycle: Vec<Vec<bool>>,
}

/// Longer lassos are not written out.
const LONGEST: usize = 100_000;

impl Structure {
    /// The set of one state.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn single(&self, row: &[bool]) -> Result<Set, Stopped> {
        let values: Vec<(Bit, bool)> = self.bits.iter().zip(row).map(|(&(now, _), &value)| (now, value)).collect();
        self.diagrams.cube(&values)
    }

    /// One state of a set.
    #[must_use]
    pub fn some(&self, set: &Set) -> Option<Vec<bool>> {
        set.pick(&self.now())
    }
}

/// A shortest path along possible steps from a state of `from` to one of `to`; none if there is none. Both must lie inside the
/// structure's states.
///
/// # Errors
/// `Stopped` if a limit is reached.
pub fn shortest_path(structure: &Structure, from: &Set, to: &Set) -> Result<Option<Vec<Vec<bool>>>, Stopped> {
    let Some(steps) = structure.steps(Filter::Any) else { return Ok(None) };
    let mut seen = to.clone();
    let mut layers = vec![to.clone()];
    while let Some(layer) = layers.last() {
        if !layer.and(from)?.is_empty() {
            break;
        }
        let fresh = steps.possible.before(layer)?.and(&structure.states)?.minus(&seen)?;
        if fresh.is_empty() {
            return Ok(None);
        }
        seen = seen.or(&fresh)?;
        layers.push(fresh);
    }
    let mut path: Vec<Vec<bool>> = Vec::new();
    while let Some(layer) = layers.pop() {
        let candidates = match path.last() {
            None => layer.and(from)?,
            Some(row) => steps.possible.after(&structure.single(row)?)?.and(&layer)?,
        };
        let Some(row) = structure.some(&candidates) else { return Ok(None) };
        path.push(row);
    }
    Ok(Some(path))
}

/// A fair path from a state of `from` that the automaton accepts, along possible steps; none if there is none.
///
/// # Errors
/// `Stopped` if a limit is reached, or the path that was found is too long to be written out.
pub fn lasso(automata: &Automata<'_>, from: &Set) -> Result<Option<Lasso>, Stopped> {
    let inside = automata.winning(false)?;
    let start = automata.automaton.initial.iter().find_map(|&memory| {
        let set = inside[memory as usize].and(from).ok()?;
        Some((automata.structure.some(&set)?, memory))
    });
    let Some(start) = start else { return Ok(None) };
    let mut walk = Walk { automata, inside: &inside, rings: Vec::new(), nodes: vec![start] };
    for kind in automata.recurring() {
        walk.rings.push(walk.rings_to(kind)?);
    }
    let mut rounds: Vec<usize> = Vec::new();
    loop {
        let at = walk.nodes.len() - 1;
        if let Some(&earlier) = rounds.iter().find(|&&earlier| walk.nodes[earlier] == walk.nodes[at]) {
            let mut rows: Vec<Vec<bool>> = walk.nodes.into_iter().map(|(row, _)| row).collect();
            rows.pop();
            let cycle = rows.split_off(earlier);
            return Ok(Some(Lasso { prefix: rows, cycle }));
        }
        rounds.push(at);
        for number in 0..walk.rings.len() {
            walk.visit(number)?;
        }
        if walk.nodes.len() > LONGEST {
            return Err(Stopped(StopReason::Count));
        }
    }
}

struct Walk<'w, 's> {
    automata: &'w Automata<'s>,
    inside: &'w [Set],
    /// For each thing that must recur, from which nodes it is how many steps away.
    rings: Vec<Vec<Vec<Set>>>,
    nodes: Vec<(Vec<bool>, u32)>,
}

impl Walk<'_, '_> {
    /// The nodes where a step of this kind can be taken, those one step before them, and so on.
    fn rings_to(&self, kind: Recurring) -> Result<Vec<Vec<Set>>, Stopped> {
        let taken = self.automata.before(self.inside, kind, false)?;
        let mut seen: Vec<Set> =
            taken.iter().zip(self.inside).map(|(taken, inside)| taken.and(inside)).collect::<Result<_, _>>()?;
        let mut rings = vec![seen.clone()];
        loop {
            let before = self.automata.before(&rings[rings.len() - 1], Recurring::Step, false)?;
            let mut ring = Vec::new();
            for (at, found) in before.into_iter().enumerate() {
                let fresh = found.and(&self.inside[at])?.minus(&seen[at])?;
                seen[at] = seen[at].or(&fresh)?;
                ring.push(fresh);
            }
            if ring.iter().all(Set::is_empty) {
                return Ok(rings);
            }
            rings.push(ring);
        }
    }

    /// Goes on until a step of this kind is taken.
    fn visit(&mut self, number: usize) -> Result<(), Stopped> {
        let Some((row, memory)) = self.nodes.last() else { return Ok(()) };
        let single = self.automata.structure.single(row)?;
        let mut ring = 0;
        while self.rings[number]
            .get(ring)
            .is_some_and(|ring| ring[*memory as usize].and(&single).map_or(true, |both| both.is_empty()))
        {
            ring += 1;
        }
        while ring > 0 {
            ring -= 1;
            let targets = self.rings[number].get(ring).cloned().unwrap_or_default();
            self.step(Recurring::Step, &targets)?;
        }
        let kind = self.automata.recurring()[number];
        self.step(kind, self.inside)
    }

    fn step(&mut self, kind: Recurring, targets: &[Set]) -> Result<(), Stopped> {
        let automata = self.automata;
        let Some((row, memory)) = self.nodes.last().cloned() else { return Ok(()) };
        let filter = if let Recurring::Fair(at) = kind { Filter::Fair(at) } else { Filter::Any };
        let Some(steps) = automata.structure.steps(filter) else { return Err(Stopped(StopReason::Count)) };
        let single = automata.structure.single(&row)?;
        let onward = steps.possible.after(&single)?;
        for (number, transition) in automata.automaton.transitions[memory as usize].iter().enumerate() {
            let unmarked = matches!(kind, Recurring::Mark(mark) if transition.marks >> mark & 1 == 0);
            if unmarked || automata.guard(false, memory as usize, number).and(&single)?.is_empty() {
                continue;
            }
            let Some(target) = targets.get(transition.target as usize) else { continue };
            if let Some(next) = automata.structure.some(&onward.and(target)?) {
                self.nodes.push((next, transition.target));
                return Ok(());
            }
        }
        Err(Stopped(StopReason::Count))
    }
}
