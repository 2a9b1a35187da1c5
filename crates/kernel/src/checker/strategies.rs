//! Do all plays of a coalition's strategy satisfy what it is said to enforce?
//!
//! A strategy with finite memory is a graph of positions. Where a player of the coalition has the turn, its moves answer every member of a certain set; elsewhere every possible successor has a move. So each play of every completion against the strategy is a
//! path of positions, and the tableau for linear formulas looks at all of them. A state without possible successors is refused: where a play ends, operators of ATL have a value that no infinite path shows.
//!
//! What is proved is that a coalition can enforce a linear formula, or (of `false`) that all others can enforce its negation: one of both has a strategy with finite memory whenever one has a strategy at all (Büchi and Landweber 1969).

use std::collections::{BTreeSet, HashMap};

use tertium_base::Diagnostic;
use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_logic::{Node, NodeId};
use tertium_model::StateId;

use super::linear::{Sight, Steps, translate};
use super::search::{FairStep, Paths};
use super::structure::Filter;
use super::{Case, Rejection, misfit};

/// What has to be enforced.
struct Contest {
    /// The path formula.
    path: NodeId,
    /// Whether it is to be satisfied, or its negation.
    positive: bool,
    /// For each state whether whoever follows the strategy moves there.
    moves: Vec<bool>,
}

/// The paths of positions.
struct Plays<'a> {
    positions: &'a [(StateId, u32)],
    moves: &'a [Vec<u32>],
}

impl Paths for Plays<'_> {
    fn state(&self, vertex: u32) -> Option<StateId> {
        self.positions.get(vertex as usize).map(|position| position.0)
    }

    fn steps(&self, vertex: u32) -> Vec<FairStep> {
        let step = |&target: &u32| FairStep { target, certain: true, fair: Vec::new() };
        self.moves[vertex as usize].iter().map(step).collect()
    }

    fn constraints(&self) -> usize {
        0
    }
}

pub(super) fn check(case: &Case<'_>, positions: &[(StateId, u32)], moves: &[Vec<u32>]) -> Result<(), Rejection> {
    if case.certificate.reading.deadlock == Deadlock::Maximal {
        return Err(misfit("paths that end are not read for formulas about players"));
    }
    let contest = contest(case)?;
    legal(case, &contest, positions, moves)?;
    let broken_by =
        translate(case.formula, &case.names, contest.path, !contest.positive, Steps::Ignored, &HashMap::new())
            .ok_or_else(|| misfit("a strategy is for one formula about single paths, without coalitions inside"))?;
    match case.search(&broken_by, Sight::Optimistic).run(&Plays { positions, moves }, &[0])?.example {
        None => Ok(()),
        Some(path) => Err(refused(format!("a play of the strategy does not do it: {} …", case.path(&path)))),
    }
}

/// Who follows the strategy, and what for, from the question.
fn contest(case: &Case<'_>) -> Result<Contest, Rejection> {
    let mut positive = case.certificate.value == Belnap::True;
    let mut root = case.formula.root();
    while let Node::Not(inner) = case.formula.node(root) {
        (root, positive) = (inner, !positive);
    }
    let model = case.structure.model;
    let owned = |by: &dyn Fn(&str) -> bool| model.states().map(|state| by(model.owner_name(state))).collect();
    let (path, own): (NodeId, Vec<bool>) = match case.formula.node(root) {
        Node::All(path) => (path, owned(&|_| false)),
        Node::Exists(path) => (path, owned(&|_| true)),
        Node::Coalition(id, path) => {
            let coalition = &case.formula.coalitions()[id.index()];
            (path, owned(&|player| coalition.contains(player) != coalition.cannot_avoid))
        }
        _ => return Err(misfit("a strategy is one of a coalition, about which the formula as a whole is not")),
    };
    // If the coalition cannot, all others can enforce the contrary.
    let moves = own.into_iter().map(|own| own == positive).collect();
    Ok(Contest { path, positive, moves })
}

fn legal(
    case: &Case<'_>,
    contest: &Contest,
    positions: &[(StateId, u32)],
    moves: &[Vec<u32>],
) -> Result<(), Rejection> {
    if positions.len() != moves.len() {
        return Err(refused(format!("there are {} positions and {} lists of moves", positions.len(), moves.len())));
    }
    for &(state, _) in positions {
        case.known_state(state, "the state of a position")?;
    }
    if positions.first().map(|first| first.0) != Some(case.certificate.state) {
        return Err(refused(format!("the first position is not at {}", case.state(case.certificate.state))));
    }
    let structure = &case.structure;
    let mut ticks = 0;
    for (at, moves) in moves.iter().enumerate() {
        case.budget.tick(&mut ticks)?;
        if let Some(&wild) = moves.iter().find(|&&to| to as usize >= positions.len()) {
            return Err(refused(format!("position {at} moves to position {wild}, which there is not")));
        }
        let state = positions[at].0;
        let targets: BTreeSet<StateId> = moves.iter().map(|&to| positions[to as usize].0).collect();
        let name = case.state(state);
        if structure.model.is_dead(state) {
            return Err(refused(format!("a play can end at {name}, and a strategy is about plays that do not")));
        }
        if contest.moves[state.index()] {
            if !structure.certain_within(state, Filter::Any, |member| targets.contains(&member)) {
                return Err(refused(format!("the move of position {at} at {name} is not certain")));
            }
        } else if let Some(missing) = structure.possible(state, Filter::Any).find(|next| !targets.contains(next)) {
            let missing = case.state(missing);
            return Err(refused(format!("position {at} at {name} has no answer to the possible step to {missing}")));
        }
    }
    Ok(())
}

fn refused(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0618", message).into()
}
