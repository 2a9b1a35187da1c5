//! Can a path be forced to avoid a formula by choosing among certain sets?
//!
//! All runs of the tableau on a play are followed at once. Each carries how often it has met all its promises; a play
//! on which no run does so for ever avoids the formula. A strategy that keeps all counts below a bound
//! is one of a game where nothing but a bound can be broken, so the positions from which it exists are found
//! by deleting those where every move breaks it. Bounds are tried from small to large: what is found is right, what
//! is not found within the largest is not accepted.

use std::collections::{BTreeMap, HashMap};

use tertium_base::Stopped;
use tertium_base::narrow::to_u32;
use tertium_model::{ActionId, Edge, StateId};

use super::Case;
use super::linear::{Linear, Op, Sight};
use super::structure::Filter;
use super::tableau::{Tableau, TableauBranch};
use tertium_evidence::Deadlock;

/// How often a run may meet its promises, in the order in which bounds are tried.
const BOUNDS: [u32; 5] = [0, 1, 2, 4, 8];

/// For each state, whether its paths can be forced to be fair and to avoid `linear`, open values read for it.
pub(super) fn can_avoid(case: &Case<'_>, linear: &Linear, states: &[StateId]) -> Result<Vec<bool>, Stopped> {
    let mut found = vec![false; states.len()];
    for bound in BOUNDS {
        let open: Vec<usize> = (0..states.len()).filter(|&at| !found[at]).collect();
        let asked: Vec<StateId> = open.iter().map(|&at| states[at]).collect();
        let safe = Arena::new(case, linear, bound).solve(&asked)?;
        open.into_iter().zip(safe).for_each(|(at, safe)| found[at] = safe);
        if found.iter().all(|&found| found) {
            break;
        }
    }
    Ok(found)
}

/// One run that must not succeed for ever.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Run {
    /// Of the tableau: its obligations, and which `U` is to be fulfilled next.
    Tableau(Vec<u32>, usize),
    /// Has not yet guessed from when on a fairness constraint is neglected.
    Watching,
    /// Claims that from here on this constraint gets no step.
    Neglected(usize),
}

/// A play's place, and for every run that is still going how often it has succeeded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Position {
    vertex: usize,
    runs: BTreeMap<Run, u32>,
}

/// A certain set of vertices, and the fairness constraints that a step into it surely counts for.
struct CertainSet {
    members: Vec<usize>,
    fair: Vec<bool>,
}

struct Arena<'a> {
    case: &'a Case<'a>,
    linear: &'a Linear,
    untils: Vec<u32>,
    bound: u32,
    positions: Vec<Position>,
    known: HashMap<Position, usize>,
    /// For each move its owner, and for each position the moves it is part of.
    owners: Vec<usize>,
    used_by: Vec<Vec<usize>>,
    open_moves: Vec<usize>,
}

impl<'a> Arena<'a> {
    fn new(case: &'a Case<'a>, linear: &'a Linear, bound: u32) -> Self {
        let untils = (0..to_u32(linear.ops.len())).filter(|&at| matches!(linear.ops[at as usize], Op::Until(..)));
        Self {
            case,
            linear,
            untils: untils.collect(),
            bound,
            positions: Vec::new(),
            known: HashMap::new(),
            owners: Vec::new(),
            used_by: Vec::new(),
            open_moves: Vec::new(),
        }
    }

    fn solve(mut self, states: &[StateId]) -> Result<Vec<bool>, Stopped> {
        let mut runs = BTreeMap::from([(Run::Tableau(vec![self.linear.root], 0), 0)]);
        if self.case.structure.constraints() > 0 {
            runs.insert(Run::Watching, 0);
        }
        let starts: Vec<usize> =
            states.iter().map(|state| self.position(Position { vertex: state.index(), runs: runs.clone() })).collect();
        self.explore()?;
        let safe = self.safe()?;
        Ok(starts.into_iter().map(|start| safe[start]).collect())
    }

    fn position(&mut self, position: Position) -> usize {
        if let Some(&at) = self.known.get(&position) {
            return at;
        }
        self.positions.push(position.clone());
        self.known.insert(position, self.positions.len() - 1);
        self.used_by.push(Vec::new());
        self.open_moves.push(0);
        self.positions.len() - 1
    }

