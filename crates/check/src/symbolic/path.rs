//! Single states and paths out of sets: witnesses and counterexamples (Clarke, Grumberg, McMillan, Zhao 1995).
//!
//! The frontier of each backward step is kept as an onion ring; a shortest path goes from ring to ring.
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
    let mut rings = vec![to.clone()];
    while let Some(ring) = rings.last() {
        if !ring.and(from)?.is_empty() {
            break;
        }
        let frontier = steps.possible.preimage(ring)?.and(&structure.states)?.minus(&seen)?;
        if frontier.is_empty() {
            return Ok(None);
        }
        seen = seen.or(&frontier)?;
        rings.push(frontier);
    }
    let mut path: Vec<Vec<bool>> = Vec::new();
    while let Some(ring) = rings.pop() {
        let candidates = match path.last() {
            None => ring.and(from)?,
            Some(row) => steps.possible.image(&structure.single(row)?)?.and(&ring)?,
        };
        let Some(row) = structure.some(&candidates) else { return Ok(None) };
        path.push(row);
    }
    Ok(Some(path))
}

/// As [`shortest_path`], looking ahead from `from`: better where what is reached has smaller diagrams than what leads to a goal.
///
/// # Errors
/// `Stopped` if a limit is reached.
pub fn shortest_path_forward(structure: &Structure, from: &Set, to: &Set) -> Result<Option<Vec<Vec<bool>>>, Stopped> {
    let Some(steps) = structure.steps(Filter::Any) else { return Ok(None) };
    let mut seen = from.clone();
    let mut rings = vec![from.clone()];
    while let Some(ring) = rings.last() {
        if !ring.and(to)?.is_empty() {
            break;
        }
        let frontier = steps.possible.image(ring)?.and(&structure.states)?.minus(&seen)?;
        if frontier.is_empty() {
            return Ok(None);
        }
        seen = seen.or(&frontier)?;
        rings.push(frontier);
    }
    let mut path: Vec<Vec<bool>> = Vec::new();
    while let Some(ring) = rings.pop() {
        let candidates = match path.last() {
            None => ring.and(to)?,
            Some(row) => steps.possible.preimage(&structure.single(row)?)?.and(&ring)?,
        };
        let Some(row) = structure.some(&candidates) else { return Ok(None) };
        path.push(row);
    }
    path.reverse();
    Ok(Some(path))
}

/// A fair path from a state of `from` that the automaton accepts, along possible steps; none if there is none.
///
/// # Errors
/// `Stopped` if a limit is reached, or the path that was found is too long to be written out.
pub fn lasso(automata: &Automata<'_>, from: &Set) -> Result<Option<Lasso>, Stopped> {
    let winning = automata.winning(false)?;
    let start = automata.automaton.initial.iter().find_map(|&memory| {
        let set = winning[memory as usize].and(from).ok()?;
        Some((automata.structure.some(&set)?, memory))
    });
    let Some(start) = start else { return Ok(None) };
    let mut walk =
        LassoSearch { automata, inside: winning, kinds: automata.recurring(), rings: Vec::new(), nodes: vec![start] };
    if !automata.fairness.strong.is_empty() || !automata.promised.compassion.is_empty() {
        walk.settle()?;
    }
    for kind in walk.kinds.clone() {
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

/// For each distance from a goal the nodes that are that far away.
type Rings = Vec<Vec<Set>>;

struct LassoSearch<'w, 's> {
    automata: &'w Automata<'s>,
    /// Where the path stays.
    inside: Vec<Set>,
    /// What must recur.
    kinds: Vec<Recurring>,
    /// For each of them from which nodes it is how many steps away.
    rings: Vec<Rings>,
    nodes: Vec<(Vec<bool>, u32)>,
}

impl LassoSearch<'_, '_> {
    /// The nodes where a step of this kind can be taken, those one step before them, and so on.
    fn rings_to(&self, kind: Recurring) -> Result<Rings, Stopped> {
        self.rings_around(self.automata.taken(&self.inside, kind, false)?)
    }

    fn rings_around(&self, goal: Vec<Set>) -> Result<Rings, Stopped> {
        let mut seen = goal.clone();
        let mut rings = vec![goal];
        loop {
            let before = self.automata.preimage(&rings[rings.len() - 1], Some(&self.inside), Recurring::Step, false)?;
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

    /// Goes into a part of the core that is left by no step inside the core, and stays there: who can step somewhere in it can
    /// be given a turn from everywhere in it.
    fn settle(&mut self) -> Result<(), Stopped> {
        let core = self.automata.core(false)?;
        self.approach(&self.rings_around(core.clone())?)?;
        self.inside = core;
        loop {
            let here = self.here()?;
            let forward = self.automata.reachable(here.clone(), &self.inside)?;
            let backward = self.automata.backward_reachable(here, Some(&forward), false)?;
            let beyond: Vec<Set> =
                forward.iter().zip(&backward).map(|(all, back)| all.minus(back)).collect::<Result<_, _>>()?;
            self.inside = forward;
            if beyond.iter().all(Set::is_empty) {
                break;
            }
            self.approach(&self.rings_around(beyond)?)?;
        }
        let strong = self.automata.fairness.strong.iter().enumerate();
        let strong = strong.map(|(number, strong)| (Recurring::Strong(number), &strong.enabled));
        let compassion = self.automata.promised.compassion.iter().enumerate();
        let compassion = compassion.map(|(number, (often, _))| (Recurring::Compassion(number), &often.open));
        for (kind, enabled) in strong.chain(compassion) {
            let mut asked = false;
            for set in &self.inside {
                asked |= !set.and(enabled)?.is_empty();
            }
            if asked {
                self.kinds.push(kind);
            }
        }
        Ok(())
    }

    /// The last node, as sets.
    fn here(&self) -> Result<Vec<Set>, Stopped> {
        let structure = self.automata.structure;
        let mut here = vec![structure.diagrams.empty(); self.inside.len()];
        if let Some((row, memory)) = self.nodes.last() {
            here[*memory as usize] = structure.single(row)?;
        }
        Ok(here)
    }

    /// Goes on to the innermost of these rings.
    fn approach(&mut self, rings: &Rings) -> Result<(), Stopped> {
        let here = self.here()?;
        let mut ring = 0;
        while let Some(sets) = rings.get(ring) {
            let mut met = false;
            for (set, here) in sets.iter().zip(&here) {
                met |= !set.and(here)?.is_empty();
            }
            if met {
                break;
            }
            ring += 1;
        }
        while ring > 0 {
            ring -= 1;
            let targets = rings.get(ring).cloned().unwrap_or_default();
            self.step(Recurring::Step, &targets)?;
        }
        Ok(())
    }

    /// Goes on until a step of this kind is taken.
    fn visit(&mut self, number: usize) -> Result<(), Stopped> {
        let rings = std::mem::take(&mut self.rings[number]);
        let found = self.approach(&rings);
        self.rings[number] = rings;
        found?;
        let inside = self.inside.clone();
        self.step(self.kinds[number], &inside)
    }

    fn step(&mut self, kind: Recurring, targets: &[Set]) -> Result<(), Stopped> {
        let automata = self.automata;
        let Some((row, memory)) = self.nodes.last().cloned() else { return Ok(()) };
        let Some(steps) = automata.structure.steps(automata.filter(kind)) else {
            return Err(Stopped(StopReason::Count));
        };
        let single = automata.structure.single(&row)?;
        let onward = steps.possible.image(&single)?;
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
