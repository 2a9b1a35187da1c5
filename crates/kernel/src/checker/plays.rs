//! Do all plays of a strategy refute the formula, whoever picks the members of its sets?

use std::collections::BTreeSet;

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_model::StateId;

use super::graph::Graph;
use super::linear::{Sight, Steps};
use super::search::{FairStep, Paths};
use super::structure::Filter;
use super::{Case, Rejection, misfit};
use tertium_evidence::{Deadlock, LinearReading};

/// The plays of a strategy. Vertices are positions, then their copies where a play that ended stutters.
struct Plays<'a> {
    positions: &'a [(StateId, u32)],
    moves: &'a [Vec<u32>],
    /// For each position, whether a play may (or must) end there.
    ends: Vec<bool>,
}

impl Paths for Plays<'_> {
    fn state(&self, vertex: u32) -> Option<StateId> {
        Some(self.positions[vertex as usize % self.positions.len()].0)
    }

    fn steps(&self, vertex: u32) -> Vec<FairStep> {
        self.targets(vertex).into_iter().map(|target| FairStep { target, certain: true, fair: Vec::new() }).collect()
    }

    fn constraints(&self) -> usize {
        0
    }
}

impl Plays<'_> {
    fn targets(&self, vertex: u32) -> Vec<u32> {
        let count = self.positions.len();
        if vertex as usize >= count {
            return vec![vertex];
        }
        let end = self.ends[vertex as usize].then_some(vertex + to_u32(count));
        self.moves[vertex as usize].iter().copied().chain(end).collect()
    }
}

pub(super) fn check(case: &Case<'_>, positions: &[(StateId, u32)], moves: &[Vec<u32>]) -> Result<(), Rejection> {
    if case.certificate.value != Belnap::False || case.certificate.reading.linear != LinearReading::Hyper {
        return Err(misfit("a strategy proves that a linear formula is false in the reading `hyper`, nothing else"));
    }
    let ends = legal(case, positions, moves)?;
    let plays = Plays { positions, moves, ends };
    for constraint in 0..case.structure.constraints() {
        always_fair(case, &plays, constraint)?;
    }
    let linear = case.linear(true, Steps::Ignored)?;
    match case.search(&linear, Sight::Optimistic).run(&plays, &[0])?.example {
        None => Ok(()),
        Some(path) => Err(broken(format!("a play does not refute the formula: {} …", case.path(&path)))),
    }
}

/// Checks that each position's moves answer every member of a certain set; says where a play may end.
fn legal(case: &Case<'_>, positions: &[(StateId, u32)], moves: &[Vec<u32>]) -> Result<Vec<bool>, Rejection> {
    if positions.len() != moves.len() || positions.len() >= u32::MAX as usize / 2 {
        return Err(broken(format!("there are {} positions and {} lists of moves", positions.len(), moves.len())));
    }
    for &(state, _) in positions {
        case.known_state(state, "the state of a position")?;
    }
    if positions.first().map(|first| first.0) != Some(case.certificate.state) {
        return Err(broken(format!("the first position is not at {}", case.state(case.certificate.state))));
    }
    let mut ticks = 0;
    let mut ends = Vec::with_capacity(positions.len());
    for (at, moves) in moves.iter().enumerate() {
        case.budget.tick(&mut ticks)?;
        if let Some(&wild) = moves.iter().find(|&&to| to as usize >= positions.len()) {
            return Err(broken(format!("position {at} moves to position {wild}, which there is not")));
        }
        let targets: BTreeSet<StateId> = moves.iter().map(|&to| positions[to as usize].0).collect();
        ends.push(
            end_of(case, positions[at].0, &targets).ok_or_else(|| uncovered(case, at, positions[at].0, &targets))?,
        );
    }
    Ok(ends)
}

/// Whether a play may end at the state; none if the moves to `targets` cover no certain set.
fn end_of(case: &Case<'_>, state: StateId, targets: &BTreeSet<StateId>) -> Option<bool> {
    let structure = &case.structure;
    if structure.certain_within(state, Filter::Any, |member| targets.contains(&member)) {
        return Some(false);
    }
    // Where ends stutter, "some possible successor, or the end" is certain if nothing smaller is.
    let ends_stutter = structure.deadlock == Deadlock::Maximal;
    let may_end = structure.model.is_dead(state) || !structure.has_certain(state);
    let covered = structure.possible(state, Filter::Any).all(|target| targets.contains(&target));
    (ends_stutter && may_end && covered).then_some(true)
}

fn uncovered(case: &Case<'_>, at: usize, state: StateId, targets: &BTreeSet<StateId>) -> Rejection {
    let names: Vec<_> = targets.iter().map(|&target| case.state(target)).collect();
    broken(format!(
        "position {at} at {} moves into {{{}}}, and no such step is certain",
        case.state(state),
        names.join(", ")
    ))
}

/// Every infinite play must come again and again to positions whose step can be one of the constraint: without them
/// no play goes on forever. (A play that comes back to a position may use its sets in turn, one per constraint.)
fn always_fair(case: &Case<'_>, plays: &Plays<'_>, constraint: usize) -> Result<(), Rejection> {
    let mut graph = Graph::new();
    for (at, &(state, _)) in plays.positions.iter().enumerate() {
        if plays.ends[at] {
            return Err(broken(format!("a play can end at {}, and so is not fair", case.state(state))));
        }
        let targets: BTreeSet<StateId> = plays.moves[at].iter().map(|&to| plays.positions[to as usize].0).collect();
        let counts = case.structure.fair_within(state, constraint, |member| targets.contains(&member));
        graph.push(if counts { Vec::new() } else { plays.moves[at].clone() });
    }
    let component = graph.components(case.budget)?;
    match graph.on_cycle(&component).iter().position(|&cyclic| cyclic) {
        None => Ok(()),
        Some(at) => Err(broken(format!(
            "a play can stay around {} without fairness constraint {}",
            case.state(plays.positions[at].0),
            constraint + 1
        ))),
    }
}

fn broken(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0618", message).into()
}