    fn explore(&mut self) -> Result<(), Stopped> {
        let mut at = 0;
        while at < self.positions.len() {
            self.case.budget.check()?;
            let position = self.positions[at].clone();
            let ways = self.ways(&position)?;
            for set in self.certain_sets(position.vertex) {
                let Some(runs) = self.advance(&position, &ways, &set.fair) else { continue };
                let number = self.owners.len();
                self.owners.push(at);
                self.open_moves[at] += 1;
                for vertex in set.members {
                    let target = self.position(Position { vertex, runs: runs.clone() });
                    self.used_by[target].push(number);
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// The positions from which the bound can be kept for ever.
    fn safe(&self) -> Result<Vec<bool>, Stopped> {
        let mut left = self.open_moves.clone();
        let mut dead_moves = vec![false; self.owners.len()];
        let mut safe: Vec<bool> = left.iter().map(|&moves| moves > 0).collect();
        let mut lost: Vec<usize> = (0..safe.len()).filter(|&at| !safe[at]).collect();
        let mut ticks = 0;
        while let Some(at) = lost.pop() {
            for &used in &self.used_by[at] {
                self.case.budget.tick(&mut ticks)?;
                if std::mem::replace(&mut dead_moves[used], true) {
                    continue;
                }
                let owner = self.owners[used];
                left[owner] -= 1;
                if left[owner] == 0 {
                    safe[owner] = false;
                    lost.push(owner);
                }
            }
        }
        Ok(safe)
    }

    /// For each run of the tableau the ways in which it can go on.
    fn ways(&self, position: &Position) -> Result<HashMap<Run, Vec<TableauBranch>>, Stopped> {
        let model = self.case.structure.model;
        let state = Some(StateId::new(position.vertex % model.state_count()));
        let tableau = Tableau { linear: self.linear, sight: Sight::Optimistic, model, budget: self.case.budget };
        let mut ways = HashMap::new();
        for run in position.runs.keys() {
            if let Run::Tableau(obligations, _) = run {
                ways.insert(run.clone(), tableau.ways(obligations, state)?);
            }
        }
        Ok(ways)
    }

    /// All runs after a step into a set that counts for the constraints in `fair`; none if one exceeds the bound.
    fn advance(
        &self,
        position: &Position,
        ways: &HashMap<Run, Vec<TableauBranch>>,
        fair: &[bool],
    ) -> Option<BTreeMap<Run, u32>> {
        let mut next: BTreeMap<Run, u32> = BTreeMap::new();
        let mut add = |run: Run, count: u32| {
            let kept = next.entry(run).or_insert(count);
            *kept = (*kept).max(count);
            count <= self.bound
        };
        for (run, &count) in &position.runs {
            let kept = match run {
                Run::Watching => {
                    let guesses = (0..fair.len()).all(|constraint| add(Run::Neglected(constraint), count));
                    guesses && add(Run::Watching, count)
                }
                Run::Neglected(constraint) => fair[*constraint] || add(run.clone(), count + 1),
                Run::Tableau(_, level) => ways.get(run).into_iter().flatten().all(|way| {
                    let (level, succeeded) = self.next_level(*level, &way.postponed);
                    add(Run::Tableau(way.next.clone(), level), count + u32::from(succeeded))
                }),
            };
            if !kept {
                return None;
            }
        }
        Some(next)
    }

    /// Which `U` is awaited after a step that puts off some, and whether all have been fulfilled in turn.
    fn next_level(&self, level: usize, postponed: &[u32]) -> (usize, bool) {
        let fulfilled = self.untils[level..].iter().take_while(|until| postponed.binary_search(until).is_err()).count();
        if level + fulfilled == self.untils.len() { (0, true) } else { (level + fulfilled, false) }
    }

    fn certain_sets(&self, vertex: usize) -> Vec<CertainSet> {
        let structure = &self.case.structure;
        let (model, constraints) = (structure.model, structure.constraints());
        let count = model.state_count();
        if vertex >= count {
            return vec![CertainSet { members: vec![vertex], fair: vec![false; constraints] }];
        }
        let state = StateId::new(vertex);
        let single = |edge: Edge| CertainSet { members: vec![edge.target.index()], fair: self.fair([edge]) };
        let mut sets: Vec<CertainSet> = model.edges_from(state).filter(|edge| edge.must).map(single).collect();
        sets.extend(model.hyper_from(state).map(|hyper| CertainSet {
            members: hyper.members.iter().map(|member| member.index()).collect(),
            fair: self.hyper_fair(state, hyper.members, hyper.action),
        }));
        let ends = structure.deadlock == Deadlock::Maximal && (model.is_dead(state) || !structure.has_certain(state));
        let possible = || model.edges_from(state).filter(|edge| edge.may);
        let mut members: Vec<usize> = structure.possible(state, Filter::Any).map(StateId::index).collect();
        if structure.total && !members.is_empty() && !ends {
            sets.push(CertainSet { members, fair: self.fair(possible()) });
        } else if ends {
            members.push(count + vertex);
            sets.push(CertainSet { members, fair: vec![false; constraints] });
        }
        sets
    }

    fn hyper_fair(&self, state: StateId, members: &[StateId], action: Option<ActionId>) -> Vec<bool> {
        let edges = || self.case.structure.model.edges_from(state);
        let fits = |edge: &Edge, member: StateId| edge.target == member && (action.is_none() || edge.action == action);
        if !members.iter().all(|&member| edges().any(|edge| fits(&edge, member))) {
            return vec![false; self.case.structure.constraints()];
        }
        self.fair(edges().filter(|edge| members.iter().any(|&member| fits(edge, member))))
    }

    /// The constraints that all these edges surely count for.
    fn fair(&self, edges: impl IntoIterator<Item = Edge>) -> Vec<bool> {
        let constraints = self.case.structure.model.fairness();
        let mut fair = vec![true; constraints.len()];
        for edge in edges {
            for (counts, constraint) in fair.iter_mut().zip(constraints) {
                *counts &= constraint.certain.contains(edge.id.index());
            }
        }
        fair
    }
}
